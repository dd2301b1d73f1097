//! What the checker of races is shown of an access: memory as it was before, and how the lanes lie.

use crate::access::lane_order::LaneOrder;
use crate::machine::global::Global;
use crate::machine::registers::{FULL_MASK, WARP_SIZE, Wide, lanes_of};
use crate::order::history;
use crate::order::view::View;
use crate::order::{Place, Space};

/// Memory as the checker needs it: to compare, never to change.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'m> {
    /// Global memory.
    pub global: &'m Global,
    /// The block's shared memory.
    pub shared: &'m [u8],
    /// In which order lanes are going to be carried out.
    pub order: LaneOrder,
}

impl Seen<'_> {
    /// The bytes of a place.
    pub fn bytes(&self, place: Place) -> Option<&[u8]> {
        let (offset, bytes) = (place.offset as usize, usize::from(place.bytes));
        match place.space {
            Space::Shared(_) => self.shared.get(offset..offset + bytes),
            Space::Global(region) => self.global.peek(region as usize, offset, bytes),
        }
    }

    /// The piece of memory around a place, as far as there is memory.
    pub fn piece(&self, place: Place) -> [u8; 8] {
        let start = history::piece_start(place.offset);
        let byte = |index: u64| {
            self.bytes(Place { offset: start + index, bytes: 1, ..place }).map_or(0, |byte| byte[0])
        };
        std::array::from_fn(|index| byte(index as u64))
    }
}

/// Whether an address is a multiple of all that a lane accesses, which is a power of two: without a division, which takes
/// longer than all the rest.
#[inline]
pub fn is_aligned(address: u64, bytes: u64) -> bool {
    address & (bytes - 1) == 0
}
/// The address of lane 0, active or not, and the step from a lane to the next, if the lanes of a mask lie in equal steps.
#[inline]
pub fn steps(at: &Wide, mask: u32) -> Option<(u64, u64)> {
    let first = mask.trailing_zeros() as usize % WARP_SIZE;
    let others = mask & mask.wrapping_sub(1);
    if others == 0 {
        return Some((at[first], 0));
    }
    let second = others.trailing_zeros() as usize % WARP_SIZE;
    let (lanes, bytes) = ((second - first) as i64, at[second].wrapping_sub(at[first]) as i64);
    // The common ones need no division.
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
/// What is known of a strong access from when it was issued.
#[derive(Debug)]
pub struct Issued {
    /// What its lane knew to be sealed.
    pub sealed: Option<View>,
    /// Whether a race with it has been told.
    pub is_told: bool,
}
