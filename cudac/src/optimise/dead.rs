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
    written: Vec<u32>,
    /// Blocks, and the numbers of registers that they read before they write them.
    reads: Vec<(u32, u32)>,
    /// Blocks, and registers that they write.
    writes: Vec<(u32, Reg)>,
    out: Sets,
    /// What each block reads of others, and at the end what is live where it begins.
    inputs: Sets,
    kills: Sets,
}

/// The number of a register that does not matter in more than one block.
const NONE: u32 = u32::MAX;

impl Live {
    /// Finds what is live in a function.
    pub fn find(&mut self, function: &Function) {
        fill(&mut self.number, function.regs.len(), NONE);
        fill(&mut self.written, function.regs.len(), u32::MAX);
        self.reads.clear();
        self.writes.clear();
        let mut count = 0;
        for (at, block) in (0..).zip(&function.blocks) {
            for inst in &block.insts {
                inst.reads().for_each(|reg| self.read(at, reg, &mut count));
                for dst in &inst.dsts {
                    if std::mem::replace(&mut self.written[*dst as usize], at) != at {
                        self.writes.push((at, *dst));
                    }
                }
            }
            block.end.condition().into_iter().for_each(|reg| self.read(at, reg, &mut count));
        }
        for sets in [&mut self.out, &mut self.inputs, &mut self.kills] {
            sets.clear(function.blocks.len(), count as usize);
        }
        for (block, number) in &self.reads {
            self.inputs.insert(*block as usize, *number);
        }
        for (block, reg) in &self.writes {
            let number = self.number[*reg as usize];
            if number != NONE {
                self.kills.insert(*block as usize, number);
            }
        }
        self.settle(function);
    }

    /// Gives a register a number if a block reads it before it writes it; only these need to be followed.
    fn read(&mut self, block: u32, reg: Reg, count: &mut u32) {
        if self.written[reg as usize] != block {
            let number = &mut self.number[reg as usize];
            if *number == NONE {
                *number = *count;
                *count += 1;
            }
            self.reads.push((block, *number));
        }
    }

    /// The number of a register that is read by another block than the one that writes it.
    fn crossing(&self, reg: Reg) -> Option<u32> {
        Some(self.number[reg as usize]).filter(|number| *number != NONE)
    }

    fn settle(&mut self, function: &Function) {
        let Live { out, inputs, kills, .. } = self;
        let words = out.words;
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..function.blocks.len()).rev() {
                for target in function.blocks[block].end.targets() {
                    for word in 0..words {
                        let own = block * words + word;
                        let new = inputs.bits[target * words + word] & !out.bits[own];
                        changed |= new != 0;
                        out.bits[own] |= new;
                        inputs.bits[own] |= new & !kills.bits[own];
                    }
                }
            }
        }
    }

    /// Whether a register may be live between blocks.
    pub fn is_crossing(&self, reg: Reg) -> bool {
        self.crossing(reg).is_some()
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
            changed |= inst.reads().any(|reg| needed.live.crossing(reg).is_some());
            continue;
        }
        for dst in &inst.dsts {
            needed.set(*dst, false);
        }
        inst.reads().for_each(|reg| needed.set(reg, true));
    }
    if stays.contains(&false) {
        block.insts.retain(|_| stays.pop() != Some(false));
    }
    stays.clear();
    changed
}
