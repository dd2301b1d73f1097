//! What the checkers of memory accesses see: the memory as it was before the instruction.

use crate::access::lane_order::LaneOrder;
use crate::machine::global::Global;
use crate::order::store_history;
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
