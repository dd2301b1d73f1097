//! What can be explained: everything that a report names.

use cuda_host::Kind;
use simt::FaultKind;

use crate::advice;

/// Something that a report names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A fault of a kernel or of a whole program.
    Fault(Kind),
    /// A piece of advice.
    Advice(advice::Kind),
    /// Anything else that a report names.
    Remark(Remark),
}

/// What the weak memory did, and what a test expected and did not get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    StaleRead,
    MissingFinding,
    Counter,
    Contents,
}

const REMARKS: [Remark; 4] = [Remark::StaleRead, Remark::MissingFinding, Remark::Counter, Remark::Contents];

impl Remark {
    /// As a report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Remark::StaleRead => "stale-read",
            Remark::MissingFinding => "missing-finding",
            Remark::Counter => "counter",
            Remark::Contents => "contents",
        }
    }
}

impl Topic {
    /// All topics: the emulator's faults, those that only a whole program has, advice, and remarks.
    pub fn all() -> impl Iterator<Item = Topic> {
        let faults = FaultKind::ALL.into_iter().map(Kind::Kernel).chain(Kind::OF_PROGRAMS).map(Topic::Fault);
        let advice = advice::Kind::ALL.into_iter().map(Topic::Advice);
        faults.chain(advice).chain(REMARKS.map(Topic::Remark))
    }

    /// The topic with this name.
    pub fn parse(name: &str) -> Result<Topic, String> {
        Topic::all().find(|topic| topic.name() == name).ok_or_else(|| {
            let known = Topic::all().map(Topic::name).collect::<Vec<_>>().join(", ");
            format!("there is no such thing in a report: choose one of {known}")
        })
    }

    /// As a report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Fault(kind) => kind.name(),
            Topic::Advice(kind) => kind.name(),
            Topic::Remark(remark) => remark.name(),
        }
    }
}
