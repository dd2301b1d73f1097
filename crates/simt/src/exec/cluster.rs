//! Clusters: accesses to the shared memory of other blocks, and the barrier of all threads of a cluster.
//!
//! The blocks of a cluster are resident together. While one of them has its turn, the launch holds the shared memory of the
//! others ([`Peer`]), so an access reaches it like the block's own: the lanes that name a block carry the instruction out with
//! that block's memory in the place of theirs. In the weak memory such an access waits for what its lane has delayed, and is
//! never delayed itself. What an access to another block costs is counted as if it were to the block's own memory, because it is
//! not known how the profiler counts it.
//!
//! At the barrier a thread arrives, and later it waits. A phase is complete when all threads of the cluster that have not ended
//! have arrived; a thread can be one phase ahead of another, so what is kept is by even and odd phases.
//! Specification: PTX ISA, sections 9.7.13.3 (`barrier.cluster`) and 9.7.9.23 (`mapa`).

use crate::access::address::{Denied, Why, addresses, denied};
use crate::access::window::resolve;
use crate::compile::inst::{Inst, Pc};
use crate::exec::cursor::Cursor;
use crate::exec::faults::Problem;
use crate::exec::memory::{Memories, WarpAccess};
use crate::exec::state::{Run, Stop};
use crate::isa::op::Op;
use crate::isa::op::cluster::{ClusterBarrier, RANK_SHIFT, named_rank};
use crate::isa::op::memory::{Address, Memory};
use crate::machine::block::{Block, Peer, Warp};
use crate::machine::cluster::ClusterState;
use crate::machine::divergence::{Group, Wait};
use crate::machine::global::Window;
use crate::machine::registers::{Lanes, lanes_of};
use crate::order::clocks::WarpId;

impl Run<'_> {
    /// Does something with a block while the shared memory of its cluster is at hand.
    pub fn with_peers<T>(
        &mut self,
        blocks: &mut [Block],
        index: usize,
        act: impl FnOnce(&mut Self, &mut Block) -> T,
    ) -> T {
        if self.setup.cluster() == 1 {
            return act(self, &mut blocks[index]);
        }
        self.lend_or_return(blocks, index);
        let result = act(self, &mut blocks[index]);
        self.lend_or_return(blocks, index);
        result
    }

    fn lend_or_return(&mut self, blocks: &mut [Block], index: usize) {
        let (size, number) = (self.setup.cluster() as u64, blocks[index].number);
        let others = blocks.iter_mut().filter(|block| block.number != number);
        for block in others.filter(|block| block.number / size == number / size) {
            block.lend(&mut self.peers[(block.number % size) as usize]);
        }
    }

    /// The barrier of a block's cluster, and the rank of the block in it.
    pub fn cluster_of(&mut self, block: &Block) -> (&mut ClusterState, usize) {
        let size = self.setup.cluster();
        let cluster = block.slot / size;
        if self.clusters.len() <= cluster {
            self.clusters.resize_with(cluster + 1, ClusterState::default);
        }
        (&mut self.clusters[cluster], block.slot % size)
    }

    /// A block starts, together with the others of its cluster.
    pub fn start_in_cluster(&mut self, block: &mut Block) {
        block.has_peers = self.setup.cluster() > 1;
        block.awaits_cluster = false;
        let threads = block.live_threads;
        let (cluster, rank) = self.cluster_of(block);
        (cluster.phase, cluster.missing[rank], cluster.live[rank]) = (0, threads, threads);
    }

    /// Threads of a block have arrived or ended: the phase may be complete.
    pub fn pass_cluster_phase(&mut self, block: &Block) {
        let (cluster, rank) = self.cluster_of(block);
        let phase = (cluster.phase & 1) as usize;
        let missing = |warp: &Warp| (warp.live() & !warp.at_cluster[phase]).count_ones();
        cluster.missing[rank] = block.warps.iter().map(missing).sum();
        cluster.live[rank] = block.live_threads;
        if cluster.missing.iter().any(|&missing| missing != 0) || cluster.live.iter().all(|&live| live == 0) {
            return;
        }
        cluster.missing = cluster.live;
        cluster.phase += 1;
        if let Some(model) = &mut self.observers.memory_model {
            model.complete_cluster_phase(block.slot);
        }
    }

    /// Lets lanes of a block go on that wait at the barrier of the cluster, if their phase is complete; whether there are any.
    pub fn release_at_cluster(&mut self, block: &mut Block) -> bool {
        let phase = self.cluster_of(block).0.phase;
        let mut any = false;
        for w in 0..block.warps.len() {
            let not_yet = block.warps[w].at_cluster[(phase & 1) as usize];
            let may_go = |group: &Group| group.wait == Wait::Cluster && group.mask & not_yet == 0;
            while let Some(g) = block.warps[w].divergence.groups.iter().position(may_go) {
                self.at(block, w).leave_cluster_barrier(g, phase);
                any = true;
            }
            if any && !self.setup.stack {
                block.warps[w].divergence.unite();
            }
        }
        any
    }
}

impl Cursor<'_, '_> {
    /// Lets a group arrive at the barrier of the cluster, or wait there.
    pub fn cluster_barrier(&mut self, g: usize, barrier: ClusterBarrier) -> Result<(), Stop> {
        let Group { pc, mask, .. } = *self.group(g);
        let phase = self.run.cluster_of(self.block).0.phase;
        let at = self.warp().at_cluster;
        if !barrier.waits {
            if mask & (at[0] | at[1]) != 0 {
                return Err(self.fault(pc, mask & (at[0] | at[1]), Problem::arrives_twice()));
            }
            return self.arrive_at_cluster(g, barrier, phase);
        }
        let absent = mask & !(at[0] | at[1]);
        if absent != 0 {
            return Err(self.fault(pc, absent, Problem::waits_without_arrival()));
        }
        if mask & at[(phase & 1) as usize] == 0 {
            self.leave_cluster_barrier(g, phase);
        } else {
            self.group_mut(g).wait = Wait::Cluster;
        }
        Ok(())
    }

    fn arrive_at_cluster(&mut self, g: usize, barrier: ClusterBarrier, phase: u64) -> Result<(), Stop> {
        let Group { pc, mask, .. } = *self.group(g);
        if barrier.aligned {
            self.check_one_arrival(pc, mask, phase)?;
        }
        self.warp_mut().at_cluster[(phase & 1) as usize] |= mask;
        self.group_mut(g).pc = pc + 1;
        let id = self.id();
        if let Some(model) = &mut self.run.observers.memory_model {
            model.at(pc, self.run.counts.steps.saturating_sub(1));
            model.arrive_at_cluster(id, mask, barrier.order);
        }
        self.block.awaits_cluster = true;
        self.run.pass_cluster_phase(self.block);
        Ok(())
    }

    /// Lanes of one warp that arrive by `.aligned` must do so by the same instruction.
    fn check_one_arrival(&mut self, pc: Pc, mask: u32, phase: u64) -> Result<(), Stop> {
        let lane = mask.trailing_zeros();
        match self.warp().cluster_arrival {
            Some((known, first, other)) if known == phase && other != pc => {
                let [one, other] = [(1 << first, other), (mask, pc)].map(|(mask, pc)| {
                    let group = Group::new(pc, self.warp().divergence.groups[0].frame);
                    Group { mask, ..group }
                });
                Err(self.two_barriers(&one, &other))
            }
            _ => {
                self.warp_mut().cluster_arrival = Some((phase, lane, pc));
                Ok(())
            }
        }
    }

    /// A group leaves the barrier of the cluster, whose phase `phase` has begun.
    fn leave_cluster_barrier(&mut self, g: usize, phase: u64) {
        let Group { pc, mask, .. } = *self.group(g);
        let id = self.id();
        self.warp_mut().at_cluster[(phase & 1 ^ 1) as usize] &= !mask;
        let group = self.group_mut(g);
        (group.pc, group.wait) = (pc + 1, Wait::Nothing);
        let Op::ClusterBarrier(barrier) = self.inst(pc).op else { return };
        if let Some(model) = &mut self.run.observers.memory_model {
            model.wait_at_cluster(id, mask, barrier.order);
        }
    }
}

impl WarpAccess<'_, '_> {
    /// Carries out an access whose addresses may name other blocks of the cluster: block after block, for the lanes that name
    /// it.
    #[inline(never)]
    pub fn carry_out_by_block(&mut self, id: WarpId) -> Result<(), Denied> {
        let Some((address, ..)) = self.inst.op.access() else { return self.carry_out_at_home(id) };
        let memory = address.memory;
        if !matches!(memory, Memory::Cluster | Memory::Generic) {
            return self.carry_out_at_home(id);
        }
        let at = addresses(self.lanes, address, self.inst.args.a, self.frame);
        let all = self.lanes.mask;
        let (mut left, mut outcome): (u32, Result<(), Denied>) = (all, Ok(()));
        while left != 0 {
            let part = part_of(memory, at[left.trailing_zeros() as usize]);
            let same = lanes_of(left).filter(|&lane| part_of(memory, at[lane]) == part);
            self.lanes.mask = same.fold(0, |lanes, lane| lanes | 1 << lane);
            left &= !self.lanes.mask;
            outcome = match (outcome, self.carry_out_in(part, id)) {
                (Err(one), Err(other)) => Err(if one.lane < other.lane { one } else { other }),
                (one, other) => one.and(other),
            };
        }
        self.lanes.mask = all;
        outcome
    }

    /// Carries it out in the shared memory of the block that addresses with some upper bits name; with none, in other memory.
    fn carry_out_in(&mut self, part: Option<u64>, id: WarpId) -> Result<(), Denied> {
        let Some(part) = part else { return self.carry_out_at_home(id) };
        let inst = Inst { op: in_shared_memory(self.inst.op, part), is_distant: false, ..*self.inst };
        let WarpAccess { memories, lanes, pc, frame, counters, .. } = self;
        let mut access = WarpAccess { memories, lanes, inst: &inst, pc: *pc, frame, counters };
        match named_rank(part << RANK_SHIFT).filter(|&rank| rank != access.memories.rank()) {
            None => access.carry_out_at_home(id),
            Some(rank) => access.visit(rank, id),
        }
    }

    /// Carries it out in global memory or in that of its own block.
    fn carry_out_at_home(&mut self, id: WarpId) -> Result<(), Denied> {
        let inst = self.inst;
        match &inst.op {
            Op::Mbarrier(op) => self.mbarrier_here(op, id),
            _ => self.carry_out_here(id),
        }
    }

    /// Carries it out in the shared memory of another block.
    fn visit(&mut self, rank: u64, id: WarpId) -> Result<(), Denied> {
        let WarpAccess { memories, lanes, inst, pc, frame, counters } = self;
        let (pc, now, mask) = (*pc, memories.now, lanes.mask);
        if rank as usize >= memories.peers.len() {
            let (lane, why) = (mask.trailing_zeros() as usize, Why::NoRank(rank));
            let Some((address, bytes, _)) = inst.op.access() else { return Ok(()) };
            let address = addresses(lanes, address, inst.args.a, frame)[lane];
            return Err(denied(lane, address, bytes, Memory::Cluster, why));
        }
        if let Some((model, mut target)) = memories.modelled() {
            model.at(pc, now);
            model.drain(&mut target, id, mask);
        }
        memories.mbarriers.went_on(id.warp, mask);
        let Peer { number, slot, has_ended, .. } = memories.peers[rank as usize];
        if let Some(model) = memories.memory_model.as_deref_mut() {
            model.visit(slot, mask, has_ended);
        }
        let mut there = memories.of_peer(rank as usize);
        let mut lanes = Lanes {
            narrow: lanes.narrow.again(),
            wide: lanes.wide.again(),
            preds: lanes.preds.again(),
            mask,
        };
        let mut access = WarpAccess { memories: &mut there, lanes: &mut lanes, inst, pc, frame, counters };
        let outcome = access.carry_out_as_guest();
        if let Some(model) = memories.memory_model.as_deref_mut() {
            model.come_home();
        }
        outcome.map_err(|denied| Denied { owner: Some(number), ..denied })
    }

    /// Carries it out in the memory of another block, which stands in the place of its own.
    fn carry_out_as_guest(&mut self) -> Result<(), Denied> {
        if let Op::Mbarrier(op) = &self.inst.op {
            return self.mbarrier_operation(op, NO_WARP);
        }
        if !self.memories.mbarriers.is_empty() {
            self.check_objects(NO_WARP)?;
        }
        if self.memories.is_checked { self.carry_out_checked() } else { self.carry_out() }
    }
}

/// No warp of a block has this number: that of one that belongs to another block.
const NO_WARP: usize = usize::MAX;

impl Memories<'_> {
    /// The rank of the block in its cluster.
    pub fn rank(&self) -> u64 {
        self.order.block % self.peers.len().max(1) as u64
    }

    /// The same memories, with the shared memory of another block of the cluster in the place of the block's own.
    pub fn of_peer(&mut self, rank: usize) -> Memories<'_> {
        let Peer { shared, number, written, mbarriers, copies, bulk, .. } = &mut self.peers[rank];
        Memories {
            global: self.global,
            shared,
            owner: *number,
            local: self.local,
            params: self.params,
            order: self.order,
            now: self.now,
            mbarriers,
            copies,
            bulk,
            peers: &mut [],
            initialisation: self.initialisation.as_mut().map(|(checker, _)| (&mut **checker, written)),
            memory_model: self.memory_model.as_deref_mut(),
            last_writer: self.last_writer.as_deref_mut(),
            changes: self.changes,
            is_checked: self.is_checked,
        }
    }

    /// The shared memory that an address names, the block's own or another one's, and the offset in it.
    pub fn shared_at(&self, address: u64) -> (&[u8], u64) {
        let offset = address & ((1 << RANK_SHIFT) - 1);
        match named_rank(address).filter(|&rank| rank != self.rank()) {
            None => (self.shared, if named_rank(address).is_some() { offset } else { address }),
            Some(rank) => (self.peers.get(rank as usize).map_or(&[], |peer| &peer.shared), offset),
        }
    }
}

/// The upper bits of an address in shared memory, which name a block; `None` if it is in another memory.
fn part_of(memory: Memory, address: u64) -> Option<u64> {
    let (memory, offset) = resolve(memory, address);
    matches!(memory, Memory::Shared | Memory::Cluster).then_some(offset >> RANK_SHIFT)
}

/// An access, with the offset of its addresses changed so that those with these upper bits begin at zero.
fn in_shared_memory(mut op: Op, part: u64) -> Op {
    let address: &mut Address = match &mut op {
        Op::Load(access) | Op::Store(access) => &mut access.address,
        Op::Atomic(atomic) => &mut atomic.address,
        Op::Mbarrier(mbarrier) => &mut mbarrier.address,
        _ => return op,
    };
    let window = if address.memory == Memory::Generic { Window::Shared.base() } else { 0 };
    address.offset = address.offset.wrapping_sub((window + (part << RANK_SHIFT)) as i64);
    address.memory = Memory::Shared;
    op
}
