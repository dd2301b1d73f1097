//! The races that a launch has found, as data. [`super::wording`] turns them into faults when the launch is over.

use std::collections::BTreeMap;

use super::shadow::list::OpKind;
use super::{Conflict, RaceCause};
use crate::compile::inst::{Inst, Pc};
use crate::compile::program::Program;
use crate::isa::affine::Rule;
use crate::isa::op::memory::Base;
use crate::isa::op::{Op, Touched};
use crate::machine::registers::{Bank, Slot};
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

    /// How bad it is. It is a warning, not an error, in three cases: if lockstep orders the accesses, if a plain load
    /// only guesses ([`Race::judge`]), and if the first thread had exited before a barrier. In the last case the specification lets the barrier order only the threads that take
    /// part in it, but no GPU does less than order both. An access by another block after such a barrier is an error,
    /// because this holds only inside of a block.
    pub fn severity(&self) -> Severity {
        match self.circumstance {
            _ if self.conflict.same_value || self.conflict.cause == RaceCause::Volatile => Severity::Note,
            Circumstance::Lockstep | Circumstance::Ended | Circumstance::Guess => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

impl Race {
    /// Notes that it is a guess, if it is one. A loop around a compare-and-swap often begins with a plain load, as in the
    /// CUDA C++ Programming Guide, and programs look before they update a maximum. PTX orders nothing there, so it is a
    /// race; but a value that is out of date, or torn, makes one update useless and nothing else.
    pub fn judge(&mut self, program: &Program) {
        let Conflict { before_pc, before_kind, now_pc, now_kind, cause, .. } = self.conflict;
        let (load, update) = match (before_kind, now_kind) {
            (OpKind::Load, OpKind::Update) => (before_pc, now_pc),
            (OpKind::Update, OpKind::Load) => (now_pc, before_pc),
            _ => return,
        };
        if cause == RaceCause::Unordered && is_guess(program, load, update) {
            self.circumstance = Circumstance::Guess;
        }
    }
}

/// Whether an atomic decides what a load of as many bytes in the same function only guesses.
fn is_guess(program: &Program, load: Pc, update: Pc) -> bool {
    let (first, second) = (&program.insts[load as usize], &program.insts[update as usize]);
    let (Op::Load(access), Op::Atomic(atomic)) = (&first.op, &second.op) else { return false };
    let function =
        |pc: Pc| program.functions.iter().map(|code| code.start).filter(|start| *start <= pc).max();
    if access.lane_bytes() != u64::from(atomic.bytes) || function(load) != function(update) {
        return false;
    }
    if atomic.is_cas {
        let bank = if atomic.bytes == 8 { Bank::Wide } else { Bank::Narrow };
        return holders(program, load, update).contains(&(bank, second.args.b));
    }
    // A minimum or a maximum of the same word, with no barrier in between.
    let is_extreme = program.site(update).ptx.split('.').any(|part| matches!(part, "min" | "max"));
    let between = program.insts.get(load as usize..update as usize);
    let has_barrier = between.is_none_or(|insts| {
        insts.iter().any(|inst| matches!(inst.op, Op::Barrier(_) | Op::ClusterBarrier(_)))
    });
    let [one, other] = [access.address, atomic.address];
    let [from, to] = [first.args.a, second.args.a];
    let is_copied = || one.base == Base::Wide && origin(program, load, from) == origin(program, load, to);
    let is_same = (one.base, one.offset) == (other.base, other.offset) && (from == to || is_copied());
    is_extreme && !has_barrier && is_same
}

/// How many copies of a register are followed.
const MOST_COPIES: usize = 8;

/// The register of an address of which another one is a copy, if nothing else in the function around an instruction sets it. A
/// compiler may use an address in global memory for a load and the generic one for the atomic.
fn origin(program: &Program, around: Pc, mut slot: Slot) -> Slot {
    let starts = || program.functions.iter().map(|code| code.start);
    let start = starts().filter(|start| *start <= around).max().unwrap_or(0) as usize;
    let end = starts().filter(|start| *start > around).min().map_or(program.insts.len(), |end| end as usize);
    for _ in 0..MOST_COPIES {
        let sets =
            |inst: &&Inst| program.writes(inst).iter().any(|set| (set.bank, set.slot) == (Bank::Wide, slot));
        let mut setters = program.insts[start..end].iter().filter(sets);
        match (setters.next(), setters.next()) {
            (Some(copy), None) if copy.affine == (Rule::Copy { from_wide: true }) && copy.args.a != slot => {
                slot = copy.args.a;
            }
            _ => break,
        }
    }
    slot
}

/// The registers that hold what a load got, up to another instruction: its own, and copies.
fn holders(program: &Program, load: Pc, until: Pc) -> Vec<(Bank, Slot)> {
    let place = |register: &Touched| (register.bank, register.slot);
    let mut holders: Vec<_> = program.writes(&program.insts[load as usize]).iter().map(place).collect();
    let copies = program.insts[load.min(until) as usize..load.max(until) as usize].iter();
    for copy in copies.filter(|inst| matches!(inst.affine, Rule::Copy { .. })) {
        if program.reads(copy).iter().any(|source| holders.contains(&place(source))) {
            holders.extend(program.writes(copy).iter().map(place));
        }
    }
    holders
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
    /// One access is a plain load that guesses, and the other an atomic that decides: a wrong guess makes an update useless.
    Guess,
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
