//! Vector clocks: for each other thread, up to which clock its accesses happen before those of the thread that has the
//! clock. Clocks share the parts that are equal.

use std::sync::Arc;

use super::block_map::{BlockMap, Joined};
use super::{AGENT, Epoch, Thread};
use crate::machine::registers::{FULL_MASK, WARP_SIZE, lanes_of};

/// The clock of each lane of a warp.
type LaneClocks = [u32; WARP_SIZE];

/// The part of a vector clock that concerns the threads of one block.
#[derive(Clone, Debug, Default)]
pub struct BlockClock {
    /// For each warp, the clock that all of its lanes have at least.
    pub warps: Vec<u32>,
    /// For each warp, as far as there are any: the clocks of its lanes, if that of the warp does not say them all.
    lanes: Vec<Option<Box<LaneClocks>>>,
}

impl BlockClock {
    /// The clock of a block with `warps` warps, of which nothing is known yet.
    pub fn of_warps(warps: usize) -> BlockClock {
        BlockClock { warps: vec![0; warps], lanes: Vec::new() }
    }

    /// The clock that all lanes of a warp have at least.
    fn floor(&self, warp: usize) -> u32 {
        self.warps.get(warp).copied().unwrap_or(0)
    }

    /// The clocks of the lanes of a warp, if that of the warp does not say them all.
    fn lanes_of(&self, warp: usize) -> Option<&LaneClocks> {
        self.lanes.get(warp)?.as_deref()
    }

    /// The clock up to which the accesses of a thread happen before.
    pub fn clock_of(&self, thread: u16) -> u32 {
        let (warp, lane) = (usize::from(thread) / WARP_SIZE, usize::from(thread) % WARP_SIZE);
        let floor = self.floor(warp);
        self.lanes_of(warp).map_or(floor, |lanes| lanes[lane].max(floor))
    }

    /// The clocks of the lanes of a warp, to be raised.
    fn lanes_mut(&mut self, warp: usize) -> &mut LaneClocks {
        if self.lanes.len() <= warp {
            self.lanes.resize(warp + 1, None);
        }
        let floor = self.floor(warp);
        self.lanes[warp].get_or_insert_with(|| Box::new([floor; WARP_SIZE]))
    }

    /// Raises the clock of a thread.
    pub fn raise(&mut self, thread: u16, clock: u32) {
        if self.clock_of(thread) < clock {
            self.lanes_mut(usize::from(thread) / WARP_SIZE)[usize::from(thread) % WARP_SIZE] = clock;
        }
    }

    /// Raises the clocks of all lanes of a warp.
    #[inline]
    pub fn raise_warp(&mut self, warp: usize, clock: u32) {
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, 0);
        }
        if clock <= self.warps[warp] {
            return;
        }
        self.warps[warp] = clock;
        if let Some(own) = self.lanes.get_mut(warp)
            && own.as_ref().is_some_and(|lanes| lanes.iter().all(|&lane| lane <= clock))
        {
            *own = None;
        }
    }

    /// Takes the later clock of each thread.
    pub fn join(&mut self, other: &BlockClock) {
        for (warp, &clock) in other.warps.iter().enumerate().filter(|(_, clock)| **clock > 0) {
            self.raise_warp(warp, clock);
        }
        for (warp, others) in other.lanes.iter().enumerate() {
            let Some(others) = others else { continue };
            let floor = self.floor(warp);
            if self.lanes_of(warp).is_none() && others.iter().all(|&clock| clock <= floor) {
                continue;
            }
            for (own, &other) in self.lanes_mut(warp).iter_mut().zip(others.iter()) {
                *own = other.max(*own);
            }
        }
    }

    /// Raises each warp to the earliest clock of its lanes, so that less has to be stored.
    fn compress(&mut self) {
        for warp in 0..self.lanes.len() {
            let lowest = self.lanes_of(warp).and_then(|lanes| lanes.iter().copied().min());
            self.raise_warp(warp, lowest.unwrap_or(0));
        }
    }

    fn dominates(&self, other: &BlockClock) -> bool {
        (0..other.warps.len().max(other.lanes.len())).all(|warp| {
            let (floor, wanted) = (self.floor(warp), other.floor(warp));
            match (self.lanes_of(warp), other.lanes_of(warp)) {
                (None, None) => floor >= wanted,
                (Some(own), None) => floor >= wanted || own.iter().all(|&own| own >= wanted),
                (None, Some(lanes)) => floor >= wanted && lanes.iter().all(|&lane| floor >= lane),
                (Some(own), Some(lanes)) => {
                    own.iter().zip(lanes).all(|(&own, &lane)| own.max(floor) >= lane.max(wanted))
                }
            }
        })
    }
}

/// The later clock of each thread. What comes from a lock or a counter mostly knows all that was known.
fn join_clocks(own: &Arc<BlockClock>, other: &Arc<BlockClock>) -> Joined<Arc<BlockClock>> {
    if Arc::ptr_eq(own, other) {
        Joined::Same
    } else if own.dominates(other) {
        Joined::Own
    } else if other.dominates(own) {
        Joined::Other
    } else {
        let mut both = BlockClock::clone(own);
        both.join(other);
        Joined::New(Arc::new(both))
    }
}

/// A vector clock for the threads of all blocks. Copies are cheap, because equal parts are shared: a counter to which
/// every block of a grid has added carries the clocks of all of them.
#[derive(Clone, Debug, Default)]
pub struct VectorClock {
    blocks: BlockMap<BlockClock>,
    /// What `fence.sc` contribute; `None` if no such fence is involved.
    fences: Option<Arc<FenceSc>>,
}

/// The Fence-SC edges that the values which were read force, independent of the order in which the fences executed.
///
/// A write W that comes after a `fence.sc` F1 carries what happens before F1 (`fenced`). A thread that reads W keeps
/// that as `pending`, and its next `fence.sc` F2 makes it known: F1 must precede F2, because if F2 preceded F1, the
/// read would have come before the write that it reads. Both clocks spread from thread to thread like the rest of a
/// vector clock, so the thread that executes the fence need not be the one that writes or reads.
#[derive(Clone, Debug, Default)]
struct FenceSc {
    fenced: VectorClock,
    /// Lanes whose epochs belong to `fenced` but are not joined yet. At a barrier, those of one warp are added one
    /// after the other.
    own: Option<FencedLanes>,
    pending: VectorClock,
}

/// Lanes of a warp that have passed a `fence.sc`, and the clock of the warp at that time.
#[derive(Clone, Copy, Debug)]
struct FencedLanes {
    block: u32,
    warp: u16,
    clock: u32,
    lanes: u32,
}

impl FencedLanes {
    /// Joins the epochs of the lanes into a vector clock.
    fn add_to(self, all: &mut VectorClock) {
        let FencedLanes { block, warp, clock, lanes } = self;
        all.raise_lanes(block, warp.into(), lanes, clock);
    }
}

impl FenceSc {
    /// Adds lanes that have passed a `fence.sc`.
    fn pass_fence_sc(&mut self, new: FencedLanes) {
        let key = |fenced: &FencedLanes| (fenced.block, fenced.warp, fenced.clock);
        match &mut self.own {
            Some(own) if key(own) == key(&new) => own.lanes |= new.lanes,
            own => {
                if let Some(before) = own.replace(new) {
                    before.add_to(&mut self.fenced);
                }
            }
        }
    }

    /// Everything that is fenced, as one vector clock.
    fn all_fenced(&self) -> VectorClock {
        let mut all = self.fenced.clone();
        if let Some(own) = self.own {
            own.add_to(&mut all);
        }
        all
    }
}

impl VectorClock {
    /// Whether it includes no epoch at all.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.fences.is_none()
    }

    /// Whether an epoch happens before what the thread with this vector clock does now.
    pub fn includes(&self, epoch: Epoch) -> bool {
        let block = self.blocks.get(epoch.thread.block);
        block.is_some_and(|block| block.clock_of(epoch.thread.number) >= epoch.clock)
    }

    /// Raises the clock of one thread.
    pub fn raise(&mut self, epoch: Epoch) {
        if self.includes(epoch) {
            return;
        }
        self.blocks.change(epoch.thread.block, |block| block.raise(epoch.thread.number, epoch.clock));
    }

    /// Raises the clocks of some lanes of a warp, given by its block and its number in it.
    pub fn raise_lanes(&mut self, block: u32, warp: u32, lanes: u32, clock: u32) {
        if lanes == FULL_MASK {
            return self.blocks.change(block, |block| block.raise_warp(warp as usize, clock));
        }
        for lane in lanes_of(lanes) {
            let number = (warp as usize * WARP_SIZE + lane) as u16;
            self.raise(Epoch { thread: Thread { block, number }, clock });
        }
    }

    /// The latest epoch of every thread that is included.
    pub fn epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        self.blocks.entries().into_iter().flat_map(|(block, clock)| {
            let lane = |number: usize| (number as u16, clock.clock_of(number as u16));
            let lanes = (0..clock.warps.len().max(clock.lanes.len()) * WARP_SIZE).map(lane);
            lanes
                .filter(|&(_, clock)| clock > 0)
                .map(move |(number, clock)| Epoch { thread: Thread { block, number }, clock })
        })
    }

    /// Joins what is known about one block.
    pub fn join_block(&mut self, block: u32, clock: &Arc<BlockClock>) {
        match self.blocks.get(block).map_or(Joined::Other, |own| join_clocks(own, clock)) {
            Joined::Same | Joined::Own => {}
            Joined::Other => self.blocks.insert(block, clock.clone()),
            Joined::New(both) => self.blocks.insert(block, both),
        }
    }

    /// Takes the later clock of each thread.
    pub fn join(&mut self, other: &VectorClock) {
        if let Some(fences) = &other.fences {
            self.join_fences(fences);
        }
        self.blocks.join(&other.blocks, join_clocks);
    }

    fn join_fences(&mut self, other: &Arc<FenceSc>) {
        match &mut self.fences {
            None => self.fences = Some(other.clone()),
            Some(own) if Arc::ptr_eq(own, other) => {}
            Some(own) => {
                let own = Arc::make_mut(own);
                own.fenced.join(&other.fenced);
                own.pending.join(&other.pending);
                if let Some(fenced) = other.own {
                    own.pass_fence_sc(fenced);
                }
            }
        }
    }

    /// The thread with this clock passes a `fence.sc`. What it knows, and its own epoch, is now fenced; nothing is
    /// pending any more.
    pub fn pass_fence_sc(&mut self, known: VectorClock, own: Epoch) {
        let fenced = VectorClock { fences: None, ..known };
        let Thread { block, number } = own.thread;
        let (warp, lane) = (number / WARP_SIZE as u16, number % WARP_SIZE as u16);
        let own = Some(FencedLanes { block, warp, clock: own.clock, lanes: 1 << lane });
        self.fences = Some(Arc::new(FenceSc { fenced, own, pending: VectorClock::default() }));
    }

    /// Adds what was fenced before a write that has been read.
    pub fn add_pending(&mut self, fenced: &VectorClock) {
        let own = Arc::make_mut(self.fences.get_or_insert_default());
        own.pending.join(fenced);
    }

    /// Stores what is fenced of a block in fewer entries, for a block all of whose threads may have passed a fence.
    pub fn compress_fenced(&mut self, block: u32) {
        let Some(fences) = &mut self.fences else { return };
        let fences = Arc::make_mut(fences);
        if let Some(own) = fences.own.take() {
            own.add_to(&mut fences.fenced);
        }
        if fences.fenced.block(block).is_some_and(|clock| !clock.lanes.is_empty()) {
            fences.fenced.blocks.change(block, BlockClock::compress);
        }
    }

    /// What is fenced; `None` if nothing is.
    pub fn fenced(&self) -> Option<VectorClock> {
        let fences =
            self.fences.as_ref().filter(|fences| fences.own.is_some() || !fences.fenced.is_empty())?;
        Some(fences.all_fenced())
    }

    /// What is pending; `None` if nothing is.
    pub fn pending(&self) -> Option<&VectorClock> {
        self.fences.as_ref().map(|fences| &fences.pending).filter(|pending| !pending.is_empty())
    }

    /// What it includes of agents.
    #[must_use]
    pub fn of_agents(&self) -> VectorClock {
        let mut all = VectorClock::default();
        for (block, _) in self.blocks.entries().into_iter().filter(|(block, _)| block & AGENT != 0) {
            let clock = self.blocks.get(block).cloned().unwrap_or_default();
            all.blocks.insert(block, clock);
        }
        all
    }

    /// What is known about a block, if anything.
    pub fn block(&self, block: u32) -> Option<&BlockClock> {
        self.blocks.get(block).map(Arc::as_ref)
    }

    /// Removes a block.
    pub fn forget(&mut self, block: u32) {
        self.blocks.remove(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(block: u32, number: u16, clock: u32) -> Epoch {
        Epoch { thread: Thread { block, number }, clock }
    }

    #[test]
    fn the_clock_of_a_warp_is_known_for_its_lanes() {
        let mut clock = BlockClock::default();
        clock.raise(33, 5);
        clock.raise_warp(1, 3);
        assert_eq!([clock.clock_of(32), clock.clock_of(33), clock.clock_of(64)], [3, 5, 0]);
        clock.raise_warp(1, 7);
        assert_eq!([clock.clock_of(32), clock.clock_of(33)], [7, 7]);
        assert_eq!(clock.lanes_of(1), None, "lanes without later clocks take no room");
    }

    #[test]
    fn clocks_of_all_lanes_are_compressed_into_that_of_the_warp() {
        let mut clock = BlockClock::default();
        (0..40).for_each(|thread| clock.raise(thread, 10 - u32::from(thread % 2)));
        clock.compress();
        assert_eq!(
            [clock.clock_of(0), clock.clock_of(1), clock.clock_of(39), clock.clock_of(40)],
            [10, 9, 9, 0]
        );
        assert_eq!(clock.warps[0], 9);
        (0..32).for_each(|thread| clock.raise(thread, 10));
        clock.compress();
        assert_eq!((clock.warps[0], clock.lanes_of(0)), (10, None));
    }

    #[test]
    fn a_clock_dominates_another_if_it_has_no_earlier_clock() {
        let made = |floor: u32, lanes: &[(u16, u32)]| {
            let mut clock = BlockClock::default();
            clock.raise_warp(0, floor);
            for &(lane, own) in lanes {
                clock.raise(lane, own);
            }
            clock
        };
        let clocks = [
            made(0, &[]),
            made(3, &[]),
            made(5, &[]),
            made(3, &[(4, 9)]),
            made(0, &[(4, 9), (40, 1)]),
            made(4, &[(0, 5), (31, 8)]),
        ];
        for one in &clocks {
            for other in &clocks {
                let wanted = (0..64).all(|thread| one.clock_of(thread) >= other.clock_of(thread));
                assert_eq!(one.dominates(other), wanted, "{one:?} and {other:?}");
                let mut joined = one.clone();
                joined.join(other);
                assert!(joined.dominates(one) && joined.dominates(other));
                let later = |thread| one.clock_of(thread).max(other.clock_of(thread));
                assert!((0..64).all(|thread| joined.clock_of(thread) == later(thread)), "{joined:?}");
            }
        }
    }

    #[test]
    fn joining_takes_the_later_clock_of_each_thread() {
        let (mut one, mut other) = (VectorClock::default(), VectorClock::default());
        one.raise(epoch(0, 1, 4));
        one.raise(epoch(0, 2, 1));
        other.raise(epoch(0, 2, 3));
        other.raise(epoch(9, 0, 1));
        one.join(&other);
        for (known, wanted) in [(epoch(0, 1, 4), true), (epoch(0, 2, 3), true), (epoch(0, 2, 4), false)] {
            assert_eq!(one.includes(known), wanted, "{known:?}");
        }
        assert!(one.includes(epoch(9, 0, 1)));
    }
}
