//! When a block is probed for whether any of its threads still makes progress.

/// Steps of a block before its first probe, for each of its warps.
pub const FIRST_PROBE: u64 = 1 << 14;

/// When a block is probed next.
#[derive(Clone, Copy, Debug)]
pub struct ProbeTimes {
    /// Steps that the block has taken in its turns and in probes.
    pub steps: u64,
    /// At which of them.
    pub next: u64,
    /// How many steps after the last time.
    pub interval: u64,
    /// The warps of the block: one that has more of them takes more steps in the same time.
    pub warps: u64,
    /// The warp that got on last: the first to be probed next time.
    pub first: usize,
}

impl ProbeTimes {
    /// Those of a block that starts.
    pub fn of_block(warps: usize) -> ProbeTimes {
        let warps = warps as u64;
        let interval = FIRST_PROBE * warps;
        ProbeTimes { steps: 0, next: interval, interval, warps, first: 0 }
    }
}
