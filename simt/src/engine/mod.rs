//! Runs programs: control flow, reconvergence, schedule, and the instructions that are more than arithmetic.

mod access;
mod flow;
mod layout;
pub mod lower;
pub mod program;
