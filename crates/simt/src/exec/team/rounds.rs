//! Lanes that wait in a loop: rounds that change nothing are counted, and not carried out one by one.
//!
//! A team that polls memory, for a lock or a flag, goes round with nothing to do until its turn is over, for nobody else
//! runs meanwhile. Where it comes to the start of such a loop with the same lanes and the same registers as a round
//! before, where no atomic has changed memory since, and no checker has found anything, every further round of the turn
//! is that round again. They take their steps and cost what the round did, so counters and turns are as if they had run.
//!
//! Which loops: short ones, of arithmetic, branches, loads and atomics, that read memory with a strong access. Left out,
//! besides loops that look at the clock, print, store or pass fences: those of which the memory may look different in
//! each round (the weak memory), and those that a watcher is shown.

use std::ops::Range;

use crate::compile::inst::Pc;
use crate::compile::program::Program;
use crate::exec::counts::Issued;
use crate::exec::state::Run;
use crate::exec::team::Team;
use crate::exec::team::stack::Masks;
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::isa::special::Special;
use crate::machine::block::Block;
use crate::machine::kept::Kept;
use crate::order::Order;
use crate::report::counters::Counters;

/// The longest loop, in instructions of the text.
const LONGEST: u32 = 128;
/// With fewer steps left it is not worth while to look.
const FEWEST_STEPS: u32 = 24;

/// What is known of the loop in which a team is.
#[derive(Default)]
pub(crate) struct Rounds {
    /// How it came to the start of the loop last.
    last: Option<Arrival>,
    /// The end of a loop that is not to be looked at again.
    refused: Option<Pc>,
}

/// A team at the start of a loop.
struct Arrival {
    /// The loop, from its start to the branch back.
    code: Range<Pc>,
    /// The steps that were left of the turn.
    left: u32,
    masks: Masks,
    /// What [`Run::happenings`] were.
    happenings: u64,
    /// Once it has gone round without anything happening.
    state: Option<State>,
}

/// What has to be the same a round later, and what is counted in the round.
struct State {
    /// The registers that the loop writes.
    registers: Kept,
    issued: Vec<Issued>,
    traffic: Vec<Counters>,
}

impl Run<'_> {
    /// A team is about to go back to `start`. If it goes round in a loop that changes nothing, as many rounds are counted as
    /// the turn has steps for.
    #[inline(never)]
    pub fn come_round(
        &mut self,
        block: &Block,
        team: &mut Team,
        rounds: &mut Rounds,
        start: Pc,
        left: &mut u32,
    ) {
        if *left < FEWEST_STEPS || rounds.refused == Some(team.pc) {
            return;
        }
        let code = start..team.pc + 1;
        let now = Arrival {
            code: code.clone(),
            left: *left,
            masks: team.lanes.masks,
            happenings: self.happenings(),
            state: None,
        };
        match rounds.last.take().filter(|last| last.code == code && last.masks == now.masks) {
            None if polls(self.setup.program, &code) => rounds.last = Some(now),
            Some(last) if last.happenings == now.happenings => match last.state {
                None => rounds.last = Some(Arrival { state: Some(self.state(block, team, code)), ..now }),
                Some(before) => {
                    if before.registers.are_in(&block.registers) {
                        self.repeat(team, code, &before, last.left - *left, left);
                    }
                    rounds.refused = Some(team.pc);
                }
            },
            _ => rounds.refused = Some(team.pc),
        }
    }

    /// How often an atomic has changed memory or a checker has found something.
    fn happenings(&self) -> u64 {
        let races = self.observers.memory_model.as_ref().map_or(0, |model| model.occurrences());
        self.counts.changes + self.observers.findings.occurrences() + races
    }

    fn state(&self, block: &Block, team: &Team, code: Range<Pc>) -> State {
        let (program, code) = (self.setup.program, code.start as usize..code.end as usize);
        let mut registers = Kept::default();
        let touched = program.insts[code.clone()].iter().flat_map(|inst| program.writes(inst));
        for register in touched {
            let slot = team.frame.base.of(register.bank) + usize::from(register.slot);
            registers.keep(&block.registers, register.bank, slot);
        }
        State {
            registers,
            issued: self.counts.issued[code.clone()].to_vec(),
            traffic: self.counts.traffic[code].to_vec(),
        }
    }

    /// Counts as many rounds of so many steps as are left, each of which is as that since `before`.
    fn repeat(&mut self, team: &mut Team, code: Range<Pc>, before: &State, steps: u32, left: &mut u32) {
        let times = *left / steps;
        let code = code.start as usize..code.end as usize;
        for (now, before) in self.counts.issued[code.clone()].iter_mut().zip(&before.issued) {
            now.repeat(before, u64::from(times));
        }
        for (now, before) in self.counts.traffic[code].iter_mut().zip(&before.traffic) {
            now.repeat(before, u64::from(times));
        }
        let steps = times * steps;
        *left -= steps;
        team.done += u64::from(steps);
        self.counts.steps += u64::from(steps) * team.lanes.warps;
    }
}

/// Whether a loop reads memory with a strong access, and does nothing that would be different in another round.
fn polls(program: &Program, code: &Range<Pc>) -> bool {
    if code.end - code.start > LONGEST {
        return false;
    }
    let insts = &program.insts[code.start as usize..code.end as usize];
    let is_own = |memory| matches!(memory, Memory::Local | Memory::Frame | Memory::Param | Memory::Const);
    let repeats = |op: &Op| match op {
        Op::Alu(_) | Op::Branch { .. } | Op::Load(_) | Op::Atomic(_) | Op::Hint | Op::ActiveMask => true,
        Op::Special { what, .. } => !matches!(what, Special::Clock | Special::ClockHigh),
        _ => false,
    };
    let is_strong = |op: &Op| match op {
        Op::Load(access) => access.order != Order::Weak && !is_own(access.address.memory),
        Op::Atomic(_) => true,
        _ => false,
    };
    insts.iter().all(|inst| repeats(&inst.op)) && insts.iter().any(|inst| is_strong(&inst.op))
}
