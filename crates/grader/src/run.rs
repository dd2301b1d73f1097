//! One run of a kernel in one case with one seed, in a new emulator.

use anyhow::{Context, Error, Result, anyhow};
use simt::{Actor, Emulator, KernelInfo, Limits, Module, Report, Schedule, TraceStep};
use spec::launch::{Checkers, Launch, Passed, Word};
use spec::{Given, Spec, Type};

use crate::catalogue::{Case, Exercise};
use crate::verdict::Shown;

/// How many seeds every case is run with.
pub const SEEDS: u64 = 16;

/// The size of global memory, far more than any case needs.
const MEMORY_BYTES: u64 = 256 << 20;

/// A kernel to run: the solution's, or an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel<'e> {
    pub exercise: &'e Exercise,
    pub ptx: &'e str,
}

/// How a kernel is run.
#[derive(Clone, Debug)]
pub(crate) struct How {
    /// Seed, schedule and checkers.
    pub launch: Launch,
    /// A byte of a buffer whose last writer is wanted: the argument, and the offset.
    pub follow: Option<(usize, u64)>,
}

impl How {
    /// Warps take turns, and no checker is on.
    pub fn plain(seed: u64) -> How {
        let launch = Launch { seed: Some(seed), checks: Some(Checkers::NONE), ..Launch::default() };
        How { launch, follow: None }
    }

    /// Warps run in an order that the seed chooses, all checkers are on, and the run is stopped after `max_steps`
    /// steps.
    ///
    /// The first half of [`SEEDS`] runs in the ordinary memory, where the checker of races is stricter: it does not
    /// assume that the order that the `__threadfence()` of several threads happened to have in this run holds in every
    /// run. The other half runs in the weak memory, which shows stale values of accesses that are not a race. The same
    /// alternation continues for larger seeds. Because the ordinary memory comes first, a fault that both find is
    /// described without the weak memory, which would take more words.
    pub fn watched(seed: u64, max_steps: u64) -> How {
        let launch = Launch {
            seed: Some(seed),
            schedule: Some(Word(if seed.is_multiple_of(2) { Schedule::Random } else { Schedule::Hunt })),
            weak_memory: Some(seed / (SEEDS / 2) % 2 == 1),
            max_steps: Some(max_steps),
            ..Launch::default()
        };
        How { launch, follow: None }
    }

    /// The launch of an exercise in a case.
    fn of(&self, exercise: &Exercise, case: &Case) -> Result<Launch> {
        Ok(self.launch.clone().over(exercise.launch(case, self.launch.seed.unwrap_or(0))?))
    }
}

/// A function that is called for each instruction, with its module.
pub(crate) type Step<'s> = &'s mut dyn FnMut(&TraceStep, &Module);

/// What a run did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub report: Report,
    /// By argument; none for numbers.
    pub buffers: Vec<Option<Bytes>>,
}

/// The bytes of a buffer before and after the run.
#[derive(Debug)]
pub(crate) struct Bytes {
    pub ty: Type,
    pub before: Vec<u8>,
    pub after: Vec<u8>,
}

impl Kernel<'_> {
    /// The module of the text, if it can be read and contains the kernel.
    pub fn module(&self) -> Result<Module> {
        self.load(&mut emulator())
    }

    fn load(&self, emulator: &mut Emulator) -> Result<Module> {
        let name = self.exercise.file_name();
        emulator.load(&name, self.ptx).map_err(|error| anyhow!("`{name}`, {error}"))
    }

    /// The kernel in its module.
    pub fn info<'m>(&self, module: &'m Module) -> Option<&'m KernelInfo> {
        module.kernels().iter().find(|kernel| kernel.name == self.exercise.kernel)
    }

    /// Runs it.
    ///
    /// # Errors
    /// If it cannot be launched in this way, or reaches an instruction that is not supported.
    pub fn run(&self, case: &Case, how: &How) -> Result<Ran> {
        self.run_traced(case, how, None)
    }

    /// Runs it and calls `step` for each instruction.
    pub fn run_traced(&self, case: &Case, how: &How, step: Option<Step<'_>>) -> Result<Ran> {
        let mut emulator = emulator();
        let module = self.load(&mut emulator)?;
        let kernel = &self.exercise.kernel;
        let info = self.info(&module).with_context(|| format!("there is no kernel `{kernel}`"))?;
        let asked = how.of(self.exercise, case)?;
        let specs = specs(&asked, info)?;
        let given = spec::place(&mut emulator, &specs, |index| asked.arguments[index].name.clone())?;
        let before = bytes(&emulator, &given)?;
        let (grid, block) = asked.shape().map_err(Error::msg)?;
        let follow = how.follow.and_then(|(argument, offset)| match &given[argument] {
            Given::Buffer(buffer) => Some(buffer.address() + offset),
            Given::Value(_) => None,
        });
        let launch = simt::Launch {
            args: given.iter().map(Given::arg).collect(),
            follow,
            ..asked.emulated(grid, block, simt::DEFAULT_MAX_STEPS)
        };
        let report = match step {
            None => emulator.launch(&module, kernel, &launch),
            Some(step) => {
                emulator.launch_traced(&module, kernel, &launch, &mut |traced| step(traced, &module))
            }
        };
        // Its message contains that of its source, which would be printed twice in a chain.
        let report = report.map_err(Error::msg)?;
        let after = bytes(&emulator, &given)?;
        let buffers = specs.iter().zip(before.into_iter().zip(after));
        let buffers = buffers.map(|(spec, (before, after))| match spec {
            Spec::Scalar(..) | Spec::Structure(_) => None,
            Spec::Buffer(spec) => Some(Bytes { ty: spec.ty, before, after }),
        });
        Ok(Ran { report, buffers: buffers.collect() })
    }

    /// The launch of [`Kernel::run`], for a player.
    pub fn shown(&self, case: &Case, how: &How) -> Result<Shown> {
        Ok(Shown { launch: how.of(self.exercise, case)?, ..Shown::default() })
    }

    /// The last step at which a thread executed the instruction at which it did something.
    ///
    /// # Errors
    /// When the kernel cannot be launched so.
    pub fn last_step(&self, case: &Case, how: &How, actor: &Actor) -> Result<Option<u64>> {
        let mut last = None;
        let mut look = |step: &TraceStep, module: &Module| {
            let is_its =
                (step.block, step.warp) == (actor.block, actor.warp) && step.active >> actor.lane & 1 != 0;
            if is_its && module.site(step.instruction).ptx_line == actor.site.ptx_line {
                last = Some(step.step);
            }
        };
        self.run_traced(case, how, Some(&mut look))?;
        Ok(last)
    }
}

fn emulator() -> Emulator {
    Emulator::new(Limits { memory_bytes: MEMORY_BYTES })
}

fn bytes(emulator: &Emulator, given: &[Given]) -> Result<Vec<Vec<u8>>> {
    let bytes = |given: &Given| match given {
        Given::Value(_) => Ok(Vec::new()),
        Given::Buffer(buffer) => Ok(emulator.read(*buffer)?.to_vec()),
    };
    given.iter().map(bytes).collect()
}

/// The arguments of a launch.
fn specs(asked: &Launch, info: &KernelInfo) -> Result<Vec<Spec>> {
    let parse = |Passed { name, is }: &Passed| {
        Spec::parse(is).map_err(|error| anyhow!("argument `{name}`, `{is}`: {error}"))
    };
    let specs = asked.arguments.iter().map(parse).collect::<Result<Vec<_>>>()?;
    spec::prepare(info, &specs, MEMORY_BYTES)?;
    Ok(specs)
}

#[cfg(test)]
mod tests {
    use super::{How, SEEDS};

    #[test]
    fn the_second_half_of_the_seeds_has_weak_memory() {
        let weak: Vec<bool> =
            (0..SEEDS).map(|seed| How::watched(seed, 1).launch.weak_memory == Some(true)).collect();
        assert_eq!(weak.iter().filter(|weak| **weak).count() as u64, SEEDS / 2);
        assert!(weak.is_sorted());
    }
}
