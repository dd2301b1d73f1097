//! The two mechanisms by which GPUs reconverge diverged lanes: which group of a warp may run.
//!
//! *The stack* (before Volta): only the newest group runs, beginning with the side of a branch that has the lowest lane. The
//! other side waits until the first has finished. Nothing is promised between the two sides, so a lane that spins on a lock
//! which a lane of the other side holds spins for ever, as it does on hardware.
//!
//! *Independent thread scheduling* (Volta and later): any group that does not wait may run. In the default order it is the one
//! at the lowest program counter ([`crate::schedule::round_robin`]). Under the other policies each group gets a slice
//! ([`crate::exec::state`] rotates them). Lanes that wait at a meeting continue without the others when those only spin or take
//! too long ([`crate::exec::livelock`]). This is weakly fair, and no more is promised.

use crate::machine::divergence::{Divergence, Wait};

/// The group that runs next, if any can.
#[inline(always)]
pub fn runnable(divergence: &Divergence, stack: bool) -> Option<usize> {
    let can_run = |index: &usize| divergence.groups[*index].wait == Wait::Nothing;
    let newest = divergence.groups.len().checked_sub(1)?;
    if stack { Some(newest).filter(can_run) } else { (0..=newest).rev().find(can_run) }
}
