//! One lane that acts for the others: how is it chosen?
//!
//! Lanes whose value is above a level are counted, level by level, so that the active lanes differ from level to level
//! and lane 0 is often not among them. It leaves out groups of `cooperative_groups`, which chapter 4 covers.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_warps::{PICK_ACTIVE, PICK_BALLOT, PICK_ELECT, PICK_ZERO};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::shape::Shape;

const LANES: usize = 32;
const LEVELS: i32 = 8;

/// The kernels, the oldest GPUs that have their instructions, and whether they are right.
const CASES: [(&Kernel, u32, bool); 4] =
    [(&PICK_BALLOT, 70, true), (&PICK_ACTIVE, 70, true), (&PICK_ELECT, 90, true), (&PICK_ZERO, 70, false)];

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let title = format!("which lane acts for the others? {LEVELS} levels");
    lab.section("leaders", &title, &[GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP]);
    for (kernel, arch, is_right) in CASES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Wrong };
        lab.variant(kernel.name, |device| Ok(pick(device, kernel, arch, shape)?.expect(expected)))?;
    }
    lab.notice(missing);
    lab.gpu_notice(times);
    Ok(())
}

fn pick(device: &mut Device, kernel: &'static Kernel, arch: u32, shape: Shape) -> Result<Row> {
    // Lane 0 of the first warp has 0, so that every shape has levels without that lane.
    let word = |(i, word): (usize, u32)| if i == 0 { 0 } else { (word % 12) as i32 };
    let values = Random::new(shape.seed).words(shape.threads()).into_iter().enumerate().map(word);
    let values: Vec<i32> = values.collect();
    let (x, sums) = (device.upload("x", &values)?, device.zeroed::<i32>("sums", values.len() / LANES)?);
    let launch = Launch::new(kernel, shape.grid, shape.block).arch(arch)?.seed(shape.seed);
    let run = device.launch(&launch.arg(x).arg(sums).arg(LEVELS))?;
    let of_warp = |warp: &[i32]| warp.iter().map(|&value| f64::from(value.min(LEVELS))).sum();
    let expected: Vec<f64> = values.chunks(LANES).map(of_warp).collect();
    let (all, got) = (expected.iter().sum::<f64>(), device.read(sums)?.sim);
    let row = device.check(run, sums, &expected, &Tolerance::Exact)?;
    let got: f64 = got.into_iter().map(f64::from).sum();
    Ok(row.fact("counted", got).fact("missing", all - got))
}

fn missing(section: &Section) -> Option<String> {
    let missing = |kernel: &Kernel| section.row(kernel.name)?.fact_value("missing");
    let all = section.row(PICK_BALLOT.name)?.fact_value("counted")?;
    Some(format!(
        "Lane 0 leaves out {:.0} of {all:.0}, namely all that were counted while it was not among the lanes. \
         The lane that elect.sync chooses leaves out {:.0}.",
        missing(&PICK_ZERO)?,
        missing(&PICK_ELECT)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU, relative to the lowest lane of a ballot, the lane that elect.sync chooses takes {:.2} times \
         as long, and the lowest active lane {:.2} times as long.",
        time(&PICK_ELECT)? / time(&PICK_BALLOT)?,
        time(&PICK_ACTIVE)? / time(&PICK_BALLOT)?,
    ))
}
