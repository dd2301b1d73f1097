//! The order and the slices are drawn from the seed. Every seed gives a different run, and the same seed gives the same
//! run.

use crate::schedule::Slice;
use crate::schedule::numbers::Random;

/// The longest slice in warp instructions. It is short, so that warps interleave within what they do.
const LONGEST_SLICE: u64 = 32;

/// A slice of between one and [`LONGEST_SLICE`] instructions.
pub fn slice(random: &mut Random) -> Slice {
    Slice { steps: random.below(LONGEST_SLICE) as u32 + 1, accesses: None }
}
