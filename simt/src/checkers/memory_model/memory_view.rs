//! What the checkers of memory accesses see: the memory as it was before the instruction, and how the addresses of the
//! lanes are arranged.

use crate::access::lane_order::LaneOrder;
use crate::machine::global::Global;
use crate::machine::registers::{FULL_MASK, WARP_SIZE, Wide, lanes_of};
use crate::order::store_history;
use crate::order::vector_clock::VectorClock;
use crate::order::{ByteRange, Space};

/// A view of memory for comparing values. It cannot change anything.
#[derive(Clone, Copy, Debug)]
pub struct MemoryView<'m> {
    /// Global memory.
    pub global: &'m Global,
    /// The shared memory of the block.
    pub shared: &'m [u8],
    /// The order in which the lanes of the instruction take effect.
    pub order: LaneOrder,
}

impl MemoryView<'_> {
    /// The contents of a range.
    pub fn bytes(&self, range: ByteRange) -> Option<&[u8]> {
        let (offset, bytes) = (range.offset as usize, usize::from(range.bytes));
        match range.space {
            Space::Shared(_) => self.shared.get(offset..offset + bytes),
            Space::Global(region) => self.global.peek(region as usize, offset, bytes),
        }
    }

    /// The contents of the granule around a range. Bytes outside of memory are 0.
    pub fn granule(&self, range: ByteRange) -> [u8; 8] {
        let start = store_history::granule_start(range.offset);
        let byte = |index: u64| {
            self.bytes(ByteRange { offset: start + index, bytes: 1, ..range }).map_or(0, |byte| byte[0])
        };
        std::array::from_fn(|index| byte(index as u64))
    }
}

/// Whether an address is a multiple of `bytes`, which is a power of two. A division would take longer than everything
/// around it.
#[inline]
pub fn is_aligned(address: u64, bytes: u64) -> bool {
    address & (bytes - 1) == 0
}
/// If the addresses of the lanes in `mask` have equal distances: the address of lane 0, whether it is active or not,
/// and the distance from one lane to the next.
#[inline]
pub fn base_and_stride(at: &Wide, mask: u32) -> Option<(u64, u64)> {
    let first = mask.trailing_zeros() as usize % WARP_SIZE;
    let others = mask & mask.wrapping_sub(1);
    if others == 0 {
        return Some((at[first], 0));
    }
    let second = others.trailing_zeros() as usize % WARP_SIZE;
    let (lanes, bytes) = ((second - first) as i64, at[second].wrapping_sub(at[first]) as i64);
    // Neighbouring lanes, the common case, need no division.
    let stride = if lanes == 1 { bytes } else { bytes / lanes } as u64;
    let base = at[first].wrapping_sub(stride.wrapping_mul(first as u64));
    let is_there = |lane: usize| at[lane] == base.wrapping_add(stride.wrapping_mul(lane as u64));
    let all = if mask == FULL_MASK {
        (0..WARP_SIZE).fold(true, |all, lane| all & is_there(lane))
    } else {
        lanes_of(mask).all(is_there)
    };
    all.then_some((base, stride))
}
/// What was known about a strong access when it was issued.
#[derive(Debug)]
pub struct Issued {
    /// What happened before a `fence.sc` that was ordered before the access ([`Clocks::fenced`]).
    ///
    /// [`Clocks::fenced`]: crate::order::clocks::Clocks::fenced
    pub fenced: Option<VectorClock>,
    /// Whether a race with it has already been reported.
    pub is_reported: bool,
}
