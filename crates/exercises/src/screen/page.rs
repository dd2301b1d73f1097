//! A text on the screen, and which part of it to show.

use crate::wrap::{Row, Said, rows};

/// A text, and which part of it to show.
pub(super) struct Page {
    pub rows: Vec<Row>,
    /// The lines that have to be visible; if they do not all fit, the first ones.
    pub focus: std::ops::Range<usize>,
    /// The line that is selected.
    pub selected: Option<usize>,
}

/// A text without a selected line.
pub(super) fn plain(said: &[Said], width: usize) -> Page {
    Page { rows: rows(said, width), focus: 0..0, selected: None }
}
