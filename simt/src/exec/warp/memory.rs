//! Loads and stores at addresses that are linear in the lane.
//!
//! Lanes that touch neighbouring elements are one copy, whoever of them is active; lanes a stride apart are checked once
//! and then go one by one; and one element for all lanes is read once. Sectors and bank conflicts follow from the two
//! numbers of the line, and the checker of races is shown these two. Everything else (an access that memory denies, elements
//! that overlap, rows that do not lie in one piece, a launch that another checker watches) goes the plain way, with the
//! addresses written out.

use crate::access::element;
use crate::access::traffic;
use crate::checkers::memory_model::memory_view::MemoryView;
use crate::checkers::races::shadow::OpKind;
use crate::compile::affine::Span;
use crate::compile::inst::{Inst, Pc};
use crate::compile::plan::{How, Step};
use crate::exec::step::{Left, touch_memory, touch_watched};
use crate::exec::warp::run::{Active, Hand};
use crate::isa::op::Op;
use crate::isa::op::memory::{Access, Base, Memory};
use crate::isa::value::Args;
use crate::machine::elements::Elements;
use crate::machine::global::Global;
use crate::machine::line::{Line, Lines};
use crate::machine::registers::{FULL_MASK, Lanes, WARP_SIZE, distance, lanes_of};
use crate::report::counters::Counters;

/// An access of some lanes at addresses that are a line.
pub(crate) struct Row<'a> {
    access: &'a Access,
    args: &'a Args,
    at: Line,
    mask: u32,
    span: Span,
}

/// The memories that can be had by rows.
pub(crate) struct Spaces<'m> {
    /// Global and constant memory.
    pub global: &'m mut Global,
    /// The block's shared memory.
    pub shared: &'m mut [u8],
    /// The kernel's parameters.
    pub params: &'m [u8],
}

impl Hand<'_, '_> {
    /// Carries out a load, a store or an atomic.
    #[inline(always)]
    pub(crate) fn touch(&mut self, step: &Step, pc: Pc, active: Active) -> Result<(), Left> {
        let inst = &self.insts[pc as usize];
        self.lanes.mask = active.mask;
        let Some(row) = row_of(step, inst, self.lines, active) else { return self.plainly(step, pc, inst) };
        if self.memories.is_seen && !self.show(step, inst, &row, pc) {
            return self.plainly(step, pc, inst);
        }
        if self.by_line(step, &row, pc) {
            return Ok(());
        }
        self.write_out(step, row.access, inst.args.a);
        self.by_columns(step, (inst, pc), false)
    }

    /// Shows a load or a store to the checker of races, if nobody else is there to see it; whether that was done.
    fn show(&mut self, step: &Step, inst: &Inst, row: &Row<'_>, pc: Pc) -> bool {
        let memories = &self.memories;
        if memories.initialisation.is_some() || memories.follow.is_some() || row.range().is_none() {
            return false;
        }
        let kind = if matches!(step.how, How::Store) { OpKind::Store } else { OpKind::Load };
        let now = self.place.before + self.since(pc) - 1;
        let left = {
            let memories = &mut self.memories;
            let seen = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
            let Some(watch) = memories.watch.as_deref_mut() else { return false };
            watch.at(pc, now);
            watch.strided(seen, row.exact(), row.mask, (row.access, kind))
        };
        if left != 0 {
            self.write_out(step, row.access, inst.args.a);
            self.lanes.mask = left;
            self.memories.order.step = self.place.steps + self.since(pc);
            self.memories.now = self.place.before + self.since(pc) - 1;
            let (memories, lanes) = (&mut self.memories, &self.lanes);
            let seen = MemoryView { global: memories.global, shared: memories.shared, order: memories.order };
            if let Some(watch) = memories.watch.as_deref_mut() {
                watch.access(seen, lanes, &inst.args, (row.access, kind), &self.frame);
            }
            self.lanes.mask = row.mask;
        }
        true
    }

    /// Carries it out as the plain loop does.
    #[inline(never)]
    fn plainly(&mut self, step: &Step, pc: Pc, inst: &Inst) -> Result<(), Left> {
        if !matches!(step.how, How::Touch)
            && let Op::Load(access) | Op::Store(access) = &inst.op
        {
            self.write_out(step, access, inst.args.a);
        }
        self.by_columns(step, (inst, pc), self.memories.is_seen)
    }

    /// Carries it out by the columns of its addresses, and shows it to who watches if `shows` says so.
    #[inline(never)]
    fn by_columns(&mut self, step: &Step, (inst, pc): (&Inst, Pc), shows: bool) -> Result<(), Left> {
        self.memories.order.step = self.place.steps + self.since(pc);
        self.memories.now = self.place.before + self.since(pc) - 1;
        let counters = &mut self.traffic[pc as usize];
        let (memories, lanes, frame) = (&mut self.memories, &mut self.lanes, &self.frame);
        let outcome = if shows {
            touch_watched(memories, lanes, (inst, pc), frame, counters)
        } else {
            touch_memory(memories, lanes, inst, frame, counters)
        };
        outcome.map_err(Left::Denied)?;
        if matches!(step.how, How::LoadOne) {
            self.read_back(step, inst.args.d);
        }
        Ok(())
    }

    /// Writes the base of an address to its column.
    fn write_out(&mut self, step: &Step, access: &Access, slot: u16) {
        let line = self.lines[step.from[0] as usize];
        match access.address.base {
            Base::Wide => line.write_wide(&mut self.lanes.wide[slot as usize]),
            Base::Narrow => line.write_narrow(&mut self.lanes.narrow[slot as usize]),
            Base::Absolute | Base::Frame => {}
        }
    }

    /// Reads what all active lanes got from a column into its line.
    fn read_back(&mut self, step: &Step, slot: u16) {
        let lane = self.lanes.mask.trailing_zeros() as usize % WARP_SIZE;
        let value = if step.wide {
            self.lanes.wide[slot as usize][lane]
        } else {
            u64::from(self.lanes.narrow[slot as usize][lane])
        };
        self.set(step, Line::uniform(value));
    }

    /// Carries it out by its line; `false`, and nothing done, where that cannot be.
    #[inline(always)]
    fn by_line(&mut self, step: &Step, row: &Row<'_>, pc: Pc) -> bool {
        let counters = &mut self.traffic[pc as usize];
        let memories = &mut self.memories;
        let spaces =
            &mut Spaces { global: memories.global, shared: memories.shared, params: memories.params };
        match step.how {
            How::LoadOne => match row.load_one(spaces, counters) {
                Some(value) => {
                    self.set(step, Line::uniform(value));
                    true
                }
                None => false,
            },
            How::Load => {
                if step.is_free {
                    self.lanes.mask = FULL_MASK;
                }
                let done = row.load(spaces, &mut self.lanes, counters);
                self.lanes.mask = row.mask;
                done
            }
            _ => row.store(spaces, &self.lanes, counters),
        }
    }
}

/// Loads a row from global memory, and notes what the kernel has read; `false` where it does not lie in one piece.
#[inline(always)]
fn read_global(
    global: &mut Global,
    lanes: &mut Lanes<'_>,
    row: &Row<'_>,
    (region, offset, length): (usize, usize, usize),
) -> bool {
    if row.is_dense() && row.is_whole() {
        return global.read(region, offset, length).map(|data| load_lanes(lanes, row, data)).is_some();
    }
    let Some(data) = global.peek(region, offset, length) else { return false };
    load_lanes(lanes, row, data);
    if global.is_fork() {
        row.pieces(offset).for_each(|piece| global.note_read(region, piece));
    }
    true
}

/// Stores a row to global memory: [`read_global`].
#[inline(always)]
fn write_global(
    global: &mut Global,
    lanes: &Lanes<'_>,
    row: &Row<'_>,
    (region, offset, length): (usize, usize, usize),
) -> bool {
    if row.is_dense() && row.is_whole() {
        return global.write(region, offset, length).map(|data| store_lanes(lanes, row, data)).is_some();
    }
    let Some(data) = global.poke(region, offset, length) else { return false };
    store_lanes(lanes, row, data);
    if global.is_fork() {
        row.pieces(offset).for_each(|piece| global.note_written(region, piece));
    }
    true
}

/// The row of a load or a store whose addresses are a line.
#[inline(always)]
fn row_of<'a>(step: &Step, inst: &'a Inst, lines: &Lines, active: Active) -> Option<Row<'a>> {
    let (How::LoadOne | How::Load | How::Store, Op::Load(access) | Op::Store(access)) = (step.how, &inst.op)
    else {
        return None;
    };
    let base = match access.address.base {
        Base::Absolute => Line::default(),
        _ => lines[step.from[0] as usize],
    };
    Some(Row::new(access, &inst.args, base, (active.mask, active.span)))
}

fn inside(memory: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let end = start.checked_add(length).filter(|&end| end <= memory.len() as u64)?;
    memory.get(start as usize..end as usize)
}

fn inside_mut(memory: &mut [u8], start: u64, length: u64) -> Option<&mut [u8]> {
    let end = start.checked_add(length).filter(|&end| end <= memory.len() as u64)?;
    memory.get_mut(start as usize..end as usize)
}

impl Spaces<'_> {
    /// Bytes of a row or of several that lie one behind the other, for a load; `None` where they do not lie in one piece.
    pub fn read(&mut self, memory: Memory, start: u64, length: u64) -> Option<&[u8]> {
        match memory {
            Memory::Global | Memory::Const => {
                let (region, offset) = self.global.locate(start, length).ok()?;
                self.global.read(region, offset, length as usize)
            }
            Memory::Shared => inside(self.shared, start, length),
            _ => inside(self.params, start, length),
        }
    }

    /// The bytes from the first of some elements to the last, for a load of these; those in between are not read.
    pub fn read_elements(&mut self, memory: Memory, start: u64, elements: Elements) -> Option<&[u8]> {
        let length = elements.length();
        if elements.step == elements.bytes || !matches!(memory, Memory::Global | Memory::Const) {
            return self.read(memory, start, length as u64);
        }
        let (region, offset) = self.global.locate(start, length as u64).ok()?;
        self.global.peek(region, offset, length)?;
        self.global.note_read(region, Elements { offset, ..elements });
        self.global.peek(region, offset, length)
    }

    /// [`Spaces::read_elements`] for a store.
    pub fn write_elements(&mut self, memory: Memory, start: u64, elements: Elements) -> Option<&mut [u8]> {
        let length = elements.length();
        match memory {
            Memory::Global => {
                let (region, offset) = self.global.locate_writable(start, length as u64).ok()?;
                if elements.step == elements.bytes {
                    return self.global.write(region, offset, length);
                }
                self.global.peek(region, offset, length)?;
                self.global.note_written(region, Elements { offset, ..elements });
                self.global.poke(region, offset, length)
            }
            Memory::Shared => inside_mut(self.shared, start, length as u64),
            _ => None,
        }
    }
}

impl<'a> Row<'a> {
    /// An access of some lanes, at addresses that have this line as their base.
    #[inline(always)]
    pub fn new(access: &'a Access, args: &'a Args, base: Line, (mask, span): (u32, Span)) -> Row<'a> {
        let at = Line { base: base.base.wrapping_add(access.address.offset as u64), ..base };
        let at = if matches!(access.address.base, Base::Narrow) { at.narrow() } else { at };
        Row { access, args, at, mask, span }
    }

    /// One element for all lanes.
    pub fn load_one(&self, spaces: &mut Spaces<'_>, counters: &mut Counters) -> Option<u64> {
        let bytes = self.access.lane_bytes();
        if !self.at.base.is_multiple_of(bytes) {
            return None;
        }
        let data = spaces.read(self.access.address.memory, self.at.base, bytes)?;
        // A word, which it mostly is, without a `match`.
        let value = match <[u8; 4]>::try_from(data) {
            Ok(word) if self.access.register_bits == 32 => u64::from(u32::from_le_bytes(word)),
            _ => element::extend(data, self.access),
        };
        match self.access.address.memory {
            Memory::Global => {
                counters.global_load_requests += 1;
                counters.global_load_sectors += 1;
            }
            Memory::Shared => counters.shared_load_requests += 1,
            _ => {}
        }
        Some(value)
    }

    /// Loads columns; `false`, and nothing done, where that cannot be done by the row.
    pub fn load(&self, spaces: &mut Spaces<'_>, lanes: &mut Lanes<'_>, counters: &mut Counters) -> bool {
        let Some((start, length)) = self.range() else { return false };
        match self.access.address.memory {
            Memory::Global | Memory::Const => {
                let Ok((region, offset)) = spaces.global.locate(start, length) else { return false };
                if !read_global(spaces.global, lanes, self, (region, offset, length as usize)) {
                    return false;
                }
                if self.access.address.memory == Memory::Global {
                    counters.global_load_requests += 1;
                    counters.global_load_sectors += self.sectors();
                }
            }
            Memory::Shared => {
                let Some(data) = inside(spaces.shared, start, length) else { return false };
                load_lanes(lanes, self, data);
                counters.shared_load_requests += 1;
                counters.shared_load_bank_conflicts += self.conflicts(traffic::load_conflicts);
            }
            _ => {
                let Some(data) = inside(spaces.params, start, length) else { return false };
                load_lanes(lanes, self, data);
            }
        }
        true
    }

    /// Stores columns; `false`, and nothing done, where that cannot be done by the row.
    pub fn store(&self, spaces: &mut Spaces<'_>, lanes: &Lanes<'_>, counters: &mut Counters) -> bool {
        // Of lanes whose elements overlap, who comes last is the seed's choice.
        if self.overlaps() {
            return false;
        }
        let Some((start, length)) = self.range() else { return false };
        match self.access.address.memory {
            Memory::Global => {
                let Ok((region, offset)) = spaces.global.locate_writable(start, length) else {
                    return false;
                };
                if !write_global(spaces.global, lanes, self, (region, offset, length as usize)) {
                    return false;
                }
                counters.global_store_requests += 1;
                counters.global_store_sectors += self.sectors();
            }
            Memory::Shared => {
                let Some(data) = inside_mut(spaces.shared, start, length) else { return false };
                store_lanes(lanes, self, data);
                counters.shared_store_requests += 1;
                counters.shared_store_bank_conflicts += self.conflicts(traffic::store_conflicts);
            }
            _ => return false,
        }
        true
    }

    /// Bytes from lane to lane, of addresses of 32 bits as of those of 64.
    #[inline(always)]
    fn step(&self) -> i64 {
        match self.access.address.base {
            Base::Narrow => i64::from(self.at.stride as u32 as i32),
            _ => self.at.stride as i64,
        }
    }

    /// The address of the lowest lane of the span.
    #[inline(always)]
    fn first(&self) -> u64 {
        let first = self.at.at(self.span.low);
        if self.access.address.base == Base::Narrow { u64::from(first as u32) } else { first }
    }

    /// The address of lane 0 and the step, so that those of the active lanes follow modulo 2^64.
    fn exact(&self) -> (u64, u64) {
        let (first, step) = (self.first(), self.step() as u64);
        (first.wrapping_sub(step.wrapping_mul(u64::from(self.span.low))), step)
    }

    /// Whether elements of several lanes may have bytes in common.
    #[inline(always)]
    pub fn overlaps(&self) -> bool {
        self.span.low != self.span.high && self.step().unsigned_abs() < self.access.lane_bytes()
    }

    /// The memory that it goes to.
    pub fn memory(&self) -> Memory {
        self.access.address.memory
    }

    /// The first byte that any lane of the span touches, and how many there are up to the last; `None` where an element is
    /// misaligned or something wraps.
    #[inline(always)]
    pub fn range(&self) -> Option<(u64, u64)> {
        let bytes = self.access.lane_bytes();
        let (first, step) = (self.first(), self.step());
        let lanes = i64::from(self.span.high - self.span.low);
        let aligned =
            first.is_multiple_of(bytes) && (lanes == 0 || step.unsigned_abs().is_multiple_of(bytes));
        if !aligned {
            return None;
        }
        let last = first.checked_add_signed(step.checked_mul(lanes)?)?;
        if self.access.address.base == Base::Narrow && last > u64::from(u32::MAX) {
            return None;
        }
        Some((first.min(last), first.abs_diff(last).checked_add(bytes)?))
    }

    /// The offset of a lane's element from the start of the range.
    #[inline(always)]
    fn offset(&self, lane: usize) -> usize {
        let (step, low, high) = (self.step(), self.span.low as i64, self.span.high as i64);
        let from = if step < 0 { high } else { low };
        (step * (lane as i64 - from)) as usize
    }

    /// Whether lanes touch neighbouring elements.
    #[inline(always)]
    fn is_dense(&self) -> bool {
        self.span.low == self.span.high || self.step() == self.access.lane_bytes() as i64
    }

    /// Whether no lane of the span is missing.
    #[inline(always)]
    fn is_whole(&self) -> bool {
        self.mask == FULL_MASK >> (31 - (self.span.high - self.span.low)) << self.span.low
    }

    /// The elements of the active lanes, as few pieces as can be, if the range starts at `offset`.
    pub fn pieces(&self, offset: usize) -> impl Iterator<Item = Elements> {
        let bytes = self.access.lane_bytes() as usize;
        let regular = self.regular().map(|(_, step)| Elements {
            offset,
            bytes,
            step: step.unsigned_abs() as usize,
            count: self.mask.count_ones() as usize,
        });
        let irregular = if regular.is_some() { 0 } else { self.mask };
        let each = move |lane| Elements { offset: offset + self.offset(lane), bytes, step: 0, count: 1 };
        regular.into_iter().chain(lanes_of(irregular).map(each))
    }

    /// How far the active lanes lie from each other, if that is the same for all, and their elements.
    #[inline(always)]
    fn regular(&self) -> Option<(usize, i64)> {
        distance(self.mask).map(|every| (every as usize, self.step() * i64::from(every)))
    }

    /// The sectors that the active lanes touch.
    #[inline(always)]
    fn sectors(&self) -> u64 {
        let (first, step) = (self.first(), self.step());
        let bytes = self.access.lane_bytes();
        if self.is_dense() && self.is_whole() {
            return traffic::sectors_of_range(first, bytes * u64::from(self.span.high - self.span.low + 1));
        }
        match self.regular() {
            // None is left out between the first and the last.
            Some((_, step)) if step.unsigned_abs() <= traffic::SECTOR_BYTES => {
                let lanes = i64::from(self.span.high - self.span.low);
                let last = first.wrapping_add_signed(self.step() * lanes);
                (first / traffic::SECTOR_BYTES).abs_diff(last / traffic::SECTOR_BYTES) + 1
            }
            _ => traffic::sectors_of_line(first, step, self.mask >> self.span.low),
        }
    }

    /// The extra passes that they need in shared memory, as `plain` counts them.
    #[inline(always)]
    fn conflicts(&self, plain: fn(&[u64; WARP_SIZE], u32, u64) -> u64) -> u64 {
        let bytes = self.access.lane_bytes();
        let (first, step) = (self.first(), self.step());
        if bytes == 4 {
            return traffic::conflicts_of_words(step / 4, self.mask >> self.span.low);
        }
        let at = std::array::from_fn(|lane| {
            first.wrapping_add_signed(step.wrapping_mul(lane as i64 - i64::from(self.span.low)))
        });
        plain(&at, self.mask, bytes)
    }
}

/// Loads the active lanes' elements from the bytes of a row's range.
#[inline(always)]
fn load_lanes(lanes: &mut Lanes<'_>, row: &Row<'_>, data: &[u8]) {
    let (access, low) = (row.access, row.span.low as usize);
    let words = (access.bytes, access.count, access.register_bits) == (4, 1, 32);
    if words && row.is_dense() && lanes.mask == FULL_MASK {
        let column = &mut lanes.narrow[row.args.d as usize];
        for (value, bytes) in column[low..].iter_mut().zip(data.as_chunks::<4>().0) {
            *value = u32::from_le_bytes(*bytes);
        }
        return;
    }
    if words && row.step() == 0 {
        let value = u32::from_le_bytes([data[0], data[1], data[2], data[3]]);
        return lanes.write_narrow(row.args.d, |_| value);
    }
    if words && let Some((every, step @ 1..)) = row.regular() {
        let column = &mut lanes.narrow[row.args.d as usize];
        for (number, element) in data.chunks(step as usize).enumerate() {
            column[(low + number * every) % WARP_SIZE] =
                u32::from_le_bytes([element[0], element[1], element[2], element[3]]);
        }
        return;
    }
    if words {
        let column = &mut lanes.narrow[row.args.d as usize];
        for lane in lanes_of(row.mask) {
            let element = &data[row.offset(lane)..][..4];
            column[lane] = u32::from_le_bytes([element[0], element[1], element[2], element[3]]);
        }
        return;
    }
    for lane in lanes_of(row.mask) {
        element::load_lane(lanes, row.args, access, lane, &data[row.offset(lane)..]);
    }
}

/// Stores the active lanes' elements to the bytes of a row's range.
#[inline(always)]
fn store_lanes(lanes: &Lanes<'_>, row: &Row<'_>, data: &mut [u8]) {
    let (access, low) = (row.access, row.span.low as usize);
    let words = (access.bytes, access.count, access.register_bits) == (4, 1, 32);
    if words && row.is_dense() && row.is_whole() {
        let column = &lanes.narrow[row.args.d as usize];
        for (value, bytes) in column[low..].iter().zip(data.as_chunks_mut::<4>().0) {
            *bytes = value.to_le_bytes();
        }
        return;
    }
    if words && let Some((every, step @ 1..)) = row.regular() {
        let column = &lanes.narrow[row.args.d as usize];
        for (number, element) in data.chunks_mut(step as usize).enumerate() {
            element[..4].copy_from_slice(&column[(low + number * every) % WARP_SIZE].to_le_bytes());
        }
        return;
    }
    if words {
        let column = &lanes.narrow[row.args.d as usize];
        for lane in lanes_of(row.mask) {
            data[row.offset(lane)..][..4].copy_from_slice(&column[lane].to_le_bytes());
        }
        return;
    }
    for lane in lanes_of(row.mask) {
        element::store_lane(lanes, row.args, access, lane, &mut data[row.offset(lane)..]);
    }
}
