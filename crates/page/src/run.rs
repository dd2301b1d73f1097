//! A launch that is prepared: its memory is filled, and it can be run as often as a page asks.

use std::ops::ControlFlow;

use serde_json::Value;
use simt::{Buffer, Dim3, Emulator, Module, Moment, Report, Snapshot};
use spec::launch::{Launch, Passed, Shape};
use spec::{Given, Spec};

use crate::findings;
use crate::program::Program;
use crate::refusal::Refusal;
use crate::request::{MAX_MEMORY_BYTES, MAX_THREADS, See, USUAL_STEPS, at_most};
use crate::view;

/// A launch with its memory.
#[derive(Debug)]
pub(crate) struct Ready {
    emulator: Emulator,
    module: Module,
    kernel: String,
    launch: simt::Launch,
    /// The memory before the launch.
    start: Snapshot,
    /// The arguments that are buffers, and the variables of the module.
    buffers: Vec<(String, Buffer)>,
}

impl Ready {
    /// Fills the memory of a launch.
    pub fn prepare(program: &Program, asked: &Launch) -> Result<Ready, Refusal> {
        let name = asked.kernel.as_deref().unwrap_or_default();
        let kernel = program.kernel(name)?;
        let (wanted, given) = (kernel.params.len(), asked.arguments.len());
        if wanted != given {
            return Err(Refusal::launch(format!(
                "`{}` has {wanted} parameters, but {given} arguments were given: give one for each",
                kernel.name
            )));
        }
        let launch = shape(asked)?;
        let specs = asked.arguments.iter().map(|Passed { name, is }| {
            Spec::parse(is).map_err(|error| Refusal::launch(format!("`{name}`: {error}")))
        });
        let specs: Vec<Spec> = specs.collect::<Result<_, _>>()?;
        spec::prepare(kernel, &specs, MAX_MEMORY_BYTES).map_err(Refusal::launch)?;
        let mut emulator = program.emulator.clone();
        let given = spec::place(&mut emulator, &specs, |index| asked.arguments[index].name.clone());
        let given = given.map_err(Refusal::launch)?;
        let launch = given.iter().fold(launch, |launch, given| launch.arg(given.arg()));
        let named = asked.arguments.iter().zip(&given).filter_map(|(argument, given)| match given {
            Given::Buffer(buffer) => Some((argument.name.clone(), *buffer)),
            Given::Value(_) => None,
        });
        let variables = program.module.variables().map(|(name, buffer)| (name.to_owned(), buffer));
        let buffers = named.chain(variables).collect();
        let start = emulator.snapshot().map_err(Refusal::launch)?;
        let (module, kernel) = (program.module.clone(), name.to_owned());
        Ok(Ready { emulator, module, kernel, launch, start, buffers })
    }

    /// Runs it to its end, and says what it did.
    pub fn launch(&mut self, see: &See) -> Result<Value, Refusal> {
        let windows = view::windows(&see.memory, &self.buffers)?;
        self.emulator.restore(&self.start).map_err(Refusal::launch)?;
        let report =
            self.emulator.launch(&self.module, &self.kernel, &self.launch).map_err(Refusal::launch)?;
        let mut answer = findings::report(&report);
        let memory: Result<Vec<Value>, _> = windows
            .iter()
            .map(|window| self.emulator.read(window.buffer).map(|bytes| window.json(bytes)))
            .collect();
        answer["memory"] = memory.map_err(Refusal::launch)?.into();
        Ok(answer)
    }

    /// Runs it from the start, and lends every moment until `watcher` has seen enough.
    pub fn watch(
        &mut self,
        mut watcher: impl FnMut(&Moment<'_>, &Module) -> ControlFlow<()>,
    ) -> Result<Report, Refusal> {
        let Ready { emulator, module, kernel, launch, start, .. } = self;
        emulator.restore(start).map_err(Refusal::launch)?;
        let report = emulator
            .launch_watched(module, kernel, launch, &mut |moment: &Moment<'_>| watcher(moment, module));
        report.map_err(Refusal::launch)
    }

    /// How many warps a block has.
    pub fn warps(&self) -> u32 {
        self.launch.block.count().div_ceil(32) as u32
    }

    /// The buffers and variables by their names.
    pub fn buffers(&self) -> &[(String, Buffer)] {
        &self.buffers
    }
}

/// The launch without its arguments.
fn shape(asked: &Launch) -> Result<simt::Launch, Refusal> {
    let (grid, block) = (dim("grid", asked.grid.as_ref())?, dim("block", asked.block.as_ref())?);
    at_most("the grid", grid.count().saturating_mul(block.count()), MAX_THREADS, "threads")?;
    Ok(asked.emulated(grid, block, USUAL_STEPS))
}

fn dim(what: &str, shape: Option<&Shape>) -> Result<Dim3, Refusal> {
    match *shape.map_or(&[][..], Shape::sizes) {
        [x] => Ok(x.into()),
        [x, y] => Ok((x, y).into()),
        [x, y, z] => Ok(Dim3::new(x, y, z)),
        ref sizes => {
            Err(Refusal::request(format!("`{what}` has {} numbers: give one, two or three", sizes.len())))
        }
    }
}
