//! Describes races: which bytes, which two threads at which instructions, and what helps.

use crate::checkers::context::{Context, fault};
use crate::checkers::races::finding::{Circumstance, Race};
use crate::checkers::races::shadow::list::OpKind;
use crate::checkers::races::{Conflict, Overflow, RaceCause};
use crate::isa::op::Op;
use crate::order::Space;
use crate::report::fault::{Fault, FaultKind, Severity};
use crate::report::location::AccessKind;

/// An access that may race with one that the checker has forgotten.
pub fn overflow(context: &Context<'_>, overflow: &Overflow) -> Fault {
    let Overflow { now, now_pc, now_kind, step, .. } = *overflow;
    let range = context.describe(overflow.range);
    let message = format!(
        "there are more accesses to {range} than the race checker can remember, and one that it has forgotten may \
         race with this one"
    );
    let access = access(now_kind);
    let now = context.actor_at(now, now_pc, format!("{} here", access.past())).with(access);
    let location = Some(context.location(overflow.range));
    let help = "launch fewer threads, or let fewer of them access these bytes at a time".to_owned();
    Fault { location, step, help, ..fault(FaultKind::Race, Severity::Note, message, vec![now]) }
}

/// A race.
pub fn race(context: &Context<'_>, race: &Race) -> Fault {
    let Race { conflict, circumstance, step, .. } = *race;
    let range = context.describe(conflict.range);
    let reader = Reader::of(context, &conflict);
    let message = format!("{range} {}", message(&conflict, circumstance, reader));
    let (now, before) = (access(conflict.now_kind), access(conflict.before_kind));
    let did = |access: AccessKind, pc| match context.program.insts[pc as usize].op {
        Op::Bulk(_) => format!("started the bulk copy here that {} them", access.past()),
        Op::Warpgroup(_) => "started the matrix product here that reads them".to_owned(),
        _ => format!("{} here", access.past()),
    };
    let (second, first) =
        (did(now, conflict.now_pc), format!("{}, earlier", did(before, conflict.before_pc)));
    let second = context.actor_at(conflict.now, conflict.now_pc, second).with(now);
    let first = context.actor_at(conflict.before, conflict.before_pc, first).with(before);
    let location = Some(context.location(conflict.range));
    let is_same_line = match (&first.site.source, &second.site.source) {
        (Some(first), Some(second)) => first == second,
        _ => first.site.ptx_line == second.site.ptx_line,
    };
    let help = help(&conflict, circumstance, is_same_line, reader).to_string();
    Fault { location, step, help, ..fault(race.kind(), race.severity(), message, vec![second, first]) }
}

/// Who of the two is no thread, or what else the instructions say about their accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Nobody.
    Threads,
    /// Nobody, and both are atomic, but one not on a GPU.
    Split,
    /// A bulk copy.
    Copy,
    /// The matrix product of a warpgroup.
    Product,
}

impl Reader {
    fn of(context: &Context<'_>, conflict: &Conflict) -> Reader {
        let ops = [conflict.before_pc, conflict.now_pc].map(|pc| context.program.insts[pc as usize].op);
        let is_any = |is: fn(&Op) -> bool| ops.iter().any(is);
        if is_any(|op| matches!(op, Op::Warpgroup(_))) {
            Reader::Product
        } else if is_any(|op| matches!(op, Op::Bulk(_))) {
            Reader::Copy
        } else if ops.iter().all(|op| matches!(op, Op::Atomic(_)))
            && is_any(|op| matches!(op, Op::Atomic(atomic) if atomic.is_split_at_a_peer()))
        {
            Reader::Split
        } else {
            Reader::Threads
        }
    }
}

fn message(conflict: &Conflict, circumstance: Circumstance, reader: Reader) -> String {
    let did = match (conflict.before_kind, conflict.now_kind) {
        (OpKind::Store, OpKind::Store) => "written twice",
        (OpKind::Update, OpKind::Update) => "updated twice",
        (OpKind::Store, OpKind::Update) | (OpKind::Update, OpKind::Store) => "written and updated",
        (OpKind::Update, OpKind::Load) | (OpKind::Load, OpKind::Update) => "updated and read",
        _ => "written and read",
    };
    let two = format!("{} {did}", if conflict.range.bytes == 1 { "is" } else { "are" });
    match conflict.cause {
        RaceCause::Scope => {
            format!("{two} atomically, but the scope of one access does not include the other's block")
        }
        RaceCause::Proxy => {
            let reader = if reader == Reader::Product { "matrix product" } else { "bulk copy" };
            format!("{two}, and no proxy fence is between the store and the {reader} that reads them")
        }
        RaceCause::Overlap => format!("{two} by atomic accesses that overlap only partly"),
        RaceCause::ReadOnly => {
            format!("{two} in one launch, but the load promised that no thread writes them")
        }
        RaceCause::Unordered if reader == Reader::Split => format!(
            "{two} by atomic operations, and one of them is not atomic on an H200: of 64 bits in the shared memory of another block, \
             ptxas 12.9 and 13.0 make a load, an operation and a store"
        ),
        RaceCause::Unordered if conflict.same_value => {
            format!("{two} with the same value, and nothing orders the two stores")
        }
        RaceCause::Volatile => {
            let is_atomic = conflict.before_kind == OpKind::Update || conflict.now_kind == OpKind::Update;
            let how = if is_atomic { ", once as `volatile` and once by an atomic" } else { " as `volatile`" };
            format!("{two}{how}, and nothing orders the two accesses: a race in CUDA C++, though not in PTX")
        }
        RaceCause::Unordered => match circumstance {
            Circumstance::Lockstep => {
                format!("{two}, and only lockstep orders the two accesses: from sm_70 on, nothing does")
            }
            Circumstance::Guess => {
                format!(
                    "{two}, and nothing orders the two accesses, but the plain load only guesses, and the atomic decides"
                )
            }
            Circumstance::Ended => {
                format!(
                    "{two}, and the barrier in between orders only the threads that arrive at it: the first thread had ended"
                )
            }
            Circumstance::Fences => {
                format!(
                    "{two}, and only two `fence.sc` could order the two accesses: in the order in which the fences ran, nothing does"
                )
            }
            Circumstance::Flag | Circumstance::Nothing => {
                format!("{two}, and nothing orders the two accesses")
            }
        },
    }
}

fn access(kind: OpKind) -> AccessKind {
    match kind {
        OpKind::Load => AccessKind::Read,
        OpKind::Store => AccessKind::Write,
        OpKind::Update => AccessKind::Update,
    }
}

/// What to do about the race, which depends on how far apart the two threads are.
fn help(conflict: &Conflict, circumstance: Circumstance, is_same_line: bool, reader: Reader) -> &'static str {
    let (one, other) = (conflict.before.thread, conflict.now.thread);
    let same_warp = one.block == other.block && one.number / 32 == other.number / 32;
    match conflict.cause {
        RaceCause::Unordered if reader == Reader::Product => {
            "wait for the product first, with `wgmma.commit_group` and `wgmma.wait_group`, and tell the threads or the copy that \
             overwrite what it reads; and let a barrier come between stores and the product that reads them"
        }
        RaceCause::Unordered if reader == Reader::Copy => {
            "wait for the copy first: at the phase of its mbarrier, or, if it has none, with `cp.async.bulk.commit_group` and \
             `cp.async.bulk.wait_group`; and let a barrier come before a copy that reads or overwrites what others use"
        }
        RaceCause::Unordered if reader == Reader::Split => {
            "use 32 bits, or a loop with `atomicCAS`, which is atomic there as `atomicAdd` and `atomicExch` of 64 bits are"
        }
        _ if conflict.same_value => {
            "harmless as long as all threads store the same value; if this is not intended, let one thread store"
        }
        RaceCause::Scope => {
            "widen the scope to all threads that access the bytes: `__threadfence()` for `__threadfence_block()`, \
             `atomicAdd()` for `atomicAdd_block()`"
        }
        RaceCause::Volatile if one.block != other.block => {
            "`volatile` does not order accesses: use atomics, or, if this is a flag that one thread sets, `__threadfence()` before \
             it is set and after it is read"
        }
        RaceCause::Volatile => {
            "`volatile` does not order accesses: put `__syncwarp()` or `__syncthreads()` between the two, or a fence on both \
             sides of a flag"
        }
        RaceCause::Unordered if circumstance == Circumstance::Guess => {
            "look first with an atomic too, as in `atomicAdd(p, 0)` or `load` of `cuda::atomic_ref`, or with `volatile`: a compiler may \
             repeat a plain load or keep an old value, and larger ones may be torn"
        }
        RaceCause::Unordered if circumstance == Circumstance::Ended => {
            "let the thread skip the work but not the barrier: return after the barrier"
        }
        RaceCause::Unordered if circumstance == Circumstance::Fences => {
            "put `__threadfence()` before the flag or ticket is written and after it is read, each in the thread that does so"
        }
        RaceCause::Unordered if circumstance == Circumstance::Flag => {
            "the two threads both use a flag or a lock, but a relaxed or `volatile` access to it orders no other data: set or \
             release it with `memory_order_release` and read or take it with `memory_order_acquire`, or put `__threadfence()` \
             before the one and after the other"
        }
        RaceCause::Proxy => {
            "after the stores, put `fence.proxy.async` in the threads that stored, then the barrier, then what reads them"
        }
        RaceCause::Overlap => "access the bytes with the same size and alignment everywhere",
        RaceCause::ReadOnly => "load without `__ldg` or `const __restrict__`, or write to other memory",
        RaceCause::Unordered if same_warp && conflict.before_pc == conflict.now_pc => {
            "let one lane do it, or use an atomic: the lanes of one instruction have no order"
        }
        RaceCause::Unordered if same_warp => {
            "put `__syncwarp()` between the two accesses, or `__syncthreads()` if other warps take part; a counter needs an atomic"
        }
        RaceCause::Unordered if one.block == other.block => {
            "put `__syncthreads()` between the two accesses; a counter needs an atomic"
        }
        RaceCause::Unordered if matches!(conflict.range.space, Space::Shared(_)) => {
            "put a barrier of the cluster between the two accesses: `cluster.sync()`"
        }
        // Often each thread was to have an element of its own.
        RaceCause::Unordered if is_same_line => {
            "two blocks use the same bytes here: if each thread is to have its own, correct the index (a loop over all elements \
             takes steps of `gridDim.x * blockDim.x`); if not, use an atomic, or a lock with `__threadfence()` on both sides"
        }
        RaceCause::Unordered => {
            "blocks run in no particular order: use an atomic, a flag with `__threadfence()` on both sides, or a second kernel"
        }
    }
}
