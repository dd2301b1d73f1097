//! The fast path for lanes whose addresses have a constant stride, which is the common case. The race checker gets them
//! as a base, a stride and a mask, without a visit to each lane. Lanes for which that is not enough are left to
//! [`MemoryModel::access`].

use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::memory_view::{MemoryView, is_aligned};
use crate::checkers::races::shadow::layer::Row;
use crate::checkers::races::shadow::list::OpKind;
use crate::isa::op::memory::{Access, Memory};
use crate::machine::global::Window;
use crate::order::{ByteRange, Order};

/// The largest stride that is handled here, in bytes: much larger than any memory, and small enough that sums of 32 do
/// not overflow.
const MAX_STEP: u64 = 1 << 40;

/// A load or store by lanes whose addresses have a constant stride.
struct StridedAccess<'p, 'm> {
    memory: MemoryView<'m>,
    base: u64,
    stride: u64,
    mask: u32,
    access: &'p Access,
    is_shared: bool,
    kind: OpKind,
}

impl MemoryModel {
    /// Threads of a block are about to access neighbouring elements: those from `threads.0` to before `threads.1`, the first of
    /// them the one at `start`. Returns false if each warp has to be shown to [`MemoryModel::strided`].
    pub fn stretch(
        &mut self,
        memory: MemoryView<'_>,
        slot: usize,
        (start, threads): (u64, (usize, usize)),
        (access, kind): (&Access, OpKind),
    ) -> bool {
        let element = access.lane_bytes();
        let is_plain = access.order == Order::Weak && self.weak.is_none();
        if !is_plain || !is_aligned(element, 4) || !is_aligned(start, element) {
            return false;
        }
        self.slot = slot;
        let (bytes, is_shared) =
            (element * (threads.1 - threads.0) as u64, access.address.memory == Memory::Shared);
        let Some((space, offset)) = self.locate(memory, start, bytes, is_shared, kind) else { return false };
        let Some(clock) = self.clocks.team_clock(slot) else { return false };
        let access = self.attributes(access, kind);
        let Some(races) = &mut self.races else { return true };
        races.check_stretch(clock, (slot, space), access, (offset / 4, element / 4), threads)
    }

    /// The lanes of `mask` are about to load or store, lane `i` at `base + stride * i`. Returns the lanes that have to
    /// be shown to [`MemoryModel::access`], because the fast path cannot tell whether they race. The other lanes must
    /// not be shown again.
    #[inline]
    pub fn strided(
        &mut self,
        memory: MemoryView<'_>,
        (base, stride): (u64, u64),
        mask: u32,
        (access, kind): (&Access, OpKind),
    ) -> u32 {
        if access.order != Order::Weak || self.weak.is_some() || mask == 0 {
            return mask;
        }
        let strided = StridedAccess { memory, base, stride, mask, access, is_shared: false, kind };
        match access.address.memory {
            Memory::Global => self.check_strided(&strided),
            Memory::Shared => self.check_strided(&StridedAccess { is_shared: true, ..strided }),
            Memory::Generic if strided.is_inside(None) => self.check_strided(&strided),
            Memory::Generic if strided.is_inside(Some(Window::Shared)) => {
                let base = base.wrapping_sub(Window::Shared.base());
                self.check_strided(&StridedAccess { is_shared: true, base, ..strided })
            }
            Memory::Generic => mask,
            _ => 0,
        }
    }

    /// Words with a constant stride, or one word for all lanes. Returns the lanes for which the fast path cannot tell.
    #[inline]
    fn check_strided(&mut self, strided: &StridedAccess<'_, '_>) -> u32 {
        let (first, last) = strided.ends();
        let (bytes, step) = (strided.access.lane_bytes(), strided.stride as i64);
        let is_single = first == last;
        if !is_single && step == 0 {
            return if self.broadcast(strided) { 0 } else { strided.mask };
        }
        // With several words per lane the stride has to be positive, because a division tells which lane accesses a
        // word.
        let is_apart = step >= bytes as i64 || (step < 0 && bytes == 4);
        let is_row =
            is_single || (is_apart && strided.has_small_steps() && is_aligned(strided.stride, bytes));
        let start = strided.address(first);
        if !is_row || !is_aligned(bytes, 4) || !is_aligned(start, bytes) {
            return strided.mask;
        }
        let span = step * i64::from(last - first);
        let lowest = start.wrapping_add_signed(span.min(0));
        let Some((space, offset)) =
            self.locate(strided.memory, lowest, span.unsigned_abs() + bytes, strided.is_shared, strided.kind)
        else {
            return strided.mask;
        };
        let step = if is_single { bytes as i64 } else { step };
        let first = offset as i64 - span.min(0) - step * i64::from(first);
        let row = Row { first: first >> 2, step: step >> 2, width: bytes as u32 / 4, mask: strided.mask };
        let access = self.attributes(strided.access, strided.kind);
        let warp_clock = self.clocks.warp_clock(self.slot, self.warp);
        let Some(races) = &mut self.races else { return 0 };
        races.check_row(&warp_clock, self.slot, access, space, row)
    }

    /// A load of the same bytes by several lanes. Returns whether the fast path could tell that it does not race.
    fn broadcast(&mut self, strided: &StridedAccess<'_, '_>) -> bool {
        let bytes = strided.access.lane_bytes();
        if strided.kind != OpKind::Load || !is_aligned(strided.base, bytes) {
            return false;
        }
        let Some((space, offset)) =
            self.locate(strided.memory, strided.base, bytes, strided.is_shared, strided.kind)
        else {
            return false;
        };
        let range = ByteRange { space, offset, bytes: bytes as u8 };
        let warp_clock = self.clocks.warp_clock(self.slot, self.warp);
        let access = self.attributes(strided.access, strided.kind);
        let Some(races) = &mut self.races else { return true };
        races.check_broadcast(&warp_clock, self.slot, access, range, strided.mask)
    }
}

impl StridedAccess<'_, '_> {
    /// The first and the last active lane.
    #[inline]
    fn ends(&self) -> (u32, u32) {
        (self.mask.trailing_zeros() % 32, 31 - self.mask.leading_zeros() % 32)
    }

    /// The address of a lane.
    #[inline]
    fn address(&self, lane: u32) -> u64 {
        self.base.wrapping_add(self.stride.wrapping_mul(lane.into()))
    }

    /// Whether all generic addresses are in one window; `None` is global memory. If the first and the last lane are in
    /// it, so are all in between.
    fn is_inside(&self, window: Option<Window>) -> bool {
        let (first, last) = self.ends();
        let is_there = |lane| Window::of(self.address(lane)) == window;
        self.has_small_steps() && is_there(first) && is_there(last)
    }

    /// Whether the stride is so small that no sum of 32 overflows.
    #[inline]
    fn has_small_steps(&self) -> bool {
        (self.stride as i64).unsigned_abs() < MAX_STEP
    }
}
