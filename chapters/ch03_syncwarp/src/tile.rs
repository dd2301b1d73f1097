//! Load into shared memory, wait at a barrier, use: the pattern, and what happens without the barrier.
//!
//! Each thread takes what a thread at the other end of its block has loaded. It leaves out tiles with a halo.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::syncwarp::{TILE_BARRIER, TILE_NO_BARRIER};
use thirty_two_lanes::report::columns::{BARRIERS_PER_WARP, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance};

use crate::common::{SEEDS, Trials, doubles, integers, racing};

const N: usize = 512;
const BLOCK: u32 = 128;

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("does a tile need its barrier? {N} elements, blocks of {BLOCK}, {SEEDS} seeds each");
    lab.section("tile", &title, &[BARRIERS_PER_WARP, SHARED_REQUESTS, INSTRUCTIONS_PER_WARP]);
    lab.variant(TILE_BARRIER.name, |device| reverse(device, &TILE_BARRIER, seed))?;
    lab.variant(TILE_NO_BARRIER.name, |device| {
        let row = reverse(device, &TILE_NO_BARRIER, seed)?;
        Ok(racing(device, row))
    })?;
    lab.notice(|section| {
        let cost = |kernel: &Kernel| Some(section.row(kernel.name)?.run.counters.ptx_instructions_per_warp());
        let (without, with) = (cost(&TILE_NO_BARRIER)?, cost(&TILE_BARRIER)?);
        let wrong = section.row(TILE_NO_BARRIER.name)?.fact_value("seeds_wrong")?;
        Some(format!(
            "The barrier accounts for {:.2} of {with:.2} PTX instructions per warp. Without it, {wrong} of \
             {SEEDS} results are wrong.",
            with - without
        ))
    });
    Ok(())
}

fn reverse(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = integers(N, seed);
    let (x, y) = (device.upload("x", &values)?, device.zeroed::<i32>("y", N)?);
    let launch = Launch::cover(kernel, N, BLOCK).seed(seed).arg(x).arg(y);
    let tiles = values.chunks(BLOCK as usize);
    let expected = doubles(&tiles.flat_map(|tile| tile.iter().rev().copied()).collect::<Vec<_>>());
    let trials = Trials::of(device, &launch, y, &expected)?;
    let run = device.launch(&launch)?;
    Ok(trials.add_to(device.check(run, y, &expected, &Tolerance::Exact)?))
}
