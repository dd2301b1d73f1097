//! Three kernels on a whole array: the same sums, at three different prices.
//!
//! The kernels work in global memory and in place, like those of the note on reduction, and test each partner
//! against the length of the block's part. Shared memory is left to the end of the chapter.

use anyhow::Result;
use thirty_two_lanes::Lab;
use thirty_two_lanes::kernels::reduction::{REDUCE_INTERLEAVED, REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS};
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS,
};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::report::{Row, Section};

use crate::sum::{ELEMENT_BYTES, Reduction, integers, on_the_clock};

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(16_384, ELEMENT_BYTES)?, lab.block(128), lab.seed());
    let columns = [DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS];
    lab.section("in_place", "what does each pairing cost, in instructions and in memory?", &columns);
    for kernel in [&REDUCE_NEIGHBORED, &REDUCE_NEIGHBORED_LESS, &REDUCE_INTERLEAVED] {
        let reduction = Reduction { kernel, block, parts: 1, seed };
        lab.variant(kernel.name, |device| reduction.run(device, &integers(n, seed)))?;
    }
    lab.notice(same_sum);
    lab.notice(fewer_instructions);
    lab.notice(fewer_sectors);
    lab.gpu_notice(on_the_clock);
    Ok(())
}

fn rows(section: &Section) -> Option<[&Row; 3]> {
    let row = |kernel: &thirty_two_lanes::kernel::Kernel| section.row(kernel.name);
    Some([row(&REDUCE_NEIGHBORED)?, row(&REDUCE_NEIGHBORED_LESS)?, row(&REDUCE_INTERLEAVED)?])
}

fn same_sum(section: &Section) -> Option<String> {
    let sums = rows(section)?.map(|row| row.fact_value("sum"));
    let sum = sums[0]?;
    sums.iter()
        .all(|other| *other == Some(sum))
        .then(|| format!("All three sums are {}: integers may be added in any order.", grouped(sum as u64)))
}

fn fewer_instructions(section: &Section) -> Option<String> {
    let [neighbored, less, _] = rows(section)?.map(|row| row.run.counters);
    let same = neighbored.global_load_sectors == less.global_load_sectors;
    (same && less.global_load_requests < neighbored.global_load_requests).then(|| {
        format!(
            "With the working lanes side by side, a warp executes {:.2} PTX instructions instead of {:.2}, \
             and {} load requests are made instead of {}. But just as many sectors are loaded, so if the \
             bytes per second go up, that is only because the time goes down.",
            less.ptx_instructions_per_warp(),
            neighbored.ptx_instructions_per_warp(),
            grouped(less.global_load_requests),
            grouped(neighbored.global_load_requests),
        )
    })
}

/// The answer to the question that the note leaves open.
fn fewer_sectors(section: &Section) -> Option<String> {
    let [_, less, interleaved] = rows(section)?.map(|row| row.run.counters);
    let same = less.global_load_requests == interleaved.global_load_requests
        && less.ptx_divergent_branches == interleaved.ptx_divergent_branches;
    (same && interleaved.global_load_sectors < less.global_load_sectors).then(|| {
        format!(
            "With the elements side by side as well, there are as many divergent branches and requests, but \
             {:.2} sectors in each request instead of {:.2}, so {:.2} times fewer in total. The note \
             wondered why its fastest kernel had the lowest throughput: it has fewer bytes to move.",
            interleaved.global_load_sectors_per_request(),
            less.global_load_sectors_per_request(),
            less.global_load_sectors as f64 / interleaved.global_load_sectors as f64,
        )
    })
}

const N: usize = 16_384;

/// The same kernel in two shapes. In the one in which a warp diverges more often, it executes fewer
/// instructions.
pub fn blocks(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("does more divergence mean more instructions? One kernel, {N} elements");
    lab.section("blocks", &title, &[DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    for (name, block) in [("interleaved_block_32", 32), ("interleaved_block_1024", 1024)] {
        let reduction = Reduction { kernel: &REDUCE_INTERLEAVED, block, parts: 1, seed };
        lab.variant(name, |device| reduction.run(device, &integers(N, seed)))?;
    }
    lab.notice(|section| {
        let counters = |name| section.row(name).map(|row| row.run.counters);
        let parted = |name| counters(name).map(|c| c.ptx_divergent_branches as f64 / c.warps as f64);
        let (small, large) = (counters("interleaved_block_32")?, counters("interleaved_block_1024")?);
        Some(format!(
            "In blocks of one warp, a warp diverges {:.2} times on average and executes {:.2} PTX \
             instructions. In large blocks it diverges {:.2} times and executes {:.2}, because every warp \
             goes through all rounds of its block. So divergence alone says little.",
            parted("interleaved_block_32")?,
            small.ptx_instructions_per_warp(),
            parted("interleaved_block_1024")?,
            large.ptx_instructions_per_warp(),
        ))
    });
    Ok(())
}
