//! The barrier of the block, and threads that never reach it.
//!
//! There are three cases. The missing threads may wait elsewhere for those at the barrier, so neither group can
//! continue. They may have ended and no longer count, which works and causes a warning. Or all threads reach the
//! barrier, and only the work is for half of them. It leaves out barriers with a number or a count.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{WAIT_APART, WAIT_TOGETHER, WAIT_WITHOUT_EXITED};
use thirty_two_lanes::report::columns::{ACTIVE_LANES, BARRIERS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::common::{doubles, integers};

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "what if half of a warp never reaches `__syncthreads`? One warp";
    lab.section("wait", title, &[BARRIERS_PER_WARP, ACTIVE_LANES]);
    lab.variant(WAIT_APART.name, |device| {
        Ok(exchange(device, &WAIT_APART, 32, seed)?.expect(Verdict::Fault))
    })?;
    for kernel in [&WAIT_WITHOUT_EXITED, &WAIT_TOGETHER] {
        lab.variant(kernel.name, |device| exchange(device, kernel, 16, seed))?;
    }
    lab.notice(|section| {
        let rows = [&WAIT_APART, &WAIT_WITHOUT_EXITED].map(|kernel| section.row(kernel.name));
        let [Some(apart), Some(exited)] = rows else { return None };
        let (found, warned) = (apart.run.faults.first()?, exited.run.faults.first()?);
        Some(format!(
            "A barrier does not wait for threads that have ended. That is why one kernel gets a {} and the \
             other only a {}: whether a kernel hangs depends on where the missing threads are.",
            found.kind.name(),
            warned.severity.name()
        ))
    });
    Ok(())
}

/// After a barrier, each of the first `lanes` lanes takes its partner's value.
fn exchange(device: &mut Device, kernel: &'static Kernel, lanes: usize, seed: u64) -> Result<Row> {
    let values = integers(32, seed);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<i32>("y", 32)?);
    let run = device.launch(&Launch::new(kernel, 1, 32).seed(seed).arg(x).arg(y))?;
    let expected: Vec<i32> = (0..32).map(|lane| if lane < lanes { values[lane ^ 1] } else { 0 }).collect();
    device.check(run, y, &doubles(&expected), &Tolerance::Exact)
}
