//! A launch, checked and ready to run: the program, the kernel, and its arguments.
//!
//! Everything that can be refused is refused here, before a run that may take long. What it leaves out: problems that
//! only appear in a run, such as an unsupported instruction.

use std::path::Path;

use anyhow::{Context, Result, bail};
use arguments::{BufferSpec, Fill, Spec};
use simt::{Emulator, Fault, KernelInfo, Launch, Limits, Module, Report, Severity};

use super::inputs;
use super::options::RunOptions;
use super::print;
use super::source::{self, Program};
use lanes::sim::host_memory_bytes;

/// A launch, ready to be run with any seed.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub options: &'a RunOptions,
    pub program: Program,
    pub target_sm: u32,
    pub kernel: KernelInfo,
    /// Whether the module has variables, which a kernel may change.
    pub has_variables: bool,
    /// The arguments, with the contents of files.
    pub specs: Vec<Spec>,
    /// The launch with the first seed, without arguments.
    pub launch: Launch,
    memory_bytes: u64,
}

impl Plan<'_> {
    /// Checks everything that can be checked without running.
    pub fn new(options: &RunOptions) -> Result<Plan<'_>> {
        options.check_together()?;
        let program = source::read(&options.file, options.how())?;
        let memory_bytes = host_memory_bytes();
        let module = load(&mut Emulator::new(Limits { memory_bytes }), &program)?;
        let kernel = choose(&program.name, module.kernels(), options.kernel.as_deref())?.clone();
        let mut specs = arguments::prepare(&kernel, &options.args, memory_bytes)?;
        inputs::read(&kernel.name, &mut specs)?;
        print::check(&options.prints, &specs)?;
        Ok(Plan {
            options,
            target_sm: module.target_sm(),
            has_variables: module.variables().next().is_some(),
            program,
            kernel,
            specs,
            launch: options.launch(),
            memory_bytes,
        })
    }

    /// A new emulator with the module.
    pub fn emulator(&self) -> Result<(Emulator, Module)> {
        let mut emulator = Emulator::new(Limits { memory_bytes: self.memory_bytes });
        let module = load(&mut emulator, &self.program)?;
        Ok((emulator, module))
    }

    /// The largest amount of memory that the buffers may have, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// How many seeds may run side by side: one on each core, if there is memory for their buffers. A run that has
    /// ended waits for the seeds before it, so there are up to three for each core.
    pub fn side_by_side(&self) -> u32 {
        let bytes = self.specs.iter().map(|spec| match spec {
            Spec::Buffer(buffer) => buffer.bytes(),
            Spec::Scalar(..) | Spec::Structure(_) => 0,
        });
        let bytes = bytes.sum::<u64>().max(1).saturating_mul(3);
        u64::from(self.launch.cores).min(self.memory_bytes / bytes).max(1) as u32
    }

    /// The files that were read.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let data = self.options.args.iter().filter_map(|argument| match &argument.spec {
            Spec::Buffer(BufferSpec { fill: Fill::File(path), .. }) => Some(path.as_path()),
            _ => None,
        });
        data.chain([self.options.file.as_path()])
    }

    /// Whether a finding makes the run a failure.
    pub fn is_failing(&self, fault: &Fault) -> bool {
        self.options.strict || fault.severity == Severity::Error
    }

    /// Whether a run was a failure.
    pub fn is_failure(&self, report: &Report) -> bool {
        report.faults.iter().any(|fault| self.is_failing(fault))
    }
}

/// Loads a program's text.
pub(super) fn load(emulator: &mut Emulator, program: &Program) -> Result<Module> {
    let name = program.module_name();
    emulator.load(&name, &program.ptx).map_err(|error| anyhow::anyhow!("`{name}`, {error}"))
}

/// The kernel that was asked for, or the only one in the file.
pub(super) fn choose<'m>(
    file: &str,
    kernels: &'m [KernelInfo],
    wanted: Option<&str>,
) -> Result<&'m KernelInfo> {
    let names: Vec<String> = kernels.iter().map(|kernel| format!("`{}`", kernel.name)).collect();
    match (kernels, wanted) {
        ([], _) => bail!(
            "`{file}` has no kernel: is it cut short, or are its functions not `__global__`, or templates that are never instantiated?"
        ),
        ([only], None) => Ok(only),
        (several, None) => {
            bail!("`{file}` has {} kernels; choose one with `--kernel`: {}", several.len(), names.join(", "))
        }
        (_, Some(wanted)) => named(kernels, wanted)
            .with_context(|| format!("`{file}` has no kernel `{wanted}`: it has {}", names.join(", "))),
    }
}

/// The kernel with this name, or the only one whose mangled C++ name contains it, as `_Z4axpyPf` contains `axpy`.
fn named<'m>(kernels: &'m [KernelInfo], wanted: &str) -> Option<&'m KernelInfo> {
    let mangled = format!("_Z{}{wanted}", wanted.len());
    let mut similar = kernels.iter().filter(|kernel| kernel.name.starts_with(&mangled));
    let exact = kernels.iter().find(|kernel| kernel.name == wanted);
    exact.or_else(|| similar.next().filter(|_| similar.next().is_none()))
}
