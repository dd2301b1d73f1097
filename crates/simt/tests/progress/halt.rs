//! A launch is stopped only if no thread can continue. It must not be stopped in a round in which waiting lanes were
//! released after their slice had ended with the step on which the others arrived at a barrier, nor in the round after
//! a probe in which the last thread of a block ended.

use simt::{Emulator, FaultKind, Launch, Limits, Schedule};

/// The lower half of the warp waits at the common barrier, the upper half at a warp barrier before it.
const DIVERGED: &str = "
.version 8.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 out) {
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd2, %rd1, %rd2;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $both;
    bar.warp.sync -1;
$both:
    bar.warp.sync -1;
    st.global.u32 [%rd2], 5;
    ret;
}";

#[test]
fn a_launch_is_not_stopped_while_lanes_are_released() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("diverged", DIVERGED).unwrap();
    let out = emulator.alloc("out", 4 * 32).unwrap();
    for schedule in [Schedule::Random, Schedule::Hunt] {
        for seed in 0..200 {
            let launch = Launch { schedule, seed, ..Launch::new(1, 32).arg(out.address()) };
            let report = emulator.launch(&module, "kernel", &launch).unwrap();
            assert!(report.faults.is_empty(), "{schedule:?}, seed {seed}: {}", report.faults[0]);
        }
    }
}

/// Each lane counts up to the parameter, in a function that the odd lanes call. If there is a second block, it waits
/// for the third one.
const COUNTING: &str = "
.version 8.0
.target sm_70
.address_size 64
.func count(.param .b32 turns) {
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, 0;
$turn:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra $turn;
    ret;
}
.visible .entry kernel(.param .u64 flag, .param .u32 turns) {
    .reg .pred %p<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [flag];
    ld.param.u32 %r1, [turns];
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p1, %r2, 2;
    @%p1 bra $raise;
    setp.eq.u32 %p1, %r2, 1;
    @%p1 bra $wait;
    mov.u32 %r3, %tid.x;
    and.b32 %r4, %r3, 1;
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra $end;
    {
    .param .b32 turns;
    st.param.b32 [turns], %r1;
    call.uni count, (turns);
    }
    bra.uni $end;
$wait:
    ld.volatile.global.u32 %r5, [%rd1];
    setp.eq.u32 %p3, %r5, 0;
    @%p3 bra $wait;
    bra.uni $end;
$raise:
    mov.u32 %r5, 1;
    st.volatile.global.u32 [%rd1], %r5;
$end:
    ret;
}";

/// The kinds of the faults of a launch with this many blocks, two of which are resident at a time. The first block
/// counts up to `turns`.
fn faults_of_counting(grid: u32, turns: u32) -> Vec<FaultKind> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("counting", COUNTING).unwrap();
    let flag = emulator.alloc("flag", 4).unwrap();
    let launch = Launch { resident_blocks: 2, ..Launch::new(grid, 32).arg(flag.address()).arg(turns) };
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    report.faults.iter().map(|fault| fault.kind).collect()
}

/// Lengths of the loop with which the block ends shortly before, during and after its first probe.
fn lengths() -> impl Iterator<Item = u32> {
    (5_400..5_850).step_by(9)
}

#[test]
fn a_launch_is_not_stopped_if_a_block_ends_during_its_probe() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(1, turns), [], "{turns} turns");
    }
}

#[test]
fn no_livelock_if_the_awaited_block_replaces_one_that_ended_during_its_probe() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(3, turns), [], "{turns} turns");
    }
}

#[test]
fn a_livelock_if_the_awaited_block_never_runs() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(2, turns), [FaultKind::Livelock], "{turns} turns");
    }
}

/// The lower lanes of the second block wait at the common barrier, and the upper ones for the lower ones where their paths meet:
/// the barrier is complete when the upper ones have ended. The first block waits for what comes after that,
/// and writes meanwhile, so that it does not only spin.
const HALTED_BESIDE_A_LOOP: &str = "
.version 8.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 flag) {
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra $wait;
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p2, %r2, 8;
    @%p2 bra $both;
    bar.sync 0;
    st.volatile.global.u32 [%rd1], 1;
$both:
    mov.u32 %r3, 1;
    bra.uni $end;
$wait:
    st.volatile.global.u32 [%rd1+4], 1;
    st.volatile.global.u32 [%rd1+4], 0;
    ld.volatile.global.u32 %r3, [%rd1];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $wait;
$end:
    ret;
}";

#[test]
fn a_block_that_halts_lets_its_lanes_go_while_another_loops() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("halted", HALTED_BESIDE_A_LOOP).unwrap();
    for schedule in [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt] {
        for seed in 0..20 {
            let flag = emulator.alloc("flag", 8).unwrap();
            emulator.copy_in(flag, 0, &[0; 8], |_| true).unwrap();
            let launch = Launch { schedule, seed, ..Launch::new(2, 32).arg(flag.address()) };
            let report = emulator.launch(&module, "kernel", &launch).unwrap();
            let errors: Vec<_> = report
                .faults
                .iter()
                .filter(|fault| {
                    matches!(fault.kind, FaultKind::Livelock | FaultKind::Deadlock | FaultKind::StepLimit)
                })
                .collect();
            assert!(errors.is_empty(), "{schedule:?}, seed {seed}: {}", errors[0]);
        }
    }
}
