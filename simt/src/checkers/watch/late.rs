//! Stores and updates that are carried out later than their thread came to them.
//!
//! The memory model orders what one thread does to different places only where something says so: a fence, a release, a
//! barrier. So in the weak memory an operation may *wait*, and others see what its thread did since before they see it. That
//! is done to stores and relaxed updates that go to global or shared memory, every other one, for as long as the seed says;
//! but not beyond what orders them ([`Watch::settle`](crate::checkers::watch::Watch::settle)): a fence, a releasing operation or a barrier of the same thread, its
//! end, its next access to one of the same bytes ([`Watch::settle_touched`](crate::checkers::watch::Watch::settle_touched)), and the next instruction that names the
//! register of the result ([`Watch::settle_results`](crate::checkers::watch::Watch::settle_results)).
//!
//! *Why every outcome is one that the model allows.* Carrying an operation out later moves it behind operations of its own
//! thread that program order alone puts after it. Nobody can have synchronised with its thread since, for whatever
//! publishes settles first; so no clock tells the moment of issue from that of carrying out, and coherence, the reads of an
//! update and its atomicity are those of that moment. No value comes out of thin air, because nothing can depend on a result
//! that waits. What a lane knew to be sealed by a `fence.sc` is kept from the moment of issue, because that grows where the lane acquires.
//! Races are judged where the operation is issued, by what its thread knew then.
//!
//! *What it leaves out.* Loads, and updates with an order, which take place when they are issued; vectors; lanes of one
//! store that store to the same bytes, because which of them wins is the choice of that store.
//! Specification: PTX ISA, sections 8.9 and 8.10.

use std::collections::BTreeMap;

use crate::access::lane_order::LaneOrder;
use crate::checkers::last_writer::Follow;
use crate::checkers::watch::seen::Seen;
use crate::compile::inst::Pc;
use crate::isa::op::atomic::Atomic;
use crate::launch::Launch;
use crate::machine::global::Global;
use crate::machine::random::Random;
use crate::machine::registers::Slot;
use crate::order::clocks::Who;
use crate::order::history::overlap;
use crate::order::view::View;
use crate::order::{Order, Place, Reach, Space};

/// Operations of one lane that wait at a time; more are carried out at once.
const MOST_OF_A_LANE: usize = 4;
/// An operation waits for two to the power of less than this instructions that go to memory, of whichever thread.
const LONGEST: u64 = 10;
/// In so many instructions what is due and out of reach is asked for again: shared memory of a block that does not run.
const AGAIN: u64 = 16;

/// The memories that an operation may be carried out in: global memory, and the shared memory of the block that runs.
pub struct Target<'m> {
    /// Global memory.
    pub global: &'m mut Global,
    /// The block's shared memory.
    pub shared: &'m mut [u8],
    /// Who follows a byte, if anybody does.
    pub follow: Option<&'m mut Follow>,
}

/// An operation that waits.
#[derive(Clone, Debug)]
pub struct Late {
    /// Whose.
    pub who: Who,
    /// By which instruction.
    pub pc: Pc,
    /// Which bytes.
    pub place: Place,
    /// Their address, where they are in global memory.
    pub(crate) address: u64,
    /// When it is carried out at the latest.
    pub(crate) due: u64,
    /// Whether its lane has accessed memory since.
    pub(crate) is_overtaken: bool,
    /// What its lane knew to be sealed.
    pub(crate) sealed: Option<View>,
    pub(crate) what: What,
}

/// What waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    /// A store; a strong one has an order, a scope and a chain.
    Store { value: u64, strong: Option<(Order, Reach, u64)> },
    /// An update with its operands, the column of its result where somebody may read it, and whether a race with it has been
    /// told.
    Update { atomic: Atomic, operands: [u64; 2], result: Option<Slot>, is_told: bool },
}

impl Late {
    /// What it is going to store, if that is known.
    pub fn value(&self) -> Option<u64> {
        match self.what {
            What::Store { value, .. } => Some(value),
            What::Update { .. } => None,
        }
    }

    /// The column of the result, and whether it is one of 64 bits.
    pub(crate) fn result(&self) -> Option<(Slot, bool)> {
        match self.what {
            What::Update { atomic, result, .. } => result.map(|slot| (slot, atomic.bytes == 8)),
            What::Store { .. } => None,
        }
    }
}

/// The result of an update that has been carried out and not yet handed to its lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owed {
    pub(crate) lane: usize,
    pub(crate) column: (Slot, bool),
    pub(crate) value: u64,
}

/// What waits of one warp, in the order in which it was issued.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfWarp {
    pub(crate) waiting: Vec<Late>,
    pub(crate) owed: Vec<Owed>,
    /// When the first of them is due.
    due: u64,
    /// Lanes of which something waits.
    pub(crate) lanes: u32,
    /// Lanes that a result has yet to come to.
    pub(crate) owing: u32,
}

impl OfWarp {
    /// Takes out what is asked for.
    fn take(&mut self, mut is_asked_for: impl FnMut(&Late) -> bool) -> Vec<Late> {
        let taken: Vec<Late> = self.waiting.extract_if(.., |late| is_asked_for(late)).collect();
        self.count();
        taken
    }

    pub(crate) fn count(&mut self) {
        let bit = |lane: usize| 1_u32 << lane;
        self.due = self.waiting.iter().map(|late| late.due).min().unwrap_or(u64::MAX);
        self.lanes = self.waiting.iter().fold(0, |lanes, late| lanes | bit(late.who.lane));
        let awaited = self.waiting.iter().filter(|late| late.result().is_some());
        self.owing = awaited.fold(0, |lanes, late| lanes | bit(late.who.lane));
        self.owing |= self.owed.iter().fold(0, |lanes, owed| lanes | bit(owed.lane));
    }
}

/// All that waits, of all resident blocks.
#[derive(Debug)]
pub struct Waiting {
    pub(crate) slots: Vec<Vec<OfWarp>>,
    /// By piece of memory: the warps of which something waits there, once for each operation.
    pieces: BTreeMap<(Space, u64), Vec<(usize, usize)>>,
    random: Random,
    /// Instructions that went to memory so far.
    now: u64,
    /// When something is due next.
    next: u64,
    /// What the store at hand has overwritten of places at which it waits.
    pub(crate) overwritten: Vec<(Place, u64)>,
    /// Lanes of the store at hand that wait.
    pub(crate) held: u32,
}

/// Bytes of a piece: no operation that waits is wider, and each is aligned.
const PIECE: u64 = 8;

fn piece(place: Place) -> (Space, u64) {
    (place.space, place.offset / PIECE)
}

impl Waiting {
    /// Nothing waits yet, of so many resident blocks.
    pub fn new(slots: usize, launch: &Launch) -> Waiting {
        // The schedule and what loads return are drawn from the same seed, and should not go hand in hand with this.
        let random = Random::new(launch.seed.rotate_left(32) ^ 0x9e37_79b9);
        Waiting {
            slots: vec![Vec::new(); slots],
            pieces: BTreeMap::new(),
            random,
            now: 0,
            next: u64::MAX,
            overwritten: Vec::new(),
            held: 0,
        }
    }

    /// A block starts in a slot, in which nothing waits any more.
    pub fn start(&mut self, slot: usize, warps: usize) {
        self.slots[slot].clear();
        self.slots[slot].resize_with(warps, OfWarp::default);
    }

    fn of(&self, who: Who) -> &OfWarp {
        &self.slots[who.slot][who.warp]
    }

    /// Until when an operation of a lane is to wait, if it is.
    pub(crate) fn draw(&mut self, who: Who) -> Option<u64> {
        let waits = self.random.below(2) == 1;
        let already = || self.of(who).waiting.iter().filter(|late| late.who == who).count();
        (waits && already() < MOST_OF_A_LANE).then_some(())?;
        Some(self.now + (1 << self.random.below(LONGEST)))
    }

    pub(crate) fn add(&mut self, late: Late) {
        let Who { slot, warp, .. } = late.who;
        self.pieces.entry(piece(late.place)).or_default().push((slot, warp));
        self.next = self.next.min(late.due);
        let of_warp = &mut self.slots[slot][warp];
        of_warp.waiting.push(late);
        of_warp.count();
    }

    pub(crate) fn take(
        &mut self,
        slot: usize,
        warp: usize,
        is_asked_for: impl FnMut(&Late) -> bool,
    ) -> Vec<Late> {
        let taken = self.slots[slot][warp].take(is_asked_for);
        for late in &taken {
            let key = piece(late.place);
            let warps = self.pieces.get_mut(&key).expect("what waits is found by its piece");
            let index = warps.iter().position(|&of| of == (slot, warp)).expect("and so is its warp");
            warps.swap_remove(index);
            if warps.is_empty() {
                self.pieces.remove(&key);
            }
        }
        taken
    }

    /// What is due now, in memory that can be reached.
    pub(crate) fn take_due(&mut self, shared: Space) -> Vec<Late> {
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
                        |place: Place| matches!(place.space, Space::Global(_)) || place.space == shared;
                    due.append(&mut self.take(slot, warp, |late| late.due <= now && is_near(late.place)));
                }
            }
        }
        let left = self.slots.iter().flatten().map(|of_warp| of_warp.due).min();
        self.next = left.map_or(u64::MAX, |due| if due <= now { now + AGAIN } else { due });
        due
    }

    /// The stores that wait to go to exactly these bytes: whose, by which instruction, and the value.
    pub fn stores_to(&self, place: Place) -> impl Iterator<Item = (Who, Pc, u64)> {
        let warps = self.pieces.get(&piece(place)).into_iter().flatten();
        let waiting = warps.flat_map(|&(slot, warp)| &self.slots[slot][warp].waiting);
        let there = waiting.filter(move |late| late.place == place);
        there.filter_map(|late| Some((late.who, late.pc, late.value()?)))
    }

    /// What waits of others to be stored to bytes that a lane reads, though its thread has gone on.
    pub fn missed_by(&self, who: Who, place: Place) -> Option<&Late> {
        let warps = self.pieces.get(&piece(place))?;
        let waiting = warps.iter().flat_map(|&(slot, warp)| &self.slots[slot][warp].waiting);
        let mut others = waiting.filter(|late| late.who != who && late.is_overtaken);
        others.find(|late| overlap(late.place, place))
    }
}

impl Target<'_> {
    pub(crate) fn bytes_mut(&mut self, place: Place) -> Option<&mut [u8]> {
        let (offset, bytes) = (place.offset as usize, usize::from(place.bytes));
        match place.space {
            Space::Shared(_) => self.shared.get_mut(offset..offset + bytes),
            Space::Global(region) => self.global.update(region as usize, offset, bytes),
        }
    }

    pub(crate) fn seen(&self) -> Seen<'_> {
        // No lane of the instruction at hand is asked for.
        Seen { global: self.global, shared: self.shared, order: LaneOrder::new(0, 0, 0, 0) }
    }

    pub(crate) fn write(&mut self, late: &Late, block: u32, value: u64) {
        let bytes = usize::from(late.place.bytes);
        if let Some(memory) = self.bytes_mut(late.place) {
            memory.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        if let (Some(follow), Space::Global(_)) = (self.follow.as_deref_mut(), late.place.space) {
            let Who { warp, lane, .. } = late.who;
            follow.stored_by((block, warp), (lane, late.pc), (late.address, bytes as u64));
        }
    }
}
