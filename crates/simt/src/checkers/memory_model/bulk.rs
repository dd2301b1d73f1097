//! Bulk copies: what they are to the race checker, and what orders them.
//!
//! A thread that starts a bulk copy goes on at once, so the copy is the work of two *agents*, one that reads and one that
//! writes. Both begin with what the thread knows. Their accesses are ordered before those of another thread only if that thread
//! has waited for the copy: at the phase of its mbarrier, which the writing agent helps to complete, or with the bulk group. A
//! wait with `.read` learns from the reading agent alone.
//!
//! Bulk copies go through the asynchronous proxy, all other accesses through the generic one. A store that a copy is to read has
//! to be followed by a proxy fence, in any thread on the way from the store to the copy. So the reading agent knows of other
//! threads only what a fence has seen that its thread knows of. Not asked for are fences between reads, or stores, and the copy that
//! overwrites the bytes, nor one after `mbarrier.init`: the specification wants some of these, and programs do without.
//! Specification: PTX ISA, sections 8.5 (proxies) and 9.7.9.25.4.

mod products;

use std::collections::{BTreeMap, VecDeque};

use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::mbarrier::MbarrierEvent;
use crate::checkers::races::shadow::list::OpKind;
use crate::checkers::races::{self, Conflict, RaceCause};
use crate::compile::inst::Pc;
use crate::machine::bulk::{Area, BulkCopy, Reached};
use crate::machine::registers::{WARP_SIZE, lanes_of};
use crate::order::clocks::{Clocks, LaneId};
use crate::order::vector_clock::VectorClock;
use crate::order::{AGENT, ByteRange, Epoch, Order, Scope, Semantics, Space, Thread};

/// Agents of a block. When all have been used, the first ones are again.
const MAX_AGENTS: u16 = 1024;
/// Proxy fences that are remembered for each lane.
const MAX_FENCES: usize = 8;
/// Bytes that an agent accesses at a time, as far as the race checker can tell.
const CHUNK: u64 = 128;

/// The agents of the resident blocks, and the proxy fences.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    /// By slot of the block: how many agents have been used, if any.
    used: Vec<Option<u16>>,
    /// By block: for which thread each agent works.
    threads: BTreeMap<u32, Vec<u16>>,
    /// By block and warp: the proxy fences, oldest first.
    fences: BTreeMap<(u32, u16), Fences>,
    /// Whether threads of blocks that have ended have passed proxy fences.
    has_old_fences: bool,
}

#[derive(Clone, Debug, Default)]
struct Fences {
    kept: VecDeque<Fence>,
    /// By lane: the clock of the last one that was forgotten.
    forgotten: [Option<u32>; WARP_SIZE],
}

impl Fences {
    /// Adds a fence, and forgets those of which every lane has passed enough later ones. Lanes that have parted pass fences of
    /// their own, which have not seen what the others knew.
    fn add(&mut self, fence: Fence) {
        self.kept.push_back(fence);
        if self.kept.len() <= MAX_FENCES {
            return;
        }
        let mut later = [0; WARP_SIZE];
        for index in (0..self.kept.len()).rev() {
            let Fence { lanes, clock, .. } = self.kept[index];
            if lanes_of(lanes).all(|lane| later[lane] >= MAX_FENCES) {
                lanes_of(lanes).for_each(|lane| self.forgotten[lane] = self.forgotten[lane].max(Some(clock)));
                self.kept.remove(index);
            } else {
                lanes_of(lanes).for_each(|lane| later[lane] += 1);
            }
        }
    }
}

/// A proxy fence of some lanes of a warp.
#[derive(Clone, Debug)]
struct Fence {
    lanes: u32,
    clock: u32,
    /// What the lanes knew, and had done.
    known: VectorClock,
}

impl Agents {
    /// The agents of `slots` resident blocks, which have slots of their own behind those of the blocks.
    pub fn new(slots: usize) -> Agents {
        Agents { used: vec![None; slots], ..Agents::default() }
    }

    /// Another block starts in a slot, in the place of block `before`.
    pub fn start(&mut self, slot: usize, before: u32) {
        self.used[slot] = None;
        let old: Vec<_> =
            self.fences.range((before, 0)..=(before, u16::MAX)).map(|(warp, _)| *warp).collect();
        self.has_old_fences |= !old.is_empty();
        for warp in old {
            self.fences.remove(&warp);
        }
    }

    /// The thread for which an agent works; a thread itself otherwise.
    pub fn thread(&self, agent: Thread) -> Thread {
        let block = agent.block & !AGENT;
        if block == agent.block {
            return agent;
        }
        let threads = self.threads.get(&block);
        let number = threads.and_then(|threads| threads.get(usize::from(agent.number))).copied();
        Thread { block, number: number.unwrap_or(0) }
    }
}

impl MemoryModel {
    /// A bulk copy starts. Returns its agents: the one that reads, and the one that writes.
    ///
    /// `there` is the slot of the block to whose shared memory it writes, if that is another one, and whether that has ended.
    pub fn start_bulk(&mut self, copy: &BulkCopy, there: Option<(usize, bool)>) -> [u16; 2] {
        let starter = self.id(copy.lane);
        let mut known = VectorClock::default();
        self.clocks.thread_clock(starter).add_to(&mut known);
        let is_global = copy.from.memory != Reached::Shared;
        let proxied = self.proxied(starter, &known, is_global);
        let [reads, writes] = self.new_agents(starter);
        self.clocks.restart(self.agent(reads), proxied);
        self.clocks.restart(self.agent(writes), known);
        self.clocks.tick(starter.slot, starter.warp);
        let kind = if copy.reduction.is_some() { OpKind::Update } else { OpKind::Store };
        if !copy.progress.has_read() {
            for area in copy.sources() {
                self.bulk_access(reads, writes, OpKind::Load, copy.pc, &area, CHUNK);
            }
        }
        if let Some(map) = copy.tensor.as_ref().and_then(|tensor| tensor.map) {
            self.bulk_access(writes, writes, OpKind::Load, copy.pc, &map, CHUNK);
        }
        if let Some((slot, has_ended)) = there {
            self.enter(slot);
            self.as_agent(writes, |model, lane| model.note_visit(lane, has_ended));
        }
        let chunk = copy.reduction.map_or(CHUNK, |reduction| u64::from(reduction.bytes));
        for area in copy.targets() {
            self.bulk_access(writes, writes, kind, copy.pc, &area, chunk);
            self.locations.forget(self.space_of(&area), area.offset, area.bytes);
        }
        self.come_home();
        [reads, writes]
    }

    /// An agent accesses an area. `writes` knows all that the thread knows.
    fn bulk_access(&mut self, agent: u16, writes: u16, kind: OpKind, pc: Pc, area: &Area, chunk: u64) {
        let scope = (kind == OpKind::Update).then_some(Scope::Gpu);
        let access = races::Access::new(pc, kind, scope);
        let (writer, space) = (self.agent(writes), self.space_of(area));
        self.as_agent(agent, |model, lane| {
            for start in (0..area.bytes).step_by(chunk as usize) {
                let bytes = chunk.min(area.bytes - start) as u8;
                let range = ByteRange { space, offset: area.offset + start, bytes };
                let conflict = model.check_access(lane, access, range, 0).map(|conflict| {
                    let is_late = conflict.cause == RaceCause::Unordered
                        && model.clocks.is_ordered_after(writer, conflict.before);
                    Conflict { cause: if is_late { RaceCause::Proxy } else { conflict.cause }, ..conflict }
                });
                model.report(conflict);
            }
        });
    }

    /// A copy has written its last bytes and tells its mbarrier.
    pub fn bulk_arrives(&mut self, pc: Pc, [reads, writes]: [u16; 2], object: ByteRange, completes: bool) {
        self.learn(self.agent(writes), reads);
        let semantics = Semantics { order: Order::Release, scope: Scope::Gpu };
        let before = std::mem::replace(&mut self.pc, pc);
        self.as_agent(writes, |model, lane| {
            model.mbarrier(lane, object, MbarrierEvent::Arrives { completes }, semantics);
        });
        self.pc = before;
    }

    /// A lane has waited for a copy of its own: until it had written, or only until it had read.
    pub fn bulk_awaited(&mut self, lane: usize, [reads, writes]: [u16; 2], only_read: bool) {
        let waiter = self.id(lane);
        let all = [reads, writes];
        all[..if only_read { 1 } else { 2 }].iter().for_each(|agent| self.learn(waiter, *agent));
    }

    /// A thread, or an agent, learns what another agent has done.
    fn learn(&mut self, who: LaneId, agent: u16) {
        let mut clock = VectorClock::default();
        clock.raise(self.clocks.epoch(self.agent(agent)));
        self.clocks.join(who, &clock);
    }

    fn space_of(&self, area: &Area) -> Space {
        match area.memory {
            Reached::Shared => self.shared_space(),
            Reached::Global(region) => Space::Global(region as u32),
        }
    }

    /// What a bulk copy has written is in memory now, for loads of the weak memory too.
    pub fn bulk_has_written(&mut self, copy: &BulkCopy) {
        let mut spaces: Vec<Space> = copy.targets().iter().map(|area| self.space_of(area)).collect();
        spaces.dedup();
        if let Some(weak) = &mut self.weak {
            for space in spaces {
                weak.store_history.forget(space);
            }
        }
    }

    /// Lanes of the warp pass a proxy fence.
    pub fn proxy_fence(&mut self, lanes: u32) {
        let (slot, warp) = (self.slot, self.warp);
        let clock = self.clocks.epoch(self.id(0)).clock;
        let known = self.clocks.joined_clock(slot, warp, lanes);
        let fences = self.agents.fences.entry((self.clocks.block(slot), warp as u16)).or_default();
        fences.add(Fence { lanes, clock, known });
        self.clocks.tick(slot, warp);
    }

    /// What a copy that a lane starts now may read: what the proxy fences have seen of which the lane knows, and what other
    /// copies have written.
    fn proxied(&self, starter: LaneId, known: &VectorClock, is_global: bool) -> VectorClock {
        if is_global && self.agents.has_old_fences {
            return known.clone();
        }
        let mut all = known.of_agents();
        for (&(block, warp), fences) in &self.agents.fences {
            let first = Thread { block, number: warp * WARP_SIZE as u16 };
            let knows = |lanes, clock| knows_any(&self.clocks, starter, first, lanes, clock);
            let mut of_lanes = 0;
            for fence in fences.kept.iter().filter(|fence| knows(fence.lanes, fence.clock)) {
                of_lanes |= fence.lanes;
                all.join(&fence.known);
            }
            // A later fence of a lane has seen what its earlier ones have.
            let is_unknown = |lane: usize| {
                of_lanes >> lane & 1 == 0
                    && fences.forgotten[lane].is_some_and(|clock| knows(1 << lane, clock))
            };
            if (0..WARP_SIZE).any(is_unknown) {
                return known.clone();
            }
        }
        all
    }

    /// Two agents that are not in use, or have not been for longest.
    fn new_agents(&mut self, starter: LaneId) -> [u16; 2] {
        let slot = self.agents.used.len() + self.slot;
        let block = self.clocks.block(self.slot);
        let used = &mut self.agents.used[self.slot];
        if used.is_none() {
            let before = self.clocks.block(slot);
            self.clocks.start(slot, u64::from(block | AGENT), u32::from(MAX_AGENTS));
            self.locations.start(slot, before, usize::from(MAX_AGENTS) / WARP_SIZE);
        }
        let first = used.map_or(0, |used| used % MAX_AGENTS);
        *used = Some(first + 2);
        let threads = self.agents.threads.entry(block).or_default();
        threads.truncate(MAX_AGENTS.into());
        if threads.len() < usize::from(first) + 2 {
            threads.resize(usize::from(first) + 2, 0);
        }
        let thread = (starter.warp * WARP_SIZE + starter.lane) as u16;
        threads[usize::from(first)..][..2].fill(thread);
        [first, first + 1]
    }

    fn agent(&self, number: u16) -> LaneId {
        let (warp, lane) = (usize::from(number) / WARP_SIZE, usize::from(number) % WARP_SIZE);
        LaneId { slot: self.agents.used.len() + self.slot, warp, lane }
    }

    /// Does something in the name of the block in a slot, to the shared memory of the block that runs.
    pub fn for_block(&mut self, slot: usize, act: impl FnOnce(&mut MemoryModel)) {
        let own = self.slot;
        self.enter(own);
        self.slot = slot;
        act(self);
        self.slot = own;
        self.come_home();
    }

    /// Does something in the name of an agent of the block.
    fn as_agent(&mut self, number: u16, act: impl FnOnce(&mut MemoryModel, usize)) {
        let LaneId { slot, warp, lane } = self.agent(number);
        let own = (self.slot, self.warp);
        (self.slot, self.warp) = (slot, warp);
        act(self, lane);
        (self.slot, self.warp) = own;
    }

    /// A race in which the threads stand for their agents.
    pub fn without_agents(&self, conflict: Conflict) -> Conflict {
        let thread = |epoch: Epoch| Epoch { thread: self.agents.thread(epoch.thread), ..epoch };
        Conflict { before: thread(conflict.before), now: thread(conflict.now), ..conflict }
    }
}

/// Whether a lane knows what any of some lanes of a warp did at a clock, given the first thread of the warp.
fn knows_any(clocks: &Clocks, id: LaneId, first: Thread, lanes: u32, clock: u32) -> bool {
    lanes_of(lanes).any(|lane| {
        let thread = Thread { number: first.number + lane as u16, ..first };
        clocks.is_ordered_after(id, Epoch { thread, clock })
    })
}
