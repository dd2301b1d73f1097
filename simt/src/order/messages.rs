//! Synchronisation through memory: what release patterns leave at a location, and who picks it up.
//!
//! A release pattern is a releasing store, or a releasing fence or store and a strong store that follows it; an acquire
//! pattern is an acquiring load, or a strong load and an acquiring fence or load that follows it. The second picks up what
//! the first left if it reads what the first wrote, or what a chain of atomic updates made of it, each link of it strong
//! with scopes that include each other, and if the scopes of the pattern's first and last operations include each other.
//! So a location carries what everybody who has published there so far knew, apart by block, because a scope may be the
//! block's. Specification: PTX ISA, section 8, "Release and Acquire Patterns", "Observation Order".

use std::collections::{BTreeMap, VecDeque};

use rpds::RedBlackTreeMapSync;

use super::clocks::{Clocks, Snapshot, Who};
use super::view::View;
use super::{Order, Place, Reach, Space, Stamp, Thread, forget_space};
use crate::machine::registers::WARP_SIZE;

/// What has been left at a location by the store that a load reads, and by those before it in its chain of updates.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// From patterns whose first operation reaches all blocks.
    wide: View,
    /// From all patterns, by the block that they are of.
    by_block: RedBlackTreeMapSync<u32, View>,
    /// What `fence.sc` of all scopes had sealed before these stores.
    sealed: View,
    /// Tells one content from another: 0 is nothing.
    version: u64,
}

/// A store, as a load that reads it sees it.
#[derive(Clone, Debug)]
pub struct Written {
    /// Who, and when.
    pub stamp: Stamp,
    /// Its scope; `None` for a weak store, which nobody synchronises with.
    pub scope: Option<Reach>,
    /// What came with it.
    pub messages: Messages,
    /// The chain of updates that it is part of, each of which observes the one before; 0 for a weak store.
    pub chain: u64,
}

impl Written {
    /// Whether a strong load of some scope observes it.
    pub fn is_observed_by(&self, reader: Thread, scope: Reach) -> bool {
        let writer = self.stamp.thread.block;
        self.scope.is_some_and(|own| own.includes(writer, reader.block))
            && scope.includes(reader.block, writer)
    }
}

/// What a lane has read and written so far that may become part of a pattern.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// What it published by its last fences.
    fences: Published,
    /// What it has read by strong loads and not yet acquired in full, by location: accesses of other bytes, even of a part of
    /// them, are not morally strong with these, and no part of a pattern with them.
    read: BTreeMap<Place, Messages>,
    /// What it published by its last releasing stores to a location.
    released: BTreeMap<Place, Published>,
    /// The last strong stores of other threads that it has read, the newest last: what might have been a pattern.
    heard: VecDeque<Stamp>,
}

/// Stores that a lane has heard of at most: what is forgotten makes some advice less good.
const MOST_HEARD: usize = 8;

/// What a lane published last, each for its own audience: a release for the block takes nothing back from other blocks.
#[derive(Clone, Debug, Default)]
struct Published {
    /// For the block only.
    narrow: Option<(Reach, Snapshot)>,
    /// For other blocks too.
    wide: Option<(Reach, Snapshot)>,
}

impl Published {
    /// Publishes once more. Whoever is reached by a wide release needs no earlier one, for a thread forgets nothing.
    fn publish(&mut self, scope: Reach, snapshot: Snapshot) {
        if scope >= Reach::Gpu {
            *self = Published { narrow: None, wide: Some((scope, snapshot)) };
        } else {
            self.narrow = Some((scope, snapshot));
        }
    }

    fn all(&self) -> impl Iterator<Item = &(Reach, Snapshot)> {
        self.narrow.iter().chain(&self.wide)
    }
}

type Key = (Space, u64);

/// What those have published who have passed a `fence.sc`: where the order of these fences counts.
#[derive(Clone, Debug, Default)]
struct Sequential {
    wide: View,
    by_block: BTreeMap<u32, View>,
}

/// All locations that strong stores have written.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    at: BTreeMap<Key, (u8, Written)>,
    /// By slot and warp: 32 lanes, or none yet.
    lanes: Vec<Vec<Vec<Lane>>>,
    versions: u64,
    chains: u64,
    sequential: Option<Sequential>,
}

impl Locations {
    /// Locations for so many resident blocks. Whether `fence.sc` synchronise in the order in which they are carried out is
    /// the caller's choice: in the model they do, in an order that is the run's.
    pub fn new(slots: usize, fences_synchronise: bool) -> Locations {
        let sequential = fences_synchronise.then(Sequential::default);
        Locations { lanes: vec![Vec::new(); slots], sequential, ..Locations::default() }
    }

    /// A block starts in a slot: the one that was there before has left its shared memory and its lanes.
    pub fn start(&mut self, slot: usize, before: u32, warps: usize) {
        forget_space(&mut self.at, Space::Shared(before));
        self.lanes[slot].clear();
        self.lanes[slot].resize_with(warps, Vec::new);
    }

    fn lane(&mut self, who: Who) -> &mut Lane {
        let lanes = &mut self.lanes[who.slot][who.warp];
        if lanes.is_empty() {
            lanes.resize_with(WARP_SIZE, Lane::default);
        }
        &mut lanes[who.lane]
    }

    /// The chain of an access that stores, or not, and that observes some store, or none.
    pub fn chain(&mut self, stores: bool, observed: Option<&Written>) -> u64 {
        if stores && observed.is_none() {
            self.chains += 1;
            return self.chains;
        }
        observed.map_or(0, |written| written.chain)
    }

    /// The last strong store to exactly these bytes, if no weak one came after it.
    pub fn last(&self, place: Place) -> Option<&Written> {
        let (bytes, written) = self.at.get(&(place.space, place.offset))?;
        (*bytes == place.bytes).then_some(written)
    }

    /// A weak store overwrites some bytes.
    pub fn forget(&mut self, space: Space, offset: u64, bytes: u64) {
        const WIDEST: u64 = 8;
        let near = (space, offset.saturating_sub(WIDEST - 1))..(space, offset + bytes);
        let touched = self.at.range(near).filter(|((_, start), (own, _))| start + u64::from(*own) > offset);
        let touched: Vec<Key> = touched.map(|(key, _)| *key).collect();
        for key in touched {
            self.at.remove(&key);
        }
    }

    /// A strong load, and the store that it reads if it observes it.
    pub fn read(
        &mut self,
        clocks: &mut Clocks,
        who: Who,
        place: Place,
        how: (Order, Reach),
        written: Option<&Written>,
    ) {
        let (order, scope) = how;
        let own_block = clocks.block(who.slot);
        let lane = self.lane(who);
        if let Some(written) = written {
            lane.hear(written.stamp);
        }
        let known = lane.read.get(&place).map_or(0, |messages| messages.version);
        let new = written.map(|written| &written.messages);
        if let Some(new) = new.filter(|new| new.version != 0 && new.version != known) {
            lane.read.entry(place).or_default().receive(own_block, new);
            if !new.sealed.is_empty() {
                clocks.open(who, &new.sealed);
            }
        }
        // What weaker loads of the same location have read before is acquired with it, whatever it reads itself.
        if order.acquires()
            && let Some(messages) = lane.read.get_mut(&place)
        {
            acquire(clocks, who, own_block, scope, messages);
        }
    }

    /// Whether a lane has passed a fence.
    pub fn has_fenced(&self, who: Who) -> bool {
        let lane = self.lanes[who.slot][who.warp].get(who.lane);
        lane.is_some_and(|lane| lane.fences.all().next().is_some())
    }

    /// Whether a lane has read by a strong load what the thread of an earlier access stored after it: a flag or a lock, with
    /// too few fences around.
    pub fn has_heard(&self, who: Who, earlier: Stamp) -> bool {
        let lane = self.lanes[who.slot][who.warp].get(who.lane);
        let is_later = |heard: &Stamp| heard.thread == earlier.thread && heard.clock >= earlier.clock;
        lane.is_some_and(|lane| lane.heard.iter().any(is_later))
    }

    /// A strong store of some chain. An update hands on what came with the store that it updates, if it observes that.
    /// `sealed` is what its lane knew to be sealed when it came to the store ([`Clocks::sealed`]). Returns what it wrote.
    pub fn write(
        &mut self,
        clocks: &mut Clocks,
        who: Who,
        place: Place,
        how: (Order, Reach),
        (updated, chain): (Option<&Written>, u64),
        sealed: Option<&View>,
    ) -> Written {
        let (order, scope) = how;
        let key = (place.space, place.offset);
        let stamp = clocks.stamp(who);
        let own_block = stamp.thread.block;
        let mut messages = updated.map(|written| written.messages.clone()).unwrap_or_default();
        let lane = self.lane(who);
        if order.releases() {
            lane.released.entry(place).or_default().publish(scope, clocks.snapshot(who));
        }
        let mut is_new = false;
        let released = lane.released.get(&place).into_iter().flat_map(Published::all);
        for (scope, snapshot) in released.chain(lane.fences.all()) {
            messages.add(own_block, *scope, snapshot);
            is_new = true;
        }
        if let Some(sealed) = sealed {
            messages.sealed.join(sealed);
            is_new = true;
        }
        if is_new {
            self.versions += 1;
            messages.version = self.versions;
        }
        self.forget(place.space, place.offset, u64::from(place.bytes));
        let written = Written { stamp, scope: Some(scope), messages, chain };
        self.at.insert(key, (place.bytes, written.clone()));
        if order.releases() {
            clocks.tick(who.slot, who.warp);
        }
        written
    }

    /// Lanes of a warp pass a fence, which acquires what they have read and publishes what they have done.
    pub fn fence(
        &mut self,
        clocks: &mut Clocks,
        (slot, warp): (usize, usize),
        lanes: u32,
        (order, scope): (Order, Reach),
    ) {
        let own_block = clocks.block(slot);
        for lane in crate::machine::registers::lanes_of(lanes) {
            let who = Who { slot, warp, lane };
            let lane = self.lane(who);
            for messages in lane.read.values_mut() {
                acquire(clocks, who, own_block, scope, messages);
            }
            let is_wide = scope >= Reach::Gpu;
            if is_wide {
                lane.read.clear();
            }
            if let Some(sequential) = self.sequential.as_mut().filter(|_| order == Order::SeqCst) {
                sequential.pass(clocks, who, scope);
            }
            if is_wide && order == Order::SeqCst {
                clocks.seal(who);
            }
            let snapshot = clocks.snapshot(who);
            self.lane(who).fences.publish(scope, snapshot);
        }
        clocks.tick(slot, warp);
    }
}

impl Lane {
    fn hear(&mut self, stamp: Stamp) {
        self.heard.retain(|heard| heard.thread != stamp.thread);
        if self.heard.len() == MOST_HEARD {
            self.heard.pop_front();
        }
        self.heard.push_back(stamp);
    }
}

/// Lets a lane know what messages say that an operation of some scope acquires.
fn acquire(clocks: &mut Clocks, who: Who, own_block: u32, scope: Reach, messages: &mut Messages) {
    // What was acquired is taken out; the version stays, so that reading the same again costs nothing.
    if let Some(view) = messages.by_block.get(&own_block) {
        clocks.learn(who, view);
        messages.by_block.remove_mut(&own_block);
    }
    if scope >= Reach::Gpu {
        clocks.learn(who, &std::mem::take(&mut messages.wide));
    }
}

impl Sequential {
    /// Lets a lane come after those who have passed, as far as their scopes and its own include each other, and before those
    /// who will.
    fn pass(&mut self, clocks: &mut Clocks, who: Who, scope: Reach) {
        let own = self.by_block.entry(clocks.block(who.slot)).or_default();
        clocks.learn(who, own);
        if scope >= Reach::Gpu {
            clocks.learn(who, &self.wide);
        }
        let snapshot = clocks.snapshot(who);
        snapshot.add_to(own);
        if scope >= Reach::Gpu {
            snapshot.add_to(&mut self.wide);
        }
    }
}

impl Messages {
    fn add(&mut self, block: u32, scope: Reach, snapshot: &Snapshot) {
        let mut own = self.by_block.get(&block).cloned().unwrap_or_default();
        snapshot.add_to(&mut own);
        self.by_block.insert_mut(block, own);
        if scope >= Reach::Gpu {
            snapshot.add_to(&mut self.wide);
        }
    }

    /// Adds what a thread of a block may acquire of other messages: what is for all, and for its own block.
    fn receive(&mut self, block: u32, other: &Messages) {
        self.wide.join(&other.wide);
        if let Some(view) = other.by_block.get(&block) {
            let mut own = self.by_block.get(&block).cloned().unwrap_or_default();
            own.join(view);
            self.by_block.insert_mut(block, own);
        }
        self.version = other.version;
    }
}
