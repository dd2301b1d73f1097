//! Looks for trouble: as random, and a slice often ends right after an access to shared or global memory.
//!
//! What goes wrong between warps goes wrong between two accesses of one of them: after it has looked and before it acts
//! on what it saw. A slice of a random length seldom ends there. Which access ends a slice is drawn before the slice
//! starts, which is the same as a coin at each access and leaves the inner loop nothing to draw.
//! In every other round it is the seed that says which group of a warp gets the slice; in the rounds between, the group
//! that has waited longest does, so that none starves.

use super::Slice;
use crate::machine::random::Random;

/// The longest slice in warp instructions, where no access ends it before.
const LONGEST_SLICE: u64 = 64;
/// Of so many slices, one is not ended by an access.
const LEFT_ALONE: u64 = 4;

/// The policy.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The seed's choices.
    pub random: Random,
    /// Whether the seed says in this round which group runs.
    picks: bool,
}

impl Hunt {
    /// The policy that starts from a seed.
    pub fn new(seed: u64) -> Hunt {
        Hunt { random: Random::new(seed), picks: false }
    }

    /// Starts a round.
    pub fn next_round(&mut self) {
        self.picks = !self.picks;
    }

    /// A slice that ends after an access, the next one as often as all later ones together; seldom a plain one.
    pub fn slice(&mut self) -> Slice {
        let steps = self.random.below(LONGEST_SLICE) as u32 + 1;
        let coins = self.random.below(1 << 16) as u32;
        let accesses = self.random.below(LEFT_ALONE) != 0;
        Slice { steps, accesses: accesses.then_some(coins.trailing_ones() + 1) }
    }

    /// The group that gets the slice, of `count`; `None` for the one that has waited longest.
    pub fn group(&mut self, count: usize) -> Option<usize> {
        self.picks.then(|| self.random.below(count as u64) as usize)
    }
}
