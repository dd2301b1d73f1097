//! From a race that was found to a [`Fault`] that a reader understands: which bytes, who, where, and what puts it right;
//! and from a load that the weak memory answered with an older store to a [`StaleRead`].

use crate::checkers::context::{Context, fault};
use crate::checkers::findings::Findings;
use crate::checkers::races::shadow::Kind;
use crate::checkers::races::{Conflict, Overflow, Why};
use crate::checkers::watch::weak::Stale;
use crate::checkers::watch::{Besides, Found, Watch};
use crate::machine::registers::WARP_SIZE;
use crate::order::Stamp;
use crate::report::fault::{Actor, Fault, FaultKind, Severity, StaleRead};
use crate::report::location::AccessKind;

/// Adds the races that were found to the findings, and returns what the weak memory has to tell.
pub fn add(context: &Context<'_>, watch: &mut Watch, findings: &mut Findings) -> Vec<StaleRead> {
    let all = watch.take_found();
    let is_told =
        |pc: u32| all.iter().any(|found| [found.conflict.before_pc, found.conflict.now_pc].contains(&pc));
    // What races with the accesses that are remembered has been told.
    let overflows: Vec<Overflow> =
        watch.take_overflows().into_iter().filter(|overflow| !is_told(overflow.now_pc)).collect();
    for found in &all {
        let places = (found.conflict.before_pc, found.conflict.now_pc);
        findings.add_counted(context.program, places, told(context, found));
    }
    for overflow in &overflows {
        findings.add_counted(
            context.program,
            (overflow.now_pc, overflow.now_pc),
            forgotten(context, overflow),
        );
    }
    watch.take_stale().iter().map(|stale| stale_read(context, stale)).collect()
}

/// Tells a load that returned an older store than the last one.
fn stale_read(context: &Context<'_>, stale: &Stale) -> StaleRead {
    let (got, place) = (stale.got, context.place(stale.place));
    let (location, newest) = (context.location(stale.place), stale.last);
    let reader = actor(context, stale.reader, stale.reader_pc, format!("read {got:#x}"));
    let reader = reader.with(AccessKind::Read);
    if stale.is_late {
        let newer = actor(
            context,
            stale.newer,
            stale.newer_pc,
            "executed this store earlier, but it took effect later".to_owned(),
        );
        let value = stale.last.map_or(String::new(), |last| format!(" of {last:#x}"));
        let message = format!(
            "a load of {place} returned {got:#x}: another thread had already executed a store{value}, but nothing orders it \
             before what that thread did next, so it may take effect later"
        );
        let count = stale.count;
        return StaleRead { message, location, returned: got, newest, reader, newer, is_late: true, count };
    }
    let newer = actor(context, stale.newer, stale.newer_pc, "had stored here".to_owned());
    let last = stale.last.unwrap_or(got);
    let message = format!(
        "a load of {place} returned {got:#x}, although {last:#x} had been stored there: nothing orders that store \
         before the load, so an older value may be returned"
    );
    StaleRead { message, location, returned: got, newest, reader, newer, is_late: false, count: stale.count }
}

/// Tells of an access that may race with one for which there was no room.
fn forgotten(context: &Context<'_>, overflow: &Overflow) -> Fault {
    let Overflow { now, now_pc, now_kind, step, count, .. } = *overflow;
    let place = context.place(overflow.place);
    let message = format!(
        "there are more accesses to {place} than the race checker can remember, and one that it has forgotten may \
         race with this one"
    );
    let access = access(now_kind);
    let now = actor(context, now, now_pc, format!("{} here", access.past())).with(access);
    let location = Some(context.location(overflow.place));
    let help = "launch fewer threads, or let fewer of them access these bytes at a time".to_owned();
    Fault { location, step, count, help, ..fault(FaultKind::Race, Severity::Note, message, vec![now]) }
}

/// Tells a race. Where only lockstep orders the two it is a warning, and so it is where the first had ended before a barrier:
/// the specification has a barrier order the threads that take part in it, and no GPU lets it do less. What another block
/// reads after such a barrier is told as an error: the warning goes no further than the block.
pub fn told(context: &Context<'_>, found: &Found) -> Fault {
    let Found { conflict, besides, step, count } = *found;
    let severity = match besides {
        _ if conflict.same_value || conflict.why == Why::Volatile => Severity::Note,
        Besides::Lockstep | Besides::Ended => Severity::Warning,
        _ => Severity::Error,
    };
    let kind = if conflict.why == Why::Volatile { FaultKind::VolatileRace } else { FaultKind::Race };
    let place = context.place(conflict.place);
    let message = format!("{place} {}", what(&conflict, besides));
    let (now, before) = (access(conflict.now_kind), access(conflict.before_kind));
    let (second, first) = (format!("{} here", now.past()), format!("{} here, earlier", before.past()));
    let second = actor(context, conflict.now, conflict.now_pc, second).with(now);
    let first = actor(context, conflict.before, conflict.before_pc, first).with(before);
    let location = Some(context.location(conflict.place));
    let help = help(&conflict, besides).to_string();
    Fault { location, step, count, help, ..fault(kind, severity, message, vec![second, first]) }
}

fn what(conflict: &Conflict, besides: Besides) -> String {
    let did = match (conflict.before_kind, conflict.now_kind) {
        (Kind::Store, Kind::Store) => "written twice",
        (Kind::Update, Kind::Update) => "updated twice",
        (Kind::Store, Kind::Update) | (Kind::Update, Kind::Store) => "written and updated",
        (Kind::Update, Kind::Load) | (Kind::Load, Kind::Update) => "updated and read",
        _ => "written and read",
    };
    let two = format!("{} {did}", if conflict.place.bytes == 1 { "is" } else { "are" });
    match conflict.why {
        Why::Scope => {
            format!("{two} atomically, but the scope of one access does not include the other's block")
        }
        Why::Overlap => format!("{two} by atomic accesses that overlap only partly"),
        Why::ReadOnly => format!("{two} in one launch, but the load promised that no thread writes them"),
        Why::Unordered if conflict.same_value => {
            format!("{two} with the same value, and nothing orders the two stores")
        }
        Why::Volatile => {
            format!(
                "{two} as `volatile`, and nothing orders the two accesses: a race in CUDA C++, though not in PTX"
            )
        }
        Why::Unordered => match besides {
            Besides::Lockstep => {
                format!("{two}, and only lockstep orders the two accesses: from sm_70 on, nothing does")
            }
            Besides::Ended => {
                format!(
                    "{two}, and the barrier in between orders only the threads that arrive at it: the first thread had ended"
                )
            }
            Besides::Fences => {
                format!(
                    "{two}, and only two `fence.sc` could order the two accesses: in the order in which the fences ran, nothing does"
                )
            }
            Besides::Flag | Besides::Nothing => format!("{two}, and nothing orders the two accesses"),
        },
    }
}

fn access(kind: Kind) -> AccessKind {
    match kind {
        Kind::Load => AccessKind::Read,
        Kind::Store => AccessKind::Write,
        Kind::Update => AccessKind::Update,
    }
}

fn actor(context: &Context<'_>, stamp: Stamp, pc: u32, doing: String) -> Actor {
    let number = u32::from(stamp.thread.number);
    let (warp, lane) = (number / WARP_SIZE as u32, number % WARP_SIZE as u32);
    context.actor(u64::from(stamp.thread.block), warp as usize, lane, pc, doing)
}

/// What puts the race right, which depends on how far apart the two are.
fn help(conflict: &Conflict, besides: Besides) -> &'static str {
    let (one, other) = (conflict.before.thread, conflict.now.thread);
    let same_warp = one.block == other.block && one.number / 32 == other.number / 32;
    match conflict.why {
        _ if conflict.same_value => {
            "harmless as long as all threads store the same value; if this is not intended, let one thread store"
        }
        Why::Scope => {
            "widen the scope to all threads that access the bytes: `__threadfence()` for `__threadfence_block()`, \
             `atomicAdd()` for `atomicAdd_block()`"
        }
        Why::Volatile => {
            "`volatile` does not order accesses: put `__syncwarp()` or `__syncthreads()` between the two, or a fence on both \
             sides of a flag"
        }
        Why::Unordered if besides == Besides::Ended => {
            "let the thread skip the work but not the barrier: return after the barrier"
        }
        Why::Unordered if besides == Besides::Fences => {
            "put `__threadfence()` before the flag or ticket is written and after it is read, each in the thread that does so"
        }
        Why::Unordered if besides == Besides::Flag => {
            "the two threads both use a flag or a lock, but a relaxed or `volatile` access to it orders no other data: set or \
             release it with `memory_order_release` and read or take it with `memory_order_acquire`, or put `__threadfence()` \
             before the one and after the other"
        }
        Why::Overlap => "access the bytes with the same size and alignment everywhere",
        Why::ReadOnly => "load without `__ldg` or `const __restrict__`, or write to other memory",
        Why::Unordered if same_warp && conflict.before_pc == conflict.now_pc => {
            "let one lane do it, or use an atomic: the lanes of one instruction have no order"
        }
        Why::Unordered if same_warp => {
            "put `__syncwarp()` between the two accesses, or `__syncthreads()` if other warps take part; a counter needs an atomic"
        }
        Why::Unordered if one.block == other.block => {
            "put `__syncthreads()` between the two accesses; a counter needs an atomic"
        }
        Why::Unordered => {
            "blocks run in no particular order: use an atomic, a flag with `__threadfence()` on both sides, or a second kernel"
        }
    }
}
