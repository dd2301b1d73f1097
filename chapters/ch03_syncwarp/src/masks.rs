//! The mask of `__syncwarp`: which lanes take part.
//!
//! The mask is read from the PTX that was executed, so the default is what the compiler makes of a call
//! without one. It leaves out masks that name part of a warp on purpose, which shuffles need more often.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{MASK_DEFAULT, MASK_OUTSIDE, MASK_SEVEN_F};
use thirty_two_lanes::machine::Traced;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::common::{SEEDS, Trials, doubles, integers, racing};

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "which lanes does a barrier of the warp wait for? One warp";
    lab.section("masks", title, &[ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    lab.variant(MASK_DEFAULT.name, |device| exchange(device, &MASK_DEFAULT, seed))?;
    lab.variant(MASK_SEVEN_F.name, |device| {
        Ok(exchange(device, &MASK_SEVEN_F, seed)?.expect(Verdict::Fault))
    })?;
    lab.variant(MASK_OUTSIDE.name, |device| {
        let row = exchange(device, &MASK_OUTSIDE, seed)?;
        Ok(racing(device, row))
    })?;
    lab.notice(|section| {
        let lanes = |kernel: &Kernel| section.row(kernel.name)?.fact_value("mask_lanes");
        let (all, seven) = (lanes(&MASK_DEFAULT)?, lanes(&MASK_SEVEN_F)?);
        Some(format!(
            "A call without a mask names {all} lanes. Seven f name {seven}, so lanes 28 to 31 must not make \
             the call. If they stay away, nothing orders their stores before the loads of the others."
        ))
    });
    lab.notice(|section| {
        let row = section.row(MASK_OUTSIDE.name)?;
        let (wrong, weak) = (row.fact_value("seeds_wrong")?, row.fact_value("seeds_wrong_if_weak")?);
        Some(format!(
            "{}: {wrong} of {SEEDS} results are wrong if every store is seen at once, and {weak} on a memory \
             that may still return what was there before.",
            MASK_OUTSIDE.name
        ))
    });
    Ok(())
}

/// After a barrier, each lane takes what the lane 16 places away has written.
fn exchange(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = integers(32, seed);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<i32>("y", 32)?);
    let launch = Launch::new(kernel, 1, 32).seed(seed).arg(x).arg(y);
    let mask = device.trace(&launch)?.iter().find_map(mask).unwrap_or(0);
    let expected = doubles(&(0..32).map(|lane| values[lane ^ 16]).collect::<Vec<_>>());
    let trials = Trials::of(device, &launch, y, &expected)?;
    let run = device.launch(&launch)?;
    let row = device.check(run, y, &expected, &Tolerance::Exact)?;
    // A kernel that is stopped has no results to compare.
    let row = if row.run.faults.iter().any(|fault| fault.kind.name() == "bad-mask") {
        row
    } else {
        trials.add_to(row)
    };
    let lanes = mask.count_ones();
    let row = row.fact("mask_lanes", lanes.into());
    Ok(row.remark(format!("the mask in its PTX is {mask:#010x}, which names {lanes} lanes")))
}

/// The literal mask of a barrier: -1 for all lanes.
fn mask(step: &Traced) -> Option<u32> {
    let operand = step.ptx.strip_prefix("bar.warp.sync")?.trim().trim_end_matches(';');
    operand.parse::<i64>().ok().map(|mask| mask as u32)
}
