//! How well does a race hide? Kernels that race, and their twins, under many seeds.
//!
//! Each kernel runs under 20 seeds with its warps in random order, and 20 times more on a memory that may
//! return older stores. Whether the result is right depends on the seed. Whether a race is reported does not,
//! because the checker asks what orders two accesses and not which came first. It leaves out how the checker
//! does that.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::races::{
    TREE_BARRIER, TREE_NO_BARRIER, WARP_TREE_FIXED, WARP_TREE_HALF, WARP_TREE_UNGUARDED,
};
use thirty_two_lanes::kernels::syncwarp::TAIL_OTHER_ORDER;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::common::{SEEDS, Trials, exact_sum, integers, racing};

/// Blocks of the tree, of 256 threads.
const BLOCKS: u32 = 2;
const BLOCK: u32 = 256;

/// A kernel, whether it works in whole blocks and takes a length, and the verdict that it has to get.
type Case = (&'static Kernel, bool, Verdict);

static CASES: [Case; 6] = [
    (&TREE_NO_BARRIER, true, Verdict::Fault),
    (&TREE_BARRIER, true, Verdict::Ok),
    (&WARP_TREE_UNGUARDED, false, Verdict::Fault),
    (&WARP_TREE_HALF, false, Verdict::Fault),
    (&WARP_TREE_FIXED, false, Verdict::Ok),
    (&TAIL_OTHER_ORDER, false, Verdict::Wrong),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("how well does a race hide? {SEEDS} seeds each; trees of {BLOCK} threads and of 32");
    lab.section("seeds", &title, &[BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP]);
    for case in &CASES {
        lab.variant(case.0.name, |device| try_seeds(device, case, seed))?;
    }
    lab.notice(hides);
    lab.notice(other_order);
    Ok(())
}

fn try_seeds(device: &mut Device, (kernel, is_block, expected_verdict): &Case, seed: u64) -> Result<Row> {
    let (blocks, block) = if *is_block { (BLOCKS, BLOCK) } else { (1, 32) };
    let values = integers((blocks * block) as usize, seed);
    let (x, sums) = (device.upload("x", &values)?, device.zeroed::<i32>("sums", blocks as usize)?);
    let launch = Launch::new(kernel, blocks, block).seed(seed).arg(x).arg(sums);
    let launch = if *is_block { launch.arg(values.len() as i32) } else { launch };
    let expected: Vec<f64> = values.chunks(block as usize).map(exact_sum).collect();
    let trials = Trials::of(device, &launch, sums, &expected)?;
    let run = device.launch(&launch)?;
    let row = trials.add_to(device.check(run, sums, &expected, &Tolerance::Exact)?);
    Ok(if *expected_verdict == Verdict::Fault { racing(device, row) } else { row.expect(*expected_verdict) })
}

fn hides(section: &Section) -> Option<String> {
    let figures = |kernel: &Kernel| {
        let row = section.row(kernel.name)?;
        Some((row.fact_value("seeds_with_race")?, row.fact_value("seeds_wrong")?))
    };
    let ((block, block_wrong), (warp, warp_wrong)) =
        (figures(&TREE_NO_BARRIER)?, figures(&WARP_TREE_UNGUARDED)?);
    (warp > 0.0).then(|| format!(
        "A race between warps shows: {block_wrong} of {SEEDS} results are wrong. A race inside a warp hides: \
         {warp_wrong} are wrong. The checker reports the first under {block} seeds and the second under \
         {warp}, so it also finds the race that a test of the results would miss."
    ))
}

fn other_order(section: &Section) -> Option<String> {
    let (row, hidden) = (section.row(TAIL_OTHER_ORDER.name)?, section.row(WARP_TREE_UNGUARDED.name)?);
    let wrong = row.check.as_ref()?.first.as_ref()?;
    (hidden.fact_value("seeds_wrong")? == 0.0).then(|| {
        format!(
            "{} shows what the unguarded rounds may yield if the lanes that others read from add first, \
             which the race allows: {} instead of {}.",
            TAIL_OTHER_ORDER.name, wrong.got, wrong.expected
        )
    })
}
