//! The emulator.

pub mod ptx;
