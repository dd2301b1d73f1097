//! The edge of the data: the grid consists of whole blocks, but data can end anywhere.
//!
//! First one dimension, with the sizes of the note on boundaries and the reader's own, then pictures covered
//! by blocks of 16 × 16. The numbers of warps are counted in the run. Boundaries that have work of their own
//! are left out.

use anyhow::Result;
use thirty_two_lanes::kernels::boundary::{ADD_GUARDED, BRIGHTEN_GUARDED};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{DIVERGENT_WARPS, INSTRUCTIONS, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Random, Row, Tolerance};

use crate::map;

pub fn one_dimension(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(10_240, ELEMENT_BYTES)?, lab.block(64), lab.seed());
    let title = format!("which warps diverge at the end of an array? Blocks of {block}");
    lab.section("boundary", &title, &[DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, INSTRUCTIONS]);
    let mut sizes = vec![100, 1000, 1003, 1024, 10_000, n];
    sizes.sort_unstable();
    sizes.dedup();
    for n in sizes {
        lab.variant(&format!("add_{n}"), |device| add(device, n, block, seed))?;
    }
    lab.variant("add_10000_32", |device| add(device, 10_000, 32, seed))?;
    lab.notice(wholly_outside);
    lab.notice(in_small_blocks);
    lab.notice(guard_is_free);
    Ok(())
}

/// Three arrays on the machine and on the host, and the reference in double precision.
const ELEMENT_BYTES: u64 = 3 * 4 + 3 * 4 + 8;

fn add(device: &mut Device, n: usize, block: u32, seed: u64) -> Result<Row> {
    let mut random = Random::new(seed);
    let (a_values, b_values) = (random.floats(n, -1.0, 1.0), random.floats(n, -1.0, 1.0));
    let (a, b) = (device.upload("a", &a_values)?, device.upload("b", &b_values)?);
    let c = device.zeroed::<f32>("c", n)?;
    let launch = Launch::cover(&ADD_GUARDED, n, block).seed(seed);
    let run = device.launch(&launch.arg(a).arg(b).arg(c).arg(n as i32))?;
    // The sum of two floats is exact in double precision, and rounded once.
    let sum = |(&a, &b): (&f32, &f32)| f64::from((f64::from(a) + f64::from(b)) as f32);
    let expected: Vec<f64> = a_values.iter().zip(&b_values).map(sum).collect();
    device.check(run, c, &expected, &Tolerance::Exact)
}

/// A warp with at least one element makes one store request, so the requests show how many such warps there
/// are.
fn wholly_outside(section: &Section) -> Option<String> {
    let counters = section.row("add_10000")?.run.counters;
    let outside = counters.warps - counters.global_store_requests;
    Some(format!(
        "10,000 elements take {}, with {} at the edge and {outside} wholly outside.",
        counted(counters.warps, "warp"),
        counters.divergent_warps,
    ))
}

fn in_small_blocks(section: &Section) -> Option<String> {
    let warps = section.row("add_10000_32")?.run.counters.warps;
    Some(format!("In blocks of 32, each a single warp, 10,000 elements take {}.", counted(warps, "warp")))
}

/// What a diverging warp costs beyond a full one, provided that both sizes take the same number of warps.
fn guard_is_free(section: &Section) -> Option<String> {
    let cost = |name| section.row(name).map(|row| row.run.counters);
    let (split, whole) = (cost("add_1003")?, cost("add_1024")?);
    let same = split.warps == whole.warps && split.ptx_instructions == whole.ptx_instructions;
    (same && split.divergent_warps > whole.divergent_warps).then(|| {
        format!(
            "1,003 elements take {} PTX instructions and 1,024 take {}: an if without an else costs a \
             diverging warp nothing extra.",
            grouped(split.ptx_instructions),
            grouped(whole.ptx_instructions),
        )
    })
}

/// Width and height: the note's two pictures, the first with one row less, and the second with a height at
/// which no block overhangs the bottom.
const PICTURES: [(u32, u32); 4] = [(76, 62), (76, 61), (200, 150), (200, 160)];
/// So narrow that its warps fit into a line.
const NARROW: u32 = 76;
const TILE: u32 = 16;

pub fn two_dimensions(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = "which warps diverge at the edges of a picture? Blocks of 16 x 16, warps of two rows";
    lab.section("picture", title, &[DIVERGENT_WARPS, INSTRUCTIONS_PER_WARP, INSTRUCTIONS]);
    for (width, height) in PICTURES {
        lab.variant(&format!("picture_{width}x{height}"), |device| brighten(device, width, height, seed))?;
    }
    for (width, height) in PICTURES.into_iter().filter(|&(width, _)| width == NARROW) {
        lab.picture(&format!("map_{width}x{height}"), |device| {
            let (launch, _) = prepare(device, width, height, seed)?;
            Ok(map::draw(&device.trace(&launch)?))
        })?;
    }
    lab.notice(|section| {
        let parted = |name| section.row(name).map(|row| row.run.counters.divergent_warps);
        let (even, odd) = (parted("picture_76x62")?, parted("picture_76x61")?);
        Some(format!(
            "With one row less, the bottom edge cuts through warps: {odd} diverge instead of {even}."
        ))
    });
    lab.notice(|section| {
        let counters = section.row("picture_200x150")?.run.counters;
        let share = 100.0 * counters.divergent_warps as f64 / counters.warps as f64;
        Some(format!(
            "The larger the picture, the smaller the share of its edges: {share:.1} % of the warps of 200 x 150 \
             diverge."
        ))
    });
    lab.notice(|section| {
        let parted = |name| section.row(name).map(|row| row.run.counters.divergent_warps);
        let (cut, whole) = (parted("picture_200x150")?, parted("picture_200x160")?);
        Some(format!(
            "At the right edge of 200 x 160, {whole} warps diverge, from the top to the bottom. At that of \
             200 x 150, {cut} do, because {} of these warps lie wholly below the picture.",
            whole - cut
        ))
    });
    Ok(())
}

/// The launch, where its result goes, and what that must be.
fn prepare(device: &mut Device, width: u32, height: u32, seed: u64) -> Result<(Launch, Brighter)> {
    let n = (width * height) as usize;
    let values = Random::new(seed).floats(n, 0.0, 1.0);
    let (picture, out) = (device.upload("picture", &values)?, device.zeroed::<f32>("out", n)?);
    let grid = (width.div_ceil(TILE), height.div_ceil(TILE));
    let launch = Launch::new(&BRIGHTEN_GUARDED, grid, (TILE, TILE)).seed(seed);
    let expected = values.iter().map(|&value| 2.0 * f64::from(value)).collect();
    Ok((launch.arg(picture).arg(out).arg(width as i32).arg(height as i32), (out, expected)))
}

/// Where the result is, and what it must be.
type Brighter = (Buffer<f32>, Vec<f64>);

fn brighten(device: &mut Device, width: u32, height: u32, seed: u64) -> Result<Row> {
    let (launch, (out, expected)) = prepare(device, width, height, seed)?;
    let run = device.launch(&launch)?;
    let row = device.check(run, out, &expected, &Tolerance::Exact)?;
    if width != NARROW {
        return Ok(row);
    }
    let parted = map::diverged_off_the_right(&device.trace(&launch)?);
    Ok(row.fact("diverged_off_the_right", parted as f64))
}
