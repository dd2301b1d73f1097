//! The weak memory at work: chooses what loads return, and keeps in mind which of them returned an older store.
//!
//! Which stores the memory model lets a load return is decided in [`history`](crate::order::history), what an access is and
//! who makes it in [`crate::checkers::watch`]. What was found is told in [`crate::checkers::races::wording`].

use crate::access::element;
use std::collections::BTreeMap;

use crate::checkers::watch::late::{Late, Waiting};
use crate::compile::inst::Pc;
use crate::launch::Launch;
use crate::order::clocks::Clocks;
use crate::order::history::{Chosen, History, Question};
use crate::order::messages::Written;
use crate::order::{Place, Stamp};

/// The weak memory, and what it does to the access at hand.
#[derive(Debug)]
pub struct Weak {
    /// The stores that loads may return.
    pub history: History,
    /// What has been issued and not yet carried out.
    pub waiting: Waiting,
    /// What lanes of a load get instead of what memory holds: the lane, the element, the bytes.
    pub replaced: Vec<(usize, usize, [u8; 8])>,
    /// What an update that is being carried out has read.
    pub read: Option<Written>,
    stale: Vec<Stale>,
    /// By instructions: where in `stale`.
    seen: BTreeMap<(Pc, Pc), usize>,
}

/// A load that returned an older store than the last one, or came before a store that waits, the first time that two
/// instructions were part of it.
#[derive(Clone, Copy, Debug)]
pub struct Stale {
    /// Who loaded.
    pub reader: Stamp,
    /// By which instruction.
    pub reader_pc: Pc,
    /// What.
    pub place: Place,
    /// Who had stored since, or had come to a store that waits.
    pub newer: Stamp,
    /// By which instruction.
    pub newer_pc: Pc,
    /// What the load returned.
    pub got: u64,
    /// What an ordinary memory would have returned; of an update that waits nobody knows.
    pub last: Option<u64>,
    /// Whether the newer one waits.
    pub is_late: bool,
    /// How often.
    pub count: u64,
}

impl Weak {
    /// Nothing has been stored yet; the seed decides what loads return.
    pub fn new(slots: usize, launch: &Launch) -> Weak {
        let (history, waiting) = (History::new(launch.seed), Waiting::new(slots, launch));
        Weak { history, waiting, replaced: Vec::new(), read: None, stale: Vec::new(), seen: BTreeMap::new() }
    }

    /// The store that an instruction reads, where memory holds `last`. One that is not the last is kept in mind, and so is
    /// one that waits.
    pub fn choose(&mut self, clocks: &Clocks, question: &Question, pc: Pc, last: u64) -> Option<Chosen> {
        let chosen = self.history.choose(clocks, question);
        let (reader, place) = (clocks.stamp(question.who), question.place);
        let read = |chosen: &Chosen| element::read_le(&chosen.bytes[..usize::from(place.bytes)]);
        let got = chosen.as_ref().map_or(last, read);
        let of = |newer: Stamp, newer_pc: Pc| Stale {
            reader,
            reader_pc: pc,
            place,
            newer,
            newer_pc,
            got,
            last: Some(last),
            is_late: false,
            count: 1,
        };
        let older =
            chosen.as_ref().and_then(|chosen| chosen.newer).map(|(newer, newer_pc)| of(newer, newer_pc));
        let waits = |late: &Late| {
            let last = late.value().filter(|_| late.place == place);
            Stale { last, is_late: true, ..of(clocks.stamp(late.who), late.pc) }
        };
        if let Some(stale) = older.or_else(|| self.waiting.missed_by(question.who, place).map(waits)) {
            self.remember(stale);
        }
        chosen
    }

    fn remember(&mut self, stale: Stale) {
        let index = *self.seen.entry((stale.reader_pc, stale.newer_pc)).or_insert(self.stale.len());
        match self.stale.get_mut(index) {
            None => self.stale.push(stale),
            // The first is told, unless the older store left the same value and a later one shows a difference.
            Some(told) => {
                let count = told.count + 1;
                if Some(told.got) == told.last {
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
