//! Decoded matrix instructions, and which lane holds which element of a matrix.
//!
//! All layouts of fragments follow one rule. A register holds elements that are neighbours in the direction of `k`, the one
//! that is summed over; four lanes cover four registers, and the next register of a lane goes on behind them. Registers of A
//! alternate between the upper and the lower eight rows. Specification: PTX ISA, sections 9.7.14.4 (`wmma`) and 9.7.14.5.

use super::memory::Address;
use super::tensor::{Part, Sum, chain, sum_of_integers};
use crate::isa::float::exact::{F16, F32, Number as Exact, Rounding};
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
    /// `wmma.load`: a matrix in memory to a fragment.
    LoadTile(Tile),
    /// `wmma.store`: a fragment to a matrix in memory.
    StoreTile(Tile),
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

/// `mma`: a matrix A of `m` times `k` elements, B of `k` times `n`, and C and D of `m` times `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiply {
    /// Rows of A, C and D.
    pub m: u8,
    /// Columns of B, C and D.
    pub n: u8,
    /// Columns of A, rows of B.
    pub k: u8,
    /// The elements of A.
    pub a: Number,
    /// The elements of B.
    pub b: Number,
    /// The elements of C.
    pub c: Number,
    /// The elements of D.
    pub d: Number,
    /// Whether each lane has eight registers of A and of B, some of which may be copies, as in `wmma` of f16.
    pub has_copies: bool,
    /// Whether integers end at the smallest and the largest, and do not wrap.
    pub saturates: bool,
}

/// The largest number of elements of A or B: 16 rows of 64.
const MAX_ELEMENTS: usize = 16 * 64;

/// The largest number of registers of A.
pub const MAX_REGISTERS: usize = 8;

/// What the lanes hold of an operand: a column for each register.
pub type Fragment = [Wide; MAX_REGISTERS];

impl Multiply {
    /// How many registers each lane has of A, B, C and D.
    pub fn registers(self) -> [usize; 4] {
        let [a, b, c, d] = self.different_registers();
        if self.has_copies { [MAX_REGISTERS, MAX_REGISTERS, c, d] } else { [a, b, c, d] }
    }

    /// The same without copies.
    fn different_registers(self) -> [usize; 4] {
        let [m, n, k] = [self.m, self.n, self.k].map(usize::from);
        let registers = |elements: usize, number: Number| elements / WARP_SIZE / number.in_register();
        [
            registers(m * k, self.a),
            registers(k * n, self.b),
            registers(m * n, self.c),
            registers(m * n, self.d),
        ]
    }

    /// D, from the fragments of A, B and C.
    pub fn evaluate(self, a: &Fragment, b: &Fragment, c: &Fragment) -> Fragment {
        match self.d {
            Number::F64 => self.each(a, b, c, |_, bits| f64::from_bits(bits), chain),
            Number::S32 => self.each(a, b, c, Number::integer, |a, b, c| {
                sum_of_integers(a, b, Number::S32.integer(c), self.saturates)
            }),
            _ => {
                // Where C or D is f32, the sum is, and the other one is converted.
                let is_wide = self.c == Number::F32 || self.d == Number::F32;
                let sum = Sum::new(self.a, self.b, if is_wide { Number::F32 } else { self.d });
                let converted = |from, to, bits| Exact::read(from, bits).round(to, Rounding::Nearest);
                self.each(a, b, c, Part::of, |a, b, c| match (self.c, self.d) {
                    (Number::F16, Number::F32) => sum.of(a, b, converted(F16, F32, c)),
                    (Number::F32, Number::F16) => converted(F32, F16, sum.of(a, b, c)),
                    _ => sum.of(a, b, c),
                })
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
        let (mut rows, mut columns) = ([T::default(); MAX_ELEMENTS], [T::default(); MAX_ELEMENTS]);
        let [of_a, of_b, _, of_d] = self.different_registers();
        unpack(self.a, self.m / 8, &a[..of_a], |row, at, bits| {
            rows[row * k + at] = decode(self.a, bits);
        });
        unpack(self.b, self.n / 8, &b[..of_b], |column, at, bits| {
            columns[column * k + at] = decode(self.b, bits);
        });
        let mut d = [[0; WARP_SIZE]; MAX_REGISTERS];
        let (bits, count) = (self.d.bits(), self.d.in_register());
        let (bits_of_c, count_of_c) = (self.c.bits(), self.c.in_register());
        for (register, d) in d.iter_mut().enumerate().take(of_d) {
            for lane in 0..WARP_SIZE {
                for place in 0..count {
                    let number = register * count + place;
                    let (row, column) = place_of_sum(usize::from(self.m), lane, number);
                    let c = field(c[number / count_of_c][lane], bits_of_c, number % count_of_c);
                    let value = element(&rows[row * k..][..k], &columns[column * k..][..k], c);
                    d[lane] |= value << (bits * place % 64);
                }
            }
        }
        d
    }
}

/// The row and the column of an element of C or D, of `m` rows, by its number in the lane.
fn place_of_sum(m: usize, lane: usize, number: usize) -> (usize, usize) {
    let (pair, halves) = (number / 2, m / 8);
    (lane / 4 + pair % halves * 8, lane % 4 * 2 + number % 2 + pair / halves * 8)
}

/// The row of an element of A, or the column of one of B, and where it is in the direction of `k`. The lines, rows or columns, come
/// in so many groups of eight, and a register holds `count` elements.
fn place_of_factor(
    halves: usize,
    count: usize,
    lane: usize,
    register: usize,
    place: usize,
) -> (usize, usize) {
    (lane / 4 + register % halves * 8, lane % 4 * count + place + register / halves * 4 * count)
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
                let (line, at) = place_of_factor(halves, count, lane, register, place);
                each(line, at, field(*word, number.bits(), place));
            }
        }
    }
}

/// Element `place` of a register.
pub(super) fn field(word: u64, bits: usize, place: usize) -> u64 {
    word >> (bits * place % 64) & u64::MAX >> (64 - bits)
}

/// A matrix of `wmma` in memory, whose rows or columns are a stride apart, and its fragment. Which lane holds which element is left
/// open by the specification. Here the fragments are those of [`Multiply`]; a lane with more registers than it needs has copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Where the matrix begins; the base is `args.a`. The stride in elements is in column `args.b`.
    pub address: Address,
    /// The elements.
    pub number: Number,
    /// Rows of A, C and D, columns of B.
    pub lines: u8,
    /// Elements of such a line.
    pub length: u8,
    /// Whether it is C or D.
    pub is_sum: bool,
    /// Whether the elements of a line are neighbours in memory.
    pub is_along: bool,
    /// Whether each lane has eight registers.
    pub has_copies: bool,
}

/// Some elements of a tile that a lane loads or stores together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The register.
    pub register: usize,
    /// The first element of it.
    pub place: usize,
    /// Bytes of all.
    pub bytes: u8,
}

impl Tile {
    /// How many registers of a lane have elements of their own.
    pub fn different_registers(self) -> usize {
        usize::from(self.lines) * usize::from(self.length) / WARP_SIZE / self.number.in_register()
    }

    /// Bytes of a lane's pieces.
    pub fn bytes(self) -> u64 {
        self.pieces().next().map_or(0, |piece| piece.bytes.into())
    }

    /// How many registers a lane has.
    pub fn registers(self) -> usize {
        if self.has_copies { MAX_REGISTERS } else { self.different_registers() }
    }

    /// What each lane loads or stores, one after another: whole registers, if the elements in them are neighbours in memory.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        let (count, bits) = (self.number.in_register(), self.number.bits());
        let together = if self.is_along { count } else { 1 };
        (0..self.different_registers()).flat_map(move |register| {
            let piece = move |place| Piece { register, place, bytes: (bits * together / 8) as u8 };
            (0..count).step_by(together).map(piece)
        })
    }

    /// The bytes from the beginning of the matrix to a lane's piece of it.
    pub fn offset(self, piece: Piece, lane: usize, stride: u64) -> u64 {
        let (count, lines) = (self.number.in_register(), usize::from(self.lines));
        let (line, at) = if self.is_sum {
            place_of_sum(lines, lane, piece.register * count + piece.place)
        } else {
            place_of_factor(lines / 8, count, lane, piece.register, piece.place)
        };
        let (line, at) = (line as u64, at as u64);
        let elements = if self.is_along { line * stride + at } else { at * stride + line };
        elements * self.number.bits() as u64 / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiply(m: u8, k: u8, a: Number, d: Number) -> Multiply {
        Multiply { m, n: 8, k, a, b: a, c: d, d, has_copies: false, saturates: false }
    }

    #[test]
    fn fragments_have_the_registers_of_the_specification() {
        let check =
            |multiply: Multiply, registers| assert_eq!(multiply.registers()[..3], registers, "{multiply:?}");
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

    /// Each byte of a matrix of 32 times 16 and so on belongs to one piece of one lane, whichever way the matrix lies.
    #[test]
    fn the_pieces_of_a_tile_are_the_tile() {
        let address = Address {
            memory: super::super::memory::Memory::Shared,
            base: super::super::memory::Base::Absolute,
            offset: 0,
        };
        for (number, lines, length, is_sum) in [
            (Number::F16, 16, 16, false),
            (Number::F16, 32, 16, false),
            (Number::S8, 8, 16, false),
            (Number::Bf16, 32, 16, false),
            (Number::Tf32, 16, 8, false),
            (Number::F64, 8, 4, false),
            (Number::F16, 32, 8, true),
            (Number::F32, 8, 32, true),
            (Number::F64, 8, 8, true),
            (Number::S32, 16, 16, true),
        ] {
            for is_along in [false, true] {
                let has_copies = number == Number::F16 && !is_sum;
                let tile = Tile { address, number, lines, length, is_sum, is_along, has_copies };
                let stride = u64::from(if is_along { length } else { lines });
                let bytes = usize::from(lines) * usize::from(length) * number.bits() / 8;
                let mut times = vec![0; bytes];
                for piece in tile.pieces() {
                    for lane in 0..WARP_SIZE {
                        let at = tile.offset(piece, lane, stride) as usize;
                        times[at..at + usize::from(piece.bytes)].iter_mut().for_each(|times| *times += 1);
                    }
                }
                assert!(times.iter().all(|&times| times == 1), "{tile:?}");
            }
        }
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
