//! The barrier that ends each round: without it, around it, and past it.
//!
//! One kernel four times, on an array whose last block is short. It leaves out what a barrier costs.

use anyhow::Result;
use lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_EARLY, REDUCE_INTERLEAVED_NO_BARRIER, REDUCE_INTERLEAVED_SKIP,
};
use lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP};
use lanes::{Lab, Verdict};

use crate::sum::{Reduction, integers};

const N: usize = 1000;
const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("who has to come to the barrier? {N} elements, blocks of {BLOCK}");
    lab.section("barriers", &title, &[BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP]);
    let mut run = |name: &str, kernel, expected| {
        let reduction = Reduction { kernel, block: BLOCK, parts: 1, seed };
        lab.variant(name, |device| Ok(reduction.run(device, &integers(N, seed))?.expect(expected)))
    };
    run("all_come", &REDUCE_INTERLEAVED, Verdict::Ok)?;
    run("return_early", &REDUCE_INTERLEAVED_EARLY, Verdict::Ok)?;
    run("wait_elsewhere", &REDUCE_INTERLEAVED_SKIP, Verdict::Fault)?;
    run("no_barrier", &REDUCE_INTERLEAVED_NO_BARRIER, Verdict::Fault)?;
    lab.notice(|section| {
        let row = section.row("return_early")?;
        (row.verdict == Verdict::Ok && !row.run.faults.is_empty()).then(|| {
            "Threads that have ended are not waited for, so returning early is right, and breaks as soon as somebody \
             adds a barrier behind which they are needed. Threads that wait at another barrier are no such case. Keep \
             all threads, and guard what they do."
                .to_owned()
        })
    });
    Ok(())
}
