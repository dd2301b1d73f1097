//! The addresses of an instruction, lane by lane, and the reasons for which memory may deny an access.

use std::borrow::Borrow;

use crate::isa::op::mbarrier::Misuse;
use crate::isa::op::memory::{Access, Address, Base, Memory};
use crate::isa::op::tensor_copy::{BadCoordinate, BadMap};
use crate::machine::divergence::Frame;
use crate::machine::global::{Global, Miss};
use crate::machine::registers::{Lanes, Narrow, Registers, Slot, WARP_SIZE, Wide, lanes_of};

/// Whether an address is a multiple of the size of what is accessed there, a power of two. Nothing is divided.
#[inline(always)]
pub fn is_aligned(address: u64, bytes: u64) -> bool {
    debug_assert!(bytes.is_power_of_two(), "no access has {bytes} bytes");
    address & (bytes - 1) == 0
}

/// The addresses of all lanes. Those of inactive lanes have no meaning.
#[inline(always)]
pub fn addresses(lanes: &Lanes<'_>, address: &Address, slot: Slot, frame: &Frame) -> Wide {
    let slot = slot as usize;
    from_base(address, frame.local, || &lanes.wide[slot], || &lanes.narrow[slot])
}

/// [`addresses`] from the registers of a warp of a block, whether they have been written out or not. The base is in register
/// `slot` of its bank, and the frame at `local` in local memory.
pub fn addresses_of(registers: &Registers, warp: usize, address: &Address, slot: usize, local: u64) -> Wide {
    from_base(address, local, || registers.wide.get(slot, warp), || registers.narrow.get(slot, warp))
}

/// The addresses from the register that `wide` or `narrow` gets, or from the frame at `local` in local memory.
#[inline(always)]
fn from_base<W: Borrow<Wide>, N: Borrow<Narrow>>(
    address: &Address,
    local: u64,
    wide: impl FnOnce() -> W,
    narrow: impl FnOnce() -> N,
) -> Wide {
    let mut at = [address.offset as u64; WARP_SIZE];
    // Loops, because `std::array::from_fn` would be a call here, and its result would be copied.
    match address.base {
        Base::Wide => {
            for (at, base) in at.iter_mut().zip(wide().borrow()) {
                *at = at.wrapping_add(*base);
            }
        }
        Base::Narrow => {
            for (at, base) in at.iter_mut().zip(narrow().borrow()) {
                *at = u64::from(base.wrapping_add(*at as u32));
            }
        }
        Base::Absolute => {}
        Base::Frame => at = [at[0].wrapping_add(local); WARP_SIZE],
    }
    at
}

/// Why the bytes of one lane are always contiguous.
pub const TOGETHER: &str = "an aligned element lies in one piece";

/// An access that memory does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The lane.
    pub lane: usize,
    /// The address, in the space in which it was used.
    pub address: u64,
    /// The size of the access in bytes.
    pub bytes: u64,
    /// The memory.
    pub memory: Memory,
    /// The reason.
    pub why: Why,
    /// The block whose shared memory it is, where that is another one.
    pub owner: Option<u64>,
}

/// Why memory denies an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is nothing at this address in global memory.
    Missed(Miss),
    /// The access is outside a memory of this size: shared, local or parameter memory.
    PastEnd(u64),
    /// The address is not a multiple of the access's size.
    Misaligned,
    /// The size of a bulk copy is not a multiple of 16 bytes.
    BulkSize,
    /// The address of a box in shared memory is not a multiple of 128 bytes.
    BoxMisaligned,
    /// A copy or a store to the shared memory of a cluster, in a launch without clusters.
    NoCluster,
    /// A box may not begin at this coordinate.
    Coordinate(BadCoordinate),
    /// The tensor map of a copy, at this address, cannot be used.
    TensorMap(BadMap),
    /// Constant memory and parameters cannot be written.
    ReadOnly,
    /// Atomics work only on global and shared memory.
    NoAtomics,
    /// The address is not in shared memory, where rows of matrices must be.
    NotShared,
    /// The address names a block by this rank, which the cluster does not have.
    NoRank(u64),
    /// The bytes are an mbarrier object or part of one, and this use is undefined.
    Mbarrier(Misuse),
}

pub fn denied(lane: usize, address: u64, bytes: u64, memory: Memory, why: Why) -> Denied {
    Denied { lane, address, bytes, memory, why, owner: None }
}

/// The denial of the lowest lane of `mask` that `check` denies. Lanes store in an order that depends on the seed, so
/// the first denial would be of a random lane.
#[cold]
pub fn lowest_denied(denied: Denied, mask: u32, check: impl FnMut(usize) -> Result<(), Denied>) -> Denied {
    lanes_of(mask).map(check).find_map(Result::err).unwrap_or(denied)
}

#[inline(always)]
pub fn check_writable(
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
pub fn check_alignment(lane: usize, address: u64, access: &Access) -> Result<(), Denied> {
    if is_aligned(address, access.lane_bytes()) {
        return Ok(());
    }
    Err(denied(lane, address, access.lane_bytes(), access.address.memory, Why::Misaligned))
}

/// The offset of an access in a memory of `size` bytes that starts at address zero.
#[inline(always)]
pub fn check_flat(lane: usize, address: u64, access: &Access, size: u64) -> Result<usize, Denied> {
    check_alignment(lane, address, access)?;
    let bytes = access.lane_bytes();
    if address.checked_add(bytes).is_some_and(|end| end <= size) {
        return Ok(address as usize);
    }
    Err(denied(lane, address, bytes, access.address.memory, Why::PastEnd(size)))
}
