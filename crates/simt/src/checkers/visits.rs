//! Accesses to the shared memory of another block of the cluster, which may have ended.
//!
//! The shared memory of a block exists until its last thread ends. So an access by another block has to be ordered before the end
//! of some thread of that block: *reported* is each access for which this is not so, whether the block had ended in this run or
//! not. *Missed* is that an access has to wait until the block has started, because here the blocks of a cluster start together.
//! *No false alarm*: if no thread of the block knows of the access when it ends, another run may have the block end before.
//! Specification: PTX ISA, section 5.1.7 (shared memory).

use crate::checkers::context::{Context, fault};
use crate::compile::inst::Pc;
use crate::order::Epoch;
use crate::report::fault::{Fault, FaultKind, Severity};

/// An access to the shared memory of another block, the last of its thread.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// The block to which the memory belongs.
    pub owner: u32,
    /// When, and by which thread.
    pub epoch: Epoch,
    /// The instruction.
    pub pc: Pc,
    /// The step of the launch.
    pub step: u64,
    /// Whether the block had ended.
    pub is_late: bool,
}

/// An access to the shared memory of a block that may have ended.
#[derive(Clone, Copy, Debug)]
pub struct LateVisit {
    /// The access.
    pub visit: Visit,
    /// When, and by which thread; where an agent made it, the thread for which it did.
    pub visitor: Epoch,
}

/// The finding in words.
pub fn late_visit(context: &Context<'_>, found: &LateVisit) -> Fault {
    let LateVisit { visit: Visit { owner, pc, step, is_late, .. }, visitor } = *found;
    let owner = context.launch.block_at(owner.into());
    let message = if is_late {
        format!("the shared memory of block {owner} is accessed after the block has ended")
    } else {
        format!(
            "the shared memory of block {owner} is accessed, and nothing keeps the block from ending before"
        )
    };
    let actor = context.actor_at(visitor, pc, format!("accessed the memory of block {owner}"));
    let help = "put a barrier of the cluster between the last access to the memory of another block and the end of the kernel: `cluster.sync()`";
    Fault { step, help: help.to_owned(), ..fault(FaultKind::Race, Severity::Error, message, vec![actor]) }
}
