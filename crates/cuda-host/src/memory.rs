//! The memory of the host: one row of bytes, each with a state.
//!
//! It begins with the stack; texts, variables and what `malloc` returns follow, with gaps between them that belong to
//! nobody. Freed memory waits before it is used again, so every access to it is found until then. *What that can miss:* an
//! access to an allocation after which [`MOST_WAITING`] others or [`WAITING_BYTES`] were freed, if something was allocated
//! since; and where memory is about to run out, one to any allocation that was freed. The last one that was freed waits
//! however large it is.

use cudac::Line;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The address of the first byte. The device has none of these addresses.
pub(crate) const BASE: u64 = 8 << 40;

/// Bytes for the variables of functions.
pub(crate) const STACK_BYTES: u64 = 256 << 20;

/// Half of what is between two allocations, which begin at multiples of it.
const GAP_BYTES: u64 = 64;

/// How many freed allocations wait at most, and how many bytes they have together.
const MOST_WAITING: usize = 1 << 16;
const WAITING_BYTES: u64 = 64 << 20;

/// What a byte is.
pub(crate) mod state {
    /// Nobody's.
    pub const NONE: u8 = 0;
    /// Allocated, and not written.
    pub const EMPTY: u8 = 1;
    /// Written.
    pub const SET: u8 = 2;
    /// Freed.
    pub const FREED: u8 = 3;
    /// Registered for the device, which has it now.
    pub const MOVED: u8 = 4;
}

/// How bytes are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Read with those that nobody has written.
    Copy,
    Write,
}

/// What `malloc` or `new` returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub bytes: u64,
    pub is_live: bool,
    pub line: Line,
}

/// The bytes of the host.
#[derive(Debug)]
pub(crate) struct Memory {
    pub bytes: Vec<u8>,
    pub states: Vec<u8>,
    /// By their offsets, those that wait included.
    pub blocks: BTreeMap<u64, Block>,
    /// The freed allocations, from the one that has waited longest on, and how many bytes they have.
    waiting: VecDeque<u64>,
    waiting_bytes: u64,
    /// Bytes that can be used again: their ends by their starts, and their numbers with their starts.
    free: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    /// Bytes that are in use besides the stack, with their gaps.
    used: u64,
    /// The end of the stack.
    pub top: u64,
}

/// The bytes that an allocation takes with the gap after it. Rows of them touch, so neighbours that are free become one.
fn with_gap(bytes: u64) -> Option<u64> {
    bytes.checked_add(2 * GAP_BYTES)?.checked_next_multiple_of(GAP_BYTES)
}

impl Memory {
    pub fn new() -> Memory {
        let size = STACK_BYTES as usize;
        Memory {
            bytes: vec![0; size],
            states: vec![state::NONE; size],
            blocks: BTreeMap::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            free: BTreeMap::new(),
            by_size: BTreeSet::new(),
            used: 0,
            top: 16,
        }
    }

    /// Bytes that are in use besides the stack.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// So many new bytes in a state, at a multiple of a power of two, if not more than `most` are in use then and this computer
    /// has them; the offset.
    pub fn add(&mut self, bytes: u64, with: u8, align: u64, most: u64) -> Option<u64> {
        let (all, align) = (with_gap(bytes)?, align.max(GAP_BYTES));
        if self.used.checked_add(all)? > most {
            return None;
        }
        let mut start = self.again(all, align).or_else(|| self.grow(all, align, most));
        while start.is_none() && self.release() {
            start = self.again(all, align).or_else(|| self.grow(all, align, most));
        }
        let at = start?;
        self.used += all;
        self.states[at as usize..(at + bytes) as usize].fill(with);
        Some(at)
    }

    /// [`Memory::add`] as an allocation.
    pub fn allocate(&mut self, bytes: u64, with: u8, line: Line, align: u64, most: u64) -> Option<u64> {
        let start = self.add(bytes, with, align, most)?;
        self.blocks.insert(start, Block { bytes, is_live: true, line });
        Some(start)
    }

    /// Bytes that were freed: the fewest that suffice.
    fn again(&mut self, all: u64, align: u64) -> Option<u64> {
        let (length, start) = *self.by_size.range((all + align - GAP_BYTES, 0)..).next()?;
        self.by_size.remove(&(length, start));
        let end = self.free.remove(&start)?;
        let at = start.next_multiple_of(align);
        self.set_free(start, at);
        self.set_free(at + all, end);
        self.bytes[at as usize..(at + all) as usize].fill(0);
        Some(at)
    }

    /// New bytes at the end.
    fn grow(&mut self, all: u64, align: u64, most: u64) -> Option<u64> {
        let old = self.bytes.len() as u64;
        let first = old.max(STACK_BYTES + GAP_BYTES);
        let start = first.next_multiple_of(align);
        let end = start.checked_add(all)?;
        if end - STACK_BYTES > most {
            return None;
        }
        let more = (end - old) as usize;
        for row in [&mut self.bytes, &mut self.states] {
            row.try_reserve(more).or_else(|_| row.try_reserve_exact(more)).ok()?;
        }
        self.bytes.resize(end as usize, 0);
        self.states.resize(end as usize, state::NONE);
        self.set_free(first, start);
        Some(start)
    }

    fn set_free(&mut self, start: u64, end: u64) {
        if start < end {
            self.free.insert(start, end);
            self.by_size.insert((end - start, start));
        }
    }

    /// Frees an allocation, which waits.
    pub fn free(&mut self, at: u64) {
        let Some(block) = self.blocks.get_mut(&at).filter(|block| block.is_live) else { return };
        block.is_live = false;
        let bytes = block.bytes;
        self.states[at as usize..(at + bytes) as usize].fill(state::FREED);
        let all = with_gap(bytes).unwrap_or_default();
        self.used -= all;
        self.waiting.push_back(at);
        self.waiting_bytes += all;
        while self.waiting.len() > MOST_WAITING
            || self.waiting_bytes > WAITING_BYTES && self.waiting.len() > 1
        {
            self.release();
        }
    }

    /// Lets the allocation that has waited longest be used again; whether there is one.
    fn release(&mut self) -> bool {
        let Some(at) = self.waiting.pop_front() else { return false };
        let Some(block) = self.blocks.remove(&at) else { return true };
        self.states[at as usize..(at + block.bytes) as usize].fill(state::NONE);
        let all = with_gap(block.bytes).unwrap_or_default();
        self.waiting_bytes -= all;
        let (mut start, mut end) = (at, at + all);
        if let Some(after) = self.free.remove(&end) {
            self.by_size.remove(&(after - end, end));
            end = after;
        }
        if let Some((&before, _)) = self.free.range(..at).next_back().filter(|(_, end)| **end == at) {
            self.free.remove(&before);
            self.by_size.remove(&(at - before, before));
            start = before;
        }
        self.set_free(start, end);
        true
    }

    /// The offset of an address, if it may be one of these.
    pub fn offset(&self, address: u64) -> Option<u64> {
        address.checked_sub(BASE).filter(|offset| *offset < self.bytes.len() as u64)
    }

    /// Some bytes, if all of them have been written.
    #[inline(always)]
    pub fn read<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let at = address.wrapping_sub(BASE) as usize;
        let states: &[u8; N] = self.states.get(at..)?.first_chunk()?;
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        (*states == [state::SET; N]).then_some(*bytes)
    }

    /// Writes some bytes if all of them belong to something; whether they do.
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, address: u64, value: [u8; N]) -> bool {
        let at = address.wrapping_sub(BASE) as usize;
        let Some(states) = self.states.get_mut(at..).and_then(|states| states.first_chunk_mut::<N>()) else {
            return false;
        };
        let Some(bytes) = self.bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) else {
            return false;
        };
        if *states != [state::SET; N] {
            if !states.iter().all(|state| *state == state::EMPTY || *state == state::SET) {
                return false;
            }
            *states = [state::SET; N];
        }
        *bytes = value;
        true
    }

    /// The allocation that an offset is in or closest after.
    pub fn block_before(&self, offset: u64) -> Option<(u64, &Block)> {
        self.blocks.range(..=offset).next_back().map(|(start, block)| (*start, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32) -> Line {
        Line::new(0, number)
    }

    const MOST: u64 = 1 << 30;

    #[test]
    fn allocations_are_apart() {
        let mut memory = Memory::new();
        let a = memory.allocate(10, state::EMPTY, line(3), 1, MOST).unwrap();
        let b = memory.allocate(10, state::SET, line(4), 1, MOST).unwrap();
        assert!(b >= a + 10 + GAP_BYTES);
        assert_eq!((memory.read(BASE + b), memory.read::<1>(BASE + a)), (Some([0; 10]), None));
        assert!(!memory.write(BASE + a, [1; 11]) && !memory.write(BASE + a - 1, [1; 2]));
        assert!(memory.write(BASE + a + 2, [1; 8]) && !memory.write(u64::MAX, [1; 8]));
        assert_eq!((memory.read(BASE + a + 2), memory.read::<9>(BASE + a + 1)), (Some([1; 8]), None));
        assert_eq!(
            memory.block_before(b + 100).map(|(start, block)| (start, block.line)),
            Some((b, line(4)))
        );
    }

    #[test]
    fn the_limit_of_memory_is_kept() {
        let mut memory = Memory::new();
        assert_eq!(memory.add(1001, state::SET, 1, 1000), None);
        assert_eq!(memory.add(u64::MAX, state::SET, 1, u64::MAX), None);
        assert!(memory.add(500, state::SET, 1, 1000).is_some());
        assert_eq!(
            (memory.offset(BASE - 1), memory.offset(u64::MAX), memory.offset(BASE)),
            (None, None, Some(0))
        );
    }

    #[test]
    fn an_allocation_begins_at_a_multiple_of_what_it_asks_for() {
        let mut memory = Memory::new();
        for align in [1, 64, 256, 4096, 1 << 20] {
            let new = memory.allocate(8, state::SET, line(1), align, MOST).unwrap();
            assert!(new.is_multiple_of(align) && memory.states[(new - 1) as usize] == state::NONE);
            memory.free(new);
            while memory.release() {}
            assert!(memory.allocate(100, state::SET, line(1), align, MOST).unwrap().is_multiple_of(align));
        }
    }

    #[test]
    fn what_is_freed_waits_and_is_used_again() {
        let mut memory = Memory::new();
        let first = memory.allocate(40, state::EMPTY, line(1), 1, MOST).unwrap();
        memory.free(first);
        for _ in 0..2 * MOST_WAITING {
            assert!(memory.states[first as usize] != state::EMPTY);
            let next = memory.allocate(1, state::EMPTY, line(2), 1, MOST).unwrap();
            memory.free(next);
        }
        assert!(memory.bytes.len() as u64 <= STACK_BYTES + 200 * MOST_WAITING as u64);
        assert!(memory.blocks.len() == MOST_WAITING && memory.used() == 0);
        // Each is larger than all that waited before, and neighbours become one.
        for bytes in (1..200).map(|turn| turn << 18) {
            let next = memory.allocate(bytes, state::EMPTY, line(3), 1, 120 << 20).unwrap();
            assert!(memory.write(BASE + next, [1; 8]));
            memory.free(next);
            assert_eq!((memory.states[next as usize], memory.read::<1>(BASE + next)), (state::FREED, None));
        }
        while memory.release() {}
        assert_eq!(memory.free.len(), 1);
        let again = memory.allocate(40, state::EMPTY, line(4), 1, MOST).unwrap();
        assert_eq!((memory.read::<1>(BASE + again), memory.bytes[again as usize]), (None, 0));
    }
}
