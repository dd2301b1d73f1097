//! `lanes exec`: another program's kernels, on the emulator.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use thirty_two_lanes::terminal;

use super::Output;
use crate::execute::command;
use crate::outcome::reported::{REFUSED, Reported};
use crate::render::{exec, verdicts};
use crate::request::{ExecOptions, Format};

/// Runs a command, and reports what was found in all its processes.
pub fn exec(options: &ExecOptions) -> Result<Output> {
    if let Some(path) = &options.report {
        // A report that cannot be written is told before anything runs.
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened.with_context(|| unwritten(path))?;
    }
    let ended = command::run(options)?;
    let reported = Reported::new(&ended.reports, options.strict);
    let text = match options.format {
        Format::Text => exec::text(&reported),
        Format::Junit => verdicts::junit(&reported.suites)?,
        Format::Sarif => format!("{:#}\n", verdicts::sarif(&reported.suites)),
        Format::Json => format!("{:#}\n", verdicts::json(&reported.suites)),
    };
    match &options.report {
        Some(path) => {
            std::fs::write(path, &text).with_context(|| unwritten(path))?;
        }
        None => eprint!("{}", terminal::visible(&text)),
    }
    let is_refused = reported.problems().any(|(_, problem)| problem.rule == REFUSED);
    let is_wrong = reported.problems().any(|(_, problem)| problem.rule != REFUSED);
    let status = match (is_wrong, is_refused) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => ended.status,
    };
    Ok((String::new(), ExitCode::from(status)))
}

/// What is said of a report that cannot be written.
fn unwritten(path: &Path) -> String {
    format!("cannot write the report `{}`", path.display())
}
