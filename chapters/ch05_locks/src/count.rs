//! The lost update: `count++` by many threads.
//!
//! Every thread executes a load, an addition and a store. How many updates survive depends on how the
//! accesses of different warps interleave, so each row runs again under other schedules and reports the
//! lowest and the highest count. It leaves out what the compiler may do to a plain variable, which is one
//! more reason not to write this. It also leaves out warps whose lanes diverge, as they may since Volta: the
//! first thing to see is what one instruction does for all lanes at once.

use anyhow::Result;
use simt::{Checks, Reconvergence, Schedule};
use thirty_two_lanes::kernels::atomics::{COUNT_SHARED_ATOMIC, COUNT_SHARED_PLAIN};
use thirty_two_lanes::kernels::races::{COUNT_ATOMIC, COUNT_ATOMIC_BLOCK, COUNT_PLAIN};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, LOAD_REQUESTS, SHARED_ATOMICS, SHARED_REQUESTS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

/// The number of other schedules under which each kernel runs.
const SCHEDULES: u64 = 20;

/// Shapes, and their names in the rows.
const SHAPES: [(&str, u32, u32); 3] = [("warp", 1, 32), ("block", 1, 256), ("grid", 8, 256)];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "does every count++ count? One warp; one block of 256 threads; 8 such blocks";
    lab.section("count", title, &[LOAD_REQUESTS, GLOBAL_ATOMICS, SHARED_REQUESTS, SHARED_ATOMICS]);
    for (kernel, expected) in [(&COUNT_PLAIN, Verdict::Fault), (&COUNT_ATOMIC, Verdict::Ok)] {
        for (name, grid, block) in SHAPES {
            let launch = Launch::new(kernel, grid, block).seed(seed);
            lab.variant(&format!("{kernel}-{name}"), |device| count(device, launch, 1, expected))?;
        }
    }
    for (kernel, expected) in [(&COUNT_SHARED_PLAIN, Verdict::Fault), (&COUNT_SHARED_ATOMIC, Verdict::Ok)] {
        for (name, grid, block) in &SHAPES[..2] {
            let launch = Launch::new(kernel, *grid, *block).seed(seed);
            lab.variant(&format!("{kernel}-{name}"), |device| count(device, launch, *grid, expected))?;
        }
    }
    let launch = Launch::new(&COUNT_ATOMIC_BLOCK, 8, 256).seed(seed);
    lab.variant(COUNT_ATOMIC_BLOCK.name, |device| count(device, launch, 1, Verdict::Fault))?;
    lab.notice(one_warp);
    lab.notice(many_warps);
    lab.notice(atomics);
    lab.notice(scope);
    Ok(())
}

/// Counts once on every machine, and again on the emulator under other schedules.
fn count(device: &mut Device, launch: Launch, counters: u32, expected: Verdict) -> Result<Row> {
    let threads = launch.simt.grid.count() * launch.simt.block.count();
    let cell = device.zeroed::<i32>("count", counters as usize)?;
    let launch = launch.arg(cell);
    let mut other = launch.clone();
    (other.simt.checks, other.simt.schedule) = (Checks::NONE, Schedule::Hunt);
    other.simt.reconvergence = Reconvergence::Stack;
    let others: Vec<Launch> = (0..SCHEDULES).map(|seed| other.clone().seed(seed)).collect();
    let (mut least, mut most) = (i32::MAX, 0);
    for (_, cells) in device.trials(&others, cell)? {
        let counted = cells.iter().sum();
        (least, most) = (least.min(counted), most.max(counted));
    }
    let run = device.launch(&launch)?;
    let contents = device.read(cell)?;
    let row = device.check(run, cell, &[threads as f64], &Tolerance::Exact)?.expect(expected);
    let row = row.fact("threads", threads as f64).fact("counted", f64::from(contents.sim[0]));
    let row = row.fact("least", least.into()).fact("most", most.into());
    Ok(contents.gpu.iter().fold(row, |row, gpu| {
        let (left, all) = (grouped(gpu[0].unsigned_abs().into()), grouped(threads));
        let row = row.gpu_fact("gpu_counted", gpu[0].into());
        row.gpu_remark(format!("on the GPU the counter ended at {left} of {all}"))
    }))
}

/// The lowest and the highest count under any schedule, and the number of updates.
fn range(section: &Section, variant: &str) -> Option<String> {
    let row = section.row(variant)?;
    let fact = |name| row.fact_value(name).map(|value| grouped(value as u64));
    let (least, most, threads) = (fact("least")?, fact("most")?, fact("threads")?);
    Some(if least == most {
        format!("{least} of {threads}")
    } else {
        format!("{least} to {most} of {threads}")
    })
}

fn one_warp(section: &Section) -> Option<String> {
    let (global, shared) = (range(section, "count_plain-warp")?, range(section, "count_shared_plain-warp")?);
    Some(format!(
        "One warp without atomics: the counter ends at {global} in global memory and at {shared} in shared \
         memory. The lanes load together, so all of them add one to the same old value and store the same \
         sum. That is because the emulator executes an instruction for all lanes at once; CUDA does not \
         guarantee that lanes stay together."
    ))
}

fn many_warps(section: &Section) -> Option<String> {
    let (block, grid) = (range(section, "count_plain-block")?, range(section, "count_plain-grid")?);
    Some(format!(
        "Several warps without atomics: over {SCHEDULES} schedules the counter ends at {block} in a block \
         and at {grid} in the grid. If another warp stores between a warp's load and its store, the other \
         warp's update is overwritten."
    ))
}

fn atomics(section: &Section) -> Option<String> {
    let (grid, shared) = (range(section, "count_atomic-grid")?, range(section, "count_shared_atomic-block")?);
    Some(format!(
        "With atomicAdd the counter ends at {grid} in the grid and at {shared} in a block's shared memory, \
         under each of these schedules. A barrier would be no substitute: it orders the accesses of several \
         threads, but does not turn a load, an addition and a store into one operation."
    ))
}

/// The result is right, and yet a race is reported.
fn scope(section: &Section) -> Option<String> {
    let row = section.row(COUNT_ATOMIC_BLOCK.name)?;
    let counted = grouped(row.fact_value("counted")? as u64);
    let threads = grouped(row.fact_value("threads")? as u64);
    (!row.run.faults.is_empty()).then(|| format!(
        "{}: the counter ended at {counted} of {threads} in this run. An atomic with the scope of a block is \
         atomic only for the threads of that block. Between blocks it is a race, which the checker reports \
         even if the result is right.",
        row.variant
    ))
}
