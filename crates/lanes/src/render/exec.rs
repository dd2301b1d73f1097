//! What `lanes exec` reports of a command that has ended.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;
use spec::layout::{counted, grouped};

use crate::outcome::Problem;
use crate::outcome::reported::Reported;
use crate::render::verdicts;

/// What is said if no process has called the driver.
const UNUSED: &str = "\nnote: nothing was checked, because the command did not call the driver; if it uses CUDA, it has to keep \
                      `LD_LIBRARY_PATH`, and load `libcuda` itself: what is linked with NVIDIA's runtime needs `lanes run`\n";

/// So many warnings and notes of a kind and a function are told in full for each process.
const MOST_OF_A_KIND: usize = 5;

/// The report as text: each finding as `lanes run` tells it, and how many there were.
pub fn text(reported: &Reported) -> String {
    let processes = reported.suites.len();
    if processes == 0 {
        return UNUSED.to_owned();
    }
    let mut text = String::new();
    let (mut last, mut told) = (None, BTreeMap::new());
    for (name, problem) in reported.problems().chain(reported.notes()) {
        if problem.level != "error" {
            let known: &mut usize = told.entry((name, problem.rule, function(problem))).or_default();
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
    for ((name, rule, at), count) in told.iter().filter(|(_, count)| **count > MOST_OF_A_KIND) {
        let place = if processes > 1 { format!(" in `{name}`") } else { String::new() };
        let more = grouped((count - MOST_OF_A_KIND) as u64);
        let _ = writeln!(text, "\n{more} more of {rule} at `{at}`{place}: `--format json` has all of them");
    }
    let (errors, milder) = (reported.problems().count(), reported.notes().count());
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

/// The report in JSON: the results of tests, and for each process what does not make it fail.
pub fn json(reported: &Reported) -> Value {
    let mut suites = verdicts::json(&reported.suites);
    for (suite, of) in suites.as_array_mut().into_iter().flatten().zip(&reported.suites) {
        let notes = of.verdicts.iter().flat_map(|verdict| &verdict.notes);
        suite["notes"] = notes.map(verdicts::problem).collect();
    }
    suites
}

/// The function whose call a problem is of; nothing if it is of no call.
fn function(problem: &Problem) -> &str {
    let at = problem.details.first().and_then(|detail| detail.split('`').nth(1));
    at.unwrap_or_default()
}

fn problem_text(text: &mut String, problem: &Problem) {
    let place = problem.line.as_ref().map_or(String::new(), |(file, line)| format!(" at {file}:{line}"));
    let severity = if problem.level == "error" { String::new() } else { format!("{}: ", problem.level) };
    let _ = writeln!(text, "\n{severity}{}{place}: {}", problem.rule, problem.message);
    for detail in &problem.details {
        let _ = writeln!(text, "  {detail}");
    }
}

#[cfg(test)]
mod tests {
    use lanes_driver::Report;

    use super::*;

    /// A report of one process with some leaks, and no end.
    fn reported(leaks: u64) -> Reported {
        let leak = |call| serde_json::json!({ "kind": "leak", "severity": "note", "function": "cuMemAlloc_v2", "call": call, "message": "m" });
        let findings = (1..=leaks).map(leak).collect();
        let report = Report { command: vec!["a".into()], findings, launches: Some(1), ..Report::default() };
        Reported::new(&[report], false)
    }

    #[test]
    fn what_is_said_often_is_counted() {
        let text = text(&reported(8));
        assert_eq!(text.matches("note: leak").count(), 5);
        assert!(text.contains("\n3 more of leak at `cuMemAlloc_v2`: "), "{text}");
        assert!(
            text.ends_with("\nno error, and 8 warnings or notes in 1 launch on the emulator\n"),
            "{text}"
        );
        assert!(!super::text(&reported(5)).contains("more of"));
        assert_eq!(json(&reported(8))[0]["notes"].as_array().map(Vec::len), Some(8));
    }

    #[test]
    fn launches_that_were_not_checked_are_told_in_every_format_and_fail_nothing() {
        let unchecked = cuda_host::Unchecked { kernel: "step".into(), unchecked: 926, launches: 1000 };
        let report = Report { unchecked: vec![unchecked], launches: Some(1000), ..Report::default() };
        for strict in [false, true] {
            let reported = Reported::new(std::slice::from_ref(&report), strict);
            let said = "926 of 1,000 launches of `step` were not checked for races, because they repeat earlier ones";
            let text = text(&reported);
            let note = format!(
                "\nnote: unchecked-launches: {said}\n  help: `--check-launches all` checks every launch\n"
            );
            assert!(text.starts_with(&note), "{text}");
            assert!(
                text.ends_with("\nno error, and 1 warning or note in 1,000 launches on the emulator\n"),
                "{text}"
            );
            let junit = verdicts::junit(&reported.suites).unwrap();
            assert!(junit.contains(said) && junit.contains("failures=\"0\""), "{junit}");
            let result = &verdicts::sarif(&reported.suites)["runs"][0]["results"][0];
            assert_eq!((&result["ruleId"], &result["level"]), (&"unchecked-launches".into(), &"note".into()));
            assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains(said)));
            assert_eq!(json(&reported)[0]["notes"][0]["message"], said);
        }
    }

    #[test]
    fn ci_systems_are_told_of_notes_too() {
        let reported = reported(2);
        let junit = verdicts::junit(&reported.suites).unwrap();
        assert!(junit.contains("failures=\"0\"") && !junit.contains("<failure"), "{junit}");
        assert!(junit.contains("<system-out>note: leak: m\nnote: leak: m\n</system-out>"), "{junit}");
        let sarif = verdicts::sarif(&reported.suites);
        let levels = sarif["runs"][0]["results"].as_array().unwrap().iter().map(|result| &result["level"]);
        assert_eq!(levels.collect::<Vec<_>>(), ["note"; 2]);
    }

    #[test]
    fn how_many_launches_there_were_may_not_be_known() {
        let cut = Report { command: vec!["a".into()], ..Report::default() };
        let text = text(&Reported::new(&[cut], false));
        assert!(text.contains("note: cut-off: ") && text.contains("in at least 0 launches"), "{text}");
        assert!(super::text(&Reported::new(&[], false)).contains("nothing was checked"));
    }
}
