//! The synchronisation checker. It reports shuffles that read a lane which does not take part, barriers that completed only
//! because threads had ended, and arrivals for which no thread waited. None of these stops the launch.
//!
//! *What it reports.* A shuffle of this kind is an error, because its value is undefined. A barrier that completed because
//! threads had ended is a warning: the kernel runs, but no longer if the return is moved after another barrier, or if it is
//! compiled for a GPU before Volta. Arrivals (`bar.arrive`) are a warning if they completed a barrier at which no thread
//! waited, or if the block ended before the barrier was complete: they order nothing, so either a thread that should wait
//! does not, or the count is wrong. All three are judged for all lanes or threads that take part, so the result does not
//! depend on which of them came first.
//!
//! *What it can miss.* Values that are undefined for other reasons. (A lane that reads outside of its segment gets its own
//! value, which is defined.) Barriers at which no thread arrived.
//!
//! *No false alarm.* A shuffle is reported only if the lane that is read takes no part in it; the checker does not ask
//! whether the value was used. A barrier is reported only if a thread that it counts had ended, or if in this run no thread
//! waited for the arrivals at it.

pub mod finding;
pub mod wording;

use crate::checkers::context::Context;
use crate::checkers::findings::{Finding, Findings};
use crate::isa::op::Op;
use crate::isa::op::sync::{Action, Barrier};
use crate::isa::op::warp::{Collective, Got};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Group, Wait};
use finding::{Absence, Arrivals, EndedThreads, LaneAt, UndefinedShuffle};

/// Reports the lanes to which a shuffle gives an undefined value. Their program counters are still at the shuffle.
#[cold]
#[inline(never)]
pub fn report_undefined_shuffle(
    context: &Context<'_>,
    findings: &mut Findings,
    block: &Block,
    w: usize,
    lanes: u32,
    collective: Collective,
    got: &Got,
) {
    let warp = &block.warps[w];
    for group in &warp.divergence.groups {
        let lanes = group.mask & lanes & got.undefined;
        if lanes == 0 {
            continue;
        }
        let first = lanes.trailing_zeros() as usize;
        let source = got.read[first];
        let absence = absence(warp, source, collective, got.members[first]);
        let (step, block, pc) = (context.step, block.number, group.pc);
        let found = UndefinedShuffle { step, block, warp: w, pc, lanes, source, absence };
        findings.add(context.program, Finding::Shuffle(found));
    }
}

fn absence(warp: &Warp, source: u32, collective: Collective, members: u32) -> Absence {
    let bit = 1 << source;
    if warp.lanes & bit == 0 {
        Absence::NoThread
    } else if warp.divergence.exited & bit != 0 {
        Absence::Ended
    } else if collective.sync {
        Absence::NotMember(members)
    } else {
        Absence::Inactive
    }
}

/// Warns if a barrier completes only because threads have ended. The threads that wait are still at the barrier.
#[inline(never)]
pub fn report_ended(context: &Context<'_>, findings: &mut Findings, block: &Block, barrier: usize) {
    let has_ended = |warp: &Warp| warp.divergence.exited != 0;
    if block.barriers[barrier].ended == 0 && !block.warps.iter().any(has_ended) {
        return;
    }
    let waits = |group: &&Group| group.wait == Wait::Barrier(barrier as u8);
    let waiter = |(w, warp): (usize, &Warp)| {
        let group = warp.divergence.groups.iter().find(waits)?;
        Some(LaneAt { warp: w, lane: group.mask.trailing_zeros(), pc: group.pc })
    };
    let Some(waiter) = block.warps.iter().enumerate().find_map(waiter) else { return };
    let found = ended_threads(block, barrier, waiter, context.step);
    if found.ended != 0 {
        findings.add(context.program, Finding::Ended(found));
    }
}

/// The threads that have ended and that a barrier counted as if they had arrived: all of the block's, or, if the barrier has a
/// count, those of the warps that arrived at it. (A thread that arrives, continues and then ends has arrived.)
fn ended_threads(block: &Block, barrier: usize, waiter: LaneAt, step: u64) -> EndedThreads {
    let state = block.barriers[barrier];
    let waits = |group: &&Group| group.wait == Wait::Barrier(barrier as u8);
    let (mut total, mut waiting, mut ended, mut example) = (0, 0, state.ended, None);
    for (w, warp) in block.warps.iter().enumerate() {
        let here: u32 =
            warp.divergence.groups.iter().filter(waits).map(|group| group.mask.count_ones()).sum();
        total += warp.lanes.count_ones();
        waiting += here;
        let lanes = warp.divergence.exited;
        let counts = lanes != 0 && (state.wanted.is_none() || here != 0);
        if counts {
            ended += lanes.count_ones();
        }
        if counts || state.ended_warps >> w & 1 != 0 {
            example = example.or(warp.first_end.map(|(lane, pc)| LaneAt { warp: w, lane, pc }));
        }
    }
    EndedThreads { step, block: block.number, barrier, total, waiting, ended, waiter, example }
}

/// Warns if a barrier completes at which no thread waits, because all threads arrived with `bar.arrive`.
pub fn report_unattended(context: &Context<'_>, findings: &mut Findings, block: &Block, barrier: usize) {
    // A thread that does not wait can be anywhere, and at the end of a function there is no instruction.
    let waits = |group: &Group| {
        let only_arrives = |op| matches!(op, Op::Barrier(Barrier { action: Action::Arrive, .. }));
        group.wait == Wait::Barrier(barrier as u8)
            && !only_arrives(context.program.insts[group.pc as usize].op)
    };
    if !block.warps.iter().flat_map(|warp| &warp.divergence.groups).any(waits) {
        let arrived = block.barriers[barrier].arrived;
        report_arrivals(context, findings, block, barrier, arrived, None);
    }
}

/// Warns of the barriers of a block that has ended at which threads arrived, but which never completed.
pub fn report_incomplete(context: &Context<'_>, findings: &mut Findings, block: &Block) {
    for (barrier, state) in block.barriers.iter().enumerate().filter(|(_, state)| state.arrived != 0) {
        let needed = Some(state.wanted.unwrap_or_default());
        report_arrivals(context, findings, block, barrier, state.arrived, needed);
    }
}

#[cold]
fn report_arrivals(
    context: &Context<'_>,
    findings: &mut Findings,
    block: &Block,
    barrier: usize,
    arrived: u32,
    needed: Option<u32>,
) {
    let Some((warp, lane, pc)) = block.barriers[barrier].last else { return };
    let (step, block, last) = (context.step, block.number, LaneAt { warp, lane, pc });
    findings
        .add(context.program, Finding::Arrivals(Arrivals { step, block, barrier, arrived, needed, last }));
}
