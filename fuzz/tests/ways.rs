//! Random kernels come to the same in every way in which the emulator runs them, and no checker finds anything.
//!
//! `cargo test` takes 200 of them. `FUZZ_KERNELS=20000 cargo test --release -p fuzz --test ways` takes the thorough number,
//! and `FUZZ_FIRST=SEED` begins elsewhere; `fuzz compare` does the same from the command line.

use std::env;

use fuzz::compare;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = env::var(variable).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("`{variable}` must be a number")))
}

#[test]
fn every_way_leaves_the_same_and_no_checker_objects() {
    let (first, count) = (number("FUZZ_FIRST", 0), number("FUZZ_KERNELS", 200));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let part = |thread: u64| {
        let seeds = (first + thread..first + count).step_by(threads as usize);
        let failures = seeds.filter_map(|seed| compare::all_ways(seed).err());
        failures.map(|error| format!("{error:#}")).collect::<Vec<_>>()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        running.into_iter().flat_map(|part| part.join().expect("no panic")).collect()
    });
    assert!(failures.is_empty(), "{} of {count} kernels:\n{}", failures.len(), failures.join("\n"));
}
