//! What is wrong with a program.

use cudac::Line;
use simt::{FaultKind, Severity};

/// What kind of mistake a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel's, as the emulator reports it.
    Kernel(FaultKind),
    /// Host code accessed memory of the device, or a kernel memory of the host.
    WrongSpace,
    /// Memory of the host that is not allocated, or past the end of what is.
    OutOfBounds,
    /// Memory of the host that nobody has written.
    Uninitialized,
    /// Memory of the host, or of the device in a call, after it was freed.
    UseAfterFree,
    /// Memory that was freed already.
    DoubleFree,
    /// Memory of the device that was not freed.
    Leak,
    /// Host code did not wait for the device, or one stream not for another.
    Unsynchronized,
    /// A call or a launch failed, and nothing looked at the error.
    UncheckedError,
    /// A call or a launch failed, and the program looked at the error.
    FailedCall,
    /// `assert`
    Assert,
    /// The program itself ended with a status that says that something is wrong.
    ExitStatus,
    /// A division of integers by zero.
    DivisionByZero,
    /// The program reached a bound: of memory, handles, turns of loops, calls in calls, output.
    Limit,
    /// A kernel read an older value, as the weak memory allows.
    StaleRead,
}

impl Kind {
    /// The kinds that only a whole program has, by their names. The others have the names of the emulator's kinds.
    pub const OF_PROGRAMS: [Kind; 10] = [
        Kind::WrongSpace,
        Kind::Unsynchronized,
        Kind::UncheckedError,
        Kind::FailedCall,
        Kind::DoubleFree,
        Kind::Leak,
        Kind::Assert,
        Kind::ExitStatus,
        Kind::DivisionByZero,
        Kind::Limit,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Kernel(kind) => kind.name(),
            Kind::WrongSpace => "wrong-space",
            Kind::OutOfBounds => "out-of-bounds",
            Kind::Uninitialized => "uninitialized",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Leak => "leak",
            Kind::Unsynchronized => "unsynchronized",
            Kind::UncheckedError => "unchecked-error",
            Kind::FailedCall => "failed-call",
            Kind::Assert => "assert",
            Kind::ExitStatus => "exit-status",
            Kind::DivisionByZero => "division-by-zero",
            Kind::Limit => "limit",
            Kind::StaleRead => "stale-read",
        }
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// The line in the text, if it is about one.
    pub line: Line,
    /// The file of the line, and the function of the driver if it is a call of one; the number in the line is then that of the
    /// call. Empty until the finding is told.
    pub place: [String; 2],
    /// What happened, in one sentence without a full stop.
    pub message: String,
    /// The threads concerned, if it is about a kernel: one a line.
    pub actors: Vec<String>,
    /// What to do.
    pub help: String,
}

impl Finding {
    pub(crate) fn new(
        kind: Kind,
        line: Line,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Finding {
        let severity = Severity::Error;
        let place = Default::default();
        Finding {
            kind,
            severity,
            line,
            place,
            message: message.into(),
            actors: Vec::new(),
            help: help.into(),
        }
    }
}
