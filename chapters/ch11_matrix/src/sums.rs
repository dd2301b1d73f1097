//! How far off is a long sum? A matrix unit cuts off what it cannot keep, and a thread rounds to the nearest float.
//!
//! Each sum has positive products, 16 in a round. What is cut off always has the same sign, so it adds up; roundings go up and down.
//! The last row has sums in f16, which stop where the next sum would be too far away. It leaves out negative products, whose
//! errors cancel.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices_sums::{LONG_F16, LONG_F16_IN_F16, LONG_ONE_BY_ONE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{Cell, Column, INSTRUCTIONS_PER_WARP};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Random, Row, Tolerance, Verdict};

use crate::matrices::f16;

/// Sums, and rounds of each.
const SUMS: usize = 16;
const ROUNDS: usize = 64;
const PRODUCTS: usize = 16;
/// Rounds of a sum of ones that is larger than f16 can count.
const COUNTED: usize = 2500;
/// From here on, the distance between two numbers of f16 is 32, so that 16 more are none.
const LAST: f64 = 32768.0;
/// The distance between two floats of the sums, which are between 512 and 1024.
const STEP: f64 = 1.0 / (1 << 14) as f64;
const LOST: Column = Column { head: ["steps", "lost"], cell: Cell::Fact("lost") };

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title =
        format!("how far off is a sum of {} products? Mean of {SUMS}", grouped((ROUNDS * PRODUCTS) as u64));
    lab.section("long_sums", &title, &[LOST, INSTRUCTIONS_PER_WARP]);
    // A sum is cut off once in a round, by less than a step for the sum and a quarter for each term.
    for (kernel, steps) in [(&LONG_F16, 5 * ROUNDS), (&LONG_ONE_BY_ONE, ROUNDS * PRODUCTS / 2)] {
        lab.variant(kernel.name, |device| long(device, kernel, steps, seed))?;
    }
    lab.variant(LONG_F16_IN_F16.name, |device| Ok(count(device)?.expect(Verdict::Wrong)))?;
    lab.notice(compared);
    lab.notice(stopped);
    Ok(())
}

/// Random numbers from 0.5 to below 1 with ten bits behind the point.
fn numbers(seed: u64) -> Vec<f32> {
    let words = Random::new(seed).words(SUMS * ROUNDS * PRODUCTS);
    words.into_iter().map(|word| 0.5 + (word % 512) as f32 / 1024.0).collect()
}

fn long(device: &mut Device, kernel: &'static Kernel, steps: usize, seed: u64) -> Result<Row> {
    let [a, b] = [numbers(seed), numbers(seed ^ 1)];
    let bits = |values: &[f32]| values.iter().map(|&value| f16(value)).collect::<Vec<u16>>();
    let [of_a, of_b] = [device.upload("a", &bits(&a))?, device.upload("b", &bits(&b))?];
    let d = device.zeroed::<f32>("d", SUMS)?;
    let launch = Launch::new(kernel, SUMS as u32, 32).seed(seed).arg(of_a).arg(of_b).arg(d);
    let run = device.launch(&launch.arg(ROUNDS as i32))?;
    let products: Vec<f64> = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).collect();
    let exact: Vec<f64> = products.chunks(ROUNDS * PRODUCTS).map(|of_sum| of_sum.iter().sum()).collect();
    let found = device.read(d)?.sim;
    let lost: f64 = exact.iter().zip(&found).map(|(exact, found)| (exact - f64::from(*found)) / STEP).sum();
    let bound = Tolerance::Bound { relative: 0.0, absolute: steps as f64 * STEP, why: "its roundings" };
    let row = device.check(run, d, &exact, &bound)?;
    Ok(row.fact("lost", lost / SUMS as f64).fact("rounds", ROUNDS as f64))
}

/// A sum of ones.
fn count(device: &mut Device) -> Result<Row> {
    let ones = vec![f16(1.0); COUNTED * PRODUCTS];
    let [a, b] = [device.upload("a", &ones)?, device.upload("b", &ones)?];
    let d = device.zeroed::<f32>("d", 1)?;
    let run =
        device.launch(&Launch::new(&LONG_F16_IN_F16, 1, 32).arg(a).arg(b).arg(d).arg(COUNTED as i32))?;
    let found = f64::from(device.read(d)?.sim[0]);
    let exact = (COUNTED * PRODUCTS) as f64;
    let row = device.check(run, d, &[exact], &Tolerance::Exact)?;
    anyhow::ensure!((found - LAST).abs() < 1.0, "a sum in f16 ended at {found}, and not at {LAST}");
    Ok(row.fact("ones", exact).fact("counted", found))
}

fn compared(section: &Section) -> Option<String> {
    let lost = |kernel: &Kernel| section.row(kernel.name)?.fact_value("lost");
    Some(format!(
        "A step is the distance between two floats of that size. mma loses {:.1} steps on average, because it cuts off; adding one \
         by one is off by {:.1}, because roundings to the nearest float nearly cancel.",
        lost(&LONG_F16)?,
        lost(&LONG_ONE_BY_ONE)?.abs(),
    ))
}

fn stopped(section: &Section) -> Option<String> {
    let row = section.row(LONG_F16_IN_F16.name)?;
    Some(format!(
        "With sums in f16, {} ones are counted as {}.",
        grouped(row.fact_value("ones")? as u64),
        grouped(row.fact_value("counted")? as u64)
    ))
}
