//! The wording of races: which of them are errors, what is said about two accesses that are nearly ordered, and which
//! advice is given.
//!
//! Whether there is a race is tested elsewhere. These are the cases in which "nothing orders the two accesses" would be
//! wrong, or in which the usual advice would do harm. Every case has a twin. The wording of all other findings is left
//! out, because the book shows it. Specification: PTX ISA, sections 8.7 and 8.9.

use simt::{Checks, Emulator, Fault, FaultKind, Launch, Limits, Schedule, Severity};

/// The findings in a kernel with `%x`, `%flag` and shared `seat`, with thread `%t` and block `%b`, with a seed.
fn found(body: &str, (grid, block): (u32, u32), seed: u64) -> Vec<Fault> {
    let text = format!(
        "
.version 8.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u64 flag) {{
    .shared .align 4 .b8 seat[256];
    .reg .pred %p<4>;
    .reg .b32 %t, %b, %r<8>;
    .reg .b64 %x, %flag, %o<4>;
    ld.param.u64 %x, [x];
    ld.param.u64 %flag, [flag];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mul.wide.u32 %o0, %b, 4;
    add.u64 %o0, %x, %o0;
    {body}
END:
    ret;
}}"
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("wording", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (x, flag) = (emulator.alloc("x", 1024).unwrap(), emulator.alloc("flag", 8).unwrap());
    for buffer in [x, flag] {
        emulator.write(buffer).unwrap().fill(0);
    }
    let launch = Launch::new(grid, block).arg(x.address()).arg(flag.address());
    let checks = Checks { races: true, volatile_races: true, ..Checks::NONE };
    let schedule = if seed == 0 { Schedule::RoundRobin } else { Schedule::Random };
    let launch = Launch { schedule, seed, checks, resident_blocks: 256, max_steps: 1 << 20, ..launch };
    emulator.launch(&module, "kernel", &launch).unwrap().faults
}

/// The only finding, if there is one.
fn only(body: &str, shape: (u32, u32), seed: u64) -> Option<Fault> {
    let mut faults = found(body, shape, seed);
    assert!(faults.len() < 2, "{faults:?}");
    faults.pop()
}

/// Thread 0 stores before a barrier, and thread 1 reads after it.
fn seat(leaves: &str) -> String {
    format!(
        "
    setp.ne.u32 %p0, %t, 0;
    @%p0 bra MEET;
    st.shared.u32 [seat], 1;
    {leaves}
MEET:
    barrier.sync 0;
    setp.ne.u32 %p1, %t, 1;
    @%p1 bra END;
    ld.shared.u32 %r0, [seat];"
    )
}

#[test]
fn a_race_with_a_thread_that_ended_before_the_barrier_is_a_warning() {
    for block in [32, 64] {
        let fault = only(&seat("exit;"), (1, block), 0).expect("nothing orders the two by the specification");
        assert_eq!((fault.kind, fault.severity), (FaultKind::Race, Severity::Warning), "{fault}");
        assert!(fault.message.contains("the first thread had ended"), "{fault}");
        assert!(fault.help.contains("skip the work but not the barrier"), "{fault}");
        assert_eq!(only(&seat(""), (1, block), 0), None);
    }
    // Without a barrier it is a race like any other.
    let body = seat("exit;").replace("barrier.sync 0;", "");
    let fault = only(&body, (1, 64), 0).expect("nothing orders the two accesses");
    assert_eq!(
        (fault.severity, fault.message.contains("nothing orders the two accesses")),
        (Severity::Error, true),
        "{fault}"
    );
}

/// The last of two blocks reads what both stored.
fn last_block(before: &str, after: &str) -> String {
    format!(
        "
    st.global.u32 [%o0], 5;
    {before}
    atom.global.add.u32 %r0, [%flag], 1;
    setp.ne.u32 %p0, %r0, 1;
    @%p0 bra END;
    {after}
    ld.global.u32 %r1, [%x];
    ld.global.u32 %r2, [%x+4];"
    )
}

#[test]
fn a_race_in_one_order_of_two_fences_says_so() {
    for seed in 0..10 {
        let fault_of = |before, after| only(&last_block(before, after), (2, 1), seed);
        let fault = fault_of("membar.gl;", "").expect("a race");
        assert!(fault.message.contains("only two `fence.sc` could order the two accesses"), "{fault}");
        assert!(fault.help.contains("after it is read"), "{fault}");
        let fault = fault_of("", "").expect("a race");
        assert!(fault.message.contains("and nothing orders the two accesses"), "{fault}");
        assert_eq!(fault_of("membar.gl;", "membar.gl;"), None);
    }
}

/// Two lanes that pass a value through shared memory.
fn pass_on(how: &str, between: &str) -> String {
    format!(
        "
    mul.wide.u32 %o1, %t, 4;
    mov.u64 %o2, seat;
    add.u64 %o1, %o2, %o1;
    st{how}.shared.u32 [%o1], 1;
    {between}
    setp.ne.u32 %p1, %t, 1;
    @%p1 bra END;
    ld{how}.shared.u32 %r0, [seat];"
    )
}

#[test]
fn volatile_in_place_of_a_barrier_is_a_note() {
    let fault = only(&pass_on(".volatile", ""), (1, 32), 0).expect("CUDA C++ has a race there");
    assert_eq!((fault.kind, fault.severity), (FaultKind::VolatileRace, Severity::Note), "{fault}");
    assert!(fault.help.contains("`volatile` does not order accesses"), "{fault}");
    assert_eq!(only(&pass_on(".volatile", "bar.warp.sync 0xffffffff;"), (1, 32), 0), None);
    // Each lane stores, and then looks at what another one stores: two threads that exclude each other.
    assert_eq!(only(&pass_on(".volatile", "membar.cta;"), (1, 32), 0), None);
    assert_eq!(only(&pass_on(".relaxed.cta", ""), (1, 32), 0), None);
    let fault = only(&pass_on("", ""), (1, 32), 0).expect("a race");
    assert_eq!((fault.kind, fault.severity), (FaultKind::Race, Severity::Error), "{fault}");
}

#[test]
fn before_volta_volatile_relies_on_lockstep() {
    let body = pass_on(".volatile", "");
    assert!(only(&body, (1, 32), 0).is_some(), "since Volta there is no lockstep");
    let mut emulator = Emulator::new(Limits::default());
    let kernel = format!(
        ".version 8.0\n.target sm_60\n.address_size 64\n.visible .entry kernel() {{\n.shared .align 4 .b8 seat[128];\n\
         .reg .pred %p<2>;\n.reg .b32 %t, %r<2>;\n.reg .b64 %o<3>;\nmov.u32 %t, %tid.x;\n{body}\nEND:\nret;\n}}"
    );
    let module = emulator.load("wording", &kernel).unwrap();
    let launch =
        Launch { checks: Checks { races: true, volatile_races: true, ..Checks::NONE }, ..Launch::new(1, 32) };
    assert_eq!(emulator.launch(&module, "kernel", &launch).unwrap().faults, []);
}

/// Two lanes of one warp, or of two warps, add to a word under a lock.
fn lock(taken: &str) -> String {
    format!(
        "
    and.b32 %r5, %t, 31;
    setp.gt.u32 %p0, %r5, 1;
    @%p0 bra END;
TAKE:
    atom.global.cas.b32 %r0, [%flag], 0, 1;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra TAKE;
    {taken}
    ld.global.u32 %r1, [%x];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%x], %r1;
    fence.acq_rel.gpu;
    atom.global.exch.b32 %r2, [%flag], 0;"
    )
}

#[test]
fn under_a_lock_the_advice_is_a_fence_and_not_a_barrier() {
    for (block, seed) in [(32, 0), (64, 0), (64, 3)] {
        assert_eq!(only(&lock("fence.acq_rel.gpu;"), (1, block), seed), None);
        for fault in found(&lock(""), (1, block), seed) {
            assert_eq!(fault.severity, Severity::Error, "{fault}");
            for remedy in
                ["flag or a lock", "`memory_order_release`", "`memory_order_acquire`", "`__threadfence()`"]
            {
                assert!(fault.help.contains(remedy), "{fault}");
            }
        }
        assert!(!found(&lock(""), (1, block), seed).is_empty());
    }
}

/// More loads of a word than the race checker remembers.
const READERS: u32 = 300;

/// Many blocks read a word, and all except the first few signal that they have; one block stores to it after all these
/// signals.
fn readers(silent: u32) -> String {
    format!(
        "
    setp.eq.u32 %p0, %b, {READERS};
    @%p0 bra STORE;
    ld.global.u32 %r0, [%x];
    setp.lt.u32 %p1, %b, {silent};
    @%p1 bra END;
    red.release.gpu.global.add.u32 [%flag], 1;
    bra.uni END;
STORE:
    ld.acquire.gpu.global.u32 %r1, [%flag];
    setp.ne.u32 %p2, %r1, {};
    @%p2 bra STORE;
    st.global.u32 [%x], 1;",
        READERS - silent
    )
}

#[test]
fn a_race_with_a_forgotten_access_is_not_ignored() {
    let mut notes = 0;
    for seed in 0..10 {
        assert_eq!(only(&readers(0), (READERS + 1, 1), seed), None);
        let fault = only(&readers(3), (READERS + 1, 1), seed)
            .expect("three readers are not ordered before the store");
        if fault.message.contains("than the race checker can remember") {
            assert_eq!(fault.severity, Severity::Note, "{fault}");
            notes += 1;
        }
    }
    assert!(notes > 0);
}
