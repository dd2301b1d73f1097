//! Happens-before: which accesses of a launch are ordered, independent of the order in which they happened to execute.
//!
//! Every warp has a *clock*, a number that advances whenever one of its lanes publishes what it has done. A thread
//! together with a clock is an *epoch* ([`Epoch`]), and each access belongs to one. What a thread knows about the
//! others is a *vector clock* ([`vector_clock`]), which grows where the thread synchronises with them: at barriers of
//! the block and of the warp ([`clocks`]), through memory, when an acquire pattern reads what a release pattern wrote
//! ([`release_acquire`]), and in the phases of mbarriers ([`phases`]). An access happens before another one (PTX calls
//! this causality order) if its epoch is in the vector clock of the other's thread. The race checker and the weak
//! memory ask for nothing else.
//!
//! Two `fence.sc` order the accesses around them only if the values that were read show which of the two came first
//! ([`vector_clock`]). Otherwise another run may have them in the other order. Only the weak memory ([`store_history`])
//! uses the order in which they executed, because it has to choose one.
//!
//! Bulk copies are the work of agents, which know of the accesses of threads what a proxy fence has seen
//! ([`crate::checkers::memory_model::bulk`]). Not modelled: other proxies. Specification: PTX ISA, section 8, "Memory Consistency Model".

mod block_map;
pub mod clocks;
pub mod phases;
pub mod release_acquire;
pub mod store_history;
pub mod vector_clock;

use std::collections::BTreeMap;

/// The memory ordering of an access or a fence (`.sem`). Specification: section 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// An ordinary access.
    Weak,
    /// Relaxed at system scope, and never optimised away.
    Volatile,
    /// Strong, but does not order other accesses.
    Relaxed,
    /// Accesses that follow in program order stay after it.
    Acquire,
    /// Accesses that precede in program order stay before it.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Acquire and release, and in one total order with all others of this kind.
    SeqCst,
}

/// The scope of an access or a fence: the threads for which its ordering holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The threads of the block.
    Cta,
    /// The threads of the cluster of blocks.
    Cluster,
    /// All threads on the GPU.
    Gpu,
    /// All threads of the system.
    Sys,
}

/// What an access or a fence orders, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// Its memory ordering.
    pub order: Order,
    /// Its scope.
    pub scope: Scope,
}

impl Order {
    /// Whether an operation with this ordering acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether an operation with this ordering releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

impl Scope {
    /// Whether the scope, used by a thread of block `own`, includes the threads of block `other`, where so many blocks are a
    /// cluster.
    #[inline(always)]
    pub fn includes(self, own: u32, other: u32, cluster: u32) -> bool {
        let is_near = |own, other| self == Scope::Cluster && own / cluster == other / cluster;
        self >= Scope::Gpu || (own ^ other) & !AGENT == 0 || is_near(own & !AGENT, other & !AGENT)
    }
}

/// The bit of a block's number that stands for the agents of the block: what carries out bulk copies for its threads.
pub const AGENT: u32 = 1 << 31;

/// A thread of the launch, or an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// The number of its block in the grid.
    pub block: u32,
    /// Its number in the block: 32 times the warp, plus the lane.
    pub number: u16,
}

/// When a thread did something: the thread, and the clock of its warp at the time. Whatever the thread published has a
/// clock that is not earlier than that of what it did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The thread.
    pub thread: Thread,
    /// The clock of its warp.
    pub clock: u32,
}

/// The bytes that a memory operation accesses.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub struct ByteRange {
    /// The allocation of global memory, or the shared memory of a block.
    pub space: Space,
    /// The offset of the first byte in it.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u8,
}

impl PartialEq for ByteRange {
    /// Compares two of the fields at once. The compiler turns a chain of comparisons into a call of `memcmp`, which takes longer, and the
    /// checkers compare ranges at every access.
    #[inline(always)]
    fn eq(&self, other: &ByteRange) -> bool {
        (self.offset ^ other.offset) | u64::from(self.bytes ^ other.bytes) == 0 && self.space == other.space
    }
}

/// A memory that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// The allocation of global memory with this number.
    Global(u32),
    /// The shared memory of the block with this number.
    Shared(u32),
}

/// Removes the entries of one memory. It visits no others, because every block that starts calls this.
fn forget_space<T>(known: &mut BTreeMap<(Space, u64), T>, space: Space) {
    let keys: Vec<_> = known.range((space, 0)..=(space, u64::MAX)).map(|(key, _)| *key).collect();
    for key in keys {
        known.remove(&key);
    }
}
