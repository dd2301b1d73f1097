//! Which lanes may continue while others wait? The same kernels, built for a warp with one program counter
//! and for lanes with one each.
//!
//! Built for `sm_60`, one side of a branch runs to its end before the other begins. Built for `sm_70`, both
//! sides get their turns. Every loop that waits gives up after some iterations, so a real GPU may run these
//! kernels too. It leaves out how a lock has to order memory, which has a chapter of its own.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::progress::{CHAIN_AFTER, HANDSHAKE, LOCK_AFTER, LOCK_INSIDE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, INSTRUCTIONS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::picture;

/// Iterations of a loop before a lane gives up: more than 32 lanes need, on a GPU too.
const PATIENCE: i32 = 20_000;

/// A kernel, what its buffers before `through` hold, and whether it needs lanes that can continue on their
/// own.
type Case = (&'static Kernel, &'static [&'static [i32]], bool);

static CASES: [Case; 4] = [
    (&HANDSHAKE, &[&[0, 0]], true),
    (&LOCK_AFTER, &[&[0], &[0]], true),
    (&CHAIN_AFTER, &[&FIRST_FREE], true),
    (&LOCK_INSIDE, &[&[0], &[0]], false),
];

/// The first of 33 words is set, so lane 0 does not have to wait.
static FIRST_FREE: [i32; 33] = {
    let mut cells = [0; 33];
    cells[0] = 1;
    cells
};

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "may a lane wait for another of its warp? Built for sm_60 and sm_70";
    lab.section("progress", title, &[INSTRUCTIONS, ACTIVE_LANES]);
    for case in &CASES {
        for arch in [60, 70] {
            lab.variant(&format!("{}_{arch}", case.0), |device| wait(device, case, arch))?;
        }
    }
    for arch in [60, 70] {
        lab.picture(&format!("handshake_lanes_{arch}"), |device| {
            let (launch, _) = launch(device, &CASES[0], arch)?;
            Ok(picture::draw(&HANDSHAKE, &device.trace(&launch)?))
        })?;
    }
    lab.notice(two_counters);
    lab.notice(lock);
    Ok(())
}

fn launch(device: &mut Device, case: &Case, arch: u32) -> Result<(Launch, Buffer<i32>)> {
    let (kernel, before, _) = case;
    let mut launch = Launch::new(kernel, 1, 32).arch(arch)?;
    for (words, name) in before.iter().zip(["first", "second"]) {
        launch = launch.arg(device.upload(name, words)?);
    }
    let through = device.zeroed::<i32>("through", 32)?;
    Ok((launch.arg(through).arg(PATIENCE), through))
}

fn wait(device: &mut Device, case: &Case, arch: u32) -> Result<Row> {
    let (launch, through) = launch(device, case, arch)?;
    let run = device.launch(&launch)?;
    let row = device.check(run, through, &[1.0; 32], &Tolerance::Exact)?;
    let contents = device.read(through)?;
    let sim = mask(&contents.sim);
    let mut row = row.fact("lanes_through", sim.count_ones().into());
    row = row.remark(format!("lanes through: {}", lanes_in_words(sim)));
    if let Some(gpu) = contents.gpu {
        row = row.gpu_remark(format!("lanes through on the GPU: {}", lanes_in_words(mask(&gpu))));
    }
    // Which lanes get through depends on which side runs first, so machines may differ.
    Ok(if case.2 && arch < 70 { row.expect(Verdict::Wrong) } else { row })
}

/// The lanes that got what they waited for.
fn mask(through: &[i32]) -> u32 {
    through.iter().enumerate().fold(0, |mask, (lane, &is_through)| mask | u32::from(is_through == 1) << lane)
}

fn lanes_in_words(mask: u32) -> String {
    format!("{} ({mask:#010x})", mask.count_ones())
}

fn through(section: &Section, name: &str) -> Option<u64> {
    Some(section.row(name)?.fact_value("lanes_through")? as u64)
}

fn two_counters(section: &Section) -> Option<String> {
    let (old, new) = (through(section, "handshake_60")?, through(section, "handshake_70")?);
    let turns = grouped(PATIENCE as u64);
    Some(format!(
        "Each half of the warp raises a flag and waits for the other half's. With one program counter, the \
         half that runs first gives up after {turns} iterations, and {old} lanes see the flag that they wait \
         for. With one for each lane, {new} do."
    ))
}

fn lock(section: &Section) -> Option<String> {
    let (old, new) = (through(section, "lock_after_60")?, through(section, "lock_after_70")?);
    let inside = through(section, "lock_inside_60")?;
    Some(format!(
        "Released after the loop, the lock reaches {old} of 32 lanes under the old scheduling and {new} \
         under the new. Released inside the loop, it reaches {inside} under the old scheduling too."
    ))
}
