//! The launches of a command line, ready to be run with any seed.
//!
//! What it leaves out: problems that only appear in a run, such as an unsupported instruction.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use simt::{Fault, Launch, Pulse, Report, Severity};
use spec::launch::Named;
use spec::{BufferSpec, Fill};

use super::inputs::{self, filled};
use super::kernels;
use super::loaded::Loaded;
use super::outputs::Outputs;
use super::sequence::Sequence;
use crate::request::{Expect, RunOptions};

/// What the user asked for, and what it turned out to mean.
#[derive(Debug)]
pub struct Plan<'a> {
    pub options: &'a RunOptions,
    pub loaded: Loaded,
    /// The launches and their memory; there is at least one launch.
    pub sequence: Sequence,
    pub outputs: Outputs,
    /// How far the launches have come, and whether they shall stop.
    pub pulse: Arc<Pulse>,
}

impl Plan<'_> {
    /// Checks everything that can be checked without running.
    pub fn new(options: &RunOptions) -> Result<Plan<'_>> {
        options.check_together()?;
        let loaded = Loaded::read(&options.file, &options.how(), options.machine.memory)?;
        let pulse = Arc::new(Pulse::default());
        let mut sequence = sequence(options, &loaded, &pulse)?;
        let outputs = Outputs::new(options, &sequence)?;
        for expectation in &options.checks.expectations {
            let expect = Expect { tolerance: options.checks.tolerance, ..expectation.what.clone() };
            let name = sequence.buffer_name(&expectation.buffer);
            let added = name.and_then(|name| sequence.expect(&name, &expect, None));
            added.map_err(|error| anyhow!("`--expect {}`: {error:#}", expectation.text))?;
        }
        Ok(Plan { options, loaded, sequence, outputs, pulse })
    }

    /// The launch with the first seed, without arguments; of several, the last one.
    pub fn launch(&self) -> &Launch {
        &self.sequence.last().launch
    }

    /// Whether a finding makes the run a failure.
    pub fn is_failing(&self, fault: &Fault) -> bool {
        self.options.checks.strict || fault.severity == Severity::Error
    }

    /// Whether a launch has such a finding.
    pub fn has_failed(&self, report: &Report) -> bool {
        report.faults.iter().any(|fault| self.is_failing(fault))
    }
}

/// Looks up what the options say of launches and memory.
fn sequence(options: &RunOptions, loaded: &Loaded, pulse: &Arc<Pulse>) -> Result<Sequence> {
    let (mut sequence, asked, module) = (Sequence::default(), &options.launch, &loaded.module);
    for Named { name, is } in &asked.buffers.0 {
        let spec = filled(BufferSpec::parse(is), None).with_context(|| format!("buffer `{name}`"))?;
        add_buffer(&mut sequence, name.clone(), spec)?;
    }
    for (index, mut spec) in asked.unnamed() {
        if matches!(spec.fill, Fill::File(_)) {
            let kernel = kernels::choose(&loaded.program.name, module.kernels(), asked.kernel.as_deref())?;
            let read = inputs::read_file(&mut spec);
            read.map_err(|error| anyhow!("argument {index} of `{}`: {error}", kernel.name))?;
        }
        add_buffer(&mut sequence, format!("arg{index}"), spec)?;
    }
    for Named { name, is } in &asked.symbols.0 {
        let set = sequence.set(module, name, is, None);
        set.with_context(|| format!("symbol `{name}`"))?;
    }
    let launches = options.launches();
    let is_one_of_several = launches.len() > 1;
    for (index, asked) in launches.iter().enumerate() {
        let launch = Launch { pulse: Some(Arc::clone(pulse)), ..options.emulated(asked)? };
        let added = sequence.add(&loaded.program.name, module, asked, launch);
        if is_one_of_several {
            added.with_context(|| format!("launch {}", index + 1))?;
        } else {
            added?;
        }
    }
    sequence.fit(loaded.memory_bytes)?;
    Ok(sequence)
}

fn add_buffer(sequence: &mut Sequence, name: String, spec: BufferSpec) -> Result<()> {
    let is_known = sequence.buffers.iter().any(|(known, _)| *known == name);
    ensure!(!is_known, "there are two buffers `{name}`: give one of them another name");
    sequence.buffers.push((name, spec));
    Ok(())
}
