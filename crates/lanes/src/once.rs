//! One run on the emulator: all launches of a plan, with one seed.
//!
//! Each run has a new emulator, so that nothing remains of an earlier run. What it leaves out: what is reported about
//! the run.

use anyhow::{Context, Error, Result};
use simt::{Launch, Report};
use spec::BufferSpec;

use super::launches::{Memory, Step};
use super::plan::Plan;
use super::trace::{Trace, Written};
use thirty_two_lanes::sim::variables;

/// The result of one run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The launches that ran. If one has an error, it is the last.
    pub ran: Vec<Ran>,
    /// What is not in memory as `--expect` says.
    pub mismatches: Vec<String>,
    /// Whether the kernels changed variables of their module, so that a second run would start from another state.
    pub changes_variables: bool,
    /// The trace, if there is one.
    pub trace: Option<Written>,
    memory: Memory,
}

/// A launch that ran.
#[derive(Debug)]
pub(super) struct Ran {
    pub launch: Launch,
    pub report: Report,
}

impl Outcome {
    /// The last launch that ran.
    pub fn last(&self) -> &Ran {
        self.ran.last().expect("a plan has a launch")
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
}

/// Runs the launches of a plan, up to one with an error; `cores` for each of them.
pub(super) fn once(plan: &Plan, seed: u64, cores: u32) -> Result<Outcome> {
    let mut memory = plan.sequence.memory(&plan.program)?;
    let before = variables(&memory.emulator, &memory.module)?;
    let (mut ran, mut trace) = (Vec::new(), None);
    for step in plan.steps() {
        let launch = Launch { cores, ..step.launch(&memory.buffers, seed) };
        let report = match &plan.options.trace {
            None => memory.emulator.launch(&memory.module, &step.kernel.name, &launch),
            Some(file) => {
                let mut writing = Trace::create(file, plan, &launch)?;
                let module = &memory.module;
                let report =
                    memory.emulator.launch_traced(module, &step.kernel.name, &launch, &mut |traced| {
                        writing.add(traced, module);
                    });
                trace = Some(writing.finish()?);
                report
            }
        };
        let report = named(report, step)?;
        let is_over = plan.has_failed(&report) || report.was_stopped;
        ran.push(Ran { launch, report });
        if is_over {
            break;
        }
    }
    let is_whole = ran.len() == plan.steps().len() && ran.iter().all(|ran| !ran.report.was_stopped);
    let mismatches = if is_whole { plan.sequence.mismatches(&memory) } else { Vec::new() };
    let changes_variables = variables(&memory.emulator, &memory.module)? != before;
    Ok(Outcome { ran, mismatches, changes_variables, trace, memory })
}

/// Names the kernel that cannot be run. The error's message contains that of its source, which would be printed twice in a
/// chain.
fn named<E: std::fmt::Display>(report: Result<Report, E>, step: &Step) -> Result<Report> {
    let name = super::signature::short(&step.kernel.name);
    report.map_err(|error| Error::msg(error.to_string())).with_context(|| format!("cannot run `{name}`"))
}

/// The initial bytes of a buffer.
pub(super) fn initial_bytes(spec: &BufferSpec) -> Vec<u8> {
    let mut bytes = vec![0; spec.bytes() as usize];
    spec::fill(&mut bytes, spec);
    bytes
}
