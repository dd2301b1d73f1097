//! The thread that stored a byte last ([`Launch::follow`]): every kind of store, and stores of several lanes to one
//! byte.

use simt::{Emulator, FaultKind, Launch, Limits, Reconvergence, Report};

/// The size of the buffer to which kernels store; it contains zeros.
const BYTES: u64 = 1024;

/// Runs a body with the buffer's address in `%rd1`, the thread in `%r1`, four times that in `%rd2` and the block in
/// `%r2`, and follows a byte. Returns the report and the buffer.
fn run(body: &str, shape: (u32, u32), byte: u64, choices: &Launch) -> (Report, Vec<u8>) {
    let text = format!(
        ".version 8.0\n.target sm_70\n.file 1 \"store.cu\"\n
        .visible .entry store(.param .u64 x) {{
            .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
            .shared .align 16 .b8 s[64];
            ld.param.u64 %rd1, [x];
            mov.u32 %r1, %tid.x;
            mov.u32 %r2, %ctaid.x;
            mul.wide.u32 %rd2, %r1, 4;
            .loc 1 12 1
            {body}
            ret;
        }}"
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("store.ptx", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let x = emulator.alloc("x", BYTES).unwrap();
    let launch = Launch {
        grid: shape.0.into(),
        block: shape.1.into(),
        follow: Some(x.address().wrapping_add(byte)),
        ..choices.clone()
    };
    let report = emulator.launch(&module, "store", &launch.arg(x.address())).unwrap();
    (report, emulator.read(x).unwrap().to_vec())
}

/// Checks the last store of a byte with both mechanisms; `-` means that there was none.
fn check(body: &str, shape: (u32, u32), byte: u64, expected: &str) {
    for reconvergence in [Reconvergence::Stack, Reconvergence::Its] {
        let (report, _) = run(body, shape, byte, &Launch { reconvergence, ..Launch::new(1, 1) });
        let found = report.last_store.map_or("-".to_owned(), |actor| actor.to_string());
        assert_eq!(found, expected, "byte {byte}, {reconvergence:?}: {body}");
    }
}

/// Each thread stores to its own word.
const OWN_WORD: &str = "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;";

#[test]
fn a_store_is_found_by_any_of_its_bytes() {
    let expected =
        "block (0,0,0), warp 1, lane 1 (thread (33,0,0)) at store.cu:12: wrote bytes 132 to 135 of `x`";
    for byte in 132..136 {
        check(OWN_WORD, (1, 64), byte, expected);
    }
    let other =
        expected.replace("lane 1 (thread (33", "lane 2 (thread (34").replace("132 to 135", "136 to 139");
    check(OWN_WORD, (1, 64), 136, &other);
}

#[test]
fn without_a_store_no_thread_is_named() {
    check(OWN_WORD, (1, 64), 256, "-");
    check(OWN_WORD, (1, 64), BYTES, "-");
    check(OWN_WORD, (1, 64), 1 << 45, "-");
    check("ld.global.u32 %r3, [%rd1];", (1, 32), 0, "-");
    check("st.shared.u32 [s], %r1;", (1, 32), 0, "-");
    check("setp.gt.u32 %p1, %r1, 40; @%p1 st.global.u32 [%rd1], 1;", (1, 32), 0, "-");
}

#[test]
fn a_vector_store_has_all_of_its_elements() {
    let body = "mul.wide.u32 %rd3, %r1, 16; add.s64 %rd3, %rd1, %rd3;
        st.global.v4.u32 [%rd3], {%r1, %r1, %r2, %r2};";
    let expected =
        "block (0,0,0), warp 0, lane 2 (thread (2,0,0)) at store.cu:12: wrote bytes 32 to 47 of `x`";
    check(body, (1, 32), 47, expected);
    check("st.global.u8 [%rd1+5], 1;", (1, 1), 6, "-");
}

#[test]
fn atomics_update() {
    let expected = |lane| {
        format!(
            "block (0,0,0), warp 0, lane {lane} (thread ({lane},0,0)) at store.cu:12: updated bytes 4 to 7 of `x`"
        )
    };
    let alone = |atomic: &str| format!("setp.eq.u32 %p1, %r1, 9; @%p1 {atomic}");
    check(&alone("atom.global.add.u32 %r3, [%rd1+4], 1;"), (1, 32), 4, &expected(9));
    check(&alone("red.global.add.u32 [%rd1+4], 1;"), (1, 32), 4, &expected(9));
    check(&alone("atom.exch.b32 %r3, [%rd1+4], 0;"), (1, 32), 7, &expected(9));
    check(&alone("atom.global.cas.b32 %r3, [%rd1+4], 0, 5;"), (1, 32), 4, &expected(9));
    check(&alone("atom.global.cas.b32 %r3, [%rd1+4], 1, 5;"), (1, 32), 4, "-");
    check(&alone("atom.shared.add.u32 %r3, [s], 1;"), (1, 32), 4, "-");
    // Of 32 lanes that try to take the lock, the first gets it.
    let (report, memory) =
        run("add.s32 %r4, %r1, 1; atom.global.cas.b32 %r3, [%rd1], 0, %r4;", (1, 32), 0, &Launch::new(1, 1));
    assert_eq!(report.last_store.unwrap().lane + 1, u32::from(memory[0]));
}

#[test]
fn later_blocks_come_after_earlier_ones() {
    let expected = "block (3,0,0), warp 0, lane 0 (thread (0,0,0)) at store.cu:12: wrote bytes 0 to 3 of `x`";
    check("st.global.u32 [%rd1], %r2;", (4, 1), 0, expected);
}

/// The lane that is reported is the one whose value is in memory, with any seed: for stores to one word, for stores
/// that overlap in part, and for generic ones, some of which access shared memory.
#[test]
fn of_several_lanes_the_one_whose_value_remains_is_named() {
    let generic = |smaller: &str| {
        format!(
            "mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; setp.{smaller}.u32 %p1, %r1, 10;
             selp.b64 %rd3, %rd4, %rd1, %p1; st.u32 [%rd3], %r1;"
        )
    };
    let bodies = [
        "st.global.u32 [%rd1], %r1;".to_owned(),
        "st.volatile.global.u32 [%rd1], %r1;".to_owned(),
        "setp.lt.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd1], %r1;".to_owned(),
        "and.b32 %r3, %r1, 4; cvt.u64.u32 %rd3, %r3; add.s64 %rd3, %rd1, %rd3;
         st.global.v2.u16 [%rd3], {%r1, %r1};"
            .to_owned(),
        generic("lt"),
        generic("gt"),
    ];
    for body in &bodies {
        let mut lanes = std::collections::BTreeSet::new();
        for seed in 0..64 {
            let (report, memory) = run(body, (1, 32), 0, &Launch { seed, ..Launch::new(1, 1) });
            let lane = report.last_store.unwrap().lane;
            assert_eq!(lane, u32::from(memory[0]), "seed {seed}: {body}");
            lanes.insert(lane);
        }
        assert!(lanes.len() > 1, "the seed never chose: {body}");
    }
}

/// If one lane's store is a memory fault, the launch stops there. What other lanes have stored by then remains, and is
/// reported.
#[test]
fn a_store_that_faults_leaves_the_last_store_before_it() {
    let body = "add.s32 %r3, %r1, 1; setp.eq.u32 %p1, %r1, 7;
        mov.u64 %rd3, 0; selp.b64 %rd3, %rd3, %rd1, %p1; st.global.u32 [%rd3], %r3;";
    for seed in 0..64 {
        let (report, memory) = run(body, (1, 32), 0, &Launch { seed, ..Launch::new(1, 1) });
        assert_eq!(report.faults[0].kind, FaultKind::Null);
        let lane = report.last_store.map(|actor| actor.lane + 1);
        assert_eq!(lane.unwrap_or(0), u32::from(memory[0]), "seed {seed}");
    }
}
