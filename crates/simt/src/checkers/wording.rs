//! Describes findings when a launch is over. Until then they are data, so that whatever is not reported is not worded either.
//!
//! Each checker has the words for its own findings in a module `wording`. The words for what stops a launch are in
//! `exec::faults` and `exec::waits`.

use crate::checkers::context::Context;
use crate::checkers::findings::{Finding, Findings};
use crate::checkers::{copies, fragments, initialisation, races, synchronisation, visits};
use crate::report::fault::{Fault, FaultKind, Severity};
use crate::report::location::{Allocation, Space};

/// The faults that a report contains for these findings, causes before effects.
pub fn faults(context: &Context<'_>, findings: Findings) -> Vec<Fault> {
    let fault = |(finding, count): (Finding, u64)| Fault { count, ..describe(context, &finding) };
    let faults: Vec<Fault> = findings.into_all().into_iter().map(fault).collect();
    // Where stores and loads of a variable race, a load may have come before the store that was to initialise the bytes.
    let is_race = |fault: &&Fault| fault.kind == FaultKind::Race && fault.severity == Severity::Error;
    let raced: Vec<_> = faults.iter().filter(is_race).filter_map(owner).collect();
    let is_effect = |fault: &Fault| {
        fault.kind == FaultKind::Uninitialized && owner(fault).is_some_and(|owner| raced.contains(&owner))
    };
    let (effects, mut causes): (Vec<Fault>, Vec<Fault>) = faults.into_iter().partition(is_effect);
    causes.extend(effects);
    causes
}

/// The variable or the buffer that a fault is about.
fn owner(fault: &Fault) -> Option<(Space, Allocation)> {
    let location = fault.location.as_ref()?;
    Some((location.space, location.allocation.clone()?))
}

fn describe(context: &Context<'_>, finding: &Finding) -> Fault {
    match finding {
        Finding::Race(race) => races::wording::race(context, race),
        Finding::Overflow(overflow) => races::wording::overflow(context, overflow),
        Finding::Meddling(found) => copies::meddling(context, found),
        Finding::Visit(found) => visits::late_visit(context, found),
        Finding::Unwritten(read) => initialisation::wording::unwritten_read(context, read),
        Finding::Shuffle(shuffle) => synchronisation::wording::undefined_shuffle(context, shuffle),
        Finding::Ended(threads) => synchronisation::wording::ended_threads(context, threads),
        Finding::CopyAtEnd(copy) => synchronisation::wording::copy_at_end(context, copy),
        Finding::Fragment(found) => fragments::fragment_use(context, found),
        Finding::Arrivals(arrivals) => synchronisation::wording::arrivals(context, arrivals),
    }
}
