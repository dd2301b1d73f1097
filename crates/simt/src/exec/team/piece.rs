//! Accesses of a team whose elements lie in one piece of memory, in rows: they are looked up once and copied row by row.

use crate::access::row::{Row, Shape};
use crate::exec::state::Run;
use crate::exec::team::addresses::{Addresses, bank_of};
use crate::exec::team::{Member, Team};
use crate::isa::op::memory::Memory;
use crate::machine::block::Block;
use crate::machine::fork::Marks;
use crate::machine::global::Global;
use crate::machine::registers::{Bank, WARP_SIZE, Word};

impl Run<'_> {
    /// Carries out a load or store warp by warp, but looks its elements up only once. For launches without a checker of memory, in
    /// which the lanes of each warp access words in rows, and one piece of memory contains those of all warps. Otherwise it returns
    /// `false`; some words may have been copied then, and copying them again changes nothing.
    pub fn touch_rows(
        &mut self,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
        may_replace: bool,
    ) -> bool {
        let is_load = addresses.is_load();
        let is_shared = addresses.access.address.memory == Memory::Shared;
        let (Some(bank), Some((start, length))) = (bank_of(addresses.access), addresses.range()) else {
            return false;
        };
        let place = match (is_shared, is_load) {
            (true, _) => (start + length <= block.shared.len() as u64).then_some((0, start as usize)),
            (false, true) => self.global.locate(start, length).ok(),
            (false, false) => self.global.locate_writable(start, length).ok(),
        };
        let Some((region, offset)) = place.filter(|_| !self.observers.check_accesses()) else { return false };
        let piece = Piece { start, region, offset, is_shared };
        let costs = match (bank, is_load) {
            (Bank::Wide, true) => piece.load::<u64>(self.global, block, team, addresses, may_replace),
            (Bank::Wide, false) => piece.store::<u64>(self.global, block, team, addresses),
            (_, true) => piece.load::<u32>(self.global, block, team, addresses, may_replace),
            (_, false) => piece.store::<u32>(self.global, block, team, addresses),
        };
        let Some((requests, cost)) = costs else { return false };
        self.counts.traffic[team.pc as usize].count_accesses(is_load, is_shared, requests, cost);
        true
    }
}

/// A piece of global or shared memory that contains all elements of an access.
struct Piece {
    /// The address of its first byte.
    start: u64,
    /// Its region, in global memory.
    region: usize,
    /// The offset of its first byte there, or in shared memory.
    offset: usize,
    is_shared: bool,
}

impl Piece {
    /// Loads a register for each warp of a team, row by row. Returns the number of warps and what that costs, or
    /// `None` at the first warp whose lanes are not in rows, or that has a row in two pages of a fork.
    #[inline(never)]
    fn load<T: Word>(
        &self,
        global: &mut Global,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
        may_replace: bool,
    ) -> Option<(u64, u64)> {
        let columns =
            T::columns_to_write(&mut block.registers, team.frame.base, addresses.inst.args.d, may_replace);
        let (mut warps, mut cost, mut scratch) = (0, 0, [0; WARP_SIZE]);
        for Member { w, active, .. } in team.members().filter(|member| member.active != 0) {
            let shape = addresses.shape(w, active, &mut scratch);
            cost += self.cost::<T>(&shape, true)?;
            for row in shape.rows() {
                let (offset, length) = self.part::<T>(row)?;
                let data = if self.is_shared {
                    block.shared.get(offset..offset + length)
                } else {
                    let mark = |marks: &mut Marks, at| row.mark(marks, at, length, size_of::<T>() as u64);
                    global.read_some(self.region, offset, length, mark)
                };
                row.load_words(&mut columns[w], data?);
            }
            warps += 1;
        }
        Some((warps, cost))
    }

    /// [`Piece::load`], to store it. No two lanes of a warp may store to the same byte.
    #[inline(never)]
    fn store<T: Word>(
        &self,
        global: &mut Global,
        block: &mut Block,
        team: &Team,
        addresses: &Addresses<'_>,
    ) -> Option<(u64, u64)> {
        let columns = T::columns(&mut block.registers, team.frame.base, addresses.inst.args.d);
        let (mut warps, mut cost, mut scratch) = (0, 0, [0; WARP_SIZE]);
        for Member { w, active, .. } in team.members().filter(|member| member.active != 0) {
            let shape = addresses.shape(w, active, &mut scratch);
            cost += self.cost::<T>(&shape, false).filter(|_| shape.is_disjoint(size_of::<T>() as u64))?;
            for row in shape.rows() {
                let (offset, length) = self.part::<T>(row)?;
                let data = if self.is_shared {
                    block.shared.get_mut(offset..offset + length)
                } else {
                    let mark = |marks: &mut Marks, at| row.mark(marks, at, length, size_of::<T>() as u64);
                    global.write_some(self.region, offset, length, mark)
                };
                row.store_words(&columns[w], data?);
            }
            warps += 1;
        }
        Some((warps, cost))
    }

    /// The offset of a row, and its bytes.
    #[inline(always)]
    fn part<T: Word>(&self, row: &Row) -> Option<(usize, usize)> {
        let (start, length) = row.range(size_of::<T>() as u64)?;
        Some((self.offset + (start - self.start) as usize, length as usize))
    }

    /// What the access of a warp costs, if it is in rows.
    #[inline(always)]
    fn cost<T: Word>(&self, shape: &Shape<'_>, is_load: bool) -> Option<u64> {
        let is_in_rows = !matches!(shape, Shape::Scattered(..));
        is_in_rows.then(|| shape.cost(size_of::<T>() as u64, is_load, self.is_shared))
    }
}
