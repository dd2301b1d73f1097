//! The trace: every instruction that a warp issues, as it is issued, for whoever asked.
//!
//! A step is an issue, exactly as [`Counters::ptx_instructions`](crate::report::counters::Counters) counts them: lanes that a
//! guard, a table of branches or a barrier number tells apart issue an instruction once for each part. A launch
//! without a trace runs the inner loop of [`NoTrace`], which is the loop without a word about tracing. What it leaves
//! out: values of registers and memory, and the text of the instruction, which [`Module::site`](crate::Module::site)
//! has.

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

/// What the inner loop tells of each instruction that it carries out.
pub trait Trace {
    /// The instruction at `pc` was issued for the lanes of `mask`, and carried out for those of `active`.
    fn issued(&mut self, pc: u32, mask: u32, active: u32);
}

/// Nobody asked.
#[derive(Clone, Copy, Debug)]
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn issued(&mut self, _: u32, _: u32, _: u32) {}
}

/// Numbers the steps of a launch and hands them on.
pub struct Tracer<'a> {
    out: &'a mut dyn FnMut(&TraceStep),
    steps: u64,
    /// The block whose turn it is.
    pub block: Dim3,
    /// The warp whose turn it is.
    pub warp: u32,
}

impl<'a> Tracer<'a> {
    /// A trace from its first step, for whoever `out` is.
    pub fn new(out: &'a mut dyn FnMut(&TraceStep)) -> Tracer<'a> {
        Tracer { out, steps: 0, block: Dim3::default(), warp: 0 }
    }
}

impl Trace for Tracer<'_> {
    fn issued(&mut self, pc: u32, mask: u32, active: u32) {
        let (step, block, warp) = (self.steps, self.block, self.warp);
        (self.out)(&TraceStep { step, block, warp, mask, active, instruction: pc });
        self.steps += 1;
    }
}
