//! The third dimension: a thread for each line of points, or a thread for each point?
//!
//! The columns count the requests of each kernel; which one is faster can only be measured. A cube has few lines, and a
//! slab has so many that there are enough threads. It leaves out lines that keep values of the last planes in
//! registers.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::kernels::laplace3d::{JACOBI3D_LINES, JACOBI3D_POINTS};
use thirty_two_lanes::report::Section;
use thirty_two_lanes::report::columns::{Cell, Column, INSTRUCTIONS, LOAD_SECTORS};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Device, Dim3, Lab, Launch, Row, Tolerance};

use crate::grid::{POINT_BYTES, values};

/// A stack of `depth` planes, each of `side` times `side` points.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    pub side: usize,
    pub depth: usize,
}

/// The least number of points for the clock, which shows nothing with fewer. All checkers watch the small
/// solids, and none watches the large ones.
const LARGE: usize = 64 * 64 * 64;
/// The planes of a slab.
const THIN: usize = 4;

/// Blocks for both kernels, with the same width and the same number of threads.
const LINES: Dim3 = Dim3::new(16, 8, 1);
const POINTS: Dim3 = Dim3::new(16, 4, 2);

/// Sums of six multiples of 2⁻²⁰ are exact. In single precision the factor and the product are each rounded
/// once, and each of the two roundings changes the value by 2⁻²⁴ of itself at most.
pub const SIXTH: Tolerance = Tolerance::Bound {
    relative: 1.001 / (1 << 23) as f64,
    absolute: 0.0,
    why: "the sum is exact, and the factor and the product are each rounded once",
};

impl Solid {
    /// The largest cube of at most `points`.
    fn cube(points: usize) -> Solid {
        let side = (1..=points).take_while(|side| side.pow(3) <= points).last().unwrap_or(1);
        Solid { side, depth: side }
    }

    /// A slab of about `points`.
    fn slab(points: usize) -> Solid {
        Solid { side: (points / THIN).isqrt().max(1), depth: THIN }
    }

    pub fn points(self) -> usize {
        self.side * self.side * self.depth
    }

    pub fn values(self, seed: u64) -> Vec<f32> {
        values(self.points(), seed)
    }

    fn is_on_surface(self, at: usize) -> bool {
        let (x, y, z) = (at % self.side, at / self.side % self.side, at / self.side / self.side);
        let is_end = |place, count| place == 0 || place == count - 1;
        is_end(x, self.side) || is_end(y, self.side) || is_end(z, self.depth)
    }

    /// The same with the factor in single precision. The sum is exact and its product with the factor fits
    /// into a double, so single precision only rounds that product.
    fn step_single(self, u: &[f32]) -> Vec<f64> {
        let sixth = f64::from(1.0_f32 / 6.0);
        self.step_by(u, |sum| f64::from((sum * sixth) as f32))
    }

    /// The result of one step with these values.
    pub fn step(self, u: &[f32]) -> Vec<f64> {
        self.step_by(u, |sum| sum / 6.0)
    }

    fn step_by(self, u: &[f32], mean: impl Fn(f64) -> f64) -> Vec<f64> {
        let value = |at: usize| f64::from(u[at]);
        let pair = |at: usize, apart: usize| value(at - apart) + value(at + apart);
        let sum = |at| pair(at, 1) + pair(at, self.side) + pair(at, self.side * self.side);
        (0..u.len()).map(|at| if self.is_on_surface(at) { value(at) } else { mean(sum(at)) }).collect()
    }
}

/// A launch of either kernel, with a thread for each point or for each line.
pub fn launch(kernel: &'static Kernel, solid: Solid, u: Buffer<f32>, next: Buffer<f32>) -> Launch {
    let (side, depth) = (solid.side as u32, solid.depth as u32);
    let is_by_line = kernel.name == JACOBI3D_LINES.name;
    let (block, threads) = if is_by_line { (LINES, 1) } else { (POINTS, depth) };
    let grid = Dim3::new(side.div_ceil(block.x), side.div_ceil(block.y), threads.div_ceil(block.z));
    let launch = Launch::new(kernel, grid, block).arg(side as i32).arg(side as i32).arg(depth as i32);
    launch.arg(u).arg(next)
}

const WARPS: Column = Column { head: ["", "warps"], cell: Cell::Counted(|counters| grouped(counters.warps)) };

pub fn section(lab: &mut Lab) -> Result<()> {
    let (points, seed) = (lab.size(4096, POINT_BYTES)?, lab.seed());
    let (small, large) = (Solid::cube(points), points.max(LARGE));
    let (cube, slab) = (Solid::cube(large), Solid::slab(large));
    let title = format!(
        "a thread for each line or for each point? Cubes of {} and {}, a slab of {} x {2} x {}",
        small.side, cube.side, slab.side, slab.depth
    );
    lab.section("solid", &title, &[WARPS, INSTRUCTIONS, LOAD_SECTORS]);
    for (name, solid, is_watched) in [("small", small, true), ("cube", cube, false), ("slab", slab, false)] {
        for (by, kernel) in [("lines", &JACOBI3D_LINES), ("points", &JACOBI3D_POINTS)] {
            lab.variant(&format!("{name}_by_{by}"), |device| step(device, kernel, solid, is_watched, seed))?;
        }
    }
    lab.notice(|section| work(section, "cube"));
    lab.notice(|section| work(section, "slab"));
    lab.gpu_notice(clock);
    Ok(())
}

fn step(
    device: &mut Device,
    kernel: &'static Kernel,
    solid: Solid,
    is_watched: bool,
    seed: u64,
) -> Result<Row> {
    let values = solid.values(seed);
    let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
    let launch = launch(kernel, solid, u, next).seed(seed);
    let run = device.launch(&if is_watched { launch } else { launch.unchecked() })?;
    let row = device.check(run, next, &solid.step_single(&values), &Tolerance::Exact)?;
    Ok(row.fact("points", solid.points() as f64))
}

fn work(section: &Section, name: &str) -> Option<String> {
    let [lines, points] = ["lines", "points"].map(|by| section.row(&format!("{name}_by_{by}")));
    let (lines, points) = (lines?.run.counters, points?.run.counters);
    let times = |points: u64, lines: u64| points as f64 / lines as f64;
    Some(format!(
        "In the {name}, a thread for each point means {:.1} times as many warps for the schedulers to choose \
         from, {:.2} times as many PTX instructions and {:.2} times as many sectors.",
        times(points.warps, lines.warps),
        times(points.ptx_instructions, lines.ptx_instructions),
        times(points.global_load_sectors, lines.global_load_sectors),
    ))
}

fn clock(section: &Section) -> Option<String> {
    let time = |name: &str| section.row(name)?.run.timing.as_ref().map(|timing| timing.median_us);
    Some(format!(
        "On the GPU the cube takes {:.1} µs by lines and {:.1} µs by points, and the slab {:.1} µs and {:.1} \
         µs.",
        time("cube_by_lines")?,
        time("cube_by_points")?,
        time("slab_by_lines")?,
        time("slab_by_points")?,
    ))
}
