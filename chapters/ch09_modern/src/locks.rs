//! A counter under a lock: which orders and scopes of `cuda::atomic_ref` protect it?
//!
//! One lane of each block takes the lock, adds one, releases the lock, and begins again. The two correct locks of
//! chapter 5 run beside them. It leaves out what threads do while they wait.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::locks::{ROUNDS_ACQUIRE_RELEASE, ROUNDS_FENCES};
use thirty_two_lanes::kernels::modern_locks::{
    REF_ROUNDS, REF_ROUNDS_ACQUIRE, REF_ROUNDS_BLOCK_SCOPE, REF_ROUNDS_DEFAULT, REF_ROUNDS_RELAXED,
    REF_ROUNDS_RELEASE, REF_TICKET, REF_TICKET_RELAXED,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Row, Schedule, Tolerance, Verdict, weak};

use crate::shape;

/// The kernels, and whether they are right.
const CASES: [(&Kernel, bool); 10] = [
    (&ROUNDS_FENCES, true),
    (&ROUNDS_ACQUIRE_RELEASE, true),
    (&REF_ROUNDS_RELAXED, false),
    (&REF_ROUNDS_RELEASE, false),
    (&REF_ROUNDS_ACQUIRE, false),
    (&REF_ROUNDS, true),
    (&REF_ROUNDS_DEFAULT, true),
    (&REF_ROUNDS_BLOCK_SCOPE, false),
    (&REF_TICKET_RELAXED, false),
    (&REF_TICKET, true),
];

/// How many blocks compete for the lock, how often each, and in which order they take turns.
#[derive(Clone, Copy)]
pub struct Queue {
    pub blocks: u32,
    pub rounds: i32,
    pub schedule: Schedule,
}

/// There is one block for this many of the chapter's elements, up to two for each multiprocessor of an H200.
const ELEMENTS: usize = 512;
const MOST_BLOCKS: usize = 264;
const ROUNDS: i32 = 20;
/// The shape that runs with many seeds.
const SMALL: Queue = Queue { blocks: 8, rounds: 5, schedule: Schedule::Random };

/// Tries before a block gives up. On a GPU they take seconds, and a block gets the lock long before that.
const PATIENCE: i32 = 10_000_000;

impl Queue {
    /// As many blocks as the reader's size requires.
    pub fn of(lab: &mut Lab) -> Result<Queue> {
        let n = lab.size(shape::SIZE, shape::ELEMENT_BYTES)?;
        let blocks = n.div_ceil(ELEMENTS).min(MOST_BLOCKS) as u32;
        Ok(Queue { blocks, rounds: ROUNDS, schedule: Schedule::RoundRobin })
    }

    pub fn all(self) -> f64 {
        f64::from(self.blocks) * f64::from(self.rounds)
    }
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let (queue, seed) = (Queue::of(lab)?, lab.seed());
    let blocks = counted(queue.blocks.into(), "block");
    let title = format!("which orders does a lock need? {blocks}, {ROUNDS} additions each");
    lab.section("locks", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, is_right) in CASES {
        // A single block has no other block to race with.
        let expected = if is_right || queue.blocks == 1 { Verdict::Ok } else { Verdict::Fault };
        lab.variant(kernel.name, |device| Ok(add(device, kernel, queue, seed)?.expect(expected)))?;
    }
    lab.gpu_notice(hardware);

    let (seeds, Queue { blocks, rounds, .. }) = (weak::SOME, SMALL);
    let title = format!(
        "do these locks hold in a weak memory? {seeds} seeds; {blocks} blocks, {rounds} additions each"
    );
    lab.section("locks_weak", &title, &[GLOBAL_ATOMICS, LOAD_REQUESTS, INSTRUCTIONS_PER_WARP]);
    for (kernel, is_right) in CASES {
        let expected = if is_right { Verdict::Ok } else { Verdict::Wrong };
        lab.variant(&weak::name(kernel), |device| Ok(add_weakly(device, kernel)?.expect(expected)))?;
    }
    lab.notice(orders);
    Ok(())
}

/// The buffers of a launch.
struct Memory {
    launch: Launch,
    count: Buffer<i32>,
    gave_up: Buffer<i32>,
}

fn memory(device: &mut Device, kernel: &'static Kernel, queue: Queue) -> Result<Memory> {
    let (lock, count) = (device.zeroed::<i32>("lock", 2)?, device.zeroed::<i32>("count", 1)?);
    let gave_up = device.zeroed::<i32>("gave_up", 1)?;
    let mut launch = Launch::new(kernel, queue.blocks, 32).arg(lock).arg(count).arg(gave_up);
    launch.simt.schedule = queue.schedule;
    Ok(Memory { launch: launch.arg(queue.rounds).arg(PATIENCE), count, gave_up })
}

/// One addition in each round of each block, and how many of them are lost.
pub fn add(device: &mut Device, kernel: &'static Kernel, queue: Queue, seed: u64) -> Result<Row> {
    let Memory { launch, count, gave_up } = memory(device, kernel, queue)?;
    let run = device.launch(&launch.seed(seed))?;
    let (all, counted, gave_up) = (queue.all(), device.read(count)?, device.read(gave_up)?);
    let row = device.check(run, count, &[all], &Tolerance::Exact)?;
    let row = row.fact("updates", all).fact("lost", all - f64::from(counted.sim[0]));
    let mut row = row.fact("gave_up", gave_up.sim[0].into());
    if let (Some(counted), Some(gave_up)) = (counted.gpu, gave_up.gpu) {
        let lost = all - f64::from(counted[0]);
        let text =
            format!("on the GPU {} of {} updates were lost", grouped(lost as u64), grouped(all as u64));
        row = row.gpu_fact("gpu_lost", lost).gpu_fact("gpu_gave_up", gave_up[0].into()).gpu_remark(text);
    }
    Ok(row)
}

fn add_weakly(device: &mut Device, kernel: &'static Kernel) -> Result<Row> {
    let Memory { launch, count, .. } = memory(device, kernel, SMALL)?;
    let row = weak::seeds(device, &launch, count, weak::SOME, |counted| SMALL.all() - f64::from(counted[0]))?;
    let lost = row.fact_value("worst").unwrap_or_default();
    Ok(row.fact("updates", SMALL.all()).fact("lost", lost))
}

/// What a GPU shows.
fn hardware(section: &Section) -> Option<String> {
    let lost = |kernel: &Kernel| section.row(kernel.name)?.fact_value("gpu_lost");
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.map(|timing| timing.median_us);
    Some(format!(
        "On the GPU {} of {} updates were lost if taking and giving back are relaxed, {} if only giving back \
         has an order, {} if only taking has one, and {} with acquire and release. With acquire and release \
         the kernel takes {:.2} times as long as with two fences, and with no order named {:.2} times as \
         long.",
        lost(&REF_ROUNDS_RELAXED)?,
        section.row(REF_ROUNDS.name)?.fact_value("updates")?,
        lost(&REF_ROUNDS_RELEASE)?,
        lost(&REF_ROUNDS_ACQUIRE)?,
        lost(&REF_ROUNDS)?,
        time(&REF_ROUNDS)? / time(&ROUNDS_FENCES)?,
        time(&REF_ROUNDS_DEFAULT)? / time(&ROUNDS_FENCES)?,
    ))
}

/// What the memory model allows.
fn orders(section: &Section) -> Option<String> {
    let wrong = |kernel: &Kernel| section.row(&weak::name(kernel))?.fact_value("seeds_wrong");
    Some(format!(
        "Of {} seeds {} lose updates if both accesses are relaxed, {} if only giving back releases, {} if only \
         taking acquires, {} if both do in the scope of a block, and {} if both do in the scope of the \
         device.",
        weak::SOME,
        wrong(&REF_ROUNDS_RELAXED)?,
        wrong(&REF_ROUNDS_RELEASE)?,
        wrong(&REF_ROUNDS_ACQUIRE)?,
        wrong(&REF_ROUNDS_BLOCK_SCOPE)?,
        wrong(&REF_ROUNDS)?,
    ))
}
