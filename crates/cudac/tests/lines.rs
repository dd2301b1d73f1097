//! The line table: instructions are on the lines on which NVIDIA's compiler puts them.

use cudac::{Options, Source};

/// The lines of the text that have an instruction whose PTX contains a word.
fn lines_of(word: &str, text: &str) -> Vec<u32> {
    let output = cudac::compile(&Source { name: "lines.cu", text }, &Options::default())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let (mut line, mut found) = (0, Vec::new());
    for ptx in output.ptx.lines() {
        if let Some(place) = ptx.trim().strip_prefix(".loc\t1 ") {
            line = place.split(' ').next().unwrap().parse().unwrap();
        } else if ptx.contains(word) {
            found.push(line);
        }
    }
    found
}

#[test]
fn a_loop_is_tested_where_its_condition_stands() {
    let body =
        "{\n    int i = 0;\n    do {\n        i += x[i];\n    } while (\n        i < 100);\n    x[0] = i;\n}";
    let kernel = format!("extern \"C\" __global__ void kernel(int* x) {body}");
    assert_eq!(lines_of("@%p", &kernel), [6]);
    let body = "{\n    int i = 0;\n    while (i < 100) {\n        i += x[i];\n    }\n    x[0] = i;\n}";
    let kernel = format!("extern \"C\" __global__ void kernel(int* x) {body}");
    assert!(lines_of("@%p", &kernel).iter().all(|line| *line == 3));
}

/// The lines of the module's instructions whose PTX contains a word: their own, and those of the calls around them.
fn calls_of(word: &str, text: &str) -> Vec<Vec<u32>> {
    let output = cudac::compile(&Source { name: "lines.cu", text }, &Options::default())
        .unwrap_or_else(|errors| panic!("{errors}"));
    let mut emulator = simt::Emulator::new(simt::Limits::default());
    let module = emulator.load("lines", &output.ptx).unwrap();
    let sites = (0..).map(|at| module.site(at)).take_while(|site| site.ptx_line != 0);
    // The end of a function is an instruction too, whose text is all of it.
    let found = sites.filter(|site| site.source.is_some() && site.ptx.contains(word));
    found.map(|site| site.source.iter().chain(&site.calls).map(|line| line.line).collect()).collect()
}

const HELPERS: &str = "\
__device__ int first(const int* x) {
    return *x;
}
struct Twice {
    int factor = 2;
    __device__ int operator()(const int* x) const {
        int one = first(x);
        return factor * one + first(x + 1);
    }
};
template <class F>
__device__ int with(F f, const int* x) { return f(x); }
";

#[test]
fn a_function_has_lines_of_its_own_and_those_of_its_calls() {
    let kernel = |body: &str| {
        format!("{HELPERS}extern \"C\" __global__ void kernel(int* x) {{\n    x[2] =\n        {body};\n}}\n")
    };
    assert_eq!(calls_of("ld.global", &kernel("first(x)")), [[2, 15]]);
    assert_eq!(calls_of("st.global", &kernel("first(x)")), [[14]]);
    assert_eq!(calls_of("ld.global", &kernel("Twice()(x)")), [[2, 7, 15], [2, 8, 15]]);
    assert_eq!(calls_of("ld.global", &kernel("with(Twice(), x)")), [[2, 7, 12, 15], [2, 8, 12, 15]]);
    assert_eq!(calls_of("ld.global", &kernel("first(x) +\n        first(x + 1)")), [[2, 15], [2, 16]]);
    let lambda = "[&](int i) {\n        return x[i];\n    }(1)";
    assert_eq!(calls_of("ld.global", &kernel(lambda)), [[16, 15]]);
}

#[test]
fn a_function_of_a_header_has_the_line_of_its_call() {
    let add =
        "extern \"C\" __global__ void kernel(unsigned* x) {\n    atomicAdd(x, 1);\n    __syncwarp();\n}";
    assert_eq!(calls_of("red.", add).into_iter().chain(calls_of("atom.", add)).collect::<Vec<_>>(), [[2]]);
    assert_eq!(calls_of("bar.warp", add), [[3]]);
    // What the reader passes to a header has lines of its own there.
    let group = "#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
struct Sum {
    __device__ int operator()(int a, int b) const {
        return a * 3 + b;
    }
};
extern \"C\" __global__ void kernel(int* x) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    x[0] =
        cg::reduce(warp, x[1], Sum());
}";
    assert!(calls_of("mad", group).iter().all(|lines| lines == &[6, 12]), "{:?}", calls_of("mad", group));
    assert!(calls_of("shfl", group).iter().all(|lines| lines == &[12]));
    assert!(!calls_of("mad", group).is_empty() && !calls_of("shfl", group).is_empty());
}
