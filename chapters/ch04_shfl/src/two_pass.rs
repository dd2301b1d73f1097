//! The sum of many elements in two passes, in which each thread adds several elements before it has to wait.
//!
//! The grid of the first pass is bounded, so that one block can add its sums in the second pass. Either
//! neighbouring lanes read neighbouring elements, or each thread reads a stretch of its own. It leaves out
//! everything else that makes a pass faster.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::static_sums::{STATIC_FIRST, STATIC_SECOND};
use thirty_two_lanes::kernels::two_pass::{PASS_CHUNKED, PASS_DOUBLED, PASS_STRIDED};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Run, Verdict};

use crate::block_sums::ELEMENT_BYTES;
use crate::sums::{elements, exact, halving_block, judged};

/// The largest grid of the first pass, which is the note's, and how many elements a thread has in a smaller
/// one.
const MOST_BLOCKS: usize = 10_240;
const ELEMENTS_PER_THREAD: usize = 8;
/// The one block of the second pass.
const SECOND: u32 = 1024;

/// The elements, their exact sum, and the launch that adds them.
struct Sum<'a> {
    values: &'a [f32],
    exact: f64,
    grid: u32,
    block: u32,
    seed: u64,
}

impl Sum<'_> {
    /// How many additions an element goes through: those of its thread and its block, in each of the two
    /// passes.
    fn depth(&self) -> usize {
        let threads = (self.grid * self.block) as usize;
        let first = self.values.len().div_ceil(threads) + self.block.ilog2() as usize;
        // A block that adds its warps first has ten rounds at most.
        first + 10 + (self.grid as usize).div_ceil(SECOND as usize) + SECOND.ilog2() as usize
    }
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(10_000, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let values = LazyCell::new(|| elements(n, seed));
    let grid = n.div_ceil(block as usize * ELEMENTS_PER_THREAD).min(MOST_BLOCKS) as u32;
    let sum = LazyCell::new(|| Sum { values: &values, exact: exact(&values), grid, block, seed });
    let blocks = counted(grid.into(), "block");
    let title = format!("which elements should a thread add? {blocks} of {block}, then one of {SECOND}");
    lab.section("two_pass", &title, &[LOAD_REQUESTS, LOAD_SECTORS, INSTRUCTIONS_PER_WARP]);
    lab.variant("two_pass", |device| passes(device, &PASS_STRIDED, &sum))?;
    lab.variant("two_pass_chunked", |device| passes(device, &PASS_CHUNKED, &sum))?;
    lab.variant("two_pass_static", |device| static_passes(device, &sum))?;
    lab.variant("two_pass_doubled", |device| {
        let row = passes(device, &PASS_DOUBLED, &sum)?.expect(Verdict::Wrong);
        let times = row.fact_value("sum_over_exact").unwrap_or(f64::NAN);
        Ok(row.remark(format!("the result is {times:.2} times the sum, because each pass doubles it")))
    })?;
    lab.notice(far_apart);
    lab.notice(in_the_module);
    Ok(())
}

fn passes(device: &mut Device, kernel: &'static Kernel, sum: &Sum) -> Result<Row> {
    let x = device.upload("x", sum.values)?;
    let (sums, total) = (device.zeroed::<f32>("sums", sum.grid as usize)?, device.zeroed::<f32>("total", 1)?);
    let first = Launch::new(kernel, sum.grid, sum.block).seed(sum.seed);
    let mut run = device.launch(&first.arg(x).arg(sums).arg(sum.values.len() as i32))?;
    run += second(device, kernel, sums, total)?;
    judged(device, run, total, sum.exact, sum.depth())
}

fn second(
    device: &mut Device,
    kernel: &'static Kernel,
    sums: Buffer<f32>,
    total: Buffer<f32>,
) -> Result<Run> {
    device.launch(&Launch::new(kernel, 1, SECOND).arg(sums).arg(total).arg(sums.len() as i32))
}

/// The sums of the first pass are in a variable of the module.
fn static_passes(device: &mut Device, sum: &Sum) -> Result<Row> {
    let (x, total) = (device.upload("x", sum.values)?, device.zeroed::<f32>("total", 1)?);
    let first = Launch::new(&STATIC_FIRST, sum.grid, sum.block).seed(sum.seed);
    let mut run = device.launch(&first.arg(x).arg(sum.values.len() as i32))?;
    run += device.launch(&Launch::new(&STATIC_SECOND, 1, SECOND).arg(total).arg(sum.grid as i32))?;
    judged(device, run, total, sum.exact, sum.depth())
}

fn far_apart(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (strided, chunked) = (counters("two_pass")?, counters("two_pass_chunked")?);
    Some(format!(
        "If the elements of a thread are a whole grid apart, those of a warp are side by side, and a load \
         touches {:.1} sectors. If each thread has a stretch of its own, a load touches {:.1}, which makes \
         {} sectors in all instead of {}.",
        strided.global_load_sectors_per_request(),
        chunked.global_load_sectors_per_request(),
        grouped(chunked.global_load_sectors),
        grouped(strided.global_load_sectors),
    ))
}

fn in_the_module(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (buffer, module) = (counters("two_pass")?, counters("two_pass_static")?);
    Some(format!(
        "With the sums in a `__device__` array, {} sectors are loaded and {} stored, compared with {} and \
         {}. What the array saves is an allocation, which the host makes and no kernel's time includes.",
        grouped(module.global_load_sectors),
        grouped(module.global_store_sectors),
        grouped(buffer.global_load_sectors),
        grouped(buffer.global_store_sectors),
    ))
}
