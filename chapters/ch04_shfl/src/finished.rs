//! The finished sum: one launch, wide loads, several of them in flight, shuffles, and a last block that adds
//! up the sums of all.
//!
//! Three kernels lead from the plain loop to the finished sum, and a fourth lacks the fences around its
//! ticket. It leaves out the two passes, which come before, and how close the sum comes to the speed of
//! memory, which takes more elements: `tools/benchmarks/gpu/h200_sum.json` has those times.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::sum::{SUM_LAST_BLOCK, SUM_LAST_BLOCK_NO_FENCE, SUM_NARROW, SUM_WIDE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::{decimal, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Row, Verdict};

use crate::block_sums::ELEMENT_BYTES;
use crate::sums::{elements, exact, halving_block, judged};

const KERNELS: [(&str, &Kernel); 3] =
    [("sum_narrow", &SUM_NARROW), ("sum_wide", &SUM_WIDE), ("sum_last_block", &SUM_LAST_BLOCK)];

/// As many blocks as an H200 runs at once, but at least two, because a single block has no other to wait for.
const MOST_BLOCKS: usize = 528;
const FEWEST_BLOCKS: usize = 2;
/// The elements that a thread loads before it needs the first of them.
const ELEMENTS_PER_THREAD: usize = 16;
/// Fewer elements take less time than a launch does.
const MOSTLY_LAUNCH: usize = 1 << 20;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(10_000, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let values = LazyCell::new(|| elements(n, seed));
    let grid = n.div_ceil(block as usize * ELEMENTS_PER_THREAD).clamp(FEWEST_BLOCKS, MOST_BLOCKS) as u32;
    let title = format!("what do wide loads save? One launch, {grid} blocks of {block}, the last adds up");
    lab.section("finished", &title, &[INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS, GLOBAL_ATOMICS]);
    for (name, kernel) in KERNELS {
        lab.variant(name, |device| summed(device, kernel, &values, grid, block, seed))?;
    }
    lab.variant("sum_last_block_no_fence", |device| {
        let row = summed(device, &SUM_LAST_BLOCK_NO_FENCE, &values, grid, block, seed)?;
        Ok(row.expect(Verdict::Fault))
    })?;
    lab.notice(wide);
    lab.gpu_notice(|section| on_the_clock(section, n));
    Ok(())
}

fn summed(
    device: &mut Device,
    kernel: &'static Kernel,
    values: &[f32],
    grid: u32,
    block: u32,
    seed: u64,
) -> Result<Row> {
    let (x, total) = (device.upload("x", values)?, device.zeroed::<f32>("total", 1)?);
    let (sums, tickets) = (device.zeroed::<f32>("sums", grid as usize)?, device.zeroed::<u32>("tickets", 1)?);
    let launch = Launch::new(kernel, grid, block).seed(seed);
    let run = device.launch(&launch.arg(x).arg(sums).arg(tickets).arg(total).arg(values.len() as i32))?;
    // The additions of a thread, ten within a block, and the same again for the sums of the blocks.
    let of_thread = values.len().div_ceil((grid * block) as usize) + 1;
    let depth = of_thread + 10 + (grid as usize).div_ceil(block as usize) + 10;
    judged(device, run, total, exact(values), depth)
}

fn wide(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (narrow, wide) = (counters("sum_narrow")?, counters("sum_last_block")?);
    (wide.global_load_requests < narrow.global_load_requests).then(|| format!(
        "With loads of 16 bytes per lane, there are {} load requests instead of {}, and {} PTX instructions \
         per warp instead of {}. The sectors are {} and {}: wide loads do not change which bytes are read.",
        grouped(wide.global_load_requests),
        grouped(narrow.global_load_requests),
        decimal(wide.ptx_instructions_per_warp()),
        decimal(narrow.ptx_instructions_per_warp()),
        grouped(wide.global_load_sectors),
        grouped(narrow.global_load_sectors),
    ))
}

fn on_the_clock(section: &Section, n: usize) -> Option<String> {
    let times = KERNELS.iter().map(|(name, _)| Some(section.row(name)?.run.timing.as_ref()?.median_us));
    let times = times.collect::<Option<Vec<f64>>>()?;
    let [narrow, wide, last] = times[..] else { return None };
    // Bytes per microsecond are thousandths of gigabytes per second.
    let rate = size_of::<f32>() as f64 * n as f64 / last / 1000.0;
    let launch = if n < MOSTLY_LAUNCH { "; so few elements take little more than a launch" } else { "" };
    Some(format!(
        "On the GPU, the three sums take {narrow:.1}, {wide:.1} and {last:.1} µs. The last one reads \
         {rate:.0} GB/s{launch}. `tools/benchmarks/gpu/h200_sum.json` compares it with CUB's sum on an H200, in larger \
         blocks."
    ))
}
