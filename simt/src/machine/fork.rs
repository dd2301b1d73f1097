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
//! An integer reduction whose result is not used leaves the same sum in whichever order the blocks carry it out. Such
//! sums are kept beside the page and added to memory at the end. Several blocks may add to one of them, and none may
//! read it. Not recorded: which block accessed what. It is enough to know that there were two.

use std::mem::take;
use std::ops::Range;
use std::sync::Arc;

use super::elements::Elements;
use super::written::{bits_of, words_of};

/// The size of a page: small enough to copy quickly, and large enough that the row of a warp seldom crosses from one
/// page to the next.
pub(super) const PAGE_BYTES: usize = 4096;

/// One bit for each byte of a page.
type Bits = [u64; PAGE_BYTES / 64];

/// The contents of all regions, which are read only while there are forks.
pub(super) type Shared = Arc<Vec<Vec<u8>>>;

/// A reduction whose order does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Its kind: two reductions with the same number are the same operation.
    pub number: u8,
    /// Bytes of the value, 4 or 8.
    pub bytes: u8,
    /// The new value from the old one and the operand; the third argument is not used.
    pub update: fn(u64, u64, u64) -> u64,
}

/// The words of [`Bits`], one bit for each.
type Words = u64;

const _: () = assert!(PAGE_BYTES / 64 == Words::BITS as usize, "a page has as many words as a word has bits");

/// Bytes of a page, and in which words of the bitmap they are.
#[derive(Clone, Debug)]
struct Marks {
    bits: Bits,
    /// The words in which there are bits.
    any: Words,
}

/// The bytes of a page that the current block has accessed.
#[derive(Clone, Debug)]
struct Footprint {
    read: Marks,
    written: Marks,
}

/// The bytes of a page that earlier blocks have accessed. There is a bitmap once a word was neither empty nor full.
#[derive(Clone, Debug, Default)]
struct Bytes {
    bits: Option<Box<Bits>>,
    /// The words in which there are bits.
    any: Words,
    /// Those in which all bits are set; they are not kept up to date in `bits`.
    full: Words,
}

/// The sums that reductions have made up for a page.
#[derive(Clone, Debug)]
struct Sums {
    values: [u8; PAGE_BYTES],
    /// The reduction that each word of 4 bytes is part of.
    what: [Option<Reduction>; PAGE_BYTES / 4],
}

/// A page that a block has accessed.
#[derive(Clone, Debug, Default)]
struct Page {
    /// One more than the index of its copy, once a block has written to it.
    copy: u32,
    /// The bytes that earlier blocks have read.
    read: Bytes,
    /// The bytes that earlier blocks have written.
    written: Bytes,
    sums: Option<Box<Sums>>,
    /// One more than its index in `touched`, if the current block has accessed it.
    now: u32,
}

/// Global memory as one core sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Fork {
    base: Shared,
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
    /// Whether one byte was part of two different reductions.
    is_mixed: bool,
}

impl Marks {
    const NOTHING: Marks = Marks { bits: [0; PAGE_BYTES / 64], any: 0 };

    /// Adds bits to a word.
    #[inline(always)]
    fn add(&mut self, (word, bits): (usize, u64)) {
        self.bits[word] |= bits;
        self.any |= 1 << word;
    }

    /// Adds `bytes` bytes from `start` on.
    #[inline(always)]
    fn add_range(&mut self, start: usize, bytes: usize) {
        let within = start % 64;
        if within + bytes <= 64 {
            self.add((start / 64, u64::MAX >> (64 - bytes) << within));
        } else {
            words_of(&(start..start + bytes)).for_each(|word| self.add(word));
        }
    }

    /// Adds elements, all of which lie in the page of the first one.
    fn add_elements(&mut self, elements: Elements) {
        let elements = Elements { offset: elements.offset % PAGE_BYTES, ..elements };
        elements.words().for_each(|word| self.add(word));
    }
}

impl Footprint {
    const NOTHING: Footprint = Footprint { read: Marks::NOTHING, written: Marks::NOTHING };
}

impl Bytes {
    /// The bits of a word.
    #[inline(always)]
    fn word(&self, word: usize) -> u64 {
        if self.full >> word & 1 != 0 { u64::MAX } else { self.bits.as_ref().map_or(0, |bits| bits[word]) }
    }

    /// Adds bits to a word.
    #[inline(always)]
    fn add(&mut self, word: usize, more: u64) {
        let bits = self.word(word) | more;
        if bits == 0 {
            return;
        }
        self.any |= 1 << word;
        if bits == u64::MAX {
            self.full |= 1 << word;
        } else {
            self.bits.get_or_insert_with(|| Box::new([0; PAGE_BYTES / 64]))[word] = bits;
        }
    }

    /// Whether the two sets are disjoint.
    fn is_apart_from(&self, other: &Bytes) -> bool {
        bits_of(self.any & other.any).all(|word| self.word(word) & other.word(word) == 0)
    }
}

impl Page {
    /// Adds the accesses of the block that has ended to those of earlier blocks, and empties its footprint. Returns
    /// whether the two do not conflict.
    fn end_block(&mut self, now: &mut Footprint) -> bool {
        let mut common = 0;
        for word in bits_of(now.read.any | now.written.any) {
            let [read, written] = [&mut now.read, &mut now.written].map(|marks| take(&mut marks.bits[word]));
            common |= self.written.word(word) & (read | written) | self.read.word(word) & written;
            self.read.add(word, read);
            self.written.add(word, written);
        }
        (now.read.any, now.written.any, self.now) = (0, 0, 0);
        common == 0 && self.sums.as_ref().is_none_or(|sums| self.has_none_of(sums))
    }

    /// Whether no block read or wrote bytes that are part of these sums.
    fn has_none_of(&self, sums: &Sums) -> bool {
        let mut accessed = bits_of(self.read.any | self.written.any);
        accessed.all(|word| (self.read.word(word) | self.written.word(word)) & sums.word(word) == 0)
    }

    /// Whether the blocks of this fork and those of another one do not conflict on this page.
    fn is_apart_from(&self, other: &Page) -> bool {
        let same_sums = match (&self.sums, &other.sums) {
            (Some(one), Some(two)) => one.is_like(two),
            _ => true,
        };
        self.written.is_apart_from(&other.written)
            && self.written.is_apart_from(&other.read)
            && self.read.is_apart_from(&other.written)
            && other.sums.as_ref().is_none_or(|sums| self.has_none_of(sums))
            && self.sums.as_ref().is_none_or(|sums| other.has_none_of(sums))
            && same_sums
    }

    /// Copies the written bytes to memory and applies the sums.
    fn apply(&self, copies: &[[u8; PAGE_BYTES]], memory: &mut [u8]) {
        let data = self.copy.checked_sub(1).map_or(&[][..], |copy| &copies[copy as usize]);
        if self.written.full == Words::MAX {
            memory.copy_from_slice(&data[..memory.len()]);
        } else {
            for word in bits_of(self.written.any) {
                let bytes = word * 64..memory.len().min(word * 64 + 64);
                let written = self.written.word(word);
                let pairs = memory[bytes.clone()].iter_mut().zip(&data[bytes]).enumerate();
                pairs.filter(|(byte, _)| written >> byte & 1 != 0).for_each(|(_, (to, from))| *to = *from);
            }
        }
        if let Some(sums) = &self.sums {
            sums.apply(memory);
        }
    }
}

impl Sums {
    fn new() -> Box<Sums> {
        Box::new(Sums { values: [0; PAGE_BYTES], what: [None; PAGE_BYTES / 4] })
    }

    /// Which bytes of a word of 64 are part of a sum, one bit for each.
    fn word(&self, word: usize) -> u64 {
        let parts = self.what[word * 16..][..16].iter().enumerate();
        parts.filter(|(_, what)| what.is_some()).fold(0, |bits, (part, _)| bits | 0xf << (part * 4))
    }

    /// Adds an operand to the sum of an element. Returns whether all bytes of the element are part of one sum of this
    /// kind.
    fn add(&mut self, start: usize, reduction: Reduction, operand: u64) -> bool {
        let range = start..start + usize::from(reduction.bytes);
        let what = &mut self.what[range.start / 4..range.end / 4];
        let is_new = what.iter().all(Option::is_none);
        if !is_new && what[0].is_none_or(|known| known.number != reduction.number) {
            return false;
        }
        what.fill(Some(reduction));
        let place = &mut self.values[range];
        let sum = if is_new { operand } else { (reduction.update)(value_of(place), operand, operand) };
        place.copy_from_slice(&sum.to_le_bytes()[..place.len()]);
        true
    }

    /// Whether the bytes that are part of sums in both pages are part of the same kind of sums.
    fn is_like(&self, other: &Sums) -> bool {
        let number = |what: &Option<Reduction>| what.map(|reduction| reduction.number);
        let mut pairs = self.what.iter().map(number).zip(other.what.iter().map(number));
        pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
    }

    /// Adds the sums to the values in memory.
    fn apply(&self, data: &mut [u8]) {
        let mut start = 0;
        while start < data.len() {
            let Some(reduction) = self.what[start / 4] else {
                start += 4;
                continue;
            };
            let range = start..start + usize::from(reduction.bytes);
            start = range.end;
            let (sum, place) = (value_of(&self.values[range.clone()]), &mut data[range]);
            let new = (reduction.update)(value_of(place), sum, sum);
            place.copy_from_slice(&new.to_le_bytes()[..place.len()]);
        }
    }
}

/// The value of 4 or 8 bytes.
fn value_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

impl Fork {
    /// A fork of memory with these contents.
    pub fn new(base: Shared) -> Fork {
        Fork { tables: vec![Vec::new(); base.len()], base, ..Fork::default() }
    }

    /// [`Global::read`](super::global::Global::read)
    pub fn read(&mut self, region: usize, offset: usize, bytes: usize) -> Option<&[u8]> {
        let page = self.page(region, offset, bytes)?;
        let start = offset % PAGE_BYTES;
        self.now(page).read.add_range(start, bytes);
        match self.pages[page].copy.checked_sub(1) {
            Some(copy) => self.copies[copy as usize].get(start..start + bytes),
            None => self.base[region].get(offset..offset + bytes),
        }
    }

    /// [`Global::peek`](super::global::Global::peek)
    pub fn peek(&self, region: usize, offset: usize, bytes: usize) -> Option<&[u8]> {
        let (page, start) = within_page(offset, bytes)?;
        let known = self.tables[region].get(page).copied().unwrap_or(0);
        let copy = known.checked_sub(1).and_then(|page| self.pages[page as usize].copy.checked_sub(1));
        match copy {
            Some(copy) => self.copies[copy as usize].get(start..start + bytes),
            None => self.base[region].get(offset..offset + bytes),
        }
    }

    /// [`Global::write`](super::global::Global::write)
    pub fn write(&mut self, region: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let page = self.page(region, offset, bytes)?;
        let start = offset % PAGE_BYTES;
        self.now(page).written.add_range(start, bytes);
        self.own(page, region, offset).get_mut(start..start + bytes)
    }

    /// [`Global::poke`](super::global::Global::poke)
    pub fn poke(&mut self, region: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let page = self.page(region, offset, bytes)?;
        let start = offset % PAGE_BYTES;
        self.own(page, region, offset).get_mut(start..start + bytes)
    }

    /// Records that the block has read or written elements of the page that contains these bytes.
    #[inline]
    pub fn note(
        &mut self,
        region: usize,
        bytes: Range<usize>,
        elements: impl Iterator<Item = Elements>,
        is_write: bool,
    ) {
        let Some(page) = self.page(region, bytes.start, bytes.len()) else { return };
        let now = self.now(page);
        let marks = if is_write { &mut now.written } else { &mut now.read };
        elements.for_each(|elements| marks.add_elements(elements));
    }

    /// Adds the operand of a reduction to the sum of an aligned element, which is applied to memory at the end.
    pub fn reduce(&mut self, region: usize, offset: usize, reduction: Reduction, operand: u64) {
        let Some(page) = self.page(region, offset, usize::from(reduction.bytes)) else { return };
        let sums = self.pages[page].sums.get_or_insert_with(Sums::new);
        self.is_mixed |= !sums.add(offset % PAGE_BYTES, reduction, operand);
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
            self.touch(page);
        }
        Some(page)
    }

    /// The footprint of the current block on a page that it accesses.
    #[inline]
    fn now(&mut self, page: usize) -> &mut Footprint {
        &mut self.footprints[self.pages[page].now as usize - 1]
    }

    /// Records that the current block accesses a page for the first time.
    fn touch(&mut self, page: usize) {
        self.touched.push(page as u32);
        self.pages[page].now = self.touched.len() as u32;
        if self.footprints.len() < self.touched.len() {
            self.footprints.push(Footprint::NOTHING);
        }
    }

    #[cold]
    fn new_page(&mut self, region: usize, number: usize) -> usize {
        let table = &mut self.tables[region];
        if table.is_empty() {
            *table = vec![0; self.base[region].len().div_ceil(PAGE_BYTES)];
        }
        self.pages.push(Page::default());
        table[number] = self.pages.len() as u32;
        self.pages.len() - 1
    }

    /// The contents of a page for writing. The first write copies them.
    #[inline]
    fn own(&mut self, page: usize, region: usize, offset: usize) -> &mut [u8; PAGE_BYTES] {
        let page = &mut self.pages[page];
        if page.copy == 0 {
            let (base, start) = (&self.base[region], offset - offset % PAGE_BYTES);
            page.copy = copy_of(&mut self.copies, &base[start..base.len().min(start + PAGE_BYTES)]);
        }
        &mut self.copies[page.copy as usize - 1]
    }

    /// Ends a block. Returns whether it does not conflict with the earlier blocks on this fork: neither has accessed a
    /// byte that the other one wrote.
    pub fn end_block(&mut self) -> bool {
        let mut is_apart = !self.is_mixed;
        for (page, now) in self.touched.drain(..).zip(&mut self.footprints) {
            is_apart &= self.pages[page as usize].end_block(now);
        }
        is_apart
    }

    /// Whether the blocks of one fork and those of another do not conflict.
    pub fn is_apart_from(&self, other: &Fork) -> bool {
        let tables = self.tables.iter().zip(&other.tables);
        let mut pairs = tables.flat_map(|(one, two)| one.iter().zip(two));
        pairs.all(|(&one, &two)| {
            one == 0 || two == 0 || self.pages[one as usize - 1].is_apart_from(&other.pages[two as usize - 1])
        })
    }

    /// Drops the reference to the shared contents. What the blocks did remains.
    pub fn let_go(&mut self) {
        self.base = Shared::default();
    }

    /// Applies what the fork's blocks wrote and reduced to a part of a region that begins with page `first_page`.
    pub fn apply(&self, region: usize, first_page: usize, data: &mut [u8]) {
        let known = self.tables[region].iter().skip(first_page);
        for (data, known) in data.chunks_mut(PAGE_BYTES).zip(known) {
            if let Some(page) = known.checked_sub(1) {
                self.pages[page as usize].apply(&self.copies, data);
            }
        }
    }
}

/// The page that contains some bytes, and their offset in it; `None` if they are in two pages.
#[inline]
pub(super) fn within_page(offset: usize, bytes: usize) -> Option<(usize, usize)> {
    let start = offset % PAGE_BYTES;
    (start + bytes <= PAGE_BYTES).then_some((offset / PAGE_BYTES, start))
}

/// Copies a page, of which the last one of a region may be shorter. Returns one more than the index of the copy.
#[inline(never)]
fn copy_of(copies: &mut Vec<[u8; PAGE_BYTES]>, page: &[u8]) -> u32 {
    if let Ok(page) = page.try_into() {
        copies.extend_from_slice(std::slice::from_ref::<[u8; PAGE_BYTES]>(page));
    } else {
        copies.push([0; PAGE_BYTES]);
        let last = copies.len() - 1;
        copies[last][..page.len()].copy_from_slice(page);
    }
    copies.len() as u32
}
