//! Values that are affine in the place of a thread: `base + x * column + y * row + warp * w` in each lane of warp `w`.
//!
//! The lanes of a warp form *rows*: all 32 are one row in a one-dimensional block, and in a block that is 16 threads wide
//! they are two rows of 16. `column` and `row` are a lane's place in these. So `%tid.x` and `%tid.y` are affine in the blocks
//! that kernels are launched with, and so are the sums and products by which they become indices and addresses.
//! All of it is computed modulo the width of the register.
//!
//! After a warp has run alone ([`crate::exec::livelock`]) and the others have caught up, the registers that are affine again are
//! found, so the rest of a long loop runs as fast as its start.

use super::registers::WARP_SIZE;

/// A value that is affine in the place of a thread. In a register of 32 bits, `base` is extended with zeros and the steps
/// with their signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// The value of lane 0 of warp 0.
    pub base: u64,
    /// From column to column.
    pub x: u64,
    /// From row to row.
    pub y: u64,
    /// From warp to warp.
    pub warp: u64,
}

/// The warps of a block, and how their lanes form rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Lanes in a row: 32, or a power of two below.
    pub columns: u32,
    /// Warps of the block.
    pub warps: u32,
}

impl Default for Grid {
    fn default() -> Grid {
        Grid { columns: WARP_SIZE as u32, warps: 1 }
    }
}

impl Grid {
    /// The column and the row of a lane.
    #[inline(always)]
    fn place(self, lane: usize) -> (u64, u64) {
        let lane = lane as u32;
        (u64::from(lane & (self.columns - 1)), u64::from(lane >> self.columns.trailing_zeros()))
    }

    /// The last column, the last row and the last warp.
    #[inline(always)]
    fn last(self) -> [i64; 3] {
        [self.columns - 1, (WARP_SIZE as u32 >> self.columns.trailing_zeros()) - 1, self.warps - 1]
            .map(i64::from)
    }
}

impl Affine {
    /// The same value in all threads of the block.
    #[inline(always)]
    #[must_use]
    pub fn uniform(base: u64) -> Affine {
        Affine { base, ..Affine::default() }
    }

    /// The value, if it is the same in all threads of the block.
    #[inline(always)]
    #[must_use]
    pub fn as_uniform(self) -> Option<u64> {
        (self.x | self.y | self.warp == 0).then_some(self.base)
    }

    /// What the lowest 32 bits are.
    #[inline(always)]
    #[must_use]
    pub fn narrow(self) -> Affine {
        let step = |step: u64| step as u32 as i32 as u64;
        Affine { base: u64::from(self.base as u32), x: step(self.x), y: step(self.y), warp: step(self.warp) }
    }

    /// The value of lane 0 of a warp.
    #[inline(always)]
    #[must_use]
    pub fn of_warp(self, warp: usize) -> u64 {
        self.base.wrapping_add(self.warp.wrapping_mul(warp as u64))
    }

    /// The value of a lane, where that of lane 0 is `first`.
    #[inline(always)]
    pub fn lane(self, first: u64, lane: usize, grid: Grid) -> u64 {
        let (column, row) = grid.place(lane);
        first.wrapping_add(self.x.wrapping_mul(column)).wrapping_add(self.y.wrapping_mul(row))
    }

    /// The step from lane to lane, if it is the same for all lanes of a warp.
    #[inline(always)]
    pub fn stride(self, grid: Grid) -> Option<u64> {
        let is_one_row =
            grid.columns == WARP_SIZE as u32 || self.y == self.x.wrapping_mul(u64::from(grid.columns));
        is_one_row.then_some(self.x)
    }

    /// The sum.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, other: Affine) -> Affine {
        self.with(other, u64::wrapping_add)
    }

    /// The difference.
    #[inline(always)]
    #[must_use]
    pub fn minus(self, other: Affine) -> Affine {
        self.with(other, u64::wrapping_sub)
    }

    /// The product, if all threads have the same in one of the two.
    #[inline(always)]
    #[must_use]
    pub fn times(self, other: Affine) -> Option<Affine> {
        match (self.as_uniform(), other.as_uniform()) {
            (_, Some(factor)) => Some(self.scaled(factor)),
            (Some(factor), _) => Some(other.scaled(factor)),
            _ => None,
        }
    }

    /// The product with a number.
    #[inline(always)]
    #[must_use]
    pub fn scaled(self, factor: u64) -> Affine {
        self.with(Affine::default(), |a, _| a.wrapping_mul(factor))
    }

    #[inline(always)]
    fn with(self, other: Affine, f: impl Fn(u64, u64) -> u64) -> Affine {
        Affine {
            base: f(self.base, other.base),
            x: f(self.x, other.x),
            y: f(self.y, other.y),
            warp: f(self.warp, other.warp),
        }
    }

    /// The least and the greatest value in the block, if they are far from wrapping.
    #[inline(always)]
    pub fn range(self, grid: Grid) -> (i64, i64) {
        let (mut least, mut most) = (self.base as i64, self.base as i64);
        for (step, last) in [self.x, self.y, self.warp].into_iter().zip(grid.last()) {
            let reach = (step as i64).wrapping_mul(last);
            least += reach.min(0);
            most += reach.max(0);
        }
        (least, most)
    }

    /// [`Affine::range`] of the lanes of one warp.
    #[inline(always)]
    pub fn range_in_warp(self, warp: usize, grid: Grid) -> (i64, i64) {
        Affine { base: self.of_warp(warp), warp: 0, ..self }.range(grid)
    }

    /// The value as a number that is not wrapped, from a register of 32 or of 64 bits; `None` where a thread's value wraps, or
    /// comes close to it.
    #[inline(always)]
    #[must_use]
    pub fn exact(self, wide: bool, signed: bool, grid: Grid) -> Option<Affine> {
        const NEAR: i64 = 1 << 61;
        if !wide {
            return self.widened(signed, grid);
        }
        let steps = [self.x, self.y, self.warp].map(|step| step as i64);
        let mut reach = (self.base as i64).checked_abs()?;
        for (step, last) in steps.into_iter().zip(grid.last()) {
            reach = reach.checked_add(step.checked_mul(last)?.checked_abs()?)?;
        }
        // A negative number is a large one without a sign.
        let is_exact = reach < NEAR && (signed || self.range(grid).0 >= 0);
        is_exact.then_some(self)
    }

    /// The same value in a register of 64 bits, if no thread's value of 32 bits has wrapped.
    #[inline(always)]
    #[must_use]
    pub fn widened(self, signed: bool, grid: Grid) -> Option<Affine> {
        let base = if signed { self.base as u32 as i32 as u64 } else { self.base };
        let value = Affine { base, ..self };
        if value.as_uniform().is_some() {
            return Some(value);
        }
        let (least, most) = value.range(grid);
        let fits = if signed {
            least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX)
        } else {
            least >= 0 && most <= i64::from(u32::MAX)
        };
        fits.then_some(value)
    }
}
