//! Applies the PTX memory model to a run. It sees every access with its lanes and bytes, and everything that orders
//! accesses. From these it maintains the vector clocks, and it passes the accesses on to the race checker and to the
//! weak memory.
//!
//! An instruction is shown before it is carried out, so that memory still holds the old values. If the lanes of one
//! instruction take effect one after the other (strong stores, atomics), they are shown in that order. The race checker
//! changes nothing. The weak memory does not change memory either, which always holds the last store; it replaces the
//! values that loads return. Not seen are local memory, parameters and constants, which threads do not share or do not
//! write, and accesses outside of all allocations, which stop the launch.
//!
//! Without the race checker and the weak memory, a launch pays one branch for each instruction that accesses memory, and has a
//! larger inner loop. Both are tested against the axioms of the model: `tests/litmus` enumerates the executions of a few
//! thousand small programs, some written by hand and others generated, and compares outcomes and races.

pub mod bulk;
pub mod cluster;
pub mod copies;
pub mod delayed;
mod drain;
pub mod mbarrier;
pub mod memory_view;
mod strided;
pub mod weak_memory;
pub mod wording;

use std::collections::BTreeMap;

use crate::access::address;
use crate::access::element;
use crate::access::row::Shape;
use crate::access::window::lanes_in;

use bulk::Agents;
use delayed::DelayedOp;
use memory_view::{MemoryView, is_aligned};

use crate::checkers::copies::Meddling;
use crate::checkers::memory_model::weak_memory::WeakMemory;
use crate::checkers::races::finding::{Circumstance, FoundRaces};
use crate::checkers::races::shadow::list::{OpKind, Volatile};
use crate::checkers::races::{self, Conflict, RaceCause, Races};
use crate::checkers::visits::Visit;
use crate::compile::inst::Pc;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::memory::{Access, Memory};
use crate::isa::value::Args;
use crate::launch::Launch;
use crate::machine::divergence::Frame;
use crate::machine::global::Window;
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::order::clocks::{Clocks, LaneId, WarpId};
use crate::order::phases::Phases;
use crate::order::release_acquire::{Link, Locations, ReleasedClocks, StoreRecord};
use crate::order::store_history::LoadQuery;
use crate::order::{AGENT, ByteRange, Epoch, Order, Scope, Semantics, Space, Thread};

/// What is known about the order of the accesses of a launch, and the checkers that use it.
#[derive(Debug)]
pub struct MemoryModel {
    /// The vector clocks of the threads.
    pub clocks: Clocks,
    locations: Locations,
    phases: Phases,
    races: Option<Races>,
    /// Whether unordered volatile accesses are reported.
    reports_volatile: bool,
    weak: Option<WeakMemory>,
    found: FoundRaces,
    agents: Agents,
    /// Accesses that met asynchronous copies.
    meddlings: Vec<Meddling>,
    /// By owner and thread, the last access of a thread to the shared memory of another block.
    visits: BTreeMap<(u32, Thread), Visit>,
    /// Such accesses that may come after the end of the block.
    late_visits: Vec<Visit>,
    /// The block whose shared memory is accessed.
    owner: u32,
    /// The slot of the block, the warp and the instruction that run now.
    slot: usize,
    warp: usize,
    pc: Pc,
    now: u64,
}

/// A load or store of a warp, with what is needed to look at its lanes. (NVIDIA's profiler calls it a request.)
pub(crate) struct Request<'p, 'm> {
    memory: MemoryView<'m>,
    lanes: &'p Lanes<'m>,
    args: &'p Args,
    access: &'p Access,
    at: &'p Wide,
    mask: u32,
    is_shared: bool,
    kind: OpKind,
}

/// An element of a lane's access, by its number in the access, and its bytes.
#[derive(Clone, Copy, Debug)]
struct Element {
    lane: usize,
    number: usize,
    range: ByteRange,
}

impl MemoryModel {
    /// The memory model of a launch with `slots` resident blocks.
    pub fn new(slots: usize, lockstep: bool, launch: &Launch) -> MemoryModel {
        MemoryModel {
            // Behind the slots of the blocks are those of their agents.
            clocks: Clocks::new(2 * slots, lockstep).in_clusters(launch.cluster_size().count() as u32),
            locations: Locations::new(2 * slots, launch.weak_memory),
            agents: Agents::new(slots),
            phases: Phases::default(),
            races: launch.checks.races.then(|| Races::new(slots)),
            reports_volatile: launch.checks.volatile_races,
            weak: launch.weak_memory.then(|| WeakMemory::new(slots, launch)),
            found: FoundRaces::default(),
            meddlings: Vec::new(),
            visits: BTreeMap::new(),
            late_visits: Vec::new(),
            owner: 0,
            slot: 0,
            warp: 0,
            pc: 0,
            now: 0,
        }
    }

    /// A block starts in a slot.
    pub fn start(&mut self, slot: usize, number: u64, threads: u32) {
        let before = self.clocks.block(slot);
        self.agents.start(slot, before);
        self.clocks.start(slot, number, threads);
        self.phases.forget_space(Space::Shared(before));
        self.locations.start(slot, before, threads.div_ceil(WARP_SIZE as u32) as usize);
        if let Some(races) = &mut self.races {
            races.start(slot);
        }
        if let Some(weak) = &mut self.weak {
            weak.store_history.forget(Space::Shared(before));
            weak.delayed.start(slot, threads.div_ceil(WARP_SIZE as u32) as usize);
        }
    }

    /// Lanes of a warp are about to run together.
    pub fn run(&mut self, WarpId { slot, warp }: WarpId, lanes: u32) {
        (self.slot, self.warp, self.owner) = (slot, warp, self.clocks.block(slot));
        self.clocks.run_together(slot, warp, lanes);
    }

    /// The next instruction, and the step of the launch.
    #[inline]
    pub fn at(&mut self, pc: Pc, now: u64) {
        (self.pc, self.now) = (pc, now);
        if let Some(races) = &mut self.races {
            races.now = now;
        }
    }

    fn id(&self, lane: usize) -> LaneId {
        LaneId { slot: self.slot, warp: self.warp, lane }
    }

    /// Active lanes pass a fence.
    pub fn fence(&mut self, lanes: u32, fence: Semantics) {
        let id = WarpId { slot: self.slot, warp: self.warp };
        self.locations.fence(&mut self.clocks, id, lanes, fence);
    }

    /// Active lanes are about to load or store.
    pub fn access(
        &mut self,
        memory: MemoryView<'_>,
        lanes: &Lanes<'_>,
        args: &Args,
        access: &Access,
        kind: OpKind,
        frame: &Frame,
    ) {
        let at = address::addresses(lanes, &access.address, args.a, frame);
        let left = match Shape::of(&at, lanes.mask).rows() {
            [] => lanes.mask,
            rows => rows.iter().fold(0, |left, row| left | self.strided(memory, row, access, kind)),
        };
        if left == 0 {
            return;
        }
        let request = Request { memory, lanes, args, access, at: &at, mask: left, is_shared: false, kind };
        match access.address.memory {
            Memory::Global => self.plain_or_strong(&request),
            Memory::Shared => self.plain_or_strong(&Request { is_shared: true, ..request }),
            Memory::Generic => self.generic_request(&request),
            _ => {}
        }
    }

    fn generic_request(&mut self, request: &Request<'_, '_>) {
        let in_window = |window: Option<Window>| lanes_in(window, request.at, request.mask);
        let (global, shared) = (in_window(None), in_window(Some(Window::Shared)));
        if global != 0 {
            self.plain_or_strong(&Request { mask: global, ..*request });
        }
        if shared != 0 {
            let at = request.at.map(|address| address.wrapping_sub(Window::Shared.base()));
            self.plain_or_strong(&Request { mask: shared, is_shared: true, at: &at, ..*request });
        }
    }

    #[inline]
    fn plain_or_strong(&mut self, request: &Request<'_, '_>) {
        if request.access.order != Order::Weak {
            return self.strong(request);
        }
        lanes_of(request.mask).for_each(|lane| self.check_plain(request, lane));
        if self.weak.is_some() {
            self.elements(request, MemoryModel::plain_element);
        }
    }

    /// Calls a function for each element of each lane, in the order in which the lanes take effect.
    fn elements(
        &mut self,
        request: &Request<'_, '_>,
        mut each: impl FnMut(&mut MemoryModel, &Request<'_, '_>, Element),
    ) {
        let bytes = request.access.bytes;
        for lane in request.memory.order.lanes(request.mask) {
            let Some((space, start)) = self.locate_lane(request, lane) else { continue };
            for number in 0..usize::from(request.access.count) {
                let offset = start + number as u64 * u64::from(bytes);
                each(self, request, Element { lane, number, range: ByteRange { space, offset, bytes } });
            }
        }
    }

    fn attributes(&self, access: &Access, kind: OpKind) -> races::Access {
        let is_weak = access.order == Order::Weak;
        let scope = (!is_weak).then_some(access.scope);
        races::Access { read_only: access.read_only, ..races::Access::new(self.pc, kind, scope) }
    }

    /// The memory and the offset that a lane accesses, unless the access will be refused.
    #[inline]
    fn locate_lane(&self, request: &Request<'_, '_>, lane: usize) -> Option<(Space, u64)> {
        let (address, bytes) = (request.address(lane)?, request.access.lane_bytes());
        self.locate(request.memory, address, bytes, request.is_shared, request.kind)
    }

    /// The memory and the offset of some bytes, if all of them may be accessed in this way.
    #[inline]
    fn locate(
        &self,
        memory: MemoryView<'_>,
        address: u64,
        bytes: u64,
        is_shared: bool,
        kind: OpKind,
    ) -> Option<(Space, u64)> {
        if is_shared {
            let inside = address.checked_add(bytes).is_some_and(|end| end <= memory.shared.len() as u64);
            return inside.then_some((self.shared_space(), address));
        }
        let global = memory.global;
        let found = if kind == OpKind::Store {
            global.locate_writable(address, bytes)
        } else {
            global.locate(address, bytes)
        };
        let (region, offset) = found.ok()?;
        Some((Space::Global(region as u32), offset as u64))
    }

    /// The delayed stores to exactly these bytes. There are none without the weak memory.
    fn delayed_stores_to(&self, range: ByteRange) -> Vec<(Thread, Pc, u64)> {
        let Some(weak) = self.weak.as_ref() else { return Vec::new() };
        let stores = weak.delayed.stores_to(range);
        stores.map(|(id, pc, value)| (self.clocks.epoch(id).thread, pc, value)).collect()
    }

    fn check_plain(&mut self, request: &Request<'_, '_>, lane: usize) {
        let bytes = request.access.lane_bytes();
        let Some((space, offset)) = self.locate_lane(request, lane) else { return };
        let access = self.attributes(request.access, request.kind);
        let range = ByteRange { space, offset, bytes: bytes as u8 };
        let (pc, clock) = (self.pc, self.clocks.epoch(self.id(lane)));
        let delayed = self.delayed_stores_to(range);
        let stores_same_value = |before: Epoch, before_pc: Pc| {
            // A delayed store is not in memory yet.
            if let Some((.., value)) =
                delayed.iter().find(|store| (store.0, store.1) == (before.thread, before_pc))
            {
                return request.access.count == 1 && request.value(lane, 0) == *value;
            }
            let is_this =
                before_pc == pc && before.clock == clock.clock && before.thread.block == clock.thread.block;
            let is_this = is_this && usize::from(before.thread.number) / WARP_SIZE == self.warp;
            let other = is_this.then_some(usize::from(before.thread.number) % WARP_SIZE);
            request.leaves_the_same(lane, other, range)
        };
        let id = self.id(lane);
        let Some(races) = &mut self.races else { return };
        let conflict = races.check_and_record(&self.clocks, id, access, range, 0, stores_same_value);
        self.report(conflict);
        if request.kind == OpKind::Store {
            self.locations.forget(space, offset, bytes);
        }
    }

    /// What the weak memory does for one element of a plain load or store.
    fn plain_element(&mut self, request: &Request<'_, '_>, at: Element) {
        if request.kind == OpKind::Load {
            self.choose(request, at, None);
            return;
        }
        let Element { lane, number, range } = at;
        if self.delays_store(request, lane, range, None) {
            return;
        }
        self.locations.forget(range.space, range.offset, u64::from(range.bytes));
        let epoch = self.clocks.epoch(self.id(lane));
        let store = StoreRecord { epoch, scope: None, released: ReleasedClocks::default(), chain: 0 };
        self.record_store(request.memory, range, request.value(lane, number), store);
    }

    /// Strong loads and stores, element by element.
    fn strong(&mut self, request: &Request<'_, '_>) {
        let Access { order, scope, .. } = *request.access;
        let semantics = Semantics { order, scope };
        let access = self.attributes(request.access, request.kind);
        self.elements(request, |model, request, at| {
            let Element { lane, number, range } = at;
            let access = races::Access { volatile: model.volatile(request, lane), ..access };
            if request.kind == OpKind::Load {
                let store = model.choose(request, at, Some(scope));
                model.strong_access(access, lane, range, semantics, store, None);
            } else if model.delays_store(request, lane, range, Some(access)) {
                // The store is recorded when it takes effect.
            } else if let Some(store) = model.strong_access(access, lane, range, semantics, None, None) {
                model.record_store(request.memory, range, request.value(lane, number), store);
            }
        });
    }

    /// What a lane relies on that is about to make a volatile access.
    fn volatile(&mut self, request: &Request<'_, '_>, lane: usize) -> Option<Volatile> {
        let (id, is_store) = (self.id(lane), request.kind == OpKind::Store);
        let is_volatile = request.access.order == Order::Volatile;
        (self.reports_volatile && is_volatile).then(|| Volatile(self.locations.fence_before(id, is_store)))
    }

    /// The store that a load reads. The weak memory chooses it, and replaces the lane's value if it is not the last
    /// store.
    fn choose(
        &mut self,
        request: &Request<'_, '_>,
        Element { lane, number, range }: Element,
        scope: Option<Scope>,
    ) -> Option<StoreRecord> {
        let id = self.id(lane);
        let Some(weak) = &mut self.weak else { return self.locations.last(range).cloned() };
        let query = LoadQuery { id, range, scope, updates: false };
        let last = request.memory.bytes(range).map_or(0, element::read_le);
        let chosen = weak.choose(&self.clocks, &query, self.pc, last)?;
        if chosen.newer.is_some() {
            weak.replaced.push((lane, number, chosen.bytes));
        }
        chosen.store
    }

    /// Other grids have stored. What they have left is what loads return.
    #[cfg(not(target_family = "wasm"))]
    pub fn others_have_stored(&mut self) {
        if let Some(weak) = &mut self.weak {
            weak.store_history.forget_all();
        }
    }

    /// Adds a store to the history, from which later loads may return it.
    fn record_store(&mut self, memory: MemoryView<'_>, range: ByteRange, value: u64, store: StoreRecord) {
        let Some(weak) = &mut self.weak else { return };
        let value = &value.to_le_bytes()[..usize::from(range.bytes)];
        weak.store_history.store(range, value, memory.granule(range), store, self.pc);
    }

    /// The values that lanes of the last load get in place of what memory holds: lane, element and bytes.
    pub fn take_replaced(&mut self) -> Vec<(usize, usize, [u8; 8])> {
        self.weak.as_mut().map_or_else(Vec::new, |weak| std::mem::take(&mut weak.replaced))
    }

    /// A strong access of a lane takes effect, which reads `read` if it loads. `delayed` is the operation if it was issued
    /// before. Returns the record of its store, if it stores.
    fn strong_access(
        &mut self,
        access: races::Access,
        lane: usize,
        range: ByteRange,
        semantics: Semantics,
        read: Option<StoreRecord>,
        delayed: Option<&DelayedOp>,
    ) -> Option<StoreRecord> {
        let id = self.id(lane);
        let stores = access.kind != OpKind::Load;
        let fenced = match delayed {
            Some(op) => op.fenced.clone(),
            None if stores => self.clocks.fenced(id),
            None => None,
        };
        let thread = self.clocks.thread(id);
        let observed = read.filter(|store| store.is_observed_by(&self.clocks, thread, semantics.scope));
        let chain = self.locations.chain(stores, observed.as_ref());
        let conflict = self.check_access(lane, access, range, chain);
        self.report(conflict.filter(|_| !delayed.is_some_and(|op| op.is_reported)));
        if access.kind != OpKind::Store {
            self.locations.read(&mut self.clocks, id, range, semantics, observed.as_ref());
        }
        let link = Link { before: observed.as_ref(), chain };
        stores.then(|| self.locations.write(&mut self.clocks, id, range, semantics, link, fenced.as_ref()))
    }

    /// A lane is about to carry out an atomic. Returns the old value that it finds; memory holds `last`.
    pub fn read_atomic(&mut self, atomic: &Atomic, lane: usize, range: ByteRange, last: u64) -> u64 {
        let id = self.id(lane);
        let Some(weak) = &mut self.weak else { return last };
        let query = LoadQuery { id, range, scope: Some(atomic.scope), updates: true };
        let Some(chosen) = weak.choose(&self.clocks, &query, self.pc, last) else {
            weak.read = None;
            return last;
        };
        weak.read = chosen.store;
        element::read_le(&chosen.bytes[..usize::from(range.bytes)])
    }

    /// A lane carries out an atomic, after [`MemoryModel::read_atomic`]. `stores` is the value that it stores; a `cas`
    /// that fails stores none. `delayed` is the operation if it was issued before.
    pub fn atomic(
        &mut self,
        memory: MemoryView<'_>,
        atomic: &Atomic,
        lane: usize,
        range: ByteRange,
        stores: Option<u64>,
        delayed: Option<&DelayedOp>,
    ) {
        let kind = if stores.is_some() { OpKind::Update } else { OpKind::Load };
        let own = self.clocks.block(self.slot) & !AGENT;
        let is_at_peer = matches!(range.space, Space::Shared(owner) if owner != own);
        let is_whole = !(is_at_peer && atomic.is_split_at_a_peer());
        let access = races::Access::new(self.pc, kind, is_whole.then_some(atomic.scope));
        let read = match &mut self.weak {
            Some(weak) => weak.read.take(),
            None => self.locations.last(range).cloned(),
        };
        let semantics = Semantics { order: atomic.order, scope: atomic.scope };
        let store = self.strong_access(access, lane, range, semantics, read, delayed);
        if let (Some(value), Some(store)) = (stores, store) {
            self.record_store(memory, range, value, store);
        }
    }

    /// The shared memory that is accessed: mostly that of the block that runs now.
    pub fn shared_space(&self) -> Space {
        Space::Shared(self.owner)
    }

    /// Shows the race checker an access of a lane. Returns the race of which it is part, if it is.
    fn check_access(
        &mut self,
        lane: usize,
        access: races::Access,
        range: ByteRange,
        chain: u64,
    ) -> Option<Conflict> {
        let id = self.id(lane);
        let races = self.races.as_mut()?;
        races.check_and_record(&self.clocks, id, access, range, chain, |_, _| false)
    }

    fn report(&mut self, conflict: Option<Conflict>) {
        let Some(conflict) = conflict else { return };
        let lane = usize::from(conflict.now.thread.number) % WARP_SIZE;
        let circumstance = self.circumstance(self.id(lane), &conflict);
        if conflict.cause == RaceCause::Volatile && circumstance == Circumstance::Lockstep {
            // Before Volta, this is what `volatile` was for.
            return;
        }
        self.found.add(self.without_agents(conflict), circumstance, self.now);
    }

    fn circumstance(&self, id: LaneId, conflict: &Conflict) -> Circumstance {
        let Conflict { before, before_pc, now_pc, cause, .. } = *conflict;
        match cause {
            _ if before_pc != now_pc && self.clocks.are_ordered_by_lockstep(id, before) => {
                Circumstance::Lockstep
            }
            RaceCause::Unordered if self.clocks.ended_before_barrier(id, before) => Circumstance::Ended,
            RaceCause::Unordered if self.clocks.only_fence_sc_order(id, before) => Circumstance::Fences,
            RaceCause::Unordered if self.locations.has_read_store_after(id, before) => Circumstance::Flag,
            _ => Circumstance::Nothing,
        }
    }

    /// Whether a race has been found.
    pub fn has_found(&self) -> bool {
        !self.found.races.is_empty() || !self.meddlings.is_empty() || !self.late_visits.is_empty()
    }
}

impl Request<'_, '_> {
    /// The address of a lane, if it is aligned to the size of the lane's access. Memory refuses any other.
    #[inline]
    fn address(&self, lane: usize) -> Option<u64> {
        let address = self.at[lane];
        is_aligned(address, self.access.lane_bytes()).then_some(address)
    }

    /// Whether the store of a lane leaves the value that is in memory already, or that lane `other` of the same
    /// instruction leaves.
    fn leaves_the_same(&self, lane: usize, other: Option<usize>, range: ByteRange) -> bool {
        let with = other
            .filter(|&other| other < lane && self.mask >> other & 1 != 0 && self.at[other] == self.at[lane]);
        if let Some(other) = with {
            return self.stored(lane) == self.stored(other);
        }
        self.memory.bytes(range) == Some(&self.stored(lane)[..usize::from(range.bytes)])
    }

    /// The bytes that a lane stores, and zeros after them.
    fn stored(&self, lane: usize) -> [u8; 16] {
        let mut bytes = [0; 16];
        element::store_lane(self.lanes, self.args, self.access, lane, &mut bytes);
        bytes
    }

    /// The value that a lane stores in an element.
    fn value(&self, lane: usize, element: usize) -> u64 {
        let bytes = usize::from(self.access.bytes);
        element::read_le(&self.stored(lane)[element * bytes..][..bytes])
    }
}
