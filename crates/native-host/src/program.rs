//! What the executor of calls knows of a program: its kernels and files.

use cuda_host::{Limits, Outcome, Watch, demangled};
use cudac::host::{Kernel, Passing, Program};

use crate::clang::Compiled;
use crate::process::Running;

/// A module for a program without kernels.
const NO_KERNELS: &str = ".version 7.8\n.target sm_70\n.address_size 64\n";

impl Compiled {
    /// The kernels and the files, as the executor of calls needs them. There is no host code in it.
    ///
    /// # Errors
    ///
    /// The emulator cannot read clang's PTX.
    pub fn program(&self) -> Result<Program, simt::ptx::Error> {
        let mut emulator = simt::Emulator::new(simt::Limits::default());
        let module = emulator.load("program", self.ptx())?;
        let kernels = module.kernels().iter().map(|kernel| Kernel {
            symbol: kernel.name.clone(),
            name: demangled(&kernel.name),
            parameters: kernel.params.iter().map(|parameter| Passing::Object(parameter.bytes)).collect(),
            shared_bytes: kernel.shared_bytes,
        });
        Ok(Program {
            files: self.files.clone(),
            functions: Vec::new(),
            main: 0,
            globals: Vec::new(),
            texts: Vec::new(),
            start: None,
            symbols: Vec::new(),
            managed: Vec::new(),
            zeros: Vec::new(),
            suspects: Vec::new(),
            kernels: kernels.collect(),
            runtime: Vec::new(),
        })
    }

    /// Replaces the PTX of its kernels by that of another compiler, which has the same names for them.
    pub fn set_ptx(&mut self, ptx: String) {
        self.ptx = ptx;
    }

    /// The PTX of its kernels; a module without any if it has none.
    pub fn ptx(&self) -> &str {
        if self.ptx.is_empty() { NO_KERNELS } else { &self.ptx }
    }
}

/// Carries out the calls of a program that runs, until it ends.
///
/// # Errors
///
/// Something is not supported, or a limit was reached.
pub fn serve(
    program: &Program,
    compiled: &Compiled,
    running: &Running,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<Outcome, cuda_host::Error> {
    let name = compiled.files.first().map_or("program", String::as_str);
    cuda_host::serve(program, name, compiled.ptx(), running, limits, watch)
}
