//! Deadlock at mbarriers: who waits for a phase asks in a loop, and if all do, nobody is left to arrive.
//!
//! Only threads of a block arrive at its mbarriers. So a block has stalled if every thread of it that has not ended asks
//! for an incomplete phase, touches no other memory between two questions, and so depends on nothing that others do; or
//! waits at a barrier, where it waits for those. Such a loop may count or look at the clock, as that of `cuda::barrier`
//! does, which is why no repetition proves it ([`crate::exec::livelock`]). But who waits for a limited time gives up when it is
//! over: a block that looks as if it had stalled first sees the clock jump by 18 minutes, and is believed only if all of its
//! threads go on asking. What this can take for a deadlock is a loop that gives up after more than [`POLLS`] questions
//! counted one by one, or after a longer time; what it misses are threads that poll something else besides.

use crate::exec::state::{Run, Stop};
use crate::exec::waits::{self, object};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Group, Wait};
use crate::machine::mbarriers::Poll;
use crate::machine::registers::lanes_of;

/// Questions in a row after which a thread looks as if it went on for ever.
pub const POLLS: u32 = 1 << 14;
/// How far the clock jumps: longer than anybody waits for something that comes.
const LATE: u64 = 1 << 40;
/// Steps of the launch between two checks.
const INTERVAL: u64 = 1 << 12;

impl Run<'_> {
    /// Checks whether a block has stalled, if it is time: an error then.
    pub fn check_for_stalled(&mut self, blocks: &mut [Block]) -> Result<(), Stop> {
        if self.counts.steps < self.observers.next_stall_check {
            return Ok(());
        }
        self.observers.next_stall_check = self.counts.steps + INTERVAL;
        // Other blocks of its cluster may arrive at an mbarrier.
        for cluster in blocks.chunks_mut(self.setup.cluster()) {
            let stalls = |block: &Block| {
                block.warps.iter().enumerate().all(|(w, warp)| self.is_stalled(block, w, warp))
            };
            let polls = |block: &&mut Block| block.mbarriers.is_polled();
            if !cluster.iter().all(stalls) {
                continue;
            }
            if let Some(block) = cluster.iter().find(|block| block.mbarriers.is_late) {
                return Err(waits::stalled(self, block));
            }
            for block in cluster.iter_mut().filter(polls) {
                self.late += LATE;
                block.mbarriers.time_passes();
            }
        }
        Ok(())
    }

    /// Whether no lane of a warp will do anything but ask.
    fn is_stalled(&self, block: &Block, w: usize, warp: &Warp) -> bool {
        // Lanes that wait at a meeting are let go sooner or later, unless the stack has them wait.
        let can_be_released = !self.setup.stack && warp.divergence.waiting().next().is_some();
        let newest = warp.divergence.groups.last().map_or(0, |group| group.mask);
        let is_stalled = |group: &Group| {
            let stands = group.wait != Wait::Nothing || self.setup.stack && group.mask != newest;
            stands
                || lanes_of(group.mask)
                    .all(|lane| block.mbarriers.poll(w, lane).is_some_and(|poll| asks(block, poll)))
        };
        !can_be_released && warp.divergence.groups.iter().all(is_stalled)
    }
}

/// Whether a lane asks for a phase that is still incomplete, and has done so for long.
fn asks(block: &Block, poll: &Poll) -> bool {
    poll.count >= POLLS && object(block, poll.offset).is_some_and(|object| object.phase == poll.phase)
}
