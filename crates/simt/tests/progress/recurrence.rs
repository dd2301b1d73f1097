//! Launches that write to memory and return to an earlier state. They are proven never to end, and distinguished from
//! launches that end after a long time and from launches that write something new each time.

use simt::launch::Hooks;
use simt::{Emulator, FaultKind, Launch, Limits, Report, Schedule};

use super::kernel::{At, Cells, Spin, Writer};

/// The number of steps within which each of these is decided.
const MAX_STEPS: u64 = 300_000;

/// The first block sets a word to 1 and to 0 again and again, until the second one has read `wanted` from it and has
/// raised a flag.
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
fn a_wait_for_a_value_that_never_comes_is_a_livelock() {
    for schedule in ALL {
        let (report, _) = launch(&blinker(2, ""), schedule, MAX_STEPS);
        assert_eq!(kinds(&report), [FaultKind::Livelock], "{schedule:?}");
        let text = report.faults[0].to_string();
        assert!(text.contains("all registers and all memory are the same as before"), "{text}");
    }
}

#[test]
fn a_wait_for_a_value_that_comes_and_goes_ends() {
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
fn a_state_that_differs_each_time_is_not_proof_of_a_livelock() {
    // All registers recur, and only a word of memory differs from time to time.
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
fn with_round_robin_a_recurrence_is_found_long_before_the_limit_on_steps() {
    let (report, _) = launch(&blinker(2, ""), Schedule::RoundRobin, u64::MAX);
    assert_eq!(kinds(&report), [FaultKind::Livelock]);
}

/// A kernel that counts in memory and takes some million steps.
fn long() -> Writer {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code(
        "mov.u32 %r10, 0;\nmov.u32 %r12, 0;\n$turn:\nred.global.add.u32 [%rd1], 1;\nadd.u32 %r10, %r10, 1;",
    );
    kernel.code("add.u32 %r12, %r12, %r10;\nsetp.lt.u32 %p1, %r10, 500000;\n@%p1 bra $turn;").result("%r12");
    kernel
}

#[test]
fn a_trial_does_not_change_a_launch_that_ends() {
    let (tried, memory) = launch(&long(), Schedule::RoundRobin, u64::MAX);
    assert!(tried.counters.ptx_instructions > 4 * (1 << 20), "long enough for a trial");
    let (untried, expected) = launch(&long(), Schedule::Random, u64::MAX);
    assert_eq!((kinds(&tried), tried.counters, memory), (vec![], untried.counters, expected));
}

#[test]
fn a_trial_does_not_change_a_launch_that_is_stopped() {
    let steps = |max_steps| launch(&long(), Schedule::RoundRobin, max_steps);
    let (report, memory) = steps(100_000);
    assert_eq!(kinds(&report), [FaultKind::StepLimit]);
    // A turn is 256 steps of each of two warps, and at most 100,000 steps have been taken when a turn begins.
    assert!(report.counters.ptx_instructions <= 100_000 + 2 * 256 + 2 * 16_384, "{:?}", report.counters);
    let counted = u32::from_le_bytes(memory[..4].try_into().unwrap());
    assert!(u64::from(counted) <= 32 * report.counters.ptx_instructions / 5 + 64, "{counted}");
}

/// In this kernel the stride of a tree of sums stays 1, so it writes the same sums for ever, between barriers.
#[test]
fn the_period_is_the_same_with_every_executor() {
    let text = include_str!("never_below_one.ptx");
    let fault = |plain| {
        let mut emulator = Emulator::new(Limits::default());
        let module = emulator.load("odd_rows", text).unwrap();
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
    assert!(fault(true).contains("the same as before"), "{}", fault(true));
    assert_eq!(fault(true), fault(false));
}
