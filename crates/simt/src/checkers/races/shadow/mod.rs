//! The shadow memory of the race checker. For each byte it records the last plain store, and the plain loads and strong
//! accesses since.
//!
//! Shadow memory consists of pages, which are created when they are first accessed. A page has a *cell* for each 32-bit
//! word, or for each byte once it is accessed in smaller units. If the lanes of a warp access a line of 32 words with a
//! constant stride, as in most kernels, one [`layer`] represents all of these words. The loads of a word are also a
//! single cell as long as one warp made them with one instruction. The loads of a line by several warps are its [`readers`];
//! words with strong accesses, or with accesses that may be part of a race, have a list. Where threads that follow each other
//! access neighbouring words, one [`stretch`] represents the access of the whole block.

pub mod cell;
pub mod layer;
pub mod list;
mod page;
mod readers;
pub mod stretch;

use cell::{Cell, PAGE_BYTES};
use layer::{LINE, LaneMap, Layer, Row};
use list::{Entry, Lists, OpKind};
use page::{LINES, Page};
use stretch::Stretch;

use crate::order::ByteRange;
use crate::order::clocks::{TeamClock, WarpClock};

/// Bytes of a line.
const LINE_BYTES: u64 = 4 * LINE as u64;

/// The shadow of one memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
}

impl Shadow {
    #[inline(always)]
    fn make_pages(&mut self, count: usize) {
        if count > self.pages.len() {
            self.pages.resize_with(count, Page::default);
        }
    }

    /// A page of which a range is to be accessed. `is_fine` requests a cell for each byte.
    #[inline]
    fn page(&mut self, number: u64, is_fine: bool, range: ByteRange, lists: &mut Lists) -> &mut Page {
        self.make_pages(number as usize + 1);
        let page = &mut self.pages[number as usize];
        page.make_lines();
        if is_fine && !page.is_fine {
            page.refine(ByteRange { offset: number * PAGE_BYTES, ..range }, lists);
        }
        page
    }

    /// Checks a plain access to words of one line, and records it if the fast path can tell that it does not race.
    #[inline]
    fn access(&mut self, warp_clock: &WarpClock<'_>, line: u64, new: &Layer, is_store: bool) -> bool {
        let number = line as usize / LINES;
        self.make_pages(number + 1);
        self.pages[number].access(warp_clock, line as usize % LINES, new, is_store)
    }

    /// Checks a plain access of threads that follow each other, and records it if it certainly does not race. `is_shared` is
    /// whether the memory belongs to the block.
    pub fn check_stretch(&mut self, clock: TeamClock, new: Stretch, is_shared: bool) -> bool {
        let pages = new.pages();
        self.make_pages(pages.end);
        if is_shared {
            self.pages[pages.clone()].iter_mut().for_each(|page| page.stretches.forget_ordered(clock.floor));
        }
        let fits = pages.clone().all(|page| self.pages[page].stretches.fits(&new.part(page), clock.floor));
        if fits {
            pages.for_each(|page| self.pages[page].stretches.record(new.part(page)));
        }
        fits
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
        range: ByteRange,
        lanes: u32,
    ) -> bool {
        let (offset, bytes) = (range.offset, u64::from(range.bytes));
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
        let step = self.prepare(range, lists);
        (offset - offset % step..offset + bytes).step_by(step as usize)
    }

    /// Prepares the cells of a range, and returns the distance between them.
    fn prepare(&mut self, range: ByteRange, lists: &mut Lists) -> u64 {
        let (offset, bytes) = (range.offset, u64::from(range.bytes));
        let is_fine = !offset.is_multiple_of(4) || !bytes.is_multiple_of(4);
        let last = offset + bytes - 1;
        for line in offset / LINE_BYTES..=last / LINE_BYTES {
            let page = self.page(line / LINES as u64, is_fine, range, lists);
            page.list_readers(line as usize % LINES, ByteRange { offset: line * LINE_BYTES, ..range }, lists);
        }
        // If an access crosses a page boundary, both pages get cells of the same size.
        let pages = offset / PAGE_BYTES..=last / PAGE_BYTES;
        if !pages.clone().any(|page| self.pages[page as usize].is_fine) {
            return 4;
        }
        pages.for_each(|page| _ = self.page(page, true, range, lists));
        1
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
        lists.add_to(list, entry, replaces);
    }

    /// Forgets everything.
    pub fn clear(&mut self, lists: &mut Lists) {
        for page in &mut self.pages {
            page.clear(lists);
        }
    }
}
