//! The mask of `__syncwarp`: who takes part.
//!
//! The mask is read off the PTX that was executed, so the default is what the compiler makes of a call without one. It
//! leaves out masks for a part of the warp that is meant, which shuffles need more often.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::races::{WARP_TREE_GUARDED, WARP_TREE_SEVEN_F};
use lanes::kernels::syncwarp::{MASK_DEFAULT, MASK_SEVEN_F};
use lanes::machine::Traced;
use lanes::report::columns::{ACTIVE_LANES, INSTRUCTIONS_PER_WARP};
use lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::common::{Trials, doubles, exact_sum, integers, racing};

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "which lanes does a barrier of the warp wait for? One warp";
    lab.section("masks", title, &[ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    lab.variant(MASK_DEFAULT.name, |device| exchange(device, &MASK_DEFAULT, seed))?;
    lab.variant(MASK_SEVEN_F.name, |device| {
        Ok(exchange(device, &MASK_SEVEN_F, seed)?.expect(Verdict::Fault))
    })?;
    lab.variant(WARP_TREE_GUARDED.name, |device| tree(device, &WARP_TREE_GUARDED, seed))?;
    lab.variant(WARP_TREE_SEVEN_F.name, |device| {
        let row = tree(device, &WARP_TREE_SEVEN_F, seed)?;
        Ok(racing(device, row))
    })?;
    lab.notice(|section| {
        let lanes = |kernel: &Kernel| section.row(kernel.name)?.fact_value("mask_lanes");
        let (all, seven) = (lanes(&MASK_DEFAULT)?, lanes(&MASK_SEVEN_F)?);
        Some(format!(
            "Without a mask the call names {all} lanes. Seven f name {seven}: lanes 28 to 31 must not call it, and whoever \
             does not is not waited for."
        ))
    });
    Ok(())
}

/// Each lane takes what its partner has, behind a barrier.
fn exchange(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = integers(32, seed);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<i32>("y", 32)?);
    let launch = Launch::new(kernel, 1, 32).seed(seed).arg(x).arg(y);
    let mask = device.trace(&launch)?.iter().find_map(mask).unwrap_or(0);
    let run = device.launch(&launch)?;
    let expected: Vec<i32> = (0..32).map(|lane| values[lane ^ 1]).collect();
    let row = device.check(run, y, &doubles(&expected), &Tolerance::Exact)?;
    let lanes = mask.count_ones();
    let row = row.fact("mask_lanes", lanes.into());
    Ok(row.remark(format!("the mask in its PTX is {mask:#010x}, {lanes} lanes")))
}

/// The literal mask of a barrier: `bar.warp.sync 	-1;`.
fn mask(step: &Traced) -> Option<u32> {
    let operand = step.ptx.strip_prefix("bar.warp.sync")?.trim().trim_end_matches(';');
    operand.parse::<i64>().ok().map(|mask| mask as u32)
}

fn tree(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = integers(32, seed);
    let (x, sums) = (device.upload("x", &values)?, device.zeroed::<i32>("sums", 1)?);
    let launch = Launch::new(kernel, 1, 32).seed(seed).arg(x).arg(sums);
    let expected = expected(kernel, &values);
    let trials = Trials::of(device, &launch, sums, &expected)?;
    let run = device.launch(&launch)?;
    Ok(trials.tell(device.check(run, sums, &expected, &Tolerance::Exact)?))
}

/// The kernel with seven f adds one round only, to the first element.
fn expected(kernel: &Kernel, values: &[i32]) -> Vec<f64> {
    if kernel.name == WARP_TREE_SEVEN_F.name {
        vec![f64::from(values[0] + values[16])]
    } else {
        vec![exact_sum(values)]
    }
}
