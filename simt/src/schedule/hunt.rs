//! Looks for trouble: as random, and a slice often ends right after an access to shared or global memory.
//!
//! What goes wrong between warps goes wrong between two accesses of one of them: after it has looked and before it acts
//! on what it saw. A slice of a random length seldom ends there. Which access ends a slice is drawn before the slice
//! starts, which is the same as a coin at each access and leaves the inner loop nothing to draw.
//! In every other round it is the seed that says which group of a warp gets the slice; in the rounds between, the group
//! that has waited longest does, so that none starves.
//!
//! It also says when lanes come apart that no branch has parted, where [`crate::exec::separation`] asks: from `sm_70` on
//! nothing but a collective instruction promises that lanes run together, and a kernel that relies on it (a result of
//! `__activemask()` used as a mask, `volatile` in place of `__syncwarp()`) is wrong however seldom hardware shows it.

use crate::machine::random::Random;
use crate::machine::registers::WARP_SIZE;
use crate::schedule::Slice;

/// The longest slice in warp instructions, where no access ends it before.
const LONGEST_SLICE: u64 = 64;
/// Of so many slices, one is not ended by an access.
const LEFT_ALONE: u64 = 4;
/// How often lanes come apart, one of these for a whole run: in one turn out of so many, or never. A run without lets
/// warps interleave undisturbed, a run with few has long stretches in which two groups of a warp drift apart.
const TURNS_TOGETHER: [Option<u64>; 4] = [None, Some(8), Some(2), Some(2)];
/// What the seed is mixed with for lanes that come apart. Their choices are drawn apart from the others, so that the turns
/// of a seed are the same whether or not lanes may come apart.
const OF_LANES: u64 = 0x6c61_6e65_7361_7061;

/// The policy.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The seed's choices.
    pub random: Random,
    /// Whether the seed says in this round which group runs.
    picks: bool,
    /// The seed's choices of lanes that come apart.
    lanes: Random,
    /// In one turn of how many they do.
    turns_together: Option<u64>,
}

impl Hunt {
    /// The policy that starts from a seed.
    pub fn new(seed: u64) -> Hunt {
        let mut lanes = Random::new(seed ^ OF_LANES);
        let turns_together = TURNS_TOGETHER[lanes.below(TURNS_TOGETHER.len() as u64) as usize];
        Hunt { random: Random::new(seed), picks: false, lanes, turns_together }
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

    /// The lanes of a group that go on apart from the others, if any do in this turn: any of them, one, or those from some
    /// lane on.
    pub fn separate(&mut self, mask: u32) -> Option<u32> {
        if mask.is_power_of_two() || self.lanes.below(self.turns_together?) != 0 {
            return None;
        }
        let lane = self.lanes.below(WARP_SIZE as u64) as u32;
        let some = match self.lanes.below(3) {
            0 => self.lanes.below(1 << WARP_SIZE) as u32,
            1 => 1 << lane,
            _ => u32::MAX << lane,
        };
        Some(some & mask).filter(|&leaving| leaving != 0 && leaving != mask)
    }
}
