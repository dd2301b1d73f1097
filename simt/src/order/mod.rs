//! Happens-before: which accesses of a launch are ordered, whatever order they happened to run in.
//!
//! Every warp has a *clock*, a number that moves on whenever one of its lanes publishes what it has done; an access is
//! known by its thread and the clock at the time. What a thread knows of the others, a [`view`], grows where it
//! synchronises with them: at barriers of the block and of the warp ([`clocks`]), through memory, where an acquire
//! pattern reads what a release pattern wrote ([`messages`]), and in the phases of mbarriers ([`phases`]). An access comes before another in causality order if its
//! clock is in the view of the other's thread. That is all that the checker of races and the weak memory ask.
//!
//! Two `fence.sc` order what is around them only where what was read shows which of them comes first ([`view`]); elsewhere
//! another run may have them in another order, and only the weak memory ([`history`]), which has to choose one, keeps it.
//!
//! What it leaves out: proxies other than the generic one, and clusters (their scope is taken for the block's, which is right
//! for a launch without clusters).
//! Specification: PTX ISA, section 8, "Memory Consistency Model".

pub mod clocks;
pub mod history;
pub mod messages;
pub mod phases;
pub mod view;

use std::collections::BTreeMap;

/// How strongly an access is ordered. Specification: section 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// An ordinary access.
    Weak,
    /// Relaxed at system scope, and never left out.
    Volatile,
    /// Strong, orders nothing else.
    Relaxed,
    /// What follows stays after it.
    Acquire,
    /// What precedes stays before it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and in one order with all of its kind.
    SeqCst,
}

/// The scope of an order: the threads for which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// The block.
    Cta,
    /// The cluster of blocks.
    Cluster,
    /// The GPU.
    Gpu,
    /// Everybody.
    Sys,
}

impl Order {
    /// Whether an operation of this order acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether an operation of this order releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

impl Reach {
    /// Whether the scope, as a thread of one block uses it, includes the threads of another block.
    #[inline]
    pub fn includes(self, own: u32, other: u32) -> bool {
        self >= Reach::Gpu || own == other
    }
}

/// A thread of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// Its block's number in the grid.
    pub block: u32,
    /// Its number in the block: 32 times the warp, plus the lane.
    pub number: u16,
}

/// When a thread did something: nothing that it published before has a later clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Who.
    pub thread: Thread,
    /// The clock of its warp at the time.
    pub clock: u32,
}

/// A place in memory that an operation concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The allocation of global memory, by its number, or the shared memory of a block.
    pub space: Space,
    /// Offset in it, in bytes.
    pub offset: u64,
    /// Bytes.
    pub bytes: u8,
}

/// A memory that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// An allocation of global memory, by its number.
    Global(u32),
    /// The shared memory of the block with this number.
    Shared(u32),
}

/// Forgets what is known of one memory, without a look at the others: every block that starts asks for it.
fn forget_space<T>(known: &mut BTreeMap<(Space, u64), T>, space: Space) {
    let keys: Vec<_> = known.range((space, 0)..=(space, u64::MAX)).map(|(key, _)| *key).collect();
    for key in keys {
        known.remove(&key);
    }
}
