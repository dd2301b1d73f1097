//! What the tests of several crates share: which seeds a test takes ([`seeds`]), and launches whose results are compared
//! between this machine and WebAssembly ([`portable`]). No program depends on it.
#![deny(missing_docs)]

pub mod portable;
mod seeds;

pub use seeds::{SEEDS, one_in, seeds, side_by_side};
