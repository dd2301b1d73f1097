//! Kernels that launch kernels: when they run, with what, what is found in them, and what fails.

mod common;

use common::{printed, run, run_within};

const KERNELS: &str = "
#include <cstdio>
struct Pair { char c; double d; };
__global__ void set(int* p, int value) { *p = value; }
template <typename T> __global__ void fill(T* p, T value, Pair pair) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = value + (T)pair.d + pair.c;
}";

/// What `parent` leaves in eight numbers, which begin with zeros.
fn left(parent: &str, launch: &str) -> String {
    let text = format!("{KERNELS}\n__global__ void parent(int* p, int depth) {{ {parent} }}");
    let body = format!(
        "int* p; cudaMallocManaged(&p, 32); cudaMemset(p, 0, 32); parent<<<{launch}>>>(p, 3);
        cudaDeviceSynchronize();
        for (int i = 0; i < 8; i++) printf(\"%d \", p[i]);
        cudaFree(p);"
    );
    printed(&text, &body)
}

#[test]
fn children_get_their_arguments_and_their_shape() {
    let parent =
        "Pair pair{1, 2.5}; fill<<<dim3(2, 1), 3, 16>>>(p, 4, pair); fill<int><<<1, 1>>>(p + 7, 10, pair);";
    assert_eq!(left(parent, "1, 1"), "7 7 7 7 7 7 0 13 ");
}

#[test]
fn children_run_after_their_parent_in_the_order_of_the_launches() {
    let after = "set<<<1, 1>>>(p, 1); set<<<1, 1>>>(p, 2); p[0] = 9; p[1] = p[0];";
    assert_eq!(left(after, "1, 1"), "2 9 0 0 0 0 0 0 ");
    let tail = "set<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 1); set<<<1, 1>>>(p, 2);
        set<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 3);";
    assert_eq!(left(tail, "1, 1"), "1 0 0 0 0 0 0 0 ");
    let own =
        "cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); set<<<1, 1, 0, s>>>(p, 5);
        p[1] = s != 0; cudaStreamDestroy(s);";
    assert_eq!(left(own, "1, 1"), "5 1 0 0 0 0 0 0 ");
}

#[test]
fn each_lane_that_launches_has_its_own_child() {
    let parent = "if (threadIdx.x % 2) set<<<1, 1>>>(p + threadIdx.x, threadIdx.x);";
    assert_eq!(left(parent, "1, 8"), "0 1 0 3 0 5 0 7 ");
    assert_eq!(left("set<<<1, 1>>>(p + blockIdx.x, blockIdx.x + 1);", "4, 1"), "1 2 3 4 0 0 0 0 ");
}

#[test]
fn launches_nest_and_what_they_print_comes_in_their_order() {
    let text = format!(
        "{KERNELS}\n__global__ void parent(int depth) {{
            printf(\"%d\", depth);
            if (depth > 0 && threadIdx.x == 0) {{ parent<<<1, 2>>>(depth - 1); printf(\"|\"); }}
        }}"
    );
    assert_eq!(printed(&text, "parent<<<1, 1>>>(2); cudaDeviceSynchronize();"), "2|11|00");
}

#[test]
fn a_kernel_may_wait_where_the_target_has_that() {
    let parent = "set<<<1, 1>>>(p, 1); p[1] = p[0]; cudaDeviceSynchronize(); p[2] = p[0];";
    assert_eq!(left(parent, "1, 1"), "1 0 1 0 0 0 0 0 ");
    let text = format!("{KERNELS}\n__global__ void parent(int* p, int depth) {{ {parent} }}");
    let text = format!("{text}\nint main() {{ parent<<<1, 1>>>(0, 0); cudaDeviceSynchronize(); }}");
    let source = cudac::Source { name: "program.cu", text: &text };
    let (output, _) = cudac::compile_program(&source, &cudac::Options::default()).unwrap();
    let about = |warning: &cudac::Diagnostic| warning.message.contains("cannot wait for the kernels");
    assert_eq!(output.warnings.iter().filter(|warning| about(warning)).count(), 1, "{:?}", output.warnings);
}

/// The kinds, the lines and the counts of the findings of a program with a kernel `parent` that is launched once.
fn found(parent: &str, launch: &str) -> Vec<(&'static str, u32, String)> {
    let text = format!(
        "{KERNELS}
__global__ void race(int* p) {{ p[0] = threadIdx.x; }}
__global__ void reads(int* p, int* q) {{ p[0] = q[0]; }}
__global__ void parent(int* p, int* q, int depth) {{
    {parent}
}}
int main() {{
    int *p, *q; cudaMalloc(&p, 64); cudaMalloc(&q, 64); cudaMemset(p, 0, 64);
    parent<<<{launch}>>>(p, q, 0);
    cudaDeviceSynchronize(); cudaGetLastError(); cudaFree(p); cudaFree(q); return 0; }}"
    );
    let findings = run(&text).findings;
    findings.iter().map(|found| (found.kind.name(), found.line.number(), found.message.clone())).collect()
}

#[test]
fn children_are_checked_like_other_launches() {
    let kinds =
        |parent: &str| found(parent, "1, 1").iter().map(|(kind, line, _)| (*kind, *line)).collect::<Vec<_>>();
    assert_eq!(kinds("set<<<1, 1>>>(p, 1);"), []);
    assert_eq!(kinds("race<<<1, 64>>>(p);"), [("race", 8)]);
    assert_eq!(kinds("reads<<<1, 1>>>(p, q);"), [("uninitialized", 9)]);
    assert_eq!(kinds("reads<<<1, 1>>>(p, q + 100);"), [("out-of-bounds", 9)]);
}

#[test]
fn a_launch_that_fails_is_found_unless_the_kernel_asks() {
    for (shape, why) in [
        ("1, 2048", "at most 1024 threads"),
        ("0, 1", "at least one block"),
        ("1, 0", "at least one block"),
        ("1, 1, 300000", "bytes of shared memory"),
    ] {
        let one = format!("set<<<{shape}>>>(p, 1);");
        let failed = found(&one, "1, 1");
        assert!(
            matches!(&failed[..], [("failed-launch", 11, message)] if message.contains(why)),
            "{failed:?}"
        );
        assert_eq!(found(&format!("{one} p[0] = cudaGetLastError();"), "1, 1"), []);
        assert_eq!(
            found(&format!("{one} p[0] = cudaPeekAtLastError() + cudaPeekAtLastError();"), "1, 1"),
            []
        );
    }
    let codes = "set<<<1, 2048>>>(p, 1); p[1] = cudaPeekAtLastError(); p[2] = cudaGetLastError(); p[3] = cudaGetLastError();";
    assert_eq!(left(codes, "1, 1"), "0 9 9 0 0 0 0 0 ");
}

#[test]
fn depth_and_number_are_bounded() {
    let deep = found("parent<<<1, 1>>>(p, q, depth + 1);", "1, 1");
    assert!(matches!(&deep[..], [("failed-launch", 11, message)] if message.contains("24 deep")), "{deep:?}");
    let many = found("for (int i = 0; i < 3000; i++) set<<<1, 1>>>(p, i);", "1, 1");
    assert!(matches!(&many[..], [("failed-launch", 11, message)] if message.contains("2048")), "{many:?}");
    // Each launches two more: the bound on depth alone would let it run for hours.
    let text = "__global__ void two(int* p) { two<<<1, 1>>>(p); two<<<1, 1>>>(p); }";
    let body = "two<<<1, 1>>>(0); cudaDeviceSynchronize(); printf(\"ended\");";
    let mut limits = cuda_host::Limits::default();
    limits.launch.max_steps = 100_000;
    let outcome =
        run_within(&format!("#include <cstdio>\n{text}\nint main() {{ {body} }}"), "", &limits).unwrap();
    assert!(outcome.findings.iter().any(|found| found.kind.name() == "step-limit"), "{:?}", outcome.findings);
}
