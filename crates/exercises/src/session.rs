//! The program in a terminal: passes keys, saves and verdicts to the [`App`], and carries out its effects.
//!
//! All events arrive through one channel, and each source has a thread of its own. What it leaves out: decisions, which
//! are made in `app.rs`.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::app::{App, Effect, Event};
use crate::commands::{Bench, solution};
use crate::desk::Found;
use crate::screen::{self, Style};
use crate::watch::Watch;
use crate::worker::{self, Worker};

/// How long to wait at the end for an attempt that is being graded.
const PATIENCE: Duration = Duration::from_secs(5);

/// Shows the exercises until the learner leaves, starting with the one that was asked for.
///
/// # Errors
/// If the terminal cannot be used, or progress could not be saved at the end.
pub fn run(bench: Bench, wanted: Option<usize>) -> Result<()> {
    let mut session = Session::start(bench, wanted)?;
    let mut terminal =
        ratatui::try_init().context("the terminal cannot be used; try `list` and `run NAME`")?;
    keep_screen_on_worker_panics();
    let left = session.work(&mut terminal);
    ratatui::restore();
    session.finish();
    left.context("the terminal was lost")?;
    session.bench.save_in_the_end()
}

/// A panic restores the terminal and prints its message. A panic on the worker's thread becomes a message on the screen
/// instead.
fn keep_screen_on_worker_panics() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().name() != Some(worker::THREAD) {
            hook(panic);
        }
    }));
}

struct Session {
    bench: Bench,
    app: App,
    events: Receiver<Event>,
    watch: Watch,
    worker: Worker,
    sender: Sender<Event>,
}

impl Session {
    fn start(mut bench: Bench, wanted: Option<usize>) -> Result<Session> {
        let (sender, events) = channel();
        let is_new = bench.desk.is_empty();
        let (app, effects) = App::new(bench.course.clone(), bench.progress.done.clone(), wanted, is_new);
        let (saved, graded) = (sender.clone(), sender.clone());
        let watch = Watch::start(move || drop(saved.send(Event::Saved)));
        let grade = Arc::clone(&bench.grade);
        let worker = Worker::start(grade, move |at, outcome| drop(graded.send(Event::Graded(at, outcome))))?;
        let note = bench.note.take();
        let mut session = Session { bench, app, events, watch, worker, sender };
        session.carry_out(effects);
        if note.is_some() {
            session.app.notice = note;
        }
        Ok(session)
    }

    fn work(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let sender = self.sender.clone();
        thread::spawn(move || listen(&sender));
        let style = Style::from_environment();
        loop {
            let mut extent = self.app.extent;
            terminal.draw(|frame| extent = screen::draw(frame, &self.app, style))?;
            self.app.extent = extent;
            let effects = self.app.handle(self.events.recv()?);
            if !self.carry_out(effects) {
                return Ok(());
            }
        }
    }

    /// Waits for the attempt that is being graded, because it may pass, and because a compiler should not be
    /// interrupted.
    fn finish(&mut self) {
        let end = Instant::now() + PATIENCE;
        while self.app.is_grading()
            && let Ok(event) = self.events.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            let mut effects = self.app.handle(event);
            effects.retain(|effect| matches!(effect, Effect::Record(_)));
            self.carry_out(effects);
        }
    }

    /// Carries out effects, and those that follow from them; returns false when it is time to leave.
    fn carry_out(&mut self, effects: Vec<Effect>) -> bool {
        let mut effects = std::collections::VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            let event = match effect {
                Effect::Quit => return false,
                Effect::Open(at) => Some(self.open(at)),
                Effect::Check(at) => self.check(at),
                Effect::Record(change) => {
                    let recorded = self.bench.progress.record(change);
                    let trouble = recorded.unwrap_or_else(|error| Some(format!("{error:#}")));
                    Some(Event::Recorded(self.bench.progress.done.clone(), trouble))
                }
                Effect::Solution(at) => {
                    let text = solution(&self.bench.course, at);
                    Some(Event::Solution(text.map_err(|error| format!("{error:#}"))))
                }
            };
            if matches!(event, Some(Event::NotMade(..))) {
                // There is no file to check.
                effects.clear();
            }
            effects.extend(event.map(|event| self.app.handle(event)).into_iter().flatten());
        }
        true
    }

    fn open(&mut self, at: usize) -> Event {
        let exercise = &self.bench.course.exercises[at];
        let file = self.bench.desk.shown(exercise);
        if let Err(error) = self.bench.desk.lay_out(exercise) {
            return Event::NotMade(at, file, format!("{error:#}"));
        }
        self.watch.aim(&self.bench.desk.file(exercise));
        Event::Opened(file)
    }

    fn check(&mut self, at: usize) -> Option<Event> {
        let exercise = &self.bench.course.exercises[at];
        match self.bench.desk.read(exercise) {
            Found::Text(text) => {
                self.worker.grade(at, exercise, text);
                None
            }
            found => Some(Event::NotRead(at, found)),
        }
    }
}

/// Sends keys and sizes, until the terminal or the program ends.
fn listen(events: &Sender<Event>) {
    loop {
        let event = match event::read() {
            Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => pressed(key),
            Ok(event::Event::Resize(..)) => Event::Resized,
            Ok(_) => continue,
            Err(_) => Event::Leave,
        };
        let is_last = matches!(event, Event::Leave);
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

fn pressed(key: KeyEvent) -> Event {
    match key.code {
        KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => Event::Leave,
        // Only a letter by itself has an effect, whether or not it is a capital.
        KeyCode::Char(letter) if key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
            Event::Key(KeyCode::Char(letter.to_ascii_lowercase()))
        }
        KeyCode::Char(_) => Event::Resized,
        other => Event::Key(other),
    }
}
