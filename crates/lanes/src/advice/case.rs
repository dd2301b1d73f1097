//! A launch that can be repeated: with the program as it is or changed, and under other orders of the warps.

use anyhow::{Result, anyhow};
use simt::{Arg, Buffer, Emulator, Launch, Limits, Module, Report, Severity, Site, Watcher};

/// A launch to give advice about.
pub struct Case<'c> {
    /// The name of the program in messages.
    pub name: &'c str,
    /// The CUDA text that it was compiled from, if it is known.
    pub cuda: Option<&'c str>,
    /// The program, in PTX.
    pub ptx: &'c str,
    /// The kernel.
    pub kernel: &'c str,
    /// The launch, without arguments.
    pub launch: &'c Launch,
    /// The largest amount of memory that buffers may have, in bytes.
    pub memory_bytes: u64,
    /// Allocates and fills the arguments in a new emulator.
    pub place: &'c dyn Fn(&mut Emulator, &Module) -> Result<Placed>,
}

/// The arguments of a launch.
#[derive(Debug)]
pub struct Placed {
    /// One for each parameter.
    pub args: Vec<Arg>,
    /// The buffers and their names.
    pub buffers: Vec<(String, Buffer)>,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Whether a checker found an error.
    pub has_error: bool,
    /// Findings of any severity.
    pub findings: usize,
    /// The bytes of all buffers and variables.
    pub contents: Vec<Vec<u8>>,
}

/// A program in an emulator, with everything that a launch needs.
pub(crate) struct Ready {
    pub module: Module,
    pub placed: Placed,
    emulator: Emulator,
}

impl Case<'_> {
    /// The CUDA line of an instruction, if its text is known.
    pub(crate) fn line(&self, site: &Site) -> Option<&str> {
        let number = site.source.as_ref()?.line.checked_sub(1)?;
        self.cuda?.lines().nth(number as usize)
    }

    /// Loads a program, which is the case's own or a changed one.
    pub(crate) fn ready(&self, ptx: &str) -> Result<Ready> {
        let mut emulator = Emulator::new(Limits { memory_bytes: self.memory_bytes });
        let module = emulator.load(self.name, ptx).map_err(|error| anyhow!("`{}`, {error}", self.name))?;
        let placed = (self.place)(&mut emulator, &module)?;
        Ok(Ready { module, placed, emulator })
    }

    /// Runs a ready program.
    pub(crate) fn run(
        &self,
        ready: &mut Ready,
        launch: &Launch,
        watcher: Option<&mut Watcher<'_>>,
    ) -> Result<Outcome> {
        let launch = Launch { args: ready.placed.args.clone(), ..launch.clone() };
        let Ready { module, emulator, .. } = ready;
        let report = match watcher {
            Some(watcher) => emulator.launch_watched(module, self.kernel, &launch, watcher),
            None => emulator.launch(module, self.kernel, &launch),
        };
        let report = report.map_err(|error| anyhow!("cannot run `{}`: {error}", self.kernel))?;
        outcome(&report, ready)
    }
}

fn outcome(report: &Report, ready: &Ready) -> Result<Outcome> {
    let buffers = ready.placed.buffers.iter().map(|(_, buffer)| *buffer);
    let variables = ready.module.variables().map(|(_, buffer)| buffer);
    let contents = buffers.chain(variables).map(|buffer| ready.emulator.read(buffer).map(<[u8]>::to_vec));
    Ok(Outcome {
        has_error: report.faults.iter().any(|fault| fault.severity == Severity::Error),
        findings: report.faults.len(),
        contents: contents.collect::<Result<_, _>>()?,
    })
}
