//! How large is the error of a sum in single precision? The same elements in five orders, and equal elements in two.
//!
//! The elements are fixed, so that what the report says about their sum holds for every seed. Only the order
//! of the atomics depends on the schedule. It leaves out compensated sums, and sums in double precision.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{SUM_ATOMIC_LANE, SUM_SHUFFLE};
use thirty_two_lanes::kernels::two_pass::{PASS_STRIDED, SUM_IN_ORDER};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Row, Run};

use crate::sums::{ROUNDING, elements, exact, judged};

/// A power of two, so that a tree of halvings has no remainder.
const N: usize = 1 << 18;
const BLOCK: u32 = 512;
/// The blocks of the first of two passes, in which each thread has 16 elements.
const GRID: u32 = 32;
/// The seed of the elements, whatever the reader's seed is.
const SEED: u64 = 0;
/// The value of all elements if they are equal.
const EQUAL: f32 = 1.23;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (values, seed) = (elements(N, SEED), lab.seed());
    let title = format!("how far off is a sum of {} floats, in roundings of 2^-24?", grouped(N as u64));
    lab.section("precision", &title, &[INSTRUCTIONS, GLOBAL_ATOMICS]);
    lab.variant("order_one_thread", |device| one_thread(device, &values))?;
    lab.variant("order_atomics", |device| with_atomics(device, &SUM_ATOMIC_LANE, &values, N, seed))?;
    lab.variant("order_blocks", |device| {
        let depth = BLOCK.ilog2() as usize + N / BLOCK as usize;
        with_atomics(device, &SUM_SHUFFLE, &values, depth, seed)
    })?;
    lab.variant("order_two_passes", |device| in_passes(device, &values, &[GRID, 1]))?;
    lab.variant("order_tree", |device| in_passes(device, &values, &[N as u32 / BLOCK, 1]))?;
    let equal = vec![EQUAL; N];
    lab.variant("equal_one_thread", |device| one_thread(device, &equal))?;
    lab.variant("equal_tree", |device| in_passes(device, &equal, &[N as u32 / BLOCK, 1]))?;
    lab.notice(compared);
    lab.notice(equal_elements);
    Ok(())
}

/// Adds a remark on the error of a sum, and on how large it may be.
fn with_error(row: Row) -> Row {
    let fact = |name| row.fact_value(name).unwrap_or(f64::NAN);
    let (off, depth) = (fact("roundings_off"), fact("depth"));
    let text =
        format!("off by {} roundings, after at most {} additions", one_place(off), grouped(depth as u64));
    row.remark(text).fact("elements", N as f64)
}

/// A number with one decimal, and from a thousand on without.
fn one_place(number: f64) -> String {
    if number < 1000.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

fn one_thread(device: &mut Device, values: &[f32]) -> Result<Row> {
    let (x, total) = (device.upload("x", values)?, device.zeroed::<f32>("total", 1)?);
    let run = device.launch(&Launch::new(&SUM_IN_ORDER, 1, 1).arg(x).arg(total).arg(N as i32))?;
    judged(device, run, total, exact(values), N).map(with_error)
}

fn with_atomics(
    device: &mut Device,
    kernel: &'static Kernel,
    values: &[f32],
    depth: usize,
    seed: u64,
) -> Result<Row> {
    let (x, total) = (device.upload("x", values)?, device.zeroed::<f32>("total", 1)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).arg(x).arg(total).arg(N as i32);
    let run = device.launch(&launch)?;
    judged(device, run, total, exact(values), depth).map(with_error)
}

/// One pass after another, each with the number of blocks that is given for it; the last has one.
fn in_passes(device: &mut Device, values: &[f32], grids: &[u32]) -> Result<Row> {
    let mut sums = device.upload("x", values)?;
    let (mut run, mut depth) = (Run::default(), 0);
    for &grid in grids {
        let of_blocks = device.zeroed::<f32>("sums", grid as usize)?;
        let n = sums.len();
        run +=
            device.launch(&Launch::new(&PASS_STRIDED, grid, BLOCK).arg(sums).arg(of_blocks).arg(n as i32))?;
        // The first addition of a thread is to zero, which is exact.
        depth += n.div_ceil((grid * BLOCK) as usize) - 1 + BLOCK.ilog2() as usize;
        sums = of_blocks;
    }
    judged(device, run, sums, exact(values), depth).map(with_error)
}

fn compared(section: &Section) -> Option<String> {
    let off = |name| section.row(name)?.fact_value("roundings_off");
    let depth = section.row("order_tree")?.fact_value("depth")?;
    Some(format!(
        "Added one after another, the elements give a sum that is off by {} roundings. Added as a tree, they \
         give one that is off by {}, because each element goes through {depth:.0} additions and not through \
         up to {}. The parallel way is also the more accurate one.",
        one_place(off("order_one_thread")?),
        one_place(off("order_tree")?),
        grouped(N as u64),
    ))
}

fn equal_elements(section: &Section) -> Option<String> {
    let off = |name| section.row(name)?.fact_value("roundings_off");
    let (thread, tree) = (off("equal_one_thread")?, off("equal_tree")?);
    Some(format!(
        "Equal elements make it worse, because their roundings do not cancel. Added one after another, they \
         are off by {} roundings, which is {:.2} % of the sum; added as a tree, by {}.",
        one_place(thread),
        100.0 * thread * ROUNDING,
        one_place(tree),
    ))
}
