//! A counter under a lock, many times: which locks lose updates.
//!
//! One lane of each block takes the lock, adds one, releases the lock, and begins again. There are many rounds, because
//! in the first one there is no old value to read. Each kernel runs in the emulator's ordinary memory, where the
//! checker of races watches it, on a GPU if there is one, and then, as `-weak`, in a weak memory. It leaves out
//! fairness, and locks whose waiting threads do something useful.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::locks::{
    ROUNDS_ACQUIRE_RELEASE, ROUNDS_EXCHANGE, ROUNDS_FENCES, ROUNDS_NO_FENCE, ROUNDS_NOTE, ROUNDS_TICKET,
    ROUNDS_TICKET_NO_FENCE,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Tolerance, Verdict, weak};

use crate::contention;

/// The kernels, and whether they are right.
const CASES: [(&Kernel, bool); 7] = [
    (&ROUNDS_NO_FENCE, false),
    (&ROUNDS_EXCHANGE, false),
    (&ROUNDS_NOTE, false),
    (&ROUNDS_FENCES, true),
    (&ROUNDS_ACQUIRE_RELEASE, true),
    (&ROUNDS_TICKET_NO_FENCE, false),
    (&ROUNDS_TICKET, true),
];

/// How many blocks, and how often each adds one.
#[derive(Clone, Copy)]
struct Shape {
    blocks: u32,
    rounds: i32,
}

/// There is one block for this many of the chapter's elements, up to two for each multiprocessor of an H200.
const ELEMENTS: usize = 4096;
const MOST_BLOCKS: usize = 264;
const ROUNDS: i32 = 20;
/// The shape that runs with many seeds.
const SMALL: Shape = Shape { blocks: 8, rounds: 5 };

/// Tries before a block gives up. On a GPU they take seconds, and a block gets the lock long before that.
const PATIENCE: i32 = 10_000_000;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let blocks =
        lab.size(contention::SIZE, contention::ELEMENT_BYTES)?.div_ceil(ELEMENTS).min(MOST_BLOCKS) as u32;
    let shape = Shape { blocks, rounds: ROUNDS };
    let title = format!(
        "does the lock protect the counter? {}, {ROUNDS} additions each",
        counted(blocks.into(), "block")
    );
    lab.section("locks", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, is_right) in CASES {
        lab.variant(kernel.name, |device| add(device, kernel, shape, seed, is_right))?;
    }
    lab.notice(strong);
    lab.gpu_notice(hardware);

    let Shape { blocks, rounds } = SMALL;
    let seeds = weak::SOME;
    let title = format!(
        "do the locks hold in a weak memory? {seeds} seeds; {blocks} blocks, {rounds} additions each"
    );
    lab.section("locks_weak", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, is_right) in CASES {
        lab.variant(&weak::name(kernel), |device| add_weakly(device, kernel, is_right))?;
    }
    lab.notice(fences);
    Ok(())
}

/// The buffers of a launch.
struct Memory {
    launch: Launch,
    count: Buffer<i32>,
    gave_up: Buffer<i32>,
}

fn memory(device: &mut Device, kernel: &'static Kernel, shape: Shape) -> Result<Memory> {
    let (lock, count) = (device.zeroed::<i32>("lock", 2)?, device.zeroed::<i32>("count", 1)?);
    let gave_up = device.zeroed::<i32>("gave_up", 1)?;
    let launch = Launch::new(kernel, shape.blocks, 32).arg(lock).arg(count).arg(gave_up);
    Ok(Memory { launch: launch.arg(shape.rounds).arg(PATIENCE), count, gave_up })
}

fn add(device: &mut Device, kernel: &'static Kernel, shape: Shape, seed: u64, is_right: bool) -> Result<Row> {
    let Memory { launch, count, gave_up } = memory(device, kernel, shape)?;
    let run = device.launch(&launch.seed(seed))?;
    let (all, counted, gave_up) = (shape.all(), device.read(count)?, device.read(gave_up)?);
    let row = device.check(run, count, &[all], &Tolerance::Exact)?;
    let row = row.fact("updates", all).fact("lost", all - f64::from(counted.sim[0]));
    let mut row = row.fact("gave_up", gave_up.sim[0].into());
    if let (Some(counted), Some(gave_up)) = (counted.gpu, gave_up.gpu) {
        let lost = all - f64::from(counted[0]);
        let text =
            format!("on the GPU {} of {} updates were lost", grouped(lost as u64), grouped(all as u64));
        row = row.gpu_fact("gpu_lost", lost).gpu_fact("gpu_gave_up", gave_up[0].into()).gpu_remark(text);
    }
    // A single block has no other block to race with.
    Ok(if is_right || shape.blocks == 1 { row } else { row.expect(Verdict::Fault) })
}

fn add_weakly(device: &mut Device, kernel: &'static Kernel, is_right: bool) -> Result<Row> {
    let Memory { launch, count, .. } = memory(device, kernel, SMALL)?;
    let row = weak::seeds(device, &launch, count, weak::SOME, |counted| SMALL.all() - f64::from(counted[0]))?;
    let lost = row.fact_value("worst").unwrap_or_default();
    let row = row.fact("updates", SMALL.all()).fact("lost", lost);
    Ok(if is_right { row } else { row.expect(Verdict::Wrong) })
}

impl Shape {
    fn all(self) -> f64 {
        f64::from(self.blocks) * f64::from(self.rounds)
    }
}

/// What the emulator's ordinary memory shows.
fn strong(section: &Section) -> Option<String> {
    if section.row(ROUNDS_NO_FENCE.name)?.run.faults.is_empty() {
        return None; // There may be one block, which cannot race, or no checker.
    }
    let lost = |kernel: &Kernel| section.row(kernel.name)?.fact_value("lost");
    let (none, note, both) = (lost(&ROUNDS_NO_FENCE)?, lost(&ROUNDS_NOTE)?, lost(&ROUNDS_FENCES)?);
    Some(format!(
        "In the emulator's ordinary memory {none} updates are lost without a fence, {note} with one and \
         {both} with two. There every load returns the last store, so a missing fence changes no result. The \
         checker reports it all the same, because it asks what orders the accesses, and it names the lines."
    ))
}

/// What a GPU shows.
fn hardware(section: &Section) -> Option<String> {
    let lost = |kernel: &Kernel| section.row(kernel.name)?.fact_value("gpu_lost");
    let (none, note, both) = (lost(&ROUNDS_NO_FENCE)?, lost(&ROUNDS_NOTE)?, lost(&ROUNDS_FENCES)?);
    Some(format!(
        "Of {} updates on the GPU, {} were lost without a fence, {} with one and {} with two. Without a \
         fence each block keeps using the copy of the counter in its own multiprocessor's cache.",
        grouped(section.row(ROUNDS_FENCES.name)?.fact_value("updates")? as u64),
        grouped(none as u64),
        grouped(note as u64),
        grouped(both as u64),
    ))
}

/// What the memory model allows.
fn fences(section: &Section) -> Option<String> {
    let wrong = |kernel: &Kernel| weak::wrong(section, kernel);
    let (none, exchange) = (wrong(&ROUNDS_NO_FENCE)?, wrong(&ROUNDS_EXCHANGE)?);
    let worst = section.row(&weak::name(&ROUNDS_NO_FENCE))?.fact_value("worst")?;
    let (note, both, words) = (wrong(&ROUNDS_NOTE)?, wrong(&ROUNDS_FENCES)?, wrong(&ROUNDS_ACQUIRE_RELEASE)?);
    Some(format!(
        "In the weak memory {none} of {} seeds lose updates without a fence, up to {worst} of {}; {exchange} \
         do if an exchange gives the lock back, {note} with one fence before it is given back, {both} with a \
         second fence after it is taken, and {words} with acquire and release. The one fence keeps the \
         owner's store from coming late, but not the next owner's load from returning an older value.",
        weak::SOME,
        SMALL.all(),
    ))
}
