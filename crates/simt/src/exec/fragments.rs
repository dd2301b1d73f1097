//! What instructions do to registers that the products of warpgroups use ([`crate::checkers::fragments`]).

use crate::compile::inst::{Inst, Pc};
use crate::compile::program::Program;
use crate::isa::affine::Rule;
use crate::isa::op::{Op, Touched};
use crate::machine::registers::{Bank, Shape};
use crate::machine::warpgroup::{EarlyUse, Use, WARPS, Warpgroups};

/// An instruction of a warp that is about to be carried out.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The step of the launch.
    pub number: u64,
    /// The warp in the block.
    pub warp: usize,
    /// The lanes for which it is carried out.
    pub active: u32,
    /// The instruction.
    pub pc: Pc,
    /// Where its frame starts.
    pub base: Shape,
}

/// Notes what an instruction does to registers. If it copies the result of a product that has not been carried out, returns the product,
/// which has to be carried out first.
pub fn note(groups: &mut Warpgroups, program: &Program, inst: &Inst, step: Step) -> Option<u64> {
    let (reads, writes) = (program.reads(inst), program.writes(inst));
    if let (Rule::Copy { from_wide: false }, [from], [to]) = (inst.affine, reads, writes)
        && [from, to].iter().all(|register| register.bank == Bank::Narrow)
    {
        return copy(groups, step, *from, *to);
    }
    if matches!(inst.op, Op::Warpgroup(_)) {
        return None;
    }
    let is_narrow = |register: &&Touched| register.bank == Bank::Narrow;
    for register in reads.iter().filter(is_narrow) {
        note_early(groups, step, *register);
    }
    for register in writes.iter().filter(is_narrow) {
        note_early(groups, step, *register);
        let uses = &mut groups.warps[step.warp];
        let written = uses.fences + 1;
        uses.set(place(step, *register), Use { written, written_at: step.pc, ..Use::default() });
    }
    None
}

fn copy(groups: &mut Warpgroups, step: Step, from: Touched, to: Touched) -> Option<u64> {
    let uses = &groups.warps[step.warp];
    let known = uses.of(place(step, from));
    if uses.is_pending(known) {
        if groups.product(known.product).is_some_and(|product| !product.is_done) {
            return Some(known.product);
        }
    } else {
        note_early(groups, step, to);
    }
    groups.warps[step.warp].copy(place(step, from), place(step, to), step.pc);
    None
}

/// Notes that a register is used, if it is one of a product that has not been waited for.
fn note_early(groups: &mut Warpgroups, step: Step, register: Touched) {
    let uses = &groups.warps[step.warp];
    let known = uses.of(place(step, register));
    if !uses.is_pending(known) {
        return;
    }
    let Some(product) = groups.product(known.product) else { return };
    let early = EarlyUse {
        step: step.number,
        warp: step.warp,
        lane: step.active.trailing_zeros(),
        pc: step.pc,
        slot: register.slot,
        product: product.pc,
        is_committed: product.groups[step.warp % WARPS].is_some(),
        is_result: known.is_result,
        is_written: register.is_written,
    };
    groups.found.push(early);
}

fn place(step: Step, register: Touched) -> usize {
    step.base.narrow + usize::from(register.slot)
}
