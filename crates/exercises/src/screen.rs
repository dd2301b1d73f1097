//! Draws an [`App`]: a head with a progress bar, a text that scrolls, and the keys below.
//!
//! It fits into 80 x 24 and works in 40 x 10. What it leaves out: the wording, which is in `wording.rs` and in the files
//! of `screen/`.

mod keys;
mod list;
mod page;
mod pages;
mod style;
mod work;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::{App, Extent, Focus, View};
use crate::wrap::{Row, Said, Tone, columns};

use page::Page;
pub use style::Style;

/// With fewer lines than this, only one line is drawn below the text.
const LOW: usize = 14;

/// Draws the whole screen, and returns which part of the text was visible.
pub fn draw(frame: &mut Frame, app: &App, style: Style) -> Extent {
    let area = frame.area();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let below = below(app, width.saturating_sub(2), height);
    // The head, a rule and the keys take a line each. Below the head there is an empty line, if there is room.
    let air = usize::from(height >= LOW);
    let room = height.saturating_sub(3 + air + below.len());
    // Code is wide, so it gets the margin as well.
    let margin = usize::from(!matches!(app.view, View::Solution(..)));
    let page = page(app, width.saturating_sub(2 * margin));
    let extent = extent(app, &page, room);
    let mut lines = vec![style.line(&(Tone::Strong, head(app, width)))];
    lines.resize(1 + air, Line::default());
    for (index, row) in page.rows.iter().enumerate().skip(extent.offset).take(room) {
        let is_selected = page.selected == Some(index);
        lines.push(indented(margin, style.selectable(row, is_selected, width.saturating_sub(2 * margin))));
    }
    lines.resize(room + 1 + air, Line::default());
    lines.push(style.line(&(Tone::Quiet, rule(app, &extent, width))));
    lines.extend(below.iter().map(|row| indented(1, style.line(row))));
    lines.push(keys::line(app, style, width));
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    extent
}

fn page(app: &App, width: usize) -> Page {
    match &app.view {
        View::Work => work::page(app, width),
        View::List(selected) => list::page(app, *selected, width),
        View::Welcome => pages::welcome(app, width),
        View::Help => pages::help(width),
        View::Solution(text, file) => pages::solution(text, file, width),
    }
}

/// A line, indented by some columns.
fn indented(margin: usize, line: Line<'static>) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(margin))];
    spans.extend(line.spans);
    Line::from(spans)
}

/// The course's name, the bar, and how many are passed.
fn head(app: &App, width: usize) -> String {
    let (passed, all) = (app.course.passed(&app.done), app.course.exercises.len());
    let count = format!("{passed}/{all}");
    let title = if width >= 60 { " Thirty-Two Lanes: exercises  " } else { " Exercises  " };
    let room = width.saturating_sub(columns(title) + columns(&count) + 2);
    // It is full only at the end, and not empty after the first exercise.
    let full =
        (passed * room).div_ceil(all.max(1)).min(if passed == all { room } else { room.saturating_sub(1) });
    format!("{title}{}{} {count}", "█".repeat(full), "░".repeat(room - full))
}

/// A rule that says how much text is outside the screen, and how often the file was checked, because the same verdict
/// may appear twice.
fn rule(app: &App, extent: &Extent, width: usize) -> String {
    let checked = match (&app.view, app.checks) {
        (View::Work, checks @ 1..) if width >= 60 => format!("── check {checks} "),
        _ => String::new(),
    };
    let hidden = match (extent.offset, extent.most() - extent.offset) {
        (0, 0) => String::new(),
        (above, 0) => format!(" {above} more above, PageUp "),
        (0, below) => format!(" {below} more below, PageDown "),
        (above, below) => format!(" {above} more above, {below} below "),
    };
    let rest = width.saturating_sub(columns(&checked) + columns(&hidden) + 2);
    format!("{checked}{}{hidden}──", "─".repeat(rest))
}

/// The lines above the keys: problems and answers.
fn below(app: &App, width: usize, height: usize) -> Vec<Row> {
    let mut said = Vec::new();
    match app.view {
        _ if app.notice.is_some() => {}
        View::List(_) => said.push(Said::prose(Tone::Quiet, "", list::LEGEND)),
        _ => {}
    }
    said.extend(app.trouble.as_ref().map(|trouble| Said::prose(Tone::Bad, "! ", trouble)));
    said.extend(app.notice.as_ref().map(|notice| Said::prose(Tone::Strong, "", notice)));
    if height >= LOW {
        return crate::wrap::rows(&said, width);
    }
    // The last one is the newest, and there is room only for its beginning.
    said.last()
        .into_iter()
        .flat_map(|said| crate::wrap::rows(std::slice::from_ref(said), width).into_iter().take(1))
        .collect()
}

/// Which lines are visible.
fn extent(app: &App, page: &Page, room: usize) -> Extent {
    let lines = page.rows.len();
    let mut extent = Extent { offset: 0, room, lines };
    let wanted = match app.focus {
        _ if page.selected.is_some() => around(&page.focus, app.extent.offset, room),
        Focus::Top => 0,
        Focus::Verdict => page.focus.end.saturating_sub(room).min(page.focus.start),
        Focus::End => extent.most(),
        Focus::Line(line) => line,
    };
    extent.offset = wanted.min(extent.most());
    extent
}

/// The first visible line such that these lines are visible, as close as possible to the old one.
fn around(focus: &std::ops::Range<usize>, offset: usize, room: usize) -> usize {
    offset.max(focus.end.saturating_sub(room)).min(focus.start)
}
