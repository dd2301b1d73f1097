//! Instructions whose results nobody reads.
//!
//! Liveness of registers, backwards, until nothing changes; a register is a bit.

use crate::code::{Block, Function, Op, Reg};

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
            inst.reads(&mut |reg| note(reg, &written));
            for dst in &inst.dsts {
                written[*dst as usize] = at;
            }
        }
        block.end.condition().into_iter().for_each(|reg| note(reg, &written));
    }
    (number, regs)
}

/// The registers that are live at the end of each block, of those that matter in more than one.
pub(crate) struct Live {
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
                inst.reads(&mut |reg| live.note(reg, &mut read, Some(&written)));
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
        let mut needed =
            Needed { block: 0, known: vec![(usize::MAX, false); function.regs.len()], live: &live };
        for at in 0..function.blocks.len() {
            needed.block = at;
            changed |= remove_in(&mut function.blocks[at], &mut needed);
        }
        if !changed {
            return;
        }
    }
}

/// Which registers are read after a place in a block that is walked backwards.
struct Needed<'l> {
    block: usize,
    /// For each register whether it is needed, and in which block that was found out.
    known: Vec<(usize, bool)>,
    live: &'l Live,
}

impl Needed<'_> {
    fn set(&mut self, reg: Reg, is_needed: bool) {
        self.known[reg as usize] = (self.block, is_needed);
    }

    /// Before the walk comes to a register, it is needed if it is live at the end of the block.
    fn is_needed(&self, reg: Reg) -> bool {
        let (block, is_needed) = self.known[reg as usize];
        if block == self.block { is_needed } else { self.live.after(self.block, reg) }
    }
}

fn remove_in(block: &mut Block, needed: &mut Needed<'_>) -> bool {
    if let Some(condition) = block.end.condition() {
        needed.set(condition, true);
    }
    let mut kept = Vec::with_capacity(block.insts.len());
    let mut changed = false;
    for inst in block.insts.drain(..).rev() {
        let is_self = inst.op == Op::Mov
            && inst.dsts.len() == 1
            && inst.args.first().and_then(|arg| arg.reg()) == inst.dsts.first().copied();
        let is_read = inst.dsts.iter().any(|dst| needed.is_needed(*dst));
        if inst.op.is_removable() && (is_self || !is_read) {
            changed = true;
            continue;
        }
        for dst in &inst.dsts {
            needed.set(*dst, false);
        }
        inst.reads(&mut |reg| needed.set(reg, true));
        kept.push(inst);
    }
    kept.reverse();
    block.insts = kept;
    changed
}
