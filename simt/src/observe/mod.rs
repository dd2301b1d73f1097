//! What is counted of a run, and what a memory instruction costs. Counters are written and never read while a kernel
//! runs, so they change nothing. The checkers of races and of uninitialised reads will live here too.

pub mod counters;
pub mod trace;
pub mod traffic;
