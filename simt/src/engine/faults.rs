//! From what stopped a launch to a [`Fault`] that a reader understands: who, where, why, and what to look at.

use super::access::{Denied, Why};
use super::livelock::Spin;
use super::program::Pc;
use super::run::{Run, Stop};
use super::waits;
use crate::fault::{Actor, Fault, FaultKind, Severity};
use crate::isa::Op;
use crate::isa::mbarrier::{MAX_COUNT, Misuse};
use crate::isa::memory::Memory;
use crate::machine::block::Block;
use crate::machine::divergence::Group;
use crate::machine::global::Miss;
use crate::machine::registers::WARP_SIZE;

/// A fault of some lanes at one instruction; the lowest of them is named.
pub fn at_lanes(
    run: &Run<'_>,
    block: &Block,
    w: usize,
    pc: Pc,
    lanes: u32,
    kind: FaultKind,
    message: &str,
) -> Stop {
    let doing = match lanes.count_ones() {
        1 => "stopped here".to_string(),
        2 => "stopped here, with another lane".to_string(),
        count => format!("stopped here, with {} other lanes", count - 1),
    };
    let actor = actor(run, block, w, lanes.trailing_zeros(), pc, doing);
    stop(kind, message.to_string(), vec![actor])
}

/// An access that memory denied.
pub fn denied(run: &Run<'_>, block: &Block, w: usize, pc: Pc, denied: &Denied) -> Stop {
    let verb = verb(run.program.insts[pc as usize].op);
    // The message says which bytes of the memory these are. Its address may count from elsewhere.
    let doing = match denied.why {
        Why::PastEnd(_) => format!("{verb} {} bytes", denied.bytes),
        _ => format!("{verb} {} bytes at {:#x}", denied.bytes, denied.address),
    };
    let actor = actor(run, block, w, denied.lane as u32, pc, doing);
    let (kind, message) = why(run, denied);
    let mut fault = fault(kind, Severity::Error, message, vec![actor]);
    if matches!(denied.why, Why::PastEnd(_))
        && denied.memory == Memory::Shared
        && run.launch.shared_bytes == 0
    {
        fault.help += ", or, if the array is `extern`, ask for enough dynamic shared memory at the launch";
    }
    Stop::Fault(Box::new(fault))
}

/// What an instruction that goes to memory did there.
pub fn verb(op: Op) -> &'static str {
    match op {
        Op::Load(_) => "read",
        Op::Store(_) => "wrote",
        Op::Mbarrier(_) => "used",
        _ => "updated",
    }
}

fn why(run: &Run<'_>, denied: &Denied) -> (FaultKind, String) {
    let bytes = denied.bytes;
    match denied.why {
        Why::Missed(Miss::Null) => {
            (FaultKind::Null, format!("the address {:#x} is null or close to null", denied.address))
        }
        Why::Missed(Miss::Wild) => (
            FaultKind::OutOfBounds,
            format!("the address {:#x} is in no allocation, nor close to one", denied.address),
        ),
        Why::Missed(Miss::Constant { region }) => {
            let name = &run.global.region(region).name;
            (FaultKind::ReadOnly, format!("`{name}` is in constant memory, which a kernel cannot write to"))
        }
        Why::Missed(Miss::Freed { region }) => {
            (FaultKind::UseAfterFree, format!("`{}` has been freed", run.global.region(region).name))
        }
        Why::Missed(Miss::Outside { region, offset }) => {
            let region = run.global.region(region);
            (FaultKind::OutOfBounds, outside(&region.name, region.bytes, offset, bytes))
        }
        Why::PastEnd(size) => {
            let gap = gap(run, denied.memory);
            let offset = denied.address.saturating_sub(gap) as i64;
            let message = outside(memory_name(denied.memory), size.saturating_sub(gap), offset, bytes);
            (FaultKind::OutOfBounds, message)
        }
        Why::Misaligned => {
            let message = format!(
                "the address {:#x} is not a multiple of {bytes} bytes, the size of the access",
                denied.address
            );
            (FaultKind::Misaligned, message)
        }
        Why::ReadOnly => {
            (FaultKind::ReadOnly, format!("{} cannot be written to", memory_name(denied.memory)))
        }
        Why::Mbarrier(misuse) => (FaultKind::BadMbarrier, misused(misuse)),
        Why::NoAtomics => (
            FaultKind::ReadOnly,
            format!("{} cannot be updated by atomic operations", memory_name(denied.memory)),
        ),
    }
}

/// What somebody did to an mbarrier that nobody may do.
fn misused(misuse: Misuse) -> String {
    match misuse {
        Misuse::NoObject => {
            "there is no mbarrier here: none has been initialised, or it has been invalidated".to_owned()
        }
        Misuse::IsThere => "there is an mbarrier here already, which has not been invalidated".to_owned(),
        Misuse::Count(count) => {
            format!("the count of an mbarrier must be from 1 to {MAX_COUNT}, and this one is {count}")
        }
        Misuse::TooMany { count, pending } => {
            format!("{count} arrivals at an mbarrier whose current phase expects only {pending} more")
        }
        Misuse::Completes => "an arrival with `.noComplete` would complete the phase".to_owned(),
        Misuse::Transactions(sum) => {
            format!("an mbarrier can count up to {MAX_COUNT} transactions, and these would make {sum}")
        }
        Misuse::Stale => {
            "the state belongs neither to the mbarrier's current phase nor to the one before".to_owned()
        }
        Misuse::Plain => {
            "these bytes are part of an mbarrier, which only `mbarrier` operations may access".to_owned()
        }
        Misuse::NotShared => "an mbarrier must be in shared memory".to_owned(),
    }
}

/// What a launch asks for lies behind the static part of the module's largest kernel. Nobody who reads a message knows of
/// the gap that this leaves behind the static part of a smaller one.
fn gap(run: &Run<'_>, memory: Memory) -> u64 {
    let own = run.program.functions[run.kernel as usize].shared_bytes;
    let has_gap = memory == Memory::Shared && run.launch.shared_bytes > 0;
    if has_gap { run.program.dynamic_shared.saturating_sub(own) } else { 0 }
}

/// An access that is not inside `name`: both its bytes and those that exist are counted from the start, so that the two
/// numbers can be compared.
fn outside(name: &str, size: u64, offset: i64, bytes: u64) -> String {
    let whole = match size {
        0 => "0 bytes".to_owned(),
        1 => "1 byte (0)".to_owned(),
        _ => format!("{size} bytes (0 to {})", size - 1),
    };
    let last = offset.saturating_add_unsigned(bytes.saturating_sub(1));
    let touched = if bytes == 1 { format!("byte {offset}") } else { format!("bytes {offset} to {last}") };
    match offset {
        ..0 => format!("{} bytes before the start of `{name}`, which has {whole}", offset.unsigned_abs()),
        _ if offset as u64 >= size => {
            let far = match offset as u64 - size {
                0 => "just".to_owned(),
                bytes => format!("{bytes} bytes"),
            };
            format!("{far} past the end of `{name}`, which has {whole}: {touched}")
        }
        _ => format!("{touched} of `{name}`, which has {whole}"),
    }
}

fn memory_name(memory: Memory) -> &'static str {
    match memory {
        Memory::Shared => "shared memory",
        Memory::Local | Memory::Frame => "local memory",
        Memory::Param => "the kernel's parameters",
        Memory::Const => "constant memory",
        Memory::Global | Memory::Generic => "global memory",
    }
}

/// Lanes of one warp that met at a barrier by two instructions.
pub fn two_barriers(run: &Run<'_>, block: &Block, w: usize, one: &Group, other: &Group) -> Stop {
    let actor_of = |group: &Group| {
        let doing = format!("waits here with lanes {:#010x}", group.mask);
        actor(run, block, w, group.mask.trailing_zeros(), group.pc, doing)
    };
    let message = "lanes of one warp arrived at a barrier through different instructions".to_string();
    stop(FaultKind::BarrierDivergence, message, vec![actor_of(one), actor_of(other)])
}

/// Nobody can go on.
pub fn deadlock(run: &Run<'_>, blocks: &[Block]) -> Stop {
    let (waiters, count) = waits::all_waiters(run, blocks);
    let message =
        format!("{}, and no thread can make progress{}", counted(count, "waits", "wait"), not_resident(run));
    stop(FaultKind::Deadlock, message, waiters)
}

/// Everybody in a block waits, some for phases of mbarriers.
pub fn stalled(run: &Run<'_>, block: &Block) -> Stop {
    let (actors, count) = waits::at_mbarriers(run, block);
    let message = format!(
        "{} for a phase of an mbarrier, and no thread is left that could complete it",
        counted(count, "waits", "wait")
    );
    stop(FaultKind::Deadlock, message, actors)
}

fn counted(count: usize, does: &str, do_: &str) -> String {
    if count == 1 { format!("1 group of lanes {does}") } else { format!("{count} groups of lanes {do_}") }
}

/// Everybody who can run goes round in a loop that changes nothing.
pub fn livelock(run: &Run<'_>, blocks: &[Block], spins: &[Spin]) -> Stop {
    let (actors, spinning, waiting) = waits::spinners_and_waiters(run, blocks, spins);
    let spinning = counted(spinning, "spins", "spin");
    let others = match waiting {
        0 => String::new(),
        1 => ", and 1 waits".to_string(),
        _ => format!(", and {waiting} wait"),
    };
    let message = format!(
        "{spinning} for ever{others}: no thread is left that could change what they read{}",
        not_resident(run)
    );
    stop(FaultKind::Livelock, message, actors)
}

/// All who can run go round, and registers and memory with them.
pub fn recurrence(run: &Run<'_>, blocks: &[Block], steps: u64) -> Stop {
    let message = format!(
        "every {steps} warp instructions, all registers and all memory are the same as before: if the threads keep \
         taking turns in order, this repeats for ever{}",
        not_resident(run)
    );
    stop(FaultKind::Livelock, message, waits::round_and_waiting(run, blocks))
}

/// A block that waits for one that cannot start before it ends waits for ever: the first thing to suspect.
fn not_resident(run: &Run<'_>) -> String {
    match run.waiting_blocks {
        0 => String::new(),
        1 => "; 1 block has not started, because the resident blocks leave no room for it".to_string(),
        blocks => {
            format!("; {blocks} blocks have not started, because the resident blocks leave no room for them")
        }
    }
}

/// The launch has taken more steps than it may.
pub fn step_limit(run: &Run<'_>, blocks: &[Block]) -> Stop {
    let steps = run.launch.max_steps;
    let proof =
        if run.launch.weak_memory { "with weak memory, no proof is sought" } else { "no proof was found" };
    let message = format!(
        "the launch took more than {steps} warp instructions; {proof} that it never ends, so the loop may be long or endless{}",
        not_resident(run)
    );
    stop(FaultKind::StepLimit, message, waits::runners(run, blocks))
}

/// A lane at an instruction.
pub fn actor(run: &Run<'_>, block: &Block, w: usize, lane: u32, pc: Pc, doing: String) -> Actor {
    actor_of(run, block.number, w as u32, lane, pc, doing)
}

/// A lane of any block of the grid, which need not be on the machine any more.
pub fn actor_of(run: &Run<'_>, block: u64, warp: u32, lane: u32, pc: Pc, doing: String) -> Actor {
    let thread = run.launch.block.nth(u64::from(warp) * WARP_SIZE as u64 + u64::from(lane));
    Actor { block: run.launch.grid.nth(block), thread, warp, lane, site: run.program.site(pc), doing }
}

/// The fault, with the line of help that its kind has.
pub fn stop(kind: FaultKind, message: String, actors: Vec<Actor>) -> Stop {
    Stop::Fault(Box::new(fault(kind, Severity::Error, message, actors)))
}

/// A finding, with the line of help that its kind has.
pub fn fault(kind: FaultKind, severity: Severity, message: String, actors: Vec<Actor>) -> Fault {
    Fault { kind, severity, message, actors, count: 1, help: help(kind).to_string() }
}

fn help(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::VolatileRace => "put a barrier between the two accesses: `volatile` does not order them",
        FaultKind::Race => {
            "put a barrier between the two accesses, or a release and an acquire through an atomic"
        }
        FaultKind::Uninitialized => {
            "write the bytes before they are read, with a barrier in between if another thread writes them, or skip the read"
        }
        FaultKind::UndefinedShuffle => {
            "make every lane that is read take part in the shuffle, or do not use the value that was read"
        }
        FaultKind::Livelock => {
            "find the thread that should change what they read, and why it does not: it may have ended, or be waiting for them"
        }
        FaultKind::OutOfBounds => "compare the index with the length of the array before the access",
        FaultKind::Misaligned => {
            "an access of N bytes needs an address that is a multiple of N; check casts to wider types"
        }
        FaultKind::Null => "check that the argument was passed and points to an allocation",
        FaultKind::UseAfterFree => "free the buffer after the last launch that uses it",
        FaultKind::ReadOnly => "write to global or shared memory instead",
        FaultKind::BarrierDivergence => {
            "make every thread of the block reach the same barrier: move the barrier out of the branch"
        }
        FaultKind::BadMask => {
            "pass a mask of exactly the lanes that execute this call, for example from `__ballot_sync()` before the branch"
        }
        FaultKind::BadMbarrier => {
            "let one thread initialise the mbarrier once, put a block barrier after that, and arrive exactly as often as the mbarrier expects"
        }
        FaultKind::Deadlock => {
            "make sure that every thread that is waited for can arrive: look at the branch before the wait"
        }
        FaultKind::StepLimit => "look for a loop that never ends, or raise the limit on steps",
        FaultKind::CallDepth => "bound the recursion, or turn it into a loop",
        FaultKind::Trap => "look at the condition before the trap",
    }
}
