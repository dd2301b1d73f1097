//! What a memory order costs if an atomic addition needs none.
//!
//! All threads add to one counter, or each to its own. It leaves out shared memory, which chapter 5 covers.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_locks::{ADD_BUILT_IN, ADD_DEFAULT, ADD_RELAXED};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

use crate::shape::Shape;

/// The checkers remember every access, so they watch a separate run of a few blocks, and not the run whose counters are
/// shown.
const CHECKED_BLOCKS: u32 = 2;

const KERNELS: [&Kernel; 3] = [&ADD_BUILT_IN, &ADD_RELAXED, &ADD_DEFAULT];

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let title = "what does the order of an addition cost? One counter, or one for each thread";
    lab.section("additions", title, &[GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP]);
    for (name, cells) in [("one", 1), ("own", shape.threads())] {
        for kernel in KERNELS {
            lab.variant(&format!("{kernel}-{name}"), |device| add(device, kernel, shape, cells))?;
        }
    }
    lab.notice(same);
    lab.gpu_notice(times);
    Ok(())
}

fn add(device: &mut Device, kernel: &'static Kernel, shape: Shape, cells: usize) -> Result<Row> {
    let counter = device.zeroed::<i32>("counter", cells)?;
    let launch =
        |grid| Launch::new(kernel, grid, shape.block).seed(shape.seed).arg(counter).arg(cells as i32);
    let (first, _) = device.trial(&launch(shape.grid.min(CHECKED_BLOCKS)), counter)?;
    let mut run = device.launch(&launch(shape.grid).unchecked())?;
    run.faults.extend(first.faults);
    let expected = vec![(shape.threads() / cells) as f64; cells];
    device.check(run, counter, &expected, &Tolerance::Exact)
}

fn same(section: &Section) -> Option<String> {
    let cost = |name: &str| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "A warp executes {:.0} PTX instructions with atomicAdd, {:.0} with a relaxed fetch_add, and {:.0} with \
         a fetch_add whose order is not named. The last one is sequentially consistent, which takes a fence.",
        cost("add_built_in-own")?,
        cost("add_relaxed-own")?,
        cost("add_default-own")?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let times = |kernel: &Kernel, cells: &str| {
        Some(time(&format!("{kernel}-{cells}"))? / time(&format!("add_built_in-{cells}"))?)
    };
    Some(format!(
        "On the GPU, relative to atomicAdd: the relaxed fetch_add takes {:.2} times as long on one counter and \
         {:.2} times as long on a counter for each thread; with no order named it takes {:.2} and {:.2} times \
         as long.",
        times(&ADD_RELAXED, "one")?,
        times(&ADD_RELAXED, "own")?,
        times(&ADD_DEFAULT, "one")?,
        times(&ADD_DEFAULT, "own")?,
    ))
}
