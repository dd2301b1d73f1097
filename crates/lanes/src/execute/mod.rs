//! What was resolved runs: on the emulator with one seed or with many, and on the GPU.

pub mod alive;
pub mod command;
pub mod files;
pub mod gpu;
pub mod memory;
pub mod once;

pub use gpu::{Difference, OnGpu};
pub use once::{Job, Outcome, Ran};
