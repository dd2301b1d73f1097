//! Runs the same kernel on the GPU, if the emulator found nothing harmful, and compares the results.
//!
//! What it leaves out: tolerance. Buffers are equal bit for bit, or the difference is reported. Approximate functions
//! and the order of floating-point atomics may change the last digits of a right result.

use std::collections::BTreeMap;

use anyhow::Result;

use super::once::Outcome;
use crate::resolve::inputs::initial_bytes;
use crate::resolve::{Plan, Wanted};
use spec::{BufferSpec, Spec};
use thirty_two_lanes::buffer::BufferId;
use thirty_two_lanes::device::{too_new, withheld};
use thirty_two_lanes::gpu::Gpu;
use thirty_two_lanes::launch::{Argument, Code, Launch};
use thirty_two_lanes::machine::{Machine, Timing};

/// What the GPU did.
#[derive(Debug)]
pub struct OnGpu {
    /// The GPU's name.
    pub name: String,
    /// Why it did not get the kernel.
    pub withheld: Option<String>,
    /// How long the kernel took.
    pub timing: Option<Timing>,
    /// The contents of each buffer after the run.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// The buffers that differ between the machines.
    pub differences: Vec<Difference>,
    /// How many buffers were compared.
    pub compared: usize,
}

impl OnGpu {
    /// The contents of a buffer after the run; empty if the kernel did not run.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.contents.get(name).map_or(&[], Vec::as_slice)
    }
}

/// A buffer that differs between the emulator and the GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first argument that is the buffer, or has its address.
    pub argument: usize,
    pub buffer: String,
    pub elements: u64,
    pub different: u64,
    /// The first different element: its index, the emulator's value, the GPU's value.
    pub first: (u64, String, String),
}

/// Runs the kernel of a plan on the GPU, unless the emulator's run says that it would do harm there.
pub fn run(plan: &Plan, mut gpu: Gpu, vetted: Option<&Outcome>) -> Result<OnGpu> {
    let program = &plan.loaded.program;
    let code = Code { name: program.name.clone(), ptx: program.ptx.clone().into() };
    let harmful = vetted.and_then(|outcome| withheld(&outcome.last().report.faults));
    let harmful = harmful.map(|why| format!("{why}; there it could write where it should not, or hang"));
    let mut result = OnGpu {
        name: gpu.about().name,
        withheld: harmful.or(gpu.missing(&code).map(too_new)),
        timing: None,
        contents: BTreeMap::new(),
        differences: Vec::new(),
        compared: 0,
    };
    if result.withheld.is_some() {
        return Ok(result);
    }
    let launch = launch(plan, code, &mut gpu)?;
    let has_variables = || Ok(plan.loaded.module.variables().next().is_some());
    if vetted.map_or_else(has_variables, |outcome| outcome.changes_variables(&plan.loaded))? {
        // Timed runs would start with the module variables of the run before.
        gpu.run_once_only(&launch.code);
    }
    result.timing = gpu.launch(&launch)?.timing;
    for (index, (name, spec)) in plan.sequence.buffers.iter().enumerate() {
        let bytes = gpu.read(BufferId(index))?;
        if let (Some(outcome), Some(argument)) = (vetted, plan.sequence.reaching(name)) {
            result.differences.extend(difference(argument, name, spec, outcome.bytes(name), &bytes));
            result.compared += 1;
        }
        result.contents.insert(name.clone(), bytes);
    }
    Ok(result)
}

/// The launch in the GPU's type, with its buffers allocated.
fn launch(plan: &Plan, code: Code, gpu: &mut Gpu) -> Result<Launch> {
    let step = plan.sequence.last();
    let mut launch = Launch::of(code, &step.kernel.name, step.launch.grid, step.launch.block);
    launch.simt.shared_bytes = step.launch.shared_bytes;
    launch.simt.cluster = step.launch.cluster;
    let mut ids: BTreeMap<String, BufferId> = BTreeMap::new();
    for (name, spec) in &plan.sequence.buffers {
        let id = BufferId(ids.len());
        ids.insert(name.clone(), id);
        gpu.alloc(name, spec.bytes())?;
        gpu.write(id, &initial_bytes(spec))?;
    }
    for wanted in &step.args {
        launch = match wanted {
            Wanted::Value(Spec::Scalar(_, bytes)) => launch.arg(Argument::Value(simt::Arg::bytes(bytes))),
            Wanted::Value(Spec::Structure(fields)) => {
                let named = fields.buffers().into_iter().map(|name| (name.to_owned(), ids[name])).collect();
                launch.arg(Argument::Structure(fields.clone(), named))
            }
            Wanted::Value(Spec::Buffer(_)) => unreachable!("buffers have names"),
            Wanted::Buffer(name) => launch.arg(Argument::Buffer(ids[name.as_str()])),
        };
    }
    Ok(launch)
}

fn difference(argument: usize, name: &str, spec: &BufferSpec, sim: &[u8], gpu: &[u8]) -> Option<Difference> {
    let size = spec.ty.bytes;
    let pairs = || sim.chunks_exact(size).zip(gpu.chunks_exact(size)).enumerate();
    let (index, (sim, gpu)) = pairs().find(|(_, (sim, gpu))| sim != gpu)?;
    let different = pairs().filter(|(_, (sim, gpu))| sim != gpu).count() as u64;
    let first = (index as u64, spec.ty.show(sim), spec.ty.show(gpu));
    Some(Difference { argument, buffer: name.to_owned(), elements: spec.count, different, first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_agree_or_the_first_difference_is_reported() {
        let Spec::Buffer(spec) = Spec::parse("buf:i16:3:zeros").unwrap() else { unreachable!() };
        let found = |gpu: &[u8]| difference(1, "x", &spec, &[1, 0, 2, 0, 3, 0], gpu);
        assert_eq!(found(&[1, 0, 2, 0, 3, 0]), None);
        let first = (1, "2".to_owned(), "258".to_owned());
        let expected = Difference { argument: 1, buffer: "x".to_owned(), elements: 3, different: 2, first };
        assert_eq!(found(&[1, 0, 2, 1, 4, 0]), Some(expected));
    }
}
