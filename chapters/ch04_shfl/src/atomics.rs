//! Atomics: one for each lane, each warp or each block, and one lane that draws places for all.
//!
//! An atomic instruction of a warp is one request, however many lanes take part. Each of these lanes is an
//! update, and memory has to do the updates of one address one after another; a trace counts them. It leaves
//! out what happens when many warps run at the same time, as they do only on a GPU.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::block_sums::{SUM_ATOMIC_LANE, SUM_ATOMIC_WARP, SUM_WARPS_FIRST};
use thirty_two_lanes::kernels::groups::{FILTER_EACH, FILTER_TOGETHER};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::sums::{elements, exact, judged};

const N: usize = 4096;
const BLOCK: u32 = 128;

const SUMS: [(&str, &Kernel); 3] = [
    ("atomic_each_lane", &SUM_ATOMIC_LANE),
    ("atomic_each_warp", &SUM_ATOMIC_WARP),
    ("atomic_each_block", &SUM_WARPS_FIRST),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("how many atomics per warp? {N} elements, blocks of {BLOCK}; sums and filters");
    lab.section("atomics", &title, &[GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP]);
    for (name, kernel) in SUMS {
        lab.variant(name, |device| summed(device, kernel, seed))?;
    }
    lab.variant("filter_each", |device| filtered(device, &FILTER_EACH, seed))?;
    lab.variant("filter_together", |device| filtered(device, &FILTER_TOGETHER, seed))?;
    for name in SUMS.iter().map(|(name, _)| *name).chain(["filter_each", "filter_together"]) {
        lab.notice(|section| updates_of(section, name));
    }
    lab.notice(one_for_all);
    lab.gpu_notice(on_the_clock);
    Ok(())
}

fn summed(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = elements(N, seed);
    let (x, total) = (device.upload("x", &values)?, device.zeroed::<f32>("total", 1)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).arg(x).arg(total).arg(N as i32);
    let updates = updates(device, &launch)?;
    let run = device.launch(&launch)?;
    Ok(judged(device, run, total, exact(&values), N)?.fact("updates", updates))
}

/// The lanes that took part in atomics on global memory, each of which is an update.
fn updates(device: &mut Device, launch: &Launch) -> Result<f64> {
    let is_atomic = |word: &str| word.starts_with("atom.") || word.starts_with("red.");
    let trace = device.trace(launch)?;
    let atomics = trace.iter().filter(|step| step.ptx.split_whitespace().any(is_atomic));
    Ok(atomics.map(|step| f64::from(step.active.count_ones())).sum())
}

/// The order of the kept elements depends on the schedule; which elements are kept does not.
fn filtered(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values: Vec<i32> = Random::new(seed).words(N).iter().map(|&word| word as i32).collect();
    let (x, kept) = (device.upload("x", &values)?, device.zeroed::<i32>("kept", N)?);
    let count = device.zeroed::<i32>("count", 1)?;
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).arg(x).arg(kept).arg(count).arg(N as i32);
    let updates = updates(device, &launch)?;
    let run = device.launch(&launch)?;
    let mut positive: Vec<i32> = values.into_iter().filter(|&value| value > 0).collect();
    positive.sort_unstable();
    let contents = device.read(kept)?;
    let is_kept = |mut got: Vec<i32>| {
        got.truncate(positive.len());
        got.sort_unstable();
        got == positive
    };
    let all_kept = is_kept(contents.sim) && contents.gpu.is_none_or(is_kept);
    let row = device.check(run, count, &[positive.len() as f64], &Tolerance::Exact)?;
    let verdict = if all_kept { row.verdict } else { Verdict::Wrong };
    Ok(Row { verdict, ..row }.fact("updates", updates))
}

fn updates_of(section: &Section, name: &str) -> Option<String> {
    let row = section.row(name)?;
    let counters = &row.run.counters;
    let requests = counters.global_atomic_requests + counters.global_reduction_requests;
    let updates = row.fact_value("updates")?;
    Some(format!(
        "{name}: {} updates in {} requests, which is {:.1} for each.",
        grouped(updates as u64),
        grouped(requests),
        updates / requests as f64,
    ))
}

fn one_for_all(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (each, together) = (counters("filter_each")?, counters("filter_together")?);
    Some(format!(
        "If one lane acts for all, the filter takes {:.0} PTX instructions per warp instead of {:.0}, and \
         memory has fewer updates to do. In machine code for an H200, the assembler makes the same change to \
         `filter_each` by itself, but not to sums of floats.",
        together.ptx_instructions_per_warp(),
        each.ptx_instructions_per_warp(),
    ))
}

fn on_the_clock(section: &Section) -> Option<String> {
    let time = |name| Some(section.row(name)?.run.timing.as_ref()?.median_us);
    Some(format!(
        "On the GPU, the sum takes {:.1} µs if each lane adds, {:.1} µs if one lane of each warp does, and \
         {:.1} µs if one lane of each block does. The filters take {:.1} and {:.1} µs.",
        time("atomic_each_lane")?,
        time("atomic_each_warp")?,
        time("atomic_each_block")?,
        time("filter_each")?,
        time("filter_together")?,
    ))
}
