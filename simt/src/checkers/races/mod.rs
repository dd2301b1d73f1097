//! Races: two accesses to the same byte, at least one of them a store, that causality order leaves unordered, unless both
//! are strong, concern exactly the same bytes and have scopes that include each other.
//!
//! It reports every access that races with the last plain store to a byte, or, if it stores, with one of the loads and
//! strong accesses since. Causality is that of the run at hand ([`crate::order`]): two accesses that this run ordered by a
//! flag, and another run would not, are found in the other run. Blocks are concurrent unless memory orders them, so it
//! does not matter which of them ran first.
//!
//! Two `volatile` accesses are strong, so PTX sees no race where nothing orders them; CUDA C++ does, and code that relies on
//! them mostly means a barrier. Where neither thread has passed a fence before, that is told for its own sake.
//!
//! *What it can miss:* of the accesses to one word since its last plain store it remembers 64, of lanes that do the same
//! together one; of the others it knows who made them, and says so where one of them may be part of a race. A race with a store that was overwritten since is told as one with the later store, if that races too.
//! *What it never does* is to report accesses that the model orders: a view that it has is one that causality gives.
//! Specification: PTX ISA, section 8, "Morally Strong Operations", "Data-Races".

pub mod shadow;

use crate::checkers::races::shadow::layer::Row;
use crate::checkers::races::shadow::{Cell, Entry, Kind, Lists, READ_ONLY, Shadow};
use crate::machine::registers::lanes_of;
use crate::order::clocks::{Clocks, Here, Who};
use crate::order::view::View;
use crate::order::{Place, Reach, Space, Stamp};

/// An instruction that accesses memory, as the checker sees it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The instruction.
    pub pc: u32,
    /// What it does.
    pub kind: Kind,
    /// Its scope; `None` for a weak one.
    pub scope: Option<Reach>,
    /// Whether it loads what nobody may write (`ld.global.nc`).
    pub read_only: bool,
    /// Whether it is volatile, by a thread that has passed no fence.
    pub is_bare: bool,
}

impl Access {
    #[inline(always)]
    fn flags(self) -> u32 {
        if self.read_only { self.pc | READ_ONLY } else { self.pc }
    }
}

/// Why two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Nothing orders them, and at least one is weak.
    Unordered,
    /// Both are strong, and the scope of one leaves out the thread of the other.
    Scope,
    /// Both are strong, and they overlap in part only.
    Overlap,
    /// A read-only load of bytes that the launch writes.
    ReadOnly,
    /// Both are volatile, and nothing orders them: no race, but one in CUDA C++.
    Volatile,
}

/// A race.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// Who came first.
    pub before: Stamp,
    /// Its instruction.
    pub before_pc: u32,
    /// What it did.
    pub before_kind: Kind,
    /// Who came second.
    pub now: Stamp,
    /// Its instruction.
    pub now_pc: u32,
    /// What it did.
    pub now_kind: Kind,
    /// What the second accessed.
    pub place: Place,
    /// Why they race.
    pub why: Why,
    /// Whether both stored the same value.
    pub same_value: bool,
}

impl Conflict {
    /// Whether it is of the kind that is told if there is no other.
    fn is_mild(&self) -> bool {
        self.same_value || self.why == Why::Volatile
    }
}

/// What is remembered of all memories that threads share.
#[derive(Debug, Default)]
pub struct Races {
    global: Vec<Shadow>,
    shared: Vec<Shadow>,
    lists: Lists,
    overflows: Vec<Overflow>,
    /// The step of the launch that is being carried out.
    pub now: u64,
}

/// An access that may race with one that is forgotten, the first time that its instruction did.
#[derive(Clone, Copy, Debug)]
pub struct Overflow {
    /// Who.
    pub now: Stamp,
    /// By which instruction.
    pub now_pc: u32,
    /// What it did.
    pub now_kind: Kind,
    /// Where.
    pub place: Place,
    /// At which step of the launch.
    pub step: u64,
    /// How often.
    pub count: u64,
}

/// A lane's access under examination.
struct Look<'a> {
    clocks: &'a Clocks,
    who: Who,
    access: Access,
    place: Place,
}

impl Races {
    /// A checker for so many resident blocks.
    pub fn new(slots: usize) -> Races {
        Races { shared: vec![Shadow::default(); slots], ..Races::default() }
    }

    /// A block starts in a slot: nobody has touched its shared memory yet.
    pub fn start(&mut self, slot: usize) {
        self.shared[slot].clear(&mut self.lists);
    }

    #[inline(always)]
    fn shadow(&mut self, space: Space, slot: usize) -> (&mut Shadow, &mut Lists) {
        let shadow = match space {
            Space::Shared(_) => &mut self.shared[slot],
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

    /// Plain accesses of words by lanes in equal steps: the common case. The lanes for which it cannot be told at a glance
    /// that all is in order; of these, nothing was remembered.
    #[inline]
    pub fn row(&mut self, here: &Here<'_>, slot: usize, access: Access, space: Space, row: Row) -> u32 {
        let (shadow, _) = self.shadow(space, slot);
        shadow.row(here, Cell::new(here, 0, access.flags()), row, access.kind == Kind::Store)
    }

    /// A plain load of the same bytes by several lanes of a warp. Whether it could be told at a glance that all is in order;
    /// if not, nothing was remembered.
    pub fn broadcast(
        &mut self,
        here: &Here<'_>,
        slot: usize,
        access: Access,
        place: Place,
        mask: u32,
    ) -> bool {
        let (shadow, lists) = self.shadow(place.space, slot);
        let (offset, bytes) = (place.offset, u64::from(place.bytes));
        let new = Cell::new(here, mask, access.flags());
        if access.kind != Kind::Load {
            return false;
        }
        if shadow.broadcast(here, new, offset, bytes, mask) {
            return true;
        }
        let cells = shadow.cells(place, lists);
        let cells = || cells.clone();
        let in_order = |at| {
            let (store, loads) = (shadow.store(at), shadow.loads(at));
            let promised = access.read_only && store.mask != 0;
            let forgets = loads.is_read_only() && !access.read_only;
            let known = loads.is_settled_for_any(here) || loads.by(0) == new.by(0);
            store.is_settled_for_any(here) && known && !promised && !forgets
        };
        if !cells().all(in_order) {
            return false;
        }
        for at in cells() {
            let known = shadow.loads(at);
            let same = if known.by(0) == new.by(0) { known.mask } else { 0 };
            shadow.set_loads(at, new.by(mask | same));
        }
        true
    }

    /// Any access of one lane: the worst race that it is part of. `same_value` says whether a store leaves what the
    /// store of the given lane and instruction left; `chain` is that of a strong access, or 0 ([`Entry::chain`]).
    pub fn lane(
        &mut self,
        clocks: &Clocks,
        who: Who,
        access: Access,
        place: Place,
        chain: u64,
        same_value: impl Fn(Stamp, u32) -> bool,
    ) -> Option<Conflict> {
        let worst = self.look(clocks, who, access, place, same_value);
        let look = Look { clocks, who, access, place };
        let (shadow, lists) = self.shadow(place.space, who.slot);
        shadow.cells(place, lists).for_each(|at| look.remember(shadow, lists, at, chain));
        worst
    }

    /// The worst race that an access would be part of, as [`Races::lane`] says it; nothing is remembered of it.
    pub fn look(
        &mut self,
        clocks: &Clocks,
        who: Who,
        access: Access,
        place: Place,
        same_value: impl Fn(Stamp, u32) -> bool,
    ) -> Option<Conflict> {
        let look = Look { clocks, who, access, place };
        let (shadow, lists) = self.shadow(place.space, who.slot);
        let (mut worst, mut misses): (Option<Conflict>, bool) = (None, false);
        for at in shadow.cells(place, lists) {
            let loads = shadow.loads(at);
            let found = look.conflict(shadow.store(at), loads, lists, &same_value);
            worst = match (worst, found) {
                (Some(known), Some(found)) if known.is_mild() && !found.is_mild() => Some(found),
                (known, found) => known.or(found),
            };
            misses |= worst.is_none() && look.may_race_with_forgotten(loads, lists);
        }
        if misses && worst.is_none() {
            self.overflow(clocks, &look);
        }
        worst
    }

    /// Takes note of an access that may race with one that is forgotten.
    fn overflow(&mut self, clocks: &Clocks, look: &Look<'_>) {
        let Look { who, access, place, .. } = *look;
        match self.overflows.iter_mut().find(|known| known.now_pc == access.pc) {
            Some(known) => known.count += 1,
            None => self.overflows.push(Overflow {
                now: clocks.stamp(who),
                now_pc: access.pc,
                now_kind: access.kind,
                place,
                step: self.now,
                count: 1,
            }),
        }
    }

    /// The accesses that may race with one that is forgotten, each instruction once.
    pub fn take_overflows(&mut self) -> Vec<Overflow> {
        std::mem::take(&mut self.overflows)
    }
}

impl Look<'_> {
    /// The first race with what is remembered of a cell; one in which both store the same value only if there is no
    /// other.
    fn conflict(
        &self,
        store: Cell,
        loads: Cell,
        lists: &Lists,
        same_value: &impl Fn(Stamp, u32) -> bool,
    ) -> Option<Conflict> {
        let entries = loads.as_list().map_or(&[][..], |list| lists.entries(list));
        if let Some(conflict) = self.with_list(entries) {
            return Some(conflict);
        }
        let writes = self.access.kind != Kind::Load;
        if writes && let Some(conflict) = self.with(loads, Kind::Load) {
            return Some(conflict);
        }
        let Some(mut conflict) = self.with(store, Kind::Store) else { return self.with_volatile(entries) };
        let plain = self.access.kind == Kind::Store && self.access.scope.is_none();
        let is_last = entries.iter().all(|entry| entry.kind == Kind::Load);
        conflict.same_value = plain
            && is_last
            && conflict.why == Why::Unordered
            && same_value(conflict.before, conflict.before_pc);
        Some(conflict)
    }

    /// The race with a weak access.
    fn with(&self, cell: Cell, kind: Kind) -> Option<Conflict> {
        if cell.mask == 0 {
            return None;
        }
        let promised = self.access.read_only || (cell.is_read_only() && self.access.kind != Kind::Load);
        let why = if promised { Why::ReadOnly } else { Why::Unordered };
        let lane = if promised { Some(cell.mask.trailing_zeros()) } else { self.unordered_lane(cell) };
        lane.map(|lane| self.told(cell, lane, kind, why))
    }

    /// The race with an access of a list, the newest first.
    fn with_list(&self, entries: &[Entry]) -> Option<Conflict> {
        let newest_first = entries.iter().enumerate().rev();
        newest_first.filter(|(_, entry)| !self.both_load(entry)).find_map(|(index, entry)| {
            if self.access.read_only || entry.cell.is_read_only() {
                return Some(self.told(entry.cell, entry.last.into(), entry.kind, Why::ReadOnly));
            }
            let why = self.why(entry)?;
            let lane = self.unordered_lane(entry.cell)?;
            let is_known = entry.kind != Kind::Load && self.is_observed(entry, &entries[index..]);
            (!is_known).then(|| self.told(entry.cell, lane, entry.kind, why))
        })
    }

    /// The newest volatile access that nothing orders, where both threads trust in volatile alone.
    fn with_volatile(&self, entries: &[Entry]) -> Option<Conflict> {
        let newest_first = entries.iter().enumerate().rev();
        let bare =
            newest_first.filter(|(_, entry)| self.access.is_bare && entry.is_bare && !self.both_load(entry));
        bare.into_iter().find_map(|(index, entry)| {
            let lane = self.unordered_lane(entry.cell)?;
            let is_known = entry.kind != Kind::Load && self.is_observed(entry, &entries[index..]);
            (!is_known).then(|| self.told(entry.cell, lane, entry.kind, Why::Volatile))
        })
    }

    /// Whether an access that its list has forgotten does not come before this one, which would make a race. Of two strong ones
    /// that is not asked: they mostly make none.
    fn may_race_with_forgotten(&self, loads: Cell, lists: &Lists) -> bool {
        let Some(forgotten) = loads.as_list().and_then(|list| lists.forgotten(list)) else { return false };
        let comes_before = |view: &View| view.stamps().all(|stamp| self.clocks.knows(self.who, stamp));
        match (self.access.kind, self.access.scope) {
            (Kind::Load, Some(_)) => false,
            (Kind::Load, None) => !comes_before(&forgotten.writes),
            (_, Some(_)) => !comes_before(&forgotten.weak),
            (_, None) => !comes_before(&forgotten.writes) || !comes_before(&forgotten.loads),
        }
    }

    fn both_load(&self, entry: &Entry) -> bool {
        entry.kind == Kind::Load && self.access.kind == Kind::Load
    }

    /// Whether this access comes after a strong store because it comes after a load that observed it or another one of its
    /// chain, or after a later update of the chain.
    fn is_observed(&self, store: &Entry, since: &[Entry]) -> bool {
        store.chain != 0
            && since.iter().any(|later| later.chain == store.chain && self.comes_after_read(later))
    }

    /// Whether this access comes after what a strong access read. Loads of one instruction and one chain read the same,
    /// and its updates each what the one before left.
    fn comes_after_read(&self, entry: &Entry) -> bool {
        let knows = |lane: u32| self.clocks.knows(self.who, entry.cell.stamp(lane));
        match entry.kind {
            Kind::Load => lanes_of(entry.cell.mask).any(|lane| knows(lane as u32)),
            Kind::Update => knows(entry.last.into()),
            Kind::Store => false,
        }
    }

    /// Why an access races with this one, if it does and nothing orders them.
    fn why(&self, entry: &Entry) -> Option<Why> {
        let (Some(theirs), Some(ours)) = (entry.scope, self.access.scope) else {
            return Some(Why::Unordered);
        };
        let (other, own) = (entry.cell.block, self.clocks.block(self.who.slot));
        if !theirs.includes(other, own) || !ours.includes(own, other) {
            return Some(Why::Scope);
        }
        (entry.place != self.place).then_some(Why::Overlap)
    }

    /// A lane of a cell that does not come before.
    fn unordered_lane(&self, cell: Cell) -> Option<u32> {
        let here = self.clocks.here(self.who.slot, self.who.warp);
        if cell.is_settled(&here, 1 << self.who.lane) {
            return None;
        }
        let mut lanes = lanes_of(cell.mask).map(|lane| lane as u32);
        lanes.find(|&lane| !self.clocks.knows(self.who, cell.stamp(lane)))
    }

    fn told(&self, cell: Cell, lane: u32, kind: Kind, why: Why) -> Conflict {
        Conflict {
            before: cell.stamp(lane),
            before_pc: cell.pc(),
            before_kind: kind,
            now: self.clocks.stamp(self.who),
            now_pc: self.access.pc,
            now_kind: self.access.kind,
            place: self.place,
            why,
            same_value: false,
        }
    }

    fn remember(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, chain: u64) {
        let here = self.clocks.here(self.who.slot, self.who.warp);
        let cell = Cell::new(&here, 1 << self.who.lane, self.access.flags());
        match (self.access.kind, self.access.scope) {
            (Kind::Store, None) => shadow.set_store(at, cell, lists),
            (Kind::Load, None) => self.remember_load(shadow, lists, at, cell),
            _ => self.add(shadow, lists, at, cell, chain),
        }
    }

    /// Remembers a plain load, in the place of the others if they come before it.
    fn remember_load(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, cell: Cell) {
        let known = shadow.loads(at);
        let promised = known.is_read_only() && !cell.is_read_only();
        if known.as_list().is_some() {
            return self.add(shadow, lists, at, cell, 0);
        }
        if !promised && self.unordered_lane(known).is_none() {
            return shadow.set_loads(at, cell);
        }
        if cell.by(0) == known.by(0) {
            return shadow.set_loads(at, cell.by(known.mask | cell.mask));
        }
        self.add(shadow, lists, at, cell, 0);
    }

    fn add(&self, shadow: &mut Shadow, lists: &mut Lists, at: u64, cell: Cell, chain: u64) {
        let Access { kind, scope, is_bare, .. } = self.access;
        let last = self.who.lane as u8;
        let entry = Entry { cell, kind, scope, place: self.place, chain, last, is_bare };
        let replaces = |known: &Entry| {
            let alike = (known.kind, known.scope, known.is_bare) == (kind, scope, is_bare)
                && (scope.is_none() || known.place == self.place);
            let as_far = scope.is_none_or(|scope| scope >= Reach::Gpu) || known.cell.block == cell.block;
            let promised = known.cell.is_read_only() && !cell.is_read_only();
            alike && as_far && !promised && self.unordered_lane(known.cell).is_none()
        };
        shadow.add(at, entry, lists, replaces);
    }
}

#[cfg(test)]
mod tests;
