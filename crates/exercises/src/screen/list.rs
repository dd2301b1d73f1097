//! All exercises by chapter, with one of them selected.

use grader::Exercise;

use crate::app::App;
use crate::wrap::{Row, Tone, columns};

use super::page::Page;

pub(super) fn page(app: &App, selected: usize, width: usize) -> Page {
    let mut page = Page { rows: Vec::new(), focus: 0..0, selected: None };
    let mut chapter = 0;
    for (at, exercise) in app.course.exercises.iter().enumerate() {
        // The heading is visible together with the first exercise below it.
        let first = page.rows.len();
        if chapter != exercise.chapter {
            chapter = exercise.chapter;
            page.rows.push((Tone::Strong, format!("Chapter {chapter}")));
        }
        if at == selected {
            page.focus = first..page.rows.len() + 1;
            page.selected = Some(page.rows.len());
        }
        page.rows.push(row(app, exercise, at == selected, width));
    }
    page
}

/// The meaning of the marks.
pub(super) const LEGEND: &str = "[x] passed";

/// `> [x] The tail block fix 10 min`, with the name if there is room.
fn row(app: &App, exercise: &Exercise, is_selected: bool, width: usize) -> Row {
    let has_passed = app.done.has_passed(&exercise.name);
    let (tone, mark) = if has_passed { (Tone::Good, "[x]") } else { (Tone::Plain, "[ ]") };
    let arrow = if is_selected { '>' } else { ' ' };
    let left = format!("{arrow} {mark} {}", exercise.title);
    let short = format!("{:>7} {:>2} min", exercise.kind.name(), exercise.minutes);
    let right = if width >= 70 { format!("{:<22}{short}", exercise.name) } else { short };
    let room = width.saturating_sub(columns(&right) + 2);
    let left: String = left.chars().take(room).collect();
    (tone, format!("{left}{}{right}", " ".repeat(width.saturating_sub(columns(&left) + columns(&right)))))
}
