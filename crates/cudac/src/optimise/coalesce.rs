//! A result that is only copied is computed where it is copied to.
//!
//! The code is full of `mov`s, because a variable that changes is a register of its own (`promote`): `t = a + 1; x =
//! t`. If `t` has no other value, and `x` is not touched between the sum and the copy, the sum can be computed in `x`,
//! provided that all that read `t` can read `x`. Works within one block, where order is all that has to be looked at.
//! Left out: copies between blocks.
//!
//! ```text
//! add.s32 %r2, %r1, 1;
//! mov.u32 %r3, %r2;       ->      add.s32 %r3, %r1, 1;
//! ```

use crate::code::{Block, End, Function, Inst, Op, Operand, Reg};

pub(super) fn coalesce(function: &mut Function<'_>) {
    let mut reads = vec![0u32; function.regs.len()];
    let mut writes = vec![0u32; function.regs.len()];
    for block in &function.blocks {
        for inst in &block.insts {
            inst.reads().for_each(|reg| reads[reg as usize] += 1);
            inst.dsts.iter().for_each(|dst| writes[*dst as usize] += 1);
        }
        block.end.condition().into_iter().for_each(|reg| reads[reg as usize] += 1);
    }
    // Where a register was last touched, so that one look tells whether it was between two instructions.
    let (mut made, mut touched) = (Places::new(reads.len()), Places::new(reads.len()));
    for (nth, block) in function.blocks.iter_mut().enumerate() {
        (made.block, touched.block) = (nth, nth);
        let mut is_changed = false;
        for at in 0..block.insts.len() {
            if let Some((to, from)) = copied(&block.insts[at])
                && writes[from as usize] == 1
                && function.regs[to as usize] == function.regs[from as usize]
                && let Some(start) = made.get(from)
                // `to` may be read by the very instruction that makes the result.
                && touched.get(to).is_none_or(|last| last <= start)
                && at - start <= MAX_DISTANCE
                && rename(block, start, at, from, to, reads[from as usize])
            {
                touched.set(to, at);
                made.forget(to);
                is_changed = true;
                continue;
            }
            let inst = &block.insts[at];
            inst.reads().for_each(|reg| touched.set(reg, at));
            for dst in inst.dsts.iter() {
                touched.set(*dst, at);
                made.set(*dst, at);
            }
        }
        if is_changed {
            // What was renamed is now a copy of a register to itself.
            block.insts.retain(|inst| inst.op != Op::Mov || inst.args[..] != [Operand::Reg(inst.dsts[0])]);
        }
    }
}

/// For each register an instruction of the block. They are not cleared between blocks: an entry says which block it is
/// of.
struct Places {
    block: usize,
    /// The block that the register was last noted in, and the instruction.
    known: Vec<(usize, usize)>,
}

impl Places {
    fn new(registers: usize) -> Places {
        Places { block: 0, known: vec![(usize::MAX, 0); registers] }
    }

    fn set(&mut self, reg: Reg, at: usize) {
        self.known[reg as usize] = (self.block, at);
    }

    fn forget(&mut self, reg: Reg) {
        self.known[reg as usize].0 = usize::MAX;
    }

    fn get(&self, reg: Reg) -> Option<usize> {
        let (block, at) = self.known[reg as usize];
        (block == self.block).then_some(at)
    }
}

/// How many instructions may be between a result and its copy, and after the copy. Without a bound, a block of many
/// copies would take quadratic time.
const MAX_DISTANCE: usize = 200;

/// The two registers of a copy.
fn copied(inst: &Inst<'_>) -> Option<(Reg, Reg)> {
    match (&inst.op, &inst.dsts[..], &inst.args[..]) {
        (Op::Mov, [to], [Operand::Reg(from)]) if to != from => Some((*to, *from)),
        _ => None,
    }
}

/// Computes a result where it is copied to, if all that read it can read the copy. `false` if something else reads it:
/// in another block, or after the copy's register has another value.
fn rename(block: &mut Block<'_>, start: usize, at: usize, from: Reg, to: Reg, reads: u32) -> bool {
    let mut found = 0;
    let mut end = block.insts.len();
    for (nth, inst) in block.insts.iter().enumerate().skip(start + 1) {
        if nth > at + MAX_DISTANCE {
            return false;
        }
        found += inst.reads().filter(|reg| *reg == from).count() as u32;
        if nth > at && inst.dsts.contains(&to) {
            end = nth + 1;
            break;
        }
    }
    // The condition of the branch is a read as well, unless `to` is written before the end.
    let is_last = end == block.insts.len();
    let tests = is_last && block.end.condition() == Some(from);
    if found + u32::from(tests) != reads {
        return false;
    }
    for inst in &mut block.insts[start + 1..end] {
        inst.replace(&mut |reg| Operand::Reg(if reg == from { to } else { reg }));
    }
    for dst in block.insts[start].dsts.iter_mut() {
        if *dst == from {
            *dst = to;
        }
    }
    if let (End::Branch { condition, .. }, true) = (&mut block.end, tests) {
        *condition = to;
    }
    true
}
