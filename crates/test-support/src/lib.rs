//! What the tests of several crates share: which seeds a test takes ([`seeds`]), random numbers ([`Random`]), launches
//! whose results are compared between this machine and WebAssembly ([`portable`]), a folder of traps ([`planted`]), and texts that
//! repeat, nest and double ([`structured`]).
//! No program depends on it.
#![deny(missing_docs)]

pub mod planted;
pub mod portable;
mod random;
mod seeds;
pub mod structured;

pub use random::Random;
pub use seeds::{SEEDS, one_in, seeds, side_by_side};
