//! The fast way is taken: warps of a block execute together what they can.
//!
//! All other tests would pass if every instruction were carried out for one warp after another.

use simt::launch::Hooks;
use simt::{Checks, Dim3, Emulator, Launch, Limits, Report};

const SAXPY: &str = include_str!("../../../kernels/ptx/saxpy.sm_70.ptx");
const LAPLACE: &str = include_str!("../../../kernels/ptx/laplace.sm_70.ptx");
const BENCHMARKS: &str = include_str!("../../../kernels/ptx/benchmarks.sm_70.ptx");

/// Threads of each launch.
const N: u32 = 1 << 14;

/// Launches a kernel of which `args` adds the arguments; it gets the addresses of two buffers of a word for each thread.
fn launch(
    (text, kernel): (&str, &str),
    (grid, block): (Dim3, Dim3),
    hooks: Hooks,
    args: impl Fn(Launch, u64, u64) -> Launch,
) -> Report {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(kernel, text).unwrap();
    let [x, y] = ["x", "y"].map(|name| emulator.alloc(name, 4 * u64::from(N)).unwrap());
    for (i, word) in emulator.write(x).unwrap().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(i as u32 % 1000).to_le_bytes());
    }
    // The host has written both, so nobody has to see what is read.
    emulator.write(y).unwrap();
    let launch = Launch { hooks, ..args(Launch::new(grid, block), x.address(), y.address()) };
    let report = emulator.launch(&module, kernel, &launch).unwrap();
    assert!(report.faults.is_empty(), "{}", report.faults[0]);
    report
}

#[test]
fn warps_execute_together_what_they_can() {
    let line = (Dim3::from(N / 256), Dim3::from(256));
    let plane = (Dim3::new(8, 8, 1), Dim3::new(16, 16, 1));
    let saxpy = |launch: Launch, x, y| launch.arg(2.0_f32).arg(x).arg(y).arg(N);
    let laplace = |launch: Launch, x, y| launch.arg(128).arg(128).arg(x).arg(y);
    let steps = |launch: Launch, x: u64, y: u64| launch.arg(x).arg(y).arg(64_u32).arg(N);
    let sums = |launch: Launch, x: u64, y: u64| launch.arg(x).arg(y).arg(N);
    let check = |kernel: (&str, &str), shape, args: &dyn Fn(Launch, u64, u64) -> Launch, most: (f64, f64)| {
        let report = launch(kernel, shape, Hooks::default(), args);
        let gathered = report.effort.gathered as f64 / shape.0.count() as f64;
        let apart = report.effort.apart as f64 / report.counters.ptx_instructions as f64;
        assert!(gathered <= most.0, "{}: lanes were gathered {gathered} times per block", kernel.1);
        assert!(apart <= most.1, "{}: {apart} of the instructions were carried out apart", kernel.1);
    };
    // How often the lanes of a block are gathered at most, and which part of the instructions is carried out apart. A block without
    // divergence is gathered once; those at the rim of a plane have lanes that do less.
    check((SAXPY, "saxpy"), line, &saxpy, (1.0, 0.0));
    check((LAPLACE, "jacobi_whole"), plane, &laplace, (2.5, 0.125));
    check((BENCHMARKS, "bench_divergent"), line, &steps, (4.0, 0.0));
    check((BENCHMARKS, "bench_shared"), line, &sums, (3.0, 0.02));
    check((BENCHMARKS, "bench_shuffle"), line, &sums, (2.0, 0.05));
    check((BENCHMARKS, "bench_tree"), line, &sums, (3.0, 0.01));
}

/// A sum of neighbouring words, in a loop that is long enough for a probe for threads that make no progress.
const LONG: &str = "
.version 8.0
.target sm_70
.address_size 64
.visible .entry long(.param .u64 x, .param .u64 y)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
NEXT:
    add.s32 %r4, %r1, %r2;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r5, [%rd4];
    add.u32 %r3, %r3, %r5;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p, %r2, 8192;
    @%p bra NEXT;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    ret;
}
";

#[test]
fn a_probe_of_a_long_loop_does_not_leave_it_slower() {
    let report =
        launch((LONG, "long"), (1.into(), 256.into()), Hooks::default(), |launch, x, y| launch.arg(x).arg(y));
    let apart = report.effort.apart as f64 / report.counters.ptx_instructions as f64;
    assert!(apart > 0.0 && apart < 0.05, "{apart} of the instructions were carried out apart");
}

#[test]
fn the_plain_interpreter_carries_out_everything_apart() {
    let line = (Dim3::from(N / 256), Dim3::from(256));
    let saxpy = |launch: Launch, x, y| launch.arg(2.0_f32).arg(x).arg(y).arg(N);
    let report = launch((SAXPY, "saxpy"), line, Hooks::default().plain(true), saxpy);
    assert_eq!(report.effort.apart, report.counters.ptx_instructions);
}

/// The blocks of a grid take turns, the last one first: each waits until `x` says so, polling it in the given way.
fn in_turn(polls: &str, blocks: u32, hooks: Hooks) -> Report {
    let text = format!(
        ".version 8.0
         .target sm_70
         .visible .entry k(.param .u64 x) {{
             .reg .pred %p;
             .reg .b64 %rd<4>;
             .reg .b32 %r<8>;
             ld.param.u64 %rd1, [x];
             mov.u32 %r1, %ctaid.x;
             mov.u32 %r2, %nctaid.x;
             sub.u32 %r2, %r2, %r1;
             mov.u32 %r6, 0;
         wait:
             {polls}
             setp.ne.u32 %p, %r3, %r2;
             @%p bra wait;
             bar.sync 0;
             mov.u32 %r4, %tid.x;
             setp.ne.u32 %p, %r4, 0;
             @%p bra end;
             add.u32 %r5, %r2, 1;
             atom.exch.b32 %r5, [%rd1], %r5;
         end:
             ret;
         }}"
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("k", &text).unwrap();
    let x = emulator.alloc("x", 8).unwrap();
    emulator.write(x).unwrap()[0] = 1;
    let checks = Checks::ALL;
    let launch = Launch { hooks, checks, cores: 1, ..Launch::new(blocks, 256).arg(x.address()) };
    let report = emulator.launch(&module, "k", &launch).unwrap();
    assert_eq!(u32::from(emulator.read(x).unwrap()[0]), blocks + 1, "all had their turn");
    report
}

#[test]
fn lanes_that_only_wait_leave_the_rest_of_their_turn() {
    let check = |polls: &str, waits: bool| {
        let (fast, plain) =
            (in_turn(polls, 8, Hooks::default()), in_turn(polls, 8, Hooks::default().plain(true)));
        assert_eq!(fast.counters, plain.counters, "{polls}");
        assert_eq!(fast.lines, plain.lines, "{polls}");
        let kinds =
            |report: &Report| report.faults.iter().map(|fault| (fault.kind, fault.count)).collect::<Vec<_>>();
        assert_eq!(kinds(&fast), kinds(&plain), "{polls}");
        // Without waiting, a turn has 256 instructions of each of the 8 warps.
        let per_turn = fast.counters.ptx_instructions / (8 * 8);
        assert_eq!(per_turn < 256, waits, "{polls}: {per_turn} instructions of a warp");
    };
    check("ld.relaxed.gpu.global.u32 %r3, [%rd1];", true);
    check("ld.acquire.sys.global.u32 %r3, [%rd1];", true);
    check("ld.volatile.global.u32 %r3, [%rd1];", true);
    check("atom.cas.b32 %r3, [%rd1], 0, 7;", true);
    check("atom.add.u32 %r3, [%rd1], 0;", true);
    check("atom.exch.b32 %r7, [%rd1+4], 0; ld.volatile.u32 %r3, [%rd1];", true);
    // What the loop counts, and what it changes in memory, differs from round to round.
    check("add.u32 %r6, %r6, 1; ld.relaxed.gpu.global.u32 %r3, [%rd1];", false);
    check("atom.inc.u32 %r7, [%rd1+4], 1; ld.relaxed.gpu.global.u32 %r3, [%rd1];", false);
}

#[test]
fn lanes_wait_alike_on_any_number_of_cores() {
    let text = "
        .version 8.0
        .target sm_70
        .visible .entry k(.param .u64 x) {
            .reg .pred %p;
            .reg .b64 %rd<2>;
            .reg .b32 %r<4>;
            .shared .u32 flag;
            ld.param.u64 %rd1, [x];
            mov.u32 %r1, %tid.x;
            st.volatile.shared.u32 [flag], 0;
            bar.sync 0;
            setp.ge.u32 %p, %r1, 32;
            @%p bra set;
        wait:
            red.global.max.u32 [%rd1], 1;
            ld.volatile.shared.u32 %r2, [flag];
            setp.eq.u32 %p, %r2, 0;
            @%p bra wait;
            ret;
        set:
            st.volatile.shared.u32 [flag], 1;
            ret;
        }";
    let on = |cores: u32| {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("k", text).unwrap();
        let x = emulator.alloc("x", 4).unwrap();
        let hooks = Hooks::default().deal(1);
        let launch = Launch { hooks, cores, checks: Checks::NONE, ..Launch::new(4, 64).arg(x.address()) };
        emulator.launch(&module, "k", &launch).unwrap()
    };
    let (one, two) = (on(1), on(2));
    assert_eq!((one.counters, one.lines), (two.counters, two.lines));
}

#[test]
fn a_lock_is_taken_in_every_turn() {
    let text = "
        .version 8.0
        .target sm_70
        .visible .entry k(.param .u64 x) {
            .reg .pred %p;
            .reg .b64 %rd<2>;
            .reg .b32 %r<4>;
            ld.param.u64 %rd1, [x];
            mov.u32 %r1, %laneid;
            setp.ne.u32 %p, %r1, 0;
            @%p bra end;
        wait:
            atom.cas.b32 %r2, [%rd1], 0, 1;
            setp.ne.u32 %p, %r2, 0;
            @%p bra wait;
            membar.gl;
            ld.u32 %r3, [%rd1+4];
            add.u32 %r3, %r3, 1;
            st.u32 [%rd1+4], %r3;
            membar.gl;
            atom.exch.b32 %r2, [%rd1], 0;
        end:
            ret;
        }";
    let (blocks, warps) = (16_u32, 8_u32);
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("k", text).unwrap();
    let x = emulator.alloc("x", 8).unwrap();
    emulator.write(x).unwrap().fill(0);
    let launch = Launch { checks: Checks::ALL, cores: 1, ..Launch::new(blocks, 32 * warps).arg(x.address()) };
    let report = emulator.launch(&module, "k", &launch).unwrap();
    assert_eq!(u32::from(emulator.read(x).unwrap()[4]), blocks * warps);
    // Until a lock is free again, the warps of a block issue two rounds of three instructions each, and some more on their way.
    let per_turn = report.counters.ptx_instructions / u64::from(blocks * warps);
    assert!(
        per_turn < u64::from(warps) * 12,
        "{per_turn} instructions for each time that the lock was taken"
    );
}
