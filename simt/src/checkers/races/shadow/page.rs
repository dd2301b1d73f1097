//! The cells of a page of memory, kept by line in a few layers where warps accessed it in equal steps, and by word or byte
//! where not.

use crate::checkers::races::shadow::layer::{LINE, Layer};
use crate::checkers::races::shadow::{Cell, Lists, PAGE_BYTES};
use crate::machine::registers::{FULL_MASK, lanes_of};
use crate::order::clocks::Here;

/// Lines of a page.
pub const LINES: usize = PAGE_BYTES as usize / 4 / LINE;
/// Layers of a line at most, besides the first; a tree over a line leaves one for each of its steps.
const MORE: usize = 7;

/// What is remembered of a page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Whether there is a cell a byte.
    pub is_fine: bool,
    /// Whether a strong store was ever made here.
    pub is_strong: bool,
    /// Whether a cell ever stood for a list.
    pub has_lists: bool,
    /// The last stores.
    pub stores: Cells,
    /// The loads and strong accesses since.
    pub loads: Cells,
}

/// The cells of a page.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Empty until something is remembered here.
    lines: Vec<Line>,
    /// The layers of lines that have more than one.
    more: Vec<More>,
    /// A cell a word or a byte. Empty until a line has them.
    pieces: Vec<Cell>,
}

/// A line: layers that have no word in common, unless its words have cells of their own.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The newest: what comes next to its words need not look at the others.
    first: Layer,
    /// The words that the other layers have.
    others: u32,
    /// Where in [`Cells::more`] these are, counted from 1; 0 if there never were any.
    more: u8,
    /// Whether its words have cells of their own.
    is_spread: bool,
}

/// The layers of a line besides the first, in no order.
type More = [Layer; MORE];

impl Page {
    /// A plain access of words of a line: remembers it if it can be told at a glance that all is in order.
    #[inline]
    pub fn access(&mut self, here: &Here<'_>, line: usize, new: &Layer, is_store: bool) -> bool {
        // Strong stores are kept elsewhere too, where a plain one has to take them out.
        if self.is_fine || (is_store && self.is_strong) {
            return false;
        }
        let promises = new.cell.is_read_only();
        let is_broken = |load: Cell| load.is_read_only() && !promises;
        if !self.stores.is_settled(here, line, new, |_| promises)
            || !self.loads.is_settled(here, line, new, is_broken)
        {
            return false;
        }
        if is_store {
            self.stores.put(line, new);
            self.loads.take(line, new.words());
        } else {
            self.loads.put(line, new);
        }
        true
    }

    /// Forgets everything; returns the lists that there were. The page keeps the size of its cells: the next block of the
    /// kernel is going to do what this one did.
    pub fn clear(&mut self) -> impl Iterator<Item = usize> + use<> {
        let has_lists = std::mem::take(&mut self.has_lists);
        let mut lists = Vec::new();
        if has_lists {
            lists.extend(self.loads.lists().map(|(_, list)| list));
        }
        for cells in [&mut self.loads, &mut self.stores] {
            cells.lines.fill(Line::default());
            cells.more.clear();
            if self.is_fine {
                cells.spread_all();
            }
        }
        self.is_strong = false;
        lists.into_iter()
    }

    /// Goes over to a cell a byte.
    pub fn refine(&mut self, lists: &mut Lists) {
        self.is_fine = true;
        for cells in [&mut self.stores, &mut self.loads] {
            cells.make();
            cells.spread_all();
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
    #[inline]
    fn make(&mut self) {
        if self.lines.is_empty() {
            self.lines = vec![Line::default(); LINES];
        }
    }

    fn pieces_in_line(&self) -> usize {
        (self.pieces.len() / LINES).max(LINE)
    }

    /// The layers of a line besides the first.
    fn more(&self, line: &Line) -> &[Layer] {
        line.more.checked_sub(1).map_or(&[], |at| &self.more[usize::from(at)])
    }

    fn more_mut(&mut self, line: usize) -> &mut [Layer] {
        let at = self.lines[line].more.checked_sub(1);
        at.map_or(&mut [], |at| &mut self.more[usize::from(at)])
    }

    /// Whether all that is remembered of some words comes before an access to them now, and nothing `denies` it.
    #[inline]
    fn is_settled(&self, here: &Here<'_>, line: usize, new: &Layer, denies: impl Fn(Cell) -> bool) -> bool {
        let Some(own) = self.lines.get(line) else { return true };
        if own.is_spread {
            let words = &self.pieces[line * LINE..][..LINE];
            let fits = |word: usize| {
                let cell = words[word];
                let is_free = cell.mask == 0 || !denies(cell);
                is_free && cell.is_settled(here, new.lanes_at(word))
            };
            return lanes_of(new.words()).all(fits);
        }
        let fits = |layer: &Layer| !denies(layer.cell) && layer.comes_before(here, new);
        if own.first.words() & new.words() != 0 && !fits(&own.first) {
            return false;
        }
        let mut left = own.others & new.words();
        let mut others = self.more(own).iter();
        while left != 0
            && let Some(layer) = others.next()
        {
            if layer.words() & left != 0 && !fits(layer) {
                return false;
            }
            left &= !layer.words();
        }
        true
    }

    /// Remembers an access of words in the place of all that was remembered of them.
    #[inline]
    fn put(&mut self, line: usize, new: &Layer) {
        self.make();
        let own = &mut self.lines[line];
        if own.is_spread {
            return self.put_words(line, new);
        }
        if own.others & new.words() != 0 {
            self.take_others(line, new.words());
        }
        let own = &mut self.lines[line];
        let mut before = std::mem::replace(&mut own.first, *new);
        before.cell.mask &= !new.words();
        if before.words() != 0 {
            self.put_beside(line, &before);
        }
    }

    /// Keeps what is left of the layer that was first, besides the new one.
    fn put_beside(&mut self, line: usize, before: &Layer) {
        let own = &mut self.lines[line];
        if own.more == 0 {
            if self.more.is_empty() {
                self.more.reserve_exact(LINES);
            }
            self.more.push(More::default());
            own.more = self.more.len() as u8;
        }
        let more = &mut self.more[usize::from(own.more) - 1];
        if let Some(free) = more.iter_mut().find(|layer| layer.words() == 0) {
            *free = *before;
            own.others |= before.words();
            return;
        }
        self.spread(line);
        self.put_words(line, before);
    }

    /// [`Cells::put`] where words have cells of their own; there are no lists among those of an access that is settled.
    fn put_words(&mut self, line: usize, new: &Layer) {
        if new.words() == FULL_MASK {
            let more = self.lines[line].more;
            self.lines[line] = Line { first: *new, more, ..Line::default() };
            return;
        }
        for word in lanes_of(new.words()) {
            self.pieces[line * LINE + word] = new.cell_at(word);
        }
    }

    /// Forgets what is remembered of some words.
    #[inline]
    fn take(&mut self, line: usize, words: u32) {
        let Some(own) = self.lines.get_mut(line) else { return };
        if own.is_spread {
            lanes_of(words).for_each(|word| self.pieces[line * LINE + word] = Cell::default());
            return;
        }
        own.first.cell.mask &= !words;
        if own.others & words != 0 {
            self.take_others(line, words);
        }
    }

    fn take_others(&mut self, line: usize, words: u32) {
        let own = &mut self.lines[line];
        let mut left = own.others & words;
        own.others &= !words;
        let mut others = self.more_mut(line).iter_mut();
        while left != 0
            && let Some(layer) = others.next()
        {
            left &= !layer.words();
            layer.cell.mask &= !words;
        }
    }

    /// The layer that has a word of a line.
    fn layer_at<'c>(&'c self, own: &'c Line, word: usize) -> Option<&'c Layer> {
        let mut layers = std::iter::once(&own.first).chain(self.more(own));
        layers.find(|layer| layer.words() >> word & 1 != 0)
    }

    /// Gives the words of a line cells of their own.
    fn spread(&mut self, line: usize) {
        let own = self.lines[line];
        if own.is_spread {
            return;
        }
        let size = self.pieces_in_line();
        if self.pieces.is_empty() {
            self.pieces = vec![Cell::default(); LINES * LINE];
        }
        for index in 0..size {
            let word = index * LINE / size;
            let layer = self.layer_at(&own, word);
            self.pieces[line * size + index] = layer.map_or_else(Cell::default, |layer| layer.cell_at(word));
        }
        self.more_mut(line).fill(Layer::default());
        self.lines[line] = Line { is_spread: true, more: own.more, ..Line::default() };
    }

    fn spread_all(&mut self) {
        (0..self.lines.len()).for_each(|line| self.spread(line));
    }

    /// A cell, by its index in the page.
    pub fn get(&self, index: usize) -> Cell {
        let size = self.pieces_in_line();
        let Some(own) = self.lines.get(index / size) else { return Cell::default() };
        if own.is_spread {
            return self.pieces[index];
        }
        let word = index % size * LINE / size;
        self.layer_at(own, word).map_or_else(Cell::default, |layer| layer.cell_at(word))
    }

    /// Sets a cell.
    pub fn set(&mut self, index: usize, cell: Cell) {
        self.make();
        self.spread(index / self.pieces_in_line());
        self.pieces[index] = cell;
    }

    /// Cells that stand for lists: which, and which list.
    fn lists(&self) -> impl Iterator<Item = (usize, usize)> {
        let size = self.pieces_in_line();
        let own = move |index: &usize| self.lines[index / size].is_spread;
        let pieces = 0..self.pieces.len();
        pieces.filter(own).filter_map(|index| Some((index, self.pieces[index].as_list()?)))
    }
}
