//! What the synchronisation checker has found, as data. [`super::wording`] describes it when the launch is over.

use crate::compile::inst::Pc;

/// A lane of a block, at an instruction.
#[derive(Clone, Copy, Debug)]
pub struct LaneAt {
    /// The warp in the block.
    pub warp: usize,
    /// The lane in the warp.
    pub lane: u32,
    /// The instruction.
    pub pc: Pc,
}

/// Lanes that got an undefined value from a shuffle.
#[derive(Clone, Copy, Debug)]
pub struct UndefinedShuffle {
    /// The step of the launch.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// The warp in the block.
    pub warp: usize,
    /// The shuffle.
    pub pc: Pc,
    /// The lanes.
    pub lanes: u32,
    /// The lane that the first of them read.
    pub source: u32,
    /// Why that lane takes no part in the shuffle.
    pub absence: Absence,
}

/// Why a lane that is read takes no part in a shuffle.
#[derive(Clone, Copy, Debug)]
pub enum Absence {
    /// It is a lane that the last, partial warp of the block does not have.
    NoThread,
    /// It has ended.
    Ended,
    /// The membermask does not name it.
    NotMember(u32),
    /// It is not active, and the shuffle has no membermask.
    Inactive,
}

/// A barrier that completed only because threads had ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedThreads {
    /// The step of the launch.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// The number of the barrier.
    pub barrier: usize,
    /// How many threads the block has.
    pub total: u32,
    /// How many threads wait at the barrier.
    pub waiting: u32,
    /// How many threads had ended.
    pub ended: u32,
    /// One that waits.
    pub waiter: LaneAt,
    /// One that has ended, and where it ended.
    pub example: Option<LaneAt>,
}

/// A bulk copy for which nobody had waited when its block ended.
#[derive(Clone, Copy, Debug)]
pub struct CopyAtEnd {
    /// The step of the launch at which the copy started.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// Who started the copy.
    pub starter: LaneAt,
    /// Whether it completes at an mbarrier, in the shared memory of the block; otherwise with the bulk group of its thread.
    pub has_object: bool,
}

/// Arrivals at a barrier that order nothing.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    /// The step of the launch.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// The number of the barrier.
    pub barrier: usize,
    /// How many threads arrived.
    pub arrived: u32,
    /// How many threads the barrier would have needed, if it was never complete.
    pub needed: Option<u32>,
    /// The thread that arrived last.
    pub last: LaneAt,
}
