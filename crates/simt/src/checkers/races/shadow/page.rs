//! A page of shadow memory. A line consists of a few layers as long as warps access it with a constant stride, and of
//! cells for words or bytes otherwise. Its loads may also be [`Readers`].

use crate::checkers::races::shadow::cell::{Cell, PAGE_BYTES};
use crate::checkers::races::shadow::layer::{LINE, Layer};
use crate::checkers::races::shadow::list::{Entry, Lists};
use crate::checkers::races::shadow::readers::Readers;
use crate::checkers::races::shadow::stretch::Stretches;
use crate::machine::registers::{FULL_MASK, lanes_of};
use crate::order::ByteRange;
use crate::order::clocks::WarpClock;

/// Lines in a page.
pub const LINES: usize = PAGE_BYTES as usize / 4 / LINE;
/// The largest number of layers of a line besides the first. A tree reduction over a line leaves one for each of its
/// steps.
const MORE: usize = 7;

/// The cells of a page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The accesses of whole blocks, until lines are made of them.
    pub stretches: Stretches,
    /// Whether there is a cell for each byte.
    pub is_fine: bool,
    /// Whether a strong store was ever made here.
    pub is_strong: bool,
    /// Whether a cell ever referred to a list.
    pub has_lists: bool,
    /// The last plain stores.
    pub stores: Accesses,
    /// The loads and strong accesses since.
    pub loads: Accesses,
    /// The loads of lines that several warps read: of each line, or empty as long as there are none. A line that has readers
    /// has nothing in `loads`.
    readers: Vec<Readers>,
}

/// The cells of a page for one kind of access.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Empty until something is recorded here.
    lines: Vec<LineCells>,
    /// A cell for each word or byte. Empty until a line needs them.
    words: Vec<Cell>,
}

/// A line. Its layers have no word in common; or its words have cells of their own.
#[derive(Clone, Debug, Default)]
struct LineCells {
    /// The newest layer. An access to its words need not look at the others.
    first: Layer,
    /// The words that are in other layers.
    others: u32,
    /// The other layers, in no particular order; `None` as long as there are none.
    more: Option<Box<[Layer; MORE]>>,
    /// Whether the words have cells of their own.
    is_spread: bool,
}

impl LineCells {
    /// The layers besides the first.
    fn more(&self) -> &[Layer] {
        self.more.as_deref().map_or(&[], |more| more)
    }

    /// What the layers say of a word.
    fn cell_at(&self, word: usize) -> Cell {
        let mut layers = std::iter::once(&self.first).chain(self.more());
        let layer = layers.find(|layer| layer.words() >> word & 1 != 0);
        layer.map_or_else(Cell::default, |layer| layer.cell_at(word))
    }

    /// Forgets what the layers besides the first say of some words.
    fn take_others(&mut self, words: u32) {
        if self.others & words != 0 {
            self.others &= !words;
            self.more.iter_mut().flat_map(|more| more.iter_mut()).for_each(|layer| layer.cell.mask &= !words);
        }
    }
}

impl Page {
    /// Prepares lines, and records in them what was recorded for whole blocks.
    #[inline]
    pub fn make_lines(&mut self) {
        if !self.stretches.are_lines {
            self.record_stretches();
        }
    }

    #[inline(never)]
    fn record_stretches(&mut self) {
        self.stretches.are_lines = true;
        for stretch in std::mem::take(&mut self.stretches.known) {
            stretch.layers(|line, layer, is_store| self.record(line, layer, is_store));
        }
    }

    /// Checks a plain access to words of a line, and records it if the fast path can tell that it does not race.
    #[inline]
    pub fn access(&mut self, warp_clock: &WarpClock<'_>, line: usize, new: &Layer, is_store: bool) -> bool {
        self.make_lines();
        // Strong stores are also known elsewhere, and a plain store has to remove them there.
        if self.is_fine || (is_store && self.is_strong) {
            return false;
        }
        let promises = new.cell.is_read_only();
        let is_broken = |load: Cell| load.is_read_only() && !promises;
        if !self.stores.is_ordered(warp_clock, line, new, |_| promises) {
            return false;
        }
        if !self.readers(line).is_empty() {
            return self.access_with_readers(warp_clock, line, new, is_store);
        }
        let is_ordered = self.loads.is_ordered(warp_clock, line, new, is_broken);
        let wants_readers = !is_store && (!is_ordered || self.loads.is_full(line));
        if wants_readers && self.make_readers(warp_clock, line, new) {
            return true;
        }
        if is_ordered {
            self.record(line, new, is_store);
        }
        is_ordered
    }

    /// The readers of a line, if there are any.
    #[inline]
    fn readers(&self, line: usize) -> &Readers {
        static NONE: Readers = Readers::NONE;
        self.readers.get(line).unwrap_or(&NONE)
    }

    /// [`Page::access`] to a line that has readers.
    #[inline(never)]
    fn access_with_readers(
        &mut self,
        warp_clock: &WarpClock<'_>,
        line: usize,
        new: &Layer,
        is_store: bool,
    ) -> bool {
        let readers = &mut self.readers[line];
        if !is_store {
            return warp_clock.is_simple && readers.add(warp_clock, new);
        }
        if !readers.are_ordered(warp_clock, new) {
            return false;
        }
        readers.take(new.words());
        self.stores.put(line, new);
        true
    }

    /// Makes readers of the loads of a line, and adds one to them. Returns whether that is possible.
    #[inline(never)]
    fn make_readers(&mut self, warp_clock: &WarpClock<'_>, line: usize, new: &Layer) -> bool {
        if !warp_clock.is_simple {
            return false;
        }
        let Some(layers) = self.loads.layers(line) else { return false };
        let mut readers = Readers::of(layers);
        if !readers.add(warp_clock, new) {
            return false;
        }
        if self.readers.is_empty() {
            self.readers.resize_with(LINES, Readers::default);
        }
        self.readers[line] = readers;
        self.loads.take(line, FULL_MASK);
        true
    }

    /// Records the readers of a line as cells and lists of its words. `range` begins where the line does.
    #[inline(never)]
    pub fn list_readers(&mut self, line: usize, range: ByteRange, lists: &mut Lists) {
        if self.readers(line).is_empty() {
            return;
        }
        let readers = std::mem::take(&mut self.readers[line]);
        for word in 0..LINE {
            let (loads, forgotten) = (readers.at(word), readers.forgotten_at(word));
            let cell = match loads[..] {
                [] if forgotten.is_empty() => continue,
                [load] if forgotten.is_empty() => load,
                _ => {
                    let range = ByteRange { offset: range.offset + 4 * word as u64, bytes: 4, ..range };
                    let entries = loads.iter().map(|&load| Entry::plain_load(load, range)).collect();
                    self.has_lists = true;
                    Cell::list(lists.add_with(entries, forgotten))
                }
            };
            self.loads.set(line * LINE + word, cell);
        }
    }

    /// Records an access to words of a line in place of those that are ordered before it.
    #[inline]
    fn record(&mut self, line: usize, new: &Layer, is_store: bool) {
        if is_store {
            self.stores.put(line, new);
            self.loads.take(line, new.words());
        } else {
            self.loads.put(line, new);
        }
    }

    /// Forgets everything. The page keeps the size of its cells, because the next block of the kernel will probably do the
    /// same as this one.
    pub fn clear(&mut self, lists: &mut Lists) {
        if std::mem::take(&mut self.has_lists) {
            self.loads.lists().for_each(|(_, list)| lists.remove(list));
        }
        self.stretches.known.clear();
        // With a cell for each byte, a page has lines for good.
        let had_lines = std::mem::replace(&mut self.stretches.are_lines, self.is_fine);
        for cells in [&mut self.loads, &mut self.stores].into_iter().filter(|_| had_lines) {
            cells.lines.fill(LineCells::default());
            if self.is_fine {
                cells.spread_all();
            }
        }
        self.is_strong = false;
        self.readers.clear();
    }

    /// Changes to one cell for each byte. `range` begins where the page does.
    pub fn refine(&mut self, range: ByteRange, lists: &mut Lists) {
        for line in 0..LINES {
            let offset = range.offset + (line * LINE * 4) as u64;
            self.list_readers(line, ByteRange { offset, ..range }, lists);
        }
        self.is_fine = true;
        for cells in [&mut self.stores, &mut self.loads] {
            cells.make();
            cells.spread_all();
            cells.words = cells.words.iter().flat_map(|&cell| [cell; 4]).collect();
        }
        for (index, list) in self.loads.lists().collect::<Vec<_>>() {
            if !index.is_multiple_of(4) {
                self.loads.words[index] = Cell::list(lists.add(lists.entries(list).to_vec()));
            }
        }
    }
}

impl Accesses {
    #[inline]
    fn make(&mut self) {
        if self.lines.is_empty() {
            self.lines = vec![LineCells::default(); LINES];
        }
    }

    fn cells_per_line(&self) -> usize {
        (self.words.len() / LINES).max(LINE)
    }

    /// Whether everything that is recorded for some words is ordered before the current access, and nothing `denies`
    /// the access.
    #[inline]
    fn is_ordered(
        &self,
        warp_clock: &WarpClock<'_>,
        line: usize,
        new: &Layer,
        denies: impl Fn(Cell) -> bool,
    ) -> bool {
        let Some(own) = self.lines.get(line) else { return true };
        if own.is_spread {
            let words = &self.words[line * LINE..][..LINE];
            let fits = |word: usize| {
                let cell = words[word];
                let is_free = cell.mask == 0 || !denies(cell);
                is_free && cell.is_ordered(warp_clock, new.lanes_at(word))
            };
            return lanes_of(new.words()).all(fits);
        }
        let fits = |layer: &Layer| !denies(layer.cell) && layer.comes_before(warp_clock, new);
        if own.first.words() & new.words() != 0 && !fits(&own.first) {
            return false;
        }
        own.others & new.words() == 0
            || own.more().iter().all(|layer| layer.words() & new.words() == 0 || fits(layer))
    }

    /// The layers of a line; `None` if its words have cells of their own.
    fn layers(&self, line: usize) -> Option<impl Iterator<Item = Layer>> {
        let own = self.lines.get(line).filter(|own| !own.is_spread)?;
        Some(own.more().iter().copied().chain([own.first]))
    }

    /// Whether another layer would give the words of a line cells of their own.
    #[inline]
    fn is_full(&self, line: usize) -> bool {
        let is_in_use = |layer: &Layer| layer.words() != 0;
        self.lines.get(line).is_some_and(|own| {
            !own.is_spread && own.others != 0 && own.first.words() != 0 && own.more().iter().all(is_in_use)
        })
    }

    /// Records an access to words in place of everything that is recorded for them.
    #[inline]
    fn put(&mut self, line: usize, new: &Layer) {
        self.make();
        let own = &mut self.lines[line];
        if own.is_spread {
            return self.put_words(line, new);
        }
        own.take_others(new.words());
        if own.first.is_of_one_access(new) {
            own.first.cell.mask |= new.words();
            return;
        }
        let mut before = std::mem::replace(&mut own.first, *new);
        before.cell.mask &= !new.words();
        if before.words() != 0 {
            self.put_in_others(line, &before);
        }
    }

    /// Keeps what is left of the layer that was the first until now.
    fn put_in_others(&mut self, line: usize, before: &Layer) {
        let own = &mut self.lines[line];
        let more = own.more.get_or_insert_default();
        if let Some(free) = more.iter_mut().find(|layer| layer.words() == 0) {
            *free = *before;
            own.others |= before.words();
            return;
        }
        self.spread(line);
        self.put_words(line, before);
    }

    /// [`Accesses::put`] if words have cells of their own. None of these refers to a list, because the access is known to
    /// be ordered.
    fn put_words(&mut self, line: usize, new: &Layer) {
        if new.words() == FULL_MASK {
            self.lines[line] = LineCells { first: *new, ..LineCells::default() };
            return;
        }
        for word in lanes_of(new.words()) {
            self.words[line * LINE + word] = new.cell_at(word);
        }
    }

    /// Forgets what is recorded for some words.
    #[inline]
    fn take(&mut self, line: usize, words: u32) {
        let Some(own) = self.lines.get_mut(line) else { return };
        if own.is_spread {
            lanes_of(words).for_each(|word| self.words[line * LINE + word] = Cell::default());
            return;
        }
        own.first.cell.mask &= !words;
        own.take_others(words);
    }

    /// Gives the words of a line cells of their own.
    fn spread(&mut self, line: usize) {
        let size = self.cells_per_line();
        let own = &mut self.lines[line];
        if own.is_spread {
            return;
        }
        if self.words.is_empty() {
            self.words = vec![Cell::default(); LINES * LINE];
        }
        for index in 0..size {
            self.words[line * size + index] = own.cell_at(index * LINE / size);
        }
        *own = LineCells { is_spread: true, ..LineCells::default() };
    }

    fn spread_all(&mut self) {
        (0..self.lines.len()).for_each(|line| self.spread(line));
    }

    /// The cell with an index in the page.
    pub fn get(&self, index: usize) -> Cell {
        let size = self.cells_per_line();
        let Some(own) = self.lines.get(index / size) else { return Cell::default() };
        if own.is_spread {
            return self.words[index];
        }
        own.cell_at(index % size * LINE / size)
    }

    /// Sets a cell.
    pub fn set(&mut self, index: usize, cell: Cell) {
        self.make();
        self.spread(index / self.cells_per_line());
        self.words[index] = cell;
    }

    /// The cells that refer to lists: their index, and the number of the list.
    fn lists(&self) -> impl Iterator<Item = (usize, usize)> {
        let size = self.cells_per_line();
        let own = move |index: &usize| self.lines[index / size].is_spread;
        let cells = 0..self.words.len();
        cells.filter(own).filter_map(|index| Some((index, self.words[index].as_list()?)))
    }
}
