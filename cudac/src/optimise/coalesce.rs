//! A result that is only copied is computed where it is copied to.

use std::collections::HashMap;

use crate::code::{Block, End, Function, Inst, Op, Operand, Reg};

pub(super) fn coalesce(function: &mut Function) {
    let mut reads = vec![0u32; function.regs.len()];
    let mut writes = vec![0u32; function.regs.len()];
    for block in &function.blocks {
        for inst in &block.insts {
            inst.reads(|reg| reads[reg as usize] += 1);
            inst.dsts.iter().for_each(|dst| writes[*dst as usize] += 1);
        }
        block.end.condition().into_iter().for_each(|reg| reads[reg as usize] += 1);
    }
    for block in &mut function.blocks {
        // Where a register was last touched, so that one look tells whether it was between two instructions.
        let mut made: HashMap<Reg, usize> = HashMap::new();
        let mut touched: HashMap<Reg, usize> = HashMap::new();
        for at in 0..block.insts.len() {
            if let Some((to, from)) = copied(&block.insts[at])
                && writes[from as usize] == 1
                && function.regs[to as usize] == function.regs[from as usize]
                && let Some(start) = made.get(&from).copied()
                && touched.get(&to).is_none_or(|last| *last <= start)
                && at - start <= MAX_DISTANCE
                && rename(block, (start, at), from, to, reads[from as usize])
            {
                touched.insert(to, at);
                made.remove(&to);
                continue;
            }
            let inst = &block.insts[at];
            inst.reads(|reg| {
                touched.insert(reg, at);
            });
            for dst in &inst.dsts {
                touched.insert(*dst, at);
                made.insert(*dst, at);
            }
        }
    }
}

/// How many instructions may be between a result and its copy, and after the copy.
const MAX_DISTANCE: usize = 200;

fn copied(inst: &Inst) -> Option<(Reg, Reg)> {
    match (&inst.op, &inst.dsts[..], &inst.args[..]) {
        (Op::Mov, [to], [Operand::Reg(from)]) if to != from => Some((*to, *from)),
        _ => None,
    }
}

/// Computes a result where it is copied to, if all that read it can read the copy.
fn rename(block: &mut Block, (start, at): (usize, usize), from: Reg, to: Reg, reads: u32) -> bool {
    let mut found = 0;
    let mut end = block.insts.len();
    for (nth, inst) in block.insts.iter().enumerate().skip(start + 1) {
        if nth > at + MAX_DISTANCE {
            return false;
        }
        inst.reads(|reg| found += u32::from(reg == from));
        if nth > at && inst.dsts.contains(&to) {
            end = nth + 1;
            break;
        }
    }
    let is_last = end == block.insts.len();
    let tests = is_last && block.end.condition() == Some(from);
    if found + u32::from(tests) != reads {
        return false;
    }
    for inst in &mut block.insts[start + 1..end] {
        inst.replace(|reg| Operand::Reg(if reg == from { to } else { reg }));
    }
    for dst in &mut block.insts[start].dsts {
        if *dst == from {
            *dst = to;
        }
    }
    if let (End::Branch { condition, .. }, true) = (&mut block.end, tests) {
        *condition = to;
    }
    true
}
