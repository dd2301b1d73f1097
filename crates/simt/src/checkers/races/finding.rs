//! The races that a launch has found, as data. [`super::wording`] turns them into faults when the launch is over.

use std::collections::BTreeMap;

use super::{Conflict, RaceCause};
use crate::report::fault::{FaultKind, Severity};

/// A race between two instructions. It holds the first occurrence, and counts the others.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The first two accesses that raced.
    pub conflict: Conflict,
    /// What is special about the race.
    pub circumstance: Circumstance,
    /// The step of the launch at which it first happened.
    pub step: u64,
    /// How often it happened.
    pub count: u64,
}

impl Race {
    /// The kind of fault that it is.
    pub fn kind(&self) -> FaultKind {
        if self.conflict.cause == RaceCause::Volatile { FaultKind::VolatileRace } else { FaultKind::Race }
    }

    /// How bad it is. It is a warning, not an error, in two cases: if lockstep orders the accesses, and if the first thread
    /// had exited before a barrier. In the second case the specification lets the barrier order only the threads that take
    /// part in it, but no GPU does less than order both. An access by another block after such a barrier is an error,
    /// because this holds only inside of a block.
    pub fn severity(&self) -> Severity {
        match self.circumstance {
            _ if self.conflict.same_value || self.conflict.cause == RaceCause::Volatile => Severity::Note,
            Circumstance::Lockstep | Circumstance::Ended => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// What is special about a race. It decides how severe the race is, and which help is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Circumstance {
    /// Nothing.
    Nothing,
    /// Lockstep execution of the warp orders the two accesses.
    Lockstep,
    /// The thread of the first access had exited when the other threads of its block completed a barrier.
    Ended,
    /// Two `fence.sc` would order the accesses if they executed in the other order.
    Fences,
    /// The thread of the second access has read a flag or a lock that the thread of the first one stored after its access.
    Flag,
}

/// All races found so far, one for each pair of instructions, cause and circumstance.
#[derive(Clone, Debug, Default)]
pub struct FoundRaces {
    /// In the order in which they were first found.
    pub races: Vec<Race>,
    /// The index in `races`, by what distinguishes two races.
    indices: BTreeMap<(u32, u32, RaceCause, bool, Circumstance), usize>,
}

impl FoundRaces {
    /// Adds a race that was found at a step of the launch.
    pub fn add(&mut self, conflict: Conflict, circumstance: Circumstance, step: u64) {
        let (one, other) = (conflict.before_pc, conflict.now_pc);
        let key = (one.min(other), one.max(other), conflict.cause, conflict.same_value, circumstance);
        let index = *self.indices.entry(key).or_insert(self.races.len());
        if index == self.races.len() {
            self.races.push(Race { conflict, circumstance, step, count: 0 });
        }
        self.races[index].count += 1;
    }
}
