//! The program's state and what it does next: events go in, effects come out.
//!
//! It touches no terminal, no file and no clock, so that every path through it can be tested. What it leaves out:
//! carrying out the effects, which is in `session.rs`, and drawing, which is in `screen.rs`.

mod keys;

use grader::{Exercise, Verdict};
use ratatui::crossterm::event::KeyCode;

use crate::course::Course;
use crate::desk::Found;
use crate::progress::{Change, Done};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A key.
    Key(KeyCode),
    /// The file of the exercise on the screen was changed, created or deleted.
    Saved,
    /// The terminal has another size.
    Resized,
    /// An attempt was graded, or the text of the error that prevented it.
    Graded(usize, Result<Verdict, String>),
    /// The learner's file exists, under this name.
    Opened(String),
    /// There was nothing to grade.
    NotRead(usize, Found),
    /// The learner's file of this name could not be created, and why.
    NotMade(usize, String, String),
    /// The recorded progress, and why it could not be written, if so.
    Recorded(Done, Option<String>),
    /// The text of a solution, and its path.
    Solution(Result<(String, String), String>),
    /// The terminal is gone, or the learner wants to leave.
    Leave,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Create the learner's file if it is missing, and watch it.
    Open(usize),
    /// Read it and grade it.
    Check(usize),
    /// Write what has happened to the progress file.
    Record(Change),
    /// Read the solution.
    Solution(usize),
    /// Leave.
    Quit,
}

/// What is on the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// The introduction, shown the first time.
    Welcome,
    /// An exercise.
    Work,
    /// All exercises; one of them is selected.
    List(usize),
    /// What the keys do.
    Help,
    /// A solution, and its path.
    Solution(String, String),
}

/// The state of the learner's file.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It is being graded.
    Checking,
    /// It was graded.
    Graded(Box<Verdict>),
    /// It does not exist.
    Gone,
    /// It cannot be read.
    Unreadable(String),
    /// It could not be graded.
    Broken(String),
}

/// Which part of a text is shown if there is no room for all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Its beginning.
    #[default]
    Top,
    /// The verdict.
    Verdict,
    /// Its end.
    End,
    /// The part that begins in this line.
    Line(usize),
}

/// The part of a text that was visible when it was last drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The first visible line.
    pub offset: usize,
    /// How many lines fit on the screen.
    pub room: usize,
    /// How many lines the text has.
    pub lines: usize,
}

impl Extent {
    /// The largest value of `offset`.
    pub fn most(&self) -> usize {
        self.lines.saturating_sub(self.room)
    }
}

/// The state of the program.
#[derive(Clone, Debug)]
pub struct App {
    /// The exercises.
    pub course: Course,
    /// The recorded progress.
    pub done: Done,
    /// The exercise on the screen.
    pub at: usize,
    /// What is on the screen.
    pub view: View,
    /// The path of the learner's file, as it is shown.
    pub file: String,
    /// The state of that file.
    pub standing: Standing,
    /// Which part of a long text is shown.
    pub focus: Focus,
    /// The part that was visible.
    pub extent: Extent,
    /// The answer to the last key.
    pub notice: Option<String>,
    /// A problem that persists.
    pub trouble: Option<String>,
    /// Whether nothing was saved since the exercise appeared, so that its task is shown first.
    is_fresh: bool,
    /// The exercise that is being graded.
    busy: Option<usize>,
    /// Whether something changed since that grading began.
    again: bool,
    /// How often the exercise on the screen was checked since it appeared.
    pub checks: u32,
}

impl App {
    /// The initial state, and the first effects. It begins with the exercise that was asked for, or otherwise with the
    /// next open one.
    pub fn new(course: Course, done: Done, wanted: Option<usize>, is_first_time: bool) -> (App, Vec<Effect>) {
        let open = course.next_open(&done, None);
        let mut app = App {
            at: 0,
            course,
            done,
            view: View::Work,
            file: String::new(),
            standing: Standing::Checking,
            focus: Focus::Top,
            extent: Extent::default(),
            notice: None,
            trouble: None,
            is_fresh: true,
            busy: None,
            again: false,
            checks: 0,
        };
        let effects = app.open(wanted.or(open).unwrap_or_default());
        if wanted.or(open).is_none() {
            app.notice = Some(NOTHING_LEFT.to_owned());
        }
        if is_first_time {
            app.view = View::Welcome;
        }
        (app, effects)
    }

    /// The exercise on the screen.
    pub fn exercise(&self) -> &Exercise {
        &self.course.exercises[self.at]
    }

    /// Whether it was passed, now or before.
    pub fn has_passed(&self) -> bool {
        self.done.has_passed(&self.exercise().name)
    }

    /// Whether an attempt is being graded.
    pub fn is_grading(&self) -> bool {
        self.busy.is_some()
    }

    /// Handles an event, and returns what to do.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Key(key) => return self.key(key),
            Event::Saved => {
                // What was said about the old text no longer holds.
                (self.is_fresh, self.notice) = (false, None);
                return self.check();
            }
            Event::Graded(at, outcome) => return self.graded(at, outcome),
            Event::NotRead(at, found) => return self.not_read(at, found),
            Event::NotMade(at, file, why) => {
                self.stop(at);
                (self.file, self.standing) = (file, Standing::Broken(why));
            }
            Event::Opened(file) => self.file = file,
            Event::Recorded(done, trouble) => (self.done, self.trouble) = (done, trouble),
            Event::Solution(Ok((text, file))) => self.show(View::Solution(text, file)),
            Event::Solution(Err(why)) => self.notice = Some(why),
            Event::Leave => return vec![Effect::Quit],
            Event::Resized => {}
        }
        Vec::new()
    }

    fn show(&mut self, view: View) {
        self.view = view;
        self.focus = Focus::Top;
    }

    /// Goes to an exercise.
    fn open(&mut self, at: usize) -> Vec<Effect> {
        (self.at, self.is_fresh, self.checks) = (at, true, 0);
        self.show(View::Work);
        let mut effects = vec![Effect::Open(at)];
        effects.extend(self.check());
        effects
    }

    /// Grades the exercise on the screen, now or after the one that is being graded.
    fn check(&mut self) -> Vec<Effect> {
        self.standing = Standing::Checking;
        if self.busy.is_some() {
            self.again = true;
            return Vec::new();
        }
        self.busy = Some(self.at);
        vec![Effect::Check(self.at)]
    }

    /// Records that nothing is being graded any more.
    fn stop(&mut self, at: usize) {
        if self.busy == Some(at) {
            self.busy = None;
        }
    }

    fn graded(&mut self, at: usize, outcome: Result<Verdict, String>) -> Vec<Effect> {
        self.stop(at);
        let mut effects = Vec::new();
        let name = self.course.exercises[at].name.clone();
        if outcome.as_ref().is_ok_and(Verdict::is_passed) && !self.done.has_passed(&name) {
            let change = Change::Passed(name);
            self.done.apply(&change);
            effects.push(Effect::Record(change));
        }
        if std::mem::take(&mut self.again) {
            effects.extend(self.check());
        } else if at == self.at {
            self.settle(outcome.map_or_else(Standing::Broken, |verdict| Standing::Graded(Box::new(verdict))));
        }
        effects
    }

    fn not_read(&mut self, at: usize, found: Found) -> Vec<Effect> {
        self.stop(at);
        if std::mem::take(&mut self.again) {
            return self.check();
        }
        if at == self.at {
            self.settle(match found {
                Found::Unreadable(why) => Standing::Unreadable(why),
                Found::Nothing | Found::Text(_) => Standing::Gone,
            });
        }
        Vec::new()
    }

    /// Sets the state of the file, and shows it.
    fn settle(&mut self, standing: Standing) {
        self.checks += 1;
        self.standing = standing;
        if self.view == View::Work {
            self.focus = if self.is_fresh { Focus::Top } else { Focus::Verdict };
        }
    }
}

/// Why there is no next exercise.
pub(crate) const NOTHING_LEFT: &str = "You have passed every exercise. `l` lists them.";
