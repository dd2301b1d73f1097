//! Loads and stores: addresses to bytes, for all lanes of an instruction at once.
//!
//! The common case, lanes that touch neighbouring elements of one allocation, is a copy. Everything else goes
//! lane by lane, with the same result. Which of several lanes that store to one address wins is decided by
//! [`Memories::order`], which is drawn from the seed, never by lane order.

use crate::access::address::{
    Denied, TOGETHER, Why, addresses, check_alignment, check_flat, check_writable, denied, first_denied,
    lowest_denied,
};
use crate::access::element::{extend, load_lane, store_lane};
use crate::access::lane_order::LaneOrder;
use crate::access::row::{Row, Shape};
use crate::checkers::initialisation::Initialisation;
use crate::checkers::last_writer::LastWriter;
use crate::checkers::memory_model::MemoryModel;
use crate::exec::generic::{load_generic, store_generic};
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
        Memory::Global | Memory::Shared => {
            load_shaped(memories, lanes, args, access, &Shape::of(&at, lanes.mask), counters)
        }
        Memory::Const => load_global(memories, lanes, args, access, &Shape::of(&at, lanes.mask)),
        Memory::Param => load_param(memories, lanes, args, access, &at),
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
        Memory::Global | Memory::Shared => {
            store_shaped(memories, lanes, args, access, &Shape::of(&at, lanes.mask), counters)
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

/// Loads from global or shared memory for the active lanes, at addresses of a known shape.
#[inline(always)]
pub fn load_shaped(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
    counters: &mut Counters,
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    if access.address.memory == Memory::Global {
        counters.count_accesses((true, false), 1, shape.sectors(bytes));
        return load_global(memories, lanes, args, access, shape);
    }
    counters.count_accesses((true, true), 1, shape.conflicts(bytes, true));
    load_shared(memories, lanes, args, access, shape)
}

/// Stores to global or shared memory for the active lanes, at addresses of a known shape.
#[inline(always)]
pub fn store_shaped(
    memories: &mut Memories<'_>,
    lanes: &Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
    counters: &mut Counters,
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    if access.address.memory == Memory::Global {
        counters.count_accesses((false, false), 1, shape.sectors(bytes));
        return store_global(memories, lanes, args, access, shape);
    }
    counters.count_accesses((false, true), 1, shape.conflicts(bytes, false));
    store_shared(memories, lanes, args, access, shape)
}

/// Loads from global memory: row by row where the addresses form rows, lane by lane otherwise.
#[inline(never)]
fn load_global(
    memories: &mut Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
) -> Result<(), Denied> {
    let mut left = lanes.mask;
    for row in shape.rows() {
        if load_global_row(memories.global, lanes, args, access, row) {
            left &= !row.mask;
        }
    }
    if left == 0 { Ok(()) } else { load_global_lanes(memories.global, lanes, args, access, (shape, left)) }
}

/// Loads a row; `false`, and nothing done, where it does not lie in one piece.
#[inline(always)]
fn load_global_row(
    global: &mut Global,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    row: &Row,
) -> bool {
    let bytes = access.lane_bytes();
    let Some((start, length)) = row.range(bytes) else { return false };
    let Ok(place) = global.locate(start, length) else { return false };
    let Some(data) = read_row(global, row, place, (length as usize, bytes)) else { return false };
    row.load(lanes, args, access, data);
    true
}

/// The `length` bytes of a row of elements of `bytes` bytes, of which the kernel reads those that are its elements. `None`
/// where they do not lie in one piece.
#[inline(always)]
pub fn read_row<'g>(
    global: &'g mut Global,
    row: &Row,
    (region, offset): (usize, usize),
    (length, bytes): (usize, u64),
) -> Option<&'g [u8]> {
    if !global.is_fork() || row.is_dense(bytes) {
        return global.read(region, offset, length);
    }
    global.note(region, offset..offset + length, row.pieces(offset, bytes), false);
    global.peek(region, offset, length)
}

/// [`read_row`] of a row that the kernel writes.
#[inline(always)]
pub fn write_row<'g>(
    global: &'g mut Global,
    row: &Row,
    (region, offset): (usize, usize),
    (length, bytes): (usize, u64),
) -> Option<&'g mut [u8]> {
    if !global.is_fork() || row.is_dense(bytes) {
        return global.write(region, offset, length);
    }
    global.note(region, offset..offset + length, row.pieces(offset, bytes), true);
    global.poke(region, offset, length)
}

#[inline(never)]
fn load_global_lanes(
    global: &mut Global,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    (shape, mask): (&Shape<'_>, u32),
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    for lane in lanes_of(mask) {
        check_alignment(lane, shape.address(lane), access)?;
        let (region, offset) = global.locate(shape.address(lane), bytes).map_err(|miss| {
            denied(lane, shape.address(lane), bytes, access.address.memory, Why::Missed(miss))
        })?;
        let data = global.read(region, offset, bytes as usize).expect(TOGETHER);
        load_lane(lanes, args, access, lane, data);
    }
    Ok(())
}

/// Stores to global memory: row by row where no two lanes store to one byte, in the order of [`Memories::order`] otherwise.
#[inline(never)]
fn store_global(
    memories: &mut Memories<'_>,
    lanes: &Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
) -> Result<(), Denied> {
    let mut left = lanes.mask;
    if shape.is_disjoint(access.lane_bytes()) {
        for row in shape.rows() {
            if store_global_row(memories.global, lanes, args, access, row) {
                left &= !row.mask;
            }
        }
    }
    if left == 0 { Ok(()) } else { store_global_lanes(memories, lanes, args, access, (shape, left)) }
}

/// Stores a row: [`load_global_row`].
#[inline(always)]
fn store_global_row(global: &mut Global, lanes: &Lanes<'_>, args: &Args, access: &Access, row: &Row) -> bool {
    let bytes = access.lane_bytes();
    let Some((start, length)) = row.range(bytes) else { return false };
    let Ok(place) = global.locate_writable(start, length) else { return false };
    let Some(data) = write_row(global, row, place, (length as usize, bytes)) else { return false };
    row.store(lanes, args, access, data);
    true
}

#[inline(never)]
fn store_global_lanes(
    memories: &mut Memories<'_>,
    lanes: &Lanes<'_>,
    args: &Args,
    access: &Access,
    (shape, mask): (&Shape<'_>, u32),
) -> Result<(), Denied> {
    let bytes = access.lane_bytes();
    for lane in memories.order.lanes(mask) {
        let (region, offset) =
            check_writable(memories.global, lane, shape.address(lane), access).map_err(|first| {
                let check =
                    |lane| check_writable(memories.global, lane, shape.address(lane), access).map(drop);
                lowest_denied(first, mask, check)
            })?;
        let data = memories.global.write(region, offset, bytes as usize).expect(TOGETHER);
        store_lane(lanes, args, access, lane, data);
    }
    Ok(())
}

/// The bytes of a row in a memory that starts at zero.
#[inline(always)]
fn range_of(row: &Row, bytes: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let (start, length) = row.range(bytes)?;
    let end = start.checked_add(length).filter(|&end| end <= size as u64)?;
    Some(start as usize..end as usize)
}

#[inline(never)]
fn load_shared(
    memories: &Memories<'_>,
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
) -> Result<(), Denied> {
    let mut left = lanes.mask;
    for row in shape.rows() {
        if let Some(range) = range_of(row, access.lane_bytes(), memories.shared.len()) {
            row.load(lanes, args, access, &memories.shared[range]);
            left &= !row.mask;
        }
    }
    for lane in lanes_of(left) {
        let offset = check_flat(lane, shape.address(lane), access, memories.shared.len() as u64)?;
        load_lane(lanes, args, access, lane, &memories.shared[offset..]);
    }
    Ok(())
}

#[inline(never)]
fn store_shared(
    memories: &mut Memories<'_>,
    lanes: &Lanes<'_>,
    args: &Args,
    access: &Access,
    shape: &Shape<'_>,
) -> Result<(), Denied> {
    let (size, mut left) = (memories.shared.len(), lanes.mask);
    if shape.is_disjoint(access.lane_bytes()) {
        for row in shape.rows() {
            if let Some(range) = range_of(row, access.lane_bytes(), size) {
                row.store(lanes, args, access, &mut memories.shared[range]);
                left &= !row.mask;
            }
        }
    }
    if left == 0 {
        return Ok(());
    }
    for lane in memories.order.lanes(left) {
        let offset = check_flat(lane, shape.address(lane), access, size as u64).map_err(|first| {
            lowest_denied(first, left, |lane| {
                check_flat(lane, shape.address(lane), access, size as u64).map(drop)
            })
        })?;
        store_lane(lanes, args, access, lane, &mut memories.shared[offset..]);
    }
    Ok(())
}

#[inline(never)]
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

#[inline(never)]
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

#[inline(never)]
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
