//! Accesses of threads that follow each other to neighbouring elements: one range of bytes, which is copied at once.

use crate::access::address::is_aligned;
use crate::access::traffic;
use crate::exec::team::Team;
use crate::exec::team::addresses::{Addresses, bank_of};
use crate::isa::op::memory::{Access, Memory};
use crate::machine::block::Block;
use crate::machine::global::Global;
use crate::machine::registers::{Bank, FULL_MASK, Registers, Slot, WARP_SIZE, Word};
use crate::report::counters::Counters;

/// An access of threads that follow each other to neighbouring elements.
pub(super) struct Stretch<'i> {
    pub(super) addresses: &'i Addresses<'i>,
    pub(super) access: &'i Access,
    pub(super) is_load: bool,
    /// Whether a load may overwrite what other threads have in the register.
    may_replace: bool,
    bank: Bank,
    slot: Slot,
    /// The first thread, which is lane 0 of its warp, and how many there are.
    pub(super) threads: std::ops::Range<usize>,
    /// The address of the first element.
    pub(super) start: u64,
}

/// The threads of a team, if they follow each other from the start of a warp on.
#[inline(always)]
fn threads(masks: &[u32]) -> Option<std::ops::Range<usize>> {
    let first = masks.iter().position(|&mask| mask != 0)?;
    let full = masks[first..].iter().take_while(|&&mask| mask == FULL_MASK).count();
    let mut count = full * WARP_SIZE;
    let mut others = masks[first + full..].iter();
    if let Some(&last) = others.next() {
        count += last.trailing_ones() as usize;
        let is_row = last & last.wrapping_add(1) == 0;
        if !is_row || others.any(|&mask| mask != 0) {
            return None;
        }
    }
    Some(first * WARP_SIZE..first * WARP_SIZE + count)
}

impl Stretch<'_> {
    #[inline(always)]
    pub fn of<'i>(team: &Team, addresses: &'i Addresses<'i>, may_replace: bool) -> Option<Stretch<'i>> {
        let Addresses { access, value, .. } = addresses;
        let (bytes, bank) = (access.lane_bytes(), bank_of(access)?);
        let threads = threads(team.active())?;
        let has_steps = value.stride(addresses.grid) == Some(bytes) || threads.len() == 1;
        let start = value.of_warp(threads.start / WARP_SIZE);
        if !has_steps || !is_aligned(start, bytes) {
            return None;
        }
        let is_one_warp = threads.len() <= WARP_SIZE;
        (is_one_warp || value.warp == bytes * WARP_SIZE as u64).then_some(Stretch {
            addresses,
            access,
            is_load: addresses.is_load(),
            may_replace,
            bank,
            slot: addresses.inst.args.d,
            threads,
            start,
        })
    }

    pub fn bytes(&self) -> u64 {
        self.access.lane_bytes() * self.threads.len() as u64
    }

    pub fn touch_shared(&self, block: &mut Block, team: &Team) -> bool {
        let size = block.shared.len() as u64;
        let end = self.start.checked_add(self.bytes()).filter(|&end| end <= size);
        let Some(end) = end else { return false };
        let data = &mut block.shared[self.start as usize..end as usize];
        if self.is_load {
            self.load(&mut block.registers, team, data);
        } else {
            self.store(&mut block.registers, team, data);
        }
        true
    }

    pub fn touch_global(&self, global: &mut Global, block: &mut Block, team: &Team) -> bool {
        let length = self.bytes();
        if self.is_load {
            let Ok((region, offset)) = global.locate(self.start, length) else { return false };
            let Some(data) = global.read(region, offset, length as usize) else { return false };
            self.load(&mut block.registers, team, data);
        } else {
            let Ok((region, offset)) = global.locate_writable(self.start, length) else { return false };
            let Some(data) = global.write(region, offset, length as usize) else { return false };
            self.store(&mut block.registers, team, data);
        }
        true
    }

    fn load(&self, registers: &mut Registers, team: &Team, data: &[u8]) {
        if self.bank == Bank::Wide {
            self.load_words::<u64>(registers, team, data);
        } else {
            self.load_words::<u32>(registers, team, data);
        }
    }

    /// Loads the columns of the threads.
    fn load_words<T: Word>(&self, registers: &mut Registers, team: &Team, data: &[u8]) {
        let columns = T::columns_to_write(registers, team.frame.base, self.slot, self.may_replace);
        T::load(&mut columns.as_flattened_mut()[self.threads.clone()], data);
    }

    fn store(&self, registers: &mut Registers, team: &Team, data: &mut [u8]) {
        if self.bank == Bank::Wide {
            self.store_words::<u64>(registers, team, data);
        } else {
            self.store_words::<u32>(registers, team, data);
        }
    }

    /// Stores the columns of the threads.
    fn store_words<T: Word>(&self, registers: &mut Registers, team: &Team, data: &mut [u8]) {
        let columns = T::columns(registers, team.frame.base, self.slot);
        T::store(&columns.as_flattened()[self.threads.clone()], data);
    }

    /// Counts what the warps cost. Neighbouring elements of up to 8 bytes cause no bank conflicts. From warp to warp the
    /// addresses grow by whole sectors.
    pub fn count(&self, counters: &mut Counters) {
        let warps = self.threads.len().div_ceil(WARP_SIZE) as u64;
        if self.access.address.memory == Memory::Shared {
            return counters.count_accesses(self.is_load, true, warps, 0);
        }
        let bytes = self.access.lane_bytes();
        let (whole, rest) = (self.threads.len() / WARP_SIZE, self.threads.len() % WARP_SIZE);
        let of_lanes = |lanes: usize| traffic::sectors_of_range(self.start, bytes * lanes as u64);
        let mut sectors = if whole != 0 { of_lanes(WARP_SIZE) * whole as u64 } else { 0 };
        if rest != 0 {
            sectors += of_lanes(rest);
        }
        counters.count_accesses(self.is_load, false, warps, sectors);
    }
}
