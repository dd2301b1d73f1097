//! Numbers on a sheet: bars with labels, and points along two axes.
//!
//! Labels are beside the things that they name, so there are no legends. The choice of ticks and ranges is left out,
//! because it differs from figure to figure.

use crate::sheet::{Anchor, Fill, Mark, Sheet, Stroke, Tone};

/// A bar, with its name on the left and its value at its end.
pub struct Bar {
    /// The name of the bar.
    pub name: String,
    /// The value that its length shows.
    pub value: f64,
    /// The text at its end.
    pub label: String,
    /// Its fill.
    pub fill: Fill,
}

/// Bars from top to bottom.
#[derive(Clone, Copy, Debug)]
pub struct Bars {
    /// The left end of the bars, where the names end.
    pub x: f64,
    /// The length of a bar of value `most`.
    pub width: f64,
    /// The value of the longest.
    pub most: f64,
    /// The distance from one bar to the next.
    pub pitch: f64,
    /// The tone of the names.
    pub tone: Tone,
}

impl Bars {
    /// Draws the bars from `y` down, and returns the lower end.
    pub fn draw(self, sheet: &mut Sheet, y: f64, bars: &[Bar]) -> f64 {
        let height = 0.66 * self.pitch;
        for (bar, row) in bars.iter().zip(0..) {
            let top = y + f64::from(row) * self.pitch;
            let (base, length) = (top + height / 2.0 + 4.3, self.width * bar.value / self.most);
            sheet.right(self.x - 6.0, base, self.tone, &bar.name);
            sheet.rect([self.x, top, length.max(0.5), height], bar.fill);
            sheet.left(self.x + length + 5.0, base, Tone::Text, &bar.label);
        }
        let end = y + bars.len() as f64 * self.pitch - (self.pitch - height);
        sheet.line(&[(self.x, y - 3.0), (self.x, end + 3.0)], Stroke::Line);
        end
    }
}

/// A direction of a chart: its range, and where it has lines and numbers.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis on which equal distances are equal differences.
    pub fn linear(low: f64, high: f64, ticks: impl IntoIterator<Item = (f64, String)>) -> Axis {
        Axis { low, high, is_log: false, ticks: ticks.into_iter().collect() }
    }

    /// An axis on which equal distances are equal ratios.
    pub fn log(low: f64, high: f64, ticks: impl IntoIterator<Item = (f64, String)>) -> Axis {
        Axis { low, high, is_log: true, ticks: ticks.into_iter().collect() }
    }

    /// The position of a value along the axis, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.is_log { value.ln() } else { value };
        (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }
}

/// A chart of points.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The left, the upper edge, the width and the height of the area for points.
    pub area: [f64; 4],
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
}

/// How a series looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Its line.
    pub stroke: Stroke,
    /// Its points.
    pub mark: Mark,
    /// The fill of its points.
    pub fill: Fill,
}

/// The looks of up to four series.
pub const LOOKS: [Look; 4] = [
    Look { stroke: Stroke::A, mark: Mark::Disc, fill: Fill::A },
    Look { stroke: Stroke::B, mark: Mark::Square, fill: Fill::B },
    Look { stroke: Stroke::C, mark: Mark::Triangle, fill: Fill::C },
    Look { stroke: Stroke::D, mark: Mark::Diamond, fill: Fill::D },
];

impl Chart {
    /// The place of a point on the sheet.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, top, width, height] = self.area;
        (left + width * self.x.place(x), top + height * (1.0 - self.y.place(y)))
    }

    /// Draws the lines and numbers of both axes.
    pub fn axes(&self, sheet: &mut Sheet) {
        let [left, top, width, height] = self.area;
        let bottom = top + height;
        for (value, label) in &self.y.ticks {
            let y = top + height * (1.0 - self.y.place(*value));
            sheet.line(&[(left, y), (left + width, y)], Stroke::Grid);
            sheet.sized(left - 6.0, y + 4.2, Anchor::End, Tone::Dim, 12.0, label);
        }
        sheet.line(&[(left, bottom), (left + width, bottom)], Stroke::Line);
        for (value, label) in &self.x.ticks {
            let x = left + width * self.x.place(*value);
            sheet.line(&[(x, bottom), (x, bottom + 4.0)], Stroke::Line);
            sheet.sized(x, bottom + 17.0, Anchor::Middle, Tone::Dim, 12.0, label);
        }
    }

    /// Writes what the axes mean: for `x` below its numbers, and for `y` above the area, from its left end.
    pub fn names(&self, sheet: &mut Sheet, x: &str, y: &str) {
        let [left, top, width, height] = self.area;
        sheet.middle(left + width / 2.0, top + height + 34.0, Tone::Text, x);
        sheet.left(crate::sheet::MARGIN, top - 10.0, Tone::Text, y);
    }

    /// Writes a series' name at its last point, lowered by `down`.
    pub fn label(&self, sheet: &mut Sheet, points: &[(f64, f64)], down: f64, name: &str) {
        if let Some(&(x, y)) = points.last() {
            let (x, y) = self.at(x, y);
            sheet.left(x + 9.0, y + down, Tone::Strong, name);
        }
    }

    /// Draws a series of points and the line through them.
    pub fn series(&self, sheet: &mut Sheet, points: &[(f64, f64)], look: Look) {
        let points: Vec<_> = points.iter().map(|&(x, y)| self.at(x, y)).collect();
        sheet.line(&points, look.stroke);
        for point in points {
            sheet.mark(point, 4.0, look.mark, look.fill);
        }
    }
}
