//! Warps on a sheet: strips of 32 cells, a cell for each lane, with lane 0 on the left.
//!
//! The cell of an active lane is filled; an inactive lane is a dot. What a lane does is written beside the strip by its
//! figure.

use thirty_two_lanes::Traced;

use crate::sheet::{Anchor, Fill, Sheet, Stroke, Tone};

/// The number of lanes in a warp.
pub const LANES: u32 = 32;

/// The place of a strip, and the size of its cells.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// The left edge of lane 0.
    pub x: f64,
    /// The distance from one lane to the next.
    pub pitch: f64,
    /// The height of a cell.
    pub height: f64,
}

/// Cells do not touch: this part of the distance between two lanes is empty.
const GAP: f64 = 0.16;
/// The size of the dot for a lane that is switched off.
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

    /// The right end of the strip.
    pub fn end(self) -> f64 {
        self.lane(LANES) - GAP * self.pitch
    }

    /// The width of a cell.
    pub fn width(self) -> f64 {
        self.pitch * (1.0 - GAP)
    }

    /// Writes numbers above a strip: for the first lane of each quarter, and for the last lane.
    pub fn numbers(self, sheet: &mut Sheet, y: f64) {
        for lane in [0, 8, 16, 24, 31] {
            sheet.sized(self.centre(lane), y, Anchor::Middle, Tone::Dim, 12.0, &lane.to_string());
        }
    }

    /// Draws the lanes of a mask as active, and the others as inactive.
    pub fn mask(self, sheet: &mut Sheet, y: f64, mask: u32, fill: Fill) {
        self.cells(sheet, y, |lane| if mask >> lane & 1 == 1 { Some(fill) } else { Some(Fill::Off) });
    }

    /// Draws a cell for each lane: a dot for [`Fill::Off`], nothing for `None`, and a filled cell otherwise. `y` is the
    /// upper edge.
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

/// The instructions of one warp from top to bottom: a column for each lane, which is filled while the lane is active.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// The place of the columns.
    pub strip: Strip,
    /// The upper end.
    pub y: f64,
    /// The distance from one instruction to the next.
    pub step: f64,
}

impl Timeline {
    /// Draws the instructions of one warp, and returns the lower end.
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
