//! Random CUDA C++ programs: what this compiler makes of them leaves the same in memory as their trees say.
//!
//! `make` draws a program from a seed, `mend` changes what C++ leaves open, `evaluate` runs the tree, `text` prints it, and
//! `judge` compiles and compares. If a program fails, `reduce` makes it smaller, and the test prints the seed and the text.

mod evaluate;
mod expressions;
mod judge;
mod make;
mod mend;
mod number;
mod reduce;
mod statements;
mod text;
mod together;
mod tree;
mod visit;

use evaluate::Outcome;
use judge::Failure;
use tree::Program;

/// A program of a seed; the first attempts may run too long.
fn program(seed: u64) -> (Program, Outcome) {
    (0..)
        .find_map(|attempt| mend::mended(make::program(seed.wrapping_mul(1 << 20) + attempt)).ok())
        .expect("one of the attempts is short")
}

/// What the smallest program that fails like this one says, for a message.
fn told(
    seed: u64,
    program: Program,
    failure: &Failure,
    judge: &dyn Fn(&Program, &Outcome) -> Result<(), Failure>,
) -> String {
    let mut last = failure.told.clone();
    let smallest = reduce::reduced(program, &mut |smaller, outcome| match judge(smaller, outcome) {
        Err(found) if found.kind == failure.kind => {
            last = found.told;
            true
        }
        _ => false,
    });
    format!("seed {seed}: {}: {last}\n{}", failure.kind, text::text(&smallest))
}

fn check(seed: u64, judge: &dyn Fn(&Program, &Outcome) -> Result<(), Failure>) -> Result<(), String> {
    let (program, outcome) = program(seed);
    judge(&program, &outcome).map_err(|failure| told(seed, program, &failure, judge))
}

#[test]
fn programs_do_what_their_trees_say() {
    let failures: Vec<String> =
        test_support::seeds(200).filter_map(|seed| check(seed, &judge::judge).err()).take(3).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[ignore = "thorough: it needs NVRTC"]
fn programs_do_the_same_when_nvidia_compiles_them() {
    let compiler = nvrtc::Compiler::find().expect("NVRTC is installed");
    let judge = |program: &Program, outcome: &Outcome| judge::judge_with(&compiler, program, outcome);
    let failures: Vec<String> =
        test_support::seeds(100).filter_map(|seed| check(seed, &judge).err()).take(3).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
