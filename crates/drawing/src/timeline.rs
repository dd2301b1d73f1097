//! Actors side by side with time running downwards, and a few functions that figures use to read a trace.
//!
//! Values are left out, because a trace contains none.

use thirty_two_lanes::Traced;

use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};

/// The line of an actor, or of a place in memory.
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// Its middle.
    pub x: f64,
    /// The upper end of its line; its name is above.
    pub top: f64,
    /// The lower end of its line.
    pub bottom: f64,
}

impl Track {
    /// Draws its name and its line.
    pub fn draw(self, sheet: &mut Sheet, name: &str) {
        sheet.middle(self.x, self.top - 5.0, Tone::Text, name);
        self.line(sheet);
    }

    /// Draws its line only.
    pub fn line(self, sheet: &mut Sheet) {
        sheet.line(&[(self.x, self.top), (self.x, self.bottom)], Stroke::Grid);
    }

    /// Draws an event with its text on the left or on the right.
    pub fn event(self, sheet: &mut Sheet, y: f64, mark: Mark, fill: Fill, text: &str, is_left: bool) {
        sheet.mark((self.x, y), 4.5, mark, fill);
        if is_left {
            sheet.sized(self.x - 9.0, y + 4.2, Anchor::End, Tone::Text, 12.0, text);
        } else {
            sheet.sized(self.x + 9.0, y + 4.2, Anchor::Start, Tone::Text, 12.0, text);
        }
    }
}

/// A row of a timeline: the distance between two events.
pub const STEP: f64 = 36.0;

/// Something that passes from one track to another; its text is above the line, and the line of CUDA below.
pub struct Pass<'a> {
    /// The track where it begins.
    pub from: f64,
    /// The track where it ends.
    pub to: f64,
    /// The middle of its text.
    pub words: f64,
    /// Its text.
    pub what: &'a str,
    /// The line of CUDA.
    pub line: Option<u32>,
    /// Whether it should not happen.
    pub is_bad: bool,
}

impl Pass<'_> {
    /// Draws it at this height.
    pub fn draw(&self, sheet: &mut Sheet, y: f64) {
        let side = if self.to > self.from { 3.0 } else { -3.0 };
        let stroke = if self.is_bad { Stroke::ArrowBad } else { Stroke::Arrow };
        sheet.arrow(&[(self.from + side, y), (self.to - side, y)], stroke);
        let tone = if self.is_bad { Tone::Strong } else { Tone::Text };
        sheet.middle(self.words, y - 5.0, tone, self.what);
        if let Some(line) = self.line {
            sheet.sized(self.words, y + 13.0, Anchor::Middle, Tone::Dim, 12.0, &format!("line {line}"));
        }
    }
}

/// A line that begins a little later and ends a little earlier, so that the marks at its ends stay visible.
pub fn shortened([from, to]: [(f64, f64); 2], by: f64) -> [(f64, f64); 2] {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let part = by / dx.hypot(dy).max(1e-9);
    [(from.0 + part * dx, from.1 + part * dy), (to.0 - part * dx, to.1 - part * dy)]
}

/// Explains marks, side by side from `x` on; `y` is the baseline of the text.
pub fn legend(sheet: &mut Sheet, x: f64, y: f64, marks: &[(Mark, Fill, &str)]) {
    let mut x = x + 5.0;
    for &(mark, fill, text) in marks {
        sheet.mark((x, y - 4.3), 4.5, mark, fill);
        sheet.left(x + 9.0, y, Tone::Dim, text);
        // Letters are about half as wide as they are high.
        x += 30.0 + 6.4 * text.chars().count() as f64;
    }
}

/// Whether an instruction has this opcode, guarded or not: `st.shared`.
pub fn is(step: &Traced, operation: &str) -> bool {
    step.ptx
        .split_whitespace()
        .find(|word| !word.starts_with('@'))
        .is_some_and(|word| word.starts_with(operation))
}

/// The last operand of an instruction, if it is a number; -1 means all bits.
pub fn literal(ptx: &str) -> Option<u32> {
    let operand = ptx.trim_end_matches(';').rsplit([',', ' ']).find(|part| !part.is_empty())?;
    operand.parse::<i64>().ok().map(|number| number as u32)
}
