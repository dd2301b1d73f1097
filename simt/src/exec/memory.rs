//! Loads and stores: addresses to bytes, for all lanes of an instruction at once.
//!
//! The common case, lanes that touch neighbouring elements of one allocation, is a copy. Everything else goes
//! lane by lane, with the same result. Which of several lanes that store to one address wins is decided by
//! [`Memories::order`], which is drawn from the seed, never by lane order.

use crate::access::address::Denied;
use crate::access::address::TOGETHER;
use crate::access::address::Why;
use crate::access::address::addresses;
use crate::access::address::check_alignment;
use crate::access::address::check_flat;
use crate::access::address::check_writable;
use crate::access::address::denied;
use crate::access::address::first_denied;
use crate::access::address::lowest_denied;
use crate::access::address::neighbours;
use crate::access::address::sectors;
use crate::access::element::extend;
use crate::access::element::load_lane;
use crate::access::element::load_row;
use crate::access::element::store_lane;
use crate::access::element::store_row;
use crate::access::lane_order::LaneOrder;
use crate::access::traffic;
use crate::checkers::initialisation::Initialisation;
use crate::checkers::last_writer::LastWriter;
use crate::checkers::memory_model::MemoryModel;
use crate::exec::generic::load_generic;
use crate::exec::generic::store_generic;

use crate::isa::op::memory::{Access, Base, Memory};
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::global::Global;
use crate::machine::local::Local;
use crate::machine::mbarriers::Mbarriers;
use crate::machine::registers::{Lanes, WARP_SIZE, Wide, lanes_of};
use crate::machine::written::Written;
use crate::report::counters::Counters;

/// The memories that a warp can reach.
#[derive(Debug)]
pub struct Memories<'m> {
    /// Global and constant memory.
    pub global: &'m mut Global,
    /// The block's shared memory.
    pub shared: &'m mut [u8],
    /// The warp's local memory.
    pub local: &'m mut Local,
    /// The kernel's parameters.
    pub params: &'m [u8],
    /// Decides in which order lanes store.
    pub order: LaneOrder,
    /// Steps of the launch before the instruction.
    pub now: u64,
    /// The mbarriers in the block's shared memory, for the way on which kernels run that use them.
    pub mbarriers: Option<&'m mut Mbarriers>,
    /// The checker of reads of bytes that were never written, if it is on, and which bytes of shared memory have been.
    pub initialisation: Option<(&'m mut Initialisation, &'m mut Written)>,
    /// The checker of races, which is also the weak memory, if the launch has one.
    pub watch: Option<&'m mut MemoryModel>,
    /// What follows a byte, if the launch asks for that.
    pub follow: Option<&'m mut LastWriter>,
    /// Whether any of these three is there: the inner loop asks once.
    pub is_seen: bool,
}

/// Loads for the active lanes.
#[inline(always)]
pub fn load(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    frame: &Frame,
    counters: &mut Counters,
) -> Result<(), Denied> {
    let at = addresses(lanes, &access.address, args.a, frame);
    match access.address.memory {
        Memory::Global => {
            let row = neighbours(&at, lanes.mask, access.lane_bytes());
            counters.global_load_requests += 1;
            counters.global_load_sectors += sectors(&at, lanes.mask, access, row);
            load_global(memories, lanes, args, access, &at, row)
        }
        Memory::Const => load_global(memories, lanes, args, access, &at, None),
        Memory::Param => load_param(memories, lanes, args, access, &at),
        Memory::Shared => {
            counters.shared_load_requests += 1;
            counters.shared_load_bank_conflicts +=
                traffic::load_conflicts(&at, lanes.mask, access.lane_bytes());
            load_shared(memories, lanes, args, access, &at)
        }
        Memory::Local => {
            counters.local_requests += 1;
            load_local(memories, lanes, args, access, &at)
        }
        Memory::Frame => load_local(memories, lanes, args, access, &at),
        Memory::Generic => load_generic(memories, lanes, args, access, frame, &at, counters),
    }
}

/// Stores for the active lanes.
#[inline(always)]
pub fn store(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    frame: &Frame,
    counters: &mut Counters,
) -> Result<(), Denied> {
    let at = addresses(lanes, &access.address, args.a, frame);
    match access.address.memory {
        Memory::Global => {
            let row = neighbours(&at, lanes.mask, access.lane_bytes());
            counters.global_store_requests += 1;
            counters.global_store_sectors += sectors(&at, lanes.mask, access, row);
            store_global(memories, lanes, args, access, &at, row)
        }
        Memory::Shared => {
            counters.shared_store_requests += 1;
            counters.shared_store_bank_conflicts +=
                traffic::store_conflicts(&at, lanes.mask, access.lane_bytes());
            store_shared(memories, lanes, args, access, &at)
        }
        Memory::Local => {
            counters.local_requests += 1;
            store_local(memories, lanes, args, access, &at)
        }
        Memory::Frame => store_local(memories, lanes, args, access, &at),
        Memory::Generic => store_generic(memories, lanes, args, access, frame, &at, counters),
        Memory::Const | Memory::Param => Err(first_denied(lanes.mask, &at, access, Why::ReadOnly)),
    }
}

fn load_global(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
    row: Option<usize>,
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    if access.count == 1
        && let Some(count) = row
        && at[0].is_multiple_of(bytes)
        && let Ok((region, offset)) = memories.global.locate(at[0], bytes * count as u64)
        && let Some(data) = memories.global.read(region, offset, bytes as usize * count)
    {
        load_row(lanes, args, access, data);
        return Ok(());
    }
    for lane in lanes_of(lanes.mask) {
        check_alignment(lane, at[lane], access)?;
        let (region, offset) = memories
            .global
            .locate(at[lane], bytes)
            .map_err(|miss| denied(lane, at[lane], bytes, access.address.memory, Why::Missed(miss)))?;
        let data = memories.global.read(region, offset, bytes as usize).expect(TOGETHER);
        load_lane(lanes, args, access, lane, data);
    }
    Ok(())
}

fn store_global(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
    row: Option<usize>,
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    if access.count == 1
        && let Some(count) = row
        && at[0].is_multiple_of(bytes)
        && let Ok((region, offset)) = memories.global.locate_writable(at[0], bytes * count as u64)
        && let Some(data) = memories.global.write(region, offset, bytes as usize * count)
    {
        store_row(lanes, args, access, data);
        return Ok(());
    }
    for lane in memories.order.lanes(lanes.mask) {
        let (region, offset) = check_writable(memories.global, lane, at[lane], access).map_err(|first| {
            let check = |lane| check_writable(memories.global, lane, at[lane], access).map(drop);
            lowest_denied(first, lanes.mask, check)
        })?;
        let data = memories.global.write(region, offset, bytes as usize).expect(TOGETHER);
        store_lane(lanes, args, access, lane, data);
    }
    Ok(())
}

fn load_shared(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    if access.count == 1
        && let Some(count) = neighbours(at, lanes.mask, bytes)
        && at[0].is_multiple_of(bytes)
        && let Some(data) = at[0]
            .checked_add(bytes * count as u64)
            .filter(|&end| end <= memories.shared.len() as u64)
            .and_then(|end| memories.shared.get(at[0] as usize..end as usize))
    {
        load_row(lanes, args, access, data);
        return Ok(());
    }
    for lane in lanes_of(lanes.mask) {
        let offset = check_flat(lane, at[lane], access, memories.shared.len() as u64)?;
        load_lane(lanes, args, access, lane, &memories.shared[offset..]);
    }
    Ok(())
}

fn store_shared(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
) -> Result<(), Denied> {
    let size = memories.shared.len() as u64;
    for lane in memories.order.lanes(lanes.mask) {
        let offset = check_flat(lane, at[lane], access, size).map_err(|first| {
            lowest_denied(first, lanes.mask, |lane| check_flat(lane, at[lane], access, size).map(drop))
        })?;
        store_lane(lanes, args, access, lane, &mut memories.shared[offset..]);
    }
    Ok(())
}

fn load_local(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
) -> Result<(), Denied> {
    if let Some(offset) = same_word(at, lanes.mask, access, memories.local.lane_bytes()) {
        let words = memories.local.word(offset);
        lanes.write_narrow(args.d, |lane| words[lane]);
        return Ok(());
    }
    for lane in lanes_of(lanes.mask) {
        let offset = check_flat(lane, at[lane], access, memories.local.lane_bytes())?;
        load_lane(lanes, args, access, lane, &memories.local.lane(lane)[offset..]);
    }
    Ok(())
}

/// The place of a 32-bit variable that every active lane accesses in its own local memory: the common case, for which
/// one check is enough. `None` for every other case.
#[inline(always)]
fn same_word(at: &Wide, mask: u32, access: &Access, size: u64) -> Option<usize> {
    let first = at[mask.trailing_zeros() as usize % WARP_SIZE];
    let mut others = 0;
    for (lane, &address) in at.iter().enumerate() {
        others |= u32::from(address != first) << lane;
    }
    let plain = (access.bytes, access.count, access.register_bits) == (4, 1, 32);
    let inside = first.is_multiple_of(4) && first.checked_add(4).is_some_and(|end| end <= size);
    (plain && inside && others & mask == 0).then_some(first as usize)
}

fn store_local(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
) -> Result<(), Denied> {
    if let Some(offset) = same_word(at, lanes.mask, access, memories.local.lane_bytes()) {
        memories.local.set_word(offset, lanes.mask, &lanes.narrow[args.d as usize]);
        return Ok(());
    }
    for lane in lanes_of(lanes.mask) {
        let offset = check_flat(lane, at[lane], access, memories.local.lane_bytes())?;
        store_lane(lanes, args, access, lane, &mut memories.local.lane(lane)[offset..]);
    }
    Ok(())
}

fn load_param(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    at: &Wide,
) -> Result<(), Denied> {
    let size = memories.params.len() as u64;
    // A parameter that is named, not computed, is the same for all lanes.
    if access.address.base == Base::Absolute && access.count == 1 {
        let offset = check_flat(lanes.mask.trailing_zeros() as usize, at[0], access, size)?;
        let value = extend(&memories.params[offset..offset + access.bytes as usize], access);
        match access.register_bits {
            64 => lanes.write_wide(args.d, |_| value),
            _ => lanes.write_narrow(args.d, |_| value as u32),
        }
        return Ok(());
    }
    for lane in lanes_of(lanes.mask) {
        let offset = check_flat(lane, at[lane], access, size)?;
        load_lane(lanes, args, access, lane, &memories.params[offset..]);
    }
    Ok(())
}
