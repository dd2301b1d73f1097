//! Instructions whose results nobody reads.
//!
//! Liveness of registers, backwards, until nothing changes; a register is a bit.

use crate::code::{Function, Reg};

/// A set of registers.
#[derive(Clone, PartialEq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub fn new(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    pub fn insert(&mut self, reg: Reg) {
        self.0[reg as usize / 64] |= 1 << (reg % 64);
    }

    pub fn has(&self, reg: Reg) -> bool {
        self.0[reg as usize / 64] >> (reg % 64) & 1 != 0
    }

    fn join(&mut self, other: &Set) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }
}

/// Registers that are read by another block than the one that writes them; only these need to be followed.
fn crossing(function: &Function) -> (Vec<u32>, Vec<Reg>) {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; function.regs.len()];
    let mut regs = Vec::new();
    let mut written = vec![usize::MAX; function.regs.len()];
    for (at, block) in function.blocks.iter().enumerate() {
        let mut note = |reg: Reg, written: &[usize]| {
            if written[reg as usize] != at && number[reg as usize] == NONE {
                number[reg as usize] = regs.len() as u32;
                regs.push(reg);
            }
        };
        for inst in &block.insts {
            inst.reads(|reg| note(reg, &written));
            for dst in &inst.dsts {
                written[*dst as usize] = at;
            }
        }
        block.end.condition().into_iter().for_each(|reg| note(reg, &written));
    }
    (number, regs)
}

/// The registers that are live at the end of each block, of those that matter in more than one.
pub(super) struct Live {
    number: Vec<u32>,
    out: Vec<Set>,
}

impl Live {
    pub fn new(function: &Function) -> Live {
        let (number, regs) = crossing(function);
        let count = regs.len();
        let mut live = Live { number, out: vec![Set::new(count); function.blocks.len()] };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for block in &function.blocks {
            let (mut read, mut written) = (Set::new(count), Set::new(count));
            for inst in &block.insts {
                inst.reads(|reg| live.note(reg, &mut read, Some(&written)));
                inst.dsts.iter().for_each(|dst| live.note(*dst, &mut written, None));
            }
            block.end.condition().into_iter().for_each(|reg| live.note(reg, &mut read, Some(&written)));
            reads.push(read);
            writes.push(written);
        }
        live.settle(function, &reads, &writes);
        live
    }

    fn note(&self, reg: Reg, set: &mut Set, unless: Option<&Set>) {
        let number = self.number[reg as usize];
        if number != u32::MAX && !unless.is_some_and(|unless| unless.has(number)) {
            set.insert(number);
        }
    }

    fn settle(&mut self, function: &Function, reads: &[Set], writes: &[Set]) {
        let order = function.reverse_postorder();
        let mut inputs = reads.to_vec();
        let mut changed = true;
        while changed {
            changed = false;
            for block in order.iter().rev() {
                let mut out = self.out[*block].clone();
                for target in function.blocks[*block].end.targets() {
                    out.join(&inputs[target]);
                }
                if out == self.out[*block] {
                    continue;
                }
                changed = true;
                for ((own, out), (read, written)) in
                    inputs[*block].0.iter_mut().zip(&out.0).zip(reads[*block].0.iter().zip(&writes[*block].0))
                {
                    *own = read | out & !written;
                }
                self.out[*block] = out;
            }
        }
    }

    /// Whether a register is read after the end of a block.
    pub fn after(&self, block: usize, reg: Reg) -> bool {
        let number = self.number[reg as usize];
        number != u32::MAX && self.out[block].has(number)
    }
}

pub(super) fn remove(function: &mut Function) {
    loop {
        let live = Live::new(function);
        let mut changed = false;
        let mut needed = vec![false; function.regs.len()];
        for at in 0..function.blocks.len() {
            changed |= remove_in(function, at, &live, &mut needed);
        }
        if !changed {
            return;
        }
    }
}

fn remove_in(function: &mut Function, at: usize, live: &Live, needed: &mut [bool]) -> bool {
    let block = &mut function.blocks[at];
    let mut touched = Vec::new();
    // What is known of a register before the walk comes to it: it is live at the end of the block, or not.
    let mut seen = std::collections::HashSet::new();
    let mut mark = |reg: Reg, value: bool, needed: &mut [bool], seen: &mut std::collections::HashSet<Reg>| {
        seen.insert(reg);
        needed[reg as usize] = value;
        touched.push(reg);
    };
    if let Some(condition) = block.end.condition() {
        mark(condition, true, needed, &mut seen);
    }
    let mut kept = Vec::with_capacity(block.insts.len());
    let mut changed = false;
    for inst in block.insts.drain(..).rev() {
        let is_read = |reg: Reg| if seen.contains(&reg) { needed[reg as usize] } else { live.after(at, reg) };
        let is_self = inst.op == crate::code::Op::Mov
            && inst.args.first().and_then(|arg| arg.reg()) == inst.dsts.first().copied();
        if inst.op.is_removable()
            && (is_self && inst.dsts.len() == 1 || !inst.dsts.iter().any(|dst| is_read(*dst)))
        {
            changed = true;
            continue;
        }
        for dst in &inst.dsts {
            mark(*dst, false, needed, &mut seen);
        }
        inst.reads(|reg| mark(reg, true, needed, &mut seen));
        kept.push(inst);
    }
    kept.reverse();
    block.insts = kept;
    changed
}
