//! Cooperative groups: blocks, tiles and lanes that arrive together, as objects that know their lanes.
//!
//! What they report about themselves is compared with the launch, and what they can do is compared with the functions
//! of the warp. It leaves out groups of several blocks.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::features_groups::GROUP_COALESCED;
use thirty_two_lanes::kernels::groups::{
    BLOCK_MEMBERS, FORGOTTEN_WIDTH, MASKED_FUNCTIONS, PLAIN_GROUPS, TILE_FUNCTIONS, TILE_SUMS,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP, SHARED_REQUESTS};
use thirty_two_lanes::{Device, Dim3, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::picture::{LANES, line, ruler, tiles};

const N: usize = 2 * LANES;
const TILES: [usize; 4] = [4, 8, 16, 32];

pub fn section(lab: &mut Lab) -> Result<()> {
    let values = Random::new(lab.seed()).words(N);
    let values: Vec<i32> = values.iter().map(|word| (word % 251) as i32 - 100).collect();
    let title = "what do groups know, and what can they do? Two warps";
    lab.section("groups", title, &[INSTRUCTIONS_PER_WARP, SHARED_REQUESTS, DIVERGENT_BRANCHES]);
    lab.variant("members_1d", |device| members(device, Dim3::new(6, 1, 1), Dim3::new(32, 1, 1)))?;
    lab.variant("members_3d", |device| members(device, Dim3::new(2, 3, 2), Dim3::new(4, 3, 2)))?;
    lab.variant("tile_sums", |device| tile_sums(device, &values))?;
    lab.variant("tile_functions", |device| functions(device, &TILE_FUNCTIONS, &values))?;
    lab.variant("masked_functions", |device| functions(device, &MASKED_FUNCTIONS, &values))?;
    lab.variant("forgotten_width", |device| {
        Ok(functions(device, &FORGOTTEN_WIDTH, &values)?.expect(Verdict::Wrong))
    })?;
    lab.variant("plain_groups", |device| plain(device, &values))?;
    lab.variant("coalesced", |device| coalesced(device, &values))?;
    lab.picture("tile_picture", tile_picture)?;
    lab.picture("coalesced_picture", coalesced_picture)?;
    lab.notice(coordinates);
    lab.notice(mask_and_width);
    lab.notice(plain_needs_memory);
    Ok(())
}

fn members(device: &mut Device, grid: Dim3, block: Dim3) -> Result<Row> {
    let (blocks, threads) = (grid.count(), block.count());
    let y = device.zeroed::<u32>("y", (8 * blocks * threads) as usize)?;
    let run = device.launch(&Launch::new(&BLOCK_MEMBERS, grid, block).arg(y))?;
    let of_thread = |i: u64| {
        let (group, rank) = (grid.nth(i / threads), i % threads);
        let thread = block.nth(rank);
        [group.x, group.y, group.z, thread.x, thread.y, thread.z, rank as u32, threads as u32]
    };
    let expected: Vec<f64> = (0..blocks * threads).flat_map(of_thread).map(f64::from).collect();
    let mut by_x: Vec<u32> = device.read(y)?.sim.iter().step_by(8).copied().collect();
    by_x.sort_unstable();
    by_x.dedup();
    let row = device.check(run, y, &expected, &Tolerance::Exact)?;
    Ok(row.fact("blocks", blocks as f64).fact("blocks_distinct_by_x", by_x.len() as f64))
}

fn sums_of(values: &[i32], size: usize) -> Vec<i32> {
    values.chunks(size).flat_map(|tile| vec![tile.iter().sum(); size]).collect()
}

fn tile_sums(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", TILES.len() * N)?);
    let run = device.launch(&Launch::new(&TILE_SUMS, 1, N as u32).arg(x).arg(y))?;
    let sums = TILES.map(|size| sums_of(values, size));
    let expected: Vec<f64> = (0..N).flat_map(|i| sums.each_ref().map(|sums| f64::from(sums[i]))).collect();
    device.check(run, y, &expected, &Tolerance::Exact)
}

/// The expected answers of a tile of 8: four shuffles and two votes.
fn functions(device: &mut Device, kernel: &'static Kernel, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", 6 * N)?);
    let run = device.launch(&Launch::new(kernel, 1, N as u32).arg(x).arg(y))?;
    let answers = |i: usize| {
        let (tile, rank) = (&values[i / 8 * 8..][..8], i % 8);
        let positive = (0..8).filter(|&rank| tile[rank] > 0).map(|rank| 1 << rank).sum();
        let shuffled = [tile[3], tile[rank.saturating_sub(1)], tile[(rank + 1).min(7)], tile[rank ^ 1]];
        let any = tile.iter().any(|&value| value > 100).into();
        [shuffled.as_slice(), &[positive, any]].concat()
    };
    let expected: Vec<f64> = (0..N).flat_map(answers).map(f64::from).collect();
    device.check(run, y, &expected, &Tolerance::Exact)
}

fn plain(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, y) = (device.upload("x", values)?, device.zeroed::<i32>("y", N)?);
    let run = device.launch(&Launch::new(&PLAIN_GROUPS, 1, N as u32).arg(x).arg(y))?;
    let sums: Vec<f64> = sums_of(values, 4).into_iter().map(f64::from).collect();
    device.check(run, y, &sums, &Tolerance::Exact)
}

/// The lanes with positive elements form a group and are numbered in their order; the others store -1.
fn coalesced(device: &mut Device, values: &[i32]) -> Result<Row> {
    let (x, z) = (device.upload("x", values)?, device.zeroed::<i32>("z", 2 * N)?);
    let run = device.launch(&Launch::new(&GROUP_COALESCED, 1, N as u32).arg(x).arg(z))?;
    let positive = |values: &[i32]| values.iter().filter(|&&value| value > 0).count() as f64;
    let answers = |i: usize| {
        let warp = &values[i / LANES * LANES..][..LANES];
        let group = [positive(&warp[..i % LANES]), positive(warp)];
        if values[i] > 0 { group } else { [-1.0, -1.0] }
    };
    let expected: Vec<f64> = (0..N).flat_map(answers).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

/// The sums that the tiles of one warp get if each lane brings its number.
fn tile_picture(device: &mut Device) -> Result<String> {
    let lanes: Vec<i32> = (0..LANES as i32).collect();
    let (x, y) = (device.upload("x", &lanes)?, device.zeroed::<i32>("y", TILES.len() * LANES)?);
    device.launch(&Launch::new(&TILE_SUMS, 1, LANES as u32).arg(x).arg(y))?;
    let got = device.read(y)?.sim;
    let mut out = ruler();
    for (k, size) in TILES.into_iter().enumerate() {
        let sums: Vec<i32> = got.iter().skip(k).step_by(TILES.len()).copied().collect();
        out += &tiles(&format!("tiles of {size}"), &sums, size);
    }
    Ok(out)
}

/// The ranks of the lanes that took a branch, which is every third one, in their group.
fn coalesced_picture(device: &mut Device) -> Result<String> {
    let values: Vec<i32> = (0..LANES as i32).map(|lane| i32::from(lane % 3 == 1)).collect();
    let (x, z) = (device.upload("x", &values)?, device.zeroed::<i32>("z", 2 * LANES)?);
    device.launch(&Launch::new(&GROUP_COALESCED, 1, LANES as u32).arg(x).arg(z))?;
    let got = device.read(z)?.sim;
    let rank = |lane: usize| Some(got[2 * lane]).filter(|&rank| rank >= 0);
    let mut out = ruler() + &line("takes branch", |lane| if values[lane] > 0 { "x" } else { "." }.to_owned());
    out += &line("rank there", |lane| rank(lane).map_or(".".to_owned(), |rank| rank.to_string()));
    Ok(out)
}

fn coordinates(section: &Section) -> Option<String> {
    let fact = |name, fact: &str| section.row(name)?.fact_value(fact);
    Some(format!(
        "group_index() has three coordinates, like blockIdx. In a grid of 2 x 3 x 2, x alone has {} values \
         for {} blocks; in a grid of one dimension, it has {} for {}.",
        fact("members_3d", "blocks_distinct_by_x")?,
        fact("members_3d", "blocks")?,
        fact("members_1d", "blocks_distinct_by_x")?,
        fact("members_1d", "blocks")?,
    ))
}

fn mask_and_width(section: &Section) -> Option<String> {
    let cost = |name| Some(section.row(name)?.run.counters.ptx_instructions_per_warp());
    let wrong = section.row("forgotten_width")?.check.as_ref()?.wrong;
    Some(format!(
        "A tile's functions take neither a mask nor a width, so neither can be forgotten. The kernel that \
         forgets them gives {wrong} wrong answers. The tile computes its mask at run time: {:.0} PTX \
         instructions per warp, instead of {:.0} if the mask is in the source.",
        cost("tile_functions")?,
        cost("masked_functions")?,
    ))
}

fn plain_needs_memory(section: &Section) -> Option<String> {
    let counters = |name| section.row(name).map(|row| row.run.counters);
    let (plain, tile) = (counters("plain_groups")?, counters("tile_sums")?);
    Some(format!(
        "A tile passes values on by shuffles and makes {} loads from shared memory. A plain thread_group \
         makes {}: its size is not part of its type, so it has no shuffles.",
        tile.shared_load_requests, plain.shared_load_requests,
    ))
}
