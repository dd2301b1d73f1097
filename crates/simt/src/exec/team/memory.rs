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
use crate::exec::cursor::Parts;
use crate::exec::memory::WarpAccess;
use crate::exec::state::{Run, Stop};
use crate::exec::step::Left;
use crate::exec::team::addresses::Addresses;
use crate::exec::team::compute::expand;
use crate::exec::team::stretch::Stretch;
use crate::exec::team::{Member, Team};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::block::Block;
use crate::machine::registers::{Bank, WARP_SIZE};
use crate::order::clocks::WarpId;

impl Run<'_> {
    /// Carries out a load, a store or an atomic of a team.
    pub fn touch_team(
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
        if self.touch_at_once(block, team, addresses.as_ref(), may_replace) {
            return Ok(());
        }
        self.prepare(block, team, inst, addresses.is_some(), may_replace);
        let outcome = self.touch_apart(block, team, inst, addresses.as_ref());
        outcome.or_else(|(w, left)| self.stop(block, team, w, left))
    }

    /// Prepares the registers that an access names for each warp, but not the one with its address, if that is known.
    pub fn prepare(&self, block: &mut Block, team: &Team, inst: &Inst, is_known: bool, may_replace: bool) {
        let (registers, base) = (&mut block.registers, team.frame.base);
        let is_load = matches!(inst.op, Op::Load(_));
        for register in self.setup.program.touched(inst) {
            let (bank, slot) = (register.bank, register.slot);
            let is_address = !register.is_written && slot == inst.args.a && bank != Bank::Preds;
            if register.is_written && is_load && may_replace {
                if inst.args.in_place {
                    registers.change(base, bank, slot);
                } else {
                    registers.replace(base, bank, slot);
                }
            } else if !(is_known && is_load && is_address) {
                registers.expand(base, bank, slot);
            }
        }
    }

    /// Carries it out for one warp after another. An error is the warp that could not, and why.
    fn touch_apart(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        addresses: Option<&Addresses<'_>>,
    ) -> Result<(), (usize, Left)> {
        let (is_checked, mut scratch) = (self.observers.check_accesses(), [0; WARP_SIZE]);
        self.counts.steps -= team.lanes.warps;
        for member in team.members() {
            self.counts.steps += 1;
            self.counts.effort.apart += 1;
            if member.active == 0 {
                continue;
            }
            if is_checked && let Some(addresses) = addresses {
                let shape = addresses.shape(member.w, member.active, &mut scratch);
                if !self.check_warp(block, team, addresses, &shape, member) {
                    expand(&mut block.registers, team.frame.base, self.setup.program.touched(inst));
                    self.carry_out_checked(block, team, member, inst)?;
                    continue;
                }
            }
            self.touch_one(block, team, inst, addresses, member)?;
        }
        Ok(())
    }

    /// Carries it out for one warp, in the step that has just been counted. The checkers have been shown it, if there are any.
    #[inline(always)]
    pub fn touch_one(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        addresses: Option<&Addresses<'_>>,
        Member { w, active, .. }: Member,
    ) -> Result<(), (usize, Left)> {
        let mut scratch = [0; WARP_SIZE];
        let shape = addresses.map(|addresses| addresses.shape(w, active, &mut scratch));
        let (pc, frame, step) = (team.pc, &team.frame, self.counts.steps - 1);
        let mut at = self.at(block, w);
        let Parts { mut memories, mut lanes, traffic, .. } = at.parts(frame, active);
        (memories.order.step, memories.now) = (memories.order.step + team.done, step);
        let (memories, lanes, counters) = (&mut memories, &mut lanes, &mut traffic[pc as usize]);
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
    pub fn touch_at_once(
        &mut self,
        block: &mut Block,
        team: &Team,
        addresses: Option<&Addresses<'_>>,
        may_replace: bool,
    ) -> bool {
        addresses.is_some_and(|addresses| {
            self.touch_stretch(block, team, addresses, may_replace)
                || self.touch_rows(block, team, addresses, may_replace)
        })
    }

    /// Carries it out for all warps at once, where threads that follow each other access neighbouring elements; whether they
    /// do.
    fn touch_stretch(
        &mut self,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
        may_replace: bool,
    ) -> bool {
        let Some(run) = Stretch::of(team, addresses, may_replace) else { return false };
        if self.observers.check_accesses() && !self.check_stretch(block, team, &run) {
            return false;
        }
        let is_done = if run.access.address.memory == Memory::Shared {
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
    fn check_stretch(&mut self, block: &mut Block, team: &Team, run: &Stretch<'_>) -> bool {
        let (start, length) = (run.start, run.bytes());
        let is_allowed = match run.access.address.memory {
            Memory::Shared => start.checked_add(length).is_some_and(|end| end <= block.shared.len() as u64),
            _ if run.is_load => self.global.is_contiguous(self.global.locate(start, length), length),
            _ => self.global.is_contiguous(self.global.locate_writable(start, length), length),
        };
        let is_certain = is_allowed && self.is_known(block, run.addresses, start, length);
        if is_certain {
            self.check_rows(block, team, run);
        }
        is_certain
    }

    /// Shows the race checker an access of all warps.
    fn check_rows(&mut self, block: &mut Block, team: &Team, run: &Stretch<'_>) {
        let Some(model) = &mut self.observers.memory_model else { return };
        let (first, element) = (self.counts.steps - team.lanes.warps, run.access.lane_bytes());
        model.at(team.pc, first);
        let order = LaneOrder::new(self.setup.launch.seed, block.number, 0, 0);
        let view = MemoryView { global: self.global, shared: &block.shared, order };
        let (threads, kind) = (run.threads.clone(), kind_of(run.addresses));
        if model.stretch(view, block.slot, run.start, threads, run.access, kind) {
            return;
        }
        for (step, member) in (first..).zip(team.members()).filter(|(_, member)| member.active != 0) {
            let offset = (member.w * WARP_SIZE - run.threads.start) as u64 * element;
            let row = Row::from_lane_0(run.start + offset, element, member.active);
            self.check_rows_of_warp(block, team, run.addresses, &[row], member, step);
        }
    }

    /// Shows the checkers the access of a warp; `false`, and nothing shown, if they have to see it lane by lane.
    fn check_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
        shape: &Shape<'_>,
        member: Member,
    ) -> bool {
        let bytes = addresses.access.lane_bytes();
        let is_known = |row: &Row| {
            let is_exact = addresses.is_load() || !self.observers.initialisation.is_on || row.is_dense(bytes);
            let range = row.range(bytes).filter(|_| is_exact);
            range.is_some_and(|(start, length)| self.is_known(block, addresses, start, length))
        };
        let rows = shape.rows();
        if rows.is_empty() || !rows.iter().all(is_known) {
            return false;
        }
        if self.observers.memory_model.is_some() {
            self.check_rows_of_warp(block, team, addresses, rows, member, self.counts.steps - 1);
        }
        true
    }

    /// Notes that all bytes of a range are about to be written, or asks whether a load finds them written.
    fn is_known(&mut self, block: &mut Block, addresses: &Addresses<'_>, start: u64, bytes: u64) -> bool {
        let is_load = addresses.is_load();
        let reports = self.observers.initialisation.reports;
        if !self.observers.initialisation.is_on || is_load && !reports {
            return true;
        }
        let is_shared = addresses.access.address.memory == Memory::Shared;
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

    /// Shows the race checker the access of a warp whose lanes form rows.
    #[inline(always)]
    fn check_rows_of_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
        rows: &[Row],
        Member { w, mask, .. }: Member,
        step: u64,
    ) {
        let Some(model) = &mut self.observers.memory_model else { return };
        let Addresses { inst, access, .. } = addresses;
        let steps = block.warps[w].steps + team.done;
        let order = LaneOrder::new(self.setup.launch.seed, block.number, w as u32, steps);
        let view = MemoryView { global: self.global, shared: &block.shared, order };
        model.run(WarpId { slot: block.slot, warp: w }, mask);
        model.at(team.pc, step);
        let show = |left, row: &Row| left | model.strided(view, row, access, kind_of(addresses));
        let left = rows.iter().fold(0, show);
        if left != 0 {
            // These have to be shown one by one.
            expand(&mut block.registers, team.frame.base, self.setup.program.reads(inst));
            let lanes = block.registers.lanes(w, team.frame.base, left);
            model.access(view, &lanes, &inst.args, access, kind_of(addresses), &team.frame);
        }
    }
}

/// What the race checker calls a load or a store.
fn kind_of(addresses: &Addresses<'_>) -> OpKind {
    if addresses.is_load() { OpKind::Load } else { OpKind::Store }
}
