//! Shuffles instead of shared memory, or fewer atomics: which of these saves time?
//!
//! The number of elements is fixed, and larger than in the other sections, where most of the time is the launch. No
//! checker watches these launches, because the other sections check the same kernels. It leaves out sums without an
//! atomic on the total, which come next.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{SUM_ATOMIC_WARP, SUM_SHARED, SUM_SHUFFLE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Row};

use crate::sums::{elements, exact, judged};

const N: usize = 1 << 19;
const BLOCK: u32 = 128;

const KERNELS: [(&str, &Kernel); 3] =
    [("clock_shared", &SUM_SHARED), ("clock_shuffle", &SUM_SHUFFLE), ("clock_each_warp", &SUM_ATOMIC_WARP)];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("which sum takes the least time? {} elements, blocks of {BLOCK}", grouped(N as u64));
    lab.section("clock", &title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, GLOBAL_ATOMICS]);
    let values = elements(N, seed);
    let sum = exact(&values);
    for (name, kernel) in KERNELS {
        lab.variant(name, |device| summed(device, kernel, &values, sum, seed))?;
    }
    lab.notice(few_instructions);
    lab.gpu_notice(on_the_clock);
    Ok(())
}

fn summed(device: &mut Device, kernel: &'static Kernel, values: &[f32], sum: f64, seed: u64) -> Result<Row> {
    let (x, total) = (device.upload("x", values)?, device.zeroed::<f32>("total", 1)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).unchecked().arg(x).arg(total).arg(N as i32);
    let run = device.launch(&launch)?;
    // The rounds of a block or of a warp, and then one addition for each block, or at worst for each warp.
    judged(device, run, total, sum, 10 + N / 32)
}

fn few_instructions(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (shared, each_warp) = (counters("clock_shared")?, counters("clock_each_warp")?);
    Some(format!(
        "A sum with one atomic for each warp takes {:.0} PTX instructions per warp instead of {:.0}, and \
         needs neither shared memory nor a barrier. But its {} atomics all go to one address, where they are \
         done one after another.",
        each_warp.ptx_instructions_per_warp(),
        shared.ptx_instructions_per_warp(),
        grouped(each_warp.global_atomic_requests + each_warp.global_reduction_requests),
    ))
}

fn on_the_clock(section: &Section) -> Option<String> {
    let time = |name| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    Some(format!(
        "On the GPU, the sum takes {:.1} µs in shared memory, {:.1} µs by shuffles, and {:.1} µs with one \
         atomic for each warp.",
        time("clock_shared")?,
        time("clock_shuffle")?,
        time("clock_each_warp")?,
    ))
}
