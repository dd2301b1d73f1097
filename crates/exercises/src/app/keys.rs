//! What the keys do.

use ratatui::crossterm::event::KeyCode;

use super::{App, Effect, Focus, NOTHING_LEFT, View};
use crate::progress::Change;
use crate::wording;

impl App {
    pub(super) fn key(&mut self, key: KeyCode) -> Vec<Effect> {
        self.notice = None;
        match self.view {
            View::Work => self.key_at_work(key),
            View::List(selected) => self.key_in_list(key, selected),
            View::Welcome if key == KeyCode::Char('q') => vec![Effect::Quit],
            View::Welcome | View::Help | View::Solution(..) => {
                if !self.scroll(key) {
                    self.back();
                }
                Vec::new()
            }
        }
    }

    fn key_at_work(&mut self, key: KeyCode) -> Vec<Effect> {
        if self.scroll(key) {
            return Vec::new();
        }
        match key {
            KeyCode::Char('h') => return self.hint(),
            KeyCode::Char('n') => return self.next(),
            KeyCode::Char('p') => return self.previous(),
            KeyCode::Char('r') => return self.again(),
            KeyCode::Char('s') => return self.solution(),
            KeyCode::Char('l') => self.show(View::List(self.at)),
            KeyCode::Char('?') => self.show(View::Help),
            KeyCode::Char('q') => return vec![Effect::Quit],
            KeyCode::Char(other) => {
                self.notice = Some(format!("The key `{other}` does nothing here; `?` lists the keys."));
            }
            _ => {}
        }
        Vec::new()
    }

    fn key_in_list(&mut self, key: KeyCode, selected: usize) -> Vec<Effect> {
        let (last, page) = (self.course.exercises.len() - 1, self.extent.room.max(1));
        let selected = match key {
            KeyCode::Up | KeyCode::Char('k') => selected.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (selected + 1).min(last),
            KeyCode::PageUp => selected.saturating_sub(page),
            KeyCode::PageDown => (selected + page).min(last),
            KeyCode::Home => 0,
            KeyCode::End => last,
            KeyCode::Enter => return self.open(selected),
            KeyCode::Esc | KeyCode::Char('l' | 'q') => {
                self.back();
                return Vec::new();
            }
            _ => selected,
        };
        self.view = View::List(selected);
        Vec::new()
    }

    /// Returns to the exercise.
    fn back(&mut self) {
        self.show(View::Work);
        if !self.is_fresh {
            self.focus = Focus::Verdict;
        }
    }

    /// Scrolls a long text; returns whether the key is one that does so.
    fn scroll(&mut self, key: KeyCode) -> bool {
        let (offset, page) = (self.extent.offset, self.extent.room.saturating_sub(1).max(1));
        let offset = match key {
            KeyCode::Up | KeyCode::Char('k') => offset.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => offset + 1,
            KeyCode::PageUp => offset.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => offset + page,
            KeyCode::Home => 0,
            KeyCode::End => self.extent.most(),
            _ => return false,
        };
        self.focus = Focus::Line(offset.min(self.extent.most()));
        true
    }

    fn hint(&mut self) -> Vec<Effect> {
        let exercise = self.exercise();
        let (name, all) = (exercise.name.clone(), exercise.hints.len());
        let seen = self.done.hints_seen(&name);
        self.focus = Focus::End;
        if seen >= all {
            self.notice = Some(wording::after_hints(self.exercise(), self.has_passed()));
            return Vec::new();
        }
        let change = Change::Hint(name, seen + 1);
        self.done.apply(&change);
        vec![Effect::Record(change)]
    }

    fn next(&mut self) -> Vec<Effect> {
        if !self.has_passed() {
            self.notice =
                Some("You have not passed this exercise yet; press `l` to choose another.".to_owned());
            return Vec::new();
        }
        if let Some(next) = self.course.next_open(&self.done, Some(self.at)) {
            return self.open(next);
        }
        self.notice = Some(NOTHING_LEFT.to_owned());
        Vec::new()
    }

    fn previous(&mut self) -> Vec<Effect> {
        if self.at > 0 {
            return self.open(self.at - 1);
        }
        self.notice = Some("This is the first exercise.".to_owned());
        Vec::new()
    }

    /// Grades again; creates the starter if the file is gone.
    fn again(&mut self) -> Vec<Effect> {
        self.is_fresh = false;
        let mut effects = vec![Effect::Open(self.at)];
        effects.extend(self.check());
        effects
    }

    fn solution(&mut self) -> Vec<Effect> {
        if self.has_passed() {
            return vec![Effect::Solution(self.at)];
        }
        self.notice = Some("The solution is shown once you have passed; press `h` for a hint.".to_owned());
        Vec::new()
    }
}
