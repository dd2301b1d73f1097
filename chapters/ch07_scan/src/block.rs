//! The scan of a block: by warps, by Hillis and Steele's rounds, and by Blelloch's tree.
//!
//! One block is watched by all checkers, right and wrong kernels alike. Then many blocks are run for the
//! clock, each of which scans its own elements. How many additions threads make is counted in a trace: one for
//! each value that a lane gets from a shuffle or from the other place in shared memory, also where that is 0.
//! It leaves out sums across blocks.

use std::cell::LazyCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan::{
    SCAN_BLOCK, SCAN_BLOCK_IN_PLACE, SCAN_BLOCK_IN_PLACE_ONE, SCAN_BLOCK_NO_FIRST, SCAN_BLOCK_NO_SECOND,
    SCAN_BLOCK_TREE, SCAN_BLOCK_TWO_BUFFERS,
};
use thirty_two_lanes::launch::{blocks_for, check_halving};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BANK_CONFLICTS, BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS,
};
use thirty_two_lanes::report::layout::{decimal, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::numbers::{digits, scans};

/// The right kernels, in the order of the page.
const RIGHT: [&Kernel; 4] = [&SCAN_BLOCK, &SCAN_BLOCK_TWO_BUFFERS, &SCAN_BLOCK_IN_PLACE, &SCAN_BLOCK_TREE];

/// All kernels, and whether they are right.
const KERNELS: [(&Kernel, bool); 7] = [
    (&SCAN_BLOCK, true),
    (&SCAN_BLOCK_NO_FIRST, false),
    (&SCAN_BLOCK_NO_SECOND, false),
    (&SCAN_BLOCK_TWO_BUFFERS, true),
    (&SCAN_BLOCK_IN_PLACE, true),
    (&SCAN_BLOCK_IN_PLACE_ONE, false),
    (&SCAN_BLOCK_TREE, true),
];

/// Elements on the machine, and on the host their values, their sums in double precision and what was read.
const ELEMENT_BYTES: u64 = 2 * 4 + 4 + 8 + 2 * 4;
/// Enough blocks to make the table worth printing; a GPU's times take a larger `--size`.
const SIZE: usize = 65_536;

/// A block that can be halved down to a warp, as the rounds and the tree require.
pub fn halving_block(lab: &mut Lab) -> Result<u32> {
    let block = lab.block(256);
    check_halving(block)?;
    Ok(block)
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (block, seed) = (halving_block(lab)?, lab.seed());
    let title = format!("one block of {block} threads: which barriers does its scan need?");
    lab.section(
        "block_scan",
        &title,
        &[INSTRUCTIONS_PER_WARP, ACTIVE_LANES, BARRIERS_PER_WARP, BANK_CONFLICTS],
    );
    for (kernel, is_right) in KERNELS {
        // A single warp adds no offset, so that nothing reads what the second barrier would guard.
        let is_right = is_right || (kernel.name == SCAN_BLOCK_NO_SECOND.name && block == 32);
        let expected = if is_right { Verdict::Ok } else { Verdict::Fault };
        lab.variant(kernel.name, |device| {
            let row = scan(device, kernel, &digits(block as usize, seed), block, seed, true)?;
            let row = if is_right { counted(device, row, kernel, block)? } else { row };
            Ok(row.expect(expected))
        })?;
    }
    lab.notice(barriers);
    lab.notice(additions);
    Ok(())
}

/// The same in many blocks, for the clock.
pub fn many(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, halving_block(lab)?, lab.seed());
    let blocks = blocks_for(n, block);
    let values = LazyCell::new(|| digits(blocks as usize * block as usize, seed));
    let title = format!("which scan of a block takes the least time? {} blocks", grouped(blocks.into()));
    lab.section(
        "many_blocks",
        &title,
        &[INSTRUCTIONS_PER_WARP, BARRIERS_PER_WARP, SHARED_REQUESTS, BANK_CONFLICTS],
    );
    for kernel in RIGHT {
        lab.variant(&format!("{kernel}-many"), |device| scan(device, kernel, &values, block, seed, false))?;
    }
    lab.gpu_notice(times);
    Ok(())
}

fn scan(
    device: &mut Device,
    kernel: &'static Kernel,
    values: &[i32],
    block: u32,
    seed: u64,
    is_checked: bool,
) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", values.len())?);
    let launch = Launch::cover(kernel, values.len(), block).seed(seed).arg(x).arg(y);
    let run = device.launch(&if is_checked { launch } else { launch.unchecked() })?;
    device.check(run, y, &scans(values, block as usize), &Tolerance::Exact)
}

/// The row with the number of additions of sums that threads make.
fn counted(device: &mut Device, row: Row, kernel: &'static Kernel, block: u32) -> Result<Row> {
    let (x, y) = (device.zeroed::<i32>("x", block as usize)?, device.zeroed::<i32>("y", block as usize)?);
    let trace = device.trace(&Launch::new(kernel, 1, block).arg(x).arg(y))?;
    let source: Vec<&str> = kernel.file.source.lines().collect();
    let is_addition = |step: &&thirty_two_lanes::Traced| {
        let text = step.line.and_then(|line| source.get(line as usize - 1)).copied().unwrap_or_default();
        let is = |opcode| step.ptx.contains(opcode);
        is("shfl.sync.up")
            || (is("st.shared") && text.contains("] += "))
            || (is("ld.shared") && text.contains("sum += "))
    };
    let additions = trace.iter().filter(is_addition).map(|step| step.active.count_ones());
    let additions: u32 = additions.sum();
    Ok(row.fact("additions", additions.into()))
}

fn barriers(section: &Section) -> Option<String> {
    let per_warp = |kernel: &Kernel| {
        let counters = section.row(kernel.name)?.run.counters;
        Some(decimal(counters.ptx_barriers as f64 / counters.warps as f64))
    };
    Some(format!(
        "With warp scans the block meets at {} barriers, however large it is. The rounds of Hillis and Steele \
         meet at {}, with one buffer at {}, and the tree at {}.",
        per_warp(&SCAN_BLOCK)?,
        per_warp(&SCAN_BLOCK_TWO_BUFFERS)?,
        per_warp(&SCAN_BLOCK_IN_PLACE)?,
        per_warp(&SCAN_BLOCK_TREE)?,
    ))
}

fn additions(section: &Section) -> Option<String> {
    let of = |kernel: &Kernel| Some(grouped(section.row(kernel.name)?.fact_value("additions")? as u64));
    let per_warp =
        |kernel: &Kernel| Some(decimal(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp()));
    Some(format!(
        "The tree needs {} additions, and the rounds need {}. But a warp executes an instruction for one \
         lane as for 32, so that the tree takes {} PTX instructions per warp and the rounds take {}.",
        of(&SCAN_BLOCK_TREE)?,
        of(&SCAN_BLOCK_TWO_BUFFERS)?,
        per_warp(&SCAN_BLOCK_TREE)?,
        per_warp(&SCAN_BLOCK_TWO_BUFFERS)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| Some(section.row(&format!("{kernel}-many"))?.run.timing.as_ref()?.median_us);
    let of = RIGHT.map(time);
    let [warps, two, one, tree] = of;
    Some(format!(
        "On the GPU, the scan takes {:.1} µs by warps, {:.1} µs by rounds in two buffers, {:.1} µs by rounds in \
         one, and {:.1} µs by the tree. All of these times include a launch.",
        warps?, two?, one?, tree?
    ))
}
