//! Volatile accesses that nothing orders: which pairs of accesses are noted, for CUDA C++, and which are the flag of a
//! program that uses fences. Of all pairs PTX says that they do not race.
//!
//! Each case is what two threads do with a word, in one block (in different warps) and in two. Left out: weak accesses,
//! with which a volatile one races in PTX, too.

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Schedule, Severity};

const STORE: &str = "st.volatile.global.u32 [%x], %r1;";
const LOAD: &str = "ld.volatile.global.u32 %r0, [%x];";
const ATOMIC_LOAD: &str = "ld.relaxed.gpu.global.u32 %r0, [%x];";
const ATOMIC_STORE: &str = "st.relaxed.gpu.global.u32 [%x], %r1;";
const ADD: &str = "atom.global.add.u32 %r0, [%x], 1;";
const TAKE: &str = "atom.global.cas.b32 %r0, [%x], 1, 3;";
/// Waits until the word is 1, as the first thread stores it.
const POLL: &str = "$L: ld.volatile.global.u32 %r0, [%x]; setp.ne.u32 %p1, %r0, 1; @%p1 bra $L;";
const FENCE: &str = "membar.gl;";
const BLOCK_FENCE: &str = "membar.cta;";

/// Who notes something: threads of one block, threads of two blocks.
const NOBODY: [bool; 2] = [false, false];
const ALL: [bool; 2] = [true, true];
const BLOCKS: [bool; 2] = [false, true];

/// The severities of what is found if one thread does the first and another one the second, under some seeds.
fn found(first: &[&str], second: &[&str], is_other_block: bool) -> Vec<Severity> {
    let (shape, own) = if is_other_block { ((2, 1), "%ctaid.x") } else { ((1, 64), "%tid.x") };
    let body = |parts: &[&str], label: &str| parts.join("\n").replace("$L", label);
    let text = format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry kernel(.param .u64 x) {{
         .reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %x;\nld.param.u64 %x, [x];\nmov.u32 %r2, {own};\nadd.u32 %r1, %r2, 1;
         setp.eq.u32 %p0, %r2, 0;\n@%p0 bra FIRST;\nsetp.ne.u32 %p0, %r2, {last};\n@%p0 bra END;\n{}\nbra END;
         FIRST:\n{}\nEND:\nret;\n}}",
        body(second, "SECOND_WAITS"),
        body(first, "FIRST_WAITS"),
        last = if is_other_block { 1 } else { 32 },
    );
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("volatile", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let x = emulator.alloc("x", 8).unwrap();
    let checks = Checks { races: true, volatile_races: true, ..Checks::NONE };
    let mut all = Vec::new();
    for seed in 0..6 {
        emulator.write(x).unwrap().fill(0);
        let schedule = [Schedule::RoundRobin, Schedule::Random, Schedule::Hunt][seed as usize % 3];
        let launch = Launch { schedule, seed, checks, ..Launch::new(shape.0, shape.1) }.arg(x.address());
        let faults = emulator.launch(&module, "kernel", &launch).unwrap().faults;
        assert!(faults.iter().all(|fault| fault.kind == FaultKind::VolatileRace), "{faults:?}");
        all.extend(faults.iter().map(|fault| fault.severity));
    }
    all
}

/// In each order of the two threads, the pair is noted in one block and in two blocks, as given.
fn check(first: &[&str], second: &[&str], is_noted: [bool; 2]) {
    for (is_other_block, is_noted) in [false, true].into_iter().zip(is_noted) {
        for (one, other) in [(first, second), (second, first)] {
            // The first thread stores the 1 for which a thread waits.
            if one.contains(&POLL) {
                continue;
            }
            let severities = found(one, other, is_other_block);
            assert_eq!(!severities.is_empty(), is_noted, "{one:?} | {other:?}, in blocks: {is_other_block}");
            assert!(severities.iter().all(|severity| *severity == Severity::Note));
        }
    }
}

#[test]
fn two_stores_are_noted_whatever_fences_there_are() {
    check(&[STORE], &[STORE], ALL);
    check(&[FENCE, STORE], &[STORE], ALL);
    check(&[STORE, FENCE], &[STORE], ALL);
    check(&[FENCE, STORE, FENCE], &[FENCE, STORE, FENCE], ALL);
    check(&[FENCE, STORE], &[FENCE, ATOMIC_STORE], ALL);
    check(&[ATOMIC_STORE], &[ATOMIC_STORE], NOBODY);
}

#[test]
fn a_load_of_what_is_stored_without_a_fence_before_is_noted() {
    check(&[STORE], &[LOAD], ALL);
    check(&[STORE, FENCE], &[LOAD], ALL);
    check(&[STORE, FENCE], &[FENCE, LOAD], ALL);
    check(&[STORE], &[POLL], ALL);
    check(&[STORE], &[ATOMIC_LOAD], ALL);
    check(&[LOAD], &[LOAD], NOBODY);
}

#[test]
fn a_flag_that_is_stored_after_a_fence_is_not_noted() {
    check(&[FENCE, STORE], &[LOAD], NOBODY);
    check(&[FENCE, STORE], &[POLL, FENCE], NOBODY);
    check(&[FENCE, STORE], &[ATOMIC_LOAD, FENCE], NOBODY);
    check(&[FENCE, STORE], &[TAKE, FENCE], NOBODY);
    // What a fence of the block announces is nothing to another block.
    check(&[BLOCK_FENCE, STORE], &[POLL, FENCE], BLOCKS);
    check(&[BLOCK_FENCE, STORE, FENCE], &[LOAD], BLOCKS);
}

#[test]
fn threads_that_store_and_then_look_at_the_other_need_a_fence_in_between() {
    let [store, load] = [STORE, LOAD].map(|access| access.replace("[%x]", "[%x+4]"));
    check(&[STORE, FENCE, &load], &[&store, FENCE, LOAD], NOBODY);
    check(&[STORE, BLOCK_FENCE, &load], &[&store, BLOCK_FENCE, LOAD], BLOCKS);
    check(&[STORE, &load], &[&store, FENCE, LOAD], ALL);
    check(&[STORE, &load], &[&store, LOAD], ALL);
    // The fence has to be in between: before both, it makes flags of the stores; behind them, it does nothing.
    check(&[STORE, &load, FENCE], &[&store, LOAD, FENCE], ALL);
}

#[test]
fn a_store_to_what_others_update_is_noted_and_a_look_at_it_is_not() {
    check(&[STORE], &[ADD], ALL);
    check(&[ADD], &[LOAD], NOBODY);
    check(&[ATOMIC_STORE], &[LOAD], NOBODY);
    check(&[ATOMIC_STORE], &[POLL], NOBODY);
}

#[test]
fn what_is_ordered_is_not_noted() {
    // The thread that answers has seen the flag, and the one that waits for the answer stores again.
    check(&[FENCE, STORE], &[POLL, FENCE, STORE], NOBODY);
    let barrier = ["bar.sync 0;", "bar.sync 0;"];
    assert_eq!(found(&[STORE, barrier[0]], &[barrier[1], STORE], false), []);
    assert_eq!(found(&[STORE, barrier[0]], &[barrier[1], LOAD], false), []);
}
