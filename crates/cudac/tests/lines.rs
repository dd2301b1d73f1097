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

#[test]
fn what_a_function_does_is_on_the_line_of_its_call() {
    let text = "__device__ int twice(const int* x) {\n    return 2 * *x;\n}\nextern \"C\" __global__ void kernel(int* x) {\n    x[1] =\n        twice(x);\n}";
    assert_eq!(lines_of("ld.global", text), [6]);
    assert_eq!(lines_of("st.global", text), [5]);
}
