//! A sheet to draw on: the few shapes that figures are made of.
//!
//! It is 400 units wide and as high as what is on it. Shapes have classes and no colours. What is told by a fill is told by
//! a shape, a label or a place as well. It leaves out knowledge of warps ([`warp`](crate::warp)) and of axes
//! ([`chart`](crate::chart)).

use svg::node::Text as Words;
use svg::node::element::{Circle, Description, Element, Path, Rectangle, Title};
use svg::{Document, Node};

/// How wide every figure is.
pub const WIDTH: f64 = 400.0;
/// What stays empty at the edges.
pub const MARGIN: f64 = 4.0;
/// The size of letters, unless a figure says otherwise.
pub const SIZE: f64 = 12.5;

/// What a text is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As the page's.
    Text,
    /// Less important.
    Dim,
    /// More important.
    Strong,
    /// Code: letters of one width.
    Mono,
}

/// What a shape is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fill {
    /// At work.
    On,
    /// Switched off.
    Off,
    /// The first of up to four series.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The fourth.
    D,
    /// Wrong.
    Bad,
    /// Right.
    Good,
    /// As the page, to hide what is below.
    Paper,
}

/// What a line is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// An outline.
    Line,
    /// Less than an outline: what helps the eye.
    Grid,
    /// Something that goes from one place to another.
    Arrow,
    /// The same, where it should not.
    ArrowBad,
    /// A line of the first series of a chart.
    A,
    /// Of the second.
    B,
    /// Of the third.
    C,
    /// Of the fourth.
    D,
}

/// Which end of a text is where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Shapes that are told apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// ●
    Disc,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
    /// ×
    Cross,
}

macro_rules! classes {
    ($ty:ident: $($variant:ident $class:literal),*) => {
        impl $ty {
            fn class(self) -> &'static str {
                match self { $($ty::$variant => $class),* }
            }
        }
    };
}

classes!(Tone: Text "text", Dim "dim", Strong "strong", Mono "mono");
classes!(Fill: On "on", Off "off", A "a", B "b", C "c", D "d", Bad "bad", Good "good", Paper "paper");
classes!(Stroke: Line "line", Grid "grid", Arrow "arrow", ArrowBad "arrow-bad", A "line-a", B "line-b", C "line-c",
    D "line-d");
classes!(Anchor: Start "start", Middle "middle", End "end");

/// What is drawn so far.
#[derive(Default)]
pub struct Sheet {
    nodes: Vec<Box<dyn Node>>,
    bottom: f64,
}

impl Sheet {
    fn add(&mut self, bottom: f64, node: impl Into<Box<dyn Node>>) {
        self.bottom = self.bottom.max(bottom);
        self.nodes.push(node.into());
    }

    /// How far down the sheet is used.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Leaves room at the bottom.
    pub fn reach(&mut self, bottom: f64) {
        self.bottom = self.bottom.max(bottom);
    }

    /// Writes a line of text; `y` is what its letters stand on.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, tone: Tone, text: &str) {
        self.sized(x, y, anchor, tone, SIZE, text);
    }

    /// Text from `x` to the right.
    pub fn left(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::Start, tone, text);
    }

    /// Text up to `x`.
    pub fn right(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::End, tone, text);
    }

    /// Text around `x`.
    pub fn middle(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::Middle, tone, text);
    }

    /// Text in another size, of 12 at least.
    pub fn sized(&mut self, x: f64, y: f64, anchor: Anchor, tone: Tone, size: f64, text: &str) {
        // The library's own `Text` puts its words on a line of their own.
        let mut node = Element::new("text");
        node.assign("x", short(x));
        node.assign("y", short(y));
        node.assign("text-anchor", anchor.class());
        node.assign("font-size", short(size));
        node.assign("class", tone.class());
        node.append(Words::new(text));
        self.add(y + 0.3 * size, node);
    }

    /// A filled rectangle.
    pub fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: Fill) {
        let node = rectangle([x, y, width, height]).set("class", fill.class());
        self.add(y + height, node);
    }

    /// The outline of a rectangle with round corners; what is inside stays visible.
    pub fn frame(&mut self, [x, y, width, height]: [f64; 4], stroke: Stroke) {
        let node = rectangle([x, y, width, height]).set("rx", 2).set("class", stroke.class());
        self.add(y + height, node);
    }

    /// Many rectangles of one size in one shape: their upper left corners.
    pub fn boxes(
        &mut self,
        (width, height): (f64, f64),
        fill: Fill,
        at: impl IntoIterator<Item = (f64, f64)>,
    ) {
        self.rects(fill, at.into_iter().map(|(x, y)| [x, y, width, height]));
    }

    /// Many rectangles in one shape.
    pub fn rects(&mut self, fill: Fill, rects: impl IntoIterator<Item = [f64; 4]>) {
        let (d, bottom) = outlines(rects);
        if !d.is_empty() {
            self.add(bottom, Path::new().set("d", d).set("class", fill.class()));
        }
    }

    /// The outlines of many rectangles in one shape.
    pub fn frames(&mut self, stroke: Stroke, rects: impl IntoIterator<Item = [f64; 4]>) {
        let (d, bottom) = outlines(rects);
        if !d.is_empty() {
            self.stroked(d, bottom, stroke);
        }
    }

    /// A line through some points.
    pub fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        self.stroked(line_through(points), lowest(points), stroke);
    }

    /// A line through some points that ends in an arrow's head.
    pub fn arrow(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let mut d = line_through(points);
        if let [.., before, end] = points {
            d += &head(*before, *end);
        }
        self.stroked(d, lowest(points) + 1.0, stroke);
    }

    /// An arrow that swings by `bulge` to the right of its way (to the left if negative).
    pub fn swing(&mut self, from: (f64, f64), to: (f64, f64), bulge: f64, stroke: Stroke) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
        // The curve goes half as far out as its control point.
        let control = (middle.0 - 2.0 * bulge * dy / length, middle.1 + 2.0 * bulge * dx / length);
        let d = format!("M{}Q{} {}", point(from), point(control), point(to)) + &head(control, to);
        let reach = f64::midpoint(middle.1, control.1);
        self.stroked(d, reach.max(from.1).max(to.1) + 1.0, stroke);
    }

    fn stroked(&mut self, d: String, bottom: f64, stroke: Stroke) {
        self.add(bottom, Path::new().set("d", d).set("class", stroke.class()));
    }

    /// A mark around a point; `radius` is about half its width.
    pub fn mark(&mut self, (x, y): (f64, f64), radius: f64, mark: Mark, fill: Fill) {
        let r = radius;
        let d = match mark {
            Mark::Disc => {
                let node = Circle::new().set("cx", short(x)).set("cy", short(y)).set("r", short(r));
                return self.add(y + r, node.set("class", fill.class()));
            }
            Mark::Square => polygon(&[(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]),
            Mark::Triangle => {
                polygon(&[(x, y - 1.15 * r), (x + 1.1 * r, y + 0.85 * r), (x - 1.1 * r, y + 0.85 * r)])
            }
            Mark::Diamond => {
                polygon(&[(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)])
            }
            Mark::Cross => cross(x, y, r),
        };
        self.add(y + 1.3 * r, Path::new().set("d", d).set("class", fill.class()));
    }

    /// The text of the figure.
    pub(crate) fn finish(self, name: &str, title: &str, description: &str) -> String {
        let (title_id, description_id) = (format!("{name}-title"), format!("{name}-desc"));
        let height = (self.bottom + MARGIN).ceil();
        let mut whole = Document::new()
            .set("viewBox", format!("0 0 {} {}", short(WIDTH), short(height)))
            .set("class", "figure")
            .set("role", "img")
            .set("aria-labelledby", format!("{title_id} {description_id}"))
            .add(Title::new(title).set("id", title_id))
            .add(Description::new().set("id", description_id).add(Words::new(description)));
        for node in self.nodes {
            whole.append(node);
        }
        whole.to_string()
    }
}

fn rectangle([x, y, width, height]: [f64; 4]) -> Rectangle {
    let node = Rectangle::new().set("x", short(x)).set("y", short(y));
    node.set("width", short(width)).set("height", short(height))
}

/// Rectangles as one shape, and how far down they reach.
fn outlines(rects: impl IntoIterator<Item = [f64; 4]>) -> (String, f64) {
    let (mut shapes, mut bottom) = (Vec::new(), 0.0_f64);
    for [x, y, width, height] in rects {
        let width = short(width);
        shapes.push(format!("M{}h{width}v{}h-{width}z", point((x, y)), short(height)));
        bottom = bottom.max(y + height);
    }
    (shapes.concat(), bottom)
}

/// A number with two decimals at most, and none that say nothing.
pub fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn point((x, y): (f64, f64)) -> String {
    format!("{} {}", short(x), short(y))
}

fn line_through(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points.iter().copied().map(point).collect();
    format!("M{}", points.join("L"))
}

fn polygon(points: &[(f64, f64)]) -> String {
    line_through(points) + "z"
}

fn lowest(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|&(_, y)| y).fold(0.0, f64::max)
}

/// A cross as an outline, so that it is filled like any other mark: a plus sign, turned by an eighth.
fn cross(x: f64, y: f64, r: f64) -> String {
    let (t, l) = (0.35 * r, 1.35 * r);
    let quarter = [(t, l), (t, t), (l, t)];
    let turned = |(x, y): (f64, f64), quarters: u32| (0..quarters).fold((x, y), |(x, y), _| (y, -x));
    let corners = (0..4).flat_map(|quarters| quarter.map(|corner| turned(corner, quarters)));
    let eighth = std::f64::consts::FRAC_1_SQRT_2;
    let points: Vec<_> = corners.map(|(px, py)| (x + eighth * (px - py), y + eighth * (px + py))).collect();
    polygon(&points)
}

/// Two strokes that make the end of a line an arrow.
fn head(before: (f64, f64), end: (f64, f64)) -> String {
    const LENGTH: f64 = 5.0;
    let angle = (end.1 - before.1).atan2(end.0 - before.0);
    let wing = |turn: f64| {
        let angle = angle + turn;
        (end.0 - LENGTH * angle.cos(), end.1 - LENGTH * angle.sin())
    };
    format!("M{}L{}L{}", point(wing(0.5)), point(end), point(wing(-0.5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_one_spelling() {
        assert_eq!([1.0, 0.125, 2.5, -0.001].map(short), ["1", "0.12", "2.5", "0"]);
    }

    #[test]
    fn a_sheet_is_as_high_as_what_is_on_it() {
        let mut sheet = Sheet::default();
        sheet.rect([0.0, 10.0, 5.0, 20.0], Fill::On);
        assert!(sheet.finish("x", "t", "d").contains("viewBox=\"0 0 400 34\""));
    }
}
