//! Compiles and runs programs.

use cuda_host::{Error, Given, Limits, Outcome};

/// Runs a program with a standard input.
pub fn run_with(text: &str, input: &str) -> Result<Outcome, Error> {
    run_within(text, input, &Limits::default())
}

/// Runs a program within limits.
pub fn run_within(text: &str, input: &str, limits: &Limits) -> Result<Outcome, Error> {
    let source = cudac::Source { name: "program.cu", text };
    let compiled = cudac::compile_program(&source, &cudac::Options::default());
    let (output, program) = compiled.unwrap_or_else(|errors| panic!("{errors}"));
    let given = Given { arguments: &[], input: input.as_bytes() };
    cuda_host::run(&program, "program.cu", &output.ptx, &given, limits)
}

/// Runs a program.
#[allow(dead_code, reason = "one of the tests that share this file needs only `run_with`")]
pub fn run(text: &str) -> Outcome {
    run_with(text, "").unwrap_or_else(|error| panic!("{error}"))
}

/// What the statements of `main` print, which have no findings.
#[allow(dead_code, reason = "as above")]
#[track_caller]
pub fn printed(around: &str, body: &str) -> String {
    let outcome = run(&format!("{around}\nint main() {{\n{body}\n}}"));
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    String::from_utf8(outcome.output).unwrap()
}
