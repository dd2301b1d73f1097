//! What the barrier of the warp saves in the last five rounds, and what it does not.
//!
//! The same sums of integers three times: a barrier of the block in every round, one of the warp in the last five, and
//! those rounds walked by the first warp alone. It leaves out time, which a launch this small does not have.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::syncwarp::{TAIL_FIRST_WARP, TAIL_SYNCTHREADS, TAIL_SYNCWARP};
use lanes::machine::Traced;
use lanes::report::Section;
use lanes::report::columns::{ACTIVE_LANES, BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use lanes::{Buffer, Device, Lab, Launch, Row, Tolerance};

use crate::common::{exact_sum, integers};

pub const N: usize = 4096;
pub const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what does a barrier of the warp save? {N} integers, blocks of {BLOCK}");
    let columns = [BARRIERS_PER_WARP, SHARED_REQUESTS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    lab.section("saving", &title, &columns);
    for kernel in [&TAIL_SYNCTHREADS, &TAIL_SYNCWARP, &TAIL_FIRST_WARP] {
        lab.variant(kernel.name, |device| Ok(add(device, kernel, SHARED_BYTES, seed)?.row))?;
    }
    lab.notice(barriers);
    lab.notice(first_warp);
    Ok(())
}

/// An element for each thread.
pub const SHARED_BYTES: u32 = 4 * BLOCK;

/// What a launch of one of the sums came to.
pub struct Sum {
    pub row: Row,
    pub place: Buffer<i32>,
    pub exact: f64,
}

/// Adds up, and counts the barriers of warps, which no counter has.
pub fn add(device: &mut Device, kernel: &'static Kernel, shared_bytes: u32, seed: u64) -> Result<Sum> {
    let values = integers(N, seed);
    let (x, sum) = (device.upload("x", &values)?, device.zeroed::<i32>("sum", 1)?);
    let launch = Launch::cover(kernel, N, BLOCK).shared_bytes(shared_bytes).seed(seed);
    let launch = launch.arg(x).arg(sum).arg(N as i32);
    let barriers = warp_barriers(&device.trace(&launch)?);
    let run = device.launch(&launch)?;
    let warps = run.counters.warps.max(1) as f64;
    let exact = exact_sum(&values);
    let row = device.check(run, sum, &[exact], &Tolerance::Exact)?;
    Ok(Sum { row: row.fact("warp_barriers_per_warp", barriers as f64 / warps), place: sum, exact })
}

fn warp_barriers(trace: &[Traced]) -> usize {
    trace.iter().filter(|step| step.ptx.starts_with("bar.warp.sync")).count()
}

fn barriers(section: &Section) -> Option<String> {
    let count = |kernel: &Kernel| {
        let row = section.row(kernel.name)?;
        let block = row.run.counters.ptx_barriers as f64 / row.run.counters.warps as f64;
        Some((block, row.fact_value("warp_barriers_per_warp")?, row.run.counters.ptx_instructions_per_warp()))
    };
    let ((block, _, before), (left, warp, after)) = (count(&TAIL_SYNCTHREADS)?, count(&TAIL_SYNCWARP)?);
    Some(format!(
        "Of {block:.1} barriers of the block, at which a warp waits for all others, {left:.1} are left, and {warp:.1} of \
         the warp take the place of the rest. Instructions are not saved: {before:.2} and {after:.2} per warp."
    ))
}

fn first_warp(section: &Section) -> Option<String> {
    let cost = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp());
    let (all, first) = (cost(&TAIL_SYNCWARP)?, cost(&TAIL_FIRST_WARP)?);
    Some(format!(
        "Now that nobody waits for them, the other warps may leave before the last five rounds: {first:.2} PTX \
         instructions per warp instead of {all:.2}."
    ))
}
