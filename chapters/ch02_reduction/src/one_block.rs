//! One block in detail: which elements form pairs, which lanes add them, and which warps have nothing to do.
//!
//! How much memory is moved is left to the next section, because that takes many blocks.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::reduction::{REDUCE_INTERLEAVED, REDUCE_NEIGHBORED, REDUCE_NEIGHBORED_LESS};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::{Device, Lab, Row};

use crate::sum::{Reduction, integers};
use crate::{pictures, rounds};

/// Eight warps, so that in three rounds the pairs can fill whole warps.
pub const THREADS: u32 = 256;

/// The three kernels, and their names in this section.
pub static KERNELS: [(&str, &Kernel); 3] = [
    ("block_neighbored", &REDUCE_NEIGHBORED),
    ("block_less", &REDUCE_NEIGHBORED_LESS),
    ("block_interleaved", &REDUCE_INTERLEAVED),
];

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("which pairs are added, and by which lanes? One block of {THREADS}");
    lab.section("one_block", &title, &[DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP]);
    for (name, kernel) in KERNELS {
        lab.variant(name, |device| one_block(device, kernel, seed))?;
    }
    lab.picture("pairs", pictures::pairs)?;
    lab.picture("lanes", pictures::lanes)?;
    lab.picture("warps", pictures::warps)?;
    lab.notice(idle);
    lab.notice(whole_warps);
    Ok(())
}

fn one_block(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let reduction = Reduction { kernel, block: THREADS, parts: 1, seed };
    let row = reduction.run(device, &integers(THREADS as usize, seed))?;
    let pairs = rounds::pairs(device, kernel)?;
    let distance =
        |round| pairs.iter().find(|pair| pair.round == round).map_or(0, |pair| pair.into.abs_diff(pair.from));
    let (rounds, last) = (rounds::of(device, kernel, THREADS)?, THREADS / 32 - 1);
    Ok(row
        .fact("idle_1", rounds.idle(0))
        .fact("idle_2", rounds.idle(1))
        .fact("idle_3", rounds.idle(2))
        .fact("distance_1", distance(0) as f64)
        .fact("distance_2", distance(1) as f64)
        .fact("rounds_first_warp_adds", rounds.adds(0) as f64)
        .fact("rounds_last_warp_adds", rounds.adds(last) as f64)
        .fact("ptx_first_warp", rounds.issued[0].into())
        .fact("ptx_last_warp", rounds.issued[last as usize].into()))
}

fn idle(section: &Section) -> Option<String> {
    let idle = |name| {
        let row = section.row(name)?;
        let shares: Option<Vec<f64>> =
            ["idle_1", "idle_2", "idle_3"].into_iter().map(|fact| row.fact_value(fact)).collect();
        Some(shares?.iter().map(|share| format!("{:.1} %", 100.0 * share)).collect::<Vec<_>>().join(", "))
    };
    Some(format!(
        "In the first three rounds, {} of the lanes are idle in the warps that add if thread i adds to \
         element i, and {} if thread k adds pair k.",
        idle("block_neighbored")?,
        idle("block_less")?
    ))
}

fn whole_warps(section: &Section) -> Option<String> {
    let fact = |name, fact| section.row(name)?.fact_value(fact);
    let (neighbored, less) = ("block_neighbored", "block_less");
    Some(format!(
        "In `block_neighbored` the last warp adds in {} rounds and executes {} PTX instructions. In \
         `block_less` it adds in {} and still executes {}, because it goes through the loop and its barriers \
         all the same.",
        fact(neighbored, "rounds_last_warp_adds")?,
        fact(neighbored, "ptx_last_warp")?,
        fact(less, "rounds_last_warp_adds")?,
        fact(less, "ptx_last_warp")?,
    ))
}
