//! Warps on a sheet: strips of 32 cells, a cell for each lane, lane 0 on the left.
//!
//! A lane that is at work fills its cell; one that is not is a dot. It leaves out what a lane
//! does; that is written beside the strip.

use lanes::Traced;

use crate::sheet::{Anchor, Fill, Sheet, Stroke, Tone};

/// Lanes of a warp.
pub const LANES: u32 = 32;

/// Where strips stand, and how wide a cell is.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// Where lane 0 begins.
    pub x: f64,
    /// From one lane to the next.
    pub pitch: f64,
    /// How high a cell is.
    pub height: f64,
}

/// Cells do not touch: so much of the way from one to the next is empty.
const GAP: f64 = 0.16;
/// How large the dot of a lane is that is switched off.
const SMALL: f64 = 2.0;

impl Strip {
    /// A strip of squares from `x` on.
    pub const fn squares(x: f64, pitch: f64) -> Strip {
        Strip { x, pitch, height: pitch * (1.0 - GAP) }
    }

    /// The left edge of a lane's cell.
    pub fn lane(self, lane: u32) -> f64 {
        self.x + f64::from(lane) * self.pitch
    }

    /// The middle of a lane's cell.
    pub fn centre(self, lane: u32) -> f64 {
        self.lane(lane) + self.width() / 2.0
    }

    /// Where the strip ends.
    pub fn end(self) -> f64 {
        self.lane(LANES) - GAP * self.pitch
    }

    /// How wide a cell is.
    pub fn width(self) -> f64 {
        self.pitch * (1.0 - GAP)
    }

    /// Numbers above a strip: the first lane of each quarter, and the last lane.
    pub fn numbers(self, sheet: &mut Sheet, y: f64) {
        for lane in [0, 8, 16, 24, 31] {
            sheet.sized(self.centre(lane), y, Anchor::Middle, Tone::Dim, 12.0, &lane.to_string());
        }
    }

    /// The lanes of a mask at work, the others not.
    pub fn mask(self, sheet: &mut Sheet, y: f64, mask: u32, fill: Fill) {
        self.cells(sheet, y, |lane| if mask >> lane & 1 == 1 { Some(fill) } else { Some(Fill::Off) });
    }

    /// A cell for each lane: a dot if it is [`Fill::Off`], nothing for `None`, and full otherwise. `y` is
    /// the upper edge.
    pub fn cells(self, sheet: &mut Sheet, y: f64, fill: impl Fn(u32) -> Option<Fill>) {
        let mut fills: Vec<Fill> = (0..LANES).filter_map(&fill).collect();
        fills.sort_unstable();
        fills.dedup();
        for kind in fills {
            let (width, height) =
                if kind == Fill::Off { (SMALL, SMALL) } else { (self.width(), self.height) };
            let (right, down) = ((self.width() - width) / 2.0, (self.height - height) / 2.0);
            let lanes = (0..LANES).filter(|&lane| fill(lane) == Some(kind));
            sheet.boxes((width, height), kind, lanes.map(|lane| (self.lane(lane) + right, y + down)));
        }
    }
}

/// One warp in time, which goes down: a column for each lane, filled while the lane is at work.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// Where the columns are.
    pub strip: Strip,
    /// When it begins.
    pub y: f64,
    /// How far it is from one instruction to the next.
    pub step: f64,
}

impl Timeline {
    /// Draws the instructions of one warp, and returns where they end.
    pub fn draw(self, sheet: &mut Sheet, trace: &[Traced], fill: Fill) -> f64 {
        let end = self.y + self.step * trace.len() as f64;
        let mut rects = Vec::new();
        for lane in 0..LANES {
            let is_on = |step: &Traced| step.mask >> lane & 1 == 1;
            let mut at = 0;
            for run in trace.chunk_by(|one, other| is_on(one) == is_on(other)) {
                if is_on(&run[0]) {
                    let (y, height) = (self.y + self.step * at as f64, self.step * run.len() as f64);
                    rects.push([self.strip.lane(lane), y, self.strip.width(), height]);
                }
                at += run.len();
            }
        }
        let (left, right) = (self.strip.x - 2.5, self.strip.end() + 2.5);
        sheet.frame([left, self.y - 2.5, right - left, end - self.y + 5.0], Stroke::Grid);
        sheet.rects(fill, rects);
        end
    }
}
