//! What the program knows and what it does next: events go in, effects come out.
//!
//! It touches no terminal, no file and no clock, so that every way through it can be tested. What it leaves out: carrying
//! the effects out, which is `session.rs`, and drawing, which is `screen.rs`.

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
    /// The file of the exercise on the screen has changed, come or gone.
    Saved,
    /// The terminal has another size.
    Resized,
    /// An attempt was graded; an error's text where it could not be.
    Graded(usize, Result<Verdict, String>),
    /// The learner's file is there, under this name.
    Opened(String),
    /// There was nothing to grade.
    NotRead(usize, Found),
    /// The learner's file of this name could not be made, and why.
    NotMade(usize, String, String),
    /// What is done now, and why it could not be written.
    Recorded(Done, Option<String>),
    /// The text of a solution, and where it is.
    Solution(Result<(String, String), String>),
    /// The terminal is gone, or whoever sits there wants to leave.
    Leave,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Make the learner's file if it is missing, and watch it.
    Open(usize),
    /// Read it and grade it.
    Check(usize),
    /// Write what has happened.
    Record(Change),
    /// Bring the solution.
    Solution(usize),
    /// Leave.
    Quit,
}

/// What is on the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// What this is, the first time.
    Welcome,
    /// An exercise.
    Work,
    /// All exercises; one of them is selected.
    List(usize),
    /// What the keys do.
    Help,
    /// A solution, and where it is.
    Solution(String, String),
}

/// What is known of the learner's file.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It is being graded.
    Checking,
    /// It was graded.
    Graded(Verdict),
    /// It is not there.
    Gone,
    /// It cannot be read.
    Unreadable(String),
    /// It could not be graded.
    Broken(String),
}

/// What of a text is to be seen, where there is no room for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Its beginning.
    #[default]
    Top,
    /// The verdict.
    Verdict,
    /// Its end.
    End,
    /// What begins in this line.
    Line(usize),
}

/// What was seen of a text when it was last drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The first line that was seen.
    pub offset: usize,
    /// How many lines there was room for.
    pub room: usize,
    /// How many there are.
    pub lines: usize,
}

impl Extent {
    /// The last line that may be the first.
    pub fn most(&self) -> usize {
        self.lines.saturating_sub(self.room)
    }
}

/// The state of the program.
#[derive(Clone, Debug)]
pub struct App {
    /// The exercises.
    pub course: Course,
    /// What is done.
    pub done: Done,
    /// The exercise on the screen.
    pub at: usize,
    /// What is on the screen.
    pub view: View,
    /// Where the learner's file is, as it is shown.
    pub file: String,
    /// What is known of it.
    pub standing: Standing,
    /// What to see of a long text.
    pub focus: Focus,
    /// What was seen of it.
    pub extent: Extent,
    /// The answer to the last key.
    pub notice: Option<String>,
    /// What goes wrong all the time.
    pub trouble: Option<String>,
    /// Whether nothing was saved since the exercise came to the screen: its task is to be read first.
    is_fresh: bool,
    /// The exercise that is being graded.
    busy: Option<usize>,
    /// Whether something changed since that began.
    again: bool,
    /// How often the exercise on the screen was checked since it came there.
    pub checks: u32,
}

impl App {
    /// The state at the start, with what to do first. It begins with the exercise that was asked for, or else with the
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

    /// Takes an event, and says what to do.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Key(key) => return self.key(key),
            Event::Saved => {
                // What was said about the text before is old.
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

    /// Has the exercise on the screen graded, now or after the one that is being graded.
    fn check(&mut self) -> Vec<Effect> {
        self.standing = Standing::Checking;
        if self.busy.is_some() {
            self.again = true;
            return Vec::new();
        }
        self.busy = Some(self.at);
        vec![Effect::Check(self.at)]
    }

    /// Nothing is being graded any more.
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
            self.settle(outcome.map_or_else(Standing::Broken, Standing::Graded));
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

    /// What became of the file is known, and to be seen.
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
