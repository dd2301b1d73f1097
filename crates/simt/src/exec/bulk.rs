//! Bulk copies: started, carried out at a time that the seed decides, and completed.
//!
//! Time passes for the bulk copies of a block while its warps use copies and mbarriers. A copy first reads all of its source
//! and later writes all of its destination. Then it completes transactions of its mbarrier; a copy of a bulk group stays until
//! its thread has waited for it, or the block has ended. To the race checker reading and writing are accesses of agents that
//! know what the thread knew when it started the copy, and of which others learn by waiting
//! ([`crate::checkers::memory_model::bulk`]). When bytes count as written is as for other copies ([`crate::exec::copies`]).
//! A copy to another block of the cluster belongs to that block: time passes for it there, and it has to be complete when that
//! block ends. Tensor copies differ in what they read and write ([`crate::exec::tensor_copy`]). Left out: what a bulk copy costs.
//! Specification: PTX ISA, section 9.7.9.25.4.

use crate::access::address::{Denied, Why, addresses, denied, is_aligned};
use crate::access::element::store_lane;
use crate::checkers::findings::Finding;
use crate::checkers::initialisation::AccessCheck;
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::synchronisation::finding::{CopyAtEnd, LaneAt};
use crate::exec::cursor::Cursor;
use crate::exec::mbarrier::object_at;
use crate::exec::memory::{Memories, WarpAccess};
use crate::exec::state::{Run, Stop};
use crate::isa::op::bulk::{AsyncStore, Bulk, BulkOp, Completion, GRANULE};
use crate::isa::op::cluster::{named_rank, part_of_rank};
use crate::isa::op::mbarrier::Misuse;
use crate::isa::op::memory::Memory;
use crate::machine::block::Block;
use crate::machine::bulk::{Area, BulkCopy, End, Progress, Reached, Reduction};
use crate::machine::divergence::Frame;
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::{Wide, lanes_of};
use crate::machine::tensor_box::SharedBox;
use crate::order::clocks::WarpId;
use crate::order::{ByteRange, Space};
use crate::report::location::AccessKind;

/// How many uses of copies and mbarriers a bulk copy takes at most to read, and then to write.
const LONGEST: u64 = 16;

impl WarpAccess<'_, '_> {
    /// Carries out an instruction about bulk copies for the active lanes of a warp.
    #[inline(never)]
    pub fn bulk(&mut self, op: BulkOp, id: WarpId) -> Result<(), Denied> {
        self.pass_arrivals(id)?;
        let lanes = self.memories.order.lanes(self.lanes.mask);
        match op {
            BulkOp::Copy(copy) => return self.start_bulk(&copy, id),
            BulkOp::Store(store) => return self.start_stores(&store, id),
            BulkOp::Tensor(copy) => return self.start_tensor(&copy, id),
            BulkOp::Commit => lanes.for_each(|lane| self.memories.bulk.commit(id.warp, lane)),
            BulkOp::Wait { groups, read } => {
                self.memories.model_at(self.pc);
                lanes.for_each(|lane| self.memories.await_bulk(id.warp, lane, groups, read));
            }
            BulkOp::ProxyFence => {
                if let Some((model, mut target)) = self.memories.modelled() {
                    model.drain(&mut target, id, self.lanes.mask);
                    model.proxy_fence(self.lanes.mask);
                }
            }
        }
        Ok(())
    }

    fn start_bulk(&mut self, op: &Bulk, id: WarpId) -> Result<(), Denied> {
        let (mask, args) = (self.lanes.mask, &self.inst.args);
        let to = addresses(self.lanes, &op.to, args.a, self.frame);
        if op.from.memory == Memory::Shared && op.to.memory == Memory::Cluster {
            self.check_cluster(&to)?;
        }
        let from = addresses(self.lanes, &op.from, args.b, self.frame);
        let object = match op.end {
            Completion::Mbarrier(object) => Some(addresses(self.lanes, &object, args.e, self.frame)),
            Completion::Group => None,
        };
        let sizes = self.lanes.narrow[usize::from(args.c)];
        let blocks = op.multicast.then(|| self.lanes.narrow[usize::from(args.q)]);
        self.settle_before(id);
        for lane in self.memories.order.lanes(mask) {
            let bytes = u64::from(sizes[lane]);
            let from = self.memories.area(lane, op.from.memory, from[lane], bytes, AccessKind::Read)?;
            let what = What { reduction: op.reduction, ..What::plain(from) };
            let [to, object] = [Some(&to), object.as_ref()].map(|at| at.map_or(0, |at| at[lane]));
            let object = (op.end != Completion::Group).then_some(object);
            let to =
                To { memory: op.to.memory, address: to, object, blocks: blocks.map(|blocks| blocks[lane]) };
            self.start_everywhere(lane, id, to, bytes, &what)?;
        }
        Ok(())
    }

    /// Starts a copy of one lane to each block to which it goes.
    pub fn start_everywhere(
        &mut self,
        lane: usize,
        id: WarpId,
        to: To,
        bytes: u64,
        what: &What,
    ) -> Result<(), Denied> {
        let Some(blocks) = to.blocks else { return self.start_one(lane, id, to, bytes, what.clone()) };
        for rank in lanes_of(blocks & 0xffff) {
            let there = |address| part_of_rank(rank as u64) + (address & (part_of_rank(0) - 1));
            let to = To { address: there(to.address), object: to.object.map(there), ..to };
            self.start_one(lane, id, to, bytes, what.clone())?;
        }
        Ok(())
    }

    /// An H200 has no such instruction in a launch without clusters, even for the block's own memory.
    fn check_cluster(&self, to: &Wide) -> Result<(), Denied> {
        if !self.memories.peers.is_empty() {
            return Ok(());
        }
        let lane = self.lanes.mask.trailing_zeros() as usize;
        Err(denied(lane, to[lane], 0, Memory::Shared, Why::NoCluster))
    }

    /// Starts stores of what is in registers.
    fn start_stores(&mut self, op: &AsyncStore, id: WarpId) -> Result<(), Denied> {
        let args = &self.inst.args;
        let to = addresses(self.lanes, &op.access.address, args.a, self.frame);
        self.check_cluster(&to)?;
        let objects = addresses(self.lanes, &op.object, args.e, self.frame);
        self.settle_before(id);
        for lane in self.memories.order.lanes(self.lanes.mask) {
            let (mut data, bytes) = ([0; 32], op.access.lane_bytes());
            store_lane(self.lanes, args, &op.access, lane, &mut data);
            let progress = Progress::Read(data[..bytes as usize].to_vec());
            let from = Area { memory: Reached::Shared, offset: 0, bytes };
            let what = What { reduction: op.reduction, progress, granule: bytes, ..What::plain(from) };
            let object = Some(objects[lane]);
            let to = To { memory: Memory::Cluster, address: to[lane], object, blocks: None };
            self.start_one(lane, id, to, bytes, what)?;
        }
        Ok(())
    }

    /// What lanes of the warp have delayed is carried out before they start copies.
    pub fn settle_before(&mut self, id: WarpId) {
        if let Some((model, mut target)) = self.memories.modelled() {
            model.drain(&mut target, id, self.lanes.mask);
        }
        self.memories.model_at(self.pc);
    }

    /// Starts a copy of one lane to one place.
    fn start_one(
        &mut self,
        lane: usize,
        id: WarpId,
        place: To,
        bytes: u64,
        what: What,
    ) -> Result<(), Denied> {
        let (memories, To { memory, address, object, .. }) = (&mut *self.memories, place);
        let (goal, to) = memories.goal(lane, memory, address)?;
        let object = match object {
            Some(object) => Some(memories.goal(lane, Memory::Cluster, object)?),
            None => None,
        };
        if let Some((_, address)) = object.filter(|(block, _)| *block != goal) {
            return Err(denied(
                lane,
                address,
                OBJECT_BYTES,
                Memory::Shared,
                Why::Mbarrier(Misuse::OtherBlock),
            ));
        }
        let memory = if memory == Memory::Cluster { Memory::Shared } else { memory };
        let outcome = memories.in_goal(goal, |there| {
            let end = match object {
                Some((_, object)) => End::Mbarrier(there.object_of_bulk(object, lane)?),
                None => End::Group(None),
            };
            let area = match &what.tensor {
                Some(tensor) => there.box_area(lane, to, tensor.bytes, tensor.span())?,
                None => there.area_of(lane, memory, to, bytes, AccessKind::Write, what.granule)?,
            };
            Ok((area, end))
        });
        let owner = goal.map(|rank| memories.peers[rank].number);
        let (to, end) = outcome.map_err(|denied| Denied { owner, ..denied })?;
        self.start_copy(lane, id, to, (end, goal), what);
        Ok(())
    }

    /// Starts a copy of one lane that has been checked, to a block of the cluster if it is another one.
    pub fn start_copy(&mut self, lane: usize, id: WarpId, to: Area, at: (End, Option<usize>), what: What) {
        let (memories, (end, goal)) = (&mut *self.memories, at);
        let draw = memories.order.draw(lane as u64);
        let late = end == End::Group(None) && draw.is_multiple_of(4);
        let copy = BulkCopy {
            block: memories.owner,
            slot: id.slot,
            starter: goal.is_some().then(|| memories.rank() as usize),
            warp: id.warp,
            lane,
            pc: self.pc,
            step: memories.now,
            from: what.from,
            to,
            tensor: what.tensor,
            reduction: what.reduction,
            end,
            progress: what.progress,
            left: (!late).then_some((draw >> 8 & (LONGEST - 1)) as u8),
            gap: (draw >> 16 & (LONGEST - 1)) as u8,
            is_awaited: false,
            agents: None,
        };
        memories.begin_bulk(copy, goal);
    }
}

/// Where a copy of a lane goes.
#[derive(Clone, Copy, Debug)]
pub struct To {
    /// The memory.
    pub memory: Memory,
    /// The address in it.
    pub address: u64,
    /// The address of the mbarrier that is told, if one is.
    pub object: Option<u64>,
    /// The ranks of the blocks to which it goes, one bit each, if it is a multicast.
    pub blocks: Option<u32>,
}

/// What is copied, and how.
#[derive(Clone, Debug)]
pub struct What {
    /// What it reads.
    pub from: Area,
    /// What it does with the old value, if it does not just replace it.
    pub reduction: Option<Reduction>,
    /// Whether it has read already.
    pub progress: Progress,
    /// What the address is a multiple of.
    pub granule: u64,
    /// The box that it moves, if it is a tensor copy.
    pub tensor: Option<SharedBox>,
}

impl What {
    /// A copy of some bytes.
    pub fn plain(from: Area) -> What {
        What { from, reduction: None, progress: Progress::Started, granule: GRANULE, tensor: None }
    }
}

impl Memories<'_> {
    /// The block of the cluster that an address names, if it is another one, and the address there.
    fn goal(&self, lane: usize, memory: Memory, address: u64) -> Result<(Option<usize>, u64), Denied> {
        if memory != Memory::Cluster {
            return Ok((None, address));
        }
        let Some(rank) = named_rank(address) else { return Ok((None, address)) };
        let offset = address & (part_of_rank(0) - 1);
        match rank {
            _ if rank == self.rank() => Ok((None, offset)),
            _ if rank < self.peers.len() as u64 => Ok((Some(rank as usize), offset)),
            _ => Err(denied(lane, address, 0, Memory::Cluster, Why::NoRank(rank))),
        }
    }

    /// Does something with the memory of a block of the cluster, or with the block's own.
    fn in_goal<T>(&mut self, goal: Option<usize>, act: impl FnOnce(&mut Memories<'_>) -> T) -> T {
        match goal {
            None => act(self),
            Some(rank) => act(&mut self.of_peer(rank)),
        }
    }

    /// The bytes that a bulk copy reads or writes, if it may.
    fn area(
        &self,
        lane: usize,
        memory: Memory,
        address: u64,
        bytes: u64,
        kind: AccessKind,
    ) -> Result<Area, Denied> {
        self.area_of(lane, memory, address, bytes, kind, GRANULE)
    }

    /// The bytes that a copy or a store reads or writes, if it may: they begin at a multiple of `granule`.
    pub fn area_of(
        &self,
        lane: usize,
        memory: Memory,
        address: u64,
        bytes: u64,
        kind: AccessKind,
        granule: u64,
    ) -> Result<Area, Denied> {
        let deny = |bytes, why| Err(denied(lane, address, bytes, memory, why));
        if !is_aligned(address, granule) {
            return deny(granule, Why::Misaligned);
        }
        if !bytes.is_multiple_of(granule) {
            return deny(bytes, Why::BulkSize);
        }
        if memory == Memory::Shared {
            let size = self.shared.len() as u64;
            return match address.checked_add(bytes) {
                Some(end) if end <= size => {
                    if self.mbarriers.overlapping(address, bytes).is_some() {
                        return deny(bytes, Why::Mbarrier(Misuse::Plain));
                    }
                    Ok(Area { memory: Reached::Shared, offset: address, bytes })
                }
                _ => deny(bytes, Why::PastEnd(size)),
            };
        }
        let place = match kind {
            AccessKind::Read => self.global.locate(address, bytes),
            _ => self.global.locate_writable(address, bytes),
        };
        match place {
            Ok((region, offset)) => {
                Ok(Area { memory: Reached::Global(region), offset: offset as u64, bytes })
            }
            Err(miss) => deny(bytes, Why::Missed(miss)),
        }
    }

    /// The shared memory of the block.
    fn own_space(&self) -> Space {
        Space::Shared(self.owner as u32)
    }

    fn object_of_bulk(&self, address: u64, lane: usize) -> Result<u64, Denied> {
        let offset = object_at(self, Memory::Shared, address, lane)?;
        if self.mbarriers.is_object(offset) {
            return Ok(offset);
        }
        Err(denied(lane, offset, OBJECT_BYTES, Memory::Shared, Why::Mbarrier(Misuse::NoObject)))
    }

    /// Starts a copy to another block of the cluster, if there is one, and shows it to the checkers.
    fn begin_bulk(&mut self, mut copy: BulkCopy, goal: Option<usize>) {
        if !copy.progress.has_read() {
            self.check_initialised(&copy);
        }
        let there = goal.map(|rank| (self.peers[rank].slot, self.peers[rank].has_ended));
        if let Some(model) = self.memory_model.as_deref_mut() {
            copy.agents = Some(model.start_bulk(&copy, there));
        }
        let marks = self.memory_model.as_deref().is_some_and(MemoryModel::looks_for_races);
        self.in_goal(goal, |there| {
            if marks {
                there.mark_written_by(&copy);
            }
            there.bulk.under_way.push(copy);
        });
    }

    /// Reports bytes of the source that nobody has written.
    fn check_initialised(&mut self, copy: &BulkCopy) {
        if self.initialisation.as_ref().is_some_and(|(checker, _)| checker.reports) {
            copy.sources().iter().for_each(|area| self.check_area_initialised(copy, area));
        }
    }

    fn check_area_initialised(&mut self, copy: &BulkCopy, area: &Area) {
        let Some((checker, shared_written)) = &mut self.initialisation else { return };
        let (written, space) = match area.memory {
            Reached::Shared => (Some(&mut **shared_written), Space::Shared(self.owner as u32)),
            Reached::Global(region) => (self.global.written_mut(region), Space::Global(region as u32)),
        };
        let Some(written) = written else { return };
        let mut check = AccessCheck::new(copy.pc, self.now, AccessKind::Read);
        let end = area.offset + area.bytes;
        for start in (area.offset..end).step_by(GRANULE as usize) {
            check.lane(copy.lane, space, written, start as usize..end.min(start + GRANULE) as usize);
        }
        checker.found.extend(check.found());
    }

    fn mark_written_by(&mut self, copy: &BulkCopy) {
        if self.initialisation.is_some() {
            copy.targets().iter().for_each(|area| self.mark_area_written(area));
        }
    }

    fn mark_area_written(&mut self, area: &Area) {
        let range = area.offset as usize..(area.offset + area.bytes) as usize;
        match (area.memory, &mut self.initialisation) {
            (Reached::Shared, Some((checker, written))) if checker.reports => written.set(range),
            (Reached::Global(region), Some(_)) => {
                if let Some(written) = self.global.written_mut(region) {
                    written.set(range);
                }
            }
            _ => {}
        }
    }

    /// Lets time pass for the bulk copies of the block.
    pub fn pass_bulk(&mut self) -> Result<(), Denied> {
        let mut index = 0;
        while index < self.bulk.under_way.len() {
            let copy = &mut self.bulk.under_way[index];
            let stays = match copy.left {
                Some(left) if left > 0 => {
                    copy.left = Some(left - 1);
                    true
                }
                Some(_) if !copy.progress.is_written() => self.advance(index)?,
                _ => true,
            };
            index += usize::from(stays);
        }
        Ok(())
    }

    /// Lets a copy read, or write and complete; whether it is still there.
    fn advance(&mut self, index: usize) -> Result<bool, Denied> {
        let mut copy = self.bulk.under_way.remove(index);
        *self.changes += 1;
        copy.left = Some(copy.gap);
        self.carry_out_step(&mut copy);
        if let (Progress::Written, End::Mbarrier(offset)) = (&copy.progress, copy.end) {
            self.complete_transactions(&copy, offset)?;
            return Ok(false);
        }
        self.bulk.under_way.insert(index, copy);
        Ok(true)
    }

    fn carry_out_step(&mut self, copy: &mut BulkCopy) {
        copy.progress = match std::mem::replace(&mut copy.progress, Progress::Written) {
            Progress::Started => {
                let from = match copy.starter {
                    Some(rank) => &self.peers[rank].shared,
                    None => &*self.shared,
                };
                Progress::Read(copy.read(from, self.global))
            }
            Progress::Read(data) => {
                copy.write(&data, self.shared, self.global);
                self.mark_written_by(copy);
                if let Some(model) = self.memory_model.as_deref_mut() {
                    model.bulk_has_written(copy);
                }
                Progress::Written
            }
            Progress::Written => Progress::Written,
        };
    }

    fn complete_transactions(&mut self, copy: &BulkCopy, offset: u64) -> Result<(), Denied> {
        let refuse = |misuse| denied(copy.lane, offset, OBJECT_BYTES, Memory::Shared, Why::Mbarrier(misuse));
        if !self.mbarriers.is_object(offset) {
            return Err(refuse(Misuse::NoObject));
        }
        let before = self.object(offset);
        let after = before.expect(-(copy.to.bytes as i64)).map_err(refuse)?.completed();
        self.set_object(offset, after);
        let place = ByteRange { space: self.own_space(), offset, bytes: OBJECT_BYTES as u8 };
        if let (Some(model), Some(agents)) = (&mut self.memory_model, copy.agents) {
            model.for_block(copy.slot, |model| {
                model.bulk_arrives(copy.pc, agents, place, after.phase != before.phase);
            });
        }
        Ok(())
    }

    /// A lane waits until its copies have completed but for those of its latest groups, or have read their sources.
    fn await_bulk(&mut self, warp: usize, lane: usize, groups: u32, read: bool) {
        let mut under_way = std::mem::take(&mut self.bulk.under_way);
        for copy in &mut under_way {
            if !self.bulk.is_awaited(copy, warp, lane, groups) {
                continue;
            }
            while !(copy.progress.is_written() || read && copy.progress.has_read()) {
                *self.changes += 1;
                self.carry_out_step(copy);
            }
            copy.is_awaited = true;
            if let (Some(model), Some(agents)) = (&mut self.memory_model, copy.agents) {
                model.bulk_awaited(lane, agents, read);
            }
        }
        let is_left = |copy: &BulkCopy| read || !self.bulk.is_awaited(copy, warp, lane, groups);
        under_way.retain(is_left);
        self.bulk.under_way = under_way;
    }
}

impl Run<'_> {
    /// No thread makes progress: carries out all bulk copies that are under way, because a thread may be waiting for what one
    /// of them writes. Returns whether there were any.
    pub fn hasten_bulk(&mut self, blocks: &mut [Block]) -> Result<bool, Stop> {
        let mut any = false;
        for index in 0..blocks.len() {
            any |= self.with_peers(blocks, index, Run::hasten_bulk_of)?;
        }
        Ok(any)
    }

    fn hasten_bulk_of(&mut self, block: &mut Block) -> Result<bool, Stop> {
        let mut any = false;
        while let Some(index) = block.bulk.under_way.iter().position(|copy| !copy.progress.is_written()) {
            any = true;
            let (warp, pc) = (block.bulk.under_way[index].warp, block.bulk.under_way[index].pc);
            self.observers.run(block.number, WarpId { slot: block.slot, warp }, 0);
            let mut at = self.at(block, warp);
            let outcome = at.parts(&Frame::default(), 0).memories.advance(index);
            outcome.map_err(|denied| at.denied(pc, &denied))?;
        }
        Ok(any)
    }
}

impl Cursor<'_, '_> {
    /// The block has ended: what is still under way is carried out, and reported.
    pub fn end_bulk(&mut self) {
        let mut left = std::mem::take(&mut self.block.bulk.under_way);
        let mut memories = self.parts(&Frame::default(), 0).memories;
        let mut early = Vec::new();
        for copy in &mut left {
            if !copy.is_awaited {
                let starter = LaneAt { warp: copy.warp, lane: copy.lane as u32, pc: copy.pc };
                let has_object = matches!(copy.end, End::Mbarrier(_));
                early.push(CopyAtEnd { step: copy.step, block: copy.block, starter, has_object });
            }
            while !copy.progress.is_written() {
                memories.carry_out_step(copy);
            }
        }
        early.extend(self.end_of_sources());
        if self.run.setup.launch.checks.synchronisation {
            self.run.find(|context, findings| {
                for copy in early {
                    findings.add(context.program, Finding::CopyAtEnd(copy));
                }
            });
        }
    }

    /// The block has ended: copies that have yet to read its memory for other blocks do so now, and are reported.
    fn end_of_sources(&mut self) -> Vec<CopyAtEnd> {
        let (number, mut early) = (self.block.number, Vec::new());
        for peer in &mut self.run.peers {
            for copy in peer.bulk.under_way.iter_mut().filter(|copy| copy.block == number) {
                if copy.from.memory == Reached::Shared && !copy.progress.has_read() {
                    let starter = LaneAt { warp: copy.warp, lane: copy.lane as u32, pc: copy.pc };
                    early.push(CopyAtEnd { step: copy.step, block: number, starter, has_object: true });
                    let bytes = copy.read(&self.block.shared, self.run.global);
                    copy.progress = Progress::Read(bytes);
                }
            }
        }
        early
    }
}
