//! `lanes exec`: another program's kernels, on the emulator.

use std::io::Write as _;
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
        // What cannot be written is said before the command has run for an hour.
        std::fs::File::create(path).with_context(|| unwritable(path))?;
    }
    let ended = command::run(options)?;
    let reported = Reported::new(&ended.reports, options.strict);
    let text = match options.format {
        Format::Text => exec::text(&reported),
        Format::Junit => verdicts::junit(&reported.suites)?,
        Format::Sarif => format!("{:#}\n", verdicts::sarif(&reported.suites)),
        Format::Json => format!("{:#}\n", exec::json(&reported)),
    };
    match &options.report {
        Some(path) => {
            if let Err(error) = std::fs::write(path, &text) {
                tell(&exec::text(&reported));
                return Err(error).with_context(|| unwritable(path));
            }
        }
        None => tell(&text),
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

fn unwritable(path: &Path) -> String {
    format!("cannot write the report `{}`", path.display())
}

/// Writes to the standard error. If nobody reads it, the status tells the rest.
fn tell(text: &str) {
    let _ = std::io::stderr().write_all(terminal::visible(text).as_bytes());
}
