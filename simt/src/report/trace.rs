//! The trace: every instruction that a warp issues, as it is issued, for whoever asked.
//!
//! A step is an issue, exactly as [`Counters::ptx_instructions`](crate::report::counters::Counters) counts them: lanes that a
//! guard, a table of branches or a barrier number tells apart issue an instruction once for each part. What it leaves out:
//! values of registers and memory, which a [`Moment`](crate::Moment) has, and the text of the instruction, which
//! [`Module::site`](crate::Module::site) has.

use crate::launch::Dim3;

/// An instruction issued by a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceStep {
    /// Its number in the launch, from 0.
    pub step: u64,
    /// The block.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that run together here, whose program counter this is.
    pub mask: u32,
    /// Those of them for which the instruction is carried out: whose guard is true; at a branch, who takes it.
    pub active: u32,
    /// The instruction, by its number in the module: [`Module::site`](crate::Module::site) says what it is.
    pub instruction: u32,
}
