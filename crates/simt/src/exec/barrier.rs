//! Block barriers: who has arrived, and what happens when the last one does.
//!
//! Since Volta threads are counted one by one; under the stack a warp counts as a whole, whichever of its lanes are
//! active: it is as if all of them had executed the instruction, so the predicates of all of them are reduced, and all
//! of them know afterwards what the others did before. (PTX asks kernels for that target to bring whole warps, and
//! promises nothing to others.) Threads that have ended no longer count. Specification: PTX ISA, section 9.7.13.1.

use crate::checkers::synchronisation;
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::sync::{Action, Barrier, Combine};
use crate::machine::block::{BARRIERS, BarrierState, Block, Warp};
use crate::machine::divergence::{Frame, Group, Wait};
use crate::machine::registers::{Slot, WARP_SIZE, like_the_lowest};

impl Cursor<'_, '_> {
    /// Lets a group arrive at a barrier.
    pub fn barrier(&mut self, g: usize, barrier: Barrier) -> Result<(), Stop> {
        let Group { pc, mask, frame: Frame { base, .. }, .. } = *self.group(g);
        let args = self.inst(pc).args;
        let narrow = |slot: Slot| self.block.registers.narrow.get(base.narrow + slot as usize, self.w);
        let numbers = narrow(args.a);
        let lowest = mask.trailing_zeros() as usize;
        // Mostly the number is a constant, and nobody has to be looked at one by one.
        let differs = numbers.iter().fold(0, |differs, number| differs | (number ^ numbers[lowest]));
        if differs != 0 {
            let same = like_the_lowest(&numbers, mask);
            if same != mask {
                self.again(pc, mask);
                self.warp_mut().divergence.split(g, same, pc, pc, Some(pc + 1));
                return Ok(());
            }
        }
        let number = numbers[lowest] as usize;
        let wanted = barrier.counted.then(|| narrow(args.b)[lowest]);
        let predicate = self.block.registers.preds.get(base.preds + args.c as usize, self.w);
        let is_true = if barrier.negated { !predicate } else { predicate };
        let arriving = if self.run.setup.stack { self.warp().live() } else { mask };
        if let Err(problem) = check_use(self.block, number, wanted) {
            return Err(self.fault(pc, mask, problem));
        }
        let state = &mut self.block.barriers[number];
        state.wanted = wanted;
        state.arrived += arriving.count_ones();
        state.last = Some((self.w, mask.trailing_zeros(), pc));
        if matches!(barrier.action, Action::Reduce(_)) {
            state.true_count += (is_true & arriving).count_ones();
        }
        if let Some(model) = self.run.observers.memory_model.as_mut().filter(|_| barrier.counted) {
            model.clocks.arrive(self.block.slot, self.w, arriving, number);
        }
        self.group_mut(g).wait = Wait::Barrier(number as u8);
        if self.block.warpgroups.is_on() {
            self.pass_products();
        }
        if self.warp().divergence.groups.len() > 1 || barrier.action == Action::Arrive {
            self.pass_arrivals(number);
        }
        self.run.complete_barrier(self.block, number)
    }

    /// Lets those lanes of a warp go on that only arrive at a barrier, once all lanes of the warp have come: also who only
    /// arrives waits for the others of its warp. The warp then counts as a whole.
    fn pass_arrivals(&mut self, number: usize) {
        let Cursor { run, block, w } = self;
        let warp = &mut block.warps[*w];
        if come_to(warp, number, run.setup.stack) != warp.live() {
            return;
        }
        let only_arrives = |group: &Group| match run.setup.program.insts[group.pc as usize].op {
            Op::Barrier(barrier) => barrier.action == Action::Arrive,
            _ => false,
        };
        let groups = warp.divergence.groups.iter_mut();
        let mut passed = false;
        for group in groups.filter(|group| is_at(group, number) && only_arrives(group)) {
            group.pc += 1;
            group.wait = Wait::Nothing;
            passed = true;
        }
        if passed {
            let ended = warp.divergence.exited;
            let state = &mut block.barriers[number];
            state.arrived += WARP_SIZE as u32 - warp.live().count_ones();
            state.ended += ended.count_ones();
            state.ended_warps |= u32::from(ended != 0) << *w;
        }
    }

    /// Lanes of one warp that meet at an aligned barrier must have come to it by the same instruction.
    fn check_one_instruction(&self, number: usize) -> Result<(), Stop> {
        let groups = self.warp().divergence.groups.iter();
        let aligned = |group: &&Group| match self.inst(group.pc).op {
            Op::Barrier(barrier) => barrier.aligned,
            _ => false,
        };
        let waiting = groups.filter(|group| is_at(group, number)).filter(aligned);
        let lowest_lane = |group: &&Group| group.mask.trailing_zeros();
        let Some(first) = waiting.clone().min_by_key(lowest_lane) else { return Ok(()) };
        match waiting.filter(|group| group.pc != first.pc).min_by_key(lowest_lane) {
            Some(other) => Err(self.two_barriers(first, other)),
            None => Ok(()),
        }
    }

    /// What ending threads brings about: barriers and collectives that waited for them are complete.
    pub fn after_exit(&mut self) -> Result<(), Stop> {
        for number in 0..BARRIERS {
            if self.block.barriers[number].arrived != 0 {
                self.pass_arrivals(number);
                self.run.complete_barrier(self.block, number)?;
            }
        }
        if self.block.has_peers || self.block.awaits_cluster {
            self.run.pass_cluster_phase(self.block);
        }
        if self.block.live_threads == 0 {
            self.run.end_block(self.block);
        }
        if self.run.setup.program.has_warpgroups {
            self.complete_warpgroups()?;
        }
        self.complete_collectives()
    }
}

impl Run<'_> {
    /// The last threads of a block have ended: what is left undone is done, or reported.
    pub fn end_block(&mut self, block: &mut Block) {
        if !block.bulk.under_way.is_empty() || block.has_peers {
            self.at(block, 0).end_bulk();
        }
        if !block.warpgroups.under_way.is_empty() {
            self.at(block, 0).end_products();
        }
        if block.has_peers || block.awaits_cluster {
            self.pass_cluster_phase(block);
            if let Some(model) = &mut self.observers.memory_model {
                model.end_block(block.slot);
            }
        }
        if self.setup.launch.checks.synchronisation {
            self.find(|context, findings| synchronisation::report_incomplete(context, findings, block));
        }
    }

    /// Lets everybody go on who waits at a barrier, if all have come.
    pub fn complete_barrier(&mut self, block: &mut Block, number: usize) -> Result<(), Stop> {
        let state = block.barriers[number];
        let expected = state.wanted.unwrap_or(block.live_threads);
        if state.arrived == 0 || state.arrived + self.missing_lanes(block, number) < expected {
            return Ok(());
        }
        if self.setup.launch.checks.synchronisation {
            self.find(|context, findings| {
                synchronisation::report_ended(context, findings, block, number);
                synchronisation::report_unattended(context, findings, block, number);
            });
        }
        block.barriers[number] = BarrierState::default();
        self.model_barrier(block, number, state.wanted.is_some());
        for w in 0..block.warps.len() {
            if self.goes_on_together(&mut block.warps[w], number) {
                continue;
            }
            self.at(block, w).check_one_instruction(number)?;
            let warp = &mut block.warps[w];
            for group in &mut warp.divergence.groups {
                if !is_at(group, number) {
                    continue;
                }
                let inst = &self.setup.program.insts[group.pc as usize];
                let mut lanes = block.registers.lanes(w, group.frame.base, group.mask);
                if let Op::Barrier(Barrier { action: Action::Reduce(combine), .. }) = inst.op {
                    match combine {
                        Combine::Popc => lanes.write_narrow(inst.args.d, |_| state.true_count),
                        Combine::And => {
                            lanes.write_pred(inst.args.d, all_ones(state.true_count == state.arrived));
                        }
                        Combine::Or => lanes.write_pred(inst.args.d, all_ones(state.true_count != 0)),
                    }
                }
                group.pc += 1;
                group.wait = Wait::Nothing;
            }
            if !self.setup.stack {
                // Lanes of a warp leave a barrier together, even if some of them went on alone before.
                warp.divergence.unite();
            }
        }
        Ok(())
    }

    /// Lets a warp go on whose lanes all wait at a barrier together, for nothing but each other; whether it is such a one.
    fn goes_on_together(&self, warp: &mut Warp, number: usize) -> bool {
        let [group] = warp.divergence.groups.as_mut_slice() else { return false };
        if !is_at(group, number) {
            return false;
        }
        let Op::Barrier(barrier) = self.setup.program.insts[group.pc as usize].op else { return false };
        if barrier.action != Action::Sync {
            return false;
        }
        group.pc += 1;
        group.wait = Wait::Nothing;
        true
    }

    /// A barrier with a count counts whole warps: the lanes that a last, partial warp does not have, and those that have
    /// ended, come with the others of their warp. (For warps that arrived and went on they have been counted.)
    fn missing_lanes(&self, block: &Block, number: usize) -> u32 {
        if block.barriers[number].wanted.is_none() {
            return 0;
        }
        let is_whole =
            |warp: &&Warp| warp.live() != 0 && come_to(warp, number, self.setup.stack) == warp.live();
        block.warps.iter().filter(is_whole).map(|warp| WARP_SIZE as u32 - warp.live().count_ones()).sum()
    }

    /// Shows the memory model that a barrier is complete.
    fn model_barrier(&mut self, block: &Block, number: usize, is_counted: bool) {
        let stack = self.setup.stack;
        let Some(model) = &mut self.observers.memory_model else { return };
        if !is_counted {
            return model.clocks.block_barrier(block.slot);
        }
        let warps = block.warps.iter().enumerate();
        let waiting: Vec<(usize, u32)> = warps.map(|(w, warp)| (w, come_to(warp, number, stack))).collect();
        model.clocks.complete(block.slot, number, &waiting);
    }
}

/// Refuses a barrier number or a thread count that the block cannot have.
fn check_use(block: &Block, number: usize, wanted: Option<u32>) -> Result<(), Problem> {
    let Some(state) = block.barriers.get(number) else { return Err(Problem::no_barrier(number)) };
    if let Some(count) = wanted.filter(|&count| count == 0 || !count.is_multiple_of(WARP_SIZE as u32)) {
        return Err(Problem::barrier_count(count));
    }
    if state.arrived != 0 && state.wanted != wanted {
        return Err(Problem::barrier_counts(number));
    }
    Ok(())
}

fn all_ones(value: bool) -> u32 {
    if value { u32::MAX } else { 0 }
}

/// Whether a group waits at a barrier.
fn is_at(group: &Group, number: usize) -> bool {
    group.wait == Wait::Barrier(number as u8)
}

/// The lanes of a warp that have come to a barrier and wait; under the stack all of them, where any has.
fn come_to(warp: &Warp, number: usize, stack: bool) -> u32 {
    let here = warp.divergence.groups.iter().filter(|group| is_at(group, number));
    let waiting = here.fold(0, |lanes, group| lanes | group.mask);
    if stack && waiting != 0 { warp.live() } else { waiting }
}
