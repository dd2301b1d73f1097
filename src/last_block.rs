//! The block that finishes last adds up what all others have left: a section of chapter 5 and of chapter 9, with other
//! kernels.
//!
//! Every kernel runs once in the emulator's ordinary memory and on the GPU, and then with many seeds in a weak memory.

use anyhow::Result;

use crate::kernel::Kernel;
use crate::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use crate::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict, weak};

/// Each block stores one more than its number.
const BLOCKS: u32 = 16;
const TOTAL: u32 = BLOCKS * (BLOCKS + 1) / 2;

/// Adds the section. Each kernel comes with whether it is right.
pub fn section(lab: &mut Lab, question: &str, kernels: &[(&'static Kernel, bool)]) -> Result<()> {
    let seed = lab.seed();
    let title = format!("{question} {BLOCKS} blocks");
    lab.section("last_block", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for &(kernel, is_right) in kernels {
        let expected = if is_right { Verdict::Ok } else { Verdict::Fault };
        lab.variant(kernel.name, |device| Ok(once(device, kernel, seed)?.expect(expected)))?;
    }
    for &(kernel, is_right) in kernels {
        let expected = if is_right { Verdict::Ok } else { Verdict::Wrong };
        lab.variant(&weak::name(kernel), |device| {
            let (launch, total) = launch(device, kernel)?;
            let row = weak::seeds(device, &launch, total, weak::MANY, |total| missing(total[0]))?;
            Ok(row.expect(expected))
        })?;
    }
    Ok(())
}

fn once(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let (launch, total) = launch(device, kernel)?;
    let run = device.launch(&launch.seed(seed))?;
    let read = device.read(total)?;
    let row = device.check(run, total, &[TOTAL.into()], &Tolerance::Exact)?;
    Ok(read.gpu.iter().fold(row, |row, total| {
        let remark = format!("on the GPU the total was {} of {TOTAL}", total[0]);
        row.gpu_fact("gpu_lost", missing(total[0])).gpu_remark(remark)
    }))
}

fn launch(device: &mut Device, kernel: &'static Kernel) -> Result<(Launch, Buffer<i32>)> {
    let sums = device.zeroed::<i32>("sums", BLOCKS as usize)?;
    let (tickets, total) = (device.zeroed::<u32>("tickets", 1)?, device.zeroed::<i32>("total", 1)?);
    Ok((Launch::new(kernel, BLOCKS, 32).arg(sums).arg(tickets).arg(total), total))
}

fn missing(total: i32) -> f64 {
    f64::from(TOTAL) - f64::from(total)
}
