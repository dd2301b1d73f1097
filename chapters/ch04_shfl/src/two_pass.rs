//! The sum of many elements in two passes, each thread adding several before anybody waits.
//!
//! The grid of the first pass is bounded, so that its sums fit into one block's second pass. Neighbouring lanes read
//! neighbouring elements, or each thread a stretch of its own. It leaves out everything that makes a pass faster than
//! that.

use std::cell::LazyCell;

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::static_sums::{STATIC_FIRST, STATIC_SECOND};
use lanes::kernels::two_pass::{PASS_CHUNKED, PASS_DOUBLED, PASS_STRIDED};
use lanes::report::Section;
use lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use lanes::report::layout::grouped;
use lanes::{Buffer, Device, Lab, Launch, Row, Run, Verdict};

use crate::block_sums::ELEMENT_BYTES;
use crate::sums::{elements, exact, halving_block, judged};

/// The blocks of the first pass at most, those of the note; a thread has so many elements at least.
const MOST_BLOCKS: usize = 10_240;
const ELEMENTS_PER_THREAD: usize = 8;
/// The one block of the second pass.
const SECOND: u32 = 1024;

/// What is to be added, exactly how much it is, and how.
struct Sum<'a> {
    values: &'a [f32],
    exact: f64,
    grid: u32,
    block: u32,
    seed: u64,
}

impl Sum<'_> {
    /// How many additions an element goes through: those of its thread, of its block, and the same again.
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
    let title = format!("two passes: {grid} blocks of {block}, then one of {SECOND}; who reads what?");
    lab.section("two_pass", &title, &[LOAD_REQUESTS, LOAD_SECTORS, INSTRUCTIONS_PER_WARP]);
    lab.variant("two_pass", |device| passes(device, &PASS_STRIDED, &sum))?;
    lab.variant("two_pass_chunked", |device| passes(device, &PASS_CHUNKED, &sum))?;
    lab.variant("two_pass_static", |device| static_passes(device, &sum))?;
    lab.variant("two_pass_doubled", |device| {
        let row = passes(device, &PASS_DOUBLED, &sum)?.expect(Verdict::Wrong);
        let times = row.fact_value("sum_over_exact").unwrap_or(f64::NAN);
        Ok(row.remark(format!("{times:.2} times the sum: each pass doubles it")))
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

/// The sums between the passes are in a variable of the module.
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
        "The elements of a thread lie a whole grid apart, and those of a warp side by side: {:.1} sectors for a \
         load. A stretch for each thread: {:.1}, {} sectors in all instead of {}.",
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
        "Sums in a `__device__` array: {} sectors loaded, {} stored, against {} and {}. What it spares is an \
         allocation, which is the host's and in no kernel's time.",
        grouped(module.global_load_sectors),
        grouped(module.global_store_sectors),
        grouped(buffer.global_load_sectors),
        grouped(buffer.global_store_sectors),
    ))
}
