//! The last line: which keys do something here. Where there is no room for all, the first ones stay.

use ratatui::text::{Line, Span};

use crate::app::{App, View};
use crate::wrap::{Tone, columns};

use super::Style;

type Key = (&'static str, &'static str);

pub(super) fn line(app: &App, style: &Style, width: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    let mut used = 1;
    for (key, does) in keys(app) {
        let long = columns(key) + columns(does) + 3;
        if used + long > width + 2 {
            break;
        }
        used += long;
        spans.push(Span::styled(key, style.look(Tone::Strong)));
        spans.push(Span::raw(format!(" {does}  ")));
    }
    Line::from(spans)
}

fn keys(app: &App) -> Vec<Key> {
    match app.view {
        View::Work if app.has_passed() => vec![
            ("n", "next"),
            ("q", "quit"),
            ("?", "help"),
            ("l", "list"),
            ("s", "solution"),
            ("r", "run again"),
            ("p", "previous"),
            ("h", "hint"),
        ],
        View::Work => vec![
            ("h", "hint"),
            ("q", "quit"),
            ("?", "help"),
            ("l", "list"),
            ("r", "run again"),
            ("p", "previous"),
        ],
        View::List(_) => vec![("enter", "open"), ("esc", "back"), ("arrows", "choose")],
        View::Welcome => vec![("enter", "begin"), ("q", "quit"), ("arrows", "scroll")],
        View::Help | View::Solution(..) => vec![("esc", "back"), ("arrows", "scroll")],
    }
}
