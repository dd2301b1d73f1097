//! Whether a launch comes to a halt only where nobody can go on: not in a round in which lanes were let go, whose slice
//! had ended with the step on which the others came to a barrier.

use simt::{Emulator, Launch, Limits, Schedule};

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
