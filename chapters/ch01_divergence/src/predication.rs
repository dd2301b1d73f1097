//! A body that grows: at which length does an `if` stop being a branch?
//!
//! In PTX it never does: the branch is there with one step as with 32. The assembler decides which branches machine
//! code keeps, and `output/counters.md` has the number that a GPU counted. The machine code itself is left out, because
//! an emulator of PTX does not see it.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::predication::{
    BODY_1, BODY_32, MERGE_1, MERGE_2, MERGE_4, MERGE_8, MERGE_16, MERGE_32,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BRANCHES_PER_WARP, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP,
};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

const N: usize = 4096;
const BLOCK: u32 = 128;

/// A kernel, its number of steps, and whether a lane that does not enter the `if` stores its value nevertheless.
static CASES: [(&Kernel, u32, bool); 8] = [
    (&MERGE_1, 1, true),
    (&MERGE_2, 2, true),
    (&MERGE_4, 4, true),
    (&MERGE_8, 8, true),
    (&MERGE_16, 16, true),
    (&MERGE_32, 32, true),
    (&BODY_1, 1, false),
    (&BODY_32, 32, false),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let columns = [DIVERGENT_BRANCHES, BRANCHES_PER_WARP, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    lab.section(
        "predication",
        &format!("does a short body need a branch? {N} elements, blocks of {BLOCK}"),
        &columns,
    );
    for (kernel, steps, merges) in CASES {
        lab.variant(kernel.name, |device| run(device, kernel, steps, merges, seed))?;
    }
    lab.notice(in_ptx);
    lab.notice(growth);
    Ok(())
}

fn run(device: &mut Device, kernel: &'static Kernel, steps: u32, merges: bool, seed: u64) -> Result<Row> {
    let values = Random::new(seed).floats(N, -1.0, 1.0);
    let (x, z) = (device.upload("x", &values)?, device.zeroed::<f32>("z", N)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).arg(x).arg(z).arg(N as i32);
    let run = device.launch(&launch)?;
    let votes = device.trace(&launch)?.iter().filter(|step| step.ptx.contains("vote.")).count();
    // A fused multiply-add rounds once, on the CPU as on the GPU.
    let taken = |x: f32| (0..steps).fold(x, |x, _| x.mul_add(0.5, 1.0));
    let other = |x: f32| if merges { x } else { 0.0 };
    let expected = values.iter().map(|&x| f64::from(if x > 0.0 { taken(x) } else { other(x) }));
    let row = device.check(run, z, &expected.collect::<Vec<_>>(), &Tolerance::Exact)?;
    Ok(row.fact("votes", votes as f64))
}

fn in_ptx(section: &Section) -> Option<String> {
    let branches = |kernel: &Kernel| {
        let counters = section.row(kernel.name)?.run.counters;
        Some(counters.ptx_branches as f64 / counters.warps as f64)
    };
    let (short, long) = (branches(&MERGE_1)?, branches(&MERGE_32)?);
    Some(format!(
        "A warp executes {short:.1} branches with a body of 1 step, and {long:.1} with 32: in PTX the if is \
         a branch, however short its body. `output/counters.md` counts the branches that are left in machine \
         code."
    ))
}

fn growth(section: &Section) -> Option<String> {
    let cost = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp());
    let (short, long) = (cost(&MERGE_1)?, cost(&MERGE_32)?);
    Some(format!(
        "Lanes that do not take the if wait for those that do, so a warp executes {short:.2} PTX \
         instructions with a body of 1 step, and {long:.2} with 32."
    ))
}
