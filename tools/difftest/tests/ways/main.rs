//! Random kernels have the same results in every way in which the emulator can run them, and no checker finds anything.
//!
//! `cargo test` runs 200 of them and a few of each family, `cargo xtask thorough difftest` many more; `difftest compare`
//! does the same from the command line.
//!
//! The tests of campaigns are in the same program, because they mostly wait for processes, and these tests compute
//! meanwhile.

mod campaign;

use std::ops::Range;

use difftest::compare;
use difftest::family::Family;
use difftest::kernel::Kernel;

/// The number of kernels under `cargo test`.
const KERNELS: u64 = 200;
/// Of so many kernels without a family there is one in each of them.
const FAMILIES_ARE_RARER: u64 = 20;

/// Runs kernels in every way.
fn check(family: Option<Family>, seeds: Range<u64>) {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let part = |thread: u64| {
        let seeds = (seeds.start + thread..seeds.end).step_by(threads as usize);
        let failures = seeds.filter_map(|seed| compare::all_ways(&Kernel::of(family, seed)).err());
        failures.map(|error| format!("{error:#}")).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        running.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{} of the kernels {seeds:?}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_way_has_the_same_result_and_no_checker_reports_anything() {
    check(None, test_support::seeds(KERNELS));
}

#[test]
fn so_it_is_in_every_family() {
    let seeds = test_support::seeds(KERNELS);
    let count = (seeds.end - seeds.start) / FAMILIES_ARE_RARER;
    for family in Family::ALL {
        check(Some(family), seeds.start..seeds.start + count);
    }
}
