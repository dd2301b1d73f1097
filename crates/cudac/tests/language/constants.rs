//! Values that are known when the text is compiled.

use super::{check, refused};

#[test]
fn a_constant_function_changes_what_its_parameters_refer_to() {
    let around = "constexpr int inc(int& x) { return ++x; } constexpr void set(int& x, int v) { x = v; }
        constexpr int twice(const int& x) { return 2 * x; } constexpr void swap(int& a, int& b) { int t = a; a = b; b = t; }
        constexpr int one() { int n = 1; inc(n); return n * 10 + inc(n); }
        constexpr int two() { int n = 1, m = 5; set(n, 7); swap(n, m); return n * 100 + m * 10 + twice(n); }
        constexpr int loop() { int n = 0; for (int k = 0; k < 3; k++) inc(n); return n; }";
    check(around, "constexpr int c = one(); static_assert(one() == 23, \"\"); y[i] = c;", |_| 23);
    check(around, "constexpr int c = two(); y[i] = c + 0 * two();", |_| 580);
    check(around, "int a[loop()] = {1, 2, i}; y[i] = a[2] + sizeof(a);", |i| i + 12);
    // Two names for one variable: its value is not known here, and the program is right when it runs.
    let around = "constexpr int both(int& a, int& b) { a = 3; b += 1; return a; } __device__ int run() { int n = 0; return both(n, n) + n; }
        constexpr int known() { int n = 0; return both(n, n); }";
    check(around, "y[i] = run();", |_| 8);
    refused(
        &format!("{around} __global__ void k(int* y) {{ constexpr int c = known(); y[0] = c; }}"),
        "not known",
    );
}

/// C++17, [expr.const]: the name of a variable is no use of its value.
#[test]
fn a_constant_may_begin_with_names_and_choices_that_nobody_reads() {
    let around = "constexpr int first(int n, int m) { int s = 4; s, n; n ? (s = m) : s; for (int k = 0; k < 3; ++k, s) s += (n, 1); return (s += 2, m, s); }";
    check(
        around,
        "int m = i; int a[(m, 2)] = {i, 1}; enum { E = first(1, 5) }; y[i] = a[0] + sizeof(a) + E;",
        |i| i + 18,
    );
    check(around, "const int c = (y[i] += 1, 3); y[i] += c * 10 + first(i, 1);", |i| {
        31 + if i == 0 { 9 } else { 6 }
    });
    refused("__global__ void k(int* y, int n) { constexpr int c = (n++, 3); y[0] = c; }", "not known");
    refused("__global__ void k(int* y, int n) { constexpr int c = (n + 1, 3); y[0] = c; }", "not known");
}

#[test]
fn an_index_less_the_smallest_number() {
    check(
        "",
        "constexpr long long M = -9223372036854775807LL - 1; long long k = i; y[i] = y + (k + M) - M == y + k;",
        |_| 1,
    );
    refused(
        "__global__ void k(int* x, long long i) { constexpr long long M = -9223372036854775807LL - 1; x[i - M] = +; }",
        "expected",
    );
}

#[test]
fn hexadecimal_numbers_are_rounded_to_their_type() {
    check(
        "",
        "y[i] = (0x1.000001p0f == 1.0f) + 2 * (0x1.000001p0f == 0x1.000001p0) + 4 * (0x1.8p1 == 3);",
        |_| 5,
    );
}

#[test]
fn a_comment_that_goes_on_in_the_next_line() {
    for end in ["\n", "\r\n"] {
        check("", &format!("y[i] = 1; // a comment \\{end} y[i] = 2;{end}y[i] += 3;"), |_| 4);
    }
}

/// No number of warnings, and no length, hides an error.
#[test]
fn errors_are_reported_after_many_warnings_and_many_tokens() {
    let warnings = "#pragma nothing\n".repeat(200);
    refused(&format!("{warnings}__global__ void k(int* y) {{ y[0] = z; }}"), "`z` is not declared");
    let warned =
        "__global__ void k(int* y) { y[0] == 1;\n".to_owned() + &"y[0] == 1;\n".repeat(90) + "y[0] = z; }";
    refused(&warned, "`z` is not declared");
    let tokens = "#define A ;;;;;;;;;;\n#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n#define D C C C C C C C C C C\n";
    let many = format!("{tokens}__global__ void k(int* y) {{ {} y[0] = 1; }}", "D ".repeat(201));
    refused(&many, "2000000 tokens");
    let few = format!("{tokens}__global__ void k(int* y) {{ {} y[0] = z; }}", "D ".repeat(10));
    refused(&few, "`z` is not declared");
}
