//! Random sequences of calls of the runtime through its C interface: wrong handles, memory that is freed twice, null pointers,
//! copies past an end. The interpreter carries out the same sequences, and both have to print, return and find the same.
//!
//! A sequence ends at the first finding that stops a program, so each is a run of its own. `SEEDS` chooses others.

#[path = "sequences/native.rs"]
mod native;

use cuda_host::{Finding, Kind, Limits, Outcome, Severity};
use native::{clang, compiled, natively};

const RANDOM: &str = include_str!("sequences/random.cu");
const THREADS: &str = include_str!("sequences/threads.cu");

/// The kinds, severities, lines and messages of findings.
fn told(findings: &[Finding]) -> Vec<(Kind, Severity, u32, &str)> {
    let told = |finding: &Finding| (finding.kind, finding.severity, finding.line.number());
    findings
        .iter()
        .map(|finding| {
            let (kind, severity, line) = told(finding);
            (kind, severity, line, &*finding.message)
        })
        .collect()
}

#[test]
fn sequences_of_calls_do_the_same_natively_skipped_without_clang() {
    let Some(clang) = clang() else { return };
    let native = compiled(&clang, RANDOM);
    let source = cudac::Source { name: "sequence.cu", text: RANDOM };
    let (output, program) = cudac::compile_program(&source, &cudac::Options::default()).unwrap();
    let seeds: Vec<u64> = test_support::seeds(150).collect();
    let wrong = test_support::side_by_side(&seeds, |seed| {
        let words = [seed.to_string()];
        let given = cuda_host::Given { arguments: &words, ..cuda_host::Given::default() };
        let one = cuda_host::run(&program, "sequence.cu", &output.ptx, &given, &Limits::default()).unwrap();
        let other = natively(&native, &[*seed]);
        let of = |outcome: &Outcome| {
            // Whether native code looks at an error is not known, so it is warned of each, and none makes it fail.
            let mut told = told(&outcome.findings);
            told.retain(|(kind, ..)| *kind != Kind::UncheckedError);
            format!("{}{} {told:?}", String::from_utf8_lossy(&outcome.output), outcome.was_stopped)
        };
        (of(&one) != of(&other))
            .then(|| format!("seed {seed}\ninterpreted: {}\nnatively: {}", of(&one), of(&other)))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().take(2).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Threads that do so at once: each gets the results of its own calls, and the program ends.
#[test]
fn threads_that_call_at_once_get_their_own_results_skipped_without_clang() {
    let Some(clang) = clang() else { return };
    let native = compiled(&clang, THREADS);
    for seed in test_support::seeds(20) {
        let outcome = natively(&native, &[seed]);
        let printed = String::from_utf8_lossy(&outcome.output).into_owned();
        assert_eq!(
            (printed.trim_end(), outcome.status),
            ("4 threads, 0 wrong", 0),
            "seed {seed}: {:?}",
            told(&outcome.findings)
        );
        assert_eq!(told(&outcome.findings), [], "seed {seed}");
    }
}
