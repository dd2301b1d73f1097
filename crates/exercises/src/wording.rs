//! The texts about an exercise: the same on the screen and in plain text.
//!
//! What it leaves out: where they appear on a screen.

use grader::{Compilation, Exercise, Kind, Measured, Passed, Refusal, Shown, Verdict};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::spec::launch::{Launch, command_line};

use crate::COMMAND;
use crate::wrap::{Said, Tone};

/// The kind of an exercise: `chapter 2, fix, 10 minutes`.
pub fn kind(exercise: &Exercise) -> String {
    format!(
        "chapter {}, {}, {}",
        exercise.chapter,
        exercise.kind.name(),
        counted(exercise.minutes.into(), "minute")
    )
}

/// The title, the path of the file, and the task.
pub fn task(exercise: &Exercise, file: &str) -> Vec<Said> {
    let does = match exercise.kind {
        Kind::Predict => "Answer in ",
        _ => "Edit ",
    };
    vec![
        Said::prose(Tone::Strong, "", &format!("{} ({})", exercise.title, kind(exercise))),
        Said::labelled(Tone::Plain, does, file),
        Said::labelled(Tone::Quiet, "Its page in the book: book/src/", &exercise.page),
        Said::gap(),
        Said::prose(Tone::Plain, "", &exercise.task),
    ]
}

/// The verdict on an attempt, whose file it names.
pub fn verdict(verdict: &Verdict, exercise: &Exercise, file: &str) -> Vec<Said> {
    match verdict {
        Verdict::Passed(passed) => approval(passed),
        Verdict::Refused(refusal) => {
            let closer = refusal.shown.as_ref().map_or(Vec::new(), |shown| closer(shown, exercise, file));
            objection(refusal).into_iter().chain(closer).collect()
        }
    }
}

/// The command that shows everything about the launch in which an attempt is wrong. It is one line, to be copied.
fn closer(shown: &Shown, exercise: &Exercise, file: &str) -> Vec<Said> {
    // The limit on steps is the grader's.
    let launch = Launch { max_steps: None, ..shown.launch.clone() };
    let arch = vec!["--arch".to_owned(), exercise.arch.to_string()];
    let words = [vec![file.to_owned()], launch.options(), arch].concat();
    vec![
        Said::gap(),
        Said::prose(Tone::Quiet, "", "To look closer at this launch, all lanes and counters included:"),
        Said::line(Tone::Quiet, "  ", &format!("cargo run --bin lanes -- run {}", command_line(&words))),
    ]
}

fn approval(passed: &Passed) -> Vec<Said> {
    let mut said = vec![Said::labelled(Tone::Good, "Passed: ", &passed.tried)];
    said.extend(passed.gates.iter().map(gate));
    said.extend(passed.picture.iter().map(|line| Said::line(Tone::Plain, "    ", line)));
    said.extend(printed(&passed.printed));
    said.extend(compilation(&passed.compilation));
    if !passed.learned.is_empty() {
        said.push(Said::gap());
        said.push(Said::labelled(Tone::Plain, "What to take away: ", &passed.learned));
    }
    said
}

/// A kind of reason in words.
fn named(reason: &str) -> String {
    if reason == "gate" { "too expensive".to_owned() } else { reason.replace('-', " ") }
}

fn objection(refusal: &Refusal) -> Vec<Said> {
    // A learner who has not answered yet has done nothing wrong.
    let mut said = match refusal.reason.as_str() {
        "unanswered" => vec![Said::prose(Tone::Strong, "", &refusal.objection())],
        reason => vec![
            Said::labelled(Tone::Bad, "Refused: ", &named(reason)),
            Said::prose(Tone::Strong, "  ", &refusal.objection()),
        ],
    };
    if !refusal.case.is_empty() {
        said.push(Said::prose(Tone::Quiet, "  with ", &refusal.case));
    }
    said.extend(refusal.details.iter().map(|line| Said::line(Tone::Plain, "    ", line)));
    said.extend(refusal.gates.iter().map(gate));
    said.extend(printed(&refusal.printed));
    said.extend(compilation(&refusal.compilation));
    if !refusal.look.is_empty() {
        said.push(Said::gap());
        // The emulator's advice may begin with the same words.
        let (label, look) =
            refusal.look.strip_prefix("look ").map_or(("Look: ", &*refusal.look), |look| ("Look ", look));
        said.push(Said::labelled(Tone::Plain, label, look));
    }
    said
}

/// The compiler, and its warnings.
fn compilation(compilation: &Compilation) -> Vec<Said> {
    if compilation.by.is_empty() {
        return Vec::new();
    }
    let by = Said::prose(Tone::Quiet, "  ", &format!("compiled by {}", compilation.by));
    let warnings = compilation.warnings.iter().flat_map(|warning| warning.lines());
    let warnings = warnings.map(|line| Said::line(Tone::Plain, "    ", line));
    std::iter::once(by).chain(warnings).collect()
}

/// What the kernel printed, if anything.
fn printed(lines: &[String]) -> Vec<Said> {
    let head = (!lines.is_empty()).then(|| Said::prose(Tone::Quiet, "  ", "The kernel printed:"));
    head.into_iter().chain(lines.iter().map(|line| Said::line(Tone::Plain, "    ", line))).collect()
}

/// A counter with its gate, and a sentence about what is wrong with it.
fn gate(gate: &Measured) -> Said {
    let (tone, judged) = match (gate.passes, gate.now > gate.gate) {
        (true, _) => (Tone::Good, ""),
        (false, true) => (Tone::Bad, " - too many"),
        (false, false) => (Tone::Bad, " - too few"),
    };
    Said::prose(tone, "  ", &format!("{}{judged}", gate.text()))
}

/// The hints that were shown.
pub fn hints(exercise: &Exercise, seen: usize) -> Vec<Said> {
    let all = exercise.hints.len();
    let hint = |(index, hint): (usize, &String)| {
        Said::labelled(Tone::Plain, &format!("Hint {} of {all}: ", index + 1), hint)
    };
    exercise.hints.iter().take(seen).enumerate().map(hint).collect()
}

/// What to do after the last hint.
pub fn after_hints(exercise: &Exercise, has_passed: bool) -> String {
    if has_passed {
        return format!("There are no more hints; `{COMMAND} solution {}` shows a solution.", exercise.name);
    }
    format!("There are no more hints; `{COMMAND} solution {} --spoil` shows the solution.", exercise.name)
}

/// The message if the learner's file does not exist.
pub fn gone(file: &str) -> Vec<Said> {
    vec![
        Said::labelled(Tone::Bad, "Not checked: ", &format!("`{file}` no longer exists.")),
        Said::prose(Tone::Plain, "  ", "Save it again, or press `r` to start again with the starter."),
    ]
}

/// The message if the learner's file cannot be read.
pub fn unreadable(why: &str) -> Vec<Said> {
    vec![Said::labelled(Tone::Bad, "Not checked: ", why)]
}

/// The message if grading failed, which is not the learner's fault.
pub fn broken(why: &str) -> Vec<Said> {
    vec![
        Said::labelled(Tone::Bad, "Not checked: ", why),
        Said::prose(
            Tone::Plain,
            "  ",
            "This is not a fault of your solution. Press `r` to try again, `l` to choose another exercise.",
        ),
    ]
}
