//! Floats: additions round, so the result depends on their order.
//!
//! The elements are multiples of 2⁻²⁴ below 1, so doubles add them up exactly, and the exact sum is known.
//! Sizes are fixed, because a single thread that adds everything is slow. Compensated sums are left out.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::reduction_floats::{
    FLOATS_EIGHT_PARTS, FLOATS_INTERLEAVED, FLOATS_NEIGHBORED, FLOATS_ONE_BY_ONE,
};
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::INSTRUCTIONS;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance};

const N: usize = 16_384;
const BLOCK: u32 = 128;

/// An order of additions: its kernel, the shape of its launch, and how many roundings an element goes through
/// at most.
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

/// What [`Order::bound`] is, in short.
const WHY: &str = "positive numbers, each rounded at most k times, by 2^-24 at most";

impl Order {
    // ANCHOR: bound
    /// Higham's bound for a sum of positive numbers, each of which takes part in at most `k` additions. It is
    /// `k u / (1 - k u)` of the sum, where `u` is half the distance from 1 to the next float.
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
    // The host adds in double precision, so the error that is left comes from the kernel's roundings.
    let sum: f64 = device.read(sums)?.sim.into_iter().map(f64::from).sum();
    let exact: f64 = expected.iter().sum();
    let error_ulp = (sum - exact).abs() / ulp(exact);
    let row = row.fact("sum", sum).fact("exact_sum", exact).fact("error_ulp", error_ulp);
    Ok(row.fact("relative_error", (sum - exact).abs() / exact))
}

/// The distance from a positive number to the next float.
fn ulp(x: f64) -> f64 {
    let x = x as f32;
    f64::from(f32::from_bits(x.to_bits() + 1)) - f64::from(x)
}

fn errors(section: &Section) -> Option<String> {
    let error = |order: &Order| section.row(order.kernel.name)?.fact_value("error_ulp");
    let errors: Option<Vec<f64>> = ORDERS.iter().map(error).collect();
    let [serial, neighbored, interleaved, eight] = errors?[..] else { return None };
    Some(format!(
        "In units of the sum's last place, one after the other is off by {serial:.3}, the two trees by \
         {neighbored:.3} and {interleaved:.3}, and eight in a row before a tree by {eight:.3}. In a tree an \
         element is rounded {TREE_ROUNDS} times instead of up to {}. (The host adds the block sums in double \
         precision.)",
        N - 1
    ))
}

/// A single thread waits for each addition before the next, and has few loads in flight; a tree has many of both.
fn on_the_clock(section: &Section) -> Option<String> {
    let time = |order: &Order| Some(section.row(order.kernel.name)?.run.timing.as_ref()?.median_us);
    let times: Option<Vec<f64>> = ORDERS.iter().map(time).collect();
    let [serial, ref trees @ ..] = times?[..] else { return None };
    let slowest = trees.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "On the GPU, a single thread that adds all elements takes {serial:.1} µs, and no tree more than \
         {slowest:.1} µs."
    ))
}
