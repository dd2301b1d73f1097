//! Exercises about warps: what there are, and whether an attempt is right.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! let exercises = grader::all(std::path::Path::new("exercises"))?;
//! let exercise = &exercises[0];
//! let compiler = grader::Compilers::default();
//! let verdict = grader::grade(exercise, &compiler, &exercise.starter()?)?;
//! assert!(!verdict.is_passed());
//! # Ok(())
//! # }
//! ```
//!
//! An attempt is a text: a kernel, or answers. A verdict says what became of it; an `Err` means that the exercise itself
//! cannot be read. What it leaves out: the learner's files, progress and the screen, which are the harness's.

pub mod catalogue;
pub mod question;
pub mod source;
pub mod verdict;

pub use catalogue::{Exercise, Kind, all};
pub use source::{Source, Version};
pub use verdict::{Measured, Passed, Refusal, Verdict};
