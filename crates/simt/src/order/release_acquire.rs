//! Release and acquire patterns: how threads synchronise through memory.
//!
//! A release pattern is a releasing store, or a releasing fence or store followed by a strong store. An acquire pattern
//! is an acquiring load, or a strong load followed by an acquiring fence or load. The two synchronise if the load reads
//! what the release pattern stored, or what a chain of atomic updates made of it. Each link of the chain has to be
//! strong, with scopes that include each other, and so do the scopes of the first operation of the release pattern and
//! the last one of the acquire pattern. So each location carries the join of the vector clocks that have been released
//! there, separately for each block, because a scope may be limited to a block. Specification: PTX ISA, section 8,
//! "Release and Acquire Patterns", "Observation Order".

use std::collections::{BTreeMap, VecDeque};

use super::block_map::BlockMap;
use super::clocks::{Clocks, LaneId, ThreadClock, WarpId};
use super::vector_clock::VectorClock;
use super::{AGENT, ByteRange, Epoch, Order, Scope, Semantics, Space, Thread, forget_space};
use crate::machine::registers::WARP_SIZE;

/// The vector clocks that came to a location with the store that a load reads, and with the earlier stores of its chain
/// of updates.
#[derive(Clone, Debug, Default)]
pub struct ReleasedClocks {
    /// From release patterns whose first operation has a scope that includes other blocks.
    across_blocks: VectorClock,
    /// From all release patterns, by the block of their thread; and from those whose first operation has a scope that includes
    /// the cluster, by [`Home::cluster`].
    by_block: BlockMap<VectorClock>,
    /// What happens before a `fence.sc` of GPU or system scope that precedes one of these stores.
    fenced: VectorClock,
    /// Distinguishes two contents, so that an unchanged one need not be joined again; 0 if nothing was released.
    version: u64,
}

/// A store, as the load that reads it sees it.
#[derive(Clone, Debug)]
pub struct StoreRecord {
    /// The thread that stored, and when.
    pub epoch: Epoch,
    /// The scope of the store; `None` for a weak store, with which nothing synchronises.
    pub scope: Option<Scope>,
    /// What release patterns published with it.
    pub released: ReleasedClocks,
    /// The chain of updates that it belongs to, each of which observes the one before; 0 for a weak store.
    pub chain: u64,
}

/// Where a strong store belongs in a chain of updates.
#[derive(Clone, Copy, Debug)]
pub struct Link<'s> {
    /// The store that an update reads and replaces, if it observes that.
    pub before: Option<&'s StoreRecord>,
    /// The chain.
    pub chain: u64,
}

impl StoreRecord {
    /// Whether a strong load with some scope observes it, that is, whether the two are morally strong.
    pub fn is_observed_by(&self, clocks: &Clocks, reader: Thread, scope: Scope) -> bool {
        let writer = self.epoch.thread.block;
        self.scope.is_some_and(|own| clocks.includes(own, writer, reader.block))
            && clocks.includes(scope, reader.block, writer)
    }
}

/// What a lane has read and written so far that may become part of a release or an acquire pattern.
#[derive(Clone, Debug, Default)]
struct LanePatterns {
    /// What it published with its last fences.
    fences: Releases,
    /// What it has read by strong loads and not acquired in full yet. The key is the exact range, because accesses that
    /// overlap only in part are not morally strong and so cannot form a pattern.
    unacquired: BTreeMap<ByteRange, ReleasedClocks>,
    /// What it published with its last releasing stores to each location.
    releases: BTreeMap<ByteRange, Releases>,
    /// Whether it has made a volatile store, and the widest scope of the fences since.
    stores_volatile: bool,
    fence_after_store: Option<Scope>,
    /// The last strong stores of other threads that it has read, the newest last. They are used for advice about
    /// missing ordering.
    read_stores: VecDeque<Epoch>,
}

/// The number of read stores that are remembered for each lane. Forgetting one can only make a line of help less
/// specific.
const MAX_READ_STORES: usize = 8;

/// What a lane published last, for the block, for the cluster and for others: a release with a small scope does not replace one
/// with a larger scope.
#[derive(Clone, Debug, Default)]
struct Releases([Option<(Scope, ThreadClock)>; 3]);

impl Releases {
    /// Publishes a newer clock. It replaces those with the same or a smaller scope, because the vector clock of a thread only
    /// grows.
    fn publish(&mut self, scope: Scope, thread_clock: ThreadClock) {
        let place = match scope {
            Scope::Cta => 0,
            Scope::Cluster => 1,
            Scope::Gpu | Scope::Sys => 2,
        };
        self.0[..place].fill(None);
        self.0[place] = Some((scope, thread_clock));
    }

    fn all(&self) -> impl Iterator<Item = &(Scope, ThreadClock)> {
        self.0.iter().flatten()
    }
}

type Key = (Space, u64);

/// What is known about every location to which a strong store was made, and about every lane that may be part of a
/// pattern.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    at: BTreeMap<Key, (u8, StoreRecord)>,
    /// By slot and warp: 32 lanes, or none as long as no lane of the warp has taken part in a pattern.
    lanes: Vec<Vec<Vec<LanePatterns>>>,
    versions: u64,
    chains: u64,
    /// What the threads that have passed a `fence.sc` published there, for runs in which the order of these fences
    /// counts.
    seq_cst_fences: Option<ReleasedClocks>,
}

impl Locations {
    /// The locations of a launch with `slots` resident blocks. In the memory model, `fence.sc` synchronise in an order
    /// that differs from run to run; `fence_sc_synchronises` says whether to take the order in which they execute.
    pub fn new(slots: usize, fence_sc_synchronises: bool) -> Locations {
        let seq_cst_fences = fence_sc_synchronises.then(ReleasedClocks::default);
        Locations { lanes: vec![Vec::new(); slots], seq_cst_fences, ..Locations::default() }
    }

    /// A block starts in a slot, so the shared memory and the lanes of the block that ran there before are forgotten.
    pub fn start(&mut self, slot: usize, before: u32, warps: usize) {
        forget_space(&mut self.at, Space::Shared(before));
        self.lanes[slot].clear();
        self.lanes[slot].resize_with(warps, Vec::new);
    }

    fn lane(&mut self, id: LaneId) -> &mut LanePatterns {
        let lanes = &mut self.lanes[id.slot][id.warp];
        if lanes.is_empty() {
            lanes.resize_with(WARP_SIZE, LanePatterns::default);
        }
        &mut lanes[id.lane]
    }

    /// The chain of an access, given whether it stores and which store it observes. A store that observes none begins a
    /// new chain.
    pub fn chain(&mut self, stores: bool, observed: Option<&StoreRecord>) -> u64 {
        if stores && observed.is_none() {
            self.chains += 1;
            return self.chains;
        }
        observed.map_or(0, |store| store.chain)
    }

    /// The last strong store to exactly these bytes, unless a weak store has overwritten it.
    pub fn last(&self, range: ByteRange) -> Option<&StoreRecord> {
        let (bytes, store) = self.at.get(&(range.space, range.offset))?;
        (*bytes == range.bytes).then_some(store)
    }

    /// A weak store overwrites some bytes, so nothing synchronises through the strong stores that were there.
    pub fn forget(&mut self, space: Space, offset: u64, bytes: u64) {
        const WIDEST: u64 = 8;
        let near = (space, offset.saturating_sub(WIDEST - 1))..(space, offset + bytes);
        let touched = self.at.range(near).filter(|((_, start), (own, _))| start + u64::from(*own) > offset);
        let touched: Vec<Key> = touched.map(|(key, _)| *key).collect();
        for key in touched {
            self.at.remove(&key);
        }
    }

    /// A strong load reads `store`, if it observes one.
    pub fn read(
        &mut self,
        clocks: &mut Clocks,
        id: LaneId,
        range: ByteRange,
        semantics: Semantics,
        store: Option<&StoreRecord>,
    ) {
        let Semantics { order, scope } = semantics;
        let home = Home::of(clocks, clocks.block(id.slot));
        let lane = self.lane(id);
        if let Some(store) = store {
            lane.note_read(store.epoch);
        }
        let known = lane.unacquired.get(&range).map_or(0, |released| released.version);
        let new = store.map(|store| &store.released);
        if let Some(new) = new.filter(|new| new.version != 0 && new.version != known) {
            lane.unacquired.entry(range).or_default().join_visible(home, new);
            if !new.fenced.is_empty() {
                clocks.read_fenced(id, &new.fenced);
            }
        }
        // This acquires what weaker loads of the same location have read before, even if this load reads something
        // else.
        if order.acquires()
            && let Some(released) = lane.unacquired.get_mut(&range)
        {
            acquire(clocks, id, home, scope, released);
        }
    }

    /// The widest scope of the fences that a lane has passed before a volatile access. Before a load, only those count that
    /// follow a volatile store.
    pub fn fence_before(&mut self, id: LaneId, is_store: bool) -> Option<Scope> {
        let lane = self.lane(id);
        lane.stores_volatile |= is_store;
        if is_store { lane.fences.all().map(|(scope, _)| *scope).max() } else { lane.fence_after_store }
    }

    /// Whether a lane has passed a fence at this clock of its warp, or later.
    pub fn has_fenced_since(&self, id: LaneId, clock: u32) -> bool {
        let lane = self.lanes[id.slot][id.warp].get(id.lane);
        lane.is_some_and(|lane| lane.fences.all().any(|(_, fence)| fence.own.clock >= clock))
    }

    /// Whether a strong load of a lane has read a store that the thread of an earlier epoch made after it. If the two
    /// still race, they probably use a flag or a lock with too few fences.
    pub fn has_read_store_after(&self, id: LaneId, earlier: Epoch) -> bool {
        let lane = self.lanes[id.slot][id.warp].get(id.lane);
        let is_later = |store: &Epoch| store.thread == earlier.thread && store.clock >= earlier.clock;
        lane.is_some_and(|lane| lane.read_stores.iter().any(is_later))
    }

    /// A strong store that belongs to a chain. An update passes on what was released with the store that it updates, if
    /// it observes that. `fenced` is [`Clocks::fenced`] of the lane when the store was issued. Returns the record of
    /// the store.
    pub fn write(
        &mut self,
        clocks: &mut Clocks,
        id: LaneId,
        range: ByteRange,
        semantics: Semantics,
        link: Link<'_>,
        fenced: Option<&VectorClock>,
    ) -> StoreRecord {
        let Semantics { order, scope } = semantics;
        let key = (range.space, range.offset);
        let epoch = clocks.epoch(id);
        // What an agent publishes, it publishes for the block for which it works.
        let home = Home::of(clocks, epoch.thread.block & !AGENT);
        let mut released = link.before.map(|store| store.released.clone()).unwrap_or_default();
        let lane = self.lane(id);
        if order.releases() {
            lane.releases.entry(range).or_default().publish(scope, clocks.thread_clock(id));
        }
        let mut is_new = false;
        let releases = lane.releases.get(&range).into_iter().flat_map(Releases::all);
        for (scope, thread_clock) in releases.chain(lane.fences.all()) {
            released.add(home, *scope, thread_clock);
            is_new = true;
        }
        if let Some(fenced) = fenced {
            released.fenced.join(fenced);
            is_new = true;
        }
        if is_new {
            self.versions += 1;
            released.version = self.versions;
        }
        self.forget(range.space, range.offset, u64::from(range.bytes));
        let store = StoreRecord { epoch, scope: Some(scope), released, chain: link.chain };
        self.at.insert(key, (range.bytes, store.clone()));
        if order.releases() {
            clocks.tick(id.slot, id.warp);
        }
        store
    }

    /// Lanes of a warp execute a fence, which acquires what they have read and publishes what they have done.
    pub fn fence(
        &mut self,
        clocks: &mut Clocks,
        WarpId { slot, warp }: WarpId,
        lanes: u32,
        Semantics { order, scope }: Semantics,
    ) {
        let home = Home::of(clocks, clocks.block(slot));
        for lane in crate::machine::registers::lanes_of(lanes) {
            let id = LaneId { slot, warp, lane };
            let lane = self.lane(id);
            for released in lane.unacquired.values_mut() {
                acquire(clocks, id, home, scope, released);
            }
            lane.fence_after_store = lane.fence_after_store.max(lane.stores_volatile.then_some(scope));
            let is_wide = scope >= Scope::Gpu;
            if is_wide {
                lane.unacquired.clear();
            }
            if let Some(passed) = self.seq_cst_fences.as_mut().filter(|_| order == Order::SeqCst) {
                // The lane comes after those that have passed such a fence, and before those that will.
                acquire(clocks, id, home, scope, &mut passed.clone());
                passed.add(home, scope, &clocks.thread_clock(id));
            }
            if is_wide && order == Order::SeqCst {
                clocks.pass_fence_sc(id);
            }
            let thread_clock = clocks.thread_clock(id);
            self.lane(id).fences.publish(scope, thread_clock);
        }
        clocks.tick(slot, warp);
    }
}

impl LanePatterns {
    fn note_read(&mut self, epoch: Epoch) {
        // A thread that waits in a loop reads the same store again and again.
        if let Some(last) = self.read_stores.back_mut().filter(|last| last.thread == epoch.thread) {
            *last = epoch;
            return;
        }
        self.read_stores.retain(|store| store.thread != epoch.thread);
        if self.read_stores.len() == MAX_READ_STORES {
            self.read_stores.pop_front();
        }
        self.read_stores.push_back(epoch);
    }
}

/// Where a thread is, as far as scopes are concerned.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// The block.
    block: u32,
    /// What stands for the cluster in [`ReleasedClocks`]; none where each block is its own cluster.
    cluster: Option<u32>,
}

impl Home {
    fn of(clocks: &Clocks, block: u32) -> Home {
        Home { block, cluster: (clocks.cluster > 1).then(|| CLUSTER | ((block & !AGENT) / clocks.cluster)) }
    }
}

/// The bit by which the number of a cluster differs from that of a block.
const CLUSTER: u32 = 1 << 30;

/// Joins into a lane what an operation with some scope acquires.
fn acquire(clocks: &mut Clocks, id: LaneId, home: Home, scope: Scope, released: &mut ReleasedClocks) {
    // What has been acquired is removed. The version stays, so reading the same store again costs nothing.
    let cluster = home.cluster.filter(|_| scope >= Scope::Cluster);
    for key in [Some(home.block), cluster].into_iter().flatten() {
        if let Some(clock) = released.by_block.get(key) {
            clocks.join(id, clock);
            released.by_block.remove(key);
        }
    }
    if scope >= Scope::Gpu {
        clocks.join(id, &std::mem::take(&mut released.across_blocks));
    }
}

impl ReleasedClocks {
    fn add(&mut self, home: Home, scope: Scope, thread_clock: &ThreadClock) {
        self.by_block.change(home.block, |own| thread_clock.add_to(own));
        if let Some(cluster) = home.cluster.filter(|_| scope >= Scope::Cluster) {
            self.by_block.change(cluster, |own| thread_clock.add_to(own));
        }
        if scope >= Scope::Gpu {
            thread_clock.add_to(&mut self.across_blocks);
        }
    }

    /// Joins what a thread of a block may acquire: what was released to all blocks, and what was released in its own and in its
    /// cluster.
    fn join_visible(&mut self, home: Home, other: &ReleasedClocks) {
        self.across_blocks.join(&other.across_blocks);
        for key in [Some(home.block), home.cluster].into_iter().flatten() {
            if let Some(clock) = other.by_block.get(key) {
                self.by_block.change(key, |own| own.join(clock));
            }
        }
        self.version = other.version;
    }
}
