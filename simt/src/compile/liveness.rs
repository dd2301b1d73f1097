//! Which registers are live: may be read before they are written again, on some way from here.
//!
//! Each lane follows its own way, so this says for every lane which of its registers still matter. What does not matter may
//! be left as it is, or overwritten for lanes that do not take part.

use std::ops::Range;

use crate::compile::flow::successors;
use crate::compile::inst::{Inst, Pc};
use crate::isa::op::Meaning;
use crate::isa::op::Touched;
use crate::isa::op::place::Bank;
use crate::machine::registers::{Shape, Slot};

/// Registers of the three banks, numbered one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Numbering(pub Shape);

impl Numbering {
    /// The number of a register.
    pub fn of(self, bank: Bank, slot: Slot) -> usize {
        let Shape { narrow, wide, .. } = self.0;
        usize::from(slot)
            + match bank {
                Bank::Narrow => 0,
                Bank::Wide => narrow,
                Bank::Preds => narrow + wide,
            }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0.narrow + self.0.wide + self.0.preds
    }
}

/// The live registers before each instruction of a function: a row of bits each.
#[derive(Clone, Debug)]
pub struct Live {
    rows: Vec<u64>,
    words: usize,
    start: Pc,
}

/// Words of all rows at most: more than any kernel has that is not a debug build.
const MAX_WORDS: usize = 1 << 19;

impl Live {
    /// Finds the live registers of a function; `None` where it is too large to bother.
    pub fn new(
        insts: &[Inst],
        meanings: &[Meaning],
        tables: &[Vec<Pc>],
        range: Range<Pc>,
        numbering: Numbering,
    ) -> Option<Live> {
        let words = numbering.count().div_ceil(64);
        let count = range.len();
        if count * words > MAX_WORDS {
            return None;
        }
        let mut live = Live { rows: vec![0; count * words], words, start: range.start };
        let mut row = vec![0; words];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in range.clone().rev() {
                row.fill(0);
                for next in successors(insts, pc, tables).into_iter().filter(|&next| next < range.end) {
                    row.iter_mut().zip(live.row(next)).for_each(|(word, more)| *word |= more);
                }
                before(&mut row, &insts[pc as usize], &meanings[pc as usize].touched, numbering);
                let known = live.row_mut(pc);
                if known != row {
                    known.copy_from_slice(&row);
                    changed = true;
                }
            }
        }
        Some(live)
    }

    fn row(&self, pc: Pc) -> &[u64] {
        &self.rows[(pc - self.start) as usize * self.words..][..self.words]
    }

    fn row_mut(&mut self, pc: Pc) -> &mut [u64] {
        &mut self.rows[(pc - self.start) as usize * self.words..][..self.words]
    }

    /// Whether a register is live before the instruction at `pc`.
    pub fn at(&self, pc: Pc, register: usize) -> bool {
        self.row(pc)[register / 64] >> (register % 64) & 1 != 0
    }
}

/// What is live before an instruction, from what is live behind it. A guarded one writes for some lanes only.
fn before(row: &mut [u64], inst: &Inst, touched: &[Touched], numbering: Numbering) {
    for touch in touched.iter().filter(|touch| touch.is_written && !inst.guarded) {
        let register = numbering.of(touch.bank, touch.slot);
        row[register / 64] &= !(1 << (register % 64));
    }
    for touch in touched.iter().filter(|touch| !touch.is_written) {
        let register = numbering.of(touch.bank, touch.slot);
        row[register / 64] |= 1 << (register % 64);
    }
    let guard = numbering.of(Bank::Preds, inst.guard);
    row[guard / 64] |= 1 << (guard % 64);
}
