//! What the checkers have found so far. There is one entry for each kind and pair of places, with the first occurrence
//! and a count.
//!
//! A loop that races does so thousands of times, and a reader needs to see it only once. Places are CUDA lines, or
//! instructions where the code has no lines. What stops a launch is not stored here ([`crate::exec::state::Stop`]).

use std::collections::BTreeMap;

use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::report::fault::{Fault, FaultKind};

/// The largest number of entries. A kernel with more mistakes than that does not need to be reported in full.
const MAX_FINDINGS: usize = 64;

/// The findings of a launch.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    faults: Vec<Fault>,
    /// The index in `faults`, by kind and pair of instructions.
    indices: BTreeMap<(FaultKind, Pc, Pc), usize>,
}

impl Findings {
    /// Adds a finding of a kind at one instruction. `make` describes it, which is needed only the first time.
    pub fn add(&mut self, program: &Program, kind: FaultKind, pc: Pc, make: impl FnOnce() -> Fault) {
        match self.known(program, kind, (pc, pc)) {
            Some(known) => known.count += 1,
            None => self.push(make),
        }
    }

    /// Adds a finding at two instructions, with its count. If there is an entry for the same place, the more severe of
    /// the two findings is kept.
    pub fn add_counted(&mut self, program: &Program, instructions: (Pc, Pc), fault: Fault) {
        match self.known(program, fault.kind, instructions) {
            Some(known) => {
                let count = known.count + fault.count;
                if known.severity < fault.severity {
                    *known = fault;
                }
                known.count = count;
            }
            None => self.push(|| fault),
        }
    }

    fn push(&mut self, make: impl FnOnce() -> Fault) {
        if self.faults.len() < MAX_FINDINGS {
            self.faults.push(make());
        }
    }

    /// The finding of a kind at two instructions. If there is none, these instructions are assigned to the finding that
    /// is added next.
    fn known(&mut self, program: &Program, kind: FaultKind, instructions: (Pc, Pc)) -> Option<&mut Fault> {
        let (one, other) = (instructions.0.min(instructions.1), instructions.0.max(instructions.1));
        let known = self.indices.get(&(kind, one, other)).copied();
        let known = known.or_else(|| self.same_lines(program, kind, one, other));
        let index = known.unwrap_or(self.faults.len());
        self.indices.insert((kind, one, other), index);
        known.and_then(|index| self.faults.get_mut(index))
    }

    /// The index of a finding of the same kind at the same two CUDA lines.
    fn same_lines(&self, program: &Program, kind: FaultKind, one: Pc, other: Pc) -> Option<usize> {
        let lines = |one, other| {
            let (one, other) = (program.source(one)?, program.source(other)?);
            Some(if one <= other { (one, other) } else { (other, one) })
        };
        let wanted = lines(one, other)?;
        let same = |&(known, one, other): &(FaultKind, Pc, Pc)| {
            known == kind && lines(one, other).as_ref() == Some(&wanted)
        };
        self.indices.iter().find(|(key, _)| same(key)).map(|(_, &index)| index)
    }

    /// Whether nothing has been found.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// All findings, in the order in which they were first made.
    pub fn into_faults(self) -> Vec<Fault> {
        self.faults
    }
}
