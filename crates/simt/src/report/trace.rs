//! The trace: every instruction that a warp issues.
//!
//! A step is one issue of an instruction, as [`Counters::ptx_instructions`](crate::report::counters::Counters) counts
//! them. If a guard, a table of branches or a barrier number separates the lanes of a group, the instruction is issued
//! once for each part. The values of registers and memory are in a [`Moment`](crate::Moment), and the text of the
//! instruction is in [`Module::site`](crate::Module::site).

use crate::launch::Dim3;

/// An instruction that a warp issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceStep {
    /// The number of the step in the launch, from 0.
    pub step: u64,
    /// The block.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that execute together, and so have the same program counter.
    pub mask: u32,
    /// Those of the lanes for which the instruction is carried out, because their guard is true. At a branch, the lanes
    /// that take it.
    pub active: u32,
    /// The number of the instruction in the module. [`Module::site`](crate::Module::site) has its text.
    pub instruction: u32,
}
