//! Instructions whose results nobody reads.
//!
//! Liveness of registers, backwards, until nothing changes; a register is a bit.

use crate::code::{Block, Function, Op, Reg};

/// For each block a set of registers.
struct Sets {
    /// Words of the bits of a block.
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(blocks: usize, count: usize) -> Sets {
        let words = count.div_ceil(64);
        Sets { words, bits: vec![0; words * blocks] }
    }

    fn insert(&mut self, block: usize, number: u32) {
        self.bits[block * self.words + number as usize / 64] |= 1 << (number % 64);
    }

    fn has(&self, block: usize, number: u32) -> bool {
        self.bits[block * self.words + number as usize / 64] >> (number % 64) & 1 != 0
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
    out: Sets,
}

impl Live {
    pub fn new(function: &Function) -> Live {
        let (number, regs) = crossing(function);
        let sets = || Sets::new(function.blocks.len(), regs.len());
        let mut live = Live { number, out: sets() };
        let (mut inputs, mut writes) = (sets(), sets());
        for (at, block) in function.blocks.iter().enumerate() {
            let mut read = |reg: Reg, writes: &Sets| {
                if let Some(number) = live.crossing(reg).filter(|number| !writes.has(at, *number)) {
                    inputs.insert(at, number);
                }
            };
            for inst in &block.insts {
                inst.reads(&mut |reg| read(reg, &writes));
                for dst in &inst.dsts {
                    live.crossing(*dst).into_iter().for_each(|number| writes.insert(at, number));
                }
            }
            block.end.condition().into_iter().for_each(|reg| read(reg, &writes));
        }
        live.settle(function, &mut inputs, &writes);
        live
    }

    /// The number of a register that is read by another block than the one that writes it.
    fn crossing(&self, reg: Reg) -> Option<u32> {
        Some(self.number[reg as usize]).filter(|number| *number != u32::MAX)
    }

    /// `inputs` has what each block reads of others, and gets what is live where it begins.
    fn settle(&mut self, function: &Function, inputs: &mut Sets, writes: &Sets) {
        let order = function.reverse_postorder();
        let words = self.out.words;
        let mut changed = true;
        while changed {
            changed = false;
            for block in order.iter().rev() {
                for target in function.blocks[*block].end.targets() {
                    for word in 0..words {
                        let own = block * words + word;
                        let new = inputs.bits[target * words + word] & !self.out.bits[own];
                        changed |= new != 0;
                        self.out.bits[own] |= new;
                        inputs.bits[own] |= new & !writes.bits[own];
                    }
                }
            }
        }
    }

    /// Whether a register is read after the end of a block.
    pub fn after(&self, block: usize, reg: Reg) -> bool {
        self.crossing(reg).is_some_and(|number| self.out.has(block, number))
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

/// Says whether that may have made an instruction of another block superfluous.
fn remove_in(block: &mut Block, needed: &mut Needed<'_>) -> bool {
    if let Some(condition) = block.end.condition() {
        needed.set(condition, true);
    }
    let mut changed = false;
    // Whether each instruction stays, from the last to the first.
    let mut stays = Vec::with_capacity(block.insts.len());
    for inst in block.insts.iter().rev() {
        let is_self = inst.op == Op::Mov
            && inst.dsts.len() == 1
            && inst.args.first().and_then(|arg| arg.reg()) == inst.dsts.first().copied();
        let is_read = inst.dsts.iter().any(|dst| needed.is_needed(*dst));
        let is_dead = inst.op.is_removable() && (is_self || !is_read);
        stays.push(!is_dead);
        if is_dead {
            // What it reads may now be dead in another block; in this one it is found at once.
            inst.reads(&mut |reg| changed |= needed.live.crossing(reg).is_some());
            continue;
        }
        for dst in &inst.dsts {
            needed.set(*dst, false);
        }
        inst.reads(&mut |reg| needed.set(reg, true));
    }
    block.insts.retain(|_| stays.pop() != Some(false));
    changed
}
