//! Liveness of registers: backwards, until nothing changes; a register is a bit.
//!
//! A register is live where some instruction may still read the value that it holds. Most registers are written and
//! read in one block only; they are left out of the sets, which makes these small. For the rest it is the textbook's
//! equation: live at the end of a block is what its successors read before they write it, or pass on.
//!
//! ```text
//! out(block) = in(s) of all its successors s
//! in(block)  = what it reads first + (out(block) - what it writes)
//! ```

use super::{Function, Reg};
use crate::source::Span;
use crate::source::budget::{self, Bound};

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

/// Gives a list a length, and everything in it one value. It keeps the room that the list has.
pub(crate) fn fill<T: Clone>(list: &mut Vec<T>, length: usize, value: T) {
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
    /// What each block writes. A register that it reads first is an input all the same.
    kills: Sets,
}

/// The number of a register that does not matter in more than one block.
const NONE: u32 = u32::MAX;

impl Live {
    /// Finds what is live in a function.
    pub fn find(&mut self, function: &Function<'_>) {
        fill(&mut self.number, function.regs.len(), NONE);
        fill(&mut self.written, function.regs.len(), u32::MAX);
        self.reads.clear();
        self.writes.clear();
        let mut count = 0;
        for (at, block) in (0..).zip(&function.blocks) {
            for inst in &block.insts {
                inst.reads().for_each(|reg| self.read(at, reg, &mut count));
                for dst in inst.dsts.iter() {
                    if std::mem::replace(&mut self.written[*dst as usize], at) != at {
                        self.writes.push((at, *dst));
                    }
                }
            }
            block.end.condition().into_iter().for_each(|reg| self.read(at, reg, &mut count));
        }
        // Nobody uses the code when this is too much; the number of blocks times that of registers can be.
        let size = function.blocks.len() * (count as usize).div_ceil(64);
        if !budget::may_reach(Bound::Work, 4 * size, Span::default()) || !budget::work(size / 4) {
            return fill(&mut self.number, function.regs.len(), NONE);
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
    pub fn crossing(&self, reg: Reg) -> Option<u32> {
        Some(self.number[reg as usize]).filter(|number| *number != NONE)
    }

    /// Blocks in reverse: in the order of `flow`, most of what a block leads to comes after it, so few rounds are
    /// needed.
    fn settle(&mut self, function: &Function<'_>) {
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

    /// Whether a register is read after the end of a block.
    pub fn after(&self, block: usize, reg: Reg) -> bool {
        self.crossing(reg).is_some_and(|number| self.out.has(block, number))
    }
}
