//! Whether the tests of a scenario file passed.
//!
//! A test runs with one seed or with many, and fails with the first seed that does not meet an expectation.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context, Result};
use simt::{Fault, Severity};

use crate::execute::{Job, Outcome, alive};
use crate::request::Remark;
use crate::resolve::{Loaded, Test, Tested};

/// Something that is not as a test expects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The kind of a finding, or of a [`Remark`].
    pub rule: &'static str,
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The threads concerned, what else is known, and what to do.
    pub details: Vec<String>,
    /// The CUDA file and the line, if the problem has one.
    pub line: Option<(String, u32)>,
    /// The seed with which it happened; `None` if it concerns all seeds.
    pub seed: Option<u64>,
}

/// A test that has run.
#[derive(Debug)]
pub struct Verdict {
    pub name: String,
    /// How many seeds ran.
    pub ran: u64,
    pub seconds: f64,
    /// Empty if it passed.
    pub problems: Vec<Problem>,
    /// Warnings and notes with which it may pass.
    pub notes: Vec<Problem>,
}

/// The tests of a file, which have run.
#[derive(Debug)]
pub struct Suite {
    /// The scenario file, as it was given.
    pub file: String,
    /// The file with the kernels.
    pub source: String,
    /// Those that ran to their end.
    pub verdicts: Vec<Verdict>,
    /// How many Ctrl-C kept from that.
    pub missing: usize,
}

impl Suite {
    /// Runs the tests.
    pub fn of(tested: &Tested) -> Result<Suite> {
        let Tested { path, loaded, tests } = tested;
        let run = |test| Verdict::of(test, loaded).with_context(|| format!("`{path}`, test `{}`", test.name));
        let running = tests.iter().filter(|test| !test.pulse.is_stopping());
        let verdicts: Vec<Verdict> = running.map(run).filter_map(Result::transpose).collect::<Result<_>>()?;
        let missing = tests.len() - verdicts.len();
        Ok(Suite { file: path.clone(), source: loaded.program.name.clone(), verdicts, missing })
    }
}

impl Verdict {
    /// Runs the test until it fails with a seed. Nothing if it is stopped before.
    fn of(test: &Test, loaded: &Loaded) -> Result<Option<Verdict>> {
        let mut was_stopped = false;
        let (start, mut ran, mut found, mut problems) = (Instant::now(), 0, BTreeSet::new(), Vec::new());
        let (sequence, seeds) = (&test.sequence, test.seeds);
        let _progress = alive::progress(&sequence.steps, seeds.count(), &test.pulse, alive::HINT);
        let job = Job { loaded, sequence, is_failure: &|_| false, numbers_launches: true, trace: None };
        job.run(seeds.start..seeds.end, |outcome| {
            if outcome.was_stopped() {
                was_stopped = true;
                return ControlFlow::Break(());
            }
            problems = of_seed(test, &outcome, &mut found);
            ran += 1;
            if problems.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        if was_stopped {
            return Ok(None);
        }
        if problems.is_empty() {
            let missing = test.finds.difference(&found);
            let message = |kind| format!("no launch had the finding `{kind}`");
            problems.extend(missing.map(|kind| mismatch(Remark::MissingFinding, message(kind), None)));
        }
        let (name, seconds) = (test.name.clone(), start.elapsed().as_secs_f64());
        Ok(Some(Verdict { name, ran, seconds, problems, notes: Vec::new() }))
    }
}

/// What is not as the test expects it after a run. The kinds of its findings are added to those `found`.
fn of_seed(test: &Test, outcome: &Outcome, found: &mut BTreeSet<&'static str>) -> Vec<Problem> {
    let (mut problems, seed) = (Vec::new(), outcome.seed());
    for (index, (ran, step)) in outcome.ran.iter().zip(&test.sequence.steps).enumerate() {
        for fault in ran.report.faults.iter().filter(|fault| fault.severity > Severity::Note) {
            found.insert(fault.kind.name());
            if !test.finds.contains(fault.kind.name()) {
                problems.push(finding(fault, seed));
            }
        }
        let wrong = test.bounds[index].iter().filter_map(|bound| bound.problem(&ran.report.counters));
        let message = |text| format!("launch {index}, `{}`: {text}", step.kernel.name);
        problems.extend(wrong.map(|text| mismatch(Remark::Counter, message(text), Some(seed))));
    }
    let wrong = outcome.mismatches.iter().cloned();
    problems.extend(wrong.map(|text| mismatch(Remark::Contents, text, Some(seed))));
    problems
}

/// A finding that the test does not expect.
fn finding(fault: &Fault, seed: u64) -> Problem {
    let mut details: Vec<String> = fault.actors.iter().map(ToString::to_string).collect();
    details.push(format!("help: {}", fault.help));
    let line = fault.actors.iter().find_map(|actor| actor.site.source.as_ref());
    Problem {
        rule: fault.kind.name(),
        level: fault.severity.name(),
        message: fault.message.clone(),
        details,
        line: line.map(|line| (line.file.clone(), line.line)),
        seed: Some(seed),
    }
}

fn mismatch(what: Remark, message: String, seed: Option<u64>) -> Problem {
    Problem { rule: what.name(), level: "error", message, details: Vec::new(), line: None, seed }
}
