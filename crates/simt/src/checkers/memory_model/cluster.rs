//! Clusters: accesses to the shared memory of other blocks, and what the barrier of a cluster orders.
//!
//! The barrier is to the memory model like an mbarrier of its own: arrivals of a phase are a chain of releases, and who leaves the
//! barrier acquires what they have released. A relaxed arrival orders only what a fence before it has published.
//!
//! The shared memory of a block exists until its last thread ends. So an access by another block has to be ordered before the end
//! of some thread of that block: *reported* is each access for which this is not so, whether the block had ended in this run or
//! not. *Missed* is that an access has to wait until the block has started, because here the blocks of a cluster start together.
//! *No false alarm*: if no thread of the block knows of the access when it ends, another run may have the block end before.
//! Specification: PTX ISA, sections 9.7.13.3 (`barrier.cluster`) and 5.1.7 (shared memory).

use crate::checkers::context::{Context, fault};
use crate::checkers::memory_model::MemoryModel;
use crate::compile::inst::Pc;
use crate::machine::registers::lanes_of;
use crate::order::clocks::{LaneId, WarpId};
use crate::order::{AGENT, ByteRange, Epoch, Order, Scope, Semantics, Space, Thread};
use crate::report::fault::{Fault, FaultKind, Severity};

/// Where the barrier of a cluster is, in a memory that has no such byte.
const BARRIER: u64 = 1 << 40;

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

impl MemoryModel {
    /// Lanes of the warp are about to access the shared memory of the block in a slot.
    pub fn visit(&mut self, slot: usize, lanes: u32, has_ended: bool) {
        self.enter(slot);
        if self.races.is_some() {
            lanes_of(lanes).for_each(|lane| self.note_visit(lane, has_ended));
        }
    }

    /// Accesses are to the shared memory of the block in a slot from now on.
    pub fn enter(&mut self, slot: usize) {
        self.owner = self.clocks.block(slot);
        if let Some(races) = &mut self.races {
            races.owner = Some(slot);
        }
    }

    /// Accesses are to the shared memory of the block itself again.
    pub fn come_home(&mut self) {
        self.owner = self.clocks.block(self.slot) & !AGENT;
        if let Some(races) = &mut self.races {
            races.owner = None;
        }
    }

    /// Whether accesses are to the shared memory of another block.
    pub fn is_visiting(&self) -> bool {
        self.owner != self.clocks.block(self.slot) & !AGENT
    }

    /// A lane accesses the shared memory of another block.
    pub fn note_visit(&mut self, lane: usize, is_late: bool) {
        let (owner, epoch) = (self.owner, self.clocks.epoch(self.id(lane)));
        let visit = Visit { owner, epoch, pc: self.pc, step: self.now, is_late };
        if is_late {
            self.late_visits.push(visit);
        } else {
            self.visits.insert((owner, epoch.thread), visit);
        }
    }

    /// The last thread of a block ends: keeps the accesses of others to its memory that may come later in another run.
    pub fn end_block(&mut self, slot: usize) {
        let owner = self.clocks.block(slot);
        let all =
            (owner, Thread { block: 0, number: 0 })..=(owner, Thread { block: u32::MAX, number: u16::MAX });
        let visits: Vec<Visit> = self.visits.range(all).map(|(_, visit)| *visit).collect();
        for visit in visits {
            self.visits.remove(&(owner, visit.epoch.thread));
            if !self.clocks.block_knows(slot, visit.epoch) {
                self.late_visits.push(visit);
            }
        }
    }

    /// Lanes of a warp arrive at the barrier of their cluster.
    pub fn arrive_at_cluster(&mut self, WarpId { slot, warp }: WarpId, lanes: u32, order: Order) {
        let (range, semantics) = (self.cluster_barrier(slot), Semantics { order, scope: Scope::Cluster });
        for lane in lanes_of(lanes) {
            let id = LaneId { slot, warp, lane };
            self.phases.arrive(&mut self.clocks, &mut self.locations, id, range, semantics);
        }
    }

    /// All threads of the cluster of a block have arrived.
    pub fn complete_cluster_phase(&mut self, slot: usize) {
        let range = self.cluster_barrier(slot);
        self.phases.complete(range);
    }

    /// Lanes of a warp leave the barrier of their cluster.
    pub fn wait_at_cluster(&mut self, WarpId { slot, warp }: WarpId, lanes: u32, order: Order) {
        let (range, semantics) = (self.cluster_barrier(slot), Semantics { order, scope: Scope::Cluster });
        for lane in lanes_of(lanes) {
            let id = LaneId { slot, warp, lane };
            self.phases.wait(&mut self.clocks, &mut self.locations, id, range, semantics);
        }
    }

    /// The bytes that stand for the barrier of a block's cluster.
    fn cluster_barrier(&self, slot: usize) -> ByteRange {
        let block = self.clocks.block(slot);
        let first = block - block % self.clocks.cluster;
        ByteRange { space: Space::Shared(first), offset: BARRIER, bytes: 8 }
    }
}
