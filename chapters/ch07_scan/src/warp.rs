//! The scan of a warp: five shuffles, by hand and by a group, and the two ways to get it wrong.
//!
//! The picture shows the sums of the first sixteen lanes after each round, with the test of the lane and
//! without it. It leaves out floats, for which the order of the additions matters.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::scan::{
    SCAN_WARP, SCAN_WARP_EXCLUSIVE, SCAN_WARP_GROUP, SCAN_WARP_GROUP_EXCLUSIVE, SCAN_WARP_NO_TEST,
    SCAN_WARP_SHUFFLE_INSIDE, SCAN_WARP_WATCHED,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS,
};
use thirty_two_lanes::report::layout::decimal;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::numbers::{digits, exclusive_scans, scans};

const LANES: usize = 32;
/// Two warps.
const N: usize = 2 * LANES;
/// The sums before the first of five rounds, and after each.
const STAGES: usize = 6;

/// The kernels, whether they leave out the own element, and the verdict expected.
const KERNELS: [(&Kernel, bool, Verdict); 6] = [
    (&SCAN_WARP, false, Verdict::Ok),
    (&SCAN_WARP_NO_TEST, false, Verdict::Wrong),
    (&SCAN_WARP_SHUFFLE_INSIDE, false, Verdict::Fault),
    (&SCAN_WARP_GROUP, false, Verdict::Ok),
    (&SCAN_WARP_EXCLUSIVE, true, Verdict::Ok),
    (&SCAN_WARP_GROUP_EXCLUSIVE, true, Verdict::Ok),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let values = digits(N, lab.seed());
    let title = "the sums of the lanes up to each lane: one block of two warps";
    lab.section(
        "warp_scan",
        title,
        &[INSTRUCTIONS_PER_WARP, ACTIVE_LANES, SHARED_REQUESTS, BARRIERS_PER_WARP],
    );
    for (kernel, is_exclusive, expected) in KERNELS {
        let sums = if is_exclusive { exclusive_scans(&values, LANES) } else { scans(&values, LANES) };
        lab.variant(kernel.name, |device| Ok(scan(device, kernel, &values, &sums)?.expect(expected)))?;
    }
    lab.picture("warp_rounds", |device| picture(device, &values))?;
    lab.notice(no_test);
    lab.notice(by_a_group);
    Ok(())
}

fn scan(device: &mut Device, kernel: &'static Kernel, values: &[i32], sums: &[f64]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", N)?);
    let run = device.launch(&Launch::new(kernel, 1, N as u32).arg(x).arg(y))?;
    device.check(run, y, sums, &Tolerance::Exact)
}

fn picture(device: &mut Device, values: &[i32]) -> Result<String> {
    let line = |head: &str, cells: &[i32]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>4}")).collect();
        format!("{head:<16}{}\n", cells.concat())
    };
    let lanes: Vec<i32> = (0..LANES as i32 / 2).collect();
    let mut out = line("lane", &lanes);
    for is_tested in [1, 0] {
        let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", STAGES * N)?);
        let launch = Launch::new(&SCAN_WARP_WATCHED, 1, N as u32).arg(x).arg(y).arg(is_tested);
        let (_, sums) = device.trial(&launch, y)?;
        out += if is_tested == 1 { "lane >= d adds\n" } else { "every lane adds\n" };
        for (stage, sums) in sums.chunks(N).enumerate() {
            let head =
                if stage == 0 { "  x".to_owned() } else { format!("  after d = {}", 1 << (stage - 1)) };
            out += &line(&head, &sums[..LANES / 2]);
        }
    }
    Ok(out)
}

fn no_test(section: &Section) -> Option<String> {
    let wrong = section.row(SCAN_WARP_NO_TEST.name)?.check.as_ref()?.wrong;
    Some(format!(
        "A lane without a lane d below it gets its own value back from __shfl_up_sync, not 0. If it adds that, \
         its sum doubles, and the lanes above add the doubled sum: {wrong} of {N} results are wrong."
    ))
}

fn by_a_group(section: &Section) -> Option<String> {
    let per_warp =
        |kernel: &Kernel| Some(decimal(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp()));
    Some(format!(
        "cg::inclusive_scan returns the same sums in {} PTX instructions per warp instead of {}, and \
         cg::exclusive_scan in {} instead of {}.",
        per_warp(&SCAN_WARP_GROUP)?,
        per_warp(&SCAN_WARP)?,
        per_warp(&SCAN_WARP_GROUP_EXCLUSIVE)?,
        per_warp(&SCAN_WARP_EXCLUSIVE)?,
    ))
}
