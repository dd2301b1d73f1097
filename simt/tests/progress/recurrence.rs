//! Launches that write to memory and come round to where they were: proven never to end, and told from those that end
//! after long, and from those that write something new each time.

use simt::launch::Hooks;
use simt::{Emulator, FaultKind, Launch, Limits, Report, Schedule};

use super::kernel::{At, Cells, Spin, Writer};

/// Steps in which every one of these is decided.
const MAX_STEPS: u64 = 300_000;

/// The first block sets a word to 1 and to 0 again and again, until the second one has seen `wanted` in it and says so.
fn blinker(wanted: u32, each_time: &str) -> Writer {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("setp.eq.u32 %p1, %r4, 0;\n@%p1 bra $blink;");
    kernel.wait(At::Word(0), &wanted.to_string()).write(At::Word(1), "1").code("bra.uni $end;\n$blink:");
    kernel.write(At::Word(0), "1").code(each_time).write(At::Word(0), "0").read("%r10", At::Word(1));
    kernel.code("setp.eq.u32 %p2, %r10, 0;\n@%p2 bra $blink;\n$end:").result("%r9");
    kernel
}

fn launch(kernel: &Writer, schedule: Schedule, max_steps: u64) -> (Report, Vec<u8>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("round", &kernel.text()).unwrap();
    let out = emulator.alloc("out", 4 * (64 + 64)).unwrap();
    let launch = Launch { schedule, max_steps, ..Launch::new(2, 32) }.arg(out.address());
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    (report, emulator.read(out).unwrap().to_vec())
}

fn kinds(report: &Report) -> Vec<FaultKind> {
    report.faults.iter().map(|fault| fault.kind).collect()
}

const ALL: [Schedule; 3] = [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt];

#[test]
fn who_waits_for_what_never_comes_waits_for_ever_though_memory_changes() {
    for schedule in ALL {
        let (report, _) = launch(&blinker(2, ""), schedule, MAX_STEPS);
        assert_eq!(kinds(&report), [FaultKind::Livelock], "{schedule:?}");
        let told = report.faults[0].to_string();
        assert!(told.contains("all registers and all memory are the same as before"), "{told}");
    }
}

#[test]
fn who_waits_for_what_comes_at_times_gets_it() {
    for schedule in ALL {
        for wanted in [0, 1] {
            assert_eq!(
                kinds(&launch(&blinker(wanted, ""), schedule, MAX_STEPS).0),
                [],
                "{schedule:?} {wanted}"
            );
        }
    }
}

#[test]
fn what_is_new_each_time_is_no_proof() {
    // The registers come round, and only a word of memory tells one time from the next.
    let counting = "red.global.add.u32 [%rd1+8], 1;";
    for schedule in ALL {
        assert_eq!(
            kinds(&launch(&blinker(2, counting), schedule, MAX_STEPS).0),
            [FaultKind::StepLimit],
            "{schedule:?}"
        );
    }
}

#[test]
fn turns_in_order_are_tried_long_before_the_steps_are_used_up() {
    let (report, _) = launch(&blinker(2, ""), Schedule::RoundRobin, u64::MAX);
    assert_eq!(kinds(&report), [FaultKind::Livelock]);
}

/// Counts in memory, some million steps long.
fn long() -> Writer {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code(
        "mov.u32 %r10, 0;\nmov.u32 %r12, 0;\n$turn:\nred.global.add.u32 [%rd1], 1;\nadd.u32 %r10, %r10, 1;",
    );
    kernel.code("add.u32 %r12, %r12, %r10;\nsetp.lt.u32 %p1, %r10, 500000;\n@%p1 bra $turn;").result("%r12");
    kernel
}

#[test]
fn a_trial_leaves_nothing_in_a_launch_that_ends() {
    let (tried, memory) = launch(&long(), Schedule::RoundRobin, u64::MAX);
    assert!(tried.counters.ptx_instructions > 4 * (1 << 20), "long enough for a trial");
    let (untried, expected) = launch(&long(), Schedule::Random, u64::MAX);
    assert_eq!((kinds(&tried), tried.counters, memory), (vec![], untried.counters, expected));
}

#[test]
fn a_trial_leaves_nothing_in_a_launch_that_is_stopped() {
    let steps = |max_steps| launch(&long(), Schedule::RoundRobin, max_steps);
    let (report, memory) = steps(100_000);
    assert_eq!(kinds(&report), [FaultKind::StepLimit]);
    // A turn is 256 steps of each of two warps, and a turn begins with at most 100,000 of them taken.
    assert!(report.counters.ptx_instructions <= 100_000 + 2 * 256 + 2 * 16_384, "{:?}", report.counters);
    let counted = u32::from_le_bytes(memory[..4].try_into().unwrap());
    assert!(u64::from(counted) <= 32 * report.counters.ptx_instructions / 5 + 64, "{counted}");
}

/// A tree of sums whose stride stays 1 writes the same sums for ever, between barriers.
#[test]
fn the_period_is_the_same_in_the_plain_way_and_in_the_fast_ones() {
    let path = "../exercises/ch02/odd_rows/ptx/wrong_never_below_one.ptx";
    let text = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let told = |plain| {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("odd_rows", &text).unwrap();
        let [x, sums] = ["x", "sums"].map(|name| emulator.alloc(name, 4096).unwrap().address());
        let launch = Launch {
            hooks: Hooks::default().plain(plain),
            max_steps: 500,
            shared_bytes: 8192,
            ..Launch::new(2, 64)
        };
        let report = emulator.launch(&module, "row_sums", &launch.arg(x).arg(sums).arg(7_u32)).unwrap();
        report.faults[0].to_string()
    };
    assert!(told(true).contains("the same as before"), "{}", told(true));
    assert_eq!(told(true), told(false));
}
