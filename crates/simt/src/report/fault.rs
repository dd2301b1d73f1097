//! Faults: what was wrong with a kernel, down to the lane and the line.
//!
//! A fault is a result, not an error. The text could be read and the kernel could be run, and the fault says what it
//! did wrong. It uses the terms of compute-sanitizer where that has any.

use std::fmt;

use crate::launch::Dim3;
use crate::report::location::{AccessKind, Location};

/// One finding.
///
/// The fields are for programs; [`Fault::message`] and [`Fault::help`] are sentences for people, which may change. A fault
/// also prints as a whole.
///
/// ```
/// use simt::{AccessKind, Checks, Emulator, FaultKind, Launch, Limits, Space};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Each of 64 threads adds 1 to a counter, without an atomic.
/// let text = "
///     .version 8.0
///     .target sm_70
///     .visible .entry count(.param .u64 counter) {
///         .reg .b32 %r<2>;
///         .reg .b64 %rd<2>;
///         ld.param.u64 %rd1, [counter];
///         ld.global.u32 %r1, [%rd1];
///         add.u32 %r1, %r1, 1;
///         st.global.u32 [%rd1], %r1;
///         ret;
///     }";
/// let mut emulator = Emulator::new(Limits::default());
/// let module = emulator.load("count.ptx", text)?;
/// let counter = emulator.alloc("counter", 4)?;
/// let launch = Launch { checks: Checks::ALL, ..Launch::new(1, 64) };
/// let report = emulator.launch(&module, "count", &launch.arg(counter.address()))?;
///
/// let race = report.faults.iter().find(|fault| fault.kind == FaultKind::Race).expect("a race");
/// let location = race.location.as_ref().expect("a race is about bytes");
/// assert_eq!((location.space, location.address, location.bytes), (Space::Global, counter.address(), 4));
/// let [second, first] = &race.actors[..] else { panic!("two threads race") };
/// assert!([first.access, second.access].contains(&Some(AccessKind::Write)));
/// println!("PTX lines {} and {}", first.site.ptx_line, second.site.ptx_line);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// How severe it is.
    pub severity: Severity,
    /// What happened, in one sentence without a full stop, with sizes, addresses and the allocation.
    pub message: String,
    /// The bytes concerned. `None` if the fault is not about a memory access: a deadlock, for example.
    pub location: Option<Location>,
    /// The threads concerned, at the first occurrence. If the fault stopped the kernel, the first of them was stopped
    /// by it. If two race, the first one is the one whose access came second.
    pub actors: Vec<Actor>,
    /// The step of the launch at which it happened first: [`Moment::step`](crate::Moment::step) of the last instruction
    /// that was part of it.
    pub step: u64,
    /// How often it happened at these places.
    pub count: u64,
    /// What to look at or to do, in one line.
    pub help: String,
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing, but without consequence: for example, two threads store the same value.
    Note,
    /// Right only under conditions that the language does not guarantee.
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

macro_rules! fault_kinds {
    ($($(#[$doc:meta])* $kind:ident, $name:literal;)*) => {
        /// The kinds of fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FaultKind {
            $($(#[$doc])* $kind,)*
        }

        impl FaultKind {
            /// All kinds, in the order of the declaration.
            pub const ALL: [FaultKind; [$($name),*].len()] = [$(FaultKind::$kind),*];

            /// Its name in reports and JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(FaultKind::$kind => $name,)*
                }
            }
        }
    };
}

fault_kinds! {
    /// Two accesses to the same bytes that nothing orders, at least one of them a store.
    Race, "race";
    /// A `volatile` store, and another volatile or atomic access to the same bytes, which nothing orders: a race in CUDA
    /// C++, but not in PTX. Flags and locks that rely on fences are left out.
    VolatileRace, "volatile-race";
    /// A read of bytes that have never been written.
    Uninitialized, "uninitialized";
    /// An access outside of all live allocations, or past the end of one.
    OutOfBounds, "out-of-bounds";
    /// An address that is not a multiple of the size of the access.
    Misaligned, "misaligned";
    /// An access at or near address zero.
    Null, "null";
    /// An access to memory that has been freed.
    UseAfterFree, "use-after-free";
    /// A store to constant memory or to a parameter of the kernel.
    ReadOnly, "read-only";
    /// Lanes of one warp waited at different barriers, or a barrier was used with a wrong count.
    BarrierDivergence, "barrier-divergence";
    /// A membermask that does not include the lane that uses it, or on which its lanes do not agree.
    BadMask, "bad-mask";
    /// A shuffle that reads a lane which does not take part, so that the value is undefined.
    UndefinedShuffle, "undefined-shuffle";
    /// An operation on an mbarrier that is not initialised, is initialised already, or has other counts; or another
    /// access to its bytes.
    BadMbarrier, "bad-mbarrier";
    /// An instruction that only a launch with clusters may execute, in one without.
    NoCluster, "no-cluster";
    /// A tensor copy whose tensor map is none, or does not fit the instruction.
    BadTensorMap, "bad-tensor-map";
    /// No thread can continue, because each waits for another.
    Deadlock, "deadlock";
    /// All threads that run repeat loops that change nothing, and so will never end.
    Livelock, "livelock";
    /// The launch took more steps than allowed.
    StepLimit, "step-limit";
    /// Calls were nested more deeply than allowed.
    CallDepth, "call-depth";
    /// The kernel executed `trap` or a failing `assert`.
    Trap, "trap";
    /// The kernel printed more than its buffer holds.
    LostOutput, "lost-output";
    /// The kernel launched another one in a way that no GPU can, so that it did not run.
    FailedLaunch, "failed-launch";
}

impl FaultKind {
    /// The kind with a name.
    pub fn named(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A lane at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// Its block in the grid.
    pub block: Dim3,
    /// Its thread in the block.
    pub thread: Dim3,
    /// Its warp in the block.
    pub warp: u32,
    /// Its lane in the warp.
    pub lane: u32,
    /// The instruction: its PTX line, and the CUDA line if the text names one.
    pub site: Site,
    /// How it accessed the bytes of [`Fault::location`], if the fault is about an access.
    pub access: Option<AccessKind>,
    /// What it did there, such as `read 4 bytes at …`, or why it waits.
    pub doing: String,
}

impl Fault {
    /// A finding that happened once, is not about an access, and has neither actors nor help. It is meant for tests of
    /// programs that print faults; all fields can be set.
    pub fn new(kind: FaultKind, severity: Severity, message: impl Into<String>) -> Fault {
        let (message, actors, help) = (message.into(), Vec::new(), String::new());
        Fault { kind, severity, message, location: None, actors, step: 0, count: 1, help }
    }

    /// Whether it ended the launch, so that nothing that would have followed was checked. After a race, or an undefined
    /// value, a launch goes on. A new kind counts as one that ends it until this function says otherwise.
    pub fn ends_launch(&self) -> bool {
        let goes_on = [
            FaultKind::Race,
            FaultKind::VolatileRace,
            FaultKind::Uninitialized,
            FaultKind::UndefinedShuffle,
            FaultKind::FailedLaunch,
        ];
        self.severity == Severity::Error && !goes_on.contains(&self.kind)
    }
}

impl Actor {
    /// A lane at the default [`Site`], without a description of what it did: see [`Fault::new`].
    pub fn new(block: Dim3, thread: Dim3, warp: u32, lane: u32) -> Actor {
        Actor { block, thread, warp, lane, site: Site::default(), access: None, doing: String::new() }
    }

    /// The same lane, with the kind of its memory access.
    pub(crate) fn with(self, access: AccessKind) -> Actor {
        Actor { access: Some(access), ..self }
    }
}

/// A load for which the weak memory returned an older store than the last one, or that came before a delayed store took
/// effect, although the storing thread had already continued. This is not a fault in itself, but it can cause one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StaleRead {
    /// What was returned, and why that is allowed, in one sentence without a full stop.
    pub message: String,
    /// The bytes that were loaded.
    pub location: Location,
    /// The value that the load returned.
    pub returned: u64,
    /// The value that an ordinary memory would have returned; `None` if an atomic operation that has not taken effect
    /// yet would have stored it.
    pub newest: Option<u64>,
    /// The thread that loaded, at the first occurrence.
    pub reader: Actor,
    /// The thread that has stored since, or whose store is delayed.
    pub newer: Actor,
    /// Whether that store was delayed: it took effect later than its thread executed it.
    pub is_late: bool,
    /// How often it happened at these two places.
    pub count: u64,
}

/// A place in the program: an instruction and its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// The line of the PTX text, counted from 1.
    pub ptx_line: u32,
    /// The instruction as it is in the text, with each run of white space as one space.
    pub ptx: String,
    /// The CUDA line from which it was compiled.
    pub source: Option<SourceLine>,
    /// If that line is in a function that was inlined: the lines of the calls, from the innermost to that in the kernel.
    pub calls: Vec<SourceLine>,
}

/// A line of a CUDA file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The name of the file, as the compiler wrote it.
    pub file: String,
    /// The line, counted from 1.
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
        for call in &self.site.calls {
            write!(f, ", called at {call}")?;
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
        assert_eq!(FaultKind::ALL.len(), FaultKind::FailedLaunch as usize + 1, "`FailedLaunch` is the last");
        for (index, kind) in FaultKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, FaultKind::named(kind.name())), (index, Some(kind)));
        }
        assert_eq!(FaultKind::named("rice"), None);
    }
}
