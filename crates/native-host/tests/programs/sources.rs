//! What belongs to one of several sources.

use cuda_host::Limits;
use native_host::Clang;

use super::{folder, printed, run_within};

/// A text that two sources include, with a number of its own.
const OWN: &str = "
#pragma once
static __device__ int hits;
static __constant__ int step = 1;
static __global__ void count() { hits += step; }
namespace { __global__ void counted() { hits += 100 * step; } }
template <class F> __global__ void change(F f) { hits = f(hits); }
";

/// `static` kernels and variables, those of a namespace without a name, and kernels that are made for a lambda.
#[test]
fn each_source_has_kernels_and_variables_of_its_own_skipped_without_clang() {
    let clang = clang!();
    let body = |number: u32| {
        format!(
            "count<<<1, 1>>>(); counted<<<1, 1>>>();
            change<<<1, 1>>>([] __device__ (int x) {{ return x + {number}; }});
            int got; cudaMemcpyFromSymbol(&got, hits, sizeof(int)); return got;"
        )
    };
    let project = folder(&[
        ("own.h", OWN),
        (
            "main.cu",
            &format!(
                "#include \"own.h\"\nint other();\nint own() {{ {} }}\n\
                int main() {{ int ten = 10; cudaMemcpyToSymbol(step, &ten, 4); int a = own(), b = other(); printf(\"%d %d\\n\", a, b); }}",
                body(2)
            ),
        ),
        ("other.cu", &format!("#include \"own.h\"\nint other() {{ {} }}", body(5))),
        ("plain.c", "int plain(void) { return 0; }"),
    ]);
    for sources in [&["main.cu", "other.cu"][..], &["plain.c", "other.cu", "main.cu"]] {
        let outcome = run_within(&clang, project.path(), sources, &[], &Limits::default()).unwrap();
        assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
        assert_eq!(printed(&outcome), "1012 106\n", "{sources:?}");
    }
}

/// The names in findings are those of the text.
#[test]
fn a_finding_names_a_kernel_of_one_source_skipped_without_clang() {
    let clang = clang!();
    let project = folder(&[
        (
            "main.cu",
            "void other(int*);\nint main() { int* d; cudaMalloc(&d, 4); other(d); cudaDeviceSynchronize(); cudaFree(d); }",
        ),
        (
            "other.cu",
            "static __global__ void far(int* x) {\n  x[7] = 1;\n}\nvoid other(int* x) { far<<<1, 1>>>(x); }",
        ),
    ]);
    let outcome =
        run_within(&clang, project.path(), &["main.cu", "other.cu"], &[], &Limits::default()).unwrap();
    let [found] = &outcome.findings[..] else { panic!("{:?}", outcome.findings) };
    assert!(!format!("{found:?}").contains("lanes_source"), "{found:?}");
    assert_eq!((found.kind.name(), found.line.number()), ("out-of-bounds", 2));
}
