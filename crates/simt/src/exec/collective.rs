//! Instructions that the lanes of a warp carry out together: who takes part, and when everybody has come.
//!
//! The lanes that a membermask names and that have not ended must come, by the same instruction with the same
//! mask, not necessarily at the same program counter. Under the stack they must be running together.

use crate::access::lane_order::mixed;
use crate::checkers::synchronisation;
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::warp::{Brought, Collective, Exchange, Got};
use crate::isa::value::{Args, Kind};
use crate::launch::{Launch, Schedule};
use crate::machine::divergence::{Group, Wait};
use crate::machine::registers::{Lanes, Narrow, WARP_SIZE, Wide, lanes_of};

impl Run<'_> {
    /// How far back each lane stands in an election. Hardware elects the lowest, and so does the plain schedule; the others
    /// draw lots by the members, because a kernel must not rely on it.
    fn standing(&self, members: &Narrow) -> Wide {
        let Launch { schedule, seed, .. } = *self.setup.launch;
        let lot = |lane| mixed(mixed(seed) ^ u64::from(members[lane]) << 5 ^ lane as u64);
        std::array::from_fn(|lane| if schedule == Schedule::RoundRobin { 0 } else { lot(lane) })
    }
}

impl Cursor<'_, '_> {
    /// Lets a group come to a collective instruction: it is carried out at once if nobody else is named.
    pub fn collective(&mut self, g: usize, collective: Collective) -> Result<(), Stop> {
        let (group, live) = (self.group(g), self.warp().live());
        let (pc, mask) = (group.pc, group.mask);
        let members = self.members(group, collective);
        // What follows comes to the same for a whole warp of which each lane names all; this is the fast way there.
        if mask == u32::MAX && members == [u32::MAX; WARP_SIZE] {
            self.exchange(mask, collective);
            return Ok(());
        }
        if let Some(lane) = lanes_of(mask).find(|&lane| members[lane] >> lane & 1 == 0) {
            return Err(self.fault(pc, 1 << lane, Problem::not_member(lane, members[lane])));
        }
        let ready = complete_lanes(&members, mask, live);
        if ready == mask {
            self.exchange(mask, collective);
            return Ok(());
        }
        if self.run.setup.stack {
            return Err(self.fault(pc, mask & !ready, not_together(&members, mask, ready, live)));
        }
        if ready != 0 {
            self.again(pc, mask);
            self.warp_mut().divergence.split(g, ready, pc, pc, Some(pc + 1));
            return Ok(());
        }
        self.group_mut(g).wait = Wait::Collective;
        self.complete_collectives()
    }

    /// The membermask of each lane of a group. Without `.sync` it is whoever runs together.
    fn members(&self, group: &Group, collective: Collective) -> Narrow {
        if !collective.sync {
            return [group.mask; WARP_SIZE];
        }
        let slot = group.frame.base.narrow + self.inst(group.pc).args.e as usize;
        self.block.registers.narrow.get(slot, self.w)
    }

    fn waiting_at(&self, group: &Group) -> Option<Collective> {
        match self.run.setup.program.insts.get(group.pc as usize)?.op {
            Op::Collective(collective) if group.wait == Wait::Collective => Some(collective),
            _ => None,
        }
    }

    /// Carries out what the lanes of a warp wait for, where all of them have come.
    pub fn complete_collectives(&mut self) -> Result<(), Stop> {
        while let Some((lanes, collective)) = self.complete_set()? {
            let warp = &mut self.block.warps[self.w];
            // Lanes of a group whose own members have not come stay behind.
            let is_parted = |group: &Group| group.mask & lanes != 0 && group.mask & !lanes != 0;
            while let Some(g) = warp.divergence.groups.iter().position(is_parted) {
                let Group { pc, mask, .. } = warp.divergence.groups[g];
                // Those that go on have issued it; the others come to it again.
                self.run.counts.issued[pc as usize].lanes -= u64::from((mask & !lanes).count_ones());
                warp.divergence.split(g, mask & lanes, pc, pc, Some(pc + 1));
            }
            self.exchange(lanes, collective);
        }
        self.check_matrices()
    }

    /// A set of waiting lanes that is complete, and what they wait for.
    fn complete_set(&self) -> Result<Option<(u32, Collective)>, Stop> {
        let warp = self.warp();
        for group in &warp.divergence.groups {
            let Some(collective) = self.waiting_at(group) else { continue };
            let members = self.members(group, collective);
            for lane in lanes_of(group.mask) {
                let own = members[lane];
                let (come, other) = self.come(collective, own, lane);
                if let Some((other, theirs)) = other {
                    let problem = Problem::waiting_masks(lane, own, other, theirs);
                    return Err(self.fault(group.pc, 1 << lane, problem));
                }
                let wanted = own & warp.live();
                if wanted & !come == 0 {
                    return Ok(Some((wanted, collective)));
                }
            }
        }
        Ok(None)
    }

    /// The lanes that wait at a matching instruction with this membermask, and a lane named by it that waits
    /// there with another one, for `own` among others: neither can ever go on.
    fn come(&self, collective: Collective, members: u32, own: usize) -> (u32, Option<(usize, u32)>) {
        let (mut come, mut other) = (0, None);
        for group in &self.warp().divergence.groups {
            let Some(theirs) = self.waiting_at(group).filter(|theirs| theirs.meets(collective)) else {
                continue;
            };
            let named = self.members(group, theirs);
            for lane in lanes_of(group.mask & members) {
                if named[lane] == members {
                    come |= 1 << lane;
                } else if named[lane] >> own & 1 != 0 {
                    other = other.or(Some((lane, named[lane])));
                }
            }
        }
        (come, other)
    }

    /// Carries out an instruction for `lanes`, each group with its own columns.
    fn exchange(&mut self, lanes: u32, collective: Collective) {
        let mut brought =
            Brought { a: [0; WARP_SIZE], b: [0; WARP_SIZE], c: [0; WARP_SIZE], members: [0; WARP_SIZE] };
        let is_concerned = |group: &Group| group.mask & lanes != 0;
        for group in self.block.warps[self.w].divergence.groups.iter().filter(|group| is_concerned(group)) {
            let members = self.members(group, collective);
            let inst = self.inst(group.pc);
            let Op::Collective(own) = inst.op else { unreachable!("lanes come by a collective instruction") };
            let columns = self.block.registers.lanes(self.w, group.frame.base, group.mask);
            bring(&mut brought, &columns, &inst.args, own, &members);
        }
        if collective.exchange == Exchange::Barrier {
            self.model_warp_barriers(lanes, &brought.members);
        }
        if collective.exchange == Exchange::Elect {
            brought.a = self.run.standing(&brought.members);
        }
        let got = collective.evaluate(&brought, lanes);
        let Cursor { run, block, w } = self;
        if got.undefined != 0 && run.setup.launch.checks.synchronisation {
            run.find(|context, findings| {
                synchronisation::report_undefined_shuffle(
                    context, findings, block, *w, lanes, collective, &got,
                );
            });
        }
        let warp = &mut block.warps[*w];
        for group in warp.divergence.groups.iter_mut().filter(|group| is_concerned(group)) {
            let args = run.setup.program.insts[group.pc as usize].args;
            hand_over(&mut block.registers.lanes(*w, group.frame.base, group.mask), &args, collective, &got);
            group.pc += 1;
            group.wait = Wait::Nothing;
        }
        if !run.setup.stack && warp.divergence.groups.len() > 1 {
            // They leave it together, even if some of them went on alone before.
            warp.divergence.unite();
        }
    }

    /// Shows the memory model a warp barrier. Lanes that came by one instruction may have named several masks, and meet
    /// only those of their own.
    fn model_warp_barriers(&mut self, lanes: u32, members: &Narrow) {
        let Some(model) = &mut self.run.observers.memory_model else { return };
        let mut left = lanes;
        while left != 0 {
            let members = members[left.trailing_zeros() as usize] & lanes;
            model.clocks.warp_barrier(self.block.slot, self.w, members);
            left &= !members;
        }
    }
}

/// The lanes of a group whose members are all in the group and name the same mask.
fn complete_lanes(members: &Narrow, mask: u32, live: u32) -> u32 {
    let first = members[mask.trailing_zeros() as usize % WARP_SIZE];
    if first & live == mask && lanes_of(mask).all(|lane| members[lane] == first) {
        return mask;
    }
    let complete = |lane: &usize| {
        let wanted = members[*lane] & live;
        wanted & !mask == 0 && lanes_of(wanted).all(|other| members[other] == members[*lane])
    };
    lanes_of(mask).filter(complete).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// What is wrong with the masks of lanes that are not ready, where nobody waits for the others: under the stack.
fn not_together(members: &Narrow, mask: u32, ready: u32, live: u32) -> Problem {
    let lane = (mask & !ready).trailing_zeros() as usize;
    let (named, absent) = (members[lane], members[lane] & live & !mask);
    if absent != 0 {
        return Problem::absent_member(lane, named, absent.trailing_zeros());
    }
    let other = lanes_of(named & live).find(|&other| members[other] != named).unwrap_or(lane);
    Problem::different_masks(lane, named, other, members[other])
}

/// Adds what the lanes of a group bring.
fn bring(brought: &mut Brought, lanes: &Lanes<'_>, args: &Args, collective: Collective, members: &Narrow) {
    let mask = lanes.mask;
    let narrow = |column: u16| &lanes.narrow[column as usize];
    put(&mut brought.members, members, mask, |&members| members);
    if matches!(collective.exchange, Exchange::Barrier | Exchange::Elect) {
        return;
    }
    match collective.source {
        Kind::Pred => {
            let bits = lanes.preds[args.a as usize] ^ u32::from(collective.negated).wrapping_neg();
            lanes_of(mask).for_each(|lane| brought.a[lane] = u64::from(bits >> lane & 1));
        }
        Kind::B64 => put(&mut brought.a, &lanes.wide[args.a as usize], mask, |&a| a),
        _ => put(&mut brought.a, narrow(args.a), mask, |&a| u64::from(a)),
    }
    if matches!(collective.exchange, Exchange::Shuffle(_)) {
        put(&mut brought.b, narrow(args.b), mask, |&b| b);
        put(&mut brought.c, narrow(args.c), mask, |&c| c);
    }
}

/// Writes what lanes got.
fn hand_over(lanes: &mut Lanes<'_>, args: &Args, collective: Collective, got: &Got) {
    match collective.exchange {
        Exchange::Barrier => {}
        Exchange::Vote(_) => lanes.write_pred(args.q, got.predicate),
        Exchange::Shuffle(_) | Exchange::MatchAll | Exchange::Elect => {
            lanes.write_narrow(args.d, |lane| got.d[lane]);
            lanes.write_pred(args.q, got.predicate);
        }
        _ => lanes.write_narrow(args.d, |lane| got.d[lane]),
    }
}

/// Overwrites the lanes of `mask`; all of them in one loop without a branch, which becomes vector code.
fn put<T, U>(to: &mut [T; WARP_SIZE], from: &[U; WARP_SIZE], mask: u32, value: impl Fn(&U) -> T) {
    if mask == u32::MAX {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = value(from));
    } else {
        lanes_of(mask).for_each(|lane| to[lane] = value(&from[lane]));
    }
}
