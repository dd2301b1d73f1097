//! What is remembered of the accesses to each byte: the last plain store, and the plain loads and strong accesses since.
//!
//! Memory is remembered in pages, made when they are first touched. A page keeps a *cell* for each 32-bit word; one that
//! is accessed in smaller pieces keeps a cell for each byte. Where the lanes of a warp accessed a line of 32 words in equal
//! steps, which is what most kernels do, one [`layer`] stands for all of these words. The loads of a cell are one cell too
//! as long as one warp made them by one instruction; where there are more, or strong accesses, they are a list.

pub mod layer;
mod page;

use layer::{By, LINE, Layer, Row};
use page::{LINES, Page};

use std::collections::BTreeMap;

use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::order::clocks::Here;
use crate::order::view::View;
use crate::order::{Place, Reach, Stamp, Thread};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;
/// Entries of a list at most. Of what is forgotten beyond there remains who it was ([`Forgotten`]).
const MAX_ENTRIES: usize = 64;
/// Marks a cell of loads that stands for a list.
const LIST: u32 = u32::MAX;
const WARP_SHIFT: u32 = 27;
/// Set where a load said that nobody writes these bytes (`ld.global.nc`).
pub const READ_ONLY: u32 = 1 << 26;
const PC: u32 = READ_ONLY - 1;

/// An access: by which block, warp and lanes, when, and by which instruction. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The block's number; of a list, its number.
    pub block: u32,
    /// The warp's clock.
    pub clock: u32,
    /// The warp, whether it was a read-only load, and the instruction.
    place: u32,
    /// The lanes; none for no access.
    pub mask: u32,
}

impl Cell {
    /// An access of lanes of a warp.
    #[inline(always)]
    pub fn new(here: &Here<'_>, mask: u32, pc_and_flags: u32) -> Cell {
        Cell { block: here.block, clock: here.clock, place: here.warp << WARP_SHIFT | pc_and_flags, mask }
    }

    fn list(number: usize) -> Cell {
        Cell { block: number as u32, clock: 0, place: LIST, mask: 0 }
    }

    /// The list that it stands for.
    #[inline(always)]
    pub fn as_list(self) -> Option<usize> {
        (self.place == LIST && self.mask == 0).then_some(self.block as usize)
    }

    /// The same access by these lanes.
    #[inline(always)]
    #[must_use]
    pub fn by(self, mask: u32) -> Cell {
        Cell { mask, ..self }
    }

    /// The warp.
    #[inline(always)]
    pub fn warp(self) -> u32 {
        self.place >> WARP_SHIFT
    }

    /// The instruction.
    pub fn pc(self) -> u32 {
        self.place & PC
    }

    /// Whether it was a read-only load.
    pub fn is_read_only(self) -> bool {
        self.place & READ_ONLY != 0
    }

    /// Whether there is nothing here, or something that comes before what each of some lanes does now, as far as can be
    /// told at a glance.
    #[inline(always)]
    pub fn is_settled(self, here: &Here<'_>, lanes: u32) -> bool {
        if self.mask == 0 {
            return self.place != LIST;
        }
        if self.block != here.block {
            return false;
        }
        let warp = self.warp();
        if warp == here.warp {
            self.clock <= here.floor || (self.mask == lanes && lanes.is_power_of_two())
        } else {
            self.clock <= here.floors[warp as usize % WARP_SIZE]
        }
    }

    /// Whether there is nothing here, or something that comes before what any lane of a warp does now.
    pub fn is_settled_for_any(self, here: &Here<'_>) -> bool {
        if self.mask == 0 {
            return self.place != LIST;
        }
        let floor =
            if self.warp() == here.warp { here.floor } else { here.floors[self.warp() as usize % WARP_SIZE] };
        self.block == here.block && self.clock <= floor
    }

    /// The access of one of its lanes.
    pub fn stamp(self, lane: u32) -> Stamp {
        let number = (self.warp() * WARP_SIZE as u32 + lane) as u16;
        Stamp { thread: Thread { block: self.block, number }, clock: self.clock }
    }
}

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Loaded.
    Load,
    /// Stored.
    Store,
    /// Loaded and stored in one step.
    Update,
}

/// An access in a list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Who, when and by what.
    pub cell: Cell,
    /// What it did.
    pub kind: Kind,
    /// Its scope; `None` for a weak one.
    pub scope: Option<Reach>,
    /// Exactly which bytes.
    pub place: Place,
    /// The chain of stores that it is part of, or that it observed one of; 0 for none.
    pub chain: u64,
    /// The lane of the cell that came last.
    pub last: u8,
    /// Whether it is volatile, of a thread that had passed no fence.
    pub is_bare: bool,
}

/// Accesses of a cell for which there was no room in its list: who made them, and when, but not by which instruction.
#[derive(Clone, Debug, Default)]
pub struct Forgotten {
    /// Weak loads.
    pub weak: View,
    /// All loads.
    pub loads: View,
    /// Strong stores and updates.
    pub writes: View,
}

impl Forgotten {
    fn add(&mut self, entry: &Entry) {
        let is_load = entry.kind == Kind::Load;
        for lane in lanes_of(entry.cell.mask) {
            let stamp = entry.cell.stamp(lane as u32);
            if is_load {
                self.loads.raise(stamp);
            } else {
                self.writes.raise(stamp);
            }
            if is_load && entry.scope.is_none() {
                self.weak.raise(stamp);
            }
        }
    }
}

/// What is remembered of one memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
}

/// The lists of all memories.
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

    /// What a list has forgotten, if anything.
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
    /// The page at an offset, with a cell a byte if `is_fine` asks for it.
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

    /// A plain access of words of a line: remembers it if it can be told at a glance that all is in order.
    #[inline]
    fn access(&mut self, here: &Here<'_>, line: u64, new: &Layer, is_store: bool) -> bool {
        let number = line as usize / LINES;
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, Page::default);
        }
        self.pages[number].access(here, line as usize % LINES, new, is_store)
    }

    /// A plain access of a row: remembers it, line by line, where it can be told at a glance that all is in order. Returns
    /// the lanes for which it cannot.
    #[inline]
    pub fn row(&mut self, here: &Here<'_>, cell: Cell, row: Row, is_store: bool) -> u32 {
        let mut left = 0;
        row.each(|part| {
            let new = Layer { cell: cell.by(part.words), by: part.by };
            if !self.access(here, part.line, &new, is_store) {
                left |= part.lanes;
            }
        });
        left
    }

    /// A plain load of the same words by several lanes: as [`Shadow::row`]. Whether that worked.
    #[inline]
    pub fn broadcast(&mut self, here: &Here<'_>, cell: Cell, offset: u64, bytes: u64, lanes: u32) -> bool {
        if !bytes.is_multiple_of(4) || !offset.is_multiple_of(bytes) {
            return false;
        }
        let words = ((1 << (bytes / 4)) - 1) << (offset / 4 % LINE as u64);
        let new = Layer { cell: cell.by(words), by: By::All(lanes) };
        self.access(here, offset / 4 / LINE as u64, &new, false)
    }

    /// Makes the cells of a place ready, and says at which offsets they start.
    pub fn cells(&mut self, place: Place, lists: &mut Lists) -> impl Iterator<Item = u64> + Clone + use<> {
        let (offset, bytes) = (place.offset, u64::from(place.bytes));
        let step = self.prepare(offset, bytes, lists);
        (offset - offset % step..offset + bytes).step_by(step as usize)
    }

    /// Makes the cells of some bytes ready, and says in which steps they start.
    fn prepare(&mut self, offset: u64, bytes: u64, lists: &mut Lists) -> u64 {
        let is_fine = !offset.is_multiple_of(4) || !bytes.is_multiple_of(4);
        let mut step = 4;
        // An access that straddles two pages has cells of one size in both.
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

    /// The last plain store to a cell that is ready.
    pub fn store(&self, offset: u64) -> Cell {
        let (page, index) = self.index(offset);
        self.pages[page].stores.get(index)
    }

    /// What was remembered of a cell that is ready since its last plain store.
    pub fn loads(&self, offset: u64) -> Cell {
        let (page, index) = self.index(offset);
        self.pages[page].loads.get(index)
    }

    /// Remembers a plain store, and nothing from before it: who races with that races with this too, or comes after.
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

    /// Remembers one load in the place of all that were.
    pub fn set_loads(&mut self, offset: u64, cell: Cell) {
        let (page, index) = self.index(offset);
        self.pages[page].loads.set(index, cell);
    }

    /// Adds to the list of a cell that is ready. `replaces` says which entries need not be remembered any more.
    pub fn add(&mut self, offset: u64, entry: Entry, lists: &mut Lists, replaces: impl Fn(&Entry) -> bool) {
        let loads = self.loads(offset);
        let list = loads.as_list().unwrap_or_else(|| {
            let first = (loads.mask != 0).then(|| Entry::plain_load(loads, entry.place));
            let list = lists.add(first.into_iter().collect());
            self.set_loads(offset, Cell::list(list));
            self.pages[(offset / PAGE_BYTES) as usize].has_lists = true;
            list
        });
        if entry.scope.is_some() && entry.kind != Kind::Load {
            self.pages[(offset / PAGE_BYTES) as usize].is_strong = true;
        }
        let entries = &mut lists.entries[list];
        if let Some(last) = entries.last_mut().filter(|last| last.is_of_one_instruction(&entry)) {
            *last = Entry { cell: entry.cell.by(last.cell.mask | entry.cell.mask), ..entry };
            return;
        }
        retain_needed(entries, &entry, replaces);
        if entries.len() == MAX_ENTRIES {
            lists.forgotten.entry(list).or_default().add(&entries.remove(0));
        }
        // Most lists are of a word that one warp updates once, and there may be millions of them.
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
    /// A plain load, of whose bytes no more is remembered than that they are among those of this cell.
    fn plain_load(cell: Cell, place: Place) -> Entry {
        let last = cell.mask.trailing_zeros() as u8;
        Entry { cell, kind: Kind::Load, scope: None, place, chain: 0, last, is_bare: false }
    }

    /// Whether two accesses are those of two lanes by one instruction, as far as it matters.
    fn is_of_one_instruction(&self, other: &Entry) -> bool {
        let same = |one: Cell, other: Cell| {
            (one.block, one.clock, one.place) == (other.block, other.clock, other.place)
        };
        same(self.cell, other.cell)
            && self.place == other.place
            && (self.kind, self.scope, self.is_bare) == (other.kind, other.scope, other.is_bare)
            && (self.chain == other.chain || self.kind == Kind::Store)
    }
}

/// Drops the entries that a new one replaces, besides those that still tell who comes after an older store of another
/// chain than the new one is of.
fn retain_needed(entries: &mut Vec<Entry>, new: &Entry, replaces: impl Fn(&Entry) -> bool) {
    let mut index = 0;
    while index < entries.len() {
        let known = &entries[index];
        let other_chain = known.chain != 0 && known.chain != new.chain;
        let older = |entry: &Entry| entry.kind != Kind::Load && entry.chain == known.chain;
        if replaces(known) && !(other_chain && entries[..index].iter().any(older)) {
            entries.remove(index);
        } else {
            index += 1;
        }
    }
}
