//! Which shape of block reads least?
//!
//! There are two answers, from two kernels on the same grid. Without a tile each warp requests all that it
//! needs, and most of it several times. With a tile, a block requests each sector once: these are the
//! distinct sectors, which the memory has to deliver in any case. The grid has a frame, so that all blocks
//! are alike. It leaves out the sectors that a neighbouring block has already brought into the cache.

use std::collections::BTreeSet;

use anyhow::Result;
use thirty_two_lanes::kernels::laplace::{JACOBI_FRAMED, JACOBI_TILE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{Cell, Column, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::{Dim3, Lab, Row};

use crate::frame::{self, Framed, neighbours};
use crate::grid::{Grid, POINT_BYTES};

/// The threads of a block, whatever its shape.
const THREADS: u32 = 256;
pub const WIDTHS: [u32; 6] = [8, 16, 32, 64, 128, 256];
/// Floats in a sector.
const SECTOR: usize = 8;

const SECTORS_PER_BLOCK: Column = Column {
    head: ["sectors", "per block"],
    cell: Cell::Counted(|counters| {
        let blocks = counters.warps * 32 / u64::from(THREADS);
        format!("{:.1}", counters.global_load_sectors as f64 / blocks as f64)
    }),
};

pub fn section(lab: &mut Lab) -> Result<()> {
    let (points, seed) = (lab.size(4096, POINT_BYTES)?, lab.seed());
    let grid = grid(points);
    let title = format!(
        "which shape of a block of {THREADS} threads reads least? {} x {} points",
        grid.width, grid.height
    );
    lab.section("shapes", &title, &[LOAD_REQUESTS, LOAD_SECTORS, SECTORS_PER_BLOCK]);
    for (name, kernel) in [("direct", &JACOBI_FRAMED), ("tile", &JACOBI_TILE)] {
        for width in WIDTHS {
            let block = Dim3::new(width, THREADS / width, 1);
            lab.variant(&format!("{name}_{}x{}", block.x, block.y), |device| {
                let row = frame::step(device, kernel, grid, block, seed)?;
                Ok(with_facts(row, grid, block))
            })?;
        }
    }
    lab.notice(requested);
    lab.notice(distinct);
    lab.gpu_notice(clock);
    Ok(())
}

/// Nearly a square of at least this many points, which blocks of every shape divide.
fn grid(points: usize) -> Grid {
    let near = Grid::within(points);
    let width = near.width.next_multiple_of(THREADS as usize);
    Grid { width, height: points.div_ceil(width).next_multiple_of(32) }
}

fn with_facts(row: Row, grid: Grid, block: Dim3) -> Row {
    let blocks = grid.blocks(block).count();
    let sectors = row.run.counters.global_load_sectors as f64 / blocks as f64;
    row.fact("sectors_per_block", sectors).fact("distinct_sectors", distinct_sectors(grid, block) as f64)
}

/// The sectors that contain the neighbours of a block's points, counted one by one.
fn distinct_sectors(grid: Grid, block: Dim3) -> usize {
    let framed = Framed(grid);
    let points = (0..block.y as usize).flat_map(|y| (0..block.x as usize).map(move |x| framed.at(x, y)));
    let sectors: BTreeSet<usize> =
        points.flat_map(|at| neighbours(at, framed.pitch())).map(|at| at / SECTOR).collect();
    sectors.len()
}

/// One number for each width, separated by commas, if all of them were run.
fn list(section: &Section, name: &str, fact: &str) -> Option<String> {
    let figure = |width: &u32| {
        section
            .row(&format!("{name}_{width}x{}", THREADS / width))?
            .fact_value(fact)
            .map(|sectors| sectors.to_string())
    };
    Some(WIDTHS.iter().map(figure).collect::<Option<Vec<_>>>()?.join(", "))
}

fn requested(section: &Section) -> Option<String> {
    Some(format!(
        "Without a tile a block requests {} sectors, from the narrowest shape to the widest. Once a row of \
         the block is a whole warp, the shape makes no difference.",
        list(section, "direct", "sectors_per_block")?
    ))
}

fn distinct(section: &Section) -> Option<String> {
    Some(format!(
        "With a tile it requests {}, each of them once. Sorting the addresses on the host gives {} different \
         ones. Every row costs a sector on either side, of whose {SECTOR} values it needs one, and every \
         column costs an eighth of a sector above and below. So blocks about {SECTOR} times as wide as high \
         need the fewest.",
        list(section, "tile", "sectors_per_block")?,
        list(section, "tile", "distinct_sectors")?
    ))
}

/// Up to this many points, a step takes hardly longer than a launch that does nothing.
const FEW: u64 = 1 << 16;

fn clock(section: &Section) -> Option<String> {
    let times = |name: &str| {
        let time = |width: &u32| {
            let row = section.row(&format!("{name}_{width}x{}", THREADS / width))?;
            row.run.timing.as_ref().map(|timing| format!("{:.1}", timing.median_us))
        };
        Some(WIDTHS.iter().map(time).collect::<Option<Vec<_>>>()?.join(", "))
    };
    let mut said =
        format!("On the GPU the shapes take {} µs, and with a tile {} µs.", times("direct")?, times("tile")?);
    let points =
        section.row(&format!("direct_{}x{}", WIDTHS[0], THREADS / WIDTHS[0]))?.run.counters.warps * 32;
    if points <= FEW {
        said += " At this size nearly all of that is the launch, whatever the shape. \
                 `--only shapes --size 16777216` gives the GPU enough to do.";
    }
    Some(said)
}
