//! What can still be saved once the pairs are well chosen, step by step.
//!
//! Each kernel adds one idea to the kernel before it. Shuffles, wide loads, and a last block that adds up the
//! block sums itself are left to chapter 4.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::reduction::REDUCE_INTERLEAVED;
use thirty_two_lanes::kernels::reduction_steps::{
    REDUCE_EIGHT_PARTS, REDUCE_SHARED, REDUCE_SHARED_LAST_WARP, REDUCE_TWO_PARTS,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS, LOAD_SECTORS, STORE_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Lab, Row};

use crate::sum::{ELEMENT_BYTES, Reduction, integers, on_the_clock};

/// A step: its row, its kernel, and how many elements each thread takes.
static STEPS: [(&str, &Kernel, u32); 5] = [
    ("in_global_memory", &REDUCE_INTERLEAVED, 1),
    ("two_parts", &REDUCE_TWO_PARTS, 2),
    ("eight_parts", &REDUCE_EIGHT_PARTS, 8),
    ("shared", &REDUCE_SHARED, 8),
    ("shared_last_warp", &REDUCE_SHARED_LAST_WARP, 8),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(16_384, ELEMENT_BYTES)?, lab.block(128), lab.seed());
    let columns = [INSTRUCTIONS, LOAD_SECTORS, STORE_SECTORS, BARRIERS_PER_WARP];
    lab.section("steps", "what is left to save?", &columns);
    for (name, kernel, parts) in STEPS {
        let reduction = Reduction { kernel, block, parts, seed };
        lab.variant(name, |device| reduction.run(device, &integers(n, seed)))?;
    }
    lab.notice(instructions);
    lab.notice(|section| sectors(section, n));
    lab.gpu_notice(on_the_clock);
    Ok(())
}

/// The first step and the last one.
fn ends(section: &Section) -> Option<[&Row; 2]> {
    Some([section.row(STEPS[0].0)?, section.row(STEPS[STEPS.len() - 1].0)?])
}

fn instructions(section: &Section) -> Option<String> {
    let [first, last] = ends(section)?.map(|row| row.run.counters);
    (last.ptx_instructions < first.ptx_instructions).then(|| {
        format!(
            "The last kernel executes {:.1} times fewer PTX instructions than the first, with {} warps \
             instead of {}: the best use of idle threads is not to launch them.",
            first.ptx_instructions as f64 / last.ptx_instructions as f64,
            grouped(last.warps),
            grouped(first.warps),
        )
    })
}

fn sectors(section: &Section, n: usize) -> Option<String> {
    let [first, last] = ends(section)?.map(|row| row.run.counters);
    let once = n.div_ceil(8) as u64;
    (last.global_load_sectors == once && first.global_load_sectors > once).then(|| {
        format!(
            "The elements fill {} sectors. The kernel that works in place loads {}; with the sums in shared \
             memory each sector is loaded once, and no kernel that reads all elements can do with fewer.",
            grouped(once),
            grouped(first.global_load_sectors),
        )
    })
}
