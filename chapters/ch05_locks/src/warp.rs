//! One lock and the 32 lanes of one warp.
//!
//! The same source is built for `sm_60`, where a warp has one program counter, and for `sm_70`, where each lane has its
//! own. The picture shows lane by lane which of them give up. The endless row has so much patience that only the
//! emulator's limit on steps ends it, and therefore no GPU runs it. Why lanes wait for each other is the subject of
//! chapter 3.

use std::cell::RefCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::progress::{LOCK_AFTER, LOCK_INSIDE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, GLOBAL_ATOMICS, INSTRUCTIONS};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict};

const LANES: usize = 32;
/// Tries before a lane gives up, by architecture. If all lanes get the lock, it is ten times what the last of them
/// needs. If most never get it, there are fewer tries, because more would only take longer.
fn patience(arch: u32) -> i32 {
    if arch < 70 { 20_000 } else { 100_000 }
}

/// Warp instructions after which the endless row is stopped.
const STEPS: u64 = 20_000;

/// A kernel, the architecture it is built for, and the verdict expected.
const CASES: [(&Kernel, u32, Verdict); 4] = [
    (&LOCK_AFTER, 60, Verdict::Wrong),
    (&LOCK_AFTER, 70, Verdict::Ok),
    (&LOCK_INSIDE, 60, Verdict::Ok),
    (&LOCK_INSIDE, 70, Verdict::Ok),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let lines = RefCell::new(Vec::new());
    let title = "do all lanes of a warp get the lock? One warp, before Volta and since";
    lab.section("warp_lock", title, &[GLOBAL_ATOMICS, ACTIVE_LANES, INSTRUCTIONS]);
    for (kernel, arch, expected) in CASES {
        lab.variant(&name(kernel, arch), |device| {
            let (row, got) = fight(device, launch(kernel, arch, seed)?, patience(arch))?;
            lines.borrow_mut().push(format!("{:<20}{}\n", name(kernel, arch), marks(&got)));
            Ok(row.expect(expected))
        })?;
    }
    lab.variant("lock_after-endless", |device| endless(device, seed))?;
    lab.picture("lock_winners", |device| picture(device, seed, lines.take()))?;
    lab.notice(before_volta);
    lab.notice(inside);
    Ok(())
}

fn name(kernel: &Kernel, arch: u32) -> String {
    format!("{kernel}-sm_{arch}")
}

fn launch(kernel: &'static Kernel, arch: u32, seed: u64) -> Result<Launch> {
    Ok(Launch::new(kernel, 1, LANES as u32).arch(arch)?.seed(seed))
}

/// A launch with its buffers, and the buffer that says which lanes got the lock.
fn prepare(device: &mut Device, launch: Launch, patience: i32) -> Result<(Launch, Buffer<i32>)> {
    let (lock, count) = (device.zeroed::<i32>("lock", 1)?, device.zeroed::<i32>("count", 1)?);
    let through = device.zeroed::<i32>("through", LANES)?;
    Ok((launch.arg(lock).arg(count).arg(through).arg(patience), through))
}

fn fight(device: &mut Device, launch: Launch, patience: i32) -> Result<(Row, Vec<i32>)> {
    let (launch, through) = prepare(device, launch, patience)?;
    let run = device.launch(&launch)?;
    let read = device.read(through)?;
    let lanes: i32 = read.sim.iter().sum();
    let row = device.check(run, through, &[1.0; LANES], &Tolerance::Exact)?;
    let row = row.fact("through", lanes.into()).fact("gave_up", (LANES as i32 - lanes).into());
    let row = read.gpu.iter().fold(row, |row, through| {
        let lanes: i32 = through.iter().sum();
        row.gpu_fact("gpu_through", lanes.into())
            .gpu_remark(format!("on the GPU {lanes} of {LANES} lanes got the lock"))
    });
    Ok((row, read.sim))
}

/// With patience for hours: what a lock without a limit does, and what is reported about it.
fn endless(device: &mut Device, seed: u64) -> Result<Row> {
    let mut launch = launch(&LOCK_AFTER, 60, seed)?;
    launch.simt.max_steps = STEPS;
    Ok(fight(device, launch, i32::MAX)?.0.expect(Verdict::Fault))
}

/// A line of 32 lanes for each row: which got the lock and which gave up. Rows that have not run yet run now.
fn picture(device: &mut Device, seed: u64, mut lines: Vec<String>) -> Result<String> {
    if lines.len() < CASES.len() {
        lines.clear();
        for (kernel, arch, _) in CASES {
            let (launch, through) = prepare(device, launch(kernel, arch, seed)?, patience(arch))?;
            let (_, got) = device.trial(&launch, through)?;
            lines.push(format!("{:<20}{}\n", name(kernel, arch), marks(&got)));
        }
    }
    Ok(format!("{:<20}0{:>31}\n{}# got the lock   . gave up", "lane", 31, lines.concat()))
}

fn marks(got: &[i32]) -> String {
    got.iter().map(|&got| if got == 1 { '#' } else { '.' }).collect()
}

fn before_volta(section: &Section) -> Option<String> {
    let rows = [60, 70].map(|arch| section.row(&name(&LOCK_AFTER, arch)));
    let [before, since] = rows.map(|row| row?.fact_value("through"));
    Some(format!(
        "lock_after: in a warp with one program counter, the lock goes to {} of {LANES} lanes. The lane \
         that has it waits after the loop for the others, and they wait in the loop for the lock. With a \
         program counter for each lane, it goes to {}.",
        before?, since?
    ))
}

fn inside(section: &Section) -> Option<String> {
    let rows = [60, 70].map(|arch| section.row(&name(&LOCK_INSIDE, arch)));
    let [before, since] = rows.map(|row| row?.fact_value("through"));
    Some(format!(
        "lock_inside frees the lock before the turn of the loop ends, so the owner needs nothing from the \
         lanes that wait for it: the lock goes to {} lanes with one program counter, and to {} with one \
         each.",
        before?, since?
    ))
}
