//! What is remembered of the accesses to each byte: the last plain store, and the plain loads and strong accesses since.
//!
//! Memory is remembered in pages, made when they are first touched. A page keeps a *cell* for each 32-bit word; one that
//! is accessed in smaller pieces keeps a cell for each byte. Where a whole warp accessed a line of 32 words, a word a lane,
//! which is what well-made kernels do, one cell stands for all of the line. The loads of a cell are one cell too as long
//! as one warp made them by one instruction; where there are more, or strong accesses, they are a list.

use crate::machine::registers::{FULL_MASK, WARP_SIZE};
use crate::order::clocks::Here;
use crate::order::{Place, Reach, Stamp, Thread};

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;
/// Words of a line.
const LINE: usize = WARP_SIZE;
/// Entries of a list at most. What is forgotten beyond may hide a race, and makes none.
const MAX_ENTRIES: usize = 64;
/// Marks a cell of loads that stands for a list.
const LIST: u32 = u32::MAX;
/// Marks the cell of a line whose words have cells of their own.
const SPREAD: u32 = u32::MAX - 1;
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

    /// Whether there is nothing here, or something that comes before what a lane does now, as far as can be told at a
    /// glance.
    #[inline(always)]
    pub fn is_settled(self, here: &Here<'_>, lane: u32) -> bool {
        if self.mask == 0 {
            return self.place != LIST;
        }
        if self.block != here.block {
            return false;
        }
        let warp = self.warp();
        if warp == here.warp {
            self.clock <= here.floor || self.mask == 1 << lane
        } else {
            self.clock <= here.floors[warp as usize % WARP_SIZE]
        }
    }

    /// Whether what lane `i` of the cell's warp did to word `i` comes before what lane `i` of a warp does to it now.
    #[inline(always)]
    fn is_settled_for_all(self, here: &Here<'_>) -> bool {
        let warp = self.warp();
        self.block == here.block
            && (warp == here.warp || self.clock <= here.floors[warp as usize % WARP_SIZE])
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
    /// Whether it observed the store before it: a strong load or update of a strong store, with scopes that fit.
    pub observes: bool,
}

/// What is remembered of a page.
#[derive(Clone, Debug, Default)]
struct Page {
    /// Whether there is a cell a byte.
    is_fine: bool,
    /// Whether a strong store was ever made here.
    is_strong: bool,
    /// The last stores.
    stores: Cells,
    /// The loads and strong accesses since.
    loads: Cells,
}

/// The cells of a page.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// A cell a line, in which lane `i` accessed word `i`; or, marked so, none, because its words have theirs. Empty until
    /// something is remembered here.
    lines: Vec<Cell>,
    /// A cell a word or a byte. Empty until a line has them.
    pieces: Vec<Cell>,
}

/// What is remembered of one memory.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    pages: Vec<Page>,
}

/// The lists of all memories.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    lists: Vec<Vec<Entry>>,
    free: Vec<usize>,
}

impl Lists {
    /// The entries of a list, oldest first.
    pub fn entries(&self, list: usize) -> &[Entry] {
        &self.lists[list]
    }

    fn add(&mut self, entries: Vec<Entry>) -> usize {
        if let Some(list) = self.free.pop() {
            self.lists[list] = entries;
            return list;
        }
        self.lists.push(entries);
        self.lists.len() - 1
    }

    fn remove(&mut self, list: usize) {
        self.lists[list].clear();
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

    /// Neighbouring words that neighbouring lanes access, `words` each: remembers them if it can be told at a glance that
    /// all is in order.
    #[inline]
    pub fn row(
        &mut self,
        here: &Here<'_>,
        new: Cell,
        offset: u64,
        is_store: bool,
        (words, lanes): (usize, usize),
    ) -> bool {
        let first = (offset % PAGE_BYTES / 4) as usize;
        if !offset.is_multiple_of(4) || first + words * lanes > PAGE_BYTES as usize / 4 {
            return false;
        }
        let page = self.page(offset, false, &mut Lists::default());
        // Strong stores are kept elsewhere too, where a plain one has to take them out.
        if page.is_fine || (is_store && page.is_strong) {
            return false;
        }
        if words == 1 && lanes == LINE && first.is_multiple_of(LINE) {
            return page.line(here, new, first / LINE, is_store);
        }
        page.words(here, new, first, is_store, (words, lanes))
    }

    /// Makes the cells of some bytes ready, and says at which offsets they start, in which steps.
    pub fn prepare(&mut self, offset: u64, bytes: u64, lists: &mut Lists) -> u64 {
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
            list
        });
        if entry.scope.is_some() && entry.kind != Kind::Load {
            self.pages[(offset / PAGE_BYTES) as usize].is_strong = true;
        }
        let entries = &mut lists.lists[list];
        if let Some(last) = entries.last_mut().filter(|last| last.is_of_one_instruction(&entry)) {
            last.cell.mask |= entry.cell.mask;
            return;
        }
        entries.retain(|known| !replaces(known));
        if entries.len() == MAX_ENTRIES {
            entries.remove(0);
        }
        entries.push(entry);
    }

    /// Forgets everything.
    pub fn clear(&mut self, lists: &mut Lists) {
        for page in &mut self.pages {
            page.loads.lists().for_each(|(_, list)| lists.remove(list));
            page.loads.lines.fill(Cell::default());
            page.stores.lines.fill(Cell::default());
            // A page keeps the size of its cells: the next block of the kernel is going to do what this one did.
            if page.is_fine {
                page.loads.spread_all();
                page.stores.spread_all();
            }
            page.is_strong = false;
        }
    }

    /// Whether a strong store was ever made in the page of an offset.
    pub fn is_strong(&self, offset: u64) -> bool {
        self.pages.get((offset / PAGE_BYTES) as usize).is_some_and(|page| page.is_strong)
    }
}

impl Entry {
    /// A plain load, of whose bytes no more is remembered than that they are among those of this cell.
    fn plain_load(cell: Cell, place: Place) -> Entry {
        Entry { cell, kind: Kind::Load, scope: None, place, observes: false }
    }

    /// Whether two accesses are those of two lanes by one instruction, as far as it matters.
    fn is_of_one_instruction(&self, other: &Entry) -> bool {
        let same = |one: Cell, other: Cell| {
            (one.block, one.clock, one.place) == (other.block, other.clock, other.place)
        };
        same(self.cell, other.cell)
            && self.place == other.place
            && (self.kind, self.scope, self.observes) == (other.kind, other.scope, other.observes)
    }
}

impl Page {
    /// A whole line, a word a lane.
    #[inline]
    fn line(&mut self, here: &Here<'_>, new: Cell, line: usize, is_store: bool) -> bool {
        let (stores, loads) = (self.stores.line(line), self.loads.line(line));
        let settled =
            self.stores.is_line_settled(here, stores, line) && self.loads.is_line_settled(here, loads, line);
        let promised = if is_store {
            self.loads.is_promised(loads, line)
        } else {
            new.is_read_only() && stores != Cell::default()
        };
        let forgets = !is_store && !new.is_read_only() && self.loads.is_promised(loads, line);
        if !settled || promised || forgets {
            return false;
        }
        if is_store {
            self.stores.set_line(line, new.by(FULL_MASK));
            self.loads.set_line(line, Cell::default());
        } else {
            self.loads.set_line(line, new.by(FULL_MASK));
        }
        true
    }

    /// Any other row.
    fn words(
        &mut self,
        here: &Here<'_>,
        new: Cell,
        first: usize,
        is_store: bool,
        (words, lanes): (usize, usize),
    ) -> bool {
        let range = first..first + words * lanes;
        let stores = self.stores.row(range.clone(), is_store);
        let loads = self.loads.row(range, !is_store);
        let settled = |cells: &[Cell]| {
            let mut lanes = cells.chunks_exact(words).enumerate();
            lanes.all(|(lane, cells)| cells.iter().all(|cell| cell.is_settled(here, lane as u32)))
        };
        let broken = |cell: &Cell| cell.is_read_only() && !new.is_read_only();
        let promised = new.is_read_only() && stores.iter().any(|cell| cell.mask != 0);
        if promised || !settled(stores) || !settled(loads) || loads.iter().any(broken) {
            return false;
        }
        let cells = if is_store { stores } else { &mut *loads };
        for (lane, cells) in cells.chunks_exact_mut(words).enumerate() {
            cells.fill(new.by(1 << lane));
        }
        if is_store {
            loads.fill(Cell::default());
        }
        true
    }

    /// Goes over to a cell a byte.
    fn refine(&mut self, lists: &mut Lists) {
        self.is_fine = true;
        for cells in [&mut self.stores, &mut self.loads] {
            cells.make();
            (0..cells.lines.len()).for_each(|line| cells.spread(line));
            cells.make_pieces();
            cells.pieces = cells.pieces.iter().flat_map(|&cell| [cell; 4]).collect();
        }
        for (index, list) in self.loads.lists().collect::<Vec<_>>() {
            if !index.is_multiple_of(4) {
                self.loads.pieces[index] = Cell::list(lists.add(lists.entries(list).to_vec()));
            }
        }
    }
}

impl Cells {
    const LINES: usize = PAGE_BYTES as usize / 4 / LINE;

    #[inline]
    fn make(&mut self) {
        if self.lines.is_empty() {
            self.lines = vec![Cell::default(); Cells::LINES];
        }
    }

    #[inline]
    fn make_pieces(&mut self) {
        if self.pieces.is_empty() {
            self.pieces = vec![Cell::default(); Cells::LINES * LINE];
        }
    }

    fn pieces_in_line(&self) -> usize {
        self.pieces.len() / Cells::LINES
    }

    #[inline]
    fn line(&self, line: usize) -> Cell {
        self.lines.get(line).copied().unwrap_or_default()
    }

    #[inline]
    fn set_line(&mut self, line: usize, cell: Cell) {
        if cell.mask != 0 || !self.lines.is_empty() {
            self.make();
            self.lines[line] = cell;
        }
    }

    /// The cells of the words of a line, if they have their own.
    fn words_of(&self, cell: Cell, line: usize) -> &[Cell] {
        if cell.place == SPREAD { &self.pieces[line * LINE..][..LINE] } else { &[] }
    }

    /// Whether all of a line comes before what a warp does now, a word a lane.
    #[inline]
    fn is_line_settled(&self, here: &Here<'_>, cell: Cell, line: usize) -> bool {
        if cell.place != SPREAD {
            return cell.mask == 0 || cell.is_settled_for_all(here);
        }
        let mut words = self.words_of(cell, line).iter().enumerate();
        words.all(|(lane, word)| word.is_settled(here, lane as u32))
    }

    /// Whether a load of a line promised that nobody writes it.
    #[inline]
    fn is_promised(&self, cell: Cell, line: usize) -> bool {
        let own = cell.place != SPREAD && cell.is_read_only();
        own || self.words_of(cell, line).iter().any(|word| word.is_read_only())
    }

    /// Gives the words of a line cells of their own.
    fn spread(&mut self, line: usize) {
        let cell = self.lines[line];
        if cell.place == SPREAD {
            return;
        }
        self.make_pieces();
        let size = self.pieces_in_line();
        for (index, piece) in self.pieces[line * size..][..size].iter_mut().enumerate() {
            *piece = if cell.mask == 0 { cell } else { cell.by(1 << (index * LINE / size)) };
        }
        self.lines[line] = Cell { place: SPREAD, ..Cell::default() };
    }

    fn spread_all(&mut self) {
        (0..self.lines.len()).for_each(|line| self.spread(line));
    }

    /// The cells of some words; none where nothing is remembered and nothing is going to be.
    fn row(&mut self, words: std::ops::Range<usize>, wanted: bool) -> &mut [Cell] {
        if self.lines.is_empty() && !wanted {
            return &mut [];
        }
        self.make();
        for line in words.start / LINE..=(words.end - 1) / LINE {
            self.spread(line);
        }
        &mut self.pieces[words]
    }

    fn get(&self, index: usize) -> Cell {
        let size = self.pieces_in_line().max(LINE);
        let cell = self.line(index / size);
        match cell.place {
            SPREAD => self.pieces[index],
            _ if cell.mask == 0 => cell,
            _ => cell.by(1 << (index % size * LINE / size)),
        }
    }

    fn set(&mut self, index: usize, cell: Cell) {
        self.make();
        let size = self.pieces_in_line().max(LINE);
        self.spread(index / size);
        self.pieces[index] = cell;
    }

    /// Cells that stand for lists: which, and which list.
    fn lists(&self) -> impl Iterator<Item = (usize, usize)> {
        let size = self.pieces_in_line().max(1);
        let own = move |index: &usize| self.lines[index / size].place == SPREAD;
        let pieces = 0..self.pieces.len();
        pieces.filter(own).filter_map(|index| Some((index, self.pieces[index].as_list()?)))
    }
}
