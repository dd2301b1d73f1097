//! A tile in shared memory, and the barrier between loading and using it.
//!
//! It leaves out what a tile gains in time, which the section on shapes measures.

use anyhow::Result;
use thirty_two_lanes::kernels::laplace::{JACOBI_FRAMED, JACOBI_TILE, JACOBI_TILE_NO_WAIT};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, LOAD_SECTORS, SHARED_REQUESTS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Dim3, Lab, Verdict};

use crate::frame::{self, Step};
use crate::grid::{Grid, shape};

const GRID: Grid = Grid { width: 64, height: 32 };
const BLOCK: Dim3 = Dim3::new(32, 8, 1);
/// The number of seeds with which the kernel with a race runs.
const SEEDS: u64 = 20;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!(
        "what does a tile need? {} x {} points in blocks of {}",
        GRID.width,
        GRID.height,
        shape(BLOCK)
    );
    lab.section("tile", &title, &[LOAD_SECTORS, SHARED_REQUESTS, BARRIERS_PER_WARP]);
    lab.variant("no_tile", |device| frame::step(device, &JACOBI_FRAMED, GRID, BLOCK, seed))?;
    lab.variant("tile", |device| frame::step(device, &JACOBI_TILE, GRID, BLOCK, seed))?;
    lab.variant("tile_no_wait", |device| {
        let step = Step::new(device, &JACOBI_TILE_NO_WAIT, GRID, BLOCK, seed)?;
        let wrong = step.wrong_under_seeds(device, SEEDS)?;
        let seeds_wrong = wrong.iter().filter(|&&points| points > 0).count();
        let row = step.run(device)?.expect(Verdict::Fault);
        let row = row.fact("seeds", SEEDS as f64).fact("seeds_wrong", seeds_wrong as f64);
        let row = row.fact("most_wrong", wrong.into_iter().max().unwrap_or_default() as f64);
        Ok(match row.fact_value("wrong_on_gpu") {
            Some(wrong) => {
                row.gpu_remark(format!("on the GPU {wrong} of {} points are wrong", GRID.points()))
            }
            None => row,
        })
    })?;
    lab.notice(traffic);
    lab.notice(barrier);
    Ok(())
}

fn traffic(section: &Section) -> Option<String> {
    let [direct, tile] = ["no_tile", "tile"].map(|name| section.row(name));
    let (direct, tile) = (direct?.run.counters, tile?.run.counters);
    Some(format!(
        "The tile requests {:.2} times fewer sectors from global memory, and makes {} requests to shared \
         memory instead of {}.",
        direct.global_load_sectors as f64 / tile.global_load_sectors as f64,
        tile.shared_load_requests + tile.shared_store_requests,
        direct.shared_load_requests + direct.shared_store_requests,
    ))
}

/// The result depends on which warp was first; the race does not.
fn barrier(section: &Section) -> Option<String> {
    let row = section.row("tile_no_wait")?;
    let check = row.check.as_ref()?;
    let count = |kind: &str| -> u64 {
        let faults = row.run.faults.iter().filter(|fault| fault.kind.name() == kind);
        faults.map(|fault| fault.count).sum()
    };
    let (seeds_wrong, most) = (row.fact_value("seeds_wrong")?, row.fact_value("most_wrong")?);
    (!row.run.faults.is_empty()).then(|| {
        format!(
            "Without the barrier the checkers find {} races. In the default order {} of {} points are wrong. \
             In random order some are wrong under {seeds_wrong} of {SEEDS} seeds, and at most {}. A barrier of \
             the warp would not be enough, because the values above and below are loaded by other warps.",
            grouped(count("race")),
            grouped(check.wrong as u64),
            grouped(GRID.points() as u64),
            grouped(most as u64),
        )
    })
}
