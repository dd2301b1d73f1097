//! What the registers of all warps have in common is computed once.

use crate::access::element::extend;
use crate::compile::inst::Inst;
use crate::compile::program::Program;
use crate::exec::special::Place;
use crate::exec::state::{Run, Stop};
use crate::exec::team::{Member, Team};
use crate::isa::affine::{Operands, Rule};
use crate::isa::op::memory::{Access, Base, Memory};
use crate::isa::op::{Op, Touched};
use crate::isa::special::{Axis, Special};
use crate::isa::value::Run as Compute;
use crate::machine::affine::Affine;
use crate::machine::block::Block;
use crate::machine::registers::{Bank, FULL_MASK, Registers, Shape, WARP_SIZE};

impl Run<'_> {
    /// What an access loads, if that is a parameter of the kernel that is named, not computed.
    #[inline(always)]
    pub fn named_parameter(&self, access: &Access) -> Option<u64> {
        let is_named = access.address.memory == Memory::Param && access.address.base == Base::Absolute;
        if !is_named || access.count != 1 {
            return None;
        }
        let (start, bytes) = (usize::try_from(access.address.offset).ok()?, usize::from(access.bytes));
        let element = self.setup.params.get(start..).and_then(|bytes_left| bytes_left.get(..bytes));
        element.filter(|_| start.is_multiple_of(bytes)).map(|element| extend(element, access))
    }

    /// What a special register is in all threads of a block, where it is affine.
    pub fn affine_special(&self, block: &Block, what: Special) -> Option<Affine> {
        let (dim, grid) = (self.setup.launch.block, block.registers.grid());
        let lanes = WARP_SIZE as u32;
        let rows = u64::from(lanes / grid.columns);
        let (column, row) = (Affine { x: 1, ..Affine::default() }, Affine { y: 1, ..Affine::default() });
        let is_flat = dim.y == 1 && dim.z == 1;
        match what {
            Special::WarpId => Some(Affine { warp: 1, ..Affine::default() }),
            Special::LaneId => Some(Affine { y: u64::from(grid.columns), ..column }),
            Special::Tid(Axis::X) if is_flat => Some(Affine { warp: u64::from(lanes), ..column }),
            Special::Tid(Axis::X) => (dim.x == grid.columns).then_some(column),
            Special::Tid(Axis::Y) if dim.y == 1 => Some(Affine::default()),
            Special::Tid(Axis::Y) if dim.x != grid.columns => None,
            Special::Tid(Axis::Y) if dim.z == 1 => Some(Affine { warp: rows, ..row }),
            Special::Tid(Axis::Y) => (u64::from(dim.y) == rows).then_some(row),
            Special::Tid(Axis::Z) if dim.z == 1 => Some(Affine::default()),
            Special::Tid(Axis::Z) if dim.x == grid.columns && u64::from(dim.y) == rows => {
                Some(Affine { warp: 1, ..Affine::default() })
            }
            Special::Clock | Special::ClockHigh | Special::LaneMask(_) | Special::Tid(Axis::Z) => None,
            uniform => Some(Affine::uniform(Place::of(self, block, 0).uniform(uniform, 0))),
        }
    }

    /// Whether all warps of a block get the same from an instruction.
    pub fn is_common(&self, block: &Block, team: &Team, inst: &Inst) -> bool {
        let first = team.active()[0];
        match &inst.op {
            Op::FrameAddress { .. } => true,
            Op::Load(access) => {
                let is_same =
                    |mask: &u32| *mask == first || *mask == 0 && access.address.memory == Memory::Param;
                !self.observers.check_accesses()
                    && has_common_address(block, team, access, inst)
                    && team.active().iter().all(is_same)
            }
            _ => false,
        }
    }

    /// Carries out for the first warp what comes to the same for all.
    pub fn carry_out_once(&mut self, block: &mut Block, team: &mut Team, inst: &Inst) -> Result<(), Stop> {
        let warps = team.active().iter().filter(|active| **active != 0).count() as u64;
        let (base, reads, writes) =
            (team.frame.base, self.setup.program.reads(inst), self.setup.program.writes(inst));
        expand(&mut block.registers, base, reads);
        for result in writes {
            block.registers.replace(base, result.bank, result.slot);
        }
        let counted = std::mem::take(&mut self.counts.traffic[team.pc as usize]);
        let active = if matches!(inst.op, Op::Load(_)) { team.active()[0] } else { FULL_MASK };
        let first = Member { w: 0, mask: active, active };
        let before = self.counts.steps - team.lanes.warps;
        let is_uniform = active & 1 != 0 && are_uniform(&block.registers, base, reads);
        let left = self.carry_out_for(block, team, first, inst, before);
        for result in writes {
            block.registers.share_first(base, result.bank, result.slot, is_uniform);
        }
        let traffic = &mut self.counts.traffic[team.pc as usize];
        let one = std::mem::replace(traffic, counted);
        traffic.add_times(&one, if left.is_ok() { warps } else { 1 });
        if let Err(left) = left {
            self.counts.steps = before + 1;
            return self.stop(block, team, 0, left);
        }
        Ok(())
    }
}

/// Computes registers of all warps of a team: once for the block where the result is affine or the same in all warps.
#[inline(always)]
pub fn compute(
    program: &Program,
    block: &mut Block,
    team: &Team,
    inst: &Inst,
    run: Compute,
    may_replace: bool,
) {
    let (registers, base) = (&mut block.registers, team.frame.base);
    let (reads, writes) = (program.reads(inst), program.writes(inst));
    if may_replace {
        if inst.affine != Rule::No && compute_affine(registers, base, inst, writes) {
            return;
        }
        if are_same_in_all(registers, base, reads) {
            return compute_once(registers, base, inst, run, reads, writes);
        }
    }
    run(&mut registers.warps(base, team.active(), may_replace), &inst.args);
}

/// Prepares registers for being read and written by each warp.
#[inline(always)]
pub fn expand(registers: &mut Registers, base: Shape, touched: &[Touched]) {
    for register in touched {
        registers.expand(base, register.bank, register.slot);
    }
}

/// Computes an affine result; whether it is one.
#[inline(always)]
fn compute_affine(registers: &mut Registers, base: Shape, inst: &Inst, writes: &[Touched]) -> bool {
    let operands = Operands { registers, base };
    if let Rule::Compare(comparison) = inst.affine {
        let Some(difference) = operands.difference(&inst.args, comparison) else { return false };
        let (grid, slot) = (registers.grid(), base.preds + usize::from(inst.args.d));
        let (least, most) = difference.range(grid);
        if let Some(holds) = comparison.between(least, most) {
            let lanes = if holds { u64::from(FULL_MASK) } else { 0 };
            registers.preds.set_affine(slot, Affine::uniform(lanes));
        } else {
            for (warp, lanes) in registers.preds.replace(slot).iter_mut().enumerate() {
                *lanes = comparison.lanes(difference, warp, grid);
            }
        }
        return true;
    }
    let wide = writes.iter().any(|result| result.bank == Bank::Wide);
    let Some(value) = operands.result(inst.affine, &inst.args, wide) else { return false };
    registers.set_affine(base, inst.args.d, wide, value);
    true
}

/// Computes results that are the same in all warps.
fn compute_once(
    registers: &mut Registers,
    base: Shape,
    inst: &Inst,
    run: Compute,
    reads: &[Touched],
    writes: &[Touched],
) {
    let is_uniform = are_uniform(registers, base, reads);
    expand(registers, base, reads);
    for result in writes {
        registers.replace(base, result.bank, result.slot);
    }
    run(&mut registers.warps(base, &[FULL_MASK], false), &inst.args);
    for result in writes {
        registers.share_first(base, result.bank, result.slot, is_uniform);
    }
}

/// Whether all warps hold the same in each of the registers that are read.
#[inline(always)]
fn are_same_in_all(registers: &Registers, base: Shape, reads: &[Touched]) -> bool {
    for source in reads {
        if !registers.is_same_in_all(base, source.bank, source.slot) {
            return false;
        }
    }
    true
}

/// Whether all threads of the block have the same in each of the registers that are read.
fn are_uniform(registers: &Registers, base: Shape, reads: &[Touched]) -> bool {
    reads.iter().all(|source| registers.uniform(base, source.bank, source.slot).is_some())
}

/// Whether every warp accesses the same addresses.
fn has_common_address(block: &Block, team: &Team, access: &Access, inst: &Inst) -> bool {
    let slot = usize::from(inst.args.a);
    let memory = access.address.memory;
    let is_shared = matches!(memory, Memory::Global | Memory::Shared | Memory::Const | Memory::Param);
    is_shared
        && match access.address.base {
            Base::Absolute => true,
            Base::Wide => block.registers.wide.is_same_in_all(team.frame.base.wide + slot),
            Base::Narrow => block.registers.narrow.is_same_in_all(team.frame.base.narrow + slot),
            Base::Frame => false,
        }
}
