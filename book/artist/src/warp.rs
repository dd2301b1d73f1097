//! Warps on a sheet: strips of 32 cells, a cell for each lane, lane 0 on the left.
//!
//! A lane that is at work fills its cell; one that is not is a dot. It leaves out what a lane
//! does; that is written beside the strip.

use crate::sheet::{Anchor, Fill, Sheet, Tone};

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

/// Cells do not touch.
const GAP: f64 = 1.0;
/// How large the dot of a lane is that is switched off.
const SMALL: f64 = 2.0;

impl Strip {
    /// A strip of squares from `x` on.
    pub const fn squares(x: f64, pitch: f64) -> Strip {
        Strip { x, pitch, height: pitch - GAP }
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
        self.lane(LANES) - GAP
    }

    /// How wide a cell is.
    pub fn width(self) -> f64 {
        self.pitch - GAP
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
