//! Which function is called, what a name means, and what a lambda captures.

use super::{check, refused};

#[test]
fn a_name_after_two_colons_is_that_of_the_outermost_scope() {
    let around = "__device__ const int n_ = 1; const int c = 2; struct S { int a; }; __device__ int f() { return 3; }
        namespace inner { const int c = 20; struct S { int a, b; }; __device__ int f() { return 30; }
            __device__ int g() { const int c = 200; return ::c + inner::c + c + ::f() + f() + (int)sizeof(::S) + ::inner::c; } }";
    check(around, "int c = 5; y[i] = ::c * 10 + c + ::inner::c;", |_| 45);
    check(around, "y[i] = inner::g();", |_| 2 + 20 + 200 + 3 + 30 + 4 + 20);
    check(
        around,
        "struct S { int x[5]; }; y[i] = sizeof(::S) + 100 * sizeof(S); ::S s{i}; y[i] += s.a;",
        |i| 2004 + i,
    );
    check(around, "using inner::f; y[i] = f() + ::f() + ::min(i, 3) + ::atomicAdd(y + i, 0);", |i| {
        33 + i.min(3)
    });
    check(
        "namespace a { namespace b { const int x = 3; } }",
        "using namespace ::a; namespace c = ::a::b; y[i] = ::a::b::x + b::x + c::x;",
        |_| 9,
    );
}

/// C++17, [basic.lval]: its name is no value, though it needs no memory.
#[test]
fn the_name_of_a_constant_is_bound_to_no_reference_that_moves() {
    let around = "constexpr int C = 5; enum { E = 6 }; struct S { static constexpr int m = 7; };
        __device__ int f(int&) { return 1; } __device__ int f(const int&) { return 2; } __device__ int f(int&&) { return 3; }
        template <typename T> __device__ int passed(T&& x) { return f(static_cast<T&&>(x)); }";
    check(around, "y[i] = f(C) * 1000 + f(S::m) * 100 + f(E) * 10 + passed(C);", |_| 2232);
    check(around, "const int c = 8; y[i] = f(c) * 10 + [=] { return f(c); }();", |_| 22);
    check(around, "int m = i; y[i] = f(i ? C : m) * 100 + f(i ? m : C) * 10 + f(i ? C : 4);", |_| 223);
    check(around, "auto m = C; auto&& r = C; m += r; decltype(C) c = m; y[i] = f(m) * 100 + c;", |_| 110);
}

/// C++17, [over.ics.rank], paragraph 3.2.3, and [dcl.init.ref].
#[test]
fn a_reference_to_what_may_be_moved_from_is_bound_to_nothing_else() {
    let around = "#include <cuda/std/utility>
        struct S { int v; };
        __device__ int f(S&) { return 1; } __device__ int f(const S&) { return 2; } __device__ int f(S&&) { return 3; }
        __device__ int g(const int&) { return 4; } __device__ int g(int&&) { return 5; }
        __device__ int h(int&) { return 6; } __device__ int h(const int&) { return 7; }
        __device__ S make(int v) { return S{v}; } __device__ S& same(S& s) { return s; } __device__ S&& moved(S& s) { return static_cast<S&&>(s); }
        template <typename T> __device__ int kind(T&& x) { return f(static_cast<T&&>(x)); }
        template <typename T> __device__ int named(T&& x) { return f(x); }
        __device__ int change(int&& x) { x += 10; return x; }";
    check(
        around,
        "S s{i}; const S c{i}; y[i] = f(s) * 1000 + f(c) * 100 + f(S{i}) * 10 + f(make(i));",
        |_| 1233,
    );
    check(around, "S s{i}; y[i] = f(same(s)) * 100 + f(moved(s)) * 10 + f(static_cast<S&&>(s));", |_| 133);
    check(around, "S s{i}; S&& r = S{i}; S& l = s; y[i] = f(r) * 10 + f(l);", |_| 11);
    check(
        around,
        "int m = i; const int c = i; y[i] = g(m) * 1000 + g(c) * 100 + g(i + 1) * 10 + g(3);",
        |_| 4455,
    );
    check(
        around,
        "int m = i; const int c = i; short s = 1; y[i] = h(m) * 1000 + h(c) * 100 + h(m + 1) * 10 + h(s);",
        |_| 6777,
    );
    check(
        around,
        "S s{i}; const S c{i}; y[i] = kind(s) * 1000 + kind(S{i}) * 100 + named(S{1}) * 10 + kind(c);",
        |_| 1312,
    );
    check(around, "int m = i; short s = 2; y[i] = change(static_cast<int&&>(m)) + m + change(s) + s;", |i| {
        2 * i + 20 + 14
    });
    check(
        around,
        "int m = i; auto&& a = m; a += 1; auto&& b = make(i); b.v += 1; S s{4}; auto&& c = s; c.v = 9; y[i] = m + b.v + s.v;",
        |i| 2 * i + 11,
    );
    refused(
        "__device__ int f(int&& x) { return x; } __global__ void k(int* y) { int n = 1; y[0] = f(n); }",
        "std::move",
    );
    refused(
        "struct S {}; __device__ int f(S& x) { return 1; } __global__ void k(int* y) { y[0] = f(S{}); }",
        "not a variable",
    );
}

#[test]
fn a_range_that_a_function_refers_to_is_no_copy() {
    let around =
        "struct B { int v[3]; __device__ int* begin() { return v; } __device__ int* end() { return v + 3; }
        __device__ B& me() { return *this; } __device__ B other() { return *this; } };
        using A = int[3]; __device__ A& list(A& a) { return a; }";
    let body = "B b{{i, 2, 3}}; for (int& x : b.me()) x += 1; for (int& x : b.other()) x += 100;
        int s = 0; for (int x : b) s += x; y[i] = s;";
    check(around, body, |i| i + 8);
    check(
        around,
        "B b{{i, 2, 3}}; b.other().v[0] = 9; B(b).v[0] = 8; static_cast<B>(b).v[0] = 7; y[i] = b.v[0];",
        |i| i,
    );
    check(around, "int a[3] = {i, 2, 3}; for (int& x : list(a)) x *= 2; y[i] = a[0] + a[1] + a[2];", |i| {
        2 * i + 10
    });
}

/// C++17, [expr.prim.lambda.capture], paragraph 7: naming a member captures `this`.
#[test]
fn a_lambda_in_a_method_refers_to_the_object() {
    let around = "struct S { int n; int a[2];
        __device__ int add(int x) { n += x; return n; }
        __device__ int copied() { auto f = [=] { n += 1; return n; }; n += 10; return f() * 100 + n; }
        __device__ int named(int k) { auto f = [this, k] { this->n += k; return add(1); }; f(); return n; }
        __device__ int referred() { int k = 2; auto f = [&] { a[1] = k; k = add(3); }; f(); return k * 10 + a[1]; }
        __device__ int nested() { auto f = [=](int x) { auto g = [=] { return n + x; }; n = 50; return g(); }; return f(1); }
        __device__ int whole() { auto f = [*this] { return n; }; n = 7; return f() * 10 + n; }
        __device__ int read() const { auto f = [=] { return n + a[0]; }; return f(); } };";
    check(around, "S s{i}; y[i] = s.copied();", |i| (i + 11) * 101);
    check(around, "S s{i}; y[i] = s.named(4) * 10 + s.n;", |i| (i + 5) * 11);
    check(around, "S s{i}; y[i] = s.referred();", |i| (i + 3) * 10 + 2);
    check(around, "S s{i}; y[i] = s.nested() * 100 + s.n;", |_| 51 * 100 + 50);
    check(around, "S s{i}; y[i] = s.whole();", |i| 10 * i + 7);
    check(around, "const S s{i, {3, 4}}; y[i] = s.read();", |i| i + 3);
}

#[test]
fn names_of_the_caller_mean_nothing_in_a_function_that_bounds_a_loop() {
    let around =
        "__device__ int second(int a, int n) { return n; } __device__ int first(int a, int n) { return a; }
        __device__ int five() { return 5; } __device__ int next(int& x) { x++; return 3; }";
    check(
        around,
        "const int c = 3; int s = c - c; for (int k = 0; k < second(0, 5); k++) s++; y[i] = s;",
        |_| 5,
    );
    check(around, "int s = 0; const int c = 9; for (int k = 0; k < first(4, c); k++) s++; y[i] = s;", |_| 4);
    // `c` is the fourth variable of the kernel.
    check(
        "__device__ int fourth(int, int, int, int n) { return n; }",
        "const int c = 3; int s = 0; for (int k = 0; k < fourth(0, 0, 0, 5); k++) s++; y[i] = s + c - c;",
        |_| 5,
    );
    check(around, "int s = 0; for (int k = 0; k < five(); k++) s++; y[i] = s;", |_| 5);
    check(
        "__device__ int three(int) { return 3; }",
        "int s = 0, m = 0; for (int k = 0; k < three(m++); k++) s++; y[i] = s * 10 + m;",
        |_| 34,
    );
}

#[test]
fn the_parts_of_a_step_are_done_in_their_order() {
    check("", "int s = 0; for (int k = 0; k < 6; k++, k++) s = s * 10 + k + 1; y[i] = s;", |_| 135);
    check(
        "",
        "int o[8] = {0}; for (int k = 0; k < 6; k += 2, o[k] = 3) o[k]++; y[i] = o[0] + 10 * o[2] + 100 * o[4] + 1000 * o[6];",
        |_| 3441,
    );
    check("", "int o = 0; for (int k = 1; k < 5; o = o * 10 + k, k++) ; y[i] = o;", |_| 1234);
    check("", "int o = 0; for (int k = 1; k < 9; o = o * 10 + k, k *= 2, o += k) ; y[i] = o;", |_| {
        let (mut o, mut k) = (0, 1);
        while k < 9 {
            o = o * 10 + k;
            k *= 2;
            o += k;
        }
        o
    });
    check("", "int s = 0; for (unsigned char k = 250; k > 5; k++, k++) s++; y[i] = s;", |_| 3);
}

/// C++17, [expr.cond], paragraph 4.
#[test]
fn a_choice_of_two_places_is_a_place() {
    let around = "__device__ int& larger(int& a, int& b) { return a < b ? b : a; } __device__ const int& least(const int& a, const int& b) { return b < a ? b : a; }
        struct S { int v; __device__ void add() { v++; } };";
    check(around, "int a = i, b = 5; (i < 3 ? a : b) = 40; y[i] = a * 100 + b;", |i| {
        if i < 3 { 4005 } else { i * 100 + 40 }
    });
    check(around, "int a = i, b = 5; const int& r = i < 3 ? a : b; a = 7; b = 8; y[i] = r;", |i| {
        if i < 3 { 7 } else { 8 }
    });
    check(
        around,
        "int a = i, b = 5; larger(a, b) = 0; int* p = &(a ? a : b); *p += 1; y[i] = a * 100 + b;",
        |i| {
            let (a, b) = if i < 5 { (i, 0) } else { (0, 5) };
            if a != 0 { (a + 1) * 100 + b } else { b + 1 }
        },
    );
    check(around, "int a = i, b = 5; const int& r = least(a, b); a++; b++; y[i] = r;", |i| {
        if 5 < i { 6 } else { i + 1 }
    });
    check(
        around,
        "S s{i}, t{5}; (i & 1 ? s : t).add(); (i & 1 ? s : t).v += 10; S u = i & 1 ? s : t; u.v++; y[i] = s.v * 100 + t.v;",
        |i| {
            if i & 1 == 1 { (i + 11) * 100 + 5 } else { i * 100 + 16 }
        },
    );
    check(
        around,
        "const int a = i; int b = 5; long c = 3; y[i] = (i & 1 ? a : b) + (i & 2 ? b : c) + (i & 4 ? a : 1);",
        |i| {
            (if i & 1 == 1 { i } else { 5 })
                + (if i & 2 == 2 { 5 } else { 3 })
                + if i & 4 == 4 { i } else { 1 }
        },
    );
}

/// C++17, [expr.comma].
#[test]
fn a_comma_is_what_its_last_part_is() {
    let around = "constexpr int C = 5; struct S { static constexpr int m = 7; };
        __device__ int f(int&) { return 1; } __device__ int f(const int&) { return 2; } __device__ int f(int&&) { return 3; }
        template <typename T> __device__ int passed(T&& x) { return f(static_cast<T&&>(x)); }";
    check(
        around,
        "int a = i, v[2] = {}; y[i] = f((i, a)) * 1000 + passed((i, v[1])) * 100 + f((a++, ++a)) * 10 + f((i, a + 1));",
        |_| 1113,
    );
    check(
        around,
        "const int c = 8; y[i] = f((i, C)) * 1000 + f((i, S::m)) * 100 + passed((i, c)) * 10 + f((i, 8));",
        |_| 2223,
    );
    check(
        around,
        "int a = 1, b = 2; (a, b) = i; ++(b, a); int* p = &(i, a); *p += 5; y[i] = a * 100 + b;",
        |i| 700 + i,
    );
    check(around, "int a = 1; int& r = (i, a); const int& s = (1, i ? r : a); a = i; y[i] = r + s;", |i| {
        2 * i
    });
    check("", "int a = 0; for (int k = 0; k < 4; a += 2, ++k) y[i] += k; y[i] += (y[i], a++, a);", |_| 15);
    check(
        "__device__ void add(int* p, int b) { *p += b; } struct S { int* p; __device__ void half() { *p /= 2; } };",
        "int a = i; S s{&a}; a *= 2, add(&a, 8); add(&a, 2), s.half(); for (int k = 0; k < 2; k++, add(&a, 1)) {} y[i] = a;",
        |i| i + 7,
    );
    refused("__global__ void k(int* y) { (y[0], 3) = 4; }", "cannot be assigned");
}

/// C++17, [temp.res], paragraph 2: without `typename`, it is a type only if the template says so.
#[test]
fn a_member_of_an_instance_is_a_value_unless_it_is_a_type() {
    let around = "template <int N> struct A { static constexpr int v = N + 1; using t = unsigned char; enum { E = 2 * N }; struct B { static constexpr int w = N; };
            static __device__ int f(int x) { return x + N; } };
        namespace n { template <typename T> struct Q { static constexpr int size = sizeof(T); using type = T; }; }
        template <typename T> __device__ int g(int i) { return (n::Q<T>::size) - 1 + (typename n::Q<T>::type)(i + 256) + sizeof(n::Q<T>::size); }";
    check(around, "y[i] = (A<3>::v) - 1 + (A<3>::E) * 2 + (A<3>::B::w) + (A<3>::f)(i);", |i| {
        3 + 12 + 3 + i + 3
    });
    check(around, "y[i] = (A<3>::t)-1 + (A<3>::t)(i + 256) + sizeof(A<3>::t) + sizeof(A<3>::v);", |i| {
        260 + i
    });
    check(
        around,
        "int a(A<3>::v), b((A<4>::v)); decltype(A<3>::v) c = 6; A<3>::v * i; y[i] = a * 100 + b * 10 + c;",
        |_| 456,
    );
    check(
        around,
        "A<A<3>::v> s; A<(A<1>::v)>::t x = 300; int r[(A<1>::v)] = {i, 1}; y[i] = s.v * 100 + x + r[0] + r[1];",
        |i| 545 + i,
    );
    check(
        around,
        "switch (i) { case (A<3>::v): y[i] = 7; break; default: y[i] = (A<3>::v) > i ? g<char>(i) : 0; }",
        |i| match i {
            4 => 7,
            0..4 => i + 4,
            _ => 0,
        },
    );
    refused(&format!("{around} __global__ void k(int* y) {{ y[0] = (A<3>::t); }}"), "expected an expression");
    refused(&format!("{around} __global__ void k(int* y) {{ y[0] = (A<3>::u) - 1; }}"), "`u`");
}

#[test]
fn types_in_types_are_types() {
    let around = "struct A { struct B { enum E { X = 3 }; int v; }; using I = int; static constexpr int x = 4; }; struct C { static constexpr int B = 7; };
        __device__ int f(A::B* b, A::I n, A::B::E e) { return b->v + n + e; } __device__ A::B g(int v) { A::B b = {v}; return b; }";
    check(around, "A::B b{i}; A::I m = 2; y[i] = f(&b, m, A::B::X) + g(1).v + C::B * m + A::x;", |i| {
        i + 2 + 3 + 1 + 14 + 4
    });
}

#[test]
fn jumps_go_forwards_backwards_and_out_of_blocks() {
    check("", "int k = 0; again: k += 2; if (k < i) goto again; y[i] = k;", |i| 2.max(i + i % 2));
    check(
        "",
        "int s = 0; for (int k = 0; k < 5; k++) { for (int j = 0; j < 5; j++) { if (k * j == i) goto found; s++; } } s = 100; found: y[i] = s;",
        |i| (0..25).find(|at| (at / 5) * (at % 5) == i).unwrap_or(100),
    );
    check(
        "",
        "int s = 0; if (i & 1) goto inside; s = 10; { inside: s += 1; } if (false) { never: s += 100; } if (i == 4 && s < 100) goto never; while (false) { twice: s += 1000; } if (i == 4 && s < 1000) goto twice; y[i] = s;",
        |i| (if i & 1 == 1 { 1 } else { 11 }) + if i == 4 { 1100 } else { 0 },
    );
    let around = "__device__ int f(int n) { int k = 0; for (int j = 0; j < 3; j++) { next: k++; if (k == n) goto out; if (k % 2) goto next; } out: return k; }";
    check(around, "y[i] = f(2) * 100 + f(i);", |i| 200 + if i == 0 || i > 6 { 6 } else { i });
    // No variable that has a value is jumped over.
    check(
        "",
        "int k; if (i > 3) goto out; { int j = 5; k = j; goto end; } out: k = 7; end: int m = k; y[i] = m;",
        |i| if i > 3 { 7 } else { 5 },
    );
    check(
        "",
        "switch (i) { case 1: { int m = 4; y[i] = m; break; } case 2: int n; n = 5; y[i] = n; break; default: int o = 6; y[i] = o; }",
        |i| [6, 4, 5].get(i as usize).copied().unwrap_or(6),
    );
    refused("__global__ void k(int* y) { goto nowhere; }", "no label `nowhere`");
    refused("__global__ void k(int* y) { a: y[0]++; a: ; }", "twice");
}

/// A way that does not lead by the reference has the value as well.
#[test]
fn a_constant_that_only_one_branch_refers_to() {
    let around = "__device__ const int& larger(const int& a, const int& b) { return a < b ? b : a; }";
    check(
        around,
        "const int c = i * 3; int s = 0; for (int k = 5; k < i; k++) { s = larger(c, 40); } y[i] = s + c;",
        |i| 3 * i + if i > 5 { 40.max(3 * i) } else { 0 },
    );
    check(
        around,
        "const int c = i * 3; const int* p = i & 1 ? &c : nullptr; const int* q = &c; y[i] = (p ? *p : 7) + c + (p == q);",
        |i| {
            if i & 1 == 1 { 6 * i + 1 } else { 7 + 3 * i }
        },
    );
}

#[test]
fn constants_in_lambdas_that_others_call() {
    let around = "template <typename F> __device__ int twice(F f, int x) { return f(f(x)); }";
    check(
        around,
        "const int c = 3; constexpr long d = 2; y[i] = twice([=](int x) { return x * c + (int)d; }, i);",
        |i| 9 * i + 8,
    );
    check(
        around,
        "const int c = 3; y[i] = twice([](int x) { auto g = [=] { return c; }; return x + g(); }, i);",
        |i| i + 6,
    );
    check(around, "const int c = i; y[i] = twice([=](int x) { int c = 5; return x + c; }, c);", |i| i + 10);
}

/// What is wrong with the use of a function of this compiler is said there.
#[test]
fn errors_in_our_own_texts_name_the_line_that_uses_them() {
    let text = "#include <cuda/atomic>\nstruct S { float v; };\n__global__ void k(S* s) {\n cuda::atomic_ref<S> r(*s);\n r.fetch_add(S{1});\n}";
    refused(text, "kernel.cu:5:");
}

#[test]
fn defaults_of_templates_name_their_parameters() {
    let around = "template <typename T> __device__ T f(T a, T b = T(1)) { return a + b; } template <typename T, int N = 3> __device__ int g(T a, int b = N * sizeof(T)) { return a + b; }
        template <typename T> struct S { static constexpr int n = 16 / sizeof(T); enum { FIVE = 5 }; static __device__ int twice(int x, int y = n) { return x * y; } };";
    check(around, "y[i] = f(i) + (int)f(2.5f) + g(i) + g<long, 2>(1);", |i| i + 1 + 3 + i + 12 + 17);
    check(
        around,
        "S<float> s; int a[s.n]; a[3] = i; y[i] = s.n + s.twice(2) + S<char>::twice(1) + s.FIVE + a[3];",
        |i| 4 + 8 + 16 + 5 + i,
    );
}

#[test]
fn arrays_as_parameters_of_templates_are_pointers() {
    let around = "template <typename T> __device__ int f(T x[], int k) { return x[k]; } template <typename T> __device__ int g(const T x[32]) { return x[1]; }
        template <typename T> __device__ int h(T x[][4]) { return x[1][2]; } template <typename T, int N> __device__ int m(T x[][N]) { return N + x[1][2]; }";
    check(
        around,
        "int a[32] = {1, i}; int b[2][4] = {{0}, {1, 2, 7}}; y[i] = f(a, 1) + g(a) + g(&a[0]) + h(b) + m(b); y[i] += f(y + i, 0) - y[i];",
        |i| 3 * i + 7 + 11,
    );
    refused(
        "template <typename T> __device__ int f(T (&x)[4]) { return x[1]; } __global__ void k(int* y) { int a[3]; y[0] = f(a); }",
        "determine",
    );
}

/// CUDA programming guide, "Dynamically Allocated Shared Memory"; C++17, [basic.link], paragraph 6.
#[test]
fn an_array_in_dynamic_shared_memory_has_one_type() {
    let text = "template <typename T> __device__ T* get() { extern __shared__ T x[]; return x; }
        __global__ void a(int* y) { y[0] = get<int>()[0]; } __global__ void b(int* y) { y[0] = get<OTHER>()[0]; }";
    refused(&text.replace("OTHER", "float"), "`float[]`");
    check(
        &text.replace("OTHER", "int"),
        "get<int>()[i] = i; __syncwarp(); y[i] = get<int>()[31 - i];",
        |i| 31 - i,
    );
    check(
        "namespace one { __device__ int* f() { extern __shared__ int x[]; return x; } } namespace two { __device__ float* f() { extern __shared__ float x[]; return x; } }",
        "one::f()[i] = 1065353216; __syncwarp(); y[i] = two::f()[i];",
        |_| 1,
    );
}

/// C++17, [c.math], paragraph 3.
#[test]
fn mathematical_functions_of_mixed_arguments_are_those_of_doubles() {
    check(
        "",
        "y[i] = sizeof(fmax(1.0f, 2.0f)) + 10 * sizeof(fmax(1.0f, 2)) + 100 * sizeof(fmin(1, 2.0f)) + 1000 * sizeof(pow(2.0f, 2.0));",
        |_| 8884,
    );
    check(
        "",
        "float f = i; y[i] = (int)(fmax(f, 3.0) + fmin(1.0, f) + pow(2.0f, 3) + fmod(5, 3.0f) + hypot(3, 4.0f) + copysign(1, -2.0f) + fma(1.0f, 2.0, 3));",
        |i| i.max(3) + i.min(1) + 8 + 2 + 5 - 1 + 5,
    );
    check(
        "",
        "y[i] = (int)(ldexp(1.5f, 2) + ldexpf(1, 1)) + (int)sizeof(ldexp(1.0f, 1)) + (int)sizeof(sqrt(4)) + (int)fabs(-3);",
        |_| 6 + 2 + 4 + 8 + 3,
    );
}

#[test]
fn an_operand_may_be_converted_by_its_type() {
    let around = "#include <cuda/atomic>\n struct W { int v; __device__ operator int() const { return v; } }; struct P { int* p; __device__ operator int*() const { return p; } };";
    check(around, "W w{i}; y[i] = w + 1 + (w == i) + (2 < w) - -w; y[i] += w;", |i| {
        3 * i + 2 + i32::from(i > 2)
    });
    check(around, "P p{y}; y[i] = (p + 1 == y + 1) + (p != nullptr);", |_| 2);
    check(
        around,
        "const cuda::atomic<int> c(3); int v = c; __shared__ cuda::atomic<int, cuda::thread_scope_block> a; if (i == 0) a = 4; __syncwarp(); y[i] = v + a + (a == 4);",
        |_| 8,
    );
}

#[test]
fn atomics_of_floats() {
    let around = "#include <cuda/atomic>\n__device__ float f = 1; __device__ double d = 2;";
    let body = "cuda::atomic_ref<float, cuda::thread_scope_device> a(f); cuda::std::atomic_ref<double> b(d);
        a.fetch_add(1.0f); b.fetch_max(i); __syncwarp(); float e = a.load();
        if (i == 0) { while (!a.compare_exchange_weak(e, e * 2)) {} y[0] = (int)a.exchange(3) + (int)b.load(); a.fetch_min(-1.5f); a -= 1.0f; double z = -0.0; b.store(0.0); y[0] += b.compare_exchange_strong(z, 5.0); }
        __syncwarp(); if (i > 0) y[i] = (int)(a.load() * 2);";
    check(around, body, |i| if i == 0 { 66 + 31 } else { -5 });
}

#[test]
fn words_of_other_compilers() {
    let around = "#line 40 \"other.cu\"\n__device__ int line() { return __LINE__; }\n__device__ char file() { return __FILE__[0]; }\n#line 7\n__device__ int later() { return __LINE__ + (__FILE__[0] == 'o'); }";
    check(
        around,
        "__typeof__(i) a = i; __typeof__(unsigned char) b = 300; int c; __builtin_memcpy(&c, &a, sizeof c); y[i] = c + b + line() + (file() == 'o') + later();",
        |i| i + 44 + 40 + 1 + 8,
    );
}

#[test]
fn words_between_a_qualifier_and_a_type_of_ours() {
    let around = "const __constant__ uint t[2] = {1, 2}; __constant__ const uint u[2] = {3, 4}; extern volatile __shared__ uint s[]; const __device__ uint2 v = {5, 6};";
    check(around, "s[i] = t[1] + u[0] + v.y; y[i] = s[i];", |_| 11);
}

#[test]
fn conditions_of_the_preprocessor_need_not_be_evaluated() {
    let around = "#define X 0\n#if X != 0 && 10 / X > 1\n#error no\n#endif\n#if X == 0 || 10 / X\n#define A 1\n#endif\n#if X ? 1 / X : -1 > 0u\n#define B 2\n#endif
#if 0xffffffffffffffff / 2 == 0x7fffffffffffffff && -1 >> 1 == -1 && (0 ? 1u : -1) > 0\n#define C 4\n#endif";
    check(around, "y[i] = A + B + C;", |_| 7);
    refused("#if 1 && 10 / 0\n#endif\n__global__ void k() {}", "divides by zero");
}

/// C++17, [basic.scope.pdecl].
#[test]
fn a_name_means_its_variable_in_its_own_initialiser() {
    check(
        "",
        "int x[3] = {sizeof(x), 2}; struct N { N* next; int v; }; N m = {&m, i}; y[i] = x[0] + m.next->next->v;",
        |i| 12 + i,
    );
    check(
        "",
        "int v = 3; { int w = v, v = 4; y[i] = w * 10 + v; } { long v = sizeof(v); y[i] += v; }",
        |_| 42,
    );
    refused("__global__ void k(int* y) { int a = 1; { auto a = a + 1; y[0] = a; } }", "not known here");
}

/// C++17, [dcl.init.list] and [over.ics.list].
#[test]
fn a_list_is_an_argument_of_the_type_of_its_parameter() {
    let around = "struct S { int a = 3, b = 4; }; struct Q { int v; __device__ Q(int v) : v(v) {} __device__ Q(int a, int b) : v(a * 10 + b) {} };
        struct C { int n; __device__ C(S s, int k) : n(s.a * k) {} }; __device__ int f(int n) { return n; } __device__ int f(S s) { return s.a * 10 + s.b; }
        __device__ int g(const Q& q) { return q.v; } __device__ int h(Q&& q, int n = {}) { return q.v + n; } template <typename T> __device__ T t(T x, S s) { return x + s.a; }
        __device__ int all(S s = {5}, const Q& q = {1, 2}, int k = {7}) { return s.a * 1000 + s.b * 100 + q.v + k; }
        struct M { int n = 0; __device__ void put(S s) { n += s.a; } __device__ int operator()(S s, int k) { return s.b * k; } };";
    check(around, "y[i] = f({i, 4}) * 10000 + f({4}) * 100 + f({{}, 5});", |i| i * 100_000 + 40_405);
    check(around, "y[i] = g({i, 2}) * 100 + h({3}) + t(i, {1});", |i| i * 1001 + 204);
    check(
        around,
        "M m; m.put({i}); m.put({}); C c({2, 3}, i), d = {{3}, 2}; y[i] = m.n + m({}, 100) + c.n * 1000 + d.n;",
        |i| i * 2001 + 409,
    );
    check(around, "auto l = [](S s, int n) { return s.a + n; }; y[i] = l({i}, {4}) + l({}, 10);", |i| i + 17);
    check(around, "y[i] = all() + all({i}) + all({}, {2});", |i| 1000 * i + 9247);
    let made = |body: &str| {
        format!("{around} __device__ int r(int& x) {{ return x; }} __global__ void k() {{ {body} }}")
    };
    refused(&made("r({4});"), "is not a variable");
    refused(&made("t({1}, {2});"), "do not determine");
    refused(&made("g({1, 2, 3});"), "takes 1 or 2 arguments, not 3");
}

#[test]
fn a_member_template_of_an_instance_is_called_with_arguments_in_brackets() {
    let around = "template <int N> struct Sized { template <typename T> static __device__ int tem(T x) { return sizeof(T) * 10 + N; }
            template <int M> static __device__ int of() { return M; } static const int less = 3; };
        template <typename U> __device__ int g(int x) { return U::template tem<char>(x); }";
    check(
        around,
        "int r = 1 + Sized<3>::tem<char>(i); Sized<3>::tem<char>(i); y[i] = r * 1000 + Sized<2>::of<8>();",
        |_| 14_008,
    );
    check(around, "y[i] = g<Sized<4>>(i) * 10 + (Sized<1>::less < i > 0) + (Sized<1>::less<4);", |i| {
        141 + i32::from(i > 3)
    });
}
