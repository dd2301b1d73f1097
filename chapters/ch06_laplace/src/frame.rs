//! Grids with a frame: a whole sector to the left and to the right of each row, a row above and a row below.
//!
//! Because of the frame, every point has four neighbours, so a kernel needs no test. It leaves out how a frame is kept
//! up to date; here it keeps its values.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::{Buffer, Device, Dim3, Launch, Row, Schedule, Tolerance};

use crate::grid::{Grid, values};

/// Floats before and after the points of a row, as in the kernels: one sector.
pub const MARGIN: usize = 8;

/// A grid and its frame, stored together.
#[derive(Clone, Copy, Debug)]
pub struct Framed(pub Grid);

impl Framed {
    /// Floats in a row.
    pub fn pitch(self) -> usize {
        self.0.width + 2 * MARGIN
    }

    /// Where a point is stored.
    pub fn at(self, x: usize, y: usize) -> usize {
        (y + 1) * self.pitch() + MARGIN + x
    }

    fn floats(self) -> usize {
        self.pitch() * (self.0.height + 2)
    }

    /// The result of one step with these values. The frame becomes zero, because no thread writes it.
    fn step(self, u: &[f32]) -> Vec<f64> {
        let pitch = self.pitch();
        let mut next = vec![0.0; u.len()];
        for y in 0..self.0.height {
            let row = self.at(0, y)..self.at(self.0.width, y);
            for (next, at) in next[row.clone()].iter_mut().zip(row) {
                let [left, right, above, below] = neighbours(at, pitch).map(|at| f64::from(u[at]));
                *next = 0.25 * (left + right + above + below);
            }
        }
        next
    }
}

/// Where the four neighbours of a point are.
pub fn neighbours(at: usize, pitch: usize) -> [usize; 4] {
    [at - 1, at + 1, at - pitch, at + pitch]
}

/// One step of a kernel for grids with a frame, in whole blocks. There is shared memory for the kernels with
/// a tile.
pub fn step(device: &mut Device, kernel: &'static Kernel, grid: Grid, block: Dim3, seed: u64) -> Result<Row> {
    Step::new(device, kernel, grid, block, seed)?.run(device)
}

/// A step that is ready to run.
pub struct Step {
    launch: Launch,
    next: Buffer<f32>,
    expected: Vec<f64>,
}

impl Step {
    pub fn new(
        device: &mut Device,
        kernel: &'static Kernel,
        grid: Grid,
        block: Dim3,
        seed: u64,
    ) -> Result<Step> {
        let framed = Framed(grid);
        let values = values(framed.floats(), seed);
        let (u, next) = (device.upload("u", &values)?, device.zeroed::<f32>("next", values.len())?);
        let launch = Launch::new(kernel, grid.blocks(block), block).seed(seed);
        let launch = launch.arg(framed.pitch() as i32).arg(u).arg(next);
        let launch = launch.shared_bytes((block.x + 2) * (block.y + 2) * 4);
        Ok(Step { launch, next, expected: framed.step(&values) })
    }

    pub fn run(&self, device: &mut Device) -> Result<Row> {
        let run = device.launch(&self.launch)?;
        let row = device.check(run, self.next, &self.expected, &Tolerance::Exact)?;
        let Some(gpu) = device.read(self.next)?.gpu else { return Ok(row) };
        Ok(row.gpu_fact("wrong_on_gpu", self.count_wrong(&gpu) as f64))
    }

    /// How many points are wrong under each of so many seeds, with the warps in random order.
    pub fn wrong_under_seeds(&self, device: &mut Device, seeds: u64) -> Result<Vec<usize>> {
        let seed = |more| {
            let mut launch = self.launch.clone().seed(self.launch.simt.seed.wrapping_add(more));
            launch.simt.schedule = Schedule::Random;
            launch
        };
        let launches: Vec<Launch> = (0..seeds).map(seed).collect();
        let trials = device.trials(&launches, self.next)?;
        Ok(trials.iter().map(|(_, next)| self.count_wrong(next)).collect())
    }

    fn count_wrong(&self, got: &[f32]) -> usize {
        let is_wrong = |&(&got, expected): &(&f32, &f64)| f64::from(got).to_bits() != expected.to_bits();
        got.iter().zip(&self.expected).filter(is_wrong).count()
    }
}
