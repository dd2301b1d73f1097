//! The emulator as its users see it: memory, modules and launches.

use std::sync::Arc;

use crate::launch::{Launch, LaunchError, Report};
use crate::machine::global::{Buffer, Global};
use crate::ptx;

/// Bounds of an [`Emulator`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Global memory in bytes, all allocations together.
    pub memory_bytes: u64,
    /// The longest PTX text that is read, in bytes.
    pub text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory_bytes: 8 << 30, text_bytes: 64 << 20 }
    }
}

/// A machine with global memory, on which modules are loaded and kernels launched.
#[derive(Debug)]
pub struct Emulator {
    memory: Global,
    limits: Limits,
}

/// A loaded module.
#[derive(Clone, Debug)]
pub struct Module {
    kernels: Arc<Vec<KernelInfo>>,
}

/// What a module says of one of its kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Its parameters in order.
    pub params: Vec<Param>,
    /// Static shared memory in bytes.
    pub shared_bytes: u64,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its type as PTX has it, `u64` or `f32`; `b8` for a structure.
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
}

impl Emulator {
    /// A machine with empty memory.
    pub fn new(limits: Limits) -> Emulator {
        Emulator { memory: Global::new(limits.memory_bytes), limits }
    }

    /// Reads a module and places its variables in memory. `name` is what messages call it.
    ///
    /// # Errors
    /// The text cannot be read, or uses what is not supported and could not be told apart later.
    pub fn load(&mut self, name: &str, text: &str) -> Result<Module, ptx::Error> {
        let _ = (name, text, self.limits);
        todo!()
    }

    /// Allocates zeroed global memory. `name` is what faults call it.
    ///
    /// # Errors
    /// There is not as much memory left.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<Buffer, LaunchError> {
        let buffer = self.memory.alloc(name, bytes);
        buffer.map_err(|error| LaunchError(format!("`{name}` does not fit into memory: {error}")))
    }

    /// Frees an allocation. Its address is never given out again.
    pub fn free(&mut self, buffer: Buffer) {
        self.memory.free(buffer);
    }

    /// The bytes of an allocation; empty once freed.
    pub fn read(&self, buffer: Buffer) -> &[u8] {
        self.memory.bytes(buffer)
    }

    /// The bytes of an allocation, to be written.
    pub fn write(&mut self, buffer: Buffer) -> &mut [u8] {
        self.memory.bytes_mut(buffer)
    }

    /// Runs a kernel to its end, or to the fault that stops it.
    ///
    /// # Errors
    /// The launch is one that no GPU could do (an unknown kernel, a block too large, an argument too many),
    /// or the kernel came to an instruction that is not supported. Faults are not errors: they are in the
    /// report.
    pub fn launch(&mut self, module: &Module, kernel: &str, launch: &Launch) -> Result<Report, LaunchError> {
        let _ = (module, kernel, launch);
        todo!()
    }
}
