//! A reduction in place uses up its input, so a second kernel finds something else there.
//!
//! For this reason the device restores its buffers between the runs that it times. Times are left out here.

use anyhow::Result;
use thirty_two_lanes::kernels::reduction::REDUCE_INTERLEAVED;
use thirty_two_lanes::{Device, Lab, Row, Verdict};

use crate::sum::{Reduction, integers};

const N: usize = 4096;
const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title =
        format!("can two kernels run on one array, one after the other? {N} elements, blocks of {BLOCK}");
    lab.section("again", &title, &[]);
    lab.variant("restored", |device| twice(device, true, seed))?;
    lab.variant("not_restored", |device| Ok(twice(device, false, seed)?.expect(Verdict::Wrong)))?;
    lab.notice(|section| {
        let row = section.row("not_restored")?;
        let factor = row.fact_value("sum")? / row.fact_value("exact_sum")?;
        Some(format!(
            "The second run adds up what the first one left, and its result is {factor:.2} times the right \
             sum. So copy the input again before every kernel that is compared or timed."
        ))
    });
    Ok(())
}

/// Two launches on one array, of which the sums of the second are checked.
fn twice(device: &mut Device, restore: bool, seed: u64) -> Result<Row> {
    let reduction = Reduction { kernel: &REDUCE_INTERLEAVED, block: BLOCK, parts: 1, seed };
    let values = integers(N, seed);
    let prepared = reduction.prepare(device, &values, N)?;
    let mut run = device.launch(&prepared.launch)?;
    if restore {
        device.write(prepared.x, &values)?;
    }
    run += device.launch(&prepared.launch)?;
    reduction.judge(device, run, prepared.sums, &values)
}
