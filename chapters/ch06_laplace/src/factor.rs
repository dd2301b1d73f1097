//! A literal without an `f` is a double. What does it cost?
//!
//! The rows count instructions of the compiler's code, with and without optimisation, and a trace shows how
//! many of them are in double precision. The values of the first four rows are arbitrary floats, so their
//! sums are rounded. It leaves out the time that doubles take, which differs by a factor of 32 between GPUs.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::laplace::{JACOBI_WHOLE, JACOBI_WHOLE_DOUBLE};
use thirty_two_lanes::kernels::laplace3d::{JACOBI3D_POINTS, JACOBI3D_POINTS_DOUBLE};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::INSTRUCTIONS_PER_WARP;
use thirty_two_lanes::{Buffer, Device, Dim3, Lab, Launch, Random, Row, Tolerance};

use crate::grid::Grid;
use crate::solid::{self, Solid};

const GRID: Grid = Grid { width: 64, height: 16 };
const BLOCK: Dim3 = Dim3::new(32, 8, 1);
const CUBE: Solid = Solid { side: 16, depth: 16 };

pub fn section(lab: &mut Lab) -> Result<()> {
    let seed = lab.seed();
    let title = format!(
        "what does a factor without an f cost? 0.25 on {} x {} points, a sixth on a cube of {}",
        GRID.width, GRID.height, CUBE.side
    );
    lab.section("factor", &title, &[INSTRUCTIONS_PER_WARP]);
    for (name, kernel, is_debug) in [
        ("quarter_float", &JACOBI_WHOLE, false),
        ("quarter_double", &JACOBI_WHOLE_DOUBLE, false),
        ("quarter_float-G", &JACOBI_WHOLE, true),
        ("quarter_double-G", &JACOBI_WHOLE_DOUBLE, true),
    ] {
        lab.variant(name, |device| quarter(device, kernel, is_debug, seed))?;
    }
    for (name, kernel) in [("sixth_float", &JACOBI3D_POINTS), ("sixth_double", &JACOBI3D_POINTS_DOUBLE)] {
        lab.variant(name, |device| sixth(device, kernel, seed))?;
    }
    lab.notice(quarters);
    lab.notice(sixths);
    Ok(())
}

/// A quarter is exact in either type, so the result is that of single precision, rounded in the same order.
fn quarter(device: &mut Device, kernel: &'static Kernel, is_debug: bool, seed: u64) -> Result<Row> {
    let values = Random::new(seed).floats(GRID.points(), -1.0, 1.0);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let launch = Launch::new(kernel, GRID.blocks(BLOCK), BLOCK).seed(seed);
    let launch = launch.arg(GRID.width as i32).arg(GRID.height as i32).arg(u).arg(next);
    let launch = if is_debug { launch.debug()? } else { launch };
    let expected: Vec<f64> = (0..values.len()).map(|at| single(&values, at).into()).collect();
    let doubles = doubles(device, &launch)?;
    let run = device.launch(&launch)?;
    Ok(device.check(run, next, &expected, &Tolerance::Exact)?.fact("doubles_per_warp", doubles))
}

fn single(u: &[f32], at: usize) -> f32 {
    if GRID.is_on_border(at) {
        return u[at];
    }
    0.25 * (u[at - 1] + u[at + 1] + u[at - GRID.width] + u[at + GRID.width])
}

/// Instructions in double precision, per warp.
fn doubles(device: &mut Device, launch: &Launch) -> Result<f64> {
    let trace = device.trace(launch)?;
    let doubles = trace.iter().filter(|step| step.ptx.contains(".f64")).count();
    let warps = launch.simt.grid.count() * launch.simt.block.count() / 32;
    Ok(doubles as f64 / warps as f64)
}

fn sixth(device: &mut Device, kernel: &'static Kernel, seed: u64) -> Result<Row> {
    let values = CUBE.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let launch = solid::launch(kernel, CUBE, u, next).seed(seed);
    let doubles = doubles(device, &launch)?;
    let run = device.launch(&launch)?;
    let row = device.check(run, next, &CUBE.step(&values), &solid::SIXTH)?.fact("doubles_per_warp", doubles);
    let off = off_by_rounding(device, next, &CUBE.step(&values))?;
    Ok(row.fact("not_nearest", off as f64))
}

/// How many results are not the float nearest to the reference.
fn off_by_rounding(device: &mut Device, next: Buffer<f32>, expected: &[f64]) -> Result<usize> {
    let got = device.read(next)?.sim;
    Ok(got
        .iter()
        .zip(expected)
        .filter(|&(got, &expected)| got.to_bits() != (expected as f32).to_bits())
        .count())
}

fn quarters(section: &Section) -> Option<String> {
    let fact = |name: &str| section.row(name)?.fact_value("doubles_per_warp");
    Some(format!(
        "Without optimisation, 0.25 costs {:.2} instructions per warp in double precision, and the result is \
         the same to the last bit. With optimisation {:.2} remain: a float holds 0.25 exactly, so the \
         product is rounded once and to the same value in either precision.",
        fact("quarter_double-G")?,
        fact("quarter_double")?,
    ))
}

fn sixths(section: &Section) -> Option<String> {
    let [float, double] = ["sixth_float", "sixth_double"].map(|name| section.row(name));
    let (float, double) = (float?, double?);
    let fact = |row: &Row, name| row.fact_value(name);
    Some(format!(
        "No float equals a sixth, so the double precision stays: it costs {:.2} instructions per warp and \
         leaves {} results that are not the nearest float. With 1.0f / 6.0f there are {} such results, of \
         {}.",
        fact(double, "doubles_per_warp")?,
        fact(double, "not_nearest")?,
        fact(float, "not_nearest")?,
        CUBE.points(),
    ))
}
