//! The memory that a solution leaves, for tests that compare it with a closed form.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::catalogue::{Argument, Case, Exercise, Role};
use crate::run::{How, Kernel};

/// The buffers of a run, and its case.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Bytes by the argument's name.
    pub buffers: BTreeMap<String, Vec<u8>>,
    /// The case.
    pub case: Case,
}

impl Exercise {
    /// The arguments that are results.
    pub fn results(&self) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(|argument| matches!(argument.role, Role::Result | Role::AnyOrder))
    }
}

impl Argument {
    /// Whether its elements may have any order.
    pub fn is_in_any_order(&self) -> bool {
        self.role == Role::AnyOrder
    }
}

/// Runs the solution, and returns memory before and after.
///
/// # Errors
/// If it cannot be run.
pub fn after(exercise: &Exercise, case: &Case, seed: u64) -> Result<(Memory, Memory)> {
    let ran = Kernel { exercise, ptx: &exercise.ptx() }.run(case, &How::plain(seed))?;
    let memory = |pick: fn(&crate::run::Bytes) -> &Vec<u8>| {
        let named = exercise.arguments.iter().zip(&ran.buffers);
        let buffers = named
            .filter_map(|(argument, bytes)| Some((argument.name.clone(), pick(bytes.as_ref()?).clone())));
        Memory { buffers: buffers.collect(), case: case.clone() }
    };
    Ok((memory(|bytes| &bytes.before), memory(|bytes| &bytes.after)))
}
