//! Which lanes of a warp execute together, and where lanes that have diverged reconverge.
//!
//! A *group* is a set of lanes with one program counter and one call stack. When the lanes of a group disagree about a
//! branch, the group splits in two, and a *meeting* is opened: the reconvergence point at which both sides wait for
//! each other. Meetings form a tree, because a branch inside one side of another opens an inner meeting. Both
//! mechanisms that GPUs have had use this state. They differ only in which group may run ([`crate::exec`] decides
//! that): with the reconvergence stack it is the newest group, with independent thread scheduling any of them.

use std::slice;

use super::registers::{FULL_MASK, Shape};

/// One entry of a group's call stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The frame's first register in each bank.
    pub base: Shape,
    /// First byte of the frame in each lane's local memory.
    pub local: u64,
    /// The function, by its number in the module.
    pub function: u32,
    /// The program counter of the `call` that opened the frame.
    pub call: u32,
}

/// Why a group does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It can run.
    Nothing,
    /// It waits at the block barrier of this number.
    Barrier(u8),
    /// It waits at the barrier of the cluster.
    Cluster,
    /// It waits for other lanes of its warp at a collective instruction.
    Collective,
    /// It waits for other warps of its warpgroup, or for registers that other warps give away.
    Warpgroup,
}

/// Lanes that execute together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The program counter: the next instruction.
    pub pc: u32,
    /// The lanes.
    pub mask: u32,
    /// The running function's frame.
    pub frame: Frame,
    /// The frames of its callers, outermost first.
    pub callers: Vec<Frame>,
    /// The innermost meeting that expects these lanes.
    pub meeting: Option<u32>,
    /// What it waits for.
    pub wait: Wait,
}

impl Group {
    /// All lanes of a warp, at an instruction.
    pub fn new(pc: u32, frame: Frame) -> Group {
        Group { pc, mask: FULL_MASK, frame, callers: Vec::new(), meeting: None, wait: Wait::Nothing }
    }
}

/// A reconvergence point that diverged lanes are expected at.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// The instruction before which the lanes reconverge.
    pub pc: u32,
    /// The lanes that the meeting expects, whether or not they have arrived. It is closed where there are none.
    pub expected: u32,
    /// The lanes that have arrived.
    pub arrived: u32,
    /// The warp's step count when the first lane arrived.
    pub since: u64,
    /// The frame in which the lanes continue.
    pub frame: Frame,
    /// The meeting around this one.
    outer: Option<u32>,
    /// The frames of its callers.
    callers: Vec<Frame>,
}

impl Meeting {
    /// The depth of the call stack at that point.
    #[inline(always)]
    pub fn depth(&self) -> usize {
        self.callers.len()
    }

    /// Records that lanes have arrived, at a step of their warp.
    fn arrive(&mut self, lanes: u32, now: u64) {
        if self.arrived == 0 {
            self.since = now;
        }
        self.arrived |= lanes;
    }

    /// Whether both wait for the same lanes at the same instruction.
    fn stands_like(&self, other: &Meeting) -> bool {
        let state = |meeting: &Meeting| (meeting.pc, meeting.frame, meeting.expected, meeting.arrived);
        state(self) == state(other) && self.callers == other.callers
    }
}

/// The groups and the open meetings of one warp.
#[derive(Clone, Debug, Default)]
pub struct Divergence {
    /// Groups, the newest last.
    pub groups: Vec<Group>,
    /// In any order: a meeting that opens takes the place of one that is closed.
    meetings: Vec<Meeting>,
    /// Lanes that have ended.
    pub exited: u32,
}

/// The group of a warp that has these lanes.
///
/// # Panics
///
/// If no group has these lanes and no others.
#[inline(always)]
pub fn position(divergence: &Divergence, mask: u32) -> usize {
    let group = divergence.groups.iter().position(|group| group.mask == mask);
    group.expect("the lanes are a group")
}

impl Divergence {
    /// Starts over with one group: these lanes of `start`.
    pub fn reset(&mut self, start: &Group, lanes: u32) {
        self.meetings.clear();
        self.exited = 0;
        self.groups.clear();
        // Copied, not put together here: the processor would have to wait for the fields before it could move them into the list.
        self.groups.extend_from_slice(slice::from_ref(start));
        self.groups[0].mask &= lanes;
    }

    /// The meeting that expects a group next.
    #[inline(always)]
    pub fn meeting_of(&self, group: usize) -> Option<&Meeting> {
        self.groups[group].meeting.map(|meeting| &self.meetings[meeting as usize])
    }

    /// The meeting that expects a group next, if that is in the function it is in.
    #[inline(always)]
    pub fn meeting_here(&self, group: usize) -> Option<&Meeting> {
        let depth = self.groups[group].callers.len();
        self.meeting_of(group).filter(|meeting| meeting.depth() == depth)
    }

    /// Meetings at which lanes are waiting.
    pub fn waiting(&self) -> impl Iterator<Item = &Meeting> {
        self.meetings.iter().filter(|meeting| meeting.arrived != 0)
    }

    /// Whether two warps have the same groups in the same states, and the same lanes at the same meetings. How long
    /// lanes have waited does not matter.
    pub fn stands_like(&self, other: &Divergence) -> bool {
        // Every open meeting expects a lane that is in a group, so that all of them are compared.
        let state = |group: &Group| (group.pc, group.mask, group.wait, group.frame);
        let same = |(one, two): (&Group, &Group)| {
            state(one) == state(two)
                && one.callers == two.callers
                && self.expect_alike(one.meeting, other, two.meeting)
        };
        self.groups.len() == other.groups.len()
            && self.exited == other.exited
            && self.groups.iter().zip(&other.groups).all(same)
    }

    /// Whether a meeting and those around it are like a meeting of another warp and those around that.
    fn expect_alike(&self, mut one: Option<u32>, other: &Divergence, mut two: Option<u32>) -> bool {
        while let (Some(id), Some(other_id)) = (one, two) {
            let (meeting, other_meeting) = (&self.meetings[id as usize], &other.meetings[other_id as usize]);
            if !meeting.stands_like(other_meeting) {
                return false;
            }
            (one, two) = (meeting.outer, other_meeting.outer);
        }
        one == two
    }

    /// Whether lanes wait at the same meetings as in `other` and have waited for the same number of steps. `now` and
    /// `then` are the step counts of the two warps.
    pub fn waits_like(&self, now: u64, other: &Divergence, then: u64) -> bool {
        let ages = |all: &Divergence, at: u64| {
            let age = |meeting: &Meeting| (meeting.arrived, meeting.depth(), meeting.pc, at - meeting.since);
            let mut ages: Vec<_> = all.waiting().map(age).collect();
            ages.sort_unstable();
            ages
        };
        ages(self, now) == ages(other, then)
    }

    /// Splits a group at a branch: the lanes of `leaving` continue at `target`, the others at `stay`. They reconverge
    /// at `meet`, if the branch has a reconvergence point. The side with the lowest lane becomes the newest group,
    /// which runs first.
    pub fn split(&mut self, group: usize, leaving: u32, target: u32, stay: u32, meet: Option<u32>) {
        let parent = self.groups.remove(group);
        let staying = parent.mask & !leaving;
        let meeting = match meet {
            Some(pc) => Some(self.meeting(&parent, pc)),
            None => parent.meeting,
        };
        let side = |pc, mask| Group { pc, mask, meeting, wait: Wait::Nothing, ..parent.clone() };
        let (first, second) = if leaving.trailing_zeros() < staying.trailing_zeros() {
            (side(target, leaving), side(stay, staying))
        } else {
            (side(stay, staying), side(target, leaving))
        };
        self.groups.push(second);
        self.groups.push(first);
    }

    /// Splits a group at a branch some time after its lanes executed it: by now, those of `arrived` wait at `meet`, the first
    /// of them since the warp's step `since`, and the others stand at these instructions.
    pub fn split_later(
        &mut self,
        group: usize,
        meet: u32,
        arrived: u32,
        since: u64,
        standing: impl IntoIterator<Item = (u32, u32)>,
    ) {
        let parent = self.groups.remove(group);
        let id = self.meeting(&parent, meet);
        self.meetings[id as usize].arrive(arrived, since);
        for (pc, mask) in standing {
            self.groups.push(Group { pc, mask, meeting: Some(id), wait: Wait::Nothing, ..parent.clone() });
        }
    }

    /// Makes the group with any of these lanes the newest, as it is when its sides have met again after a split.
    pub fn renew(&mut self, lanes: u32) {
        if self.groups.len() > 1 {
            let group = self.groups.iter().position(|group| group.mask & lanes != 0);
            let group = self.groups.remove(group.expect("the lanes are in a group"));
            self.groups.push(group);
        }
    }

    /// Puts the groups in the order of their lowest lanes, the lowest last.
    pub fn sort(&mut self) {
        if self.groups.len() > 1 {
            self.groups.sort_unstable_by_key(|group| std::cmp::Reverse(group.mask.trailing_zeros()));
        }
    }

    /// Parts a group where nothing asks for it: both go on from here, and are expected at the same meetings. Those that
    /// leave become the newest group.
    pub fn separate(&mut self, group: usize, leaving: u32) {
        let group = &mut self.groups[group];
        let other = Group { mask: group.mask & leaving, ..group.clone() };
        group.mask &= !leaving;
        self.groups.push(other);
    }

    /// For tests: whether every lane of `lanes` that has not ended is in exactly one group or waits at exactly one
    /// meeting, and each meeting expects precisely the lanes inside it.
    #[cfg(test)]
    pub fn is_sound(&self, lanes: u32) -> bool {
        let (mut seen, mut inside) = (0, vec![0; self.meetings.len()]);
        let meetings = self.meetings.iter().enumerate();
        let waiting = meetings.map(|(id, meeting)| (meeting.arrived, Some(id as u32)));
        let standing = self.groups.iter().map(|group| (group.mask, group.meeting));
        for (mask, mut next) in standing.chain(waiting) {
            if seen & mask != 0 {
                return false;
            }
            seen |= mask;
            while let Some(id) = next {
                inside[id as usize] |= mask;
                next = self.meetings[id as usize].outer;
            }
        }
        let expects = |(meeting, &inside): (&Meeting, &u32)| meeting.expected == inside;
        seen == lanes & !self.exited && self.meetings.iter().zip(&inside).all(expects)
    }

    /// The meeting at `pc` for the lanes of a group: their innermost one if it is at the same instruction, otherwise a
    /// new one inside it. So a loop that lanes leave one by one has a single meeting, and not one for each iteration.
    fn meeting(&mut self, group: &Group, pc: u32) -> u32 {
        if let Some(id) = group.meeting
            && self.meetings[id as usize].pc == pc
            && self.meetings[id as usize].depth() == group.callers.len()
        {
            return id;
        }
        let meeting = Meeting {
            pc,
            expected: group.mask,
            arrived: 0,
            since: 0,
            outer: group.meeting,
            frame: group.frame,
            callers: group.callers.clone(),
        };
        if let Some(free) = self.meetings.iter().position(|meeting| meeting.expected == 0) {
            self.meetings[free] = meeting;
            return free as u32;
        }
        self.meetings.push(meeting);
        self.meetings.len() as u32 - 1
    }

    /// Whether the next instruction of a group is its reconvergence point.
    #[inline(always)]
    pub fn has_arrived(&self, group: usize) -> bool {
        self.meeting_here(group).is_some_and(|meeting| meeting.pc == self.groups[group].pc)
    }

    /// Makes a group arrive at its innermost meeting. When the last lanes arrive, all of them become one group again.
    pub fn arrive(&mut self, group: usize, now: u64) {
        let group = self.groups.remove(group);
        let id = group.meeting.expect("a group that arrives has a meeting");
        self.meetings[id as usize].arrive(group.mask, now);
        self.close_if_complete(id);
    }

    /// Ends lanes of a group, so that no meeting expects them any more.
    pub fn exit(&mut self, group: usize, lanes: u32) {
        self.exited |= lanes;
        let leaving = &mut self.groups[group];
        leaving.mask &= !lanes;
        let mut next = leaving.meeting;
        if leaving.mask == 0 {
            self.groups.remove(group);
        }
        while let Some(id) = next {
            let meeting = &mut self.meetings[id as usize];
            meeting.expected &= !lanes;
            next = meeting.outer;
            self.close_if_complete(id);
        }
    }

    /// Lets the lanes at each overdue meeting continue without the others.
    pub fn release(&mut self, mut overdue: impl FnMut(&Meeting) -> bool) -> bool {
        let mut released = false;
        for id in 0..self.meetings.len() {
            let meeting = &self.meetings[id];
            if meeting.arrived != 0 && overdue(meeting) {
                self.resume(id as u32);
                released = true;
            }
        }
        released
    }

    /// Merges groups that can run, are at the same instruction and expect the same meetings: lanes that continued
    /// without the others, and lanes that have caught up with them.
    pub fn unite(&mut self) {
        let mut first = 0;
        while first < self.groups.len() {
            let one = &self.groups[first];
            let same = |other: &Group| {
                one.wait == Wait::Nothing && Group { mask: one.mask, ..other.clone() } == *one
            };
            match self.groups.iter().skip(first + 1).position(same) {
                Some(behind) => {
                    let other = self.groups.remove(first + 1 + behind);
                    self.groups[first].mask |= other.mask;
                }
                None => first += 1,
            }
        }
    }

    fn close_if_complete(&mut self, id: u32) {
        let meeting = &self.meetings[id as usize];
        if meeting.arrived == meeting.expected {
            self.resume(id);
        }
    }

    /// Makes the lanes that have arrived at a meeting one group, and closes the meeting if it expects no other lanes.
    fn resume(&mut self, id: u32) {
        let meeting = &mut self.meetings[id as usize];
        let mask = std::mem::take(&mut meeting.arrived);
        meeting.expected &= !mask;
        if mask != 0 {
            let (pc, frame, callers) = (meeting.pc, meeting.frame, meeting.callers.clone());
            self.groups.push(Group { pc, mask, frame, callers, meeting: meeting.outer, wait: Wait::Nothing });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::numbers::Random;

    fn warp() -> Divergence {
        let mut divergence = Divergence::default();
        divergence.reset(&Group::new(0, Frame::default()), 0xff);
        divergence
    }

    fn masks(divergence: &Divergence) -> Vec<u32> {
        divergence.groups.iter().map(|group| group.mask).collect()
    }

    #[test]
    fn two_sides_meet_and_are_one_group_again() {
        let mut warp = warp();
        warp.split(0, 0x0f, 10, 1, Some(20));
        assert_eq!(masks(&warp), [0xf0, 0x0f], "the side with the lowest lane is the newest");
        warp.groups[1].pc = 20;
        assert!(warp.has_arrived(1));
        warp.arrive(1, 0);
        assert_eq!(masks(&warp), [0xf0]);
        warp.groups[0].pc = 20;
        warp.arrive(0, 0);
        assert_eq!(masks(&warp), [0xff]);
        assert_eq!(warp.groups[0].meeting, None);
    }

    #[test]
    fn a_loop_that_lanes_leave_one_by_one_has_one_meeting() {
        let mut warp = warp();
        for lane in 0..7 {
            let group = warp.groups.len() - 1;
            warp.split(group, 1 << lane, 20, 0, Some(20));
            let left = warp.groups.iter().position(|group| group.pc == 20).unwrap();
            warp.arrive(left, 0);
        }
        assert_eq!((masks(&warp), warp.meetings.len()), (vec![0x80], 1));
    }

    #[test]
    fn a_lane_that_exits_is_no_longer_expected() {
        let mut warp = warp();
        warp.split(0, 0x0f, 10, 1, Some(20));
        warp.groups[1].pc = 20;
        warp.arrive(1, 0);
        warp.exit(0, 0xf0);
        assert_eq!((masks(&warp), warp.exited), (vec![0x0f], 0xf0));
    }

    #[test]
    fn those_released_go_on_and_are_still_expected_further_out() {
        let mut warp = warp();
        warp.split(0, 0x0f, 10, 1, Some(30));
        warp.split(1, 0x03, 11, 10, Some(20));
        let newest = warp.groups.len() - 1;
        warp.groups[newest].pc = 20;
        warp.arrive(newest, 5);
        assert!(warp.release(|meeting| meeting.since == 5));
        assert_eq!(masks(&warp), [0xf0, 0x0c, 0x03]);
        warp.groups[2].pc = 30;
        assert!(warp.has_arrived(2));
    }

    #[test]
    fn those_released_are_one_group_with_the_others_where_these_have_caught_up() {
        let mut warp = warp();
        warp.split(0, 0x0f, 20, 10, Some(20));
        warp.arrive(1, 0);
        assert!(warp.release(|_| true));
        warp.groups[0].pc = 20;
        warp.unite();
        assert_eq!(masks(&warp), [0xf0, 0x0f], "the others have not met yet, and are still expected to");
        warp.arrive(0, 0);
        warp.unite();
        assert_eq!(masks(&warp), [0xff]);
    }

    #[test]
    fn warps_stand_alike_however_long_they_wait() {
        let (mut one, mut other) = (warp(), warp());
        one.split(0, 0x0f, 20, 10, Some(20));
        assert!(!one.stands_like(&other));
        other.split(0, 0x0f, 20, 10, Some(20));
        one.arrive(1, 3);
        assert!(!one.stands_like(&other));
        other.arrive(1, 4);
        assert!(one.stands_like(&other));
        other.groups[0].pc = 11;
        assert!(!one.stands_like(&other));
    }

    #[test]
    fn which_meeting_opened_first_makes_no_difference() {
        let parted = |order: [u32; 2], since: [u64; 2]| {
            let mut warp = warp();
            warp.split(0, 0x0f, 10, 10, None);
            for (half, since) in order.into_iter().zip(since) {
                let whole = position(&warp, half);
                warp.split(whole, half & 0x33, 20, 11, Some(20));
                warp.arrive(position(&warp, half & 0x33), since);
            }
            warp.sort();
            warp
        };
        let (one, other) = (parted([0x0f, 0xf0], [3, 5]), parted([0xf0, 0x0f], [5, 3]));
        assert_ne!(one.groups, other.groups, "they name their meetings differently");
        assert!(one.stands_like(&other) && one.waits_like(9, &other, 9));
        assert!(!one.waits_like(9, &other, 10));
        assert!(!one.waits_like(9, &parted([0xf0, 0x0f], [3, 5]), 9));
    }

    #[test]
    fn lanes_that_came_apart_meet_where_the_others_do() {
        let mut warp = warp();
        warp.split(0, 0x0f, 10, 1, Some(20));
        warp.separate(1, 0x03);
        assert_eq!(masks(&warp), [0xf0, 0x0c, 0x03]);
        for _ in 0..3 {
            assert!(warp.is_sound(0xff));
            warp.groups[0].pc = 20;
            warp.arrive(0, 0);
        }
        assert_eq!(masks(&warp), [0xff]);
    }

    /// Groups split, separate, call, return, reconverge, are released and end, in random order.
    #[test]
    fn no_lane_is_lost_and_none_is_waited_for_in_vain() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let mut warp = warp();
            for now in 0..200 {
                if warp.groups.is_empty() {
                    assert!(warp.exited == 0xff || warp.release(|_| true), "seed {seed}");
                } else {
                    let group = random.below(warp.groups.len() as u64) as usize;
                    act(&mut warp, group, random.below(8), random.below(1 << 8) as u32, now);
                }
                assert!(warp.is_sound(0xff), "seed {seed}, step {now}: {warp:?}");
            }
        }
    }

    fn act(warp: &mut Divergence, g: usize, what: u64, lanes: u32, now: u64) {
        let group = &mut warp.groups[g];
        let (some, part) = (group.mask & lanes, group.mask & lanes != 0 && group.mask & !lanes != 0);
        match what {
            0 | 1 if part => {
                // Inner meetings are before outer ones, as they are for post-dominators.
                let pc = warp.meeting_of(g).map_or(1000, |meeting| meeting.pc - lanes % 2);
                warp.split(g, some, 1, 2, Some(pc));
            }
            2 if part => warp.split(g, some, 1, 2, None),
            3 if part => warp.separate(g, some),
            4 => warp.exit(g, some),
            5 => warp.unite(),
            6 => _ = warp.release(|meeting| meeting.arrived & lanes != 0),
            _ => {
                let Some(pc) = warp.meeting_of(g).map(|meeting| meeting.pc) else { return };
                warp.groups[g].pc = pc;
                warp.arrive(g, now);
            }
        }
    }
}
