//! The asynchronous copies of a block that are under way: which lane started each, from where to where, and how far it is.
//!
//! A copy reads and writes at some time after it was started and before its lane has waited for it. How long it takes is drawn
//! when it starts, and counted in stores and the like of its warp; some take until the lane waits. Left out: what the copies
//! of several lanes have in common, such as the order in which the hardware carries them out.

use crate::machine::registers::{WARP_SIZE, lanes_of};

/// A copy that a lane has started and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The warp and the lane that started it.
    pub warp: usize,
    /// The lane.
    pub lane: usize,
    /// The instruction.
    pub pc: u32,
    /// The first byte that it writes, in shared memory.
    pub to: u64,
    /// How many bytes it writes.
    pub bytes: u8,
    /// The region of global memory from which it reads, and the offset there.
    pub from: (usize, usize),
    /// How many bytes it reads. The others that it writes are zero.
    pub read: u8,
    /// The group to which it belongs, counted for each lane; none before the lane commits.
    pub group: Option<u32>,
    /// After how many stores it is carried out; none where it takes as long as it may.
    pub left: Option<u8>,
    /// Whether it has been carried out.
    pub is_done: bool,
    /// Its number among the copies of the block.
    pub number: u64,
}

/// An arrival at an mbarrier that comes when the copies before it are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The warp and the lane.
    pub warp: usize,
    /// The lane.
    pub lane: usize,
    /// The instruction.
    pub pc: u32,
    /// The object.
    pub offset: u64,
    /// After how many uses of mbarriers it comes.
    pub left: u8,
    /// The number of the first copy that it does not wait for.
    pub number: u64,
}

/// Which copies of a lane are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// All.
    All,
    /// Those of all groups but so many of the latest.
    Groups(u32),
    /// Those with lower numbers.
    Number(u64),
}

/// The copies of a block.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Those under way of each warp, in the order in which they were started.
    under_way: Vec<Vec<Copy>>,
    /// Which of them write to each piece of shared memory: the warp and the number of each, in the order in which they were started.
    targets: Vec<Vec<(usize, u64)>>,
    /// How many of them read from each region of global memory.
    sources: Vec<u64>,
    /// Arrivals that wait for copies.
    triggers: Vec<Trigger>,
    /// How many copies have been started, and how many of them are complete.
    started: u64,
    ended: u64,
    /// How many groups the lanes of each warp have committed.
    groups: Vec<[u32; WARP_SIZE]>,
}

/// The bytes of a piece of shared memory. Each copy writes to one piece, because it is aligned to its size.
const PIECE: u64 = 16;

impl Copies {
    /// Whether nothing is under way.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.started == self.ended && self.triggers.is_empty()
    }

    /// Nothing is under way, and no lane has committed a group.
    pub fn reset(&mut self) {
        self.under_way.clear();
        self.targets.clear();
        self.sources.clear();
        self.triggers.clear();
        self.groups.clear();
        self.ended = self.started;
    }

    /// Starts a copy.
    pub fn start(&mut self, copy: Copy) {
        let piece = (copy.to / PIECE) as usize;
        if self.targets.len() <= piece {
            self.targets.resize_with(piece + 1, Vec::new);
        }
        self.targets[piece].push((copy.warp, self.started));
        if self.sources.len() <= copy.from.0 {
            self.sources.resize(copy.from.0 + 1, 0);
        }
        self.sources[copy.from.0] += 1;
        if self.under_way.len() <= copy.warp {
            self.under_way.resize_with(copy.warp + 1, Vec::new);
        }
        self.under_way[copy.warp].push(Copy { number: self.started, ..copy });
        self.started += 1;
    }

    /// Adds an arrival that waits for the copies that its lane has started.
    pub fn await_copies(&mut self, trigger: Trigger) {
        self.triggers.push(Trigger { number: self.started, ..trigger });
    }

    /// Lets time pass for the arrivals, and removes those that come now.
    pub fn due(&mut self) -> Vec<Trigger> {
        let due = self.triggers.extract_if(.., |trigger| trigger.left == 0).collect();
        self.triggers.iter_mut().for_each(|trigger| trigger.left -= 1);
        due
    }

    /// Those under way of a warp.
    pub fn of_warp(&mut self, warp: usize) -> &mut [Copy] {
        self.under_way.get_mut(warp).map_or(&mut [], Vec::as_mut_slice)
    }

    /// The first one under way that writes to one of these bytes of shared memory.
    pub fn writing_to(&self, address: u64, bytes: u64) -> Option<Copy> {
        let last = address.saturating_add(bytes).saturating_sub(1) / PIECE;
        let pieces =
            (address / PIECE..=last).filter_map(|piece| self.targets.get(usize::try_from(piece).ok()?));
        let copies = pieces.flatten().map(|&(warp, number)| self.numbered(warp, number));
        let met = copies.filter(|copy| ranges_meet(copy.to, copy.bytes, address, bytes));
        met.min_by_key(|copy| copy.number).copied()
    }

    fn numbered(&self, warp: usize, number: u64) -> &Copy {
        let of_warp = &self.under_way[warp];
        &of_warp[of_warp.partition_point(|copy| copy.number < number)]
    }

    /// The first one under way that reads one of these bytes of a region of global memory.
    pub fn reading_from(&self, region: usize, offset: u64, bytes: u64) -> Option<Copy> {
        if self.sources.get(region).is_none_or(|&copies| copies == 0) {
            return None;
        }
        let meets =
            |copy: &&Copy| copy.from.0 == region && ranges_meet(copy.from.1 as u64, copy.read, offset, bytes);
        let of_warps = self.under_way.iter().filter_map(|copies| copies.iter().find(meets));
        of_warps.min_by_key(|copy| copy.number).copied()
    }

    /// Makes a group for each lane of `mask`, of what it has started since its last one.
    pub fn commit(&mut self, warp: usize, mask: u32) {
        if self.groups.len() <= warp {
            self.groups.resize(warp + 1, [0; WARP_SIZE]);
        }
        let groups = self.groups[warp];
        let own = self.of_warp(warp).iter_mut().filter(|copy| mask >> copy.lane & 1 != 0);
        own.filter(|copy| copy.group.is_none()).for_each(|copy| copy.group = Some(groups[copy.lane]));
        lanes_of(mask).for_each(|lane| self.groups[warp][lane] += 1);
    }

    /// Removes the copies of the lanes of `mask` that are complete.
    pub fn finish(&mut self, warp: usize, mask: u32, until: Until) -> Vec<Copy> {
        let committed = self.groups.get(warp).copied().unwrap_or_default();
        let is_complete = |copy: &mut Copy| {
            let is_past = match until {
                Until::All => true,
                Until::Groups(left) => {
                    copy.group.is_some_and(|group| group < committed[copy.lane].saturating_sub(left))
                }
                Until::Number(number) => copy.number < number,
            };
            mask >> copy.lane & 1 != 0 && is_past
        };
        let Some(under_way) = self.under_way.get_mut(warp) else { return Vec::new() };
        let complete: Vec<Copy> = under_way.extract_if(.., is_complete).collect();
        for copy in &complete {
            self.sources[copy.from.0] -= 1;
            self.targets[(copy.to / PIECE) as usize].retain(|&(_, number)| number != copy.number);
        }
        self.ended += complete.len() as u64;
        complete
    }
}

/// Whether two ranges of bytes have one in common.
fn ranges_meet(start: u64, bytes: u8, other: u64, other_bytes: u64) -> bool {
    start < other.saturating_add(other_bytes) && other < start + u64::from(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(lane: usize, to: u64) -> Copy {
        let (from, group, left) = ((0, 0), None, None);
        Copy { warp: 0, lane, pc: 0, to, bytes: 4, from, read: 4, group, left, is_done: false, number: 0 }
    }

    #[test]
    fn a_lane_waits_for_its_oldest_groups() {
        let mut copies = Copies::default();
        for group in 0..3 {
            copies.start(copy(5, 4 * group));
            copies.start(copy(6, 100));
            copies.commit(0, 1 << 5);
        }
        copies.start(copy(5, 12));
        let places = |copies: Vec<Copy>| copies.iter().map(|copy| copy.to).collect::<Vec<_>>();
        assert_eq!(places(copies.finish(0, 1 << 5, Until::Groups(3))), []);
        assert_eq!(places(copies.finish(0, 1 << 5, Until::Groups(1))), [0, 4]);
        assert_eq!(places(copies.finish(0, 1 << 5, Until::Groups(0))), [8]);
        assert_eq!(places(copies.finish(0, 1 << 6, Until::Groups(0))), [], "lane 6 has committed nothing");
        assert_eq!(places(copies.finish(0, 1 << 5, Until::All)), [12]);
        assert!(!copies.is_empty());
        assert_eq!(places(copies.finish(0, 1 << 6, Until::All)), [100, 100, 100]);
        assert!(copies.is_empty());
    }

    #[test]
    fn the_copy_that_started_first_is_found_by_the_bytes_that_it_touches() {
        let mut copies = Copies::default();
        for (warp, to) in [(1, 32), (0, 32), (0, 36)] {
            copies.start(Copy { warp, from: (3, to as usize), ..copy(2, to) });
        }
        let number = |copy: Option<Copy>| copy.map(|copy| copy.number);
        assert_eq!(number(copies.writing_to(35, 1)), Some(0));
        assert_eq!(number(copies.writing_to(35, 4)), Some(0));
        assert_eq!(number(copies.writing_to(36, 8)), Some(2));
        assert_eq!(number(copies.writing_to(40, 8)), None);
        assert_eq!(number(copies.writing_to(0, 33)), Some(0));
        assert_eq!(number(copies.writing_to(u64::MAX, 8)), None);
        assert_eq!(number(copies.reading_from(3, 28, 8)), Some(0));
        assert_eq!(number(copies.reading_from(2, 28, 8)), None);
        copies.finish(1, u32::MAX, Until::All);
        assert_eq!(number(copies.writing_to(35, 1)), Some(1));
        copies.finish(0, u32::MAX, Until::All);
        assert_eq!(number(copies.writing_to(35, 1)), None);
    }
}
