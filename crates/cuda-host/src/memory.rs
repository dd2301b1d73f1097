//! The memory of the host: one row of bytes, each with a state.
//!
//! It begins with the stack; texts, variables and what `malloc` returns follow, with gaps between them that belong to
//! nobody. Freed memory is not used again, so every access to it is found.

use std::collections::BTreeMap;

/// The address of the first byte. The device has none of these addresses.
pub(crate) const BASE: u64 = 8 << 40;

/// Bytes for the variables of functions.
pub(crate) const STACK_BYTES: u64 = 256 << 20;

/// Between two allocations.
const GAP_BYTES: u64 = 64;

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
    pub line: u32,
}

/// The bytes of the host.
#[derive(Debug)]
pub(crate) struct Memory {
    pub bytes: Vec<u8>,
    pub states: Vec<u8>,
    /// By their offsets.
    pub blocks: BTreeMap<u64, Block>,
    limit: u64,
    /// The end of the stack.
    pub top: u64,
}

impl Memory {
    pub fn new(limit: u64) -> Memory {
        let size = STACK_BYTES as usize;
        let (bytes, states) = (vec![0; size], vec![state::NONE; size]);
        Memory { bytes, states, blocks: BTreeMap::new(), limit, top: 16 }
    }

    /// So many new bytes in a state, or nothing if the limit is reached; the offset.
    pub fn add(&mut self, bytes: u64, with: u8) -> Option<u64> {
        let start = (self.bytes.len() as u64 + GAP_BYTES).next_multiple_of(64);
        let end = start.checked_add(bytes)?.checked_add(GAP_BYTES)?;
        if end > self.limit {
            return None;
        }
        self.bytes.resize(end as usize, 0);
        self.states.resize((start as usize).max(self.states.len()), state::NONE);
        self.states.resize((start + bytes) as usize, with);
        self.states.resize(end as usize, state::NONE);
        Some(start)
    }

    /// Leaves out some bytes, and more, so that the next ones that are added begin 64 bytes after the end.
    pub fn skip(&mut self, bytes: u64) {
        let end = (self.bytes.len() as u64).next_multiple_of(64) + bytes;
        self.bytes.resize(end as usize, 0);
        self.states.resize(end as usize, state::NONE);
    }

    /// [`Memory::add`] as an allocation.
    pub fn allocate(&mut self, bytes: u64, with: u8, line: u32) -> Option<u64> {
        let start = self.add(bytes, with)?;
        self.blocks.insert(start, Block { bytes, is_live: true, line });
        Some(start)
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

    #[test]
    fn allocations_are_apart_and_never_used_again() {
        let mut memory = Memory::new(1 << 30);
        let a = memory.allocate(10, state::EMPTY, 3).unwrap();
        let b = memory.allocate(10, state::SET, 4).unwrap();
        assert!(b >= a + 10 + GAP_BYTES);
        assert_eq!((memory.read(BASE + b), memory.read::<1>(BASE + a)), (Some([0; 10]), None));
        assert!(!memory.write(BASE + a, [1; 11]) && !memory.write(BASE + a - 1, [1; 2]));
        assert!(memory.write(BASE + a + 2, [1; 8]) && !memory.write(u64::MAX, [1; 8]));
        assert_eq!((memory.read(BASE + a + 2), memory.read::<9>(BASE + a + 1)), (Some([1; 8]), None));
        assert_eq!(memory.block_before(b + 100).map(|(start, block)| (start, block.line)), Some((b, 4)));
    }

    #[test]
    fn the_limit_of_memory_is_kept() {
        let mut memory = Memory::new(STACK_BYTES + 1000);
        assert_eq!(memory.add(1001, state::SET), None);
        assert_eq!(memory.add(u64::MAX, state::SET), None);
        assert!(memory.add(500, state::SET).is_some());
        assert_eq!(
            (memory.offset(BASE - 1), memory.offset(u64::MAX), memory.offset(BASE)),
            (None, None, Some(0))
        );
    }

    #[test]
    fn bytes_that_are_left_out_belong_to_nobody() {
        let mut memory = Memory::new(1 << 30);
        memory.skip(128);
        let start = memory.add(8, state::SET).unwrap();
        assert_eq!(start, STACK_BYTES + 128 + 64);
        assert_eq!(memory.states[(start - 1) as usize], state::NONE);
    }
}
