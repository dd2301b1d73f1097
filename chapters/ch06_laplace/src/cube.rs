//! The third dimension: a thread for each line of points, or a thread for each point?
//!
//! Columns count what each asks of the machine; which is faster is the clock's to say. It leaves out lines that keep
//! values of the last planes in registers.

use anyhow::Result;
use lanes::kernel::Kernel;
use lanes::kernels::laplace3d::{JACOBI3D_LINES, JACOBI3D_POINTS};
use lanes::report::Section;
use lanes::report::columns::{Column, INSTRUCTIONS, LOAD_SECTORS};
use lanes::report::layout::grouped;
use lanes::{Buffer, Device, Dim3, Lab, Launch, Row, Tolerance};

use crate::grid::{POINT_BYTES, values};

/// As many points in each direction.
#[derive(Clone, Copy, Debug)]
pub struct Cube {
    pub side: usize,
}

/// The same number of threads in both, and as wide.
const LINES: Dim3 = Dim3::new(16, 8, 1);
const POINTS: Dim3 = Dim3::new(16, 4, 2);

/// Sums of six multiples of 2⁻²⁰ are exact. In single precision the factor and the product are rounded once each, and
/// each by 2⁻²⁴ of the value at most.
pub const SIXTH: Tolerance = Tolerance::Bound {
    relative: 1.001 / (1 << 23) as f64,
    absolute: 0.0,
    why: "the sum is exact, the factor and the product are rounded once each",
};

impl Cube {
    /// Not more than `points`.
    fn within(points: usize) -> Cube {
        let side = (1..).take_while(|side: &usize| side.pow(3) <= points).last();
        Cube { side: side.unwrap_or(1) }
    }

    pub fn points(self) -> usize {
        self.side.pow(3)
    }

    pub fn values(self, seed: u64) -> Vec<f32> {
        values(self.points(), seed)
    }

    fn is_on_surface(self, at: usize) -> bool {
        let places = [at % self.side, at / self.side % self.side, at / self.side / self.side];
        places.iter().any(|&place| place == 0 || place == self.side - 1)
    }

    /// What one step makes of these values.
    pub fn step(self, u: &[f32]) -> Vec<f64> {
        let value = |at: usize| f64::from(u[at]);
        let pair = |at: usize, apart: usize| value(at - apart) + value(at + apart);
        let mean = |at| (pair(at, 1) + pair(at, self.side) + pair(at, self.side * self.side)) / 6.0;
        (0..u.len()).map(|at| if self.is_on_surface(at) { value(at) } else { mean(at) }).collect()
    }
}

/// A launch of either kernel, with a thread for each point or for each line.
pub fn launch(kernel: &'static Kernel, cube: Cube, u: Buffer<f32>, next: Buffer<f32>) -> Launch {
    let side = cube.side as u32;
    let is_by_line = kernel.name == JACOBI3D_LINES.name;
    let (block, depth) = if is_by_line { (LINES, 1) } else { (POINTS, side) };
    let grid = Dim3::new(side.div_ceil(block.x), side.div_ceil(block.y), depth.div_ceil(block.z));
    let side = side as i32;
    Launch::new(kernel, grid, block).arg(side).arg(side).arg(side).arg(u).arg(next)
}

const WARPS: Column = Column { head: ["", "warps"], cell: |counters| grouped(counters.warps) };

pub fn section(lab: &mut Lab) -> Result<()> {
    let (points, seed) = (lab.size(4096, POINT_BYTES)?, lab.seed());
    let cube = Cube::within(points);
    let title = format!("a thread for each line or for each point? A cube of {} within the --size", cube.side);
    lab.section("cube", &title, &[WARPS, INSTRUCTIONS, LOAD_SECTORS]);
    for kernel in [&JACOBI3D_LINES, &JACOBI3D_POINTS] {
        lab.variant(kernel.name, |device| step(device, kernel, cube, seed))?;
    }
    lab.notice(work);
    lab.notice(clock);
    Ok(())
}

fn step(device: &mut Device, kernel: &'static Kernel, cube: Cube, seed: u64) -> Result<Row> {
    let values = cube.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let run = device.launch(&launch(kernel, cube, u, next).seed(seed))?;
    let row = device.check(run, next, &cube.step(&values), &SIXTH)?;
    Ok(row.fact("points", cube.points() as f64))
}

fn work(section: &Section) -> Option<String> {
    let [lines, points] = [&JACOBI3D_LINES, &JACOBI3D_POINTS].map(|kernel| section.row(kernel.name));
    let (lines, points) = (lines?.run.counters, points?.run.counters);
    let times = |points: u64, lines: u64| points as f64 / lines as f64;
    Some(format!(
        "A thread for each point: {:.1} times as many warps for a scheduler to choose from, {:.2} times the PTX \
         instructions, {:.2} times the sectors.",
        times(points.warps, lines.warps),
        times(points.ptx_instructions, lines.ptx_instructions),
        times(points.global_load_sectors, lines.global_load_sectors),
    ))
}

fn clock(section: &Section) -> Option<String> {
    let time = |kernel: &Kernel| section.row(kernel.name)?.run.timing.as_ref().map(|timing| timing.median_us);
    let (lines, points) = (time(&JACOBI3D_LINES)?, time(&JACOBI3D_POINTS)?);
    Some(format!("On the GPU the lines take {lines:.1} µs and the points {points:.1} µs."))
}
