//! What the barrier of the warp saves in the last five rounds, and what it does not.
//!
//! The same sum of integers in four versions: a barrier of the block in every round; a barrier of the warp in
//! the last five; those five rounds executed by the first warp alone; and no barrier between them at all. It
//! leaves out time, because a launch this small takes no longer than an empty one.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{
    TAIL_FIRST_WARP, TAIL_NO_BARRIER, TAIL_SYNCTHREADS, TAIL_SYNCWARP,
};
use thirty_two_lanes::machine::Traced;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS,
};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance};

use crate::common::{SEEDS, Trials, exact_sum, integers, racing};

pub const N: usize = 1024;
pub const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("what does a barrier of the warp save? {N} integers, blocks of {BLOCK}");
    let columns = [BARRIERS_PER_WARP, SHARED_REQUESTS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    lab.section("saving", &title, &columns);
    for kernel in [&TAIL_SYNCTHREADS, &TAIL_SYNCWARP, &TAIL_FIRST_WARP] {
        lab.variant(kernel.name, |device| {
            Sum::new(device, kernel, SHARED_BYTES, seed)?.add_with_seeds(device)
        })?;
    }
    lab.variant(TAIL_NO_BARRIER.name, |device| {
        let row = Sum::new(device, &TAIL_NO_BARRIER, SHARED_BYTES, seed)?.add_with_seeds(device)?;
        Ok(racing(device, row))
    })?;
    lab.notice(barriers);
    lab.notice(first_warp);
    lab.notice(none_at_all);
    Ok(())
}

/// One element for each thread.
pub const SHARED_BYTES: u32 = 4 * BLOCK;

/// A sum of integers, ready to be launched.
pub struct Sum {
    launch: Launch,
    pub place: Buffer<i32>,
    pub exact: f64,
}

impl Sum {
    pub fn new(device: &mut Device, kernel: &'static Kernel, shared_bytes: u32, seed: u64) -> Result<Sum> {
        let values = integers(N, seed);
        let (x, place) = (device.upload("x", &values)?, device.zeroed::<i32>("sum", 1)?);
        let launch = Launch::cover(kernel, N, BLOCK).shared_bytes(shared_bytes).seed(seed);
        Ok(Sum { launch: launch.arg(x).arg(place).arg(N as i32), place, exact: exact_sum(&values) })
    }

    /// Adds up, and counts the barriers of the warp in a trace, because no counter has them.
    pub fn add(&self, device: &mut Device) -> Result<Row> {
        let barriers = warp_barriers(&device.trace(&self.launch)?);
        let run = device.launch(&self.launch)?;
        let warps = run.counters.warps.max(1) as f64;
        let row = device.check(run, self.place, &[self.exact], &Tolerance::Exact)?;
        Ok(row.fact("warp_barriers_per_warp", barriers as f64 / warps))
    }

    /// The same, after trials under many seeds.
    fn add_with_seeds(&self, device: &mut Device) -> Result<Row> {
        let trials = Trials::of(device, &self.launch, self.place, &[self.exact])?;
        Ok(trials.add_to(self.add(device)?))
    }
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
        "Of {block:.1} barriers of the block, at which a warp waits for all others, {left:.1} remain. \
         {warp:.1} barriers of the warp replace the rest. That saves waiting but no instructions: \
         {before:.2} and {after:.2} per warp."
    ))
}

fn first_warp(section: &Section) -> Option<String> {
    let cost = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp());
    let (all, first) = (cost(&TAIL_SYNCWARP)?, cost(&TAIL_FIRST_WARP)?);
    Some(format!(
        "The first warp no longer waits for the other warps, so they may leave before the last five rounds. \
         Then there are {first:.2} PTX instructions per warp instead of {all:.2}."
    ))
}

fn none_at_all(section: &Section) -> Option<String> {
    let row = section.row(TAIL_NO_BARRIER.name)?;
    let (wrong, weak) = (row.fact_value("seeds_wrong")?, row.fact_value("seeds_wrong_if_weak")?);
    Some(format!(
        "Without a barrier between the rounds, {wrong} of {SEEDS} sums are wrong if lanes see each other's \
         stores at once, and {weak} if they may see them later. The barrier also says by when a store has to \
         be visible."
    ))
}
