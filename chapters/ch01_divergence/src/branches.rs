//! Two paths, chosen by the data.
//!
//! The kernel with the square root is run on the same numbers in several orders and on numbers of one sign,
//! so that the cost of both paths can be compared with that of each. Paths of different length are left to
//! `worst`.

use anyhow::Result;
use thirty_two_lanes::kernels::branch::{BRANCH_SQRT, GUARDED_LOAD, SELECT_MERGE, UNIFORM_CONDITION};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{ACTIVE_LANES, DIVERGENT_BRANCHES, INSTRUCTIONS_PER_WARP, SECTORS};
use thirty_two_lanes::report::layout::{counted, grouped};
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

/// How a variant is launched.
#[derive(Clone, Copy)]
struct Shape {
    n: usize,
    block: u32,
    seed: u64,
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape { n: lab.size(10_240, ELEMENT_BYTES)?, block: lab.block(64), seed: lab.seed() };
    let columns = [DIVERGENT_BRANCHES, ACTIVE_LANES, INSTRUCTIONS_PER_WARP, SECTORS];
    lab.section("branches", "what do two paths cost if the data chooses between them?", &columns);
    let mixed = Random::new(shape.seed).floats(shape.n, -8.0, 8.0);
    let every = |change: fn(f32) -> f32| mixed.iter().map(|&x| change(x)).collect::<Vec<_>>();
    lab.variant("sqrt_negative", |device| sqrt(device, shape, &every(|x| -1.0 - x.abs())))?;
    lab.variant("sqrt_positive", |device| sqrt(device, shape, &every(f32::abs)))?;
    lab.variant("sqrt_mixed", |device| sqrt(device, shape, &mixed))?;
    lab.variant("sqrt_sorted", |device| sqrt(device, shape, &sorted(&mixed)))?;
    lab.variant("sqrt_partitioned", |device| sqrt(device, shape, &partitioned(&mixed)))?;
    lab.variant("guarded_load", |device| guarded_load(device, shape, None))?;
    let past = shape.n as i32;
    lab.variant("guarded_load_past", |device| {
        Ok(guarded_load(device, shape, Some(past))?.expect(Verdict::Fault))
    })?;
    lab.variant("select_merge", |device| select_merge(device, shape))?;
    lab.variant("uniform", |device| uniform_condition(device, shape))?;
    lab.notice(both_paths);
    lab.notice(in_order);
    lab.notice(in_whole_warps);
    lab.notice(never_touched);
    Ok(())
}

/// Four arrays on the machine, the inputs and the result on the host, and the reference in double precision.
const ELEMENT_BYTES: u64 = 4 * 4 + 5 * 4 + 8;

fn sqrt(device: &mut Device, shape: Shape, values: &[f32]) -> Result<Row> {
    let n = values.len();
    let (x, z) = (device.upload("x", values)?, device.zeroed::<f32>("z", n)?);
    let launch = Launch::cover(&BRANCH_SQRT, n, shape.block).seed(shape.seed);
    let run = device.launch(&launch.arg(x).arg(z).arg(n as i32))?;
    let path = |x: f64| if x < 0.0 { x - 2.0 } else { x.sqrt() };
    let expected: Vec<f64> = values.iter().map(|&x| rounded(path(x.into()))).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

/// The same numbers, sorted, so that elements that take the same path are neighbours.
fn sorted(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted
}

/// The same numbers, the negative ones first, and both parts padded to whole warps with copies of their last
/// number. A warp then has a single path, although neither part is sorted.
fn partitioned(values: &[f32]) -> Vec<f32> {
    let (mut negative, mut others): (Vec<f32>, Vec<f32>) = values.iter().partition(|&&x| x < 0.0);
    for part in [&mut negative, &mut others] {
        let last = part.last().copied().unwrap_or_default();
        part.resize(part.len().next_multiple_of(32), last);
    }
    [negative, others].concat()
}

/// Each operation rounds once, so the reference, rounded to single precision, equals its result bit for bit.
fn rounded(x: f64) -> f64 {
    f64::from(x as f32)
}

/// About half of the indices are negative, down to -2³¹, so the emulator would find a load at any of them.
/// `first` replaces the first index.
fn guarded_load(device: &mut Device, shape: Shape, first: Option<i32>) -> Result<Row> {
    let mut random = Random::new(shape.seed);
    let index =
        |word: u32| if word & 1 == 0 { (word >> 1) as i32 % shape.n as i32 } else { word as i32 | i32::MIN };
    let mut indices: Vec<i32> = random.words(shape.n).into_iter().map(index).collect();
    indices[0] = first.unwrap_or(indices[0]);
    let values = random.floats(shape.n, -1.0, 1.0);
    let (k, x) = (device.upload("index", &indices)?, device.upload("x", &values)?);
    let z = device.zeroed::<f32>("z", shape.n)?;
    let launch = Launch::cover(&GUARDED_LOAD, shape.n, shape.block).seed(shape.seed);
    let run = device.launch(&launch.arg(k).arg(x).arg(z).arg(shape.n as i32))?;
    let there = |&k: &i32| values.get(usize::try_from(k).ok()?).copied();
    let guarded = |k| f64::from(there(k).unwrap_or(0.0));
    let expected: Vec<f64> = indices.iter().map(guarded).collect();
    let negative = grouped(indices.iter().filter(|&&k| k < 0).count() as u64);
    let row = device.check(run, z, &expected, &Tolerance::Exact)?;
    if first.is_some() {
        return Ok(row);
    }
    Ok(row.remark(format!("{negative} of {} indices are negative", grouped(shape.n as u64))))
}

fn select_merge(device: &mut Device, shape: Shape) -> Result<Row> {
    let mut random = Random::new(shape.seed);
    let choices = choices(&mut random, shape.n);
    let (xs, ys) = (random.floats(shape.n, -1.0, 1.0), random.floats(shape.n, -1.0, 1.0));
    let p = device.upload("p", &choices)?;
    let (x, y, z) = (device.upload("x", &xs)?, device.upload("y", &ys)?, device.zeroed::<f32>("z", shape.n)?);
    let launch = Launch::cover(&SELECT_MERGE, shape.n, shape.block).seed(shape.seed);
    let run = device.launch(&launch.arg(p).arg(x).arg(y).arg(z).arg(shape.n as i32))?;
    let chosen = |i: usize| f64::from(if choices[i] == 0 { ys[i] } else { xs[i] });
    let expected: Vec<f64> = (0..shape.n).map(chosen).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

/// One true and one false in each pair of neighbours, in random order. A GPU may skip the load of a value
/// that a lane does not pick, and with it a sector that no lane of the warp needs. With these choices, some
/// lane needs each sector of both arrays, because a sector holds four pairs. (Of an odd number of choices,
/// the last has no partner.)
fn choices(random: &mut Random, n: usize) -> Vec<i32> {
    let pairs = random.words(n.div_ceil(2)).into_iter().map(|word| (word & 1) as i32);
    pairs.flat_map(|first| [first, 1 - first]).take(n).collect()
}

fn uniform_condition(device: &mut Device, shape: Shape) -> Result<Row> {
    let values = Random::new(shape.seed).floats(shape.n, -8.0, 8.0);
    let (x, z) = (device.upload("x", &values)?, device.zeroed::<f32>("z", shape.n)?);
    let launch = Launch::cover(&UNIFORM_CONDITION, shape.n, shape.block).seed(shape.seed);
    let run = device.launch(&launch.arg(1_i32).arg(x).arg(z).arg(shape.n as i32))?;
    let expected: Vec<f64> = values.iter().map(|&x| rounded(f64::from(x) * f64::from(x))).collect();
    device.check(run, z, &expected, &Tolerance::Exact)
}

fn both_paths(section: &Section) -> Option<String> {
    let cost = |name| section.row(name).map(|row| row.run.counters.ptx_instructions_per_warp());
    let [negative, positive, mixed] = ["sqrt_negative", "sqrt_positive", "sqrt_mixed"].map(cost);
    let (negative, positive, mixed) = (negative?, positive?, mixed?);
    // A handful of numbers may all have the same sign by chance.
    (mixed > negative.max(positive)).then(|| {
        format!(
            "A warp executes {negative:.2} PTX instructions if all its numbers are negative, {positive:.2} \
             if none is, and {mixed:.2} on average if the signs are mixed: the part before the if once, and \
             then both paths."
        )
    })
}

fn in_order(section: &Section) -> Option<String> {
    let parted = |name| section.row(name).map(|row| row.run.counters.divergent_warps);
    let [mixed, sorted] = ["sqrt_mixed", "sqrt_sorted"].map(parted);
    let (mixed, sorted) = (grouped(mixed?), counted(sorted?, "warp"));
    Some(format!("Sorting the same numbers leaves {sorted} diverging instead of {mixed}."))
}

fn in_whole_warps(section: &Section) -> Option<String> {
    let counters = section.row("sqrt_partitioned")?.run.counters;
    let parted = counted(counters.divergent_warps, "warp");
    Some(format!(
        "Putting the negative numbers first, unsorted, and padding both parts to whole warps leaves {parted} \
         of {} diverging.",
        grouped(counters.warps),
    ))
}

fn never_touched(section: &Section) -> Option<String> {
    let row = section.row("guarded_load")?;
    let (faults, elements) = (row.run.faults.len(), row.check.as_ref()?.elements);
    Some(format!(
        "`guarded_load` has {faults} faults in {} elements, because a lane that is switched off reads \
         nothing.",
        grouped(elements as u64),
    ))
}
