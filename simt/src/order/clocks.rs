//! The clocks of the warps on the machine, and what their lanes know of each other.
//!
//! Most of what threads know they learn at barriers of the whole block and of whole warps, and then all of them know the
//! same: it is kept once for a block (`common`) and once for a warp (`floor`), so that a barrier costs a few words a warp.
//! What single lanes know besides, through memory or through barriers that only some took part in, is a view of each
//! lane. A thread that has ended takes part in no barrier: what it did since the last one stays unordered.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::view::{BlockView, View};
use super::{Stamp, Thread};
use crate::machine::registers::{WARP_SIZE, lanes_of};

/// A lane of a resident block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// Which of the resident blocks.
    pub slot: usize,
    /// Its warp.
    pub warp: usize,
    /// Its lane.
    pub lane: usize,
}

/// What a thread has published at some time: what it knew, and what it had done itself.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// What it knew.
    pub known: View,
    /// Itself, up to when.
    pub own: Stamp,
}

impl Snapshot {
    /// Adds all of it to a view.
    pub fn add_to(&self, view: &mut View) {
        view.join(&self.known);
        view.raise(self.own);
    }
}

/// The clocks of all resident blocks.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    blocks: Vec<BlockClocks>,
    /// Whether lanes of a warp that run together are remembered: for targets whose warps run in lockstep.
    lockstep: bool,
    /// What any thread knew when it passed a `fence.sc` that reaches all blocks.
    sealed_by_any: View,
}

#[derive(Clone, Debug, Default)]
struct BlockClocks {
    number: u32,
    /// What all of its threads know of each other.
    common: Arc<BlockView>,
    /// That as a view, once somebody has asked for it.
    whole: OnceLock<View>,
    warps: Vec<WarpClocks>,
    /// By barrier: what those have published that have arrived at it.
    arrivals: BTreeMap<usize, View>,
}

#[derive(Clone, Debug, Default)]
struct WarpClocks {
    lanes: u32,
    ended: u32,
    /// Lanes that had ended when the others of the block met at a barrier.
    passed_over: u32,
    clock: u32,
    /// Up to here all lanes of the warp know each other, besides what `common` says.
    floor: u32,
    /// What each lane knows besides; empty where none does.
    beyond: Vec<View>,
    lockstep: Option<Box<Lockstep>>,
}

/// Which lanes ran together, and when last.
#[derive(Clone, Debug)]
struct Lockstep {
    running: u32,
    last: [[u32; WARP_SIZE]; WARP_SIZE],
}

/// What decides at a glance that an access of a warp comes after another one.
#[derive(Clone, Copy, Debug)]
pub struct Here<'c> {
    /// The block's number.
    pub block: u32,
    /// The warp.
    pub warp: u32,
    /// Its clock.
    pub clock: u32,
    /// All lanes of this warp come before, up to this clock.
    pub floor: u32,
    /// By warp of this block: all of its lanes come before, up to this clock.
    pub floors: &'c [u32],
}

impl Clocks {
    /// Clocks for so many resident blocks.
    pub fn new(slots: usize, lockstep: bool) -> Clocks {
        Clocks { blocks: vec![BlockClocks::default(); slots], lockstep, sealed_by_any: View::default() }
    }

    /// A block starts in a slot.
    pub fn start(&mut self, slot: usize, number: u64, threads: u32) {
        let block = &mut self.blocks[slot];
        block.number = number as u32;
        block.arrivals.clear();
        let warps = threads.div_ceil(WARP_SIZE as u32);
        block.whole.take();
        block.common = Arc::new(BlockView::of_warps(warps as usize));
        block.warps.resize_with(warps as usize, WarpClocks::default);
        for (id, warp) in block.warps.iter_mut().enumerate() {
            let count = (threads - id as u32 * WARP_SIZE as u32).min(WARP_SIZE as u32);
            let lanes = u32::MAX >> (WARP_SIZE as u32 - count);
            *warp = WarpClocks { lanes, clock: 1, ..WarpClocks::default() };
        }
    }

    /// The number of the block in a slot.
    pub fn block(&self, slot: usize) -> u32 {
        self.blocks[slot].number
    }

    /// The thread that a lane is.
    pub fn thread(&self, who: Who) -> Thread {
        Thread { block: self.block(who.slot), number: (who.warp * WARP_SIZE + who.lane) as u16 }
    }

    /// A lane, now.
    pub fn stamp(&self, who: Who) -> Stamp {
        Stamp { thread: self.thread(who), clock: self.blocks[who.slot].warps[who.warp].clock }
    }

    /// What decides for a whole warp at a glance.
    #[inline]
    pub fn here(&self, slot: usize, warp: usize) -> Here<'_> {
        let block = &self.blocks[slot];
        let own = &block.warps[warp];
        let floors = block.common.warps.as_slice();
        let (clock, floor) = (own.clock, own.floor.max(floors[warp]));
        Here { block: block.number, warp: warp as u32, clock, floor, floors }
    }

    /// Whether something comes before whatever a lane does now.
    pub fn knows(&self, who: Who, stamp: Stamp) -> bool {
        let block = &self.blocks[who.slot];
        let warp = &block.warps[who.warp];
        if stamp.thread.block == block.number {
            let number = usize::from(stamp.thread.number);
            let in_warp = number / WARP_SIZE == who.warp;
            let itself = in_warp && number % WARP_SIZE == who.lane;
            if itself
                || (in_warp && stamp.clock <= warp.floor)
                || stamp.clock <= block.common.of(stamp.thread.number)
            {
                return true;
            }
        }
        warp.beyond.get(who.lane).is_some_and(|view| view.knows(stamp))
    }

    /// What a lane would publish now.
    pub fn snapshot(&self, who: Who) -> Snapshot {
        Snapshot { known: self.known(who), own: self.stamp(who) }
    }

    /// All that a lane knows.
    fn known(&self, who: Who) -> View {
        let block = &self.blocks[who.slot];
        let warp = &block.warps[who.warp];
        let mut known = warp.beyond.get(who.lane).cloned().unwrap_or_default();
        if warp.floor > block.common.warps[who.warp] {
            let mut own = block.common.clone();
            Arc::make_mut(&mut own).raise_warp(who.warp, warp.floor);
            known.join_block(block.number, &own);
        } else {
            known.join(block.whole.get_or_init(|| View::of_block(block.number, block.common.clone())));
        }
        known
    }

    /// What all lanes of a mask would publish now, together.
    fn known_of(&self, slot: usize, w: usize, lanes: u32) -> View {
        let block = &self.blocks[slot];
        let warp = &block.warps[w];
        let mut all = View::default();
        let first = lanes.trailing_zeros() as usize % WARP_SIZE;
        all.join(&self.known(Who { slot, warp: w, lane: first }));
        if !warp.beyond.is_empty() {
            lanes_of(lanes).for_each(|lane| all.join(&warp.beyond[lane]));
        }
        let mut own = BlockView::default();
        warp.publish(w, lanes, &mut own);
        all.join_block(block.number, &Arc::new(own));
        all
    }

    /// Lets a lane know what a view knows.
    pub fn learn(&mut self, who: Who, view: &View) {
        if view.is_empty() {
            return;
        }
        self.own_beyond(who).join(view);
    }

    fn own_beyond(&mut self, who: Who) -> &mut View {
        let warp = &mut self.blocks[who.slot].warps[who.warp];
        if warp.beyond.is_empty() {
            warp.beyond = vec![View::default(); WARP_SIZE];
        }
        &mut warp.beyond[who.lane]
    }

    /// What a lane knows besides what its warp does, if anything.
    fn beyond(&self, who: Who) -> Option<&View> {
        self.blocks[who.slot].warps[who.warp].beyond.get(who.lane)
    }

    /// What was sealed by a `fence.sc` before whatever a lane does now.
    pub fn sealed(&self, who: Who) -> Option<View> {
        self.beyond(who)?.sealed()
    }

    /// A lane has read what was written with this sealed: its next `fence.sc` makes it known.
    pub fn open(&mut self, who: Who, sealed: &View) {
        self.own_beyond(who).open(sealed);
    }

    /// A lane passes a `fence.sc` that reaches all blocks.
    pub fn seal(&mut self, who: Who) {
        let opened = self.beyond(who).and_then(View::opened).cloned();
        if let Some(opened) = opened {
            self.learn(who, &opened);
        }
        let Snapshot { known, own } = self.snapshot(who);
        self.sealed_by_any.join(&known);
        self.sealed_by_any.raise(own);
        self.own_beyond(who).seal(known, own);
    }

    /// Whether only the order of two `fence.sc` would order something and what a lane does now: one came after it, and one
    /// before this, and in this run they come in the order that does not help.
    pub fn only_fences_order(&self, who: Who, stamp: Stamp) -> bool {
        self.sealed_by_any.knows(stamp) && self.sealed(who).is_some()
    }

    /// Moves the clock of a warp on, after one of its lanes has published.
    pub fn tick(&mut self, slot: usize, warp: usize) {
        self.blocks[slot].warps[warp].clock += 1;
    }

    /// Lanes of a warp meet at a warp barrier.
    pub fn warp_barrier(&mut self, slot: usize, w: usize, lanes: u32) {
        let warp = &mut self.blocks[slot].warps[w];
        if lanes == warp.lanes && warp.beyond.is_empty() {
            warp.floor = warp.clock;
        } else {
            // All that any of them knew is in it, so that it takes the place of what each knew.
            let all = self.known_of(slot, w, lanes);
            let beyond = &mut self.blocks[slot].warps[w].beyond;
            beyond.resize_with(WARP_SIZE, View::default);
            lanes_of(lanes).for_each(|lane| beyond[lane] = all.clone());
        }
        self.tick(slot, w);
    }

    /// Lanes of a warp arrive at a barrier of the block at which not everybody waits.
    pub fn arrive(&mut self, slot: usize, w: usize, lanes: u32, barrier: usize) {
        let known = self.known_of(slot, w, lanes);
        self.blocks[slot].arrivals.entry(barrier).or_default().join(&known);
        self.tick(slot, w);
    }

    /// A barrier at which threads had arrived is complete; these lanes have waited there.
    pub fn complete(&mut self, slot: usize, barrier: usize, waiting: &[(usize, u32)]) {
        let all = self.blocks[slot].arrivals.remove(&barrier).unwrap_or_default();
        for &(warp, lanes) in waiting {
            lanes_of(lanes).for_each(|lane| self.learn(Who { slot, warp, lane }, &all));
        }
    }

    /// All threads of a block that have not ended meet at a barrier.
    pub fn block_barrier(&mut self, slot: usize) {
        let block = &mut self.blocks[slot];
        block.whole.take();
        // Nobody else has it then, as a rule, and it is changed where it is.
        let common = Arc::make_mut(&mut block.common);
        let mut all = View::default();
        for (w, warp) in block.warps.iter_mut().enumerate() {
            let live = warp.lanes & !warp.ended;
            warp.publish(w, live, common);
            warp.passed_over |= warp.ended;
            if !warp.beyond.is_empty() {
                lanes_of(live).for_each(|lane| all.join(&warp.beyond[lane]));
            }
            warp.clock += 1;
        }
        if let Some(own) = all.block(block.number) {
            common.join(own);
            all.forget(block.number);
        }
        all.compress_sealed(block.number);
        let is_empty = all.is_empty();
        for warp in block.warps.iter_mut().filter(|warp| !(is_empty && warp.beyond.is_empty())) {
            warp.beyond = if is_empty { Vec::new() } else { vec![all.clone(); WARP_SIZE] };
        }
    }

    /// Lanes have ended.
    pub fn end(&mut self, slot: usize, warp: usize, lanes: u32) {
        self.blocks[slot].warps[warp].ended |= lanes;
    }

    /// Whether somebody did something and ended, and all others of the block have met at a barrier since.
    pub fn ended_before_barrier(&self, who: Who, stamp: Stamp) -> bool {
        let block = &self.blocks[who.slot];
        let Thread { block: number, number: thread } = stamp.thread;
        let (warp, lane) = (usize::from(thread) / WARP_SIZE, usize::from(thread) % WARP_SIZE);
        number == block.number && block.warps[warp].passed_over >> lane & 1 != 0
    }

    /// Lanes of a warp run together from now on. Asked for where warps run in lockstep.
    pub fn run_together(&mut self, slot: usize, warp: usize, lanes: u32) {
        if !self.lockstep {
            return;
        }
        let warp = &mut self.blocks[slot].warps[warp];
        let fresh = || Box::new(Lockstep { running: 0, last: [[0; WARP_SIZE]; WARP_SIZE] });
        let lockstep = warp.lockstep.get_or_insert_with(fresh);
        if lockstep.running == lanes {
            return;
        }
        lockstep.mark(lockstep.running, warp.clock);
        warp.clock += 1;
        lockstep.running = lanes;
        lockstep.mark(lanes, warp.clock);
    }

    /// Whether something that another lane of the warp did comes before whatever a lane does now for the sole reason
    /// that a warp runs in lockstep.
    pub fn in_lockstep(&self, who: Who, stamp: Stamp) -> bool {
        let block = &self.blocks[who.slot];
        let (warp, lane) =
            (usize::from(stamp.thread.number) / WARP_SIZE, usize::from(stamp.thread.number) % WARP_SIZE);
        if stamp.thread.block != block.number || warp != who.warp {
            return false;
        }
        let own = &block.warps[warp];
        own.lockstep.as_ref().is_some_and(|lockstep| {
            let running = lockstep.running >> lane & lockstep.running >> who.lane & 1 != 0;
            running || lockstep.last[lane][who.lane] >= stamp.clock
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

impl WarpClocks {
    /// Adds to a view of the block what lanes of this warp have done.
    #[inline]
    fn publish(&self, w: usize, lanes: u32, view: &mut BlockView) {
        if lanes == self.lanes {
            view.raise_warp(w, self.clock);
        } else {
            lanes_of(lanes).for_each(|lane| view.raise((w * WARP_SIZE + lane) as u16, self.clock));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u32 = u32::MAX;

    fn at(warp: usize, lane: usize) -> Who {
        Who { slot: 0, warp, lane }
    }

    fn block(threads: u32) -> Clocks {
        let mut clocks = Clocks::new(1, false);
        clocks.start(0, 7, threads);
        clocks
    }

    #[test]
    fn a_thread_comes_after_itself_and_after_nobody_else() {
        let clocks = block(64);
        let done = clocks.stamp(at(0, 3));
        assert!(clocks.knows(at(0, 3), done));
        assert!(!clocks.knows(at(0, 4), done));
        assert!(!clocks.knows(at(1, 3), done));
    }

    #[test]
    fn a_block_barrier_orders_all_who_have_not_ended() {
        let mut clocks = block(64);
        let (live, dead) = (clocks.stamp(at(0, 3)), clocks.stamp(at(0, 4)));
        clocks.end(0, 0, 1 << 4);
        clocks.block_barrier(0);
        assert!(clocks.knows(at(1, 0), live));
        assert!(!clocks.knows(at(1, 0), dead), "who has ended did not take part");
        let is_passed_over = |stamp| clocks.ended_before_barrier(at(1, 0), stamp);
        assert!(is_passed_over(dead) && !is_passed_over(live));
        assert!(!clocks.knows(at(1, 0), clocks.stamp(at(0, 3))), "what comes after it is not ordered");
    }

    #[test]
    fn a_warp_barrier_orders_the_lanes_of_its_mask() {
        let mut clocks = block(32);
        let done = clocks.stamp(at(0, 3));
        clocks.warp_barrier(0, 0, 0x0000_00ff);
        assert!(clocks.knows(at(0, 7), done));
        assert!(!clocks.knows(at(0, 8), done));
        clocks.warp_barrier(0, 0, FULL);
        assert!(clocks.knows(at(0, 8), done));
    }

    #[test]
    fn who_only_arrives_learns_nothing() {
        let mut clocks = block(64);
        let (producer, consumer) = (clocks.stamp(at(0, 0)), clocks.stamp(at(1, 0)));
        clocks.arrive(0, 0, FULL, 1);
        clocks.arrive(0, 1, FULL, 1);
        clocks.complete(0, 1, &[(1, FULL)]);
        assert!(clocks.knows(at(1, 5), producer));
        assert!(!clocks.knows(at(0, 5), consumer));
    }

    #[test]
    fn what_one_learned_a_barrier_passes_on() {
        let mut clocks = block(64);
        let mut view = View::default();
        let far = Stamp { thread: Thread { block: 9, number: 1 }, clock: 4 };
        view.raise(far);
        clocks.learn(at(0, 0), &view);
        assert!(!clocks.knows(at(1, 1), far));
        clocks.block_barrier(0);
        assert!(clocks.knows(at(1, 1), far));
    }
}
