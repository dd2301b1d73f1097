//! Decoded instructions of a warpgroup, and the matrix product that four warps compute together.
//!
//! A product multiplies 64 rows of A by `n` columns of B, over a depth of 32 bytes of each. Each warp has 16 of the rows: its
//! fragments of A and D are those of an `mma` with 16 rows, and D goes on from eight columns to the next eight. The numbers are
//! those of [`super::tensor`]. Where a matrix is in shared memory says a [`Descriptor`].
//! Specification: PTX ISA, section 9.7.15.

use super::matrix::{Number, field, unpack};
use super::tensor::{Part, Sum, sum_of_integers};
use crate::machine::descriptor::{Descriptor, UNIT};
use crate::machine::registers::{WARP_SIZE, Wide};
use crate::machine::warpgroup::WARPS;

/// Rows of A and D.
pub const ROWS: usize = 64;

/// Rows of A and D that a warp has.
pub const WARP_ROWS: usize = ROWS / WARPS;

/// Registers that a thread has of A, if that is in registers.
pub const REGISTERS_OF_A: usize = 4;

/// Bytes of a row of A, and of a column of B.
const DEPTH_BYTES: usize = 32;

/// An instruction that a warpgroup executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warpgroup {
    /// `wgmma.mma_async`: starts a product.
    Multiply(Product),
    /// `wgmma.fence`: what the warp has done with registers comes before the products that it starts.
    Fence,
    /// `wgmma.commit_group`: makes a group of the products that the warp has started since the last one.
    Commit,
    /// `wgmma.wait_group`: waits until at most so many of the warp's latest groups are under way.
    Wait(u32),
    /// `setmaxnreg`: changes how many registers each thread has.
    Registers {
        /// To how many.
        count: u32,
        /// Whether the warp asks for more, and does not give any away.
        takes: bool,
    },
}

/// A product of two matrices, which is added to D or replaces it. The descriptors of A and B are in `args.a` and `args.b`, and the
/// predicate `args.c` says whether D is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Columns of B and D.
    pub n: u16,
    /// Whether integers end at the smallest and the largest, and do not wrap.
    pub saturates: bool,
    /// Whether D is added to where the predicate is false.
    pub adds_if_false: bool,
    /// Whether A is in registers.
    pub has_registers: bool,
    /// A.
    pub a: Factor,
    /// B.
    pub b: Factor,
    /// The elements of D.
    pub d: Number,
}

/// One of the matrices that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its elements.
    pub number: Number,
    /// Whether they have the other sign.
    pub is_negated: bool,
    /// Whether elements with the same place in the direction of `k` are neighbours in memory.
    pub is_transposed: bool,
}

impl Factor {
    /// Where in memory the matrix is, in units of 16 bytes, in a fixed order; it has so many rows (of A) or columns (of B).
    pub fn units(self, at: &Descriptor, lines: usize) -> impl Iterator<Item = u64> {
        let (across, down) = self.extent(lines);
        let at = *at;
        (0..down).flat_map(move |line| {
            (0..across).map(move |unit| at.address(self.is_transposed, unit as u64, line as u64))
        })
    }

    /// Bytes of the matrix in the direction in which elements are neighbours.
    pub fn bytes_across(self, lines: usize) -> u64 {
        self.extent(lines).0 as u64 * UNIT
    }

    /// Units of 16 bytes in the direction in which elements are neighbours, and lines in the other.
    fn extent(self, lines: usize) -> (usize, usize) {
        if self.is_transposed {
            (lines * self.number.bits() / 128, depth(self.number))
        } else {
            (DEPTH_BYTES / UNIT as usize, lines)
        }
    }

    /// The elements from the bytes at its units, row after row (of A) or column after column (of B).
    fn elements(self, bytes: &[u8], lines: usize) -> Vec<u64> {
        let (size, depth) = (self.number.bits() / 8, depth(self.number));
        let mut elements = vec![0; lines * depth];
        let (across, _) = self.extent(lines);
        let in_line = across * UNIT as usize / size;
        for (number, bytes) in bytes.chunks_exact(size).enumerate() {
            let (line, place) = (number / in_line, number % in_line);
            let (line, place) = if self.is_transposed { (place, line) } else { (line, place) };
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes);
            elements[line * depth + place] = u64::from_le_bytes(word);
        }
        elements
    }

    fn part(self, bits: u64) -> Part {
        let part = Part::of(self.number, bits);
        if self.is_negated { part.negated() } else { part }
    }
}

/// How many products are added for an element of D.
fn depth(number: Number) -> usize {
    DEPTH_BYTES * 8 / number.bits()
}

/// A and B, as far as they are in memory: the bytes of their units.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Of A; nothing if that is in registers.
    pub a: Vec<u8>,
    /// Of B.
    pub b: Vec<u8>,
}

/// What is multiplied, decoded.
#[derive(Clone, Debug)]
pub enum Factors {
    /// Integers.
    Integers(Vec<i64>, Vec<i64>),
    /// Floating-point numbers.
    Parts(Vec<Part>, Vec<Part>),
}

impl Product {
    /// How many registers a thread has of D.
    pub fn registers(&self) -> usize {
        usize::from(self.n) * WARP_ROWS / WARP_SIZE / self.d.in_register()
    }

    /// Whether D of another product has the same shape, so that both may use it one after the other.
    pub fn continues(&self, other: &Product) -> bool {
        (self.n, self.d, depth(self.a.number)) == (other.n, other.d, depth(other.a.number))
    }

    /// A and B, decoded once for all warps. `fragments` are the registers of A of each warp, if it has any.
    pub fn factors(&self, source: &Source, fragments: &[Vec<Wide>]) -> Factors {
        let a =
            if self.has_registers { self.of_registers(fragments) } else { self.a.elements(&source.a, ROWS) };
        let b = self.b.elements(&source.b, self.n.into());
        if self.d == Number::S32 {
            let decode = |factor: Factor, all: Vec<u64>| {
                all.into_iter().map(|bits| factor.number.integer(bits)).collect()
            };
            return Factors::Integers(decode(self.a, a), decode(self.b, b));
        }
        let decode = |factor: Factor, all: Vec<u64>| all.into_iter().map(|bits| factor.part(bits)).collect();
        Factors::Parts(decode(self.a, a), decode(self.b, b))
    }

    fn of_registers(&self, fragments: &[Vec<Wide>]) -> Vec<u64> {
        let depth = depth(self.a.number);
        let mut elements = vec![0; ROWS * depth];
        for (warp, registers) in fragments.iter().enumerate() {
            unpack(self.a.number, 2, registers, |row, at, bits| {
                elements[(warp * WARP_ROWS + row) * depth + at] = bits;
            });
        }
        elements
    }

    /// D of a warp, from what it has in its registers; from nothing if D is not added to.
    pub fn evaluate(&self, factors: &Factors, warp: usize, d: &mut [Wide], adds: bool) {
        match factors {
            Factors::Integers(a, b) => self.each(a, b, warp, d, adds, |a, b, c| {
                sum_of_integers(a, b, Number::S32.integer(c), self.saturates)
            }),
            Factors::Parts(a, b) => {
                let sum = Sum::new(self.a.number, self.b.number, self.d);
                self.each(a, b, warp, d, adds, |a, b, c| sum.of(a, b, c));
            }
        }
    }

    fn each<T>(
        &self,
        a: &[T],
        b: &[T],
        warp: usize,
        d: &mut [Wide],
        adds: bool,
        element: impl Fn(&[T], &[T], u64) -> u64,
    ) {
        let depth = depth(self.a.number);
        let (bits, count) = (self.d.bits(), self.d.in_register());
        for (register, d) in d.iter_mut().enumerate() {
            for (lane, word) in d.iter_mut().enumerate() {
                let mut sums = 0;
                for place in 0..count {
                    let number = register * count + place;
                    let row = warp * WARP_ROWS + lane / 4 + number / 2 % 2 * 8;
                    let column = number / 4 * 8 + lane % 4 * 2 + number % 2;
                    let c = if adds { field(*word, bits, place) } else { 0 };
                    let sum = element(&a[row * depth..][..depth], &b[column * depth..][..depth], c);
                    sums |= sum << (bits * place);
                }
                *word = sums;
            }
        }
    }
}
