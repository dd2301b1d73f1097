//! Decoded matrix instructions, and which lane holds which element of a matrix.
//!
//! All layouts of fragments follow one rule. A register holds elements that are neighbours in the direction of `k`, the one
//! that is summed over; four lanes cover four registers, and the next register of a lane goes on behind them. Registers of A
//! alternate between the upper and the lower eight rows. Specification: PTX ISA, section 9.7.14.5.

use super::memory::Address;
use super::tensor::{Part, Sum, chain, sum_of_integers};
use crate::machine::registers::{WARP_SIZE, Wide};

/// A matrix instruction, which a whole warp executes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// `ldmatrix`: rows of shared memory to fragments.
    Load(Rows),
    /// `stmatrix`: fragments to rows of shared memory.
    Store(Rows),
    /// `movmatrix`: transposes a fragment.
    Transpose,
    /// `mma`: multiplies two matrices and adds a third.
    Multiply(Multiply),
}

/// Matrices of eight rows in shared memory. Lane `8 i + j` has the address of row `j` of matrix `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The address of a row; its base register is `args.a`.
    pub address: Address,
    /// How many matrices.
    pub count: u8,
    /// Whether they are transposed on the way.
    pub transposed: bool,
}

/// Bytes of a row.
pub const ROW_BYTES: u64 = 16;

/// The 32-bit words of all rows: `words[w][lane]` is word `w` of the row at which a lane points.
pub type RowWords = [[u32; WARP_SIZE]; 4];

impl Rows {
    /// The lanes whose addresses count.
    pub fn lanes(self) -> u32 {
        u32::MAX >> (WARP_SIZE - 8 * usize::from(self.count))
    }

    /// What a lane gets of a matrix: two neighbours of one row, or of one column.
    pub fn gathered(self, rows: &RowWords, matrix: usize, lane: usize) -> u32 {
        let (first, second) = (8 * matrix, lane % 4);
        if !self.transposed {
            return rows[second][first + lane / 4];
        }
        let half = |row: usize| rows[lane / 8][first + row] >> (lane / 4 % 2 * 16) & 0xffff;
        half(2 * second) | half(2 * second + 1) << 16
    }

    /// Puts what a lane has of a matrix into the rows.
    pub fn scatter(self, rows: &mut RowWords, matrix: usize, lane: usize, value: u32) {
        let (first, second) = (8 * matrix, lane % 4);
        if !self.transposed {
            rows[second][first + lane / 4] = value;
            return;
        }
        let shift = lane / 4 % 2 * 16;
        for (row, half) in [(2 * second, value & 0xffff), (2 * second + 1, value >> 16)] {
            let word = &mut rows[lane / 8][first + row];
            *word = *word & !(0xffff << shift) | half << shift;
        }
    }
}

/// What a lane gets where a warp transposes a matrix of which each lane has `from`.
pub fn transposed(from: &Wide, lane: usize) -> u32 {
    let half = |row: usize| (from[4 * row + lane / 8] >> (lane / 4 % 2 * 16)) as u32 & 0xffff;
    half(2 * (lane % 4)) | half(2 * (lane % 4) + 1) << 16
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The specification's own names.
pub enum Number {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S32,
    U8,
    S8,
    U4,
    S4,
    E4m3,
    E5m2,
}

impl Number {
    /// The type that a modifier names.
    pub fn named(word: &str) -> Option<Number> {
        use Number::{Bf16, E4m3, E5m2, F16, F32, F64, S4, S8, S32, Tf32, U4, U8};
        let names = [
            ("f16", F16),
            ("bf16", Bf16),
            ("tf32", Tf32),
            ("f32", F32),
            ("f64", F64),
            ("s32", S32),
            ("u8", U8),
            ("s8", S8),
            ("u4", U4),
            ("s4", S4),
            ("e4m3", E4m3),
            ("e5m2", E5m2),
        ];
        names.into_iter().find(|(name, _)| *name == word).map(|(_, number)| number)
    }

    /// Its bits in a register.
    pub fn bits(self) -> usize {
        match self {
            Number::U4 | Number::S4 => 4,
            Number::U8 | Number::S8 | Number::E4m3 | Number::E5m2 => 8,
            Number::F16 | Number::Bf16 => 16,
            Number::Tf32 | Number::F32 | Number::S32 => 32,
            Number::F64 => 64,
        }
    }

    /// How many of them a register holds.
    pub(super) fn in_register(self) -> usize {
        self.bits().max(32) / self.bits()
    }

    /// The value of an integer.
    pub(super) fn integer(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        match self {
            Number::S4 | Number::S8 | Number::S32 => (bits << unused) as i64 >> unused,
            _ => bits as i64,
        }
    }
}

/// `mma`: a matrix A of `m` times `k` elements, B of `k` times 8, and C and D of `m` times 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiply {
    /// Rows of A, C and D.
    pub m: u8,
    /// Columns of A, rows of B.
    pub k: u8,
    /// The elements of A.
    pub a: Number,
    /// The elements of B.
    pub b: Number,
    /// The elements of C and D.
    pub d: Number,
    /// Whether integers end at the smallest and the largest, and do not wrap.
    pub saturates: bool,
}

/// Columns of B, C and D.
const N: usize = 8;

/// The largest number of elements of A: 16 rows of 64.
const MAX_A: usize = 16 * 64;

/// The largest number of registers of A.
pub const MAX_REGISTERS: usize = 8;

/// What the lanes hold of an operand: a column for each register.
pub type Fragment = [Wide; MAX_REGISTERS];

impl Multiply {
    /// How many registers each lane has of A, B and C.
    pub fn registers(self) -> [usize; 3] {
        let (m, k) = (usize::from(self.m), usize::from(self.k));
        let registers = |elements: usize, number: Number| elements / WARP_SIZE / number.in_register();
        [registers(m * k, self.a), registers(k * N, self.b), registers(m * N, self.d)]
    }

    /// D, from the fragments of A, B and C.
    pub fn evaluate(self, a: &Fragment, b: &Fragment, c: &Fragment) -> Fragment {
        match self.d {
            Number::F64 => self.each(a, b, c, |_, bits| f64::from_bits(bits), chain),
            Number::S32 => self.each(a, b, c, Number::integer, |a, b, c| {
                sum_of_integers(a, b, Number::S32.integer(c), self.saturates)
            }),
            _ => {
                let sum = Sum::new(self.a, self.b, self.d);
                self.each(a, b, c, Part::of, |a, b, c| sum.of(a, b, c))
            }
        }
    }

    /// D, each element of it a function of a row of A, a column of B and an element of C.
    fn each<T: Copy + Default>(
        self,
        a: &Fragment,
        b: &Fragment,
        c: &Fragment,
        decode: impl Fn(Number, u64) -> T,
        element: impl Fn(&[T], &[T], u64) -> u64,
    ) -> Fragment {
        let k = usize::from(self.k);
        let (mut rows, mut columns) = ([T::default(); MAX_A], [T::default(); N * 64]);
        let [of_a, of_b, of_c] = self.registers();
        unpack(self.a, self.m / 8, &a[..of_a], |row, at, bits| {
            rows[row * k + at] = decode(self.a, bits);
        });
        unpack(self.b, 1, &b[..of_b], |column, at, bits| {
            columns[column * k + at] = decode(self.b, bits);
        });
        let mut d = [[0; WARP_SIZE]; MAX_REGISTERS];
        let (bits, count) = (self.d.bits(), self.d.in_register());
        for (register, (d, c)) in d.iter_mut().zip(&c[..of_c]).enumerate() {
            for lane in 0..WARP_SIZE {
                for place in 0..count {
                    let number = register * count + place;
                    let (row, column) = (lane / 4 + number / 2 * 8, lane % 4 * 2 + number % 2);
                    let c = field(c[lane], bits, place);
                    let value = element(&rows[row * k..][..k], &columns[column * k..][..k], c);
                    d[lane] |= value << (bits * place % 64);
                }
            }
        }
        d
    }
}

/// Calls a function for each element of A or B: its row or column, where it is in the direction of `k`, and its bits.
pub(super) fn unpack(
    number: Number,
    halves: u8,
    registers: &[Wide],
    mut each: impl FnMut(usize, usize, u64),
) {
    let (halves, count) = (usize::from(halves), number.in_register());
    for (register, column) in registers.iter().enumerate() {
        for (lane, word) in column.iter().enumerate() {
            for place in 0..count {
                let line = lane / 4 + register % halves * 8;
                let at = lane % 4 * count + place + register / halves * 4 * count;
                each(line, at, field(*word, number.bits(), place));
            }
        }
    }
}

/// Element `place` of a register.
pub(super) fn field(word: u64, bits: usize, place: usize) -> u64 {
    word >> (bits * place % 64) & u64::MAX >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiply(m: u8, k: u8, a: Number, d: Number) -> Multiply {
        Multiply { m, k, a, b: a, d, saturates: false }
    }

    #[test]
    fn fragments_have_the_registers_of_the_specification() {
        let check =
            |multiply: Multiply, registers| assert_eq!(multiply.registers(), registers, "{multiply:?}");
        check(multiply(16, 8, Number::F16, Number::F16), [2, 1, 2]);
        check(multiply(16, 16, Number::Bf16, Number::F32), [4, 2, 4]);
        check(multiply(16, 4, Number::Tf32, Number::F32), [2, 1, 4]);
        check(multiply(8, 4, Number::F64, Number::F64), [1, 1, 2]);
        check(multiply(16, 16, Number::F64, Number::F64), [8, 4, 4]);
        check(multiply(8, 16, Number::S8, Number::S32), [1, 1, 2]);
        check(multiply(16, 64, Number::U4, Number::S32), [4, 2, 4]);
    }

    /// One element of A and one of B are 1, so that one element of D is 1; returns its register and lane.
    fn single(
        multiply: Multiply,
        a: (usize, usize),
        b: (usize, usize),
        one: u64,
    ) -> Vec<(usize, usize, u64)> {
        let empty: Fragment = [[0; WARP_SIZE]; MAX_REGISTERS];
        let (mut of_a, mut of_b) = (empty, empty);
        (of_a[a.0][a.1], of_b[b.0][b.1]) = (one, one);
        let d = multiply.evaluate(&of_a, &of_b, &empty);
        let all = (0..MAX_REGISTERS).flat_map(|register| (0..WARP_SIZE).map(move |lane| (register, lane)));
        all.map(|(register, lane)| (register, lane, d[register][lane])).filter(|value| value.2 != 0).collect()
    }

    #[test]
    fn elements_meet_where_their_places_in_k_are_equal() {
        // Row 9 of A, k = 2, and column 3 of B, k = 2: both in the lower half of the register of a lane.
        let f16 = multiply(16, 8, Number::F16, Number::F32);
        assert_eq!(single(f16, (1, 5), (0, 13), 0x3c00), [(3, 5, 0x3f80_0000)]);
        assert_eq!(single(f16, (1, 6), (0, 13), 0x3c00), []);
        // Row 0 of A, k = 8 of 16, and column 0 of B.
        let f16 = multiply(16, 16, Number::F16, Number::F16);
        assert_eq!(single(f16, (2, 0), (1, 0), 0x3c00), [(0, 0, 0x3c00)]);
        let s8 = multiply(16, 32, Number::S8, Number::S32);
        // Row 8 of A and column 1 of B, k = 17: minus one times minus one.
        assert_eq!(single(s8, (3, 0), (1, 4), 0xff00), [(3, 0, 1)]);
    }

    #[test]
    fn a_matrix_that_is_transposed_twice_is_the_same() {
        let from: Wide = std::array::from_fn(|lane| (lane as u64 * 0x9e37_79b9) & 0xffff_ffff);
        let once: Wide = std::array::from_fn(|lane| u64::from(transposed(&from, lane)));
        let twice: Wide = std::array::from_fn(|lane| u64::from(transposed(&once, lane)));
        assert_ne!(once, from);
        assert_eq!(twice, from);
    }

    #[test]
    fn what_is_scattered_is_gathered() {
        let address = Address {
            memory: super::super::memory::Memory::Shared,
            base: super::super::memory::Base::Absolute,
            offset: 0,
        };
        for (count, is_transposed) in [(1, false), (2, true), (4, false), (4, true)] {
            let rows = Rows { address, count, transposed: is_transposed };
            let value = |matrix: usize, lane: usize| (matrix * 977 + lane * 65_599 + 1) as u32;
            let mut words: RowWords = [[0; WARP_SIZE]; 4];
            for (matrix, lane) in
                (0..usize::from(count)).flat_map(|m| (0..WARP_SIZE).map(move |lane| (m, lane)))
            {
                rows.scatter(&mut words, matrix, lane, value(matrix, lane));
            }
            for (matrix, lane) in
                (0..usize::from(count)).flat_map(|m| (0..WARP_SIZE).map(move |lane| (m, lane)))
            {
                assert_eq!(rows.gathered(&words, matrix, lane), value(matrix, lane));
            }
        }
    }
}
