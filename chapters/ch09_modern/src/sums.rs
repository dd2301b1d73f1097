//! The sum of a warp by five shuffles and by `redux.sync`, again and again.
//!
//! Integers modulo 2^32, the only sums that `redux.sync` has. Each round depends on the one before, as in a program
//! that waits for its sum. It leaves out minimum, maximum and bitwise operations, which work in the same way.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::modern_warps::{SUMS_REDUX, SUMS_SHUFFLES};
use lanes::report::Section;
use lanes::report::columns::INSTRUCTIONS_PER_WARP;
use lanes::{Device, Lab, Launch, Random, Row, Tolerance};

use crate::Shape;

const LANES: usize = 32;
/// Enough for the sums to take much longer than the loads and stores around them.
const ROUNDS: i32 = 256;
/// A tenth of the work, which shows how much of a GPU's time is the work.
const TENTH: i32 = ROUNDS / 10;
/// Four blocks for each multiprocessor of an H200, whose warps then wait for its units and not for each other.
const MOST_BLOCKS: u32 = 528;
/// The checkers remember every access, so they watch a run of one block and few rounds, and not the run that is counted.
const CHECKED_ROUNDS: i32 = 2;

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let shape = Shape { grid: shape.grid.min(MOST_BLOCKS), ..shape };
    let title = format!("how is a warp added up? {ROUNDS} times in a row");
    lab.section("sums", &title, &[INSTRUCTIONS_PER_WARP]);
    // Each is built for the oldest GPUs that have its instructions.
    for (kernel, arch) in [(&SUMS_SHUFFLES, 70), (&SUMS_REDUX, 80)] {
        lab.variant(kernel.name, |device| sums(device, kernel, arch, shape, ROUNDS))?;
    }
    lab.variant("sums_shuffles-tenth", |device| sums(device, &SUMS_SHUFFLES, 70, shape, TENTH))?;
    lab.notice(instructions);
    lab.gpu_notice(times);
    Ok(())
}

fn sums(device: &mut Device, kernel: &'static Kernel, arch: u32, shape: Shape, rounds: i32) -> Result<Row> {
    let values = Random::new(shape.seed).words(shape.threads());
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<u32>("y", values.len())?);
    let launch = Launch::new(kernel, shape.grid, shape.block).arch(arch)?.seed(shape.seed).arg(x).arg(y);
    let mut small = launch.clone();
    small.simt.grid = 1.into();
    let (first, _) = device.trial(&small.arg(CHECKED_ROUNDS), y)?;
    let mut run = device.launch(&launch.arg(rounds).unchecked())?;
    run.faults.extend(first.faults);
    device.check(run, y, &expected(&values, rounds), &Tolerance::Exact)
}

/// After each round a lane has the sum of its warp and its own number.
fn expected(values: &[u32], rounds: i32) -> Vec<f64> {
    let numbers: u32 = (0..LANES as u32).sum();
    let of_warp = move |warp: &[u32]| {
        let first = warp.iter().fold(0_u32, |sum, &value| sum.wrapping_add(value));
        let next = |sum: u32| sum.wrapping_mul(LANES as u32).wrapping_add(numbers);
        let last = (1..rounds).fold(first, |sum, _| next(sum));
        (0..LANES as u32).map(move |lane| f64::from(last.wrapping_add(lane)))
    };
    values.chunks(LANES).flat_map(of_warp).collect()
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
