//! Does it pay to sort first? The expensive elements of chapter 1 again, and this time the scan says where each one goes.
//!
//! One pass with a branch is compared with three kernels and a scan of the blocks' counts, for work of three lengths. The
//! order is checked too, because this is a step of a radix sort. It leaves out keys of more than one bit.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernels::scan_ahead::SCAN_AHEAD;
use thirty_two_lanes::kernels::sorting::PROCESS_MIXED;
use thirty_two_lanes::kernels::split::{SPLIT_COUNT, SPLIT_PROCESS, SPLIT_WRITE};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, INSTRUCTIONS, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::array::{AHEAD_BLOCKS, AHEAD_TILE, PATIENCE};
use crate::block::halving_block;

const SIZE: usize = 65_536;
/// Four arrays on the machine, and on the host their values, the expected ones, and both machines' results.
const ELEMENT_BYTES: u64 = 4 * 4 + 4 + 3 * 8 + 2 * 4;
/// Values use all 32 bits, so one in 16 is below this.
const THRESHOLD: u32 = 1 << 28;
/// The iterations of the expensive work.
const ROUNDS: [i32; 3] = [10, 100, 1000];

/// The elements and the shape of a variant.
struct Task {
    values: Vec<u32>,
    block: u32,
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let task = LazyCell::new(|| Task { values: Random::new(seed).words(n), block });
    let title =
        format!("does it pay to sort first, if a scan does the sorting? {} elements", grouped(n as u64));
    lab.section("split", &title, &[ACTIVE_LANES, INSTRUCTIONS, LOAD_SECTORS, STORE_SECTORS]);
    for rounds in ROUNDS {
        lab.variant(&format!("mixed_{rounds}"), |device| mixed(device, &task, rounds))?;
        lab.variant(&format!("split_{rounds}"), |device| split(device, &task, rounds))?;
    }
    lab.notice(cost);
    lab.gpu_notice(times);
    Ok(())
}

/// One pass, in which a warp takes as long as its slowest lane.
fn mixed(device: &mut Device, task: &Task, rounds: i32) -> Result<Row> {
    let n = task.values.len();
    let (x, z) = (device.upload("x", &task.values)?, device.zeroed::<u32>("z", n)?);
    let launch = Launch::cover(&PROCESS_MIXED, n, task.block);
    let run = device.launch(&launch.arg(x).arg(z).arg(THRESHOLD).arg(rounds).arg(n as i32))?;
    device.check(run, z, &expected(&task.values, rounds), &Tolerance::Exact)
}

/// Counts, their scan, every element to its slot, and the work.
fn split(device: &mut Device, task: &Task, rounds: i32) -> Result<Row> {
    let n = task.values.len();
    let blocks = blocks_for(n, task.block);
    let (x, z) = (device.upload("x", &task.values)?, device.zeroed::<u32>("z", n)?);
    let (sorted, numbers) = (device.zeroed::<u32>("sorted", n)?, device.zeroed::<i32>("numbers", n)?);
    let counts = device.zeroed::<i32>("counts", blocks as usize)?;
    let sums = device.zeroed::<i32>("sums", blocks as usize)?;
    let tiles = blocks_for(blocks as usize, AHEAD_TILE);
    let states = device.zeroed::<u64>("states", tiles as usize)?;
    let tickets = device.zeroed::<u32>("tickets", 2)?;
    let over = |kernel| Launch::new(kernel, blocks, task.block);

    let mut run = device.launch(&over(&SPLIT_COUNT).arg(x).arg(counts).arg(THRESHOLD).arg(n as i32))?;
    let scan = Launch::new(&SCAN_AHEAD, tiles.min(AHEAD_BLOCKS), 512_u32).arg(counts).arg(sums).arg(states);
    run += device.launch(&scan.arg(tickets).arg(blocks as i32).arg(PATIENCE))?;
    let write = over(&SPLIT_WRITE).arg(x).arg(sorted).arg(numbers).arg(sums).arg(THRESHOLD).arg(n as i32);
    run += device.launch(&write)?;
    let process = over(&SPLIT_PROCESS).arg(sorted).arg(numbers).arg(z).arg(sums).arg(rounds).arg(n as i32);
    run += device.launch(&process)?;

    let row = device.check(run.clone(), numbers, &order(&task.values), &Tolerance::Exact)?;
    if row.verdict != Verdict::Ok {
        return Ok(row);
    }
    device.check(run, z, &expected(&task.values, rounds), &Tolerance::Exact)
}

/// The numbers of the expensive elements, and then those of the others, both in their old order.
fn order(values: &[u32]) -> Vec<f64> {
    let (mut front, back): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(|&i| values[i] < THRESHOLD);
    front.extend(back);
    front.into_iter().map(|i| i as f64).collect()
}

fn expected(values: &[u32], rounds: i32) -> Vec<f64> {
    // Each round is x -> a * x + b, and so are all of them together.
    let (factor, more) = (0..rounds).fold((1_u32, 0_u32), |(factor, more), _| {
        (factor.wrapping_mul(1_664_525), more.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    });
    let long = |x: u32| x.wrapping_mul(factor).wrapping_add(more);
    let short = |x: u32| x.wrapping_mul(2).wrapping_add(1);
    values.iter().map(|&x| if x < THRESHOLD { long(x) } else { short(x) }.into()).collect()
}

/// A sentence about each length, from the two rows of that length.
fn each(section: &Section, say: impl Fn(&Row, &Row, String) -> Option<String>) -> Option<String> {
    let sentences = ROUNDS.map(|rounds| {
        let row = |name: &str| section.row(&format!("{name}_{rounds}"));
        say(row("mixed")?, row("split")?, counted(rounds as u64, "round"))
    });
    Some(sentences.into_iter().collect::<Option<Vec<_>>>()?.join("; "))
}

fn cost(section: &Section) -> Option<String> {
    let counts = each(section, |mixed, split, rounds| {
        let [mixed, split] = [mixed, split].map(|row| grouped(row.run.counters.ptx_instructions));
        Some(format!("{mixed} and {split} with {rounds}"))
    })?;
    Some(format!("PTX instructions of one pass, and of the split with its scan: {counts}."))
}

fn times(section: &Section) -> Option<String> {
    let times = each(section, |mixed, split, rounds| {
        let [mixed, split] = [mixed, split].map(|row| Some(row.run.timing.as_ref()?.median_us));
        Some(format!("{:.1} and {:.1} µs with {rounds}", mixed?, split?))
    })?;
    Some(format!("On the GPU, one pass and the four launches of the split take {times}."))
}
