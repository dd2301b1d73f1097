//! Describes the loads for which the weak memory returned an older store, and passes on the races.

use crate::checkers::context::Context;
use crate::checkers::findings::{Finding, Findings};
use crate::checkers::memory_model::MemoryModel;
use crate::checkers::memory_model::weak_memory::StaleLoad;
use crate::checkers::visits::LateVisit;
use crate::order::Epoch;
use crate::report::fault::StaleRead;
use crate::report::location::AccessKind;

/// Adds the races to the findings, and returns the stale reads. The launch is over.
pub fn add(context: &Context<'_>, model: MemoryModel, findings: &mut Findings) -> Vec<StaleRead> {
    let overflows = model.races.map_or_else(Vec::new, |mut races| races.take_overflows());
    let meddlings = model.meddlings.into_iter().map(Finding::Meddling);
    meddlings.for_each(|found| findings.add(context.program, found));
    let agents = &model.agents;
    for visit in &model.late_visits {
        let visitor = Epoch { thread: agents.thread(visit.epoch.thread), ..visit.epoch };
        findings.add(context.program, Finding::Visit(LateVisit { visit: *visit, visitor }));
    }
    findings.add_races(context.program, model.found.races, overflows);
    model.weak.iter().flat_map(|weak| &weak.stale).map(|stale| stale_read(context, stale)).collect()
}

/// A load that did not return the last store: an older one, or one that had not taken effect yet.
fn stale_read(context: &Context<'_>, stale: &StaleLoad) -> StaleRead {
    let StaleLoad { got, last, is_late, count, .. } = *stale;
    let range = context.describe(stale.range);
    let (message, doing) = if is_late {
        let value = last.map_or(String::new(), |last| format!(" of {last:#x}"));
        let message = format!(
            "a load of {range} returned {got:#x}: another thread had already executed a store{value}, but nothing orders it \
             before what that thread did next, so it may take effect later"
        );
        (message, "executed this store earlier, but it took effect later")
    } else {
        let last = last.unwrap_or(got);
        let message = format!(
            "a load of {range} returned {got:#x}, although {last:#x} had been stored there: nothing orders that store \
             before the load, so an older value may be returned"
        );
        (message, "had stored here")
    };
    let reader = context.actor_at(stale.reader, stale.reader_pc, format!("read {got:#x}"));
    let reader = reader.with(AccessKind::Read);
    let newer = context.actor_at(stale.newer, stale.newer_pc, doing.to_owned());
    let location = context.location(stale.range);
    StaleRead { message, location, returned: got, newest: last, reader, newer, is_late, count }
}
