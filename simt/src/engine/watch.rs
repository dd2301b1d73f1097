//! What the checker of races sees of a run: every access with its lanes and bytes, and everything that orders accesses.
//!
//! It is asked before an instruction is carried out, so that memory still holds what was stored before, and it changes
//! nothing. Where lanes of one instruction come one after the other (strong stores, atomics) it sees them in the order in
//! which they are going to be carried out. What it leaves out: local memory, parameters and constants, which no two
//! threads share or nobody writes, and accesses outside every allocation, which stop the launch.

use std::collections::BTreeMap;

use super::access::{self, Order as Lanewise};
use super::program::Pc;
use crate::isa::atomic::Atomic;
use crate::isa::memory::{Access, Fence, Memory};
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Window};
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::observe::races::{self, Conflict, Races, Why};
use crate::observe::shadow::Kind;
use crate::order::clocks::{Clocks, Who};
use crate::order::messages::Locations;
use crate::order::{Order, Place, Space, Stamp};

/// Everything that watches who is ordered with whom.
#[derive(Debug)]
pub struct Watch {
    /// What the threads know of each other.
    pub clocks: Clocks,
    locations: Locations,
    races: Races,
    found: Vec<Found>,
    /// By instructions, reason, and what makes it milder: where in `found`.
    seen: BTreeMap<(Pc, Pc, Why, bool, bool), usize>,
    /// Who runs: the slot of the block, the warp, the instruction.
    slot: usize,
    warp: usize,
    pc: Pc,
}

/// A race, the first time that two instructions were part of it.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The first time.
    pub conflict: Conflict,
    /// Whether lockstep orders the two.
    pub in_lockstep: bool,
    /// How often.
    pub count: u64,
}

/// Memory as the checker needs it: to compare, never to change.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'m> {
    /// Global memory.
    pub global: &'m Global,
    /// The block's shared memory.
    pub shared: &'m [u8],
    /// In which order lanes are going to be carried out.
    pub order: Lanewise,
}

/// An access of a load or store, with what it takes to look at its lanes.
struct Part<'p, 'm> {
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
    /// Watches so many resident blocks.
    pub fn new(slots: usize, lockstep: bool) -> Watch {
        Watch {
            clocks: Clocks::new(slots, lockstep),
            locations: Locations::new(slots),
            races: Races::new(slots),
            found: Vec::new(),
            seen: BTreeMap::new(),
            slot: 0,
            warp: 0,
            pc: 0,
        }
    }

    /// A block starts in a slot.
    pub fn start(&mut self, slot: usize, number: u64, threads: u32) {
        let before = self.clocks.block(slot);
        self.clocks.start(slot, number, threads);
        self.locations.start(slot, before, threads.div_ceil(WARP_SIZE as u32) as usize);
        self.races.start(slot);
    }

    /// Lanes of a warp are about to run together.
    pub fn run(&mut self, slot: usize, warp: usize, lanes: u32) {
        (self.slot, self.warp) = (slot, warp);
        self.clocks.run_together(slot, warp, lanes);
    }

    /// The instruction that is next.
    #[inline]
    pub fn at(&mut self, pc: Pc) {
        self.pc = pc;
    }

    fn who(&self, lane: usize) -> Who {
        Who { slot: self.slot, warp: self.warp, lane }
    }

    /// Active lanes pass a fence.
    pub fn fence(&mut self, lanes: u32, fence: Fence) {
        self.locations.fence(&mut self.clocks, self.slot, self.warp, lanes, fence.scope);
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
        let at = access::addresses(lanes, &access.address, args.a, frame);
        let part = Part { seen, lanes, args, access, at: &at, mask: lanes.mask, is_shared: false, kind };
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
        if self.row(part) {
            return;
        }
        for lane in lanes_of(part.mask) {
            self.weak_lane(part, lane);
        }
    }

    fn whole(&self, part: &Part<'_, '_>) -> races::Access {
        let is_weak = part.access.order == Order::Weak;
        let scope = (!is_weak).then_some(part.access.scope);
        races::Access { pc: self.pc, kind: part.kind, scope, read_only: part.access.read_only }
    }

    /// Neighbouring words, at a glance.
    #[inline]
    fn row(&mut self, part: &Part<'_, '_>) -> bool {
        let bytes = part.access.lane_bytes();
        if !bytes.is_multiple_of(4) {
            return false;
        }
        let Some(count) = access::neighbours(part.at, part.mask, bytes) else { return false };
        let Some(place) = self.place(part, part.at[0], bytes * count as u64) else { return false };
        let here = self.clocks.here(self.slot, self.warp);
        let access = self.whole(part);
        self.races.row(&here, self.slot, access, place, ((bytes / 4) as usize, count))
    }

    /// Where an address lies, if all of the bytes are inside.
    #[inline]
    fn place(&self, part: &Part<'_, '_>, address: u64, bytes: u64) -> Option<(Space, u64)> {
        if part.is_shared {
            let inside = address.checked_add(bytes).is_some_and(|end| end <= part.seen.shared.len() as u64);
            return inside.then_some((Space::Shared(self.clocks.block(self.slot)), address));
        }
        let (region, offset) = part.seen.global.locate(address, bytes).ok()?;
        Some((Space::Global(region as u32), offset as u64))
    }

    fn weak_lane(&mut self, part: &Part<'_, '_>, lane: usize) {
        let bytes = part.access.lane_bytes();
        let Some((space, offset)) = self.place(part, part.at[lane], bytes) else { return };
        let access = self.whole(part);
        let place = Place { space, offset, bytes: bytes as u8 };
        let (pc, clock) = (self.pc, self.clocks.stamp(self.who(lane)));
        let same = |before: Stamp, before_pc: Pc| {
            let is_this =
                before_pc == pc && before.clock == clock.clock && before.thread.block == clock.thread.block;
            let is_this = is_this && usize::from(before.thread.number) / WARP_SIZE == self.warp;
            part.leaves_the_same(lane, is_this.then_some(usize::from(before.thread.number) % WARP_SIZE))
        };
        let who = self.who(lane);
        let conflict = self.races.lane(&self.clocks, who, access, place, false, same);
        self.report(conflict);
        if part.kind == Kind::Store {
            self.locations.forget(space, offset, bytes);
        }
    }

    /// Strong loads and stores, element by element, in the order in which the lanes are carried out.
    fn strong(&mut self, part: &Part<'_, '_>) {
        let (access, how) = (self.whole(part), (part.access.order, part.access.scope));
        let bytes = u64::from(part.access.bytes);
        let mut order = part.seen.order;
        for lane in order.lanes(part.mask) {
            for element in 0..u64::from(part.access.count) {
                let at = part.at[lane].wrapping_add(element * bytes);
                let Some((space, offset)) = self.place(part, at, bytes) else { continue };
                self.strong_lane(access, lane, Place { space, offset, bytes: bytes as u8 }, how);
            }
        }
    }

    fn strong_lane(
        &mut self,
        access: races::Access,
        lane: usize,
        place: Place,
        how: (Order, crate::order::Reach),
    ) {
        let who = self.who(lane);
        let thread = self.clocks.thread(who);
        let written = (access.kind != Kind::Store).then(|| self.locations.last(place).cloned()).flatten();
        let written = written.filter(|written| written.is_observed_by(thread, how.1));
        let conflict = self.races.lane(&self.clocks, who, access, place, written.is_some(), |_, _| false);
        self.report(conflict);
        if let Some(written) = &written {
            self.locations.read(&mut self.clocks, who, place, how, written);
        }
        if access.kind != Kind::Load {
            self.locations.write(&mut self.clocks, who, place, how, written.is_some());
        }
    }

    /// A lane is about to carry out an atomic at an address of a memory. `stores` says whether it does more than load: a
    /// `cas` that fails does not.
    pub fn atomic(&mut self, atomic: &Atomic, lane: usize, space: Space, offset: u64, stores: bool) {
        let kind = if stores { Kind::Update } else { Kind::Load };
        let access = races::Access { pc: self.pc, kind, scope: Some(atomic.scope), read_only: false };
        let place = Place { space, offset, bytes: atomic.bytes };
        self.strong_lane(access, lane, place, (atomic.order, atomic.scope));
    }

    /// The shared memory of the block that runs.
    pub fn shared_space(&self) -> Space {
        Space::Shared(self.clocks.block(self.slot))
    }

    fn report(&mut self, conflict: Option<Conflict>) {
        let Some(conflict) = conflict else { return };
        let (one, other) = (conflict.before_pc, conflict.now_pc);
        let lane = usize::from(conflict.now.thread.number) % WARP_SIZE;
        let in_lockstep = one != other && self.clocks.in_lockstep(self.who(lane), conflict.before);
        let key = (one.min(other), one.max(other), conflict.why, conflict.same_value, in_lockstep);
        let index = *self.seen.entry(key).or_insert(self.found.len());
        if index == self.found.len() {
            self.found.push(Found { conflict, in_lockstep, count: 0 });
        }
        self.found[index].count += 1;
    }

    /// All races, each pair of instructions once.
    pub fn into_found(self) -> Vec<Found> {
        self.found
    }
}

impl Part<'_, '_> {
    /// Whether the store of a lane leaves in memory what is there already, or what another lane of the same instruction
    /// leaves.
    fn leaves_the_same(&self, lane: usize, other: Option<usize>) -> bool {
        let bytes = self.access.lane_bytes() as usize;
        let value = |lane: usize| {
            let mut value = [0; 16];
            access::store_lane(self.lanes, self.args, self.access, lane, &mut value[..bytes]);
            value
        };
        let with = other
            .filter(|&other| other < lane && self.mask >> other & 1 != 0 && self.at[other] == self.at[lane]);
        if let Some(other) = with {
            return value(lane) == value(other);
        }
        let memory = if self.is_shared {
            self.seen.shared.get(self.at[lane] as usize..)
        } else {
            let place = self.seen.global.locate(self.at[lane], bytes as u64).ok();
            place.and_then(|(region, offset)| self.seen.global.data(region).get(offset..))
        };
        memory.is_some_and(|memory| memory.get(..bytes) == Some(&value(lane)[..bytes]))
    }
}
