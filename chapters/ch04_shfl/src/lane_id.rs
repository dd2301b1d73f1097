//! Which number does a lane have in its segment? Three formulas, in blocks of several shapes.
//!
//! The reference numbers the threads of a block as the hardware does, x first, and cuts them into warps of
//! 32. It leaves out the special register that holds the lane's number, because CUDA has no name for it.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::shuffles::{LANE_AND, LANE_MODULO, LANE_OF_RANK};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, SECTORS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::picture::LANES;

struct Case {
    name: &'static str,
    kernel: &'static Kernel,
    block: (u32, u32),
    width: u32,
    expected: Verdict,
}

const CASES: [Case; 9] = [
    case("modulo_64", &LANE_MODULO, (64, 1), 32, Verdict::Ok),
    case("modulo_32x2", &LANE_MODULO, (32, 2), 32, Verdict::Ok),
    case("modulo_8x8", &LANE_MODULO, (8, 8), 32, Verdict::Wrong),
    case("modulo_8x8_width_8", &LANE_MODULO, (8, 8), 8, Verdict::Ok),
    case("rank_8x8", &LANE_OF_RANK, (8, 8), 32, Verdict::Ok),
    case("and_64", &LANE_AND, (64, 1), 32, Verdict::Ok),
    case("and_8x8", &LANE_AND, (8, 8), 32, Verdict::Wrong),
    case("and_32_width_6", &LANE_AND, (32, 1), 6, Verdict::Wrong),
    case("modulo_32_width_6", &LANE_MODULO, (32, 1), 6, Verdict::Ok),
];

const fn case(
    name: &'static str,
    kernel: &'static Kernel,
    block: (u32, u32),
    width: u32,
    expected: Verdict,
) -> Case {
    Case { name, kernel, block, width, expected }
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let title = "which lane am I? By threadIdx.x % w, threadIdx.x & (w - 1), or rank";
    lab.section("lane_id", title, &[INSTRUCTIONS_PER_WARP, SECTORS]);
    for case in &CASES {
        lab.variant(case.name, |device| numbered(device, case))?;
    }
    lab.notice(rows_of_the_block);
    lab.notice(price);
    Ok(())
}

fn numbered(device: &mut Device, case: &Case) -> Result<Row> {
    let threads = (case.block.0 * case.block.1) as usize;
    let y = device.zeroed::<i32>("y", threads)?;
    let run = device.launch(&Launch::new(case.kernel, 1, case.block).arg(y).arg(case.width as i32))?;
    let lanes = (0..threads).map(|thread| (thread % LANES % case.width as usize) as f64);
    let row = device.check(run, y, &lanes.collect::<Vec<_>>(), &Tolerance::Exact)?;
    Ok(row.expect(case.expected))
}

fn rows_of_the_block(section: &Section) -> Option<String> {
    let wrong = |name| Some(section.row(name)?.check.as_ref()?.wrong);
    Some(format!(
        "In a block of 8 x 8, threadIdx.x % 32 is not the lane in {} of 64 threads, and in a block of 32 x 2 \
         in {}. The formula holds if the block has one row, or if each row is a whole number of segments.",
        wrong("modulo_8x8")?,
        wrong("modulo_32x2")?,
    ))
}

fn price(section: &Section) -> Option<String> {
    let cost = |name| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "PTX has one instruction for `%` and one for `&`, and the kernels take {:.0} and {:.0} instructions \
         per warp. Machine code has none for a remainder, so `%` costs more if the compiler does not know \
         the width.",
        cost("modulo_64")?,
        cost("and_64")?,
    ))
}
