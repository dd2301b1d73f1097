//! Lanes that no instruction keeps together. Kernels that rely on lockstep are correct only by luck, and `hunt` shows
//! that; kernels that request the synchronisation that they need pass with every seed.

use simt::{Checks, Emulator, Launch, Limits, Reconvergence, Report, Schedule};

use super::kernel::{At, Cells, Spin, Writer};

/// The number of seeds for a correct kernel.
const SEEDS: u64 = 200;
/// The number of seeds within which a wrong kernel must fail. The grader uses as many that hunt.
const FEW: u64 = 8;

/// Launches a warp, and returns the report and the results of its threads.
fn run(text: &str, reconvergence: Reconvergence, schedule: Schedule, seed: u64) -> (Report, Vec<u32>) {
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load("apart", text).unwrap();
    let out = emulator.alloc("out", 4 * (64 + 32)).unwrap();
    let checks = Checks { races: false, ..Checks::ALL };
    let launch = Launch { reconvergence, schedule, seed, checks, ..Launch::new(1, 32) };
    let report = emulator.launch(&module, "kernel", &launch.arg(out.address())).unwrap();
    let words = emulator.read(out).unwrap()[256..].chunks(4);
    (report, words.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
}

/// Whether a kernel fails with a seed, by a finding or by a wrong result.
fn fails(text: &str, expected: &[u32], schedule: Schedule, seed: u64) -> bool {
    let (report, results) = run(text, Reconvergence::Auto, schedule, seed);
    !report.faults.is_empty() || results != expected
}

/// The sum of all lanes' numbers by shuffles, in each lane. `mask` is the instruction that computes the mask.
fn shuffles(mask: &str) -> String {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.code("add.u32 %r10, %r2, 0;").code(mask);
    for distance in [16, 8, 4, 2, 1] {
        kernel.code(&format!(
            "shfl.sync.bfly.b32 %r11, %r10, {distance}, 31, %r12;\nadd.u32 %r10, %r10, %r11;"
        ));
    }
    kernel.result("%r10").text()
}

/// The same in shared memory by volatile accesses, with `between` between reading and writing.
fn in_place(between: &str) -> String {
    let mut kernel = Writer::new(Cells::Shared, Spin::Plain);
    kernel.code("st.volatile.shared.u32 [%r7], %r2;").code(between);
    for distance in [16, 8, 4, 2, 1] {
        kernel.code(&format!(
            "xor.b32 %r13, %r2, {distance};\nshl.b32 %r13, %r13, 2;\nadd.u32 %r13, %r6, %r13;"
        ));
        kernel.read("%r10", At::Lane(0)).code("ld.volatile.shared.u32 %r11, [%r13];").code(between);
        kernel.code("add.u32 %r10, %r10, %r11;\nst.volatile.shared.u32 [%r7], %r10;").code(between);
    }
    kernel.read("%r10", At::Lane(0)).result("%r10").text()
}

/// Wrong kernels, each with its correct twin.
fn pairs() -> [(&'static str, String, String); 2] {
    [
        ("who is active as a mask", shuffles("activemask.b32 %r12;"), shuffles("mov.u32 %r12, -1;")),
        ("volatile as a barrier", in_place(""), in_place("bar.warp.sync -1;")),
    ]
}

const SUM: [u32; 32] = [31 * 16; 32];

#[test]
fn hunt_finds_kernels_that_rely_on_lockstep() {
    for (name, wrong, _) in pairs() {
        for first in [0, 100, 200] {
            let found =
                (first..first + FEW).filter(|&seed| fails(&wrong, &SUM, Schedule::Hunt, seed)).count();
            assert!(found > 0, "{name}, seeds from {first} on");
        }
    }
}

#[test]
fn right_kernels_pass_with_every_seed() {
    for (name, _, right) in pairs() {
        for seed in 0..SEEDS {
            assert!(!fails(&right, &SUM, Schedule::Hunt, seed), "{name}, seed {seed}");
        }
    }
}

#[test]
fn other_policies_and_older_targets_keep_lanes_together() {
    for (name, wrong, _) in pairs() {
        let old = wrong.replace("sm_70", "sm_60");
        for seed in 0..FEW {
            for schedule in [Schedule::RoundRobin, Schedule::Random] {
                assert!(!fails(&wrong, &SUM, schedule, seed), "{name} {schedule:?}, seed {seed}");
            }
            assert!(!fails(&old, &SUM, Schedule::Hunt, seed), "{name} for sm_60, seed {seed}");
            let (_, results) = run(&wrong, Reconvergence::Stack, Schedule::Hunt, seed);
            assert_eq!(results, SUM, "{name} under the stack, seed {seed}");
        }
    }
}
