//! Describes what the synchronisation checker has found.

use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Finding;
use crate::checkers::synchronisation::finding::{
    Absence, Arrivals, CopyAtEnd, EndedThreads, LaneAt, UndefinedShuffle,
};
use crate::report::fault::{Actor, Fault, FaultKind, Severity};

/// A shuffle that gives lanes an undefined value.
pub fn undefined_shuffle(context: &Context<'_>, found: &UndefinedShuffle) -> Fault {
    let UndefinedShuffle { step, block, warp, pc, lanes, source, absence } = *found;
    let lane = lanes.trailing_zeros();
    let why = match absence {
        Absence::NoThread => "which does not exist in the last warp of the block".to_owned(),
        Absence::Ended => "which has ended".to_owned(),
        Absence::NotMember(members) => format!("which is not in the membermask {members:#010x}"),
        Absence::Inactive => "which is not active here".to_owned(),
    };
    let others = match lanes.count_ones() - 1 {
        0 => String::new(),
        1 => "; so is the result of another lane".to_owned(),
        count => format!("; so are the results of {count} other lanes"),
    };
    let message = format!("lane {lane} reads lane {source}, {why}: the result is undefined{others}");
    let actor = context.actor(block, warp, lane, pc, format!("read lane {source} here"));
    Fault { step, ..fault(FaultKind::UndefinedShuffle, Severity::Error, message, vec![actor]) }
}

/// A barrier that completed only because threads had ended.
pub fn ended_threads(context: &Context<'_>, found: &EndedThreads) -> Fault {
    let EndedThreads { step, block, barrier, total, waiting, ended, waiter, example } = *found;
    let message =
        format!("barrier {barrier} completed only because {ended} of the block's {total} threads had ended");
    let waited = match waiting {
        1 => "waited here".to_owned(),
        2 => "waited here, with another thread".to_owned(),
        _ => format!("waited here, with {} other threads", waiting - 1),
    };
    let mut actors = vec![actor(context, block, waiter, waited)];
    if let Some(example) = example {
        let doing = match ended {
            1 => "had ended here".to_owned(),
            _ => format!("had ended here, one of {ended}"),
        };
        actors.push(actor(context, block, example, doing));
    }
    Fault { step, ..fault(FaultKind::BarrierDivergence, Severity::Warning, message, actors) }
}

/// Arrivals at a barrier for which no thread waited.
pub fn arrivals(context: &Context<'_>, found: &Arrivals) -> Fault {
    let Arrivals { step, block, barrier, arrived, needed, last } = *found;
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
    let actors = vec![actor(context, block, last, "arrived here last".to_owned())];
    let fault = fault(FaultKind::BarrierDivergence, Severity::Warning, message, actors);
    Fault { step, help: help.to_owned(), ..fault }
}

/// A bulk copy for which nobody had waited when its block ended.
pub fn copy_at_end(context: &Context<'_>, found: &CopyAtEnd) -> Fault {
    let CopyAtEnd { step, block, starter, has_object } = *found;
    let message =
        "the block ended while a bulk copy was using its shared memory, which another block may get"
            .to_owned();
    let help = if has_object {
        "wait for the phase of the copy's mbarrier before the block ends"
    } else {
        "wait for the copy with `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read` before its thread ends"
    };
    let actors = vec![actor(context, block, starter, "started the copy here".to_owned())];
    let severity = Finding::CopyAtEnd(*found).class().1;
    Fault { step, help: help.to_owned(), ..fault(FaultKind::Race, severity, message, actors) }
}

fn actor(context: &Context<'_>, block: u64, at: LaneAt, doing: String) -> Actor {
    context.actor(block, at.warp, at.lane, at.pc, doing)
}
