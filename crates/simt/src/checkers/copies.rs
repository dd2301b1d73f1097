//! The checker of asynchronous copies. It reports accesses to bytes of which a copy may be writing or reading at the same time.
//!
//! *What it reports.* Any access of the block, the copying thread's included, to bytes that a copy writes, and any store to bytes
//! that it reads, between the moment in which the copy starts and the one in which its thread has waited for it: a wait that is
//! missing, that leaves too many groups, or that comes too late; and a buffer that is used again too early. Beside that, a copy
//! is to the race checker an access of its thread when it starts and again when the thread has waited, so a missing barrier
//! between threads is a race like any other.
//!
//! *What it can miss.* What other blocks store to the bytes that a copy reads, if that is ordered with both its start and its
//! end. *No false alarm.* What is executed between start and wait is ordered with neither the reading nor the writing of the
//! copy. Specification: PTX ISA, section 9.7.9.25.

use crate::checkers::context::{Context, fault};
use crate::compile::inst::Pc;
use crate::machine::copies::Copy;
use crate::order::ByteRange;
use crate::report::fault::{Fault, FaultKind, Severity};
use crate::report::location::AccessKind;

/// An access to bytes that a copy has not finished with.
#[derive(Clone, Copy, Debug)]
pub struct Meddling {
    /// The step of the launch.
    pub step: u64,
    /// The block in the grid.
    pub block: u64,
    /// The warp, the lane and the instruction of the access.
    pub warp: usize,
    /// The lane.
    pub lane: usize,
    /// The instruction.
    pub pc: Pc,
    /// What it did.
    pub kind: AccessKind,
    /// The bytes that it accessed.
    pub range: ByteRange,
    /// The copy.
    pub copy: Copy,
    /// Whether the copy reads them; otherwise it writes them.
    pub is_source: bool,
}

/// The finding in words.
pub fn meddling(context: &Context<'_>, found: &Meddling) -> Fault {
    let Meddling { step, block, warp, lane, pc, kind, range, copy, is_source } = *found;
    let verb = kind.past();
    let copied = if is_source { "from" } else { "to" };
    let message = format!(
        "{} are {verb} while an asynchronous copy {copied} them is under way",
        context.describe(range)
    );
    let own = if (copy.warp, copy.lane) == (warp, lane) {
        ", and has not waited for it"
    } else {
        ", and its thread has not waited for it"
    };
    let actors = vec![
        context.actor(block, warp, lane as u32, pc, format!("{verb} here")).with(kind),
        context.actor(block, copy.warp, copy.lane as u32, copy.pc, format!("started the copy here{own}")),
    ];
    let help = "wait for the copy with `cp.async.wait_group` or `cp.async.wait_all` before, and put a barrier after that if it is another thread's";
    let location = Some(context.location(range));
    let fault = fault(FaultKind::Race, Severity::Error, message, actors);
    Fault { step, location, help: help.to_owned(), ..fault }
}
