//! The order in which lanes store, which decides between several stores to one address.

use crate::machine::registers::{WARP_SIZE, lanes_of};

/// The order in which the lanes of a store reach memory: it starts at one lane and goes round the warp. That lane
/// follows from the seed, the block, the warp, and how many instructions the warp has issued. It does not depend on
/// other blocks, so it is the same whatever runs at the same time.
#[derive(Clone, Copy, Debug)]
pub struct LaneOrder {
    seed: u64,
    /// The block, by its number in the grid.
    pub block: u64,
    warp: u32,
    /// Instructions that the warp has issued before this one.
    pub step: u64,
}

impl LaneOrder {
    /// The order of a warp's stores, `step` instructions after its start.
    #[inline(always)]
    pub fn new(seed: u64, block: u64, warp: u32, step: u64) -> LaneOrder {
        LaneOrder { seed, block, warp, step }
    }

    /// A number that is drawn for something else that the warp does now.
    pub fn draw(&self, what: u64) -> u64 {
        let base = mixed(mixed(self.seed) ^ self.block << 8 ^ u64::from(self.warp));
        mixed(mixed(base.wrapping_add(self.step)) ^ what << 1 ^ 1)
    }

    /// The lanes of `mask` in this order.
    pub fn lanes(&self, mask: u32) -> impl Iterator<Item = usize> + use<> {
        let base = mixed(mixed(self.seed) ^ self.block << 8 ^ u64::from(self.warp));
        let first = (mixed(base.wrapping_add(self.step)) >> 59) as u32;
        let rotated = mask.rotate_right(first);
        lanes_of(rotated).map(move |lane| (lane + first as usize) % WARP_SIZE)
    }
}

/// A hash: similar numbers give unrelated results.
pub fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}
