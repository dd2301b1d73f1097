//! What a thread knows of the others: for each of them, up to which clock its accesses come before.

use std::collections::BTreeMap;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::{Stamp, Thread};
use crate::machine::registers::{FULL_MASK, WARP_SIZE, lanes_of};

/// What is known of the threads of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockView {
    /// By warp: all of its lanes up to this clock.
    pub warps: Vec<u32>,
    /// Threads of which more is known than of their warps.
    lanes: BTreeMap<u16, u32>,
}

impl BlockView {
    /// Nothing known of so many warps.
    pub fn of_warps(warps: usize) -> BlockView {
        BlockView { warps: vec![0; warps], lanes: BTreeMap::new() }
    }

    /// Up to which clock the accesses of a thread are known.
    pub fn of(&self, thread: u16) -> u32 {
        let warp = self.warps.get(usize::from(thread / 32)).copied().unwrap_or(0);
        if self.lanes.is_empty() {
            return warp;
        }
        self.lanes.get(&thread).map_or(warp, |&own| own.max(warp))
    }

    /// Adds what a thread did up to a clock.
    pub fn raise(&mut self, thread: u16, clock: u32) {
        if self.of(thread) < clock {
            self.lanes.insert(thread, clock);
        }
    }

    /// Adds what all lanes of a warp did up to a clock.
    #[inline]
    pub fn raise_warp(&mut self, warp: usize, clock: u32) {
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, 0);
        }
        if clock <= self.warps[warp] {
            return;
        }
        self.warps[warp] = clock;
        let (first, floor) = (warp as u16 * 32, clock);
        if !self.lanes.is_empty() {
            self.lanes.retain(|&thread, &mut own| thread < first || thread >= first + 32 || own > floor);
        }
    }

    /// Adds what another view knows.
    pub fn join(&mut self, other: &BlockView) {
        for (warp, &clock) in other.warps.iter().enumerate().filter(|(_, clock)| **clock > 0) {
            self.raise_warp(warp, clock);
        }
        for (&thread, &clock) in &other.lanes {
            self.raise(thread, clock);
        }
    }

    /// Keeps what is known of every lane of a warp as what is known of the warp.
    fn compress(&mut self) {
        let mut warps: BTreeMap<u16, (u32, u32)> = BTreeMap::new();
        for (&thread, &clock) in &self.lanes {
            let (lanes, lowest) = warps.entry(thread / WARP_SIZE as u16).or_insert((0, clock));
            (*lanes, *lowest) = (*lanes + 1, clock.min(*lowest));
        }
        let whole = warps.into_iter().filter(|(_, (lanes, _))| *lanes == WARP_SIZE as u32);
        whole.for_each(|(warp, (_, lowest))| self.raise_warp(usize::from(warp), lowest));
    }

    fn includes(&self, other: &BlockView) -> bool {
        let warp = |warp: usize| self.warps.get(warp).copied().unwrap_or(0);
        other.warps.iter().enumerate().all(|(number, &clock)| warp(number) >= clock)
            && other.lanes.iter().all(|(&thread, &clock)| self.of(thread) >= clock)
    }
}

/// What is known of the threads of all blocks. Copies are cheap: what two views have in common is stored once, for a
/// counter that every block of a grid has added to carries the views of all of them.
#[derive(Clone, Debug, Default)]
pub struct View {
    blocks: RedBlackTreeMapSync<u32, Arc<BlockView>>,
    /// What the `fence.sc` that come before and after have to do with it; none where there are none.
    fences: Option<Arc<Fences>>,
}

/// Where the order of two `fence.sc` is no matter of chance. What comes before a fence is *sealed* by it. Who writes with
/// that in its view leaves it at the location; for who reads that it is *open*, and a fence behind the read makes it known:
/// had that fence come before the other, the read would have come before the write that it reads. Both go from thread to
/// thread as all that is known does, so the thread that fences need not be the one that writes or reads.
#[derive(Clone, Debug, Default)]
struct Fences {
    sealed: View,
    /// Lanes that are sealed besides. At a barrier those of a warp come together, one after the other.
    own: Option<Sealed>,
    open: View,
}

/// Lanes of a warp that have passed a fence, and what they did up to a clock.
#[derive(Clone, Copy, Debug)]
struct Sealed {
    block: u32,
    warp: u16,
    clock: u32,
    lanes: u32,
}

impl Sealed {
    /// Adds them to a view.
    fn add_to(self, view: &mut View) {
        let Sealed { block, warp, clock, lanes } = self;
        if lanes == FULL_MASK {
            return view.block_mut(block).raise_warp(warp.into(), clock);
        }
        for lane in lanes_of(lanes) {
            let number = warp * WARP_SIZE as u16 + lane as u16;
            view.raise(Stamp { thread: Thread { block, number }, clock });
        }
    }
}

impl Fences {
    /// Adds lanes to what is sealed.
    fn seal(&mut self, new: Sealed) {
        let key = |sealed: &Sealed| (sealed.block, sealed.warp, sealed.clock);
        match &mut self.own {
            Some(own) if key(own) == key(&new) => own.lanes |= new.lanes,
            own => {
                if let Some(before) = own.replace(new) {
                    before.add_to(&mut self.sealed);
                }
            }
        }
    }

    /// All that is sealed, in one view.
    fn all_sealed(&self) -> View {
        let mut all = self.sealed.clone();
        if let Some(own) = self.own {
            own.add_to(&mut all);
        }
        all
    }
}

impl View {
    /// A view of one block.
    pub fn of_block(block: u32, view: Arc<BlockView>) -> View {
        let mut all = View::default();
        all.blocks.insert_mut(block, view);
        all
    }

    /// What is known of a block, to be added to.
    fn block_mut(&mut self, block: u32) -> &mut BlockView {
        if !self.blocks.contains_key(&block) {
            self.blocks.insert_mut(block, Arc::default());
        }
        Arc::make_mut(self.blocks.get_mut(&block).expect("it is there by now"))
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.fences.is_none()
    }

    /// Whether something is known to come before whoever has this view.
    pub fn knows(&self, stamp: Stamp) -> bool {
        let block = self.blocks.get(&stamp.thread.block);
        block.is_some_and(|block| block.of(stamp.thread.number) >= stamp.clock)
    }

    /// Adds what a thread did up to a clock.
    pub fn raise(&mut self, stamp: Stamp) {
        if self.knows(stamp) {
            return;
        }
        self.block_mut(stamp.thread.block).raise(stamp.thread.number, stamp.clock);
    }

    /// Everything that is known, thread by thread.
    pub fn stamps(&self) -> impl Iterator<Item = Stamp> + '_ {
        self.blocks.iter().flat_map(|(&block, view)| {
            let lane = |number: usize| (number as u16, view.of(number as u16));
            let warps = (0..view.warps.len() * WARP_SIZE).map(lane);
            let lanes = view.lanes.iter().map(|(&number, &clock)| (number, clock));
            let known = warps.chain(lanes).filter(|&(_, clock)| clock > 0);
            known.map(move |(number, clock)| Stamp { thread: Thread { block, number }, clock })
        })
    }

    /// Adds what is known of a block.
    pub fn join_block(&mut self, block: u32, view: &Arc<BlockView>) {
        match self.blocks.get(&block) {
            Some(own) if Arc::ptr_eq(own, view) || own.includes(view) => return,
            Some(_) => {}
            None => return self.blocks.insert_mut(block, view.clone()),
        }
        if let Some(own) = self.blocks.get_mut(&block) {
            Arc::make_mut(own).join(view);
        }
    }

    /// Adds what another view knows. The smaller of the two is gone through.
    pub fn join(&mut self, other: &View) {
        if let Some(fences) = &other.fences {
            self.join_fences(fences);
        }
        if other.blocks.is_empty() {
            return;
        }
        let small = if self.blocks.size() < other.blocks.size() {
            std::mem::replace(&mut self.blocks, other.blocks.clone())
        } else {
            other.blocks.clone()
        };
        for (&block, view) in &small {
            self.join_block(block, view);
        }
    }

    fn join_fences(&mut self, other: &Arc<Fences>) {
        match &mut self.fences {
            None => self.fences = Some(other.clone()),
            Some(own) if Arc::ptr_eq(own, other) => {}
            Some(own) => {
                let own = Arc::make_mut(own);
                own.sealed.join(&other.sealed);
                own.open.join(&other.open);
                if let Some(sealed) = other.own {
                    own.seal(sealed);
                }
            }
        }
    }

    /// Who has this view passes a `fence.sc`, knowing what is given: that and itself is sealed, and what was open no longer
    /// is.
    pub fn seal(&mut self, known: View, own: Stamp) {
        let sealed = View { fences: None, ..known };
        let Thread { block, number } = own.thread;
        let (warp, lane) = (number / WARP_SIZE as u16, number % WARP_SIZE as u16);
        let own = Some(Sealed { block, warp, clock: own.clock, lanes: 1 << lane });
        self.fences = Some(Arc::new(Fences { sealed, own, open: View::default() }));
    }

    /// Adds what was sealed before a write that was read.
    pub fn open(&mut self, sealed: &View) {
        let own = Arc::make_mut(self.fences.get_or_insert_default());
        own.open.join(sealed);
    }

    /// Takes less room for what is sealed of a block all of whose threads may have passed a fence.
    pub fn compress_sealed(&mut self, block: u32) {
        let Some(fences) = &mut self.fences else { return };
        let fences = Arc::make_mut(fences);
        if let Some(own) = fences.own.take() {
            own.add_to(&mut fences.sealed);
        }
        if let Some(view) = fences.sealed.blocks.get_mut(&block).filter(|view| !view.lanes.is_empty()) {
            Arc::make_mut(view).compress();
        }
    }

    /// What is sealed; none if nothing is.
    pub fn sealed(&self) -> Option<View> {
        let fences =
            self.fences.as_ref().filter(|fences| fences.own.is_some() || !fences.sealed.is_empty())?;
        Some(fences.all_sealed())
    }

    /// What is open; none if nothing is.
    pub fn opened(&self) -> Option<&View> {
        self.fences.as_ref().map(|fences| &fences.open).filter(|open| !open.is_empty())
    }

    /// What is known of a block, if anything.
    pub fn block(&self, block: u32) -> Option<&BlockView> {
        self.blocks.get(&block).map(Arc::as_ref)
    }

    /// Forgets a block.
    pub fn forget(&mut self, block: u32) {
        self.blocks.remove_mut(&block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(block: u32, number: u16, clock: u32) -> Stamp {
        Stamp { thread: Thread { block, number }, clock }
    }

    #[test]
    fn what_is_known_of_a_warp_is_known_of_its_lanes() {
        let mut view = BlockView::default();
        view.raise(33, 5);
        view.raise_warp(1, 3);
        assert_eq!([view.of(32), view.of(33), view.of(64)], [3, 5, 0]);
        view.raise_warp(1, 7);
        assert_eq!([view.of(32), view.of(33)], [7, 7]);
        assert!(view.lanes.is_empty(), "a lane of which no more is known takes no room");
    }

    #[test]
    fn what_is_known_of_every_lane_is_kept_of_the_warp() {
        let mut view = BlockView::default();
        (0..40).for_each(|thread| view.raise(thread, 10 - u32::from(thread % 2)));
        view.compress();
        assert_eq!([view.of(0), view.of(1), view.of(39), view.of(40)], [10, 9, 9, 0]);
        assert_eq!((view.warps.as_slice(), view.lanes.len()), (&[9][..], 24));
    }

    #[test]
    fn joining_is_the_larger_of_each() {
        let (mut one, mut other) = (View::default(), View::default());
        one.raise(stamp(0, 1, 4));
        one.raise(stamp(0, 2, 1));
        other.raise(stamp(0, 2, 3));
        other.raise(stamp(9, 0, 1));
        one.join(&other);
        for (known, wanted) in [(stamp(0, 1, 4), true), (stamp(0, 2, 3), true), (stamp(0, 2, 4), false)] {
            assert_eq!(one.knows(known), wanted, "{known:?}");
        }
        assert!(one.knows(stamp(9, 0, 1)));
    }
}
