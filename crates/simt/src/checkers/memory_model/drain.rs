//! Decides which operations of the weak memory are delayed, and performs them when they are due or when something
//! orders them.
//!
//! [`delayed`](crate::checkers::memory_model::delayed) stores them, and explains why they may be delayed. In an
//! ordinary memory, nothing is delayed and all functions here do nothing. Which store a load returns is decided in
//! [`crate::order::store_history`]. Specification: PTX ISA, sections 8.9 and 8.10.

use crate::access::address;
use crate::access::element;
use crate::access::window;
use crate::checkers::memory_model::delayed::{DelayedKind, DelayedOp, DelayedOps, PendingResult, Target};
use crate::checkers::memory_model::{MemoryModel, Request};
use crate::checkers::races;
use crate::checkers::races::shadow::list::OpKind;
use crate::compile::inst::Inst;
use crate::isa::op::Op;
use crate::isa::op::Touched;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::memory::Memory;
use crate::machine::divergence::Frame;
use crate::machine::registers::Bank;
use crate::machine::registers::{Lanes, Slot, WARP_SIZE, lanes_of};
use crate::order::clocks::WarpId;
use crate::order::release_acquire::{Link, ReleasedClocks, StoreRecord};
use crate::order::store_history::overlap;
use crate::order::{ByteRange, Order, Semantics, Space};

impl MemoryModel {
    fn delayed(&self) -> Option<&DelayedOps> {
        self.weak.as_ref().map(|weak| &weak.delayed)
    }

    fn delayed_mut(&mut self) -> Option<&mut DelayedOps> {
        self.weak.as_mut().map(|weak| &mut weak.delayed)
    }

    fn take_delayed(
        &mut self,
        slot: usize,
        warp: usize,
        is_asked_for: impl FnMut(&DelayedOp) -> bool,
    ) -> Vec<DelayedOp> {
        self.delayed_mut().map_or_else(Vec::new, |delayed| delayed.take(slot, warp, is_asked_for))
    }

    /// Whether the store of a lane is delayed. If so, it must not take effect now.
    pub(crate) fn delays_store(
        &mut self,
        request: &Request<'_, '_>,
        lane: usize,
        range: ByteRange,
        strong: Option<races::Access>,
    ) -> bool {
        let id = self.id(lane);
        let (order, scope) = (request.access.order, request.access.scope);
        let releases = order.releases();
        if request.access.count > 1 || releases || self.is_visiting() {
            return false;
        }
        let Some(due) = self.delayed_mut().and_then(|delayed| delayed.draw_deadline(id)) else {
            return false;
        };
        if request.overlaps_others(lane) {
            return false;
        }
        let value = request.value(lane, 0);
        let before = request.memory.bytes(range).map_or(0, element::read_le);
        let address = if request.is_shared { 0 } else { request.at[lane] };
        let fenced = strong.and_then(|_| self.clocks.fenced(id));
        let strong = strong.map(|access| {
            // The race checker sees it at the moment of issue.
            let chain = self.locations.chain(true, None);
            let conflict = self.check_access(lane, access, range, chain);
            self.report(conflict);
            (Semantics { order, scope }, chain)
        });
        let kind = DelayedKind::Store { value, strong };
        let (is_overtaken, is_reported) = (false, false);
        let op = DelayedOp { id, pc: self.pc, range, address, due, is_overtaken, is_reported, fenced, kind };
        let Some(delayed) = self.delayed_mut() else { return false };
        delayed.overwritten.push((range, before));
        delayed.delayed_lanes |= 1 << lane;
        delayed.add(op);
        true
    }

    /// Whether the update of a lane is delayed. If so, it must not be carried out now.
    pub fn delays_update(
        &mut self,
        atomic: &Atomic,
        lane: usize,
        range: ByteRange,
        address: u64,
        operands: [u64; 2],
        result: Slot,
    ) -> bool {
        if atomic.order != Order::Relaxed || self.is_visiting() {
            return false;
        }
        let id = self.id(lane);
        let Some(due) = self.delayed_mut().and_then(|delayed| delayed.draw_deadline(id)) else {
            return false;
        };
        // A `cas` that fails does not store, and an access that races with a `cas` that succeeds also races with its
        // load.
        let kind = if atomic.is_cas { OpKind::Load } else { OpKind::Update };
        let access = races::Access::new(self.pc, kind, Some(atomic.scope));
        let mut is_reported = false;
        if let Some(races) = &mut self.races {
            let conflict = races.check(&self.clocks, id, access, range, |_, _| false);
            is_reported = conflict.is_some();
            self.report(conflict);
        }
        let result = (atomic.returns && atomic.is_read).then_some(result);
        let (fenced, is_overtaken) = (self.clocks.fenced(id), false);
        let kind = DelayedKind::Update { atomic: *atomic, operands, result };
        let op = DelayedOp { id, pc: self.pc, range, address, due, is_overtaken, is_reported, fenced, kind };
        if let Some(delayed) = self.delayed_mut() {
            delayed.add(op);
        }
        true
    }

    /// Restores the bytes of delayed stores after the store instruction has been carried out. A store is carried out
    /// for all lanes together, with its checks and counters, because only few lanes are delayed.
    pub fn restore_delayed(&mut self, target: &mut Target<'_>) {
        let Some(delayed) = self.delayed_mut() else { return };
        delayed.delayed_lanes = 0;
        for (range, before) in std::mem::take(&mut delayed.overwritten) {
            if let Some(memory) = target.bytes_mut(range) {
                memory.copy_from_slice(&before.to_le_bytes()[..usize::from(range.bytes)]);
            }
        }
    }

    /// The lanes of the current store that are delayed.
    pub fn delayed_lanes(&self) -> u32 {
        self.delayed().map_or(0, |delayed| delayed.delayed_lanes)
    }

    /// A memory instruction is about to be carried out. Performs the operations that are due.
    pub fn drain_due(&mut self, target: &mut Target<'_>) {
        let shared = self.shared_space();
        let due = self.delayed_mut().map_or_else(Vec::new, |delayed| delayed.take_due(shared));
        self.perform(&due, target);
    }

    /// Lanes of a warp come to something that orders everything they did before. Performs all their operations.
    pub fn drain(&mut self, target: &mut Target<'_>, WarpId { slot, warp }: WarpId, lanes: u32) {
        let waits = |delayed: &DelayedOps| delayed.slots[slot][warp].lanes & lanes != 0;
        if self.delayed().is_some_and(waits) {
            let ops = self.take_delayed(slot, warp, |op| lanes >> op.id.lane & 1 != 0);
            self.perform(&ops, target);
        }
    }

    /// Active lanes are about to access memory. Performs their operations on the same bytes, or all of them if the
    /// access releases.
    pub fn drain_touched(&mut self, target: &mut Target<'_>, lanes: &Lanes<'_>, inst: &Inst, frame: &Frame) {
        let (slot, warp) = (self.slot, self.warp);
        let Some(delayed) = self.delayed() else { return };
        let mine = delayed.slots[slot][warp].lanes & lanes.mask;
        let (address, bytes, order) = match &inst.op {
            Op::Load(access) | Op::Store(access) => (&access.address, access.lane_bytes(), access.order),
            Op::Atomic(atomic) => (&atomic.address, u64::from(atomic.bytes), atomic.order),
            _ => return,
        };
        if mine == 0 {
            return;
        }
        if order.releases() {
            return self.drain(target, WarpId { slot, warp }, mine);
        }
        let at = address::addresses(lanes, address, inst.args.a, frame);
        let mut ranges = [None; WARP_SIZE];
        for lane in lanes_of(mine) {
            let (memory, address) = window::resolve(address.memory, at[lane]);
            let found = match memory {
                Memory::Shared => Some((self.shared_space(), address)),
                Memory::Global => target
                    .global
                    .locate(address, bytes)
                    .ok()
                    .map(|(region, offset)| (Space::Global(region as u32), offset as u64)),
                _ => None,
            };
            ranges[lane] = found.map(|(space, offset)| ByteRange { space, offset, bytes: bytes as u8 });
        }
        let touches = |op: &DelayedOp| ranges[op.id.lane].is_some_and(|range| overlap(range, op.range));
        let ops = self.take_delayed(slot, warp, touches);
        self.perform(&ops, target);
        self.mark_overtaken(slot, warp, &ranges);
    }

    /// Marks the operations that are still delayed although their lane has accessed other memory.
    fn mark_overtaken(&mut self, slot: usize, warp: usize, ranges: &[Option<ByteRange>; WARP_SIZE]) {
        let Some(delayed) = self.delayed_mut() else { return };
        let warp_ops = &mut delayed.slots[slot][warp];
        for op in &mut warp_ops.ops {
            op.is_overtaken |= ranges[op.id.lane].is_some();
            warp_ops.is_overtaken |= op.is_overtaken;
        }
    }

    /// Active lanes are about to carry out an instruction that names these registers. Delivers the results that these
    /// registers wait for.
    #[inline]
    pub fn deliver_results(&mut self, target: &mut Target<'_>, lanes: &mut Lanes<'_>, touched: &[Touched]) {
        let (slot, warp) = (self.slot, self.warp);
        let Some(delayed) = self.delayed() else { return };
        if delayed.slots[slot][warp].awaiting & lanes.mask != 0 {
            let is_named = |(column, is_wide): (Slot, bool)| {
                let bank = if is_wide { Bank::Wide } else { Bank::Narrow };
                touched.iter().any(|touch| (touch.bank, touch.slot) == (bank, column))
            };
            self.deliver(target, lanes, is_named);
        }
    }

    /// Active lanes are about to leave or to call a function. Delivers all their results.
    pub fn deliver_all_results(&mut self, target: &mut Target<'_>, id: WarpId, lanes: &mut Lanes<'_>) {
        (self.slot, self.warp) = (id.slot, id.warp);
        self.deliver(target, lanes, |_| true);
    }

    fn deliver(
        &mut self,
        target: &mut Target<'_>,
        lanes: &mut Lanes<'_>,
        is_named: impl Fn((Slot, bool)) -> bool,
    ) {
        let (slot, warp, mask) = (self.slot, self.warp, lanes.mask);
        let is_active = |lane: usize| mask >> lane & 1 != 0;
        let ops =
            self.take_delayed(slot, warp, |op| is_active(op.id.lane) && op.result().is_some_and(&is_named));
        self.perform(&ops, target);
        let Some(delayed) = self.delayed_mut() else { return };
        let warp_ops = &mut delayed.slots[slot][warp];
        let delivered =
            warp_ops.results.extract_if(.., |result| is_active(result.lane) && is_named(result.column));
        for PendingResult { lane, column: (column, is_wide), value } in delivered {
            if is_wide {
                lanes.wide[usize::from(column)][lane] = value;
            } else {
                lanes.narrow[usize::from(column)][lane] = value as u32;
            }
        }
        warp_ops.summarise();
    }

    /// Lanes have exited, so their registers are not read any more.
    pub fn forget_results(&mut self, WarpId { slot, warp }: WarpId, lanes: u32) {
        let Some(delayed) = self.delayed_mut() else { return };
        let warp_ops = &mut delayed.slots[slot][warp];
        if warp_ops.awaiting & lanes != 0 {
            warp_ops.results.retain(|result| lanes >> result.lane & 1 == 0);
            warp_ops.summarise();
        }
    }

    /// Performs delayed operations, each on behalf of the lane that issued it.
    fn perform(&mut self, ops: &[DelayedOp], target: &mut Target<'_>) {
        let current = (self.slot, self.warp, self.pc);
        for op in ops {
            (self.slot, self.warp, self.pc) = (op.id.slot, op.id.warp, op.pc);
            match op.kind {
                DelayedKind::Store { value, strong } => self.perform_store(op, value, strong, target),
                DelayedKind::Update { .. } => self.perform_update(op, target),
            }
        }
        (self.slot, self.warp, self.pc) = current;
    }

    fn perform_store(
        &mut self,
        op: &DelayedOp,
        value: u64,
        strong: Option<(Semantics, u64)>,
        target: &mut Target<'_>,
    ) {
        let DelayedOp { id, range, .. } = *op;
        let store = match strong {
            None => {
                self.locations.forget(range.space, range.offset, u64::from(range.bytes));
                let epoch = self.clocks.epoch(id);
                StoreRecord { epoch, scope: None, released: ReleasedClocks::default(), chain: 0 }
            }
            Some((semantics, chain)) => {
                let clocks = &mut self.clocks;
                let fenced = op.fenced.as_ref();
                self.locations.write(clocks, id, range, semantics, Link { before: None, chain }, fenced)
            }
        };
        self.record_store(target.memory(), range, value, store);
        target.write(op, self.clocks.block(id.slot), value);
    }

    fn perform_update(&mut self, op: &DelayedOp, target: &mut Target<'_>) {
        let DelayedKind::Update { atomic, operands: [b, c], result } = op.kind else { return };
        let DelayedOp { id, range, .. } = *op;
        let last = target.memory().bytes(range).map_or(0, element::read_le);
        let old = self.read_atomic(&atomic, id.lane, range, last);
        let memory = if let Space::Shared(_) = range.space { Memory::Shared } else { Memory::Global };
        let new = atomic.new_value(memory, old, b, c);
        let stores = (!atomic.is_cas || old == b).then_some(new);
        self.atomic(target.memory(), &atomic, id.lane, range, stores, Some(op));
        if let Some(new) = stores {
            target.write(op, self.clocks.block(id.slot), new);
        }
        if let (Some(slot), Some(delayed)) = (result, self.delayed_mut()) {
            let column = (slot, atomic.bytes == 8);
            let warp_ops = &mut delayed.slots[id.slot][id.warp];
            warp_ops.results.push(PendingResult { lane: id.lane, column, value: old });
            warp_ops.summarise();
        }
    }
}

impl Request<'_, '_> {
    /// Whether another active lane accesses a byte that this lane accesses.
    fn overlaps_others(&self, lane: usize) -> bool {
        let bytes = self.access.lane_bytes();
        let own = self.at[lane];
        lanes_of(self.mask).any(|other| {
            let theirs = self.at[other];
            other != lane && theirs < own.saturating_add(bytes) && own < theirs.saturating_add(bytes)
        })
    }
}
