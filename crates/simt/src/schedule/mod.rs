//! Schedules: in which order blocks and warps take turns, and how long a turn is. There is one file for each policy.
//!
//! Every policy gives each resident block, and each of its warps, one slice per round, so none starves. Policies differ
//! in the order and in the length of the slices. One also decides which group of a warp gets the slice, and separates
//! lanes that nothing keeps together. The counters of such a run depend on the seed, so limits of exercises, records and
//! chapters use the counters of the other policies.

mod hunt;
pub mod numbers;
mod random;
pub mod round_robin;

use hunt::Hunt;
use numbers::Random;

/// The order in which warps and blocks take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// One after the other, in slices of equal length.
    #[default]
    RoundRobin,
    /// The next warp and the length of its slice are drawn from the seed.
    Random,
    /// Like `Random`, but a slice often ends immediately after an access to shared or global memory, where most
    /// mistakes show. For targets from `sm_70` on, with independent thread scheduling, it also separates lanes that
    /// nothing keeps together. The counters of such a run describe only this run; those of the other policies describe
    /// what the kernel costs.
    Hunt,
}

/// How long a warp may run in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The number of warp instructions.
    pub steps: u32,
    /// The number of accesses to shared or global memory, the last of which ends the slice; `None` for no limit.
    pub accesses: Option<u32>,
}

/// The turns of a launch: a policy, and the order of warps in the current round.
#[derive(Clone, Debug)]
pub struct Turns {
    policy: Policy,
    warps: Vec<usize>,
}

/// A policy with its state.
#[derive(Clone, Debug)]
enum Policy {
    /// In order.
    RoundRobin,
    /// As the seed decides.
    Random(Random),
    /// As the seed decides, ending slices after accesses.
    Hunt(Hunt),
}

impl Policy {
    fn shuffle(&mut self, count: usize, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..count);
        match self {
            Policy::RoundRobin => {}
            Policy::Random(random) | Policy::Hunt(Hunt { random, .. }) => random.shuffle(order),
        }
    }
}

impl Turns {
    /// The policy of a launch.
    pub fn new(schedule: Schedule, seed: u64) -> Turns {
        let policy = match schedule {
            Schedule::RoundRobin => Policy::RoundRobin,
            Schedule::Random => Policy::Random(Random::new(seed)),
            Schedule::Hunt => Policy::Hunt(Hunt::new(seed)),
        };
        Turns { policy, warps: Vec::new() }
    }

    /// Whether the warps of a block take their turn together.
    pub fn are_in_step(&self) -> bool {
        matches!(self.policy, Policy::RoundRobin)
    }

    /// Starts a round. `blocks` becomes the order in which `count` blocks take their turns.
    pub fn next_round(&mut self, count: usize, blocks: &mut Vec<usize>) {
        if let Policy::Hunt(hunt) = &mut self.policy {
            hunt.next_round();
        }
        self.policy.shuffle(count, blocks);
    }

    /// Decides in which order the `count` warps of a block take their turns. Returns their number.
    pub fn order_warps(&mut self, count: usize) -> usize {
        self.policy.shuffle(count, &mut self.warps);
        count
    }

    /// The warp that has a place in this order.
    pub fn warp(&self, place: usize) -> usize {
        self.warps[place]
    }

    /// The length of a warp's next turn.
    pub fn slice(&mut self) -> Slice {
        match &mut self.policy {
            Policy::RoundRobin => Slice { steps: round_robin::SLICE, accesses: None },
            Policy::Random(random) => random::slice(random),
            Policy::Hunt(hunt) => hunt.slice(),
        }
    }

    /// Which of `count` groups of a warp gets the slice; `None` for the one that has waited longest.
    pub fn group(&mut self, count: usize) -> Option<usize> {
        match &mut self.policy {
            Policy::Hunt(hunt) if count > 1 => hunt.group(count),
            _ => None,
        }
    }

    /// The lanes that leave a group of lanes `mask` and continue separately, if any do.
    pub fn separate(&mut self, mask: u32) -> Option<u32> {
        match &mut self.policy {
            Policy::Hunt(hunt) => hunt.separate(mask),
            _ => None,
        }
    }

    /// Whether lanes that wait at a reconvergence point continue without the other lanes of their warp, all of which
    /// wait at a barrier. Without a seed, they do so only when nothing else can run.
    pub fn continues_without_others(&mut self) -> bool {
        match &mut self.policy {
            Policy::RoundRobin => false,
            Policy::Random(random) | Policy::Hunt(Hunt { random, .. }) => random.below(2) == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_gives_each_block_and_warp_a_turn_in_each_round() {
        for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
            let mut turns = Turns::new(schedule, 7);
            let mut blocks = Vec::new();
            for count in [1, 2, 5, 32] {
                turns.next_round(count, &mut blocks);
                blocks.sort_unstable();
                assert_eq!(blocks, (0..count).collect::<Vec<_>>(), "{schedule:?}");
                let mut warps: Vec<_> =
                    (0..turns.order_warps(count)).map(|place| turns.warp(place)).collect();
                warps.sort_unstable();
                assert_eq!(warps, blocks, "{schedule:?}");
            }
        }
    }

    #[test]
    fn hunt_leaves_every_other_round_to_the_group_that_has_waited_longest() {
        let mut turns = Turns::new(Schedule::Hunt, 3);
        let mut blocks = Vec::new();
        let rounds: Vec<bool> = (0..8)
            .map(|_| {
                turns.next_round(1, &mut blocks);
                turns.group(32).is_some()
            })
            .collect();
        assert_eq!(rounds, [true, false, true, false, true, false, true, false]);
    }

    #[test]
    fn hunt_ends_some_slices_at_an_access_and_some_not() {
        let mut turns = Turns::new(Schedule::Hunt, 3);
        let slices: Vec<Slice> = (0..100).map(|_| turns.slice()).collect();
        assert!(slices.iter().any(|slice| slice.accesses == Some(1)));
        assert!(slices.iter().any(|slice| slice.accesses.is_some_and(|count| count > 1)));
        assert!(slices.iter().any(|slice| slice.accesses.is_none()));
    }

    #[test]
    fn only_hunt_separates_lanes_and_not_with_every_seed() {
        let separated = |schedule, seed| {
            let mut turns = Turns::new(schedule, seed);
            (0..100).filter_map(|_| turns.separate(0xff00)).collect::<Vec<u32>>()
        };
        assert!((0..20).all(|seed| separated(Schedule::Random, seed).is_empty()));
        let hunted: Vec<Vec<u32>> = (0..20).map(|seed| separated(Schedule::Hunt, seed)).collect();
        assert!(hunted.iter().flatten().all(|&lanes| lanes & !0xff00 == 0 && lanes != 0 && lanes != 0xff00));
        assert!(hunted.iter().any(Vec::is_empty) && hunted.iter().any(|lanes| lanes.len() > 20));
        assert_eq!(Turns::new(Schedule::Hunt, 1).separate(1), None, "a lane cannot leave itself");
    }

    #[test]
    fn seeded_slices_have_every_length_from_one_instruction_on() {
        for (schedule, longest) in [(Schedule::Random, 32), (Schedule::Hunt, 64)] {
            let mut turns = Turns::new(schedule, 3);
            let mut lengths: Vec<u32> = (0..10_000).map(|_| turns.slice().steps).collect();
            lengths.sort_unstable();
            lengths.dedup();
            assert_eq!(lengths, (1..=longest).collect::<Vec<_>>(), "{schedule:?}");
        }
    }

    #[test]
    fn only_a_seed_lets_lanes_continue_without_the_others_of_their_warp() {
        for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
            let mut turns = Turns::new(schedule, 3);
            let continues: Vec<bool> = (0..100).map(|_| turns.continues_without_others()).collect();
            assert!(continues.contains(&false), "{schedule:?}");
            assert_eq!(continues.contains(&true), schedule != Schedule::RoundRobin, "{schedule:?}");
        }
    }
}
