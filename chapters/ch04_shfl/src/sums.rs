//! Sums in single precision: the exact sum, and how large the error of a result may be.
//!
//! The reference is exact: the elements have 24 bits, and the sum in double precision has 53. A sum of
//! positive elements may be off by half a rounding step of single precision, 2⁻²⁴ of itself, for each
//! addition that an element goes through on its way to the total. The largest number of such additions is the
//! depth of the tree, and a bound needs nothing else.

use anyhow::Result;
use thirty_two_lanes::launch::check_halving;
use thirty_two_lanes::{Buffer, Device, Lab, Random, Row, Run, Tolerance};

/// The largest relative error of one addition.
pub const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// Elements to add: positive, around 1, so that a sum of n is about n.
pub fn elements(n: usize, seed: u64) -> Vec<f32> {
    Random::new(seed).floats(n, 0.5, 1.5)
}

pub fn exact(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value)).sum()
}

/// How large the error of a sum may be if no element goes through more than `depth` additions: (1 + u)^depth - 1.
fn within(depth: usize) -> Tolerance {
    let relative = (depth as f64 * ROUNDING).exp_m1();
    Tolerance::Bound { relative, absolute: 0.0, why: "2^-24 for each addition" }
}

/// Judges a sum, and records its error in roundings.
pub fn judged(device: &mut Device, run: Run, total: Buffer<f32>, exact: f64, depth: usize) -> Result<Row> {
    let sum = f64::from(device.read(total)?.sim[0]);
    let row = device.check(run, total, &[exact], &within(depth))?;
    let roundings = (sum - exact).abs() / exact / ROUNDING;
    Ok(row.fact("sum_over_exact", sum / exact).fact("roundings_off", roundings).fact("depth", depth as f64))
}

/// The block size for kernels that halve a block: what the reader asked for, if halving leads down to a warp.
pub fn halving_block(lab: &mut Lab) -> Result<u32> {
    let block = lab.block(128);
    check_halving(block)?;
    Ok(block)
}
