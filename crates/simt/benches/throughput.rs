//! The speed of the emulator with counters on: `cargo bench -p ptx-emulator`.
//!
//! Each kernel is measured once and reported twice: `NAME/warp_instructions` as PTX instructions of a warp per second
//! (`elem/s`), `NAME/threads` as kernel threads per second. One of the two alone would say little: a kernel with long
//! threads has few of them, and a kernel whose lanes diverge has many instructions with few lanes in each. The kernels
//! are those of `kernels/benchmarks.cu`, one for each thing that decides the speed, and `saxpy`. Each is measured on
//! one core without checkers, with the checker of races (`NAME_races`), with that of initialisation
//! (`NAME_initialisation`), and with all checkers (`NAME_all`); and without checkers on all cores (`NAME_cores`) and with a
//! watcher that looks at nothing (`NAME_watched`).

use std::hint::black_box;
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simt::{Checks, Emulator, Launch, Limits, Module, Moment};

const SAXPY: &str = include_str!("../../../kernels/ptx/saxpy.sm_70.ptx");
const BENCHMARKS: &str = include_str!("../../../kernels/ptx/benchmarks.sm_70.ptx");

/// A kernel with its memory, ready to be launched many times.
struct Ready {
    emulator: Emulator,
    module: Module,
    kernel: &'static str,
    launch: Launch,
    is_watched: bool,
}

/// A kernel of `n` threads in blocks of 256. `args` adds its arguments; it gets the addresses of two buffers of `n`
/// words, the first of which contains numbers.
fn ready(text: &str, kernel: &'static str, n: u32, args: impl Fn(Launch, u64, u64) -> Launch) -> Ready {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(kernel, text).expect("the committed PTX is read");
    let [x, y] = ["x", "y"].map(|name| emulator.alloc(name, 4 * u64::from(n)).expect("there is memory"));
    for (i, word) in emulator.write(x).unwrap().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(i as u32 % 1000).to_le_bytes());
    }
    let launch = args(Launch::new(n.div_ceil(256), 256), x.address(), y.address());
    Ready { emulator, module, kernel, launch, is_watched: false }
}

impl Ready {
    /// The warp instructions of a launch.
    fn run(&mut self) -> u64 {
        let Ready { emulator, module, kernel, launch, is_watched } = self;
        let report = if *is_watched {
            let mut watcher = |moment: &Moment<'_>| {
                black_box(moment);
                ControlFlow::Continue(())
            };
            emulator.launch_watched(module, kernel, launch, &mut watcher)
        } else {
            emulator.launch(module, kernel, launch)
        };
        let report = report.expect("the launch is possible");
        assert!(report.faults.is_empty(), "{}", report.faults[0]);
        report.counters.ptx_instructions
    }
}

fn throughput(criterion: &mut Criterion) {
    let streaming = |launch: Launch, x, y| launch.arg(2.0_f32).arg(x).arg(y).arg(1 << 22);
    let divergent = |launch: Launch, x: u64, y: u64| launch.arg(x).arg(y).arg(64_u32).arg(1 << 16);
    let sums = |launch: Launch, x: u64, y: u64| launch.arg(x).arg(y).arg(1 << 20);
    let kernels = || {
        [
            ("streaming", ready(SAXPY, "saxpy", 1 << 22, streaming)),
            ("divergent", ready(BENCHMARKS, "bench_divergent", 1 << 16, divergent)),
            ("shared", ready(BENCHMARKS, "bench_shared", 1 << 20, sums)),
            ("tree", tree(sums)),
            ("shuffle", ready(BENCHMARKS, "bench_shuffle", 1 << 20, sums)),
        ]
    };
    let all_cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let ways = [
        ("", Checks::NONE, 1, false),
        ("_cores", Checks::NONE, all_cores, false),
        ("_races", Checks { races: true, ..Checks::NONE }, 1, false),
        ("_initialisation", Checks { initialisation: true, ..Checks::NONE }, 1, false),
        ("_all", Checks::ALL, 1, false),
        ("_watched", Checks::NONE, 1, true),
    ];
    for (suffix, checks, cores, is_watched) in ways {
        for (name, mut ready) in kernels() {
            (ready.launch.checks, ready.launch.cores) = (checks, cores);
            ready.is_watched = is_watched;
            measure(criterion, &format!("{name}{suffix}"), ready);
        }
    }
}

/// The tree in global memory, in blocks of 1024.
fn tree(sums: impl Fn(Launch, u64, u64) -> Launch) -> Ready {
    let mut tree = ready(BENCHMARKS, "bench_tree", 1 << 20, sums);
    (tree.launch.grid, tree.launch.block) = (1024.into(), 1024.into());
    tree
}

/// Measures one kernel.
fn measure(criterion: &mut Criterion, name: &str, mut ready: Ready) {
    let instructions = ready.run();
    let threads = ready.launch.grid.count() * ready.launch.block.count();
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for (unit, count) in [("warp_instructions", instructions), ("threads", threads)] {
        group.throughput(Throughput::Elements(count));
        group.bench_function(unit, |bencher| bencher.iter(|| black_box(ready.run())));
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
