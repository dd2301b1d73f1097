//! The registers of a warp, kept as columns: one array of 32 values a register, a value a lane.
//!
//! A column is what one instruction reads or writes at once, and what the compiler turns into vector code.
//! There are three banks. *Narrow* holds everything up to 32 bits (a 16-bit value lies in the low half,
//! the high half zero), *wide* the 64-bit registers, and *predicates* one bit a lane in a `u32`.
//! Types are the instruction's business: a column is bits.

/// Lanes in a warp.
pub const WARP_SIZE: usize = 32;
/// The mask in which every lane is active.
pub const FULL_MASK: u32 = u32::MAX;

/// A register of up to 32 bits, for all lanes.
pub type Narrow = [u32; WARP_SIZE];
/// A 64-bit register, for all lanes.
pub type Wide = [u64; WARP_SIZE];

/// The number of a column in its bank, counted from the start of the running function's frame.
pub type Slot = u16;

/// How many columns each bank has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Columns of up to 32 bits.
    pub narrow: usize,
    /// Columns of 64 bits.
    pub wide: usize,
    /// Predicates.
    pub preds: usize,
}

/// The three banks of one warp, or the image from which a frame starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Columns of up to 32 bits.
    pub narrow: Vec<Narrow>,
    /// Columns of 64 bits.
    pub wide: Vec<Wide>,
    /// Predicates, lane 0 in bit 0.
    pub preds: Vec<u32>,
}

impl Registers {
    /// How much memory the columns take.
    pub fn bytes(&self) -> u64 {
        let bytes = self.narrow.len() * size_of::<Narrow>() + self.wide.len() * size_of::<Wide>();
        (bytes + self.preds.len() * size_of::<u32>()) as u64
    }

    /// How many columns there are.
    pub fn shape(&self) -> Shape {
        Shape { narrow: self.narrow.len(), wide: self.wide.len(), preds: self.preds.len() }
    }

    /// Starts over with the columns of `image`, keeping the memory.
    pub fn clone_from_image(&mut self, image: &Registers) {
        self.narrow.clone_from(&image.narrow);
        self.wide.clone_from(&image.wide);
        self.preds.clone_from(&image.preds);
    }

    /// Starts over where the columns are those of `image` already: takes the predicates and some columns, wide or narrow
    /// ones, from it and leaves the others as they are.
    pub fn restart(&mut self, image: &Registers, columns: &[(bool, Slot)]) {
        for &(wide, slot) in columns {
            let slot = slot as usize;
            if wide {
                self.wide[slot] = image.wide[slot];
            } else {
                self.narrow[slot] = image.narrow[slot];
            }
        }
        self.preds.copy_from_slice(&image.preds);
    }

    /// Opens a frame at `base` for the lanes of `mask`: what `image` holds. Other lanes may have a frame of
    /// another function in the same columns.
    pub fn open(&mut self, base: Shape, image: &Registers, mask: u32) {
        grow(&mut self.narrow, base.narrow + image.narrow.len(), [0; WARP_SIZE]);
        grow(&mut self.wide, base.wide + image.wide.len(), [0; WARP_SIZE]);
        grow(&mut self.preds, base.preds + image.preds.len(), 0);
        let mut lanes = self.lanes(base, mask);
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

    /// The columns from `base` on, with `mask` as the lanes that an instruction writes.
    #[inline(always)]
    pub fn lanes(&mut self, base: Shape, mask: u32) -> Lanes<'_> {
        Lanes {
            narrow: &mut self.narrow[base.narrow..],
            wide: &mut self.wide[base.wide..],
            preds: &mut self.preds[base.preds..],
            mask,
        }
    }
}

fn grow<T: Clone>(columns: &mut Vec<T>, length: usize, zero: T) {
    if columns.len() < length {
        columns.resize(length, zero);
    }
}

/// The lanes of a mask, lowest first.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// The lanes of `mask` that have the value of the lowest of them.
pub fn like_the_lowest(column: &[u32; WARP_SIZE], mask: u32) -> u32 {
    let lowest = column[mask.trailing_zeros() as usize % WARP_SIZE];
    lanes_of(mask).filter(|&lane| column[lane] == lowest).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// How far the bits of a mask lie from each other, if that is the same for all; 1 for a single one.
#[inline(always)]
pub fn distance(mask: u32) -> Option<u32> {
    let from_first = mask.checked_shr(mask.trailing_zeros())?;
    let distance = (from_first & !1).trailing_zeros();
    let regular = EVERY[distance as usize] & FULL_MASK >> from_first.leading_zeros();
    (regular == from_first).then_some(if distance == 32 { 1 } else { distance })
}

/// By distance: the first bit, and all that are multiples of the distance.
const EVERY: [u32; 33] = {
    let mut every = [1; 33];
    let mut distance = 1;
    while distance < 32 {
        let mut bit = distance;
        while bit < 32 {
            every[distance] |= 1 << bit;
            bit += distance;
        }
        distance += 1;
    }
    every
};

/// What one instruction sees of its warp: the columns of its frame, and which lanes are active.
///
/// Inactive lanes may be computed (their values are discarded), never written.
#[derive(Debug)]
pub struct Lanes<'r> {
    /// Columns of up to 32 bits.
    pub narrow: &'r mut [Narrow],
    /// Columns of 64 bits.
    pub wide: &'r mut [Wide],
    /// Predicates.
    pub preds: &'r mut [u32],
    /// The active lanes.
    pub mask: u32,
}

impl Shape {
    /// The columns of both, one after the other.
    #[must_use]
    pub fn plus(self, other: Shape) -> Shape {
        Shape {
            narrow: self.narrow + other.narrow,
            wide: self.wide + other.wide,
            preds: self.preds + other.preds,
        }
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

impl Lanes<'_> {
    /// Writes `value(lane)` to the active lanes of a narrow column.
    #[inline(always)]
    pub fn write_narrow(&mut self, slot: Slot, value: impl Fn(usize) -> u32) {
        let column = &mut self.narrow[slot as usize];
        if self.mask == FULL_MASK {
            for (lane, old) in column.iter_mut().enumerate() {
                *old = value(lane);
            }
        } else {
            for (lane, old) in column.iter_mut().enumerate() {
                let new = value(lane);
                *old = if self.mask & BIT[lane] != 0 { new } else { *old };
            }
        }
    }

    /// Writes `value(lane)` to the active lanes of a wide column.
    #[inline(always)]
    pub fn write_wide(&mut self, slot: Slot, value: impl Fn(usize) -> u64) {
        let column = &mut self.wide[slot as usize];
        if self.mask == FULL_MASK {
            for (lane, old) in column.iter_mut().enumerate() {
                *old = value(lane);
            }
        } else {
            for (lane, old) in column.iter_mut().enumerate() {
                let new = value(lane);
                *old = if self.mask & BIT[lane] != 0 { new } else { *old };
            }
        }
    }

    /// Writes the active lanes of a predicate from the bits of `value`.
    #[inline(always)]
    pub fn write_pred(&mut self, slot: Slot, value: u32) {
        let pred = &mut self.preds[slot as usize];
        *pred = (*pred & !self.mask) | (value & self.mask);
    }
}
