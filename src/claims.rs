//! The notes' claims, each decided by a run.
//!
//! A claim names the variants of its chapter that decide it and a predicate over what was seen of them, which says
//! whether the note's statement comes out true. It also names twins: variants for which the same predicate must come
//! out the other way, the mended kernel of a mistake or the wrong one of a rule, so that no verdict is a constant.
//! What needs a GPU's clock is judged on this run's times, or else on the chapter's record of a GPU. It leaves out
//! everything a sentence means beyond its predicate; that is the book's to say.

mod ledger;
mod seen;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use record::{Measured, Report};

pub(crate) use ledger::{json, text};
pub use seen::Seen;

/// A statement of the notes, and what decides it.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// `N1.8`: which note, and which of its statements.
    pub id: &'static str,
    /// What the note says, in our words.
    pub says: &'static str,
    /// What became of it.
    pub ruling: Ruling,
    /// What is true, under which condition, or what to do instead.
    pub why: &'static str,
    /// What decides it.
    pub proof: Proof,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is true.
    Holds,
    /// It is true where its condition is met: on the rows, and not on the twins.
    Condition,
    /// It was true of older hardware or compilers: of the rows, and no longer of the twins.
    Outdated,
    /// It is not true.
    Wrong,
}

/// What decides a claim.
#[derive(Clone, Copy, Debug)]
pub enum Proof {
    /// What the emulator counts and finds.
    Run(Test),
    /// How long a GPU takes.
    Clock(Test),
    /// Nothing can be run, for this reason.
    None(&'static str),
}

/// A predicate, and the variants on which it must come out one way and the other.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The variants that decide, in the order in which the predicate sees them.
    pub rows: &'static [&'static str],
    /// As many variants that must turn the verdict.
    pub twins: &'static [&'static str],
    /// Whether the note's statement comes out true.
    pub holds: fn(&[Seen]) -> bool,
    /// The numbers that say so, in one line.
    pub evidence: fn(&[Seen]) -> String,
}

/// A claim after its test.
#[derive(Clone, Debug)]
pub struct Judged {
    pub(crate) claim: Claim,
    pub(crate) outcome: Outcome,
}

/// What came of a test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Decided {
        holds: Side,
        twin: Side,
        /// The record that was judged, if it was not this run.
        record: Option<String>,
    },
    /// Why nothing can be run.
    NoRun(&'static str),
    /// What is needed and was not there.
    Missing(String),
}

/// The predicate on the rows, or on the twins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub holds: bool,
    pub evidence: String,
}

impl Ruling {
    /// Its name in a ledger.
    pub fn name(self) -> &'static str {
        match self {
            Ruling::Holds => "holds",
            Ruling::Condition => "holds with a condition",
            Ruling::Outdated => "outdated",
            Ruling::Wrong => "wrong",
        }
    }
}

impl Claim {
    fn test(&self) -> Option<&Test> {
        match &self.proof {
            Proof::Run(test) | Proof::Clock(test) => Some(test),
            Proof::None(_) => None,
        }
    }

    /// The variants that it takes to decide it.
    pub(crate) fn variants(&self) -> impl Iterator<Item = &'static str> {
        self.test().into_iter().flat_map(|test| test.rows.iter().chain(test.twins).copied())
    }

    /// Judges it on a run, and, if it takes a clock and there was no GPU, on the run with what a record of a GPU has of it.
    fn judge(&self, report: &Report, recorded: Option<&(Report, String)>) -> Judged {
        let outcome = match (&self.proof, recorded) {
            (Proof::Run(test), _) => test.decide(report, None),
            (Proof::Clock(test), _) if test.is_timed(report) => test.decide(report, None),
            (Proof::Clock(test), Some((with_times, origin))) if test.is_timed(with_times) => {
                test.decide(with_times, Some(origin.clone()))
            }
            // A chapter that has not been on a GPU yet leaves the question open.
            (Proof::Clock(_), None) => Outcome::NoRun("there is no GPU here, and no record of one yet"),
            (Proof::Clock(_), Some(_)) => Outcome::Missing(
                "a GPU: there is none here, and the record has no times of these rows".to_owned(),
            ),
            (Proof::None(reason), _) => Outcome::NoRun(reason),
        };
        Judged { claim: *self, outcome }
    }
}

impl Test {
    fn is_timed(&self, report: &Report) -> bool {
        let mut names = self.rows.iter().chain(self.twins);
        names.all(|name| Seen::find(report, name).is_some_and(Seen::is_timed))
    }

    fn decide(&self, report: &Report, record: Option<String>) -> Outcome {
        match (self.side(report, self.rows), self.side(report, self.twins)) {
            (Ok(holds), Ok(twin)) => Outcome::Decided { holds, twin, record },
            (Err(name), _) | (_, Err(name)) => Outcome::Missing(format!("a row of the variant `{name}`")),
        }
    }

    fn side(&self, report: &Report, names: &[&'static str]) -> Result<Side, &'static str> {
        let seen = names.iter().map(|name| Seen::find(report, name).ok_or(*name));
        let seen = seen.collect::<Result<Vec<_>, _>>()?;
        Ok(Side { holds: (self.holds)(&seen), evidence: (self.evidence)(&seen) })
    }
}

impl Judged {
    /// Whether the predicate came out as the ruling says, and the twins turned it.
    pub(crate) fn is_sound(&self) -> bool {
        match &self.outcome {
            Outcome::Decided { holds, twin, .. } => {
                holds.holds == (self.claim.ruling != Ruling::Wrong) && twin.holds != holds.holds
            }
            Outcome::NoRun(_) => true,
            Outcome::Missing(_) => false,
        }
    }
}

/// The claims that a reader asks for: one by its name, or all.
pub(crate) fn chosen(claims: &'static [Claim], name: &str) -> Result<Vec<&'static Claim>> {
    let is_wanted = |claim: &&Claim| name == "all" || claim.id.eq_ignore_ascii_case(name);
    let chosen: Vec<&Claim> = claims.iter().filter(is_wanted).collect();
    if chosen.is_empty() {
        let ids: Vec<&str> = claims.iter().map(|claim| claim.id).collect();
        bail!(
            "this chapter decides no claim `{name}`: choose one of {}, or `all`; `cargo xtask claims` lists those of all chapters",
            ids.join(", ")
        );
    }
    Ok(chosen)
}

/// Judges claims on a chapter's report, and on its record of a GPU.
pub(crate) fn judge(claims: &[&Claim], report: &Report, record: &str) -> Result<Vec<Judged>> {
    let measured: Measured = record::read(record, "the chapter's record `h200.json`")?;
    let recorded = measured.runs.first().map(|run| {
        let with_times = report.clone().with_measured(run);
        (with_times, measured.machine.origin())
    });
    Ok(claims.iter().map(|claim| claim.judge(report, recorded.as_ref())).collect())
}

/// Fails unless every claim of a chapter comes out as it is ruled, and its twins turn it; for a chapter's tests.
pub fn check(program: &Path) -> Result<()> {
    let output = Command::new(program).args(["--device", "sim", "--claim", "all"]).output();
    let output = output.with_context(|| format!("cannot run `{}`", program.display()))?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let failed: Vec<&str> = out.lines().chain(err.lines()).filter(|line| is_complaint(line)).collect();
        bail!("claims that do not come out as ruled:\n{}", failed.join("\n"));
    }
    Ok(())
}

fn is_complaint(line: &str) -> bool {
    line.starts_with("failed: ") || line.starts_with("error: ")
}

#[cfg(test)]
mod tests {
    use record::{OnGpu, Row, Section, Timing};

    use super::*;

    const RIGHT: Claim = Claim {
        id: "N9.1",
        says: "sums are right",
        ruling: Ruling::Wrong,
        why: "one barrier is missing",
        proof: Proof::Run(Test {
            rows: &["sum_wrong"],
            twins: &["sum"],
            holds: |seen| seen[0].verdict() == "ok",
            evidence: |seen| format!("{} is {}", seen[0].variant(), seen[0].verdict()),
        }),
    };

    fn of(rows: Vec<Row>) -> Report {
        Report { sections: vec![Section { rows, ..Section::default() }], ..Report::default() }
    }

    fn report(wrong: &str) -> Report {
        let row = |variant: &str, verdict: &str| Row {
            variant: variant.to_owned(),
            verdict: verdict.to_owned(),
            ..Row::default()
        };
        of(vec![row("sum", "ok"), row("sum_wrong", wrong)])
    }

    #[test]
    fn a_verdict_must_turn_with_the_twin() {
        assert!(RIGHT.judge(&report("FAULT"), None).is_sound());
        assert!(!RIGHT.judge(&report("ok"), None).is_sound());
        let held = Claim { ruling: Ruling::Holds, ..RIGHT };
        assert!(!held.judge(&report("FAULT"), None).is_sound());
    }

    #[test]
    fn a_row_that_is_not_there_is_named() {
        let judged = RIGHT.judge(&of(Vec::new()), None);
        assert_eq!(judged.outcome, Outcome::Missing("a row of the variant `sum_wrong`".to_owned()));
    }

    #[test]
    fn the_clock_is_read_from_a_record_where_there_is_no_gpu() {
        let test = Test {
            rows: &["slow"],
            twins: &["fast"],
            holds: |seen| seen[0].time_us() > 5.0,
            evidence: |seen| format!("{} µs", seen[0].time_us()),
        };
        let claim = Claim { ruling: Ruling::Holds, proof: Proof::Clock(test), ..RIGHT };
        let row = |variant: &str, median_us: f64| {
            let timing = Some(Timing { median_us, ..Timing::default() });
            let gpu = Some(OnGpu { timing, ..OnGpu::default() });
            Row { variant: variant.to_owned(), gpu, ..Row::default() }
        };
        let recorded = |rows| Some((of(rows), "A GPU".to_owned()));
        let here = of(Vec::new());
        assert!(!claim.judge(&here, recorded(vec![row("slow", 9.0)]).as_ref()).is_sound());
        assert!(matches!(claim.judge(&here, None).outcome, Outcome::NoRun(_)));
        let judged = claim.judge(&here, recorded(vec![row("slow", 9.0), row("fast", 1.0)]).as_ref());
        assert!(judged.is_sound());
        assert!(matches!(judged.outcome, Outcome::Decided { record: Some(origin), .. } if origin == "A GPU"));
    }
}
