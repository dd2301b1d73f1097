//! The state of a block and of its warps while they are resident.

use super::affine::Grid;
use super::bulk::BulkCopies;
use super::copies::Copies;
use super::divergence::{Divergence, Group};
use super::local::Local;
use super::mbarriers::Mbarriers;
use super::registers::{Registers, WARP_SIZE};
use super::warpgroup::Warpgroups;
use super::written::Written;
use crate::launch::Dim3;

/// Number of named barriers of a block.
pub const BARRIERS: usize = 16;

/// A warp: 32 lanes, or fewer in the last warp of a block.
#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// Its number in the block.
    pub id: u32,
    /// The lanes it has.
    pub lanes: u32,
    /// Its lanes' local memory.
    pub local: Local,
    /// The groups of lanes that execute together, and the reconvergence points at which others wait.
    pub divergence: Divergence,
    /// Warp instructions it has issued.
    pub steps: u64,
    /// Whether a branch ever parted its lanes.
    pub diverged: bool,
    /// The first of its lanes that ended, and at which instruction.
    pub first_end: Option<(u32, u32)>,
    /// How long it is left alone before it is probed for whether it only spins, if that was ever decided.
    pub patience: Option<u64>,
    /// Its step count when it was probed last.
    pub probed_at: u64,
    /// Lanes that have issued an instruction in this turn of the block.
    pub ran: u32,
    /// For even and for odd phases of the cluster's barrier, the lanes that have arrived and not waited yet.
    pub at_cluster: [u32; 2],
    /// The last arrival there that is aligned: the phase, the lowest lane, and the instruction.
    pub cluster_arrival: Option<(u64, u32, u32)>,
    /// Lanes that could have in the last turn, and did not: their turn is first.
    pub starved: u32,
}

/// The state of one named barrier of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarrierState {
    /// How many threads have arrived.
    pub arrived: u32,
    /// How many threads the barrier waits for, if an arrival named a count.
    pub wanted: Option<u32>,
    /// How many threads had already ended when the other lanes of their warp arrived without them. They were counted as
    /// arrived together with those lanes.
    pub ended: u32,
    /// The warps of these threads, one bit for each.
    pub ended_warps: u32,
    /// How many threads arrived with a true predicate.
    pub true_count: u32,
    /// The last arrival: the warp, its lowest arriving lane, and the instruction.
    pub last: Option<(usize, u32, u32)>,
}

/// A resident block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its index among the resident blocks.
    pub slot: usize,
    /// Its linear index in the grid, `x` fastest.
    pub number: u64,
    /// Its coordinates in the grid, `%ctaid`.
    pub index: Dim3,
    /// Its shared memory.
    pub shared: Vec<u8>,
    /// Which bytes of it have been written; empty where nobody asks.
    pub shared_written: Written,
    /// The registers of its warps, frame after frame.
    pub registers: Registers,
    /// Its warps.
    pub warps: Vec<Warp>,
    /// Its named barriers.
    pub barriers: [BarrierState; BARRIERS],
    /// Its mbarrier objects, which are in shared memory.
    pub mbarriers: Mbarriers,
    /// Its asynchronous copies that are under way.
    pub copies: Copies,
    /// Its bulk copies that are under way.
    pub bulk: BulkCopies,
    /// The products of its warpgroups.
    pub warpgroups: Warpgroups,
    /// Threads that have not ended.
    pub live_threads: u32,
    /// Whether it has company in its cluster, which may access its shared memory.
    pub has_peers: bool,
    /// Whether threads have arrived at the barrier of the cluster.
    pub awaits_cluster: bool,
}

impl Block {
    /// Starts a block: `threads` threads, each with what `start` says.
    pub fn reset(&mut self, number: u64, index: Dim3, threads: u32, shared_bytes: u64, start: &Start<'_>) {
        (self.number, self.index, self.live_threads) = (number, index, threads);
        self.barriers = [BarrierState::default(); BARRIERS];
        self.mbarriers = Mbarriers::default();
        self.copies.reset();
        self.bulk.reset();
        self.shared.clear();
        self.shared.resize(shared_bytes as usize, 0);
        self.warps.resize_with(threads.div_ceil(WARP_SIZE as u32) as usize, Warp::default);
        self.registers
            .reset(start.registers, Grid { columns: start.columns, warps: self.warps.len() as u32 });
        self.warpgroups.reset(self.warps.len(), start.has_products);
        for (id, warp) in self.warps.iter_mut().enumerate() {
            warp.reset(id as u32, threads, start);
        }
    }

    /// Whether an access to its shared memory has nothing to look out for: mbarriers, or copies that are under way.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.mbarriers.is_empty() && self.copies.is_empty() && !self.has_peers
    }

    /// Whether its end leaves its shared memory as it is: nothing is under way that is then carried out.
    pub fn ends_at_once(&self) -> bool {
        self.bulk.under_way.is_empty()
    }

    /// Lends its shared memory, and what is known of it, to another block of its cluster, or takes it back.
    pub fn lend(&mut self, peer: &mut Peer) {
        (peer.number, peer.slot, peer.has_ended) = (self.number, self.slot, self.live_threads == 0);
        std::mem::swap(&mut self.shared, &mut peer.shared);
        std::mem::swap(&mut self.shared_written, &mut peer.written);
        std::mem::swap(&mut self.mbarriers, &mut peer.mbarriers);
        std::mem::swap(&mut self.copies, &mut peer.copies);
        std::mem::swap(&mut self.bulk, &mut peer.bulk);
    }
}

/// The shared memory of a block while another one of its cluster has its turn.
#[derive(Clone, Debug, Default)]
pub struct Peer {
    /// Its linear index in the grid.
    pub number: u64,
    /// Its index among the resident blocks.
    pub slot: usize,
    /// Whether all of its threads have ended.
    pub has_ended: bool,
    /// Its shared memory.
    pub shared: Vec<u8>,
    /// Which bytes of it have been written.
    pub written: Written,
    /// The mbarriers in it.
    pub mbarriers: Mbarriers,
    /// The asynchronous copies of the block.
    pub copies: Copies,
    /// The bulk copies of the block.
    pub bulk: BulkCopies,
}

/// What a warp starts with.
#[derive(Clone, Copy, Debug)]
pub struct Start<'p> {
    /// Its lanes, at the kernel's first instruction.
    pub group: &'p Group,
    /// The registers of the kernel's frame, of one warp.
    pub registers: &'p Registers,
    /// Bytes of that frame in local memory.
    pub frame_bytes: u64,
    /// Lanes in a row of a warp.
    pub columns: u32,
    /// Whether the kernel has products of warpgroups.
    pub has_products: bool,
}

impl Warp {
    fn reset(&mut self, id: u32, threads: u32, start: &Start<'_>) {
        let count = (threads - id * WARP_SIZE as u32).min(WARP_SIZE as u32);
        (self.id, self.steps, self.diverged, self.first_end) = (id, 0, false, None);
        (self.patience, self.probed_at) = (None, 0);
        self.lanes = u32::MAX >> (WARP_SIZE as u32 - count);
        (self.ran, self.starved) = (0, 0);
        (self.at_cluster, self.cluster_arrival) = ([0; 2], None);
        self.local.reset(start.frame_bytes);
        self.divergence.reset(start.group, self.lanes);
    }

    /// Lets a group arrive at its meeting.
    pub fn arrive(&mut self, group: usize) {
        self.divergence.arrive(group, self.steps);
    }

    /// Ends lanes of a group at `pc`.
    pub fn end(&mut self, group: usize, lanes: u32, pc: u32) {
        self.first_end = self.first_end.or(Some((lanes.trailing_zeros(), pc)));
        self.divergence.exit(group, lanes);
    }

    /// Lanes that have not ended.
    pub fn live(&self) -> u32 {
        self.lanes & !self.divergence.exited
    }
}
