//! A reader who does anything: types, closes, resets, runs, turns pages, loads them again, follows links, fills the storage, in two
//! tabs and at two widths. At the end, every letter that was typed is in a text that the page's own buttons show.
//!
//! Each seed is one such reader. What the robot does not do is what the page warns of: it leaves no page with text that the browser
//! has refused to store.

use serde_json::json;
use test_support::Random;

use crate::browser::{Window, open};
use crate::drafts::{EXERCISE, LISTING, Place};
use crate::session::Session;

/// So many things does a reader do.
const ACTS: usize = 40;
/// More texts than this are not kept beside the one that is shown.
const MOST_TEXTS: usize = 15;

/// Fills the storage to the last letter.
const FILL: &str = "(() => {
    let text = 'x'.repeat(1 << 20);
    while (text !== '') { try { localStorage.setItem(`fill-${localStorage.length}`, text); } catch { text = text.slice(text.length / 2 + 1); } }
    return true;
})()";
const FREE: &str = "Object.keys(localStorage).filter(key => key.startsWith('fill-')).forEach(key => localStorage.removeItem(key)) ?? true";

struct Robot {
    tabs: [Window; 2],
    place: Place,
    random: Random,
    /// The words that were typed, each of which occurs once.
    typed: Vec<String>,
    /// How often a text took the place of another one.
    replaced: usize,
    seed: u64,
    /// What it did, for the message.
    did: Vec<String>,
}

impl Robot {
    /// Opens the page, and the editor on it.
    fn arrive(&self, tab: usize) {
        self.tabs[tab].go(self.place.page);
        self.place.open(&self.tabs[tab]);
    }

    /// Types a word at the end, letter by letter, as the keyboard does.
    fn types(&mut self, tab: usize) {
        let word = format!("w{}_{}w", self.seed, self.typed.len());
        let editor = self.place.text().trim_end_matches(".text").to_owned();
        let script = format!(
            "(() => {{
                const {{ field }} = {editor};
                field.focus({{ preventScroll: true }});
                field.setSelectionRange(field.value.length, field.value.length);
                for (const letter of ' // {word}') {{
                    field.setRangeText(letter, field.value.length, field.value.length, 'end');
                    field.dispatchEvent(new InputEvent('input', {{ bubbles: true, data: letter }}));
                    field.dispatchEvent(new KeyboardEvent('keydown', {{ bubbles: true, key: 'ArrowRight' }}));
                }}
                return field.value.endsWith('{word}');
            }})()"
        );
        self.tabs[tab].sees(&script);
        self.typed.push(word);
    }

    fn is_unstored(&self, tab: usize) -> bool {
        self.tabs[tab].ask(&format!("{}.attempt.drafts.isUnstored", self.place.object)).unwrap()
    }

    fn has(&self, tab: usize, act: &str) -> bool {
        let found = format!("{}.bar.querySelector('[data-do={act}]') !== null", self.place.object);
        self.tabs[tab].ask(&found).unwrap()
    }

    fn presses(&self, tab: usize, act: &str) {
        self.place.presses(&self.tabs[tab], act);
    }

    /// One thing that a reader does.
    fn acts(&mut self) {
        let (tab, act): (usize, usize) = (self.random.below(2), self.random.below(12));
        let name = match act {
            0..4 => {
                self.types(tab);
                "types"
            }
            4 => {
                let width = [390, 1024, 1280][self.random.below(3_usize)];
                self.tabs[tab].resize(width, 800);
                "is resized"
            }
            5 if self.place.object == LISTING.object => {
                self.presses(tab, "close");
                self.place.open(&self.tabs[tab]);
                "closes and opens"
            }
            6 | 7 if !self.is_unstored(tab) => {
                if act == 6 {
                    self.tabs[tab].go("introduction.html");
                }
                self.arrive(tab);
                "leaves and returns"
            }
            8 if self.has(tab, "reset") => {
                self.presses(tab, "reset");
                self.replaced += 1;
                "resets"
            }
            9 if self.replaced < MOST_TEXTS => {
                self.replaced += 1;
                let link = self.place.link(&self.tabs[tab], &format!("// theirs {}", self.replaced));
                self.tabs[tab].sees(&format!("(location.hash = '{link}') && true"));
                let has_come = format!("{}.endsWith('// theirs {}')", self.place.text(), self.replaced);
                self.tabs[tab].wait(&has_come);
                "follows a link"
            }
            10 if self.has(tab, "other") => {
                self.presses(tab, "other");
                "takes another text"
            }
            11 => {
                let is_full = self.random.once_in(2);
                self.tabs[tab].sees(if is_full { FILL } else { FREE });
                if is_full { "fills the storage" } else { "makes room" }
            }
            _ => "looks",
        };
        self.did.push(format!("{tab} {name}"));
        // A tab hears of the other one a moment later.
        for window in &self.tabs {
            window.sees("new Promise(resolve => { setTimeout(() => resolve(true), 5); })");
        }
    }

    /// Every text that the buttons of the page show.
    fn shown(&mut self) -> String {
        self.tabs[0].sees(FREE);
        // What was not stored is stored with the next letter.
        for tab in [1, 0] {
            self.types(tab);
            assert!(!self.is_unstored(tab), "seed {}: tab {tab} has room, and stores nothing", self.seed);
        }
        self.arrive(0);
        let mut all = String::new();
        for _ in 0..2 * MOST_TEXTS + 10 {
            all += &self.tabs[0].ask::<String>(&self.place.text()).unwrap();
            if !self.has(0, "other") {
                break;
            }
            self.presses(0, "other");
        }
        all
    }
}

/// What was lost of what such a reader has typed.
fn lost(robot: &mut Robot) -> Vec<String> {
    robot.arrive(0);
    robot.arrive(1);
    for _ in 0..ACTS {
        if robot.replaced >= MOST_TEXTS {
            break;
        }
        robot.acts();
    }
    let shown = robot.shown();
    robot.typed.iter().filter(|word| !shown.contains(*word)).cloned().collect()
}

#[test]
fn whatever_a_reader_does_no_letter_is_lost() {
    let Some(first) = open() else { return };
    let mut tabs = [first.another(), first.another()];
    for seed in test_support::seeds(4) {
        let place = if seed % 2 == 0 { LISTING } else { EXERCISE };
        let mut robot = Robot {
            tabs,
            place,
            random: Random::new(seed),
            typed: Vec::new(),
            replaced: 0,
            seed,
            did: Vec::new(),
        };
        robot.tabs[0].go("introduction.html");
        robot.tabs[0].sees("localStorage.clear() ?? true");
        let lost = lost(&mut robot);
        let did = json!(robot.did);
        assert_eq!(lost, Vec::<String>::new(), "seed {seed} loses these words: {did}");
        tabs = robot.tabs;
        for tab in &tabs {
            assert_eq!(tab.faults(), Vec::<String>::new(), "seed {seed}: {did}");
        }
    }
}
