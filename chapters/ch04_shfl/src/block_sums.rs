//! The last five rounds of a block's sum: in shared memory, by shuffles, or by a tile.
//!
//! All kernels add the same elements, one for each thread, and end with one atomic for each block. It leaves
//! out how long they take, which needs more elements and comes next, and threads that add more than one
//! element.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{
    SUM_BUTTERFLY, SUM_SHARED, SUM_SHUFFLE, SUM_TILE, SUM_WARPS_FIRST,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    BARRIERS_PER_WARP, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS,
};
use thirty_two_lanes::report::layout::{counted, decimal, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Row};

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
    let title = format!("what do shuffles save? One element per thread, blocks of {block}");
    let columns = [INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, BARRIERS_PER_WARP, GLOBAL_ATOMICS];
    lab.section("block_sums", &title, &columns);
    for (name, kernel) in KERNELS {
        lab.variant(name, |device| summed(device, kernel, &values, block, seed))?;
    }
    lab.notice(saved);
    lab.notice(warps_first);
    Ok(())
}

/// An element on the host, its bytes on the way to a machine, and the element there.
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
    let per_warp = per_warp_without_moves(device, &Launch::new(kernel, 1, block).arg(x).arg(total).arg(n))?;
    let launch = Launch::cover(kernel, values.len(), block).seed(seed).arg(x).arg(total).arg(n);
    let run = device.launch(&launch)?;
    // The rounds of the block, which are ten if the warps come first, and then one addition for each block.
    let depth = 10 + launch.simt.grid.x as usize;
    Ok(judged(device, run, total, exact(values), depth)?.fact("per_warp_without_moves", per_warp))
}

/// PTX instructions per warp, moves between registers not included.
fn per_warp_without_moves(device: &mut Device, launch: &Launch) -> Result<f64> {
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
    let but_moves = |row: &Row| row.fact_value("per_warp_without_moves");
    let per_warp = |row: &Row| row.run.counters.ptx_instructions_per_warp();
    if per_warp(shuffle) <= per_warp(shared) {
        return None; // A block of one warp has no rounds before these.
    }
    Some(format!(
        "With shuffles in the last five rounds, there are {} requests to shared memory instead of {}, \
         whether by down, by xor or by a tile. PTX has {} instructions per warp instead of {}, because it \
         first moves the constants of a shuffle into registers. Machine code has hardly any of these moves. \
         Without them, a warp of a single block takes {} instead of {}.",
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
        "If each warp first adds up its own values, no tree in shared memory is needed: each warp waits at \
         {} of the block instead of {}, and takes {} PTX instructions.",
        counted(barriers(first), "barrier"),
        barriers(halved),
        decimal(first.run.counters.ptx_instructions_per_warp()),
    ))
}
