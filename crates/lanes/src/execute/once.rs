//! Launches in a row on the emulator, once for each seed.
//!
//! Each run begins with a copy of the emulator that has loaded the program, so nothing remains of an earlier run, and the
//! seed alone repeats it. Several seeds run side by side, and their results are used in the order of the seeds. What it leaves
//! out: stopping later seeds that have begun, for which it waits.

use std::ops::{ControlFlow, Range};

use anyhow::{Context, Error, Result};
use simt::{Launch, Report, TraceStep};
use thirty_two_lanes::cores::in_order;
use thirty_two_lanes::sim::{host_memory_bytes, variables};

use super::memory::Memory;
use crate::resolve::{Loaded, Sequence, Step, signature};

/// What to run.
pub struct Job<'j> {
    pub loaded: &'j Loaded,
    pub sequence: &'j Sequence,
    /// Whether no launch follows one with this report.
    pub is_failure: &'j (dyn Fn(&Report) -> bool + Sync),
    /// Whether an error names the launch by its number, from 0.
    pub numbers_launches: bool,
    /// Is told of every instruction.
    pub trace: Option<&'j (dyn Fn(&TraceStep) + Sync)>,
}

/// The result of one run.
#[derive(Debug)]
pub struct Outcome {
    /// The launches that ran. If one has an error, it is the last.
    pub ran: Vec<Ran>,
    /// What is not in memory as it is expected.
    pub mismatches: Vec<String>,
    /// Whether a launch is a failure, or a buffer not as it is expected.
    pub has_failed: bool,
    memory: Memory,
}

/// A launch that ran.
#[derive(Debug)]
pub struct Ran {
    pub launch: Launch,
    pub report: Report,
}

impl Outcome {
    /// The last launch that ran.
    pub fn last(&self) -> &Ran {
        self.ran.last().expect("there is a launch")
    }

    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.last().launch.seed
    }

    /// Whether a launch was stopped before its end.
    pub fn was_stopped(&self) -> bool {
        self.last().report.was_stopped
    }

    /// Whether a launch has any finding, or a buffer is not as expected.
    pub fn has_findings(&self) -> bool {
        self.ran.iter().any(|ran| !ran.report.faults.is_empty()) || !self.mismatches.is_empty()
    }

    /// The contents of a buffer after the run.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.memory.bytes(name)
    }

    /// Whether the kernels changed variables of their module, so that a second run would start from another state.
    pub fn changes_variables(&self, loaded: &Loaded) -> Result<bool> {
        let all = |emulator| variables(emulator, &loaded.module);
        Ok(all(&self.memory.emulator)? != all(loaded.emulator())?)
    }
}

impl Job<'_> {
    /// Runs with each of these seeds, until `take` breaks: with the first one alone, because a wrong kernel mostly fails with
    /// every seed, and then with the others side by side.
    pub fn run(&self, seeds: Range<u64>, mut take: impl FnMut(Outcome) -> ControlFlow<()>) -> Result<()> {
        let mut take = |outcome: Result<Outcome>| match outcome.map(&mut take) {
            Ok(ControlFlow::Continue(())) => ControlFlow::Continue(()),
            Ok(ControlFlow::Break(())) => ControlFlow::Break(Ok(())),
            Err(error) => ControlFlow::Break(Err(error)),
        };
        let cores = self.sequence.last().launch.cores;
        if let ControlFlow::Break(end) = take(self.once(seeds.start, cores)) {
            return end;
        }
        let side_by_side = self.side_by_side(cores);
        let run = |seed| self.once(seed, cores / side_by_side);
        let rest = seeds.start.saturating_add(1)..seeds.end;
        let end = in_order(side_by_side, rest, run, |_, outcome| take(outcome));
        end.break_value().unwrap_or(Ok(()))
    }

    /// How many seeds may run side by side: one on each core, if there is memory for their buffers. A run that has
    /// ended waits for the seeds before it, so there are up to three for each core.
    fn side_by_side(&self, cores: u32) -> u32 {
        let bytes = self.sequence.bytes().max(1).saturating_mul(3);
        u64::from(cores).min(host_memory_bytes() / bytes).max(1) as u32
    }

    /// Runs the launches up to one that is a failure; `cores` for each of them.
    fn once(&self, seed: u64, cores: u32) -> Result<Outcome> {
        let Job { loaded, sequence, is_failure, .. } = self;
        let mut memory = Memory::new(loaded, sequence)?;
        let (mut ran, mut has_failed, mut was_stopped) = (Vec::new(), false, false);
        for (index, step) in sequence.steps.iter().enumerate() {
            let launch = Launch { cores, ..step.launch(&memory.buffers, seed) };
            let number = if self.numbers_launches { format!("launch {index}: ") } else { String::new() };
            let what = || format!("{number}cannot run `{}`", signature::short(&step.kernel.name));
            let report = self.launch(&mut memory, step, &launch).with_context(what)?;
            (has_failed, was_stopped) = (is_failure(&report), report.was_stopped);
            ran.push(Ran { launch, report });
            if has_failed || was_stopped {
                break;
            }
        }
        let is_whole = ran.len() == sequence.steps.len() && !was_stopped;
        let mismatches = if is_whole { memory.mismatches(sequence) } else { Vec::new() };
        has_failed |= !mismatches.is_empty();
        Ok(Outcome { ran, mismatches, has_failed, memory })
    }

    /// Runs a launch. The error's message contains that of its source, which would be printed twice in a chain.
    fn launch(&self, memory: &mut Memory, step: &Step, launch: &Launch) -> Result<Report> {
        let (emulator, module, kernel) = (&mut memory.emulator, &self.loaded.module, &step.kernel.name);
        let report = match self.trace {
            None => emulator.launch(module, kernel, launch),
            Some(trace) => emulator.launch_traced(module, kernel, launch, &mut |step| trace(step)),
        };
        report.map_err(|error| Error::msg(error.to_string()))
    }
}
