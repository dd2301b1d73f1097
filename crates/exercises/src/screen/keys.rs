//! The last line: the keys that have an effect here. If there is no room for all of them, the least important are
//! omitted.

use ratatui::text::{Line, Span};

use crate::app::{App, View};
use crate::wrap::{Tone, columns};

use super::Style;

type Key = (&'static str, &'static str);

/// The keys that can be omitted, the first one first.
const DROPPED: [&str; 7] = ["p", "r", "s", "h", "l", "arrows", "?"];

pub(super) fn line(app: &App, style: Style, width: usize) -> Line<'static> {
    let mut keys = keys(app);
    for dropped in DROPPED {
        if used(&keys) <= width {
            break;
        }
        // If an exercise is not passed, the hint is the most important key.
        keys.retain(|(key, _)| *key != dropped || (dropped == "h" && !app.has_passed()));
    }
    let spans = keys.iter().flat_map(|(key, does)| {
        [Span::raw(" "), Span::styled(*key, style.look(Tone::Strong)), Span::raw(format!(" {does} "))]
    });
    spans.collect()
}

/// How many columns they take, with a space around each.
fn used(keys: &[Key]) -> usize {
    keys.iter().map(|(key, does)| columns(key) + columns(does) + 3).sum()
}

fn keys(app: &App) -> Vec<Key> {
    let work =
        [("h", "hint"), ("r", "run again"), ("p", "previous"), ("l", "list"), ("?", "help"), ("q", "quit")];
    match app.view {
        View::Work if app.has_passed() => {
            [("n", "next"), ("s", "solution")].into_iter().chain(work).collect()
        }
        View::Work => work.to_vec(),
        View::List(_) => vec![("arrows", "choose"), ("enter", "open"), ("esc/q", "back")],
        View::Welcome => vec![("enter", "begin"), ("arrows", "scroll"), ("q", "quit")],
        View::Help | View::Solution(..) => vec![("arrows", "scroll"), ("esc", "back")],
    }
}
