//! Loads and stores: addresses to bytes, for all lanes of an instruction at once.
//!
//! The common case, lanes that touch neighbouring elements of one allocation, is a copy. Everything else goes
//! lane by lane, with the same result. Which of several lanes that store to one address wins is decided by
//! [`Memories::order`], which is drawn from the seed, never by lane order.

use super::follow::Follow;
use super::generic::{load_generic, store_generic};
use super::watch::Watch;
use crate::isa::mbarrier::Misuse;
use crate::isa::memory::{Access, Address, Base, Memory};
use crate::isa::value::Args;
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Miss};
use crate::machine::local::Local;
use crate::machine::mbarriers::Mbarriers;
use crate::machine::registers::lanes_of;
use crate::machine::registers::{FULL_MASK, Lanes, Slot, WARP_SIZE, Wide};
use crate::machine::written::Written;
use crate::observe::counters::Counters;
use crate::observe::initialisation::Initialisation;
use crate::observe::traffic;

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
    pub order: Order,
    /// The mbarriers in the block's shared memory, for the way on which kernels run that use them.
    pub mbarriers: Option<&'m mut Mbarriers>,
    /// Who watches for reads of what nobody has written, if anybody does, and what of shared memory has been.
    pub initialisation: Option<(&'m mut Initialisation, &'m mut Written)>,
    /// Who watches, if anybody does.
    pub watch: Option<&'m mut Watch>,
    /// Who follows a byte, if anybody does.
    pub follow: Option<&'m mut Follow>,
    /// Whether there is any of these three: the inner loop asks once.
    pub is_seen: bool,
}

/// The order in which the lanes of a store reach memory: from some lane on, round the warp. Which lane that is follows
/// from the seed, the block, the warp and how many instructions the warp has issued, and from nothing that other blocks
/// do: it is the same whoever runs beside.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    base: u64,
    /// Instructions that the warp has issued before this one.
    pub step: u64,
}

impl Order {
    /// The order of a warp's stores, `step` instructions after its start.
    pub fn new(seed: u64, block: u64, warp: u32, step: u64) -> Order {
        Order { base: mixed(mixed(seed) ^ block << 8 ^ u64::from(warp)), step }
    }

    /// The lanes of `mask`, starting somewhere.
    pub(super) fn lanes(&self, mask: u32) -> impl Iterator<Item = usize> + use<> {
        let first = (mixed(self.base.wrapping_add(self.step)) >> 59) as u32;
        let rotated = mask.rotate_right(first);
        lanes_of(rotated).map(move |lane| (lane + first as usize) % WARP_SIZE)
    }
}

/// Makes of near numbers ones that have nothing to do with each other.
pub(super) fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Why the bytes of one lane can always be had at once.
pub(super) const TOGETHER: &str = "an aligned element lies in one piece";

/// An access that memory does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The lane.
    pub lane: usize,
    /// The address, in the space it was used in.
    pub address: u64,
    /// Bytes it wanted.
    pub bytes: u64,
    /// The memory.
    pub memory: Memory,
    /// Why not.
    pub why: Why,
}

/// Why an access is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Global memory has nothing there.
    Missed(Miss),
    /// Past the end of a memory of this size: shared, local or parameter memory.
    PastEnd(u64),
    /// No multiple of the access's size.
    Misaligned,
    /// Constant memory and parameters cannot be written.
    ReadOnly,
    /// Atomics work on global and shared memory only.
    NoAtomics,
    /// An mbarrier, or bytes of one, and this is undefined.
    Mbarrier(Misuse),
}

/// The addresses of all lanes; those of inactive ones mean nothing.
#[inline(always)]
pub fn addresses(lanes: &Lanes<'_>, address: &Address, slot: Slot, frame: &Frame) -> Wide {
    let mut at = [address.offset as u64; WARP_SIZE];
    // Loops, because `std::array::from_fn` is a call here, and its result is copied.
    match address.base {
        Base::Wide => {
            for (at, base) in at.iter_mut().zip(&lanes.wide[slot as usize]) {
                *at = at.wrapping_add(*base);
            }
        }
        Base::Narrow => {
            for (at, base) in at.iter_mut().zip(&lanes.narrow[slot as usize]) {
                *at = u64::from(base.wrapping_add(*at as u32));
            }
        }
        Base::Absolute => {}
        Base::Frame => at = [at[0].wrapping_add(frame.local); WARP_SIZE],
    }
    at
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

fn first_denied(mask: u32, at: &Wide, access: &Access, why: Why) -> Denied {
    let lane = mask.trailing_zeros() as usize % WARP_SIZE;
    denied(lane, at[lane], access.lane_bytes(), access.address.memory, why)
}

pub(super) fn denied(lane: usize, address: u64, bytes: u64, memory: Memory, why: Why) -> Denied {
    Denied { lane, address, bytes, memory, why }
}

/// The denial of the lowest lane of `mask` that `check` denies. Lanes store in seeded order, and the first to be denied
/// would be told by chance.
#[cold]
pub(super) fn lowest_denied(
    denied: Denied,
    mask: u32,
    check: impl FnMut(usize) -> Result<(), Denied>,
) -> Denied {
    lanes_of(mask).map(check).find_map(Result::err).unwrap_or(denied)
}

/// How many lanes, from lane 0 on, touch neighbouring elements of `bytes` bytes; `None` where some do not.
#[inline(always)]
pub(super) fn neighbours(at: &Wide, mask: u32, bytes: u64) -> Option<usize> {
    let first = at[0];
    if mask == FULL_MASK {
        let mut same = true;
        for (lane, &address) in at.iter().enumerate() {
            same &= address == first.wrapping_add(lane as u64 * bytes);
        }
        return same.then_some(WARP_SIZE);
    }
    let count = mask.trailing_ones() as usize;
    let alone = mask != 0 && mask & mask.wrapping_add(1) == 0;
    (alone && (0..count).all(|lane| at[lane] == first.wrapping_add(lane as u64 * bytes))).then_some(count)
}

/// The sectors that an access touches; neighbours touch all from the first to the last.
#[inline(always)]
fn sectors(at: &Wide, mask: u32, access: &Access, row: Option<usize>) -> u64 {
    match row {
        Some(count) => traffic::sectors_of_range(at[0], access.lane_bytes() * count as u64),
        None => traffic::sectors(at, mask),
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

/// Loads one element for each lane from lane 0 on, neighbours in memory.
#[inline(always)]
fn load_row(lanes: &mut Lanes<'_>, args: &Args, access: &Access, data: &[u8]) {
    match (access.bytes, access.register_bits) {
        (4, 32) => {
            let column = &mut lanes.narrow[args.d as usize];
            for (value, bytes) in column.iter_mut().zip(data.as_chunks::<4>().0) {
                *value = u32::from_le_bytes(*bytes);
            }
        }
        (8, _) => {
            let column = &mut lanes.wide[args.d as usize];
            for (value, bytes) in column.iter_mut().zip(data.as_chunks::<8>().0) {
                *value = u64::from_le_bytes(*bytes);
            }
        }
        (bytes, _) => {
            for (lane, element) in data.chunks_exact(bytes as usize).enumerate() {
                load_lane(lanes, args, access, lane, element);
            }
        }
    }
}

/// Loads the values of one lane from the start of `data`.
#[inline(always)]
pub(super) fn load_lane(lanes: &mut Lanes<'_>, args: &Args, access: &Access, lane: usize, data: &[u8]) {
    let width = access.bytes as usize;
    for (slot, element) in values(args).into_iter().zip(data.chunks_exact(width)).take(access.count as usize)
    {
        let value = extend(element, access);
        match access.register_bits {
            64 => lanes.wide[slot as usize][lane] = value,
            _ => lanes.narrow[slot as usize][lane] = value as u32,
        }
    }
}

/// Gives a lane another value for an element than the one that it loaded.
pub(super) fn set_element(
    lanes: &mut Lanes<'_>,
    args: &Args,
    access: &Access,
    (lane, element): (usize, usize),
    bytes: [u8; 8],
) {
    let single = Access { count: 1, ..*access };
    let args = Args { d: values(args)[element], ..*args };
    load_lane(lanes, &args, &single, lane, &bytes[..usize::from(access.bytes)]);
}

/// The columns of an access's values.
fn values(args: &Args) -> [Slot; 4] {
    [args.d, args.q, args.b, args.c]
}

/// An element as its register holds it: extended with zeros, or with its sign to the register's width.
#[inline(always)]
pub(super) fn extend(element: &[u8], access: &Access) -> u64 {
    let value = read_le(element);
    let width = u32::from(access.bytes) * 8;
    if !access.signed || width >= u32::from(access.register_bits) {
        return value;
    }
    let shift = 64 - width;
    let extended = ((value << shift) as i64 >> shift) as u64;
    extended & (u64::MAX >> (64 - u32::from(access.register_bits)))
}

#[inline(always)]
pub(super) fn read_le(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => unreachable!("elements have 1, 2, 4 or 8 bytes"),
    }
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

#[inline(always)]
pub(super) fn check_writable(
    global: &Global,
    lane: usize,
    address: u64,
    access: &Access,
) -> Result<(usize, usize), Denied> {
    check_alignment(lane, address, access)?;
    let bytes = access.lane_bytes();
    let deny = |miss| denied(lane, address, bytes, access.address.memory, Why::Missed(miss));
    global.locate_writable(address, bytes).map_err(deny)
}

#[inline(always)]
fn store_row(lanes: &Lanes<'_>, args: &Args, access: &Access, data: &mut [u8]) {
    match (access.bytes, access.register_bits) {
        (4, 32) => {
            let column = &lanes.narrow[args.d as usize];
            for (value, bytes) in column.iter().zip(data.as_chunks_mut::<4>().0) {
                *bytes = value.to_le_bytes();
            }
        }
        (8, _) => {
            let column = &lanes.wide[args.d as usize];
            for (value, bytes) in column.iter().zip(data.as_chunks_mut::<8>().0) {
                *bytes = value.to_le_bytes();
            }
        }
        (bytes, _) => {
            for (lane, element) in data.chunks_exact_mut(bytes as usize).enumerate() {
                store_lane(lanes, args, access, lane, element);
            }
        }
    }
}

#[inline(always)]
pub(super) fn store_lane(lanes: &Lanes<'_>, args: &Args, access: &Access, lane: usize, data: &mut [u8]) {
    let width = access.bytes as usize;
    let elements = data.chunks_exact_mut(width).take(access.count as usize);
    for (slot, element) in values(args).into_iter().zip(elements) {
        let value = match access.register_bits {
            64 => lanes.wide[slot as usize][lane],
            _ => u64::from(lanes.narrow[slot as usize][lane]),
        };
        element.copy_from_slice(&value.to_le_bytes()[..width]);
    }
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

#[inline(always)]
fn check_alignment(lane: usize, address: u64, access: &Access) -> Result<(), Denied> {
    if address.is_multiple_of(access.lane_bytes()) {
        return Ok(());
    }
    Err(denied(lane, address, access.lane_bytes(), access.address.memory, Why::Misaligned))
}

/// The offset of an access in a memory of `size` bytes that starts at zero.
#[inline(always)]
fn check_flat(lane: usize, address: u64, access: &Access, size: u64) -> Result<usize, Denied> {
    check_alignment(lane, address, access)?;
    let bytes = access.lane_bytes();
    if address.checked_add(bytes).is_some_and(|end| end <= size) {
        return Ok(address as usize);
    }
    Err(denied(lane, address, bytes, access.address.memory, Why::PastEnd(size)))
}
