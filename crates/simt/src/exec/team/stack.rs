//! The reconvergence stack of a team: its lanes that took another way at a branch, until all meet again.
//!
//! A branch that the lanes of a team disagree on opens a level. Some of the lanes go on as the team. The others have arrived at
//! the instruction where the branch reconverges, or are pending at the start of the other way. When the team arrives there too,
//! the pending lanes become the team, and when all have arrived, the level is closed. So a branch costs some operations on the
//! masks of the block, and the groups and meetings of its warps ([`crate::machine::divergence`]) do not change.
//!
//! The stack follows the same schedule as groups do, lowest program counter first. Where it cannot, because code lies in an
//! unusual order, and wherever something else may look at the groups, it is written back to them ([`Stack::write_back`]).
//! Of groups at the same instruction the oldest runs first, and so the stack notes when lanes came to be a group of their own.
//!
//! Some lanes of a warp may wait at a meeting since before the team was gathered. Where a branch of the others reconverges at the same
//! instruction, its level stands for that meeting, and is written back to it when the team arrives there.

use std::cmp::Reverse;

use crate::compile::inst::{NEVER, Pc};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::position;
use crate::machine::registers::{MAX_WARPS, lane_count, lanes_of};

/// The lanes of each warp.
pub(crate) type Masks = [u32; MAX_WARPS];

/// Lanes of some warps of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// Those of each warp.
    pub(crate) masks: Masks,
    /// How many warps have any.
    pub(crate) warps: u64,
    /// How many they are.
    pub(crate) threads: u64,
}

impl Lanes {
    /// Becomes a copy for a block of so many warps.
    #[inline(always)]
    pub fn copy(&mut self, other: &Lanes, block_warps: usize) {
        self.masks[..block_warps].copy_from_slice(&other.masks[..block_warps]);
        (self.warps, self.threads) = (other.warps, other.threads);
    }

    /// Counts them.
    pub fn count(&mut self, block_warps: usize) {
        let masks = &self.masks[..block_warps];
        self.warps = masks.iter().map(|&mask| u64::from(mask != 0)).sum();
        self.threads = masks.iter().map(|&mask| lane_count(mask)).sum();
    }
}

/// Lanes that stand at an instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) pc: Pc,
    pub(crate) lanes: Lanes,
    /// When those of each warp came to be a group of their own.
    born: Ages,
}

/// Of each warp, the number of the split or reconvergence that its lanes are a group since; of a warp that was not parted since
/// [`Stack::clear`], any number, for it has no other lanes to compare with.
type Ages = [u32; MAX_WARPS];

/// A branch whose lanes have not all come to where it reconverges.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Where it reconverges.
    meet: Pc,
    /// All lanes that executed it.
    expected: Lanes,
    /// The warps whose lanes it has parted.
    parted: u32,
    /// Those of each warp that have arrived at `meet`.
    arrived: Masks,
    /// The steps of each warp when the first of its lanes arrived.
    since: [u64; MAX_WARPS],
    /// Those that are to take other ways, which start here.
    pending: Vec<Path>,
}

/// The levels of a team, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    /// The levels that are open come first. The others are kept for their memory.
    levels: Vec<Level>,
    /// How many levels are open.
    depth: usize,
    /// The lowest instruction at which other lanes of the stack stand.
    lowest: Pc,
    /// How often lanes have been split or have reconverged.
    changes: u32,
    /// When the lanes that go on as the team came to be groups of their own.
    born: Ages,
}

/// A branch that lanes disagree on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split<'l> {
    /// The lanes that take it.
    pub(crate) taken: &'l Lanes,
    /// Where they go.
    pub(crate) target: Pc,
    /// Where the others go.
    pub(crate) next: Pc,
    /// Where it reconverges.
    pub(crate) meet: Pc,
    /// The warps in which some lanes take it and some do not.
    pub(crate) parted: u32,
}

impl Stack {
    /// Starts over without levels.
    #[inline(always)]
    pub fn clear(&mut self) {
        (self.depth, self.lowest, self.changes) = (0, NEVER, 0);
    }

    /// The lowest instruction at which other lanes of the stack stand.
    #[inline(always)]
    pub fn lowest(&self) -> Pc {
        self.lowest
    }

    fn open_levels(&self) -> &[Level] {
        &self.levels[..self.depth]
    }

    /// Splits a team's lanes at a branch; those that go on are left, and stand at the instruction that is returned. `None`,
    /// and nothing done, if code lies in another order than the lanes are to take.
    pub fn split(&mut self, lanes: &mut Lanes, split: Split<'_>, warps: &[Warp]) -> Option<Pc> {
        let Split { taken, target, next, meet, parted } = split;
        let (first, second) = (target.min(next), target.max(next));
        let is_in_order = first < meet && second <= meet && first < second && first < self.lowest;
        let is_pending = |level: &Level| level.pending.iter().any(|path| path.pc == second);
        if !is_in_order || self.open_levels().iter().any(is_pending) {
            return None;
        }
        if self.open_levels().last().is_none_or(|level| level.meet != meet) {
            self.open(lanes, meet, warps.len());
        }
        self.begin_groups(parted);
        let level = &mut self.levels[self.depth - 1];
        level.parted |= parted;
        let takes_second = target == second;
        // Those that take the second way: the lanes of `taken`, or the others.
        let flip = if takes_second { 0 } else { u32::MAX };
        let seconds = |w: usize, mask: u32| mask & (taken.masks[w] ^ flip);
        if second == meet {
            for (w, (warp, &mask)) in warps.iter().zip(&lanes.masks).enumerate() {
                level.arrive(w, seconds(w, mask), warp.steps);
            }
        } else {
            let mut path = Path { pc: second, lanes: Lanes::default(), born: self.born };
            for (w, mask) in path.lanes.masks.iter_mut().enumerate().take(warps.len()) {
                *mask = seconds(w, lanes.masks[w]);
            }
            path.lanes.count(warps.len());
            level.pending.push(path);
        }
        let mut running = 0;
        for (w, mask) in lanes.masks.iter_mut().enumerate().take(warps.len()) {
            *mask &= !seconds(w, *mask);
            running += u64::from(*mask != 0);
        }
        lanes.warps = running;
        lanes.threads = if takes_second { lanes.threads - taken.threads } else { taken.threads };
        self.lowest = self.lowest.min(second).min(meet);
        Some(first)
    }

    fn open(&mut self, lanes: &Lanes, meet: Pc, block_warps: usize) {
        if self.depth == self.levels.len() {
            self.levels.push(Level::default());
        }
        let level = &mut self.levels[self.depth];
        self.depth += 1;
        (level.meet, level.parted) = (meet, 0);
        level.expected.copy(lanes, block_warps);
        level.arrived[..block_warps].fill(0);
        level.pending.clear();
    }

    /// Notes that the team's lanes of these warps are groups of their own from now on.
    fn begin_groups(&mut self, warps: u32) {
        self.changes += 1;
        lanes_of(warps).for_each(|w| self.born[w] = self.changes);
    }

    /// Lets a team's lanes arrive at `pc`, if that is where the innermost branch reconverges. Those that go on take their
    /// place, and stand at the instruction that is returned.
    pub fn arrive(&mut self, pc: Pc, lanes: &mut Lanes, warps: &[Warp]) -> Option<Pc> {
        let level = self.levels[..self.depth].last_mut().filter(|level| level.meet == pc)?;
        let lowest = level.pending.iter().enumerate().min_by_key(|(_, path)| path.pc);
        let pc = if let Some((index, _)) = lowest {
            for (w, (warp, &mask)) in warps.iter().zip(&lanes.masks).enumerate() {
                level.arrive(w, mask, warp.steps);
            }
            let path = level.pending.remove(index);
            lanes.copy(&path.lanes, warps.len());
            self.born = path.born;
            path.pc
        } else {
            lanes.copy(&level.expected, warps.len());
            let parted = level.parted;
            self.begin_groups(parted);
            self.depth -= 1;
            pc
        };
        let standing = self
            .open_levels()
            .iter()
            .flat_map(|level| level.pending.iter().map(|path| path.pc).chain([level.meet]));
        self.lowest = standing.min().unwrap_or(NEVER);
        Some(pc)
    }

    /// Writes the groups of the warps: those of the lanes in the stack, and those of the team, which stands at `pc`.
    pub fn write_back(&mut self, block: &mut Block, pc: Pc, lanes: &Lanes) {
        let outermost = self.open_levels().first().map_or(lanes, |level| &level.expected);
        for (w, (warp, &all)) in block.warps.iter_mut().zip(&outermost.masks).enumerate() {
            if all == 0 {
                continue;
            }
            let group = position(&warp.divergence, all);
            let mut levels = self.open_levels().iter();
            let running =
                levels.try_fold(group, |group, level| level.write_back(warp, w, group, self.born[w]));
            if let Some(group) = running {
                warp.divergence.groups[group].pc = pc;
            }
        }
        self.clear();
    }
}

impl Level {
    /// Lets lanes of a warp arrive.
    #[inline(always)]
    fn arrive(&mut self, w: usize, mask: u32, steps: u64) {
        if self.arrived[w] == 0 {
            self.since[w] = steps;
        }
        self.arrived[w] |= mask;
    }

    /// Writes the groups of a warp, of which `group` is the one that executed the branch; the group that went on, if any did,
    /// which is a group of its own since `born`.
    fn write_back(&self, warp: &mut Warp, w: usize, group: usize, born: u32) -> Option<usize> {
        let (expected, arrived) = (self.expected.masks[w], self.arrived[w]);
        let pending = || self.pending.iter().map(|path| (path.pc, path.lanes.masks[w]));
        let running = pending().fold(expected & !arrived, |lanes, (_, mask)| lanes & !mask);
        if running == expected {
            return Some(group);
        }
        let whole = pending().chain([(self.meet, arrived)]).find(|(_, mask)| *mask == expected);
        if let Some((pc, _)) = whole {
            warp.divergence.groups[group].pc = pc;
            if warp.divergence.has_arrived(group) {
                // Other lanes of the warp wait there since before the team was gathered.
                warp.divergence.arrive(group, self.since[w]);
            }
            return None;
        }
        let paths = self.pending.iter().map(|path| (path.born[w], path.pc, path.lanes.masks[w]));
        let standing = paths.chain([(born, self.meet, running)]).filter(|(.., mask)| *mask != 0);
        let mut standing: Vec<_> = standing.collect();
        // Of the two sides of a split, that with the lowest lane is the newest.
        standing.sort_unstable_by_key(|(born, _, mask)| (*born, Reverse(mask.trailing_zeros())));
        let standing = standing.into_iter().map(|(_, pc, mask)| (pc, mask));
        warp.divergence.split_later(group, self.meet, arrived, self.since[w], standing);
        (running != 0).then(|| position(&warp.divergence, running))
    }
}
