//! Locks and flags between the lanes of one warp, the twins of the kernels of chapter 3: do orders help a lane to wait?
//!
//! Each kernel is built for a warp with one program counter, `sm_60`, and for lanes with one each, `sm_70`. Every loop
//! that waits gives up after some iterations. It leaves out weak memories, because they do not change which lane runs
//! next.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_progress::{
    REF_CHAIN_AFTER, REF_HANDSHAKE, REF_LOCK_AFTER, REF_LOCK_INSIDE, REF_ONE_PRODUCES,
};
use thirty_two_lanes::kernels::progress::{LOCK_AFTER, LOCK_INSIDE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS, INSTRUCTIONS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

const LANES: usize = 32;
/// Iterations of a loop before a lane gives up: more than 32 lanes need, on a GPU too.
const PATIENCE: i32 = 20_000;
/// The lane that raises the flag of `ref_one_produces`: the side that waits has the lower lanes, and begins.
const PRODUCER: i32 = 31;

/// A kernel, what its buffers before `through` hold, the lane that produces, if there is one, and whether the kernel
/// needs lanes that can continue on their own.
struct Case {
    kernel: &'static Kernel,
    before: &'static [(&'static str, &'static [i32])],
    producer: Option<i32>,
    needs_progress: bool,
}

static LOCK: &[(&str, &[i32])] = &[("lock", &[0]), ("count", &[0])];

/// The first of 33 words is set, so lane 0 does not have to wait.
static FIRST_FREE: [i32; 33] = {
    let mut cells = [0; 33];
    cells[0] = 1;
    cells
};

static CASES: [Case; 7] = [
    Case { kernel: &LOCK_AFTER, before: LOCK, producer: None, needs_progress: true },
    Case { kernel: &REF_LOCK_AFTER, before: LOCK, producer: None, needs_progress: true },
    Case { kernel: &LOCK_INSIDE, before: LOCK, producer: None, needs_progress: false },
    Case { kernel: &REF_LOCK_INSIDE, before: LOCK, producer: None, needs_progress: false },
    Case { kernel: &REF_CHAIN_AFTER, before: &[("cell", &FIRST_FREE)], producer: None, needs_progress: true },
    Case {
        kernel: &REF_ONE_PRODUCES,
        before: &[("flag", &[0]), ("data", &[0])],
        producer: Some(PRODUCER),
        needs_progress: true,
    },
    Case { kernel: &REF_HANDSHAKE, before: &[("flags", &[0, 0])], producer: None, needs_progress: true },
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "do orders help the lanes of a warp to wait for each other? Built for sm_60 and sm_70";
    lab.section("progress", title, &[GLOBAL_ATOMICS, INSTRUCTIONS, ACTIVE_LANES]);
    for case in &CASES {
        for arch in [60, 70] {
            lab.variant(&name(case.kernel, arch), |device| wait(device, case, arch, seed))?;
        }
    }
    lab.notice(same_lanes);
    lab.gpu_notice(times);
    Ok(())
}

fn name(kernel: &Kernel, arch: u32) -> String {
    format!("{kernel}-sm_{arch}")
}

fn wait(device: &mut Device, case: &Case, arch: u32, seed: u64) -> Result<Row> {
    let mut launch = Launch::new(case.kernel, 1, LANES as u32).arch(arch)?.seed(seed);
    for (name, words) in case.before {
        launch = launch.arg(device.upload(name, words)?);
    }
    let through = device.zeroed::<i32>("through", LANES)?;
    launch = launch.arg(through);
    if let Some(lane) = case.producer {
        launch = launch.arg(lane);
    }
    let run = device.launch(&launch.arg(PATIENCE))?;
    let row = device.check(run, through, &[1.0; LANES], &Tolerance::Exact)?;
    let read = device.read(through)?;
    let lanes = |through: &[i32]| through.iter().filter(|&&through| through == 1).count();
    let row = row.fact("through", lanes(&read.sim) as f64);
    let row = read.gpu.iter().fold(row, |row, through| {
        let lanes = lanes(through);
        row.gpu_fact("gpu_through", lanes as f64)
            .gpu_remark(format!("on the GPU {lanes} of {LANES} lanes got what they waited for"))
    });
    Ok(if case.needs_progress && arch < 70 { row.expect(Verdict::Wrong) } else { row })
}

fn same_lanes(section: &Section) -> Option<String> {
    let through = |kernel: &Kernel, arch: u32| section.row(&name(kernel, arch))?.fact_value("through");
    Some(format!(
        "Released after the loop, the lock with atomicCAS reaches {} of {LANES} lanes if it is built for sm_60, and the \
         lock with acquire and release {}. Released inside the loop, both reach {} and {}. An order says what a lane \
         sees, and not when it gets its turn.",
        through(&LOCK_AFTER, 60)?,
        through(&REF_LOCK_AFTER, 60)?,
        through(&LOCK_INSIDE, 60)?,
        through(&REF_LOCK_INSIDE, 60)?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(&name(kernel, 70))?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU, built for sm_70, the lock with acquire and release takes {:.2} times as long as the one with \
         atomicCAS and a fence if it is released after the loop, and {:.2} times as long if it is released inside.",
        time(&REF_LOCK_AFTER)? / time(&LOCK_AFTER)?,
        time(&REF_LOCK_INSIDE)? / time(&LOCK_INSIDE)?,
    ))
}
