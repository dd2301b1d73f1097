//! Many runs of one kernel with different seeds, until one has a fault.
//!
//! The report is the same as if they ran one after another, because the first failing seed is the first in their order.

use std::ops::ControlFlow;

use anyhow::Result;
use simt::{Report, TraceStep};

use super::contents::{self, Contents};
use crate::execute::{Job, Outcome, alive};
use crate::resolve::Plan;
use spec::launch::Seeds;

/// The result of one run or of many.
#[derive(Debug)]
pub struct Search {
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
    /// Whether a seed so far left other contents than the first.
    is_odd: bool,
}

impl Search {
    /// Runs the seeds of a plan, up to the first that fails.
    pub fn new(plan: &Plan, trace: Option<&(dyn Fn(&TraceStep) + Sync)>) -> Result<Search> {
        let first = plan.launch().seed;
        let end = plan.options.launch.seeds.map_or(first.saturating_add(1), |seeds| seeds.end);
        let count = plan.options.launch.seeds.map_or(1, Seeds::count);
        let _progress = alive::progress(&plan.sequence.steps, count, &plan.pulse, alive::HINT);
        let is_failure = |report: &Report| plan.has_failed(report);
        let (loaded, sequence) = (&plan.loaded, &plan.sequence);
        let job = Job { loaded, sequence, is_failure: &is_failure, numbers_launches: false, trace };
        let mut search = None;
        job.run(first..end, |outcome| {
            let was_stopped = outcome.was_stopped();
            match &mut search {
                None => search = Some(Search::of(plan, outcome)),
                Some(search) if was_stopped => search.was_stopped = true,
                Some(search) => search.add(plan, outcome),
            }
            let has_failed = search.as_ref().is_some_and(|search| search.outcome.has_failed);
            if has_failed || was_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(search.expect("the first seed ran"))
    }

    fn of(plan: &Plan, outcome: Outcome) -> Search {
        let mut results = contents::none(plan);
        contents::add(&mut results, plan, &outcome);
        let (with_findings, was_stopped) = (u64::from(outcome.has_findings()), outcome.was_stopped());
        Search { outcome, ran: 1, was_stopped, with_findings, results, is_odd: false }
    }

    /// Adds the next seed.
    fn add(&mut self, plan: &Plan, next: Outcome) {
        self.ran += 1;
        self.with_findings += u64::from(next.has_findings());
        let is_new = contents::add(&mut self.results, plan, &next);
        let is_worse = next.has_failed || next.has_findings() && !self.outcome.has_findings();
        if is_worse || !self.is_odd && !self.outcome.has_findings() {
            self.outcome = next;
        }
        self.is_odd |= is_new;
    }
}
