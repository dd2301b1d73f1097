//! Grids of points, and the results of a Jacobi step.
//!
//! The reference is in double precision. Values are multiples of 2⁻²⁰ below 1, so the sum of a few of them is
//! exact in single precision too, and the mean of four is the same to the last bit. It leaves out the third
//! dimension.

use thirty_two_lanes::{Dim3, Random};

/// The bytes for a point: in two arrays on the machine and on the host, and in the reference in double
/// precision.
pub const POINT_BYTES: u64 = 2 * 4 + 2 * 4 + 8;

/// The number of points in a row of the grid, and the number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub width: usize,
    pub height: usize,
}

impl Grid {
    /// As nearly square as rows of equal length allow, with at most `points`.
    pub fn within(points: usize) -> Grid {
        let side = points.isqrt();
        let width = if side * side == points { side } else { side + 1 };
        Grid { width, height: (points / width).max(1) }
    }

    pub fn points(self) -> usize {
        self.width * self.height
    }

    /// The smallest grid that covers this one and is made of whole blocks.
    pub fn whole(self, block: Dim3) -> Grid {
        let (x, y) = (block.x as usize, block.y as usize);
        Grid { width: self.width.next_multiple_of(x), height: self.height.next_multiple_of(y) }
    }

    /// The blocks that cover it.
    pub fn blocks(self, block: Dim3) -> Dim3 {
        let grid = self.whole(block);
        Dim3::new(grid.width as u32 / block.x, grid.height as u32 / block.y, 1)
    }

    /// Values that depend on a seed.
    pub fn values(self, seed: u64) -> Vec<f32> {
        values(self.points(), seed)
    }

    pub fn is_on_border(self, at: usize) -> bool {
        let (x, y) = (at % self.width, at / self.width);
        x == 0 || x == self.width - 1 || y == 0 || y == self.height - 1
    }

    /// The result of one step with these values: `rim` applied on the border, and means inside.
    pub fn step(self, u: &[f32], rim: impl Fn(f64) -> f64) -> Vec<f64> {
        let value = |at: usize| f64::from(u[at]);
        let mean = |at: usize| {
            0.25 * (value(at - 1) + value(at + 1) + value(at - self.width) + value(at + self.width))
        };
        (0..u.len()).map(|at| if self.is_on_border(at) { rim(value(at)) } else { mean(at) }).collect()
    }
}

/// Multiples of 2⁻²⁰ from 0 to below 1.
pub fn values(count: usize, seed: u64) -> Vec<f32> {
    let words = Random::new(seed).words(count);
    words.iter().map(|word| (word >> 12) as f32 / (1 << 20) as f32).collect()
}

/// A block of this many threads, as wide as a warp or the widest power of two below it that divides them.
pub fn block_of(threads: u32) -> Dim3 {
    let width = 1 << threads.trailing_zeros().min(5);
    Dim3::new(width, threads / width, 1)
}

/// `32 x 8`: a shape in words.
pub fn shape(block: Dim3) -> String {
    format!("{} x {}", block.x, block.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_nearly_square_and_not_larger_than_asked_for() {
        let grid = |points| (Grid::within(points).width, Grid::within(points).height);
        assert_eq!([1, 2, 20, 31, 4096].map(grid), [(1, 1), (2, 1), (5, 4), (6, 5), (64, 64)]);
        assert!((1..5000).all(|points| Grid::within(points).points() <= points));
    }

    #[test]
    fn blocks_are_as_wide_as_a_warp_where_they_can_be() {
        let block = |threads| (block_of(threads).x, block_of(threads).y);
        assert_eq!([1, 31, 48, 256, 1024].map(block), [(1, 1), (1, 31), (16, 3), (32, 8), (32, 32)]);
    }

    #[test]
    fn a_step_keeps_the_border_and_takes_means_inside() {
        let grid = Grid { width: 3, height: 3 };
        let next = grid.step(&[0.0, 1.0, 0.0, 2.0, 9.0, 3.0, 0.0, 6.0, 0.0], |value| value);
        assert_eq!(next, [0.0, 1.0, 0.0, 2.0, 3.0, 3.0, 0.0, 6.0, 0.0]);
    }
}
