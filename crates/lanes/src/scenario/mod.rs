//! `lanes test`: scenario files, whose tests launch kernels in a row and say what has to come of it.
//!
//! A test has named buffers, launches that use them, and expectations: what buffers contain in the end, what a launch may
//! cost, and which findings there are. It runs with one seed or with many, and fails with the first seed that does not meet
//! an expectation. The format is described in `docs/scenarios.md`. What it leaves out: GPUs.

mod file;
mod results;
mod run;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use super::Output;
use super::options::{Format, TestOptions};
use run::Tested;

/// Something that is not as a test expects it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    /// The kind of a finding, or `missing-finding`, `counter` or `contents`.
    rule: &'static str,
    /// `error`, `warning` or `note`.
    level: &'static str,
    /// What is wrong, in one sentence.
    message: String,
    /// The threads concerned, what else is known, and what to do.
    details: Vec<String>,
    /// The CUDA file and the line, if the problem has one.
    line: Option<(String, u32)>,
    /// The seed with which it happened; `None` if it concerns all seeds.
    seed: Option<u64>,
}

/// A test that has run.
#[derive(Debug)]
struct Verdict {
    name: String,
    /// How many seeds ran.
    ran: u64,
    seconds: f64,
    /// Empty if it passed.
    problems: Vec<Problem>,
}

/// The tests of a file, which have run.
#[derive(Debug)]
struct Suite {
    /// The scenario file, as it was given.
    file: String,
    /// The file with the kernels.
    source: String,
    verdicts: Vec<Verdict>,
}

/// Runs the tests of all files. Nothing runs before every file has been read and checked.
pub(super) fn test(options: &TestOptions) -> Result<Output> {
    let read = |path: &std::path::PathBuf| Tested::read(path, options);
    let tested: Vec<Tested> = options.files.iter().map(read).collect::<Result<_>>()?;
    if let Some(words) = options.only.as_ref().filter(|_| tested.iter().all(|tested| tested.tests.is_empty()))
    {
        bail!("no test has a name that contains `{words}`: omit `--only`, or give part of a name");
    }
    let suites: Vec<Suite> = tested.iter().map(Tested::run).collect::<Result<_>>()?;
    let failed = suites.iter().flat_map(|suite| &suite.verdicts).any(|verdict| !verdict.problems.is_empty());
    let text = match options.format {
        Format::Text => results::text(&suites),
        Format::Junit => results::junit(&suites)?,
        Format::Sarif => format!("{:#}\n", results::sarif(&suites)),
        Format::Json => format!("{:#}\n", results::json(&suites)),
    };
    Ok((text, ExitCode::from(u8::from(failed))))
}

/// A path in messages.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
