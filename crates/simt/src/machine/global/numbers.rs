//! Which numbers the regions get, and so which addresses.
//!
//! A program that runs natively has addresses below 2^48 of its own, and memory that it shares with kernels has the same
//! address for both. So the first numbers can be reserved: those that a process can map, and those that it may already use.

use super::{Buffer, FIRST_REGION, Global, MOST_REGIONS, QUARANTINE, REGION_SHIFT, Region};
use crate::launch::MemoryError;
use crate::machine::id::Id;

/// The numbers below are reserved: the addresses of other allocations begin at 2^48.
const RESERVED: usize = (1 << (48 - REGION_SHIFT)) - FIRST_REGION as usize;

/// Of those, the first ones are given out: their addresses are below 80 * 2^40. Operating systems put programs, their
/// stacks and their libraries above.
const MAPPED: usize = 64;

impl Region {
    /// A region that no allocation has had yet.
    fn reserved() -> Region {
        let (id, name, data) = (Id::new(), String::new(), Vec::new());
        Region { id, name, data, bytes: 0, live: false, writable: false, is_set: false, written: None }
    }

    /// Whether no allocation has had it yet. In a web page there are no processes.
    pub(super) fn is_reserved(&self) -> bool {
        cfg!(not(target_family = "wasm")) && !self.live && !self.writable && self.name.is_empty()
    }
}

impl Global {
    /// The number for a new region: that of a freed one if enough of them wait, or if there is no other.
    pub(super) fn vacant(&mut self, name: &str) -> Result<usize, MemoryError> {
        let is_full = self.regions.len() == MOST_REGIONS;
        let new = (!is_full && self.freed.len() <= QUARANTINE).then_some(self.regions.len());
        let number = new.or_else(|| self.freed.pop_front().map(|region| region as usize));
        number.ok_or_else(|| MemoryError::TooManyAllocations { name: name.to_owned(), most: MOST_REGIONS })
    }

    /// A region is not in use any more.
    pub(super) fn retire(&mut self, region: u32) {
        // The first number after those that are given out for a process never is.
        let are_reserved = self.regions.get(MAPPED).is_some_and(Region::is_reserved);
        if !are_reserved || region as usize >= MAPPED {
            self.freed.push_back(region);
        }
    }

    /// Reserves addresses below 2^48; nothing has been allocated yet.
    pub fn reserve(&mut self) {
        self.regions.resize_with(RESERVED, Region::reserved);
    }

    /// Allocates zeroed bytes at an address that a process can map: one that nobody has had yet, if there is one.
    pub fn alloc_mapped(&mut self, name: &str, bytes: u64) -> Result<Buffer, MemoryError> {
        let mapped = self.regions.get(..MAPPED).unwrap_or_default();
        let new = mapped.iter().position(Region::is_reserved);
        let region = new.or_else(|| mapped.iter().position(|region| !region.live));
        let full = || MemoryError::TooManyAllocations { name: name.to_owned(), most: MAPPED };
        self.alloc_in(Some(region.ok_or_else(full)?), name, bytes)
    }
}
