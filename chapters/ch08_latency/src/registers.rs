//! What if a thread needs many registers? Then fewer warps fit. Or the compiler is asked to make all of them fit, and
//! stores in memory what has no register.
//!
//! Registers are not limited in PTX, so the emulator executes the same instructions in both rows, and only a GPU shows
//! the difference. It leaves out how many registers the assembler gives a kernel, which a profiler shows.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::latency::{HOLD, HOLD_BOUNDED, HOLD_FEW, HOLD_FEW_BOUNDED};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

const BLOCK: usize = 256;
/// How many numbers a thread holds: many, and few.
const MANY: usize = 64;
const FEW: usize = 16;
const ROUNDS: usize = 64;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, seed) = (lab.size(1 << 14, 8)?, lab.seed());
    let threads = n.div_ceil(MANY * BLOCK) * BLOCK;
    let title = format!(
        "do registers matter? {} threads (--size / {MANY} in whole blocks), which hold {MANY} or {FEW} numbers each",
        grouped(threads as u64)
    );
    lab.section("registers", &title, &[INSTRUCTIONS_PER_WARP, LOAD_SECTORS, STORE_SECTORS]);
    for (name, kernel, numbers) in [
        ("hold", &HOLD, MANY),
        ("hold_bounded", &HOLD_BOUNDED, MANY),
        ("hold_few", &HOLD_FEW, FEW),
        ("hold_few_bounded", &HOLD_FEW_BOUNDED, FEW),
    ] {
        lab.variant(name, |device| held(device, kernel, threads, numbers, seed))?;
    }
    lab.notice(same_counts);
    lab.gpu_notice(clock);
    Ok(())
}

fn held(
    device: &mut Device,
    kernel: &'static Kernel,
    threads: usize,
    numbers: usize,
    seed: u64,
) -> Result<Row> {
    let values = Random::new(seed).words(threads * numbers);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<u32>("y", values.len())?);
    let launch = Launch::new(kernel, (threads / BLOCK) as u32, BLOCK as u32).seed(seed);
    let run = device.launch(&launch.arg(x).arg(y).arg(ROUNDS as i32))?;
    device.check(run, y, &mixed(values, threads), &Tolerance::Exact)
}

/// Each thread's numbers are a grid apart; in each round, each number is increased by its neighbour.
fn mixed(mut values: Vec<u32>, threads: usize) -> Vec<f64> {
    let numbers = values.len() / threads;
    for _ in 0..ROUNDS {
        for k in 0..numbers {
            let (own, other) = (k * threads, (k + 1) % numbers * threads);
            for thread in 0..threads {
                values[own + thread] = values[own + thread].wrapping_add(values[other + thread]);
            }
        }
    }
    values.into_iter().map(f64::from).collect()
}

fn same_counts(section: &Section) -> Option<String> {
    let per_warp = |name: &str| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "A warp executes {:.0} PTX instructions without a bound on registers, and {:.0} with one, because the \
         compiler computes addresses again instead of holding them. No number is kept in memory: PTX has as many \
         registers as a kernel wants. Only the GPU's clock shows what the assembler's choice of registers costs.",
        per_warp("hold")?,
        per_warp("hold_bounded")?
    ))
}

fn clock(section: &Section) -> Option<String> {
    let time = |name: &str| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    Some(format!(
        "On the GPU, with as many registers as the compiler wants, 64 numbers in each thread take {:.1} µs and 16 take \
         {:.1} µs. With so few that 64 warps fit, they take {:.1} and {:.1} µs.",
        time("hold")?,
        time("hold_few")?,
        time("hold_bounded")?,
        time("hold_few_bounded")?,
    ))
}
