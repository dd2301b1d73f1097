//! The checkers. Each module has the state of a checker, the hooks through which it sees the run, and the wording of
//! its findings.
//!
//! The header of a checker says what it reports, what it can miss, and why it gives no false alarm. A new kind of fault is a
//! variant in [`crate::report::fault`], with its help in [`context`], its facts in [`findings`] and its message in the module that
//! words it; a fault that stops the launch is a `Problem` in `exec::faults`. `lanes explain` needs a text about it, and the
//! chapters' library must say whether it is harmful.

pub mod context;
pub mod copies;
pub mod findings;
pub mod fragments;
pub mod initialisation;
pub mod last_writer;
pub mod memory_model;
pub mod races;
pub mod synchronisation;
pub mod visits;
pub mod wording;
