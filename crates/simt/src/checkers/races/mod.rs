//! The race checker. A race is two accesses to the same byte, at least one of them a store, that causality order leaves
//! unordered; unless both are strong, access exactly the same bytes and have scopes that include each other.
//!
//! *What it reports.* Every access that races with the last plain store to a byte, or, if it stores, with one of the
//! loads and strong accesses since. Causality order is that of the current run ([`crate::order`]): if a flag happened
//! to order two accesses in this run, but would not in another one, the race is found in the other run. Blocks are
//! concurrent unless memory orders them, so it does not matter which of them ran first.
//!
//! `volatile` accesses are strong, so PTX sees no race between them, nor with an atomic. CUDA C++ does, and code that
//! relies on them mostly needs a barrier. So a `volatile` store that nothing orders is reported, as a kind of its own,
//! with every other strong access to the same bytes. There are two exceptions, both of them as old as CUDA, which did not
//! always have atomic loads and stores. One is the flag: its store comes after a fence that reaches the other thread, which
//! only reads it, or takes it by an atomic. So messages are passed and locks released. The other is two threads that
//! exclude each other: each stores, executes a fence, and reads what the other one stores. Any other fence of the thread
//! that reads is not enough, because it does not say when the other one stores; and fences beside two stores do not say
//! which of them stays. A `volatile` load beside an atomic is never reported: it gets a value that was there, whole.
//!
//! *What it can miss.* For each word it remembers at least 64 accesses since the last plain store, where lanes that do the
//! same together count as one; of plain loads by several warps, it remembers at least as many for a line of 32 words. Of the
//! accesses beyond that it knows only the threads, and it reports if one of them may be
//! part of a race. A race with a store that has been overwritten is reported as one with the later store, if that races
//! too. A `volatile` store of data after some earlier fence looks like that of a flag.
//!
//! *No false alarm.* Two accesses that the memory model orders are never reported, because every vector clock includes
//! all that causality order gives. Specification: PTX ISA, section 8, "Morally Strong Operations", "Data-Races".

pub mod finding;
pub mod shadow;
pub mod wording;

use crate::checkers::races::shadow::Shadow;
use crate::checkers::races::shadow::cell::{Cell, READ_ONLY};
use crate::checkers::races::shadow::layer::Row;
use crate::checkers::races::shadow::list::{Entry, Lists, OpKind, Volatile};
use crate::checkers::races::shadow::stretch::Stretch;
use crate::machine::registers::lanes_of;
use crate::order::clocks::{Clocks, LaneId, TeamClock, WarpClock};
use crate::order::vector_clock::VectorClock;
use crate::order::{ByteRange, Epoch, Scope, Space};

/// The attributes of an instruction that accesses memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The instruction.
    pub pc: u32,
    /// What it does.
    pub kind: OpKind,
    /// Its scope; `None` for a weak access.
    pub scope: Option<Scope>,
    /// Whether it promises that no thread writes the bytes (`ld.global.nc`).
    pub read_only: bool,
    /// What it relies on, if it is volatile.
    pub volatile: Option<Volatile>,
}

impl Access {
    /// An access that is neither read-only nor volatile.
    pub fn new(pc: u32, kind: OpKind, scope: Option<Scope>) -> Access {
        Access { pc, kind, scope, read_only: false, volatile: None }
    }

    #[inline(always)]
    pub(crate) fn flags(self) -> u32 {
        if self.read_only { self.pc | READ_ONLY } else { self.pc }
    }
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceCause {
    /// Nothing orders them, and at least one is weak.
    Unordered,
    /// Both are strong, but the scope of one does not include the thread of the other.
    Scope,
    /// Both are strong, but they overlap only in part.
    Overlap,
    /// A read-only load of bytes that the launch writes.
    ReadOnly,
    /// A store is ordered before a bulk copy that reads the bytes, but no proxy fence is between the two.
    Proxy,
    /// One is a volatile store, the other is strong as well, and nothing orders them: a race in CUDA C++, but not in PTX.
    Volatile,
}

/// Two accesses that race.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// When the first access happened, and by which thread.
    pub before: Epoch,
    /// Its instruction.
    pub before_pc: u32,
    /// What it did.
    pub before_kind: OpKind,
    /// When the second access happened, and by which thread.
    pub now: Epoch,
    /// Its instruction.
    pub now_pc: u32,
    /// What it did.
    pub now_kind: OpKind,
    /// The bytes that the second one accessed.
    pub range: ByteRange,
    /// Why they race.
    pub cause: RaceCause,
    /// Whether both stored the same value.
    pub same_value: bool,
}

impl Conflict {
    /// Whether it is reported only if the access is part of no other race.
    fn is_mild(&self) -> bool {
        self.same_value || self.cause == RaceCause::Volatile
    }
}

/// The accesses to all memories that threads share.
#[derive(Debug, Default)]
pub struct Races {
    global: Vec<Shadow>,
    shared: Vec<Shadow>,
    lists: Lists,
    overflows: Vec<Overflow>,
    /// The current step of the launch.
    pub now: u64,
    /// The slot of the block whose shared memory is accessed, if it is not that of the thread.
    pub owner: Option<usize>,
}

/// An access that may race with a forgotten one. It holds the first occurrence for its instruction, and counts the
/// others.
#[derive(Clone, Copy, Debug)]
pub struct Overflow {
    /// When the access happened, and by which thread.
    pub now: Epoch,
    /// Its instruction.
    pub now_pc: u32,
    /// What it did.
    pub now_kind: OpKind,
    /// The bytes that it accessed.
    pub range: ByteRange,
    /// The step of the launch at which it first happened.
    pub step: u64,
    /// How often it happened.
    pub count: u64,
}

/// An access of a lane that is being checked.
struct CheckedAccess<'a> {
    clocks: &'a Clocks,
    id: LaneId,
    access: Access,
    range: ByteRange,
}

impl Races {
    /// A race checker for `slots` resident blocks.
    pub fn new(slots: usize) -> Races {
        Races { shared: vec![Shadow::default(); slots], ..Races::default() }
    }

    /// A block starts in a slot. No thread has accessed its shared memory yet.
    pub fn start(&mut self, slot: usize) {
        self.shared[slot].clear(&mut self.lists);
    }

    #[inline(always)]
    fn shadow(&mut self, space: Space, slot: usize) -> (&mut Shadow, &mut Lists) {
        let shadow = match space {
            // Agents have slots of their own, behind those of their blocks.
            Space::Shared(_) => {
                let slots = self.shared.len();
                &mut self.shared[self.owner.unwrap_or(slot) % slots]
            }
            Space::Global(region) => {
                let region = region as usize;
                if region >= self.global.len() {
                    self.global.resize_with(region + 1, Shadow::default);
                }
                &mut self.global[region]
            }
        };
        (shadow, &mut self.lists)
    }

    /// The fast path for plain accesses to words with a constant stride, the common case. Returns the lanes for which
    /// it cannot tell whether they race; their accesses are not recorded.
    #[inline]
    pub fn check_row(
        &mut self,
        warp_clock: &WarpClock<'_>,
        slot: usize,
        access: Access,
        space: Space,
        row: Row,
    ) -> u32 {
        let (shadow, _) = self.shadow(space, slot);
        shadow.check_row(
            warp_clock,
            Cell::new(warp_clock, 0, access.flags()),
            row,
            access.kind == OpKind::Store,
        )
    }

    /// The fast path for plain accesses to neighbouring words by threads that follow each other. Returns false if it
    /// cannot tell whether they race; then nothing is recorded.
    pub fn check_stretch(&mut self, clock: TeamClock, slot: usize, space: Space, new: Stretch) -> bool {
        self.shadow(space, slot).0.check_stretch(clock, new, matches!(space, Space::Shared(_)))
    }

    /// The fast path for a plain load of the same bytes by several lanes of a warp. Returns false if it cannot tell
    /// whether they race; then nothing is recorded.
    pub fn check_broadcast(
        &mut self,
        warp_clock: &WarpClock<'_>,
        slot: usize,
        access: Access,
        range: ByteRange,
        mask: u32,
    ) -> bool {
        let new = Cell::new(warp_clock, 0, access.flags());
        let (shadow, _) = self.shadow(range.space, slot);
        access.kind == OpKind::Load && shadow.check_broadcast(warp_clock, new, range, mask)
    }

    /// Checks and records an access of one lane, and returns the worst race of which it is part. `same_value` tells
    /// whether a store leaves the value that an earlier store, given by its epoch and instruction, left. `chain` is the
    /// chain of a strong access, or 0 ([`Entry::chain`]).
    pub fn check_and_record(
        &mut self,
        clocks: &Clocks,
        id: LaneId,
        access: Access,
        range: ByteRange,
        chain: u64,
        same_value: impl Fn(Epoch, u32) -> bool,
    ) -> Option<Conflict> {
        let worst = self.check(clocks, id, access, range, same_value);
        let check = CheckedAccess { clocks, id, access, range };
        let (shadow, lists) = self.shadow(range.space, id.slot);
        shadow.cells(range, lists).for_each(|at| check.record(shadow, lists, at, chain));
        worst
    }

    /// Checks an access like [`Races::check_and_record`], without recording it.
    pub fn check(
        &mut self,
        clocks: &Clocks,
        id: LaneId,
        access: Access,
        range: ByteRange,
        same_value: impl Fn(Epoch, u32) -> bool,
    ) -> Option<Conflict> {
        let check = CheckedAccess { clocks, id, access, range };
        let (shadow, lists) = self.shadow(range.space, id.slot);
        let (mut worst, mut misses): (Option<Conflict>, bool) = (None, false);
        for at in shadow.cells(range, lists) {
            let loads = shadow.loads(at);
            let found = check.conflict(shadow.store(at), loads, lists, &same_value);
            worst = match (worst, found) {
                (Some(known), Some(found)) if known.is_mild() && !found.is_mild() => Some(found),
                (known, found) => known.or(found),
            };
            misses |= worst.is_none() && check.may_race_with_forgotten(loads, lists);
        }
        if misses && worst.is_none() {
            self.overflow(clocks, &check);
        }
        worst
    }

    /// Records that an access may race with a forgotten one.
    fn overflow(&mut self, clocks: &Clocks, check: &CheckedAccess<'_>) {
        let CheckedAccess { id, access, range, .. } = *check;
        match self.overflows.iter_mut().find(|known| known.now_pc == access.pc) {
            Some(known) => known.count += 1,
            None => self.overflows.push(Overflow {
                now: clocks.epoch(id),
                now_pc: access.pc,
                now_kind: access.kind,
                range,
                step: self.now,
                count: 1,
            }),
        }
    }

    /// The accesses that may race with a forgotten one, one for each instruction.
    pub fn take_overflows(&mut self) -> Vec<Overflow> {
        std::mem::take(&mut self.overflows)
    }
}

impl CheckedAccess<'_> {
    /// The first race with an access that is recorded in a cell. A race in which both store the same value counts only
    /// if there is no other.
    fn conflict(
        &self,
        store: Cell,
        loads: Cell,
        lists: &Lists,
        same_value: &impl Fn(Epoch, u32) -> bool,
    ) -> Option<Conflict> {
        let (kind, scope) = (self.access.kind, self.scope());
        let rivals = loads.as_list().map_or(&[][..], |list| lists.rivals(list, kind, scope, self.range));
        if let Some(conflict) = self.race_with_entries(rivals, |entry| self.cause(entry)) {
            return Some(conflict);
        }
        let writes = self.access.kind != OpKind::Load;
        if writes && let Some(conflict) = self.race_with(loads, OpKind::Load) {
            return Some(conflict);
        }
        let Some(mut conflict) = self.race_with(store, OpKind::Store) else {
            let is_volatile = self.is_volatile_store();
            let rivals = loads.as_list().map_or(&[][..], |list| lists.volatile_rivals(list, is_volatile));
            return self.race_with_entries(rivals, |entry| self.volatile_cause(entry));
        };
        let entries = loads.as_list().map_or(&[][..], |list| lists.entries(list));
        let plain = self.access.kind == OpKind::Store && self.access.scope.is_none();
        let is_last = entries.iter().all(|entry| entry.kind == OpKind::Load);
        conflict.same_value = plain
            && is_last
            && conflict.cause == RaceCause::Unordered
            && same_value(conflict.before, conflict.before_pc);
        Some(conflict)
    }

    /// The scope of the access, if it promises nothing that others may break.
    fn scope(&self) -> Option<Scope> {
        self.access.scope.filter(|_| !self.access.read_only)
    }

    /// The race with a plain access, if there is one.
    fn race_with(&self, cell: Cell, kind: OpKind) -> Option<Conflict> {
        if cell.mask == 0 {
            return None;
        }
        let breaks_promise =
            self.access.read_only || (cell.is_read_only() && self.access.kind != OpKind::Load);
        let cause = if breaks_promise { RaceCause::ReadOnly } else { RaceCause::Unordered };
        let lane = if breaks_promise { Some(cell.mask.trailing_zeros()) } else { self.unordered_lane(cell) };
        lane.map(|lane| self.conflict_with(cell, lane, kind, cause))
    }

    /// The race with an access of a list, if there is a cause for one. The newest access is checked first.
    fn race_with_entries(
        &self,
        entries: &[Entry],
        cause: impl Fn(&Entry) -> Option<RaceCause>,
    ) -> Option<Conflict> {
        let newest_first = entries.iter().enumerate().rev();
        newest_first.filter(|(_, entry)| !self.both_load(entry)).find_map(|(index, entry)| {
            let cause = cause(entry)?;
            if cause == RaceCause::ReadOnly {
                return Some(self.conflict_with(entry.cell, entry.last.into(), entry.kind, cause));
            }
            let lane = self.unordered_lane(entry.cell)?;
            let is_known = entry.kind != OpKind::Load && self.is_observed(entry, &entries[index..]);
            (!is_known).then(|| self.conflict_with(entry.cell, lane, entry.kind, cause))
        })
    }

    /// Whether a forgotten access may race with this one because it is not ordered before it. If both are strong the
    /// answer is no, because most strong accesses do not race.
    fn may_race_with_forgotten(&self, loads: Cell, lists: &Lists) -> bool {
        let Some(forgotten) = loads.as_list().and_then(|list| lists.forgotten(list)) else { return false };
        let comes_before =
            |view: &VectorClock| view.epochs().all(|epoch| self.clocks.is_ordered_after(self.id, epoch));
        match (self.access.kind, self.access.scope) {
            (OpKind::Load, Some(_)) => false,
            (OpKind::Load, None) => !comes_before(&forgotten.writes),
            (_, Some(_)) => !comes_before(&forgotten.weak),
            (_, None) => !comes_before(&forgotten.writes) || !comes_before(&forgotten.loads),
        }
    }

    #[inline(always)]
    fn both_load(&self, entry: &Entry) -> bool {
        entry.kind == OpKind::Load && self.access.kind == OpKind::Load
    }

    /// Whether this access is ordered after a strong store because it is ordered after a load that observed the store,
    /// or another store of the same chain, or after a later update of the chain.
    fn is_observed(&self, store: &Entry, since: &[Entry]) -> bool {
        store.chain != 0
            && since.iter().any(|later| later.chain == store.chain && self.comes_after_read(later))
    }

    /// Whether this access is ordered after what a strong access read. Loads of one instruction and one chain read the
    /// same store; each update of a chain reads what the one before it left.
    fn comes_after_read(&self, entry: &Entry) -> bool {
        let knows = |lane: u32| self.clocks.is_ordered_after(self.id, entry.cell.epoch(lane));
        match entry.kind {
            OpKind::Load => lanes_of(entry.cell.mask).any(|lane| knows(lane as u32)),
            OpKind::Update => knows(entry.last.into()),
            OpKind::Store => false,
        }
    }

    /// Why this access races with another one if nothing orders the two; `None` if it does not.
    #[inline(always)]
    fn cause(&self, entry: &Entry) -> Option<RaceCause> {
        if self.access.read_only || entry.cell.is_read_only() {
            return Some(RaceCause::ReadOnly);
        }
        let (Some(theirs), Some(ours)) = (entry.scope, self.access.scope) else {
            return Some(RaceCause::Unordered);
        };
        let (other, own) = (entry.cell.block, self.clocks.block(self.id.slot));
        if !self.clocks.includes(theirs, other, own) || !self.clocks.includes(ours, own, other) {
            return Some(RaceCause::Scope);
        }
        (entry.range != self.range).then_some(RaceCause::Overlap)
    }

    /// Why this access races in CUDA C++ with another one, if nothing orders the two.
    fn volatile_cause(&self, entry: &Entry) -> Option<RaceCause> {
        let (other, own) = (entry.cell.block, self.clocks.block(self.id.slot));
        let both_store = entry.kind == OpKind::Store && self.access.kind == OpKind::Store;
        let mut fences = [entry.volatile, self.access.volatile].into_iter().flatten();
        let is_fenced =
            fences.any(|Volatile(fence)| fence.is_some_and(|scope| self.clocks.includes(scope, own, other)));
        let stores = entry.is_volatile_store() || self.is_volatile_store();
        (stores && (both_store || !is_fenced)).then_some(RaceCause::Volatile)
    }

    fn is_volatile_store(&self) -> bool {
        self.access.kind == OpKind::Store && self.access.volatile.is_some()
    }

    /// A lane of a cell whose access is not ordered before this one.
    fn unordered_lane(&self, cell: Cell) -> Option<u32> {
        let warp_clock = self.clocks.warp_clock(self.id.slot, self.id.warp);
        if cell.is_ordered(&warp_clock, 1 << self.id.lane) {
            return None;
        }
        let mut lanes = lanes_of(cell.mask).map(|lane| lane as u32);
        lanes.find(|&lane| !self.clocks.is_ordered_after(self.id, cell.epoch(lane)))
    }

    fn conflict_with(&self, cell: Cell, lane: u32, kind: OpKind, cause: RaceCause) -> Conflict {
        Conflict {
            before: cell.epoch(lane),
            before_pc: cell.pc(),
            before_kind: kind,
            now: self.clocks.epoch(self.id),
            now_pc: self.access.pc,
            now_kind: self.access.kind,
            range: self.range,
            cause,
            same_value: false,
        }
    }

    fn record(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, chain: u64) {
        let warp_clock = self.clocks.warp_clock(self.id.slot, self.id.warp);
        let cell = Cell::new(&warp_clock, 1 << self.id.lane, self.access.flags());
        match (self.access.kind, self.access.scope) {
            (OpKind::Store, None) => shadow.set_store(at, cell, lists),
            (OpKind::Load, None) => self.record_load(shadow, lists, at, cell),
            _ => self.add(shadow, lists, at, cell, chain),
        }
    }

    /// Records a plain load. It replaces the recorded loads if they are ordered before it.
    fn record_load(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, cell: Cell) {
        let known = shadow.loads(at);
        let breaks_promise = known.is_read_only() && !cell.is_read_only();
        if known.as_list().is_some() {
            return self.add(shadow, lists, at, cell, 0);
        }
        if !breaks_promise && self.unordered_lane(known).is_none() {
            return shadow.set_loads(at, cell);
        }
        if cell.is_same_but_for_lanes(known) {
            return shadow.set_loads(at, cell.with_mask(known.mask | cell.mask));
        }
        self.add(shadow, lists, at, cell, 0);
    }

    fn add(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, cell: Cell, chain: u64) {
        let Access { kind, scope, volatile, .. } = self.access;
        let last = self.id.lane as u8;
        let entry = Entry { cell, kind, scope, range: self.range, chain, last, volatile };
        let replaces = |known: &Entry| {
            let alike = (known.kind, known.scope, known.volatile) == (kind, scope, volatile)
                && (scope.is_none() || known.range == self.range);
            let as_far = scope.is_none_or(|scope| scope >= Scope::Gpu) || known.cell.block == cell.block;
            let breaks_promise = known.cell.is_read_only() && !cell.is_read_only();
            alike && as_far && !breaks_promise && self.unordered_lane(known.cell).is_none()
        };
        shadow.add(at, entry, lists, replaces);
    }
}

#[cfg(test)]
mod tests;
