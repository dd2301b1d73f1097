//! What the checkers have found so far. There is one entry for each kind and pair of places, with the first occurrence
//! and a count.
//!
//! A loop that races does so thousands of times, and a reader needs to see it only once. Places are CUDA lines, or
//! instructions where the code has no lines. What stops a launch is not stored here ([`crate::exec::state::Stop`]).
//!
//! A finding is data until the launch is over. Then [`super::wording`] describes it.

use std::collections::BTreeMap;

use crate::checkers::copies::Meddling;
use crate::checkers::fragments::{FragmentUse, Misuse};
use crate::checkers::initialisation::UnwrittenRead;
use crate::checkers::races::Overflow;
use crate::checkers::races::finding::Race;
use crate::checkers::synchronisation::finding::{Arrivals, CopyAtEnd, EndedThreads, UndefinedShuffle};
use crate::checkers::visits::LateVisit;
use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::report::fault::{FaultKind, Severity};

/// The largest number of entries. A kernel with more mistakes than that does not need to be reported in full.
const MAX_FINDINGS: usize = 64;

/// Something that a checker has found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Two accesses race.
    Race(Race),
    /// An access may race with one that the checker has forgotten.
    Overflow(Overflow),
    /// An access has met an asynchronous copy that was under way.
    Meddling(Meddling),
    /// The memory of another block is accessed, which may have ended.
    Visit(LateVisit),
    /// A warp has read bytes that were never written.
    Unwritten(UnwrittenRead),
    /// A shuffle gives lanes an undefined value.
    Shuffle(UndefinedShuffle),
    /// A barrier completed only because threads had ended.
    Ended(EndedThreads),
    /// Threads arrived at a barrier for which no thread waited.
    Arrivals(Arrivals),
    /// A block ended while a bulk copy was under way.
    CopyAtEnd(CopyAtEnd),
    /// A register of a matrix product is used too early, or without a fence.
    Fragment(FragmentUse),
}

impl Finding {
    /// The kind of fault that it is, and how bad it is.
    pub fn class(&self) -> (FaultKind, Severity) {
        match self {
            Finding::Race(race) => (race.kind(), race.severity()),
            Finding::Overflow(_) => (FaultKind::Race, Severity::Note),
            Finding::Unwritten(_) => (FaultKind::Uninitialized, Severity::Error),
            Finding::Shuffle(_) => (FaultKind::UndefinedShuffle, Severity::Error),
            // Who waits for a group may have been told otherwise that the source has been read.
            Finding::CopyAtEnd(copy) if copy.has_object => (FaultKind::Race, Severity::Error),
            Finding::CopyAtEnd(_) => (FaultKind::Race, Severity::Warning),
            Finding::Fragment(found) if found.what == Misuse::AtEnd => (FaultKind::Race, Severity::Warning),
            Finding::Meddling(_) | Finding::Visit(_) | Finding::Fragment(_) => {
                (FaultKind::Race, Severity::Error)
            }
            Finding::Ended(_) | Finding::Arrivals(_) => (FaultKind::BarrierDivergence, Severity::Warning),
        }
    }

    /// The two instructions that identify it, which may be the same.
    fn instructions(&self) -> (Pc, Pc) {
        match self {
            Finding::Race(race) => (race.conflict.before_pc, race.conflict.now_pc),
            Finding::Overflow(overflow) => (overflow.now_pc, overflow.now_pc),
            Finding::Meddling(found) => (found.copy.pc, found.pc),
            Finding::Visit(found) => (found.visit.pc, found.visit.pc),
            Finding::Unwritten(read) => (read.unwritten.pc, read.unwritten.pc),
            Finding::Shuffle(shuffle) => (shuffle.pc, shuffle.pc),
            Finding::Ended(threads) => (threads.waiter.pc, threads.waiter.pc),
            Finding::Arrivals(arrivals) => (arrivals.last.pc, arrivals.last.pc),
            Finding::CopyAtEnd(copy) => (copy.starter.pc, copy.starter.pc),
            Finding::Fragment(found) => (found.pc, found.product),
        }
    }

    /// How often it happened before it was added here.
    fn count(&self) -> u64 {
        match self {
            Finding::Race(race) => race.count,
            Finding::Overflow(overflow) => overflow.count,
            _ => 1,
        }
    }
}

/// The findings of a launch.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The first finding for each kind and place, and how often it happened.
    all: Vec<(Finding, u64)>,
    /// The index in `all`, by kind and pair of instructions.
    indices: BTreeMap<(FaultKind, Pc, Pc), usize>,
}

impl Findings {
    /// Adds a finding. If there is one for the same kind and place, the more severe of the two is kept.
    pub fn add(&mut self, program: &Program, finding: Finding) {
        let (count, (kind, severity)) = (finding.count(), finding.class());
        let (one, other) = finding.instructions();
        match self.known(program, kind, one, other) {
            Some((known, times)) => {
                *times += count;
                if known.class().1 < severity {
                    *known = finding;
                }
            }
            None => {
                if self.all.len() < MAX_FINDINGS {
                    self.all.push((finding, count));
                }
            }
        }
    }

    /// Adds races, and the accesses that may race with one that the checker has forgotten. An instruction for which a race
    /// is reported does not need the latter.
    pub fn add_races(&mut self, program: &Program, races: Vec<Race>, overflows: Vec<Overflow>) {
        let racing: Vec<Pc> =
            races.iter().flat_map(|race| [race.conflict.before_pc, race.conflict.now_pc]).collect();
        for mut race in races {
            race.judge(program);
            self.add(program, Finding::Race(race));
        }
        for overflow in overflows.into_iter().filter(|overflow| !racing.contains(&overflow.now_pc)) {
            self.add(program, Finding::Overflow(overflow));
        }
    }

    /// The finding of a kind at two instructions. If there is none, these instructions are assigned to the finding that
    /// is added next.
    fn known(
        &mut self,
        program: &Program,
        kind: FaultKind,
        one: Pc,
        other: Pc,
    ) -> Option<&mut (Finding, u64)> {
        let (one, other) = (one.min(other), one.max(other));
        let known = self.indices.get(&(kind, one, other)).copied();
        let known = known.or_else(|| self.same_lines(program, kind, one, other));
        let index = known.unwrap_or(self.all.len());
        self.indices.insert((kind, one, other), index);
        known.and_then(|index| self.all.get_mut(index))
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
        self.all.is_empty()
    }

    /// All findings and how often each happened, in the order in which they were first made.
    pub fn into_all(self) -> Vec<(Finding, u64)> {
        self.all
    }
}
