//! What checkers have found so far: one entry a kind and pair of places, with the first occurrence and a count.
//!
//! A loop that races does so thousands of times, and a reader wants to hear of it once. Places are CUDA lines; code
//! without lines is told apart by instruction. What stops a launch does not come here ([`crate::exec::state::Stop`]).

use std::collections::BTreeMap;

use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::report::fault::{Fault, FaultKind};

/// Pairs of places that are told at most. A kernel that is wrong in more places is wrong enough.
const MAX_FINDINGS: usize = 64;

/// The findings of a launch.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    faults: Vec<Fault>,
    /// By kind and pair of instructions: where in `faults` it is told.
    seen: BTreeMap<(FaultKind, Pc, Pc), usize>,
}

impl Findings {
    /// Adds a finding of a kind at two instructions, which are the same where only one is concerned. `make` tells it;
    /// it is asked the first time at these places, and when `is_worse` says that the one known is milder.
    pub fn add(
        &mut self,
        program: &Program,
        kind: FaultKind,
        places: (Pc, Pc),
        is_worse: impl Fn(&Fault) -> bool,
        make: impl FnOnce() -> Fault,
    ) {
        let Some(known) = self.known(program, kind, places) else {
            if self.faults.len() < MAX_FINDINGS {
                self.faults.push(make());
            }
            return;
        };
        if is_worse(known) {
            *known = Fault { count: known.count, ..make() };
        }
        known.count += 1;
    }

    /// Adds findings of one kind at two instructions that have been counted already.
    pub fn add_counted(&mut self, program: &Program, places: (Pc, Pc), fault: Fault) {
        let count = fault.count;
        let Some(known) = self.known(program, fault.kind, places) else {
            if self.faults.len() < MAX_FINDINGS {
                self.faults.push(fault);
            }
            return;
        };
        let before = known.count;
        if known.severity < fault.severity {
            *known = fault;
        }
        known.count = before + count;
    }

    /// The finding of a kind at two instructions. Where there is none yet, the next one to be added is taken for it.
    fn known(&mut self, program: &Program, kind: FaultKind, places: (Pc, Pc)) -> Option<&mut Fault> {
        let (one, other) = (places.0.min(places.1), places.0.max(places.1));
        let known = self.seen.get(&(kind, one, other)).copied();
        let known = known.or_else(|| self.same_lines(program, kind, one, other));
        let index = known.unwrap_or(self.faults.len());
        self.seen.insert((kind, one, other), index);
        known.and_then(|index| self.faults.get_mut(index))
    }

    /// The finding of the same kind at the same two CUDA lines, by other instructions.
    fn same_lines(&self, program: &Program, kind: FaultKind, one: Pc, other: Pc) -> Option<usize> {
        let lines = |one, other| {
            let (one, other) = (program.source(one)?, program.source(other)?);
            Some(if one <= other { (one, other) } else { (other, one) })
        };
        let wanted = lines(one, other)?;
        let same = |&(known, one, other): &(FaultKind, Pc, Pc)| {
            known == kind && lines(one, other).as_ref() == Some(&wanted)
        };
        self.seen.iter().find(|(key, _)| same(key)).map(|(_, &index)| index)
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
