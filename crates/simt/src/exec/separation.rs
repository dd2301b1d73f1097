//! Lanes that nothing keeps together: under the policy that looks for trouble they come apart, and lanes that wait for
//! others where nothing asks them to are let go early.
//!
//! From `sm_70` on each thread has a program counter of its own, and PTX promises that the lanes of a warp run together
//! nowhere: `bar.warp.sync` and the other instructions with a membermask have lanes wait for each other, and say nothing of
//! the instruction after them (PTX ISA, section 9.7.13.2, and for `activemask` section 9.7.13.10). The emulator keeps lanes
//! together where it can, because it is faster and easier to follow, so a kernel that relies on it would pass every test.
//! Under `Schedule::Hunt` the seed therefore parts groups between two slices, which often end right after an access to
//! memory. They are one group again after the next collective, barrier or meeting.
//!
//! A right kernel cannot tell. Its counters can: an instruction that two groups carry out is issued twice, and accesses
//! that were one request are two. So counters are compared under other policies; what a hunted run counts is what it
//! did, in its own order. Older targets are left alone, for which lanes in step were a promise.

use crate::exec::mechanism;
use crate::exec::state::Run;
use crate::machine::block::Warp;
use crate::machine::divergence::{Divergence, Wait};
use crate::schedule::Turns;

/// Groups of a warp from which on no more come apart: each runs what all ran together before, and has its share of turns.
const MOST_GROUPS: usize = 4;

impl Run<'_> {
    /// Parts the group of a warp that runs next, if the policy says so.
    pub fn separate(&self, warp: &mut Warp, turns: &mut Turns) {
        let groups = &warp.divergence.groups;
        let next =
            mechanism::runnable(&warp.divergence, self.setup.stack).filter(|_| groups.len() < MOST_GROUPS);
        let Some(next) = next else { return };
        if let Some(lanes) = turns.separate(groups[next].mask) {
            warp.divergence.separate(next, lanes);
        }
    }
}

/// Lets lanes that wait at meetings go on, if the policy says so, where all others of their warp wait at barriers: nothing
/// keeps them, and what they do next may be what those at the barrier have to be ordered with.
pub fn let_go_at_barrier(divergence: &mut Divergence, turns: &mut Turns) {
    let at_barrier = |wait| matches!(wait, Wait::Barrier(_));
    let somebody_waits = divergence.waiting().next().is_some() && !divergence.groups.is_empty();
    if somebody_waits
        && divergence.groups.iter().all(|group| at_barrier(group.wait))
        && turns.continues_without_others()
    {
        divergence.release(|_| true);
    }
}
