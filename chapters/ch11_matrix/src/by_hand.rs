//! One multiplication by hand: each lane loads the elements that `mma.sync` expects in its registers.
//!
//! The wrong kernels load B as if its columns were stored one after another, and leave lanes out that have no row. It leaves out
//! shared memory, from which one instruction brings all elements to their lanes.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::matrices::{
    MULTIPLY_B_BY_ROWS, MULTIPLY_BY_HAND, MULTIPLY_FIRST_ROWS, MULTIPLY_IN_A_BRANCH,
};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Device, Lab, Launch, Row, Tolerance, Verdict};

use crate::matrices::{Matrix, Shape};

const ALL_ROWS: usize = 16;
/// Rows of A where not all exist.
const SOME_ROWS: usize = 5;

pub fn section(lab: &mut Lab) -> Result<()> {
    let shape = Shape::of(lab)?;
    let title = format!("does a warp multiply right? {} products of 16 x 16 by 16 x 8", shape.products);
    lab.section("by_hand", &title, &[INSTRUCTIONS_PER_WARP, LOAD_REQUESTS, LOAD_SECTORS]);
    for (kernel, rows, expected) in [
        (&MULTIPLY_BY_HAND, ALL_ROWS, Verdict::Ok),
        (&MULTIPLY_B_BY_ROWS, ALL_ROWS, Verdict::Wrong),
        (&MULTIPLY_FIRST_ROWS, SOME_ROWS, Verdict::Ok),
        (&MULTIPLY_IN_A_BRANCH, SOME_ROWS, Verdict::Fault),
    ] {
        lab.variant(kernel.name, |device| Ok(multiply(device, kernel, rows, shape)?.expect(expected)))?;
    }
    lab.notice(silent);
    Ok(())
}

fn multiply(device: &mut Device, kernel: &'static Kernel, rows: usize, shape: Shape) -> Result<Row> {
    let a = Matrix::random(rows * shape.products, 16, shape.seed);
    let b = Matrix::random(16 * shape.products, 8, shape.seed ^ 1);
    let [of_a, of_b] = [device.upload("a", &a.bits())?, device.upload("b", &b.bits())?];
    let c = device.zeroed::<f32>("c", rows * 8 * shape.products)?;
    let launch = Launch::new(kernel, shape.blocks(), 32).seed(shape.seed).arg(of_a).arg(of_b).arg(c);
    let run = device.launch(&if rows < ALL_ROWS { launch.arg(rows as i32) } else { launch })?;
    let expected: Vec<f64> = a.parts(rows).zip(b.parts(16)).flat_map(|(a, b)| a.times(&b)).collect();
    let row = device.check(run, c, &expected, &Tolerance::Exact)?;
    let wrong = row.check.as_ref().map_or(0, |check| check.wrong);
    Ok(row.fact("elements", expected.len() as f64).fact("wrong", wrong as f64))
}

fn silent(section: &Section) -> Option<String> {
    let row = section.row(MULTIPLY_B_BY_ROWS.name)?;
    let (wrong, elements) = (row.fact_value("wrong")?, row.fact_value("elements")?);
    let findings = row.run.faults.len();
    Some(format!(
        "B loaded in the wrong layout makes {} of {} elements wrong, and the checkers report {findings} faults: every access is \
         inside its array and every register has a value.",
        grouped(wrong as u64),
        grouped(elements as u64)
    ))
}
