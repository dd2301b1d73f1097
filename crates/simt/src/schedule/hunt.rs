//! The policy that looks for races: like `random`, but a slice often ends immediately after an access to shared or
//! global memory.
//!
//! Most mistakes between warps show only if another warp runs between two accesses of one warp, for example after it
//! has read a value and before it acts on it. A slice of random length seldom ends there. The access that ends a slice
//! is drawn before the slice starts. That is equivalent to tossing a coin at each access, and leaves nothing to draw in
//! the inner loop. In every other round the seed decides which group of a warp gets the slice; in the rounds between,
//! the group that has waited longest gets it, so that none starves.
//!
//! This policy also separates lanes that no branch has made diverge, when `exec::separation` asks. From
//! `sm_70` on, only collective instructions promise that lanes execute together. A kernel that relies on more (the
//! result of `__activemask()` used as a mask, `volatile` in place of `__syncwarp()`) is wrong, however seldom hardware
//! shows it.

use crate::schedule::Slice;
use crate::schedule::numbers::Random;

/// The longest slice in warp instructions, if no access ends it earlier.
const LONGEST_SLICE: u64 = 64;
/// One in this many slices is not ended by an access.
const UNINTERRUPTED: u64 = 4;
/// How often lanes are separated: once in this many turns, or never. The seed chooses one entry for the whole run.
/// Without separation, warps interleave undisturbed; with little of it, two groups of a warp have time to drift far
/// apart.
const SEPARATION_INTERVALS: [Option<u64>; 4] = [None, Some(8), Some(2), Some(2)];
/// The seed is combined with this for the separation of lanes. Because these choices have their own random numbers, the
/// turns of a seed are the same whether or not lanes may be separated.
const LANES_SALT: u64 = 0x6c61_6e65_7361_7061;

/// The state of the policy.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// Random numbers for the turns.
    pub random: Random,
    /// Whether the seed decides in this round which group runs.
    picks: bool,
    /// Random numbers for the separation of lanes.
    lanes: Random,
    /// Lanes are separated in one out of this many turns.
    separation_interval: Option<u64>,
}

impl Hunt {
    /// The policy for a seed.
    pub fn new(seed: u64) -> Hunt {
        let mut lanes = Random::new(seed ^ LANES_SALT);
        let separation_interval =
            SEPARATION_INTERVALS[lanes.below(SEPARATION_INTERVALS.len() as u64) as usize];
        Hunt { random: Random::new(seed), picks: false, lanes, separation_interval }
    }

    /// Starts a round.
    pub fn next_round(&mut self) {
        self.picks = !self.picks;
    }

    /// A slice that ends after an access. The next access is as likely as all later ones together. A few slices end
    /// like those of `random`.
    pub fn slice(&mut self) -> Slice {
        let steps = self.random.below(LONGEST_SLICE) as u32 + 1;
        let coins = self.random.below(1 << 16) as u32;
        let accesses = self.random.below(UNINTERRUPTED) != 0;
        Slice { steps, accesses: accesses.then_some(coins.trailing_ones() + 1) }
    }

    /// The group out of `count` that gets the slice; `None` for the one that has waited longest.
    pub fn group(&mut self, count: usize) -> Option<usize> {
        self.picks.then(|| self.random.below(count as u64) as usize)
    }

    /// The lanes that leave a group, if any do in this turn: a random set, a single lane, or all from some lane on.
    pub fn separate(&mut self, mask: u32) -> Option<u32> {
        if mask.is_power_of_two() || self.lanes.below(self.separation_interval?) != 0 {
            return None;
        }
        let lane = self.lanes.below(u32::BITS.into()) as u32;
        let some = match self.lanes.below(3) {
            0 => self.lanes.below(1 << u32::BITS) as u32,
            1 => 1 << lane,
            _ => u32::MAX << lane,
        };
        Some(some & mask).filter(|&leaving| leaving != 0 && leaving != mask)
    }
}
