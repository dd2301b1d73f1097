//! Who has to wait for whom, when all add: one counter, some counters, a counter each, in global and in shared memory.
//!
//! The requests are counted; how long threads queue at one address is a matter of the clock, so that the times of a GPU
//! decide here, with `--size 16777216` say. It leaves out sums within a warp, which need no atomic until the end.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::atomics::{TALLY_GLOBAL, TALLY_SHARED};
use lanes::launch::blocks_for;
use lanes::report::Section;
use lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, SHARED_ATOMICS};
use lanes::report::layout::grouped;
use lanes::{Device, Lab, Launch, Random, Row, Tolerance};

/// Elements unless the reader says otherwise: enough to make a GPU queue. The locks take their number of blocks from it.
pub const SIZE: usize = 262_144;
/// Two blocks for each multiprocessor of an H200; more elements make threads add more often.
const MOST_BLOCKS: u32 = 264;
/// Counters that the kernel for shared memory has room for.
const MOST_SHARED: usize = 1024;

/// The checkers, which remember every access, watch a run over the first elements, and not the one that is counted.
const CHECKED: usize = 4096;

/// How a variant is launched.
#[derive(Clone, Copy)]
struct Shape {
    n: usize,
    grid: u32,
    block: u32,
    seed: u64,
}

/// An element on the machine and on the host, and at most a cell for each, there and in the reference.
pub const ELEMENT_BYTES: u64 = 2 * 4 + 2 * 4 + 8;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, lab.block(256), lab.seed());
    let shape = Shape { n, grid: blocks_for(n, block).min(MOST_BLOCKS), block, seed };
    let title = "what does it cost that all add to one counter, to 32, each to its own?";
    lab.section("contention", title, &[GLOBAL_ATOMICS, SHARED_ATOMICS, INSTRUCTIONS_PER_WARP]);
    let threads = (shape.grid as usize * block as usize).next_power_of_two();
    let in_block = (block as usize).next_power_of_two().min(MOST_SHARED);
    for (kernel, own) in [(&TALLY_GLOBAL, threads), (&TALLY_SHARED, in_block)] {
        for (name, slots) in [("one", 1), ("32", 32), ("own", own)] {
            lab.variant(&format!("{kernel}-{name}"), |device| tally(device, kernel, shape, slots))?;
        }
    }
    lab.notice(same_requests);
    lab.notice(flushed);
    lab.gpu_notice(times);
    Ok(())
}

fn tally(device: &mut Device, kernel: &'static Kernel, shape: Shape, slots: usize) -> Result<Row> {
    let Shape { n, grid, block, seed } = shape;
    // Zeros and ones: no sum is too large for an int.
    let values: Vec<i32> = Random::new(seed).words(n).iter().map(|word| (word & 1) as i32).collect();
    let threads = grid as usize * block as usize;
    let mut expected = vec![0.0; slots];
    for (i, &value) in values.iter().enumerate() {
        expected[(i % threads) & (slots - 1)] += f64::from(value);
    }
    let (x, cells) = (device.upload("x", &values)?, device.zeroed::<i32>("cells", slots)?);
    let launch = Launch::new(kernel, grid, block).seed(seed).arg(x).arg(cells).arg(slots as i32);
    let (first, _) = device.trial(&launch.clone().arg(n.min(CHECKED) as i32), cells)?;
    let mut run = device.launch(&launch.arg(n as i32).unchecked())?;
    run.faults.extend(first.faults);
    device.check(run, cells, &expected, &Tolerance::Exact)
}

fn same_requests(section: &Section) -> Option<String> {
    let count = |name: &str| {
        let counters = section.row(name)?.run.counters;
        Some(grouped(counters.global_atomic_requests + counters.global_reduction_requests))
    };
    let (one, some, own) =
        (count("tally_global-one")?, count("tally_global-32")?, count("tally_global-own")?);
    (one == some && some == own).then(|| {
        format!(
            "In global memory {one} requests, whether to one counter, to 32, or to one each. A request is a warp's, \
             and the count does not say how many of its lanes queue at one address; only a clock does."
        )
    })
}

fn flushed(section: &Section) -> Option<String> {
    let (global, shared) = (section.row("tally_global-one")?, section.row("tally_shared-one")?);
    let (global, shared) = (global.run.counters, shared.run.counters);
    Some(format!(
        "Through shared memory {} of {} requests to one global counter are left: one for each block.",
        grouped(shared.global_atomic_requests + shared.global_reduction_requests),
        grouped(global.global_atomic_requests + global.global_reduction_requests),
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let (one, own) = (time("tally_global-one")?, time("tally_global-own")?);
    let (shared_one, shared_own) = (time("tally_shared-one")?, time("tally_shared-own")?);
    Some(format!(
        "On the GPU one counter for all takes {:.1} times as long as one for each thread in global memory, and \
         {:.1} times in shared memory. Global memory takes {:.1} times as long as shared memory with one, and \
         {:.1} times with one for each thread. The launch itself is in all of these times, and most of short \
         ones; a larger --size hides it.",
        one / own,
        shared_one / shared_own,
        one / shared_one,
        own / shared_own,
    ))
}
