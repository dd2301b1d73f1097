//! Atomics: one lane after the other, in the order that the seed decides.
//!
//! The access itself is one read and one write that nothing comes between, which is all that an emulator of one thread
//! has to do. It leaves out scopes and orders of memory; they concern who may see what when.

use crate::access::address::{Denied, TOGETHER, Why, addresses, denied, is_aligned, lowest_denied};
use crate::access::element::read_le;
use crate::access::traffic;
use crate::access::window::resolve;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::exec::memory::{Memories, WarpAccess, flat};
use crate::isa::op::atomic::{Atomic, PutOff};
use crate::isa::op::memory::Memory;
use crate::isa::value::Args;
use crate::machine::registers::{Lanes, Wide};
use crate::machine::sums::Reduction;
use crate::order::{ByteRange, Scope, Space};
use crate::report::counters::Counters;

/// An atomic of one lane.
struct One<'a> {
    atomic: &'a Atomic,
    lane: usize,
    /// Where it goes.
    memory: Memory,
    /// The address there.
    address: u64,
}

impl WarpAccess<'_, '_> {
    /// Runs an atomic for the active lanes, one after the other.
    pub fn atomic(&mut self, atomic: &Atomic) -> Result<(), Denied> {
        let at = addresses(self.lanes, &atomic.address, self.inst.args.a, self.frame);
        let (mask, mut by_memory) = (self.lanes.mask, [0; 2]);
        for lane in self.memories.order.lanes(mask) {
            let one = One::of(atomic, lane, at[lane]);
            by_memory[usize::from(one.memory == Memory::Shared)] |= 1 << lane;
            self.update(&one).map_err(|first| {
                lowest_denied(first, mask, |lane| {
                    One::of(atomic, lane, at[lane]).bytes(self.memories).map(drop)
                })
            })?;
        }
        count(self.counters, atomic, &at, by_memory);
        Ok(())
    }

    /// Runs the atomic of one lane.
    fn update(&mut self, one: &One<'_>) -> Result<(), Denied> {
        let (memories, args) = (&mut *self.memories, &self.inst.args);
        let One { atomic, lane, memory, address } = *one;
        let [b, c] = operands(self.lanes, args, atomic, lane);
        if memory == Memory::Global && one.can_be_put_off(memories) {
            one.put_off(memories, b)?;
            *memories.changes += 1;
            return Ok(());
        }
        let last = read_le(one.bytes(memories)?);
        let place = one.modelled_place(memories);
        let mut old = last;
        if let (Some(model), Some(place)) = (&mut memories.memory_model, place) {
            if model.delays_update(atomic, lane, place, address, [b, c], args.d) {
                return Ok(());
            }
            old = model.read_atomic(atomic, lane, place, last);
        }
        let new = atomic.new_value(memory, old, b, c);
        let stores = !atomic.is_cas || old == b;
        if let Some(place) = place {
            one.show(memories, place, stores.then_some(new));
        }
        if stores && let Ok(data) = one.bytes(memories) {
            let bytes = &new.to_le_bytes()[..atomic.bytes as usize];
            let changes = *data != *bytes;
            data.copy_from_slice(bytes);
            *memories.changes += u64::from(changes);
            if let Some(last_writer) =
                memories.last_writer.as_deref_mut().filter(|_| memory == Memory::Global)
            {
                last_writer.stored(lane, address, u64::from(atomic.bytes));
            }
        }
        if atomic.returns {
            match atomic.bytes {
                8 => self.lanes.wide[args.d as usize][lane] = old,
                _ => self.lanes.narrow[args.d as usize][lane] = old as u32,
            }
        }
        Ok(())
    }
}

/// What a lane brings: the operand, and for a compare-and-swap also the new value. Other atomics have no second operand,
/// and `args.c` names no register of theirs.
pub fn operands(lanes: &Lanes<'_>, args: &Args, atomic: &Atomic, lane: usize) -> [u64; 2] {
    let value = |slot| lanes.value(slot, lane, atomic.bytes == 8);
    [value(args.b), if atomic.is_cas { value(args.c) } else { 0 }]
}

/// Counts an atomic of the lanes that went to global memory, and of those that went to shared memory. The windows of
/// generic addresses begin at a sector and at the first bank, so they change neither number.
fn count(counters: &mut Counters, atomic: &Atomic, at: &Wide, [global, shared]: [u32; 2]) {
    if global != 0 {
        let (requests, sectors) = if atomic.returns {
            (&mut counters.global_atomic_requests, &mut counters.global_atomic_sectors)
        } else {
            (&mut counters.global_reduction_requests, &mut counters.global_reduction_sectors)
        };
        *requests += 1;
        *sectors += traffic::atomic_sectors(at, global);
    }
    if shared != 0 {
        counters.shared_atomic_requests += 1;
        counters.shared_atomic_bank_conflicts +=
            traffic::atomic_conflicts(at, shared, u64::from(atomic.bytes));
    }
}

impl One<'_> {
    fn of(atomic: &Atomic, lane: usize, address: u64) -> One<'_> {
        let (memory, address) = resolve(atomic.address.memory, address);
        One { atomic, lane, memory, address }
    }

    fn denied(&self, why: Why) -> Denied {
        denied(self.lane, self.address, u64::from(self.atomic.bytes), self.memory, why)
    }

    /// Whether it is a reduction that is kept for later, because several cores run blocks and nobody reads its result. The race
    /// checker has to know who else is there if the scope is a block's.
    fn can_be_put_off(&self, memories: &Memories<'_>) -> bool {
        let atomic = self.atomic;
        !atomic.is_read
            && atomic.put_off.is_some_and(|put_off| memories.global.puts_off(put_off.in_order))
            && (memories.memory_model.is_none() || atomic.scope != Scope::Cta)
    }

    /// Keeps it for later.
    fn put_off(&self, memories: &mut Memories<'_>, operand: u64) -> Result<(), Denied> {
        let (region, offset) = self.place(memories)?;
        if let Some(place) = self.modelled_place(memories) {
            self.show(memories, place, Some(operand));
        }
        let Some(PutOff { number, in_order }) = self.atomic.put_off else { return Ok(()) };
        let update = self.atomic.update_in(Memory::Global);
        let reduction = Reduction { number, bytes: self.atomic.bytes, in_order, update };
        memories.global.reduce(region, offset, reduction, operand);
        Ok(())
    }

    /// Its region and its offset there, in global memory.
    fn place(&self, memories: &Memories<'_>) -> Result<(usize, usize), Denied> {
        let bytes = u64::from(self.atomic.bytes);
        if !is_aligned(self.address, bytes) {
            return Err(self.denied(Why::Misaligned));
        }
        memories.global.locate_writable(self.address, bytes).map_err(|miss| self.denied(Why::Missed(miss)))
    }

    /// Where it goes, if the launch has a memory model.
    #[inline(always)]
    fn modelled_place(&self, memories: &Memories<'_>) -> Option<ByteRange> {
        let model = memories.memory_model.as_deref()?;
        let (bytes, address) = (self.atomic.bytes, self.address);
        if self.memory == Memory::Shared {
            return Some(ByteRange { space: model.shared_space(), offset: address, bytes });
        }
        let (region, offset) = memories.global.locate(address, u64::from(bytes)).ok()?;
        Some(ByteRange { space: Space::Global(region as u32), offset: offset as u64, bytes })
    }

    /// Shows it to the memory model.
    fn show(&self, memories: &mut Memories<'_>, place: ByteRange, stores: Option<u64>) {
        let view = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
        if let Some(model) = &mut memories.memory_model {
            model.atomic(view, self.atomic, self.lane, place, stores, None);
        }
    }

    /// The bytes that it reads and writes.
    fn bytes<'m>(&self, memories: &'m mut Memories<'_>) -> Result<&'m mut [u8], Denied> {
        let bytes = u64::from(self.atomic.bytes);
        match self.memory {
            _ if !is_aligned(self.address, bytes) => Err(self.denied(Why::Misaligned)),
            Memory::Global => {
                let (region, offset) = self.place(memories)?;
                Ok(memories.global.update(region, offset, bytes as usize).expect(TOGETHER))
            }
            Memory::Shared => {
                let size = memories.shared.len() as u64;
                let data = flat(self.address, bytes).and_then(|range| memories.shared.get_mut(range));
                data.ok_or_else(|| self.denied(Why::PastEnd(size)))
            }
            _ => Err(self.denied(Why::NoAtomics)),
        }
    }
}
