//! Operations of the weak memory that wait: which ones, until when, and when they are carried out after all.
//!
//! Why they may wait is said in [`late`](crate::checkers::watch::late), which keeps them. Everything here does nothing where nothing waits, and
//! so in every ordinary memory. Left out: what a load returns ([`crate::order::history`]).
//! Specification: PTX ISA, sections 8.9 and 8.10.

use crate::access::address;
use crate::access::element;
use crate::access::window;
use crate::checkers::races;
use crate::checkers::races::shadow::Kind;
use crate::checkers::watch::late::{Late, Owed, Target, Waiting, What};
use crate::checkers::watch::seen::Issued;
use crate::checkers::watch::{Part, Watch};
use crate::compile::inst::Inst;
use crate::isa::op::Op;
use crate::isa::op::Touched;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::memory::Memory;
use crate::isa::op::place::Bank;
use crate::machine::divergence::Frame;
use crate::machine::registers::{Lanes, Slot, WARP_SIZE, lanes_of};
use crate::order::history::overlap;
use crate::order::messages::{Messages, Written};
use crate::order::{Order, Place, Reach, Space};

impl Watch {
    fn waiting(&self) -> Option<&Waiting> {
        self.weak.as_ref().map(|weak| &weak.waiting)
    }

    fn waiting_mut(&mut self) -> Option<&mut Waiting> {
        self.weak.as_mut().map(|weak| &mut weak.waiting)
    }

    fn take_late(&mut self, slot: usize, warp: usize, is_asked_for: impl FnMut(&Late) -> bool) -> Vec<Late> {
        self.waiting_mut().map_or_else(Vec::new, |waiting| waiting.take(slot, warp, is_asked_for))
    }

    /// Whether a store of a lane waits; if so, nothing is stored of it now.
    pub(crate) fn holds_store(
        &mut self,
        part: &Part<'_, '_>,
        lane: usize,
        place: Place,
        strong: Option<races::Access>,
    ) -> bool {
        let who = self.who(lane);
        let (order, scope) = (part.access.order, part.access.scope);
        let releases = order.releases();
        if part.access.count > 1 || releases {
            return false;
        }
        let Some(due) = self.waiting_mut().and_then(|waiting| waiting.draw(who)) else { return false };
        if part.meets_others(lane) {
            return false;
        }
        let value = part.value(lane, 0);
        let before = part.seen.bytes(place).map_or(0, element::read_le);
        let address = if part.is_shared { 0 } else { part.at[lane] };
        let sealed = strong.and_then(|_| self.clocks.sealed(who));
        let strong = strong.map(|access| (order, scope, self.see_strong_store(access, lane, place)));
        let what = What::Store { value, strong };
        let late = Late { who, pc: self.pc, place, address, due, is_overtaken: false, sealed, what };
        let Some(waiting) = self.waiting_mut() else { return false };
        waiting.overwritten.push((place, before));
        waiting.held |= 1 << lane;
        waiting.add(late);
        true
    }

    /// Shows a strong store to the checker of races when it is issued. Returns its chain.
    fn see_strong_store(&mut self, access: races::Access, lane: usize, place: Place) -> u64 {
        let chain = self.locations.chain(true, None);
        let who = self.who(lane);
        if let Some(races) = &mut self.races {
            let conflict = races.lane(&self.clocks, who, access, place, chain, |_, _| false);
            self.report(conflict);
        }
        chain
    }

    /// Whether an update of a lane waits; if so, it is not to be carried out now.
    pub fn holds_update(
        &mut self,
        atomic: &Atomic,
        (lane, place, address): (usize, Place, u64),
        operands: [u64; 2],
        result: Slot,
    ) -> bool {
        if atomic.order != Order::Relaxed {
            return false;
        }
        let who = self.who(lane);
        let Some(due) = self.waiting_mut().and_then(|waiting| waiting.draw(who)) else { return false };
        // A `cas` that fails does not store: whoever races with it anyway races with a load.
        let kind = if atomic.is_cas { Kind::Load } else { Kind::Update };
        let access =
            races::Access { pc: self.pc, kind, scope: Some(atomic.scope), read_only: false, is_bare: false };
        let mut is_told = false;
        if let Some(races) = &mut self.races {
            let conflict = races.look(&self.clocks, who, access, place, |_, _| false);
            is_told = conflict.is_some();
            self.report(conflict);
        }
        let result = (atomic.returns && atomic.is_read).then_some(result);
        let what = What::Update { atomic: *atomic, operands, result, is_told };
        let sealed = self.clocks.sealed(who);
        let late = Late { who, pc: self.pc, place, address, due, is_overtaken: false, sealed, what };
        if let Some(waiting) = self.waiting_mut() {
            waiting.add(late);
        }
        true
    }

    /// Takes back from memory what waits of a store that has been carried out, and says which lanes wait: a store to memory
    /// is one piece of work for all lanes, with its checks and its counters, and few of them wait.
    pub fn take_back(&mut self, target: &mut Target<'_>) {
        let Some(waiting) = self.waiting_mut() else { return };
        waiting.held = 0;
        for (place, before) in std::mem::take(&mut waiting.overwritten) {
            if let Some(memory) = target.bytes_mut(place) {
                memory.copy_from_slice(&before.to_le_bytes()[..usize::from(place.bytes)]);
            }
        }
    }

    /// The lanes of the store at hand that wait.
    pub fn held(&self) -> u32 {
        self.waiting().map_or(0, |waiting| waiting.held)
    }

    /// Time passes: an instruction is about to go to memory. What is due is carried out.
    pub fn settle_due(&mut self, target: &mut Target<'_>) {
        let shared = self.shared_space();
        let due = self.waiting_mut().map_or_else(Vec::new, |waiting| waiting.take_due(shared));
        self.carry_out(&due, target);
    }

    /// Lanes of a warp come to something that all they did before comes before: it is carried out.
    pub fn settle(&mut self, target: &mut Target<'_>, (slot, warp): (usize, usize), lanes: u32) {
        let waits = |waiting: &Waiting| waiting.slots[slot][warp].lanes & lanes != 0;
        if self.waiting().is_some_and(waits) {
            let late = self.take_late(slot, warp, |late| lanes >> late.who.lane & 1 != 0);
            self.carry_out(&late, target);
        }
    }

    /// Active lanes are about to go to memory: what waits at bytes that they touch is carried out, and all that waits if they
    /// release.
    pub fn settle_touched(&mut self, target: &mut Target<'_>, lanes: &Lanes<'_>, inst: &Inst, frame: &Frame) {
        let (slot, warp) = (self.slot, self.warp);
        let Some(waiting) = self.waiting() else { return };
        let mine = waiting.slots[slot][warp].lanes & lanes.mask;
        let (address, bytes, order) = match &inst.op {
            Op::Load(access) | Op::Store(access) => (&access.address, access.lane_bytes(), access.order),
            Op::Atomic(atomic) => (&atomic.address, u64::from(atomic.bytes), atomic.order),
            _ => return,
        };
        if mine == 0 {
            return;
        }
        if order.releases() {
            return self.settle(target, (slot, warp), mine);
        }
        let at = address::addresses(lanes, address, inst.args.a, frame);
        let mut places = [None; WARP_SIZE];
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
            places[lane] = found.map(|(space, offset)| Place { space, offset, bytes: bytes as u8 });
        }
        let touches = |late: &Late| places[late.who.lane].is_some_and(|place| overlap(place, late.place));
        let late = self.take_late(slot, warp, touches);
        self.carry_out(&late, target);
        self.overtake(slot, warp, &places);
    }

    /// Notes for what still waits that its lane went on to other places.
    fn overtake(&mut self, slot: usize, warp: usize, places: &[Option<Place>; WARP_SIZE]) {
        let Some(waiting) = self.waiting_mut() else { return };
        for late in &mut waiting.slots[slot][warp].waiting {
            late.is_overtaken |= places[late.who.lane].is_some();
        }
    }

    /// Active lanes are about to carry out an instruction that names these registers: results that they still wait for come.
    #[inline]
    pub fn settle_results(&mut self, target: &mut Target<'_>, lanes: &mut Lanes<'_>, touched: &[Touched]) {
        let (slot, warp) = (self.slot, self.warp);
        let Some(waiting) = self.waiting() else { return };
        if waiting.slots[slot][warp].owing & lanes.mask != 0 {
            let is_named = |(column, is_wide): (Slot, bool)| {
                let bank = if is_wide { Bank::Wide } else { Bank::Narrow };
                touched.iter().any(|touch| (touch.bank, touch.slot) == (bank, column))
            };
            self.hand_over(target, lanes, is_named);
        }
    }

    /// Active lanes are about to leave the function that they are in, or to call one: all results come that they wait for.
    pub fn settle_all_results(
        &mut self,
        target: &mut Target<'_>,
        (slot, warp): (usize, usize),
        lanes: &mut Lanes<'_>,
    ) {
        (self.slot, self.warp) = (slot, warp);
        self.hand_over(target, lanes, |_| true);
    }

    fn hand_over(
        &mut self,
        target: &mut Target<'_>,
        lanes: &mut Lanes<'_>,
        is_named: impl Fn((Slot, bool)) -> bool,
    ) {
        let (slot, warp, mask) = (self.slot, self.warp, lanes.mask);
        let is_active = |lane: usize| mask >> lane & 1 != 0;
        let late = self
            .take_late(slot, warp, |late| is_active(late.who.lane) && late.result().is_some_and(&is_named));
        self.carry_out(&late, target);
        let Some(waiting) = self.waiting_mut() else { return };
        let of_warp = &mut waiting.slots[slot][warp];
        let come = of_warp.owed.extract_if(.., |owed| is_active(owed.lane) && is_named(owed.column));
        for Owed { lane, column: (column, is_wide), value } in come {
            if is_wide {
                lanes.wide[usize::from(column)][lane] = value;
            } else {
                lanes.narrow[usize::from(column)][lane] = value as u32;
            }
        }
        of_warp.count();
    }

    /// Lanes have ended: nobody reads their registers any more.
    pub fn forget_results(&mut self, slot: usize, warp: usize, lanes: u32) {
        let Some(waiting) = self.waiting_mut() else { return };
        let of_warp = &mut waiting.slots[slot][warp];
        if of_warp.owing & lanes != 0 {
            of_warp.owed.retain(|owed| lanes >> owed.lane & 1 == 0);
            of_warp.count();
        }
    }

    /// Carries out operations that have waited, each in the name of its lane.
    fn carry_out(&mut self, late: &[Late], target: &mut Target<'_>) {
        let here = (self.slot, self.warp, self.pc);
        for late in late {
            (self.slot, self.warp, self.pc) = (late.who.slot, late.who.warp, late.pc);
            match late.what {
                What::Store { value, strong } => self.carry_out_store(late, value, strong, target),
                What::Update { .. } => self.carry_out_update(late, target),
            }
        }
        (self.slot, self.warp, self.pc) = here;
    }

    fn carry_out_store(
        &mut self,
        late: &Late,
        value: u64,
        strong: Option<(Order, Reach, u64)>,
        target: &mut Target<'_>,
    ) {
        let Late { who, place, .. } = *late;
        let written = match strong {
            None => {
                self.locations.forget(place.space, place.offset, u64::from(place.bytes));
                let stamp = self.clocks.stamp(who);
                Written { stamp, scope: None, messages: Messages::default(), chain: 0 }
            }
            Some((order, scope, chain)) => {
                let clocks = &mut self.clocks;
                let sealed = late.sealed.as_ref();
                self.locations.write(clocks, who, place, (order, scope), (None, chain), sealed)
            }
        };
        self.keep(target.seen(), place, value, written);
        target.write(late, self.clocks.block(who.slot), value);
    }

    fn carry_out_update(&mut self, late: &Late, target: &mut Target<'_>) {
        let What::Update { atomic, operands: [b, c], result, is_told } = late.what else { return };
        let Late { who, place, .. } = *late;
        let last = target.seen().bytes(place).map_or(0, element::read_le);
        let old = self.read_atomic(&atomic, who.lane, place, last);
        let memory = if let Space::Shared(_) = place.space { Memory::Shared } else { Memory::Global };
        let new = atomic.new_value(memory, old, b, c);
        let stores = (!atomic.is_cas || old == b).then_some(new);
        let issued = Issued { sealed: late.sealed.clone(), is_told };
        self.update(target.seen(), &atomic, (who.lane, place), stores, &issued);
        if let Some(new) = stores {
            target.write(late, self.clocks.block(who.slot), new);
        }
        if let (Some(slot), Some(waiting)) = (result, self.waiting_mut()) {
            let column = (slot, atomic.bytes == 8);
            let of_warp = &mut waiting.slots[who.slot][who.warp];
            of_warp.owed.push(Owed { lane: who.lane, column, value: old });
            of_warp.count();
        }
    }
}

impl Part<'_, '_> {
    /// Whether another active lane accesses a byte that this one does.
    fn meets_others(&self, lane: usize) -> bool {
        let bytes = self.access.lane_bytes();
        let own = self.at[lane];
        lanes_of(self.mask).any(|other| {
            let theirs = self.at[other];
            other != lane && theirs < own.saturating_add(bytes) && own < theirs.saturating_add(bytes)
        })
    }
}
