//! Which side of a branch runs first? Nothing specifies it.
//!
//! Every lane draws a number on its own side, so the numbers show which side came first. The condition is
//! true for the lower half of the warp in one variant and for the upper half in another. In its default order the
//! emulator begins with the side that comes first in the code, and under a seed with the side that has the
//! lowest lane. An H200 begins with the true side here and with the other side elsewhere (`handshake` for
//! `sm_60`). A program may rely on none of this. It leaves out branches inside branches.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{SIDES, SIDES_IN_ORDER};
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Verdict};

use crate::common::{SEEDS, under_seeds};
use crate::picture;

const LOWER: u32 = 0x0000_ffff;
const UPPER: u32 = 0xffff_0000;

/// A variant: its kernel, and the lanes for which the condition is true.
type Case = (&'static str, &'static Kernel, u32);

static CASES: [Case; 4] = [
    ("true_below", &SIDES, LOWER),
    ("true_above", &SIDES, UPPER),
    ("ordered_below", &SIDES_IN_ORDER, LOWER),
    ("ordered_above", &SIDES_IN_ORDER, UPPER),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "which side of a branch runs first? 32 lanes draw numbers";
    lab.section("order", title, &[DIVERGENT_BRANCHES, ACTIVE_LANES]);
    for (name, kernel, true_lanes) in CASES {
        lab.variant(name, |device| draw_numbers(device, kernel, true_lanes))?;
    }
    for (name, kernel, true_lanes) in &CASES[..2] {
        lab.picture(&format!("{name}_lanes"), |device| {
            let (launch, _) = launch(device, kernel, *true_lanes)?;
            Ok(picture::draw(kernel, &device.trace(&launch)?))
        })?;
    }
    lab.notice(|section| {
        let first = |name| section.row(name)?.fact_value("seeds_true_first");
        let (below, above) = (first("true_below")?, first("true_above")?);
        let ordered = [first("ordered_below")?, first("ordered_above")?];
        ordered.iter().all(|&seeds| seeds >= SEEDS as f64).then(|| {
            format!(
                "With the warps in random order, the true side runs first under {below} of {SEEDS} seeds if \
                 it has the lower half of the lanes, and under {above} if it has the upper half. A GPU may do \
                 otherwise. Only a barrier between the two sides creates an order that a program can rely on."
            )
        })
    });
    Ok(())
}

fn launch(device: &mut Device, kernel: &'static Kernel, true_lanes: u32) -> Result<(Launch, Buffer<u32>)> {
    let (turn, drawn) = (device.zeroed::<u32>("turn", 1)?, device.zeroed::<u32>("drawn", 32)?);
    Ok((Launch::new(kernel, 1, 32).arg(turn).arg(drawn).arg(true_lanes), drawn))
}

/// The result is right if every number was drawn once. Which side came first is reported and not judged.
fn draw_numbers(device: &mut Device, kernel: &'static Kernel, true_lanes: u32) -> Result<Row> {
    let (launch, drawn) = launch(device, kernel, true_lanes)?;
    let trials = device.trials(&under_seeds(&launch, false), drawn)?;
    let seeds_first = trials.iter().filter(|(_, drawn)| comes_first(drawn, true_lanes)).count();
    let run = device.launch(&launch)?;
    let contents = device.read(drawn)?;
    let is_right =
        [Some(&contents.sim), contents.gpu.as_ref()].into_iter().flatten().all(|drawn| is_complete(drawn));
    let verdict = if !run.faults.is_empty() {
        Verdict::Fault
    } else if is_right {
        Verdict::Ok
    } else {
        Verdict::Wrong
    };
    let first = comes_first(&contents.sim, true_lanes);
    let row = Row::new(run, verdict)
        .fact("true_lanes_first", f64::from(u8::from(first)))
        .fact("seeds", SEEDS as f64)
        .fact("seeds_true_first", seeds_first as f64);
    let order = |first| if first { "first" } else { "last" };
    let row = row.remark(format!(
        "the true side runs {} in the default order, and first under {seeds_first} of {SEEDS} seeds",
        order(first)
    ));
    Ok(match contents.gpu {
        Some(gpu) => {
            let order = order(comes_first(&gpu, true_lanes));
            row.gpu_remark(format!("the true side runs {order} on the GPU"))
        }
        None => row,
    })
}

fn is_complete(drawn: &[u32]) -> bool {
    let mut sorted = drawn.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..32)
}

/// Whether the lanes of a mask drew the lowest numbers.
fn comes_first(drawn: &[u32], lanes: u32) -> bool {
    drawn.iter().enumerate().all(|(lane, &number)| (lanes >> lane & 1 == 1) == (number < lanes.count_ones()))
}
