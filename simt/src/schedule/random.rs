//! An order and slices drawn from the seed: a different run for every seed, the same run for the same seed.

use crate::machine::random::Random;
use crate::schedule::Slice;

/// The longest slice in warp instructions. Short, so that warps interleave in the middle of what they do.
const LONGEST_SLICE: u64 = 32;

/// A slice between one instruction and [`LONGEST_SLICE`].
pub fn slice(random: &mut Random) -> Slice {
    Slice { steps: random.below(LONGEST_SLICE) as u32 + 1, accesses: None }
}
