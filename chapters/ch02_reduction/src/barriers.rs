//! The barrier that ends each round: without it, around it, and past it.
//!
//! One kernel four times, on an array whose last block is short. It leaves out what a barrier costs.

use anyhow::Result;
use lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_EARLY, REDUCE_INTERLEAVED_NO_BARRIER, REDUCE_INTERLEAVED_SKIP,
};
use lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP};
use lanes::{Device, Lab, Row, Verdict};

use crate::sum::{Reduction, integers, with_luck};

const N: usize = 1000;
const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("who has to come to the barrier? {N} elements, blocks of {BLOCK}");
    lab.section("barriers", &title, &[BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP]);
    let reduction = |kernel| Reduction { kernel, block: BLOCK, parts: 1, seed };
    let mut run = |name: &str, kernel, expected| {
        lab.variant(name, |device| Ok(reduction(kernel).run(device, &integers(N, seed))?.expect(expected)))
    };
    run("all_come", &REDUCE_INTERLEAVED, Verdict::Ok)?;
    run("return_early", &REDUCE_INTERLEAVED_EARLY, Verdict::Ok)?;
    run("wait_elsewhere", &REDUCE_INTERLEAVED_SKIP, Verdict::Fault)?;
    lab.variant("no_barrier", |device| no_barrier(device, seed))?;
    lab.notice(|section| {
        let row = section.row("return_early")?;
        (row.verdict == Verdict::Ok && !row.run.faults.is_empty()).then(|| {
            "Threads that have ended are not waited for, so `return_early` is right, and fragile: it breaks when \
             somebody adds work for all threads behind the rounds. Threads that skip the rounds and come \
             to a later barrier are still counted, and are out of step with the others. Keep all threads, and guard what they do."
                .to_owned()
        })
    });
    Ok(())
}

/// A race need not show: the remark says how many block sums came out right on the emulator.
fn no_barrier(device: &mut Device, seed: u64) -> Result<Row> {
    let reduction = Reduction { kernel: &REDUCE_INTERLEAVED_NO_BARRIER, block: BLOCK, parts: 1, seed };
    let row = reduction.run(device, &integers(N, seed))?.expect(Verdict::Fault);
    let wrong = row.check.as_ref().map_or(0, |check| check.wrong);
    let sums = N.div_ceil(BLOCK as usize);
    Ok(with_luck(row.remark(format!(
        "{wrong} of {sums} block sums came out wrong here. The partners are in other warps too, so it takes the barrier \
         of the block"
    ))))
}
