//! Stores and updates that the weak memory carries out later than their thread executed them: they are delayed, nothing
//! else is lost, and the delay is reported.
//!
//! The litmus tests check which outcomes the model allows. These tests cover what those leave out: results that arrive
//! late in their registers, lanes that are waited for, stores of a whole warp, and the last store of a byte. How often
//! something is delayed is left out. Specification: PTX ISA, section 8.

use std::collections::BTreeSet;

use simt::{Checks, Emulator, Launch, Limits, Report, Schedule, Severity};

const SEEDS: u64 = 200;

/// Runs the body of a kernel over two buffers, `%x` and `%y`, of 64 words each, with the weak memory. `%t` is the
/// thread, `%b` the block. Returns the report and the contents of the buffers.
fn run(text: &str, (grid, block): (u32, u32), seed: u64, follow: bool) -> (Report, Vec<u32>, Vec<u32>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("late", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (x, y) = (emulator.alloc("x", 256).unwrap(), emulator.alloc("y", 256).unwrap());
    for buffer in [x, y] {
        emulator.write(buffer).unwrap().fill(0);
    }
    let launch = Launch::new(grid, block).arg(x.address()).arg(y.address());
    let schedule = [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt][seed as usize % 3];
    let follow = follow.then(|| x.address());
    let launch = Launch {
        schedule,
        seed,
        follow,
        weak_memory: true,
        checks: Checks::NONE,
        max_steps: 1 << 20,
        ..launch
    };
    let report = emulator.launch(&module, "kernel", &launch).unwrap();
    assert!(report.faults.is_empty(), "seed {seed}: {}", report.faults[0]);
    let [x, y] = [x, y].map(|buffer| {
        let words = emulator.read(buffer).unwrap().chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    });
    (report, x, y)
}

fn kernel(body: &str) -> String {
    format!(
        "
.version 8.0
.target sm_70
.address_size 64
.func (.param .b32 old) count(.param .b64 at) {{
    .reg .b32 %r0;
    .reg .b64 %o0;
    ld.param.u64 %o0, [at];
    atom.global.add.u32 %r0, [%o0], 1;
    st.param.b32 [old], %r0;
    ret;
}}
.visible .entry kernel(.param .u64 x, .param .u64 y) {{
    .reg .pred %p<4>;
    .reg .b32 %t, %b, %r<8>;
    .reg .b64 %x, %y, %o<4>;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
    mov.u32 %b, %ctaid.x;
    mul.wide.u32 %o0, %t, 4;
    add.u64 %o0, %y, %o0;
    {body}
END:
    ret;
}}"
    )
}

/// Block 0 stores data and raises a flag, both by exchanges whose results are not used; block 1 reads them by
/// additions.
fn message(between: &str) -> String {
    kernel(&format!(
        "
    setp.ne.u32 %p0, %b, 0;
    @%p0 bra READ;
    atom.global.exch.b32 %r0, [%x], 7;
    {between}
    atom.global.exch.b32 %r1, [%x+4], 1;
    bra.uni END;
READ:
    atom.global.add.u32 %r2, [%x+4], 0;
    {between}
    atom.global.add.u32 %r3, [%x], 0;
    st.global.v2.u32 [%y], {{%r2, %r3}};"
    ))
}

#[test]
fn two_atomics_are_reordered_unless_a_fence_is_between_them() {
    let outcomes = |text: &str| -> BTreeSet<[u32; 2]> {
        (0..SEEDS).map(|seed| run(text, (2, 1), seed, false).2).map(|y| [y[0], y[1]]).collect()
    };
    assert_eq!(outcomes(&message("")), BTreeSet::from([[0, 0], [0, 7], [1, 0], [1, 7]]));
    assert_eq!(outcomes(&message("fence.acq_rel.gpu;")), BTreeSet::from([[0, 0], [0, 7], [1, 7]]));
}

#[test]
fn a_delayed_store_is_reported() {
    let text = message("");
    let late = (0..SEEDS).map(|seed| run(&text, (2, 1), seed, false)).find(|(_, _, y)| y[..2] == [1, 0]);
    let stale = late.expect("the flag comes before the data for some seed").0.stale_reads;
    let stale = stale[0].to_string();
    let wanted = [
        "a load of bytes 0 to 3 of `x` returned 0x0: another thread",
        "nothing orders it",
        "took effect later",
    ];
    for part in wanted {
        assert!(stale.contains(part), "`{part}` is not in: {stale}");
    }
}

/// Every thread draws a ticket, and stores it after other instructions that do not use it.
#[test]
fn a_delayed_result_arrives_before_its_register_is_read() {
    let text = kernel(
        "
    atom.global.add.u32 %r0, [%x], 1;
    atom.global.add.u32 %r1, [%x+4], 2;
    add.u32 %r2, %t, 1;
    st.global.u32 [%o0], %r0;",
    );
    for seed in 0..SEEDS {
        let (_, x, mut tickets) = run(&text, (1, 64), seed, false);
        tickets.sort_unstable();
        assert_eq!((x[0], x[1], tickets), (64, 128, (0..64).collect()), "seed {seed}");
    }
}

#[test]
fn a_delayed_result_arrives_in_the_function_that_requested_it() {
    let text = kernel(
        "
    {
    .param .b64 at;
    .param .b32 old;
    st.param.b64 [at], %x;
    call (old), count, (at);
    ld.param.b32 %r0, [old];
    }
    {
    .param .b64 at;
    .param .b32 old;
    st.param.b64 [at], %x;
    call (old), count, (at);
    ld.param.b32 %r1, [old];
    }
    setp.gt.u32 %p0, %r1, %r0;
    selp.u32 %r2, 1, 0, %p0;
    st.global.u32 [%o0], %r2;",
    );
    for seed in 0..SEEDS {
        let (_, x, y) = run(&text, (1, 64), seed, false);
        assert_eq!((x[0], y), (128, vec![1; 64]), "seed {seed}");
    }
}

/// Lane 0 raises a flag and waits for lane 1 at an instruction that does not order memory; lane 1 waits for the flag.
#[test]
fn a_delayed_store_becomes_visible_if_its_thread_waits() {
    let text = kernel(
        "
    setp.ne.u32 %p0, %t, 0;
    @%p0 bra LOOK;
    st.relaxed.gpu.global.u32 [%x], 1;
    bra.uni MEET;
LOOK:
    ld.relaxed.gpu.global.u32 %r0, [%x];
    setp.eq.u32 %p1, %r0, 0;
    @%p1 bra LOOK;
MEET:
    shfl.sync.idx.b32 %r1, %t, 0, 31, 3;
    st.global.u32 [%o0], 5;",
    );
    for seed in 0..SEEDS {
        let (_, x, y) = run(&text, (1, 2), seed, false);
        assert_eq!((x[0], y[0], y[1]), (1, 5, 5), "seed {seed}");
    }
}

/// All lanes of a warp store, some of them to the same word.
#[test]
fn no_store_of_a_warp_is_lost() {
    let text = kernel(
        "
    add.u32 %r0, %t, 100;
    st.global.u32 [%o0], %r0;
    shr.u32 %r1, %t, 1;
    mul.wide.u32 %o1, %r1, 4;
    add.u64 %o1, %x, %o1;
    st.global.u32 [%o1], %r0;
    ld.global.u32 %r2, [%o0];
    setp.eq.u32 %p0, %r2, %r0;
    @%p0 bra END;
    st.global.u32 [%o0], 0;",
    );
    for seed in 0..SEEDS {
        let (_, x, y) = run(&text, (1, 64), seed, false);
        assert_eq!(y, (100..164).collect::<Vec<u32>>(), "seed {seed}");
        let pairs = x[..32].iter().zip((0..).map(|pair| 100 + 2 * pair));
        pairs.for_each(|(&value, first)| assert!(value == first || value == first + 1, "seed {seed}: {x:?}"));
    }
}

/// Two blocks store to one word and continue elsewhere.
#[test]
fn the_last_store_may_be_a_delayed_one() {
    let text = kernel(
        "
    add.u32 %r0, %b, 1;
    st.relaxed.gpu.global.u32 [%x], %r0;
    st.global.u32 [%o0], 5;
    st.global.u32 [%o0+128], 5;",
    );
    let mut last = BTreeSet::new();
    for seed in 0..SEEDS {
        let (report, x, _) = run(&text, (2, 1), seed, true);
        let actor = report.last_store.expect("somebody stored");
        assert_eq!(actor.block.x + 1, x[0], "seed {seed}: {actor:?}");
        last.insert(x[0]);
    }
    assert_eq!(last.len(), 2);
}

/// Two lanes store to one address, which is a race unless they store the same value. That also holds if the first store
/// is delayed, so that memory does not show its value.
#[test]
fn stores_of_the_same_value_are_a_note_even_if_one_is_delayed() {
    let text = |value: &str| {
        kernel(&format!(
            "
    and.b32 %r0, %t, 31;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra END;
    st.global.u32 [%x], {value};"
        ))
    };
    for seed in 0..SEEDS {
        let severities = |value: &str| -> Vec<Severity> {
            let mut emulator = Emulator::new(Limits::default());
            let module = emulator.load("same", &text(value)).unwrap();
            let x = emulator.alloc("x", 256).unwrap();
            let launch = Launch::new(1, 64).arg(x.address()).arg(x.address());
            let launch = Launch { seed, weak_memory: true, checks: Checks::ALL, ..launch };
            let report = emulator.launch(&module, "kernel", &launch).unwrap();
            report.faults.iter().map(|fault| fault.severity).collect()
        };
        assert_eq!(severities("7"), [Severity::Note], "seed {seed}");
        assert_eq!(severities("%t"), [Severity::Error], "seed {seed}");
    }
}
