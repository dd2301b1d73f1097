//! What orders two accesses through memory, case by case: details of release and acquire patterns.
//!
//! A thread stores to `x` and then signals that to a thread of another block, which reads `x` if it has seen the
//! signal. A case consists of what the two do with the flag, and of whether there is then a race for `x`. Every case
//! has a twin with the opposite result. Cases with hundreds of variants are left to the litmus tests, which enumerate
//! them. Specification: PTX ISA, section 8.8.

use simt::{Checks, Emulator, FaultKind, Launch, Limits, Schedule};

/// The number of runs of each case.
const SEEDS: u64 = 60;

/// A kernel in which the first thread of block 0 stores to `x` and signals it, and the first thread of block 1 waits
/// for the signal. `flag` has eight bytes, and the waiting thread leaves the last value that it has read in `%r1`.
fn kernel(tells: &str, looks: &str) -> String {
    format!(
        "
.version 8.0
.target sm_70
.address_size 64
.visible .entry kernel(.param .u64 x, .param .u64 flag) {{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [x];
    ld.param.u64 %rd1, [flag];
    mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra OTHER;
    st.global.u32 [%rd0], 1;
    {tells}
    bra.uni END;
OTHER:
    {looks}
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra END;
    ld.global.u32 %r2, [%rd0];
END:
    ret;
}}"
    )
}

/// Whether there is a race for `x` with some seed. Races for the flag do not count.
fn races(tells: &str, looks: &str) -> bool {
    let mut emulator = Emulator::new(Limits::default());
    let text = kernel(tells, looks);
    let module = emulator.load("pattern", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (x, flag) = (emulator.alloc("x", 4).unwrap(), emulator.alloc("flag", 8).unwrap());
    (0..SEEDS).any(|seed| {
        emulator.write(flag).unwrap().fill(0);
        emulator.write(x).unwrap().fill(0);
        let launch = Launch::new(2, 1).arg(x.address()).arg(flag.address());
        let launch = Launch { schedule: Schedule::Random, seed, checks: Checks::ALL, ..launch };
        let faults = emulator.launch(&module, "kernel", &launch).unwrap().faults;
        let (races, others): (Vec<_>, Vec<_>) =
            faults.into_iter().partition(|fault| fault.kind == FaultKind::Race);
        assert!(others.is_empty(), "{others:?}");
        races.iter().any(|race| race.message.contains("`x`"))
    })
}

fn check(tells: &str, looks: &str, expected: bool) {
    assert_eq!(races(tells, looks), expected, "writer: {tells}\nreader: {looks}");
}

const ACQUIRES: &str = "ld.acquire.gpu.global.u32 %r1, [%rd1];";

#[test]
fn a_release_for_the_block_does_not_cancel_one_for_all() {
    let strong = "st.relaxed.gpu.global.u32 [%rd1], 3;";
    let wide = "st.release.gpu.global.u32 [%rd1], 1;";
    let narrow = "st.release.cta.global.u32 [%rd1], 2;";
    check(&format!("{wide} {narrow} {strong}"), ACQUIRES, false);
    check(&format!("{wide} {strong}"), ACQUIRES, false);
    check(&format!("{narrow} {strong}"), ACQUIRES, true);
    check(&format!("fence.acq_rel.gpu; fence.acq_rel.cta; {strong}"), ACQUIRES, false);
    check(&format!("fence.acq_rel.cta; {strong}"), ACQUIRES, true);
}

#[test]
fn all_operations_of_a_pattern_access_the_same_bytes() {
    let tells = "st.release.gpu.global.u32 [%rd1], 1;";
    check(tells, ACQUIRES, false);
    // The acquire overlaps the earlier read only in part, so the two are not morally strong.
    let reads = "ld.relaxed.gpu.global.u32 %r1, [%rd1];";
    check(tells, &format!("{reads} ld.acquire.gpu.global.u32 %r3, [%rd1];"), false);
    check(tells, &format!("{reads} ld.acquire.gpu.global.u8 %r3, [%rd1];"), true);
    check(tells, "ld.acquire.gpu.global.u8 %r1, [%rd1];", true);
    // The same for the release.
    let strong = "st.relaxed.gpu.global.u32 [%rd1], 1;";
    check(&format!("st.release.gpu.global.u32 [%rd1], 2; {strong}"), ACQUIRES, false);
    check(&format!("st.release.gpu.global.u8 [%rd1], 2; {strong}"), ACQUIRES, true);
}
