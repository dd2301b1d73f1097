//! One run on the emulator.
//!
//! Each run has a new emulator, so that nothing remains of an earlier run. What it leaves out: what is reported about
//! the run.

use anyhow::{Context, Error, Result};
use simt::{Emulator, Launch, Report};

use super::plan::Plan;
use super::trace::{Trace, Written};
use arguments::{self, Given, Spec};
use lanes::sim::variables;

/// The result of one run.
#[derive(Debug)]
pub(super) struct Outcome {
    pub launch: Launch,
    pub report: Report,
    /// Whether the kernel changed variables of its module, so that a second run would start from another state.
    pub changes_variables: bool,
    /// The trace, if there is one.
    pub trace: Option<Written>,
    emulator: Emulator,
    given: Vec<Given>,
}

impl Outcome {
    /// The contents of an argument's buffer after the run; empty for a number.
    pub fn bytes(&self, argument: usize) -> &[u8] {
        match &self.given[argument] {
            Given::Value(_) => &[],
            Given::Buffer(buffer) => self.emulator.read(*buffer).expect("it was allocated for this run"),
        }
    }
}

/// Runs the kernel of a plan; `launch` has no arguments yet.
pub(super) fn once(plan: &Plan, launch: &Launch) -> Result<Outcome> {
    let (mut emulator, module) = plan.emulator()?;
    let given = arguments::place(&mut emulator, &plan.specs, |index| format!("arg{index}"))?;
    let args = given.iter().map(Given::arg).collect();
    let launch = Launch { args, ..launch.clone() };
    let kernel = &plan.kernel.name;
    let before = variables(&emulator, &module)?;
    let (report, trace) = match &plan.options.trace {
        None => (emulator.launch(&module, kernel, &launch), None),
        Some(file) => {
            let mut trace = Trace::create(file, plan, &launch)?;
            let report =
                emulator.launch_traced(&module, kernel, &launch, &mut |step| trace.add(step, &module));
            (report, Some(trace.finish()?))
        }
    };
    // Its message contains that of its source, which would be printed twice in a chain.
    let report = report.map_err(Error::msg).with_context(|| format!("cannot run `{kernel}`"))?;
    let changes_variables = variables(&emulator, &module)? != before;
    Ok(Outcome { launch, report, changes_variables, trace, emulator, given })
}

/// The initial bytes of a buffer.
pub(super) fn initial_bytes(spec: &Spec) -> Vec<u8> {
    let Spec::Buffer(spec) = spec else { return Vec::new() };
    let mut bytes = vec![0; spec.bytes() as usize];
    arguments::fill(&mut bytes, spec);
    bytes
}
