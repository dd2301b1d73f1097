//! Many runs of one kernel, a seed each, until one is at fault.
//!
//! Every seed starts from a fresh emulator, so that the seed alone replays it. What it leaves out: running them on
//! several cores.

use anyhow::Result;

use super::once::{Outcome, once};
use super::plan::Plan;
use super::results::{self, Contents};
use crate::progress::Progress;

/// A range of seeds, not empty, the end left out.
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
        let (start, end) = ends.ok_or("seeds are written `A..B`, as in `0..100`, and B is left out")?;
        if start >= end {
            return Err("there is no seed in it: A is the first, and B is one past the last".to_owned());
        }
        Ok(Seeds { start, end })
    }
}

/// What came of one run or of many.
#[derive(Debug)]
pub(super) struct Search {
    /// The run to tell: the first at fault; else the first in which anything was found; else the first whose shown buffers
    /// are not what the first seed left; else the last.
    pub outcome: Outcome,
    /// How many ran.
    pub ran: u64,
    /// In how many of them anything was found.
    pub with_findings: u64,
    /// What they left in the buffers to show.
    pub results: Vec<Contents>,
}

/// Runs the seeds that a plan has, up to the first that is at fault.
pub(super) fn search(plan: &Plan) -> Result<Search> {
    let progress = Progress::start();
    let first = plan.launch.seed;
    let last = plan.options.seeds.map_or(first, |seeds| seeds.end - 1);
    let outcome = run(plan, first, &progress)?;
    let mut results = results::none(plan);
    results::add(&mut results, plan, &outcome);
    let with_findings = u64::from(has_findings(&outcome));
    let mut search = Search { outcome, ran: 1, with_findings, results };
    let (mut seed, mut is_odd) = (first, false);
    while !plan.is_failure(&search.outcome.report) && seed < last {
        seed += 1;
        let next = run(plan, seed, &progress)?;
        search.ran += 1;
        search.with_findings += u64::from(has_findings(&next));
        let is_new = results::add(&mut search.results, plan, &next);
        let is_worse = plan.is_failure(&next.report) || has_findings(&next) && !has_findings(&search.outcome);
        if is_worse || !is_odd && !has_findings(&search.outcome) {
            search.outcome = next;
        }
        is_odd |= is_new;
    }
    Ok(search)
}

fn has_findings(outcome: &Outcome) -> bool {
    !outcome.report.faults.is_empty()
}

fn run(plan: &Plan, seed: u64, progress: &Progress) -> Result<Outcome> {
    progress.set(&format!("{}, seed {seed}", plan.kernel.name));
    once(plan, seed)
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
