//! An `if` between two values, decided by the thread or by its warp.
//!
//! The same source is run as the optimising compiler translates it and as it is written (`-G`), because only
//! the second still has the branch. Times are left out, because a kernel this small only measures how fast
//! blocks are launched.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::divergence::{
    MATH_EVEN_THREAD, MATH_EVEN_WARP, MATH_PRECEDENCE, MATH_PRECEDENCE_FIXED, MATH_TWO_IFS, MATH_UNGUARDED,
};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::{Section, layout::grouped};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

/// A kernel, and the value that it should write at each index.
type Case = (&'static Kernel, fn(usize) -> f64);

static CASES: [Case; 4] = [
    (&MATH_EVEN_THREAD, by_thread),
    (&MATH_EVEN_WARP, by_warp),
    (&MATH_TWO_IFS, by_thread),
    (&MATH_PRECEDENCE_FIXED, by_warp),
];

fn by_thread(i: usize) -> f64 {
    if i.is_multiple_of(2) { 100.0 } else { 200.0 }
}

fn by_warp(i: usize) -> f64 {
    by_thread(i / 32)
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block) = (lab.size(10_240, ELEMENT_BYTES)?, lab.block(64));
    let columns = [DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    lab.section("arithmetic", "where did the branch go? First optimised, then as written (-G)", &columns);
    for (kernel, value) in CASES {
        lab.variant(kernel.name, |device| write(device, Launch::cover(kernel, n, block), n, value))?;
    }
    for (kernel, value) in CASES {
        let name = format!("{kernel}-G");
        lab.variant(&name, |device| write(device, Launch::cover(kernel, n, block).debug()?, n, value))?;
    }
    lab.variant("math_precedence", |device| precedence(device, n, block))?;
    lab.variant("math_unguarded", |device| unguarded(device, blocks_for(n, block), block, 0))?;
    lab.variant("math_unguarded_ragged", |device| unguarded(device, blocks_for(n, block), block, block / 2))?;
    lab.variant("math_even_warp_48-G", straddling)?;
    lab.notice(optimised);
    lab.notice(as_written);
    lab.notice(straddled);
    Ok(())
}

/// One element in the result on the machine, in the copy of the result on the host, and in the reference in double
/// precision.
const ELEMENT_BYTES: u64 = 4 + 4 + 8;

fn write(device: &mut Device, launch: Launch, n: usize, value: fn(usize) -> f64) -> Result<Row> {
    let c = device.zeroed::<f32>("c", n)?;
    let run = device.launch(&launch.arg(c).arg(n as i32))?;
    let expected: Vec<f64> = (0..n).map(value).collect();
    let row = device.check(run, c, &expected, &Tolerance::Exact)?;
    let written = device.read(c)?.sim;
    let in_if =
        |parity: usize| written.iter().skip(parity).step_by(2).filter(|&&value| value < 150.0).count();
    let (even, odd) = (in_if(0), in_if(1));
    Ok(row.fact("even_in_if", even as f64).fact("odd_in_if", odd as f64).fact("even", n.div_ceil(2) as f64))
}

/// Blocks of one and a half warps, all of them full: every second block begins in the middle of a group of 32
/// numbers, and so do its warps.
fn straddling(device: &mut Device) -> Result<Row> {
    write(device, Launch::cover(&MATH_EVEN_WARP, STRADDLED, 48).debug()?, STRADDLED, by_warp)
}

const STRADDLED: usize = 200 * 48;

/// The note's mistake. The value that all elements get is read from the result.
fn precedence(device: &mut Device, n: usize, block: u32) -> Result<Row> {
    let c = device.zeroed::<f32>("c", n)?;
    let run = device.launch(&Launch::cover(&MATH_PRECEDENCE, n, block).arg(c).arg(n as i32))?;
    let expected: Vec<f64> = (0..n).map(by_warp).collect();
    let row = device.check(run, c, &expected, &Tolerance::Exact)?.expect(Verdict::Wrong);
    let got = device.read(c)?.sim;
    let same = got.iter().filter(|value| value.to_bits() == got[0].to_bits()).count();
    let (same, all) = (grouped(same as u64), grouped(n as u64));
    Ok(row.remark(format!("{same} of {all} elements became {}: `==` binds tighter than `&`", got[0])))
}

/// A kernel without a guard, on an array that has `missing` elements fewer than the grid has threads.
fn unguarded(device: &mut Device, blocks: u32, block: u32, missing: u32) -> Result<Row> {
    let n = blocks as usize * block as usize - missing as usize;
    let c = device.zeroed::<f32>("c", n)?;
    let run = device.launch(&Launch::new(&MATH_UNGUARDED, blocks, block).arg(c))?;
    let expected: Vec<f64> = (0..n).map(by_thread).collect();
    let row = device.check(run, c, &expected, &Tolerance::Exact)?;
    Ok(if missing > 0 { row.expect(Verdict::Fault) } else { row })
}

fn optimised(section: &Section) -> Option<String> {
    let [thread, warp] = [&MATH_EVEN_THREAD, &MATH_EVEN_WARP].map(|kernel| section.row(kernel.name));
    let (thread, warp) = (thread?.run.counters, warp?.run.counters);
    Some(format!(
        "Optimised, the if is a select, and the guard is the only branch left. Deciding by thread and by \
         warp, {} and {} branches diverge, and {:.2} and {:.2} lanes are active on average.",
        grouped(thread.ptx_divergent_branches),
        grouped(warp.ptx_divergent_branches),
        thread.ptx_lanes_per_instruction(),
        warp.ptx_lanes_per_instruction(),
    ))
}

fn as_written(section: &Section) -> Option<String> {
    let [thread, warp] = ["math_even_thread-G", "math_even_warp-G"].map(|name| section.row(name));
    let (thread, warp) = (thread?.run.counters, warp?.run.counters);
    Some(format!(
        "As written, {} of {} warps diverge when the thread decides, and {} when the warp does: {:.2} \
         against {:.2} active lanes, and {:.2} against {:.2} PTX instructions per warp.",
        grouped(thread.divergent_warps),
        grouped(thread.warps),
        grouped(warp.divergent_warps),
        thread.ptx_lanes_per_instruction(),
        warp.ptx_lanes_per_instruction(),
        thread.ptx_instructions_per_warp(),
        warp.ptx_instructions_per_warp(),
    ))
}

fn straddled(section: &Section) -> Option<String> {
    let counters = section.row("math_even_warp_48-G")?.run.counters;
    Some(format!(
        "`i / warpSize` is the number of a warp only if the block size is a multiple of 32. In blocks of 48, \
         {} of {} warps diverge.",
        grouped(counters.divergent_warps),
        grouped(counters.warps),
    ))
}
