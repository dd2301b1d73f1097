//! Runs a kernel on the emulator.

use anyhow::{Error, Result, anyhow, bail};
use simt::launch::Hooks;
use simt::{Arg, Checks, Emulator, Launch, Limits, Reconvergence, Report, Schedule};

use crate::kernel::{Argument, Kernel};

/// How many warp instructions a kernel may take; kernels take a few thousand.
const MAX_STEPS: u64 = 20_000_000;

/// How the emulator runs a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The launch's own names.
pub struct Way {
    pub plain: bool,
    pub cores: u32,
    pub schedule: Schedule,
    pub seed: u64,
    pub checks: Checks,
    pub weak_memory: bool,
    pub reconvergence: Reconvergence,
    /// The seed by which blocks are assigned to cores; if it is `None`, each core takes the next block.
    pub deal: Option<u64>,
}

impl Way {
    /// The plain interpreter, with which everything is compared.
    pub const PLAIN: Way = Way {
        plain: true,
        cores: 1,
        schedule: Schedule::RoundRobin,
        seed: 0,
        checks: Checks::NONE,
        weak_memory: false,
        reconvergence: Reconvergence::Auto,
        deal: None,
    };
}

/// A kernel loaded into an emulator of its own.
pub struct Loaded {
    /// The emulator.
    pub emulator: Emulator,
    /// The module.
    pub module: simt::Module,
    buffers: Vec<simt::Buffer>,
    launch: Launch,
}

/// Loads a kernel.
///
/// # Errors
/// If the emulator cannot parse the text or does not support all of it.
pub fn load(kernel: &Kernel) -> Result<Loaded> {
    load_text(&kernel.text, kernel.grid, kernel.block, &kernel.arguments)
}

/// Loads a text with a launch and its arguments.
///
/// # Errors
/// If the emulator cannot parse the text or does not support all of it.
pub fn load_text(text: &str, grid: simt::Dim3, block: simt::Dim3, arguments: &[Argument]) -> Result<Loaded> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("kernel.ptx", text).map_err(|error| anyhow!("{error}"))?;
    if let Some(error) = module.unsupported().first() {
        bail!("{error}");
    }
    let mut launch = Launch::new(grid, block);
    let mut buffers = Vec::new();
    for argument in arguments {
        launch = match argument {
            Argument::Buffer(name, bytes) => {
                let buffer = emulator.alloc(name, bytes.len() as u64)?;
                emulator.write(buffer)?.copy_from_slice(bytes);
                buffers.push(buffer);
                launch.arg(buffer.address())
            }
            Argument::Value(bytes) => launch.arg(Arg::bytes(bytes)),
        };
    }
    launch.max_steps = MAX_STEPS;
    Ok(Loaded { emulator, module, buffers, launch })
}

impl Loaded {
    fn launch(&self, way: Way) -> Launch {
        let hooks = Hooks::default().plain(way.plain);
        Launch {
            hooks: way.deal.map_or(hooks, |seed| hooks.deal(seed)),
            cores: way.cores,
            schedule: way.schedule,
            seed: way.seed,
            checks: way.checks,
            weak_memory: way.weak_memory,
            reconvergence: way.reconvergence,
            ..self.launch.clone()
        }
    }

    /// Runs the kernel once, and returns the contents of its buffers after that.
    ///
    /// # Errors
    /// If the launch cannot be carried out.
    pub fn run(mut self, entry: &str, way: Way) -> Result<(Report, Vec<Vec<u8>>)> {
        let launch = self.launch(way);
        // Its message contains that of its source, which would be printed twice in a chain.
        let report = self.emulator.launch(&self.module, entry, &launch).map_err(Error::msg)?;
        let buffers = self.buffers.iter().map(|&buffer| Ok(self.emulator.read(buffer)?.to_vec()));
        Ok((report, buffers.collect::<Result<_>>()?))
    }

    /// The slots in the order in which a warp of a block stores to them for the last time. Before a slot's last store,
    /// every slot that precedes it in this order has its final value.
    ///
    /// # Errors
    /// If the launch cannot be carried out.
    pub fn order_of_slots(
        mut self,
        entry: &str,
        column_bytes: usize,
        block: simt::Dim3,
        warp: u32,
    ) -> Result<Vec<usize>> {
        let launch = Launch { hooks: Hooks::default().plain(true), ..self.launch.clone() };
        let mut order = Vec::new();
        let module = self.module.clone();
        let mut slots = std::collections::BTreeMap::new();
        let report = self.emulator.launch_traced(&self.module, entry, &launch, &mut |step| {
            let slot = *slots
                .entry(step.instruction)
                .or_insert_with(|| slot_of(&module.site(step.instruction).ptx, column_bytes));
            if let Some(slot) = slot
                && (step.block, step.warp) == (block, warp)
            {
                order.retain(|&earlier| earlier != slot);
                order.push(slot);
            }
        });
        report.map_err(Error::msg)?;
        Ok(order)
    }
}

/// The slot to which an instruction stores, if it is such a store.
fn slot_of(instruction: &str, column_bytes: usize) -> Option<usize> {
    let (_, after) = instruction.split_once("[%out+")?;
    let offset: usize = after.split(']').next()?.trim().parse().ok()?;
    Some(offset / column_bytes)
}

/// The contents of the kernel's buffers after it was run by the plain interpreter.
///
/// # Errors
/// If the emulator refuses the text or reports a fault, because generated kernels have none.
pub fn expected(kernel: &Kernel) -> Result<Vec<Vec<u8>>> {
    let (report, buffers) = load(kernel)?.run(Kernel::ENTRY, Way::PLAIN)?;
    match report.faults.first() {
        Some(fault) => bail!("the emulator reports {}", fault.to_string().replace('\n', ";")),
        None => Ok(buffers),
    }
}
