//! The machines of this computer under one handle.
//!
//! Every buffer is on every machine, every launch goes to the emulator first, and what it finds decides whether a
//! GPU gets the kernel as well. That order is the reader's safety and is not a choice: with `--device gpu` the
//! emulator runs too, and the only difference is that a missing GPU is an error.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use simt::{Checks, Fault, FaultKind, Severity};

use crate::buffer::{Buffer, BufferId, Element};
use crate::check::{Check, Tolerance, agree, compare};
use crate::cores;
use crate::gpu::Gpu;
use crate::launch::Launch;
use crate::machine::{About, Machine, Run, Traced};
use crate::report::layout::grouped;
use crate::report::{Row, Verdict};
use crate::sim::Sim;

/// Which machines to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// The emulator and, where there is one, the GPU too.
    #[default]
    Auto,
    /// The emulator alone.
    Sim,
    /// The emulator and the GPU, which has to be there.
    Gpu,
}

/// The machines that a choice came to.
pub struct Device {
    sim: Sim,
    gpu: Option<Gpu>,
    /// Why there is no GPU, although one would have been welcome.
    missing: Option<String>,
    buffers: usize,
    /// Why the GPU's memory is no longer what the emulator's is.
    withheld: Option<String>,
    watch: Watch,
    cores: u32,
    plain: bool,
    /// Whether a launch went without the checkers that it wanted.
    unwatched: bool,
}

/// Whether the checkers watch that a launch asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Watch {
    /// Those of races and of initialisation, which remember every byte, watch launches of up to [`WATCHED_THREADS`].
    #[default]
    Auto,
    /// All of them, whatever it takes.
    On,
    /// None.
    Off,
}

/// The largest launch that is watched by every checker unless the reader says so: it takes a second or two.
pub const WATCHED_THREADS: u64 = 1 << 22;

/// What is in a buffer, by machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents<T> {
    /// On the emulator.
    pub sim: Vec<T>,
    /// On the GPU, if there is one.
    pub gpu: Option<Vec<T>>,
}

impl Device {
    /// Opens the machines. It is an error to ask for a GPU where there is none.
    pub fn open(choice: Choice) -> Result<Device> {
        let mut device = Device {
            sim: Sim::open(),
            gpu: None,
            missing: None,
            buffers: 0,
            withheld: None,
            watch: Watch::Auto,
            cores: cores::available(),
            plain: false,
            unwatched: false,
        };
        match choice {
            Choice::Sim => {}
            Choice::Gpu => device.gpu = Some(Gpu::demand()?),
            Choice::Auto => match Gpu::open() {
                Ok(gpu) => device.gpu = Some(gpu),
                Err(error) => device.missing = Some(error.to_string()),
            },
        }
        Ok(device)
    }

    /// What the machines are.
    pub fn about(&self) -> Vec<About> {
        [self.sim.about()].into_iter().chain(self.gpu.as_ref().map(Machine::about)).collect()
    }

    /// In one line why there is no GPU, if one would have been used.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// The least memory that any of the machines has for data, in bytes, and which one it is.
    pub fn memory(&self) -> (u64, &'static str) {
        let sim = (self.sim.memory_bytes(), "emulator");
        let gpu = self.gpu.as_ref().map(|gpu| (gpu.memory_bytes(), "GPU"));
        gpu.map_or(sim, |gpu| sim.min(gpu))
    }

    /// A buffer of `len` zeros. `name` is what faults call it.
    pub fn zeroed<T: Element>(&mut self, name: &str, len: usize) -> Result<Buffer<T>> {
        let bytes = len as u64 * T::BYTES as u64;
        let first = BufferId(self.buffers);
        if let Err(error) = self.each(|machine| machine.alloc(name, bytes)) {
            // One machine may have it and the other not; a number must mean the same buffer on both.
            self.each(|machine| {
                machine.free_from(first);
                Ok(())
            })?;
            return Err(error);
        }
        self.buffers += 1;
        Ok(Buffer::new(BufferId(self.buffers - 1), len))
    }

    /// A buffer with these values.
    pub fn upload<T: Element>(&mut self, name: &str, values: &[T]) -> Result<Buffer<T>> {
        let buffer = self.zeroed(name, values.len())?;
        self.write(buffer, values)?;
        Ok(buffer)
    }

    /// Overwrites a whole buffer.
    pub fn write<T: Element>(&mut self, buffer: Buffer<T>, values: &[T]) -> Result<()> {
        let (wanted, given) = (buffer.len(), values.len());
        if wanted != given {
            bail!("a buffer of {wanted} elements was given {given}: write all of it");
        }
        let bytes = T::to_bytes(values);
        self.each(|machine| machine.write(buffer.id, &bytes))
    }

    /// What is in a buffer.
    pub fn read<T: Element>(&mut self, buffer: Buffer<T>) -> Result<Contents<T>> {
        let sim = T::from_bytes(&self.sim.read(buffer.id)?);
        let gpu = self.gpu.as_mut().map(|gpu| gpu.read(buffer.id)).transpose()?;
        Ok(Contents { sim, gpu: gpu.map(|bytes| T::from_bytes(&bytes)) })
    }

    /// Frees every buffer that `work` allocates, when it is done.
    pub fn scope<R>(&mut self, work: impl FnOnce(&mut Device) -> Result<R>) -> Result<R> {
        let first = self.buffers;
        let result = work(self);
        self.each(|machine| {
            machine.free_from(BufferId(first));
            Ok(())
        })?;
        self.buffers = first;
        self.withheld = None;
        result
    }

    /// Does some work on the emulator alone. Buffers that it allocates are not on a GPU, so none may outlive it.
    pub(crate) fn without_gpu<R>(&mut self, work: impl FnOnce(&mut Device) -> Result<R>) -> Result<R> {
        let gpu = self.gpu.take();
        let result = self.scope(work);
        self.gpu = gpu;
        result
    }

    /// How many times a GPU runs each kernel for the clock from now on, after one run to warm up; with 0 it runs
    /// each once, without a clock, as a profiler likes it.
    pub fn set_timed_runs(&mut self, runs: u32) {
        if let Some(gpu) = &mut self.gpu {
            gpu.set_timed_runs(runs);
        }
    }

    /// Decides about the checkers of the launches from now on.
    pub fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// How many cores the emulator uses from now on, all of them unless this says otherwise. It changes no result.
    pub fn set_cores(&mut self, cores: u32) {
        self.cores = cores;
    }

    /// Whether the emulator takes its plain way from now on, which is slower and changes no result.
    pub(crate) fn set_plain(&mut self, plain: bool) {
        self.plain = plain;
    }

    /// Which launches some of the checkers that they asked for did not watch, and why, if there were any.
    pub fn unwatched(&self) -> Option<String> {
        let most = grouped(WATCHED_THREADS);
        self.unwatched.then(|| match self.watch {
            Watch::Off => "none".to_owned(),
            _ => format!("races and initialisation are not checked in launches of more than {most} threads; `--check on` checks all"),
        })
    }

    /// The launch with the checkers that watch it, and whether it asked for more.
    fn watched(&mut self, launch: &Launch) -> (Launch, bool) {
        let mut launch = launch.clone();
        launch.simt.cores = self.cores;
        launch.simt.hooks = launch.simt.hooks.plain(self.plain);
        let asked = launch.simt.checks;
        let checks = &mut launch.simt.checks;
        let threads = launch.simt.grid.count().saturating_mul(launch.simt.block.count());
        if self.watch == Watch::Off {
            *checks = Checks::NONE;
        } else if self.watch == Watch::Auto && threads > WATCHED_THREADS {
            (checks.races, checks.initialisation) = (false, false);
        }
        let unwatched = *checks != asked;
        self.unwatched |= unwatched;
        (launch, unwatched)
    }

    /// A launch on the emulator alone, and what it leaves in a buffer; after which all buffers and variables are what
    /// they were before. For many seeds of one launch, and for memory that is weak, as no GPU can be told to be.
    pub fn trial<T: Element>(&mut self, launch: &Launch, buffer: Buffer<T>) -> Result<(Run, Vec<T>)> {
        let (launch, unwatched) = self.watched(launch);
        self.sim.aside(&launch, |sim| {
            let run = Run { unwatched, ..sim.launch(&launch)? };
            Ok((run, T::from_bytes(&sim.read(buffer.id)?)))
        })
    }

    /// What [`Device::trial`] says of each of many launches, which run side by side: the same as one after the other.
    pub fn trials<T: Element>(
        &mut self,
        launches: &[Launch],
        buffer: Buffer<T>,
    ) -> Result<Vec<(Run, Vec<T>)>> {
        if self.cores == 1 {
            return launches.iter().map(|launch| self.trial(launch, buffer)).collect();
        }
        let mut watched = Vec::new();
        for launch in launches {
            self.sim.load(&launch.code)?;
            let (mut launch, unwatched) = self.watched(launch);
            launch.simt.cores = 1;
            watched.push((launch, unwatched));
        }
        let (sim, result, mut done) = (&self.sim, buffer.id, Vec::new());
        let trial = |nth: u64| -> Result<(Run, Vec<T>)> {
            let ((launch, unwatched), mut sim) = (&watched[nth as usize], sim.clone());
            let run = Run { unwatched: *unwatched, ..sim.launch(launch)? };
            Ok((run, T::from_bytes(&sim.read(result)?)))
        };
        let end = cores::in_order(self.cores, 0..watched.len() as u64, trial, |_, outcome| match outcome {
            Ok(outcome) => {
                done.push(outcome);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        });
        end.break_value().map_or(Ok(done), Err)
    }

    /// Every instruction of a launch on the emulator alone, in the order in which warps issued them; after which all
    /// buffers and variables are what they were before.
    pub fn trace(&mut self, launch: &Launch) -> Result<Vec<Traced>> {
        self.sim.aside(launch, |sim| sim.trace(launch))
    }

    /// Runs a kernel on the emulator, and on the GPU too unless it could do harm there. Once a kernel was withheld,
    /// so are all that follow in the same scope: they would find other data than those that the emulator vetted.
    pub fn launch(&mut self, launch: &Launch) -> Result<Run> {
        let (launch, unwatched) = &self.watched(launch);
        let mut run = Run { unwatched: *unwatched, ..self.sim.launch(launch)? };
        let Some(gpu) = &mut self.gpu else { return Ok(run) };
        run.needs = gpu.missing(&launch.code).map(str::to_owned);
        self.withheld = self.withheld.take().or(withheld(&run.faults)).or(run.needs.as_deref().map(too_new));
        if self.withheld.is_none() {
            if run.changes_variables {
                gpu.run_once_only(&launch.code);
            }
            run.timing = gpu.launch(launch)?.timing;
            run.on_gpu = 1;
        }
        run.withheld.clone_from(&self.withheld);
        Ok(run)
    }

    /// Judges what a run left in a buffer: against a reference in double precision, and one machine against the
    /// other.
    pub fn check<T: Element>(
        &mut self,
        run: Run,
        buffer: Buffer<T>,
        expected: &[f64],
        tolerance: &Tolerance,
    ) -> Result<Row> {
        let mut contents = self.read(buffer)?;
        if run.withheld.is_some() {
            contents.gpu = None;
        }
        let sim = compare(expected, &contents.sim, tolerance);
        let gpu = contents.gpu.as_ref().map(|gpu| compare(expected, gpu, tolerance));
        let agreement = contents.gpu.as_ref().map(|gpu| agree(&contents.sim, gpu, tolerance));
        let verdict = verdict(&run, [Some(&sim), gpu.as_ref()].into_iter().flatten());
        Ok(Row { check: Some(sim), gpu_check: gpu, agreement, ..Row::new(run, verdict) })
    }

    fn each(&mut self, mut work: impl FnMut(&mut dyn Machine) -> Result<()>) -> Result<()> {
        work(&mut self.sim)?;
        self.gpu.as_mut().map_or(Ok(()), |gpu| work(gpu))
    }
}

/// Whether a GPU must not be given a kernel with such a fault: it would write where it should not, or hang. A race, or
/// a value that nobody wrote, may make a result wrong and do no other harm.
fn is_harmful(kind: FaultKind) -> bool {
    // A new kind counts as harmful until it has been decided about here.
    let harmless =
        [FaultKind::Race, FaultKind::VolatileRace, FaultKind::Uninitialized, FaultKind::UndefinedShuffle];
    !harmless.contains(&kind)
}

/// Why a GPU was not given a kernel that was built for a newer one.
pub fn too_new(target: &str) -> String {
    format!("not launched on the GPU: the kernel needs {target}")
}

/// Why a GPU must not be given a kernel in which the emulator found these faults. A warning is of what works on the
/// hardware there is, so it forbids nothing.
pub fn withheld(faults: &[Fault]) -> Option<String> {
    let harmful = faults.iter().find(|fault| fault.severity == Severity::Error && is_harmful(fault.kind))?;
    Some(format!("not launched on the GPU: the emulator found `{}`", harmful.kind.name()))
}

fn verdict<'a>(run: &Run, mut checks: impl Iterator<Item = &'a Check>) -> Verdict {
    // Warnings and notes are told, and leave the result what it is.
    if run.faults.iter().any(|fault| fault.severity == Severity::Error) {
        Verdict::Fault
    } else if checks.all(Check::is_right) {
        Verdict::Ok
    } else {
        Verdict::Wrong
    }
}
