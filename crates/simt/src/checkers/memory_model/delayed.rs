//! Delayed operations of the weak memory: stores and relaxed updates that take effect later than their thread issues
//! them.
//!
//! The memory model orders what one thread does to different locations only if something says so: a fence, a release, a
//! barrier. So in the weak memory an operation may be *delayed*, and other threads see what its thread does afterwards
//! before they see the operation. The seed chooses about half of the stores and relaxed updates to global or shared
//! memory, and for how long they are delayed. An operation is never delayed beyond something that orders it: a fence, a
//! releasing operation or a barrier of the same thread, the thread's end
//! ([`MemoryModel::drain`](crate::checkers::memory_model::MemoryModel::drain)), its next access to one of the same
//! bytes ([`MemoryModel::drain_touched`](crate::checkers::memory_model::MemoryModel::drain_touched)), and the next
//! instruction that names the register of the result
//! ([`MemoryModel::deliver_results`](crate::checkers::memory_model::MemoryModel::deliver_results)).
//!
//! *Why every outcome is one that the model allows.* Delaying an operation moves it past operations of its own thread
//! that only program order puts after it. No other thread can have synchronised with the thread in the meantime,
//! because whatever publishes its vector clock first performs what is delayed. So no vector clock can distinguish the
//! moment of issue from the later one, and coherence, the value that an update reads and its atomicity are those of the
//! later moment. No value appears out of thin air, because nothing can depend on a result that is still delayed. Only
//! what a `fence.sc` had ordered before the operation is kept from the moment of issue, because it grows when the lane
//! acquires. Races are also judged at the moment of issue, by what the thread knew then.
//!
//! *What is never delayed.* Loads, and updates with an order; vectors; and stores of several lanes to the same bytes,
//! because the store itself decides which of them wins. Specification: PTX ISA, sections 8.9 and 8.10.

use std::collections::BTreeMap;

use crate::access::lane_order::LaneOrder;
use crate::checkers::last_writer::{LastWriter, Store};
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::compile::inst::Pc;
use crate::isa::op::atomic::Atomic;
use crate::launch::Launch;
use crate::machine::global::Global;
use crate::machine::registers::Slot;
use crate::order::clocks::LaneId;
use crate::order::store_history::overlap;
use crate::order::vector_clock::VectorClock;
use crate::order::{ByteRange, Semantics, Space};
use crate::schedule::numbers::Random;

/// The most operations of one lane that are delayed at a time.
const MAX_PER_LANE: usize = 4;
/// An operation is delayed by less than two to the power of this many memory instructions, counted over all threads.
const MAX_DELAY_BITS: u64 = 10;
/// How many memory instructions pass before an operation that is due, but not reachable, is tried again. Shared memory
/// is reachable only while its block runs.
const RETRY_INTERVAL: u64 = 16;

/// The memories in which a delayed operation can take effect: global memory, and the shared memory of the block that
/// runs.
pub struct Target<'m> {
    /// Global memory.
    pub global: &'m mut Global,
    /// The shared memory of the block.
    pub shared: &'m mut [u8],
    /// The checker that follows a byte, if the launch asks for that.
    pub last_writer: Option<&'m mut LastWriter>,
}

/// An operation that has been issued and has not taken effect yet.
#[derive(Clone, Debug)]
pub struct DelayedOp {
    /// The lane that issued it.
    pub id: LaneId,
    /// Its instruction.
    pub pc: Pc,
    /// The bytes that it accesses.
    pub range: ByteRange,
    /// Their address, if they are in global memory.
    pub(crate) address: u64,
    /// The time at which it takes effect at the latest, in memory instructions.
    pub(crate) due: u64,
    /// Whether its lane has accessed memory since.
    pub(crate) is_overtaken: bool,
    /// Whether a race with it has already been reported.
    pub(crate) is_reported: bool,
    /// What happened before a `fence.sc` that was ordered before the operation when it was issued ([`Clocks::fenced`]).
    ///
    /// [`Clocks::fenced`]: crate::order::clocks::Clocks::fenced
    pub(crate) fenced: Option<VectorClock>,
    pub(crate) kind: DelayedKind,
}

/// What the operation does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DelayedKind {
    /// A store. A strong one has an order, a scope and a chain.
    Store { value: u64, strong: Option<(Semantics, u64)> },
    /// An update with its operands, and the register of its result if it is read.
    Update { atomic: Atomic, operands: [u64; 2], result: Option<Slot> },
}

impl DelayedOp {
    /// The value that it will store, if that is known already.
    pub fn value(&self) -> Option<u64> {
        match self.kind {
            DelayedKind::Store { value, .. } => Some(value),
            DelayedKind::Update { .. } => None,
        }
    }

    /// The register of its result, and whether that has 64 bits.
    pub(crate) fn result(&self) -> Option<(Slot, bool)> {
        match self.kind {
            DelayedKind::Update { atomic, result, .. } => result.map(|slot| (slot, atomic.bytes == 8)),
            DelayedKind::Store { .. } => None,
        }
    }
}

/// The result of an update that has taken effect, before it is written to the register of its lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingResult {
    pub(crate) lane: usize,
    pub(crate) column: (Slot, bool),
    pub(crate) value: u64,
}

/// The delayed operations of one warp in the order of issue, and results that have not been delivered.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarpOps {
    pub(crate) ops: Vec<DelayedOp>,
    pub(crate) results: Vec<PendingResult>,
    /// The earliest time at which one of them is due.
    due: u64,
    /// The lanes that have a delayed operation.
    pub(crate) lanes: u32,
    /// The lanes that still have to get a result.
    pub(crate) awaiting: u32,
    /// Whether the lane of one of them has accessed memory since.
    pub(crate) is_overtaken: bool,
}

impl WarpOps {
    /// Removes the operations that `is_wanted` selects.
    fn take(&mut self, mut is_wanted: impl FnMut(&DelayedOp) -> bool) -> Vec<DelayedOp> {
        let taken: Vec<DelayedOp> = self.ops.extract_if(.., |op| is_wanted(op)).collect();
        self.summarise();
        taken
    }

    pub(crate) fn summarise(&mut self) {
        let bit = |lane: usize| 1_u32 << lane;
        self.due = self.ops.iter().map(|op| op.due).min().unwrap_or(u64::MAX);
        self.lanes = self.ops.iter().fold(0, |lanes, op| lanes | bit(op.id.lane));
        self.is_overtaken = self.ops.iter().any(|op| op.is_overtaken);
        let awaited = self.ops.iter().filter(|op| op.result().is_some());
        self.awaiting = awaited.fold(0, |lanes, op| lanes | bit(op.id.lane));
        self.awaiting |= self.results.iter().fold(0, |lanes, result| lanes | bit(result.lane));
    }
}

/// The delayed operations of all resident blocks.
#[derive(Debug)]
pub struct DelayedOps {
    pub(crate) slots: Vec<Vec<WarpOps>>,
    /// For each granule, the warps that have a delayed operation there, once for each operation.
    granules: BTreeMap<(Space, u64), Vec<(usize, usize)>>,
    random: Random,
    /// The number of memory instructions so far.
    now: u64,
    /// The time at which the next operation is due.
    next: u64,
    /// What the current store has overwritten in memory for lanes whose store is delayed.
    pub(crate) overwritten: Vec<(ByteRange, u64)>,
    /// The lanes of the current store that are delayed.
    pub(crate) delayed_lanes: u32,
}

/// The size of a granule in bytes. No delayed operation is wider, and each is aligned, so it is inside of one granule.
const GRANULE: u64 = 8;

fn granule(range: ByteRange) -> (Space, u64) {
    (range.space, range.offset / GRANULE)
}

impl DelayedOps {
    /// No delayed operations, for `slots` resident blocks.
    pub fn new(slots: usize, launch: &Launch) -> DelayedOps {
        // The schedule and the values of loads are drawn from the same seed. A different start value makes the choices
        // independent.
        let random = Random::new(launch.seed.rotate_left(32) ^ 0x9e37_79b9);
        DelayedOps {
            slots: vec![Vec::new(); slots],
            granules: BTreeMap::new(),
            random,
            now: 0,
            next: u64::MAX,
            overwritten: Vec::new(),
            delayed_lanes: 0,
        }
    }

    /// A block starts in a slot. Nothing of the block that ran there before is delayed any more.
    pub fn start(&mut self, slot: usize, warps: usize) {
        self.slots[slot].clear();
        self.slots[slot].resize_with(warps, WarpOps::default);
    }

    fn of(&self, id: LaneId) -> &WarpOps {
        &self.slots[id.slot][id.warp]
    }

    /// Until when an operation of a lane is to be delayed, if it is.
    pub(crate) fn draw_deadline(&mut self, id: LaneId) -> Option<u64> {
        let waits = self.random.below(2) == 1;
        let already = || self.of(id).ops.iter().filter(|op| op.id == id).count();
        (waits && already() < MAX_PER_LANE).then_some(())?;
        Some(self.now + (1 << self.random.below(MAX_DELAY_BITS)))
    }

    pub(crate) fn add(&mut self, op: DelayedOp) {
        let LaneId { slot, warp, .. } = op.id;
        self.granules.entry(granule(op.range)).or_default().push((slot, warp));
        self.next = self.next.min(op.due);
        let warp_ops = &mut self.slots[slot][warp];
        warp_ops.ops.push(op);
        warp_ops.summarise();
    }

    pub(crate) fn take(
        &mut self,
        slot: usize,
        warp: usize,
        is_wanted: impl FnMut(&DelayedOp) -> bool,
    ) -> Vec<DelayedOp> {
        let taken = self.slots[slot][warp].take(is_wanted);
        for op in &taken {
            let key = granule(op.range);
            let warps = self.granules.get_mut(&key).expect("what waits is found by its piece");
            let index = warps.iter().position(|&of| of == (slot, warp)).expect("and so is its warp");
            warps.swap_remove(index);
            if warps.is_empty() {
                self.granules.remove(&key);
            }
        }
        taken
    }

    /// Removes the operations that are due now, in memory that is reachable.
    pub(crate) fn take_due(&mut self, shared: Space) -> Vec<DelayedOp> {
        self.now += 1;
        if self.now < self.next {
            return Vec::new();
        }
        let now = self.now;
        let mut due = Vec::new();
        for slot in 0..self.slots.len() {
            for warp in 0..self.slots[slot].len() {
                if self.slots[slot][warp].due <= now {
                    let is_near =
                        |range: ByteRange| matches!(range.space, Space::Global(_)) || range.space == shared;
                    due.append(&mut self.take(slot, warp, |op| op.due <= now && is_near(op.range)));
                }
            }
        }
        let left = self.slots.iter().flatten().map(|warp_ops| warp_ops.due).min();
        self.next = left.map_or(u64::MAX, |due| if due <= now { now + RETRY_INTERVAL } else { due });
        due
    }

    /// The delayed stores to exactly these bytes: the lane, the instruction and the value.
    pub fn stores_to(&self, range: ByteRange) -> impl Iterator<Item = (LaneId, Pc, u64)> {
        let warps = self.granules.get(&granule(range)).into_iter().flatten();
        let ops = warps.flat_map(|&(slot, warp)| &self.slots[slot][warp].ops);
        let there = ops.filter(move |op| op.range == range);
        there.filter_map(|op| Some((op.id, op.pc, op.value()?)))
    }

    /// A delayed operation of another lane on bytes that a lane reads, whose own lane has accessed memory since.
    pub fn overlapping_op_of_others(&self, id: LaneId, range: ByteRange) -> Option<&DelayedOp> {
        // Where every thread waits for a lock, each warp is here as often as it has lanes, and none is overtaken.
        let warps = self.granules.get(&granule(range))?.iter().map(|&(slot, warp)| &self.slots[slot][warp]);
        let ops = warps.filter(|warp_ops| warp_ops.is_overtaken).flat_map(|warp_ops| &warp_ops.ops);
        let mut others = ops.filter(|op| op.id != id && op.is_overtaken);
        others.find(|op| overlap(op.range, range))
    }
}

impl Target<'_> {
    pub(crate) fn bytes_mut(&mut self, range: ByteRange) -> Option<&mut [u8]> {
        let (offset, bytes) = (range.offset as usize, usize::from(range.bytes));
        match range.space {
            Space::Shared(_) => self.shared.get_mut(offset..offset + bytes),
            Space::Global(region) => self.global.update(region as usize, offset, bytes),
        }
    }

    pub(crate) fn memory(&self) -> MemoryView<'_> {
        // Delayed operations take effect one at a time, so the order of lanes does not matter.
        MemoryView { global: self.global, shared: self.shared, order: LaneOrder::new(0, 0, 0, 0) }
    }

    pub(crate) fn write(&mut self, op: &DelayedOp, block: u32, value: u64) {
        let bytes = usize::from(op.range.bytes);
        if let Some(memory) = self.bytes_mut(op.range) {
            memory.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        if let (Some(last_writer), Space::Global(_)) = (self.last_writer.as_deref_mut(), op.range.space) {
            let LaneId { warp, lane, .. } = op.id;
            let (block, bytes) = (block.into(), bytes as u64);
            last_writer.took_effect(Store { block, warp, lane, pc: op.pc, address: op.address, bytes });
        }
    }
}
