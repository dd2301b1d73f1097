//! The styles of tones: in the terminal's own sixteen colours, which its owner chose for its background, or without
//! colour.
//!
//! Yellow and blue are left out, because each vanishes on some background.

use ratatui::style::{Color, Modifier, Style as Look};
use ratatui::text::{Line, Span};

use crate::wrap::{Row, Tone, columns};

/// Whether there is colour.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    has_colour: bool,
}

impl Style {
    /// Without colour if the environment has a non-empty `NO_COLOR`.
    pub fn from_environment() -> Style {
        Style { has_colour: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) }
    }

    /// Without colour.
    pub fn plain() -> Style {
        Style { has_colour: false }
    }

    /// The style of a tone.
    pub fn look(self, tone: Tone) -> Look {
        let bold = Look::new().add_modifier(Modifier::BOLD);
        match tone {
            Tone::Plain => Look::new(),
            Tone::Quiet => Look::new().add_modifier(Modifier::DIM),
            Tone::Good if self.has_colour => bold.fg(Color::Green),
            Tone::Bad if self.has_colour => bold.fg(Color::Red),
            Tone::Strong | Tone::Good | Tone::Bad => bold,
        }
    }

    /// A line in its tone.
    pub fn line(self, (tone, text): &Row) -> Line<'static> {
        Line::styled(text.clone(), self.look(*tone))
    }

    /// A line in its tone, reversed over the whole width if it is selected.
    pub fn selectable(self, row: &Row, is_selected: bool, width: usize) -> Line<'static> {
        let mut line = self.line(row);
        if is_selected {
            line.push_span(Span::raw(" ".repeat(width.saturating_sub(columns(&row.1)))));
            line.style = line.style.add_modifier(Modifier::REVERSED);
            line.spans.iter_mut().for_each(|span| span.style = line.style);
        }
        line
    }
}
