//! Two maps of a small grid: which warps diverge, and where the wrong guard writes.
//!
//! The first comes from a run of the right kernel, the second from a run of the wrong one. They leave out the
//! order of the writes.

use std::collections::BTreeSet;

use anyhow::Result;
use thirty_two_lanes::kernels::laplace::{JACOBI_BORDER_FIRST, JACOBI_GUARDED};
use thirty_two_lanes::{Device, Traced};

use crate::guard::{BLOCK, RAGGED, Room, launch};

/// A warp is two rows of its block.
const WARP_ROWS: usize = 32 / BLOCK.x as usize;

/// A letter for each thread: what its point is, and whether its warp diverges.
pub fn warps(device: &mut Device, seed: u64) -> Result<String> {
    let room = Room::new(device, seed)?;
    let trace = device.trace(&launch(&JACOBI_GUARDED, RAGGED, room.u, room.next))?;
    let parted: BTreeSet<(usize, usize)> = trace.iter().filter(|step| has_parted(step)).map(warp).collect();
    let threads = RAGGED.whole(BLOCK);
    let letter = |x: usize, y: usize| {
        let is_inside = x < RAGGED.width && y < RAGGED.height;
        match (is_inside, parted.contains(&(x / BLOCK.x as usize, y / WARP_ROWS))) {
            (false, _) => '-',
            (true, _) if RAGGED.is_on_border(y * RAGGED.width + x) => 'B',
            (true, true) => 'w',
            (true, false) => '.',
        }
    };
    let mut lines = format!(
        "{} x {} points under blocks of {} x {}: B border, w waits for other lanes of its\nwarp, . in a warp \
         that does not diverge, - thread outside the grid\n",
        RAGGED.width, RAGGED.height, BLOCK.x, BLOCK.y
    );
    for y in 0..threads.height {
        lines += &row(threads.width, y, |x| letter(x, y));
    }
    Ok(lines)
}

fn has_parted(step: &Traced) -> bool {
    step.mask != u32::MAX
}

/// The place of the warp, by columns of blocks and rows of warps.
fn warp(step: &Traced) -> (usize, usize) {
    let warps_below = BLOCK.y as usize / WARP_ROWS;
    (step.block.x as usize, step.block.y as usize * warps_below + step.warp as usize)
}

/// A letter for each float of the array, in rows as wide as the grid.
pub fn writes(device: &mut Device, seed: u64) -> Result<String> {
    let room = Room::new(device, seed)?;
    let (_, got) = device.trial(&launch(&JACOBI_BORDER_FIRST, RAGGED, room.u, room.next), room.next)?;
    let letter =
        |at: usize| match (at < RAGGED.points(), f64::from(got[at]).to_bits() == room.expected[at].to_bits())
        {
            (true, true) => '.',
            (true, false) => 'W',
            (false, true) => '-',
            (false, false) => '!',
        };
    let mut lines = format!(
        "the array in rows of {}: . right, W wrong; after the grid: - kept, ! overwritten\n",
        RAGGED.width
    );
    for (y, floats) in (0..got.len()).collect::<Vec<_>>().chunks(RAGGED.width).enumerate() {
        lines += &row(floats.len(), y, |x| letter(floats[x]));
    }
    Ok(lines)
}

/// A line of a map, with a gap between blocks.
fn row(width: usize, y: usize, letter: impl Fn(usize) -> char) -> String {
    let mut line = format!("row {y:>2}  ");
    for x in 0..width {
        if x > 0 && x.is_multiple_of(BLOCK.x as usize) {
            line.push(' ');
        }
        line.push(letter(x));
    }
    line + "\n"
}
