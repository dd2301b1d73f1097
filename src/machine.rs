//! What the two machines have in common: memory, and launches that come to a [`Run`].
//!
//! The trait is the whole of what [`Device`](crate::Device) asks of a machine. What it leaves out: everything
//! that one machine has and the other has not; a run simply says `None` there.

use std::ops::AddAssign;

use anyhow::Result;
pub use record::Timing;
use simt::{Counters, Dim3, Fault, LineCounters, StaleRead};

use crate::buffer::BufferId;
use crate::launch::Launch;

/// What a machine is, for the head of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// `emulator`, or the GPU's name.
    pub name: String,
    /// What else there is to say: compute capability and driver of a GPU.
    pub details: Vec<(&'static str, String)>,
}

/// A machine with global memory that runs kernels.
pub trait Machine {
    /// What it is.
    fn about(&self) -> About;
    /// Memory for data, in bytes.
    fn memory_bytes(&self) -> u64;
    /// Allocates zeroed memory, which gets the next number.
    fn alloc(&mut self, name: &str, bytes: u64) -> Result<()>;
    /// Frees what was allocated, from this number on.
    fn free_from(&mut self, first: BufferId);
    /// Writes a whole buffer.
    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<()>;
    /// Reads a whole buffer.
    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>>;
    /// Runs a kernel to its end.
    fn launch(&mut self, launch: &Launch) -> Result<Run>;
}

/// What one launch did, or several in a row, on all machines of a device.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The kernels, in order.
    pub kernels: Vec<String>,
    /// How many of them, the first ones, a GPU was given too.
    pub on_gpu: usize,
    /// What the emulator counted.
    pub counters: Counters,
    /// The same by CUDA line.
    pub lines: Vec<LineCounters>,
    /// What the emulator found wrong.
    pub faults: Vec<Fault>,
    /// Where the emulator's weak memory returned older stores, if it was asked for.
    pub stale_reads: Vec<StaleRead>,
    /// What the kernels printed on the emulator.
    pub output: String,
    /// How long a GPU took, between two events around each kernel.
    pub timing: Option<Timing>,
    /// Why the GPU, although there is one, was not given the kernel.
    pub withheld: Option<String>,
    /// The target that the kernel was built for, `sm_90`, if the GPU is too old for it and was not given it.
    pub needs: Option<String>,
    /// Whether some checkers that the launch asked for did not watch, so that faults may have gone unseen.
    pub unwatched: bool,
    /// Whether a kernel changed variables of its module (`__device__`), so that a second run would start otherwise.
    pub changes_variables: bool,
}

/// An instruction that a warp of the emulator issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The block.
    pub block: Dim3,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that run together here.
    pub mask: u32,
    /// Those of them for which it is carried out: whose guard is true; at a branch, who takes it.
    pub active: u32,
    /// The line of CUDA it stands for, if the compiler says so.
    pub line: Option<u32>,
    /// Its PTX.
    pub ptx: String,
}

/// One launch after the other: counters and times add up.
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
        let lines = vec![LineCounters { source, counters }];
        let mut run = Run { counters, lines: lines.clone(), timing: Timing::of(vec![1.0]), ..Run::default() };
        run += Run { counters, lines, timing: Timing::of(vec![4.0]), ..Run::default() };
        assert_eq!(run.counters.ptx_instructions, 20);
        assert_eq!((run.lines.len(), run.lines[0].counters.ptx_instructions), (1, 20));
        assert!((run.timing.unwrap().median_us - 5.0).abs() < 1e-12);
    }
}
