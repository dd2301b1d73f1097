//! Texts of a seed: shapes in shapes, of sizes from a few to very many.

use std::fmt::Write;

use test_support::Random;
use test_support::structured::{SIZES, text};

use crate::shapes::{DECLARATIONS, DIRECTIVES, EXPRESSIONS, STATEMENTS};

/// What every text begins with, so that the shapes have something to mention.
const PRELUDE: &str = "\
template <int N> struct S { static const int value = N; };
template <class T> struct Single { T a; };
template <class A, class B> struct Pair { A a; B b; };
struct P { int a; P* next; };
__device__ int f(int a) { return a + 1; }
template <class T> __device__ T g(T a, T b) { return a + b; }
#define D(x) x x
#define E(x) (x)
#define F(x) E(E(x))
";

/// A whole text around one of [`KINDS`].
fn whole(kind: usize, text: &str) -> String {
    match kind {
        0 => format!("{PRELUDE}__global__ void k(int* x, P* p) {{ x[0] = {text}; }}\n"),
        1 => format!("{PRELUDE}__global__ void k(int* x, P* p) {{ {text} }}\n"),
        2 | 3 => format!("{PRELUDE}{text}\n"),
        4 => format!("{PRELUDE}int main() {{ int x[100] = {{}}; P* p = nullptr; {text} return 0; }}\n"),
        _ => format!("{PRELUDE}int main() {{ int x[100] = {{}}; P* p = nullptr; return {text}; }}\n"),
    }
}

/// What a text is made of; the last two are in host code.
const KINDS: [&[&str]; 6] = [EXPRESSIONS, STATEMENTS, DECLARATIONS, DIRECTIVES, STATEMENTS, EXPRESSIONS];

/// What stands for `~` where nothing else does.
const PLAIN: [&str; 6] = ["x[0]", "x[0] = 1;", "__device__ int yy;", "", "x[0] = 1;", "x[0]"];

/// A text that is at most about so long, and what it is made of. The seed counts through all shapes, so that each has its turn.
pub fn generate(seed: u64, most: usize) -> (String, String) {
    let mut random = Random::new(seed);
    let all: usize = KINDS.iter().map(|shapes| shapes.len()).sum();
    let mut nth = seed as usize % all;
    let mut kind = 0;
    while nth >= KINDS[kind].len() {
        nth -= KINDS[kind].len();
        kind += 1;
    }
    let mut inner = PLAIN[kind].to_owned();
    let mut made = String::new();
    for _ in 0..random.below(3) {
        let shape = random.pick(KINDS[kind]);
        let size = random.pick(&SIZES[..9]);
        inner = text(shape, size, &inner, most / 8);
        let _ = write!(made, "{size} of `{shape}` in ");
    }
    let size = random.pick(&SIZES);
    let _ = write!(made, "{size} of `{}`", KINDS[kind][nth]);
    (made, whole(kind, &text(KINDS[kind][nth], size, &inner, most)))
}
