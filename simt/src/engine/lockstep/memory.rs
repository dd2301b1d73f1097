//! Loads and stores of a group of warps at addresses that are planes.
//!
//! Where all threads touch neighbouring elements it is one piece of memory for all warps; otherwise the warps take it row by
//! row, as they would alone ([`super::super::swift::memory`]).

use super::apart::Touch;
use super::plane::Plane;
use super::run::through;
use super::{Lockstep, MAX_WARPS, Team};
use crate::engine::program::Pc;
use crate::engine::run::Stop;
use crate::engine::swift::arithmetic::{Affine, Span};
use crate::engine::swift::memory::{Row, Spaces};
use crate::engine::swift::plan::{How, Step};
use crate::isa::Op;
use crate::isa::memory::{Access, Base, Memory};
use crate::machine::registers::FULL_MASK;

impl Lockstep<'_, '_> {
    /// Carries out a load or a store.
    pub(super) fn touch(&mut self, step: &Step, pc: Pc, team: &Team) -> Result<(), Stop> {
        let inst = &self.run.program.insts[pc as usize];
        let (How::LoadOne | How::Load | How::Store, Op::Load(access) | Op::Store(access)) =
            (step.how, &inst.op)
        else {
            return Err(Stop::NotInLockStep);
        };
        let plane = match access.address.base {
            Base::Absolute => Plane::default(),
            _ => self.planes[usize::from(step.from[0])],
        };
        if !self.keep_apart(access, plane, matches!(step.how, How::Store), team) {
            return Err(Stop::NotInLockStep);
        }
        let done = match step.how {
            How::LoadOne => self.load_one(step, pc, plane, team),
            How::Load => self.rows(step, pc, plane, team),
            _ => self.rows(step, pc, plane, team),
        };
        done.ok_or(Stop::NotInLockStep)
    }

    /// Notes what is touched; whether the warps keep apart.
    fn keep_apart(&mut self, access: &Access, plane: Plane, is_store: bool, team: &Team) -> bool {
        let space = match access.address.memory {
            Memory::Global => 0,
            Memory::Shared => 1,
            // Nobody writes to the others.
            _ => return !is_store,
        };
        let offset = Plane::uniform(access.address.offset as u64);
        let (at, is_narrow) = (plane.add(offset), access.address.base == Base::Narrow);
        let signed = |steps: u64| if is_narrow { i64::from(steps as u32 as i32) } else { steps as i64 };
        let steps = (signed(at.line.stride), signed(at.hop));
        // Addresses of 32 bits do not wrap from the first thread's on.
        let base = if is_narrow { first_base(at, steps, team) } else { Some(at.line.base as i64) };
        let touch = base.and_then(|base| Touch::new(base, steps, access.lane_bytes(), team.extent));
        match touch {
            Some(touch) if is_store => self.touched[space].write(touch),
            Some(touch) => self.touched[space].read(touch),
            None => false,
        }
    }

    /// One element for all lanes of a warp.
    fn load_one(&mut self, step: &Step, pc: Pc, plane: Plane, team: &Team) -> Option<()> {
        let inst = &self.run.program.insts[pc as usize];
        let Op::Load(access) = &inst.op else { return None };
        let mut values = [0; MAX_WARPS];
        for (warp, mask) in team.each() {
            let row = Row::new(access, &inst.args, plane.of(warp as u32), (mask, Span::of(mask)));
            let spaces =
                Spaces { global: self.run.global, shared: &mut self.shared, params: &self.run.params };
            let counters = &mut self.run.traffic[pc as usize];
            values[warp] = row.load_one(spaces, counters)?;
        }
        self.set(step, through(&values, team)?, team);
        Some(())
    }

    /// A row for each warp.
    fn rows(&mut self, step: &Step, pc: Pc, plane: Plane, team: &Team) -> Option<()> {
        let inst = &self.run.program.insts[pc as usize];
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return None };
        for (warp, mask) in team.each() {
            let row = Row::new(access, &inst.args, plane.of(warp as u32), (mask, Span::of(mask)));
            let base = self.base(warp);
            let spaces =
                Spaces { global: self.run.global, shared: &mut self.shared, params: &self.run.params };
            let counters = &mut self.run.traffic[pc as usize];
            let is_load = matches!(step.how, How::Load);
            let mut lanes = self.registers.lanes(base, mask);
            if is_load && step.is_free {
                lanes.mask = FULL_MASK;
            }
            let done = match is_load {
                true => row.load(spaces, &mut lanes, counters),
                false => row.store(spaces, &lanes, counters),
            };
            if !done {
                return None;
            }
        }
        Some(())
    }
}

/// The address of lane 0 of warp 0 from which those of a team follow without wrapping at 32 bits.
fn first_base(at: Plane, (stride, hop): (i64, i64), team: &Team) -> Option<i64> {
    let (warp, lane) = (team.extent.first, team.extent.span.low);
    let first = i64::from(at.of(warp).at(lane) as u32);
    first.checked_sub(stride.checked_mul(i64::from(lane))?)?.checked_sub(hop.checked_mul(i64::from(warp))?)
}
