//! Accesses to memory by a team: one warp after another, or all warps at once.
//!
//! Where the addresses are affine in the place of a thread, how they lie is known without looking at them. Where threads that
//! follow each other access neighbouring elements, the whole block loads or stores one range of bytes, and the checkers see it
//! as one access. Blocks with mbarriers are left out, and so are launches in which a byte is followed: these go warp by warp.

use crate::access::lane_order::LaneOrder;
use crate::access::row::{Row, Shape};
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::checkers::races::shadow::list::OpKind;
use crate::compile::inst::Inst;
use crate::exec::memory::WarpAccess;
use crate::exec::state::{Run, Stop};
use crate::exec::step::{Left, memories_of};
use crate::exec::team::Team;
use crate::exec::team::addresses::Addresses;
use crate::exec::team::compute::expand;
use crate::exec::team::stretch::Stretch;
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Memory};
use crate::machine::block::Block;
use crate::machine::registers::{Bank, WARP_SIZE};

impl Run<'_> {
    /// Carries out a load, a store or an atomic of a team.
    pub(crate) fn touch_team(
        &mut self,
        block: &mut Block,
        team: &mut Team,
        inst: &Inst,
        may_replace: bool,
    ) -> Result<(), Stop> {
        let addresses = Addresses::of(block, team, inst);
        if self.observers.check_accesses() && (addresses.is_none() || self.observers.last_writer.is_some()) {
            expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
            return self.carry_out_apart(block, team, inst);
        }
        if self.touch_at_once(block, team, inst, (addresses.as_ref(), may_replace)) {
            return Ok(());
        }
        self.prepare(block, team, inst, (addresses.is_some(), may_replace));
        let outcome = self.touch_apart(block, team, inst, addresses.as_ref());
        outcome.or_else(|left| self.stop(block, team, left))
    }

    /// Prepares the registers that an access names for each warp, but not the one with its address, if that is known.
    pub(crate) fn prepare(
        &self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        (is_known, may_replace): (bool, bool),
    ) {
        let (registers, base) = (&mut block.registers, team.frame.base);
        let is_load = matches!(inst.op, Op::Load(_));
        for register in self.setup.program.touched(inst) {
            let named = (register.bank, register.slot);
            let is_address =
                !register.is_written && register.slot == inst.args.a && register.bank != Bank::Preds;
            if register.is_written && is_load && may_replace {
                if inst.args.in_place {
                    registers.change(base, named);
                } else {
                    registers.replace(base, named);
                }
            } else if !(is_known && is_load && is_address) {
                registers.expand(base, named);
            }
        }
    }

    /// Carries it out for one warp after another. An error is the warp that could not, and why.
    fn touch_apart(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        addresses: Option<&Addresses>,
    ) -> Result<(), (usize, Left)> {
        let (is_seen, mut scratch) = (self.observers.check_accesses(), [0; WARP_SIZE]);
        self.counts.steps -= team.lanes.warps;
        for (w, mask, active) in team.members() {
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            if active == 0 {
                continue;
            }
            if is_seen && let Some(addresses) = addresses {
                let shape = addresses.shape(w, active, &mut scratch);
                if !self.show_warp(block, team, inst, &shape, (w, mask, self.counts.steps - 1)) {
                    expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
                    self.carry_out_seen(block, team, (w, mask, active), inst)?;
                    continue;
                }
            }
            self.touch_one(block, team, inst, addresses, (w, active))?;
        }
        Ok(())
    }

    /// Carries it out for one warp, in the step that has just been counted. Nobody looks, or has been shown it.
    #[inline(always)]
    pub(crate) fn touch_one(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        addresses: Option<&Addresses>,
        (w, active): (usize, u32),
    ) -> Result<(), (usize, Left)> {
        let mut scratch = [0; WARP_SIZE];
        let shape = addresses.map(|addresses| addresses.shape(w, active, &mut scratch));
        let (pc, frame, step) = (team.pc, &team.frame, self.counts.steps - 1);
        let (mut memories, mut lanes, counters) = memories_of(self, block, w, (pc, frame), active);
        (memories.order.step, memories.now) = (memories.order.step + team.done, step);
        let (memories, lanes) = (&mut memories, &mut lanes);
        let mut warp = WarpAccess { memories, lanes, inst, pc, frame, counters };
        let outcome = match (&inst.op, &shape) {
            (Op::Load(access), Some(shape)) => warp.load_shaped(access, shape),
            (Op::Store(access), Some(shape)) => warp.store_shaped(access, shape),
            _ => warp.carry_out(),
        };
        outcome.map_err(|denied| (w, Left::Denied(denied)))
    }

    /// Carries out a load or store for all warps at once, if it is known how its addresses lie, and they are in one piece of
    /// memory; whether it is so. If not, some words may have been copied, and copying them again changes nothing.
    pub(crate) fn touch_at_once(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        (addresses, may_replace): (Option<&Addresses>, bool),
    ) -> bool {
        addresses.is_some_and(|addresses| {
            self.touch_stretch(block, team, inst, (addresses, may_replace))
                || self.touch_rows(block, team, inst, (addresses, may_replace))
        })
    }

    /// Carries it out for all warps at once, where threads that follow each other access neighbouring elements; whether they
    /// do.
    fn touch_stretch(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        (addresses, may_replace): (&Addresses, bool),
    ) -> bool {
        let Some(run) = Stretch::of(team, inst, (addresses, may_replace)) else { return false };
        let is_shared = run.access.address.memory == Memory::Shared;
        if self.observers.check_accesses() && !self.show_stretch(block, team, inst, &run) {
            return false;
        }
        let is_done = if is_shared {
            run.touch_shared(block, team)
        } else {
            run.touch_global(self.global, block, team)
        };
        if is_done {
            run.count(&mut self.counts.traffic[team.pc as usize]);
        }
        is_done
    }

    /// Shows the checkers an access of all warps, which will be carried out at once; `false`, and nothing shown, if that is
    /// not certain.
    fn show_stretch(&mut self, block: &mut Block, team: &Team, inst: &Inst, run: &Stretch<'_>) -> bool {
        let range = (run.start, run.bytes());
        let is_allowed = match run.access.address.memory {
            Memory::Shared => {
                range.0.checked_add(range.1).is_some_and(|end| end <= block.shared.len() as u64)
            }
            _ if run.is_load => self.global.is_contiguous(self.global.locate(range.0, range.1), range.1),
            _ => self.global.is_contiguous(self.global.locate_writable(range.0, range.1), range.1),
        };
        if !is_allowed || !self.is_known(block, run.access, range, run.is_load) {
            return false;
        }
        self.show_rows(block, team, inst, run);
        true
    }

    /// Shows the checker of races an access of all warps.
    fn show_rows(&mut self, block: &mut Block, team: &Team, inst: &Inst, run: &Stretch<'_>) {
        let Some(model) = &mut self.observers.memory_model else { return };
        let (first, element) = (self.counts.steps - team.lanes.warps, run.access.lane_bytes());
        model.at(team.pc, first);
        let order = LaneOrder::new(self.setup.launch.seed, block.number, 0, 0);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        let threads = (run.threads.start, run.threads.end);
        if model.stretch(seen, block.slot, (run.start, threads), (run.access, kind_of(inst))) {
            return;
        }
        for (step, (w, mask, active)) in (first..).zip(team.members()).filter(|(_, member)| member.2 != 0) {
            let offset = (w * WARP_SIZE - run.threads.start) as u64 * element;
            let row = Row::from_lane_0(run.start + offset, element, active);
            self.show_rows_of_warp(block, team, inst, &[row], (w, mask, step));
        }
    }

    /// Shows the checkers the access of a warp; `false`, and nothing shown, if they have to see it lane by lane.
    fn show_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        shape: &Shape<'_>,
        (w, mask, step): (usize, u32, u64),
    ) -> bool {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return false };
        let (bytes, is_load) = (access.lane_bytes(), matches!(inst.op, Op::Load(_)));
        let is_known = |row: &Row| {
            let range = row
                .range(bytes)
                .filter(|_| is_load || !self.observers.initialisation.is_on || row.is_dense(bytes));
            range.is_some_and(|range| self.is_known(block, access, range, is_load))
        };
        let rows = shape.rows();
        if rows.is_empty() || !rows.iter().all(is_known) {
            return false;
        }
        if self.observers.memory_model.is_some() {
            self.show_rows_of_warp(block, team, inst, rows, (w, mask, step));
        }
        true
    }

    /// Notes that all bytes of a range are about to be written, or asks whether a load finds them written.
    fn is_known(
        &mut self,
        block: &mut Block,
        access: &Access,
        (start, bytes): (u64, u64),
        is_load: bool,
    ) -> bool {
        let reports = self.observers.initialisation.reports;
        if !self.observers.initialisation.is_on || is_load && !reports {
            return true;
        }
        let is_shared = access.address.memory == Memory::Shared;
        let (written, start) = if is_shared && reports {
            (&mut block.shared_written, start as usize)
        } else if !is_shared && self.global.has_unwritten() {
            let Ok((region, offset)) = self.global.locate(start, bytes) else { return false };
            let Some(written) = self.global.written_mut(region) else { return true };
            (written, offset)
        } else {
            return true;
        };
        let range = start..start + bytes as usize;
        if range.end > written.bytes() {
            return false;
        }
        if is_load {
            return written.has(range);
        }
        written.set(range);
        true
    }

    /// Shows the checker of races the access of a warp whose lanes form rows.
    #[inline(always)]
    fn show_rows_of_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        rows: &[Row],
        (w, mask, step): (usize, u32, u64),
    ) {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return };
        let Some(model) = &mut self.observers.memory_model else { return };
        let order =
            LaneOrder::new(self.setup.launch.seed, block.number, w as u32, block.warps[w].steps + team.done);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        model.run(block.slot, w, mask);
        model.at(team.pc, step);
        let show = |left, row: &Row| left | model.strided(seen, row, (access, kind_of(inst)));
        let left = rows.iter().fold(0, show);
        self.show_lanes(block, team, inst, (w, left));
    }

    /// Shows the checker of races lanes of a warp one by one, in the step that it knows of.
    #[inline(always)]
    fn show_lanes(&mut self, block: &mut Block, team: &Team, inst: &Inst, (w, lanes): (usize, u32)) {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return };
        let Some(model) = self.observers.memory_model.as_mut().filter(|_| lanes != 0) else { return };
        expand(&mut block.registers, team.frame.base, self.setup.program.reads(inst));
        let order =
            LaneOrder::new(self.setup.launch.seed, block.number, w as u32, block.warps[w].steps + team.done);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        let lanes = block.registers.lanes(w, team.frame.base, lanes);
        model.access(seen, &lanes, &inst.args, (access, kind_of(inst)), &team.frame);
    }
}

/// What the checker of races calls a load or a store.
fn kind_of(inst: &Inst) -> OpKind {
    if matches!(inst.op, Op::Load(_)) { OpKind::Load } else { OpKind::Store }
}
