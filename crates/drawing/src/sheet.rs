//! A sheet to draw on: the few shapes of which figures consist.
//!
//! It is 400 units wide and as high as its contents. Shapes have classes instead of colours. What a fill means is also
//! shown by a shape, a label or a place. Warps are in [`warp`](crate::warp), and axes in [`chart`](crate::chart).

use svg::node::Text as Words;
use svg::node::element::{Circle, Description, Element, Path, Rectangle, Title};
use svg::{Document, Node};

/// The width of every figure.
pub const WIDTH: f64 = 400.0;
/// The margin that stays empty at the edges.
pub const MARGIN: f64 = 4.0;
/// The default size of letters.
pub const SIZE: f64 = 12.5;

/// The tone of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The page's own.
    Text,
    /// Less important.
    Dim,
    /// More important.
    Strong,
    /// Code: letters of one width.
    Mono,
}

/// The fill of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fill {
    /// A lane that is active.
    On,
    /// A lane that is switched off.
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
    /// The colour of the page, to hide what is below.
    Paper,
}

/// The style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// An outline.
    Line,
    /// Weaker than an outline, to guide the eye.
    Grid,
    /// The way of something from one place to another.
    Arrow,
    /// The same, where it should not happen.
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

/// The point of a text that is at its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Shapes that can be distinguished without colour.
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

/// What has been drawn so far.
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

    /// How much of the sheet's height is used.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Extends the sheet to `bottom`.
    pub fn reach(&mut self, bottom: f64) {
        self.bottom = self.bottom.max(bottom);
    }

    /// Writes a line of text; `y` is the baseline.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, tone: Tone, text: &str) {
        self.sized(x, y, anchor, tone, SIZE, text);
    }

    /// Writes text that begins at `x`.
    pub fn left(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::Start, tone, text);
    }

    /// Writes text that ends at `x`.
    pub fn right(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::End, tone, text);
    }

    /// Writes text centred at `x`.
    pub fn middle(&mut self, x: f64, y: f64, tone: Tone, text: &str) {
        self.text(x, y, Anchor::Middle, tone, text);
    }

    /// Writes text in another size, at least 12.
    pub fn sized(&mut self, x: f64, y: f64, anchor: Anchor, tone: Tone, size: f64, text: &str) {
        // The library's own `Text` writes its words on a line of their own.
        let mut node = Element::new("text");
        node.assign("x", short(x));
        node.assign("y", short(y));
        node.assign("text-anchor", anchor.class());
        node.assign("font-size", short(size));
        node.assign("class", tone.class());
        node.append(Words::new(text));
        self.add(y + 0.3 * size, node);
    }

    /// Draws a filled rectangle.
    pub fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: Fill) {
        let node = rectangle([x, y, width, height]).set("class", fill.class());
        self.add(y + height, node);
    }

    /// Draws the outline of a rectangle with round corners; what is inside stays visible.
    pub fn frame(&mut self, [x, y, width, height]: [f64; 4], stroke: Stroke) {
        let node = rectangle([x, y, width, height]).set("rx", 2).set("class", stroke.class());
        self.add(y + height, node);
    }

    /// Draws many rectangles of the same size as one shape, from their upper left corners.
    pub fn boxes(
        &mut self,
        (width, height): (f64, f64),
        fill: Fill,
        at: impl IntoIterator<Item = (f64, f64)>,
    ) {
        self.rects(fill, at.into_iter().map(|(x, y)| [x, y, width, height]));
    }

    /// Draws many rectangles as one shape.
    pub fn rects(&mut self, fill: Fill, rects: impl IntoIterator<Item = [f64; 4]>) {
        let (d, bottom) = outlines(rects);
        if !d.is_empty() {
            self.add(bottom, Path::new().set("d", d).set("class", fill.class()));
        }
    }

    /// Draws the outlines of many rectangles as one shape.
    pub fn frames(&mut self, stroke: Stroke, rects: impl IntoIterator<Item = [f64; 4]>) {
        let (d, bottom) = outlines(rects);
        if !d.is_empty() {
            self.stroked(d, bottom, stroke);
        }
    }

    /// Draws a line through some points.
    pub fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        self.stroked(line_through(points), lowest(points), stroke);
    }

    /// Draws a line through some points that ends in an arrowhead.
    pub fn arrow(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let mut d = line_through(points);
        if let [.., before, end] = points {
            d += &head(*before, *end);
        }
        self.stroked(d, lowest(points) + 1.0, stroke);
    }

    /// Draws an arrow that bends by `bulge` to the right of its direction (to the left if negative).
    pub fn swing(&mut self, from: (f64, f64), to: (f64, f64), bulge: f64, stroke: Stroke) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
        // The curve bends half as far as its control point.
        let control = (middle.0 - 2.0 * bulge * dy / length, middle.1 + 2.0 * bulge * dx / length);
        let d = format!("M{}Q{} {}", point(from), point(control), point(to)) + &head(control, to);
        let reach = f64::midpoint(middle.1, control.1);
        self.stroked(d, reach.max(from.1).max(to.1) + 1.0, stroke);
    }

    fn stroked(&mut self, d: String, bottom: f64, stroke: Stroke) {
        self.add(bottom, Path::new().set("d", d).set("class", stroke.class()));
    }

    /// Draws a mark around a point; `radius` is about half its width.
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

/// Rectangles as one shape, and their lower end.
fn outlines(rects: impl IntoIterator<Item = [f64; 4]>) -> (String, f64) {
    let (mut shapes, mut bottom) = (Vec::new(), 0.0_f64);
    for [x, y, width, height] in rects {
        let width = short(width);
        shapes.push(format!("M{}h{width}v{}h-{width}z", point((x, y)), short(height)));
        bottom = bottom.max(y + height);
    }
    (shapes.concat(), bottom)
}

/// A number with at most two decimals, without zeros at the end.
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

/// The outline of a cross, so that it is filled like any other mark: a plus sign, rotated by 45 degrees.
fn cross(x: f64, y: f64, r: f64) -> String {
    let (t, l) = (0.35 * r, 1.35 * r);
    let quarter = [(t, l), (t, t), (l, t)];
    let turned = |(x, y): (f64, f64), quarters: u32| (0..quarters).fold((x, y), |(x, y), _| (y, -x));
    let corners = (0..4).flat_map(|quarters| quarter.map(|corner| turned(corner, quarters)));
    let eighth = std::f64::consts::FRAC_1_SQRT_2;
    let points: Vec<_> = corners.map(|(px, py)| (x + eighth * (px - py), y + eighth * (px + py))).collect();
    polygon(&points)
}

/// The two strokes of an arrowhead at the end of a line.
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
    fn a_sheet_is_as_high_as_its_contents() {
        let mut sheet = Sheet::default();
        sheet.rect([0.0, 10.0, 5.0, 20.0], Fill::On);
        assert!(sheet.finish("x", "t", "d").contains("viewBox=\"0 0 400 34\""));
    }
}
