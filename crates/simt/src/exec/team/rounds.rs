//! Lanes that only wait: they leave the rest of their turn to others.
//!
//! A team that polls memory, for a lock or a flag, goes round with nothing to do until its turn is over, for nobody else
//! runs meanwhile. If it goes back in a loop that may wait ([`crate::compile::waiting`]) with the same lanes and the same
//! registers as a round before, and no atomic has changed memory since, the rest of its turn would be that round again and
//! again. So it stops, and the other lanes of the block have the rest of the turn: the owner of the lock, for one. Where there
//! are none, time passes for the warps all the same, but nothing is issued.
//!
//! This is part of the schedule, so the plain interpreter and a launch that is watched do the same.

use crate::compile::inst::Pc;
use crate::exec::state::Run;
use crate::exec::team::Team;
use crate::exec::team::stack::Masks;
use crate::machine::block::Block;

/// What is known in a turn of the loop in which a team is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// The branch by which lanes have gone back last, if it is one of a loop that may wait.
    last: Option<Round>,
    /// A branch that is not to be looked at again: the lanes do something in its loop.
    refused: Option<Pc>,
    /// Whether the team has gone back only to wait.
    waits: bool,
}

/// Lanes that go back to the start of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Round {
    branch: Pc,
    masks: Masks,
    /// How many atomics have changed memory.
    changes: u64,
    /// What the lanes hold in the registers that the loop writes.
    values: Vec<u64>,
}

impl Rounds {
    /// Whether the team that ran last has stopped because it only waits. What is known is forgotten then.
    pub(crate) fn take_waits(&mut self) -> bool {
        let waits = self.waits;
        if waits {
            *self = Rounds::default();
        }
        waits
    }
}

impl Run<'_> {
    /// Lets a team go on at an instruction; whether it goes back there only to wait.
    #[inline(always)]
    pub fn go_to(&self, block: &Block, team: &mut Team, pc: Pc) -> bool {
        if pc <= team.pc && self.setup.program.insts[team.pc as usize].may_wait {
            self.go_back(block, team, pc);
        }
        team.pc = pc;
        team.rounds.waits
    }

    #[inline(never)]
    fn go_back(&self, block: &Block, team: &mut Team, start: Pc) {
        if team.rounds.refused == Some(team.pc) {
            return;
        }
        let now = Round {
            branch: team.pc,
            masks: team.lanes.masks,
            changes: self.counts.changes,
            values: self.values(block, team, start),
        };
        let last =
            team.rounds.last.take().filter(|last| last.branch == now.branch && last.masks == now.masks);
        if last.as_ref() == Some(&now) {
            team.rounds.waits = true;
        } else if last.is_some() {
            team.rounds.refused = Some(team.pc);
        } else {
            team.rounds.last = Some(now);
        }
    }

    /// What the lanes of a team hold in the registers that a loop writes, from `start` to the branch at which they are.
    fn values(&self, block: &Block, team: &Team, start: Pc) -> Vec<u64> {
        let program = self.setup.program;
        let insts = &program.insts[start as usize..team.pc as usize];
        let mut values = Vec::new();
        for register in insts.iter().flat_map(|inst| program.writes(inst)) {
            let slot = team.frame.base.of(register.bank) + usize::from(register.slot);
            let warps = team.lanes.masks.iter().enumerate().filter(|(_, mask)| **mask != 0);
            for (w, &mask) in warps {
                block.registers.add_values(register.bank, slot, w, mask, &mut values);
            }
        }
        values
    }

    /// Lets time pass for the warps that have lanes in `waiting`: so many steps, in which they issue nothing.
    pub fn sleep(&mut self, block: &mut Block, waiting: &Masks, steps: u32) {
        for (warp, _) in block.warps.iter_mut().zip(waiting).filter(|(_, mask)| **mask != 0) {
            warp.steps += u64::from(steps);
            self.observers.probe_times[block.slot].steps += u64::from(steps);
        }
    }
}
