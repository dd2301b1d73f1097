//! How long does one addition take? Chains of additions, by few warps and by many, and several in a thread.
//!
//! Each thread makes the same number of additions in every row. With one chain an addition waits for the one before;
//! with several, others can be issued meanwhile. One block runs, so one multiprocessor works, and its warps are divided
//! among four schedulers. It leaves out instructions that wait for memory.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::latency::{CHAINS_1, CHAINS_2, CHAINS_4, CHAINS_8};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

use crate::multiprocessor::SCHEDULERS;

const ADDITIONS: usize = 32_768;
const STEP: f32 = 0.25;
const KERNELS: [(usize, &Kernel); 4] = [(1, &CHAINS_1), (2, &CHAINS_2), (4, &CHAINS_4), (8, &CHAINS_8)];
const WARPS: [u32; 4] = [4, 8, 16, 32];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("how long does an addition take? One block, {ADDITIONS} additions in each thread");
    lab.section("chains", &title, &[INSTRUCTIONS_PER_WARP, INSTRUCTIONS]);
    for warps in WARPS {
        for (chains, kernel) in KERNELS {
            lab.variant(&format!("chains_{chains}_warps_{warps}"), |device| {
                chained(device, kernel, chains, warps, seed)
            })?;
        }
    }
    lab.notice(same_work);
    lab.gpu_notice(clock);
    Ok(())
}

/// All numbers are multiples of a quarter and below 2^20, so every sum is exact in any order.
fn chained(
    device: &mut Device,
    kernel: &'static Kernel,
    chains: usize,
    warps: u32,
    seed: u64,
) -> Result<Row> {
    let threads = 32 * warps as usize;
    let start: Vec<f32> = (0..32_u8).map(|lane| f32::from(lane) / 4.0).collect();
    let expected = |thread: usize| {
        let chain = |chain: usize| start[thread % 32] + chain as f32 + (ADDITIONS / chains) as f32 * STEP;
        f64::from((0..chains).map(chain).sum::<f32>())
    };
    let expected: Vec<f64> = (0..threads).map(expected).collect();
    let (start, out) = (device.upload("start", &start)?, device.zeroed::<f32>("out", threads)?);
    let launch = Launch::new(kernel, 1, threads as u32).seed(seed).unchecked().arg(start).arg(out).arg(STEP);
    let run = device.launch(&launch)?;
    let additions = (ADDITIONS * threads) as f64;
    let rate = run.timing.as_ref().map(|timing| additions / (1e3 * timing.median_us));
    let row = device.check(run, out, &expected, &Tolerance::Exact)?;
    let row = row.fact("chains", chains as f64).fact("warps_per_scheduler", f64::from(warps / SCHEDULERS));
    let row = row.fact("additions", additions);
    Ok(match rate {
        Some(rate) => row.gpu_fact("additions_per_ns", rate),
        None => row,
    })
}

fn same_work(section: &Section) -> Option<String> {
    let per_warp = |name: &str| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    Some(format!(
        "A warp executes {:.0} PTX instructions with one chain and {:.0} with eight. What differs is which of them \
         have to wait for which.",
        per_warp("chains_1_warps_4")?,
        per_warp("chains_8_warps_4")?
    ))
}

fn clock(section: &Section) -> Option<String> {
    let time = |name: &str| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    Some(format!(
        "On the GPU, four warps take {:.1} µs with one chain in each thread and {:.1} µs with eight. Sixteen warps, \
         which do four times the work, take {:.1} µs with one chain.",
        time("chains_1_warps_4")?,
        time("chains_8_warps_4")?,
        time("chains_1_warps_16")?,
    ))
}
