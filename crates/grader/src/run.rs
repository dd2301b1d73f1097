//! One run of a kernel in one case with one seed, in a new emulator.

use anyhow::{Context, Error, Result, anyhow};
use simt::{Actor, Checks, Dim3, Emulator, KernelInfo, Launch, Limits, Module, Report, Schedule, TraceStep};
use spec::{self, Argument, Given, Spec, Type};

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

/// How a kernel is run: seed, schedule and checkers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub seed: u64,
    pub schedule: Schedule,
    pub checks: Checks,
    pub weak_memory: bool,
    pub max_steps: u64,
    /// A byte of a buffer whose last writer is wanted: the argument, and the offset.
    pub follow: Option<(usize, u64)>,
}

impl How {
    /// Warps take turns, and no checker is on.
    pub fn plain(seed: u64) -> How {
        let max_steps = simt::DEFAULT_MAX_STEPS;
        let checks = Checks::NONE;
        How { seed, schedule: Schedule::RoundRobin, checks, weak_memory: false, max_steps, follow: None }
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
        let weak_memory = seed / (SEEDS / 2) % 2 == 1;
        let schedule = if seed.is_multiple_of(2) { Schedule::Random } else { Schedule::Hunt };
        How { schedule, checks: Checks::ALL, weak_memory, max_steps, ..How::plain(seed) }
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
        let specs = specs(self.exercise, info, case, how.seed)?;
        let given = spec::place(&mut emulator, &specs, |index| self.exercise.arguments[index].name.clone())?;
        let before = bytes(&emulator, &given)?;
        let launch = self.launch(case, how, &given)?;
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

    /// The launch of [`Kernel::run`] in words, for a player.
    pub fn shown(&self, case: &Case, how: &How) -> Shown {
        let exercise = self.exercise;
        let filled = |text: &str| fill(text, case, how.seed);
        let argument = |argument: &crate::catalogue::Argument| (argument.name.clone(), filled(&argument.is));
        Shown {
            grid: filled(&exercise.launch.grid),
            block: filled(&exercise.launch.block),
            shared_bytes: filled(&exercise.launch.shared_bytes).parse().unwrap_or(0),
            arguments: exercise.arguments.iter().map(argument).collect(),
            seed: how.seed,
            is_hunted: matches!(how.schedule, Schedule::Hunt),
            weak_memory: how.weak_memory,
            max_steps: how.max_steps,
            ..Shown::default()
        }
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

    fn launch(&self, case: &Case, how: &How, given: &[Given]) -> Result<Launch> {
        let shape = &self.exercise.launch;
        let filled = |text: &str| fill(text, case, how.seed);
        let shared = filled(&shape.shared_bytes);
        let shared_bytes = shared.parse().with_context(|| format!("`{shared}` is not a number of bytes"))?;
        let follow = how.follow.and_then(|(argument, offset)| match &given[argument] {
            Given::Buffer(buffer) => Some(buffer.address() + offset),
            Given::Value(_) => None,
        });
        Ok(Launch {
            shared_bytes,
            args: given.iter().map(Given::arg).collect(),
            seed: how.seed,
            schedule: how.schedule,
            checks: how.checks,
            weak_memory: how.weak_memory,
            max_steps: how.max_steps,
            follow,
            ..Launch::new(dim3(&filled(&shape.grid))?, dim3(&filled(&shape.block))?)
        })
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

/// The arguments of a case.
pub(crate) fn specs(exercise: &Exercise, info: &KernelInfo, case: &Case, seed: u64) -> Result<Vec<Spec>> {
    let parse = |argument: &crate::catalogue::Argument| {
        let text = fill(&argument.is, case, seed);
        Argument::parse(&text).map_err(|error| anyhow!("argument `{}`, `{text}`: {error}", argument.name))
    };
    let parsed = exercise.arguments.iter().map(parse).collect::<Result<Vec<_>>>()?;
    spec::prepare(info, &parsed, MEMORY_BYTES)
}

/// A text in which names in braces are replaced by the case's values and the seed.
pub(crate) fn fill(text: &str, case: &Case, seed: u64) -> String {
    let filled = case.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    });
    // The seed is replaced last, because a case's value may contain it.
    filled.replace("{seed}", &seed.to_string())
}

/// `4`, `32,8` or `4,4,4`.
pub(crate) fn dim3(text: &str) -> Result<Dim3> {
    let sizes: Vec<u32> = text
        .split(',')
        .map(|size| size.trim().parse())
        .collect::<Result<_, _>>()
        .with_context(|| format!("`{text}` is not a shape: write it as in `4` or `32,8`"))?;
    let size = |axis: usize| sizes.get(axis).copied().unwrap_or(1);
    Ok(Dim3::new(size(0), size(1), size(2)))
}

#[cfg(test)]
mod tests {
    use super::{How, SEEDS};

    #[test]
    fn the_second_half_of_the_seeds_has_weak_memory() {
        let weak: Vec<bool> = (0..SEEDS).map(|seed| How::watched(seed, 1).weak_memory).collect();
        assert_eq!(weak.iter().filter(|weak| **weak).count() as u64, SEEDS / 2);
        assert!(weak.is_sorted());
    }
}
