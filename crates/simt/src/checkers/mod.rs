//! The checkers. Each module has the state of a checker, the hooks through which it sees the run, and the wording of
//! its findings.

pub mod context;
pub mod findings;
pub mod initialisation;
pub mod last_writer;
pub mod memory_model;
pub mod races;
pub mod synchronisation;
pub mod wording;
