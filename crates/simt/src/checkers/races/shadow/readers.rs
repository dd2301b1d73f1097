//! The *readers* of a line: plain loads of the same words by several warps that nothing orders, as every product of matrices
//! has them.
//!
//! As long as nobody stores there, no load is part of a race, so the loads are only noted, one layer for each instruction of a
//! warp. Once a store comes that may race with one of them, or an access that is not plain, the words of the line get lists
//! ([`super::list`]) that say the same.

use crate::checkers::races::shadow::cell::Cell;
use crate::checkers::races::shadow::layer::{LINE, LaneMap, Layer};
use crate::checkers::races::shadow::list::MAX_ENTRIES;
use crate::order::clocks::WarpClock;
use crate::order::vector_clock::VectorClock;

/// The largest number of words in all layers of a line: as many loads as the lists of its words would hold.
const MAX_WORDS: usize = MAX_ENTRIES * LINE;
/// The largest number of layers, so that an access has few to compare itself with.
const MAX_LAYERS: usize = 2 * MAX_ENTRIES;
/// The largest number of parts of a line whose forgotten loads are told apart.
const MAX_PARTS: usize = 4 * LINE;
/// So many layers at the front are forgotten before the others move up.
const MAX_GONE: usize = 64;
/// Layers that are looked at together.
const CHUNK: usize = 16;

/// The plain loads of a line since the last plain store. Either all of them promise that no thread writes there, or none.
#[derive(Clone, Debug, Default)]
pub struct Readers {
    /// Oldest first. Those that are gone are still at the front.
    layers: Vec<Layer>,
    /// Of each layer, because most are only asked for these: its words,
    words_of: Vec<u32>,
    /// and what its access is, which two accesses seldom have in common.
    access_of: Vec<u32>,
    /// How many layers at the front are gone.
    gone: usize,
    /// The number of words in all layers.
    words: usize,
    /// The loads that are no longer in a layer.
    forgotten: Vec<ForgottenLoads>,
}

/// The threads that loaded the same words. With most of them only the latest load of a warp counts, which is kept apart
/// because vector clocks take longer.
#[derive(Clone, Debug, Default)]
struct ForgottenLoads {
    /// The words as a mask.
    words: u32,
    /// For warps by block and number, in this order: the clock of the last load, and its lanes.
    last: Vec<((u32, u32), (u32, u32))>,
    /// Earlier loads, by lanes of which the last one had none.
    earlier: VectorClock,
}

impl ForgottenLoads {
    fn add(&mut self, layer: &Layer) {
        let Cell { block, clock, .. } = layer.cell;
        let (warp, lanes) = ((block, layer.cell.warp()), layer.lanes());
        let at = match self.last.binary_search_by_key(&warp, |known| known.0) {
            Ok(at) => at,
            Err(at) => return self.last.insert(at, (warp, (clock, lanes))),
        };
        let last = &mut self.last[at].1;
        if last.0 == clock {
            last.1 |= lanes;
            return;
        }
        let (clock_before, lanes_before) = std::mem::replace(last, (clock, lanes));
        if lanes_before & !lanes != 0 {
            self.earlier.raise_lanes(block, warp.1, lanes_before, clock_before);
        }
    }

    fn clock(&self) -> VectorClock {
        let mut all = self.earlier.clone();
        for &((block, warp), (clock, lanes)) in &self.last {
            all.raise_lanes(block, warp, lanes, clock);
        }
        all
    }
}

/// A number that the layers of one access have in common, and seldom others.
fn access_of(layer: &Layer) -> u32 {
    let Cell { block, clock, .. } = layer.cell;
    let lanes = match layer.lane_map {
        LaneMap::Step { first, step } => (first as u32) << 16 | step as u32 & 0xffff,
        LaneMap::All(lanes) => !lanes,
    };
    [layer.cell.warp(), clock, lanes]
        .iter()
        .fold(block, |all, part| (all.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9))
}

impl Readers {
    /// No readers.
    pub const NONE: Readers = Readers {
        layers: Vec::new(),
        words_of: Vec::new(),
        access_of: Vec::new(),
        gone: 0,
        words: 0,
        forgotten: Vec::new(),
    };

    /// The readers of a line whose loads so far are in layers that have no word in common.
    pub fn of(layers: impl Iterator<Item = Layer>) -> Readers {
        let mut readers = Readers { layers: layers.collect(), ..Readers::default() };
        readers.drop_empty();
        readers
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live().is_empty() && self.forgotten.is_empty()
    }

    /// Whether all loads of the words of a store are ordered before it, and none of them promised that it does not happen.
    pub fn are_ordered(&self, warp_clock: &WarpClock<'_>, store: &Layer) -> bool {
        let is_ordered = |layer: &Layer| {
            layer.words() & store.words() == 0
                || (!layer.cell.is_read_only() && layer.comes_before(warp_clock, store))
        };
        self.forgotten.iter().all(|part| part.words & store.words() == 0)
            && self.live().iter().all(is_ordered)
    }

    /// Forgets the loads of some words, because they are ordered before a store.
    pub fn take(&mut self, words: u32) {
        self.layers[self.gone..].iter_mut().for_each(|layer| layer.cell.mask &= !words);
        self.drop_empty();
    }

    fn live(&self) -> &[Layer] {
        &self.layers[self.gone..]
    }

    /// Notes a load, in place of those that are ordered before it. Returns false if it has to go to lists.
    ///
    /// Only those of the same block can be, because nobody knows more of another block here.
    #[inline(never)]
    pub fn add(&mut self, warp_clock: &WarpClock<'_>, new: &Layer) -> bool {
        let is_other_kind = |first: &Layer| first.cell.is_read_only() != new.cell.is_read_only();
        if self.live().first().is_some_and(is_other_kind) || !self.make_room(new) {
            return false;
        }
        let (mut is_any_empty, mut same, mut last_common) = (false, None, None);
        let (words, access) = (new.words(), access_of(new));
        let mut start = self.gone;
        while start < self.layers.len() {
            let end = self.layers.len().min(start + CHUNK);
            // Without a branch for each layer.
            let chunk = self.words_of[start..end].iter().zip(&self.access_of[start..end]);
            let any = chunk.fold(0, |any, (of, by)| any | of & words | u32::from(*by == access));
            if any != 0 {
                for index in start..end {
                    if self.words_of[index] & words != 0 {
                        is_any_empty |= self.compare(index, warp_clock, new);
                        if self.words_of[index] & words != 0 {
                            last_common = Some(index);
                        }
                    } else if self.access_of[index] == access && self.layers[index].is_of_one_access(new) {
                        same = Some(index);
                    }
                }
            }
            start = end;
        }
        self.words += words.count_ones() as usize;
        // The order of the loads of a word is that of the layers.
        if let Some(index) = same.filter(|index| last_common.is_none_or(|last| last < *index)) {
            self.layers[index].cell.mask |= words;
            self.words_of[index] |= words;
        } else {
            self.layers.push(*new);
            self.words_of.push(words);
            self.access_of.push(access);
        }
        if is_any_empty {
            self.drop_empty();
        }
        true
    }

    /// Takes away what a layer has in common with a new load that comes after it. Returns whether nothing is left.
    #[inline]
    fn compare(&mut self, index: usize, warp_clock: &WarpClock<'_>, new: &Layer) -> bool {
        let layer = &mut self.layers[index];
        // Nobody knows more of another block here.
        if layer.cell.block != warp_clock.block {
            return false;
        }
        let before = layer.words_before(warp_clock, new);
        layer.cell.mask &= !before;
        self.words_of[index] = layer.cell.mask;
        self.words -= before.count_ones() as usize;
        layer.cell.mask == 0
    }

    /// The loads of a word, oldest first.
    pub fn at(&self, word: usize) -> Vec<Cell> {
        let layers = self.live().iter().filter(|layer| layer.words() >> word & 1 != 0);
        layers.map(|layer| layer.cell_at(word)).collect()
    }

    /// The threads whose loads of a word are no longer known as such.
    #[inline(never)]
    pub fn forgotten_at(&self, word: usize) -> VectorClock {
        let mut all = VectorClock::default();
        let parts = self.forgotten.iter().filter(|part| part.words >> word & 1 != 0);
        parts.for_each(|part| all.join(&part.clock()));
        all
    }

    #[inline(never)]
    fn drop_empty(&mut self) {
        self.layers.drain(..self.gone);
        self.gone = 0;
        self.layers.retain(|layer| layer.words() != 0);
        self.words_of.clear();
        self.words_of.extend(self.layers.iter().map(Layer::words));
        self.access_of.clear();
        self.access_of.extend(self.layers.iter().map(access_of));
        self.words = self.words_of.iter().map(|words| words.count_ones() as usize).sum();
    }

    /// Forgets the oldest loads until there is room for another one. Returns false if that would mix up loads of different
    /// words.
    fn make_room(&mut self, new: &Layer) -> bool {
        while self.live().len() == MAX_LAYERS || self.words + new.words().count_ones() as usize > MAX_WORDS {
            let oldest = self.layers[self.gone];
            let part = self.forgotten.iter().position(|part| part.words == oldest.words());
            if part.is_none() && self.forgotten.len() == MAX_PARTS {
                return false;
            }
            let part = part.unwrap_or_else(|| {
                self.forgotten.push(ForgottenLoads { words: oldest.words(), ..ForgottenLoads::default() });
                self.forgotten.len() - 1
            });
            self.forgotten[part].add(&oldest);
            self.gone += 1;
            self.words -= oldest.words().count_ones() as usize;
            if self.gone == MAX_GONE {
                self.layers.drain(..self.gone);
                self.words_of.drain(..self.gone);
                self.access_of.drain(..self.gone);
                self.gone = 0;
            }
        }
        true
    }
}
