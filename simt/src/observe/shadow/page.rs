//! The cells of a page of memory, kept by line where a whole warp accessed a line, and by word or byte where not.

use super::{Cell, Lists, PAGE_BYTES};
use crate::machine::registers::{FULL_MASK, WARP_SIZE};
use crate::order::clocks::Here;

/// Words of a line.
const LINE: usize = WARP_SIZE;
/// Marks the cell of a line whose words have cells of their own.
const SPREAD: u32 = u32::MAX - 1;

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
    /// A cell a line, in which lane `i` accessed word `i`; or, marked so, none, because its words have theirs. Empty until
    /// something is remembered here.
    lines: Vec<Cell>,
    /// A cell a word or a byte. Empty until a line has them.
    pieces: Vec<Cell>,
}

impl Page {
    /// Neighbouring words from an offset in the page on; see [`super::Shadow::row`].
    #[inline]
    pub fn row(
        &mut self,
        here: &Here<'_>,
        new: Cell,
        offset: u64,
        is_store: bool,
        (words, lanes): (usize, usize),
    ) -> bool {
        let first = offset as usize / 4;
        let is_here = offset.is_multiple_of(4) && first + words * lanes <= Cells::LINES * LINE;
        // Strong stores are kept elsewhere too, where a plain one has to take them out.
        if !is_here || self.is_fine || (is_store && self.is_strong) {
            return false;
        }
        if words == 1 && lanes == LINE && first.is_multiple_of(LINE) {
            return self.line(here, new, first / LINE, is_store);
        }
        self.words(here, new, first, is_store, (words, lanes))
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
            cells.lines.fill(Cell::default());
            if self.is_fine {
                cells.spread_all();
            }
        }
        self.is_strong = false;
        lists.into_iter()
    }

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
    pub fn refine(&mut self, lists: &mut Lists) {
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

    /// A cell, by its index in the page.
    pub fn get(&self, index: usize) -> Cell {
        let size = self.pieces_in_line().max(LINE);
        let cell = self.line(index / size);
        match cell.place {
            SPREAD => self.pieces[index],
            _ if cell.mask == 0 => cell,
            _ => cell.by(1 << (index % size * LINE / size)),
        }
    }

    /// Sets a cell.
    pub fn set(&mut self, index: usize, cell: Cell) {
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
