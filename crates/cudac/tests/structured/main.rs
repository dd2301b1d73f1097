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

#[test]
fn no_structure_is_too_much() {
    for seed in test_support::seeds(500) {
        let (made, text) = generate(seed, if seed < 500 { 20_000 } else { 400_000 });
        if std::env::var_os("CUDAC_TEXT").is_some() { println!("{made}\n{text}"); }
        check(&format!("seed {seed}, {made}"), &text);
    }
}

/// Files, for whoever looks for the reason.
#[test]
#[ignore = "for files that are named by `CUDAC_FILES`"]
fn files() {
    for path in std::env::var("CUDAC_FILES").unwrap_or_default().split_whitespace() {
        check(path, &std::fs::read_to_string(path).unwrap());
    }
}

/// The kinds that were found first, at the sizes at which they hurt. Each has a bound or is linear now; without that, it takes
/// minutes or all of the memory. What the message has to say is beside it.
#[test]
fn each_kind_is_bounded() {
    let nested = |open: &str, core: &str, close: &str, size: usize| {
        format!("{}{core}{}", open.repeat(size), close.repeat(size))
    };
    let single = "template <class T> struct S {}; ";
    let pairs: String = (1..=30).map(|at| format!("typedef P<T{}, T{}> T{at}; ", at - 1, at - 1)).collect();
    let cases: String = (0..20_000).map(|at| format!("case {at}: x[{at}] = {at}; break; ")).collect();
    let asserts: String = (0..5000).map(|at| format!("static_assert(f({at}) >= 0, \"\"); ")).collect();
    let doubled = "#define P(x) x##x\n#define Q(x) P(x)\n";
    let texts = [
        ("levels of nesting", format!("{single}{} x;", nested("S<", "int", ">", 60))),
        ("`S<", format!("{single}{} x;", nested("S<", "int 1", ">", 40))),
        ("bytes made by", format!("{doubled}int {};", nested("Q(", "y", ")", 35))),
        ("bytes in the names", format!("template <class A, class B> struct P {{ A* a; B* b; }}; typedef int T0; {pairs}")),
        ("levels of nesting", format!("namespace {} {{}}", nested("a::", "a", "", 30_000))),
        ("", "__device__ int a[50000000] = {1}; __global__ void k(int* x) { *x = a[1]; }".to_owned()),
        ("", format!("__global__ void k(int* x) {{ switch (x[0]) {{ {cases} }} }}")),
        ("", format!("constexpr int f(int n) {{ int t = 0; while (n > t) t++; return t - n; }} {asserts}")),
    ];
    for (message, text) in texts {
        check(message, &text);
    }
}
