//! What is counted of a run, what a memory instruction costs, and who watches it. Counters are written and never read
//! while a kernel runs, and checkers keep what they know to themselves, so neither changes anything.

pub mod counters;
pub mod initialisation;
pub mod races;
pub mod shadow;
pub mod trace;
pub mod traffic;
