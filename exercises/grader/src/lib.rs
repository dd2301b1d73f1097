//! Exercises about warps: what there are, and whether an attempt is right.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! let exercises = grader::all(std::path::Path::new("exercises"))?;
//! let exercise = &exercises[0];
//! let compiler = grader::Toolchain::search();
//! let verdict = grader::grade(exercise, &compiler, &exercise.starter()?)?;
//! assert!(!verdict.is_passed());
//! # Ok(())
//! # }
//! ```
//!
//! An attempt is a text: a kernel, or answers. A verdict says what became of it; an `Err` means that the exercise itself
//! cannot be read. What it leaves out: the learner's files, progress and the screen, which are the harness's.

pub mod catalogue;
mod compare;
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
mod toolchain;
pub mod verdict;

pub use catalogue::{Exercise, Kind, all};
pub use grade::{grade, grade_ptx, grade_with};
pub use run::SEEDS;
pub use source::{Source, Version};
pub use toolchain::Toolchain;
pub use verdict::{Measured, Passed, Refusal, Verdict};
