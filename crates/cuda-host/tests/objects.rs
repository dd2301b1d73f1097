//! Objects that own memory: vectors, strings, structs with them. Nothing is freed twice, too early or never.

mod common;

use common::{printed, run, run_within};
use cuda_host::{Kind, Limits};

const HEADERS: &str = "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n#include <array>\n#include <string>\n#include <sstream>\n#include <memory>
#include <utility>\n#include <algorithm>\n#include <functional>\n#include <cuda_runtime.h>\n";

/// A struct with members that own memory, and functions that return such things.
const AROUND: &str = "struct P { std::string name; std::vector<int> v; int n; };
    struct Q { P p; std::vector<P> all; std::string two[2]; };
    struct Own { std::vector<int> v; Own() : v(3) {} Own(const Own& o) : v(o.v) {} ~Own() { v.push_back(1); } };
    struct Part { std::string s = \"a member with a value of its own\"; int n = 1; };
    struct Moved { std::unique_ptr<int> p; std::vector<int> v; };
    std::vector<int> make(int n) { std::vector<int> r; for (int i = 0; i < n; i++) r.push_back(i); return r; }
    std::vector<int> either(int n) { if (n % 2) return {1, 2, 3}; std::vector<int> a(n, 1), b; return n > 5 ? a : b; }
    P person(int i) { P p; p.name = \"person \" + std::to_string(i); p.v = make(i % 9); p.n = i; return p; }
    Moved moved(int i) { Moved m; m.p = std::make_unique<int>(i); m.v = make(3); return m; }
    int total(std::vector<int> v) { int s = 0; for (int x : v) s += x; return s; }
    int length(const std::string& s) { return (int)s.size(); }
    P same(P p) { return p; }
    const P& chosen(const P& a, const P& b, bool is_a) { return is_a ? a : b; }
    __global__ void k() {}
";

/// What a turn of a loop does. A leak of one allocation in each turn would need more than the memory that there is.
const TURNS: &[&str] = &[
    "std::vector<int> v;",
    "std::vector<int> v(10);",
    "std::vector<int> v(10, i); v.push_back(1); v.reserve(100); v.shrink_to_fit();",
    "{ std::vector<int> v(10); }",
    "std::vector<int> a = make(3), b = a, c(b), d = std::move(a); a = b; b = std::move(c); d.swap(a); a = make(2);",
    "auto v = make(4); auto w = v; w = v; v = {1, 2}; v = v; std::swap(v, w);",
    "make(5); total(make(5)); make(3).size(); (void)make(3); total(std::vector<int>{1, 2, 3}); for (int x : make(3)) i += x - x;",
    "auto v = either(i % 9); const auto& r = either(i % 9); auto&& t = either(3);",
    "std::vector<std::vector<int>> v(3, std::vector<int>(4)); v[1].push_back(2); v.push_back(make(5)); v.push_back(v[0]); auto w = v; v = w; v[0] = v[1];
     v.resize(2); v.resize(9); v.erase(v.begin() + 1); v.insert(v.begin(), make(2)); v.pop_back(); v.emplace_back(3); w.clear(); w.push_back(std::vector<int>()); v.assign(2, make(3));
     std::vector<std::vector<int>> moved = std::move(v); v = {{1, 2}, {3}}; w.insert(w.end(), v.begin(), v.end()); w.shrink_to_fit();",
    "std::vector<std::string> v = {\"a\", \"b\"}; v.push_back(\"c\"); v.push_back(v[0] + \"d\"); v.emplace_back(\"e\"); std::sort(v.begin(), v.end());
     std::reverse(v.begin(), v.end()); for (auto s : v) i += (int)s.size() - (int)s.size(); for (const auto& s : v) s.size(); v[0] = v[1]; v[1] = \"x\";",
    "std::vector<std::string> v; for (int k = 0; k < 40; k++) v.push_back(std::to_string(k * 7 % 40)); std::sort(v.begin(), v.end());
     v.erase(std::unique(v.begin(), v.end()), v.end());",
    "std::string s; s += \"a long text for a string\"; s = s + s; s += s; s = \"short\"; s.clear(); s.append(s); std::string t = std::move(s); s = t + 'c'; s = std::string(\"x\") + t + \"y\";",
    "std::string s = \"one\", t = i % 2 ? s : std::string(\"two\"), u = i % 2 ? \"three\" : s; std::string w = (t, u); length(s + t); length(\"four\"); std::to_string(i);",
    "std::string s(20, 'x'), t(s, 3), u = s.substr(2); std::swap(s, u); s = s.substr(1); const char* c = (s + t).c_str();",
    "std::stringstream s; s << i << std::string(\" of many\") << \" texts\"; std::string t = s.str(); s.str(t + t); s.str(\"\");",
    "P p = person(i); P q = p; p = q; q = person(3); P r(p), s{q}, t = std::move(r); same(p).v.size(); auto name = person(2).name; auto v = same(t).v; P u{\"name\", {1, 2}, 3}; u = {\"other\", make(2), 4};",
    "P p = person(1), q = person(2); P r = i % 2 ? p : q; P s = i % 2 ? p : person(3); P t = chosen(p, q, i % 2); chosen(person(4), p, true).name.size(); P* h = new P(p); *h = q; delete h;",
    "std::vector<P> all; for (int k = 0; k < 5; k++) all.push_back(person(k)); all.push_back(all[0]); auto copy = all; copy.erase(copy.begin() + 1); all = copy; all.resize(2); all.front() = all.back();",
    "Q q; q.p = person(1); q.all.push_back(q.p); q.two[1] = \"the second of two texts\"; Q r = q; r = q; Q* h = new Q(r); delete h; std::vector<Q> all(2); all[1] = r; Q s = std::move(q); std::swap(r, s);",
    "Own a; Own b = a; a = b; std::vector<Own> all(2, a); all.push_back(b); Own list[2]; Own other[2] = {a, Own()}; Own* many = new Own[3]; delete[] many;",
    "Part p; Part q = p; q.s += \"!\"; p = q; Part r = {\"given\"}; std::vector<Part> all(3); Part list[3];",
    "Moved m = moved(i); Moved n = std::move(m); m = std::move(n); std::vector<Moved> all; for (int k = 0; k < 5; k++) all.push_back(moved(k)); all.erase(all.begin());",
    "std::array<std::string, 3> a = {\"x\", \"y\", \"z\"}; auto b = a; a[1] = b[2] + \"w\"; b = a;",
    "std::pair<std::string, std::vector<int>> p(\"a pair\", make(3)); auto q = p; p = q; auto r = std::make_pair(std::string(\"s\"), 1); std::vector<std::pair<std::string, int>> all; all.push_back(r); all.push_back(std::pair<std::string, int>(\"t\", 2)); all.emplace_back(\"u\", 3);",
    "std::string s = \"captured text\"; auto v = make(3); auto f = [s, v] { return s.size() + v.size(); }; auto g = f; f() + g(); auto h = [&] { return s + \"!\"; }; h(); auto make_it = [=](int n) { std::vector<int> r(n); return r; }; make_it(3); make_it(3).size();",
    "std::unique_ptr<std::vector<int>> p(new std::vector<int>(3)); auto q = std::make_unique<std::string>(\"owned\"); *q += \"!\"; std::unique_ptr<std::string[]> a(new std::string[3]); a[1] = *q;",
    "std::vector<int>* v = new std::vector<int>(3); v->push_back(1); delete v; std::string* s = new std::string[3]; s[1] = \"x\"; delete[] s;",
    "std::vector<std::string> words; std::string word; for (char c : std::string(\"a few words\")) { if (c == ' ') { words.push_back(word); word.clear(); continue; } word += c; } if (i % 3 == 0) continue; words.clear();",
    "switch (i % 3) { case 0: { std::string s(\"zero\"); break; } case 1: { std::vector<int> v(1); continue; } default: std::string t(\"else\"); }",
    "int n = 0; again: { std::string s(\"again\"); if (n++ < 2) goto again; } std::string t = \"after\";",
    "float x = 0; std::vector<float> h(8, 1.0f); float* d; cudaMalloc(&d, 32); cudaMemcpy(d, h.data(), 32, cudaMemcpyHostToDevice); cudaMemcpy(h.data(), d, 32, cudaMemcpyDeviceToHost); cudaFree(d);",
];

#[test]
fn loops_that_make_and_drop_objects_leak_nothing() {
    let limits = Limits { memory_bytes: 256 << 10, ..Limits::default() };
    let findings = |turn: &str| {
        let body = format!("for (int i = 0; i < 800; i++) {{ {turn} }}");
        let text = format!("{HEADERS}{AROUND}int main() {{\n{body}\nreturn 0;\n}}");
        let outcome = run_within(&text, "", &limits).unwrap_or_else(|error| panic!("{turn}: {error}"));
        outcome.findings
    };
    for turn in TURNS {
        assert!(findings(turn).is_empty(), "{turn}: {:?}", findings(turn));
    }
    assert_eq!(findings("new char;")[0].kind, Kind::Limit);
}

/// A pointer, a reference or a text that is used when its vector or string has moved or ended.
#[test]
fn what_dangles_is_found() {
    for body in [
        "std::vector<int> v(4); int* p = &v[0]; v.push_back(1); return *p;",
        "std::vector<int> v(4); auto at = v.begin(); v.resize(100); *at = 1;",
        "std::vector<int> v(4); int& first = v[0]; v.reserve(100); first++;",
        "int* p; { std::vector<int> v(4); p = v.data(); } return *p;",
        "const int* p = make(3).data(); return *p;",
        "std::vector<std::string> v(1, \"a text\"); const char* c = v[0].c_str(); v.pop_back(); return *c;",
        "std::string s = \"a text\"; const char* c = s.c_str(); s += \" that grows and grows and grows and grows\"; return *c;",
        "const char* c = (std::string(\"a\") + \"b\").c_str(); return *c;",
        "std::vector<std::vector<int>> v(1, make(3)); int* p = v[0].data(); v.erase(v.begin()); return *p;",
        "std::vector<int> v = make(3); int* p = v.data(); v = make(9); return *p;",
    ] {
        let outcome = run(&format!("{HEADERS}{AROUND}int main() {{\n{body}\n}}"));
        let first = outcome.findings.first().map(|found| found.kind);
        assert_eq!(first, Some(Kind::UseAfterFree), "{body}: {:?}", outcome.findings);
    }
}

/// Room that is reserved is no elements, and the end is the end.
#[test]
fn what_is_behind_the_last_element_is_nobodys() {
    for (body, kind) in [
        ("std::vector<int> v(4); return v[4];", Kind::OutOfBounds),
        ("std::vector<int> v; v.reserve(4); return v[0];", Kind::Uninitialized),
        ("std::vector<int> v; return v[0];", Kind::OutOfBounds),
    ] {
        let outcome = run(&format!("{HEADERS}int main() {{\n{body}\n}}"));
        assert_eq!(outcome.findings[0].kind, kind, "{body}: {:?}", outcome.findings);
    }
}

/// An object that says how it is made, copied, moved, assigned and ended.
const NOISY: &str = "struct N { int id;
    N(int id = 0) : id(id) { printf(\"+%d \", id); } N(const N& o) : id(o.id) { printf(\"c%d \", id); }
    N(N&& o) : id(o.id) { o.id = -o.id; printf(\"m%d \", id); } ~N() { printf(\"-%d \", id); }
    N& operator=(const N& o) { id = o.id; printf(\"=%d \", id); return *this; }
    N& operator=(N&& o) { id = o.id; o.id = -o.id; printf(\"<%d \", id); return *this; } };
    struct S { N a; N two[2]; int n; };\n";

#[track_caller]
fn says(body: &str, wanted: &str) {
    assert_eq!(printed(&format!("{HEADERS}{NOISY}"), body).trim_end(), wanted, "{body}");
}

#[test]
fn structs_are_copied_member_by_member() {
    says(
        "{ S s{1, {2, 3}, 4}; printf(\"| \"); S t = s; printf(\"%d | \", t.n); }",
        "+1 +2 +3 | c1 c2 c3 4 | -3 -2 -1 -3 -2 -1",
    );
    says(
        "{ S s{1, {2, 3}, 4}, t{5, {6, 7}, 8}; printf(\"| \"); t = s; printf(\"%d | \", t.n); }",
        "+1 +2 +3 +5 +6 +7 | =1 =2 =3 4 | -3 -2 -1 -3 -2 -1",
    );
    says(
        "{ S s{1, {2, 3}, 4}; printf(\"| \"); S t = std::move(s); printf(\"| \"); }",
        "+1 +2 +3 | m1 m2 m3 | -3 -2 -1 --3 --2 --1",
    );
    says(
        "{ S s{1, {2, 3}, 4}; printf(\"| \"); s = S{5, {6, 7}, 8}; printf(\"| \"); }",
        "+1 +2 +3 | +5 +6 +7 <5 <6 <7 --7 --6 --5 | -7 -6 -5",
    );
    says("{ S* s = new S{1, {2, 3}, 4}; printf(\"| \"); delete s; }", "+1 +2 +3 | -3 -2 -1");
    says(
        "{ S s{1, {2, 3}, 4}; printf(\"| \"); auto f = [s] { return s.n; }; printf(\"| \"); auto g = f; printf(\"| \"); }",
        "+1 +2 +3 | c1 c2 c3 | c1 c2 c3 | -3 -2 -1 -3 -2 -1 -3 -2 -1",
    );
}

#[test]
fn what_a_text_defaults_goes_through_the_members_too() {
    let around = format!(
        "{HEADERS}{NOISY}struct D {{ N a; D() : a(1) {{}} D(const D&) = default; D(D&&) = default; D& operator=(const D&) = default; ~D() {{ printf(\"d \"); }} }};
        struct E {{ N a; E(int n) : a(n) {{}} ~E() {{ printf(\"e \"); }} }};"
    );
    let body = "{ D d; D e = d; D f = std::move(d); e = f; printf(\"| \"); } { E a(2); E b = std::move(a); b = E(3); printf(\"| \"); }";
    let wanted = "+1 c1 m1 =1 | d -1 d -1 d --1 +2 c2 +3 =3 e -3 | e -3 e -2";
    assert_eq!(printed(&around, body).trim_end(), wanted);
}

#[test]
fn a_block_of_declarations_alone_ends_its_objects() {
    says(
        "{ N a(1); } printf(\"| \"); if (true) { N b(2); } for (int i = 0; i < 2; i++) { N c(3 + i); } printf(\"|\");",
        "+1 -1 | +2 -2 +3 -3 +4 -4 |",
    );
}

#[test]
fn objects_in_expressions_are_copied_and_end_once() {
    says(
        "{ N a(1), b(2); N c = a.id ? a : b; printf(\"| \"); N d = a.id ? N(3) : b; printf(\"| \"); N e = (a, b); printf(\"| \"); }",
        "+1 +2 c1 | +3 | c2 | -2 -3 -1 -2 -1",
    );
    says(
        "{ N a(1); printf(\"| \"); a = N(2); printf(\"| \"); N(3), a = N(4); printf(\"| \"); (void)N(5); printf(\"| \"); }",
        "+1 | +2 <2 --2 | +3 +4 <4 --4 -3 | +5 -5 | -4",
    );
    says(
        "{ S s{1, {2, 3}, 4}; printf(\"| \"); N a = S(s).a; printf(\"| \"); N b = static_cast<N>(a); auto c = b; printf(\"| \"); }",
        "+1 +2 +3 | c1 c2 c3 m1 -3 -2 --1 | c1 c1 | -1 -1 -1 -3 -2 -1",
    );
}

#[test]
fn elements_of_a_vector_are_made_and_end_as_in_cxx() {
    says(
        "{ std::vector<N> v; v.reserve(2); v.push_back(N(1)); printf(\"| \"); N a(2); v.push_back(a); printf(\"| \"); v.pop_back(); printf(\"| \"); v.clear(); printf(\"| \"); }",
        "+1 m1 --1 | +2 c2 | -2 | -1 | -2",
    );
    says(
        "{ std::vector<N> v(2); printf(\"| \"); v.resize(1); printf(\"| \"); v.erase(v.begin()); printf(\"| \"); std::vector<N> w(1, N(3)); printf(\"| \"); v = std::move(w); printf(\"| \"); }",
        "+0 +0 | -0 | -0 | +3 c3 -3 | | -3",
    );
}

/// CUDA: the parameters of a kernel are copies, which end when the launch has been made.
#[test]
fn a_copy_that_a_kernel_gets_ends_with_the_launch() {
    let around = format!(
        "{HEADERS}struct B {{ int* d; bool is_copy; B() : is_copy(false) {{ cudaMalloc(&d, 4); }} B(const B& o) : d(o.d), is_copy(true) {{}}
         ~B() {{ printf(\"%s \", is_copy ? \"copy\" : \"own\"); if (!is_copy) cudaFree(d); }} }};\n__global__ void set(B b) {{ *b.d = 7; }}"
    );
    let body =
        "B b; set<<<1, 1>>>(b); int h; cudaMemcpy(&h, b.d, 4, cudaMemcpyDeviceToHost); printf(\"%d \", h);";
    assert_eq!(printed(&around, body), "copy 7 own ");
}

#[test]
fn structs_of_both_sides_are_copied_alike() {
    let around = "struct A { int x; __host__ __device__ A(int x = 0) : x(x) {} __host__ __device__ A(const A& o) : x(o.x + 1) {} };
        struct B { A a; int arr[3]; A two[2]; union { int u; float f; }; };
        __global__ void k(B b, int* out) { B c = b; B d; d = c; out[0] = c.a.x; out[1] = c.arr[2]; out[2] = d.two[1].x; out[3] = d.arr[1]; out[4] = c.u; }";
    let body = "B b{1, {2, 3, 4}, {5, 6}}; b.u = 9; int *d, h[5]; cudaMalloc(&d, 20); k<<<1, 1>>>(b, d);
        cudaMemcpy(h, d, 20, cudaMemcpyDeviceToHost); cudaFree(d); B e = b;
        printf(\"%d %d %d %d %d %d %d %d\", h[0], h[1], h[2], h[3], h[4], e.a.x, e.arr[2], e.two[1].x);";
    // An assignment constructs nothing: the 6 is copied for the parameter and for `c`, and not for `d`.
    assert_eq!(printed(around, body), "3 4 8 3 9 2 4 7");
}

#[test]
fn objects_that_outlive_a_call_stay() {
    let around = format!(
        "{HEADERS}std::vector<int> g = {{1, 2, 3}}; std::string name(\"global\"); std::vector<std::string> names{{\"a\", \"b\"}};
        auto adder(std::vector<int> v) {{ return [v](int i) {{ return v[i] + (int)v.size(); }}; }}
        std::string join(const std::vector<std::string>& v, const std::string& sep = \", \") {{
            std::string r; for (size_t i = 0; i < v.size(); i++) {{ if (i) r += sep; r += v[i]; }} return r; }}
        struct Node {{ std::string name; std::vector<std::unique_ptr<Node>> children; std::unique_ptr<Node> left; }};
        struct Ref {{ std::vector<int>& v; const std::string s; }};"
    );
    let body = "g.push_back(4); names.push_back(\"c\"); printf(\"%d %s %s \", (int)g.size(), name.c_str(), join(names).c_str());
        auto f = adder(g); auto h = f; printf(\"%d \", h(1));
        Node root; root.name = \"root\"; root.children.push_back(std::make_unique<Node>()); root.children.back()->name = \"child\"; root.left = std::make_unique<Node>();
        Node moved = std::move(root); printf(\"%s %s \", moved.name.c_str(), moved.children[0]->name.c_str());
        std::vector<int> v(3); Ref r{v, \"text\"}; Ref s = r; s.v.push_back(1); printf(\"%d %s\", (int)v.size(), s.s.c_str());";
    assert_eq!(printed(&around, body), "4 global a, b, c 6 root child 4 text");
}

#[test]
fn arrays_that_are_made_without_values_are_zero() {
    let around = "#include <memory>\nstruct S { int a = 3, b; }; struct D { int v; D() : v(6) { printf(\"+\"); } ~D() { printf(\"-\"); } };";
    let body = "int n = 3; auto u = std::make_unique<int[]>(n); u[1] = 4; auto s = std::make_unique<S[]>(n);
        { auto d = std::make_unique<D[]>(2); printf(\"%d\", d[1].v); } int* p = new int[n]{};
        printf(\" %d %d %d %d %d %d\", u[0], u[1], s[2].a, s[2].b, p[2], *std::make_unique<int>(7)); delete[] p;";
    assert_eq!(printed(around, body), "++6-- 0 4 3 0 0 7");
}
