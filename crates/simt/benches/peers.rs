//! The emulator's part of `tools/benchmarks/peers/run.sh`: six kernels, timed as in `tools/benchmarks/peers/opencl.c`.
//!
//! `cargo bench -p ptx-emulator --bench peers -- --elements 16777216 --repeats 3 --cores 2 --races` prints, for each
//! kernel or the one that `--kernel` names, its name, its threads, and the best and the median of the repeats, in millions of threads per second. Only
//! the launch is timed, with counters on, after one launch that is not timed; every result is checked. Without options,
//! as in `cargo bench` and in CI, it only checks in milliseconds that all this works. Statistics are left to
//! `throughput.rs`.

use std::env;
use std::time::{Duration, Instant};

use simt::{Buffer, Checks, Emulator, FaultKind, Launch, Limits, Module, Report};

const REDUCTION: &str = include_str!("../../../kernels/ptx/reduction.sm_70.ptx");
const STEPS: &str = include_str!("../../../kernels/ptx/reduction_steps.sm_70.ptx");
const LAPLACE: &str = include_str!("../../../kernels/ptx/laplace.sm_70.ptx");
const BENCHMARKS: &str = include_str!("../../../kernels/ptx/benchmarks.sm_70.ptx");

/// The threads of a block, and the side of a square block.
const BLOCK: usize = 1024;
const SIDE: usize = 16;

/// The largest number of steps of a Collatz sequence.
const MOST_STEPS: u32 = 64;

/// What a kernel computes.
#[derive(Clone, Copy)]
enum Work {
    /// The sum of each block, to which each thread adds this many elements.
    Sums(usize),
    /// A step of Laplace's equation in two dimensions, in square blocks.
    Laplace,
    /// The lengths of Collatz sequences, which differ from lane to lane.
    Collatz,
}

/// The kernels and their files.
const KERNELS: [(&str, &str, Work); 6] = [
    (REDUCTION, "reduce_neighbored", Work::Sums(1)),
    (REDUCTION, "reduce_neighbored_less", Work::Sums(1)),
    (REDUCTION, "reduce_interleaved", Work::Sums(1)),
    (STEPS, "reduce_shared", Work::Sums(8)),
    (LAPLACE, "jacobi_whole", Work::Laplace),
    (BENCHMARKS, "bench_divergent", Work::Collatz),
];

/// The first kernel without barriers, which shows that a checker of races finds something.
const RACY: (&str, &str, Work) = (REDUCTION, "reduce_interleaved_no_barrier", Work::Sums(1));

fn main() {
    let elements = option("--elements").unwrap_or(2 * BLOCK);
    let repeats = option("--repeats").unwrap_or(1);
    let cores = option("--cores").unwrap_or(1) as u32;
    let races = env::args().any(|arg| arg == "--races");
    let checks = Checks { races, ..Checks::NONE };
    if races {
        let report = Ready::new(RACY, BLOCK, checks, cores).launch();
        assert_eq!(report.faults[0].kind, FaultKind::Race, "the checker of races does not look");
    }
    let only = text_option("--kernel");
    for kernel in KERNELS.into_iter().filter(|(_, name, _)| only.as_deref().is_none_or(|only| only == *name))
    {
        measure(Ready::new(kernel, elements, checks, cores), repeats);
    }
}

/// The number after an option. `cargo bench` passes other options, which are meant for criterion.
fn option(name: &str) -> Option<usize> {
    let value = text_option(name)?;
    Some(value.parse().unwrap_or_else(|_| panic!("`{name} {value}`: give a number")))
}

fn text_option(name: &str) -> Option<String> {
    env::args().skip_while(|arg| arg != name).nth(1)
}

/// The input is 0, 1, 2 and so on up to 999, repeated, so no sum overflows, and all means are exact.
fn element(i: usize) -> u32 {
    i as u32 % 1000
}

impl Work {
    /// The words of the input. The side of the square of points is a multiple of that of a block, so there may be fewer
    /// than `n`.
    fn input(self, n: usize) -> Vec<u32> {
        match self {
            Work::Laplace => (0..side(n) * side(n)).map(|i| (element(i) as f32).to_bits()).collect(),
            _ => (0..n).map(element).collect(),
        }
    }

    /// The words that the kernel has to write.
    fn output(self, n: usize) -> Vec<u32> {
        match self {
            Work::Sums(per_thread) => {
                let input = self.input(n);
                input.chunks(BLOCK * per_thread).map(|part| part.iter().sum()).collect()
            }
            Work::Laplace => (0..side(n) * side(n)).map(|i| mean(side(n), i).to_bits()).collect(),
            Work::Collatz => (0..n).map(|i| collatz_steps(element(i))).collect(),
        }
    }

    /// A launch for `n` elements, with the addresses of the input and the output.
    fn launch(self, n: usize, x: u64, y: u64) -> Launch {
        match self {
            Work::Sums(per_thread) => {
                let blocks = n.div_ceil(BLOCK * per_thread) as u32;
                Launch::new(blocks, BLOCK as u32).arg(x).arg(y).arg(n as u32)
            }
            Work::Laplace => {
                let (side, blocks) = (side(n) as u32, (side(n) / SIDE) as u32);
                let block = (SIDE as u32, SIDE as u32);
                Launch::new((blocks, blocks), block).arg(side).arg(side).arg(x).arg(y)
            }
            Work::Collatz => {
                let launch = Launch::new(n.div_ceil(BLOCK) as u32, BLOCK as u32);
                launch.arg(x).arg(y).arg(MOST_STEPS).arg(n as u32)
            }
        }
    }
}

/// The side of the largest square of whole blocks that has at most `n` points, or one block.
fn side(n: usize) -> usize {
    (n.isqrt() / SIDE).max(1) * SIDE
}

/// A point after the step. Points on the border keep their values.
fn mean(side: usize, i: usize) -> f32 {
    let (x, y) = (i % side, i / side);
    if [x, y].iter().any(|&at| at == 0 || at == side - 1) {
        return element(i) as f32;
    }
    let neighbours = [i - 1, i + 1, i - side, i + side];
    0.25 * neighbours.map(element).iter().sum::<u32>() as f32
}

fn collatz_steps(value: u32) -> u32 {
    let next =
        |&value: &u32| (value > 1).then(|| if value.is_multiple_of(2) { value / 2 } else { 3 * value + 1 });
    (std::iter::successors(Some(value), next).count() as u32 - 1).min(MOST_STEPS)
}

/// A kernel with its memory.
struct Ready {
    emulator: Emulator,
    module: Module,
    kernel: &'static str,
    launch: Launch,
    input: Vec<u32>,
    output: Vec<u32>,
    x: Buffer,
    y: Buffer,
}

impl Ready {
    fn new((text, kernel, work): (&str, &'static str, Work), n: usize, checks: Checks, cores: u32) -> Ready {
        let (input, output) = (work.input(n), work.output(n));
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(kernel, text).expect("the committed PTX is read");
        let [x, y] = [("x", input.len()), ("y", output.len())]
            .map(|(name, words)| emulator.alloc(name, 4 * words as u64).expect("there is memory"));
        let mut launch = work.launch(n, x.address(), y.address());
        (launch.checks, launch.cores) = (checks, cores);
        Ready { emulator, module, kernel, launch, input, output, x, y }
    }

    /// Writes the input again, because most kernels overwrite it.
    fn prepare(&mut self) {
        for (word, value) in self.emulator.write(self.x).unwrap().chunks_exact_mut(4).zip(&self.input) {
            word.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn launch(&mut self) -> Report {
        self.emulator.launch(&self.module, self.kernel, &self.launch).expect("the launch is possible")
    }

    /// The time of a launch, whose result is checked.
    fn time(&mut self) -> Duration {
        self.prepare();
        let start = Instant::now();
        let report = self.launch();
        let time = start.elapsed();
        assert!(report.faults.is_empty(), "{}", report.faults[0]);
        let words = self.emulator.read(self.y).unwrap().chunks_exact(4);
        for (i, (word, expected)) in words.zip(&self.output).enumerate() {
            assert_eq!(word, expected.to_le_bytes(), "word {i} of `{}` is wrong", self.kernel);
        }
        time
    }
}

/// Prints a kernel's line.
fn measure(mut ready: Ready, repeats: usize) {
    ready.time();
    let mut times: Vec<Duration> = (0..repeats).map(|_| ready.time()).collect();
    times.sort();
    let threads = ready.launch.grid.count() * ready.launch.block.count();
    let [best, median] = [0, repeats / 2].map(|nth| threads as f64 / times[nth].as_secs_f64() / 1e6);
    println!("{} {threads} {best:.5} {median:.5}", ready.kernel);
}
