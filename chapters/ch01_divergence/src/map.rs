//! Which warps of a picture's blocks are inside, at its edge, or outside, seen from the trace of a run.
//!
//! A warp is inside if all of its lanes store, at the edge if some do. It leaves out which lanes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lanes::machine::Traced;

/// Lanes that stored, by the row and the column of the block, and by the warp in it.
type Stored = BTreeMap<(u32, u32, u32), u32>;

fn stored(trace: &[Traced]) -> Stored {
    let mut stored = Stored::new();
    for step in trace {
        let lanes = stored.entry((step.block.y, step.block.x, step.warp)).or_default();
        if step.ptx.starts_with("st.") {
            *lanes |= step.active;
        }
    }
    stored
}

/// A character a warp.
pub fn draw(trace: &[Traced]) -> String {
    let mut out =
        "each block with its warps from top to bottom: # inside, / at the edge, . outside\n".to_owned();
    let mut row = 0;
    for ((y, _, warp), lanes) in stored(trace) {
        if y != row {
            row = y;
            out.push('\n');
        }
        let kind = match lanes {
            u32::MAX => '#',
            0 => '.',
            _ => '/',
        };
        let _ = write!(out, "{}{kind}", if warp == 0 { "  " } else { "" });
    }
    out
}

/// Warps at an edge that is not the right one: of all columns of blocks but the last.
pub fn parted_off_the_right(trace: &[Traced]) -> usize {
    let stored = stored(trace);
    let last = stored.keys().map(|&(_, x, _)| x).max();
    let parted =
        stored.iter().filter(|&(&(_, x, _), &lanes)| Some(x) != last && lanes != 0 && lanes != u32::MAX);
    parted.count()
}
