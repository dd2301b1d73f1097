//! Reads of bytes that nobody has written.
//!
//! *What it reports.* A load, or an atomic's reading, of shared or global memory that touches a byte which nobody has
//! written before: by the byte, at any width, through any kind of address. All of a block's shared memory is unwritten
//! when the block starts. In global memory that is what `Emulator::alloc_uninitialized` gave, until the host writes to
//! the buffer or a kernel to the byte, in this launch or an earlier one; buffers of `Emulator::alloc`, which the host has
//! cleared, and variables of a module count as written, because without an initial value they hold zeros (PTX ISA, 5.4.4).
//!
//! *What it notes.* After the launch, a variable in constant memory without an initial value that the host never wrote to and
//! that an instruction named: only the host can set it, so the program has probably forgotten to. There is no such note for
//! a variable in global memory. A kernel can set that one, in another launch or under a condition that has not come true
//! yet, and programs rely on the zero that it starts with: `__device__ unsigned tickets;`, or a flag that is raised on errors.
//!
//! *What it can miss.* A byte that happened to be written first, although nothing ensured it: that is a race, which another
//! checker reports. Under weak memory, a load that gets what a byte held before it was written. An atomic that is denied for one
//! lane and not for another counts as writing for both. What CUDA's own functions read, the strings that `printf` prints. Local
//! memory and registers.
//!
//! *No false alarm.* A byte is unwritten only if no store, no atomic and no host has touched it, whatever their order; so
//! what a finding names has been read and had no value. Whether the value mattered to anybody, it does not say, but for
//! one case: an `atom.exch` whose result nobody reads only writes, as the `atomicExch` that sets a variable does. (To the
//! memory model it stays a read-modify-write: what it reads decides what it is ordered with.)

pub mod hooks;

use std::ops::Range;

use crate::machine::written::Written;

/// Where bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the block's shared memory.
    Shared,
    /// In the allocation with this number.
    Global(usize),
}

/// What an instruction does to the bytes that it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It reads them.
    Read,
    /// It writes them.
    Write,
    /// It reads them, then writes them.
    Update,
}

/// Bytes that an instruction read and nobody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The instruction.
    pub pc: u32,
    /// At which step of the launch.
    pub step: u64,
    /// The lanes that read such bytes.
    pub lanes: u32,
    /// The first of them that was shown.
    pub lane: usize,
    /// Where the bytes lie that it read.
    pub place: Place,
    /// Which they are: the first run of them that it read, counted from the start of the place.
    pub bytes: Range<usize>,
}

/// The checker of a launch.
#[derive(Clone, Debug, Default)]
pub struct Initialisation {
    /// Whether anything is watched at all.
    pub is_on: bool,
    /// Whether reads are reported; otherwise only stores are kept in mind, for launches to come.
    pub reports: bool,
    /// What has been found and not been told yet.
    pub found: Vec<Unwritten>,
}

/// One instruction under watch.
#[derive(Clone, Debug)]
pub struct Watched {
    pc: u32,
    step: u64,
    touch: Touch,
    found: Option<Unwritten>,
}

impl Watched {
    /// Starts to watch an instruction.
    pub fn new((pc, step): (u32, u64), touch: Touch) -> Watched {
        Watched { pc, step, touch, found: None }
    }

    /// Lanes touch `range` between them, and no byte twice: whether that is all there is to know. If not, the lanes
    /// are to be shown one by one.
    #[inline]
    pub fn row(&self, written: &mut Written, range: Range<usize>) -> bool {
        let is_known = self.touch == Touch::Write || written.has(range.clone());
        if self.touch == Touch::Write {
            written.set(range);
        }
        is_known
    }

    /// One lane touches `range`. Lanes come lowest first.
    #[inline]
    pub fn lane(&mut self, lane: usize, place: Place, written: &mut Written, range: Range<usize>) {
        if self.touch != Touch::Write && !written.has(range.clone()) {
            self.note(lane, place, written, range.clone());
        }
        if self.touch != Touch::Read {
            written.set(range);
        }
    }

    #[cold]
    fn note(&mut self, lane: usize, place: Place, written: &Written, range: Range<usize>) {
        let Some(bytes) = written.missing(range) else { return };
        let found = self.found.get_or_insert(Unwritten {
            pc: self.pc,
            step: self.step,
            lanes: 0,
            lane,
            place,
            bytes,
        });
        found.lanes |= 1 << lane;
    }

    /// What was found.
    pub fn found(self) -> Option<Unwritten> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_lane_and_its_first_missing_bytes_are_told() {
        let mut written = Written::nothing(64);
        written.set(0..5);
        let mut load = Watched::new((7, 3), Touch::Read);
        assert!(!load.row(&mut written, 0..12));
        for lane in 0..3 {
            load.lane(lane, Place::Shared, &mut written, 4 * lane..4 * lane + 4);
        }
        let found = Unwritten { pc: 7, step: 3, lanes: 0b110, lane: 1, place: Place::Shared, bytes: 5..8 };
        assert_eq!(load.found(), Some(found));
    }

    #[test]
    fn of_many_atomics_on_one_address_only_the_first_reads_what_nobody_wrote() {
        let mut written = Written::nothing(64);
        let mut add = Watched::new((0, 0), Touch::Update);
        (0..32).for_each(|lane| add.lane(lane, Place::Global(0), &mut written, 8..12));
        assert_eq!(add.found().map(|found| found.lanes), Some(1));
        assert!(Watched::new((0, 0), Touch::Read).row(&mut written, 8..12));
    }
}
