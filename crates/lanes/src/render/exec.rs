//! What `lanes exec` reports of a command that has ended.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spec::layout::{counted, grouped};

use crate::outcome::Problem;
use crate::outcome::reported::Reported;

/// What is said if no process has called the driver.
const UNUSED: &str = "\nnote: nothing was checked, because the command did not call the driver; if it uses CUDA, it has to keep \
                      `LD_LIBRARY_PATH`, and load `libcuda` itself: what is linked with NVIDIA's runtime needs `lanes run`\n";

/// So many warnings and notes of a kind are told in full for each process.
const MOST_OF_A_KIND: usize = 5;

/// The report as text: each finding as `lanes run` tells it, and how many there were.
pub fn text(reported: &Reported) -> String {
    let processes = reported.suites.len();
    if processes == 0 {
        return UNUSED.to_owned();
    }
    let mut text = String::new();
    let rest = reported.rest.iter().map(|(name, problem)| (name.as_str(), problem));
    let (mut last, mut told) = (None, BTreeMap::new());
    for (name, problem) in reported.problems().chain(rest) {
        if problem.level != "error" {
            let known: &mut usize = told.entry((name, problem.rule)).or_default();
            *known += 1;
            if *known > MOST_OF_A_KIND {
                continue;
            }
        }
        if processes > 1 && last != Some(name) {
            let _ = writeln!(text, "\nin `{name}`:");
            last = Some(name);
        }
        problem_text(&mut text, problem);
    }
    for ((name, rule), count) in told.iter().filter(|(_, count)| **count > MOST_OF_A_KIND) {
        let place = if processes > 1 { format!(" in `{name}`") } else { String::new() };
        let more = grouped((count - MOST_OF_A_KIND) as u64);
        let _ = writeln!(text, "\n{more} more of the kind {rule}{place}: `--format json` has all of them");
    }
    let (errors, milder) = (reported.problems().count(), reported.rest.len());
    let found = match (errors, milder) {
        (0, 0) => "no finding".to_owned(),
        (0, 1) => "no error, and 1 warning or note".to_owned(),
        (0, milder) => format!("no error, and {} warnings or notes", grouped(milder as u64)),
        (errors, _) => counted(errors as u64, "error"),
    };
    let launches = counted(reported.launches, "launch").replace("launchs", "launches");
    let least = if reported.is_cut { "at least " } else { "" };
    let _ = writeln!(text, "\n{found} in {least}{launches} on the emulator");
    text
}

fn problem_text(text: &mut String, problem: &Problem) {
    let place = problem.line.as_ref().map_or(String::new(), |(file, line)| format!(" at {file}:{line}"));
    let severity = if problem.level == "error" { String::new() } else { format!("{}: ", problem.level) };
    let _ = writeln!(text, "\n{severity}{}{place}: {}", problem.rule, problem.message);
    for detail in &problem.details {
        let _ = writeln!(text, "  {detail}");
    }
}
