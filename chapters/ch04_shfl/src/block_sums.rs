//! The last five rounds of a block's sum: in shared memory, by shuffles, by a tile.
//!
//! All add the same elements, one a thread, and end with one atomic for a block. It leaves out what the clock says of
//! that, which takes more elements and comes next, and threads that add more than one.

use std::cell::LazyCell;

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::block_sums::{SUM_BUTTERFLY, SUM_SHARED, SUM_SHUFFLE, SUM_TILE, SUM_WARPS_FIRST};
use lanes::report::Section;
use lanes::report::columns::{BARRIERS_PER_WARP, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use lanes::report::layout::{decimal, grouped};
use lanes::{Device, Lab, Launch, Row};

use crate::picture::LANES;
use crate::sums::{elements, exact, halving_block, judged};

const KERNELS: [(&str, &Kernel); 5] = [
    ("sum_shared", &SUM_SHARED),
    ("sum_shuffle", &SUM_SHUFFLE),
    ("sum_butterfly", &SUM_BUTTERFLY),
    ("sum_tile", &SUM_TILE),
    ("sum_warps_first", &SUM_WARPS_FIRST),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(10_000, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let values = LazyCell::new(|| elements(n, seed));
    let title = format!("what do shuffles save? One element a thread, blocks of {block}");
    let columns = [INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, BARRIERS_PER_WARP, GLOBAL_ATOMICS];
    lab.section("block_sums", &title, &columns);
    for (name, kernel) in KERNELS {
        lab.variant(name, |device| summed(device, kernel, &values, block, seed))?;
    }
    lab.notice(saved);
    lab.notice(warps_first);
    Ok(())
}

/// The elements on the host, as bytes on their way, and on the machine.
pub const ELEMENT_BYTES: u64 = 3 * 4;

fn summed(
    device: &mut Device,
    kernel: &'static Kernel,
    values: &[f32],
    block: u32,
    seed: u64,
) -> Result<Row> {
    let (x, total) = (device.upload("x", values)?, device.zeroed::<f32>("total", 1)?);
    let n = values.len() as i32;
    let per_warp = per_warp_but_moves(device, &Launch::new(kernel, 1, block).arg(x).arg(total).arg(n))?;
    let launch = Launch::cover(kernel, values.len(), block).seed(seed).arg(x).arg(total).arg(n);
    let run = device.launch(&launch)?;
    // The rounds of the block, ten if the warps come first, and then one sum after the other.
    let depth = 10 + launch.simt.grid.x as usize;
    Ok(judged(device, run, total, exact(values), depth)?.fact("per_warp_but_moves", per_warp))
}

/// PTX instructions per warp that are more than a move from one register to another.
fn per_warp_but_moves(device: &mut Device, launch: &Launch) -> Result<f64> {
    let warps = launch.simt.block.count().div_ceil(LANES as u64);
    let trace = device.trace(launch)?;
    Ok(trace.iter().filter(|step| !step.ptx.starts_with("mov.")).count() as f64 / warps as f64)
}

fn saved(section: &Section) -> Option<String> {
    let (shared, shuffle) = (section.row("sum_shared")?, section.row("sum_shuffle")?);
    let requests = |row: &Row| {
        let counters = &row.run.counters;
        grouped(counters.shared_load_requests + counters.shared_store_requests)
    };
    let but_moves = |row: &Row| row.fact_value("per_warp_but_moves");
    let per_warp = |row: &Row| row.run.counters.ptx_instructions_per_warp();
    if per_warp(shuffle) <= per_warp(shared) {
        return None; // In blocks of a warp there are no rounds before.
    }
    Some(format!(
        "Five rounds by shuffle: {} requests to shared memory instead of {}, whether down, xor or a tile. PTX counts \
         {} instructions per warp against {}, because it moves the constants of a shuffle into registers first. \
         Without moves, which machine code hardly has, a warp of one block takes {} against {}.",
        requests(shuffle),
        requests(shared),
        decimal(per_warp(shuffle)),
        decimal(per_warp(shared)),
        decimal(but_moves(shuffle)?),
        decimal(but_moves(shared)?),
    ))
}

fn warps_first(section: &Section) -> Option<String> {
    let (halved, first) = (section.row("sum_shuffle")?, section.row("sum_warps_first")?);
    let barriers = |row: &Row| row.run.counters.ptx_barriers / row.run.counters.warps;
    (barriers(first) < barriers(halved)).then(|| format!(
        "Warps first, and the tree in shared memory is gone: {} of the block's barriers for each warp instead of {}, \
         and {} PTX instructions.",
        barriers(first),
        barriers(halved),
        decimal(first.run.counters.ptx_instructions_per_warp()),
    ))
}
