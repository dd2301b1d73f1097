//! Clusters: accesses to the shared memory of other blocks, and what the barrier of a cluster orders.
//!
//! The barrier is to the memory model like an mbarrier of its own: arrivals of a phase are a chain of releases, and who leaves the
//! barrier acquires what they have released. A relaxed arrival orders only what a fence before it has published.
//!
//! Accesses that may come after the end of a block are findings of [`crate::checkers::visits`].
//! Specification: PTX ISA, section 9.7.13.3 (`barrier.cluster`).

use crate::checkers::memory_model::MemoryModel;
use crate::checkers::visits::Visit;
use crate::machine::registers::lanes_of;
use crate::order::clocks::{LaneId, WarpId};
use crate::order::{AGENT, ByteRange, Order, Scope, Semantics, Space, Thread};

/// Where the barrier of a cluster is, in a memory that has no such byte.
const BARRIER: u64 = 1 << 40;

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
