//! Claims, from the notes and from questions of our own, each decided by a run.
//!
//! A claim names the variants of its chapter that decide it, and a predicate over what was observed of them, which says
//! whether the statement is true. It also names *twins*: variants for which the same predicate must have the opposite
//! value, for example the corrected kernel of a mistake or the wrong kernel of a rule. Because of them, no verdict is a
//! constant. A statement that no run can decide has a ruling of its own: its predicate asks for something that must be seen if
//! the statement is true, so if a run refutes it, it cannot remain undecided. A claim about time is judged on the times of
//! this run or, without a GPU, on the chapter's record of one, `output/h200.json`.
//!
//! A claim also says whose statement it is: the note's, its code's, a conclusion that a reader may draw, or a question of ours. `--claim N1.11` repeats
//! its test, and `cargo xtask claims` prints all. What it leaves out: everything that a sentence means beyond its predicate,
//! which the book explains.

mod ledger;
mod seen;

use std::path::Path;

use anyhow::{Result, bail};
use record::{Measured, Report, Run};

use crate::program;

pub(crate) use ledger::{json, text};
pub use seen::Seen;

/// A statement, and how it is decided.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// `N1.8`: which note, and which of its statements; or `S7.1`: which chapter without a note.
    pub id: &'static str,
    /// Whose statement it is.
    pub voice: Voice,
    /// The statement, in our words.
    pub says: &'static str,
    /// The verdict.
    pub ruling: Ruling,
    /// What is true, under which condition, or what to do instead.
    pub why: &'static str,
    /// What decides it.
    pub proof: Proof,
}

/// Whose statement a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// The note says it, in words or in a figure.
    Note,
    /// The note does not say it, but its code depends on it.
    Code,
    /// Neither: a reader may conclude it from what the note says or shows.
    Reader,
    /// Nobody's: a question of ours, about what a programmer may believe.
    Asked,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It is true.
    Holds,
    /// It is true if its condition is met: for the rows, and not for the twins.
    Condition,
    /// It was true of older hardware or compilers: it holds for the rows, and no longer for the twins.
    Outdated,
    /// It is not true.
    Wrong,
    /// No run shows it, and none refutes it.
    ///
    /// Its test, if it has one, asks for less than the statement: for something that must be seen if the statement is
    /// true. The rows must show that, because otherwise the statement is refuted and the ruling is [`Ruling::Wrong`].
    /// The twins must not show it, because otherwise no run could refute anything. A test that passes does not make the
    /// statement true; the claim's reason says what is missing.
    NotDecided,
}

/// What decides a claim.
#[derive(Clone, Copy, Debug)]
pub enum Proof {
    /// What the emulator counts and finds in this run.
    Run(Test),
    /// How long a GPU takes, in this run or otherwise in the first run of the chapter's record.
    Clock(Test),
    /// How long a GPU took in the recorded run with these arguments, because the chapter's own size is too small for it.
    Recorded(&'static str, Test),
    /// Nothing can be run, for this reason.
    None(&'static str),
}

/// A predicate, and the variants for which it must have one value and the other.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// The variants that decide, in the order in which they are passed to the predicate.
    pub rows: &'static [&'static str],
    /// As many variants for which the predicate must have the other value.
    pub twins: &'static [&'static str],
    /// Whether the statement is true. For a statement that is not decided: whether that was seen which must be seen if
    /// it is true.
    pub holds: fn(&[Seen]) -> bool,
    /// The numbers that the predicate uses, in one line.
    pub evidence: fn(&[Seen]) -> String,
}

/// A claim after its test.
#[derive(Clone, Debug)]
pub struct Judged {
    pub(crate) claim: Claim,
    pub(crate) outcome: Outcome,
}

/// The result of a test.
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
    /// What is needed and was not available.
    Missing(String),
}

/// The value of the predicate for the rows, or for the twins.
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
            Ruling::NotDecided => "not decided",
        }
    }

    /// The value that the predicate must have for the rows. For the twins it must have the other value.
    fn expects(self) -> bool {
        self != Ruling::Wrong
    }

    /// What this value of the predicate means.
    pub(crate) fn finding(self, holds: bool) -> &'static str {
        match (self, holds) {
            (Ruling::NotDecided, true) => "not refuted",
            (Ruling::NotDecided, false) => "refuted",
            (_, true) => "true",
            (_, false) => "false",
        }
    }
}

impl Voice {
    /// The words that a ledger puts before the statement.
    pub fn name(self) -> &'static str {
        match self {
            Voice::Note => "the note says",
            Voice::Code => "the note's code",
            Voice::Reader => "a reader may conclude",
            Voice::Asked => "is it true that",
        }
    }
}

impl Claim {
    fn test(&self) -> Option<&Test> {
        match &self.proof {
            Proof::Run(test) | Proof::Clock(test) | Proof::Recorded(_, test) => Some(test),
            Proof::None(_) => None,
        }
    }

    /// The variants that are needed to decide it.
    pub(crate) fn variants(&self) -> impl Iterator<Item = &'static str> {
        self.test().into_iter().flat_map(|test| test.rows.iter().chain(test.twins).copied())
    }

    /// Judges it on a run and, if it needs a clock that the run did not have, on a GPU's record.
    fn judge(&self, report: &Report, measured: &Measured) -> Judged {
        let outcome = match &self.proof {
            Proof::Run(test) => test.decide(report, None),
            Proof::Clock(test) if test.is_timed(report) => test.decide(report, None),
            Proof::Clock(test) => test.decide_on_record(report, measured, measured.runs.first()),
            Proof::Recorded(arguments, test) => {
                let run = measured.runs.iter().find(|run| run.arguments == *arguments);
                test.decide_on_record(report, measured, run).of_run(arguments)
            }
            Proof::None(reason) => Outcome::NoRun(reason),
        };
        Judged { claim: *self, outcome }
    }
}

impl Test {
    fn is_timed(&self, report: &Report) -> bool {
        let mut names = self.rows.iter().chain(self.twins);
        names.all(|name| Seen::find(report, name).is_some_and(Seen::is_timed))
    }

    /// Decides it from the emulator's rows and the times of a recorded run.
    fn decide_on_record(&self, report: &Report, measured: &Measured, run: Option<&Run>) -> Outcome {
        if measured.is_empty() {
            // A chapter that has not been on a GPU yet leaves the question open.
            return Outcome::NoRun("there is no GPU here, and no record of one yet");
        }
        let report = run.map(|run| report.clone().with_measured(run)).filter(|report| self.is_timed(report));
        let missing = "a GPU: there is none here, and the record has no times of these rows";
        let missing = || Outcome::Missing(missing.to_owned());
        report.map_or_else(missing, |report| self.decide(&report, Some(measured.machine.origin())))
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

impl Outcome {
    /// The evidence begins with the arguments of the run, which are not the chapter's own.
    fn of_run(mut self, arguments: &str) -> Self {
        if let Outcome::Decided { holds, twin, .. } = &mut self {
            for side in [holds, twin] {
                side.evidence = format!("with `{arguments}`, {}", side.evidence);
            }
        }
        self
    }
}

impl Judged {
    /// Whether the predicate has the value that the ruling requires, and the other value for the twins.
    pub(crate) fn is_sound(&self) -> bool {
        match &self.outcome {
            Outcome::Decided { holds, twin, .. } => {
                holds.holds == self.claim.ruling.expects() && twin.holds != holds.holds
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
            "this chapter does not decide a claim `{name}`: choose one of {}, or `all`; `cargo xtask claims` lists the claims of all chapters",
            ids.join(", ")
        );
    }
    Ok(chosen)
}

/// Judges claims on a chapter's report, and on its record of a GPU.
pub(crate) fn judge(claims: &[&Claim], report: &Report, record: &str) -> Result<Vec<Judged>> {
    let measured: Measured = record::read(record, "the chapter's record `h200.json`")?;
    Ok(claims.iter().map(|claim| claim.judge(report, &measured)).collect())
}

/// Fails unless the test of every claim of a chapter agrees with its ruling, and its twins do not; for a chapter's tests.
pub fn check(program: &Path) -> Result<()> {
    let output = program::output(program, &["--device", "sim", "--claim", "all"])?;
    if !output.status.success() {
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let failed: Vec<&str> = out.lines().chain(err.lines()).filter(|line| is_complaint(line)).collect();
        bail!("claims whose test does not agree with their ruling:\n{}", failed.join("\n"));
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

    const SUMS_ARE_RIGHT: Claim = Claim {
        id: "N9.1",
        voice: Voice::Note,
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

    const IS_SLOW: Test = Test {
        rows: &["slow"],
        twins: &["fast"],
        holds: |seen| seen[0].time_us() > 5.0,
        evidence: |seen| format!("{} µs", seen[0].time_us()),
    };

    fn of(rows: Vec<Row>) -> Report {
        let section = Section { name: "s".to_owned(), rows, ..Section::default() };
        Report { sections: vec![section], ..Report::default() }
    }

    fn row(variant: &str, verdict: &str) -> Row {
        Row { variant: variant.to_owned(), verdict: verdict.to_owned(), ..Row::default() }
    }

    fn report(wrong: &str) -> Report {
        of(vec![row("sum", "ok"), row("sum_wrong", wrong)])
    }

    fn timed(variant: &str, median_us: f64) -> Row {
        let timing = Some(Timing { median_us, ..Timing::default() });
        Row { gpu: Some(OnGpu { timing, ..OnGpu::default() }), ..row(variant, "ok") }
    }

    fn measured(runs: &[(&str, Vec<Row>)]) -> Measured {
        let runs = runs.iter().map(|(arguments, rows)| record::measured(&of(rows.clone()), arguments));
        Measured { runs: runs.collect(), ..Measured::default() }
    }

    fn is_sound(claim: Claim, report: &Report) -> bool {
        claim.judge(report, &Measured::default()).is_sound()
    }

    #[test]
    fn a_verdict_must_turn_with_the_twin() {
        assert!(is_sound(SUMS_ARE_RIGHT, &report("FAULT")));
        assert!(!is_sound(SUMS_ARE_RIGHT, &report("ok")));
        let held = Claim { ruling: Ruling::Holds, ..SUMS_ARE_RIGHT };
        assert!(!is_sound(held, &report("FAULT")));
    }

    #[test]
    fn a_claim_that_is_not_decided_must_not_be_refuted_and_could_be() {
        // If sums are exact they are also no fault, but sums that are no fault need not be exact.
        let must_be_seen = Test {
            rows: &["sum"],
            twins: &["sum_wrong"],
            holds: |seen| seen[0].verdict() != "FAULT",
            evidence: |seen| seen[0].verdict().to_owned(),
        };
        let open = Claim { ruling: Ruling::NotDecided, proof: Proof::Run(must_be_seen), ..SUMS_ARE_RIGHT };
        assert!(is_sound(open, &report("FAULT")));
        // A test that nothing can fail could not have refuted the statement.
        assert!(!is_sound(open, &report("ok")));
        // A statement that the rows refute is wrong, and not open.
        let (rows, twins) = (must_be_seen.twins, must_be_seen.rows);
        let refuted = Claim { proof: Proof::Run(Test { rows, twins, ..must_be_seen }), ..open };
        assert!(!is_sound(refuted, &report("FAULT")));
        assert!(is_sound(Claim { ruling: Ruling::Wrong, ..refuted }, &report("FAULT")));
        // A claim without a run cannot be refuted by one.
        assert!(is_sound(Claim { proof: Proof::None("it is about the host"), ..open }, &report("FAULT")));
    }

    #[test]
    fn what_is_not_decided_is_never_called_true() {
        assert_eq!([true, false].map(|holds| Ruling::NotDecided.finding(holds)), ["not refuted", "refuted"]);
        assert_eq!([true, false].map(|holds| Ruling::Condition.finding(holds)), ["true", "false"]);
    }

    #[test]
    fn a_row_that_is_not_there_is_named() {
        let judged = SUMS_ARE_RIGHT.judge(&of(Vec::new()), &Measured::default());
        assert_eq!(judged.outcome, Outcome::Missing("a row of the variant `sum_wrong`".to_owned()));
    }

    #[test]
    fn the_clock_is_read_from_a_record_where_there_is_no_gpu() {
        let claim = Claim { ruling: Ruling::Holds, proof: Proof::Clock(IS_SLOW), ..SUMS_ARE_RIGHT };
        let here = of(vec![row("slow", "ok"), row("fast", "ok")]);
        assert!(!claim.judge(&here, &measured(&[("", vec![timed("slow", 9.0)])])).is_sound());
        assert!(matches!(claim.judge(&here, &Measured::default()).outcome, Outcome::NoRun(_)));
        let judged = claim.judge(&here, &measured(&[("", vec![timed("slow", 9.0), timed("fast", 1.0)])]));
        assert!(judged.is_sound());
        assert!(matches!(judged.outcome, Outcome::Decided { record: Some(_), .. }));
    }

    #[test]
    fn a_recorded_run_is_found_by_its_arguments_and_named() {
        let proof = Proof::Recorded("--size 9", IS_SLOW);
        let claim = Claim { ruling: Ruling::Holds, proof, ..SUMS_ARE_RIGHT };
        let here = of(vec![row("slow", "ok"), row("fast", "ok")]);
        let small = ("", vec![timed("slow", 1.0), timed("fast", 1.0)]);
        let large = ("--size 9", vec![timed("slow", 9.0), timed("fast", 1.0)]);
        assert!(!claim.judge(&here, &measured(std::slice::from_ref(&small))).is_sound());
        let judged = claim.judge(&here, &measured(&[small, large]));
        assert!(judged.is_sound());
        let Outcome::Decided { holds, .. } = judged.outcome else { panic!("{:?}", judged.outcome) };
        assert_eq!(holds.evidence, "with `--size 9`, 9 µs");
    }
}
