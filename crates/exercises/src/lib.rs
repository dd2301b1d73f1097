//! Exercises about warps, in the terminal.
//!
//! The program shows an exercise, watches the learner's file, and shows the verdict after each save. An [`app::App`]
//! decides what is shown. It knows neither a terminal nor a clock: events go in, effects come out, and [`screen::draw`]
//! draws its state. [`session`] connects it with the terminal, the files and the grader. [`commands`] does the same
//! things once, in plain text. What it leaves out: whether an attempt is right, which the crate `grader` decides.

pub mod app;
pub mod cli;
pub mod commands;
pub mod course;
pub mod desk;
pub mod lock;
pub mod place;
pub mod progress;
pub mod screen;
pub mod session;
pub mod setup;
pub mod toolchain;
pub mod watch;
pub mod wording;
pub mod worker;
pub mod wrap;

/// The command that starts the program, in messages that say what to type.
pub const COMMAND: &str = "cargo run --bin exercises --";
