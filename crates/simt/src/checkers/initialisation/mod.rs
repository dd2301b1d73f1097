//! The initialisation checker: reads of bytes that have never been written.
//!
//! *What it reports.* A load, or the read of an atomic, from shared or global memory that includes a byte which has not
//! been written before. It works for each byte, for accesses of any width and for any kind of address. All of a block's
//! shared memory is unwritten when the block starts. In global memory, the bytes of a buffer from
//! `Emulator::alloc_uninitialized` are unwritten until the host writes to the buffer or a kernel writes the byte, in
//! this launch or an earlier one. Buffers from `Emulator::alloc`, which the host has cleared, and variables of a module
//! count as written, because without an initial value they hold zeros (PTX ISA, 5.4.4).
//!
//! *What it notes.* After the launch, a variable in constant memory that has no initial value, that the host never
//! wrote to, and that an instruction named. Only the host can set it, so the program has probably forgotten to. There
//! is no such note for a variable in global memory. A kernel can set that one, in another launch or under a condition
//! that has not come true yet, and programs rely on the zero with which it starts: `__device__ unsigned tickets;`, or a
//! flag that is raised on errors.
//!
//! *What it can miss.* A byte that happened to be written first, although nothing ensured it; that is a race, which
//! another checker reports. Under weak memory, a load that gets what a byte held before it was written. An atomic that
//! is refused for one lane and not for another counts as writing for both. What CUDA's own functions read: the strings
//! that `printf` prints. Local memory and registers.
//!
//! *No false alarm.* A byte is unwritten only if no store, no atomic and no write by the host has reached it, in any
//! order. So the bytes in a finding have been read and had no value. The checker does not ask whether the value
//! mattered, with one exception: an `atom.exch` whose result is not used counts as a write only, because that is how
//! `atomicExch` sets a variable. (In the memory model it remains a read-modify-write: what it reads decides with what
//! it is ordered.)

pub mod hooks;
pub mod wording;

use std::ops::Range;

use crate::machine::written::Written;
use crate::order::{ByteRange, Space};
use crate::report::location::AccessKind;

/// Bytes that an instruction read although they had never been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The instruction.
    pub pc: u32,
    /// The step of the launch.
    pub step: u64,
    /// The lanes that read such bytes.
    pub lanes: u32,
    /// The first of these lanes.
    pub lane: usize,
    /// The first unwritten bytes that it read without a gap. If they are in shared memory, it is that of its own block,
    /// whatever number the space has.
    pub range: ByteRange,
}

/// A read of unwritten bytes by a warp of a block.
#[derive(Clone, Debug)]
pub struct UnwrittenRead {
    /// The block in the grid.
    pub block: u64,
    /// The warp in the block.
    pub warp: usize,
    /// What was read.
    pub unwritten: Unwritten,
}

/// The state of the checker for a launch.
#[derive(Clone, Debug, Default)]
pub struct Initialisation {
    /// Whether accesses are checked or recorded at all.
    pub is_on: bool,
    /// Whether reads are reported. Otherwise stores are only recorded, for later launches.
    pub reports: bool,
    /// What has been found and is not in the findings yet.
    pub found: Vec<Unwritten>,
}

impl Initialisation {
    /// Takes what a warp of a block has read and has not been reported yet.
    pub fn take(&mut self, block: u64, warp: usize) -> impl Iterator<Item = UnwrittenRead> + use<> {
        let found = std::mem::take(&mut self.found).into_iter();
        found.map(move |unwritten| UnwrittenRead { block, warp, unwritten })
    }
}

/// The check of one instruction.
#[derive(Clone, Debug)]
pub struct AccessCheck {
    pc: u32,
    step: u64,
    kind: AccessKind,
    found: Option<Unwritten>,
}

impl AccessCheck {
    /// Starts the check of the instruction at a program counter and a step.
    pub fn new(pc: u32, step: u64, kind: AccessKind) -> AccessCheck {
        AccessCheck { pc, step, kind, found: None }
    }

    /// The lanes access all bytes of `range`, each byte once. Returns whether that is sufficient; if not, the lanes
    /// have to be shown one by one.
    #[inline]
    pub fn contiguous(&self, written: &mut Written, range: Range<usize>) -> bool {
        let is_known = self.kind == AccessKind::Write || written.has(range.clone());
        if self.kind == AccessKind::Write {
            written.set(range);
        }
        is_known
    }

    /// One lane accesses `range`. The lanes are shown from the lowest on.
    #[inline]
    pub fn lane(&mut self, lane: usize, space: Space, written: &mut Written, range: Range<usize>) {
        if self.kind != AccessKind::Write && !written.has(range.clone()) {
            self.record(lane, space, written, range.clone());
        }
        if self.kind != AccessKind::Read {
            written.set(range);
        }
    }

    #[cold]
    fn record(&mut self, lane: usize, space: Space, written: &Written, range: Range<usize>) {
        let Some(bytes) = written.missing(range) else { return };
        let range = ByteRange { space, offset: bytes.start as u64, bytes: bytes.len() as u8 };
        let first = Unwritten { pc: self.pc, step: self.step, lanes: 0, lane, range };
        self.found.get_or_insert(first).lanes |= 1 << lane;
    }

    /// What was found, if anything.
    pub fn found(self) -> Option<Unwritten> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_lane_and_its_first_unwritten_bytes_are_reported() {
        let mut written = Written::nothing(64);
        written.set(0..5);
        let mut load = AccessCheck::new(7, 3, AccessKind::Read);
        assert!(!load.contiguous(&mut written, 0..12));
        for lane in 0..3 {
            load.lane(lane, Space::Shared(0), &mut written, 4 * lane..4 * lane + 4);
        }
        let range = ByteRange { space: Space::Shared(0), offset: 5, bytes: 3 };
        let found = Unwritten { pc: 7, step: 3, lanes: 0b110, lane: 1, range };
        assert_eq!(load.found(), Some(found));
    }

    #[test]
    fn of_many_atomics_on_one_address_only_the_first_reads_unwritten_bytes() {
        let mut written = Written::nothing(64);
        let mut add = AccessCheck::new(0, 0, AccessKind::Update);
        (0..32).for_each(|lane| add.lane(lane, Space::Global(0), &mut written, 8..12));
        assert_eq!(add.found().map(|found| found.lanes), Some(1));
        assert!(AccessCheck::new(0, 0, AccessKind::Read).contiguous(&mut written, 8..12));
    }
}
