//! Decoded bulk copies, and what waits for them.

use super::memory::{Access, Address, Memory};
use super::tensor_copy::TensorCopy;
use crate::machine::bulk::Reduction;
use crate::report::location::AccessKind;

/// An instruction about bulk copies.
#[derive(Clone, Copy, Debug)]
pub enum BulkOp {
    /// Starts a copy.
    Copy(Bulk),
    /// Starts a store or a reduction of what is in registers.
    Store(AsyncStore),
    /// Starts a copy of a box of a tensor.
    Tensor(TensorCopy),
    /// `commit_group`: makes a group of the copies that the thread has started since the last one and that complete with it.
    Commit,
    /// `wait_group`: waits until at most so many of the thread's latest groups are under way.
    Wait {
        /// How many may be left.
        groups: u32,
        /// Whether it is enough that a copy has read its source.
        read: bool,
    },
    /// `fence.proxy.async`: what the thread knows of becomes visible to bulk copies that come after it.
    ProxyFence,
}

impl BulkOp {
    /// What a copy does to one of the memories that it concerns, or to its mbarrier.
    pub fn access_to(&self, memory: Memory, is_object: bool) -> AccessKind {
        match self {
            _ if is_object => AccessKind::Mbarrier,
            BulkOp::Store(store) if store.reduction.is_some() => AccessKind::Update,
            BulkOp::Store(_) => AccessKind::Write,
            BulkOp::Tensor(copy) => copy.access_to(memory),
            BulkOp::Copy(Bulk { to, .. }) if to.memory.space() == memory.space() => AccessKind::Write,
            _ => AccessKind::Read,
        }
    }
}

/// A bulk copy of as many bytes as `args.c` says.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// Where it writes; the base is `args.a`.
    pub to: Address,
    /// Where it reads; the base is `args.b`.
    pub from: Address,
    /// How its completion is told.
    pub end: Completion,
    /// What it does with what it reads, if it does not just write it.
    pub reduction: Option<Reduction>,
    /// Whether it writes to the same place in each block of the cluster whose bit is set in `args.q`.
    pub multicast: bool,
}

/// A store or a reduction to the shared memory of a block of the cluster, which an mbarrier there is told of.
#[derive(Clone, Copy, Debug)]
pub struct AsyncStore {
    /// What it stores, and where.
    pub access: Access,
    /// The mbarrier; the base of its address is `args.e`.
    pub object: Address,
    /// What it does with the old value, if it does not just replace it.
    pub reduction: Option<Reduction>,
}

/// How the completion of a bulk copy is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// To an mbarrier, as transactions: a byte is one. The base of its address is `args.e`.
    Mbarrier(Address),
    /// With the bulk group of the thread.
    Group,
}

/// What addresses and sizes of bulk copies are multiples of, in bytes.
pub const GRANULE: u64 = 16;
