//! The sum of a warp in five steps, or in one: which lanes have it at the end?
//!
//! Integers, so that the order of additions does not matter. It leaves out sums of more than a warp.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{LANES_DOWN, LANES_XOR};
use thirty_two_lanes::kernels::warp_redux::LANES_REDUX;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::picture::LANES;

const N: usize = 2 * LANES;

pub fn section(lab: &mut Lab) -> Result<()> {
    let values: Vec<i32> = Random::new(lab.seed()).words(N).iter().map(|word| (word % 1000) as i32).collect();
    let title = "which lanes get the sum of a warp? Two warps; every lane stores its result";
    lab.section("lane_sums", title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS]);
    lab.variant("lanes_down", |device| Ok(summed(device, &LANES_DOWN, &values)?.expect(Verdict::Wrong)))?;
    lab.variant("lanes_xor", |device| summed(device, &LANES_XOR, &values))?;
    lab.variant("lanes_redux", |device| summed(device, &LANES_REDUX, &values))?;
    lab.notice(who_has_it);
    lab.notice(one_instruction);
    Ok(())
}

fn summed(device: &mut Device, kernel: &'static Kernel, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", N)?);
    let run = device.launch(&Launch::new(kernel, 1, N as u32).arg(x).arg(y))?;
    let of_warp = |warp: &[i32]| [f64::from(warp.iter().sum::<i32>()); LANES];
    let sums: Vec<f64> = values.chunks(LANES).flat_map(of_warp).collect();
    let row = device.check(run, y, &sums, &Tolerance::Exact)?;
    let with_sum = row.check.as_ref().map_or(0, |check| N - check.wrong);
    Ok(row.fact("lanes_with_the_sum", with_sum as f64))
}

fn who_has_it(section: &Section) -> Option<String> {
    let lanes = |name| section.row(name)?.fact_value("lanes_with_the_sum");
    let (down, xor) = (lanes("lanes_down")?, lanes("lanes_xor")?);
    Some(format!(
        "After five steps down, {down} of {N} lanes have the sum of their warp, and after five steps of xor, \
         {xor} do. With down, a lane that has no lane far enough above it adds its own value again. That \
         does no harm if only lane 0 is used."
    ))
}

fn one_instruction(section: &Section) -> Option<String> {
    let cost = |name| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "`__reduce_add_sync`, which exists for integers from sm_80 on, replaces the five steps by one \
         instruction: {:.0} PTX instructions per warp instead of {:.0}.",
        cost("lanes_redux")?,
        cost("lanes_xor")?,
    ))
}
