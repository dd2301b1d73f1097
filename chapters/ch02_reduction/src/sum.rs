//! Running and checking a reduction, which is what all sections have in common.
//!
//! Block sums are compared with the exact ones, block by block, and the host adds them up in 64 bits. Floats
//! are left out, because they need a bound.

use anyhow::Result;
use thirty_two_lanes::kernel::Kernel;
use thirty_two_lanes::launch::blocks_for;
use thirty_two_lanes::report::Section;
use thirty_two_lanes::{Buffer, Device, Launch, Random, Row, Run, Schedule, Tolerance};

/// For each element: the array on the machine, its values on the host, and the words from which these are
/// made.
pub const ELEMENT_BYTES: u64 = 3 * 4;

/// Integers from 0 to 255, so that the sum of a block cannot overflow, whatever its size.
pub fn integers(n: usize, seed: u64) -> Vec<i32> {
    Random::new(seed).words(n).into_iter().map(|word| (word >> 24) as i32).collect()
}

/// A kernel and the shape of its launch.
#[derive(Clone, Copy)]
pub struct Reduction {
    pub kernel: &'static Kernel,
    /// Threads in a block.
    pub block: u32,
    /// Elements for each thread.
    pub parts: u32,
    pub seed: u64,
}

/// The number of seeds with which a kernel with a race runs.
pub const SEEDS: u64 = 20;

/// The arrays of a reduction, and its launch.
pub struct Prepared {
    pub x: Buffer<i32>,
    pub sums: Buffer<i32>,
    pub launch: Launch,
}

impl Reduction {
    /// Elements for each block.
    fn per_block(self) -> u32 {
        self.block * self.parts
    }

    /// Copies `values` to the machine; the kernel gets `n` as the number of elements.
    pub fn prepare(self, device: &mut Device, values: &[i32], n: usize) -> Result<Prepared> {
        let blocks = blocks_for(n, self.per_block());
        let (x, sums) = (device.upload("x", values)?, device.zeroed::<i32>("sums", blocks as usize)?);
        let launch = Launch::new(self.kernel, blocks, self.block).seed(self.seed);
        Ok(Prepared { x, sums, launch: launch.arg(x).arg(sums).arg(n as u32) })
    }

    /// Runs the kernel, and compares each block's sum with the exact one.
    pub fn run(self, device: &mut Device, values: &[i32]) -> Result<Row> {
        let prepared = self.prepare(device, values, values.len())?;
        let run = device.launch(&prepared.launch)?;
        self.judge(device, run, prepared.sums, values)
    }

    /// Compares block sums with those of `values`. The facts are the total as the host adds it up, the exact
    /// total, and the total of a GPU's block sums.
    pub fn judge(self, device: &mut Device, run: Run, sums: Buffer<i32>, values: &[i32]) -> Result<Row> {
        let expected = block_sums(values, self.per_block());
        let row = device.check(run, sums, &expected, &Tolerance::Exact)?;
        let all = |sums: Vec<i32>| sums.into_iter().map(i64::from).sum::<i64>() as f64;
        let contents = device.read(sums)?;
        let row = row.fact("sum", all(contents.sim)).fact("exact_sum", expected.iter().sum());
        Ok(match contents.gpu {
            Some(gpu) => row.gpu_fact("gpu_sum", all(gpu)),
            None => row,
        })
    }
}

impl Prepared {
    /// The block sums under [`SEEDS`] seeds, beginning with the launch's own, with blocks and warps in random order. The
    /// arrays stay as they are.
    pub fn under_seeds(&self, device: &mut Device) -> Result<Vec<Vec<i32>>> {
        let seed = |more| {
            let mut launch = self.launch.clone().seed(self.launch.simt.seed.wrapping_add(more));
            launch.simt.schedule = Schedule::Random;
            launch
        };
        let launches: Vec<Launch> = (0..SEEDS).map(seed).collect();
        let trials = device.trials(&launches, self.sums)?;
        Ok(trials.into_iter().map(|(_, sums)| sums).collect())
    }
}

/// A row of a kernel with a race, with a remark about a GPU's sum, which depends on luck.
pub fn with_luck(row: Row) -> Row {
    let sums = row.fact_value("gpu_sum").zip(row.fact_value("exact_sum"));
    let Some((sum, exact)) = sums else { return row };
    let remark = if (sum - exact).abs() < 0.5 {
        format!("the GPU's sum was {sum} this time, which is right by luck")
    } else {
        format!("the GPU's sum was {sum} this time, and the exact one is {exact}")
    };
    row.gpu_remark(remark)
}

/// The times of several rows on a GPU. If they hardly differ, most of the time is the launch.
pub fn on_the_clock(section: &Section) -> Option<String> {
    const APART: f64 = 1.5;
    let times: Option<Vec<f64>> =
        section.rows.iter().map(|row| Some(row.run.timing.as_ref()?.median_us)).collect();
    let times = times.filter(|times| times.len() > 1)?;
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = times.iter().copied().fold(0.0, f64::max);
    if longest < APART * shortest {
        return Some(format!(
            "On the GPU none takes more than {longest:.1} µs, most of which is the launch. To see how the \
             kernels differ, give them more to add: `--size 16777216 --block 1024`."
        ));
    }
    let times: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
    Some(format!("On the GPU they take {} µs, from the first row to the last.", times.join(", ")))
}

/// The exact sums of the blocks. Doubles represent these and their total exactly, because they are below 2⁵³.
pub fn block_sums(values: &[i32], per_block: u32) -> Vec<f64> {
    values.chunks(per_block as usize).map(|part| part.iter().map(|&x| f64::from(x)).sum()).collect()
}
