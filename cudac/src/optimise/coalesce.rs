//! A result that is only copied is computed where it is copied to.

use crate::code::{Function, Op, Operand, Reg};

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
        let mut made: std::collections::HashMap<Reg, usize> = std::collections::HashMap::new();
        let mut touched: std::collections::HashMap<Reg, usize> = std::collections::HashMap::new();
        for at in 0..block.insts.len() {
            let inst = &block.insts[at];
            if let (Op::Mov, [to], [Operand::Reg(from)]) = (&inst.op, &inst.dsts[..], &inst.args[..]) {
                let (to, from) = (*to, *from);
                let is_only = reads[from as usize] == 1 && writes[from as usize] == 1;
                let same_class = function.regs[to as usize] == function.regs[from as usize];
                if let Some(start) = made.get(&from).copied().filter(|_| is_only && same_class)
                    && touched.get(&to).is_none_or(|last| *last <= start)
                {
                    // What the instruction itself reads may be the register that it now writes.
                    if let Some(dst) = block.insts[start].dsts.iter_mut().find(|dst| **dst == from) {
                        *dst = to;
                    }
                    block.insts[at].args = vec![Operand::Reg(to)];
                    touched.insert(to, at);
                    made.insert(to, start);
                    continue;
                }
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
