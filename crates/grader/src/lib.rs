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
//! exercise itself cannot be read.
//!
//! An attempt in CUDA is compiled, and the solution with it, by the same compiler. It runs in every case under sixteen seeds,
//! the second half of them with the weak memory, with all checkers and at most as many steps as follow from what the solution
//! needs. Its memory is compared with the solution's, and its counters with limits (`gates`); time is never measured. Errors
//! and warnings lead to a refusal, because a kernel that is right only by luck is not right. If an element is wrong, the
//! attempt runs once more, and the emulator follows the element's address to the thread that stored it. A prediction is
//! compared with a traced run.
//!
//! The grader trusts the solution, so tests compare the solutions with results that Rust computes in another way. They check
//! that every wrong version is refused for its reason, and so is every *mutant*: each barrier, fence, mask, guard, atomic and
//! scope of a solution is weakened in turn, unless a list says why the result is as right as the solution. Solutions, and
//! versions that are only too expensive, run under many more seeds, so that nothing right is refused. The PTX of each solution
//! is committed, and cudac compiles the other versions in the tests.
//!
//! Apart from [`folders`], nothing here reads a file or starts a thread, so that a web
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
