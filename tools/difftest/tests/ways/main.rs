//! Random kernels have the same results in every way in which the emulator can run them, and no checker finds anything.
//!
//! `cargo test` runs 200 of them, `cargo xtask thorough fuzz` many more; `fuzz compare` does the same from the command
//! line.
//!
//! The tests of campaigns are in the same program, because they mostly wait for processes, and these tests compute
//! meanwhile.

mod campaign;

use difftest::compare;

/// The number of kernels under `cargo test`.
const KERNELS: u64 = 200;

#[test]
fn every_way_has_the_same_result_and_no_checker_reports_anything() {
    let seeds = test_support::seeds(KERNELS);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let part = |thread: u64| {
        let seeds = (seeds.start + thread..seeds.end).step_by(threads as usize);
        let failures = seeds.filter_map(|seed| compare::all_ways(seed).err());
        failures.map(|error| format!("{error:#}")).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        running.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{} of the kernels {seeds:?}:\n{}", failures.len(), failures.join("\n"));
}
