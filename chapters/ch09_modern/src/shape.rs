//! The sizes that the sections of this chapter share.

use anyhow::Result;
use thirty_two_lanes::Lab;

/// The default number of elements: one thread for each, and one block with a lock for some thousands of them.
pub const SIZE: usize = 16_384;
/// An element in two arrays, on the machine and on the host, and in the reference.
pub const ELEMENT_BYTES: u64 = 2 * 4 + 2 * 4 + 8;

/// The shape of a launch with a thread for each element, in whole warps.
#[derive(Clone, Copy)]
pub struct Shape {
    pub grid: u32,
    pub block: u32,
    pub seed: u64,
}

impl Shape {
    pub fn of(lab: &mut Lab) -> Result<Shape> {
        let (n, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, lab.seed());
        let block = lab.block(256).next_multiple_of(32);
        Ok(Shape { grid: thirty_two_lanes::launch::blocks_for(n, block), block, seed })
    }

    pub fn threads(self) -> usize {
        self.grid as usize * self.block as usize
    }
}
