//! Exercises about warps: their descriptions, and whether an attempt is right.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! let exercises = grader::all(std::path::Path::new("exercises"))?;
//! let exercise = &exercises[0];
//! let verdict = grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, exercise.starter())?;
//! assert!(!verdict.is_passed());
//! # Ok(())
//! # }
//! ```
//!
//! An attempt is a text: a kernel, or answers. A [`Verdict`] is the result of grading it; an `Err` means that the
//! exercise itself cannot be read. Apart from [`folders`], nothing here reads a file or starts a thread, so that a web
//! page can grade too. A page gets descriptions and answers in JSON ([`Exercise::of`], [`grade_answers`]), so its module
//! contains no parser of TOML. What it leaves out: the learner's files, progress and the screen, which are in the crate
//! `exercises`.
#![forbid(unsafe_code)]

pub mod catalogue;
mod compare;
pub mod compile;
pub mod folders;
mod gates;
pub mod generate;
mod grade;
pub mod memory;
mod observed;
mod predict;
pub mod question;
mod run;
mod sets;
pub mod source;
pub mod verdict;

pub use catalogue::{Exercise, Kind, Texts};
pub use compile::{Compile, Compiled, cudac};
pub use folders::all;
pub use grade::{Take, Trials, Tried, Work, grade, grade_kernel, grade_ptx, grade_with, one_by_one};
pub use predict::{Answers, grade_answers};
pub use run::SEEDS;
pub use source::{Source, Version};
pub use verdict::{Compilation, Measured, Passed, Refusal, Shown, Verdict};
