//! Lanes that wait for others of their warp without an instruction that requires it: they continue in time for other
//! threads to see what they do, and in time for a launch with a low limit on steps to end.

use simt::{Emulator, FaultKind, Launch, Limits, Report, Schedule};

use super::kernel::{At, Cells, Spin, Writer};

fn run(kernel: &Writer, launch: Launch) -> (Report, Vec<u32>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("late", &kernel.text()).unwrap();
    let out = emulator.alloc("out", 4 * (64 + 64)).unwrap();
    let report = emulator.launch(&module, "kernel", &launch.arg(out.address())).unwrap();
    let words = emulator.read(out).unwrap().chunks(4);
    (report, words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

/// Lane 0 of the first block waits at a barrier of the block for lane 1. Lane 1 waits for lane 0 where the two
/// reconverge, and then reads what the second block writes at some time.
fn read_after_the_meeting(schedule: Schedule, seed: u64) -> u32 {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("setp.eq.u32 %p1, %r4, 1;\n@%p1 bra $writes;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra $meet;");
    kernel.code("bar.sync 0;\n$meet:").read("%r10", At::Word(0)).result("%r10");
    kernel.code("ret;\n$writes:\nmov.u32 %r11, 0;\n$delay:\nadd.u32 %r11, %r11, 1;");
    kernel.code("setp.lt.u32 %p3, %r11, 20;\n@%p3 bra $delay;").write(At::Word(0), "1");
    let (report, words) = run(&kernel, Launch { schedule, seed, ..Launch::new(2, 2) });
    assert!(report.faults.is_empty(), "{}", report.faults[0]);
    words[64 + 1]
}

#[test]
fn the_seed_decides_when_lanes_continue_without_those_at_a_barrier() {
    for schedule in [Schedule::Random, Schedule::Hunt] {
        let read: Vec<u32> = (0..40).map(|seed| read_after_the_meeting(schedule, seed)).collect();
        assert!(read.contains(&0) && read.contains(&1), "{schedule:?}: {read:?}");
    }
    assert_eq!(
        read_after_the_meeting(Schedule::RoundRobin, 0),
        1,
        "without a seed they wait for the longest"
    );
}

/// Lane 0 counts in memory until a flag is raised. Lane 1 raises it (or not) after the point where all lanes
/// reconverge.
fn flag_after_the_meeting(is_raised: bool) -> Writer {
    let mut kernel = Writer::new(Cells::Global, Spin::Plain);
    kernel.code("setp.ne.u32 %p1, %r2, 0;\n@%p1 bra $meet;\n$wait:\nred.global.add.u32 [%rd1+4], 1;");
    kernel.read("%r10", At::Word(0)).code("setp.eq.u32 %p2, %r10, 0;\n@%p2 bra $wait;\n$meet:");
    kernel.code("setp.ne.u32 %p3, %r2, 1;\n@%p3 bra $out;");
    if is_raised {
        kernel.write(At::Word(0), "1");
    }
    kernel.code("$out:");
    kernel
}

#[test]
fn a_launch_with_a_low_limit_on_steps_releases_awaited_lanes() {
    for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
        for max_steps in [20_000, 100_000, 1_000_000] {
            let launch = Launch { schedule, max_steps, ..Launch::new(1, 32) };
            let kinds = |is_raised| {
                let (report, _) = run(&flag_after_the_meeting(is_raised), launch.clone());
                report.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>()
            };
            assert_eq!(kinds(true), [], "{schedule:?}, {max_steps} steps");
            assert_eq!(kinds(false), [FaultKind::StepLimit], "{schedule:?}, {max_steps} steps");
        }
    }
}
