//! Asynchronous copies: started, carried out at a time that the seed decides, and completed when their lane has waited.
//!
//! Time passes for the copies of a warp while it stores, copies or uses mbarriers. So it does not matter to them which executor
//! runs the block, nor whether a load is carried out once for all its warps. To the race checker a copy is an access of its lane when it
//! starts and when it is complete; in between, [`crate::checkers::copies`] looks at who touches its bytes. Bytes count as written
//! when the copy starts if races are looked for, which then report who reads them too early, and else when it is complete.
//! An arrival at an mbarrier completes the copies before it and comes by itself, within [`LONGEST`] uses of mbarriers by the block.
//! Left out: the hardware's count of bank conflicts of copies. Specification: PTX ISA, section 9.7.9.25.

use crate::access::address::{Denied, TOGETHER, Why, addresses, denied, is_aligned};
use crate::access::element::read_le;
use crate::access::row::Shape;
use crate::access::window::resolve;
use crate::checkers::copies::Meddling;
use crate::checkers::initialisation::AccessCheck;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::mbarrier::MbarrierEvent;
use crate::exec::mbarrier::object_at;
use crate::exec::memory::{Memories, WarpAccess};
use crate::isa::op::copy::{self, Async};
use crate::isa::op::mbarrier::{Arrival, MAX_COUNT, Misuse, Object};
use crate::isa::op::memory::{Address, Memory};
use crate::machine::copies::{Copy, Trigger, Until};
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::order::clocks::WarpId;
use crate::order::{ByteRange, Order, Scope, Semantics, Space};
use crate::report::location::AccessKind;

/// How many stores a copy takes at most, unless it takes until its lane waits.
const LONGEST: u64 = 16;

impl WarpAccess<'_, '_> {
    /// Carries out an instruction about copies for the active lanes of a warp.
    #[inline(never)]
    pub fn asynchronous(&mut self, op: Async, id: WarpId) -> Result<(), Denied> {
        let mask = self.lanes.mask;
        self.pass_arrivals(id)?;
        match op {
            Async::Copy(copy) => self.start_copies(&copy, id),
            Async::Commit => {
                self.memories.copies.commit(id.warp, mask);
                Ok(())
            }
            Async::Wait(left) => {
                self.finish(id.warp, mask, left.map_or(Until::All, Until::Groups));
                Ok(())
            }
            Async::Arrive { address, adds } => self.arrive_later(&address, adds, id),
        }
    }

    /// Starts a copy of each active lane.
    fn start_copies(&mut self, copy: &copy::Copy, id: WarpId) -> Result<(), Denied> {
        let (mask, args, bytes) = (self.lanes.mask, &self.inst.args, u64::from(copy.bytes));
        let to = addresses(self.lanes, &copy.to, args.a, self.frame);
        let from = addresses(self.lanes, &copy.from, args.b, self.frame);
        let lanes = &*self.lanes;
        let read: [u64; WARP_SIZE] = std::array::from_fn(|lane| {
            let ignores = || lanes.preds[usize::from(args.e)] >> lane & 1 != 0;
            copy.reads(|| lanes.narrow[usize::from(args.c)][lane], ignores)
        });
        let readers =
            lanes_of(mask).filter(|&lane| read[lane] != 0).fold(0, |readers, lane| readers | 1 << lane);
        if readers != 0 {
            self.counters.count_accesses(true, false, 1, Shape::of(&from, readers).sectors(bytes));
        }
        let mut places = [(0, 0); WARP_SIZE];
        for lane in lanes_of(mask) {
            places[lane] = find(self.memories, lane, to[lane], from[lane], bytes, read[lane])?;
        }
        if let Some((model, mut target)) = self.memories.modelled() {
            model.drain(&mut target, id, mask);
        }
        let draws = self.memories.order;
        for lane in self.memories.order.lanes(mask) {
            let draw = draws.draw(lane as u64);
            let left = match draw % 4 {
                0 => Some(0),
                1 => None,
                _ => Some((draw >> 8 & (LONGEST - 1)) as u8),
            };
            let (group, is_done) = (None, false);
            let (to, from, read) = (to[lane], places[lane], read[lane] as u8);
            let (warp, pc, bytes) = (id.warp, self.pc, copy.bytes);
            self.begin(Copy { warp, lane, pc, to, bytes, from, read, group, left, is_done, number: 0 });
        }
        Ok(())
    }

    /// Starts a copy, and shows it to the checkers.
    fn begin(&mut self, mut copy: Copy) {
        let (pc, now) = (self.pc, self.memories.now);
        let memories = &mut *self.memories;
        if let Some((checker, _)) = &mut memories.initialisation
            && checker.reports
            && copy.read != 0
            && let Some(written) = memories.global.written_mut(copy.from.0)
        {
            let (start, space) = (copy.from.1, Space::Global(copy.from.0 as u32));
            let mut check = AccessCheck::new(pc, now, AccessKind::Read);
            check.lane(copy.lane, space, written, start..start + usize::from(copy.read));
            checker.found.extend(check.found());
        }
        if let Some(model) = memories.memory_model.as_deref_mut() {
            model.at(pc, now);
            model.copy(&copy);
        }
        if memories.memory_model.as_deref().is_some_and(MemoryModel::looks_for_races) {
            memories.mark_written(&copy);
        }
        if copy.left == Some(0) {
            memories.carry_out_copy(&mut copy);
        }
        memories.copies.start(copy);
    }

    /// Arrives at an mbarrier for each active lane, when its copies are complete.
    fn arrive_later(&mut self, address: &Address, adds: bool, id: WarpId) -> Result<(), Denied> {
        let at = addresses(self.lanes, address, self.inst.args.a, self.frame);
        let pc = self.pc;
        for lane in self.memories.order.lanes(self.lanes.mask) {
            let offset = object_at(self.memories, address.memory, at[lane], lane)?;
            let refuse = |misuse| denied(lane, offset, OBJECT_BYTES, Memory::Shared, Why::Mbarrier(misuse));
            if !self.memories.mbarriers.is_object(offset) {
                return Err(refuse(Misuse::NoObject));
            }
            let object = self.memories.object(offset);
            if adds && object.pending == MAX_COUNT {
                return Err(refuse(Misuse::Count(MAX_COUNT + 1)));
            }
            if adds {
                self.memories.set_object(offset, Object { pending: object.pending + 1, ..object });
            }
            let left = (self.memories.order.draw(lane as u64) & (LONGEST - 1)) as u8;
            self.memories.copies.await_copies(Trigger { warp: id.warp, lane, pc, offset, left, number: 0 });
        }
        Ok(())
    }

    /// The active lanes access memory in some way, while copies are under way.
    #[inline(never)]
    pub fn meet_copies(&mut self, id: WarpId) {
        let Some((address, bytes, kind)) = self.inst.op.access() else { return };
        if kind != AccessKind::Read {
            self.pass_time(id);
        }
        let (pc, now) = (self.pc, self.memories.now);
        if !self.memories.memory_model.as_deref().is_some_and(MemoryModel::looks_for_races) {
            return;
        }
        let at = addresses(self.lanes, address, self.inst.args.a, self.frame);
        for lane in lanes_of(self.lanes.mask) {
            let (memory, address) = resolve(address.memory, at[lane]);
            let Memories { copies, global, memory_model: Some(model), .. } = &mut *self.memories else {
                continue;
            };
            let place = match memory {
                Memory::Shared => None,
                Memory::Global if kind != AccessKind::Read => global.locate(address, bytes).ok(),
                _ => continue,
            };
            let met = match place {
                None => copies.writing_to(address, bytes),
                Some((region, offset)) => copies.reading_from(region, offset as u64, bytes),
            };
            let Some(copy) = met else { continue };
            let (space, offset) = place.map_or((model.shared_space(), address), |(region, offset)| {
                (Space::Global(region as u32), offset as u64)
            });
            let range = ByteRange { space, offset, bytes: bytes as u8 };
            let (warp, is_source) = (id.warp, place.is_some());
            let block = model.block_number();
            model.meddled(Meddling { step: now, block, warp, lane, pc, kind, range, copy, is_source });
        }
    }

    /// Lets time pass for the copies of the warp.
    fn pass_time(&mut self, id: WarpId) {
        let memories = &mut *self.memories;
        for index in 0..memories.copies.of_warp(id.warp).len() {
            let mut copy = memories.copies.of_warp(id.warp)[index];
            match copy.left {
                Some(left) if left > 0 => copy.left = Some(left - 1),
                Some(_) if !copy.is_done => memories.carry_out_copy(&mut copy),
                _ => continue,
            }
            memories.copies.of_warp(id.warp)[index] = copy;
        }
    }

    /// The warp does something with copies or with mbarriers: lets time pass for its copies, and for the arrivals of all warps.
    #[inline(never)]
    pub fn pass_arrivals(&mut self, id: WarpId) -> Result<(), Denied> {
        self.pass_time(id);
        self.memories.pass_bulk()?;
        for trigger in self.memories.copies.due() {
            self.finish(trigger.warp, 1 << trigger.lane, Until::Number(trigger.number));
            self.arrive_now(&trigger)?;
        }
        Ok(())
    }

    fn arrive_now(&mut self, trigger: &Trigger) -> Result<(), Denied> {
        let memories = &mut *self.memories;
        let Trigger { warp, lane, pc, offset, .. } = *trigger;
        memories.model_at(pc);
        let refuse = |misuse| denied(lane, offset, OBJECT_BYTES, Memory::Shared, Why::Mbarrier(misuse));
        if !memories.mbarriers.is_object(offset) {
            return Err(refuse(Misuse::NoObject));
        }
        let before = memories.object(offset);
        let after =
            before.arrive(Arrival { drops: false, no_complete: false, expects: false }, 1).map_err(refuse)?;
        memories.set_object(offset, after);
        *memories.changes += 1;
        if let Some(model) = &mut memories.memory_model {
            let place = ByteRange { space: model.shared_space(), offset, bytes: OBJECT_BYTES as u8 };
            let event = MbarrierEvent::Arrives { completes: after.phase != before.phase };
            let semantics = Semantics { order: Order::Release, scope: Scope::Cta };
            model.as_warp(warp, |model| model.mbarrier(lane, place, event, semantics));
        }
        Ok(())
    }

    /// Completes copies of some lanes of a warp, one lane after the other.
    fn finish(&mut self, warp: usize, mask: u32, until: Until) {
        let (pc, now) = (self.pc, self.memories.now);
        let memories = &mut *self.memories;
        let mut turn = [0; WARP_SIZE];
        memories.order.lanes(mask).enumerate().for_each(|(at, lane)| turn[lane] = at);
        let mut complete = memories.copies.finish(warp, mask, until);
        complete.sort_by_key(|copy| turn[copy.lane]);
        for mut copy in complete {
            if !copy.is_done {
                memories.carry_out_copy(&mut copy);
            }
            memories.mark_written(&copy);
            if let Some(model) = memories.memory_model.as_deref_mut() {
                model.at(pc, now);
                model.as_warp(warp, |model| model.copy(&copy));
            }
        }
    }
}

impl Memories<'_> {
    /// Moves the bytes of a copy.
    fn carry_out_copy(&mut self, copy: &mut Copy) {
        let (mut data, read) = ([0; 16], usize::from(copy.read));
        if read != 0 {
            let (region, offset) = copy.from;
            data[..read].copy_from_slice(self.global.read(region, offset, read).expect(TOGETHER));
        }
        let (to, bytes) = (copy.to as usize, usize::from(copy.bytes));
        self.shared[to..to + bytes].copy_from_slice(&data[..bytes]);
        *self.changes += 1;
        copy.is_done = true;
        if let Some(model) = self.memory_model.as_deref_mut() {
            model.copied();
        }
    }

    /// Records that the bytes of a copy have been written.
    fn mark_written(&mut self, copy: &Copy) {
        if let Some((checker, written)) = &mut self.initialisation
            && checker.reports
        {
            let to = copy.to as usize;
            written.set(to..to + usize::from(copy.bytes));
        }
    }

    /// Tells the memory model the instruction.
    pub fn model_at(&mut self, pc: u32) {
        let now = self.now;
        if let Some(model) = self.memory_model.as_deref_mut() {
            model.at(pc, now);
        }
    }

    /// The mbarrier at an offset.
    pub fn object(&self, offset: u64) -> Object {
        let start = offset as usize;
        Object::from_bits(read_le(&self.shared[start..start + OBJECT_BYTES as usize]))
    }

    /// Replaces the mbarrier at an offset.
    pub fn set_object(&mut self, offset: u64, object: Object) {
        let start = offset as usize;
        self.shared[start..start + OBJECT_BYTES as usize].copy_from_slice(&object.to_bits().to_le_bytes());
    }
}

/// Where in global memory a lane's copy reads, if it may read and write what it says.
fn find(
    memories: &Memories<'_>,
    lane: usize,
    to: u64,
    from: u64,
    bytes: u64,
    read: u64,
) -> Result<(usize, usize), Denied> {
    let size = memories.shared.len() as u64;
    let deny = |address, memory, why| Err(denied(lane, address, bytes, memory, why));
    if !is_aligned(to, bytes) {
        return deny(to, Memory::Shared, Why::Misaligned);
    }
    if to.checked_add(bytes).is_none_or(|end| end > size) {
        return deny(to, Memory::Shared, Why::PastEnd(size));
    }
    if memories.mbarriers.overlapping(to, bytes).is_some() {
        return deny(to, Memory::Shared, Why::Mbarrier(Misuse::Plain));
    }
    if read == 0 {
        return Ok((0, 0));
    }
    if !is_aligned(from, bytes) {
        return deny(from, Memory::Global, Why::Misaligned);
    }
    memories.global.locate(from, read).or_else(|miss| deny(from, Memory::Global, Why::Missed(miss)))
}
