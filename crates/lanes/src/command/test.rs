//! `lanes test`: scenario files, whose tests launch kernels in a row and say what has to come of it.
//!
//! A test has named buffers, launches that use them, and expectations: what buffers contain in the end, what a launch may
//! cost, and which findings there are. The format is described in `docs/scenarios.md`. What it leaves out: GPUs.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};

use super::Output;
use crate::execute::alive;
use crate::outcome::Suite;
use crate::render::verdicts;
use crate::request::{Format, TestOptions};
use crate::resolve::Tested;

/// Runs the tests of all files. Nothing runs before every file has been read and checked.
pub fn test(options: &TestOptions) -> Result<Output> {
    let tested = options.files.iter().map(|path| Tested::read(path, options));
    let tested: Vec<Tested> = tested.collect::<Result<_>>()?;
    if let Some(words) = options.only.as_ref().filter(|_| tested.iter().all(|tested| tested.tests.is_empty()))
    {
        bail!("no test has a name that contains `{words}`: omit `--only`, or give part of a name");
    }
    let tests = tested.iter().flat_map(|tested| &tested.tests);
    alive::listen(tests.map(|test| Arc::clone(&test.pulse)).collect())?;
    let suites: Vec<Suite> = tested.iter().map(Suite::of).collect::<Result<_>>()?;
    let failed = suites.iter().flat_map(|suite| &suite.verdicts).any(|verdict| !verdict.problems.is_empty());
    let was_stopped = suites.iter().any(|suite| suite.missing > 0);
    let text = match options.format {
        Format::Text => verdicts::text(&suites),
        Format::Junit => verdicts::junit(&suites)?,
        Format::Sarif => format!("{:#}\n", verdicts::sarif(&suites)),
        Format::Json => format!("{:#}\n", verdicts::json(&suites)),
    };
    let status = match (failed, was_stopped) {
        (true, _) => 1,
        (false, true) => alive::INTERRUPTED,
        (false, false) => 0,
    };
    Ok((text, ExitCode::from(status)))
}
