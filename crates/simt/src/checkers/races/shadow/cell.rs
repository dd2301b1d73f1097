//! A cell of shadow memory: one access of some lanes of a warp.

use crate::machine::registers::WARP_SIZE;
use crate::order::clocks::{TeamClock, WarpClock};
use crate::order::{Epoch, Thread};

/// Bytes in a page.
pub const PAGE_BYTES: u64 = 4096;
/// Marks a cell that refers to a list.
const LIST: u32 = u32::MAX;
const WARP_SHIFT: u32 = 27;
/// Marks a load that promises that no thread writes these bytes (`ld.global.nc`).
pub const READ_ONLY: u32 = 1 << 26;
const PC: u32 = READ_ONLY - 1;

/// An access: block, warp, lanes, clock and instruction. The default is no access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The number of the block, or of the list if the cell refers to one.
    pub block: u32,
    /// The clock of the warp.
    pub clock: u32,
    /// The warp, whether it was a read-only load, and the instruction.
    origin: u32,
    /// The lanes; 0 if there is no access.
    pub mask: u32,
}

impl Cell {
    /// An access of some lanes of a warp.
    #[inline(always)]
    pub fn new(warp_clock: &WarpClock<'_>, mask: u32, pc_and_flags: u32) -> Cell {
        Cell {
            block: warp_clock.block,
            clock: warp_clock.clock,
            origin: warp_clock.warp << WARP_SHIFT | pc_and_flags,
            mask,
        }
    }

    /// An access of a whole block, to which warps and lanes are added later.
    pub fn of_block(clock: TeamClock, flags: u32) -> Cell {
        Cell { block: clock.block, clock: clock.clock, origin: flags, mask: 0 }
    }

    /// A cell that refers to a list.
    pub fn list(number: usize) -> Cell {
        Cell { block: number as u32, clock: 0, origin: LIST, mask: 0 }
    }

    /// The list to which the cell refers, if it does.
    #[inline(always)]
    pub fn as_list(self) -> Option<usize> {
        (self.origin == LIST && self.mask == 0).then_some(self.block as usize)
    }

    /// The same access by other lanes.
    #[inline(always)]
    #[must_use]
    pub fn with_mask(self, mask: u32) -> Cell {
        Cell { mask, ..self }
    }

    /// The same access by another warp of its block, if the cell has warp 0.
    #[inline(always)]
    #[must_use]
    pub fn of_warp(self, warp: u32) -> Cell {
        Cell { origin: self.origin | warp << WARP_SHIFT, ..self }
    }

    /// The warp.
    #[inline(always)]
    pub fn warp(self) -> u32 {
        self.origin >> WARP_SHIFT
    }

    /// The instruction.
    pub fn pc(self) -> u32 {
        self.origin & PC
    }

    /// Whether it was a read-only load.
    pub fn is_read_only(self) -> bool {
        self.origin & READ_ONLY != 0
    }

    /// Whether there is no access here, or one that is ordered before what each of some lanes does now, as far as the
    /// clock of the warp can tell. With no lanes, it has to be ordered before what any lane of the warp does.
    #[inline(always)]
    pub fn is_ordered(self, warp_clock: &WarpClock<'_>, lanes: u32) -> bool {
        if self.mask == 0 {
            return self.origin != LIST;
        }
        let warp = self.warp();
        let is_same_thread = || warp == warp_clock.warp && self.mask == lanes && lanes.is_power_of_two();
        self.block == warp_clock.block && (self.clock <= warp_clock.floor_of(warp) || is_same_thread())
    }

    /// Whether two accesses differ in nothing but their lanes.
    pub fn is_same_but_for_lanes(self, other: Cell) -> bool {
        self.with_mask(0) == other.with_mask(0)
    }

    /// The epoch of one of its lanes.
    pub fn epoch(self, lane: u32) -> Epoch {
        let number = (self.warp() * WARP_SIZE as u32 + lane) as u16;
        Epoch { thread: Thread { block: self.block, number }, clock: self.clock }
    }
}
