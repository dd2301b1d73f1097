//! Structured texts: whatever is repeated, nested or doubled in a text, the compiler returns in a bounded time, with bounded
//! memory, on the stack that the programs have.
//!
//! The texts are made from seeds (`generate`) out of shapes (`shapes`). Time is measured as well as memory, so the
//! bounds are generous: what is exponential or quadratic is beyond them by far.

mod generate;
mod measure;
mod shapes;

use generate::generate;
use measure::check;

/// So many seeds make short texts.
const SHORT: u64 = 500;

#[test]
fn no_structure_is_too_much() {
    for seed in test_support::seeds(SHORT) {
        // The first seeds are those of `cargo test`.
        let (made, text) = generate(seed, if seed < SHORT { 10_000 } else { 400_000 });
        check(&format!("seed {seed}, {made}"), &text);
    }
}

/// The kinds that were found first, at the sizes at which they hurt, each with what the first message has to say. Without its
/// bound each takes minutes, all of the memory or all of the stack.
#[test]
fn each_kind_is_bounded() {
    for (message, text) in kinds() {
        let found = check(message, &text);
        assert!(found.starts_with(message), "`{message}` is expected, and not `{found}`");
    }
}

fn nested(open: &str, core: &str, close: &str, size: usize) -> String {
    format!("{}{core}{}", open.repeat(size), close.repeat(size))
}

/// Pieces with the numbers from 1 on in place of `@`, and those before in place of `$`.
fn numbered(piece: &str, size: usize) -> String {
    let one = |at: usize| piece.replace('@', &at.to_string()).replace('$', &(at - 1).to_string());
    (1..=size).map(one).collect()
}

fn kinds() -> Vec<(&'static str, String)> {
    let single = "template <class T> struct S {}; ";
    let kernel = |body: &str| format!("__global__ void k(int* x) {{ {body} }}");
    let sum = " + a".repeat(230);
    let chain = |words: &str, size: usize| {
        let first = format!("{words} f0(int a) {{ return a; }} ");
        let others = numbered(&format!("{words} f@(int a) {{ return f$(a){sum}; }} "), size);
        format!("{first}{others} {}", kernel(&format!("x[0] = f{size}(1);")))
    };
    let paste = "#define P(x) x##x\n#define Q(x) P(x)\n";
    let pair = "template <class A, class B> struct P { A* a; B* b; }; typedef int T0; ";
    let loops = "constexpr int f(int n) { int t = 0; while (n > t) t++; return t - n; } ";
    let case = |text: &str| kernel(&format!("switch (x[0]) {{ {} }}", numbered(text, 20_000)));
    vec![
        (
            "this needs more than 100 levels of nesting",
            format!("{single}{} x;", nested("S<", "int", ">", 60)),
        ),
        ("expected an expression", format!("{single}{} x;", nested("S<", "int 1", ">", 40))),
        ("this needs more than 4194304 bytes made by", format!("{paste}int {};", nested("Q(", "y", ")", 35))),
        (
            "this needs more than 4194304 bytes in the names",
            format!("{pair}{}", numbered("typedef P<T$, T$> T@; ", 30)),
        ),
        ("this needs more than 100 levels of nesting", format!("namespace {}a {{}}", "a::".repeat(30_000))),
        (
            "compiles",
            format!(
                "template <int N> struct V {{ static const int value = N; }}; {}",
                kernel(&format!("*x = {};", nested("V<", "1", ">::value", 40)))
            ),
        ),
        ("compiles", format!("__device__ int a[50000000] = {{1}}; {}", kernel("*x = a[1];"))),
        (
            "this needs more than 4194304 bytes made by",
            "struct B { int a[50000000]; int b; }; __device__ B b = {{1}, 2};".to_owned(),
        ),
        ("compiles", case("case @: x[@] = @; break; ")),
        ("this needs more than 40000000 steps", case("case @: x[@] = @; ")),
        ("compiles", case("case @: return; ")),
        ("compiles", format!("{loops}{}", numbered("static_assert(@ > 0, \"\"); ", 5000))),
        (
            "this needs more than 4000000 steps to evaluate",
            format!("{loops}{}", numbered("static_assert(f(@) == 0, \"\"); ", 5000)),
        ),
        ("this needs more than 1000 expressions", chain("__device__ auto", 60)),
        ("this needs more than 1000 expressions", chain("__device__ int", 45)),
        ("this needs more than 1000 expressions", chain("constexpr int", 60)),
        (
            "this needs more than 250 operators",
            kernel(&format!(
                "int a = 1; x[0] = {};",
                nested("[&] { return ", "a", &format!("; }}(){sum}"), 20)
            )),
        ),
    ]
}
