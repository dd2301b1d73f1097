//! Compaction: the elements below a limit, side by side, with one atomic for each of them, for each warp, for
//! each block, and with none.
//!
//! Blocks and warps take their turns in random order, because the order of the elements that are kept is what
//! some of these kernels lose. `moved` counts the elements that are not where a loop over the array would put
//! them. It leaves out keeping the others too, which is a partition.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::compaction::{
    KEEP_ATOMIC, KEEP_BALLOT, KEEP_BALLOT_LANE, KEEP_BLOCK, KEEP_COUNT, KEEP_INC, KEEP_WRITE,
};
use thirty_two_lanes::kernels::scan_array::SCAN_SUMS;
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Random, Row, Run, Schedule, Tolerance, Verdict};

use crate::block::halving_block;

pub const SIZE: usize = 65_536;
/// Elements on the machine, and on the host their values, those that are kept, and both machines' results.
const ELEMENT_BYTES: u64 = 2 * 4 + 4 + 4 + 4 * 4;
/// The checkers remember every access, so they watch a run over the first elements only.
const CHECKED: usize = 4096;
/// Elements are from 0 to 99, and those below this are kept.
const LIMIT: i32 = 50;

/// Kernels that make room for what they keep with atomics on one counter.
const ATOMIC: [&Kernel; 4] = [&KEEP_ATOMIC, &KEEP_INC, &KEEP_BALLOT, &KEEP_BLOCK];

/// The elements and the shape of a variant.
struct Task {
    values: Vec<i32>,
    /// The elements that a loop over the array would keep.
    kept: Vec<i32>,
    block: u32,
    seed: u64,
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let task = LazyCell::new(|| task(n, block, seed));
    let title = "half of the elements are kept: who says where each of them goes?";
    lab.section("compaction", title, &[GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS]);
    for kernel in ATOMIC {
        lab.variant(kernel.name, |device| keep(device, kernel, &task))?;
    }
    lab.variant(KEEP_BALLOT_LANE.name, |device| {
        // With few elements, all of them could be in their places by luck.
        let row = keep(device, &KEEP_BALLOT_LANE, &self::task(n.max(CHECKED), block, seed))?;
        Ok(row.expect(Verdict::Fault))
    })?;
    lab.variant("keep_scan", |device| keep_in_order(device, &task))?;
    lab.notice(atomics);
    lab.notice(order);
    lab.gpu_notice(times);
    Ok(())
}

fn task(n: usize, block: u32, seed: u64) -> Task {
    let values: Vec<i32> = Random::new(seed).words(n).iter().map(|word| (word % 100) as i32).collect();
    let kept = values.iter().copied().filter(|value| *value < LIMIT).collect();
    Task { values, kept, block, seed }
}

fn launch(kernel: &'static Kernel, task: &Task, n: usize) -> Launch {
    let mut launch = Launch::cover(kernel, n, task.block).seed(task.seed);
    launch.simt.schedule = Schedule::Random;
    launch
}

fn keep(device: &mut Device, kernel: &'static Kernel, task: &Task) -> Result<Row> {
    let n = task.values.len();
    let (x, y) = (device.upload("x", &task.values)?, device.zeroed::<i32>("y", n)?);
    let count = device.zeroed::<u32>("count", 1)?;
    let of = |n: usize| launch(kernel, task, n).arg(x).arg(y).arg(count).arg(LIMIT).arg(n as i32);
    let (checked, _) = device.trial(&of(n.min(CHECKED)), count)?;
    let mut run = device.launch(&of(n).unchecked())?;
    run.unwatched |= checked.unwatched;
    run.faults.extend(checked.faults);
    let row = device.check(run, count, &[task.kept.len() as f64], &Tolerance::Exact)?;
    judged(device, row, y, task)
}

/// Three launches without an atomic: counts for each block, their scan, and every element to its place.
fn keep_in_order(device: &mut Device, task: &Task) -> Result<Row> {
    let n = task.values.len();
    let blocks = blocks_for(n, task.block) as usize;
    let (x, y) = (device.upload("x", &task.values)?, device.zeroed::<i32>("y", n)?);
    let counts = device.zeroed::<i32>("counts", blocks)?;
    let mut run = Run::default();
    let count = launch(&KEEP_COUNT, task, n).arg(x).arg(counts).arg(LIMIT).arg(n as i32);
    run += device.launch(&count.unchecked())?;
    run += device.launch(&Launch::new(&SCAN_SUMS, 1, 1024_u32).arg(counts).arg(blocks as i32).unchecked())?;
    let write = launch(&KEEP_WRITE, task, n).arg(x).arg(y).arg(counts).arg(LIMIT).arg(n as i32);
    run += device.launch(&write.unchecked())?;
    let mut expected: Vec<f64> = task.kept.iter().map(|&value| value.into()).collect();
    expected.resize(n, 0.0);
    let row = device.check(run, y, &expected, &Tolerance::Exact)?;
    judged(device, row, y, task)
}

/// Every element that is to be kept must be in the result, in any order; how many are out of order is a fact.
fn judged(device: &mut Device, row: Row, y: Buffer<i32>, task: &Task) -> Result<Row> {
    let kept = task.kept.len();
    let read = device.read(y)?;
    let row = row.fact("kept", kept as f64).fact("moved", moved(&read.sim, &task.kept));
    let mut row = match &read.gpu {
        Some(got) if row.run.withheld.is_none() => {
            let count = moved(got, &task.kept);
            row.gpu_fact("gpu_moved", count).gpu_remark(format!(
                "on the GPU {} of {} elements are not in their place",
                grouped(count as u64),
                grouped(kept as u64)
            ))
        }
        _ => row,
    };
    let is_complete = |got: &[i32]| histogram(&got[..kept]) == histogram(&task.kept);
    let gpu_is_complete = row.run.withheld.is_some() || read.gpu.as_deref().is_none_or(is_complete);
    if row.verdict == Verdict::Ok && !(is_complete(&read.sim) && gpu_is_complete) {
        row.verdict = Verdict::Wrong;
    }
    Ok(row)
}

fn moved(got: &[i32], kept: &[i32]) -> f64 {
    got.iter().zip(kept).filter(|(got, kept)| got != kept).count() as f64
}

/// How often each element occurs; elements are from 0 to 99. Anything else is counted in the last place.
fn histogram(values: &[i32]) -> [usize; 101] {
    let mut counts = [0; 101];
    for &value in values {
        counts[usize::try_from(value).unwrap_or(100).min(100)] += 1;
    }
    counts
}

fn atomics(section: &Section) -> Option<String> {
    let of = |kernel: &Kernel| {
        let counters = section.row(kernel.name)?.run.counters;
        Some(grouped(counters.global_atomic_requests + counters.global_reduction_requests))
    };
    let kept = section.row(KEEP_ATOMIC.name)?.fact_value("kept")?;
    Some(format!(
        "{} elements are kept. keep_atomic draws a place for each of them, in {} instructions, each for all \
         lanes of a warp that keep something. keep_ballot needs {} atomics of one lane each, and keep_block {}.",
        grouped(kept as u64),
        of(&KEEP_ATOMIC)?,
        of(&KEEP_BALLOT)?,
        of(&KEEP_BLOCK)?,
    ))
}

fn order(section: &Section) -> Option<String> {
    let moved = |name: &str| Some(grouped(section.row(name)?.fact_value("moved")? as u64));
    Some(format!(
        "Out of place are {} elements with one atomic for each, {} with one for each warp, {} with one for \
         each block, and {} with a scan. An atomic serves warps and blocks as they come.",
        moved(KEEP_ATOMIC.name)?,
        moved(KEEP_BALLOT.name)?,
        moved(KEEP_BLOCK.name)?,
        moved("keep_scan")?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    Some(format!(
        "On the GPU, compaction takes {:.1} µs with keep_atomic, {:.1} µs with keep_inc, {:.1} µs with \
         keep_ballot, {:.1} µs with keep_block, and {:.1} µs with the three launches of keep_scan.",
        time(KEEP_ATOMIC.name)?,
        time(KEEP_INC.name)?,
        time(KEEP_BALLOT.name)?,
        time(KEEP_BLOCK.name)?,
        time("keep_scan")?,
    ))
}
