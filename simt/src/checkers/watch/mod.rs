//! What the checker of races and the weak memory see of a run: every access with its lanes and bytes, and everything that
//! orders accesses.
//!
//! They are asked before an instruction is carried out, so that memory still holds what was stored before. Where lanes of
//! one instruction come one after the other (strong stores, atomics) they see them in the order in which they are going to
//! be carried out. The checker changes nothing; the weak memory leaves memory alone too, where the last store always is,
//! and replaces what loads bring. What both leave out: local memory, parameters and constants, which no two threads share
//! or nobody writes, and accesses outside every allocation, which stop the launch.

pub mod late;
mod line;
pub mod mbarrier;
pub mod seen;
mod settle;
pub mod weak;
pub mod wording;

use crate::access::address;
use crate::access::element;
use std::collections::BTreeMap;

use seen::{Issued, Seen, is_aligned, steps};

use crate::checkers::races::shadow::Kind;
use crate::checkers::races::{self, Conflict, Overflow, Races, Why};
use crate::checkers::watch::weak::{Stale, Weak};
use crate::compile::inst::Pc;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::memory::{Access, Fence, Memory};
use crate::isa::value::Args;
use crate::launch::Launch;
use crate::machine::divergence::Frame;
use crate::machine::global::Window;
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::order::clocks::{Clocks, Who};
use crate::order::history::Question;
use crate::order::messages::{Locations, Messages, Written};
use crate::order::phases::Phases;
use crate::order::{Order, Place, Reach, Space, Stamp, Thread};

/// Everything that watches who is ordered with whom.
#[derive(Debug)]
pub struct Watch {
    /// What the threads know of each other.
    pub clocks: Clocks,
    locations: Locations,
    phases: Phases,
    races: Option<Races>,
    /// Whether volatile accesses that nothing orders are told.
    tells_volatile: bool,
    weak: Option<Weak>,
    found: Vec<Found>,
    /// By instructions, reason, and what else there is to say: where in `found`.
    seen: BTreeMap<(Pc, Pc, Why, bool, Besides), usize>,
    /// Who runs: the slot of the block, the warp, the instruction.
    slot: usize,
    warp: usize,
    pc: Pc,
    now: u64,
}

/// A race, the first time that two instructions were part of it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The first time.
    pub conflict: Conflict,
    /// What else there is to say.
    pub besides: Besides,
    /// At which step of the launch.
    pub step: u64,
    /// How often.
    pub count: u64,
}

/// What there is to say of a race besides that nothing orders the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Besides {
    /// Nothing.
    Nothing,
    /// Lockstep orders them.
    Lockstep,
    /// The thread of the first had ended when the others of its block met at a barrier.
    Ended,
    /// Two `fence.sc` order them in another run.
    Fences,
    /// The second has read a flag or a lock that the thread of the first stored after it.
    Flag,
}

/// An access of a load or store, with what it takes to look at its lanes.
pub(crate) struct Part<'p, 'm> {
    seen: Seen<'m>,
    lanes: &'p Lanes<'m>,
    args: &'p Args,
    access: &'p Access,
    at: &'p Wide,
    mask: u32,
    is_shared: bool,
    kind: Kind,
}

impl Watch {
    /// Watches so many resident blocks of a launch as it asks for.
    pub fn new(slots: usize, lockstep: bool, launch: &Launch) -> Watch {
        Watch {
            clocks: Clocks::new(slots, lockstep),
            locations: Locations::new(slots, launch.weak_memory),
            phases: Phases::default(),
            races: launch.checks.races.then(|| Races::new(slots)),
            tells_volatile: launch.checks.volatile_races,
            weak: launch.weak_memory.then(|| Weak::new(slots, launch)),
            found: Vec::new(),
            seen: BTreeMap::new(),
            slot: 0,
            warp: 0,
            pc: 0,
            now: 0,
        }
    }

    /// A block starts in a slot.
    pub fn start(&mut self, slot: usize, number: u64, threads: u32) {
        let before = self.clocks.block(slot);
        self.clocks.start(slot, number, threads);
        self.phases.forget_space(Space::Shared(before));
        self.locations.start(slot, before, threads.div_ceil(WARP_SIZE as u32) as usize);
        if let Some(races) = &mut self.races {
            races.start(slot);
        }
        if let Some(weak) = &mut self.weak {
            weak.history.forget(Space::Shared(before));
            weak.waiting.start(slot, threads.div_ceil(WARP_SIZE as u32) as usize);
        }
    }

    /// Lanes of a warp are about to run together.
    pub fn run(&mut self, slot: usize, warp: usize, lanes: u32) {
        (self.slot, self.warp) = (slot, warp);
        self.clocks.run_together(slot, warp, lanes);
    }

    /// The instruction that is next, after so many steps of the launch.
    #[inline]
    pub fn at(&mut self, pc: Pc, now: u64) {
        (self.pc, self.now) = (pc, now);
        if let Some(races) = &mut self.races {
            races.now = now;
        }
    }

    fn who(&self, lane: usize) -> Who {
        Who { slot: self.slot, warp: self.warp, lane }
    }

    /// Active lanes pass a fence.
    pub fn fence(&mut self, lanes: u32, fence: Fence) {
        self.locations.fence(&mut self.clocks, (self.slot, self.warp), lanes, (fence.order, fence.scope));
    }

    /// Active lanes are about to load or store.
    pub fn access(
        &mut self,
        seen: Seen<'_>,
        lanes: &Lanes<'_>,
        args: &Args,
        (access, kind): (&Access, Kind),
        frame: &Frame,
    ) {
        let at = address::addresses(lanes, &access.address, args.a, frame);
        let left = steps(&at, lanes.mask)
            .map_or(lanes.mask, |steps| self.line(seen, steps, lanes.mask, (access, kind)));
        if left == 0 {
            return;
        }
        let part = Part { seen, lanes, args, access, at: &at, mask: left, is_shared: false, kind };
        match access.address.memory {
            Memory::Global => self.part(&part),
            Memory::Shared => self.part(&Part { is_shared: true, ..part }),
            Memory::Generic => self.generic(&part),
            _ => {}
        }
    }

    fn generic(&mut self, part: &Part<'_, '_>) {
        let in_window = |window: Option<Window>| {
            let inside = lanes_of(part.mask).filter(|&lane| Window::of(part.at[lane]) == window);
            inside.fold(0, |mask, lane| mask | 1 << lane)
        };
        let (global, shared) = (in_window(None), in_window(Some(Window::Shared)));
        if global != 0 {
            self.part(&Part { mask: global, ..*part });
        }
        if shared != 0 {
            let at = part.at.map(|address| address.wrapping_sub(Window::Shared.base()));
            self.part(&Part { mask: shared, is_shared: true, at: &at, ..*part });
        }
    }

    #[inline]
    fn part(&mut self, part: &Part<'_, '_>) {
        if part.access.order != Order::Weak {
            return self.strong(part);
        }
        lanes_of(part.mask).for_each(|lane| self.weak_lane(part, lane));
        if self.weak.is_some() {
            self.elements(part, Watch::weak_element);
        }
    }

    /// Does something for each element of each lane, in the order in which the lanes are carried out.
    fn elements(
        &mut self,
        part: &Part<'_, '_>,
        mut each: impl FnMut(&mut Watch, &Part<'_, '_>, (usize, usize), Place),
    ) {
        let bytes = part.access.bytes;
        for lane in part.seen.order.lanes(part.mask) {
            let Some((space, start)) = self.lane_place(part, lane) else { continue };
            for element in 0..usize::from(part.access.count) {
                let offset = start + element as u64 * u64::from(bytes);
                each(self, part, (lane, element), Place { space, offset, bytes });
            }
        }
    }

    fn whole(&self, access: &Access, kind: Kind) -> races::Access {
        let is_weak = access.order == Order::Weak;
        let scope = (!is_weak).then_some(access.scope);
        races::Access { pc: self.pc, kind, scope, read_only: access.read_only, is_bare: false }
    }

    /// Where the bytes of a lane lie, if its access is not going to be denied.
    #[inline]
    fn lane_place(&self, part: &Part<'_, '_>, lane: usize) -> Option<(Space, u64)> {
        let (address, bytes) = (part.address(lane)?, part.access.lane_bytes());
        self.place(part.seen, address, bytes, part.is_shared, part.kind)
    }

    /// Where some bytes lie, if all of them are inside of something that can be accessed so.
    #[inline]
    fn place(
        &self,
        seen: Seen<'_>,
        address: u64,
        bytes: u64,
        is_shared: bool,
        kind: Kind,
    ) -> Option<(Space, u64)> {
        if is_shared {
            let inside = address.checked_add(bytes).is_some_and(|end| end <= seen.shared.len() as u64);
            return inside.then_some((Space::Shared(self.clocks.block(self.slot)), address));
        }
        let global = seen.global;
        let found = if kind == Kind::Store {
            global.locate_writable(address, bytes)
        } else {
            global.locate(address, bytes)
        };
        let (region, offset) = found.ok()?;
        Some((Space::Global(region as u32), offset as u64))
    }

    /// The stores that wait to go to exactly these bytes, which is none but in the weak memory.
    fn stores_to(&self, place: Place) -> Vec<(Thread, Pc, u64)> {
        let Some(weak) = self.weak.as_ref() else { return Vec::new() };
        let stores = weak.waiting.stores_to(place);
        stores.map(|(who, pc, value)| (self.clocks.stamp(who).thread, pc, value)).collect()
    }

    fn weak_lane(&mut self, part: &Part<'_, '_>, lane: usize) {
        let bytes = part.access.lane_bytes();
        let Some((space, offset)) = self.lane_place(part, lane) else { return };
        let access = self.whole(part.access, part.kind);
        let place = Place { space, offset, bytes: bytes as u8 };
        let (pc, clock) = (self.pc, self.clocks.stamp(self.who(lane)));
        let late = self.stores_to(place);
        let same = |before: Stamp, before_pc: Pc| {
            // A store that waits is not in memory yet.
            if let Some((.., value)) = late.iter().find(|late| (late.0, late.1) == (before.thread, before_pc))
            {
                return part.access.count == 1 && part.value(lane, 0) == *value;
            }
            let is_this =
                before_pc == pc && before.clock == clock.clock && before.thread.block == clock.thread.block;
            let is_this = is_this && usize::from(before.thread.number) / WARP_SIZE == self.warp;
            let other = is_this.then_some(usize::from(before.thread.number) % WARP_SIZE);
            part.leaves_the_same(lane, other, place)
        };
        let who = self.who(lane);
        let Some(races) = &mut self.races else { return };
        let conflict = races.lane(&self.clocks, who, access, place, 0, same);
        self.report(conflict);
        if part.kind == Kind::Store {
            self.locations.forget(space, offset, bytes);
        }
    }

    /// What a plain load or store of one element means to the weak memory.
    fn weak_element(&mut self, part: &Part<'_, '_>, (lane, element): (usize, usize), place: Place) {
        if part.kind == Kind::Load {
            self.choose(part, (lane, element), place, None);
            return;
        }
        if self.holds_store(part, lane, place, None) {
            return;
        }
        self.locations.forget(place.space, place.offset, u64::from(place.bytes));
        let stamp = self.clocks.stamp(self.who(lane));
        let written = Written { stamp, scope: None, messages: Messages::default(), chain: 0 };
        self.keep(part.seen, place, part.value(lane, element), written);
    }

    /// Strong loads and stores, element by element.
    fn strong(&mut self, part: &Part<'_, '_>) {
        let how = (part.access.order, part.access.scope);
        let access = self.whole(part.access, part.kind);
        self.elements(part, |watch, part, at, place| {
            let (lane, element) = at;
            let access = races::Access { is_bare: watch.is_bare(part, lane), ..access };
            if part.kind == Kind::Load {
                let written = watch.choose(part, at, place, Some(how.1));
                watch.strong_lane(access, lane, place, how, written);
            } else if watch.holds_store(part, lane, place, Some(access)) {
                // It is shown once more when it is carried out.
            } else if let Some(written) = watch.strong_lane(access, lane, place, how, None) {
                watch.keep(part.seen, place, part.value(lane, element), written);
            }
        });
    }

    /// Whether an access of a lane is volatile, and the lane has passed no fence: it trusts in that alone.
    fn is_bare(&self, part: &Part<'_, '_>, lane: usize) -> bool {
        self.tells_volatile
            && part.access.order == Order::Volatile
            && !self.locations.has_fenced(self.who(lane))
    }

    /// The store that a load reads; in the weak memory chosen, and replaced in the lane if it is not the last one.
    fn choose(
        &mut self,
        part: &Part<'_, '_>,
        (lane, element): (usize, usize),
        place: Place,
        scope: Option<Reach>,
    ) -> Option<Written> {
        let who = self.who(lane);
        let Some(weak) = &mut self.weak else { return self.locations.last(place).cloned() };
        let question = Question { who, place, scope, updates: false };
        let last = part.seen.bytes(place).map_or(0, element::read_le);
        let chosen = weak.choose(&self.clocks, &question, self.pc, last)?;
        if chosen.newer.is_some() {
            weak.replaced.push((lane, element, chosen.bytes));
        }
        chosen.written
    }

    /// Keeps a store for loads that may return it later.
    fn keep(&mut self, seen: Seen<'_>, place: Place, value: u64, written: Written) {
        let Some(weak) = &mut self.weak else { return };
        let value = &value.to_le_bytes()[..usize::from(place.bytes)];
        weak.history.store(place, value, seen.piece(place), written, self.pc);
    }

    /// What lanes of the load that was just shown get instead of what memory holds.
    pub fn take_replaced(&mut self) -> Vec<(usize, usize, [u8; 8])> {
        self.weak.as_mut().map_or_else(Vec::new, |weak| std::mem::take(&mut weak.replaced))
    }

    /// Shows a strong access of a lane that reads a given store. Returns what it wrote.
    fn strong_lane(
        &mut self,
        access: races::Access,
        lane: usize,
        place: Place,
        how: (Order, Reach),
        read: Option<Written>,
    ) -> Option<Written> {
        let stores = access.kind != Kind::Load;
        let issued = self.issued_now(lane, stores);
        self.strong_issued(access, lane, place, (how, read), &issued)
    }

    /// What is known of a strong access that is issued and carried out now.
    fn issued_now(&self, lane: usize, stores: bool) -> Issued {
        let sealed = if stores { self.clocks.sealed(self.who(lane)) } else { None };
        Issued { sealed, is_told: false }
    }

    /// Shows a strong access of a lane, which may have waited since it was issued.
    fn strong_issued(
        &mut self,
        access: races::Access,
        lane: usize,
        place: Place,
        (how, read): ((Order, Reach), Option<Written>),
        issued: &Issued,
    ) -> Option<Written> {
        let who = self.who(lane);
        let thread = self.clocks.thread(who);
        let observed = read.filter(|written| written.is_observed_by(thread, how.1));
        let chain = self.locations.chain(access.kind != Kind::Load, observed.as_ref());
        if let Some(races) = &mut self.races {
            let conflict = races.lane(&self.clocks, who, access, place, chain, |_, _| false);
            self.report(conflict.filter(|_| !issued.is_told));
        }
        if access.kind != Kind::Store {
            self.locations.read(&mut self.clocks, who, place, how, observed.as_ref());
        }
        let stores = access.kind != Kind::Load;
        let (updated, sealed) = ((observed.as_ref(), chain), issued.sealed.as_ref());
        stores.then(|| self.locations.write(&mut self.clocks, who, place, how, updated, sealed))
    }

    /// A lane is about to carry out an atomic: the old value that it finds there, where memory holds `last`.
    pub fn read_atomic(&mut self, atomic: &Atomic, lane: usize, place: Place, last: u64) -> u64 {
        let who = self.who(lane);
        let Some(weak) = &mut self.weak else { return last };
        let question = Question { who, place, scope: Some(atomic.scope), updates: true };
        let Some(chosen) = weak.choose(&self.clocks, &question, self.pc, last) else {
            weak.read = None;
            return last;
        };
        weak.read = chosen.written;
        element::read_le(&chosen.bytes[..usize::from(place.bytes)])
    }

    /// A lane carries out an atomic, after [`Watch::read_atomic`]. `stores` is what it stores; a `cas` that fails does not.
    pub fn atomic(
        &mut self,
        seen: Seen<'_>,
        atomic: &Atomic,
        lane: usize,
        place: Place,
        stores: Option<u64>,
    ) {
        let issued = self.issued_now(lane, stores.is_some());
        self.update(seen, atomic, (lane, place), stores, &issued);
    }

    /// A lane carries out an atomic, which may have waited since it was issued.
    fn update(
        &mut self,
        seen: Seen<'_>,
        atomic: &Atomic,
        (lane, place): (usize, Place),
        stores: Option<u64>,
        issued: &Issued,
    ) {
        let kind = if stores.is_some() { Kind::Update } else { Kind::Load };
        let access =
            races::Access { pc: self.pc, kind, scope: Some(atomic.scope), read_only: false, is_bare: false };
        let read = match &mut self.weak {
            Some(weak) => weak.read.take(),
            None => self.locations.last(place).cloned(),
        };
        let how = ((atomic.order, atomic.scope), read);
        let written = self.strong_issued(access, lane, place, how, issued);
        if let (Some(value), Some(written)) = (stores, written) {
            self.keep(seen, place, value, written);
        }
    }

    /// The shared memory of the block that runs.
    pub fn shared_space(&self) -> Space {
        Space::Shared(self.clocks.block(self.slot))
    }

    fn report(&mut self, conflict: Option<Conflict>) {
        let Some(conflict) = conflict else { return };
        let (one, other) = (conflict.before_pc, conflict.now_pc);
        let lane = usize::from(conflict.now.thread.number) % WARP_SIZE;
        let besides = self.besides(self.who(lane), &conflict);
        if conflict.why == Why::Volatile && besides == Besides::Lockstep {
            // That is what `volatile` was for before Volta.
            return;
        }
        let key = (one.min(other), one.max(other), conflict.why, conflict.same_value, besides);
        let index = *self.seen.entry(key).or_insert(self.found.len());
        if index == self.found.len() {
            self.found.push(Found { conflict, besides, step: self.now, count: 0 });
        }
        self.found[index].count += 1;
    }

    fn besides(&self, who: Who, conflict: &Conflict) -> Besides {
        let Conflict { before, before_pc, now_pc, why, .. } = *conflict;
        match why {
            _ if before_pc != now_pc && self.clocks.in_lockstep(who, before) => Besides::Lockstep,
            Why::Unordered if self.clocks.ended_before_barrier(who, before) => Besides::Ended,
            Why::Unordered if self.clocks.only_fences_order(who, before) => Besides::Fences,
            Why::Unordered if self.locations.has_heard(who, before) => Besides::Flag,
            _ => Besides::Nothing,
        }
    }

    /// The accesses that may race with one that the checker has forgotten.
    pub fn take_overflows(&mut self) -> Vec<Overflow> {
        self.races.as_mut().map_or_else(Vec::new, Races::take_overflows)
    }

    /// Whether there is a race.
    pub fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// All races, each pair of instructions once.
    pub fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// All loads that returned an older store, each pair of instructions once.
    pub fn take_stale(&mut self) -> Vec<Stale> {
        self.weak.as_mut().map_or_else(Vec::new, Weak::take_stale)
    }
}

impl Part<'_, '_> {
    /// The address of a lane, if it is a multiple of all that the lane accesses; memory denies every other.
    #[inline]
    fn address(&self, lane: usize) -> Option<u64> {
        let address = self.at[lane];
        is_aligned(address, self.access.lane_bytes()).then_some(address)
    }

    /// Whether the store of a lane leaves in memory what is there already, or what another lane of the same instruction
    /// leaves.
    fn leaves_the_same(&self, lane: usize, other: Option<usize>, place: Place) -> bool {
        let bytes = self.access.lane_bytes() as usize;
        let value = |lane: usize| {
            let mut value = [0; 16];
            element::store_lane(self.lanes, self.args, self.access, lane, &mut value[..bytes]);
            value
        };
        let with = other
            .filter(|&other| other < lane && self.mask >> other & 1 != 0 && self.at[other] == self.at[lane]);
        if let Some(other) = with {
            return value(lane) == value(other);
        }
        self.seen.bytes(place) == Some(&value(lane)[..bytes])
    }

    /// What a lane stores in an element.
    fn value(&self, lane: usize, element: usize) -> u64 {
        let bytes = usize::from(self.access.bytes);
        let mut value = [0; 16];
        element::store_lane(self.lanes, self.args, self.access, lane, &mut value);
        element::read_le(&value[element * bytes..][..bytes])
    }
}
