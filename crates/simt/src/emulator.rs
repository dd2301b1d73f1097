//! The emulator as its users see it: memory, modules and launches.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::compile::lower::lower;
use crate::compile::program::{Code, Program, Refusal};
use crate::compile::reach::may_be_refused;
use crate::compile::shared::SharedVariable;
use crate::exec::moment::{Moment, Watcher};
use crate::exec::shape;
use crate::exec::state::Run;
use crate::launch::{Dim3, Launch, LaunchError, MemoryError};
use crate::machine::global::{Buffer, Global};
use crate::machine::id::Id;
use crate::ptx;
use crate::report::Report;
use crate::report::fault::Site;
use crate::report::location::Allocation;
use crate::report::trace::TraceStep;

/// Bounds of an [`Emulator`]. `Limits::default()` has those that suit most computers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Global memory in bytes, all allocations together.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory_bytes: 8 << 30 }
    }
}

/// A machine with global memory, on which modules are loaded and kernels launched.
///
/// ```
/// use simt::{Emulator, Launch, LaunchError, Limits};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = ".version 8.0 .target sm_70 .visible .entry k(.param .u32 n) { ret; }";
/// let mut emulator = Emulator::new(Limits::default());
/// let module = emulator.load("k.ptx", text)?;
/// assert_eq!(module.kernels()[0].params[0].ty, "u32");
/// let report = emulator.launch(&module, "k", &Launch::new(2, 64).arg(7_u32))?;
/// assert_eq!(report.counters.warps, 4);
///
/// // Another emulator does not have the module.
/// let error = Emulator::new(Limits::default()).launch(&module, "k", &Launch::new(1, 1));
/// assert!(matches!(error, Err(LaunchError::ForeignModule { .. })));
/// # Ok(())
/// # }
/// ```
///
/// Modules and buffers belong to the emulator that made them, because a module's code names the places of its variables in
/// that emulator's memory. Any other emulator refuses them. A copy of an emulator has everything that the emulator had when
/// it was copied.
#[derive(Clone, Debug)]
pub struct Emulator {
    memory: Global,
    /// The modules that were loaded, in increasing order.
    modules: Vec<Id>,
}

/// What an emulator's memory held at one time, to which [`Emulator::restore`] returns it.
///
/// ```
/// # fn main() -> Result<(), simt::MemoryError> {
/// let mut emulator = simt::Emulator::new(simt::Limits::default());
/// let x = emulator.alloc("x", 4)?;
/// emulator.write(x)?.copy_from_slice(&[1, 2, 3, 4]);
/// let snapshot = emulator.snapshot()?;
/// for _ in 0..3 {
///     // Here a kernel would run.
///     emulator.write(x)?.fill(0);
///     emulator.restore(&snapshot)?;
///     assert_eq!(emulator.read(x)?, [1, 2, 3, 4]);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    memory: Global,
    modules: Vec<Id>,
}

/// A module, loaded in an emulator by [`Emulator::load`].
#[derive(Clone, Debug)]
pub struct Module {
    id: Id,
    program: Arc<Program>,
    kernels: Vec<KernelInfo>,
}

/// What a module says of one of its kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// Static shared memory in bytes, that of device functions included.
    pub shared_bytes: u64,
    /// Blocks in the clusters that it was compiled for, if it was compiled for clusters of a size.
    pub cluster: Option<Dim3>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Its type as PTX has it, `u64` or `f32`; `b8[16]` for a structure of 16 bytes.
    pub ty: String,
    /// Its offset in the parameter block, in bytes.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Module {
    /// The kernels, in the order of the text.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// The architecture that it was compiled for: 70 for `sm_70`.
    pub fn target_sm(&self) -> u32 {
        self.program.sm
    }

    /// What of the module is not supported, in the order of the text. It can be loaded all the same: only a
    /// launch that comes to one of these instructions fails.
    pub fn unsupported(&self) -> Vec<ptx::Error> {
        self.program.refused.iter().map(Refusal::error).collect()
    }

    /// What an instruction is and where it stands, by the number that a [`TraceStep`] has.
    pub fn site(&self, instruction: u32) -> Site {
        self.program.site(instruction)
    }

    /// The variables that a kernel has in shared memory. One whose size the launch decides ends where memory does.
    pub fn shared_variables(&self, kernel: &str) -> Vec<Allocation> {
        let number = self.program.functions.iter().position(|code| code.is_entry && code.name == kernel);
        let variables = self.program.shared_variables.iter();
        let own = variables.filter(|known| known.kernel.is_none_or(|kernel| Some(kernel as usize) == number));
        let allocation = |known: &SharedVariable| Allocation {
            name: known.name.clone(),
            address: known.start,
            bytes: known.end - known.start,
        };
        own.map(allocation).collect()
    }

    /// The module's variables in global and constant memory, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&str, Buffer)> {
        self.program.variables.iter().map(|(name, buffer)| (name.as_str(), *buffer))
    }

    /// A variable of the module in global or constant memory (`__device__`, `__constant__`).
    pub fn variable(&self, name: &str) -> Option<Buffer> {
        self.program.variables.iter().find(|(known, _)| known == name).map(|(_, buffer)| *buffer)
    }
}

impl Emulator {
    /// A machine with empty memory.
    pub fn new(limits: Limits) -> Emulator {
        Emulator { memory: Global::new(limits.memory_bytes), modules: Vec::new() }
    }

    /// The same, for a program that runs natively: the addresses of its allocations begin at 2^48, which are nobody's in a
    /// process, except for those of [`Emulator::alloc_mapped`].
    #[must_use]
    pub fn beside_a_process(mut self) -> Emulator {
        self.memory.reserve();
        self
    }

    /// Allocates zeroed global memory at an address that is between 16 and 80 times 2^40, so that a process can map it. It all
    /// counts as written.
    ///
    /// # Errors
    /// There is not as much memory left, there are 64 such allocations, or the emulator is not one
    /// [beside a process](Emulator::beside_a_process).
    pub fn alloc_mapped(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        self.memory.alloc_mapped(name, bytes)
    }

    /// Reads a module and places its variables in memory. `name` is what messages call it.
    ///
    /// # Errors
    /// The text cannot be read. What can be read but is not supported is an error of [`Emulator::launch`], when
    /// a kernel comes to it.
    pub fn load(&mut self, name: &str, text: &str) -> Result<Module, ptx::Error> {
        let program = lower(name, text, &ptx::parse(text)?, &mut self.memory)?;
        let kernels = program.functions.iter().filter(|code| code.is_entry);
        let kernels = kernels.map(kernel_info).collect();
        let id = Id::new();
        self.modules.push(id);
        Ok(Module { id, program: Arc::new(program), kernels })
    }

    /// Frees the variables of a module, whose kernels cannot be launched any more.
    ///
    /// # Errors
    /// The variables are not in this emulator's memory.
    pub fn unload(&mut self, module: &Module) -> Result<(), MemoryError> {
        self.modules.retain(|known| *known != module.id);
        module.variables().try_for_each(|(_, buffer)| self.free(buffer))
    }

    /// Allocates zeroed global memory, all of which counts as written. `name` is what faults call it.
    ///
    /// # Errors
    /// There is not as much memory left.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        self.memory.alloc(name, bytes)
    }

    /// Allocates global memory as `cudaMalloc` does: its bytes count as written only once a kernel stores to them, or
    /// [`Emulator::write`] was called, which counts for the whole buffer. The checker of initialisation reports reads of
    /// bytes that have not been written. (They return zero, so that every run is the same.)
    ///
    /// # Errors
    /// There is not as much memory left.
    pub fn alloc_uninitialized(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        self.memory.alloc_uninitialized(name, bytes)
    }

    /// Frees an allocation. Its address is given out again after many others were freed, and the buffer is foreign from then
    /// on. Freeing it a second time does nothing.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory.
    pub fn free(&mut self, buffer: Buffer) -> Result<(), MemoryError> {
        match self.memory.check(buffer) {
            Err(MemoryError::Freed { .. }) => Ok(()),
            known => known.map(|()| self.memory.free(buffer)),
        }
    }

    /// The bytes of an allocation.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    pub fn read(&self, buffer: Buffer) -> Result<&[u8], MemoryError> {
        self.memory.check(buffer)?;
        Ok(self.memory.bytes(buffer))
    }

    /// The bytes of an allocation, to be written: all of them count as written from then on.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    pub fn write(&mut self, buffer: Buffer) -> Result<&mut [u8], MemoryError> {
        self.memory.check(buffer)?;
        Ok(self.memory.bytes_mut(buffer))
    }

    /// Some bytes of an allocation, to be written: they count as written from then on.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    ///
    /// # Panics
    /// The range is not in the allocation.
    pub fn write_range(
        &mut self,
        buffer: Buffer,
        range: std::ops::Range<usize>,
    ) -> Result<&mut [u8], MemoryError> {
        self.memory.check(buffer)?;
        Ok(self.memory.range_mut(buffer, range))
    }

    /// Copies bytes into an allocation from an offset on, as `cudaMemcpy` does. A byte counts as written afterwards if and only if
    /// `is_written` says so of its number, whatever was there before.
    ///
    /// ```
    /// # fn main() -> Result<(), simt::MemoryError> {
    /// let mut emulator = simt::Emulator::new(simt::Limits::default());
    /// let x = emulator.alloc_uninitialized("x", 8)?;
    /// emulator.copy_in(x, 4, &[1, 2, 3, 4], |byte| byte < 3)?;
    /// assert_eq!(emulator.read(x)?, [0, 0, 0, 0, 1, 2, 3, 4]);
    /// assert!(emulator.has_written(x, 4..7)? && !emulator.has_written(x, 3..7)? && !emulator.has_written(x, 7..8)?);
    /// emulator.copy_in(x, 4, &[5], |_| false)?;
    /// assert!(!emulator.has_written(x, 4..5)? && emulator.has_written(x, 5..7)?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    ///
    /// # Panics
    /// The bytes do not fit into the allocation at that offset.
    pub fn copy_in(
        &mut self,
        buffer: Buffer,
        offset: usize,
        bytes: &[u8],
        is_written: impl Fn(usize) -> bool,
    ) -> Result<(), MemoryError> {
        self.memory.check(buffer)?;
        self.memory.copy_in(buffer, offset, bytes, is_written);
        Ok(())
    }

    /// Whether all bytes of a range of an allocation have been written, as far as is recorded: those of
    /// [`Emulator::alloc`] count as written.
    ///
    /// # Errors
    /// The buffer is not in this emulator's memory, or has been freed.
    pub fn has_written(&self, buffer: Buffer, range: std::ops::Range<usize>) -> Result<bool, MemoryError> {
        self.memory.check(buffer)?;
        Ok(self.memory.has_written(buffer, range))
    }

    /// Keeps what memory holds now: every allocation and every variable of a module, and which bytes have been written.
    ///
    /// # Errors
    /// The host has no room for it.
    pub fn snapshot(&self) -> Result<Snapshot, MemoryError> {
        let memory = self.memory.copied().ok_or_else(|| no_room(&self.memory))?;
        Ok(Snapshot { memory, modules: self.modules.clone() })
    }

    /// Returns to a snapshot. What was freed since is allocated again; what was allocated or loaded since is gone, and its
    /// addresses are given out a second time, so that the same requests get the same addresses.
    ///
    /// # Errors
    /// The host has no room for what was freed since. Then nothing is changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), MemoryError> {
        self.memory.restore(&snapshot.memory).ok_or_else(|| no_room(&snapshot.memory))?;
        self.modules.clone_from(&snapshot.modules);
        Ok(())
    }

    /// Runs a kernel to its end, or to the fault that stops it.
    ///
    /// # Errors
    /// The launch is one that no GPU could do (an unknown kernel, a block too large, an argument too many),
    /// or the kernel came to an instruction that is not supported. Faults are not errors: they are in the
    /// report.
    pub fn launch(&mut self, module: &Module, kernel: &str, launch: &Launch) -> Result<Report, LaunchError> {
        self.run(module, kernel, launch, None)
    }

    /// [`Emulator::launch`], with every instruction told to `step` as a warp issues it: as many steps as
    /// [`Counters::ptx_instructions`](crate::Counters) says. It runs as it does without.
    ///
    /// # Errors
    /// Those of [`Emulator::launch`]; the steps before it came to an unsupported instruction have been told.
    pub fn launch_traced(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        step: &mut dyn FnMut(&TraceStep),
    ) -> Result<Report, LaunchError> {
        let mut number = 0;
        let mut watcher = |moment: &Moment<'_>| {
            let Moment { block, warp, mask, active, instruction, .. } = *moment;
            step(&TraceStep { step: number, block, warp, mask, active, instruction });
            number += 1;
            ControlFlow::Continue(())
        };
        self.launch_watched(module, kernel, launch, &mut watcher)
    }

    /// [`Emulator::launch`], with `watcher` called after every instruction that a warp issues. It is lent the machine as it is
    /// at that [`Moment`], and stops the launch by returning [`ControlFlow::Break`]: the report is of what happened so far,
    /// and [`Report::was_stopped`] is true. The launch runs as it does without a watcher, and the same moments come every
    /// time, so to go back is to launch again from a [`Snapshot`] and to stop earlier.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use simt::{Emulator, Launch, Limits};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = "
    ///     .version 8.0
    ///     .target sm_70
    ///     .visible .entry double(.param .u32 n) {
    ///         .reg .b32 %r<3>;
    ///         ld.param.u32 %r1, [n];
    ///         add.u32 %r2, %r1, %r1;
    ///         ret;
    ///     }";
    /// let mut emulator = Emulator::new(Limits::default());
    /// let module = emulator.load("double.ptx", text)?;
    /// let mut seen = Vec::new();
    /// let mut watcher = |moment: &simt::Moment<'_>| {
    ///     let sum = moment.registers(moment.warp).find(|register| register.name == "%r2");
    ///     seen.push((moment.step, moment.site().ptx, sum.map(|register| register.value(0))));
    ///     if moment.step == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// };
    /// let launch = Launch::new(1, 32).arg(21_u32);
    /// let report = emulator.launch_watched(&module, "double", &launch, &mut watcher)?;
    /// assert!(report.was_stopped);
    /// assert_eq!(seen[0], (0, "ld.param.u32 %r1, [n];".to_owned(), Some(0)));
    /// assert_eq!(seen[1], (1, "add.u32 %r2, %r1, %r1;".to_owned(), Some(42)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Emulator::launch`]; the moments before it came to an unsupported instruction have been shown.
    pub fn launch_watched(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        watcher: &mut Watcher<'_>,
    ) -> Result<Report, LaunchError> {
        self.run(module, kernel, launch, Some(watcher))
    }

    fn run(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        watcher: Option<&mut Watcher<'_>>,
    ) -> Result<Report, LaunchError> {
        let program = &module.program;
        if self.modules.binary_search(&module.id).is_err() {
            return Err(LaunchError::ForeignModule { module: program.name.clone() });
        }
        let number = program.functions.iter().position(|code| code.is_entry && code.name == kernel);
        let number = number.ok_or_else(|| unknown_kernel(module, kernel))?;
        let code = &program.functions[number];
        let launch = &Launch { cluster: shape::cluster_of(code, launch), ..launch.clone() };
        shape::check(code, program, launch)?;
        let params = parameter_block(code, launch)?;
        if may_be_refused(program, number as u32) {
            self.memory.begin();
        }
        let mut run = Run::new(program, number as u32, launch, &mut self.memory, params);
        run.setup.deal = launch.hooks.deal;
        // The closure shortens the watcher's lifetime to the run's.
        run.observers.watcher = watcher.map(|watcher| watcher as &mut Watcher<'_>);
        let outcome = run.finish();
        match outcome {
            Ok(_) => self.memory.commit(),
            Err(_) => self.memory.roll_back(),
        }
        outcome.map_err(|error| LaunchError::Unsupported { module: program.name.clone(), error })
    }
}

fn no_room(memory: &Global) -> MemoryError {
    MemoryError::NoRoomForSnapshot { bytes: memory.live_bytes() }
}

fn kernel_info(code: &Code) -> KernelInfo {
    let params = code.params.iter().zip(&code.param_types);
    let params = params.map(|(place, ty)| Param { ty: ty.clone(), offset: place.address, bytes: place.size });
    KernelInfo {
        name: code.name.clone(),
        params: params.collect(),
        shared_bytes: code.shared_bytes,
        cluster: code.clusters.required,
    }
}

fn unknown_kernel(module: &Module, kernel: &str) -> LaunchError {
    LaunchError::UnknownKernel {
        module: module.program.name.clone(),
        kernel: kernel.to_owned(),
        known: module.kernels.iter().map(|info| info.name.clone()).collect(),
    }
}

/// Lays the arguments out as the kernel's parameters.
fn parameter_block(code: &Code, launch: &Launch) -> Result<Vec<u8>, LaunchError> {
    let (wanted, given) = (code.params.len(), launch.args.len());
    if wanted != given {
        return Err(LaunchError::ArgumentCount { kernel: code.name.clone(), wanted, given });
    }
    let mut bytes = vec![0; code.param_bytes() as usize];
    for (index, (place, arg)) in code.params.iter().zip(&launch.args).enumerate() {
        let arg = arg.as_bytes();
        let (wanted, given) = (place.size, arg.len() as u64);
        if wanted != given {
            return Err(LaunchError::ArgumentSize { kernel: code.name.clone(), index, wanted, given });
        }
        bytes[place.address as usize..][..arg.len()].copy_from_slice(arg);
    }
    Ok(bytes)
}
