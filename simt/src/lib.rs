//! The emulator.

pub mod isa;
pub mod machine;
pub mod ptx;
