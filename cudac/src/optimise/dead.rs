//! Instructions whose results nobody reads.
//!
//! Liveness of registers, backwards, until nothing changes; a register is a bit.

use crate::code::{Block, Function, Op, Reg};

/// For each block a set of registers.
#[derive(Default)]
struct Sets {
    /// Words of the bits of a block.
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    /// Empty sets of so many registers.
    fn clear(&mut self, blocks: usize, count: usize) {
        self.words = count.div_ceil(64);
        fill(&mut self.bits, self.words * blocks, 0);
    }

    fn insert(&mut self, block: usize, number: u32) {
        self.bits[block * self.words + number as usize / 64] |= 1 << (number % 64);
    }

    fn has(&self, block: usize, number: u32) -> bool {
        self.bits[block * self.words + number as usize / 64] >> (number % 64) & 1 != 0
    }
}

/// Gives a list a length, and everything in it one value.
fn fill<T: Clone>(list: &mut Vec<T>, length: usize, value: T) {
    list.clear();
    list.resize(length, value);
}

/// The registers that are live at the end of each block, of those that matter in more than one.
///
/// It is found anew many times for each kernel, and keeps its room from one time to the next.
#[derive(Default)]
pub(crate) struct Live {
    /// For each register its number among those that are read by another block than the one that writes them, if it is one.
    number: Vec<u32>,
    /// For each register the last block so far that writes it.
    written: Vec<usize>,
    out: Sets,
    /// What each block reads of others, and at the end what is live where it begins.
    inputs: Sets,
    writes: Sets,
}

/// The number of a register that does not matter in more than one block.
const NONE: u32 = u32::MAX;

impl Live {
    /// Finds what is live in a function.
    pub fn find(&mut self, function: &Function) {
        let count = self.find_crossing(function);
        for sets in [&mut self.out, &mut self.inputs, &mut self.writes] {
            sets.clear(function.blocks.len(), count);
        }
        for (at, block) in function.blocks.iter().enumerate() {
            for inst in &block.insts {
                inst.reads(&mut |reg| self.read(at, reg));
                for dst in &inst.dsts {
                    self.crossing(*dst).into_iter().for_each(|number| self.writes.insert(at, number));
                }
            }
            block.end.condition().into_iter().for_each(|reg| self.read(at, reg));
        }
        self.settle(function);
    }

    fn read(&mut self, block: usize, reg: Reg) {
        if let Some(number) = self.crossing(reg).filter(|number| !self.writes.has(block, *number)) {
            self.inputs.insert(block, number);
        }
    }

    /// Numbers the registers that are read by another block than the one that writes them; only these need to be followed.
    fn find_crossing(&mut self, function: &Function) -> usize {
        let Live { number, written, .. } = self;
        fill(number, function.regs.len(), NONE);
        fill(written, function.regs.len(), usize::MAX);
        let mut count = 0;
        for (at, block) in function.blocks.iter().enumerate() {
            let mut note = |reg: Reg, written: &[usize]| {
                if written[reg as usize] != at && number[reg as usize] == NONE {
                    number[reg as usize] = count;
                    count += 1;
                }
            };
            for inst in &block.insts {
                inst.reads(&mut |reg| note(reg, written));
                for dst in &inst.dsts {
                    written[*dst as usize] = at;
                }
            }
            block.end.condition().into_iter().for_each(|reg| note(reg, written));
        }
        count as usize
    }

    /// The number of a register that is read by another block than the one that writes it.
    fn crossing(&self, reg: Reg) -> Option<u32> {
        Some(self.number[reg as usize]).filter(|number| *number != NONE)
    }

    fn settle(&mut self, function: &Function) {
        let Live { out, inputs, writes, .. } = self;
        let order = function.reverse_postorder();
        let words = out.words;
        let mut changed = true;
        while changed {
            changed = false;
            for block in order.iter().rev() {
                for target in function.blocks[*block].end.targets() {
                    for word in 0..words {
                        let own = block * words + word;
                        let new = inputs.bits[target * words + word] & !out.bits[own];
                        changed |= new != 0;
                        out.bits[own] |= new;
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

pub(super) fn remove(function: &mut Function, live: &mut Live) {
    let mut known = Vec::new();
    let mut stays = Vec::new();
    loop {
        live.find(function);
        fill(&mut known, function.regs.len(), (u32::MAX, false));
        let mut changed = false;
        let mut needed = Needed { block: 0, known: &mut known, live };
        for (at, block) in (0..).zip(&mut function.blocks) {
            needed.block = at;
            changed |= remove_in(block, &mut needed, &mut stays);
        }
        if !changed {
            return;
        }
    }
}

/// Which registers are read after a place in a block that is walked backwards.
struct Needed<'l> {
    block: u32,
    /// For each register whether it is needed, and in which block that was found out.
    known: &'l mut [(u32, bool)],
    live: &'l Live,
}

impl Needed<'_> {
    fn set(&mut self, reg: Reg, is_needed: bool) {
        self.known[reg as usize] = (self.block, is_needed);
    }

    /// Before the walk comes to a register, it is needed if it is live at the end of the block.
    fn is_needed(&self, reg: Reg) -> bool {
        let (block, is_needed) = self.known[reg as usize];
        if block == self.block { is_needed } else { self.live.after(self.block as usize, reg) }
    }
}

/// Says whether that may have made an instruction of another block superfluous.
///
/// `stays` is room for a flag of each instruction, and empty before and after.
fn remove_in(block: &mut Block, needed: &mut Needed<'_>, stays: &mut Vec<bool>) -> bool {
    if let Some(condition) = block.end.condition() {
        needed.set(condition, true);
    }
    let mut changed = false;
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
    if stays.contains(&false) {
        block.insts.retain(|_| stays.pop() != Some(false));
    }
    stays.clear();
    changed
}
