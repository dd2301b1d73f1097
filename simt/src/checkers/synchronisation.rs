//! What the checker of synchronisation reports of a run that goes on: shuffles that read a lane which does not take
//! part, barriers that were complete only because threads had ended, and arrivals for which no thread waited.
//!
//! *What it reports.* The first as an error, because the value is undefined; the second as a warning: the kernel
//! runs, but no longer if the return is moved after another barrier, or if it is compiled for a GPU before Volta. Both
//! are judged when the instruction is carried out, for all lanes or threads that take part, whichever came first. Arrivals
//! (`bar.arrive`) are a warning where they completed a barrier at which no thread waited, and where the block ended before
//! the barrier was complete: they order nothing, so either a thread that should wait does not, or the count is wrong.
//!
//! *What it can miss.* Values that are undefined for other reasons. A lane that reads out of range of its segment gets
//! its own value, which is defined, so that is none of them. Barriers that no thread came to.
//!
//! *No false alarm.* A shuffle is reported only if the lane that is read takes no part in it; whether the value was
//! used, the checker does not ask. A barrier is reported only if a thread that it counts had ended, or if no thread waited
//! for the arrivals at it in this run.

use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Findings;
use crate::compile::inst::Pc;
use crate::isa::op::Op;
use crate::isa::op::sync::{Action, Barrier};
use crate::isa::op::warp::{Collective, Got};
use crate::machine::block::{Block, Warp};
use crate::machine::divergence::{Group, Wait};
use crate::report::fault::{Fault, FaultKind, Severity};

/// What to do about arrivals that order nothing.
const HELP_FOR_ARRIVALS: &str = "let the threads that need the results wait at the barrier with `bar.sync`, and compare its count with the number of threads that arrive";

/// Tells of the lanes that a shuffle gave an undefined value. They still stand at it.
#[cold]
#[inline(never)]
pub fn tell_undefined(
    context: &Context<'_>,
    findings: &mut Findings,
    block: &Block,
    w: usize,
    lanes: u32,
    collective: Collective,
    got: &Got,
) {
    let warp = &block.warps[w];
    for group in warp.divergence.groups.iter().filter(|group| group.mask & lanes & got.undefined != 0) {
        let pc = group.pc;
        let undefined = group.mask & lanes & got.undefined;
        let make = || undefined_shuffle(context, block, w, pc, undefined, collective, got);
        findings.add(context.program, FaultKind::UndefinedShuffle, (pc, pc), |_| false, make);
    }
}

fn undefined_shuffle(
    context: &Context<'_>,
    block: &Block,
    w: usize,
    pc: Pc,
    undefined: u32,
    collective: Collective,
    got: &Got,
) -> Fault {
    let lane = undefined.trailing_zeros();
    let source = got.read[lane as usize];
    let why = why_not(&block.warps[w], source, collective, got.members[lane as usize]);
    let others = match undefined.count_ones() - 1 {
        0 => String::new(),
        1 => "; so is the result of another lane".to_string(),
        count => format!("; so are the results of {count} other lanes"),
    };
    let message = format!("lane {lane} reads lane {source}, {why}: the result is undefined{others}");
    let actor = context.actor(block.number, w, lane, pc, format!("read lane {source} here"));
    let fault = fault(FaultKind::UndefinedShuffle, Severity::Error, message, vec![actor]);
    Fault { step: context.step, ..fault }
}

/// Warns of a barrier that is complete, if it is so only because threads had ended. Who waits still stands there.
#[inline(never)]
pub fn tell_ended(context: &Context<'_>, findings: &mut Findings, block: &Block, number: usize) {
    let ended = ended_threads(block, number);
    let waits = Wait::Barrier(number as u8);
    let waiting = |warp: &Warp| {
        let group = warp.divergence.groups.iter().find(|group| group.wait == waits)?;
        Some((group.pc, group.mask.trailing_zeros()))
    };
    let waiter = block.warps.iter().enumerate().find_map(|(w, warp)| Some((w, waiting(warp)?)));
    let Some((w, (pc, lane))) = waiter.filter(|_| ended.threads != 0) else { return };
    let make = || {
        let total: u32 = block.warps.iter().map(|warp| warp.lanes.count_ones()).sum();
        let threads = ended.threads;
        let message = format!(
            "barrier {number} completed only because {threads} of the block's {total} threads had ended"
        );
        let mut actors = vec![context.actor(block.number, w, lane, pc, waited(block, waits))];
        if let Some((w, lane, pc)) = ended.example {
            let doing = match threads {
                1 => "had ended here".to_string(),
                _ => format!("had ended here, one of {threads}"),
            };
            actors.push(context.actor(block.number, w, lane, pc, doing));
        }
        let fault = fault(FaultKind::BarrierDivergence, Severity::Warning, message, actors);
        Fault { step: context.step, ..fault }
    };
    findings.add(context.program, FaultKind::BarrierDivergence, (pc, pc), |_| false, make);
}

/// Warns of a barrier that is complete where nobody waits: all came by `bar.arrive`.
pub fn tell_unattended(context: &Context<'_>, findings: &mut Findings, block: &Block, number: usize) {
    // Who does not wait may stand anywhere, and at the end of a function there is no instruction.
    let waits = |group: &Group| {
        let only_arrives = |op| matches!(op, Op::Barrier(Barrier { action: Action::Arrive, .. }));
        group.wait == Wait::Barrier(number as u8)
            && !only_arrives(context.program.insts[group.pc as usize].op)
    };
    if block.warps.iter().flat_map(|warp| &warp.divergence.groups).any(waits) {
        return;
    }
    let arrived = block.barriers[number].arrived;
    let message = format!("all {arrived} threads of barrier {number} only arrived at it: no thread waited");
    tell_arrivals(context, findings, block, number, &message);
}

/// Warns of barriers at which threads arrived, in a block that has ended, and that were never complete.
pub fn tell_pending(context: &Context<'_>, findings: &mut Findings, block: &Block) {
    for (number, state) in block.barriers.iter().enumerate().filter(|(_, state)| state.arrived != 0) {
        let (arrived, wanted) = (state.arrived, state.wanted.unwrap_or_default());
        let message = format!(
            "the block ended while {arrived} of {wanted} threads had arrived at barrier {number}: no thread waited for them"
        );
        tell_arrivals(context, findings, block, number, &message);
    }
}

/// Warns of arrivals at a barrier, the last of which is named.
#[cold]
fn tell_arrivals(
    context: &Context<'_>,
    findings: &mut Findings,
    block: &Block,
    number: usize,
    message: &str,
) {
    let Some((w, lane, pc)) = block.barriers[number].last else { return };
    let make = || {
        let actors = vec![context.actor(block.number, w, lane, pc, "arrived here last".to_owned())];
        let kind = FaultKind::BarrierDivergence;
        let fault = fault(kind, Severity::Warning, message.to_owned(), actors);
        Fault { step: context.step, help: HELP_FOR_ARRIVALS.to_owned(), ..fault }
    };
    findings.add(context.program, FaultKind::BarrierDivergence, (pc, pc), |_| false, make);
}

/// Why a lane that is read takes no part.
fn why_not(warp: &Warp, source: u32, collective: Collective, members: u32) -> String {
    let bit = 1 << source;
    if warp.lanes & bit == 0 {
        "which does not exist in the last warp of the block".to_string()
    } else if warp.divergence.exited & bit != 0 {
        "which has ended".to_string()
    } else if collective.sync {
        format!("which is not in the membermask {members:#010x}")
    } else {
        "which is not active here".to_string()
    }
}

fn waited(block: &Block, waits: Wait) -> String {
    let groups = block.warps.iter().flat_map(|warp| &warp.divergence.groups);
    let threads: u32 = groups.filter(|group| group.wait == waits).map(|group| group.mask.count_ones()).sum();
    match threads {
        1 => "waited here".to_string(),
        2 => "waited here, with another thread".to_string(),
        _ => format!("waited here, with {} other threads", threads - 1),
    }
}

/// Threads that a barrier would have waited for.
struct Ended {
    threads: u32,
    /// One of them: its warp, its lane, and where it ended.
    example: Option<(usize, u32, Pc)>,
}

/// The threads that have ended and that a barrier counted as if they had come: all of the block's, or, where the barrier
/// has a count, those of the warps that came to it. (Who arrives, goes on and then ends has come.)
fn ended_threads(block: &Block, number: usize) -> Ended {
    let state = block.barriers[number];
    let waits =
        |warp: &Warp| warp.divergence.groups.iter().any(|group| group.wait == Wait::Barrier(number as u8));
    let mut ended = Ended { threads: state.ended, example: None };
    for (w, warp) in block.warps.iter().enumerate() {
        let lanes = warp.divergence.exited;
        let counts = lanes != 0 && (state.wanted.is_none() || waits(warp));
        if counts {
            ended.threads += lanes.count_ones();
        }
        if counts || state.ended_warps >> w & 1 != 0 {
            ended.example = ended.example.or(warp.first_end.map(|(lane, pc)| (w, lane, pc)));
        }
    }
    ended
}
