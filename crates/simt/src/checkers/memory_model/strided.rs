//! The fast path for lanes whose addresses have a constant stride, which is the common case. The race checker gets them
//! as a base, a stride and a mask, without a visit to each lane. Lanes for which that is not enough are left to
//! [`MemoryModel::access`].

use std::ops::Range;

use crate::access;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::memory_view::{MemoryView, is_aligned};
use crate::checkers::races::shadow::layer::Row;
use crate::checkers::races::shadow::list::OpKind;
use crate::checkers::races::shadow::stretch::Stretch;
use crate::isa::op::memory::{Access, Memory};
use crate::machine::global::Window;
use crate::order::{ByteRange, Order};

impl MemoryModel {
    /// Threads of a block are about to access neighbouring elements: the first of `threads`
    /// the one at `start`. Returns false if each warp has to be shown to [`MemoryModel::strided`].
    pub fn stretch(
        &mut self,
        memory: MemoryView<'_>,
        slot: usize,
        start: u64,
        threads: Range<usize>,
        access: &Access,
        kind: OpKind,
    ) -> bool {
        let element = access.lane_bytes();
        let is_plain = access.order == Order::Weak && self.weak.is_none();
        if !is_plain || !is_aligned(element, 4) || !is_aligned(start, element) {
            return false;
        }
        (self.slot, self.owner) = (slot, self.clocks.block(slot));
        let (bytes, is_shared) = (element * threads.len() as u64, access.address.memory == Memory::Shared);
        let Some((space, offset)) = self.locate(memory, start, bytes, is_shared, kind) else { return false };
        let Some(clock) = self.clocks.team_clock(slot) else { return false };
        let access = self.attributes(access, kind);
        let Some(races) = &mut self.races else { return true };
        let (first, width) = (offset / 4, element / 4);
        let new = Stretch::new(clock, access.flags(), kind == OpKind::Store, first, width, threads);
        races.check_stretch(clock, slot, space, new)
    }

    /// The lanes of a row are about to load or store. Returns the lanes that have to be shown to [`MemoryModel::access`],
    /// because the fast path cannot tell whether they race. The other lanes must not be shown again.
    #[inline]
    pub fn strided(
        &mut self,
        memory: MemoryView<'_>,
        row: &access::row::Row,
        access: &Access,
        kind: OpKind,
    ) -> u32 {
        let (mask, bytes) = (row.mask, access.lane_bytes());
        if !matches!(access.address.memory, Memory::Global | Memory::Shared | Memory::Generic) {
            return 0;
        }
        if access.order != Order::Weak || self.weak.is_some() {
            return mask;
        }
        let Some((low, length)) = row.range(bytes) else { return mask };
        let Some((is_shared, start)) = resolve(access.address.memory, low, length, bytes) else {
            return mask;
        };
        let (lane_0, step) = row.line();
        let (step, is_single) = (step as i64, mask.is_power_of_two());
        let is_broadcast = step == 0 && !is_single;
        // With several words per lane the stride has to be positive, because a division tells which lane accesses a
        // word.
        let is_apart = is_single || (!row.overlaps(bytes) && (step > 0 || bytes == 4));
        if !is_broadcast && (!is_apart || !is_aligned(bytes, 4)) {
            return mask;
        }
        let Some((space, offset)) = self.locate(memory, start, length, is_shared, kind) else {
            return mask;
        };
        let access = self.attributes(access, kind);
        let warp_clock = self.clocks.warp_clock(self.slot, self.warp);
        let Some(races) = &mut self.races else { return 0 };
        if is_broadcast {
            let range = ByteRange { space, offset, bytes: bytes as u8 };
            let is_done = races.check_broadcast(&warp_clock, self.slot, access, range, mask);
            return if is_done { 0 } else { mask };
        }
        // A single lane has no stride, so that of neighbouring elements is as good as any.
        let (before, step) = if is_single {
            (bytes as i64 * i64::from(mask.trailing_zeros()), bytes as i64)
        } else {
            (low.wrapping_sub(lane_0) as i64, step)
        };
        let first = (offset as i64 - before) >> 2;
        let row = Row { first, step: step >> 2, width: bytes as u32 / 4, mask };
        races.check_row(&warp_clock, self.slot, access, space, row)
    }
}

/// Whether elements are in shared memory, and the address there or in global memory of the first byte; `None` if they are
/// in neither of the two. If the lowest and the highest element are in a window, so are all in between.
#[inline]
fn resolve(memory: Memory, start: u64, length: u64, bytes: u64) -> Option<(bool, u64)> {
    if memory != Memory::Generic {
        return Some((memory == Memory::Shared, start));
    }
    let window = Window::of(start);
    match window {
        _ if Window::of(start + (length - bytes)) != window => None,
        None => Some((false, start)),
        Some(Window::Shared) => Some((true, start - Window::Shared.base())),
        Some(_) => None,
    }
}
