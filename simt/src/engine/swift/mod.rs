//! The fast way: a warp that runs together, whose registers are mostly lines.
//!
//! Much of what a kernel computes is the same in all lanes, or grows by the same from lane to lane: parameters, sizes,
//! indices, addresses, and the conditions of its loops. [`shapes`] finds these registers, [`plan`] decides how to carry out
//! each instruction on them, and [`run`] does it, once a warp in place of once a lane; [`memory`] turns an access at such
//! addresses into a copy. Branches that only skip something are carried out under a mask ([`regions`]).
//!
//! A warp starts so, and leaves it where its lanes part for longer: then all its registers become columns, and the plain
//! loop ([`super::step`]) runs it, which knows nothing of this. It may come back when its lanes run together again and
//! the registers that still matter ([`live`]) are what the plan says. So the plain loop is what everything here is held
//! to: [`Launch::plain`](crate::Launch::plain) switches this off, and tests compare.

mod arithmetic;
mod live;
mod memory;
pub mod plan;
mod regions;
pub mod run;
pub mod shapes;

use std::sync::Arc;

use super::access::{Memories, Order};
use super::program::{NEVER, Program};
use super::run::Run;
use super::step::{Left, Place};
use crate::launch::Launch;
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::Divergence;
use crate::machine::line::Line;
use crate::machine::registers::WARP_SIZE;
use plan::Plan;
use run::{Hand, Skipped, Stopped};
use shapes::Given;

/// Steps that a warp runs the plain way at least before it is tried whether it may come back; twice as many after each
/// time that it may not.
const FIRST_PAUSE: u64 = 32;
/// The most.
const LONGEST_PAUSE: u64 = 1 << 12;

/// The plan of a launch; `None` where it goes the plain way: because it asks to, because loads may return something else
/// in each lane, or because the kernel is too large.
pub(super) fn plan_for(program: &Program, kernel: u32, launch: &Launch) -> Option<Arc<Plan>> {
    if launch.plain || launch.weak_memory {
        return None;
    }
    let block = launch.block;
    let in_rows = block.y == 1 && block.z == 1 || block.x.is_multiple_of(WARP_SIZE as u32);
    program.functions[kernel as usize].plans.get(program, kernel, Given { in_rows })
}

impl Run<'_> {
    /// Runs a warp the fast way, if it can be run so; `None` where nothing was done.
    pub(super) fn run_swiftly(&mut self, block: &mut Block, w: usize, slice: &mut u32) -> Option<Left> {
        let plan = self.plan.take()?;
        let left = self.run_by(&plan, block, w, slice);
        self.plan = Some(plan);
        left
    }

    fn run_by(&mut self, plan: &Plan, block: &mut Block, w: usize, slice: &mut u32) -> Option<Left> {
        if self.lookout.is_on() || self.trace.is_some() || !is_whole(&block.warps[w]) {
            give_way(plan, &mut block.warps[w]);
            return None;
        }
        if !block.warps[w].is_swift && !come_back(plan, &mut block.warps[w]) {
            return None;
        }
        let left = self.swift_loop(plan, block, w, slice);
        if matches!(left, Left::Lost) {
            give_way(plan, &mut block.warps[w]);
        }
        Some(left)
    }

    /// Has a warp go the plain way from here on if its lanes no longer run together.
    pub(super) fn stay_swift(&self, warp: &mut Warp) {
        // Of a warp that has ended nobody asks for anything.
        if warp.is_swift && !warp.divergence.groups.is_empty() && !is_whole(warp) {
            self.lay_open(warp);
        }
    }

    /// Runs a warp by the plan until it stops.
    fn swift_loop(&mut self, plan: &Plan, block: &mut Block, w: usize, slice: &mut u32) -> Left {
        let place = Place::of(self, block, w);
        let is_seen = self.is_seen();
        let warp = &mut block.warps[w];
        let group = &mut warp.divergence.groups[0];
        let (pc, mask, frame) = (group.pc, group.mask, group.frame);
        let memories = Memories {
            global: self.global,
            shared: &mut block.shared,
            local: &mut warp.local,
            params: &self.params,
            order: Order::new(self.launch.seed, block.number, w as u32, warp.steps),
            initialisation: Some((&mut self.initialisation, &mut block.shared_written))
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
        };
        let stopped = hand.run(pc, NEVER, mask);
        let Stopped { pc, left, regions } = stopped.expect_err("nobody waits at the end of memory");
        *slice = hand.slice;
        warp.diverged |= hand.parted;
        part(&mut warp.divergence, &regions);
        let running = warp.divergence.groups.last_mut().expect("somebody runs");
        running.pc = pc;
        left
    }

    /// Makes columns of all registers of a warp that is about to be looked at from outside.
    pub(super) fn lay_open(&self, warp: &mut Warp) {
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
    for (kept, line) in plan.kept.iter().zip(&warp.lines) {
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
    for (kept, to) in plan.kept.iter().zip(&mut warp.lines) {
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
