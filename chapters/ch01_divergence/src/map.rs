//! Which warps of a picture's blocks are inside, at its edge, or outside, as the trace of a run shows it.
//!
//! A warp is inside if all of its lanes store something, and at the edge if only some do. Which lanes these
//! are is left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use thirty_two_lanes::machine::Traced;

/// The lanes that stored, by the row and the column of the block and the warp in it.
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

/// One character for each warp.
pub fn draw(trace: &[Traced]) -> String {
    let mut out =
        "each group is a block, warps from top to bottom: # inside, / at edge, . outside\n".to_owned();
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

/// The number of warps that diverge at an edge other than the right one, that is, outside of the last column of blocks.
pub fn diverged_off_the_right(trace: &[Traced]) -> usize {
    let stored = stored(trace);
    let last = stored.keys().map(|&(_, x, _)| x).max();
    let parted =
        stored.iter().filter(|&(&(_, x, _), &lanes)| Some(x) != last && lanes != 0 && lanes != u32::MAX);
    parted.count()
}
