//! In which order blocks and warps take their turns, and for how long. One policy a file.
//!
//! Every policy gives each resident block and each of its warps one slice a round, so none starves; they
//! differ in the order and in the length of the slices.

mod random;
mod round_robin;

use crate::launch::Schedule;
use random::Random;

/// A policy at work.
#[derive(Clone, Debug)]
pub enum Turns {
    /// In order.
    RoundRobin,
    /// As the seed has it.
    Random(Random),
}

impl Turns {
    /// The policy of a launch.
    pub fn new(schedule: Schedule, seed: u64) -> Turns {
        match schedule {
            Schedule::RoundRobin => Turns::RoundRobin,
            Schedule::Random | Schedule::Hunt => Turns::Random(Random::new(seed)),
        }
    }

    /// In which order `count` blocks or warps take their turns this round.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        match self {
            Turns::RoundRobin => round_robin::order(count),
            Turns::Random(random) => random.order(count),
        }
    }

    /// How many warp instructions the next slice has.
    pub fn slice(&mut self) -> u32 {
        match self {
            Turns::RoundRobin => round_robin::SLICE,
            Turns::Random(random) => random.slice(),
        }
    }
}
