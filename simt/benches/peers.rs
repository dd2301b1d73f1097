//! The emulator's part of `benches/peers/run.sh`: four reductions, timed as in `benches/peers/opencl.c`.
//!
//! `cargo bench -p ptx-emulator --bench peers -- --elements 16777216 --repeats 3 --cores 2 --races` prints, for each
//! kernel, its name, its threads, and the best and the median of the repeats, in millions of threads per second. Only
//! the launch is timed, with counters on, after one launch that is not timed; the sum of every block is checked.
//! Without options, as in `cargo bench` and in CI, it only checks in milliseconds that all this works. Statistics are
//! left to `throughput.rs`.

use std::env;
use std::time::{Duration, Instant};

use simt::{Buffer, Checks, Emulator, FaultKind, Launch, Limits, Module, Report};

const REDUCTION: &str = include_str!("../../kernels/ptx/reduction.sm_70.ptx");
const STEPS: &str = include_str!("../../kernels/ptx/reduction_steps.sm_70.ptx");
const BLOCK: usize = 1024;

/// The kernels: their files, and how many elements each thread takes.
const KERNELS: [(&str, &str, usize); 4] = [
    (REDUCTION, "reduce_neighbored", 1),
    (REDUCTION, "reduce_neighbored_less", 1),
    (REDUCTION, "reduce_interleaved", 1),
    (STEPS, "reduce_shared", 8),
];

/// The first kernel without barriers, which shows that a checker of races finds something.
const RACY: (&str, &str, usize) = (REDUCTION, "reduce_interleaved_no_barrier", 1);

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
    for kernel in KERNELS {
        measure(Ready::new(kernel, elements, checks, cores), repeats);
    }
}

/// The number after an option. `cargo bench` passes other options, which are meant for criterion.
fn option(name: &str) -> Option<usize> {
    let value = env::args().skip_while(|arg| arg != name).nth(1)?;
    Some(value.parse().unwrap_or_else(|_| panic!("`{name} {value}`: give a number")))
}

/// A kernel with its memory.
struct Ready {
    emulator: Emulator,
    module: Module,
    kernel: &'static str,
    launch: Launch,
    input: Vec<i32>,
    per_block: usize,
    x: Buffer,
    sums: Buffer,
}

impl Ready {
    fn new(
        (text, kernel, per_thread): (&str, &'static str, usize),
        n: usize,
        checks: Checks,
        cores: u32,
    ) -> Ready {
        let per_block = BLOCK * per_thread;
        let blocks = n.div_ceil(per_block);
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load(kernel, text).expect("the committed PTX is read");
        let [x, sums] = [("x", n), ("sums", blocks)]
            .map(|(name, words)| emulator.alloc(name, 4 * words as u64).expect("there is memory"));
        let mut launch = Launch::new(blocks as u32, BLOCK as u32);
        launch = launch.arg(x.address()).arg(sums.address()).arg(n as u32);
        (launch.checks, launch.cores) = (checks, cores);
        // No sum of these overflows.
        let input = (0..n as i32).map(|i| i % 1000).collect();
        Ready { emulator, module, kernel, launch, input, per_block, x, sums }
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
        let sums = self.emulator.read(self.sums).unwrap().chunks_exact(4);
        for (sum, part) in sums.zip(self.input.chunks(self.per_block)) {
            assert_eq!(sum, part.iter().sum::<i32>().to_le_bytes(), "the sum of a block is wrong");
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
