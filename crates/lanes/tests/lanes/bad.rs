//! Programs that are wrong: one clear line for each, with its place, a status that says what happened, and no panic.

use super::{file, stdout};

/// Programs that are refused before anything runs: the line, and what is said.
const REFUSED: [(&str, u32, &str); 12] = [
    ("int main() {\n    int x = 1\n    return x;\n}", 2, "expected `;`"),
    ("int main() {\n    return y;\n}", 2, "`y` is not declared"),
    ("int main() {\n    return f(1);\n}", 2, "`f` is not declared"),
    ("int main() { return 0; }\nint main() { return 1; }", 2, "`main` is defined twice"),
    ("int main() {\n    goto out;\n    return 0;\n}", 2, "there is no label `out` in this function"),
    (
        "int main() {\n    freopen(\"x\", \"r\", stdin);\n}",
        2,
        "`freopen` reaches files in another way than `fopen`",
    ),
    ("int main() {\n    throw 1;\n}", 2, "`throw` is not supported"),
    ("struct A {};\nstruct B : A {};\nint main() { return 0; }", 2, "inheritance is not supported"),
    ("int sum(int n, ...) { return n; }\nint main() { return sum(1); }", 1, "any number of arguments"),
    ("__global__ void k(int n) {}\nint main() {\n    k<<<1, 32>>>();\n}", 3, "`k` takes 1 argument, not 0"),
    ("void f() {}\nint main() {\n    f<<<1, 32>>>();\n}", 3, "`f` is not `__global__`"),
    ("#include <map>\nint main() { std::map<int, int> m; }", 1, "the header `map` is not available"),
];

/// Programs that a finding stops, or that have one at their end: the kind, and the line.
const FOUND: [(&str, &str, u32); 17] = [
    ("__device__ int x;\nint main() {\n    return x;\n}", "wrong-space", 3),
    (
        "__device__ int x;\nint main() {\n    int h = 1;\n    cudaMemcpy(&x, &h, 4, cudaMemcpyHostToDevice);\n}",
        "unchecked-error",
        4,
    ),
    (
        "__device__ int x[32];\n__global__ void k(int* p) { p[threadIdx.x] = 1; }\nint main() {\n    k<<<1, 32>>>(x);\n}",
        "wrong-space",
        2,
    ),
    ("int main() {\n    int* p = (int*)malloc(4);\n    free(p);\n    free(p);\n}", "double-free", 4),
    (
        "int main() {\n    int* d;\n    cudaMalloc(&d, 4);\n    cudaFree(d);\n    cudaFree(d);\n}",
        "double-free",
        5,
    ),
    ("int main() {\n    int h;\n    cudaFree(&h);\n}", "unchecked-error", 3),
    ("int main() {\n    int* p = NULL;\n    return *p;\n}", "out-of-bounds", 3),
    ("int main() {\n    int* d;\n    cudaMalloc(&d, -4);\n}", "unchecked-error", 3),
    ("__global__ void k() {}\nint main() {\n    k<<<1, 2000>>>();\n}", "unchecked-error", 3),
    ("__global__ void k() {}\nint main() {\n    k<<<1, 32, 1 << 20>>>();\n}", "unchecked-error", 3),
    ("__global__ void k() {}\nint main() {\n    k<<<0, 32>>>();\n}", "unchecked-error", 3),
    ("int main() {\n    int x = 0;\n    return 5 / x;\n}", "division-by-zero", 3),
    ("int main() {\n    int x[4];\n    return x[2];\n}", "uninitialized", 3),
    ("int main() {\n    int* d;\n    cudaMalloc(&d, 4);\n    free(d);\n}", "wrong-space", 4),
    ("#include <assert.h>\nint main() {\n    assert(1 == 2);\n}", "assert", 3),
    (
        "int main() {\n    int h[4];\n    cudaMemcpy(h, h, 16, cudaMemcpyHostToDevice);\n}",
        "unchecked-error",
        3,
    ),
    (
        "struct S { ~S() { free(p); } char* p; };\nint main() {\n    S a;\n    a.p = (char*)malloc(1);\n    S b = a;\n}",
        "double-free",
        1,
    ),
];

#[test]
fn what_cannot_run_is_refused_with_its_line() {
    for (text, line, message) in REFUSED {
        let path = file("bad_refused.cu", text.as_bytes());
        let output = super::lanes(&["run", path.to_str().unwrap(), "--host", "interpret"]);
        let error = String::from_utf8_lossy(&output.stderr);
        let said = error
            .lines()
            .find(|said| said.contains("error: ") && said.contains(&format!("bad_refused.cu:{line}:")));
        assert!(said.is_some_and(|said| said.contains(message)), "{text}\n{error}");
        assert_eq!((stdout(&output), output.status.code()), ("", Some(2)), "{text}");
    }
}

#[test]
fn what_a_program_does_wrong_is_a_finding_at_its_line() {
    for (text, kind, line) in FOUND {
        let path = file("bad_found.cu", text.as_bytes());
        let output = super::lanes(&["run", path.to_str().unwrap()]);
        let place = format!("\n{kind} at bad_found.cu:{line}: ");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(stdout(&output).contains(&place), "{text}\n{}{error}", stdout(&output));
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(!error.contains("panicked"), "{error}");
    }
}

#[test]
fn a_program_without_main_needs_a_kernel() {
    let path = file("bad_no_main.cu", b"int f() { return 0; }\n");
    let output = super::lanes(&["run", path.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("bad_no_main.cu") && !error.contains("panicked"), "{error}");
}
