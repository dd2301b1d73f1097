//! What the processes of a command reported, as results of tests: each process is a test, which fails for what was found in it.

use cuda_host::Kind;
use lanes_driver::Report;
use serde_json::Value;
use simt::{FaultKind, Severity};

use super::{Problem, Suite, Verdict, unchecked};

/// What could not be emulated.
pub const REFUSED: &str = "not-emulated";

/// What a process does that ends without its end.
pub const CUT: &str = "cut-off";

/// Launches that were not checked for races, which is so by intention: it never makes a process fail.
pub const UNCHECKED: &str = "unchecked-launches";

/// The results of all processes. With `strict` warnings and notes count too.
#[derive(Debug)]
pub struct Reported {
    /// One suite for each process.
    pub suites: Vec<Suite>,
    /// Launches of all processes whose number is known.
    pub launches: u64,
    /// Whether a process ended before it could tell how many launches it had.
    pub is_cut: bool,
}

impl Reported {
    /// Judges reports.
    pub fn new(reports: &[Report], strict: bool) -> Reported {
        let is_cut = reports.iter().any(|report| report.launches.is_none());
        let mut all = Reported { suites: Vec::new(), launches: 0, is_cut };
        for report in reports {
            all.launches += report.launches.unwrap_or(0);
            let name = report.command.join(" ");
            let found = report.findings.iter().map(problem);
            let refused = report.refused.iter().map(|(place, message)| refused(place, message));
            let (problems, notes): (Vec<_>, Vec<_>) = found
                .chain(refused)
                .chain(cut(report))
                .chain(repeated(report))
                .partition(|problem| problem.level == "error" || strict && problem.rule != UNCHECKED);
            let verdict = Verdict { name: name.clone(), ran: 1, seconds: 0.0, problems, notes };
            all.suites.push(Suite { file: name, source: String::new(), verdicts: vec![verdict], missing: 0 });
        }
        all
    }

    /// What does not make a process fail, with its command.
    pub fn notes(&self) -> impl Iterator<Item = (&str, &Problem)> {
        let verdicts = self.suites.iter().flat_map(|suite| &suite.verdicts);
        verdicts.flat_map(|verdict| verdict.notes.iter().map(|problem| (verdict.name.as_str(), problem)))
    }

    /// The problems of processes that failed.
    pub fn problems(&self) -> impl Iterator<Item = (&str, &Problem)> {
        let verdicts = self.suites.iter().flat_map(|suite| &suite.verdicts);
        verdicts.flat_map(|verdict| verdict.problems.iter().map(|problem| (verdict.name.as_str(), problem)))
    }
}

/// The name of a kind of finding, which the other process has written.
fn rule(name: &str) -> &'static str {
    let of_kernels = FaultKind::ALL.iter().map(|kind| kind.name());
    let of_programs = Kind::OF_PROGRAMS.iter().map(|kind| kind.name());
    of_kernels
        .chain(of_programs)
        .chain([Kind::StaleRead.name()])
        .find(|known| *known == name)
        .unwrap_or("finding")
}

fn level(name: &str) -> &'static str {
    let levels = [Severity::Error, Severity::Warning, Severity::Note].map(Severity::name);
    levels.into_iter().find(|known| *known == name).unwrap_or("error")
}

fn problem(finding: &Value) -> Problem {
    let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let actors = finding["actors"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|actor| actor.as_str().map(str::to_owned));
    let (file, function, help) = (text("file"), text("function"), text("help"));
    let at =
        (!function.is_empty()).then(|| format!("at call {} of the driver, `{function}`", finding["call"]));
    let help = help.replace("raise the limit on steps", "raise the limit with `--max-steps`");
    let help = (!help.is_empty()).then(|| format!("help: {help}"));
    let line = finding["line"].as_u64().filter(|_| !file.is_empty()).map(|line| (file, line as u32));
    Problem {
        rule: rule(&text("kind")),
        level: level(&text("severity")),
        message: text("message"),
        details: at.into_iter().chain(actors).chain(help).collect(),
        line,
        seed: None,
    }
}

fn refused(place: &str, message: &str) -> Problem {
    let at = place.replacen(',', " of the driver,", 1);
    let at = if at.is_empty() {
        "nothing after it was checked".to_owned()
    } else {
        format!("at {at}; the call returned an error, and the rest was checked")
    };
    let details = vec![at];
    Problem { rule: REFUSED, level: "error", message: message.to_owned(), details, line: None, seed: None }
}

/// A process that ended before it could tell what is known at the end.
fn cut(report: &Report) -> Option<Problem> {
    let message = "the process ended by a signal or with `_exit`, as the workers of Python's `multiprocessing` do, so what is known \
                   only at the end, such as leaks, was not reported"
        .to_owned();
    report.launches.is_none().then(|| Problem {
        rule: CUT,
        level: "note",
        message,
        details: Vec::new(),
        line: None,
        seed: None,
    })
}

/// Launches that were not checked for races.
fn repeated(report: &Report) -> Option<Problem> {
    let message = unchecked::sentence(&report.unchecked)?;
    let details = vec![format!("help: {}", unchecked::HELP)];
    Some(Problem { rule: UNCHECKED, level: "note", message, details, line: None, seed: None })
}
