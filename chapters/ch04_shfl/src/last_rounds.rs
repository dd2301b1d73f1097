//! The last five rounds of a sum by themselves: is it worth keeping the values in registers?
//!
//! The kernels repeat these rounds so often that a clock sees hardly anything else. Each sum needs the one before, and
//! a warp never waits for another warp. It leaves out the rounds before the last five, which shuffles cannot do.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::last_rounds::{ROUNDS_SHARED, ROUNDS_SHUFFLE, ROUNDS_SHUFFLE_WAITS};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

const LANES: usize = 32;
const KERNELS: [&Kernel; 3] = [&ROUNDS_SHARED, &ROUNDS_SHUFFLE_WAITS, &ROUNDS_SHUFFLE];
/// One block of four warps for each multiprocessor of an H200: each scheduler has one warp, whose latency counts.
const BLOCKS: u32 = 132;
const BLOCK: u32 = 128;
/// Enough for the rounds to take much longer than a launch.
const SUMS: i32 = 500;
/// The checkers remember every access, so they watch a separate run with one block and few sums, and not the run whose
/// counters are shown.
const CHECKED_SUMS: i32 = 2;
/// Elements are whole numbers below this, so that every sum is a whole number which a float holds exactly.
const BELOW: u32 = 16;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title =
        format!("are the last five rounds faster in registers? {SUMS} sums of each warp, one after another");
    lab.section("last_rounds", &title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS]);
    let words = Random::new(seed).words((BLOCKS * BLOCK) as usize);
    let values: Vec<f32> = words.into_iter().map(|word| (word % BELOW) as f32).collect();
    for kernel in KERNELS {
        lab.variant(kernel.name, |device| sums(device, kernel, &values, seed))?;
    }
    lab.notice(requests);
    lab.gpu_notice(times);
    Ok(())
}

fn sums(device: &mut Device, kernel: &'static Kernel, values: &[f32], seed: u64) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<f32>("y", values.len())?);
    let launch = |grid| Launch::new(kernel, grid, BLOCK).seed(seed).arg(x).arg(y);
    let (first, _) = device.trial(&launch(1).arg(CHECKED_SUMS), y)?;
    let mut run = device.launch(&launch(BLOCKS).arg(SUMS).unchecked())?;
    run.faults.extend(first.faults);
    Ok(device.check(run, y, &expected(values), &Tolerance::Exact)?.fact("sums", SUMS.into()))
}

/// Lane 0 adds the values of the other lanes again and again; the others keep theirs.
fn expected(values: &[f32]) -> Vec<f64> {
    let of_warp = |warp: &[f32]| {
        let mut warp: Vec<f64> = warp.iter().copied().map(f64::from).collect();
        let others: f64 = warp[1..].iter().sum();
        warp[0] += f64::from(SUMS) * others;
        warp
    };
    values.chunks(LANES).flat_map(of_warp).collect()
}

fn requests(section: &Section) -> Option<String> {
    let requests = |kernel: &Kernel| {
        let counters = section.row(kernel.name)?.run.counters;
        let requests = counters.shared_load_requests + counters.shared_store_requests;
        Some(requests as f64 / counters.warps as f64 / f64::from(SUMS))
    };
    Some(format!(
        "For each sum a warp makes {:.0} requests to shared memory if the rounds stay there, and {:.0} if they are \
         done by shuffles. rounds_shuffle_waits has as many barriers of the warp as rounds_shared.",
        requests(&ROUNDS_SHARED)?,
        requests(&ROUNDS_SHUFFLE)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU the rounds in shared memory take {:.2} times as long as by shuffles with the same barriers, and \
         {:.2} times as long as by shuffles without them.",
        time(&ROUNDS_SHARED)? / time(&ROUNDS_SHUFFLE_WAITS)?,
        time(&ROUNDS_SHARED)? / time(&ROUNDS_SHUFFLE)?,
    ))
}
