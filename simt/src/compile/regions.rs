//! Branches that do no more than skip a few instructions.
//!
//! `if (i < n) x[i] = 0;` compiles to a branch over what stands in the braces. Lanes that skip it wait right behind it for
//! those that do not, so it can be carried out under a mask, without parting the warp. That is so where the branch leads
//! forward to where its sides meet, nothing in between changes who runs together, and nobody jumps in from elsewhere.
//! Regions may lie in regions. Left out: `if` with an `else`, whose sides take turns.

use crate::compile::inst::{Inst, Pc};
use crate::compile::program::Code;
use crate::isa::op::Op;

/// Instructions in a region at most: what is carried out without looking at the slice.
const MAX_LENGTH: u32 = 64;

/// For each instruction of a function, the end of the region that it opens; 0 where it opens none.
pub fn regions(insts: &[Inst], tables: &[Vec<Pc>], code: &Code) -> Vec<Pc> {
    let jumps = jumps(insts, tables, code);
    let mut ends = vec![0; (code.end - code.start) as usize];
    // From the last on, so that what lies inside has been decided.
    for pc in (code.start..code.end).rev() {
        let inst = &insts[pc as usize];
        let Op::Branch { target, meet } = inst.op else { continue };
        let skips = inst.guarded && target == meet && target > pc + 1 && target - pc - 1 <= MAX_LENGTH;
        // Lanes that go to the end of the kernel do not wait for anybody.
        let ends_lanes = |to: Pc| insts.get(to as usize).is_some_and(ends_threads);
        if !skips || ends_lanes(target) || ends_lanes(pc + 1) {
            continue;
        }
        let stays = |at: Pc| ends[(at - code.start) as usize] != 0 || is_simple(insts[at as usize].op);
        let from_inside = |&(from, to): &(Pc, Pc)| !(pc < to && to < target) || (pc < from && from < target);
        if (pc + 1..target).all(stays) && jumps.iter().all(from_inside) {
            let leaves = |at: Pc| ends[(at - code.start) as usize] > target;
            if !(pc + 1..target).any(leaves) {
                ends[(pc - code.start) as usize] = target;
            }
        }
    }
    ends
}

/// Whether an instruction ends every lane that comes to it.
fn ends_threads(inst: &Inst) -> bool {
    !inst.guarded && matches!(inst.op, Op::Return | Op::Exit)
}

/// Whether an instruction leaves all lanes where they are.
fn is_simple(op: Op) -> bool {
    matches!(
        op,
        Op::Alu(_)
            | Op::Special { .. }
            | Op::FrameAddress { .. }
            | Op::IsSpace { .. }
            | Op::Load(_)
            | Op::Store(_)
            | Op::Atomic(_)
            | Op::Fence(_)
            | Op::ActiveMask
            | Op::Hint
    )
}

/// Every jump of a function: from where to where.
fn jumps(insts: &[Inst], tables: &[Vec<Pc>], code: &Code) -> Vec<(Pc, Pc)> {
    let of = |pc: Pc| match insts[pc as usize].op {
        Op::Branch { target, .. } => vec![(pc, target)],
        Op::BranchIndexed { list, .. } => tables[list as usize].iter().map(|&to| (pc, to)).collect(),
        _ => Vec::new(),
    };
    (code.start..code.end).flat_map(of).collect()
}
