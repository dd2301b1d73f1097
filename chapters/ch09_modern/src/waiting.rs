//! What a thread does while it waits for a lock: try again, poll, or sleep.
//!
//! Each kernel runs with few blocks and with many. The emulator counts the memory requests of the waiting threads. How
//! long they take can only be measured, because the emulator does not wait when a thread sleeps. It leaves out
//! fairness.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_locks::{WAIT_DOUBLING, WAIT_LONG, WAIT_LOOK, WAIT_SPIN};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Lab, Row, Schedule};

use crate::locks::{self, Queue};

const KERNELS: [&Kernel; 4] = [&WAIT_SPIN, &WAIT_LOOK, &WAIT_DOUBLING, &WAIT_LONG];
const FEW: u32 = 2;

pub fn section(lab: &mut Lab) -> Result<()> {
    // If turns have equal length, a block might always release the lock before the next one tries to take it.
    let many = Queue { schedule: Schedule::Random, ..Queue::of(lab)? };
    let seed = lab.seed();
    let few = Queue { blocks: FEW, ..many };
    let title = format!(
        "what should a thread do while it waits for a lock? {}, and {}",
        counted(FEW.into(), "block"),
        counted(many.blocks.into(), "block")
    );
    lab.section("waiting", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (name, queue) in [("few", few), ("many", many)] {
        for kernel in KERNELS {
            let name = format!("{kernel}-{name}");
            lab.variant(&name, |device| locks::add(device, kernel, queue, seed).map(per_update))?;
        }
    }
    lab.notice(requests);
    lab.gpu_notice(times);
    Ok(())
}

/// How many atomics it took to take the lock once, which is one if no thread had to wait.
fn per_update(row: Row) -> Row {
    let atomics = row.run.counters.global_atomic_requests as f64;
    let updates = row.fact_value("updates").unwrap_or(f64::NAN);
    row.fact("atomics_per_update", atomics / updates)
}

fn requests(section: &Section) -> Option<String> {
    let each = |kernel: &Kernel| section.row(&format!("{kernel}-many"))?.fact_value("atomics_per_update");
    Some(format!(
        "With many blocks it takes {:.1} atomics on average to take the lock once if the others try again at \
         once, {:.1} if they look first, and {:.1} if they sleep longer and longer. On the emulator a sleep \
         takes no time, so these are counts of one order of turns, and not of what a clock would show.",
        each(&WAIT_SPIN)?,
        each(&WAIT_LOOK)?,
        each(&WAIT_DOUBLING)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let relative = |kernel: &Kernel, blocks: &str| {
        Some(time(&format!("{kernel}-{blocks}"))? / time(&format!("{WAIT_SPIN}-{blocks}"))?)
    };
    Some(format!(
        "On the GPU, relative to trying again at once: with few blocks looking takes {:.2} times as long, \
         sleeping longer and longer {:.2}, and sleeping long at once {:.2}; with many blocks {:.2}, {:.2} and \
         {:.2}.",
        relative(&WAIT_LOOK, "few")?,
        relative(&WAIT_DOUBLING, "few")?,
        relative(&WAIT_LONG, "few")?,
        relative(&WAIT_LOOK, "many")?,
        relative(&WAIT_DOUBLING, "many")?,
        relative(&WAIT_LONG, "many")?,
    ))
}
