//! Handshakes inside a block: `__syncthreads`, and a `cuda::barrier` at which threads arrive first and wait later.
//!
//! Each barrier runs as the compiler builds it for three generations of GPUs. The wrong kernels wait too little, or for
//! a thread that does not exist. It leaves out barriers of a grid, and copies that arrive at a barrier by themselves.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::modern_barriers::{
    HAND_ON, HAND_ON_EXTRA, HAND_ON_HALF, HAND_ON_NO_WAIT, RELAY, RELAY_ONE_BARRIER, TURN_BARRIER,
    TURN_SPLIT, TURN_SYNCTHREADS,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{
    BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_ATOMICS, SHARED_REQUESTS,
};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Random, Row, Schedule, Tolerance, Verdict, weak};

use crate::shape::Shape;

const LANES: usize = 32;
/// Blocks that run at the same time and do not communicate.
const BLOCKS: u32 = 4;
/// There is one round for this many of the chapter's elements. On the emulator waiting warps poll again and again, so a
/// round takes long.
const ELEMENTS: u32 = 4096;
const ROUNDS: std::ops::RangeInclusive<u32> = 2..=64;
/// The checkers remember every access, so they watch a separate run of one block and few rounds, and not the run whose
/// counters are shown.
const CHECKED_ROUNDS: i32 = 2;
/// Rounds of a relay.
const RELAYS: i32 = 4;
/// The generations: a word with atomics, an mbarrier that is polled, an mbarrier that can suspend a thread.
const BUILDS: [u32; 3] = [70, 80, 90];
/// The shape that runs with many seeds: a block of four warps.
const SMALL: Shape = Shape { grid: 1, block: 128, seed: 0 };

/// The values that a kernel should leave in `y` if `x` contains these values.
type Expected = fn(&[u32], usize) -> Vec<u32>;

/// Kernels, whether they are right, and their results.
const CASES: [(&Kernel, bool, Expected); 4] = [
    (&RELAY, true, relayed),
    (&RELAY_ONE_BARRIER, false, relayed),
    (&HAND_ON, true, handed_on),
    (&HAND_ON_NO_WAIT, false, handed_on),
];

/// Kernels that may wait for ever, their blocks, and how many random orders of the warps are tried too. A token that is two
/// phases old looks like one of the current phase.
const NEVER_ON_A_GPU: [(&Kernel, u32, u64); 2] = [(&HAND_ON_HALF, 128, weak::SOME), (&HAND_ON_EXTRA, 64, 0)];

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    // Two warps at least, because a handshake needs a second one.
    let rounds = (shape.threads() as u32 / ELEMENTS).clamp(*ROUNDS.start(), *ROUNDS.end()) as i32;
    let shape = Shape { grid: BLOCKS, block: shape.block.max(64), ..shape };
    let title = format!("what does a barrier cost that can be waited for later? {rounds} rounds");
    let columns = [BARRIERS_PER_WARP, SHARED_ATOMICS, SHARED_REQUESTS, INSTRUCTIONS_PER_WARP];
    lab.section("handshakes", &title, &columns);
    lab.variant(TURN_SYNCTHREADS.name, |device| turns(device, &TURN_SYNCTHREADS, BUILDS[0], shape, rounds))?;
    for kernel in [&TURN_BARRIER, &TURN_SPLIT] {
        for arch in BUILDS {
            let name = format!("{kernel}-sm_{arch}");
            lab.variant(&name, |device| turns(device, kernel, arch, shape, rounds))?;
        }
    }
    lab.notice(instructions);
    lab.gpu_notice(times);

    let title = "which handshakes are complete? On this machine, and in a weak memory";
    lab.section("waits", title, &[BARRIERS_PER_WARP, SHARED_REQUESTS, INSTRUCTIONS_PER_WARP]);
    let small = Shape { seed: lab.seed(), ..SMALL };
    for (kernel, is_right, expected) in CASES {
        let verdict = if is_right { Verdict::Ok } else { Verdict::Fault };
        lab.variant(kernel.name, |device| Ok(shake(device, kernel, small, expected)?.expect(verdict)))?;
    }
    for (kernel, block, orders) in NEVER_ON_A_GPU {
        lab.variant(kernel.name, |device| mistaken(device, kernel, Shape { block, ..small }, orders))?;
    }
    // A token that is two phases old is not valid, in any memory.
    for (kernel, is_right, expected) in
        CASES.into_iter().filter(|(kernel, ..)| kernel.name != HAND_ON_HALF.name)
    {
        let verdict = if is_right { Verdict::Ok } else { Verdict::Wrong };
        lab.variant(&weak::name(kernel), |device| Ok(weakly(device, kernel, expected)?.expect(verdict)))?;
    }
    lab.notice(waits);
    Ok(())
}

fn values(shape: Shape) -> Vec<u32> {
    Random::new(shape.seed).words(shape.threads())
}

fn turns(device: &mut Device, kernel: &'static Kernel, arch: u32, shape: Shape, rounds: i32) -> Result<Row> {
    let values = values(shape);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<u32>("y", values.len())?);
    let launch = |grid| Launch::new(kernel, grid, shape.block).arch(arch).map(|launch| launch.arg(x).arg(y));
    let (first, _) = device.trial(&launch(1)?.seed(shape.seed).arg(CHECKED_ROUNDS), y)?;
    let mut run = device.launch(&launch(shape.grid)?.seed(shape.seed).arg(rounds).unchecked())?;
    run.faults.extend(first.faults);
    let expected = turned(&values, shape.block as usize, rounds);
    let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
    device.check(run, y, &expected, &Tolerance::Exact)
}

/// After each round a thread has the value of the thread one warp further, and a new value of its own.
fn turned(values: &[u32], block: usize, rounds: i32) -> Vec<u32> {
    let mut values = values.to_vec();
    for _ in 0..rounds {
        let before = values.clone();
        for (i, value) in values.iter_mut().enumerate() {
            *value = worked(*value).wrapping_add(before[one_warp_further(i, block)]);
        }
    }
    values
}

fn worked(value: u32) -> u32 {
    (0..8).fold(value, |value, _| value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

fn one_warp_further(i: usize, block: usize) -> usize {
    i / block * block + (i % block + LANES) % block
}

fn handed_on(values: &[u32], block: usize) -> Vec<u32> {
    (0..values.len()).map(|i| values[one_warp_further(i, block)]).collect()
}

/// For each lane, the sum of what warp 0 has made for the opposite lane.
fn relayed(values: &[u32], block: usize) -> Vec<u32> {
    let made = |lane: usize| (0..RELAYS as usize).map(|round| round * LANES + lane).sum::<usize>();
    let sum = |i: usize| if i % block < LANES { 0 } else { made(LANES - 1 - i % LANES) };
    (0..values.len()).map(|i| sum(i) as u32).collect()
}

/// A launch with its buffers, and the buffer for the result.
fn prepare(
    device: &mut Device,
    kernel: &'static Kernel,
    shape: Shape,
    values: &[u32],
) -> Result<(Launch, Buffer<u32>)> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<u32>("y", values.len())?);
    let launch = Launch::new(kernel, shape.grid, shape.block).seed(shape.seed);
    let is_relay = kernel.name.starts_with(RELAY.name);
    let launch = if is_relay { launch.arg(y).arg(RELAYS) } else { launch.arg(x).arg(y) };
    Ok((launch, y))
}

fn shake(device: &mut Device, kernel: &'static Kernel, shape: Shape, expected: Expected) -> Result<Row> {
    let values = values(shape);
    let (launch, y) = prepare(device, kernel, shape, &values)?;
    let run = device.launch(&launch)?;
    let expected = expected(&values, shape.block as usize);
    let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
    device.check(run, y, &expected, &Tolerance::Exact)
}

/// A run on the emulator alone. A row without kernels is one that no GPU runs. Which mistakes show depends on the order of
/// the warps, so findings of other kinds are added from runs in random order.
fn mistaken(device: &mut Device, kernel: &'static Kernel, shape: Shape, orders: u64) -> Result<Row> {
    let (launch, y) = prepare(device, kernel, shape, &values(shape))?;
    let (mut run, _) = device.trial(&launch, y)?;
    for more in 0..orders {
        let mut launch = launch.clone().seed(shape.seed.wrapping_add(more));
        launch.simt.schedule = Schedule::Random;
        for fault in device.trial(&launch, y)?.0.faults {
            if run.faults.iter().all(|known| known.kind != fault.kind) {
                run.faults.push(fault);
            }
        }
    }
    run.kernels.clear();
    let verdict = if run.faults.is_empty() { Verdict::Ok } else { Verdict::Fault };
    Ok(Row::new(run, verdict).expect(Verdict::Fault))
}

fn weakly(device: &mut Device, kernel: &'static Kernel, expected: Expected) -> Result<Row> {
    let values = values(SMALL);
    let (launch, y) = prepare(device, kernel, SMALL, &values)?;
    let expected = expected(&values, SMALL.block as usize);
    let missing = |y: &[u32]| y.iter().zip(&expected).filter(|(got, wanted)| got != wanted).count() as f64;
    weak::seeds(device, &launch, y, weak::SOME, missing)
}

fn instructions(section: &Section) -> Option<String> {
    let cost = |name: &str| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "A warp executes {:.0} PTX instructions with __syncthreads. With arrive_and_wait it executes {:.0} where \
         a barrier is a word with atomics (sm_70), {:.0} with an mbarrier (sm_80), and {:.0} with one that can \
         suspend a thread (sm_90). How many of them are turns of the waiting loop depends on the order in which \
         the warps get their turns.",
        cost("turn_syncthreads")?,
        cost("turn_barrier-sm_70")?,
        cost("turn_barrier-sm_80")?,
        cost("turn_barrier-sm_90")?,
    ))
}

fn times(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.map(|timing| timing.median_us);
    let relative = |name: &str| Some(time(name)? / time("turn_syncthreads")?);
    Some(format!(
        "On the GPU, relative to __syncthreads: arrive_and_wait takes {:.2} times as long as built for sm_70, \
         {:.2} for sm_80 and {:.2} for sm_90. With the work between arriving and waiting it takes {:.2}, {:.2} \
         and {:.2}.",
        relative("turn_barrier-sm_70")?,
        relative("turn_barrier-sm_80")?,
        relative("turn_barrier-sm_90")?,
        relative("turn_split-sm_70")?,
        relative("turn_split-sm_80")?,
        relative("turn_split-sm_90")?,
    ))
}

fn waits(section: &Section) -> Option<String> {
    let wrong = |kernel: &Kernel| section.row(&weak::name(kernel))?.fact_value("seeds_wrong");
    let kinds = |kernel: &Kernel| {
        let faults = &section.row(kernel.name)?.run.faults;
        let names: Vec<&str> = faults.iter().map(|fault| fault.kind.name()).collect();
        Some(names.join(", "))
    };
    Some(format!(
        "Of {} seeds {} read a value too early if threads arrive and do not wait, and {} if they wait. If the \
         barrier expects half of the threads, the emulator finds, in one order of the warps or another: {}. If \
         it expects one thread too many: {}. Neither is given to a GPU.",
        weak::SOME,
        wrong(&HAND_ON_NO_WAIT)?,
        wrong(&HAND_ON)?,
        kinds(&HAND_ON_HALF)?,
        kinds(&HAND_ON_EXTRA)?,
    ))
}
