//! The weak memory. It chooses which stores loads return, and records which loads returned an older one.
//!
//! The memory model's rules for this choice are in [`store_history`](crate::order::store_history); who accesses what is
//! known in [`crate::checkers::memory_model`]; the messages are in [`crate::checkers::memory_model::wording`].

use crate::access::element;
use std::collections::BTreeMap;

use crate::checkers::memory_model::delayed::{DelayedOp, DelayedOps};
use crate::compile::inst::Pc;
use crate::launch::Launch;
use crate::order::clocks::Clocks;
use crate::order::release_acquire::StoreRecord;
use crate::order::store_history::{LoadQuery, LoadResult, StoreHistory};
use crate::order::{ByteRange, Epoch};

/// The state of the weak memory, and what it does to the current access.
#[derive(Debug)]
pub struct WeakMemory {
    /// The stores that loads may return.
    pub store_history: StoreHistory,
    /// The operations that have been issued and have not taken effect yet.
    pub delayed: DelayedOps,
    /// The values that lanes of the current load get in place of what memory holds: lane, element and bytes.
    pub replaced: Vec<(usize, usize, [u8; 8])>,
    /// The store that the current update has read.
    pub read: Option<StoreRecord>,
    /// All loads that returned an older store, one for each pair of instructions.
    pub stale: Vec<StaleLoad>,
    /// The index in `stale`, by the instructions of the load and the store.
    indices: BTreeMap<(Pc, Pc), usize>,
}

/// A load that returned an older store than the last one, or that came before a delayed store took effect. It holds the
/// first occurrence for its two instructions, and counts the others.
#[derive(Clone, Copy, Debug)]
pub struct StaleLoad {
    /// The thread that loaded.
    pub reader: Epoch,
    /// The instruction of the load.
    pub reader_pc: Pc,
    /// The bytes that it loaded.
    pub range: ByteRange,
    /// The thread that has stored since, or whose store is delayed.
    pub newer: Epoch,
    /// The instruction of that store.
    pub newer_pc: Pc,
    /// The value that the load returned.
    pub got: u64,
    /// The value that an ordinary memory would have returned; unknown if a delayed update would have stored it.
    pub last: Option<u64>,
    /// Whether the newer store was delayed.
    pub is_late: bool,
    /// How often it happened.
    pub count: u64,
}

impl WeakMemory {
    /// A weak memory to which nothing has been stored. The seed decides what loads return.
    pub fn new(slots: usize, launch: &Launch) -> WeakMemory {
        let (store_history, delayed) = (StoreHistory::new(launch.seed), DelayedOps::new(slots, launch));
        WeakMemory {
            store_history,
            delayed,
            replaced: Vec::new(),
            read: None,
            stale: Vec::new(),
            indices: BTreeMap::new(),
        }
    }

    /// The store that an instruction reads; memory holds `last`. A load that misses the last store, or a delayed one,
    /// is recorded.
    pub fn choose(&mut self, clocks: &Clocks, query: &LoadQuery, pc: Pc, last: u64) -> Option<LoadResult> {
        let chosen = self.store_history.choose(clocks, query);
        let (reader, range) = (clocks.epoch(query.id), query.range);
        let read = |chosen: &LoadResult| element::read_le(&chosen.bytes[..usize::from(range.bytes)]);
        let got = chosen.as_ref().map_or(last, read);
        let stale = |newer: Epoch, newer_pc: Pc| StaleLoad {
            reader,
            reader_pc: pc,
            range,
            newer,
            newer_pc,
            got,
            last: Some(last),
            is_late: false,
            count: 1,
        };
        let older =
            chosen.as_ref().and_then(|chosen| chosen.newer).map(|(newer, newer_pc)| stale(newer, newer_pc));
        let delayed = |op: &DelayedOp| {
            let last = op.value().filter(|_| op.range == range);
            StaleLoad { last, is_late: true, ..stale(clocks.epoch(op.id), op.pc) }
        };
        if let Some(stale) =
            older.or_else(|| self.delayed.overlapping_op_of_others(query.id, range).map(delayed))
        {
            self.record(stale);
        }
        chosen
    }

    fn record(&mut self, stale: StaleLoad) {
        let index = *self.indices.entry((stale.reader_pc, stale.newer_pc)).or_insert(self.stale.len());
        match self.stale.get_mut(index) {
            None => self.stale.push(stale),
            // The first occurrence is kept, unless it returned the same value as the last store and a later one did
            // not.
            Some(known) => {
                let count = known.count + 1;
                if Some(known.got) == known.last {
                    *known = stale;
                }
                known.count = count;
            }
        }
    }
}
