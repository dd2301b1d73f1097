//! Mutated texts: whatever is cut, doubled or exchanged in a kernel, the compiler returns in a bounded time and does not
//! panic.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use test_support::Random;

/// No text of the sizes here may take longer, also in a build without optimisation and on a busy machine.
const MAX_TIME: Duration = Duration::from_secs(10);

fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in ["kernels", "crates/cudac/tests/mistakes"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// What is put into a text.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "<",
    ">",
    "template <",
    "[",
    "]",
    "#define A(x) A(x) A(x)\n",
    "#if 1\n",
    "/*",
    "\"",
    "*",
    "&",
    "0x",
    "1e999f",
    "struct S { S s; };",
    "auto",
    "-2147483648 / -1",
    ">> 99",
    "operator",
    "\u{e9}",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(40)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..end)),
            1 => {
                let copy: Vec<char> = text[at..end].to_vec();
                text.splice(at..at, copy);
            }
            2 => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.chars());
            }
            _ => {
                let other = random.below(text.len() + 1);
                if at < text.len() && other < text.len() {
                    text.swap(at, other);
                }
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn no_text_is_too_much() {
    let sources = sources();
    for seed in test_support::seeds(300) {
        let mut random = Random::new(seed);
        let text = mutate(&sources[random.below(sources.len())], &mut random);
        let start = Instant::now();
        // A panic names the seed by what the test has said last.
        let result =
            cudac::compile(&cudac::Source { name: "mutated.cu", text: &text }, &cudac::Options::default());
        assert!(start.elapsed() < MAX_TIME, "seed {seed} takes {:?}:\n{text}", start.elapsed());
        if let Err(errors) = result {
            assert!(!errors.0.is_empty() && !errors.to_string().is_empty(), "seed {seed}");
        }
    }
}

#[test]
fn deep_and_long_texts_are_bounded() {
    let kernel = |body: &str| format!("extern \"C\" __global__ void kernel(int* x) {{ {body} }}");
    let deep = 20_000;
    let texts = [
        kernel(&format!("x[0] = {}1{};", "(".repeat(deep), ")".repeat(deep))),
        kernel(&format!("x[0] = {}1;", "-".repeat(deep))),
        kernel(&format!("x[0] = 1{};", " + 1".repeat(deep))),
        kernel(&"{".repeat(deep)),
        kernel(&"if (x[0]) ".repeat(deep)),
        kernel(&format!("int{} p;", "*".repeat(deep))),
        kernel(&"x[0]++;".repeat(deep)),
        kernel(&"#pragma unroll\nfor (int i = 0; i < 1000; i++)\n".repeat(20)),
        kernel("for (int i = 0; i < 1000000000; i++) x[i] = i;"),
        kernel("int a[2] = {0}; if (x[0] == 5) x[1] = a[0x7fffffffffffffff / 4];"),
        kernel("struct S { int a, b; }; S s[2]; if (x[0] == 5) s[0x7fffffffffffffff / 8].b = x[1]; x[2] = s[x[0]].a;"),
        "#define A A A\n#define B(x) x x x x x x x x\nB(B(B(B(B(B(B(B(B(B(B(B(1))))))))))))".to_owned(),
        "template <int N> struct S { S<N + 1> s; }; S<0> s;".to_owned(),
        "template <int N> __device__ int f() { return f<N + 1>(); } __global__ void k(int* x) { x[0] = f<0>(); }".to_owned(),
        "constexpr int f(int n) { while (true) n++; return n; } __device__ int a[f(0)];".to_owned(),
    ];
    for text in texts {
        let start = Instant::now();
        let _ = cudac::compile(&cudac::Source { name: "deep.cu", text: &text }, &cudac::Options::default());
        assert!(start.elapsed() < MAX_TIME, "{:?}: {}", start.elapsed(), &text[..80.min(text.len())]);
    }
}
