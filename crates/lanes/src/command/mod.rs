//! The commands, each of which goes through the stages.

use std::process::ExitCode;

pub mod advise;
pub mod exec;
pub mod list;
pub mod play;
mod program;
pub mod run;
pub mod test;

/// The text to print, and the exit status.
pub type Output = (String, ExitCode);
