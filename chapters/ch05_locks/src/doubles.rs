//! A sum in double precision by compare-and-swap, and three ways to get it wrong.
//!
//! The numbers are small integers, so every order of addition gives the same sum, and all results are exact.
//! The traps are doubles that compare differently from their bits: a NaN is not equal to itself, and -0
//! equals +0. It leaves out a fourth mistake, a function named like the built-in one but without
//! `__device__`, because it does not compile.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::atomics::{
    ADD_DOUBLE_BITS, ADD_DOUBLE_BUILT_IN, ADD_DOUBLE_COMPARE, ADD_DOUBLE_NOTE, ADD_ZERO_BITS,
    ADD_ZERO_COMPARE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

const N: usize = 256;
const BLOCK: u32 = 64;
/// More than enough, because an exchange fails only if another thread's has succeeded.
const PATIENCE: i32 = 2 * N as i32;
/// For the loop that never succeeds.
const SHORT: i32 = 50;
/// Threads that add to a sum of -0 after one of them has added +0.
const THREADS: u32 = 32;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("does a loop on compare-and-swap add up {N} doubles correctly?");
    lab.section("doubles", &title, &[GLOBAL_ATOMICS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    let values: Vec<f64> = Random::new(seed).words(N).iter().map(|word| f64::from(word % 1000)).collect();
    let cases = [(&ADD_DOUBLE_BUILT_IN, Verdict::Ok), (&ADD_DOUBLE_BITS, Verdict::Ok)];
    let wrong = [(&ADD_DOUBLE_COMPARE, Verdict::Ok), (&ADD_DOUBLE_NOTE, Verdict::Ok)];
    for (kernel, expected) in cases.into_iter().chain(wrong) {
        lab.variant(kernel.name, |device| {
            add(device, kernel, &values, seed).map(|row| row.expect(expected))
        })?;
    }
    for (kernel, expected) in [(&ADD_DOUBLE_BITS, Verdict::Ok), (&ADD_DOUBLE_COMPARE, Verdict::Wrong)] {
        lab.variant(&format!("{kernel}-nan"), |device| {
            add_to_nan(device, kernel, &values, seed).map(|row| row.expect(expected))
        })?;
    }
    for (kernel, expected) in [(&ADD_ZERO_BITS, Verdict::Ok), (&ADD_ZERO_COMPARE, Verdict::Wrong)] {
        lab.variant(kernel.name, |device| add_to_zero(device, kernel, seed).map(|row| row.expect(expected)))?;
    }
    lab.notice(nan);
    lab.notice(zero);
    lab.notice(first_load);
    lab.gpu_notice(times);
    Ok(())
}

fn add(device: &mut Device, kernel: &'static Kernel, values: &[f64], seed: u64) -> Result<Row> {
    let (sum, gave_up) = (device.zeroed::<f64>("sum", 1)?, device.zeroed::<i32>("gave_up", 1)?);
    let x = device.upload("x", values)?;
    let launch = Launch::cover(kernel, values.len(), BLOCK).seed(seed).arg(sum).arg(x).arg(gave_up);
    let run = device.launch(&launch.arg(values.len() as i32).arg(PATIENCE))?;
    let gave_up = device.read(gave_up)?.sim[0];
    let row = device.check(run, sum, &[values.iter().sum()], &Tolerance::Exact)?;
    Ok(row.fact("gave_up", gave_up.into()))
}

/// The sum is a NaN before and after; what is checked is that no thread ran out of patience.
fn add_to_nan(device: &mut Device, kernel: &'static Kernel, values: &[f64], seed: u64) -> Result<Row> {
    let (sum, gave_up) = (device.upload("sum", &[f64::NAN])?, device.zeroed::<i32>("gave_up", 1)?);
    let x = device.upload("x", values)?;
    let launch = Launch::cover(kernel, values.len(), BLOCK).seed(seed).arg(sum).arg(x).arg(gave_up);
    let run = device.launch(&launch.arg(values.len() as i32).arg(SHORT))?;
    let in_vain = device.read(gave_up)?.sim[0];
    let row = device.check(run, gave_up, &[0.0], &Tolerance::Exact)?;
    let row = row.remark(format!("element 0 is the number of threads that gave up, of {N}"));
    Ok(row.fact("gave_up", in_vain.into()))
}

fn add_to_zero(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let sum = device.upload("sum", &[-0.0_f64])?;
    let run = device.launch(&Launch::new(kernel, 1, THREADS).seed(seed).arg(sum).arg(1.0_f64))?;
    let (got, expected) = (device.read(sum)?.sim[0], f64::from(THREADS - 1));
    let row = device.check(run, sum, &[expected], &Tolerance::Exact)?;
    Ok(row.fact("lost", expected - got))
}

fn nan(section: &Section) -> Option<String> {
    let gave_up = |kernel: &Kernel| section.row(&format!("{kernel}-nan"))?.fact_value("gave_up");
    let (bits, compare) = (gave_up(&ADD_DOUBLE_BITS)?, gave_up(&ADD_DOUBLE_COMPARE)?);
    Some(format!(
        "If the sum is a NaN, {compare} of {N} threads give up after {SHORT} tries in the loop that compares \
         doubles. Without that limit they would loop for ever, because a NaN is not equal to itself. In the \
         loop that compares bits, {bits} give up."
    ))
}

fn zero(section: &Section) -> Option<String> {
    let lost = |kernel: &Kernel| section.row(kernel.name)?.fact_value("lost");
    let (bits, compare) = (lost(&ADD_ZERO_BITS)?, lost(&ADD_ZERO_COMPARE)?);
    Some(format!(
        "If the sum was -0 and has become +0, the exchange fails because the bits differ. A loop that \
         compares doubles finds -0 equal to +0 and ends as if the exchange had succeeded. This loses \
         {compare} additions; comparing bits loses {bits}."
    ))
}

fn first_load(section: &Section) -> Option<String> {
    let note = section.row(ADD_DOUBLE_NOTE.name)?;
    let compare = section.row(ADD_DOUBLE_COMPARE.name)?;
    let race = note.run.faults.first().filter(|_| compare.run.faults.is_empty())?;
    Some(format!(
        "The plain first load is a race with the exchanges of other threads, reported as a {}; a volatile one is \
         not. Since sm_60 atomicAdd takes doubles, so a sum needs none of this.",
        race.severity.name(),
    ))
}

/// The cost of the failed exchanges, which only a GPU can show.
fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU {N} additions to one sum take {:.1} times as long by compare-and-swap as by the built-in \
         atomicAdd. All warps try at once, and a lane that comes second has to try again.",
        time(&ADD_DOUBLE_BITS)? / time(&ADD_DOUBLE_BUILT_IN)?,
    ))
}
