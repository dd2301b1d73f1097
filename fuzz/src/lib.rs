//! Random PTX kernels, and machines that are held to one another by them.
//!
//! A seed decides a kernel ([`kernel::Kernel::new`]), which has one right result. So two machines can be compared without
//! anything else being known: the emulator's plain interpreter with its fast paths, schedules, checkers and memories
//! ([`compare`]), and the emulator with a GPU ([`campaign`], [`batch`], [`record`]). Forms are those that the emulator
//! declares, so the same generator asks NVIDIA's assembler whether it reads PTX as the emulator does ([`grammar`]).
//!
//! What it leaves out: kernels with several right results, of which `simt/tests/litmus` and `simt/tests/races` take care.
#![deny(missing_docs)]

pub mod alone;
pub mod batch;
pub mod campaign;
pub mod compare;
pub mod device;
pub mod dice;
pub mod emulate;
pub mod grammar;
pub mod judge;
pub mod kernel;
pub mod record;
pub mod shape;
pub mod texts;
pub mod tools;
pub mod values;
pub mod write;
