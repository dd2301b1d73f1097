//! The emulator as a machine.
//!
//! It stores what the other machine has on the GPU: allocations by number, and modules by name, so that the variables
//! of a module keep their values from one launch to the next. What it leaves out: judging faults, which
//! [`Device`](crate::Device) does.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Error, Result};
use simt::{Emulator, Limits, Module, TraceStep};

use crate::arguments::Kernels;
use crate::buffer::BufferId;
use crate::launch::{Argument, Code, Launch};
use crate::machine::{About, Machine, Run, Traced};

#[derive(Clone)]
pub(crate) struct Sim {
    emulator: Emulator,
    memory_bytes: u64,
    buffers: Vec<simt::Buffer>,
    modules: BTreeMap<String, Module>,
}

impl Sim {
    pub(crate) fn open() -> Sim {
        let memory_bytes = host_memory_bytes();
        let emulator = Emulator::new(Limits { memory_bytes });
        Sim { emulator, memory_bytes, buffers: Vec::new(), modules: BTreeMap::new() }
    }

    /// Loads a text, unless it is loaded already.
    pub(crate) fn load(&mut self, code: &Code) -> Result<Module> {
        if let Some(module) = self.modules.get(&code.name) {
            return Ok(module.clone());
        }
        let module = self.emulator.load(&code.name, &code.ptx)?;
        self.modules.insert(code.name.clone(), module.clone());
        Ok(module)
    }

    /// The module of a launch, and the launch in the emulator's type.
    fn prepare(&mut self, launch: &Launch) -> Result<(Module, simt::Launch)> {
        let module = self.load(&launch.code)?;
        Kernels::in_module(&launch.code.name, &module).check(&launch.kernel, &launch.given())?;
        let mut shape = launch.simt.clone();
        shape.args = launch.args.iter().map(|argument| self.argument(argument)).collect();
        Ok((module, shape))
    }

    /// Every instruction of a launch, in the order in which warps issued them.
    pub(crate) fn trace(&mut self, launch: &Launch) -> Result<Vec<Traced>> {
        let (module, shape) = self.prepare(launch)?;
        let mut steps = Vec::new();
        let report =
            self.emulator.launch_traced(&module, &launch.kernel, &shape, &mut |step| steps.push(*step));
        report.map_err(Error::msg).with_context(|| cannot_launch(launch))?;
        Ok(steps.iter().map(|step| traced(&module, step)).collect())
    }

    /// Does some work, and then restores the buffers and variables that a launch may change.
    pub(crate) fn aside<R>(
        &mut self,
        launch: &Launch,
        work: impl FnOnce(&mut Sim) -> Result<R>,
    ) -> Result<R> {
        let module = self.load(&launch.code)?;
        let arguments = launch.buffers().into_iter().map(|BufferId(id)| self.buffers[id]);
        let places: Vec<simt::Buffer> = arguments.chain(module.variables().map(|(_, place)| place)).collect();
        let held = places.iter().map(|&place| Ok(self.emulator.read(place)?.to_vec()));
        let held = held.collect::<Result<Vec<Vec<u8>>>>()?;
        let result = work(self);
        for (place, bytes) in places.into_iter().zip(held) {
            self.emulator.write(place)?.copy_from_slice(&bytes);
        }
        result
    }

    fn argument(&self, argument: &Argument) -> simt::Arg {
        match argument {
            Argument::Buffer(BufferId(id)) => self.buffers[*id].address().into(),
            Argument::Value(value) => value.clone(),
            Argument::Structure(fields, named) => {
                simt::Arg::bytes(&fields.pack(&|name| self.buffers[named[name].0].address()))
            }
        }
    }
}

impl Machine for Sim {
    fn about(&self) -> About {
        About { name: "emulator".to_owned(), ..About::default() }
    }

    fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<()> {
        self.buffers.push(self.emulator.alloc(name, bytes)?);
        Ok(())
    }

    fn free_from(&mut self, BufferId(first): BufferId) {
        for buffer in self.buffers.drain(first.min(self.buffers.len())..) {
            // It was allocated here, so freeing it cannot fail.
            let _ = self.emulator.free(buffer);
        }
    }

    fn write(&mut self, BufferId(id): BufferId, bytes: &[u8]) -> Result<()> {
        self.emulator.write(self.buffers[id])?.copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, BufferId(id): BufferId) -> Result<Vec<u8>> {
        Ok(self.emulator.read(self.buffers[id])?.to_vec())
    }

    fn launch(&mut self, launch: &Launch) -> Result<Run> {
        let (module, shape) = self.prepare(launch)?;
        let before = variables(&self.emulator, &module)?;
        let report = self.emulator.launch(&module, &launch.kernel, &shape);
        // Its message contains that of its source, which would be printed twice in a chain.
        let report = report.map_err(Error::msg).with_context(|| cannot_launch(launch))?;
        Ok(Run {
            kernels: vec![launch.to_string()],
            on_gpu: 0,
            counters: report.counters,
            lines: report.lines,
            faults: report.faults,
            stale_reads: report.stale_reads,
            output: report.output,
            timing: None,
            withheld: None,
            needs: None,
            unwatched: false,
            changes_variables: variables(&self.emulator, &module)? != before,
        })
    }
}

fn cannot_launch(launch: &Launch) -> String {
    format!("cannot launch `{}`", launch.kernel)
}

fn traced(module: &Module, step: &TraceStep) -> Traced {
    let site = module.site(step.instruction);
    Traced {
        block: step.block,
        warp: step.warp,
        mask: step.mask,
        active: step.active,
        line: site.source.map(|source| source.line),
        ptx: site.ptx,
    }
}

/// The contents of a module's variables.
pub fn variables(emulator: &Emulator, module: &Module) -> Result<Vec<Vec<u8>>> {
    module.variables().map(|(_, buffer)| Ok(emulator.read(buffer)?.to_vec())).collect()
}

/// How much memory the emulator may use for global memory: half of what is available on the host, because results are
/// copied when they are checked.
pub fn host_memory_bytes() -> u64 {
    let spare = fs::read_to_string("/proc/meminfo").ok().and_then(|text| spare_bytes(&text));
    spare.map_or(UNKNOWN_HOST_BYTES, |bytes| bytes / 2)
}

/// The size of the emulator's memory if the host does not say how much is available.
const UNKNOWN_HOST_BYTES: u64 = 2 << 30;

/// The number in the line `MemAvailable: 8010420 kB` of Linux's `/proc/meminfo`.
fn spare_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_memory_is_read_from_the_right_line() {
        assert_eq!(spare_bytes("MemTotal: 9 kB\nMemAvailable:   2 kB\n"), Some(2048));
        assert_eq!(spare_bytes("MemTotal: 9 kB\n"), None);
    }
}
