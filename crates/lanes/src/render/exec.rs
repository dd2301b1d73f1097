//! What `lanes exec` reports of a command that has ended.

use std::fmt::Write as _;

use spec::layout::counted;

use crate::outcome::Problem;
use crate::outcome::reported::Reported;

/// The report as text: each finding as `lanes run` tells it, and how many there were.
pub fn text(reported: &Reported) -> String {
    let processes = reported.suites.len();
    if processes == 0 {
        return "\nnote: the command did not use the driver, so nothing was checked\n".to_owned();
    }
    let mut text = String::new();
    let rest = reported.rest.iter().map(|(name, problem)| (name.as_str(), problem));
    let mut last = None;
    for (name, problem) in reported.problems().chain(rest) {
        if processes > 1 && last != Some(name) {
            let _ = writeln!(text, "\nin `{name}`:");
            last = Some(name);
        }
        problem_text(&mut text, problem);
    }
    let (errors, milder) = (reported.problems().count(), reported.rest.len());
    let found = match (errors, milder) {
        (0, 0) => "no finding".to_owned(),
        (0, 1) => "no error, and 1 warning or note".to_owned(),
        (0, milder) => format!("no error, and {milder} warnings or notes"),
        (errors, _) => counted(errors as u64, "error"),
    };
    let launches = counted(reported.launches, "launch").replace("launchs", "launches");
    let _ = writeln!(text, "\n{found} in {launches} on the emulator");
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
