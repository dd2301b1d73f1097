//! What was wrong with a kernel: the engine's findings, told to the lane and the line.
//!
//! A fault is a result, not an error: the text was read, the kernel ran, and this is what it did. The words
//! are compute-sanitizer's where it has words for it.

use std::fmt;

use crate::launch::Dim3;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, in one sentence without a full stop: sizes, addresses, allocation.
    pub message: String,
    /// Who did it, the first time that it happened. Where the kernel was stopped, the first one is who stopped it;
    /// of two that race, the first one came second.
    pub actors: Vec<Actor>,
    /// How often it happened at these places.
    pub count: u64,
    /// What to look at or to do, in one line.
    pub help: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, and without consequence: two threads store the same value.
    Note,
    /// Right only under conditions that the language does not promise.
    Warning,
    /// Wrong.
    Error,
}

impl Severity {
    /// Its name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// Two accesses to the same bytes, one of them a store, that nothing orders.
    Race,
    /// Two `volatile` accesses to the same bytes, one of them a store, that nothing orders, of threads that pass no fence: no
    /// race in PTX, and one in CUDA C++.
    VolatileRace,
    /// A read of bytes that nobody has written.
    Uninitialized,
    /// An access outside every live allocation, or past the end of one.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// An access at or near address zero.
    Null,
    /// An access to memory that has been freed.
    UseAfterFree,
    /// A store to constant memory or to a kernel's parameters.
    ReadOnly,
    /// Lanes of one warp met at different barriers, or a barrier was used with a wrong count.
    BarrierDivergence,
    /// A membermask that leaves out the lane that names it, or that its lanes do not agree on.
    BadMask,
    /// A shuffle that reads a lane which does not take part: its value is undefined.
    UndefinedShuffle,
    /// An operation on an mbarrier that is not there, is there already, or counts otherwise; or another access to its bytes.
    BadMbarrier,
    /// Nobody can go on: each waits for another.
    Deadlock,
    /// Everybody who runs goes round in a loop that changes nothing, and so for ever.
    Livelock,
    /// The launch took more steps than it was allowed.
    StepLimit,
    /// Calls were nested deeper than allowed.
    CallDepth,
    /// The kernel executed `trap` or a failing `assert`.
    Trap,
}

impl FaultKind {
    /// Every kind, in the order of the declaration.
    pub const ALL: [FaultKind; 17] = [
        FaultKind::Race,
        FaultKind::VolatileRace,
        FaultKind::Uninitialized,
        FaultKind::OutOfBounds,
        FaultKind::Misaligned,
        FaultKind::Null,
        FaultKind::UseAfterFree,
        FaultKind::ReadOnly,
        FaultKind::BarrierDivergence,
        FaultKind::BadMask,
        FaultKind::UndefinedShuffle,
        FaultKind::BadMbarrier,
        FaultKind::Deadlock,
        FaultKind::Livelock,
        FaultKind::StepLimit,
        FaultKind::CallDepth,
        FaultKind::Trap,
    ];

    /// The kind with this name.
    pub fn named(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Race => "race",
            FaultKind::VolatileRace => "volatile-race",
            FaultKind::Uninitialized => "uninitialized",
            FaultKind::UndefinedShuffle => "undefined-shuffle",
            FaultKind::Livelock => "livelock",
            FaultKind::OutOfBounds => "out-of-bounds",
            FaultKind::Misaligned => "misaligned",
            FaultKind::Null => "null",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::ReadOnly => "read-only",
            FaultKind::BarrierDivergence => "barrier-divergence",
            FaultKind::BadMask => "bad-mask",
            FaultKind::BadMbarrier => "bad-mbarrier",
            FaultKind::Deadlock => "deadlock",
            FaultKind::StepLimit => "step-limit",
            FaultKind::CallDepth => "call-depth",
            FaultKind::Trap => "trap",
        }
    }
}

/// A lane at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Its block in the grid.
    pub block: Dim3,
    /// Its thread in the block.
    pub thread: Dim3,
    /// Its warp in the block.
    pub warp: u32,
    /// Its lane in the warp.
    pub lane: u32,
    /// Where it was.
    pub site: Site,
    /// What it did there, `read 4 bytes at …`, or why it waits.
    pub doing: String,
}

/// A load that returned an older store than the last one, or came before a store whose thread had gone on already, which the
/// weak memory may let it do. It is no fault by itself; what the kernel made of it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleRead {
    /// What was returned, and why it could be, in one sentence without a full stop.
    pub message: String,
    /// Who loaded, the first time that it happened.
    pub reader: Actor,
    /// Who had stored since, or was to store first.
    pub newer: Actor,
    /// Whether that store was carried out later than its thread came to it.
    pub is_late: bool,
    /// How often it happened at these two places.
    pub count: u64,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Line of the PTX text, counted from 1.
    pub ptx_line: u32,
    /// The instruction as the text has it, white space folded.
    pub ptx: String,
    /// The CUDA line that it was compiled from.
    pub source: Option<SourceLine>,
}

/// A line of a CUDA file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file's name as the compiler wrote it.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}, warp {}, lane {} (thread {})", self.block, self.warp, self.lane, self.thread)?;
        match &self.site.source {
            Some(source) => write!(f, " at {source}")?,
            None => write!(f, " at PTX line {}", self.site.ptx_line)?,
        }
        write!(f, ": {}", self.doing)
    }
}

impl fmt::Display for StaleRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stale read: {}\n  {}\n  {}", self.message, self.reader, self.newer)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        for actor in &self.actors {
            write!(f, "\n  {actor}")?;
        }
        write!(f, "\n  help: {}", self.help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_in_its_place() {
        assert_eq!(FaultKind::ALL.len(), FaultKind::Trap as usize + 1, "`Trap` is the last");
        for (index, kind) in FaultKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, FaultKind::named(kind.name())), (index, Some(kind)));
        }
        assert_eq!(FaultKind::named("rice"), None);
    }
}
