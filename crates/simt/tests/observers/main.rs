//! Observers change nothing: a run has the same memory, counters and output with any set of them.
//!
//! This is tested with random kernels ([`random`]) and with the files of `tests/ptx/pass`, of which `cargo test` takes every other
//! one: with every set of checkers, with and without weak memory, and with a byte that is followed. (Weak memory is not an
//! observer but another memory; the runs with each of the two are compared among themselves.) The random kernels are full of
//! races, of reads of uninitialised memory and of shuffles from lanes that do not take part. Their runs are defined
//! nevertheless, because the seed makes every choice.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cases::cases;
use simt::{Buffer, Checks, Emulator, Launch, Limits, Report, Schedule};

#[path = "../cases/mod.rs"]
mod cases;
mod random;

/// The number of random kernels; `cargo xtask thorough observers` takes more.
const KERNELS: u64 = 120;

/// Every set of checkers, the empty one first.
fn all_checks() -> impl Iterator<Item = Checks> {
    (0..16).map(|bits| Checks {
        races: bits & 1 != 0,
        volatile_races: bits & 8 != 0,
        initialisation: bits & 2 != 0,
        synchronisation: bits & 4 != 0,
    })
}

/// The observers: every set of checkers, and the smallest and the largest set with a byte that is followed.
fn all_watchers() -> impl Iterator<Item = (Checks, bool)> {
    all_checks().map(|checks| (checks, false)).chain([(Checks::NONE, true), (Checks::ALL, true)])
}

/// The results of a run, without the findings.
fn transcript(report: &Report, emulator: &Emulator, buffers: &[Buffer]) -> String {
    let Report { counters, lines, output, .. } = report;
    let mut text = format!("{counters:?}\n{lines:?}\n{output}\n");
    for &buffer in buffers {
        writeln!(text, "{:?}", emulator.read(buffer).unwrap()).unwrap();
    }
    text
}

/// Runs a launch with every set of checkers, with both memories, and compares the results. Returns how often each kind
/// of finding occurred. `prepare` allocates the buffers and passes them as arguments.
fn compare(
    label: &str,
    text: &str,
    launch: &Launch,
    prepare: impl Fn(&mut Emulator, &mut Launch) -> Vec<Buffer>,
) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    let mut empty = Emulator::new(Limits::default());
    let module = empty.load(label, text).unwrap_or_else(|error| panic!("{label}: {error}"));
    for weak_memory in [false, true] {
        let mut first: Option<String> = None;
        for (checks, follows) in all_watchers() {
            let label = format!("{label}, weak memory {weak_memory}, {checks:?}, follows {follows}");
            let mut emulator = empty.clone();
            let mut launch = Launch { checks, weak_memory, ..launch.clone() };
            let buffers = prepare(&mut emulator, &mut launch);
            launch.follow = buffers.first().map(|buffer| buffer.address()).filter(|_| follows);
            let report = emulator.launch(&module, &module.kernels()[0].name, &launch);
            let report = report.unwrap_or_else(|error| panic!("{label}: {error}\n{text}"));
            for fault in &report.faults {
                *kinds.entry(fault.kind.name()).or_insert(0) += 1;
            }
            let found = transcript(&report, &emulator, &buffers);
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "{label}: without checkers\n{first}\nwith them\n{found}\n{text}");
        }
    }
    kinds
}

#[test]
fn observers_change_nothing_in_random_kernels() {
    let mut kinds = BTreeMap::new();
    let mut outputs = 0;
    let seeds = test_support::seeds(KERNELS);
    for seed in seeds.clone().map(|seed| seed + 1) {
        let kernel = random::kernel(seed);
        let label = format!("seed {seed}, {:?}, {:?}", kernel.launch.reconvergence, kernel.launch.schedule);
        let found = compare(&label, &kernel.text, &kernel.launch, |emulator, launch| {
            let data = emulator.alloc("data", random::BUFFER_BYTES).unwrap();
            let scratch = emulator.alloc_uninitialized("scratch", random::BUFFER_BYTES).unwrap();
            for (index, byte) in emulator.write(data).unwrap().iter_mut().enumerate() {
                *byte = ((index as u64 * seed) >> 3) as u8;
            }
            launch.args = vec![data.address().into(), scratch.address().into()];
            vec![data, scratch]
        });
        outputs += usize::from(kernel.text.contains("call (status), vprintf"));
        for (kind, count) in found {
            *kinds.entry(kind).or_insert(0) += count;
        }
    }
    // If nothing was ever found or printed, these tests would show little.
    let kernels = seeds.end - seeds.start;
    for kind in ["uninitialized", "undefined-shuffle", "barrier-divergence", "volatile-race"] {
        let is_often = kinds.get(kind).is_some_and(|&count| count as u64 > kernels / 3);
        assert!(is_often || kernels < KERNELS, "{kind}: {kinds:?}");
    }
    let known = ["race", "volatile-race", "uninitialized", "undefined-shuffle", "barrier-divergence"];
    assert!(kinds.keys().all(|kind| known.contains(kind)), "made-up kernels stop: {kinds:?}");
    assert!(outputs as u64 > kernels / 15 || kernels < KERNELS, "{outputs} kernels print");
}

#[test]
fn observers_change_nothing_in_the_passing_kernels() {
    let cases: Vec<_> = cases("pass").into_iter().step_by(test_support::one_in(2)).collect();
    test_support::side_by_side(&cases, |case| {
        for reconvergence in case.mechanisms() {
            for (schedule, seed) in [(Schedule::RoundRobin, 0), (Schedule::Random, 1), (Schedule::Hunt, 2)] {
                let label = format!("{} ({reconvergence:?}, {schedule:?}, seed {seed})", case.name);
                let launch = Launch { reconvergence, schedule, seed, ..case.launch() };
                compare(&label, &case.text, &launch, |emulator, launch| case.arguments(emulator, launch));
            }
        }
    });
}
