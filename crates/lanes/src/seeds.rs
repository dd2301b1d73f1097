//! Many runs of one kernel with different seeds, until one has a fault.
//!
//! Every seed starts with a new emulator, so that the seed alone repeats it. Several seeds run side by side. The report
//! is the same as if they ran one after another, because the first failing seed is the first in their order. What it
//! leaves out: stopping later seeds that have begun, for which it waits.

use std::ops::ControlFlow;

use anyhow::Result;

use super::alive;
use super::once::{Outcome, once};
use super::plan::Plan;
use super::results::{self, Contents};
use thirty_two_lanes::cores::in_order;

/// A non-empty range of seeds, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seeds {
    pub start: u64,
    pub end: u64,
}

impl Seeds {
    /// Reads `0..100`.
    pub fn parse(text: &str) -> Result<Seeds, String> {
        let ends =
            text.split_once("..").and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
        let (start, end) = ends.ok_or("seeds are written `A..B`, as in `0..100`, where B is not included")?;
        if start >= end {
            return Err(
                "this range is empty: A is the first seed, and B is one more than the last".to_owned()
            );
        }
        Ok(Seeds { start, end })
    }
}

/// The result of one run or of many.
#[derive(Debug)]
pub(super) struct Search {
    /// The run to report: the first that failed; otherwise the first with any finding; otherwise the first whose
    /// printed buffers differ from those of the first seed; otherwise the last.
    pub outcome: Outcome,
    /// How many seeds ran to their end.
    pub ran: u64,
    /// Whether Ctrl-C ended the search.
    pub was_stopped: bool,
    /// How many of them had any finding.
    pub with_findings: u64,
    /// The different contents of the buffers to print.
    pub results: Vec<Contents>,
}

/// Runs the seeds of a plan, up to the first that fails.
pub(super) fn search(plan: &Plan) -> Result<Search> {
    let seeds = plan.options.seeds;
    let count = seeds.map_or(1, |seeds| seeds.end - seeds.start);
    let _progress = alive::progress(plan.steps(), count, &plan.pulse, alive::HINT);
    let first = plan.launch().seed;
    // A wrong kernel mostly fails with every seed, so no other seed begins before the first one has ended.
    let mut search = Search::of(plan, once(plan, first, plan.launch().cores)?);
    let Some(seeds) = seeds.filter(|_| !plan.is_failure(&search.outcome) && !search.was_stopped) else {
        return Ok(search);
    };
    let (side_by_side, mut is_odd) = (plan.side_by_side(), false);
    let cores = plan.launch().cores / side_by_side;
    let run = |seed| once(plan, seed, cores);
    let end = in_order(side_by_side, first + 1..seeds.end, run, |_, outcome| {
        let outcome = match outcome {
            Err(error) => return ControlFlow::Break(Err(error)),
            Ok(outcome) => outcome,
        };
        if outcome.was_stopped() {
            search.was_stopped = true;
            return ControlFlow::Break(Ok(()));
        }
        search.add(plan, outcome, &mut is_odd);
        if plan.is_failure(&search.outcome) { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
    });
    end.break_value().unwrap_or(Ok(()))?;
    Ok(search)
}

impl Search {
    fn of(plan: &Plan, outcome: Outcome) -> Search {
        let mut results = results::none(plan);
        results::add(&mut results, plan, &outcome);
        let (with_findings, was_stopped) = (u64::from(outcome.has_findings()), outcome.was_stopped());
        Search { outcome, ran: 1, was_stopped, with_findings, results }
    }

    /// Adds the next seed. `is_odd` says whether a seed so far left other contents than the first.
    fn add(&mut self, plan: &Plan, next: Outcome, is_odd: &mut bool) {
        self.ran += 1;
        self.with_findings += u64::from(next.has_findings());
        let is_new = results::add(&mut self.results, plan, &next);
        let is_worse = plan.is_failure(&next) || next.has_findings() && !self.outcome.has_findings();
        if is_worse || !*is_odd && !self.outcome.has_findings() {
            self.outcome = next;
        }
        *is_odd |= is_new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_at_least_one_seed() {
        assert_eq!(Seeds::parse("3..5"), Ok(Seeds { start: 3, end: 5 }));
        for wrong in ["", "5", "5..5", "5..3", "..5", "5..", "0..=5", "-1..5", "0..18446744073709551616"] {
            assert!(Seeds::parse(wrong).is_err(), "{wrong}");
        }
    }
}
