//! The memory of launches in a row: their buffers, and what these have to contain in the end.

use std::collections::BTreeMap;

use anyhow::Result;
use simt::{Buffer, Emulator, Module};
use spec::{Given, Spec};

use crate::resolve::expect::Expected;
use crate::resolve::{Loaded, Sequence};

/// An emulator with a program and the buffers of its launches.
#[derive(Debug)]
pub struct Memory {
    pub emulator: Emulator,
    pub buffers: BTreeMap<String, Buffer>,
}

impl Memory {
    /// Everything as it is before the first launch.
    pub fn new(loaded: &Loaded, sequence: &Sequence) -> Result<Memory> {
        let mut emulator = loaded.emulator().clone();
        let buffers = allocate(sequence, &mut emulator, &loaded.module)?;
        Ok(Memory { emulator, buffers })
    }

    /// The bytes of a buffer.
    pub fn bytes(&self, name: &str) -> &[u8] {
        self.emulator.read(self.buffers[name]).expect("it was allocated for this run")
    }

    /// What is not as it has to be in the end, a sentence for each.
    pub fn mismatches(&self, sequence: &Sequence) -> Vec<String> {
        let wrong = sequence.contents.iter().filter_map(|contents| {
            let expected = match &contents.expected {
                Expected::Bytes(bytes) => bytes,
                Expected::Like(other) => self.bytes(other),
            };
            contents.problem(self.bytes(&contents.name), expected)
        });
        wrong.collect()
    }
}

/// Allocates and fills the buffers in an emulator, and sets the variables.
pub fn allocate(
    sequence: &Sequence,
    emulator: &mut Emulator,
    module: &Module,
) -> Result<BTreeMap<String, Buffer>> {
    let Sequence { buffers, symbols, .. } = sequence;
    let specs: Vec<Spec> = buffers.iter().map(|(_, spec)| Spec::Buffer(spec.clone())).collect();
    let given = spec::place(emulator, &specs, |index| buffers[index].0.clone())?;
    for (name, bytes) in symbols {
        let symbol = module.variable(name).expect("it was looked up when the launches were read");
        emulator.write(symbol)?.copy_from_slice(bytes);
    }
    let placed = buffers.iter().zip(given).filter_map(|((name, _), given)| match given {
        Given::Buffer(buffer) => Some((name.clone(), buffer)),
        Given::Value(_) => None,
    });
    Ok(placed.collect())
}
