//! Accesses of whole blocks. Where threads that follow each other access words that follow each other, as in most kernels, a
//! page of shadow memory records the access of all warps as one *stretch*.
//!
//! The stretches of a page are in the order in which they were recorded. They become lines ([`super::page`]) when an access of
//! another form comes to the page, or one of which this module cannot tell whether it races.

use std::ops::Range;

use crate::checkers::races::shadow::cell::{Cell, PAGE_BYTES};
use crate::checkers::races::shadow::layer::{Layer, Row};
use crate::machine::registers::{FULL_MASK, WARP_SIZE};
use crate::order::clocks::TeamClock;

/// Words of a page.
const WORDS: usize = PAGE_BYTES as usize / 4;
/// The largest number of stretches of a page. A tree reduction over a page leaves two for each of its steps.
const MAX_STRETCHES: usize = 32;

/// Threads that follow each other access words that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The access by warp 0; its mask means nothing.
    cell: Cell,
    is_store: bool,
    /// The first word of thread 0, whether it takes part or not, counted from the start of the memory or of the page.
    base: i64,
    /// Words of a thread.
    width: i64,
    /// The first word.
    start: i64,
    /// The word after the last.
    end: i64,
}

/// The stretches of a page, the first that was recorded first.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    pub known: Vec<Stretch>,
    /// Whether the page has lines in place of them.
    pub are_lines: bool,
}

impl Stretch {
    /// Threads access `width` words each, the first of them those from `first` on.
    pub fn new(
        clock: TeamClock,
        flags: u32,
        is_store: bool,
        first: u64,
        width: u64,
        threads: Range<usize>,
    ) -> Stretch {
        let (first, width) = (first as i64, width as i64);
        Stretch {
            cell: Cell::of_block(clock, flags),
            is_store,
            base: first - width * threads.start as i64,
            width,
            start: first,
            end: first + width * threads.len() as i64,
        }
    }

    /// The pages that it has words in.
    pub fn pages(&self) -> Range<usize> {
        self.start as usize / WORDS..(self.end as usize).div_ceil(WORDS)
    }

    /// Its part of a page, counted from the start of the page.
    pub fn part(&self, page: usize) -> Stretch {
        let first = (page * WORDS) as i64;
        let (start, end) = (self.start.max(first), self.end.min(first + WORDS as i64));
        Stretch { base: self.base - first, start: start - first, end: end - first, ..*self }
    }

    fn overlaps(&self, other: &Stretch) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether another access of the same words is ordered after this one, as far as the clocks of the block can tell, and no
    /// read-only load promised otherwise.
    fn comes_before(&self, now: &Stretch, floor: u32) -> bool {
        let promises = |stretch: &Stretch| stretch.cell.is_read_only();
        let breaks_promise = if self.is_store { promises(now) } else { promises(self) && !promises(now) };
        let is_same_thread = self.base == now.base && self.width == now.width;
        !breaks_promise && self.cell.block == now.cell.block && (self.cell.clock <= floor || is_same_thread)
    }

    /// Leaves out the words of a later access that takes the place of this one; whether any are left.
    fn give_way(&mut self, later: &Stretch) -> bool {
        let is_cut_between_threads = |word: i64| (word - self.base) % self.width == 0;
        if later.start <= self.start && is_cut_between_threads(later.end) {
            self.start = self.start.max(later.end);
        } else if later.end >= self.end && is_cut_between_threads(later.start) {
            self.end = self.end.min(later.start);
        }
        self.start < self.end
    }

    /// The lines of the page that it has words in, each with the words that one warp accesses.
    pub fn layers(&self, mut show: impl FnMut(usize, &Layer, bool)) {
        let threads = (self.start - self.base) / self.width..(self.end - self.base) / self.width;
        let lanes = WARP_SIZE as i64;
        for warp in threads.start / lanes..=(threads.end - 1) / lanes {
            let first = warp * lanes;
            let (low, high) = ((threads.start - first).max(0), (threads.end - first).min(lanes));
            let mask = FULL_MASK << low & FULL_MASK >> (lanes - high);
            let row = Row {
                first: self.base + first * self.width,
                step: self.width,
                width: self.width as u32,
                mask,
            };
            row.each(|part| {
                let cell = self.cell.of_warp(warp as u32).with_mask(part.words);
                show(part.line as usize, &Layer { cell, lane_map: part.lane_map }, self.is_store);
            });
        }
    }
}

impl Stretches {
    /// Whether it is certain that an access is part of no race, and there is room for it.
    pub fn fits(&self, now: &Stretch, floor: u32) -> bool {
        !self.are_lines
            && self.known.len() < MAX_STRETCHES
            && self.known.iter().all(|known| !known.overlaps(now) || known.comes_before(now, floor))
    }

    /// Forgets accesses of a block to its own memory, if all of them are ordered before whatever its threads do now.
    pub fn forget_ordered(&mut self, floor: u32) {
        // The last of them has the latest clock.
        if self.known.last().is_some_and(|last| last.cell.clock <= floor) {
            self.known.clear();
        }
    }

    /// Records an access that fits.
    pub fn record(&mut self, now: Stretch) {
        self.known.retain_mut(|known| {
            let gives_way = known.overlaps(&now) && (now.is_store || !known.is_store);
            !gives_way || known.give_way(&now)
        });
        self.known.push(now);
    }
}
