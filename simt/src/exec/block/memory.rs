//! Loads and stores of a group of warps.
//!
//! Where all threads touch words at equal distances it is one piece of memory for all warps; otherwise the warps take it row
//! by row, as they would alone ([`crate::exec::warp::memory`]), or lane by lane where addresses are columns.

use crate::access::address::addresses;
use crate::access::lane_order::LaneOrder;
use crate::access::traffic;
use crate::compile::affine::{Affine, Span};
use crate::compile::inst::Pc;
use crate::compile::plan::{How, Step};
use crate::exec::block::footprints::Touch;
use crate::exec::block::plane::Plane;
use crate::exec::block::run::through;
use crate::exec::block::{Lockstep, MAX_WARPS, Rows, Team};
use crate::exec::memory::Memories;
use crate::exec::state::Stop;
use crate::exec::step::touch_memory;
use crate::exec::warp::memory::{Row, Spaces};
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::machine::elements::Elements;
use crate::machine::registers::{FULL_MASK, Narrow, WARP_SIZE, lanes_of};

impl Lockstep<'_, '_> {
    /// Carries out a load or a store.
    pub(crate) fn touch(&mut self, step: &Step, pc: Pc, team: &Team) -> Result<(), Stop> {
        let inst = &self.run.program.insts[pc as usize];
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return Err(Stop::NotInLockStep) };
        if matches!(step.how, How::Touch) {
            return self.scattered(pc, access, team).ok_or(Stop::NotInLockStep);
        }
        let plane = match access.address.base {
            Base::Absolute => Plane::default(),
            _ => self.planes[usize::from(step.from[0])],
        };
        if !self.keep_apart(access, plane, matches!(step.how, How::Store), team) {
            return Err(Stop::NotInLockStep);
        }
        let done = match step.how {
            How::LoadOne => self.load_one(step, pc, plane, team),
            _ => self.one_piece(step, pc, plane, team).or_else(|| self.rows(step, pc, plane, team)),
        };
        done.ok_or(Stop::NotInLockStep)
    }

    /// Notes what is touched; whether the warps keep apart.
    fn keep_apart(&mut self, access: &Access, plane: Plane, is_store: bool, team: &Team) -> bool {
        let space = match access.address.memory {
            Memory::Global => 0,
            Memory::Shared => 1,
            // Nobody writes to the others.
            _ => return !is_store,
        };
        let offset = Plane::uniform(access.address.offset as u64);
        let (at, is_narrow) = (plane.add(offset), access.address.base == Base::Narrow);
        let signed = |steps: u64| if is_narrow { i64::from(steps as u32 as i32) } else { steps as i64 };
        let steps = (signed(at.line.stride), signed(at.hop));
        // Addresses of 32 bits do not wrap from the first thread's on.
        let base = if is_narrow { first_base(at, steps, team) } else { Some(at.line.base as i64) };
        let touch = base.and_then(|base| Touch::new(base, steps, access.lane_bytes(), team.extent));
        match touch {
            Some(touch) if is_store => self.touched[space].write(touch),
            Some(touch) => self.touched[space].read(touch, access.read_only),
            None => false,
        }
    }

    /// One element for all lanes of a warp.
    fn load_one(&mut self, step: &Step, pc: Pc, plane: Plane, team: &Team) -> Option<()> {
        let inst = &self.run.program.insts[pc as usize];
        let Op::Load(access) = &inst.op else { return None };
        let mut values = [0; MAX_WARPS];
        for (warp, mask) in team.each() {
            let row = Row::new(access, &inst.args, plane.of(warp as u32), (mask, Span::of(mask)));
            if self.keeps_written && !self.are_written(&row, step) {
                return None;
            }
            let mut spaces =
                Spaces { global: self.run.global, shared: &mut self.shared, params: &self.run.params };
            let counters = &mut self.run.traffic[pc as usize];
            values[warp] = row.load_one(&mut spaces, counters)?;
        }
        self.set(step, through(&values, team)?, team);
        Some(())
    }

    /// Notes what a row writes, or asks whether all that it reads has been written.
    #[cold]
    fn are_written(&mut self, row: &Row<'_>, step: &Step) -> bool {
        let Some((start, _)) = row.range() else { return false };
        let mut pieces = row.pieces(0);
        pieces.all(|piece| self.is_written(row.memory(), start + piece.offset as u64, piece, step))
    }

    /// The same for elements, of which the first one is at `start`.
    #[cold]
    fn is_written(&mut self, memory: Memory, start: u64, elements: Elements, step: &Step) -> bool {
        let written = match memory {
            Memory::Shared => Some((&mut self.shared_written, start as usize)),
            Memory::Global => match self.run.global.locate(start, elements.length() as u64) {
                Ok((region, offset)) => self.run.global.written_mut(region).map(|written| (written, offset)),
                Err(_) => return false,
            },
            _ => None,
        };
        // Where nobody keeps it, all has been written.
        let Some((written, offset)) = written.filter(|(written, _)| written.bytes() != 0) else {
            return true;
        };
        let elements = Elements { offset, ..elements };
        if offset + elements.length() > written.bytes() {
            return false;
        }
        if matches!(step.how, How::Store) {
            written.set_each(elements);
            return true;
        }
        !self.run.initialisation.reports || written.has_each(elements)
    }

    /// Words at equal distances, from the first thread to the last, all at once; `None`, and nothing done, where it is not
    /// that.
    fn one_piece(&mut self, step: &Step, pc: Pc, plane: Plane, team: &Team) -> Option<()> {
        let inst = &self.run.program.insts[pc as usize];
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return None };
        let piece = Piece::new(access, plane, team)?;
        let memory = access.address.memory;
        if self.keeps_written && !self.is_written(memory, piece.start, piece.elements(), step) {
            return None;
        }
        let mut spaces =
            Spaces { global: self.run.global, shared: &mut self.shared, params: &self.run.params };
        let shape = self.shape.narrow;
        let columns = self.registers.narrow[team.extent.first as usize * shape..].iter_mut();
        let columns = columns.skip(usize::from(inst.args.d)).step_by(shape * team.extent.every as usize);
        let is_load = matches!(step.how, How::Load);
        if is_load {
            piece.load(spaces.read_elements(memory, piece.start, piece.elements())?, columns);
        } else {
            piece.store(spaces.write_elements(memory, piece.start, piece.elements())?, columns);
        }
        let counters = &mut self.run.traffic[pc as usize];
        let (warps, conflicts) =
            (team.count(), traffic::conflicts_of_words(piece.stride / 4, piece.rows.mask));
        match (memory, is_load) {
            (Memory::Global, true) => {
                counters.global_load_requests += warps;
                counters.global_load_sectors += piece.sectors(warps);
            }
            (Memory::Global, false) => {
                counters.global_store_requests += warps;
                counters.global_store_sectors += piece.sectors(warps);
            }
            (Memory::Shared, true) => {
                counters.shared_load_requests += warps;
                counters.shared_load_bank_conflicts += warps * conflicts;
            }
            (Memory::Shared, false) => {
                counters.shared_store_requests += warps;
                counters.shared_store_bank_conflicts += warps * conflicts;
            }
            _ => {}
        }
        Some(())
    }

    /// A row for each warp.
    fn rows(&mut self, step: &Step, pc: Pc, plane: Plane, team: &Team) -> Option<()> {
        let inst = &self.run.program.insts[pc as usize];
        let (Op::Load(access) | Op::Store(access)) = &inst.op else { return None };
        for (warp, mask) in team.each() {
            let row = Row::new(access, &inst.args, plane.of(warp as u32), (mask, Span::of(mask)));
            if self.keeps_written && !self.are_written(&row, step) {
                return None;
            }
            let base = self.base(warp);
            let mut spaces =
                Spaces { global: self.run.global, shared: &mut self.shared, params: &self.run.params };
            let counters = &mut self.run.traffic[pc as usize];
            let is_load = matches!(step.how, How::Load);
            let mut lanes = self.registers.lanes(base, mask);
            if is_load && step.is_free && self.parted_since.is_none() {
                lanes.mask = FULL_MASK;
            }
            let done = if is_load {
                row.load(&mut spaces, &mut lanes, counters)
            } else {
                row.store(&mut spaces, &lanes, counters)
            };
            if !done {
                // Which of several lanes stores last is not for this to say.
                let is_clear = is_load || !row.overlaps();
                is_clear.then_some(())?;
                let (line, slot) = (plane.of(warp as u32), usize::from(inst.args.a));
                match access.address.base {
                    Base::Wide => line.write_wide(&mut self.registers.wide[base.wide + slot]),
                    Base::Narrow => line.write_narrow(&mut self.registers.narrow[base.narrow + slot]),
                    Base::Absolute | Base::Frame => {}
                }
                self.by_columns(pc, (warp, mask))?;
            }
        }
        Some(())
    }

    /// A load or a store at addresses that are columns. Stores are to addresses that rise from thread to thread.
    fn scattered(&mut self, pc: Pc, access: &Access, team: &Team) -> Option<()> {
        if self.keeps_written {
            return None;
        }
        let inst = &self.run.program.insts[pc as usize];
        let is_store = matches!(inst.op, Op::Store(_));
        let (mut low, mut end, mut rises) = (u64::MAX, 0, true);
        for (warp, mask) in team.each() {
            let lanes = self.registers.lanes(self.base(warp), mask);
            let at = addresses(&lanes, &access.address, inst.args.a, &self.frame);
            for lane in lanes_of(mask) {
                rises &= at[lane] >= end;
                end = end.max(at[lane].checked_add(access.lane_bytes())?);
                low = low.min(at[lane]);
            }
        }
        let space = match access.address.memory {
            Memory::Global => Some(0),
            Memory::Shared => Some(1),
            Memory::Const | Memory::Param if !is_store => None,
            _ => return None,
        };
        if let Some(space) = space {
            let touch = Touch::anywhere(low, end, team.extent)?;
            let touched = &mut self.touched[space];
            let is_apart = if is_store {
                rises && touched.write_apart(touch)
            } else {
                touched.read(touch, access.read_only)
            };
            is_apart.then_some(())?;
        }
        team.each().try_for_each(|each| self.by_columns(pc, each))
    }

    /// Carries out a load or a store of a warp as the plain loop does.
    fn by_columns(&mut self, pc: Pc, (warp, mask): (usize, u32)) -> Option<()> {
        let base = self.base(warp);
        let mut memories = Memories {
            global: self.run.global,
            shared: &mut self.shared,
            local: &mut self.local,
            params: &self.run.params,
            mbarriers: None,
            order: LaneOrder::new(self.run.launch.seed, 0, 0, 0),
            now: 0,
            initialisation: None,
            watch: None,
            follow: None,
            is_seen: false,
        };
        let inst = &self.run.program.insts[pc as usize];
        let counters = &mut self.run.traffic[pc as usize];
        let mut lanes = self.registers.lanes(base, mask);
        touch_memory(&mut memories, &mut lanes, inst, &self.frame, counters).ok()
    }
}

/// The address of lane 0 of warp 0 from which those of a team follow without wrapping at 32 bits.
fn first_base(at: Plane, (stride, hop): (i64, i64), team: &Team) -> Option<i64> {
    let (warp, lane) = (team.extent.first, team.extent.span.low);
    let first = i64::from(at.of(warp).at(lane) as u32);
    first.checked_sub(stride.checked_mul(i64::from(lane))?)?.checked_sub(hop.checked_mul(i64::from(warp))?)
}

/// Words of the threads of a team, each as far behind the one before.
struct Piece {
    /// The address of the first.
    start: u64,
    /// Bytes from one to the next.
    step: u64,
    /// How many there are.
    count: u64,
    /// Bytes from lane to lane.
    stride: i64,
    rows: Rows,
}

impl Piece {
    fn new(access: &Access, plane: Plane, team: &Team) -> Option<Piece> {
        let (rows, extent) = (team.rows?, team.extent);
        let stride = i64::try_from(plane.line.stride).ok()?;
        let to_next_warp = plane.hop.wrapping_mul(u64::from(extent.every));
        let step = if rows.count == 1 {
            to_next_warp
        } else {
            plane.line.stride.wrapping_mul(u64::from(rows.every))
        };
        let goes_on = extent.first == extent.last || to_next_warp == step.wrapping_mul(u64::from(rows.count));
        let is_words = (access.bytes, access.count, access.register_bits) == (4, 1, 32);
        if !is_words || !goes_on || !(4..1 << 32).contains(&step) || !step.is_multiple_of(4) {
            return None;
        }
        let start = plane.of(extent.first).at(extent.span.low).wrapping_add(access.address.offset as u64);
        let piece = Piece { start, step, count: team.threads, stride, rows };
        let end = start.checked_add(piece.length())?;
        let wraps = access.address.base == Base::Narrow && end > 1 << 32;
        (start.is_multiple_of(4) && !wraps).then_some(piece)
    }

    /// Bytes from the first of the first to the last of the last.
    fn length(&self) -> u64 {
        (self.count - 1) * self.step + 4
    }

    fn elements(&self) -> Elements {
        Elements { offset: 0, bytes: 4, step: self.step as usize, count: self.count as usize }
    }

    fn is_whole(&self) -> bool {
        self.step == 4 && self.rows.count as usize == WARP_SIZE
    }

    /// Puts each warp's words into its column.
    fn load<'c>(&self, data: &[u8], columns: impl Iterator<Item = &'c mut Narrow>) {
        if self.is_whole() {
            for (column, row) in columns.zip(data.as_chunks::<4>().0.chunks_exact(WARP_SIZE)) {
                column.iter_mut().zip(row).for_each(|(value, bytes)| *value = u32::from_le_bytes(*bytes));
            }
            return;
        }
        let (low, every) = (self.rows.mask.trailing_zeros() as usize, self.rows.every as usize);
        let mut words = data.chunks(self.step as usize);
        for (column, _) in columns.zip(0..self.count / u64::from(self.rows.count)) {
            for (lane, word) in (low..).step_by(every).zip(words.by_ref().take(self.rows.count as usize)) {
                column[lane % WARP_SIZE] = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            }
        }
    }

    /// Takes them from there.
    fn store<'c>(&self, data: &mut [u8], columns: impl Iterator<Item = &'c mut Narrow>) {
        if self.is_whole() {
            for (column, row) in columns.zip(data.as_chunks_mut::<4>().0.chunks_exact_mut(WARP_SIZE)) {
                column.iter().zip(row).for_each(|(value, bytes)| *bytes = value.to_le_bytes());
            }
            return;
        }
        let (low, every) = (self.rows.mask.trailing_zeros() as usize, self.rows.every as usize);
        let mut words = data.chunks_mut(self.step as usize);
        for (column, _) in columns.zip(0..self.count / u64::from(self.rows.count)) {
            for (lane, word) in (low..).step_by(every).zip(words.by_ref().take(self.rows.count as usize)) {
                word[..4].copy_from_slice(&column[lane % WARP_SIZE].to_le_bytes());
            }
        }
    }

    /// The sectors of all warps, each for itself.
    fn sectors(&self, warps: u64) -> u64 {
        let to_next_warp = self.step * u64::from(self.rows.count);
        let length = (u64::from(self.rows.count) - 1) * self.step + 4;
        let of_one = |start: u64| match self.step {
            // None is left out between the first and the last.
            ..=traffic::SECTOR_BYTES => traffic::sectors_of_range(start, length),
            _ => u64::from(self.rows.count),
        };
        if to_next_warp.is_multiple_of(traffic::SECTOR_BYTES) {
            return warps * of_one(self.start);
        }
        (0..warps).map(|warp| of_one(self.start + warp * to_next_warp)).sum()
    }
}
