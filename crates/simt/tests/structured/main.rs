//! Structured texts: whatever is repeated, nested or doubled in PTX, loading it and launching what could be loaded takes a bounded
//! time, with bounded memory, on the stack that the programs have.
//!
//! The texts are made from seeds out of shapes (`shapes`), each of which has its turn.

mod shapes;

use std::fmt::Write;

use peak_alloc::PeakAlloc;
use simt::{Emulator, Launch, Limits};
use test_support::Random;
use test_support::structured::{SIZES, measured, text};

use crate::shapes::{MODULES, STATEMENTS, TABLES};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// So many seeds make short texts.
const SHORT: u64 = 500;

/// Steps of a launch: enough to enter whatever was loaded.
const STEPS: u64 = 20_000;

/// What a text is made of.
const KINDS: [&[&str]; 3] = [STATEMENTS, TABLES, MODULES];

/// What stands for `~` where nothing else does.
const PLAIN: [&str; 3] = ["add.u32 %r1, %r1, 1;", "", ""];

/// The text of a shape. In a shape, `^` stands for the `@` of a guard.
fn guarded(text: &str) -> String {
    text.replace('^', "@")
}

/// A text that is at most about so long, and what it is made of.
fn generate(seed: u64, most: usize) -> (String, String) {
    let mut random = Random::new(seed);
    let all: usize = KINDS.iter().map(|shapes| shapes.len()).sum();
    let (mut nth, mut kind) = (seed as usize % all, 0);
    while nth >= KINDS[kind].len() {
        nth -= KINDS[kind].len();
        kind += 1;
    }
    let (mut inner, mut made) = (PLAIN[kind].to_owned(), String::new());
    for _ in 0..random.below(3) {
        let (shape, size) = (random.pick(KINDS[kind]), random.pick(&SIZES[..9]));
        inner = text(shape, size, &inner, most / 8);
        let _ = write!(made, "{size} of `{shape}` in ");
    }
    let size = random.pick(&SIZES);
    let _ = write!(made, "{size} of `{}`", KINDS[kind][nth]);
    let body = guarded(&text(KINDS[kind][nth], size, &inner, most));
    let head = ".version 8.0\n.target sm_70\n.address_size 64\n";
    let kernel = |outside: &str, inside: &str| {
        format!(
            "{head}{outside}\n.visible .entry k(.param .u64 p) {{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n{inside}\nret;\n}}\n"
        )
    };
    let whole = match kind {
        0 => kernel("", &body),
        1 => kernel(&body, ""),
        _ => format!("{head}{body}\n"),
    };
    (made, whole)
}

/// Loads a text, and launches its first kernel if it has one; what comes of it.
fn run(text: &str) -> String {
    let mut emulator = Emulator::new(Limits { memory_bytes: 1 << 28 });
    let module = match emulator.load("structured.ptx", text) {
        Ok(module) => module,
        Err(error) => return error.to_string().chars().take(150).collect(),
    };
    let Some(kernel) = module.kernels().first() else { return "loads".to_owned() };
    let (name, buffer) = (kernel.name.clone(), emulator.alloc("p", 4096).unwrap());
    let launch = kernel.params.iter().fold(Launch::new(1, 32), |launch, _| launch.arg(buffer.address()));
    match emulator.launch(&module, &name, &Launch { max_steps: STEPS, ..launch }) {
        Ok(report) => format!("runs, with {} faults", report.faults.len()),
        Err(error) => error.to_string().chars().take(150).collect(),
    }
}

#[test]
fn no_structure_is_too_much() {
    for seed in test_support::seeds(SHORT) {
        // The first seeds are those of `cargo test`.
        let (made, text) = generate(seed, if seed < SHORT { 10_000 } else { 400_000 });
        measured(&MEMORY, &format!("seed {seed}, {made}"), || run(&text));
    }
}

/// Texts that are short and ask for much, and long ones of each kind of structure. What the message begins with shows that the text
/// came as far as it should.
#[test]
fn each_kind_is_bounded() {
    let in_kernel = |body: &str| {
        format!(
            ".version 8.0 .target sm_70 .visible .entry k() {{ .reg .b32 %r<4>; .reg .pred %p<4>; {body} ret; }}"
        )
    };
    let of_module = |body: &str| format!(".version 8.0 .target sm_70 {body} .visible .entry k() {{ ret; }}");
    let many = |shape: &str, size: usize| guarded(&text(shape, size, "", 4 << 20));
    let calls = ".func f0() { ret; }||| .func f@() { call f$; call f$; ret; }|";
    let mut wrong = Vec::new();
    for (wanted, text) in [
        (
            "the function declares more than 1048576 registers",
            in_kernel(".reg .b32 %q; .reg .b32 %r<1000000000>;"),
        ),
        ("4000000000000 bytes were requested", of_module(".global .b32 a[1000000000000];")),
        ("4294967296 bytes were requested", of_module(".global .b8 a[4294967296] = { 1 };")),
        ("needs 1000000000 bytes of local memory", in_kernel(".local .b8 a[1000000000];")),
        ("this one needs 1000000000", in_kernel(".shared .b8 a[1000000000];")),
        ("nested more than 64 deep", in_kernel(&many("|{|| }|", 100_000))),
        ("runs", in_kernel(&many("|||L@: ^%p1 bra L@; |", 20_000))),
        ("runs", in_kernel(&many("|L@: |add.u32 %r1, %r1, 1; | ^%p1 bra L@; |", 20_000))),
        ("runs", in_kernel(&many("|^%p1 bra L@; |add.u32 %r1, %r1, 1; | L@: |", 20_000))),
        ("runs", in_kernel(&many("|||^%p1 bra L0; |L0: ", 200_000))),
        ("runs", in_kernel(&many("|||add.u32 %r1, %r2, @; |", 50_000))),
        ("runs", in_kernel(&many("|||L@: bra L@; |", 100_000))),
        ("runs", in_kernel(&many("|||^%p1 bra L@; M@: bra M@; L@: |", 50_000))),
        (
            "targets",
            in_kernel(&format!(
                "{}{}",
                many("L1: T: .branchtargets |||L1, |L1; ", 20_000),
                many("|||brx.idx %r1, T; |", 20_000)
            )),
        ),
        ("runs", of_module(&many(calls, 20_000))),
    ] {
        let shown: String = text.chars().take(80).collect();
        let found = measured(&MEMORY, &shown, || run(&text));
        if !found.contains(wanted) {
            wrong.push(format!("{shown}: `{wanted}` is expected, and not `{found}`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
