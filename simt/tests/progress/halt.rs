//! Whether a launch comes to a halt only where nobody can go on: not in a round in which lanes were let go, whose slice
//! had ended with the step on which the others came to a barrier, and not in the round after a probe in which the last
//! thread of a block ended.

use simt::{Emulator, FaultKind, Launch, Limits, Schedule};

/// The lower half waits where both meet, the upper one at a warp barrier in front of it.
const PARTED: &str = "
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
fn no_halt_while_lanes_are_let_go() {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("parted", PARTED).unwrap();
    let out = emulator.alloc("out", 4 * 32).unwrap();
    for schedule in [Schedule::Random, Schedule::Hunt] {
        for seed in 0..200 {
            let launch = Launch { schedule, seed, ..Launch::new(1, 32).arg(out.address()) };
            let report = emulator.launch(&module, "kernel", &launch).unwrap();
            assert!(report.faults.is_empty(), "{schedule:?}, seed {seed}: {}", report.faults[0]);
        }
    }
}

/// Each lane counts to the parameter, in a function that the odd lanes call; then, where there is a second block, that one
/// waits for the third.
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

/// The kinds of the faults of so many blocks, two of them at a time, whose first one counts so far.
fn faults_of_counting(grid: u32, turns: u32) -> Vec<FaultKind> {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("counting", COUNTING).unwrap();
    let flag = emulator.alloc("flag", 4).unwrap();
    let launch = Launch { resident_blocks: 2, ..Launch::new(grid, 32).arg(flag.address()).arg(turns) };
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    report.faults.iter().map(|fault| fault.kind).collect()
}

/// Lengths of the loop at which the block ends around its first probe, in it among them.
fn lengths() -> impl Iterator<Item = u32> {
    (5_400..5_850).step_by(9)
}

#[test]
fn no_halt_where_a_block_ends_in_its_probe() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(1, turns), [], "{turns} turns");
    }
}

#[test]
fn no_livelock_where_the_block_that_is_waited_for_takes_the_place_of_one_that_ended_in_its_probe() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(3, turns), [], "{turns} turns");
    }
}

#[test]
fn a_livelock_where_the_block_that_is_waited_for_never_comes() {
    for turns in lengths() {
        assert_eq!(faults_of_counting(2, turns), [FaultKind::Livelock], "{turns} turns");
    }
}
