//! The texts of `lanes explain` about each kind of fault and of mistake in a program: what it means, why it matters, an example, and how to fix it.
//!
//! The texts are in `explain/`, one file for each kind; the first line is for the list. The tests compile and run their
//! examples. What it leaves out: what happened in a run, which the report says.

use cuda_host::Kind;
use simt::FaultKind;

use super::TITLE;
use crate::advice;
use crate::request::{Remark, Topic};
use spec::layout::paragraph;

/// The text about a topic.
fn text(topic: Topic) -> &'static str {
    match topic {
        Topic::Fault(kind) => of_fault(kind),
        Topic::Advice(kind) => of_advice(kind),
        Topic::Remark(Remark::StaleRead) => include_str!("explain/stale-read.txt"),
        Topic::Remark(Remark::MissingFinding) => include_str!("explain/missing-finding.txt"),
        Topic::Remark(Remark::Counter) => include_str!("explain/counter.txt"),
        Topic::Remark(Remark::Contents) => include_str!("explain/contents.txt"),
    }
}

/// The text about a kind of advice. A new kind needs an arm here.
fn of_advice(kind: advice::Kind) -> &'static str {
    match kind {
        advice::Kind::Sectors => include_str!("explain/sectors.txt"),
        advice::Kind::BankConflicts => include_str!("explain/bank-conflicts.txt"),
        advice::Kind::SameWord => include_str!("explain/same-word.txt"),
        advice::Kind::Reuse => include_str!("explain/reuse.txt"),
        advice::Kind::IdleLanes => include_str!("explain/idle-lanes.txt"),
        advice::Kind::UnneededOrder => include_str!("explain/unneeded-order.txt"),
    }
}

/// The text about a kind of fault. A new kind needs an arm here.
fn of_fault(kind: Kind) -> &'static str {
    match kind {
        Kind::Kernel(kind) => of_kernel(kind),
        Kind::WrongSpace => include_str!("explain/wrong-space.txt"),
        Kind::OutOfBounds => of_kernel(FaultKind::OutOfBounds),
        Kind::Uninitialized => of_kernel(FaultKind::Uninitialized),
        Kind::UseAfterFree => of_kernel(FaultKind::UseAfterFree),
        Kind::DoubleFree => include_str!("explain/double-free.txt"),
        Kind::Leak => include_str!("explain/leak.txt"),
        Kind::Unsynchronized => include_str!("explain/unsynchronized.txt"),
        Kind::UncheckedError => include_str!("explain/unchecked-error.txt"),
        Kind::FailedCall => include_str!("explain/failed-call.txt"),
        Kind::Assert => include_str!("explain/assert.txt"),
        Kind::ExitStatus => include_str!("explain/exit-status.txt"),
        Kind::DivisionByZero => include_str!("explain/division-by-zero.txt"),
        Kind::Limit => include_str!("explain/limit.txt"),
        Kind::StaleRead => include_str!("explain/stale-read.txt"),
    }
}

/// The text about a kind of the emulator.
fn of_kernel(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Race => include_str!("explain/race.txt"),
        FaultKind::VolatileRace => include_str!("explain/volatile-race.txt"),
        FaultKind::Uninitialized => include_str!("explain/uninitialized.txt"),
        FaultKind::OutOfBounds => include_str!("explain/out-of-bounds.txt"),
        FaultKind::Misaligned => include_str!("explain/misaligned.txt"),
        FaultKind::Null => include_str!("explain/null.txt"),
        FaultKind::UseAfterFree => include_str!("explain/use-after-free.txt"),
        FaultKind::ReadOnly => include_str!("explain/read-only.txt"),
        FaultKind::BarrierDivergence => include_str!("explain/barrier-divergence.txt"),
        FaultKind::BadMask => include_str!("explain/bad-mask.txt"),
        FaultKind::BadMbarrier => include_str!("explain/bad-mbarrier.txt"),
        FaultKind::NoCluster => include_str!("explain/no-cluster.txt"),
        FaultKind::BadTensorMap => include_str!("explain/bad-tensor-map.txt"),
        FaultKind::UndefinedShuffle => include_str!("explain/undefined-shuffle.txt"),
        FaultKind::Deadlock => include_str!("explain/deadlock.txt"),
        FaultKind::Livelock => include_str!("explain/livelock.txt"),
        FaultKind::StepLimit => include_str!("explain/step-limit.txt"),
        FaultKind::CallDepth => include_str!("explain/call-depth.txt"),
        FaultKind::Trap => include_str!("explain/trap.txt"),
        FaultKind::LostOutput => include_str!("explain/lost-output.txt"),
        FaultKind::FailedLaunch => include_str!("explain/failed-launch.txt"),
        // A test checks that every kind has a text.
        _ => "a kind of fault that has no explanation yet",
    }
}

/// One topic in full, or all of them with a line for each.
pub fn render(topic: Option<Topic>) -> String {
    let Some(topic) = topic else { return list() };
    let name = topic.name();
    format!("{TITLE}{name}{TITLE:#}: {}", text(topic))
}

fn list() -> String {
    let rows = Topic::all().map(|topic| {
        let summary = text(topic).lines().next().unwrap_or_default();
        paragraph(&format!("  {:<20}", topic.name()), summary)
    });
    format!("{}\n`lanes explain NAME` explains one of them.\n", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::layout::WIDTH;

    const SECTIONS: [&str; 4] = ["What it means", "Why it matters", "Example", "How to fix it"];

    #[test]
    fn every_kind_is_explained_in_four_sections() {
        for kind in Topic::all() {
            let text = text(kind);
            let starts = SECTIONS.map(|section| text.find(&format!("\n\n{section}\n")));
            assert!(starts.iter().all(Option::is_some) && starts.is_sorted(), "{}", kind.name());
            assert!(render(Some(kind)).starts_with(&format!("{TITLE}{}", kind.name())));
        }
    }

    #[test]
    fn texts_are_not_too_wide() {
        let is_long = |line: &&str| line.chars().count() > WIDTH && !line.starts_with("    lanes ");
        for kind in Topic::all() {
            let long = text(kind).lines().find(is_long);
            assert_eq!(long, None, "{}", kind.name());
        }
    }
}
