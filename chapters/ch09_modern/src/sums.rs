//! The sum of a warp by five shuffles, by `redux.sync` and by `cg::reduce`, again and again.
//!
//! `cg::reduce` is also called for tiles of 8. Each of its builds shows the library's code for these GPUs. The elements
//! are integers modulo 2^32, the only ones that `redux.sync` can add. Each round depends on the one before, as in a
//! program that waits for its sum. It leaves out minimum, maximum and bitwise operations, which work in the same way.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_groups::{SUMS_REDUCE, SUMS_REDUCE_OF_8};
use thirty_two_lanes::kernels::modern_warps::{SUMS_REDUX, SUMS_SHUFFLES};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::INSTRUCTIONS_PER_WARP;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

use crate::shape::Shape;

const LANES: usize = 32;
const TILE: usize = 8;
/// Enough for the sums to take much longer than the loads and stores around them.
const ROUNDS: i32 = 256;
/// A tenth of the work, which shows how much of a GPU's time is the work.
const TENTH: i32 = ROUNDS / 10;
/// Four blocks for each multiprocessor of an H200, whose warps then wait for its units and not for each other.
const MOST_BLOCKS: u32 = 528;
/// The checkers remember every access, so they watch a separate run of one block and few rounds, and not the run whose
/// counters are shown.
const CHECKED_ROUNDS: i32 = 2;

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let shape = Shape { grid: shape.grid.min(MOST_BLOCKS), ..shape };
    let title = format!("how is a warp added up? {ROUNDS} times in a row");
    lab.section("sums", &title, &[INSTRUCTIONS_PER_WARP]);
    // Each is built for the oldest GPUs that have its instructions.
    for (kernel, arch) in [(&SUMS_SHUFFLES, 70), (&SUMS_REDUX, 80)] {
        let all = Work { kernel, arch, size: LANES, rounds: ROUNDS };
        lab.variant(kernel.name, |device| sums(device, all, shape))?;
    }
    let tenth = Work { kernel: &SUMS_SHUFFLES, arch: 70, size: LANES, rounds: TENTH };
    lab.variant("sums_shuffles-tenth", |device| sums(device, tenth, shape))?;
    for (kernel, size) in [(&SUMS_REDUCE, LANES), (&SUMS_REDUCE_OF_8, TILE)] {
        for arch in [70, 80] {
            let of_groups = Work { kernel, arch, size, rounds: ROUNDS };
            lab.variant(&format!("{kernel}-sm_{arch}"), |device| sums(device, of_groups, shape))?;
        }
    }
    lab.notice(instructions);
    lab.notice(groups);
    lab.gpu_notice(times);
    lab.gpu_notice(times_of_groups);
    Ok(())
}

/// A kernel, the GPUs for which it is built, how many lanes it adds up, and how often.
#[derive(Clone, Copy)]
struct Work {
    kernel: &'static Kernel,
    arch: u32,
    size: usize,
    rounds: i32,
}

fn sums(device: &mut Device, work: Work, shape: Shape) -> Result<Row> {
    let Work { kernel, arch, size, rounds } = work;
    let values = Random::new(shape.seed).words(shape.threads());
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<u32>("y", values.len())?);
    let launch = Launch::new(kernel, shape.grid, shape.block).arch(arch)?.seed(shape.seed).arg(x).arg(y);
    let mut small = launch.clone();
    small.simt.grid = 1.into();
    let (first, _) = device.trial(&small.arg(CHECKED_ROUNDS), y)?;
    let mut run = device.launch(&launch.arg(rounds).unchecked())?;
    run.faults.extend(first.faults);
    device.check(run, y, &expected(&values, size, rounds), &Tolerance::Exact)
}

/// In each round every lane gets the sum of its group of `size` lanes, and adds its number in the warp.
fn expected(values: &[u32], size: usize, rounds: i32) -> Vec<f64> {
    let of_group = move |(group, values): (usize, &[u32])| {
        let first_lane = group * size % LANES;
        let lanes = (first_lane..first_lane + size).map(|lane| lane as u32);
        let numbers: u32 = lanes.clone().sum();
        let first = values.iter().fold(0_u32, |sum, &value| sum.wrapping_add(value));
        let next = |sum: u32| sum.wrapping_mul(size as u32).wrapping_add(numbers);
        let last = (1..rounds).fold(first, |sum, _| next(sum));
        lanes.map(move |lane| f64::from(last.wrapping_add(lane)))
    };
    values.chunks(size).enumerate().flat_map(of_group).collect()
}

fn instructions(section: &Section) -> Option<String> {
    let cost = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "Besides its loads and stores a warp executes five shuffles and five additions in each round, or one \
         redux.sync: {:.0} PTX instructions in all, or {:.0}.",
        cost(&SUMS_SHUFFLES)?,
        cost(&SUMS_REDUX)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU the kernel with shuffles takes {:.2} times as long as the one with redux.sync.",
        time(&SUMS_SHUFFLES)? / time(&SUMS_REDUX)?
    ))
}

fn groups(section: &Section) -> Option<String> {
    let cost = |kernel: &Kernel, arch: u32| {
        Some(section.row(&format!("{kernel}-sm_{arch}"))?.run.counters.ptx_instructions_per_warp())
    };
    Some(format!(
        "By cg::reduce it is {:.0} PTX instructions for a warp if it is built for sm_70, and {:.0} for sm_80. For \
         tiles of {TILE} it is {:.0} and {:.0}.",
        cost(&SUMS_REDUCE, 70)?,
        cost(&SUMS_REDUCE, 80)?,
        cost(&SUMS_REDUCE_OF_8, 70)?,
        cost(&SUMS_REDUCE_OF_8, 80)?,
    ))
}

fn times_of_groups(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let of = |kernel: &Kernel, arch: u32| time(&format!("{kernel}-sm_{arch}"));
    Some(format!(
        "On the GPU cg::reduce takes {:.2} times as long as the shuffles if it is built for sm_70, and {:.2} times as \
         long as redux.sync if it is built for sm_80.",
        of(&SUMS_REDUCE, 70)? / time(SUMS_SHUFFLES.name)?,
        of(&SUMS_REDUCE, 80)? / time(SUMS_REDUX.name)?,
    ))
}
