//! A *layer*: words of a line that one instruction of a warp accessed, and which lane each of them.
//!
//! Lanes that access memory in equal steps, under whatever mask, are one layer a line: whether they come before another
//! access is asked once for all of them, and mask arithmetic says which words the two have in common.

use crate::checkers::races::shadow::Cell;
use crate::machine::registers::{FULL_MASK, WARP_SIZE, lanes_of};
use crate::order::clocks::Here;

/// Words of a line.
pub const LINE: usize = WARP_SIZE;

/// Which lanes accessed which words of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Lane `i` the words from `first + i * step` on, no more than `step`, counted from the line's first; one word if the
    /// step is negative.
    Step {
        /// Where lane 0 is, or would be if it were active.
        first: i16,
        /// From a lane to the next.
        step: i16,
    },
    /// All of these lanes each word.
    All(u32),
}

impl By {
    /// Who accesses a line in steps, where some lane starts at some word of it.
    fn of(word: i64, lane: i64, step: i64) -> By {
        By::Step { first: (word - lane * step) as i16, step: step as i16 }
    }
}

/// Words of a line that one instruction of a warp accessed. The default is none.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Who, when and by what; its mask is of words, not of lanes.
    pub cell: Cell,
    /// Which lanes.
    pub by: By,
}

impl Default for Layer {
    fn default() -> Layer {
        Layer { cell: Cell::default(), by: By::Step { first: 0, step: 1 } }
    }
}

impl Layer {
    /// The words.
    #[inline(always)]
    pub fn words(&self) -> u32 {
        self.cell.mask
    }

    /// The lanes that accessed a word of it.
    #[inline]
    pub fn lanes_at(&self, word: usize) -> u32 {
        match self.by {
            By::Step { first, step: 1 } => 1 << (word as i32 - i32::from(first)),
            By::Step { first, step } => 1 << ((word as i32 - i32::from(first)) / i32::from(step)),
            By::All(lanes) => lanes,
        }
    }

    /// What is remembered of a word of it.
    #[inline]
    pub fn cell_at(&self, word: usize) -> Cell {
        self.cell.by(self.lanes_at(word))
    }

    /// Whether what it has in common with an access now comes before that, as far as can be told at a glance.
    #[inline(always)]
    pub fn comes_before(&self, here: &Here<'_>, now: &Layer) -> bool {
        let cell = self.cell;
        if cell.block != here.block {
            return false;
        }
        let warp = cell.warp();
        if warp == here.warp {
            cell.clock <= here.floor || self.is_by_the_same(now)
        } else {
            cell.clock <= here.floors[warp as usize % WARP_SIZE]
        }
    }

    /// Whether another layer of the same warp is of the same lane at every word that both have, or is the same load by the
    /// same lanes.
    #[inline]
    fn is_by_the_same(&self, now: &Layer) -> bool {
        match (self.by, now.by) {
            (By::Step { .. }, By::Step { .. }) if self.by == now.by => true,
            (By::All(_), By::All(_)) if self.by == now.by => self.cell.by(0) == now.cell.by(0),
            _ => lanes_of(self.words() & now.words()).all(|word| {
                let lanes = self.lanes_at(word);
                lanes == now.lanes_at(word) && lanes.is_power_of_two()
            }),
        }
    }
}

/// Words that lanes of a warp access in equal steps, each as many, and no two lanes the same.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Where lane 0 is, or would be if it were active, in words from the start of the memory.
    pub first: i64,
    /// Words from a lane to the next: no fewer than a lane accesses, or negative where that is one.
    pub step: i64,
    /// Words that a lane accesses: a power of two, and where they start is a multiple of it.
    pub width: u32,
    /// The lanes.
    pub mask: u32,
}

/// What a row has of one line.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The line, counted from the start of the memory.
    pub line: u64,
    /// Its words.
    pub words: u32,
    /// Who accesses which of them.
    pub by: By,
    /// The lanes that do.
    pub lanes: u32,
}

impl Row {
    /// Shows what it has of each line, the lowest lanes first.
    #[inline]
    pub fn each(self, mut show: impl FnMut(Stretch)) {
        if self.step != 1 {
            let is_even = self.mask == FULL_MASK && self.step.unsigned_abs().is_power_of_two();
            if is_even && self.step <= LINE as i64 && self.first % (LINE as i64) < self.step {
                self.each_evenly(show);
            } else {
                self.each_by_steps(show);
            }
            return;
        }
        // A word a lane: the mask, moved, is the words.
        let line = self.first.div_euclid(LINE as i64);
        let start = self.first.rem_euclid(LINE as i64) as u32;
        let words = u64::from(self.mask) << start;
        for (line, words, first) in
            [(line, words as u32, start as i16), (line + 1, (words >> 32) as u32, start as i16 - LINE as i16)]
        {
            if words != 0 {
                let lanes = if first >= 0 { words >> start } else { words << (LINE as u32 - start) };
                show(Stretch { line: line as u64, words, by: By::Step { first, step: 1 }, lanes });
            }
        }
    }

    /// [`Row::each`] where all lanes are active and each line has as many of them, at the same words.
    fn each_evenly(self, mut show: impl FnMut(Stretch)) {
        let (start, step) = (self.first % LINE as i64, self.step);
        // A bit in each step: 0x1111_1111 if that is 4.
        let every = u64::from(FULL_MASK) / ((1 << step) - 1);
        let words = (every as u32 * ((1 << self.width) - 1)) << start;
        let count = LINE as i64 / step;
        for line in 0..step {
            let lowest = line * count;
            let lanes = (FULL_MASK >> (LINE as i64 - count)) << lowest;
            let by = By::of(start, lowest, if count == 1 { self.width.into() } else { step });
            show(Stretch { line: (self.first / LINE as i64 + line) as u64, words, by, lanes });
        }
    }

    /// [`Row::each`] for whatever steps and lanes.
    fn each_by_steps(self, mut show: impl FnMut(Stretch)) {
        let word = |lane: u32| self.first.wrapping_add(i64::from(lane) * self.step) as u64;
        let pattern = (1u32 << self.width) - 1;
        let mut left = self.mask;
        while left != 0 {
            let lowest = left.trailing_zeros();
            let start = word(lowest);
            let line = start / LINE as u64;
            let (mut words, before) = (0, left);
            let mut next = start;
            while next / LINE as u64 == line && left != 0 {
                words |= pattern << (next % LINE as u64);
                left &= left - 1;
                next = word(left.trailing_zeros());
            }
            let lanes = before & !left;
            // A lane alone in its line is written in one way whatever the step, so that it is told for the same.
            let step = if lanes.is_power_of_two() { i64::from(self.width) } else { self.step };
            let by = By::of((start % LINE as u64) as i64, lowest.into(), step);
            show(Stretch { line, words, by, lanes });
        }
    }
}
