//! Describes findings when a launch is over. Until then they are data, so that whatever is not reported is not worded either.
//!
//! Each checker has the words for its own findings in a module `wording`. The words for what stops a launch are in
//! `exec::faults` and `exec::waits`.

use crate::checkers::context::Context;
use crate::checkers::findings::{Finding, Findings};
use crate::checkers::{initialisation, races, synchronisation};
use crate::report::fault::Fault;

/// The faults that a report contains for these findings.
pub fn faults(context: &Context<'_>, findings: Findings) -> Vec<Fault> {
    let fault = |(finding, count): (Finding, u64)| Fault { count, ..describe(context, &finding) };
    findings.into_all().into_iter().map(fault).collect()
}

fn describe(context: &Context<'_>, finding: &Finding) -> Fault {
    match finding {
        Finding::Race(race) => races::wording::race(context, race),
        Finding::Overflow(overflow) => races::wording::overflow(context, overflow),
        Finding::Unwritten(read) => initialisation::wording::unwritten_read(context, read),
        Finding::Shuffle(shuffle) => synchronisation::wording::undefined_shuffle(context, shuffle),
        Finding::Ended(threads) => synchronisation::wording::ended_threads(context, threads),
        Finding::Arrivals(arrivals) => synchronisation::wording::arrivals(context, arrivals),
    }
}
