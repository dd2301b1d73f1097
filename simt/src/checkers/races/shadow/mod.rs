//! The shadow memory of the race checker. For each byte it records the last plain store, and the plain loads and strong
//! accesses since.
//!
//! Shadow memory consists of pages, which are created when they are first accessed. A page has a *cell* for each 32-bit
//! word, or for each byte once it is accessed in smaller units. If the lanes of a warp access a line of 32 words with a
//! constant stride, as in most kernels, one [`layer`] represents all of these words. The loads of a word are also a
//! single cell as long as one warp made them with one instruction. If there are more, or strong accesses, they are
//! stored in a list.

pub mod layer;
mod page;

use layer::{LINE, LaneMap, Layer, Row};
use page::{LINES, Page};

use std::collections::BTreeMap;

use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::order::clocks::WarpClock;
use crate::order::vector_clock::VectorClock;
use crate::order::{ByteRange, Epoch, Scope, Thread};

/// Bytes in a page.
pub const PAGE_BYTES: u64 = 4096;
/// The largest number of entries in a list. Of older accesses, only the threads are remembered ([`Forgotten`]).
const MAX_ENTRIES: usize = 64;
/// Marks a cell that refers to a list.
const LIST: u32 = u32::MAX;
const WARP_SHIFT: u32 = 27;
/// Marks a load that promises that no thread writes these bytes (`ld.global.nc`).
pub const READ_ONLY: u32 = 1 << 26;
const PC: u32 = READ_ONLY - 1;

/// An access: block, warp, lanes, clock and instruction. The default is no access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The number of the block, or of the list if the cell refers to one.
    pub block: u32,
    /// The clock of the warp.
    pub clock: u32,
    /// The warp, whether it was a read-only load, and the instruction.
    origin: u32,
    /// The lanes; 0 if there is no access.
    pub mask: u32,
}

impl Cell {
    /// An access of some lanes of a warp.
    #[inline(always)]
    pub fn new(warp_clock: &WarpClock<'_>, mask: u32, pc_and_flags: u32) -> Cell {
        Cell {
            block: warp_clock.block,
            clock: warp_clock.clock,
            origin: warp_clock.warp << WARP_SHIFT | pc_and_flags,
            mask,
        }
    }

    fn list(number: usize) -> Cell {
        Cell { block: number as u32, clock: 0, origin: LIST, mask: 0 }
    }

    /// The list to which the cell refers, if it does.
    #[inline(always)]
    pub fn as_list(self) -> Option<usize> {
        (self.origin == LIST && self.mask == 0).then_some(self.block as usize)
    }

    /// The same access by other lanes.
    #[inline(always)]
    #[must_use]
    pub fn with_mask(self, mask: u32) -> Cell {
        Cell { mask, ..self }
    }

    /// The warp.
    #[inline(always)]
    pub fn warp(self) -> u32 {
        self.origin >> WARP_SHIFT
    }

    /// The instruction.
    pub fn pc(self) -> u32 {
        self.origin & PC
    }

    /// Whether it was a read-only load.
    pub fn is_read_only(self) -> bool {
        self.origin & READ_ONLY != 0
    }

    /// Whether there is no access here, or one that is ordered before what each of some lanes does now, as far as the
    /// clock of the warp can tell.
    #[inline(always)]
    pub fn is_ordered(self, warp_clock: &WarpClock<'_>, lanes: u32) -> bool {
        if self.mask == 0 {
            return self.origin != LIST;
        }
        if self.block != warp_clock.block {
            return false;
        }
        let warp = self.warp();
        if warp == warp_clock.warp {
            self.clock <= warp_clock.floor || (self.mask == lanes && lanes.is_power_of_two())
        } else {
            self.clock <= warp_clock.floors[warp as usize % WARP_SIZE]
        }
    }

    /// Whether there is no access here, or one that is ordered before what any lane of the warp does now.
    pub fn is_ordered_for_all(self, warp_clock: &WarpClock<'_>) -> bool {
        if self.mask == 0 {
            return self.origin != LIST;
        }
        let floor = if self.warp() == warp_clock.warp {
            warp_clock.floor
        } else {
            warp_clock.floors[self.warp() as usize % WARP_SIZE]
        };
        self.block == warp_clock.block && self.clock <= floor
    }

    /// The epoch of one of its lanes.
    pub fn epoch(self, lane: u32) -> Epoch {
        let number = (self.warp() * WARP_SIZE as u32 + lane) as u16;
        Epoch { thread: Thread { block: self.block, number }, clock: self.clock }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// It loads.
    Load,
    /// It stores.
    Store,
    /// It loads and stores atomically.
    Update,
}

/// An access in a list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The lanes, their clock and the instruction.
    pub cell: Cell,
    /// What it did.
    pub kind: OpKind,
    /// Its scope; `None` for a weak access.
    pub scope: Option<Scope>,
    /// The bytes that it accessed.
    pub range: ByteRange,
    /// The chain of updates to which it belongs, or whose store it observed; 0 if there is none.
    pub chain: u64,
    /// The lane of the cell that accessed last.
    pub last: u8,
    /// Whether it is volatile and its thread had passed no fence.
    pub is_unfenced_volatile: bool,
}

/// The accesses of a cell that no longer fit into its list. Their epochs are known, but not their instructions.
#[derive(Clone, Debug, Default)]
pub struct Forgotten {
    /// Weak loads.
    pub weak: VectorClock,
    /// All loads.
    pub loads: VectorClock,
    /// Strong stores and updates.
    pub writes: VectorClock,
}

impl Forgotten {
    fn add(&mut self, entry: &Entry) {
        let is_load = entry.kind == OpKind::Load;
        for lane in lanes_of(entry.cell.mask) {
            let epoch = entry.cell.epoch(lane as u32);
            if is_load {
                self.loads.raise(epoch);
            } else {
                self.writes.raise(epoch);
            }
            if is_load && entry.scope.is_none() {
                self.weak.raise(epoch);
            }
        }
    }
}

/// The shadow of one memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
}

/// The lists of all shadow memories.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    entries: Vec<Vec<Entry>>,
    forgotten: BTreeMap<usize, Forgotten>,
    free: Vec<usize>,
}

impl Lists {
    /// The entries of a list, oldest first.
    pub fn entries(&self, list: usize) -> &[Entry] {
        &self.entries[list]
    }

    /// What has been removed from a list because it was full, if anything.
    pub fn forgotten(&self, list: usize) -> Option<&Forgotten> {
        self.forgotten.get(&list)
    }

    fn add(&mut self, entries: Vec<Entry>) -> usize {
        if let Some(list) = self.free.pop() {
            self.entries[list] = entries;
            return list;
        }
        self.entries.push(entries);
        self.entries.len() - 1
    }

    fn remove(&mut self, list: usize) {
        self.entries[list].clear();
        self.forgotten.remove(&list);
        self.free.push(list);
    }
}

impl Shadow {
    /// The page at an offset. `is_fine` requests a cell for each byte.
    #[inline]
    fn page(&mut self, offset: u64, is_fine: bool, lists: &mut Lists) -> &mut Page {
        let number = (offset / PAGE_BYTES) as usize;
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, Page::default);
        }
        let page = &mut self.pages[number];
        if is_fine && !page.is_fine {
            page.refine(lists);
        }
        page
    }

    /// Checks a plain access to words of one line, and records it if the fast path can tell that it does not race.
    #[inline]
    fn access(&mut self, warp_clock: &WarpClock<'_>, line: u64, new: &Layer, is_store: bool) -> bool {
        let number = line as usize / LINES;
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, Page::default);
        }
        self.pages[number].access(warp_clock, line as usize % LINES, new, is_store)
    }

    /// Checks a plain access of a row, line by line, and records the lines for which the fast path can tell. Returns
    /// the lanes for which it cannot.
    #[inline]
    pub fn check_row(&mut self, warp_clock: &WarpClock<'_>, cell: Cell, row: Row, is_store: bool) -> u32 {
        let mut left = 0;
        row.each(|part| {
            let new = Layer { cell: cell.with_mask(part.words), lane_map: part.lane_map };
            if !self.access(warp_clock, part.line, &new, is_store) {
                left |= part.lanes;
            }
        });
        left
    }

    /// The same as [`Shadow::check_row`] for a plain load of the same words by several lanes. Returns whether the fast
    /// path could tell.
    #[inline]
    pub fn check_broadcast(
        &mut self,
        warp_clock: &WarpClock<'_>,
        cell: Cell,
        offset: u64,
        bytes: u64,
        lanes: u32,
    ) -> bool {
        if !bytes.is_multiple_of(4) || !offset.is_multiple_of(bytes) {
            return false;
        }
        let words = ((1 << (bytes / 4)) - 1) << (offset / 4 % LINE as u64);
        let new = Layer { cell: cell.with_mask(words), lane_map: LaneMap::All(lanes) };
        self.access(warp_clock, offset / 4 / LINE as u64, &new, false)
    }

    /// Prepares the cells of a range, and returns their offsets.
    pub fn cells(
        &mut self,
        range: ByteRange,
        lists: &mut Lists,
    ) -> impl Iterator<Item = u64> + Clone + use<> {
        let (offset, bytes) = (range.offset, u64::from(range.bytes));
        let step = self.prepare(offset, bytes, lists);
        (offset - offset % step..offset + bytes).step_by(step as usize)
    }

    /// Prepares the cells of some bytes, and returns the distance between them.
    fn prepare(&mut self, offset: u64, bytes: u64, lists: &mut Lists) -> u64 {
        let is_fine = !offset.is_multiple_of(4) || !bytes.is_multiple_of(4);
        let mut step = 4;
        // If an access crosses a page boundary, both pages get cells of the same size.
        let pages = (offset / PAGE_BYTES)..=((offset + bytes - 1) / PAGE_BYTES);
        for page in pages.clone() {
            if self.page(page * PAGE_BYTES, is_fine, lists).is_fine {
                step = 1;
            }
        }
        if step == 1 {
            for page in pages {
                self.page(page * PAGE_BYTES, true, lists);
            }
        }
        step
    }

    fn index(&self, offset: u64) -> (usize, usize) {
        let page = (offset / PAGE_BYTES) as usize;
        let step = if self.pages[page].is_fine { 1 } else { 4 };
        (page, (offset % PAGE_BYTES / step) as usize)
    }

    /// The last plain store to a prepared cell.
    pub fn store(&self, offset: u64) -> Cell {
        let (page, index) = self.index(offset);
        self.pages[page].stores.get(index)
    }

    /// The accesses to a prepared cell since its last plain store.
    pub fn loads(&self, offset: u64) -> Cell {
        let (page, index) = self.index(offset);
        self.pages[page].loads.get(index)
    }

    /// Records a plain store and forgets everything before it: what races with that races with this store too, or is
    /// ordered after it.
    pub fn set_store(&mut self, offset: u64, cell: Cell, lists: &mut Lists) {
        let (page, index) = self.index(offset);
        let page = &mut self.pages[page];
        page.stores.set(index, cell);
        let loads = page.loads.get(index);
        if let Some(list) = loads.as_list() {
            lists.remove(list);
        }
        if loads != Cell::default() {
            page.loads.set(index, Cell::default());
        }
    }

    /// Records one load in place of all others.
    pub fn set_loads(&mut self, offset: u64, cell: Cell) {
        let (page, index) = self.index(offset);
        self.pages[page].loads.set(index, cell);
    }

    /// Adds an entry to the list of a prepared cell. `replaces` selects the entries that it makes unnecessary.
    pub fn add(&mut self, offset: u64, entry: Entry, lists: &mut Lists, replaces: impl Fn(&Entry) -> bool) {
        let loads = self.loads(offset);
        let list = loads.as_list().unwrap_or_else(|| {
            let first = (loads.mask != 0).then(|| Entry::plain_load(loads, entry.range));
            let list = lists.add(first.into_iter().collect());
            self.set_loads(offset, Cell::list(list));
            self.pages[(offset / PAGE_BYTES) as usize].has_lists = true;
            list
        });
        if entry.scope.is_some() && entry.kind != OpKind::Load {
            self.pages[(offset / PAGE_BYTES) as usize].is_strong = true;
        }
        let entries = &mut lists.entries[list];
        if let Some(last) = entries.last_mut().filter(|last| last.is_of_one_instruction(&entry)) {
            *last = Entry { cell: entry.cell.with_mask(last.cell.mask | entry.cell.mask), ..entry };
            return;
        }
        retain_needed(entries, &entry, replaces);
        if entries.len() == MAX_ENTRIES {
            lists.forgotten.entry(list).or_default().add(&entries.remove(0));
        }
        // Most lists are for a word that one warp updates once, and there may be millions of them.
        if entries.is_empty() {
            entries.reserve_exact(1);
        }
        entries.push(entry);
    }

    /// Forgets everything.
    pub fn clear(&mut self, lists: &mut Lists) {
        for page in &mut self.pages {
            page.clear().for_each(|list| lists.remove(list));
        }
    }
}

impl Entry {
    /// An entry for a plain load that is in a cell. Which of the bytes of the cell it loaded is not known.
    fn plain_load(cell: Cell, range: ByteRange) -> Entry {
        let last = cell.mask.trailing_zeros() as u8;
        Entry { cell, kind: OpKind::Load, scope: None, range, chain: 0, last, is_unfenced_volatile: false }
    }

    /// Whether two entries are accesses of two lanes by one instruction and need not be distinguished.
    fn is_of_one_instruction(&self, other: &Entry) -> bool {
        let same = |one: Cell, other: Cell| {
            (one.block, one.clock, one.origin) == (other.block, other.clock, other.origin)
        };
        same(self.cell, other.cell)
            && self.range == other.range
            && (self.kind, self.scope, self.is_unfenced_volatile)
                == (other.kind, other.scope, other.is_unfenced_volatile)
            && (self.chain == other.chain || self.kind == OpKind::Store)
    }
}

/// Removes the entries that a new one replaces. It keeps those that still show which accesses are ordered after an
/// older store of a chain that differs from the new entry's.
fn retain_needed(entries: &mut Vec<Entry>, new: &Entry, replaces: impl Fn(&Entry) -> bool) {
    let mut index = 0;
    while index < entries.len() {
        let known = &entries[index];
        let other_chain = known.chain != 0 && known.chain != new.chain;
        let older = |entry: &Entry| entry.kind != OpKind::Load && entry.chain == known.chain;
        if replaces(known) && !(other_chain && entries[..index].iter().any(older)) {
            entries.remove(index);
        } else {
            index += 1;
        }
    }
}
