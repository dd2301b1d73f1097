//! Compiles and runs programs.

use cuda_host::{Error, Files, Given, Limits, Outcome, Refusal};

/// A standard input, and files by their paths, all of which a program may read.
#[derive(Debug)]
pub struct Around<'a> {
    pub input: &'a str,
    pub files: &'a [(&'a str, &'a [u8])],
}

impl Files for Around<'_> {
    fn input(&self) -> Result<Vec<u8>, String> {
        Ok(self.input.as_bytes().to_vec())
    }

    /// `./` leads nowhere else, `folder` is one, `pipe` is none, and what begins with `/` lies outside.
    fn place(&self, path: &str) -> Result<String, Refusal> {
        match path {
            "folder" => Err(Refusal::Folder),
            "pipe" => Err(Refusal::Denied),
            _ if path.starts_with("missing/") => Err(Refusal::Missing),
            _ => Ok(path.trim_start_matches("./").to_owned()),
        }
    }

    fn read(&self, place: &str, most: u64) -> Result<Vec<u8>, Refusal> {
        if place.starts_with('/') {
            return Err(Refusal::Outside);
        }
        let found = self.files.iter().find(|(name, _)| *name == place).ok_or(Refusal::Missing)?.1;
        if found.len() as u64 > most { Err(Refusal::TooLarge) } else { Ok(found.to_vec()) }
    }
}

/// Runs a program with a standard input.
pub fn run_with(text: &str, input: &str) -> Result<Outcome, Error> {
    run_within(text, input, &Limits::default())
}

/// Runs a program within limits.
pub fn run_within(text: &str, input: &str, limits: &Limits) -> Result<Outcome, Error> {
    run_among(text, &Around { input, files: &[] }, limits)
}

/// Runs a program among files.
pub fn run_among(text: &str, files: &Around<'_>, limits: &Limits) -> Result<Outcome, Error> {
    let source = cudac::Source { name: "program.cu", text };
    let compiled = cudac::compile_program(&source, &cudac::Options::default());
    let (output, program) = compiled.unwrap_or_else(|errors| panic!("{errors}"));
    cuda_host::run(&program, "program.cu", &output.ptx, &Given { arguments: &[], files }, limits)
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
