//! Types that are defined where their variables are declared, enumerations, and members' first values.

use super::{check, refused};

/// Each thread and each round has its own.
#[test]
fn a_variable_that_is_declared_with_its_type_is_one_of_the_function() {
    let mixed = "struct { int a, b; } p; p.a = i; p.b = 2; __syncwarp(); y[i] = p.a * p.b;";
    check("", mixed, |i| 2 * i);
    check("", "union U { float f; int n; } u; u.f = i; __syncwarp(); U v = u; y[i] = v.f;", |i| i);
    check("", "union { double d; unsigned w[2]; } u = {(double)i}; y[i] = u.w[1] >> 20;", |i| {
        ((f64::from(i).to_bits() >> 52) as i32).max(0)
    });
    check("", "const struct { int a, b; } p = {i, 4}; y[i] = p.a + p.b;", |i| i + 4);
    check("", "struct { int a; } const p = {i}, q = {1}; y[i] = p.a + q.a;", |i| i + 1);
    check("", "struct S { int a; } p[2], *q = &p[1]; q->a = i; p[0].a = 5; y[i] = p[0].a + p[1].a;", |i| {
        i + 5
    });
    check("", "class { public: int a = 3; } p, q; p.a += i; y[i] = p.a * q.a;", |i| 9 + 3 * i);
    check("", "enum { A, B = 5 } e; e = i % 2 ? B : A; y[i] = e + B;", |i| 5 + i % 2 * 5);
    check(
        "",
        "enum class E : short { A = 7 } e = E::A; volatile enum { C = 2 } f = C; y[i] = (int)e + f;",
        |_| 9,
    );
    let body = "for (struct { int k; int s; } t = {0, 1}; t.k < 3; t.k++) { struct Q { int x = 5; } q; q.x++; y[i] += q.x * t.s; }";
    check("", body, |_| 18);
    let body = "int s = 0; for (int k = 0; k < 3; k++) { struct { int a[2]; } r; r.a[k % 2] = i; s += r.a[k % 2]; } y[i] = s;";
    check("", body, |i| 3 * i);
    let around = "__device__ unsigned low(double x) { union { double d; unsigned w[2]; } u; u.d = x; __syncwarp(); return u.w[1]; }
        #define PAIR struct { int a, b; }
        template <typename T> __device__ T twice(T x) { struct { T v; } s = {x}; __syncwarp(); s.v *= 2; return s.v; }";
    check(around, "y[i] = low(i) == low(i + 1);", |i| {
        let high = |x: i32| f64::from(x).to_bits() >> 32;
        i32::from(high(i) == high(i + 1))
    });
    check(
        around,
        "PAIR p = {i, 1}; PAIR q = {2, 3}; y[i] = p.a + q.b; { PAIR p = {7, 7}; y[i] += p.a; }",
        |i| i + 10,
    );
    check(
        around,
        "PAIR p = {i, 1}, q; PAIR r; q.a = 1; r.a = 2; y[i] = twice(i) + (int)twice(1.5f) + q.a + r.a;",
        |i| 2 * i + 6,
    );
    check(
        "",
        "using P = struct { int a; }; typedef struct { int b; } Q; P p{i}; Q q{2}; y[i] = p.a + q.b;",
        |i| i + 2,
    );
    // What is said to be shared is.
    check("", "static struct { int a; } p; if (i == 3) p.a = 9; __syncwarp(); y[i] = p.a;", |_| 9);
    check("", "__shared__ struct { int a[32]; } p; p.a[i] = i; __syncwarp(); y[i] = p.a[31 - i];", |i| {
        31 - i
    });
}

#[test]
fn a_variable_of_a_type_without_a_name_is_no_other_one() {
    refused(
        "__global__ void k(int* y) { struct { int a; } p; struct { int a; } q; p = q; }",
        "does not convert",
    );
    refused("__global__ void k(int* y) { enum { A } e; enum { B } f; e = f; }", "does not convert");
}

#[test]
fn an_enumeration_has_the_type_that_holds_its_values() {
    check(
        "",
        "enum { M = 0xffffffff }; y[i] = (M > 0) + 2 * (M / 2 == 0x7fffffff) + 4 * (-1 > M) + 8 * (i - 1 < M);",
        |i| 3 + if i == 0 { 0 } else { 8 },
    );
    check("", "enum { M = 0x80000000, N = -1 }; y[i] = sizeof(M) + (M + N > 0) + 10 * ((N + i) < 0);", |i| {
        9 + 10 * i32::from(i == 0)
    });
    check("", "enum { A = 1, B = 2147483647, C }; y[i] = sizeof(C) + (C - 1 == B) + 10 * (-C > 0);", |_| 15);
    check("", "enum E : unsigned char { A = 255 }; E e = A; y[i] = sizeof(e) + (e + 1);", |_| 257);
    check("", "enum E : unsigned { A = 1 }; E e = A; y[i] = (e - 2 > 0) + 2 * ((int)(e - 2) == -1);", |_| 3);
    check(
        "",
        "enum { A, B }; enum E { C = B + 2, D = sizeof(C) }; y[i] = (C - 4 < 0) + 10 * D + E::C;",
        |_| 44,
    );
    let around = "__device__ int f(int) { return 1; } __device__ int f(unsigned) { return 2; } __device__ int f(long) { return 3; }
        __device__ int f(unsigned long) { return 4; }
        enum A { P = 1 }; enum B { Q = 0x80000000 }; enum C { R = -0x80000001L }; enum D { S = 0x8000000000000000 };";
    check(around, "y[i] = f(P) * 1000 + f(Q) * 100 + f(R) * 10 + f(S);", |_| 1234);
    refused("enum E : unsigned char { A = 256 }; __global__ void k(int* y) { y[0] = A; }", "cannot hold");
    refused("enum class E { A = 0x80000000 }; __global__ void k(int* y) { }", "cannot hold");
    refused(
        "enum E { A = 0x8000000000000000, B = -1 }; __global__ void k(int* y) { y[0] = A; }",
        "no integer type",
    );
    for change in ["e = 1", "e += 1", "e++", "--e", "e |= e"] {
        refused(
            &format!("enum E {{ A }}; __global__ void k(int* y) {{ E e = A; {change}; y[0] = e; }}"),
            "`E`",
        );
    }
    refused("__global__ void k(int* y) { bool b = true; b++; y[0] = b; }", "`bool`");
    refused("enum E { A }; int z; __global__ void k(int* y) { y[0] = E::z; }", "z");
}

#[test]
fn a_defaulted_constructor_gives_members_what_their_declarations_say() {
    let around = "struct S { int x = 5; int z; S() = default; __device__ S(int a) : x(a), z(1) {} };
        struct T { S s; int n = 2; }; struct A { int a, b; A() = default; };";
    check(around, "S s; S t(i); y[i] = s.x * 10 + t.x;", |i| 50 + i);
    check(around, "S s[3]; T t; s[1].x += i; y[i] = s[0].x + s[1].x + t.s.x + t.n;", |i| 17 + i);
    check(around, "S s = S(); S t{}; y[i] = s.x + s.z + t.x + t.z;", |_| 10);
    check(around, "A a{i, 2}; A b = {3}; A c{}; y[i] = a.a + a.b + b.a + b.b + c.b;", |i| i + 5);
}

/// C++17, [dcl.init.aggr], paragraph 8, and [dcl.init], paragraph 8.
#[test]
fn elements_that_a_list_does_not_mention_are_made_like_others() {
    let around = "struct S { int x = 5; int z; S() = default; __device__ S(int a) : x(a), z(1) {} };
        struct T { S s; int n = 2; }; struct C { int v; __device__ C(int v = 6) : v(v) {} };
        struct M { S s[2]; C c[2]; int k; }; struct R { S s[2]; C c[3]; __device__ R(int i) : s(), c{i} {} };";
    check(around, "S s[3] = {}; S t[3] = {S(i)}; y[i] = s[2].x + t[0].x + t[2].x + t[2].z;", |i| 10 + i);
    check(around, "T t[2]{}; T u[2] = {{{i}}}; y[i] = t[1].n * t[1].s.x + u[0].s.x + u[1].s.x;", |i| 15 + i);
    check(around, "C c[2][2] = {{i}}; y[i] = c[0][0].v * 100 + c[0][1].v * 10 + c[1][1].v;", |i| {
        i * 100 + 66
    });
    check(around, "M m[2] = {{i}}; y[i] = m[0].s[1].x + m[0].c[0].v + m[1].s[0].x + m[1].k;", |_| 16);
    check(around, "R r(i); y[i] = r.s[1].x * 100 + r.c[0].v + r.c[2].v;", |i| 506 + i);
    check(around, "int a[3] = {i}; T* p = 0; y[i] = a[0] + a[1] + a[2] + (p == nullptr);", |i| i + 1);
    let made = |rest: &str| {
        format!("{around} struct N {{ __device__ N(int) {{}} }}; __global__ void k() {{ {rest} }}")
    };
    refused(&made("S s[1025] = {};"), "more than 1024 objects");
    refused(&made("N n[2] = {N(1)};"), "`N`");
}

#[test]
fn words_that_do_not_make_a_type() {
    for words in [
        "unsigned double",
        "short double",
        "long float",
        "unsigned bool",
        "signed void",
        "long long double",
        "short char",
        "double double",
        "unsigned float",
        "unsigned signed",
        "int int",
        "char int",
        "unsigned unsigned int",
    ] {
        refused(&format!("__global__ void k(int* y) {{ {words} x = 0; }}"), "is no type");
    }
    check(
        "",
        "long unsigned int a = i; double b = a; int short c = b; long long unsigned d = c; y[i] = d;",
        |i| i,
    );
}

/// C++17, [dcl.init.aggr], paragraph 12.
#[test]
fn braces_around_inner_arrays_and_structs_may_be_missing() {
    let around = "struct P { int a, b; }; struct Q { int v[2]; P p; int n = 9; }; struct C { int x; __device__ C(int x) : x(x) {} };
        struct R { C c; P p; };";
    check(
        around,
        "Q q = {i, 2, 3, 4}; y[i] = q.v[0] + 10 * q.v[1] + 100 * q.p.a + 1000 * q.p.b + 10000 * q.n;",
        |i| i + 94320,
    );
    check(
        around,
        "Q q = {{i}, {3}}; Q r = {i, 2, P{5, 6}, 7}; y[i] = q.v[1] + q.p.b + q.n + r.p.b * 10 + r.n * 100;",
        |_| 9 + 60 + 700,
    );
    check(
        around,
        "P p[2] = {i, 2, 3}; P o = {8, 9}; P r[] = {o, 1, 2, {3}}; y[i] = p[0].a + p[1].a + p[1].b + 10 * r[0].b + 100 * r[1].b + 1000 * sizeof(r);",
        |i| i + 3 + 90 + 200 + 24000,
    );
    check(
        around,
        "R r = {i, 2, 3}; int m[2][2] = {1, 2, i}; y[i] = r.c.x + r.p.b * 100 + m[1][0] * 1000 + m[0][1];",
        |i| i + 300 + 1000 * i + 2,
    );
    refused(
        "struct P { int a, b; }; __global__ void k(int* y) { P p[1] = {1, 2, 3}; y[0] = p[0].a; }",
        "too many",
    );
    refused(
        "struct P { int a[2]; }; __global__ void k(int* y) { P p = {1, 2, 3}; y[0] = p.a[0]; }",
        "too many",
    );
}

/// C++17, [dcl.type.decltype], paragraph 4.
#[test]
fn the_type_of_an_expression_says_whether_it_is_a_place() {
    let around = "template <typename T> struct K { enum { v = 0 }; }; template <typename T> struct K<T&> { enum { v = 1 }; };
        template <typename T> struct K<T&&> { enum { v = 2 }; };
        #define KIND(...) K<decltype(__VA_ARGS__)>::v
        struct S { int m; int& r; }; __device__ int& same(int& x) { return x; } __device__ int&& moved(int& x) { return static_cast<int&&>(x); }
        __device__ decltype(auto) place(int& x, int) { return (x); } __device__ decltype(auto) value(int& x, int n) { return n; }";
    let start = "int b = i, c[2] = {i, 2}; int& r = b; S s{i, b};";
    let kinds = |text: &str| format!("{start} y[i] = {text};");
    check(around, &kinds("KIND(b) * 1000 + KIND((b)) * 100 + KIND(r) * 10 + KIND((r))"), |_| 111);
    check(
        around,
        &kinds("KIND(s.m) * 1000 + KIND((s.m)) * 100 + KIND(s.r) * 10 + KIND(static_cast<S&&>(s).m)"),
        |_| 110,
    );
    check(
        around,
        &kinds("KIND(same(b)) * 1000 + KIND(moved(b)) * 100 + KIND(c[1]) * 10 + KIND(b + 1)"),
        |_| 1210,
    );
    check(around, &kinds("KIND(b = 1) * 1000 + KIND(++b) * 100 + KIND(b++) * 10 + KIND(i ? b : r)"), |_| {
        1101
    });
    check(around, &kinds("KIND(place(b, 1)) * 10 + KIND(value(b, 1)) + alignof(decltype((b)))"), |_| 14);
    let lambda = "auto f = [&, i, &z = b, n = i] { r = b + i; return KIND(b) * 10000 + KIND((b)) * 1000 + KIND(r) * 100 + KIND(z) * 10 + KIND(n); };";
    check(around, &format!("{start} {lambda} y[i] = f();"), |_| 1110);
    let body = "decltype((b)) p = b; p += 1; decltype(auto) q = (p); q += 2; decltype(auto) t = same(b); t += 4; decltype(s.r) u = b; u += 8;
        decltype(auto) copy = b; copy += 16; decltype(b) other = b; other += 32; __typeof__((b)) third = b; third += 64; y[i] = b;";
    check(around, &format!("{start} {body}"), |i| i + 15);
}

/// C++17, [expr.comma] and [expr.cond]: they are what their last parts are.
#[test]
fn commas_and_choices_of_arrays_and_of_what_may_be_moved_from() {
    let around = "template <int N> __device__ int length(int (&a)[N]) { return N; }
        __device__ int take(int& x) { return x = 5; } __device__ int take(int&& x) { x = 7; return 1; }
        struct M { int v; __device__ M(int v) : v(v) {} __device__ M(M&& o) : v(o.v) { o.v = 9; } };";
    let start = "int v[3] = {i, 2, 3}, w[3] = {4, 5, 6};";
    check(
        around,
        &format!("{start} y[i] = sizeof(i, v) + 100 * sizeof(i ? v : w) + 10000 * length((i, w));"),
        |_| 31212,
    );
    check(
        around,
        &format!(
            "{start} int (&r)[3] = (i++, v); r[1] = 8; int* p = i > 4 ? v : w; p[0] += 1; y[i - 1] = v[0] + 100 * v[1] + 1000 * (i, w)[0];"
        ),
        |i| if i > 3 { i + 4801 } else { i + 5800 },
    );
    check(around, "int b = i; y[i] = take((b, static_cast<int&&>(b))); y[i] += b;", |_| 8);
    check(
        around,
        "int b = i, c = i; y[i] = take(i > 4 ? static_cast<int&&>(b) : static_cast<int&&>(c)); y[i] += 10 * b + c;",
        |i| if i > 4 { 71 + i } else { 8 + 10 * i },
    );
    check(
        around,
        "M a(i); M b = (i, static_cast<M&&>(a)); M c = i ? static_cast<M&&>(b) : static_cast<M&&>(a); y[i] = a.v + b.v * 100 + c.v * 10000;",
        |i| if i > 0 { 909 + i * 10000 } else { 90009 },
    );
}

/// C++17, [class.union.anon]: a type without a name is a member without a name, unless a member has that type.
#[test]
fn types_without_names_in_types() {
    let around = "struct S { struct { int x, y; } in; int z[2]; }; struct U { union { float f; unsigned u; } v; char c; };
        struct A { char c; union { int p; unsigned char b[4]; struct { short lo, hi; }; }; int q; __device__ int sum() const { return p + q + hi; } __device__ void set(int v) { p = v; } };
        struct I { union { int a; float b; }; int c; __device__ I(int x) : a(x), c(2) {} __device__ I(float x) : b(x), c(3) {} };
        struct T { typedef struct { int a; } Inner; Inner t; int u; };";
    check(around, "y[i] = sizeof(S) + 100 * sizeof(U) + 10000 * sizeof(A) + 1000000 * sizeof(T);", |_| {
        8_120_816
    });
    check(
        around,
        "S s = {{i, 2}, {3, 4}}; U u; u.v.f = 1; u.c = 5; y[i] = s.in.x + s.in.y * 10 + s.z[1] * 100 + (u.v.u >> 23) * 1000;",
        |i| i + 20 + 400 + 127_000,
    );
    check(
        around,
        "A a = {'x', 65536 + i, 7}; y[i] = a.b[2] * 1000 + a.lo + a.q * 100000 + a.hi * 10000; A b = {'y', {i}}; b.set(b.p + 1); y[i] += b.sum();",
        |i| 1000 + i + 700_000 + 10_000 + i + 1,
    );
    check(
        around,
        "I a(i), b(1.0f); y[i] = a.a + a.c * 100 + b.c * 1000 + (b.a == 0x3f800000); auto f = [=] { return a.a; }; y[i] += f();",
        |i| 2 * i + 200 + 3000 + 1,
    );
    check(around, "T t = {{i}, 4}; y[i] = t.t.a + t.u;", |i| i + 4);
}

/// C++17, [basic.scope.pdecl]: `struct S` declares a type that is not known yet, in the namespace around.
#[test]
fn a_type_is_declared_where_it_is_mentioned_first() {
    let around = "typedef struct node* Link; typedef struct node Node;
        struct List { struct node* head; union cell* c; };
        struct node { int value; struct node* next; };
        union cell { int a; float b; };
        namespace outer { struct inside* q(struct inside* p); struct inside { int v; };
            __device__ struct inside* q(struct inside* p) { return p; } }
        template <typename T> struct Holder { struct tag* t; T v; };
        struct tag { int z; };
        __device__ int of(struct arg* a, int x); struct arg { int m; };
        __device__ int of(struct arg* a, int x) { return a->m + x; }";
    check(
        around,
        "Node b = {i, 0}, a = {3, &b}; List l; l.head = &a; Link p = l.head->next; y[i] = p->value;",
        |i| i,
    );
    check(
        around,
        "union cell c; c.a = i; List l; l.c = &c; outer::inside in = {2}; y[i] = l.c->a + outer::q(&in)->v;",
        |i| i + 2,
    );
    check(
        around,
        "struct tag t = {i}; Holder<int> h; h.t = &t; arg a = {5}; y[i] = h.t->z + of(&a, 1);",
        |i| i + 6,
    );
    check("", "struct Local* w = 0; struct Local { int k; }; Local v = {i}; y[i] = v.k + (w == 0);", |i| {
        i + 1
    });
    refused("__device__ struct Never* p; __global__ void k(int* y) { y[0] = p->x; }", "`Never`");
}

/// C++17, [temp.pre], paragraph 9: a template may be one of a constant, with special cases like a type's.
#[test]
fn constants_have_templates() {
    let around = "template <class T> constexpr int bits = 8 * sizeof(T); template <> constexpr int bits<bool> = 1;
        template <class T> constexpr bool points = false; template <class T> constexpr bool points<T*> = true;
        template <int n, int m = 2> const int product = n * m; namespace own { template <class T> inline constexpr T half = T(1) / 2; }
        template <class T> __device__ int of(T) { int a[bits<T>]; return sizeof(a) / 4; }";
    check(around, "y[i] = bits<double> + bits<bool> * 1000 + of((short)i) * 100000;", |_| 1_601_064);
    check(around, "y[i] = points<int*> + 2 * points<int> + 4 * points<const float*>;", |_| 5);
    check(
        around,
        "y[i] = product<3> * 100 + product<3, 5> + (int)(own::half<float> * 8) + own::half<int>;",
        |_| 619,
    );
    check(around, "if constexpr (bits<int> > 8) y[i] = i < bits<char>; else y[i] = 7;", |i| i32::from(i < 8));
    refused(
        "template <class T> int count = 0; __global__ void k(int* y) { y[0] = count<int>; }",
        "no constant",
    );
    refused(
        "template <class T> constexpr int x; __global__ void k(int* y) { y[0] = x<int>; }",
        "no constant",
    );
}

/// C++17, [meta], and [temp.class.spec.match]: `const T` finds the type without the qualifier.
#[test]
fn types_are_asked_about() {
    let around = "#include <type_traits>\n
        template <class T> __device__ std::enable_if_t<std::is_integral_v<T>, int> kind(T) { return 1; }
        template <class T> __device__ std::enable_if_t<std::is_floating_point<T>::value, int> kind(T) { return 2; }
        template <class T> __device__ int kind(T*) { return std::is_const_v<T> ? 4 : 3; }
        template <class T, class U> constexpr int same = std::is_same<T, U>::value;
        template <class T> __device__ int chosen(T x) { if constexpr (std::is_same_v<T, float>) return x * 2; else return x; }";
    check(
        around,
        "const int* p = y; y[i] = kind(1u) + 10 * kind(1.5f) + 100 * kind(y) + 1000 * kind(p);",
        |_| 4321,
    );
    check(around, "y[i] = chosen(2.5f) * 10 + chosen(2.5);", |_| 52);
    for (one, other) in [
        ("std::remove_const_t<const int>", "int"),
        ("std::remove_cv<const volatile int>::type", "int"),
        ("std::remove_reference_t<const int&>", "const int"),
        ("std::decay_t<const float&>", "float"),
        ("std::remove_pointer_t<const int*>", "const int"),
        ("std::add_pointer_t<int&>", "int*"),
        ("std::add_const_t<int>", "const int"),
        ("std::conditional_t<(sizeof(int) > 2), int, char>", "int"),
        ("std::make_unsigned_t<long long>", "unsigned long long"),
        ("std::make_signed_t<unsigned char>", "signed char"),
        ("decltype(std::true_type::value)", "const bool"),
        ("std::bool_constant<false>", "std::false_type"),
    ] {
        check(around, &format!("y[i] = same<{one}, {other}> + 2 * same<{one}, {other}*>;"), |_| 1);
    }
    for (question, answer) in [
        ("is_const_v<int>", 0),
        ("is_const_v<const int>", 1),
        ("is_const_v<const int*>", 0),
        ("is_signed_v<char>", 1),
        ("is_unsigned_v<const unsigned>", 1),
        ("is_unsigned_v<float>", 0),
        ("is_integral_v<bool>", 1),
        ("is_arithmetic_v<double>", 1),
        ("is_arithmetic_v<int*>", 0),
        ("is_pointer_v<int* const>", 1),
        ("is_void_v<void>", 1),
        ("is_reference_v<int&&>", 1),
        ("is_lvalue_reference_v<int>", 0),
        ("is_same<int, const int>()", 0),
        ("integral_constant<int, 7>::value", 7),
        ("true_type() && !std::false_type{}", 1),
    ] {
        check(around, &format!("y[i] = std::{question};"), |_| answer);
        if !question.contains("&&") {
            check("#include <cuda/std/type_traits>\n", &format!("y[i] = cuda::std::{question};"), |_| answer);
        }
    }
}
