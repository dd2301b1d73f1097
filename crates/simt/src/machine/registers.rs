//! Registers, kept as columns: an array of 32 values for each register of each warp, a value a lane.
//!
//! A column is what one instruction reads or writes at once, and what the compiler turns into vector code.
//! There are three banks. *Narrow* holds everything up to 32 bits (a 16-bit value lies in the low half,
//! the high half zero), *wide* the 64-bit registers, and *predicates* one bit a lane in a `u32`.
//! Types are the instruction's business: a column is bits.
//!
//! How the registers of the warps of a block lie together is the business of [`super::file`].

use std::cell::Cell;

use super::affine::{Affine, Grid};
pub use super::file::{Columns, File, RegisterCells};
use super::written::bits_of;

/// Lanes in a warp.
pub const WARP_SIZE: usize = 32;
/// Warps that a block has at most.
pub const MAX_WARPS: usize = 32;
/// The mask in which every lane is active.
pub const FULL_MASK: u32 = u32::MAX;

/// A register of up to 32 bits, for all lanes of a warp.
pub type Narrow = [u32; WARP_SIZE];
/// A 64-bit register, for all lanes of a warp.
pub type Wide = [u64; WARP_SIZE];

/// The number of a register in its bank, counted from the start of the running function's frame.
pub type Slot = u16;

/// A register bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bank {
    /// Up to 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
    /// One bit.
    Preds,
}

/// How many registers each bank has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Registers of up to 32 bits.
    pub narrow: usize,
    /// Registers of 64 bits.
    pub wide: usize,
    /// Predicates.
    pub preds: usize,
}

impl Shape {
    /// The registers of both, one after the other.
    #[must_use]
    pub fn plus(self, other: Shape) -> Shape {
        Shape {
            narrow: self.narrow + other.narrow,
            wide: self.wide + other.wide,
            preds: self.preds + other.preds,
        }
    }

    /// How many registers of a bank.
    #[must_use]
    pub fn of(self, bank: Bank) -> usize {
        match bank {
            Bank::Narrow => self.narrow,
            Bank::Wide => self.wide,
            Bank::Preds => self.preds,
        }
    }
}

/// The columns of one warp: the image from which a frame starts, or a copy of what a warp holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Registers of up to 32 bits.
    pub narrow: Vec<Narrow>,
    /// Registers of 64 bits.
    pub wide: Vec<Wide>,
    /// Predicates, lane 0 in bit 0.
    pub preds: Vec<u32>,
}

impl Image {
    /// How much memory the columns take.
    pub fn bytes(&self) -> u64 {
        let bytes = self.narrow.len() * size_of::<Narrow>() + self.wide.len() * size_of::<Wide>();
        (bytes + self.preds.len() * size_of::<u32>()) as u64
    }

    /// How many registers there are.
    pub fn shape(&self) -> Shape {
        Shape { narrow: self.narrow.len(), wide: self.wide.len(), preds: self.preds.len() }
    }
}

/// The registers of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    /// Registers of up to 32 bits.
    pub narrow: File<Narrow>,
    /// Registers of 64 bits.
    pub wide: File<Wide>,
    /// Predicates.
    pub preds: File<u32>,
}

/// Does something with a register of a frame at a base, which is in one of the three files.
macro_rules! in_bank {
    ($registers:expr, $base:expr, $bank:expr, $number:expr, |$file:ident, $slot:ident| $body:expr) => {{
        let Registers { narrow, wide, preds } = $registers;
        let slot = usize::from($number);
        match $bank {
            Bank::Narrow => {
                let ($file, $slot) = (narrow, $base.narrow + slot);
                $body
            }
            Bank::Wide => {
                let ($file, $slot) = (wide, $base.wide + slot);
                $body
            }
            Bank::Preds => {
                let ($file, $slot) = (preds, $base.preds + slot);
                $body
            }
        }
    }};
}

impl Registers {
    /// The registers of one warp with the columns of `image`.
    pub fn of_one_warp(image: &Image) -> Registers {
        Registers {
            narrow: File::of_one_warp(&image.narrow),
            wide: File::of_one_warp(&image.wide),
            preds: File::of_one_warp(&image.preds),
        }
    }

    /// Starts over with the warps of `grid`, all of them with what the one warp of `start` holds.
    pub fn reset(&mut self, start: &Registers, grid: Grid) {
        self.narrow.reset(&start.narrow, grid);
        self.wide.reset(&start.wide, grid);
        self.preds.reset(&start.preds, grid);
    }

    /// The warps of the block, and how their lanes form rows.
    #[inline(always)]
    pub fn grid(&self) -> Grid {
        self.narrow.grid
    }

    /// How many registers there are.
    pub fn shape(&self) -> Shape {
        Shape { narrow: self.narrow.len(), wide: self.wide.len(), preds: self.preds.len() }
    }

    /// Opens a frame at `base` for lanes of a warp: what `image` holds. Other lanes may have a frame of
    /// another function in the same columns.
    pub fn open(&mut self, warp: usize, base: Shape, image: &Image, mask: u32) {
        self.narrow.grow(base.narrow, &image.narrow);
        self.wide.grow(base.wide, &image.wide);
        self.preds.grow(base.preds, &image.preds);
        let count = image.shape();
        (base.narrow..base.narrow + count.narrow).for_each(|slot| self.narrow.expand(slot));
        (base.wide..base.wide + count.wide).for_each(|slot| self.wide.expand(slot));
        (base.preds..base.preds + count.preds).for_each(|slot| self.preds.expand(slot));
        let mut lanes = self.lanes(warp, base, mask);
        for (slot, column) in image.narrow.iter().enumerate() {
            lanes.write_narrow(slot as Slot, |lane| column[lane]);
        }
        for (slot, column) in image.wide.iter().enumerate() {
            lanes.write_wide(slot as Slot, |lane| column[lane]);
        }
        for (slot, &bits) in image.preds.iter().enumerate() {
            lanes.write_pred(slot as Slot, bits);
        }
    }

    /// Whether all warps hold the same column of a register of a frame at `base`.
    #[inline(always)]
    pub fn is_same_in_all(&self, base: Shape, bank: Bank, slot: Slot) -> bool {
        in_bank!(self, base, bank, slot, |file, slot| file.is_same_in_all(slot))
    }

    /// The value that all threads of the block have in a register: [`File::uniform`].
    #[inline(always)]
    pub fn uniform(&self, base: Shape, bank: Bank, slot: Slot) -> Option<u64> {
        in_bank!(self, base, bank, slot, |file, slot| file.uniform(slot))
    }

    /// What a register of 32 or of 64 bits holds, if it is affine.
    #[inline(always)]
    pub fn affine(&self, base: Shape, slot: Slot, wide: bool) -> Option<&Affine> {
        let slot = usize::from(slot);
        if wide { self.wide.affine(base.wide + slot) } else { self.narrow.affine(base.narrow + slot) }
    }

    /// Has a register of 32 or of 64 bits hold an affine value.
    #[inline(always)]
    pub fn set_affine(&mut self, base: Shape, slot: Slot, wide: bool, value: Affine) {
        let slot = usize::from(slot);
        if wide {
            self.wide.set_affine(base.wide + slot, value);
        } else {
            self.narrow.set_affine(base.narrow + slot, value.narrow());
        }
    }

    /// Prepares a register for being read by each warp: [`File::expand`].
    #[inline(always)]
    pub fn expand(&mut self, base: Shape, bank: Bank, slot: Slot) {
        in_bank!(self, base, bank, slot, |file, slot| file.expand(slot));
    }

    /// Prepares a register for being written by all warps: [`File::replace`].
    #[inline(always)]
    pub fn replace(&mut self, base: Shape, bank: Bank, slot: Slot) {
        in_bank!(self, base, bank, slot, |file, slot| {
            file.replace(slot);
        });
    }

    /// Prepares a register for being written by some warps: [`File::change`].
    #[inline(always)]
    pub fn change(&mut self, base: Shape, bank: Bank, slot: Slot) {
        in_bank!(self, base, bank, slot, |file, slot| {
            file.change(slot);
        });
    }

    /// Says that the column of warp 0 is what all warps hold, and whether all of its lanes hold the same.
    #[inline(always)]
    pub fn share_first(&mut self, base: Shape, bank: Bank, slot: Slot, is_uniform: bool) {
        in_bank!(self, base, bank, slot, |file, slot| file.share_first(slot, is_uniform));
    }

    /// Has a register hold for each warp what one of other registers of as many warps holds.
    pub fn copy(&mut self, to: usize, others: &Registers, bank: Bank, slot: usize) {
        match bank {
            Bank::Narrow => self.narrow.copy(to, &others.narrow, slot),
            Bank::Wide => self.wide.copy(to, &others.wide, slot),
            Bank::Preds => self.preds.copy(to, &others.preds, slot),
        }
    }

    /// Adds to `values` what lanes of warp `w` have in a register.
    pub fn add_values(&self, bank: Bank, slot: usize, w: usize, mask: u32, values: &mut Vec<u64>) {
        match bank {
            Bank::Narrow => {
                let column = self.narrow.get(slot, w);
                values.extend(lanes_of(mask).map(|lane| u64::from(column[lane])));
            }
            Bank::Wide => {
                let column = self.wide.get(slot, w);
                values.extend(lanes_of(mask).map(|lane| column[lane]));
            }
            Bank::Preds => values.push(u64::from(self.preds.get(slot, w) & mask)),
        }
    }

    /// Writes out every affine register, so that the registers of each warp can be read by themselves.
    pub fn expand_all(&mut self) {
        self.narrow.expand_all();
        self.wide.expand_all();
        self.preds.expand_all();
    }

    /// Finds registers that hold an affine value although they were written warp by warp: [`File::affine`].
    pub fn find_affine(&mut self) {
        self.narrow.find_affine();
        self.wide.find_affine();
        self.preds.find_affine();
    }

    /// The registers of a warp from `base` on, with `mask` as the lanes that an instruction writes. The columns of what it
    /// reads or writes must have been written out ([`File::expand`]).
    #[inline(always)]
    pub fn lanes(&mut self, warp: usize, base: Shape, mask: u32) -> Lanes<'_> {
        Lanes {
            narrow: self.narrow.columns(base.narrow, warp),
            wide: self.wide.columns(base.wide, warp),
            preds: self.preds.columns(base.preds, warp),
            mask,
        }
    }

    /// The registers of all warps from `base` on, with a mask for each warp, and whether results may be written to all lanes.
    #[inline(always)]
    pub fn warps<'r>(&'r mut self, base: Shape, masks: &'r [u32], to_all: bool) -> Warps<'r> {
        Warps {
            narrow: self.narrow.columns(base.narrow, 0),
            wide: self.wide.columns(base.wide, 0),
            preds: self.preds.columns(base.preds, 0),
            masks,
            fill: if to_all { FULL_MASK } else { 0 },
        }
    }

    /// Whether a warp holds these columns.
    pub fn holds(&self, warp: usize, image: &Image) -> bool {
        self.narrow.holds(warp, &image.narrow)
            && self.wide.holds(warp, &image.wide)
            && self.preds.holds(warp, &image.preds)
    }

    /// Whether a warp holds these columns, whatever is in some of them.
    pub fn holds_but(&self, warp: usize, image: &Image, left_out: &[(Bank, usize)]) -> bool {
        let is_left_out = |bank| move |slot| left_out.contains(&(bank, slot));
        self.narrow.holds_but(warp, &image.narrow, is_left_out(Bank::Narrow))
            && self.wide.holds_but(warp, &image.wide, is_left_out(Bank::Wide))
            && self.preds.holds_but(warp, &image.preds, is_left_out(Bank::Preds))
    }

    /// A copy of what a warp holds.
    pub fn of_warp(&self, warp: usize) -> Image {
        Image {
            narrow: self.narrow.of_warp(warp),
            wide: self.wide.of_warp(warp),
            preds: self.preds.of_warp(warp),
        }
    }
}

/// How many lanes a mask has; the full one, which is the common one, without counting.
#[inline(always)]
pub fn lane_count(mask: u32) -> u64 {
    if mask == FULL_MASK { WARP_SIZE as u64 } else { u64::from(mask.count_ones()) }
}

/// The lanes of a mask, lowest first.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    bits_of(u64::from(mask))
}

/// The lanes of `mask` that have the value of the lowest of them.
pub fn like_the_lowest(column: &[u32; WARP_SIZE], mask: u32) -> u32 {
    let lowest = column[mask.trailing_zeros() as usize % WARP_SIZE];
    lanes_of(mask).filter(|&lane| column[lane] == lowest).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// What an instruction sees of a warp: the registers of its frame, and which lanes are active.
///
/// Inactive lanes may be computed (their values are discarded), never written.
#[derive(Debug)]
pub struct Lanes<'r> {
    /// Registers of up to 32 bits.
    pub narrow: Columns<'r, Narrow>,
    /// Registers of 64 bits.
    pub wide: Columns<'r, Wide>,
    /// Predicates.
    pub preds: Columns<'r, u32>,
    /// The active lanes.
    pub mask: u32,
}

/// What an arithmetic instruction sees of the warps that execute it together.
#[derive(Debug)]
pub struct Warps<'r> {
    /// Registers of up to 32 bits.
    pub narrow: Columns<'r, Narrow>,
    /// Registers of 64 bits.
    pub wide: Columns<'r, Wide>,
    /// Predicates.
    pub preds: Columns<'r, u32>,
    /// The active lanes of each warp, from the one on as which the columns are seen.
    pub masks: &'r [u32],
    /// All ones if nobody reads what the results hold for other lanes: they may be written too.
    pub fill: u32,
}

/// The columns of each bank as cells.
#[derive(Clone, Copy, Debug)]
pub struct BankCells<'c> {
    /// Registers of up to 32 bits.
    pub narrow: &'c [Cell<Narrow>],
    /// Registers of 64 bits.
    pub wide: &'c [Cell<Wide>],
    /// Predicates.
    pub preds: &'c [Cell<u32>],
}

impl Warps<'_> {
    /// The columns of each bank.
    #[inline(always)]
    pub fn cells(&mut self) -> BankCells<'_> {
        BankCells { narrow: self.narrow.cells(), wide: self.wide.cells(), preds: self.preds.cells() }
    }

    /// Does something for the active lanes of each warp.
    #[inline(always)]
    pub fn each(&mut self, run: impl Fn(&mut Lanes<'_>)) {
        for (warp, &mask) in (self.narrow.warp..).zip(self.masks) {
            if mask != 0 {
                run(&mut self.lanes(warp, mask | self.fill));
            }
        }
    }

    /// The same in less code: the loop is not compiled again for each function.
    #[inline(never)]
    pub fn each_small(&mut self, run: &dyn Fn(&mut Lanes<'_>)) {
        self.each(run);
    }

    /// The lanes of one warp.
    #[inline(always)]
    pub fn lanes(&mut self, warp: usize, mask: u32) -> Lanes<'_> {
        Lanes { narrow: self.narrow.of(warp), wide: self.wide.of(warp), preds: self.preds.of(warp), mask }
    }
}

/// Bit `lane` set, for every lane: a constant that lets masks and predicates become vector code.
pub const BIT: Narrow = {
    let mut bits = [0; WARP_SIZE];
    let mut lane = 0;
    while lane < WARP_SIZE {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// What a register holds for one lane.
pub trait Word: Copy + Default + 'static {
    /// `new` where `bits` are ones, and else this; `bits` are all ones or all zeros.
    #[must_use]
    fn replaced(self, new: Self, bits: u32) -> Self;

    /// The words from the start of some bytes on, as many as there are.
    fn load(words: &mut [Self], bytes: &[u8]);

    /// Writes words to the start of some bytes, as many as there is room for.
    fn store(words: &[Self], bytes: &mut [u8]);

    /// The columns of all warps of a register of the frame at `base`: [`File::of_all`].
    fn columns(registers: &mut Registers, base: Shape, slot: Slot) -> &[[Self; WARP_SIZE]];

    /// The same, to write to all of them or to some: [`File::replace`], [`File::change`].
    fn columns_to_write(
        registers: &mut Registers,
        base: Shape,
        slot: Slot,
        all: bool,
    ) -> &mut [[Self; WARP_SIZE]];
}

macro_rules! word {
    ($($word:ty, $bank:ident;)*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn replaced(self, new: Self, bits: u32) -> Self {
                let bits = bits as i32 as $word;
                new & bits | self & !bits
            }

            #[inline(always)]
            fn load(words: &mut [Self], bytes: &[u8]) {
                for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                    *word = Self::from_le_bytes(*bytes);
                }
            }

            #[inline(always)]
            fn store(words: &[Self], bytes: &mut [u8]) {
                for (word, bytes) in words.iter().zip(bytes.as_chunks_mut().0) {
                    *bytes = word.to_le_bytes();
                }
            }

            #[inline(always)]
            fn columns(registers: &mut Registers, base: Shape, slot: Slot) -> &[[Self; WARP_SIZE]] {
                registers.$bank.of_all(base.$bank + usize::from(slot))
            }

            #[inline(always)]
            fn columns_to_write(
                registers: &mut Registers,
                base: Shape,
                slot: Slot,
                all: bool,
            ) -> &mut [[Self; WARP_SIZE]] {
                let slot = base.$bank + usize::from(slot);
                if all { registers.$bank.replace(slot) } else { registers.$bank.change(slot) }
            }
        }
    )*};
}

word! {
    u32, narrow;
    u64, wide;
}

/// The bits of a byte, each as a word of ones or of zeros.
static SPREAD: [[u32; 8]; 256] = {
    let mut words = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            words[byte][bit] = if byte >> bit & 1 != 0 { u32::MAX } else { 0 };
            bit += 1;
        }
        byte += 1;
    }
    words
};

/// A column of `value(lane)`. A loop, because a function such as `array::from_fn` would be compiled for the oldest processor.
#[inline(always)]
pub fn column_of<T: Word>(value: impl Fn(usize) -> T) -> [T; WARP_SIZE] {
    let mut column = [T::default(); WARP_SIZE];
    for (lane, to) in column.iter_mut().enumerate() {
        *to = value(lane);
    }
    column
}

/// Copies the lanes of `mask`. What to keep comes from a table, because LLVM makes stores under a mask of everything in which it
/// recognises a condition for each lane, and some processors take ten times as long for those.
#[inline(always)]
pub fn copy_lanes<T: Word>(column: &mut [T; WARP_SIZE], mask: u32, new: &[T; WARP_SIZE]) {
    if mask == FULL_MASK {
        *column = *new;
        return;
    }
    if cfg!(target_family = "wasm") {
        // In less code.
        return lanes_of(mask).for_each(|lane| column[lane] = new[lane]);
    }
    for (byte, first) in mask.to_le_bytes().into_iter().zip((0..WARP_SIZE).step_by(8)) {
        for (lane, &bits) in (first..).zip(&SPREAD[usize::from(byte)]) {
            column[lane] = column[lane].replaced(new[lane], bits);
        }
    }
}

/// Writes `value(lane)` to the lanes of `mask`.
#[inline(always)]
pub fn write_lanes<T: Word>(column: &mut [T; WARP_SIZE], mask: u32, value: impl Fn(usize) -> T) {
    if cfg!(target_family = "wasm") {
        // In less code.
        for (lane, old) in column.iter_mut().enumerate() {
            let new = value(lane);
            *old = if mask & BIT[lane] != 0 { new } else { *old };
        }
        return;
    }
    copy_lanes(column, mask, &column_of(value));
}

impl Lanes<'_> {
    /// The same lanes, for an arithmetic instruction.
    #[inline(always)]
    pub fn warps(&mut self) -> Warps<'_> {
        let warp = self.narrow.warp;
        Warps {
            narrow: self.narrow.of(warp),
            wide: self.wide.of(warp),
            preds: self.preds.of(warp),
            masks: std::slice::from_ref(&self.mask),
            fill: 0,
        }
    }

    /// A lane's value of a wide or a narrow register.
    #[inline(always)]
    pub fn value(&self, slot: Slot, lane: usize, wide: bool) -> u64 {
        if wide { self.wide[slot as usize][lane] } else { u64::from(self.narrow[slot as usize][lane]) }
    }

    /// Writes `value(lane)` to the active lanes of a narrow register.
    #[inline(always)]
    pub fn write_narrow(&mut self, slot: Slot, value: impl Fn(usize) -> u32) {
        write_lanes(&mut self.narrow[slot as usize], self.mask, value);
    }

    /// Writes `value(lane)` to the active lanes of a wide register.
    #[inline(always)]
    pub fn write_wide(&mut self, slot: Slot, value: impl Fn(usize) -> u64) {
        write_lanes(&mut self.wide[slot as usize], self.mask, value);
    }

    /// Writes the active lanes of a predicate from the bits of `value`.
    #[inline(always)]
    pub fn write_pred(&mut self, slot: Slot, value: u32) {
        let pred = &mut self.preds[slot as usize];
        *pred = (*pred & !self.mask) | (value & self.mask);
    }
}
