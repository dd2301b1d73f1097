//! The sum of the note at its own size: each block adds up in shared memory, and an atomic adds its sum to
//! the total.
//!
//! This is the section that `--size` and `--block` apply to. The reference is added up in double precision
//! while the numbers are drawn, so that 100 million of them are held only as floats. It leaves out faster
//! sums.

use anyhow::Result;
use thirty_two_lanes::kernels::syncwarp::TAIL_SYNCWARP_FLOAT;
use thirty_two_lanes::launch::check_halving;
use thirty_two_lanes::report::columns::{
    ACTIVE_LANES, BARRIERS_PER_WARP, GLOBAL_ATOMICS, INSTRUCTIONS_PER_WARP,
};
use thirty_two_lanes::report::layout::counted;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

/// A float on the host, its bytes on the way to a machine, and the float there.
const ELEMENT_BYTES: u64 = 4 + 4 + 4;

pub fn section(lab: &mut Lab) -> Result<()> {
    let (n, block, seed) = (lab.size(10_000, ELEMENT_BYTES)?, lab.block(128), lab.seed());
    check_halving(block)?;
    let columns = [BARRIERS_PER_WARP, GLOBAL_ATOMICS, ACTIVE_LANES, INSTRUCTIONS_PER_WARP];
    let title = "how accurate is a sum of many floats? The last five rounds use `__syncwarp`";
    lab.section("sum", title, &columns);
    lab.variant(TAIL_SYNCWARP_FLOAT.name, |device| add(device, n, block, seed))?;
    lab.notice(|section| {
        let row = section.row(TAIL_SYNCWARP_FLOAT.name)?;
        let (error, bound) = (row.fact_value("relative_error")?, row.fact_value("relative_bound")?);
        Some(format!(
            "One float receives the sums of {}, in any order. The relative error of the total is \
             {error:.1e}; it can be at most {bound:.1e}.",
            counted(blocks(n, block), "block")
        ))
    });
    Ok(())
}

fn blocks(n: usize, block: u32) -> u64 {
    n.div_ceil(block as usize) as u64
}

fn add(device: &mut Device, n: usize, block: u32, seed: u64) -> Result<Row> {
    let mut random = Random::new(seed);
    let mut exact = 0.0;
    let values: Vec<f32> = (0..n)
        .map(|_| {
            let value = random.float(0.0, 1.0);
            exact += f64::from(value);
            value
        })
        .collect();
    let x = device.upload("x", &values)?;
    drop(values);
    let sum = device.zeroed::<f32>("sum", 1)?;
    let launch = Launch::cover(&TAIL_SYNCWARP_FLOAT, n, block).shared_bytes(4 * block).seed(seed);
    let run = device.launch(&launch.arg(x).arg(sum).arg(n as i32))?;
    let relative = widest(n, block);
    let bound = Tolerance::Bound {
        relative,
        absolute: 0.0,
        why: "no element is negative, and each addition rounds by at most 2^-24 of its result",
    };
    let row = device.check(run, sum, &[exact], &bound)?;
    let got = f64::from(device.read(sum)?.sim[0]);
    let error = if exact > 0.0 { (got - exact).abs() / exact } else { 0.0 };
    Ok(row.fact("relative_error", error).fact("relative_bound", relative))
}

/// An element goes through the rounds of its block, and then through at most as many additions as there are
/// blocks. Each of these multiplies it by a factor between 1 - 2⁻²⁴ and 1 + 2⁻²⁴.
fn widest(n: usize, block: u32) -> f64 {
    let additions = u64::from(block.ilog2()) + blocks(n, block);
    (additions as f64 * (0.5_f64).powi(24).ln_1p()).exp_m1()
}
