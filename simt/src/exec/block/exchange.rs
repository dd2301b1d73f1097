//! Instructions that the lanes of a warp carry out together, for all warps of a group. All lanes of a warp that have not
//! ended are there, so none has to be waited for.

use crate::compile::inst::Pc;
use crate::exec::block::{Lockstep, Team};
use crate::exec::collective::{bring, complete_lanes, hand_over};
use crate::exec::state::Stop;
use crate::isa::op::warp::{Brought, Collective, Exchange, Routes, Shuffle};
use crate::machine::registers::{FULL_MASK, Narrow, WARP_SIZE, lanes_of};

/// What decides which lane reads which, and the answer, for warps that ask the same.
struct Known {
    asked: [Narrow; 3],
    routes: Routes,
}

impl Lockstep<'_, '_> {
    /// Carries out an exchange in each warp of a team.
    pub(crate) fn collective(&mut self, pc: Pc, collective: Collective, team: &Team) -> Result<(), Stop> {
        let args = self.run.program.insts[pc as usize].args;
        let mut known = None;
        // Who is elected is the schedule's choice.
        if collective.exchange == Exchange::Elect {
            return Err(Stop::NotInLockStep);
        }
        for (warp, mask) in team.each() {
            let base = self.base(warp);
            let members = if collective.sync {
                self.registers.narrow[base.narrow + usize::from(args.e)]
            } else {
                [mask; WARP_SIZE]
            };
            if !all_are_there(&members, mask) {
                return Err(Stop::NotInLockStep);
            }
            if let Exchange::Shuffle(mode) = collective.exchange {
                let column = |slot: u16| self.registers.narrow[base.narrow + usize::from(slot)];
                let asked = [column(args.b), column(args.c), members];
                self.shuffle(pc, (mode, asked), (warp, mask), &mut known)?;
                continue;
            }
            let nothing = [0; WARP_SIZE];
            let mut brought = Brought { a: [0; WARP_SIZE], b: nothing, c: nothing, members };
            bring(&mut brought, (&self.registers, base), &args, collective, (&members, mask));
            let got = collective.evaluate(&brought, mask);
            hand_over(&mut self.registers.lanes(base, mask), &args, collective, &got);
        }
        Ok(())
    }

    fn shuffle(
        &mut self,
        pc: Pc,
        (mode, asked): (Shuffle, [Narrow; 3]),
        (warp, mask): (usize, u32),
        known: &mut Option<Known>,
    ) -> Result<(), Stop> {
        let args = self.run.program.insts[pc as usize].args;
        let is_known = mask == FULL_MASK && known.as_ref().is_some_and(|known| known.asked == asked);
        if !is_known {
            let [b, c, members] = &asked;
            *known = Some(Known { asked, routes: mode.routes(b, c, members, mask) });
        }
        let Some(Known { routes, .. }) = known else { return Err(Stop::NotInLockStep) };
        if routes.undefined != 0 && self.run.launch.checks.synchronisation {
            return Err(Stop::NotInLockStep);
        }
        let mut lanes = self.registers.lanes(self.base(warp), mask);
        let mut values = lanes.narrow[usize::from(args.a)];
        // A lane that is not there brings nothing.
        lanes_of(!mask).for_each(|lane| values[lane] = 0);
        lanes.write_narrow(args.d, |lane| values[routes.read[lane] as usize % WARP_SIZE]);
        lanes.write_pred(args.q, routes.inside);
        // Those of a warp that lacks lanes are of no use to others.
        if mask != FULL_MASK {
            *known = None;
        }
        Ok(())
    }
}

/// Whether every lane names itself, and all that it names and that have not ended name the same.
fn all_are_there(members: &Narrow, mask: u32) -> bool {
    if mask == FULL_MASK && *members == [FULL_MASK; WARP_SIZE] {
        return true;
    }
    lanes_of(mask).all(|lane| members[lane] >> lane & 1 != 0) && complete_lanes(members, mask, mask) == mask
}
