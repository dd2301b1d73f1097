//! A program in an emulator in which nothing has run.
//!
//! Its text is read here, once, whatever number of seeds, tests and launches there are: each run begins with a copy of this
//! emulator.

use std::path::Path;

use anyhow::{Result, anyhow};
use simt::{Emulator, Limits, Module};
use thirty_two_lanes::sim::host_memory_bytes;

use super::source::{self, Program};
use crate::request::Compile;

/// A program and its module.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    pub module: Module,
    /// What its launches may use.
    pub memory_bytes: u64,
    emulator: Emulator,
}

impl Loaded {
    /// Compiles a file if it is CUDA, and loads it, with so much memory or what is usual.
    pub fn read(file: &Path, how: &Compile, memory: Option<u64>) -> Result<Loaded> {
        let program = source::read(file, how)?;
        let memory_bytes = memory.unwrap_or_else(host_memory_bytes);
        let mut emulator = Emulator::new(Limits { memory_bytes });
        let name = program.module_name();
        let module = emulator.load(&name, &program.ptx).map_err(|error| anyhow!("`{name}`, {error}"))?;
        Ok(Loaded { program, module, memory_bytes, emulator })
    }

    /// The emulator, in which nothing has run.
    pub fn emulator(&self) -> &Emulator {
        &self.emulator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run begins with a copy, so one that the crate's only caller of the loader made is enough.
    #[test]
    fn a_copy_of_the_emulator_has_the_module_and_leaves_the_others_alone() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lanes/counted.ptx");
        let loaded = Loaded::read(file.as_ref(), &Compile::default(), None).unwrap();
        let count = loaded.module.variable("runs").unwrap();
        for _ in 0..3 {
            let mut emulator = loaded.emulator().clone();
            emulator.launch(&loaded.module, "run", &simt::Launch::new(1, 1)).unwrap();
            assert_eq!(emulator.read(count).unwrap(), 1_u32.to_le_bytes());
        }
        assert_eq!(loaded.emulator().read(count).unwrap(), [0; 4]);
    }
}
