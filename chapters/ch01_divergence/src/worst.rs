//! The worst cases: one lane with long work, and 32 lanes on 32 paths.
//!
//! Each kernel has a twin that does the same work without diverging. Sizes are fixed, because the comparison
//! needs whole warps. What a compiler could do about it is left out, because it cannot know the data.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::branch::{
    EXPENSIVE_ONE_LANE, EXPENSIVE_PACKED, WORST_CASE_SWITCH, WORST_CASE_TOGETHER,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

/// A multiple of 1024, so that both arrangements have the same number of expensive elements.
const N: usize = 4096;
const BLOCK: u32 = 128;
/// The iterations of an expensive element's loop: so many that the rest of the kernel hardly counts.
const LONG: i32 = 1000;
/// The iterations of the loop on each of the 32 paths.
const SHORT: i32 = 100;

/// The result of a kernel for element `i`.
type Work = fn(usize, u32) -> u32;

static CASES: [(&Kernel, i32, Work); 4] = [
    (&EXPENSIVE_ONE_LANE, LONG, |i, x| if i.is_multiple_of(32) { expensive(x) } else { x }),
    (&EXPENSIVE_PACKED, LONG, |i, x| if (i / 32).is_multiple_of(32) { expensive(x) } else { x }),
    (&WORST_CASE_SWITCH, SHORT, |i, x| walk((i % 32) as u32, x)),
    (&WORST_CASE_TOGETHER, SHORT, |i, x| walk((i % 32) as u32, x)),
];

fn expensive(x: u32) -> u32 {
    (0..LONG).fold(x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

fn walk(path: u32, x: u32) -> u32 {
    (0..SHORT).fold(x, |x, _| x.wrapping_mul(2 * path + 3).wrapping_add(path))
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("how bad does it get? {N} elements, blocks of {BLOCK}");
    lab.section("worst", &title, &[DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    for (kernel, rounds, work) in CASES {
        lab.variant(kernel.name, |device| run(device, kernel, rounds, work, seed))?;
    }
    lab.notice(|section| {
        let factor = factor(section, &EXPENSIVE_ONE_LANE, &EXPENSIVE_PACKED)?;
        let expensive = N / 32;
        Some(format!(
            "{expensive} expensive elements, one in each warp, take {factor:.1} times as many instructions \
             as they do packed into whole warps. The longer the work, the closer the factor gets to 32."
        ))
    });
    lab.notice(|section| {
        let factor = factor(section, &WORST_CASE_SWITCH, &WORST_CASE_TOGETHER)?;
        let lanes = section.row(WORST_CASE_SWITCH.name)?.run.counters.ptx_lanes_per_instruction();
        Some(format!(
            "32 paths in a warp take {factor:.1} times as many instructions as one path, with {lanes:.2} \
             lanes active on average."
        ))
    });
    Ok(())
}

fn run(device: &mut Device, kernel: &'static Kernel, rounds: i32, work: Work, seed: u64) -> Result<Row> {
    let values = Random::new(seed).words(N);
    let (x, z) = (device.upload("x", &values)?, device.zeroed::<u32>("z", N)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed);
    let run = device.launch(&launch.arg(x).arg(z).arg(rounds).arg(N as i32))?;
    let expected: Vec<f64> = values.iter().enumerate().map(|(i, &x)| work(i, x).into()).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

/// How many times as many instructions `bad` takes as `good`.
fn factor(section: &Section, bad: &Kernel, good: &Kernel) -> Option<f64> {
    let [bad, good] = [bad, good].map(|kernel| section.row(kernel.name));
    Some(bad?.run.counters.ptx_instructions as f64 / good?.run.counters.ptx_instructions as f64)
}
