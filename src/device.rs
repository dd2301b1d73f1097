//! All machines of this computer behind one interface.
//!
//! Every buffer exists on every machine, every launch goes to the emulator first, and what the emulator finds decides
//! whether a GPU gets the kernel as well. That order protects the reader and cannot be changed: with `--device gpu` the
//! emulator runs too, and the only difference is that a missing GPU is an error.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use simt::{Checks, Fault, FaultKind, Severity, Space};

use crate::buffer::{Buffer, BufferId, Element};
use crate::check::{Check, Tolerance, agree, compare};
use crate::cores;
use crate::gpu::Gpu;
use crate::launch::Launch;
use crate::machine::{About, Machine, Run, Traced};
use crate::report::{Row, Verdict};
use crate::sim::Sim;
use spec::layout::grouped;

/// Which machines to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Choice {
    /// The emulator and, if there is one, the GPU.
    #[default]
    Auto,
    /// The emulator alone.
    Sim,
    /// The emulator and the GPU, which has to be there.
    Gpu,
}

/// The machines that are used.
pub struct Device {
    sim: Sim,
    gpu: Option<Gpu>,
    /// Why there is no GPU, if one would have been used.
    missing: Option<String>,
    buffers: usize,
    /// Why the contents of the GPU's memory are no longer those of the emulator's.
    withheld: Option<String>,
    watch: Watch,
    cores: u32,
    plain: bool,
    /// Whether a launch ran without some of the checkers that it asked for.
    unwatched: bool,
}

/// Whether the checkers that a launch asks for are switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Watch {
    /// The checkers of races and initialisation, which remember every byte, are on in launches of up to
    /// [`WATCHED_THREADS`] threads.
    #[default]
    Auto,
    /// All of them are on, however long it takes.
    On,
    /// All of them are off.
    Off,
}

/// The largest launch for which all checkers are on by default: it takes a second or two.
pub const WATCHED_THREADS: u64 = 1 << 22;

/// The contents of a buffer on each machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents<T> {
    /// On the emulator.
    pub sim: Vec<T>,
    /// On the GPU, if there is one.
    pub gpu: Option<Vec<T>>,
}

impl Device {
    /// Opens the machines. It is an error to ask for a GPU if there is none.
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

    /// A description of the machines.
    pub fn about(&self) -> Vec<About> {
        [self.sim.about()].into_iter().chain(self.gpu.as_ref().map(Machine::about)).collect()
    }

    /// In one line, why there is no GPU, if one would have been used.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// The smallest memory of the machines in bytes, and which machine has it.
    pub fn memory(&self) -> (u64, &'static str) {
        let sim = (self.sim.memory_bytes(), "emulator");
        let gpu = self.gpu.as_ref().map(|gpu| (gpu.memory_bytes(), "GPU"));
        gpu.map_or(sim, |gpu| sim.min(gpu))
    }

    /// A buffer of `len` zeros. Faults call it by `name`.
    pub fn zeroed<T: Element>(&mut self, name: &str, len: usize) -> Result<Buffer<T>> {
        let bytes = len as u64 * T::BYTES as u64;
        let first = BufferId(self.buffers);
        if let Err(error) = self.each(|machine| machine.alloc(name, bytes)) {
            // The allocation may succeed on one machine and fail on the other, but a number must mean the same buffer
            // on both.
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

    /// Does some work on the emulator alone. Buffers that it allocates do not exist on a GPU, so none of them may
    /// outlive the work.
    pub(crate) fn without_gpu<R>(&mut self, work: impl FnOnce(&mut Device) -> Result<R>) -> Result<R> {
        let gpu = self.gpu.take();
        let result = self.scope(work);
        self.gpu = gpu;
        result
    }

    /// Sets how many times a GPU runs each kernel for timing, after one run to warm up. With 0 it runs each kernel once
    /// without timing it, which is what a profiler needs.
    pub fn set_timed_runs(&mut self, runs: u32) {
        if let Some(gpu) = &mut self.gpu {
            gpu.set_timed_runs(runs);
        }
    }

    /// Decides about the checkers of all following launches.
    pub fn set_watch(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// Sets how many cores the emulator uses; the default is all. It changes no result.
    pub fn set_cores(&mut self, cores: u32) {
        self.cores = cores;
    }

    /// Sets whether the emulator uses only the plain interpreter, which is slower and changes no result.
    pub(crate) fn set_plain(&mut self, plain: bool) {
        self.plain = plain;
    }

    /// Which launches ran without some of the checkers that they asked for, and why, if there were any.
    pub fn unwatched(&self) -> Option<String> {
        let most = grouped(WATCHED_THREADS);
        self.unwatched.then(|| match self.watch {
            Watch::Off => "none".to_owned(),
            _ => format!("races and initialisation are not checked in launches of more than {most} threads; `--check on` checks all"),
        })
    }

    /// The launch with the checkers that are switched on, and whether it asked for more.
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

    /// Runs a launch on the emulator alone, and returns the contents of a buffer after it. All buffers and variables
    /// are then restored. It is for launches with many seeds, and for weak memory, which no GPU can be asked for.
    pub fn trial<T: Element>(&mut self, launch: &Launch, buffer: Buffer<T>) -> Result<(Run, Vec<T>)> {
        let (launch, unwatched) = self.watched(launch);
        self.sim.aside(&launch, |sim| {
            let run = Run { unwatched, ..sim.launch(&launch)? };
            Ok((run, T::from_bytes(&sim.read(buffer.id)?)))
        })
    }

    /// The results of [`Device::trial`] for many launches. They run side by side, and the results are the same as one
    /// after the other.
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

    /// Every instruction of a launch on the emulator alone, in the order in which warps issued them. All buffers and
    /// variables are then restored.
    pub fn trace(&mut self, launch: &Launch) -> Result<Vec<Traced>> {
        self.sim.aside(launch, |sim| sim.trace(launch))
    }

    /// Runs a kernel on the emulator, and on the GPU too unless it could do harm there. Once a kernel was withheld, so
    /// are all that follow in the same scope, because they would find other data than the emulator did.
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

    /// Checks the contents of a buffer after a run: against a reference in double precision, and one machine against
    /// the other.
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

/// Why a GPU did not get a kernel that was built for a newer one.
pub fn too_new(target: &str) -> String {
    format!("not launched on the GPU: the kernel needs {target}")
}

/// Why a GPU must not get a kernel in which the emulator found these faults: there, what ends a launch would write outside
/// of its buffers, or hang. A race or an uninitialised value may make a result wrong, but does no other harm, except a race
/// about the shared memory of another block: it ends the program if that block has ended, and a barrier that is not there yet
/// may never open. A warning is about code that works on today's hardware, so it forbids nothing.
pub fn withheld(faults: &[Fault]) -> Option<String> {
    let harmful = faults.iter().find(|fault| fault.ends_launch() || is_about_a_peer(fault))?;
    Some(format!("not launched on the GPU: the emulator found `{}`", harmful.kind.name()))
}

/// Whether it is a race about the shared memory of another block of a cluster. One with a block's end has no location.
fn is_about_a_peer(fault: &Fault) -> bool {
    let is_race = fault.kind == FaultKind::Race && fault.severity == Severity::Error;
    let is_shared = fault.location.as_ref().is_none_or(|at| at.space == Space::Shared);
    let is_one_block = fault.actors.windows(2).all(|actors| actors[0].block == actors[1].block);
    is_race && is_shared && (fault.location.is_none() || !is_one_block)
}

fn verdict<'a>(run: &Run, mut checks: impl Iterator<Item = &'a Check>) -> Verdict {
    // Warnings and notes are reported, but do not change the verdict.
    if run.faults.iter().any(|fault| fault.severity == Severity::Error) {
        Verdict::Fault
    } else if checks.all(Check::is_right) {
        Verdict::Ok
    } else {
        Verdict::Wrong
    }
}
