//! The mbarrier objects of a block: where in its shared memory they are, and which lanes poll their phases.
//!
//! The counts of an object are in its bytes ([`crate::isa::mbarrier`]). But nothing in memory says that these bytes are
//! an object, just as on a GPU. That is recorded here, so that a mistake can be found: a kernel that uses other bytes
//! as an object, or accesses an object as other bytes.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an object.
pub const OBJECT_BYTES: u64 = 8;

/// The objects of a block.
#[derive(Clone, Debug, Default)]
pub struct Mbarriers {
    /// The offsets of the objects.
    objects: BTreeSet<u64>,
    /// By warp and lane: the lanes that have asked for a phase which was not complete, and have done nothing since that
    /// other threads could see.
    polls: BTreeMap<(usize, usize), Poll>,
    /// Whether the lanes that poll now have seen `%clock` jump, as if much time had passed.
    pub is_late: bool,
}

/// A lane that asks again and again whether a phase is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The offset of the object.
    pub offset: u64,
    /// The phase that was not complete, modulo 8.
    pub phase: u8,
    /// The instruction that asked last.
    pub pc: u32,
    /// How often it has asked without anything else happening in between.
    pub count: u32,
}

impl Mbarriers {
    /// Whether there is any object.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Whether an object begins at `offset`.
    pub fn is_object(&self, offset: u64) -> bool {
        self.objects.contains(&offset)
    }

    /// The object that some bytes are part of, if any.
    pub fn overlapping(&self, offset: u64, bytes: u64) -> Option<u64> {
        let first = offset.saturating_sub(OBJECT_BYTES - 1);
        self.objects.range(first..offset.saturating_add(bytes)).next().copied()
    }

    /// Creates or ends an object at `offset`. Returns `false` if there was an object already, or none to end.
    pub fn set(&mut self, offset: u64, is_object: bool) -> bool {
        if is_object { self.objects.insert(offset) } else { self.objects.remove(&offset) }
    }

    /// Records that a lane has asked for a phase which was not complete.
    pub fn polled(&mut self, warp: usize, lane: usize, offset: u64, phase: u8, pc: u32) {
        let poll = self.polls.entry((warp, lane)).or_insert(Poll { offset, phase, pc, count: 0 });
        let is_same = (poll.offset, poll.phase) == (offset, phase);
        let count = if is_same { poll.count.saturating_add(1) } else { 1 };
        self.is_late &= is_same;
        *poll = Poll { offset, phase, pc, count };
    }

    /// Records that lanes of a warp have done something else.
    pub fn went_on(&mut self, warp: usize, lanes: u32) {
        if self.polls.is_empty() {
            return;
        }
        let before = self.polls.len();
        self.polls.retain(|&(w, lane), _| w != warp || lanes >> lane & 1 == 0);
        self.is_late &= self.polls.len() == before;
    }

    /// What a lane polls, if anything.
    pub fn poll(&self, warp: usize, lane: usize) -> Option<&Poll> {
        self.polls.get(&(warp, lane))
    }

    /// Whether any lane polls.
    pub fn is_polled(&self) -> bool {
        !self.polls.is_empty()
    }

    /// Lets time pass for the lanes that poll: their polls so far no longer count.
    pub fn time_passes(&mut self) {
        self.is_late = true;
        self.polls.values_mut().for_each(|poll| poll.count = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_an_object_are_found() {
        let mut mbarriers = Mbarriers::default();
        assert!(mbarriers.set(16, true) && !mbarriers.set(16, true));
        assert_eq!(mbarriers.overlapping(23, 1), Some(16));
        assert_eq!(mbarriers.overlapping(24, 8), None);
        assert_eq!(mbarriers.overlapping(8, 8), None);
        assert_eq!(mbarriers.overlapping(12, 8), Some(16));
        assert!(mbarriers.set(16, false) && mbarriers.is_empty());
    }

    #[test]
    fn a_lane_that_does_something_else_polls_no_more() {
        let mut mbarriers = Mbarriers::default();
        mbarriers.polled(1, 3, 0, 0, 7);
        mbarriers.polled(1, 3, 0, 0, 7);
        mbarriers.time_passes();
        mbarriers.polled(1, 3, 0, 0, 7);
        assert_eq!(mbarriers.poll(1, 3).map(|poll| poll.count), Some(1));
        mbarriers.went_on(1, 1 << 4);
        assert!(mbarriers.is_late);
        mbarriers.went_on(1, 1 << 3);
        assert!(!mbarriers.is_polled() && !mbarriers.is_late);
    }
}
