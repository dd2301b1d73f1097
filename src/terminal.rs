//! How all programs of the book print: results on standard output, errors in one line on standard error.
//!
//! Status 2 means that something could not be done at all. What it leaves out: the meaning of status 1, which each
//! program defines.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::ErrorKind as ClapErrorKind;

/// Prints clap's help, or its error in one line.
pub fn refuse(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ClapErrorKind::DisplayHelp | ClapErrorKind::DisplayVersion => {
            print(&format!("{}\n", error.render().ansi().to_string().trim_end()), ExitCode::SUCCESS)
        }
        _ => fail(&format!("{}; for more information, try `--help`", one_line(&error.render().to_string()))),
    }
}

/// The part of clap's message above the usage, in one line and with this project's quotes.
pub fn one_line(message: &str) -> String {
    let end = ["\nUsage:", "\nFor more information"].iter().filter_map(|mark| message.find(mark)).min();
    let words: Vec<&str> = message[..end.unwrap_or(message.len())].split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").replace('\'', "`").replace(" tip: ", "; ")
}

/// Says why something could not be done. If standard error cannot be written to, the status says it.
pub fn fail(message: &str) -> ExitCode {
    let message: Vec<&str> = message.split_whitespace().collect();
    let _ = writeln!(std::io::stderr(), "error: {}", message.join(" "));
    ExitCode::from(2)
}

/// Prints the warnings of a compiler unchanged.
pub fn warn(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", message.trim_end());
}

/// Says why something could not be done, in the lines that a compiler wrote.
pub fn fail_with_log(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {}", message.trim_end());
    ExitCode::from(2)
}

/// Prints, with colour if a terminal wants it, and ends with `status`. A reader who closes the pipe early has seen
/// enough.
pub fn print(text: &str, status: ExitCode) -> ExitCode {
    match anstream::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => fail(&format!("cannot print: {error}")),
        _ => status,
    }
}
