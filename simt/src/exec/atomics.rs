//! Atomics: one lane after the other, in the order that the seed decides.
//!
//! The access itself is one read and one write that nothing comes between, which is all that an emulator of one thread
//! has to do. It leaves out scopes and orders of memory; they concern who may see what when.

use crate::access::address::Denied;
use crate::access::address::TOGETHER;
use crate::access::address::Why;
use crate::access::address::addresses;
use crate::access::address::denied;
use crate::access::address::lowest_denied;
use crate::access::element::read_le;
use crate::access::traffic;
use crate::access::window::resolve;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::exec::memory::Memories;
use crate::isa::op::atomic::Atomic;
use crate::isa::op::memory::Memory;
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::fork::Reduction;
use crate::machine::registers::{Lanes, Wide};
use crate::order::{ByteRange, Scope, Space};
use crate::report::counters::Counters;

/// Runs an atomic for the active lanes, one after the other.
pub fn atomic(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    atomic: &Atomic,
    frame: &Frame,
    counters: &mut Counters,
) -> Result<(), Denied> {
    let at = addresses(lanes, &atomic.address, args.a, frame);
    let mut by_memory = [0; 2];
    for lane in memories.order.lanes(lanes.mask) {
        let (memory, address) = resolve(atomic.address.memory, at[lane]);
        by_memory[usize::from(memory == Memory::Shared)] |= 1 << lane;
        let [b, c] = operands(lanes, args, atomic, lane);
        if memory == Memory::Global && memories.global.is_fork() {
            match put_off(memories, atomic, lane, address, b) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(first) => return Err(lowest_atomic_denied(memories, atomic, lanes.mask, &at, first)),
            }
        }
        let data = match atomic_bytes(memories, atomic, memory, lane, address) {
            Ok(data) => data,
            Err(first) => return Err(lowest_atomic_denied(memories, atomic, lanes.mask, &at, first)),
        };
        let last = read_le(data);
        let place = watched_place(memories, atomic, memory, address);
        if let (Some(watch), Some(place)) = (&mut memories.watch, place)
            && watch.delays_update(atomic, (lane, place, address), [b, c], args.d)
        {
            continue;
        }
        let old = match (&mut memories.watch, place) {
            (Some(watch), Some(place)) => watch.read_atomic(atomic, lane, place, last),
            _ => last,
        };
        let new = atomic.new_value(memory, old, b, c);
        let stores = !atomic.is_cas || old == b;
        if let Some(place) = place {
            watch(memories, atomic, lane, place, stores.then_some(new));
        }
        if stores && let Ok(data) = atomic_bytes(memories, atomic, memory, lane, address) {
            data.copy_from_slice(&new.to_le_bytes()[..atomic.bytes as usize]);
            if let Some(follow) = memories.follow.as_deref_mut().filter(|_| memory == Memory::Global) {
                follow.stored(lane, address, u64::from(atomic.bytes));
            }
        }
        if atomic.returns {
            match atomic.bytes {
                8 => lanes.wide[args.d as usize][lane] = old,
                _ => lanes.narrow[args.d as usize][lane] = old as u32,
            }
        }
    }
    count(counters, atomic, &at, by_memory);
    Ok(())
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

/// Keeps a reduction whose result nobody reads for later, where several cores run blocks and its order cannot matter;
/// whether it could be kept. A checker of races has to see who else is there if the scope is a block's.
fn put_off(
    memories: &mut Memories<'_>,
    atomic: &Atomic,
    lane: usize,
    address: u64,
    operand: u64,
) -> Result<bool, Denied> {
    let Some(number) = atomic.in_any_order.filter(|_| !atomic.is_read) else { return Ok(false) };
    if memories.watch.is_some() && atomic.scope == Scope::Cta {
        return Ok(false);
    }
    let (region, offset) = atomic_place(memories, atomic, lane, address)?;
    if let Some(place) = watched_place(memories, atomic, Memory::Global, address) {
        watch(memories, atomic, lane, place, Some(operand));
    }
    let reduction = Reduction { number, bytes: atomic.bytes, update: atomic.update_in(Memory::Global) };
    Ok(memories.global.reduce(region, offset, reduction, operand))
}

/// The region and the offset of an atomic in global memory.
fn atomic_place(
    memories: &Memories<'_>,
    atomic: &Atomic,
    lane: usize,
    address: u64,
) -> Result<(usize, usize), Denied> {
    let bytes = u64::from(atomic.bytes);
    let deny = |why| denied(lane, address, bytes, Memory::Global, why);
    if !address.is_multiple_of(bytes) {
        return Err(deny(Why::Misaligned));
    }
    memories.global.locate_writable(address, bytes).map_err(|miss| deny(Why::Missed(miss)))
}

/// Where an atomic of one lane goes, if anybody watches.
#[inline(always)]
fn watched_place(
    memories: &Memories<'_>,
    atomic: &Atomic,
    memory: Memory,
    address: u64,
) -> Option<ByteRange> {
    let watch = memories.watch.as_deref()?;
    let bytes = atomic.bytes;
    if memory == Memory::Shared {
        return Some(ByteRange { space: watch.shared_space(), offset: address, bytes });
    }
    let (region, offset) = memories.global.locate(address, u64::from(bytes)).ok()?;
    Some(ByteRange { space: Space::Global(region as u32), offset: offset as u64, bytes })
}

/// Shows an atomic of one lane to who watches.
fn watch(memories: &mut Memories<'_>, atomic: &Atomic, lane: usize, place: ByteRange, stores: Option<u64>) {
    let seen = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
    if let Some(watch) = &mut memories.watch {
        watch.atomic(seen, atomic, (lane, place), stores, None);
    }
}

#[cold]
fn lowest_atomic_denied(
    memories: &mut Memories<'_>,
    atomic: &Atomic,
    mask: u32,
    at: &Wide,
    first: Denied,
) -> Denied {
    lowest_denied(first, mask, |lane| {
        let (memory, address) = resolve(atomic.address.memory, at[lane]);
        atomic_bytes(memories, atomic, memory, lane, address).map(drop)
    })
}

fn atomic_bytes<'m>(
    memories: &'m mut Memories<'_>,
    atomic: &Atomic,
    memory: Memory,
    lane: usize,
    address: u64,
) -> Result<&'m mut [u8], Denied> {
    let bytes = u64::from(atomic.bytes);
    let deny = |why| denied(lane, address, bytes, memory, why);
    if !address.is_multiple_of(bytes) {
        return Err(deny(Why::Misaligned));
    }
    match memory {
        Memory::Global => {
            let (region, offset) = atomic_place(memories, atomic, lane, address)?;
            Ok(memories.global.update(region, offset, bytes as usize).expect(TOGETHER))
        }
        Memory::Shared => {
            let size = memories.shared.len() as u64;
            let end = address.checked_add(bytes).filter(|&end| end <= size);
            let end = end.ok_or_else(|| deny(Why::PastEnd(size)))?;
            Ok(&mut memories.shared[address as usize..end as usize])
        }
        _ => Err(deny(Why::NoAtomics)),
    }
}
