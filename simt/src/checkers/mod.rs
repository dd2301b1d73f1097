//! The checkers: what each knows of a run, where it listens, and how it words what it finds.

pub mod context;
pub mod findings;
pub mod initialisation;
pub mod last_writer;
pub mod races;
pub mod synchronisation;
pub mod watch;
