//! The commands: each does one thing, prints plain text in 80 columns, and ends with a status.
//!
//! Status 0 means passed or done, 1 means that an attempt is refused, and 2, as an error, that something could not be
//! done. What it leaves out: the screen, which is in `session.rs`.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail, ensure};
use grader::{Exercise, Kind, Verdict, Version, generate};
use thirty_two_lanes::terminal::{fail, print};

use crate::COMMAND;
use crate::course::Course;
use crate::desk::{Desk, Found, shown};
use crate::progress::{Change, Progress};
use crate::wording;
use crate::worker::{Grade, attempt};
use crate::wrap::{self, Said, Tone};

/// Everything that commands and the screen work with.
pub struct Bench {
    /// The exercises.
    pub course: Course,
    /// The learner's files.
    pub desk: Desk,
    /// The learner's progress.
    pub progress: Progress,
    /// A remark about the progress file.
    pub note: Option<String>,
    /// Grades an attempt.
    pub grade: Arc<Grade>,
}

impl Bench {
    /// The exercise with this name; without a name, the next open one, which is the one that the learner is at.
    fn find_or_next(&self, name: Option<&str>) -> Result<usize> {
        let next = || self.course.next_open(&self.progress.done, None);
        match name {
            Some(name) => self.course.find(name),
            None => {
                next().ok_or_else(|| anyhow!("all exercises are passed: name one, and `list` shows them"))
            }
        }
    }

    fn exercise(&self, name: &str) -> Result<&Exercise> {
        Ok(&self.course.exercises[self.course.find(name)?])
    }

    /// Records what happened. If it cannot be written, a message says so, and the command's own result is the same.
    fn record(&mut self, change: Change) {
        let recorded = self.progress.record(change);
        tell(recorded);
    }

    /// Writes what could not be written before.
    ///
    /// # Errors
    /// When it still cannot be written.
    pub fn save_in_the_end(&mut self) -> Result<()> {
        let saved = self.progress.save().map_err(|error| {
            anyhow!("{error:#}; free some space on the disk, then run `{COMMAND} verify` to record what you passed")
        });
        tell(Ok(saved?));
        Ok(())
    }
}

/// Prints what there is to say about a change that was recorded, or was not.
fn tell(recorded: Result<Option<String>>) {
    if let Some(said) = recorded.unwrap_or_else(|error| Some(format!("{error:#}"))) {
        fail(&said);
    }
}

/// The text of a solution, and its path.
///
/// # Errors
/// If the exercise itself is wrong.
pub fn solution(course: &Course, at: usize) -> Result<(String, String)> {
    let exercise = &course.exercises[at];
    let file = shown(&exercise.folder(&course.catalogue).join(exercise.source_name()));
    let place = match exercise.kind {
        Kind::Predict => format!("the answers that a run of `{file}` gives"),
        _ => format!("`{file}`, with the other versions between its marks"),
    };
    Ok((generate::text(exercise, &Version::Solution)?, place))
}

/// All exercises, by chapter.
pub fn list(bench: &Bench) -> ExitCode {
    let (course, done) = (&bench.course, &bench.progress.done);
    let next = course.next_open(done, None);
    let (mut text, mut chapter) = (String::new(), 0);
    for (at, exercise) in course.exercises.iter().enumerate() {
        if exercise.chapter != chapter {
            chapter = exercise.chapter;
            let _ = writeln!(text, "{}Chapter {chapter}", if at == 0 { "" } else { "\n" });
        }
        let mark = match () {
            () if done.has_passed(&exercise.name) => 'x',
            () => ' ',
        };
        let arrow = if next == Some(at) { '>' } else { ' ' };
        let (name, kind) = (&exercise.name, exercise.kind.name());
        let _ = writeln!(
            text,
            "{arrow} [{mark}] {name:<22} {:<34} {kind:<8}{:>2} min",
            exercise.title, exercise.minutes
        );
    }
    let _ =
        writeln!(text, "\n[x] passed, > next: {} of {} passed", course.passed(done), course.exercises.len());
    print(&text, ExitCode::SUCCESS)
}

/// Grades the learner's file of an exercise once.
///
/// # Errors
/// If there is nothing to grade, or the exercise itself is wrong.
pub fn run(bench: &mut Bench, name: Option<&str>) -> Result<ExitCode> {
    let at = bench.find_or_next(name)?;
    run_at(bench, at, "")
}

/// Grades the next open exercise once, if there is no terminal.
///
/// # Errors
/// As `run`.
pub fn run_next(bench: &mut Bench) -> Result<ExitCode> {
    let (course, done) = (&bench.course, &bench.progress.done);
    let Some(at) = course.next_open(done, None) else {
        return Ok(print("All exercises are passed.\n", ExitCode::SUCCESS));
    };
    let how = format!(
        "This is not a terminal, so the next exercise was run once. Edit the file and run `{COMMAND} run {}`; see `--help` for more.",
        bench.course.exercises[at].name
    );
    run_at(bench, at, &how)
}

fn run_at(bench: &mut Bench, at: usize, last: &str) -> Result<ExitCode> {
    let exercise = bench.course.exercises[at].clone();
    bench.desk.lay_out(&exercise)?;
    let mut said = wording::task(&exercise, &bench.desk.shown(&exercise));
    said.push(Said::gap());
    let verdict = grade(bench, &exercise)?;
    said.extend(wording::verdict(&verdict, &exercise, &bench.desk.shown(&exercise)));
    let status = ExitCode::from(u8::from(!verdict.is_passed()));
    if !last.is_empty() {
        said.extend([Said::gap(), Said::prose(Tone::Plain, "", last)]);
    }
    Ok(print(&wrap::plain(&said), status))
}

/// Grades the learner's file, and records it if it passed.
fn grade(bench: &mut Bench, exercise: &Exercise) -> Result<Verdict> {
    let text = match bench.desk.read(exercise) {
        Found::Text(text) => text,
        Found::Unreadable(why) => bail!(why),
        Found::Nothing => bail!("`{}` does not exist", bench.desk.shown(exercise)),
    };
    let verdict = attempt(&*bench.grade, exercise, &text).map_err(anyhow::Error::msg)?;
    if verdict.is_passed() && !bench.progress.done.has_passed(&exercise.name) {
        bench.record(Change::Passed(exercise.name.clone()));
    }
    Ok(verdict)
}

/// Prints the hints that were shown before and the next one.
///
/// # Errors
/// When there is no such exercise.
pub fn hint(bench: &mut Bench, name: Option<&str>) -> Result<ExitCode> {
    let exercise = bench.course.exercises[bench.find_or_next(name)?].clone();
    let (seen, recorded) = bench.progress.next_hint(&exercise.name, exercise.hints.len());
    tell(recorded);
    let now = (seen + 1).min(exercise.hints.len());
    let mut said = Vec::new();
    if name.is_none() {
        said.push(Said::labelled(Tone::Strong, "About ", &format!("`{}`:", exercise.name)));
    }
    said.extend(wording::hints(&exercise, now));
    if seen >= exercise.hints.len() {
        said.push(Said::prose(
            Tone::Plain,
            "",
            &wording::after_hints(&exercise, bench.progress.done.has_passed(&exercise.name)),
        ));
    }
    Ok(print(&wrap::plain(&said), ExitCode::SUCCESS))
}

/// Prints a solution, if the exercise is passed or `--spoil` is given.
///
/// # Errors
/// When it is not passed.
pub fn print_solution(bench: &Bench, name: &str, spoil: bool) -> Result<ExitCode> {
    let exercise = bench.exercise(name)?;
    ensure!(
        spoil || bench.progress.done.has_passed(&exercise.name),
        "the solution of `{name}` is shown once you have passed; `hint {name}` gives a hint, and `--spoil` shows the solution now"
    );
    let (text, place) = solution(&bench.course, bench.course.find(name)?)?;
    let place = wrap::plain(&[Said::prose(Tone::Plain, "", &format!("This is {place}."))]);
    Ok(print(&format!("{}\n\n{place}", text.trim_end()), ExitCode::SUCCESS))
}

/// Resets an exercise, or all of them.
///
/// # Errors
/// When there is no such exercise, or a file cannot be written.
pub fn reset(bench: &mut Bench, name: Option<&str>) -> Result<ExitCode> {
    let exercises = match name {
        Some(name) => vec![bench.exercise(name)?.clone()],
        None => bench.course.exercises.clone(),
    };
    let mut text = String::new();
    for exercise in exercises {
        // If all are reset, those that were never begun need no file.
        let is_begun = bench.desk.file(&exercise).symlink_metadata().is_ok();
        let kept = if is_begun || name.is_some() { bench.desk.reset(&exercise)? } else { None };
        // Another instance may have recorded something since this one began.
        let done = &bench.progress.done;
        let is_known = done.has_passed(&exercise.name) || done.hints_seen(&exercise.name) > 0;
        if is_begun || is_known || name.is_some() {
            bench.record(Change::Reset(exercise.name.clone()));
        }
        if let Some(kept) = kept {
            let _ = writeln!(text, "`{}` starts again; your text is in `{}`", exercise.name, shown(&kept));
        } else if name.is_some() {
            let _ = writeln!(text, "`{}` starts again", exercise.name);
        }
    }
    if name.is_none() {
        text += "everything starts again\n";
    }
    Ok(print(&text, ExitCode::SUCCESS))
}

/// Grades the learner's files again, and prints the results in a table.
///
/// # Errors
/// When there is no such exercise.
pub fn verify(bench: &mut Bench, names: &[String]) -> Result<ExitCode> {
    let mut chosen = names.iter().map(|name| bench.course.find(name)).collect::<Result<Vec<usize>>>()?;
    if chosen.is_empty() {
        // Those that were never begun need nothing.
        let is_begun = |at: &usize| {
            let exercise = &bench.course.exercises[*at];
            bench.progress.done.has_passed(&exercise.name) || bench.desk.read(exercise) != Found::Nothing
        };
        chosen = (0..bench.course.exercises.len()).filter(is_begun).collect();
    }
    if chosen.is_empty() {
        return Ok(print("you have not started an exercise yet\n", ExitCode::SUCCESS));
    }
    let (mut right, mut lost) = (0, 0);
    for &at in &chosen {
        let exercise = bench.course.exercises[at].clone();
        let was_passed = bench.progress.done.has_passed(&exercise.name);
        let now = state(bench, &exercise);
        right += u64::from(now == State::Right);
        let is_lost = was_passed && !matches!(now, State::Right | State::Unknown(_));
        lost += u64::from(is_lost);
        let was = if is_lost { ", but was passed before" } else { "" };
        let _ = print(&format!("{:<26}{}{was}\n", exercise.name, now.text()), ExitCode::SUCCESS);
    }
    let begun = if names.is_empty() { " that were started" } else { "" };
    let text = format!("\n{right} of {}{begun} pass, {lost} no longer do\n", chosen.len());
    Ok(print(&text, ExitCode::from(u8::from(lost > 0))))
}

/// The state of a file.
#[derive(PartialEq)]
enum State {
    Right,
    /// Refused, and why.
    Wrong(String),
    /// There is no file.
    Missing,
    /// It could not be graded, and why.
    Unknown(String),
}

impl State {
    fn text(&self) -> String {
        match self {
            State::Right => "passes".to_owned(),
            State::Wrong(why) => format!("refused: {why}"),
            State::Missing => "has no file".to_owned(),
            State::Unknown(why) => format!("not checked: {why}"),
        }
    }
}

fn state(bench: &mut Bench, exercise: &Exercise) -> State {
    if bench.desk.read(exercise) == Found::Nothing {
        return State::Missing;
    }
    match grade(bench, exercise) {
        Ok(Verdict::Passed(_)) => State::Right,
        Ok(Verdict::Refused(refusal)) => State::Wrong(refusal.reason.replace('-', " ")),
        Err(error) => State::Unknown(format!("{error:#}")),
    }
}
