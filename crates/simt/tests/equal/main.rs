//! All ways to run a launch must have the same results: the plain interpreter and the fast executors, on one core and
//! on several.
//!
//! Two choices of a launch, the hook for the plain interpreter and [`Launch::cores`](simt::Launch::cores), may change
//! how fast it is but nothing else. Here a run by the plain interpreter on one core is compared with the others:
//! report, memory and trace. The kernels are random ones that a generator writes ([`kernel`]), and every kernel of the
//! project ([`committed`]). Further random kernels are for blocks whose warps stay together ([`convergent`]), and for
//! blocks that share memory ([`sharing`]). If the results of a kernel differ, the shortest kernel that still shows it
//! is printed. Whether the plain interpreter is right is left to all other tests.

mod committed;
mod convergent;
mod flow;
mod kernel;
mod memory;
mod rows;
mod run;
mod sharing;
mod shrink;
mod synchronise;
mod values;
mod writer;

use std::collections::BTreeMap;
use std::ops::Range;

use committed::{Bench, Named, files, versions};
use kernel::Kernel;
use run::{DEALT, OTHERS, PLAIN, Way, run};
use test_support::Random;

/// The number of random kernels; `cargo xtask thorough equal` takes more.
const KERNELS: u64 = 1000;

fn seeds() -> Range<u64> {
    test_support::seeds(KERNELS)
}

/// Whether a seed's kernel is run with a trace.
fn is_traced(seed: u64) -> bool {
    seed % 23 == 5
}

/// The ways in which a seed's kernel is run: usually two, sometimes all.
fn ways(seed: u64) -> Vec<Way> {
    if seed.is_multiple_of(16) {
        return OTHERS.to_vec();
    }
    vec![OTHERS[0], [OTHERS[1], DEALT[0], DEALT[0], DEALT[1]][(seed / 2 % 4) as usize]]
}

/// The ways in which a kernel with convergent warps is run.
fn ways_of_convergent(seed: u64) -> Vec<Way> {
    vec![if seed % 4 == 3 { DEALT[0] } else { OTHERS[0] }]
}

/// The ways in which a kernel of many blocks is run.
fn ways_on_cores(seed: u64) -> Vec<Way> {
    vec![OTHERS[1 + (seed / 2 % 4) as usize]]
}

/// How the results of a kernel differ, if they do.
fn difference(kernel: &Kernel, way: Way, is_traced: bool) -> Option<String> {
    run(kernel, PLAIN, is_traced).difference(&run(kernel, way, is_traced))
}

/// Describes a kernel whose results differ, after shrinking it.
fn described(seed: u64, kernel: &Kernel, way: Way, is_traced: bool) -> String {
    let small = shrink::shrink(kernel, |kernel| difference(kernel, way, is_traced).is_some());
    let found = difference(&small, way, is_traced).expect("it still fails");
    let Kernel { launch, bytes, numbers, times, .. } = &small;
    format!(
        "seed {seed}, {way:?} against {PLAIN:?}, trace {is_traced}\n{found}\n{launch:?}\n\
         buffers {bytes:?}, numbers {numbers:?}, launched {times} times\n{}",
        small.text()
    )
}

/// Runs the kernels of some seeds in the given ways, with or without a trace. Returns how often each kind of fault was
/// found.
fn check(
    seeds: impl Iterator<Item = u64>,
    kernel: fn(u64) -> Kernel,
    ways: fn(u64) -> Vec<Way>,
    is_traced: fn(u64) -> bool,
) -> BTreeMap<&'static str, u64> {
    let mut kinds = BTreeMap::new();
    for seed in seeds {
        let (kernel, is_traced) = (kernel(seed), is_traced(seed));
        let expected = run(&kernel, PLAIN, is_traced);
        let is_carried_out = expected.report.starts_with("Ok");
        assert!(is_carried_out, "seed {seed}: {}\n{}", expected.report, kernel.text());
        for kind in simt::FaultKind::ALL {
            let is_found = expected.report.contains(&format!("kind: {kind:?}"));
            *kinds.entry(kind.name()).or_default() += u64::from(is_found);
        }
        for way in ways(seed) {
            let found = run(&kernel, way, is_traced);
            assert!(expected == found, "{}", described(seed, &kernel, way, is_traced));
        }
    }
    kinds
}

#[test]
fn random_kernels_have_the_same_result_in_all_ways() {
    let seeds = seeds();
    let kinds = check(seeds.clone().filter(|seed| seed % 2 == 0), kernel::kernel, ways, is_traced);
    // If no kernel had a fault, these tests would show little.
    for kind in ["out-of-bounds", "misaligned", "race", "uninitialized", "deadlock", "step-limit"] {
        let is_found = kinds.get(kind).is_some_and(|&count| count > 0);
        assert!(is_found || seeds.end - seeds.start < KERNELS, "{kind}: {kinds:?}");
    }
}

#[test]
fn more_random_kernels_have_the_same_result_in_all_ways() {
    check(seeds().filter(|seed| seed % 2 == 1), kernel::kernel, ways, is_traced);
}

#[test]
fn random_kernels_of_many_blocks_have_the_same_result_in_all_ways() {
    check(seeds().step_by(10), kernel::wide_kernel, ways_on_cores, |_| false);
}

/// There are three kernels for each seed, with consecutive numbers.
#[test]
fn random_kernels_with_convergent_warps_have_the_same_result_in_all_ways() {
    let seeds = seeds();
    check(seeds.start * 3..seeds.end * 3, convergent::convergent, ways_of_convergent, |_| false);
}

#[test]
fn random_kernels_of_blocks_that_share_bytes_have_the_same_result_in_all_ways() {
    check(seeds(), sharing::sharing, |seed| vec![DEALT[(seed % 2) as usize]], |_| false);
}

/// Runs every kernel of some texts with several choices each, and returns how many launches were carried out.
fn check_files(files: &[Named], choices: u64) -> usize {
    let asked = seeds();
    // The number of choices grows with the number of seeds.
    let choices = choices * (asked.end - asked.start).div_ceil(KERNELS);
    let choices = asked.start..asked.start + choices;
    let mut done = 0;
    for (number, (name, text)) in (0..).zip(files) {
        let others = [OTHERS[0], OTHERS[1 + number as usize % 2], OTHERS[3 + number as usize % 2]];
        let mut plain = Bench::new(name, text, PLAIN);
        let mut benches = others.map(|way| (way, Bench::new(name, text, way)));
        for (kernel, info) in (number..).zip(plain.kernels()) {
            for seed in choices.clone().map(|choice| kernel * 7 + choice * 5) {
                let is_traced = seed % 13 == 0;
                let expected = plain.run(&info, seed, is_traced);
                done += usize::from(expected.report.starts_with("Ok"));
                for (way, bench) in &mut benches {
                    let found = bench.run(&info, seed, is_traced);
                    let difference = expected.difference(&found).unwrap_or_default();
                    let launch = committed::choices(&mut Random::new(seed), seed);
                    assert!(
                        expected == found,
                        "{name}, `{}`, {way:?}, choices {seed}:\n{difference}{launch:?}",
                        info.name
                    );
                }
            }
        }
    }
    done
}

#[test]
fn the_kernels_of_the_book_have_the_same_result_in_all_ways() {
    let done = check_files(&files("kernels/ptx"), 1);
    assert!(done > 600, "only {done} launches were carried out");
}

#[test]
fn the_kernels_of_the_exercises_have_the_same_result_in_all_ways() {
    let done = check_files(&[files("exercises"), versions()].concat(), 2);
    assert!(done > 500, "only {done} launches were carried out");
}

#[test]
fn the_hand_written_kernels_have_the_same_result_in_all_ways() {
    let done = check_files(&files("crates/simt/tests/ptx"), 2);
    assert!(done > 700, "only {done} launches were carried out");
}
