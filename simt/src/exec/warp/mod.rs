//! The fast way: a warp that runs together, whose registers are mostly lines.
//!
//! Much of what a kernel computes is the same in all lanes, or grows by the same from lane to lane: parameters, sizes,
//! indices, addresses, and the conditions of its loops. [`shapes`] finds these registers, [`plan`] decides how to carry out
//! each instruction on them, and [`run`] does it, once a warp in place of once a lane; [`memory`] turns an access at such
//! addresses into a copy. Branches that only skip something are carried out under a mask ([`regions`]).
//!
//! A warp starts so, and leaves it where its lanes part for longer: then all its registers become columns, and the plain
//! loop ([`crate::exec::step`]) runs it, which knows nothing of this. It may come back when its lanes run together again and
//! the registers that still matter ([`live`]) are what the plan says. So the plain loop is what everything here is held
//! to: [`Launch::plain`](crate::Launch::plain) switches this off, and tests compare.

pub mod memory;
pub mod run;

use crate::access::lane_order::LaneOrder;
use crate::compile::inst::NEVER;
use crate::compile::plan::Plan;
use crate::exec::memory::Memories;
use crate::exec::state::{Run, Stop};
use crate::exec::step::{Left, Place};
use crate::isa::op::Op;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Divergence, Wait};
use crate::machine::line::Line;
use run::{Hand, Skipped, Stopped};

/// Steps that a warp runs the plain way at least before it is tried whether it may come back; twice as many after each
/// time that it may not.
const FIRST_PAUSE: u64 = 32;
/// The most.
const LONGEST_PAUSE: u64 = 1 << 12;

impl Run<'_> {
    /// Runs a warp the fast way until it waits or its slice is used up, as long as it can be run so; what is left is for
    /// the plain way.
    pub(crate) fn run_together(&mut self, block: &mut Block, w: usize, slice: &mut u32) -> Result<(), Stop> {
        let Some(plan) = self.plan.take() else { return Ok(()) };
        let mut outcome = Ok(());
        while *slice > 0 && outcome.is_ok() && self.is_ready(&plan, &mut block.warps[w]) {
            outcome = self.run_by(&plan, block, w, slice);
        }
        self.plan = Some(plan);
        outcome
    }

    /// Whether a warp can be run the fast way; it gives way, or comes back, as it has to.
    #[inline(always)]
    fn is_ready(&self, plan: &Plan, warp: &mut Warp) -> bool {
        let [group] = warp.divergence.groups.as_slice() else { return false };
        if group.wait != Wait::Nothing || !warp.is_swift && warp.steps < warp.back_at {
            return false;
        }
        if self.lookout.is_on() || self.watcher.is_some() || !is_whole(warp) {
            give_way(plan, warp);
            return false;
        }
        warp.is_swift || come_back(plan, warp)
    }

    fn run_by(&mut self, plan: &Plan, block: &mut Block, w: usize, slice: &mut u32) -> Result<(), Stop> {
        let before = *slice;
        if let Some(watch) = &mut self.watch {
            watch.run(block.slot, w, block.warps[w].divergence.groups[0].mask);
        }
        if let Some(follow) = &mut self.follow {
            follow.run(block.number, w);
        }
        let left = self.swift_loop(plan, block, w, slice);
        let steps = u64::from(before - *slice);
        self.steps += steps;
        let warp = &mut block.warps[w];
        warp.steps += steps;
        if !self.initialisation.found.is_empty() {
            self.find_unwritten(block.number, w);
        }
        if let Left::Meets(number) = left {
            return self.meet(block, w, number);
        }
        if matches!(left, Left::Lost) {
            give_way(plan, &mut block.warps[w]);
        }
        // Who stops inside of a region parts from the lanes that skip it, and is the last of the groups then.
        let g = block.warps[w].divergence.groups.len() - 1;
        self.leave_loop(block, w, (g, left), slice)?;
        stay_swift(plan, &mut block.warps[w]);
        Ok(())
    }

    /// A warp of which all lanes have come to a barrier of the block: [`Run::barrier`] for what is most frequent.
    #[inline(always)]
    fn meet(&mut self, block: &mut Block, w: usize, number: u8) -> Result<(), Stop> {
        let group = &mut block.warps[w].divergence.groups[0];
        let state = &mut block.barriers[usize::from(number)];
        if state.wanted.is_some() {
            let Op::Barrier(barrier) = self.program.insts[group.pc as usize].op else { return Ok(()) };
            return self.barrier(block, w, 0, barrier);
        }
        group.wait = Wait::Barrier(number);
        state.arrived += group.mask.count_ones();
        if state.arrived < block.live_threads {
            return Ok(());
        }
        self.complete_barrier(block, usize::from(number))
    }

    /// Runs a warp by the plan until it stops.
    fn swift_loop(&mut self, plan: &Plan, block: &mut Block, w: usize, slice: &mut u32) -> Left {
        let place = Place::of(self, block, w);
        let is_seen = self.is_seen();
        let Block { warps, shared, shared_written, number, .. } = block;
        let warp = &mut warps[w];
        let group = &mut warp.divergence.groups[0];
        let (pc, mask, frame) = (group.pc, group.mask, group.frame);
        let memories = Memories {
            global: self.global,
            shared,
            local: &mut warp.local,
            params: &self.params,
            mbarriers: None,
            order: LaneOrder::new(self.launch.seed, *number, w as u32, warp.steps),
            now: 0,
            initialisation: Some((&mut self.initialisation, shared_written))
                .filter(|(checker, _)| checker.is_on),
            watch: self.watch.as_deref_mut(),
            follow: self.follow.as_mut(),
            is_seen,
        };
        let mut hand = Hand {
            plan,
            insts: &self.program.insts,
            memories,
            lanes: warp.registers.lanes(frame.base, mask),
            lines: &mut warp.lines,
            place,
            frame,
            issued: &mut self.issued,
            traffic: &mut self.traffic,
            slice: *slice,
            before: *slice,
            ends: 0,
            parted: false,
            left: Left::Paused,
            regions: Vec::new(),
        };
        let stopped = hand.run(pc, NEVER, mask);
        let Stopped(pc) = stopped.expect_err("nobody waits at the end of memory");
        let Hand { left, regions, parted, slice: rest, .. } = hand;
        *slice = rest;
        warp.diverged |= parted;
        if regions.is_empty() {
            group.pc = pc;
        } else {
            part(&mut warp.divergence, &regions);
            warp.divergence.groups.last_mut().expect("somebody runs").pc = pc;
        }
        left
    }

    /// Makes columns of all registers of a warp that is about to be looked at from outside.
    pub(crate) fn lay_open(&self, warp: &mut Warp) {
        if let Some(plan) = &self.plan {
            give_way(plan, warp);
        }
    }
}

/// Parts the lanes of a warp that stopped inside of regions, outermost last: those that skip one wait where it ends.
fn part(divergence: &mut Divergence, regions: &[Skipped]) {
    for region in regions.iter().rev() {
        let running = divergence.groups.len() - 1;
        divergence.groups[running].pc = region.branch;
        divergence.split(running, region.lanes, region.end, region.branch + 1, Some(region.end));
        let running = divergence.groups.iter().position(|group| group.mask & region.lanes == 0);
        let running = divergence.groups.remove(running.expect("somebody is inside"));
        divergence.groups.push(running);
    }
}

/// Has a warp go the plain way from here on if its lanes no longer run together.
fn stay_swift(plan: &Plan, warp: &mut Warp) {
    // Of a warp that has ended nobody asks for anything.
    if !warp.divergence.groups.is_empty() && !is_whole(warp) {
        give_way(plan, warp);
    }
}

/// Whether all lanes of a warp that have not ended are one group, in the kernel itself.
fn is_whole(warp: &Warp) -> bool {
    let [group] = warp.divergence.groups.as_slice() else { return false };
    group.mask == warp.live() && group.callers.is_empty() && group.meeting.is_none()
}

/// Makes columns of all registers, for the plain loop.
fn give_way(plan: &Plan, warp: &mut Warp) {
    if !std::mem::take(&mut warp.is_swift) {
        return;
    }
    for (kept, line) in plan.kept.iter().zip(warp.lines.iter()) {
        if kept.wide {
            line.write_wide(&mut warp.registers.wide[kept.slot as usize]);
        } else {
            line.write_narrow(&mut warp.registers.narrow[kept.slot as usize]);
        }
    }
    stay_away(warp);
}

/// Puts off the next attempt to come back.
fn stay_away(warp: &mut Warp) {
    warp.pause = (warp.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
    warp.back_at = warp.steps + warp.pause;
}

/// Makes lines of the registers that the plan keeps so, if those that still matter are what it says; whether they were.
fn come_back(plan: &Plan, warp: &mut Warp) -> bool {
    let group = &warp.divergence.groups[0];
    let code = plan.start..plan.start + plan.steps.len() as u32;
    if warp.steps < warp.back_at || !code.contains(&group.pc) {
        return false;
    }
    warp.is_swift = are_uniform(plan, warp) && find_lines(plan, warp);
    if !warp.is_swift {
        stay_away(warp);
    }
    warp.is_swift
}

/// Whether the predicates that should be the same in all lanes are, if they still matter.
fn are_uniform(plan: &Plan, warp: &Warp) -> bool {
    let group = &warp.divergence.groups[0];
    plan.uniform_predicates.iter().all(|&(slot, register)| {
        let lanes = warp.registers.preds[slot as usize] & group.mask;
        lanes == 0 || lanes == group.mask || !plan.live.at(group.pc, register)
    })
}

/// Finds the lines in the columns, all those that still matter; whether it did.
fn find_lines(plan: &Plan, warp: &mut Warp) -> bool {
    let group = &warp.divergence.groups[0];
    for (kept, to) in plan.kept.iter().zip(warp.lines.iter_mut()) {
        let line = if kept.wide {
            Line::of_wide(&warp.registers.wide[kept.slot as usize], group.mask)
        } else {
            Line::of_narrow(&warp.registers.narrow[kept.slot as usize], group.mask)
        };
        match line.filter(|line| !kept.is_uniform || line.stride == 0) {
            Some(line) => *to = line,
            None if plan.live.at(group.pc, kept.register) => return false,
            None => {}
        }
    }
    true
}
