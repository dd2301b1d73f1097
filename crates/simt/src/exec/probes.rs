//! When it is looked whether any thread of a block still makes progress, and what was found of those that do not.

use crate::exec::lookout::Poll;

/// Steps of a block before its first probe, for each of its warps.
pub const FIRST_PROBE: u64 = 1 << 14;

/// When a block is probed next.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    /// Steps that the block has taken in its turns and in probes.
    pub steps: u64,
    /// At which of them.
    pub next: u64,
    /// How many steps after the last time.
    pub interval: u64,
    /// The warps of the block: one that has more of them takes more steps in the same time.
    pub warps: u64,
    /// The warp that got on last: the first to be looked at next time.
    pub first: usize,
}

impl Probes {
    /// The probes of a block that starts.
    pub fn of_block(warps: usize) -> Probes {
        let warps = warps as u64;
        let interval = FIRST_PROBE * warps;
        Probes { steps: 0, next: interval, interval, warps, first: 0 }
    }
}

/// Lanes that go round in a loop and change nothing.
#[derive(Clone, Debug)]
pub struct Spin {
    /// Their block, by its number.
    pub block: u64,
    /// Their warp.
    pub warp: usize,
    /// The lanes.
    pub lanes: u32,
    /// An instruction of the loop.
    pub pc: u32,
    /// What they read in it.
    pub polls: Vec<Poll>,
    /// Whether they read more than that.
    pub many_polls: bool,
}

/// The lanes of a warp that spin.
pub fn lanes_that_spin(spins: &[Spin], block: u64, warp: usize) -> u32 {
    let here = spins.iter().filter(|spin| spin.block == block && spin.warp == warp);
    here.fold(0, |lanes, spin| lanes | spin.lanes)
}
