//! The inner loop: one group of lanes, instruction after instruction.
//!
//! Arithmetic, loads, stores and branches that the lanes agree on stay in the loop; everything that changes
//! which lanes run together leaves it.

use crate::access::address::Denied;
use crate::compile::inst::{AT_RETURN, NEVER};
use crate::exec::cursor::{Cursor, Parts};
use crate::exec::fragments;
use crate::exec::memory::{Memories, WarpAccess};
use crate::exec::special::Place;
use crate::exec::state::{Run, Stop};
use crate::isa::op::{Op, Touched};
use crate::machine::divergence::Group;
use crate::machine::registers::{Lanes, lane_count};

/// Where a group stands when it leaves the loop.
#[derive(Clone, Copy)]
pub(crate) enum Left {
    /// Its slice is used up, or it stands at its meeting.
    Paused,
    /// The schedule took the rest of its slice away.
    Yielded,
    /// Memory denied an access.
    Denied(Denied),
    /// It came to an instruction that changes which lanes run together, with these lanes active.
    At(u32),
    /// It is about to copy the result of a product that has not been carried out, which is this one by number.
    Needs(u64),
}

impl Run<'_> {
    /// Whether every instruction is noted before it is carried out: by the probe, by the schedule, which ends slices after
    /// accesses, by the weak memory, for the registers that it names, or for those that products of warpgroups use.
    pub fn needs_each_instruction(&self) -> bool {
        self.observers.probe.is_on() || self.setup.launch.weak_memory || self.setup.has_products
    }
}

impl Cursor<'_, '_> {
    /// Runs a group until it waits, meets, parts, ends, or its slice is used up.
    pub fn run_group(&mut self, g: usize, slice: &mut u32) -> Result<(), Stop> {
        self.block.registers.expand_all();
        if self.warp().divergence.has_arrived(g) {
            self.warp_mut().arrive(g);
            return Ok(());
        }
        if self.group(g).pc == AT_RETURN {
            self.return_from_function(g);
            return Ok(());
        }
        self.run_settled(g, slice).map(drop)
    }

    /// [`Cursor::run_group`] of a group that is neither at its meeting nor at the end of a function, after registers have
    /// been written out. Whether it only executed instructions that leave the groups as they are.
    pub fn run_settled(&mut self, g: usize, slice: &mut u32) -> Result<bool, Stop> {
        let (id, mask) = (self.id(), self.group(g).mask);
        self.run.observers.run(self.block.number, id, mask);
        let before = self.run.counts.steps;
        let left = if self.run.observers.watcher.is_some() {
            self.run_watched(g, slice)
        } else {
            loop {
                let slice_before = *slice;
                let left = self.straight_on_by(g, slice);
                let steps = u64::from(slice_before - *slice);
                self.run.counts.steps += steps;
                self.warp_mut().steps += steps;
                let Left::Needs(product) = left else { break Ok(left) };
                self.carry_out_until(product);
            }
        };
        self.run.counts.effort.apart += self.run.counts.steps - before;
        self.find_unwritten();
        let left = left?;
        if matches!(left, Left::Paused) {
            return Ok(true);
        }
        self.leave_loop(g, left, slice)?;
        Ok(false)
    }

    /// Does what a group left the loop for.
    pub fn leave_loop(&mut self, g: usize, left: Left, slice: &mut u32) -> Result<(), Stop> {
        match left {
            Left::At(active) => self.watched_control(g, active),
            Left::Paused => Ok(()),
            Left::Needs(product) => {
                self.carry_out_until(product);
                Ok(())
            }
            Left::Yielded => {
                *slice = 0;
                Ok(())
            }
            Left::Denied(denied) => Err(self.denied(self.group(g).pc, &denied)),
        }
    }

    /// Runs a group as far as it goes straight on.
    pub fn straight_on_by(&mut self, g: usize, slice: &mut u32) -> Left {
        if self.run.needs_each_instruction() {
            return self.straight_on::<true>(g, slice);
        }
        self.straight_on::<false>(g, slice)
    }

    /// `EACH` is whether [`Run::needs_each_instruction`]; the loop without it costs nothing more.
    fn straight_on<const EACH: bool>(&mut self, g: usize, slice: &mut u32) -> Left {
        let (program, before) = (self.run.setup.program, *slice);
        let place = Place::of(self.run, self.block, self.w);
        let divergence = &self.warp().divergence;
        let meeting = divergence.meeting_here(g).map_or(NEVER, |meeting| meeting.pc);
        let Group { mask, frame, mut pc, .. } = divergence.groups[g];
        let Parts { mut memories, mut lanes, issued, traffic, probe, warpgroups } = self.parts(&frame, mask);
        let (w, is_watched) = (place.id.warp, warpgroups.is_on());
        let left = loop {
            if *slice == 0 || pc == meeting || EACH && probe.stops_at(pc, before - *slice) {
                break Left::Paused;
            }
            let inst = &program.insts[pc as usize];
            let active = mask & (lanes.preds[inst.guard as usize] ^ inst.flip);
            if EACH && is_watched && active != 0 {
                let number = place.before + u64::from(before - *slice);
                let step = fragments::Step { number, warp: w, active, pc, base: frame.base };
                if let Some(product) = fragments::note(warpgroups, program, inst, step) {
                    break Left::Needs(product);
                }
            }
            let issued = &mut issued[pc as usize];
            issued.count += 1;
            issued.lanes += lane_count(active);
            *slice -= 1;
            lanes.mask = active;
            if EACH {
                if active != 0 {
                    settle_results(&mut memories, &mut lanes, program.touched(inst));
                }
                let (memories, lanes) = (&mut memories, &mut lanes);
                let counters = &mut traffic[pc as usize];
                probe.note(&mut WarpAccess { memories, lanes, inst, pc, frame: &frame, counters });
            }
            let outcome = match &inst.op {
                Op::Branch { target, .. } if active == mask => {
                    pc = *target;
                    continue;
                }
                // Whoever evaluates a branch is active at it, whichever way it goes.
                Op::Branch { .. } if active == 0 => {
                    issued.lanes += lane_count(mask);
                    Ok(())
                }
                _ if active == 0 => Ok(()),
                _ => {
                    let (memories, lanes) = (&mut memories, &mut lanes);
                    let counters = &mut traffic[pc as usize];
                    let warp = WarpAccess { memories, lanes, inst, pc, frame: &frame, counters };
                    warp.step(&place, u64::from(before - *slice))
                }
            };
            if let Err(left) = outcome {
                break left;
            }
            pc += 1;
            if EACH && probe.takes_slice(inst, active) {
                break Left::Yielded;
            }
        };
        self.group_mut(g).pc = pc;
        left
    }

    /// Adds to the findings what the warp has read that had not been written.
    #[inline(always)]
    pub fn find_unwritten(&mut self) {
        let observers = &mut self.run.observers;
        if !observers.initialisation.found.is_empty() {
            observers.find_unwritten(self.run.setup.program, self.block.number, self.w);
        }
        if !self.block.warpgroups.found.is_empty() {
            self.find_early_uses();
        }
    }
}

impl WarpAccess<'_, '_> {
    /// Carries out an instruction of the inner loop, `since` instructions after its group got its slice.
    #[inline(always)]
    pub fn step(self, place: &Place<'_>, since: u64) -> Result<(), Left> {
        // Taken apart, so that it need not be in memory for arithmetic.
        let WarpAccess { memories, lanes, inst, pc, frame, counters } = self;
        // Asked for by itself, for it is most of them, and a `match` is a jump to a place that the processor has to guess.
        if let Op::Alu(run) = inst.op {
            run(&mut lanes.warps(), &inst.args);
            return Ok(());
        }
        match &inst.op {
            Op::Load(_) | Op::Store(_) | Op::Atomic(_) | Op::Mbarrier(_) | Op::Async(_) | Op::Bulk(_) => {
                memories.order.step = place.steps + since;
                memories.now = place.before + since - 1;
                let mut access = WarpAccess { memories, lanes, inst, pc, frame, counters };
                return access.carry_out_at(place.id).map_err(Left::Denied);
            }
            Op::Special { .. }
            | Op::FrameAddress { .. }
            | Op::IsSpace { .. }
            | Op::ClusterAddress { .. }
            | Op::ActiveMask => {
                place.answer(lanes, inst, frame, since);
            }
            Op::Fence(fence) => {
                if let Some((model, mut target)) = memories.modelled() {
                    model.drain(&mut target, place.id, lanes.mask);
                    model.fence(lanes.mask, *fence);
                }
            }
            Op::Hint => {}
            _ => return Err(Left::At(lanes.mask)),
        }
        Ok(())
    }
}

/// Lets lanes have the results of updates that an instruction names and that have waited.
#[inline(never)]
fn settle_results(memories: &mut Memories<'_>, lanes: &mut Lanes<'_>, touched: &[Touched]) {
    if let Some((model, mut target)) = memories.modelled() {
        model.deliver_results(&mut target, lanes, touched);
    }
}
