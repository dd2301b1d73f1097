//! What the tests of several crates share: which seeds a test takes ([`seeds`]), random numbers ([`Random`]), and launches whose results are compared
//! between this machine and WebAssembly ([`portable`]). No program depends on it.
#![deny(missing_docs)]

pub mod portable;
mod random;
mod seeds;

pub use random::Random;
pub use seeds::{SEEDS, one_in, seeds, side_by_side};
