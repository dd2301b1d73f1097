//! Random PTX kernels, with which machines are compared.
//!
//! A seed determines a kernel ([`kernel::Kernel::new`]), which has one correct result. So two machines can be compared
//! without knowing that result: the emulator's plain interpreter with its fast executors, schedules, checkers and
//! memories ([`compare`]), and the emulator with a GPU ([`campaign`], [`batch`], [`record`]). The forms of instructions
//! are those that the emulator declares, so the same generator can check with NVIDIA's assembler whether it accepts the
//! same PTX ([`grammar`]).
//!
//! Kernels with several correct results are left out. `crates/simt/tests/litmus` and `crates/simt/tests/races` test those.
#![deny(missing_docs)]

pub mod alone;
pub mod batch;
pub mod campaign;
pub mod compare;
pub mod device;
pub mod dice;
pub mod emulate;
pub mod family;
pub mod grammar;
pub mod judge;
pub mod kernel;
pub mod record;
pub mod shape;
pub mod texts;
pub mod tools;
pub mod values;
pub mod write;
