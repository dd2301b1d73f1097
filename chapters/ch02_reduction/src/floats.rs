//! Floats: addition rounds, so the order of the additions is part of the result.
//!
//! The elements are multiples of 2⁻²⁴ below 1, so doubles add them up exactly, and the exact sum is known. Sizes are
//! fixed: one thread that adds everything takes its time. It leaves out compensated sums.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::reduction_floats::{
    FLOATS_EIGHT_PARTS, FLOATS_INTERLEAVED, FLOATS_NEIGHBORED, FLOATS_ONE_BY_ONE,
};
use lanes::launch::blocks_for;
use lanes::report::Section;
use lanes::report::columns::INSTRUCTIONS;
use lanes::{Device, Lab, Launch, Random, Row, Tolerance};

const N: usize = 16_384;
const BLOCK: u32 = 128;

/// An order of additions: who adds, in what shape, and how many additions the busiest element goes through.
#[derive(Clone, Copy)]
struct Order {
    kernel: &'static Kernel,
    block: u32,
    per_block: usize,
    roundings: u32,
}

const TREE_ROUNDS: u32 = BLOCK.ilog2();

static ORDERS: [Order; 4] = [
    Order { kernel: &FLOATS_ONE_BY_ONE, block: 1, per_block: N, roundings: N as u32 - 1 },
    Order { kernel: &FLOATS_NEIGHBORED, block: BLOCK, per_block: BLOCK as usize, roundings: TREE_ROUNDS },
    Order { kernel: &FLOATS_INTERLEAVED, block: BLOCK, per_block: BLOCK as usize, roundings: TREE_ROUNDS },
    Order {
        kernel: &FLOATS_EIGHT_PARTS,
        block: BLOCK,
        per_block: 8 * BLOCK as usize,
        roundings: 7 + TREE_ROUNDS,
    },
];

/// In short what [`Order::bound`] is.
const WHY: &str = "positive numbers, k roundings deep, each by 2^-24 at most";

impl Order {
    // ANCHOR: bound
    /// Higham's bound for a sum of positive numbers, each of which goes through at most `k` additions: `k u / (1 - k u)`
    /// of the sum, where `u` is half the distance from 1 to the next float.
    fn bound(self) -> Tolerance {
        let ku = f64::from(self.roundings) * f64::from(f32::EPSILON) / 2.0;
        Tolerance::Bound { relative: ku / (1.0 - ku), absolute: 0.0, why: WHY }
    }
    // ANCHOR_END: bound
}

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!("does the order matter? {N} floats from 0 to 1, blocks of {BLOCK}");
    lab.section("floats", &title, &[INSTRUCTIONS]);
    for order in ORDERS {
        lab.variant(order.kernel.name, |device| add(device, order, seed))?;
    }
    lab.notice(errors);
    lab.gpu_notice(on_the_clock);
    Ok(())
}

fn add(device: &mut Device, order: Order, seed: u64) -> Result<Row> {
    let values = Random::new(seed).floats(N, 0.0, 1.0);
    let expected: Vec<f64> =
        values.chunks(order.per_block).map(|part| part.iter().map(|&x| f64::from(x)).sum()).collect();
    let blocks = blocks_for(N, order.per_block as u32);
    let (x, sums) = (device.upload("x", &values)?, device.zeroed::<f32>("sums", blocks as usize)?);
    let launch = Launch::new(order.kernel, blocks, order.block).seed(seed);
    let run = device.launch(&launch.arg(x).arg(sums).arg(N as u32))?;
    let row = device.check(run, sums, &expected, &order.bound())?;
    // The host adds in double precision, so what is left is what the kernel rounded.
    let sum: f64 = device.read(sums)?.sim.into_iter().map(f64::from).sum();
    let exact: f64 = expected.iter().sum();
    let error_ulp = (sum - exact).abs() / ulp(exact);
    let row = row.fact("sum", sum).fact("exact_sum", exact).fact("error_ulp", error_ulp);
    Ok(row.fact("relative_error", (sum - exact).abs() / exact))
}

/// The distance of the floats around a positive number.
fn ulp(x: f64) -> f64 {
    let x = x as f32;
    f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
}

fn errors(section: &Section) -> Option<String> {
    let error = |order: &Order| section.row(order.kernel.name)?.fact_value("error_ulp");
    let errors: Option<Vec<f64>> = ORDERS.iter().map(error).collect();
    let [serial, neighbored, interleaved, eight] = errors?[..] else { return None };
    Some(format!(
        "In units of the sum's last place, one after the other is off by {serial:.3}, the two trees by {neighbored:.3} \
         and {interleaved:.3}, eight in a row and then a tree by {eight:.3}. In a tree an element goes through \
         {TREE_ROUNDS} roundings and not through {}; the host adds the block sums in double precision.",
        N - 1
    ))
}

/// One thread after all waits for every addition and for every load before the next; a tree has many under way.
fn on_the_clock(section: &Section) -> Option<String> {
    let time = |order: &Order| Some(section.row(order.kernel.name)?.run.timing.as_ref()?.median_us);
    let times: Option<Vec<f64>> = ORDERS.iter().map(time).collect();
    let [serial, ref trees @ ..] = times?[..] else { return None };
    let slowest = trees.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "On the GPU, one thread that adds all of them takes {serial:.1} µs, and no tree more than {slowest:.1} µs."
    ))
}
