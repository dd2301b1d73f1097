//! The store history of the weak memory: which older stores a load may return.
//!
//! The stores to each location are kept in the order in which they executed, which is taken as the coherence order. A
//! load may return any store from its *floor* on. The floor is the last store that happens before the load, either
//! because the vector clock of the reading thread includes the store, or because a strong load that it includes has
//! observed the store. The seed chooses one. In half of the cases it chooses the last store, so that no thread waits
//! for ever for a value. An atomic update returns nothing older than the last store with which it is morally strong.
//! `fence.sc` synchronise in the order in which they execute ([`super::release_acquire`]).
//!
//! Stores and relaxed updates may take effect later than their thread issues them (`checkers::memory_model::delayed`).
//! Everything that is said here about a store holds from the moment at which it takes effect.
//!
//! *What it cannot produce:* a load that returns a store which executes later, because loads are never delayed (updates
//! are, until their result is used); an update that takes effect after its result was used; another order of
//! unordered weak stores, because memory holds only one last value; a release store that is overtaken by what follows
//! it (`st.release y; st.relaxed x`); an operation that is delayed past a fence whose scope does not include the
//! observer (`atom.relaxed.gpu; fence.sc.cta; atom.relaxed.gpu`, seen from another block); and an access that falls
//! between the read and the write of an update with which it is not morally strong. It remembers 32 stores for each location;
//! forgetting older ones makes a run stronger, never weaker. Specification: PTX ISA, section 8.10, "Axioms".

use std::collections::{BTreeMap, VecDeque};

use super::clocks::{Clocks, LaneId};
use super::release_acquire::StoreRecord;
use super::{ByteRange, Epoch, Scope, Space, forget_space};
use crate::schedule::numbers::Random;

/// The size of a granule in bytes. The stores to all bytes of an aligned granule are kept in one list.
const GRANULE: u64 = 8;
/// The number of versions, and of observations, that are remembered for each granule.
const MAX_REMEMBERED: usize = 32;

/// A store to a granule, and what the granule held after it.
#[derive(Clone, Debug)]
struct Version {
    number: u64,
    /// The bytes that it stored.
    range: ByteRange,
    /// The contents of the granule after the store.
    after: [u8; GRANULE as usize],
    /// The store; `None` for the first version, which is what memory held before the launch stored anything.
    store: Option<StoreRecord>,
    pc: u32,
}

/// The versions of a granule, oldest first. There is always at least one.
#[derive(Clone, Debug)]
struct Granule {
    versions: VecDeque<Version>,
    /// The strong loads that observed a version.
    observed: Vec<Observation>,
    /// No load returns a version older than this.
    floor: u64,
}

/// A strong load: its epoch, the bytes that it read, and the number of the version that it observed.
#[derive(Clone, Copy, Debug)]
struct Observation {
    by: Epoch,
    range: ByteRange,
    number: u64,
}

/// What a load returns.
#[derive(Clone, Debug)]
pub struct LoadResult {
    /// As many bytes as the load asked for.
    pub bytes: [u8; GRANULE as usize],
    /// The store that the load reads, if it stored exactly these bytes.
    pub store: Option<StoreRecord>,
    /// The next newer store, if the load does not return the last one; and the instruction that made it.
    pub newer: Option<(Epoch, u32)>,
}

/// A load that asks which store it reads.
#[derive(Clone, Copy, Debug)]
pub struct LoadQuery {
    /// The lane that loads.
    pub id: LaneId,
    /// The bytes that it loads.
    pub range: ByteRange,
    /// The scope of the load; `None` for a weak load.
    pub scope: Option<Scope>,
    /// Whether the load is part of an atomic update.
    pub updates: bool,
}

/// The store history of all locations to which the launch has stored.
#[derive(Clone, Debug)]
pub struct StoreHistory {
    granules: BTreeMap<(Space, u64), Granule>,
    random: Random,
    stores: u64,
}

impl StoreHistory {
    /// An empty history, which makes its choices from a seed.
    pub fn new(seed: u64) -> StoreHistory {
        // The schedule draws from the same seed; inverting it makes the two choices independent.
        StoreHistory { granules: BTreeMap::new(), random: Random::new(!seed), stores: 0 }
    }

    /// A block has ended, so the history of its shared memory is no longer needed.
    pub fn forget(&mut self, space: Space) {
        forget_space(&mut self.granules, space);
    }

    /// Something else has stored.
    #[cfg(not(target_family = "wasm"))]
    pub fn forget_all(&mut self) {
        self.granules.clear();
    }

    /// What a load of up to eight bytes returns; `None` if the launch has not stored there, so that memory holds the
    /// only value.
    pub fn choose(&mut self, clocks: &Clocks, query: &LoadQuery) -> Option<LoadResult> {
        let LoadQuery { id, range, scope, .. } = *query;
        let granule = self.granules.get_mut(&key(range))?;
        let candidates = granule.candidates(clocks, query);
        let newest = candidates.len() as u64 - 1;
        let choice =
            if newest == 0 || self.random.below(2) == 0 { newest } else { self.random.below(newest + 1) };
        // The newest comes first.
        let choice = (newest - choice) as usize;
        let version = candidates[choice];
        let start = (range.offset % GRANULE) as usize;
        let mut bytes = [0; GRANULE as usize];
        bytes[..usize::from(range.bytes)]
            .copy_from_slice(&version.after[start..start + usize::from(range.bytes)]);
        let store = version.store.as_ref().filter(|_| version.range == range).cloned();
        let newer = choice.checked_sub(1).map(|next| candidates[next]);
        let newer = newer.and_then(|next| Some((next.store.as_ref()?.epoch, next.pc)));
        let reader = clocks.thread(id);
        if let (Some(store), Some(scope)) = (&store, scope)
            && store.is_observed_by(clocks, reader, scope)
        {
            let observed = Observation { by: clocks.epoch(id), range, number: version.number };
            granule.record_observation(observed);
        }
        Some(LoadResult { bytes, store, newer })
    }

    /// A store of up to eight bytes takes effect. `before` has the contents of the granule before the store; bytes
    /// outside of memory are 0.
    pub fn store(
        &mut self,
        range: ByteRange,
        value: &[u8],
        before: [u8; GRANULE as usize],
        store: StoreRecord,
        pc: u32,
    ) {
        self.stores += 1;
        let number = self.stores;
        let granule = self.granules.entry(key(range)).or_insert_with(|| Granule::new(range.space, before));
        let mut after = granule.versions.back().expect("a piece has a version").after;
        let start = (range.offset % GRANULE) as usize;
        after[start..start + value.len()].copy_from_slice(value);
        granule.versions.push_back(Version { number, range, after, store: Some(store), pc });
        if granule.versions.len() > MAX_REMEMBERED {
            granule.versions.pop_front();
            let oldest = granule.oldest();
            granule.observed.retain(|known| known.number > oldest);
        }
    }
}

/// The offset at which the granule around an offset starts.
pub fn granule_start(offset: u64) -> u64 {
    offset - offset % GRANULE
}

fn key(range: ByteRange) -> (Space, u64) {
    (range.space, granule_start(range.offset))
}

impl Granule {
    fn new(space: Space, before: [u8; GRANULE as usize]) -> Granule {
        let range = ByteRange { space, offset: 0, bytes: 0 };
        let first = Version { number: 0, range, after: before, store: None, pc: 0 };
        Granule { versions: VecDeque::from([first]), observed: Vec::new(), floor: 0 }
    }

    /// The number of the oldest version.
    fn oldest(&self) -> u64 {
        self.versions.front().map_or(0, |version| version.number)
    }

    /// The versions that a load may return, newest first. Stores to other bytes of the granule are skipped, because they make
    /// no difference to the load.
    fn candidates(&self, clocks: &Clocks, query: &LoadQuery) -> Vec<&Version> {
        let LoadQuery { id, range, scope, updates } = *query;
        let reader = clocks.thread(id);
        let mut floor = None;
        let mut candidates = Vec::new();
        for (index, version) in self.versions.iter().enumerate().rev() {
            let is_first = index == 0;
            if !is_first && !overlap(version.range, range) {
                continue;
            }
            candidates.push(version);
            let Some(store) = &version.store else { break };
            let is_strong = scope.is_some_and(|scope| store.is_observed_by(clocks, reader, scope));
            // Most threads that wait in a loop read with an update, which finds the last store. The floor takes longer.
            let is_last = updates && is_strong && version.range == range;
            if is_last
                || version.number <= *floor.get_or_insert_with(|| self.floor_of(clocks, query))
                || clocks.is_ordered_after(id, store.epoch)
            {
                break;
            }
        }
        candidates
    }

    /// The number of the newest version that a load knows to have been observed. It returns no older one.
    fn floor_of(&self, clocks: &Clocks, query: &LoadQuery) -> u64 {
        let observed = self.observed.iter().filter(|observed| overlap(observed.range, query.range));
        let newer = |floor: u64, observed: &Observation| {
            let is_known = observed.number > floor && clocks.is_ordered_after(query.id, observed.by);
            if is_known { observed.number } else { floor }
        };
        observed.fold(self.floor, newer)
    }

    /// Records that a strong load observed a version. If there are too many observations, the floor is raised for all
    /// threads instead.
    fn record_observation(&mut self, new: Observation) {
        // No load returns an older version than the oldest anyway.
        if new.number <= self.oldest() {
            return;
        }
        // An earlier observation by the same thread is implied by this one for every thread that is ordered after this
        // load.
        let same = |known: &Observation| known.by.thread == new.by.thread && known.range == new.range;
        if self.observed.iter().any(|known| same(known) && known.number >= new.number) {
            return;
        }
        if self.observed.len() >= MAX_REMEMBERED {
            self.floor = self.floor.max(new.number);
            return;
        }
        self.observed.push(new);
    }
}

/// Whether two ranges have a byte in common.
pub fn overlap(one: ByteRange, other: ByteRange) -> bool {
    one.space == other.space
        && one.offset < other.offset + u64::from(other.bytes)
        && other.offset < one.offset + u64::from(one.bytes)
}
