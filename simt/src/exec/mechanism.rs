//! The two mechanisms by which GPUs bring parted lanes together again: which group of a warp may run.
//!
//! *The stack* (before Volta): only the newest group runs, the side of a branch that holds the lowest lane
//! first; the other side waits until it is done. Nothing is promised between the two sides, so a lane that
//! spins on a lock held by a lane of the other side spins for ever, as it does on hardware.
//!
//! *Independent thread scheduling* (Volta and later): any group that does not wait may run, each gets its
//! slice ([`crate::exec::state`] rotates them), and lanes that wait at a meeting go on without the others when those
//! only spin or take too long ([`crate::exec::livelock`]). That is weakly fair, and no more is promised.

use crate::machine::divergence::{Divergence, Wait};

/// The group that runs next, if any can.
#[inline(always)]
pub fn runnable(divergence: &Divergence, stack: bool) -> Option<usize> {
    let can_run = |index: &usize| divergence.groups[*index].wait == Wait::Nothing;
    let newest = divergence.groups.len().checked_sub(1)?;
    if stack { Some(newest).filter(can_run) } else { (0..=newest).rev().find(can_run) }
}
