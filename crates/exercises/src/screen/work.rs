//! An exercise: its task, the verdict on the attempt, and the hints that were shown.

use grader::Kind;

use crate::app::{App, Standing};
use crate::wording;
use crate::wrap::{Said, Tone, rows};

use super::page::Page;

pub(super) fn page(app: &App, width: usize) -> Page {
    let exercise = app.exercise();
    let mut said = wording::task(exercise, &app.file);
    said.push(Said::gap());
    let start = rows(&said, width).len();
    said.extend(standing(app));
    let end = rows(&said, width).len();
    let hints = wording::hints(exercise, app.done.hints_seen(&exercise.name));
    if !hints.is_empty() {
        said.push(Said::gap());
        said.extend(hints);
    }
    Page { rows: rows(&said, width), focus: start..end, selected: None }
}

fn standing(app: &App) -> Vec<Said> {
    let mut said = match &app.standing {
        Standing::Checking => vec![Said::prose(Tone::Strong, "", "Checking ...")],
        Standing::Graded(verdict) => wording::verdict(verdict, app.exercise(), &app.file),
        Standing::Gone => wording::gone(&app.file),
        Standing::Unreadable(why) => wording::unreadable(why),
        Standing::Broken(why) => wording::broken(why),
    };
    let is_passed = matches!(&app.standing, Standing::Graded(verdict) if verdict.is_passed());
    if is_passed {
        said.push(Said::gap());
        said.push(Said::prose(Tone::Good, "", &onward(app)));
    } else if app.has_passed() && app.standing != Standing::Checking {
        said.push(Said::gap());
        said.push(Said::prose(
            Tone::Quiet,
            "",
            "You have passed this exercise before, and that still counts.",
        ));
    }
    said
}

/// What to do after an exercise that is passed.
fn onward(app: &App) -> String {
    match app.course.next_open(&app.done, Some(app.at)) {
        Some(_) if app.exercise().kind == Kind::Predict => "Press `n` for the next exercise.".to_owned(),
        Some(_) => "Press `n` for the next exercise, or `s` to see another solution.".to_owned(),
        None => crate::app::NOTHING_LEFT.to_owned(),
    }
}
