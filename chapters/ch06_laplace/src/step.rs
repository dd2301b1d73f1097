//! One Jacobi step, with each way to treat the border and the threads that have no point.
//!
//! It leaves out shared memory and the shape of blocks, which come later.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::laplace::{JACOBI_FRAMED, JACOBI_GUARDED, JACOBI_WHOLE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, SECTORS};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Device, Dim3, Lab, Launch, Row, Tolerance};

use crate::frame;
use crate::grid::{Grid, POINT_BYTES, block_of, shape};

pub fn section(lab: &mut Lab) -> Result<()> {
    let (points, block, seed) = (lab.size(4096, POINT_BYTES)?, block_of(lab.block(256)), lab.seed());
    let asked = Grid::within(points);
    let whole = asked.whole(block);
    // One row and one column less, so that the last blocks overhang the grid, if blocks have more than one of
    // each.
    let ragged = Grid { width: (whole.width - 1).max(1), height: (whole.height - 1).max(1) };
    let title = format!(
        "what do a guard and a frame cost? One step, {} x {} points (--size in whole blocks of {})",
        whole.width,
        whole.height,
        shape(block),
    );
    lab.section("step", &title, &[DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, SECTORS]);
    lab.variant(JACOBI_WHOLE.name, |device| step(device, &JACOBI_WHOLE, whole, block, seed))?;
    lab.variant(JACOBI_GUARDED.name, |device| step(device, &JACOBI_GUARDED, whole, block, seed))?;
    lab.variant("jacobi_guarded_ragged", |device| step(device, &JACOBI_GUARDED, ragged, block, seed))?;
    lab.variant(JACOBI_FRAMED.name, |device| frame::step(device, &JACOBI_FRAMED, whole, block, seed))?;
    lab.notice(guard);
    lab.notice(frame);
    Ok(())
}

/// One step of a kernel for grids without a frame.
fn step(device: &mut Device, kernel: &'static Kernel, grid: Grid, block: Dim3, seed: u64) -> Result<Row> {
    let values = grid.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let launch = Launch::new(kernel, grid.blocks(block), block).seed(seed);
    let launch = launch.arg(grid.width as i32).arg(grid.height as i32).arg(u).arg(next);
    let run = device.launch(&launch)?;
    device.check(run, next, &grid.step(&values, |value| value), &Tolerance::Exact)
}

fn guard(section: &Section) -> Option<String> {
    let cost = |name| section.row(name).map(|row| row.run.counters);
    let (whole, guarded) = (cost(JACOBI_WHOLE.name)?, cost(JACOBI_GUARDED.name)?);
    let more = guarded.ptx_instructions_per_warp() - whole.ptx_instructions_per_warp();
    Some(format!(
        "The guard costs {more:.2} PTX instructions per warp, and makes the kernel right for any size. A \
         warp diverges if it has points both on the border and inside: {} of {} do with the guard, and {} \
         without it.",
        guarded.divergent_warps,
        counted(guarded.warps, "warp"),
        whole.divergent_warps,
    ))
}

fn frame(section: &Section) -> Option<String> {
    let cost = |name| section.row(name).map(|row| row.run.counters);
    let (whole, framed) = (cost(JACOBI_WHOLE.name)?, cost(JACOBI_FRAMED.name)?);
    Some(format!(
        "With a frame of values around the grid no point is a special case: {} diverge, and a warp executes \
         {:.2} PTX instructions instead of {:.2}.",
        counted(framed.divergent_warps, "warp"),
        framed.ptx_instructions_per_warp(),
        whole.ptx_instructions_per_warp(),
    ))
}
