//! Operations on mbarriers: lane after lane, in the order that the seed decides, as atomics are.
//!
//! An object is 64 bits of shared memory ([`crate::isa::mbarrier`]), and the block knows where its objects are. What the
//! specification leaves undefined is refused here: operations where there is no object, a second `init`, counts that do not
//! fit, and loads, stores and atomics that touch the bytes of an object. A wait that finds its phase incomplete says so at
//! once, `try_wait` too, which may do so after any time; who asks for ever is found by [`crate::exec::stalled`].
//! Left out: what an operation costs, which no counter of a GPU tells. Specification: PTX ISA, section 9.7.13.15.

use crate::access::address::{Denied, Why, addresses, denied};
use crate::access::element::read_le;
use crate::access::window::resolve;
use crate::checkers::memory_model::mbarrier::MbarrierEvent;
use crate::compile::inst::Pc;
use crate::exec::memory::{Memories, WarpAccess};
use crate::isa::op::mbarrier::{Action, Mbarrier, Misuse, Object};
use crate::isa::op::memory::Memory;
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::lanes_of;
use crate::order::clocks::WarpId;
use crate::order::{ByteRange, Semantics};

/// A lane at an operation.
struct At<'l> {
    op: &'l Mbarrier,
    warp: usize,
    lane: usize,
    pc: Pc,
    /// Where the object is, in shared memory.
    offset: u64,
    /// The count, the transactions or the parity.
    number: u32,
    /// The state.
    state: u64,
}

/// What a lane gets.
enum Got {
    Nothing,
    State(u64),
    Answer(bool),
}

impl WarpAccess<'_, '_> {
    /// Carries out an operation for the active lanes of a warp, on objects of its own block.
    pub fn mbarrier_here(&mut self, op: &Mbarrier, id: WarpId) -> Result<(), Denied> {
        let (pc, now) = (self.pc, self.memories.now);
        let (memories, lanes) = (&mut *self.memories, &mut *self.lanes);
        if let Some((model, mut target)) = memories.modelled() {
            model.drain_due(&mut target);
            if !op.asks() {
                model.drain(&mut target, id, lanes.mask);
            }
            model.at(pc, now);
        }
        self.mbarrier_operation(op, id.warp)
    }

    /// Carries out an operation for the active lanes of warp `warp`.
    pub fn mbarrier_operation(&mut self, op: &Mbarrier, warp: usize) -> Result<(), Denied> {
        let (pc, args) = (self.pc, &self.inst.args);
        let (memories, lanes) = (&mut *self.memories, &mut *self.lanes);
        let at = addresses(lanes, &op.address, args.a, self.frame);
        let mut complete = 0;
        for lane in memories.order.lanes(lanes.mask) {
            let offset = object_at(memories, op.address.memory, at[lane], lane)?;
            let number =
                if op.counted && op.action != Action::Wait { lanes.narrow[args.b as usize][lane] } else { 1 };
            let state = if op.action == Action::Wait { lanes.wide[args.b as usize][lane] } else { 0 };
            let who = At { op, warp, lane, pc, offset, number, state };
            match who.carry_out(memories) {
                Ok(Got::State(state)) => lanes.wide[args.d as usize][lane] = state,
                Ok(Got::Answer(is_complete)) => complete |= u32::from(is_complete) << lane,
                Ok(Got::Nothing) => {}
                Err(misuse) => {
                    return Err(denied(lane, offset, OBJECT_BYTES, Memory::Shared, Why::Mbarrier(misuse)));
                }
            }
        }
        if op.asks() {
            lanes.write_pred(args.d, complete);
        }
        Ok(())
    }

    /// A load, store or atomic is about to be carried out by lanes of warp `warp`, in whose block there are objects: it must
    /// not touch them, and lanes that do anything else than wait are waited for by nobody.
    pub fn check_objects(&mut self, warp: usize) -> Result<(), Denied> {
        let Some((address, bytes, _)) = self.inst.op.access() else { return Ok(()) };
        if matches!(address.memory, Memory::Local | Memory::Frame | Memory::Param | Memory::Const) {
            return Ok(());
        }
        let mbarriers = &mut *self.memories.mbarriers;
        mbarriers.went_on(warp, self.lanes.mask);
        let at = addresses(self.lanes, address, self.inst.args.a, self.frame);
        for lane in lanes_of(self.lanes.mask) {
            let (memory, offset) = resolve(address.memory, at[lane]);
            if memory == Memory::Shared && mbarriers.overlapping(offset, bytes).is_some() {
                return Err(denied(lane, offset, bytes, memory, Why::Mbarrier(Misuse::Plain)));
            }
        }
        Ok(())
    }
}

/// Where in shared memory the object at an address is.
pub fn object_at(memories: &Memories<'_>, memory: Memory, address: u64, lane: usize) -> Result<u64, Denied> {
    let (memory, offset) = resolve(memory, address);
    let deny = |why| Err(denied(lane, address, OBJECT_BYTES, memory, why));
    let size = memories.shared.len() as u64;
    match offset.checked_add(OBJECT_BYTES) {
        _ if memory != Memory::Shared => deny(Why::Mbarrier(Misuse::NotShared)),
        _ if !offset.is_multiple_of(OBJECT_BYTES) => deny(Why::Misaligned),
        Some(end) if end <= size => Ok(offset),
        _ => deny(Why::PastEnd(size)),
    }
}

impl At<'_> {
    fn carry_out(&self, memories: &mut Memories<'_>) -> Result<Got, Misuse> {
        let mbarriers = &mut *memories.mbarriers;
        let begins = self.op.action == Action::Init;
        match mbarriers.is_object(self.offset) {
            true if begins => return Err(Misuse::IsThere),
            false if !begins => return Err(Misuse::NoObject),
            _ => {}
        }
        let start = self.offset as usize;
        let bytes = &mut memories.shared[start..start + OBJECT_BYTES as usize];
        let before = Object::from_bits(read_le(bytes));
        let (after, got, touch) = self.performed(before)?;
        bytes.copy_from_slice(&after.to_bits().to_le_bytes());
        match touch {
            MbarrierEvent::Begins | MbarrierEvent::Ends => drop(mbarriers.set(self.offset, begins)),
            MbarrierEvent::Tests { finds: false } => {
                mbarriers.polled(self.warp, self.lane, self.offset, before.phase, self.pc);
            }
            _ => {}
        }
        if touch != (MbarrierEvent::Tests { finds: false }) {
            mbarriers.went_on(self.warp, 1 << self.lane);
        }
        if let Some(model) = &mut memories.memory_model {
            let place =
                ByteRange { space: model.shared_space(), offset: self.offset, bytes: OBJECT_BYTES as u8 };
            model.mbarrier(self.lane, place, touch, Semantics { order: self.op.order, scope: self.op.scope });
        }
        Ok(got)
    }

    /// What the operation leaves and returns, and what it is to the memory model.
    fn performed(&self, before: Object) -> Result<(Object, Got, MbarrierEvent), Misuse> {
        let transactions = i64::from(self.number);
        let arrives = |after: Object| MbarrierEvent::Arrives { completes: after.phase != before.phase };
        Ok(match self.op.action {
            Action::Init => (Object::new(self.number)?, Got::Nothing, MbarrierEvent::Begins),
            Action::Invalidate => (before, Got::Nothing, MbarrierEvent::Ends),
            Action::Arrive(arrival) => {
                let after = before.arrive(arrival, self.number)?;
                (after, Got::State(before.to_bits()), arrives(after))
            }
            Action::Expect => (before.expect(transactions)?, Got::Nothing, MbarrierEvent::Counts),
            Action::Complete => {
                let after = before.expect(-transactions)?.completed();
                (after, Got::Nothing, arrives(after))
            }
            Action::Wait => {
                let finds = before.is_past(Object::from_bits(self.state))?;
                (before, Got::Answer(finds), MbarrierEvent::Tests { finds })
            }
            Action::WaitParity => {
                let finds = before.is_past_parity(self.number);
                (before, Got::Answer(finds), MbarrierEvent::Tests { finds })
            }
        })
    }
}
