//! A *layer* records the words of a line that one instruction of a warp accessed, and which lane accessed each word.
//!
//! Lanes that access memory with a constant stride, under any mask, are one layer for each line. So one comparison of
//! clocks decides for all of them whether they are ordered before another access, and mask arithmetic finds the words
//! that two accesses have in common.

use crate::checkers::races::shadow::cell::Cell;
use crate::machine::registers::{FULL_MASK, WARP_SIZE, lanes_of};
use crate::order::clocks::WarpClock;

/// Words in a line.
pub const LINE: usize = WARP_SIZE;

/// Which lanes accessed which words of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneMap {
    /// Lane `i` accessed the words from `first + i * step` on, counted from the first word of the line: at most `step`
    /// words, or one word if the step is negative.
    Step {
        /// The word of lane 0, whether it is active or not.
        first: i16,
        /// The distance in words from one lane to the next.
        step: i16,
    },
    /// Each word was accessed by all of these lanes.
    All(u32),
}

impl LaneMap {
    /// The map for lanes with a constant stride, of which lane `lane` starts at word `word`.
    fn of(word: i64, lane: i64, step: i64) -> LaneMap {
        LaneMap::Step { first: (word - lane * step) as i16, step: step as i16 }
    }
}

/// Words of a line that one instruction of a warp accessed. The default is none.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// The access. Its mask is one of words, not of lanes.
    pub cell: Cell,
    /// Which lanes accessed which of the words.
    pub lane_map: LaneMap,
}

impl Default for Layer {
    fn default() -> Layer {
        Layer { cell: Cell::default(), lane_map: LaneMap::Step { first: 0, step: 1 } }
    }
}

impl Layer {
    /// The words as a mask.
    #[inline(always)]
    pub fn words(&self) -> u32 {
        self.cell.mask
    }

    /// The lanes that accessed a word.
    #[inline]
    pub fn lanes_at(&self, word: usize) -> u32 {
        match self.lane_map {
            LaneMap::Step { first, step: 1 } => 1 << (word as i32 - i32::from(first)),
            LaneMap::Step { first, step } => 1 << ((word as i32 - i32::from(first)) / i32::from(step)),
            LaneMap::All(lanes) => lanes,
        }
    }

    /// The access as a cell for one word.
    #[inline]
    pub fn cell_at(&self, word: usize) -> Cell {
        self.cell.with_mask(self.lanes_at(word))
    }

    /// Whether what this layer has in common with the current access is ordered before it, as far as the clock of the
    /// warp can tell.
    #[inline(always)]
    pub fn comes_before(&self, warp_clock: &WarpClock<'_>, now: &Layer) -> bool {
        let (cell, warp) = (self.cell, self.cell.warp());
        let is_before = || cell.clock <= warp_clock.floor_of(warp);
        cell.block == warp_clock.block
            && (is_before() || (warp == warp_clock.warp && self.is_by_the_same(now)))
    }

    /// All lanes that accessed one of the words.
    pub fn lanes(&self) -> u32 {
        lanes_of(self.words()).fold(0, |lanes, word| lanes | self.lanes_at(word))
    }

    /// Whether two layers are the same instruction of the same warp, at the same clock and with the same lanes for each word.
    pub fn is_of_one_access(&self, other: &Layer) -> bool {
        self.cell.is_same_but_for_lanes(other.cell) && self.lane_map == other.lane_map
    }

    /// The words that this layer has in common with the current access and that are ordered before it.
    pub fn words_before(&self, warp_clock: &WarpClock<'_>, now: &Layer) -> u32 {
        let common = self.words() & now.words();
        if self.comes_before(warp_clock, now) {
            return common;
        }
        if self.cell.block != warp_clock.block || self.cell.warp() != warp_clock.warp {
            return 0;
        }
        lanes_of(common)
            .filter(|&word| self.has_same_lane(now, word))
            .fold(0, |words, word| words | 1 << word)
    }

    /// Whether one lane alone accessed a word, the same one in both layers.
    fn has_same_lane(&self, now: &Layer, word: usize) -> bool {
        let lanes = self.lanes_at(word);
        lanes == now.lanes_at(word) && lanes.is_power_of_two()
    }

    /// Whether another layer of the same warp has the same lane at every word that both have, or is the same load by
    /// the same lanes.
    #[inline]
    fn is_by_the_same(&self, now: &Layer) -> bool {
        match (self.lane_map, now.lane_map) {
            (LaneMap::Step { .. }, LaneMap::Step { .. }) if self.lane_map == now.lane_map => true,
            (LaneMap::All(_), LaneMap::All(_)) if self.lane_map == now.lane_map => {
                self.cell.is_same_but_for_lanes(now.cell)
            }
            _ => lanes_of(self.words() & now.words()).all(|word| self.has_same_lane(now, word)),
        }
    }
}

/// Words that lanes of a warp access with a constant stride. Each lane accesses the same number of words, and no two
/// lanes share one.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The first word of lane 0, whether it is active or not, counted from the start of the memory.
    pub first: i64,
    /// The distance in words from one lane to the next. It is at least the number of words per lane, or negative if
    /// that is one.
    pub step: i64,
    /// Words per lane. This is a power of two, and the first word of each lane is a multiple of it.
    pub width: u32,
    /// The active lanes.
    pub mask: u32,
}

/// The part of a row that is in one line.
#[derive(Clone, Copy, Debug)]
pub struct RowPart {
    /// The line, counted from the start of the memory.
    pub line: u64,
    /// Its words as a mask.
    pub words: u32,
    /// Which lanes access which of the words.
    pub lane_map: LaneMap,
    /// The lanes that access it.
    pub lanes: u32,
}

impl Row {
    /// Calls a function for the part in each line, beginning with the lowest lanes.
    #[inline]
    pub fn each(self, mut show: impl FnMut(RowPart)) {
        if self.step != 1 {
            let is_even = self.mask == FULL_MASK && self.step.unsigned_abs().is_power_of_two();
            if is_even && self.step <= LINE as i64 && self.first % (LINE as i64) < self.step {
                self.each_evenly(show);
            } else {
                self.each_by_steps(show);
            }
            return;
        }
        // With one word per lane, the words are the mask of lanes, shifted.
        let line = self.first.div_euclid(LINE as i64);
        let start = self.first.rem_euclid(LINE as i64) as u32;
        let words = u64::from(self.mask) << start;
        for (line, words, first) in
            [(line, words as u32, start as i16), (line + 1, (words >> 32) as u32, start as i16 - LINE as i16)]
        {
            if words != 0 {
                let lanes = if first >= 0 { words >> start } else { words << (LINE as u32 - start) };
                show(RowPart { line: line as u64, words, lane_map: LaneMap::Step { first, step: 1 }, lanes });
            }
        }
    }

    /// [`Row::each`] if all lanes are active, and every line has the same number of them at the same words.
    fn each_evenly(self, mut show: impl FnMut(RowPart)) {
        let (start, step) = (self.first % LINE as i64, self.step);
        // A bit for each step: 0x1111_1111 if the step is 4.
        let every = u64::from(FULL_MASK) / ((1 << step) - 1);
        let words = (every as u32 * ((1 << self.width) - 1)) << start;
        let count = LINE as i64 / step;
        for line in 0..step {
            let lowest = line * count;
            let lanes = (FULL_MASK >> (LINE as i64 - count)) << lowest;
            let lane_map = LaneMap::of(start, lowest, if count == 1 { self.width.into() } else { step });
            show(RowPart { line: (self.first / LINE as i64 + line) as u64, words, lane_map, lanes });
        }
    }

    /// [`Row::each`] for any stride and any lanes.
    fn each_by_steps(self, mut show: impl FnMut(RowPart)) {
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
            // The map of a single lane does not depend on the stride. It is written in one way only, so that equal maps
            // compare as equal.
            let step = if lanes.is_power_of_two() { i64::from(self.width) } else { self.step };
            let lane_map = LaneMap::of((start % LINE as u64) as i64, lowest.into(), step);
            show(RowPart { line, words, lane_map, lanes });
        }
    }
}
