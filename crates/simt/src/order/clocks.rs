//! The vector clocks of all threads on the machine, stored so that the common case is cheap.
//!
//! Threads synchronise mostly at barriers of a whole block or a whole warp, after which all of them have the same
//! vector clock. That clock is stored once for each block (`common`), with one number for each warp (`floor`), so a
//! barrier costs only a few words per warp. What a single lane has learned in addition, through memory or at a barrier
//! in which only some lanes took part, is in a vector clock of its own (`lane_clocks`). A thread that has exited takes
//! part in no barrier, so what it did since the last one stays unordered.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::vector_clock::{BlockClock, VectorClock};
use super::{Epoch, Scope, Thread};
use crate::machine::registers::{WARP_SIZE, lanes_of};

/// A warp of a resident block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpId {
    /// The slot of the resident block.
    pub slot: usize,
    /// The warp in the block.
    pub warp: usize,
}

/// A lane of a resident block: the same thread as a [`Thread`], named by where it is on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneId {
    /// The slot of the resident block.
    pub slot: usize,
    /// The warp in the block.
    pub warp: usize,
    /// The lane in the warp.
    pub lane: usize,
}

/// What a thread publishes when it releases: its vector clock, and its own epoch.
#[derive(Clone, Debug)]
pub struct ThreadClock {
    /// The epochs of other threads that happen before the release.
    pub known: VectorClock,
    /// The epoch of the thread itself.
    pub own: Epoch,
}

impl ThreadClock {
    /// Joins both into a vector clock.
    pub fn add_to(&self, clock: &mut VectorClock) {
        clock.join(&self.known);
        clock.raise(self.own);
    }
}

/// The vector clocks of all resident blocks.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    blocks: Vec<BlockState>,
    /// Blocks in a cluster.
    pub cluster: u32,
    /// Whether to record which lanes of a warp run together, for targets whose warps run in lockstep.
    lockstep: bool,
    /// The join of all vector clocks with which a thread passed a `fence.sc` whose scope includes other blocks.
    fenced_by_any: VectorClock,
}

#[derive(Clone, Debug, Default)]
struct BlockState {
    number: u32,
    /// What all threads of the block have in common: each epoch here happens before whatever any of them does now.
    common: Arc<BlockClock>,
    warps: Vec<WarpState>,
    /// What all threads of the block know, if that has been computed and holds.
    team: Option<TeamClock>,
    /// Whether no lane has ended, and none knows more than the others of its warp.
    is_simple: bool,
    /// For each barrier, the join of the vector clocks of the threads that have arrived at it.
    arrivals: BTreeMap<usize, VectorClock>,
}

#[derive(Clone, Debug, Default)]
struct WarpState {
    lanes: u32,
    ended: u32,
    /// The lanes that had exited when the other threads of the block completed a block barrier.
    ended_at_barrier: u32,
    clock: u32,
    /// All lanes of the warp are ordered with each other up to this clock, even where `common` has an earlier one.
    floor: u32,
    /// What each lane knows in addition to `common` and `floor`; empty if no lane knows more.
    lane_clocks: Vec<VectorClock>,
    /// Lanes whose clocks are still those that all lanes of the block got at the last block barrier.
    alike: u32,
    lockstep: Option<Box<Lockstep>>,
}

/// For each pair of lanes, the last clock at which the two ran together.
#[derive(Clone, Debug, Default)]
struct Lockstep {
    running: u32,
    last: [[u32; WARP_SIZE]; WARP_SIZE],
}

/// The part of a warp's vector clock that is the same for all its lanes. Most accesses can be ordered by comparing with
/// it alone.
#[derive(Clone, Copy, Debug)]
pub struct WarpClock<'c> {
    /// The number of the block.
    pub block: u32,
    /// The warp in the block.
    pub warp: u32,
    /// The current clock of the warp.
    pub clock: u32,
    /// All lanes of this warp are ordered with each other up to this clock.
    pub floor: u32,
    /// For each warp of the block: what its lanes did up to this clock happens before.
    pub floors: &'c [u32],
    /// Whether no lane of the warp knows more than that.
    pub is_simple: bool,
}

/// What all threads of a block know, while the clocks of its warps are equal.
#[derive(Clone, Copy, Debug)]
pub struct TeamClock {
    /// The number of the block.
    pub block: u32,
    /// The current clock of each warp.
    pub clock: u32,
    /// What any thread of the block did up to this clock happens before.
    pub floor: u32,
}

impl WarpClock<'_> {
    /// Up to which clock what the lanes of a warp of the block did happens before.
    #[inline(always)]
    pub fn floor_of(&self, warp: u32) -> u32 {
        if warp == self.warp { self.floor } else { self.floors[warp as usize % WARP_SIZE] }
    }
}

impl Clocks {
    /// The clocks of `slots` resident blocks.
    pub fn new(slots: usize, lockstep: bool) -> Clocks {
        let (blocks, fenced_by_any) = (vec![BlockState::default(); slots], VectorClock::default());
        Clocks { blocks, cluster: 1, lockstep, fenced_by_any }
    }

    /// The same, where so many blocks that are numbered one after the other are a cluster.
    #[must_use]
    pub fn in_clusters(self, cluster: u32) -> Clocks {
        Clocks { cluster, ..self }
    }

    /// Whether a scope, used by a thread of block `own`, includes the threads of block `other`.
    #[inline(always)]
    pub fn includes(&self, scope: Scope, own: u32, other: u32) -> bool {
        scope.includes(own, other, self.cluster)
    }

    /// Whether some thread of the block in a slot knows what happened at an epoch.
    pub fn block_knows(&self, slot: usize, epoch: Epoch) -> bool {
        let warps = self.blocks[slot].warps.iter().enumerate();
        let mut all = warps.flat_map(|(warp, state)| lanes_of(state.lanes).map(move |lane| (warp, lane)));
        all.any(|(warp, lane)| self.is_ordered_after(LaneId { slot, warp, lane }, epoch))
    }

    /// A block starts in a slot.
    pub fn start(&mut self, slot: usize, number: u64, threads: u32) {
        let block = &mut self.blocks[slot];
        block.number = number as u32;
        block.arrivals.clear();
        let warps = threads.div_ceil(WARP_SIZE as u32);
        block.common = Arc::new(BlockClock::of_warps(warps as usize));
        block.warps.resize_with(warps as usize, WarpState::default);
        for (id, warp) in block.warps.iter_mut().enumerate() {
            let count = (threads - id as u32 * WARP_SIZE as u32).min(WARP_SIZE as u32);
            let lanes = u32::MAX >> (WARP_SIZE as u32 - count);
            *warp = WarpState { lanes, clock: 1, ..WarpState::default() };
        }
        (block.team, block.is_simple) = (None, true);
    }

    /// The number of the block in a slot.
    #[inline(always)]
    pub fn block(&self, slot: usize) -> u32 {
        self.blocks[slot].number
    }

    /// The thread that runs in a lane.
    #[inline(always)]
    pub fn thread(&self, id: LaneId) -> Thread {
        Thread { block: self.block(id.slot), number: (id.warp * WARP_SIZE + id.lane) as u16 }
    }

    /// The current epoch of a lane.
    #[inline(always)]
    pub fn epoch(&self, id: LaneId) -> Epoch {
        Epoch { thread: self.thread(id), clock: self.blocks[id.slot].warps[id.warp].clock }
    }

    /// What all lanes of a warp know.
    #[inline]
    pub fn warp_clock(&self, slot: usize, warp: usize) -> WarpClock<'_> {
        let block = &self.blocks[slot];
        let own = &block.warps[warp];
        let floors = block.common.warps.as_slice();
        let (clock, floor) = (own.clock, own.floor.max(floors[warp]));
        let is_simple = own.lane_clocks.is_empty();
        WarpClock { block: block.number, warp: warp as u32, clock, floor, floors, is_simple }
    }

    /// What all threads of a block know; `None` if the clocks of its warps differ.
    #[inline]
    pub fn team_clock(&mut self, slot: usize) -> Option<TeamClock> {
        let block = &mut self.blocks[slot];
        if block.team.is_some() {
            return block.team;
        }
        let clock = block.warps[0].clock;
        let floor = block.common.warps.iter().fold(u32::MAX, |floor, &warp| floor.min(warp));
        let are_equal = block.warps.iter().all(|warp| warp.clock == clock);
        block.team = are_equal.then_some(TeamClock { block: block.number, clock, floor });
        block.team
    }

    /// Whether warps run in lockstep.
    pub fn is_lockstep(&self) -> bool {
        self.lockstep
    }

    /// Whether what happened at an epoch happens before whatever a lane does now.
    pub fn is_ordered_after(&self, id: LaneId, epoch: Epoch) -> bool {
        let block = &self.blocks[id.slot];
        let warp = &block.warps[id.warp];
        if epoch.thread.block == block.number {
            let number = usize::from(epoch.thread.number);
            let in_warp = number / WARP_SIZE == id.warp;
            let itself = in_warp && number % WARP_SIZE == id.lane;
            if itself
                || (in_warp && epoch.clock <= warp.floor)
                || epoch.clock <= block.common.clock_of(epoch.thread.number)
            {
                return true;
            }
        }
        warp.lane_clocks.get(id.lane).is_some_and(|clock| clock.includes(epoch))
    }

    /// What a lane would publish if it released now.
    pub fn thread_clock(&self, id: LaneId) -> ThreadClock {
        ThreadClock { known: self.vector_clock(id), own: self.epoch(id) }
    }

    /// The whole vector clock of a lane, without its own epoch.
    fn vector_clock(&self, id: LaneId) -> VectorClock {
        let block = &self.blocks[id.slot];
        let warp = &block.warps[id.warp];
        let mut known = warp.lane_clocks.get(id.lane).cloned().unwrap_or_default();
        let mut own = block.common.clone();
        if warp.floor > own.warps[id.warp] {
            Arc::make_mut(&mut own).raise_warp(id.warp, warp.floor);
        }
        known.join_block(block.number, &own);
        known
    }

    /// The join of what several lanes of a warp would publish now.
    pub fn joined_clock(&self, slot: usize, w: usize, lanes: u32) -> VectorClock {
        let block = &self.blocks[slot];
        let warp = &block.warps[w];
        let mut all = VectorClock::default();
        let first = lanes.trailing_zeros() as usize % WARP_SIZE;
        all.join(&self.vector_clock(LaneId { slot, warp: w, lane: first }));
        if !warp.lane_clocks.is_empty() {
            lanes_of(warp.different(lanes)).for_each(|lane| all.join(&warp.lane_clocks[lane]));
        }
        let mut own = BlockClock::default();
        warp.publish(w, lanes, &mut own);
        all.join_block(block.number, &Arc::new(own));
        all
    }

    /// Joins a vector clock into that of a lane.
    pub fn join(&mut self, id: LaneId, clock: &VectorClock) {
        if clock.is_empty() {
            return;
        }
        self.lane_clock_mut(id).join(clock);
    }

    fn lane_clock_mut(&mut self, id: LaneId) -> &mut VectorClock {
        let block = &mut self.blocks[id.slot];
        block.is_simple = false;
        let warp = &mut block.warps[id.warp];
        if warp.lane_clocks.is_empty() {
            warp.lane_clocks = vec![VectorClock::default(); WARP_SIZE];
        }
        warp.alike &= !(1 << id.lane);
        &mut warp.lane_clocks[id.lane]
    }

    /// A lane forgets what it knew and knows this instead; what it does from now on is new.
    pub fn restart(&mut self, id: LaneId, known: VectorClock) {
        *self.lane_clock_mut(id) = known;
        self.tick(id.slot, id.warp);
    }

    /// What a lane knows in addition to the other lanes of its warp, if anything.
    fn lane_clock(&self, id: LaneId) -> Option<&VectorClock> {
        self.blocks[id.slot].warps[id.warp].lane_clocks.get(id.lane)
    }

    /// What happens before a `fence.sc` that itself happens before whatever a lane does now.
    pub fn fenced(&self, id: LaneId) -> Option<VectorClock> {
        self.lane_clock(id)?.fenced()
    }

    /// A lane has read a store that came with this clock of accesses before a `fence.sc`: the lane's next `fence.sc`
    /// makes them known.
    pub fn read_fenced(&mut self, id: LaneId, fenced: &VectorClock) {
        self.lane_clock_mut(id).add_pending(fenced);
    }

    /// A lane passes a `fence.sc` whose scope includes other blocks.
    pub fn pass_fence_sc(&mut self, id: LaneId) {
        let pending = self.lane_clock(id).and_then(VectorClock::pending).cloned();
        if let Some(pending) = pending {
            self.join(id, &pending);
        }
        let ThreadClock { known, own } = self.thread_clock(id);
        self.fenced_by_any.join(&known);
        self.fenced_by_any.raise(own);
        self.lane_clock_mut(id).pass_fence_sc(known, own);
    }

    /// Whether the only thing that could order an epoch before what a lane does now is the order of two `fence.sc`: the
    /// thread of the epoch passed one afterwards, the lane passed one before, and in this run they executed in the
    /// other order.
    pub fn only_fence_sc_order(&self, id: LaneId, epoch: Epoch) -> bool {
        self.fenced_by_any.includes(epoch) && self.fenced(id).is_some()
    }

    /// Advances the clock of a warp, after one of its lanes has published its vector clock.
    pub fn tick(&mut self, slot: usize, warp: usize) {
        let block = &mut self.blocks[slot];
        block.warps[warp].clock += 1;
        block.team = None;
    }

    /// Lanes of a warp complete a warp barrier.
    pub fn warp_barrier(&mut self, slot: usize, w: usize, lanes: u32) {
        let warp = &mut self.blocks[slot].warps[w];
        if lanes == warp.lanes && warp.lane_clocks.is_empty() {
            warp.floor = warp.clock;
        } else {
            // The join contains what each of the lanes knew, so it replaces their own clocks.
            let all = self.joined_clock(slot, w, lanes);
            self.blocks[slot].is_simple = false;
            let warp = &mut self.blocks[slot].warps[w];
            warp.alike &= !lanes;
            warp.lane_clocks.resize_with(WARP_SIZE, VectorClock::default);
            lanes_of(lanes).for_each(|lane| warp.lane_clocks[lane] = all.clone());
        }
        self.tick(slot, w);
    }

    /// Lanes of a warp arrive at a barrier that orders only the threads that take part in it (`bar.arrive`, or a
    /// barrier with a count).
    pub fn arrive(&mut self, slot: usize, w: usize, lanes: u32, barrier: usize) {
        let known = self.joined_clock(slot, w, lanes);
        self.blocks[slot].arrivals.entry(barrier).or_default().join(&known);
        self.tick(slot, w);
    }

    /// A barrier at which threads had arrived completes. `waiting` has the lanes of each warp that waited at it.
    pub fn complete(&mut self, slot: usize, barrier: usize, waiting: &[(usize, u32)]) {
        let all = self.blocks[slot].arrivals.remove(&barrier).unwrap_or_default();
        for &(warp, lanes) in waiting {
            lanes_of(lanes).for_each(|lane| self.join(LaneId { slot, warp, lane }, &all));
        }
    }

    /// A barrier of the whole block completes: all threads that have not exited took part.
    pub fn block_barrier(&mut self, slot: usize) {
        let team = self.team_clock(slot);
        let block = &mut self.blocks[slot];
        if let Some(team) = team.filter(|_| block.is_simple) {
            Arc::make_mut(&mut block.common).warps.fill(team.clock);
            block.warps.iter_mut().for_each(|warp| warp.clock += 1);
            block.team = Some(TeamClock { clock: team.clock + 1, floor: team.clock, ..team });
            return;
        }
        block.team = None;
        // Usually nothing else refers to it, so it is changed in place and not copied.
        let common = Arc::make_mut(&mut block.common);
        let (mut all, mut has_alike) = (VectorClock::default(), false);
        for (w, warp) in block.warps.iter_mut().enumerate() {
            let live = warp.lanes & !warp.ended;
            warp.publish(w, live, common);
            warp.ended_at_barrier |= warp.ended;
            if !warp.lane_clocks.is_empty() {
                let lanes = if has_alike { live & !warp.alike } else { warp.different(live) };
                lanes_of(lanes).for_each(|lane| all.join(&warp.lane_clocks[lane]));
                has_alike |= live & warp.alike != 0;
            }
            warp.clock += 1;
        }
        if let Some(own) = all.block(block.number) {
            common.join(own);
            all.forget(block.number);
        }
        all.compress_fenced(block.number);
        let is_empty = all.is_empty();
        for warp in block.warps.iter_mut().filter(|warp| !(is_empty && warp.lane_clocks.is_empty())) {
            warp.lane_clocks = if is_empty { Vec::new() } else { vec![all.clone(); WARP_SIZE] };
            warp.alike = if is_empty { 0 } else { u32::MAX };
        }
    }

    /// Lanes have exited.
    pub fn end(&mut self, slot: usize, warp: usize, lanes: u32) {
        let block = &mut self.blocks[slot];
        block.warps[warp].ended |= lanes;
        block.is_simple = false;
    }

    /// Whether the thread of an epoch has exited, and the others of its block have completed a block barrier since.
    pub fn ended_before_barrier(&self, id: LaneId, epoch: Epoch) -> bool {
        let block = &self.blocks[id.slot];
        let Thread { block: number, number: thread } = epoch.thread;
        let (warp, lane) = (usize::from(thread) / WARP_SIZE, usize::from(thread) % WARP_SIZE);
        number == block.number && block.warps[warp].ended_at_barrier >> lane & 1 != 0
    }

    /// Lanes of a warp execute together from now on. This is recorded only if warps run in lockstep.
    pub fn run_together(&mut self, slot: usize, warp: usize, lanes: u32) {
        if !self.lockstep {
            return;
        }
        let block = &mut self.blocks[slot];
        block.team = None;
        let warp = &mut block.warps[warp];
        let lockstep = warp.lockstep.get_or_insert_default();
        if lockstep.running == lanes {
            return;
        }
        lockstep.mark(lockstep.running, warp.clock);
        warp.clock += 1;
        lockstep.running = lanes;
        lockstep.mark(lanes, warp.clock);
    }

    /// Whether an epoch of another lane of the same warp happens before what a lane does now only because the warp runs
    /// in lockstep.
    pub fn are_ordered_by_lockstep(&self, id: LaneId, epoch: Epoch) -> bool {
        let block = &self.blocks[id.slot];
        let (warp, lane) =
            (usize::from(epoch.thread.number) / WARP_SIZE, usize::from(epoch.thread.number) % WARP_SIZE);
        if epoch.thread.block != block.number || warp != id.warp {
            return false;
        }
        let own = &block.warps[warp];
        own.lockstep.as_ref().is_some_and(|lockstep| {
            let running = lockstep.running >> lane & lockstep.running >> id.lane & 1 != 0;
            running || lockstep.last[lane][id.lane] >= epoch.clock
        })
    }
}

impl Lockstep {
    fn mark(&mut self, lanes: u32, clock: u32) {
        for lane in lanes_of(lanes) {
            for other in lanes_of(lanes) {
                self.last[lane][other] = clock;
            }
        }
    }
}

impl WarpState {
    /// Some lanes, and one in place of those whose clocks are alike: joining one of them is as good as joining all.
    fn different(&self, lanes: u32) -> u32 {
        let alike = lanes & self.alike;
        lanes & !alike | alike & alike.wrapping_neg()
    }

    /// Raises the clock of the block to what lanes of this warp have done.
    #[inline]
    fn publish(&self, w: usize, lanes: u32, clock_of_block: &mut BlockClock) {
        if lanes == self.lanes {
            clock_of_block.raise_warp(w, self.clock);
        } else {
            lanes_of(lanes).for_each(|lane| clock_of_block.raise((w * WARP_SIZE + lane) as u16, self.clock));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u32 = u32::MAX;

    fn at(warp: usize, lane: usize) -> LaneId {
        LaneId { slot: 0, warp, lane }
    }

    fn block(threads: u32) -> Clocks {
        let mut clocks = Clocks::new(1, false);
        clocks.start(0, 7, threads);
        clocks
    }

    #[test]
    fn a_thread_is_ordered_after_itself_and_no_other_thread() {
        let clocks = block(64);
        let done = clocks.epoch(at(0, 3));
        assert!(clocks.is_ordered_after(at(0, 3), done));
        assert!(!clocks.is_ordered_after(at(0, 4), done));
        assert!(!clocks.is_ordered_after(at(1, 3), done));
    }

    #[test]
    fn a_block_barrier_orders_the_threads_that_have_not_exited() {
        let mut clocks = block(64);
        let (live, dead) = (clocks.epoch(at(0, 3)), clocks.epoch(at(0, 4)));
        clocks.end(0, 0, 1 << 4);
        clocks.block_barrier(0);
        assert!(clocks.is_ordered_after(at(1, 0), live));
        assert!(!clocks.is_ordered_after(at(1, 0), dead), "a thread that has exited does not take part");
        let had_exited = |epoch| clocks.ended_before_barrier(at(1, 0), epoch);
        assert!(had_exited(dead) && !had_exited(live));
        assert!(
            !clocks.is_ordered_after(at(1, 0), clocks.epoch(at(0, 3))),
            "what comes after it is not ordered"
        );
    }

    #[test]
    fn a_warp_barrier_orders_the_lanes_of_its_mask() {
        let mut clocks = block(32);
        let done = clocks.epoch(at(0, 3));
        clocks.warp_barrier(0, 0, 0x0000_00ff);
        assert!(clocks.is_ordered_after(at(0, 7), done));
        assert!(!clocks.is_ordered_after(at(0, 8), done));
        clocks.warp_barrier(0, 0, FULL);
        assert!(clocks.is_ordered_after(at(0, 8), done));
    }

    #[test]
    fn a_thread_that_only_arrives_learns_nothing() {
        let mut clocks = block(64);
        let (producer, consumer) = (clocks.epoch(at(0, 0)), clocks.epoch(at(1, 0)));
        clocks.arrive(0, 0, FULL, 1);
        clocks.arrive(0, 1, FULL, 1);
        clocks.complete(0, 1, &[(1, FULL)]);
        assert!(clocks.is_ordered_after(at(1, 5), producer));
        assert!(!clocks.is_ordered_after(at(0, 5), consumer));
    }

    #[test]
    fn a_barrier_passes_on_what_one_thread_has_learned() {
        let mut clocks = block(64);
        let mut clock = VectorClock::default();
        let far = Epoch { thread: Thread { block: 9, number: 1 }, clock: 4 };
        clock.raise(far);
        clocks.join(at(0, 0), &clock);
        assert!(!clocks.is_ordered_after(at(1, 1), far));
        clocks.block_barrier(0);
        assert!(clocks.is_ordered_after(at(1, 1), far));
    }
}
