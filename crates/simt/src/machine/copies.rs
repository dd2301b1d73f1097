//! The asynchronous copies of a block that are under way: which lane started each, from where to where, and how far it is.
//!
//! A copy reads and writes at some time after it was started and before its lane has waited for it. How long it takes is drawn
//! when it starts, and counted in stores and the like of its warp; some take until the lane waits. Left out: what the copies
//! of several lanes have in common, such as the order in which the hardware carries them out.

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
    /// Those under way, in the order in which they were started.
    under_way: Vec<Copy>,
    /// Arrivals that wait for copies.
    triggers: Vec<Trigger>,
    /// How many copies have been started.
    started: u64,
    /// How many groups the lanes of each warp have committed.
    groups: Vec<[u32; 32]>,
}

impl Copies {
    /// Whether nothing is under way.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.triggers.is_empty()
    }

    /// Nothing is under way, and no lane has committed a group.
    pub fn reset(&mut self) {
        self.under_way.clear();
        self.triggers.clear();
        self.groups.clear();
    }

    /// Starts a copy.
    pub fn start(&mut self, copy: Copy) {
        self.under_way.push(Copy { number: self.started, ..copy });
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

    /// Those under way.
    pub fn all(&mut self) -> &mut [Copy] {
        &mut self.under_way
    }

    /// Makes a group of what a lane has started since its last one.
    pub fn commit(&mut self, warp: usize, lane: usize) {
        if self.groups.len() <= warp {
            self.groups.resize(warp + 1, [0; 32]);
        }
        let number = &mut self.groups[warp][lane];
        let own = self.under_way.iter_mut().filter(|copy| (copy.warp, copy.lane) == (warp, lane));
        own.filter(|copy| copy.group.is_none()).for_each(|copy| copy.group = Some(*number));
        *number += 1;
    }

    /// Removes the copies of a lane that are complete.
    pub fn finish(&mut self, warp: usize, lane: usize, until: Until) -> Vec<Copy> {
        let committed = self.groups.get(warp).map_or(0, |lanes| lanes[lane]);
        let is_complete = |copy: &mut Copy| {
            let is_past = match until {
                Until::All => true,
                Until::Groups(left) => copy.group.is_some_and(|group| group < committed.saturating_sub(left)),
                Until::Number(number) => copy.number < number,
            };
            (copy.warp, copy.lane) == (warp, lane) && is_past
        };
        self.under_way.extract_if(.., is_complete).collect()
    }
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
            copies.commit(0, 5);
        }
        copies.start(copy(5, 12));
        let places = |copies: Vec<Copy>| copies.iter().map(|copy| copy.to).collect::<Vec<_>>();
        assert_eq!(places(copies.finish(0, 5, Until::Groups(3))), []);
        assert_eq!(places(copies.finish(0, 5, Until::Groups(1))), [0, 4]);
        assert_eq!(places(copies.finish(0, 5, Until::Groups(0))), [8]);
        assert_eq!(places(copies.finish(0, 6, Until::Groups(0))), [], "lane 6 has committed nothing");
        assert_eq!(places(copies.finish(0, 5, Until::All)), [12]);
        assert!(!copies.is_empty());
        assert_eq!(places(copies.finish(0, 6, Until::All)), [100, 100, 100]);
        assert!(copies.is_empty());
    }
}
