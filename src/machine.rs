//! What the two machines have in common: memory, and launches that return a [`Run`].
//!
//! The trait is everything that [`Device`](crate::Device) needs from a machine. What it leaves out: everything that
//! only one machine has; for that, a run says `None`.

use std::ops::AddAssign;

use anyhow::Result;
pub use record::{Machine as About, Timing};
use simt::{Counters, Dim3, Fault, LineCounters, StaleRead};

use crate::buffer::BufferId;
use crate::launch::Launch;

/// A machine that has global memory and runs kernels.
pub trait Machine {
    /// A description of it.
    fn about(&self) -> About;
    /// Memory for data, in bytes.
    fn memory_bytes(&self) -> u64;
    /// Allocates zeroed memory, which gets the next buffer number.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<()>;
    /// Frees all buffers from this number on.
    fn free_from(&mut self, first: BufferId);
    /// Writes a whole buffer.
    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<()>;
    /// Reads a whole buffer.
    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>>;
    /// Runs a kernel to the end.
    fn launch(&mut self, launch: &Launch) -> Result<Run>;
}

/// What one launch did, or several in a row, on all machines of a device.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The kernels, in order.
    pub kernels: Vec<String>,
    /// How many of them the GPU ran too: always the first ones.
    pub on_gpu: usize,
    /// What the emulator counted.
    pub counters: Counters,
    /// The same by CUDA line.
    pub lines: Vec<LineCounters>,
    /// What the emulator found wrong.
    pub faults: Vec<Fault>,
    /// Where the emulator's weak memory returned older stores, if it was switched on.
    pub stale_reads: Vec<StaleRead>,
    /// What the kernels printed on the emulator.
    pub output: String,
    /// How long a GPU took, measured between two events around each kernel.
    pub timing: Option<Timing>,
    /// Why the GPU, if there is one, did not get the kernel.
    pub withheld: Option<String>,
    /// The target of the kernel, for example `sm_90`, if the GPU is too old for it and did not get it.
    pub needs: Option<String>,
    /// Whether some checkers that the launch asked for were off, so that faults may have been missed.
    pub unwatched: bool,
    /// Whether a kernel changed variables of its module (`__device__`), so that a second run would start from another
    /// state.
    pub changes_variables: bool,
}

/// An instruction that a warp of the emulator issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The block.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that execute it together.
    pub mask: u32,
    /// Those of them for which it is carried out: lanes whose guard is true; at a branch, those that take it.
    pub active: u32,
    /// Its line in the CUDA source, if the compiler names one.
    pub line: Option<u32>,
    /// Its PTX.
    pub ptx: String,
}

/// One launch after the other: counters and times are added up.
impl AddAssign for Run {
    fn add_assign(&mut self, other: Run) {
        self.kernels.extend(other.kernels);
        self.on_gpu += other.on_gpu;
        self.counters += &other.counters;
        for line in other.lines {
            match self.lines.iter_mut().find(|known| known.source == line.source) {
                Some(known) => known.counters += &line.counters,
                None => self.lines.push(line),
            }
        }
        self.faults.extend(other.faults);
        self.stale_reads.extend(other.stale_reads);
        self.output.push_str(&other.output);
        self.withheld = self.withheld.take().or(other.withheld);
        self.needs = self.needs.take().or(other.needs);
        self.unwatched |= other.unwatched;
        self.changes_variables |= other.changes_variables;
        self.timing = match (self.timing, other.timing) {
            (Some(first), Some(second)) => Some(first.then(second)),
            (first, second) => first.or(second),
        };
    }
}

#[cfg(test)]
mod tests {
    use simt::SourceLine;

    use super::*;

    #[test]
    fn runs_add_up() {
        let counters = Counters { warps: 2, ptx_instructions: 10, ..Counters::default() };
        let source = SourceLine { file: "sum.cu".into(), line: 7 };
        let lines = vec![LineCounters { source, calls: Vec::new(), counters }];
        let mut run = Run { counters, lines: lines.clone(), timing: Timing::of(vec![1.0]), ..Run::default() };
        run += Run { counters, lines, timing: Timing::of(vec![4.0]), ..Run::default() };
        assert_eq!(run.counters.ptx_instructions, 20);
        assert_eq!((run.lines.len(), run.lines[0].counters.ptx_instructions), (1, 20));
        assert!((run.timing.unwrap().median_us - 5.0).abs() < 1e-12);
    }
}
