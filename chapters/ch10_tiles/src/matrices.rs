//! The matrices that all sections multiply, and how a version of the product is run and judged.
//!
//! The elements are small whole numbers, so the sums are exact in any order. It leaves out matrices that are not square, and
//! sizes that no tile divides: `--size`, the elements of a matrix, is rounded up.

use std::cell::OnceCell;

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::report::columns::{Cell, Column};
use thirty_two_lanes::report::layout::grouped;
use thirty_two_lanes::{Buffer, Device, Lab, Launch, Random, Row, Run, Tolerance, Verdict};

/// The default number of elements of a matrix.
const SIZE: usize = 128 * 128;
/// An element of A, B and C on the machine and on the host, and of the expected C.
const ELEMENT_BYTES: u64 = 3 * 4 + 3 * 4 + 8;
/// All tiles of the chapter divide it.
const LARGEST_TILE: usize = 128;
const LANES: f64 = 32.0;

/// How many products a lane computes for each of its loads, from global or shared memory, on average.
pub const PRODUCTS_PER_LOAD: Column =
    Column { head: ["products", "per load"], cell: Cell::Fact("products_per_load") };

/// A kernel, the tile of C of a block, the shape of the block, and whether it is right.
#[derive(Clone, Copy)]
pub struct Version {
    pub kernel: &'static Kernel,
    /// Rows and columns.
    pub tile: (u32, u32),
    pub block: (u32, u32),
    /// The blocks are counted down the rows first.
    pub is_down: bool,
    pub is_right: bool,
    /// Rows and columns that are enough for the checkers. They remember every access, so they watch a run of this size, and not
    /// the run whose counters are shown. Of a wrong version there is no other run.
    pub checked_n: usize,
}

/// A, B, and the product that is expected.
struct Factors {
    /// Rows and columns of each.
    n: usize,
    seed: u64,
    values: OnceCell<(Vec<f32>, Vec<f32>, Vec<f64>)>,
}

/// The matrices of one size that the reader asked for.
pub struct Matrices(Factors);

impl Matrices {
    pub fn of(lab: &mut Lab) -> Result<Matrices> {
        let (size, seed) = (lab.size(SIZE, ELEMENT_BYTES)?, lab.seed());
        let root = size.isqrt();
        let n = if root * root < size { root + 1 } else { root }.max(1).next_multiple_of(LARGEST_TILE);
        Ok(Matrices(Factors::of(n, seed)))
    }

    /// For the title of a section.
    pub fn named(&self) -> String {
        format!("{} rows and columns", grouped(self.0.n as u64))
    }

    /// Adds a row for each version.
    pub fn section(&self, lab: &mut Lab, versions: &[Version]) -> Result<()> {
        for version in versions {
            lab.variant(version.kernel.name, |device| self.row(device, version))?;
        }
        let wrong = versions.iter().filter(|version| !version.is_right && version.checked_n != self.0.n);
        lab.notice(|section| {
            let shown = wrong.into_iter().find(|version| section.row(version.kernel.name).is_some())?;
            Some(format!(
                "The wrong versions run with {} rows and columns: only their faults count.",
                shown.checked_n
            ))
        });
        Ok(())
    }

    fn row(&self, device: &mut Device, version: &Version) -> Result<Row> {
        let small = Factors::of(version.checked_n, self.0.seed);
        if !version.is_right {
            let (launch, c) = small.launch(device, version)?;
            let run = device.launch(&launch)?;
            return Ok(small.judged(device, run, c)?.expect(Verdict::Fault));
        }
        let (launch, c) = self.0.launch(device, version)?;
        if small.n == self.0.n {
            let run = device.launch(&launch)?;
            return self.0.judged(device, run, c);
        }
        let (checked, small_c) = small.launch(device, version)?;
        let (first, _) = device.trial(&checked, small_c)?;
        let mut run = device.launch(&launch.unchecked())?;
        run.faults.extend(first.faults);
        self.0.judged(device, run, c)
    }
}

impl Factors {
    fn of(n: usize, seed: u64) -> Factors {
        Factors { n, seed, values: OnceCell::new() }
    }

    fn values(&self) -> &(Vec<f32>, Vec<f32>, Vec<f64>) {
        self.values.get_or_init(|| {
            let mut random = Random::new(self.seed);
            let mut matrix = || -> Vec<f32> {
                (0..self.n * self.n).map(|_| f32::from((random.next_u32() >> 29) as u8)).collect()
            };
            let (a, b) = (matrix(), matrix());
            let c = multiplied(&a, &b, self.n);
            (a, b, c)
        })
    }

    /// A launch for these matrices, and the buffer of C.
    fn launch(&self, device: &mut Device, version: &Version) -> Result<(Launch, Buffer<f32>)> {
        let (a, b, expected) = self.values();
        let (a, b) = (device.upload("a", a)?, device.upload("b", b)?);
        let c = device.zeroed::<f32>("c", expected.len())?;
        let n = self.n as u32;
        let (rows, columns) = (n / version.tile.0, n / version.tile.1);
        let grid = if version.is_down { (rows, columns) } else { (columns, rows) };
        let launch = Launch::new(version.kernel, grid, version.block).seed(self.seed);
        Ok((launch.arg(a).arg(b).arg(c).arg(n as i32), c))
    }

    fn judged(&self, device: &mut Device, run: Run, c: Buffer<f32>) -> Result<Row> {
        let loads = (run.counters.global_load_requests + run.counters.shared_load_requests) as f64;
        let products = (self.n as f64).powi(3) / LANES;
        let (_, _, expected) = self.values();
        let row = device.check(run, c, expected, &Tolerance::Exact)?;
        Ok(row.fact("products_per_load", products / loads))
    }
}

/// C, row by row: each element of A is multiplied by a row of B.
fn multiplied(a: &[f32], b: &[f32], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (of_a, of_c) in a.chunks(n).zip(c.chunks_mut(n)) {
        for (a, of_b) in of_a.iter().zip(b.chunks(n)) {
            let a = f64::from(*a);
            of_c.iter_mut().zip(of_b).for_each(|(c, b)| *c += a * f64::from(*b));
        }
    }
    c
}
