//! Accesses to memory by a team: one warp after another, or all warps at once.
//!
//! Where the addresses are affine in the place of a thread, how they lie is known without looking at them. Where threads that
//! follow each other access neighbouring elements, the whole block loads or stores one range of bytes, and the checkers see it
//! as one access. Blocks with mbarriers are left out, and so are launches in which a byte is followed: these go warp by warp.

use crate::access::lane_order::LaneOrder;
use crate::access::row::{Row, Shape};
use crate::access::traffic;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::checkers::races::shadow::list::OpKind;
use crate::compile::inst::Inst;
use crate::exec::memory::{Memories, load_shaped, read_row, store_shaped, write_row};
use crate::exec::state::{Run, Stop};
use crate::exec::step::{Left, touch_memory};
use crate::exec::team::Team;
use crate::exec::team::compute::{expand, replace};
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::machine::affine::{Affine, Grid};
use crate::machine::block::Block;
use crate::machine::global::Global;
use crate::machine::registers::{Bank, FULL_MASK, Registers, Slot, WARP_SIZE, Wide, Word};
use crate::report::counters::Counters;

/// The addresses of a team's access that are affine in the place of a thread.
#[derive(Clone, Copy)]
struct Addresses {
    value: Affine,
    grid: Grid,
}

impl Run<'_> {
    /// Carries out a load, a store or an atomic of a team.
    pub(crate) fn touch_team(
        &mut self,
        block: &mut Block,
        team: &mut Team,
        inst: &Inst,
        may_replace: bool,
    ) -> Result<(), Stop> {
        let addresses = Addresses::of(block, team, inst);
        if self.is_seen() && (addresses.is_none() || self.follow.is_some()) {
            expand(&mut block.registers, team.frame.base, self.program.touched(inst));
            return self.carry_out_apart(block, team, inst);
        }
        if let Some(addresses) = addresses
            && (self.touch_at_once(block, team, inst, (addresses, may_replace))
                || self.touch_rows(block, team, inst, (addresses, may_replace)))
        {
            return Ok(());
        }
        self.prepare(block, team, inst, (addresses.is_some(), may_replace));
        let outcome = self.touch_apart(block, team, inst, addresses);
        outcome.or_else(|left| self.stop(block, team, left))
    }

    /// Prepares the registers that an access names for each warp, but not the one with its address, if that is known.
    fn prepare(&self, block: &mut Block, team: &Team, inst: &Inst, (is_known, may_replace): (bool, bool)) {
        let (registers, base) = (&mut block.registers, team.frame.base);
        let is_load = matches!(inst.op, Op::Load(_));
        let reads = self.program.reads(inst);
        for register in self.program.touched(inst) {
            let named = (register.bank, register.slot);
            let is_address =
                !register.is_written && register.slot == inst.args.a && register.bank != Bank::Preds;
            if register.is_written && is_load && may_replace {
                replace(registers, base, register, reads);
            } else if !(is_known && is_load && is_address) {
                registers.expand(base, named);
            }
        }
    }

    /// Carries it out for one warp after another. An error is the warp that could not, and why.
    fn touch_apart(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        addresses: Option<Addresses>,
    ) -> Result<(), (usize, Left)> {
        let (is_seen, mut scratch) = (self.is_seen(), [0; WARP_SIZE]);
        self.steps -= team.lanes.warps;
        for (w, mask, active) in team.members() {
            self.steps += 1;
            self.effort.apart += 1;
            if active == 0 {
                continue;
            }
            let shape = addresses.map(|addresses| addresses.shape(w, active, &mut scratch));
            let step = self.steps - 1;
            if is_seen
                && let Some(shape) = &shape
                && !self.show_warp(block, team, inst, shape, (w, mask, step))
            {
                expand(&mut block.registers, team.frame.base, self.program.touched(inst));
                self.carry_out_seen(block, team, (w, mask, active), inst)?;
                continue;
            }
            let counters = &mut self.traffic[team.pc as usize];
            let warp = &mut block.warps[w];
            let mut memories = Memories {
                global: self.global,
                shared: &mut block.shared,
                local: &mut warp.local,
                params: &self.params,
                now: step,
                mbarriers: None,
                order: LaneOrder::new(self.launch.seed, block.number, w as u32, warp.steps + team.done),
                initialisation: None,
                watch: None,
                follow: None,
                is_seen: false,
            };
            let mut lanes = block.registers.lanes(w, team.frame.base, active);
            let outcome = match (&inst.op, &shape) {
                (Op::Load(access), Some(shape)) => {
                    load_shaped(&mut memories, &mut lanes, &inst.args, access, shape, counters)
                }
                (Op::Store(access), Some(shape)) => {
                    store_shaped(&mut memories, &lanes, &inst.args, access, shape, counters)
                }
                _ => touch_memory(&mut memories, &mut lanes, inst, &team.frame, counters),
            };
            outcome.map_err(|denied| (w, Left::Denied(denied)))?;
        }
        Ok(())
    }

    /// Carries it out for all warps at once, where threads that follow each other access neighbouring elements in one piece
    /// of memory; whether they do.
    fn touch_at_once(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        (addresses, may_replace): (Addresses, bool),
    ) -> bool {
        let Some(run) = Stretch::of(team, inst, (addresses, may_replace)) else { return false };
        let is_shared = run.access.address.memory == Memory::Shared;
        if self.is_seen() && !self.show_stretch(block, team, inst, &run) {
            return false;
        }
        let is_done = if is_shared {
            run.touch_shared(block, team)
        } else {
            run.touch_global(self.global, block, team)
        };
        if is_done {
            run.count(&mut self.traffic[team.pc as usize]);
        }
        is_done
    }

    /// Carries it out warp by warp, but looks for the elements only once: where no checker looks, the lanes of each warp access
    /// words in rows, and one piece of memory contains those of all warps. `false` if that is not so, and all is still to do.
    fn touch_rows(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        (addresses, may_replace): (Addresses, bool),
    ) -> bool {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return false };
        let (is_load, bytes) = (matches!(inst.op, Op::Load(_)), access.lane_bytes());
        let is_shared = access.address.memory == Memory::Shared;
        let (Some(bank), Some((start, length))) = (bank_of(access), addresses.range(bytes)) else {
            return false;
        };
        let place = match (is_shared, is_load) {
            (true, _) => (start + length <= block.shared.len() as u64).then_some((0, start as usize)),
            (false, true) => self.global.locate(start, length).ok(),
            (false, false) => self.global.locate_writable(start, length).ok(),
        };
        let Some((region, offset)) = place.filter(|_| !self.is_seen()) else { return false };
        let piece = Piece { start, region, offset, is_shared };
        let way = (team, addresses, inst.args.d);
        let costs = match (bank, is_load) {
            (Bank::Wide, true) => piece.load::<u64>(self.global, block, way, may_replace),
            (Bank::Wide, false) => piece.store::<u64>(self.global, block, way),
            (_, true) => piece.load::<u32>(self.global, block, way, may_replace),
            (_, false) => piece.store::<u32>(self.global, block, way),
        };
        let Some((requests, cost)) = costs else { return false };
        self.traffic[team.pc as usize].count_accesses((is_load, is_shared), requests, cost);
        true
    }

    /// Shows the checkers an access of all warps, which will be carried out at once; `false`, and nothing shown, if that is
    /// not certain.
    fn show_stretch(&mut self, block: &mut Block, team: &Team, inst: &Inst, run: &Stretch<'_>) -> bool {
        let range = (run.start, run.bytes());
        let is_allowed = match run.access.address.memory {
            Memory::Shared => {
                range.0.checked_add(range.1).is_some_and(|end| end <= block.shared.len() as u64)
            }
            _ if run.is_load => self.global.is_contiguous(self.global.locate(range.0, range.1), range.1),
            _ => self.global.is_contiguous(self.global.locate_writable(range.0, range.1), range.1),
        };
        if !is_allowed || !self.is_known(block, run.access, range, run.is_load) {
            return false;
        }
        self.show_rows(block, team, inst, run);
        true
    }

    /// Shows the checker of races an access of all warps.
    fn show_rows(&mut self, block: &mut Block, team: &Team, inst: &Inst, run: &Stretch<'_>) {
        let Some(watch) = &mut self.watch else { return };
        let (first, element) = (self.steps - team.lanes.warps, run.access.lane_bytes());
        watch.at(team.pc, first);
        let order = LaneOrder::new(self.launch.seed, block.number, 0, 0);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        let threads = (run.threads.start, run.threads.end);
        if watch.stretch(seen, block.slot, (run.start, threads), (run.access, kind_of(inst))) {
            return;
        }
        for (step, (w, mask, active)) in (first..).zip(team.members()).filter(|(_, member)| member.2 != 0) {
            let offset = (w * WARP_SIZE - run.threads.start) as u64 * element;
            let row = Row::from_lane_0(run.start + offset, element, active);
            self.show_rows_of_warp(block, team, inst, &[row], (w, mask, step));
        }
    }

    /// Shows the checkers the access of a warp; `false`, and nothing shown, if they have to see it lane by lane.
    fn show_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        shape: &Shape<'_>,
        (w, mask, step): (usize, u32, u64),
    ) -> bool {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return false };
        let rows = match shape {
            Shape::One(row) => std::slice::from_ref(row),
            Shape::Two(rows) => rows,
            Shape::Scattered(..) => return false,
        };
        let (bytes, is_load) = (access.lane_bytes(), matches!(inst.op, Op::Load(_)));
        let is_known = |row: &Row| {
            let range =
                row.range(bytes).filter(|_| is_load || !self.initialisation.is_on || row.is_dense(bytes));
            range.is_some_and(|range| self.is_known(block, access, range, is_load))
        };
        if !rows.iter().all(is_known) {
            return false;
        }
        if self.watch.is_some() {
            self.show_rows_of_warp(block, team, inst, rows, (w, mask, step));
        }
        true
    }

    /// Notes that all bytes of a range are about to be written, or asks whether a load finds them written.
    fn is_known(
        &mut self,
        block: &mut Block,
        access: &Access,
        (start, bytes): (u64, u64),
        is_load: bool,
    ) -> bool {
        let reports = self.initialisation.reports;
        if !self.initialisation.is_on || is_load && !reports {
            return true;
        }
        let is_shared = access.address.memory == Memory::Shared;
        let (written, start) = if is_shared && reports {
            (&mut block.shared_written, start as usize)
        } else if !is_shared && self.global.has_unwritten() {
            let Ok((region, offset)) = self.global.locate(start, bytes) else { return false };
            let Some(written) = self.global.written_mut(region) else { return true };
            (written, offset)
        } else {
            return true;
        };
        let range = start..start + bytes as usize;
        if range.end > written.bytes() {
            return false;
        }
        if is_load {
            return written.has(range);
        }
        written.set(range);
        true
    }

    /// Shows the checker of races the access of a warp whose lanes form rows.
    #[inline(always)]
    fn show_rows_of_warp(
        &mut self,
        block: &mut Block,
        team: &Team,
        inst: &Inst,
        rows: &[Row],
        (w, mask, step): (usize, u32, u64),
    ) {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return };
        let Some(watch) = &mut self.watch else { return };
        let order =
            LaneOrder::new(self.launch.seed, block.number, w as u32, block.warps[w].steps + team.done);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        watch.run(block.slot, w, mask);
        watch.at(team.pc, step);
        let show =
            |left, row: &Row| left | watch.strided(seen, row.line(), row.mask, (access, kind_of(inst)));
        let left = rows.iter().fold(0, show);
        self.show_lanes(block, team, inst, (w, left));
    }

    /// Shows the checker of races lanes of a warp one by one, in the step that it knows of.
    #[inline(always)]
    fn show_lanes(&mut self, block: &mut Block, team: &Team, inst: &Inst, (w, lanes): (usize, u32)) {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return };
        let Some(watch) = self.watch.as_mut().filter(|_| lanes != 0) else { return };
        expand(&mut block.registers, team.frame.base, self.program.reads(inst));
        let order =
            LaneOrder::new(self.launch.seed, block.number, w as u32, block.warps[w].steps + team.done);
        let seen = MemoryView { global: self.global, shared: &block.shared, order };
        let lanes = block.registers.lanes(w, team.frame.base, lanes);
        watch.access(seen, &lanes, &inst.args, (access, kind_of(inst)), &team.frame);
    }
}

/// What the checker of races calls a load or a store.
fn kind_of(inst: &Inst) -> OpKind {
    if matches!(inst.op, Op::Load(_)) { OpKind::Load } else { OpKind::Store }
}

impl Addresses {
    /// The addresses of a load from or a store to global or shared memory, where they are affine.
    #[inline(always)]
    fn of(block: &Block, team: &Team, inst: &Inst) -> Option<Addresses> {
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return None };
        if !matches!(access.address.memory, Memory::Global | Memory::Shared) {
            return None;
        }
        let (registers, base, slot) = (&block.registers, team.frame.base, inst.args.a);
        let grid = registers.grid();
        let offset = Affine::uniform(access.address.offset as u64);
        let value = match access.address.base {
            Base::Wide => registers.affine(base, slot, true)?.plus(offset),
            // Addresses of 32 bits wrap where those of 64 do not.
            Base::Narrow => {
                registers.affine(base, slot, false)?.plus(offset).narrow().widened(false, grid)?
            }
            Base::Absolute => offset,
            Base::Frame => return None,
        };
        Some(Addresses { value, grid })
    }

    /// Where the elements of all threads of the block begin, and how far they reach, if none of them is misaligned and no address
    /// wraps.
    #[inline(always)]
    fn range(&self, bytes: u64) -> Option<(u64, u64)> {
        let Addresses { value, grid } = *self;
        let is_aligned = (value.base | value.x | value.y | value.warp).is_multiple_of(bytes);
        let (least, most) = value.exact(true, false, grid).filter(|_| is_aligned)?.range(grid);
        Some((least as u64, (most - least) as u64 + bytes))
    }

    /// How the addresses of lanes of a warp lie.
    #[inline(always)]
    fn shape<'s>(&self, w: usize, mask: u32, scratch: &'s mut Wide) -> Shape<'s> {
        let Addresses { value, grid } = *self;
        let first = value.of_warp(w);
        if let Some(stride) = value.stride(grid) {
            return Shape::One(Row::from_lane_0(first, stride, mask));
        }
        if mask == FULL_MASK && grid.columns == WARP_SIZE as u32 / 2 {
            return Shape::of_halves(first, first.wrapping_add(value.y), value.x);
        }
        for (lane, address) in scratch.iter_mut().enumerate() {
            *address = value.lane(first, lane, grid);
        }
        Shape::of(scratch, mask)
    }
}

/// The bank of the register of an access by which each lane loads or stores one word of its width.
fn bank_of(access: &Access) -> Option<Bank> {
    match (access.count, access.bytes, access.register_bits) {
        (1, 4, 32) => Some(Bank::Narrow),
        (1, 8, 64) => Some(Bank::Wide),
        _ => None,
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
    /// Loads the register of this number for each warp of a team, row by row; the warps, and what that costs. `None` where the
    /// lanes of a warp are not in rows, or a row is in two pages of a fork.
    #[inline(never)]
    fn load<T: Word>(
        &self,
        global: &mut Global,
        block: &mut Block,
        (team, addresses, slot): (&Team, Addresses, Slot),
        may_replace: bool,
    ) -> Option<(u64, u64)> {
        let columns = T::columns_to_write(&mut block.registers, team.frame.base, slot, may_replace);
        let (mut warps, mut cost, mut scratch) = (0, 0, [0; WARP_SIZE]);
        for (w, _, active) in team.members().filter(|(.., active)| *active != 0) {
            let shape = addresses.shape(w, active, &mut scratch);
            for row in shape.rows() {
                let (offset, length) = self.part::<T>(row)?;
                let data = if self.is_shared {
                    block.shared.get(offset..offset + length)
                } else {
                    read_row(global, row, (self.region, offset), (length, size_of::<T>() as u64))
                };
                row.load_words(&mut columns[w], data?);
            }
            warps += 1;
            cost += self.cost::<T>(&shape, true)?;
        }
        Some((warps, cost))
    }

    /// [`Piece::load`], to store it. No two lanes of a warp may store to the same byte.
    #[inline(never)]
    fn store<T: Word>(
        &self,
        global: &mut Global,
        block: &mut Block,
        (team, addresses, slot): (&Team, Addresses, Slot),
    ) -> Option<(u64, u64)> {
        let columns = T::columns(&mut block.registers, team.frame.base, slot);
        let (mut warps, mut cost, mut scratch) = (0, 0, [0; WARP_SIZE]);
        for (w, _, active) in team.members().filter(|(.., active)| *active != 0) {
            let shape = addresses.shape(w, active, &mut scratch);
            if !shape.is_disjoint(size_of::<T>() as u64) {
                return None;
            }
            for row in shape.rows() {
                let (offset, length) = self.part::<T>(row)?;
                let data = if self.is_shared {
                    block.shared.get_mut(offset..offset + length)
                } else {
                    write_row(global, row, (self.region, offset), (length, size_of::<T>() as u64))
                };
                row.store_words(&columns[w], data?);
            }
            warps += 1;
            cost += self.cost::<T>(&shape, false)?;
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
        let bytes = size_of::<T>() as u64;
        Some(match (shape, self.is_shared) {
            (Shape::Scattered(..), _) => return None,
            (_, false) => shape.sectors(bytes),
            (_, true) if is_load => shape.load_conflicts(bytes),
            (_, true) => shape.store_conflicts(bytes),
        })
    }
}

/// An access of threads that follow each other to neighbouring elements.
struct Stretch<'i> {
    access: &'i Access,
    is_load: bool,
    /// Whether a load may overwrite what other threads have in the register.
    may_replace: bool,
    bank: Bank,
    slot: Slot,
    /// The first thread, which is lane 0 of its warp, and how many there are.
    threads: std::ops::Range<usize>,
    /// The address of the first element.
    start: u64,
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
    fn of<'i>(
        team: &Team,
        inst: &'i Inst,
        (addresses, may_replace): (Addresses, bool),
    ) -> Option<Stretch<'i>> {
        let (access, is_load) = match &inst.op {
            Op::Load(access) => (access, true),
            Op::Store(access) => (access, false),
            _ => return None,
        };
        let (bytes, value) = (access.lane_bytes(), addresses.value);
        let bank = bank_of(access)?;
        let threads = threads(team.active())?;
        let has_steps = value.stride(addresses.grid) == Some(bytes) || threads.len() == 1;
        let start = value.of_warp(threads.start / WARP_SIZE);
        if !has_steps || !start.is_multiple_of(bytes) {
            return None;
        }
        let is_one_warp = threads.len() <= WARP_SIZE;
        (is_one_warp || value.warp == bytes * WARP_SIZE as u64).then_some(Stretch {
            access,
            is_load,
            may_replace,
            bank,
            slot: inst.args.d,
            threads,
            start,
        })
    }

    fn bytes(&self) -> u64 {
        self.access.lane_bytes() * self.threads.len() as u64
    }

    fn touch_shared(&self, block: &mut Block, team: &Team) -> bool {
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

    fn touch_global(&self, global: &mut Global, block: &mut Block, team: &Team) -> bool {
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
    fn count(&self, counters: &mut Counters) {
        let warps = self.threads.len().div_ceil(WARP_SIZE) as u64;
        if self.access.address.memory == Memory::Shared {
            return counters.count_accesses((self.is_load, true), warps, 0);
        }
        let bytes = self.access.lane_bytes();
        let (whole, rest) = (self.threads.len() / WARP_SIZE, self.threads.len() % WARP_SIZE);
        let of_lanes = |lanes: usize| traffic::sectors_of_range(self.start, bytes * lanes as u64);
        let mut sectors = if whole != 0 { of_lanes(WARP_SIZE) * whole as u64 } else { 0 };
        if rest != 0 {
            sectors += of_lanes(rest);
        }
        counters.count_accesses((self.is_load, false), warps, sectors);
    }
}
