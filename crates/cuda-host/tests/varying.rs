//! Arrays whose length is known when their declaration is executed, as `g++` has them in host code.

mod common;

use common::{printed, run};
use cuda_host::Kind;

#[test]
fn an_array_has_the_length_that_its_declaration_computes() {
    let around = "double last(int runs) { double times[runs]; for (int i = 0; i < runs; i++) times[i] = i * 0.5; return times[runs - 1]; }
        int sum(const int* a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
        template <typename T> T total(int n) { T a[n] = {1, 2}; T s = 0; for (T x : a) s += x; return s; }
        struct S { int run(int n) { int a[n] = {4}; return a[0] + a[n - 1]; } };";
    let body = "int cases = 3; const int n = cases > 1 ? 5 : 4;
        float in[cases][8] = {{1, 2}, {3}};
        printf(\"%g %g %g %zu %zu \", in[0][1], in[1][0], in[2][7], sizeof(in), sizeof(in[0]));
        int sizes[cases] = {2, 2, 2}, all = sum(sizes, cases), twice[all] = {all, all + 1}, last_one = 9;
        printf(\"%d %d %d %d | \", all, twice[1], twice[5], last_one);
        char text[cases + 5] = \"abc\"; const double fixed[n] = {1.5}; S s;
        printf(\"%s %zu %g %g %d %d %g | \", text, sizeof text, fixed[0], fixed[4], s.run(2), total<int>(4), last(6));
        auto at = [&](int i) { return sizes[i]; }; auto* first = sizes; int (&same)[8] = (int(&)[8])in[1];
        printf(\"%d %d %d\", at(1), *first, same[1]);";
    assert_eq!(printed(around, body), "2 3 0 96 32 6 7 0 9 | abc 8 1.5 0 4 3 2.5 | 2 2 0");
}

/// C++17, [expr.const]: `const` variables of constants, in a function and outside.
#[test]
fn lengths_of_constant_variables_are_constants() {
    let body = "const int N = 4; constexpr int M = N * 2; int a[N][MAX][M] = {}; static int b[N]; int n = 2, c[n][MAX] = {{1}, {2}};
        int (*row)[16] = c; a[3][15][7] = 5; static_assert(sizeof(a) == 4 * 4 * 16 * 8, \"\");
        printf(\"%d %d %d %zu\", a[3][15][7], b[3], row[1][0], sizeof(c));";
    assert_eq!(printed("const int MAX = 16;", body), "5 0 2 128");
}

#[test]
fn elements_are_made_and_end_with_their_block() {
    let around = "#include <string>\n#include <vector>
        struct P { int x, y; P() : x(7), y(8) {} P(int a, int b) : x(a), y(b) {} ~P() { printf(\"-%d \", x); } };";
    let body = "int n = 3; { P p[n] = {P(1, 2)}; printf(\"%d %d \", p[0].y, p[2].x); }
        std::string names[n] = {\"one\", \"two\"}; names[2] = \"three\"; std::vector<int> lists[n]; lists[1].push_back(3);
        dim3 grids[n] = {dim3(1, 2)}; for (auto& name : names) printf(\"%s \", name.c_str());
        printf(\"%zu %u %u\", lists[1].size(), grids[0].y, grids[2].x);";
    // The temporary of the list ends first.
    assert_eq!(printed(around, body), "-1 2 7 -7 -7 -1 one two three 1 2 1");
}

#[test]
fn memory_is_taken_for_the_block_only() {
    let body = "long sum = 0; int i = 0;
        for (int k = 0; k < 2000; k++) { char large[100000]; int n = 100000 + k; char room[n]; room[n - 1] = 1; sum += room[n - 1]; }
        again: int n = i + 1; int a[n]; a[i] = 1; sum += a[i]; if (++i < 1000) goto again;
        switch (n) { case 1000: { int y[n] = {}; sum += y[9]; break; } default: break; }
        float *d, h[n] = {1}; cudaMalloc(&d, sizeof(h)); cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
        cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost); cudaFree(d); printf(\"%ld %g\", sum, h[0] + h[999]);";
    assert_eq!(printed("", body), "3000 1");
}

/// What it refers to has ended before the caller has its copy.
#[test]
fn an_element_is_returned_from_a_block_that_ends_with_it() {
    let around = "#include <vector>\nstruct Q { int x, y; };
        Q one(int n) { Q q[n]; for (int i = 0; i < n; i++) q[i] = {i, 2 * i}; return q[n - 1]; }
        Q two(int n) { std::vector<Q> q(n); q[1].y = 5; Q* at = &q[1]; return *at; }
        Q three(Q q) { Q a[2] = {q, {3, 4}}; return a[1]; }";
    let body = "printf(\"%d %d %d\", one(4).y, two(3).y, three(one(2)).y);";
    assert_eq!(printed(around, body), "6 5 4");
}

#[test]
fn accesses_and_lengths_that_are_wrong_are_found() {
    for (body, kind, words) in [
        ("int a[n]; a[n] = 1;", Kind::OutOfBounds, "0 bytes after the 12 bytes that line 2 allocated"),
        ("int a[n] = {1}; int s = a[-1];", Kind::OutOfBounds, "outside of every object"),
        ("int a[n]; int s = a[1];", Kind::Uninitialized, "byte 4 of the 12 bytes"),
        ("int* p; { int a[n] = {1}; p = a; } int s = *p;", Kind::UseAfterFree, "was freed"),
        ("int a[n - 4];", Kind::OutOfBounds, "an array of -1 elements is declared"),
        (
            "int a[n] = {1, 2, 3, 4};",
            Kind::OutOfBounds,
            "an array of 3 elements is declared, and gets 4 values",
        ),
        ("double a[n << 28];", Kind::Limit, "an array of 6442450944 bytes is declared"),
        ("char a[~0ull - n];", Kind::OutOfBounds, "an array of -4 elements is declared"),
    ] {
        let outcome = run(&format!("int main() {{ int n = 3;\n{body}\nreturn 0; }}"));
        let found = &outcome.findings[0];
        assert!(found.kind == kind && found.message.contains(words), "{body}: {found:?}");
        assert_eq!(found.line.number(), 2, "{body}");
    }
    assert_eq!(printed("", "int n = 0; int a[n]; (void)a; printf(\"%zu\", sizeof(a));"), "0");
}

#[test]
fn what_has_no_length_is_refused_by_name() {
    let known = "has to be known when the text is compiled";
    for (text, words) in [
        ("int main() { int n = 2; int a[n][n]; return 0; }", "lengths are known only when the program runs"),
        ("int main() { int n = 2; int a[2][n]; return 0; }", "lengths are known only when the program runs"),
        ("int n = 2; int a[n]; int main() { return 0; }", known),
        ("int main() { int n = 2; static int a[n]; return 0; }", known),
        ("__global__ void k(int n) { int a[n]; } int main() { return 0; }", known),
        (
            "__host__ __device__ int f(int n) { int a[n] = {}; return a[0]; } __global__ void k() { f(2); } int main() { k<<<1, 1>>>(); }",
            known,
        ),
        ("int main() { float n = 2; int a[n]; return 0; }", "is an integer"),
        ("int main() { int n = 2; int a[n] = 5; return 0; }", "does not convert"),
        ("int main() { int n = 2; int a[n]; auto f = [=] { return a[0]; }; return 0; }", "copying an array"),
        (
            "int main() { int n = 2; int a[n]; auto f = [&] { return sizeof(a); }; return f(); }",
            "is not known here",
        ),
        ("int main() { int n = 2; goto end; int a[n]; end: return 0; }", "jumps over"),
        (
            "template <int N> int f(int (&)[N]) { return N; } int main() { int n = 2; int a[n]; return f(a); }",
            "do not determine",
        ),
    ] {
        let source = cudac::Source { name: "program.cu", text };
        let compiled = cudac::compile_program(&source, &cudac::Options::default());
        let errors = compiled.err().unwrap_or_else(|| panic!("{text} compiles")).to_string();
        assert!(errors.contains(words) && !errors.contains("__host_varying"), "{text}: {errors}");
    }
}
