//! A simulated learner with a screen in memory, who presses keys, saves, and gets verdicts.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeSet;
use std::path::Path;

use exercises::app::{App, Effect, Event, Extent};
use exercises::course::Course;
use exercises::desk::Found;
use exercises::progress::Done;
use exercises::screen::{Style, draw};
use grader::Verdict;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::KeyCode;

/// The program without its files: effects are carried out here.
pub struct Learner {
    pub app: App,
    pub has_left: bool,
    pub is_disk_full: bool,
    size: (u16, u16),
    checking: Option<usize>,
}

impl Learner {
    /// Starts the program with these exercises passed.
    pub fn new(passed: &[&str]) -> Learner {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let course = Course { exercises: grader::all(&fixtures).unwrap(), catalogue: fixtures };
        let passed: BTreeSet<String> = passed.iter().map(ToString::to_string).collect();
        let is_new = passed.is_empty();
        let done = Done { passed, ..Done::default() };
        let (app, effects) = App::new(course, done, None, is_new);
        let mut learner =
            Learner { app, has_left: false, is_disk_full: false, size: (80, 24), checking: None };
        learner.carry_out(effects);
        learner
    }

    /// Opens an exercise, after the welcome.
    pub fn at(name: &str) -> Learner {
        let mut learner = Learner::new(&[]);
        learner.press(KeyCode::Enter);
        let at = learner.app.course.find(name).unwrap();
        learner.finish(Ok(Verdict::Refused(grader::Refusal::default())));
        learner.key('l');
        (0..at).for_each(|_| learner.press(KeyCode::Down));
        learner.press(KeyCode::Enter);
        learner
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.tell(Event::Resized);
    }

    pub fn press(&mut self, key: KeyCode) {
        self.tell(Event::Key(key));
    }

    pub fn key(&mut self, key: char) {
        self.press(KeyCode::Char(key));
    }

    /// Saves the file, and passes on the verdict.
    pub fn save(&mut self, verdict: Verdict) {
        if self.checking.is_some() {
            self.finish(Ok(Verdict::Refused(grader::Refusal::default())));
        }
        self.tell(Event::Saved);
        self.finish(Ok(verdict));
    }

    /// Saves or deletes the file, so that there is nothing to grade.
    pub fn not_read(&mut self, found: Found) {
        self.tell(Event::Saved);
        let at = self.checking.take().expect("something to read");
        self.tell(Event::NotRead(at, found));
    }

    /// Ends the current grading with this outcome.
    pub fn finish(&mut self, outcome: Result<Verdict, String>) {
        let at = self.checking.take().expect("something to grade");
        self.tell(Event::Graded(at, outcome));
    }

    pub fn tell(&mut self, event: Event) {
        let effects = self.app.handle(event);
        self.carry_out(effects);
        self.draw();
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let event = match effect {
                Effect::Quit => {
                    self.has_left = true;
                    continue;
                }
                Effect::Check(at) => {
                    assert_eq!(self.checking.replace(at), None, "one attempt is graded at a time");
                    continue;
                }
                Effect::Solution(_) => continue,
                Effect::Open(at) => {
                    let exercise = &self.app.course.exercises[at];
                    let (chapter, file) = (exercise.chapter_name(), exercise.file_name());
                    Event::Opened(format!("exercises/mine/{chapter}/{file}"))
                }
                Effect::Record(_) => {
                    let trouble =
                        "progress cannot be saved in `exercises/mine/progress.toml`: No space left on device";
                    Event::Recorded(self.app.done.clone(), self.is_disk_full.then(|| trouble.to_owned()))
                }
            };
            self.tell(event);
        }
    }

    fn draw(&mut self) -> Terminal<TestBackend> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        let mut extent = Extent::default();
        terminal.draw(|frame| extent = draw(frame, &self.app, Style::plain())).unwrap();
        self.app.extent = extent;
        terminal
    }

    /// The screen, without the spaces at the ends of lines.
    pub fn screen(&mut self) -> String {
        let terminal = self.draw();
        let buffer = terminal.backend().buffer();
        let row = |y| {
            let cells: String = (0..self.size.0).map(|x| buffer[(x, y)].symbol()).collect();
            cells.trim_end().to_owned() + "\n"
        };
        (0..self.size.1).map(row).collect()
    }
}
