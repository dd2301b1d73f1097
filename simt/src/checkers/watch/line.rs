//! Lanes that load or store in equal steps, which most do: shown to the checker of races as two numbers and a mask, so that
//! nothing is asked of each lane. What cannot be told at a glance is left to [`Watch::access`], which is shown every lane.

use crate::checkers::races::shadow::Kind;
use crate::checkers::races::shadow::layer::Row;
use crate::checkers::watch::Watch;
use crate::checkers::watch::seen::{Seen, is_aligned};
use crate::isa::op::memory::{Access, Memory};
use crate::machine::global::Window;
use crate::order::{Order, Place};

/// Steps between lanes that are looked at together, in bytes: far beyond what is inside of any memory, and far from where
/// sums of a few would overflow.
const MAX_STEP: u64 = 1 << 40;

/// An access of a load or store by lanes in equal steps.
struct Line<'p, 'm> {
    seen: Seen<'m>,
    base: u64,
    stride: u64,
    mask: u32,
    access: &'p Access,
    is_shared: bool,
    kind: Kind,
}

impl Watch {
    /// Lanes of `mask` are about to load or store, lane `i` at `base + stride * i`. Returns the lanes for which it cannot be
    /// told at a glance that all is in order: these have to be shown with [`Watch::access`], the others must not.
    #[inline]
    pub fn line(
        &mut self,
        seen: Seen<'_>,
        (base, stride): (u64, u64),
        mask: u32,
        (access, kind): (&Access, Kind),
    ) -> u32 {
        if access.order != Order::Weak || self.weak.is_some() || mask == 0 {
            return mask;
        }
        let line = Line { seen, base, stride, mask, access, is_shared: false, kind };
        match access.address.memory {
            Memory::Global => self.at_a_glance(&line),
            Memory::Shared => self.at_a_glance(&Line { is_shared: true, ..line }),
            Memory::Generic if line.is_inside(None) => self.at_a_glance(&line),
            Memory::Generic if line.is_inside(Some(Window::Shared)) => {
                let base = base.wrapping_sub(Window::Shared.base());
                self.at_a_glance(&Line { is_shared: true, base, ..line })
            }
            Memory::Generic => mask,
            _ => 0,
        }
    }

    /// Words in equal steps, or one for all. Returns the lanes for which it cannot be told at a glance that all is in order.
    #[inline]
    fn at_a_glance(&mut self, part: &Line<'_, '_>) -> u32 {
        let (first, last) = part.ends();
        let (bytes, step) = (part.access.lane_bytes(), part.stride as i64);
        let is_single = first == last;
        if !is_single && step == 0 {
            return if self.broadcast(part) { 0 } else { part.mask };
        }
        // Of several words a lane, the steps have to go upwards: who accesses a word is told by a division.
        let is_apart = step >= bytes as i64 || (step < 0 && bytes == 4);
        let is_row = is_single || (is_apart && part.has_small_steps() && is_aligned(part.stride, bytes));
        let start = part.address(first);
        if !is_row || !is_aligned(bytes, 4) || !is_aligned(start, bytes) {
            return part.mask;
        }
        let span = step * i64::from(last - first);
        let lowest = start.wrapping_add_signed(span.min(0));
        let Some((space, offset)) =
            self.place(part.seen, lowest, span.unsigned_abs() + bytes, part.is_shared, part.kind)
        else {
            return part.mask;
        };
        let step = if is_single { bytes as i64 } else { step };
        let first = offset as i64 - span.min(0) - step * i64::from(first);
        let row = Row { first: first >> 2, step: step >> 2, width: bytes as u32 / 4, mask: part.mask };
        let access = self.whole(part.access, part.kind);
        let here = self.clocks.here(self.slot, self.warp);
        let Some(races) = &mut self.races else { return 0 };
        races.row(&here, self.slot, access, space, row)
    }

    /// A load of the same bytes by several lanes: whether it could be told at a glance that all is in order.
    fn broadcast(&mut self, part: &Line<'_, '_>) -> bool {
        let bytes = part.access.lane_bytes();
        if part.kind != Kind::Load || !is_aligned(part.base, bytes) {
            return false;
        }
        let Some((space, offset)) = self.place(part.seen, part.base, bytes, part.is_shared, part.kind) else {
            return false;
        };
        let place = Place { space, offset, bytes: bytes as u8 };
        let here = self.clocks.here(self.slot, self.warp);
        let access = self.whole(part.access, part.kind);
        let Some(races) = &mut self.races else { return true };
        races.broadcast(&here, self.slot, access, place, part.mask)
    }
}

impl Line<'_, '_> {
    /// The first lane and the last one.
    #[inline]
    fn ends(&self) -> (u32, u32) {
        (self.mask.trailing_zeros() % 32, 31 - self.mask.leading_zeros() % 32)
    }

    /// The address of a lane.
    #[inline]
    fn address(&self, lane: u32) -> u64 {
        self.base.wrapping_add(self.stride.wrapping_mul(lane.into()))
    }

    /// Whether all generic addresses are in a window; `None` for global memory. Where the first lane and the last one are,
    /// all between them are.
    fn is_inside(&self, window: Option<Window>) -> bool {
        let (first, last) = self.ends();
        let is_there = |lane| Window::of(self.address(lane)) == window;
        self.has_small_steps() && is_there(first) && is_there(last)
    }

    /// Whether the steps are so small that no sum of 32 overflows.
    #[inline]
    fn has_small_steps(&self) -> bool {
        (self.stride as i64).unsigned_abs() < MAX_STEP
    }
}
