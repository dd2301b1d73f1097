//! What atomics cost if all threads add to one counter, to 32 counters, or each to its own, in global and in
//! shared memory.
//!
//! Requests are counted. How long threads queue at one address can only be measured, so a GPU's times decide here, for
//! instance with `--size 16777216`. It leaves out sums within a warp, which need no atomic until the end.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::atomics::{TALLY_GLOBAL, TALLY_SHARED};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, SHARED_ATOMICS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

/// The default number of elements, enough to make the threads of a GPU queue. It also sets the number of
/// blocks that the locks use.
pub const SIZE: usize = 262_144;
/// Two blocks for each multiprocessor of an H200. With more elements, each thread adds more often.
const MOST_BLOCKS: u32 = 264;
/// The number of counters for which the kernel has room in shared memory.
const MOST_SHARED: usize = 1024;

/// The checkers remember every access, so they watch a separate run over the first elements, and not the run whose
/// counters are shown.
const CHECKED: usize = 4096;

/// How a variant is launched.
#[derive(Clone, Copy)]
struct Shape {
    n: usize,
    grid: u32,
    block: u32,
    seed: u64,
}

/// An element on the machine and on the host, and at most one cell per element, there and in the reference.
pub const ELEMENT_BYTES: u64 = 2 * 4 + 2 * 4 + 8;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, lab.block(256), lab.seed());
    let shape = Shape { n, grid: blocks_for(n, block).min(MOST_BLOCKS), block, seed };
    let title = "what do atomics cost on one counter, on 32, or on one for each thread?";
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
    // Zeros and ones, so that every sum fits into an int.
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
            "In global memory the count of requests is {one}, whether the threads add to one counter, to 32, \
             or each to its own. A request is one instruction of a warp, and the count does not say how \
             many of its lanes queue at the same address. Only a clock can show that."
        )
    })
}

fn flushed(section: &Section) -> Option<String> {
    let (global, shared) = (section.row("tally_global-one")?, section.row("tally_shared-one")?);
    let (global, shared) = (global.run.counters, shared.run.counters);
    Some(format!(
        "If blocks first add in shared memory, {} of {} requests to the one global counter remain: one for \
         each block.",
        grouped(shared.global_atomic_requests + shared.global_reduction_requests),
        grouped(global.global_atomic_requests + global.global_reduction_requests),
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let (one, own) = (time("tally_global-one")?, time("tally_global-own")?);
    let (shared_one, shared_own) = (time("tally_shared-one")?, time("tally_shared-own")?);
    Some(format!(
        "On the GPU one counter for all threads takes {:.1} times as long as a counter for each in global \
         memory, and {:.1} times as long in shared memory. Global memory takes {:.1} times as long as shared \
         memory if there is one counter, and {:.1} times as long if each thread has its own. All of these \
         times include the launch, which makes up most of a short one; with a larger --size it matters \
         less.",
        one / own,
        shared_one / shared_own,
        one / shared_one,
        own / shared_own,
    ))
}
