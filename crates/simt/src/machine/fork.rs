//! A copy-on-write fork of global memory: what one core of the computer sees while several cores execute blocks side by
//! side.
//!
//! The forks share the bytes until a block writes to a page; then its fork gets a copy of that page. Every page that
//! was accessed has bitmaps with one bit for each byte: what the current block has read and written, and what the
//! earlier blocks on the same fork have. A bitmap knows in which of its words there are bits, because most blocks access
//! a small part of a page, and what is done at the end of each block goes over that part only. If one block wrote a byte
//! that another one accessed, the blocks may have communicated, and the result depends on which of them ran first. In that
//! case the forks are discarded. Otherwise the written bytes are copied back.
//!
//! Most kernels only read some of their buffers, and reads are most of what there is to record. So a region that the first
//! block on a fork reads and does not write counts as its *input* from then on, and nothing is recorded for it. If a block
//! writes to a region that is an input of any fork, the blocks have to run again with all reads recorded.
//!
//! An integer reduction whose result is not used leaves the same sum in whichever order the blocks carry it out. Such
//! sums are kept beside the page and added to memory at the end. Several blocks may add to one of them, and none may
//! read it. The same holds for reductions whose order matters, of which a log is kept ([`super::put_off`]). Not recorded: which
//! block accessed what. It is enough to know that there were two.
//!
//! The forks of a launch are emptied afterwards, and the next launch uses their memory, because the operating system takes
//! long to provide it.

use std::mem::take;
use std::sync::Arc;

use super::put_off::Log;
use super::sums::{Reduction, Sums};
use super::written::{bits_of, words_of};

/// The size of a page: small enough to copy quickly, and large enough that the row of a warp seldom crosses from one
/// page to the next.
pub const PAGE_BYTES: usize = 4096;

/// The contents of all regions, which are read only while there are forks.
pub(super) type Shared = Arc<Vec<Vec<u8>>>;

/// What forks keep beside the bytes that blocks write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeps {
    /// All reads, or only those of regions that do not count as inputs.
    pub all_reads: bool,
    /// A log of the reductions whose order matters.
    pub log: bool,
}

/// The words of the bitmap, one bit for each.
type Words = u64;

const _: () = assert!(PAGE_BYTES / 64 == Words::BITS as usize, "a page has as many words as a word has bits");

/// Bytes of a page, and in which words of the bitmap they are.
#[derive(Clone, Debug)]
pub struct Marks {
    /// One bit for each byte.
    bits: [u64; PAGE_BYTES / 64],
    /// The words in which there are bits.
    any: Words,
}

/// The bytes of a page that blocks have accessed.
#[derive(Clone, Debug)]
struct Footprint {
    read: Marks,
    written: Marks,
}

/// A page that a block has accessed.
#[derive(Clone, Debug)]
struct Page {
    /// One more than the index of its copy, once a block has written to it.
    copy: u32,
    /// One more than its index in `touched`, if the current block has accessed it.
    now: u32,
    /// What earlier blocks have accessed.
    past: Footprint,
    sums: Option<Box<Sums>>,
}

/// Global memory as one core sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fork {
    /// What the blocks find in memory.
    pub base: Shared,
    /// By region and page: one more than the index in `pages`, or zero for a page that no block has accessed.
    tables: Vec<Vec<u32>>,
    pages: Vec<Page>,
    /// Copies of pages, in the order in which they were made.
    copies: Vec<[u8; PAGE_BYTES]>,
    /// The pages that the current block has accessed.
    touched: Vec<u32>,
    /// Which of their bytes it has accessed. The footprints after these are empty, and are kept so that later blocks
    /// need not allocate them.
    footprints: Vec<Footprint>,
    /// The reductions that are to be carried out in order.
    pub log: Log,
    /// Whether one byte was part of two different reductions, or the log is full.
    is_mixed: bool,
    /// By region: whether it is an input. Empty until the first block has ended.
    is_input: Vec<bool>,
    /// Whether a block has written to an input.
    wrote_input: bool,
}

/// Why blocks that ran side by side may have done something else than they would have in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// One wrote a byte that another one accessed.
    Bytes,
    /// The same, or the log is full, and a reduction was put off. Where none is, there may be no conflict.
    PutOff,
    /// One wrote to an input. Whether bytes are in conflict is not known.
    Input,
}

impl Marks {
    /// No bytes.
    pub const NOTHING: Marks = Marks { bits: [0; PAGE_BYTES / 64], any: 0 };

    /// The bytes, in order.
    #[cfg(test)]
    pub fn bytes(&self) -> impl Iterator<Item = usize> {
        bits_of(self.any).flat_map(|word| bits_of(self.bits[word]).map(move |bit| word * 64 + bit))
    }

    /// Adds bits to a word.
    #[inline(always)]
    fn add(&mut self, word: usize, bits: u64) {
        self.bits[word] |= bits;
        self.any |= 1 << word;
    }

    /// Adds `bytes` bytes from `start` on, at least one.
    #[inline(always)]
    pub fn add_range(&mut self, start: usize, bytes: usize) {
        let last = start + bytes - 1;
        let (first_word, last_word) = (start / 64, last / 64);
        let (from, to) = (u64::MAX << (start % 64), u64::MAX >> (63 - last % 64));
        if first_word == last_word {
            return self.add(first_word, from & to);
        }
        self.add(first_word, from);
        (first_word + 1..last_word).for_each(|word| self.add(word, u64::MAX));
        self.add(last_word, to);
    }

    /// Whether the two sets are disjoint.
    fn is_apart_from(&self, other: &Marks) -> bool {
        bits_of(self.any & other.any).all(|word| self.bits[word] & other.bits[word] == 0)
    }

    /// Adds aligned elements of `bytes` bytes from `start` on, each of which starts `step` bytes after the one before it.
    pub fn add_elements(&mut self, start: usize, bytes: usize, step: usize, count: usize) {
        let end = start + (count - 1) * step + bytes;
        if step.is_power_of_two() && (bytes..=64).contains(&step) {
            // No element lies in two words, and all words have the same pattern.
            let every = u64::MAX / (u64::MAX >> (64 - step));
            let pattern = (every * (u64::MAX >> (64 - bytes))).rotate_left((start % step) as u32);
            words_of(&(start..end)).for_each(|(word, bits)| self.add(word, bits & pattern));
        } else {
            (0..count).for_each(|number| self.add_range(start + number * step, bytes));
        }
    }
}

impl Footprint {
    const NOTHING: Footprint = Footprint { read: Marks::NOTHING, written: Marks::NOTHING };

    /// Whether it has none of the bytes that are part of these sums.
    fn has_none_of(&self, sums: &Sums) -> bool {
        let mut words = bits_of(self.read.any | self.written.any);
        words.all(|word| (self.read.bits[word] | self.written.bits[word]) & sums.word(word) == 0)
    }
}

impl Page {
    /// Adds the accesses of the block that has ended to those of earlier blocks, and empties its footprint. Returns
    /// whether the two do not conflict.
    fn end_block(&mut self, now: &mut Footprint) -> bool {
        let (past, mut common) = (&mut self.past, 0);
        for word in bits_of(now.read.any | now.written.any) {
            let [read, written] = [&mut now.read, &mut now.written].map(|marks| take(&mut marks.bits[word]));
            common |= past.written.bits[word] & (read | written) | past.read.bits[word] & written;
            past.read.bits[word] |= read;
            past.written.bits[word] |= written;
        }
        past.read.any |= take(&mut now.read.any);
        past.written.any |= take(&mut now.written.any);
        self.now = 0;
        common == 0 && self.sums.as_ref().is_none_or(|sums| self.past.has_none_of(sums))
    }

    /// Whether the blocks of this fork and those of another one do not conflict on this page.
    fn is_apart_from(&self, other: &Page) -> bool {
        let (one, two) = (&self.past, &other.past);
        let mut both_sums = self.sums.iter().zip(&other.sums);
        one.written.is_apart_from(&two.written)
            && one.written.is_apart_from(&two.read)
            && one.read.is_apart_from(&two.written)
            && other.sums.as_ref().is_none_or(|sums| one.has_none_of(sums))
            && self.sums.as_ref().is_none_or(|sums| two.has_none_of(sums))
            && both_sums.all(|(one, two)| one.is_like(two))
    }

    /// Copies the written bytes to memory.
    fn apply(&self, data: &[u8; PAGE_BYTES], memory: &mut [u8]) {
        for word in bits_of(self.past.written.any) {
            let bytes = word * 64..memory.len().min(word * 64 + 64);
            let written = self.past.written.bits[word];
            let pairs = memory[bytes.clone()].iter_mut().zip(&data[bytes]).enumerate();
            pairs.filter(|(byte, _)| written >> byte & 1 != 0).for_each(|(_, (to, from))| *to = *from);
        }
    }
}

impl Fork {
    /// Makes an empty fork one of memory with these contents. It has no inputs if it `records_all` reads.
    pub fn start(&mut self, base: Shared, records_all: bool, most_put_off: usize) {
        self.log.start(most_put_off);
        self.tables.resize(base.len(), Vec::new());
        self.is_input.clear();
        self.is_input.resize(if records_all { base.len() } else { 0 }, false);
        (self.base, self.is_mixed, self.wrote_input) = (base, false, false);
    }

    /// Whether a region is an input.
    #[inline(always)]
    pub fn is_input(&self, region: usize) -> bool {
        self.is_input.get(region) == Some(&true)
    }

    /// [`Global::read_some`](super::global::Global::read_some)
    #[inline]
    pub fn read(
        &mut self,
        region: usize,
        offset: usize,
        bytes: usize,
        mark: impl FnOnce(&mut Marks, usize),
    ) -> Option<&[u8]> {
        if self.is_input(region) {
            return self.base[region].get(offset..offset + bytes);
        }
        let page = self.page(region, offset, bytes)?;
        let start = offset % PAGE_BYTES;
        mark(&mut self.now(page).read, start);
        match self.copy_of(&self.pages[page]) {
            Some(copy) => copy.get(start..start + bytes),
            None => self.base[region].get(offset..offset + bytes),
        }
    }

    /// [`Global::peek`](super::global::Global::peek)
    pub fn peek(&self, region: usize, offset: usize, bytes: usize) -> Option<&[u8]> {
        let (page, start) = within_page(offset, bytes)?;
        match self.known(region, page).and_then(|page| self.copy_of(page)) {
            Some(copy) => copy.get(start..start + bytes),
            None => self.base[region].get(offset..offset + bytes),
        }
    }

    /// [`Global::write_some`](super::global::Global::write_some). The first write copies the page. A region that holds zeros
    /// because nobody has written to it is not read for that: such a page would be provided to be read, and then once more
    /// to be written when the forks are joined, which takes the operating system many times as long.
    #[inline]
    pub fn write(
        &mut self,
        region: usize,
        is_set: bool,
        offset: usize,
        bytes: usize,
        mark: impl FnOnce(&mut Marks, usize),
    ) -> Option<&mut [u8]> {
        self.will_write(region);
        let number = self.page(region, offset, bytes)?;
        let start = offset % PAGE_BYTES;
        mark(&mut self.now(number).written, start);
        let page = &mut self.pages[number];
        if page.copy == 0 {
            let (base, first) = (&self.base[region], offset - start);
            let end = if is_set { base.len().min(first + PAGE_BYTES) } else { first };
            page.copy = add_copy(&mut self.copies, &base[first..end]);
        }
        self.copies[page.copy as usize - 1].get_mut(start..start + bytes)
    }

    /// Notes that a block is about to write to a region, which then is no input any more.
    #[inline(always)]
    fn will_write(&mut self, region: usize) {
        if self.is_input(region) {
            (self.is_input[region], self.wrote_input) = (false, true);
        }
    }

    /// Puts off the reduction of an aligned element, which is applied to memory at the end.
    pub fn reduce(&mut self, region: usize, offset: usize, reduction: Reduction, operand: u64) {
        self.will_write(region);
        let Some(page) = self.page(region, offset, usize::from(reduction.bytes)) else { return };
        let sums = self.pages[page].sums.get_or_insert_with(Sums::new);
        self.is_mixed |= !sums.add(offset % PAGE_BYTES, reduction, operand);
        self.is_mixed |= reduction.in_order && !self.log.add(region, offset, reduction, operand);
    }

    /// The index in `pages` of a page that the block accesses; `None` if the bytes are in two pages.
    #[inline]
    fn page(&mut self, region: usize, offset: usize, bytes: usize) -> Option<usize> {
        let (number, _) = within_page(offset, bytes)?;
        let page = match self.tables[region].get(number) {
            Some(&known) if known != 0 => known as usize - 1,
            _ => self.new_page(region, number),
        };
        if self.pages[page].now == 0 {
            // The block accesses it for the first time.
            self.touched.push(page as u32);
            self.pages[page].now = self.touched.len() as u32;
            if self.footprints.len() < self.touched.len() {
                self.footprints.push(Footprint::NOTHING);
            }
        }
        Some(page)
    }

    /// The footprint of the current block on a page that it accesses.
    #[inline]
    fn now(&mut self, page: usize) -> &mut Footprint {
        &mut self.footprints[self.pages[page].now as usize - 1]
    }

    #[cold]
    fn new_page(&mut self, region: usize, number: usize) -> usize {
        let table = &mut self.tables[region];
        if table.is_empty() {
            *table = vec![0; self.base[region].len().div_ceil(PAGE_BYTES)];
        }
        self.pages.push(Page { copy: 0, now: 0, past: Footprint::NOTHING, sums: None });
        table[number] = self.pages.len() as u32;
        self.pages.len() - 1
    }

    /// Ends a block. An error is why it may be in conflict with the earlier blocks on this fork.
    pub fn end_block(&mut self) -> Result<(), Conflict> {
        let mut is_apart = self.log.end_block() && !self.is_mixed;
        for (page, now) in self.touched.drain(..).zip(&mut self.footprints) {
            is_apart &= self.pages[page as usize].end_block(now);
        }
        if self.wrote_input {
            return Err(Conflict::Input);
        }
        if self.is_input.is_empty() {
            let is_read = |region: usize| !self.tables[region].is_empty() && !self.has_written(region);
            self.is_input = (0..self.tables.len()).map(is_read).collect();
        }
        match is_apart {
            true => Ok(()),
            false if self.log.is_empty() => Err(Conflict::Bytes),
            false => Err(Conflict::PutOff),
        }
    }

    /// Whether blocks have written to a region.
    pub fn has_written(&self, region: usize) -> bool {
        let mut pages = (0..self.tables[region].len()).filter_map(|number| self.known(region, number));
        pages.any(|page| page.copy != 0 || page.sums.is_some())
    }

    /// Whether the blocks of one fork and those of another do not conflict.
    pub fn is_apart_from(&self, other: &Fork) -> bool {
        let tables = self.tables.iter().zip(&other.tables);
        let mut pairs = tables.flat_map(|(one, two)| one.iter().zip(two));
        pairs.all(|(&one, &two)| {
            one == 0 || two == 0 || self.pages[one as usize - 1].is_apart_from(&other.pages[two as usize - 1])
        })
    }

    /// Drops what the blocks did, and keeps the memory of at most `most_copies` copies for a later fork.
    pub fn empty(&mut self, most_copies: usize) {
        self.tables.clear();
        self.log.start(0);
        self.pages.clear();
        self.pages.shrink_to(most_copies);
        self.copies.clear();
        self.copies.shrink_to(most_copies);
    }

    /// The copy of a page, once a block of this fork has written to it.
    #[inline]
    fn copy_of(&self, page: &Page) -> Option<&[u8; PAGE_BYTES]> {
        page.copy.checked_sub(1).map(|copy| &self.copies[copy as usize])
    }

    /// A page that blocks of this fork have accessed.
    fn known(&self, region: usize, number: usize) -> Option<&Page> {
        let known = self.tables[region].get(number)?.checked_sub(1)?;
        Some(&self.pages[known as usize])
    }
}

/// Compares what the blocks on all forks accessed. An error is why they may be in conflict.
pub(super) fn compare(forks: &[Fork]) -> Result<(), Conflict> {
    let regions = forks.first().map_or(0, |fork| fork.tables.len());
    let is_written = |region| forks.iter().any(|fork| fork.has_written(region));
    if (0..regions).any(|region| forks.iter().any(|fork| fork.is_input(region)) && is_written(region)) {
        return Err(Conflict::Input);
    }
    let mut numbered = forks.iter().enumerate();
    let are_apart =
        numbered.all(|(number, one)| forks[..number].iter().all(|other| one.is_apart_from(other)));
    match are_apart {
        true => Ok(()),
        false if forks.iter().all(|fork| fork.log.is_empty()) => Err(Conflict::Bytes),
        false => Err(Conflict::PutOff),
    }
}

/// Applies what the blocks of all forks wrote and reduced, which do not conflict, to a part of a region that begins with
/// page `first_page`.
pub(super) fn apply(forks: &[Fork], region: usize, first_page: usize, data: &mut [u8]) {
    for (number, memory) in (first_page..).zip(data.chunks_mut(PAGE_BYTES)) {
        let pages = || forks.iter().filter_map(|fork| Some((fork, fork.known(region, number)?)));
        let copies = pages().filter_map(|(fork, page)| Some((page, fork.copy_of(page)?)));
        for (index, (page, copy)) in copies.enumerate() {
            if index == 0 {
                // Where no block wrote, a copy still holds what memory does.
                memory.copy_from_slice(&copy[..memory.len()]);
            } else {
                page.apply(copy, memory);
            }
        }
        pages().filter_map(|(_, page)| page.sums.as_ref()).for_each(|sums| sums.apply(memory));
    }
}

/// The page that contains some bytes, and their offset in it; `None` if they are in two pages.
#[inline]
pub(super) fn within_page(offset: usize, bytes: usize) -> Option<(usize, usize)> {
    let start = offset % PAGE_BYTES;
    (start + bytes <= PAGE_BYTES).then_some((offset / PAGE_BYTES, start))
}

/// Adds a copy of a page, with zeros after its last byte. Returns one more than the index of the copy.
#[inline(never)]
fn add_copy(copies: &mut Vec<[u8; PAGE_BYTES]>, page: &[u8]) -> u32 {
    if let Ok(page) = page.try_into() {
        copies.extend_from_slice(std::slice::from_ref::<[u8; PAGE_BYTES]>(page));
    } else {
        copies.push([0; PAGE_BYTES]);
        let last = copies.len() - 1;
        copies[last][..page.len()].copy_from_slice(page);
    }
    copies.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fork(records_all: bool) -> Fork {
        let mut fork = Fork::default();
        fork.start(Arc::new(vec![vec![0; 2 * PAGE_BYTES]]), records_all, 0);
        fork
    }

    /// A block that reads some words and writes others.
    fn block(fork: &mut Fork, reads: &[usize], writes: &[usize]) -> Result<(), Conflict> {
        for &offset in reads {
            fork.read(0, offset, 4, |marks, at| marks.add_range(at, 4)).unwrap();
        }
        for &offset in writes {
            fork.write(0, true, offset, 4, |marks, at| marks.add_range(at, 4)).unwrap().fill(7);
        }
        fork.end_block()
    }

    #[test]
    fn a_region_that_the_first_block_only_reads_is_not_recorded() {
        let mut one = fork(false);
        assert_eq!(block(&mut one, &[0, 5000], &[]), Ok(()));
        assert_eq!(block(&mut one, &[4], &[]), Ok(()));
        assert_eq!(block(&mut one, &[], &[8]), Err(Conflict::Input));
        assert_eq!(one.peek(0, 8, 4), Some(&[7; 4][..]), "the block itself sees what it wrote");
        let mut one = fork(true);
        assert_eq!(block(&mut one, &[0], &[]), Ok(()));
        assert_eq!(block(&mut one, &[4], &[8]), Ok(()));
        assert_eq!(block(&mut one, &[], &[4]), Err(Conflict::Bytes));
    }

    #[test]
    fn what_is_input_for_one_fork_is_written_by_no_other() {
        for (records_all, read, expected) in
            [(false, 0, Err(Conflict::Input)), (true, 0, Ok(())), (true, 8, Err(Conflict::Bytes))]
        {
            let mut forks = [fork(records_all), fork(records_all)];
            assert_eq!(block(&mut forks[0], &[read], &[]), Ok(()));
            assert_eq!(block(&mut forks[1], &[], &[8]), Ok(()));
            assert_eq!(compare(&forks), expected);
        }
    }

    #[test]
    fn the_marks_of_elements_are_those_of_their_bytes() {
        for bytes in [1, 2, 4, 8, 16] {
            for step in (0..200).step_by(bytes) {
                for (start, count) in [(0, 1), (1, 2), (3, 7), (5, 40), (17, 3)] {
                    let start = start * bytes;
                    if start + (count - 1) * step + bytes > PAGE_BYTES {
                        continue;
                    }
                    let mut found = Marks::NOTHING;
                    found.add_elements(start, bytes, step, count);
                    let first_bytes = (0..count).map(|number| start + number * step);
                    let mut wanted: Vec<usize> = first_bytes.flat_map(|first| first..first + bytes).collect();
                    wanted.sort_unstable();
                    wanted.dedup();
                    assert_eq!(found.bytes().collect::<Vec<_>>(), wanted, "{start} {bytes} {step} {count}");
                }
            }
        }
    }
}
