//! What precedes the functions of a program: constants, enumerations, types, overloads, templates. They are the same in all
//! programs but for their numbers, and for the order and the choice of some.

use crate::write::Writer;

/// Overloads for all numbers, of which each call has an exact one.
const ALL: [&str; 14] = [
    "bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "float",
    "double",
];

impl Writer<'_> {
    pub fn around(&mut self) {
        let number = |writer: &mut Writer| writer.random.below(90) + 1;
        let (a, b, c) = (number(self), number(self), number(self));
        let small = self.random.pick(&["", " : unsigned char", " : short", " : long long"]);
        let first = self.random.pick(&["", " = 3", " = 0x7fffffff", " = -1", " = -2147483647 - 1"]);
        let second = self.random.pick(&["", " = 7", " = 0xfffffffe", " = sizeof(E0)"]);
        let second = if first == " = 0x7fffffff" && second.is_empty() { " = 4" } else { second };
        line!(self, "static constexpr int C0 = {a};");
        line!(
            self,
            "namespace inner {{ static constexpr int C0 = {b}; BOTH inline int get(int x) {{ return x * C0 + @::C0; }} }}"
        );
        line!(self, "enum {{ E0{first}, E1{second} }};");
        line!(self, "enum class Kind{small} {{ K0 = {}, K1 }};", self.random.below(100_u32));
        line!(self, "enum Small{small} {{ M0, M1, M2, M3 = {c} }};");
        self.line("BOTH inline int of_kind(Kind k) { switch (k) { case Kind::K0: return 5; case Kind::K1: return 6; default: return (int)k; } }");
        self.overloads();
        self.types(a, b);
        self.templates();
        line!(self, "constexpr BOTH inline int raise(int& x, int by = {c}) {{ x += by; return x; }}
BOTH constexpr int counted(int n) {{ int s = 0; for (int k = 0; k < n; k++) {{ if (k == {}) continue; raise(s, k); if (s > {}) break; }} return s; }}
static constexpr int C1 = counted({});",
            self.random.below(5_u32),
            self.random.below(60_u32) + 5,
            self.random.below(12_u32));
        self.constants_around();
        self.made_around();
    }

    fn overloads(&mut self) {
        let mut types = ALL.to_vec();
        for nth in (1..types.len()).rev() {
            types.swap(nth, self.random.below(nth + 1));
        }
        for (nth, ty) in types.iter().enumerate() {
            line!(self, "BOTH inline int over({ty} x) {{ return {} + (int)x % 16; }}", 100 * nth);
        }
        self.line("BOTH inline int part(int x) { return x ^ 1; } BOTH inline int part(long long x) { return (int)(x >> 1); } BOTH inline int part(bool x) { return 77 + x; }");
        self.line("BOTH inline int bound(int& x) { return 1 + x; } BOTH inline int bound(const int& x) { return 2 * x; } BOTH inline int bound(int&& x) { x += 3; return x; }");
        self.line("template <typename T> BOTH int passed(T&& x) { return bound(static_cast<T&&>(x)); } template <typename T> BOTH int named(T&& x) { return bound(x); }");
    }

    fn types(&mut self, a: u64, b: u64) {
        let default = self.random.pick(&["S0() = default;", "BOTH S0() {}", "BOTH S0() : b(4) {}"]);
        let inner = self.random.pick(&["N ", ""]);
        line!(self, "struct S0 {{
    int a = {a}; int b = {b};
    static constexpr int count = {b} + sizeof(int);
    {default}
    BOTH S0(int x) : a(x) {{}}
    BOTH S0(int x, int y) : a(x), b(y) {{}}
    BOTH int sum() const {{ return a * 3 + b; }}
    BOTH S0& add(int x) {{ a += x; this->b -= 1; return *this; }}
    BOTH S0 operator+(const S0& o) const {{ return S0(a + o.a, b - o.b); }}
    BOTH int operator[](int i) const {{ return i & 1 ? a : b; }}
    BOTH explicit operator int() const {{ return a ^ b; }}
    BOTH int within(int x) const {{ auto f = [=] {{ return a + x; }}; auto g = [&] {{ return f() - b; }}; return g(); }}
    BOTH int later(int x) {{ auto f = [=] {{ a += x; return a; }}; a += 5; return f() + a; }}
}};
struct S1 {{ int v[2]; struct {inner}{{ short x = {b}; long long y = {a}; }} n; }};
struct S2 {{ unsigned char p; union {{ unsigned q; unsigned char bytes[4]; }}; }};
struct S3 {{ short p; int q; short r[2]; }};
struct Node {{ int v; Node* next; }};
struct Counted {{ int n; BOTH Counted(int x) : n(x) {{}} BOTH Counted(const Counted& o) : n(o.n * 3 + 1) {{}} }};
struct Holder {{ int k; Counted c; }};
BOTH inline int held(Holder h) {{ return h.c.n - h.k; }}");
        let members = ["unsigned char raw[8];", "struct { unsigned char first; int second; } parts;"];
        let first = self.random.below(2);
        line!(self, "union Padded {{ {} {} }};", members[first], members[1 - first]);
        self.line("BOTH inline int packed(Padded u) { int s = 0; for (int k = 0; k < 8; k++) s = s * 31 + u.raw[k]; return s; }");
        self.line("BOTH inline int by_value(S0 s, int x) { s.a += x; s.b ^= x; return s.sum(); }");
        self.line(
            "BOTH inline S0 copied(const S0& s) { return s; } BOTH inline S0& same(S0& s) { return s; }",
        );
        self.line("BOTH inline int changed(S0& s, S0 t) { s.a += 7; return s.a - t.a; }");
        self.line("BOTH inline unsigned total(S2 s) { s.q = s.p; return s.bytes[0] + s.q * 2 + sizeof(s); }");
    }

    fn templates(&mut self) {
        for before in 0..8 {
            line!(self, "BOTH inline int last{before}({}int n) {{ return n; }}", "int, ".repeat(before));
        }
        line!(self, "BOTH inline int ignored(int) {{ return {}; }}", self.random.below(5_u32) + 1);
        self.line("template <typename T> BOTH int kind(T x) { return (int)sizeof(T) * 2 + (T(-1) < T(1)); }");
        self.line(
            "template <typename T> BOTH const T& larger(const T& a, const T& b) { return a < b ? b : a; }",
        );
        self.line("template <typename T> BOTH T& chosen(bool c, T& a, T& b) { return c ? a : b; }");
        self.line("template <typename F> BOTH int twice(F f, int x) { return f(f(x)); }");
        self.line("template <typename T, int N> BOTH int gathered(T (&x)[N]) { int s = N; for (T& v : x) { s = s * 3 + (int)v; v += 1; } return s; }");
        self.line("template <typename T> BOTH int first(T x[], int n) { int s = 0; for (int k = 0; k < n; k++) s += (int)x[k] * (k + 1); x[0] ^= 1; return s; }");
        self.line("template <int N> struct Power { static constexpr int value = 3 * Power<N - 1>::value; }; template <> struct Power<0> { static constexpr int value = 1; };");
    }
}
