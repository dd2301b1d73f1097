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
    // Two names for one variable.
    let around = "constexpr int both(int& a, int& b) { a = 3; b += 1; return a; } __device__ int run() { int n = 0; return both(n, n) + n; }
        constexpr int known() { int n = 0; return both(n, n); }";
    check(around, "constexpr int c = known(); y[i] = run() * 10 + c;", |_| 84);
}

/// C++17, [expr.const]: each is the same when the text is compiled and when the program runs.
#[test]
fn a_constant_function_has_references_arrays_and_switches() {
    for (function, wanted) in [
        ("int s = n; int& r = s; r += 2; const int& q = r; return q * s + (r = n);", 28),
        (
            "int a[4] = {1, n}; a[2] = 5; a[n % 4] += 10; int s = 0; for (int k = 0; k < 4; k++) s = s * 10 + a[k]; return s;",
            1360,
        ),
        (
            "int m[2][3] = {{1, 2, 3}, {4, 5}}; int (&row)[3] = m[1]; row[2] = 6; row[0]++; return m[1][0] * 10 + m[1][2];",
            56,
        ),
        (
            "int v[3] = {1, 2, n}; int s = 0; for (int& x : v) x *= 2; for (int x : v) s += x; return s * (v[1] = 3);",
            36,
        ),
        (
            "int s = 0; for (int k = 0; k < 9; k++) { switch (k % n) { case 0: continue; case 1: s += 1; break; default: s += 10; } if (s > 30) break; } return s;",
            33,
        ),
        (
            "switch (n) { case 1: n = 7; case 2: return 5; case 3: n = 9; case 4: n++; break; default: n = 50; } return n;",
            10,
        ),
        (
            "switch (n) { case 1: return 5; case 2: default: n += 50; } switch (n) { case 3: n = 1; } return n;",
            53,
        ),
        (
            "int s = 0, c = 1; (s = n) = 5; ++(s += n); ++++c; (n > 2 ? s : c) += 4; (s *= 2) -= 1; (c, n) = 7; return s * 100 + c * 10 + n;",
            2537,
        ),
        ("double d[2] = {1.5}; d[1]++; float f = 0; f = d[0] * 2; return d[1] * 10 + f;", 13),
        ("int a = n, b = 2; pick(a, b) += 10; int& z = pick(a, b); z++; return a * 100 + b;", 1402),
        ("int v[3] = {1, 2, n}; return total(v) * 10 + v[2];", 63),
    ] {
        let around = format!(
            "constexpr int& pick(int& a, int& b) {{ return a > b ? a : b; }}
            constexpr int total(const int (&v)[3]) {{ int s = 0; for (int x : v) s += x; return s; }}
            constexpr int f(int n) {{ {function} }}"
        );
        check(&around, "constexpr int c = f(3); y[i] = c == f(n / 8 - 1) ? c : -1;", |_| wanted);
    }
    for function in
        ["int a[3] = {1, 2, n}; return a[n];", "int a; return a + n;", "int a[2]; a[0] = n; return a[1];"]
    {
        let text = format!(
            "constexpr int f(int n) {{ {function} }} __global__ void k(int* y) {{ constexpr int c = f(3); y[0] = c; }}"
        );
        refused(&text, "not known");
    }
    refused("__global__ void k(int* y, int n) { constexpr int c = (n = 3); y[0] = c; }", "not known");
}

/// C++17, [expr.const] and [expr.add]: pointers move in the object that they point into, and to its end.
#[test]
fn a_constant_function_has_pointers() {
    for (function, wanted) in [
        (
            "int a[4] = {1, n, 5, 2}; const int* best = a; for (const int* p = a + 1; p != a + 4; ++p) if (*best < *p) best = p; return *best * 10 + (best - a);",
            52,
        ),
        (
            "int a[2][3] = {{1, 2, 3}, {4, 5, n}}; int (*row)[3] = a; ++row; int* p = *row; p += 2; *p += 1; p--; return a[1][2] * 10 + *p;",
            45,
        ),
        ("int x = n; int* p = &x; int** q = &p; **q = 9; return x + (p == &x) + (p != nullptr) + !p;", 11),
        ("int a[3] = {n, 2, 1}; int* p = a + 3; int s = 0; while (p > a) s = s * 10 + *--p; return s;", 123),
        ("return *most(T, T + 4) * 10 + (most(T, T + 2) - T);", 91),
        ("const int* p = T; const int* q = p++; return *p * 10 + *q + (q == T);", 92),
    ] {
        let around = format!(
            "constexpr int T[4] = {{1, 9, 3}};
            constexpr const int* most(const int* a, const int* b) {{ const int* best = a; for (; a < b; a++) if (*best < *a) best = a; return best; }}
            constexpr int f(int n) {{ {function} }}"
        );
        check(&around, "constexpr int c = f(3); y[i] = c == f(n / 8 - 1) ? c : -1;", |_| wanted);
    }
    check("", "constexpr int t[3] = {4, 8, 2}; constexpr int c = t[1] + *t + *(t + 2); y[i] = c;", |_| 14);
    for function in [
        "int a[2] = {1, 2}, b[2] = {3, 4}; return *(a + 2) + b[0];",
        "int a[2] = {1, 2}, b[2] = {3, 4}; const int* p = a; p += n; return p == b;",
        "int a[2][2] = {}; int* p = a[1]; return *(p - 3);",
        "const int* p = nullptr; return *p;",
        "long p = (long)T; return p;",
        "return *(T + n + 1);",
    ] {
        let text = format!(
            "constexpr int T[4] = {{1, 9, 3}}; constexpr int f(int n) {{ {function} }} __global__ void k(int* y) {{ constexpr int c = f(3); y[0] = c; }}"
        );
        refused(&text, "not known");
    }
    refused("__global__ void k(int* y) { constexpr int t[2] = {1, 2}; t[0] = 3; y[0] = t[0]; }", "const");
}

/// C++17, [expr.ref], paragraph 4: the object is made, and does nothing.
#[test]
fn a_static_member_of_a_temporary_object_is_a_constant() {
    let around = "struct S { static const int of = 5; enum { E = 6 }; int m = 2; };
        struct C { static constexpr int of = 7; constexpr C(int) {} }; struct D { static const int of = 1; __device__ D(int) {} };
        template <int N> struct T { int a[N]; }; constexpr int f(C, int n) { C c(n); return n + c.of; }";
    check(
        around,
        "int a[S().of]; y[i] = sizeof(a) + sizeof(T<S{}.of>) * 100 + sizeof(T<S().E>) * 10000;",
        |_| 242_020,
    );
    check(around, "constexpr int c = C(1).of; constexpr int d = f(C(2), c); y[i] = c * 100 + d;", |_| 714);
    refused(
        &format!("{around} __global__ void k(int* y) {{ int a[D(1).of]; y[0] = sizeof(a); }}"),
        "has to be known",
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
