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

use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Findings;
use crate::compile::inst::Pc;
use crate::isa::op::Op;
use crate::isa::op::sync::{Action, Barrier};
use crate::isa::op::warp::{Collective, Got};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Group, Wait};
use crate::report::fault::{Fault, FaultKind, Severity};

/// Lanes that got an undefined value from a shuffle.
struct UndefinedShuffle {
    lanes: u32,
    /// The lane that the first of them read, and why it takes no part.
    source: u32,
    absence: Absence,
}

/// Why a lane that is read takes no part in a shuffle.
enum Absence {
    NoThread,
    Ended,
    /// The membermask does not name it.
    NotMember(u32),
    Inactive,
}

/// A barrier that completed only because threads had ended.
struct EndedThreads {
    barrier: usize,
    /// The threads of the block.
    total: u32,
    /// The threads that wait at the barrier.
    waiting: u32,
    ended: u32,
    /// One that has ended: its warp, its lane, and where it ended.
    example: Option<(usize, u32, Pc)>,
}

/// Arrivals at a barrier that order nothing.
struct Arrivals {
    barrier: usize,
    arrived: u32,
    /// The threads that the barrier would have needed, if it was never complete.
    needed: Option<u32>,
}

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
        let found = UndefinedShuffle { lanes, source, absence };
        let make = || found.fault(context, (block.number, w), group.pc);
        findings.add(context.program, FaultKind::UndefinedShuffle, group.pc, make);
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
        Some((w, group.mask.trailing_zeros(), group.pc))
    };
    let found = ended_threads(block, barrier);
    let Some(waiter) = block.warps.iter().enumerate().find_map(waiter).filter(|_| found.ended != 0) else {
        return;
    };
    let make = || found.fault(context, block.number, waiter);
    findings.add(context.program, FaultKind::BarrierDivergence, waiter.2, make);
}

/// The threads that have ended and that a barrier counted as if they had arrived: all of the block's, or, if the barrier has a
/// count, those of the warps that arrived at it. (A thread that arrives, continues and then ends has arrived.)
fn ended_threads(block: &Block, barrier: usize) -> EndedThreads {
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
            example = example.or(warp.first_end.map(|(lane, pc)| (w, lane, pc)));
        }
    }
    EndedThreads { barrier, total, waiting, ended, example }
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
        report_arrivals(context, findings, block, &Arrivals { barrier, arrived, needed: None });
    }
}

/// Warns of the barriers of a block that has ended at which threads arrived, but which never completed.
pub fn report_incomplete(context: &Context<'_>, findings: &mut Findings, block: &Block) {
    for (barrier, state) in block.barriers.iter().enumerate().filter(|(_, state)| state.arrived != 0) {
        let needed = Some(state.wanted.unwrap_or_default());
        report_arrivals(context, findings, block, &Arrivals { barrier, arrived: state.arrived, needed });
    }
}

#[cold]
fn report_arrivals(context: &Context<'_>, findings: &mut Findings, block: &Block, found: &Arrivals) {
    let Some(last) = block.barriers[found.barrier].last else { return };
    let make = || found.fault(context, block.number, last);
    findings.add(context.program, FaultKind::BarrierDivergence, last.2, make);
}

impl UndefinedShuffle {
    fn fault(&self, context: &Context<'_>, (block, w): (u64, usize), pc: Pc) -> Fault {
        let (lane, source) = (self.lanes.trailing_zeros(), self.source);
        let why = match self.absence {
            Absence::NoThread => "which does not exist in the last warp of the block".to_owned(),
            Absence::Ended => "which has ended".to_owned(),
            Absence::NotMember(members) => format!("which is not in the membermask {members:#010x}"),
            Absence::Inactive => "which is not active here".to_owned(),
        };
        let others = match self.lanes.count_ones() - 1 {
            0 => String::new(),
            1 => "; so is the result of another lane".to_owned(),
            count => format!("; so are the results of {count} other lanes"),
        };
        let message = format!("lane {lane} reads lane {source}, {why}: the result is undefined{others}");
        let actor = context.actor(block, w, lane, pc, format!("read lane {source} here"));
        let fault = fault(FaultKind::UndefinedShuffle, Severity::Error, message, vec![actor]);
        Fault { step: context.step, ..fault }
    }
}

impl EndedThreads {
    fn fault(&self, context: &Context<'_>, block: u64, (w, lane, pc): (usize, u32, Pc)) -> Fault {
        let EndedThreads { barrier, total, waiting, ended, example } = *self;
        let message = format!(
            "barrier {barrier} completed only because {ended} of the block's {total} threads had ended"
        );
        let waited = match waiting {
            1 => "waited here".to_owned(),
            2 => "waited here, with another thread".to_owned(),
            _ => format!("waited here, with {} other threads", waiting - 1),
        };
        let mut actors = vec![context.actor(block, w, lane, pc, waited)];
        if let Some((w, lane, pc)) = example {
            let doing = match ended {
                1 => "had ended here".to_owned(),
                _ => format!("had ended here, one of {ended}"),
            };
            actors.push(context.actor(block, w, lane, pc, doing));
        }
        let fault = fault(FaultKind::BarrierDivergence, Severity::Warning, message, actors);
        Fault { step: context.step, ..fault }
    }
}

impl Arrivals {
    fn fault(&self, context: &Context<'_>, block: u64, (w, lane, pc): (usize, u32, Pc)) -> Fault {
        let Arrivals { barrier, arrived, needed } = *self;
        let message = match needed {
            None => {
                format!("all {arrived} threads of barrier {barrier} only arrived at it: no thread waited")
            }
            Some(needed) => format!(
                "the block ended while {arrived} of {needed} threads had arrived at barrier {barrier}: no thread waited for them"
            ),
        };
        let help = "let the threads that need the results wait at the barrier with `bar.sync`, and compare its count with the \
                    number of threads that arrive";
        let actors = vec![context.actor(block, w, lane, pc, "arrived here last".to_owned())];
        let fault = fault(FaultKind::BarrierDivergence, Severity::Warning, message, actors);
        Fault { step: context.step, help: help.to_owned(), ..fault }
    }
}
