//! The weak memory at work: chooses what loads return, and keeps in mind which of them returned an older store.
//!
//! Which stores the memory model lets a load return is decided in [`history`](crate::order::history), what an access is and
//! who makes it in [`super::watch`]. What was found is told in [`super::races`].

use std::collections::BTreeMap;

use super::access;
use super::program::Pc;
use crate::order::clocks::Clocks;
use crate::order::history::{Chosen, History, Question};
use crate::order::messages::Written;
use crate::order::{Place, Stamp};

/// The weak memory, and what it does to the access at hand.
#[derive(Debug)]
pub struct Weak {
    /// The stores that loads may return.
    pub history: History,
    /// What lanes of a load get instead of what memory holds: the lane, the element, the bytes.
    pub replaced: Vec<(usize, usize, [u8; 8])>,
    /// What an update that is being carried out has read.
    pub read: Option<Written>,
    stale: Vec<Stale>,
    /// By instructions: where in `stale`.
    seen: BTreeMap<(Pc, Pc), usize>,
}

/// A load that returned an older store than the last one, the first time that two instructions were part of it.
#[derive(Clone, Copy, Debug)]
pub struct Stale {
    /// Who loaded.
    pub reader: Stamp,
    /// By which instruction.
    pub reader_pc: Pc,
    /// What.
    pub place: Place,
    /// Who had stored since.
    pub newer: Stamp,
    /// By which instruction.
    pub newer_pc: Pc,
    /// What the load returned, and what an ordinary memory would have returned.
    pub values: (u64, u64),
    /// How often.
    pub count: u64,
}

impl Weak {
    /// Nothing has been stored yet; the seed decides what loads return.
    pub fn new(seed: u64) -> Weak {
        let history = History::new(seed);
        Weak { history, replaced: Vec::new(), read: None, stale: Vec::new(), seen: BTreeMap::new() }
    }

    /// The store that an instruction reads, where memory holds `last`. One that is not the last is kept in mind.
    pub fn choose(&mut self, clocks: &Clocks, question: &Question, pc: Pc, last: u64) -> Option<Chosen> {
        let chosen = self.history.choose(clocks, question)?;
        self.remember(clocks.stamp(question.who), pc, question.place, &chosen, last);
        Some(chosen)
    }

    fn remember(&mut self, reader: Stamp, reader_pc: Pc, place: Place, chosen: &Chosen, last: u64) {
        let Some((newer, newer_pc)) = chosen.newer else { return };
        let index = *self.seen.entry((reader_pc, newer_pc)).or_insert(self.stale.len());
        let values = (access::read_le(&chosen.bytes[..usize::from(place.bytes)]), last);
        let stale = Stale { reader, reader_pc, place, newer, newer_pc, values, count: 1 };
        match self.stale.get_mut(index) {
            None => self.stale.push(stale),
            // The first is told, unless the older store left the same value and a later one shows a difference.
            Some(told) => {
                let count = told.count + 1;
                if told.values.0 == told.values.1 {
                    *told = stale;
                }
                told.count = count;
            }
        }
    }

    /// All loads that returned an older store, each pair of instructions once.
    pub fn take_stale(&mut self) -> Vec<Stale> {
        std::mem::take(&mut self.stale)
    }
}
