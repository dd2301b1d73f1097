//! The barrier that ends each round, and what happens if it is missing or if threads do not reach it.
//!
//! One kernel in four versions, on an array whose last block is short. The cost of a barrier is left out.

use anyhow::Result;
use thirty_two_lanes::kernels::reduction::{
    REDUCE_INTERLEAVED, REDUCE_INTERLEAVED_EARLY, REDUCE_INTERLEAVED_NO_BARRIER, REDUCE_INTERLEAVED_SKIP,
};
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Row, Verdict};

use crate::sum::{Reduction, SEEDS, block_sums, integers, with_luck};

const N: usize = 1000;
const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("which threads must reach the barrier? {N} elements, blocks of {BLOCK}");
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
            "A barrier does not wait for threads that have ended, so `return_early` is right. But it is \
             fragile: it breaks as soon as work for all threads is added after the rounds. Threads that skip \
             the rounds and wait at a later barrier are still counted, so they get out of step with the \
             others. Keep all threads, and guard what they do."
                .to_owned()
        })
    });
    Ok(())
}

/// A race need not show in the result: the remark says how many block sums are wrong in the default order, and
/// how often some are in random order.
fn no_barrier(device: &mut Device, seed: u64) -> Result<Row> {
    let reduction = Reduction { kernel: &REDUCE_INTERLEAVED_NO_BARRIER, block: BLOCK, parts: 1, seed };
    let values = integers(N, seed);
    let prepared = reduction.prepare(device, &values, N)?;
    let exact = block_sums(&values, BLOCK);
    let is_wrong = |sums: &Vec<i32>| !sums.iter().map(|&sum| f64::from(sum)).eq(exact.iter().copied());
    let seeds_wrong = prepared.under_seeds(device)?.iter().filter(|sums| is_wrong(sums)).count();
    let run = device.launch(&prepared.launch)?;
    let row = reduction.judge(device, run, prepared.sums, &values)?.expect(Verdict::Fault);
    let wrong = row.check.as_ref().map_or(0, |check| check.wrong);
    let sums = exact.len();
    let row = row.fact("seeds", SEEDS as f64).fact("seeds_wrong", seeds_wrong as f64);
    Ok(with_luck(row.remark(format!(
        "in the default order {wrong} of {sums} block sums are wrong, and under {seeds_wrong} of {SEEDS} seeds \
         some are. Some partners are in other warps, so only a barrier of the block orders them"
    ))))
}
