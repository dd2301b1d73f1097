//! Every kernel of `kernels/features_*.cu`, `redux.cu` and `benchmarks.cu`, on every committed build, compared with
//! what the file's header promises, which is computed on the host.
//!
//! Each kernel runs under both mechanisms of reconvergence and several schedules, and twice with each, because the same
//! seed must give the same run. Faults and counters are tested in files of their own.

mod arithmetic;
mod atomics;
mod benchmarks;
mod calls;
mod groups;
mod harness;
mod libcu;
mod memory;
mod redux;
mod warps;

use simt::{Emulator, Limits};

#[test]
fn arithmetic() {
    harness::check_file("features_arithmetic", arithmetic::CASES);
}

#[test]
fn atomics() {
    harness::check_file("features_atomics", atomics::CASES);
}

#[test]
fn calls() {
    harness::check_file("features_calls", calls::CASES);
}

#[test]
fn groups() {
    harness::check_file("features_groups", groups::CASES);
}

#[test]
fn memory() {
    harness::check_file("features_memory", memory::CASES);
}

#[test]
fn warps() {
    harness::check_file("features_warps", warps::CASES);
}

#[test]
fn redux() {
    harness::check_file("redux", redux::CASES);
}

#[test]
fn benchmarks() {
    harness::check_file("benchmarks", benchmarks::CASES);
}

#[test]
fn every_feature_file_has_a_test_and_every_instruction_is_supported() {
    let tested = [
        "features_arithmetic",
        "features_atomics",
        "features_calls",
        "features_groups",
        "features_memory",
        "features_warps",
        "redux",
        "benchmarks",
    ];
    for (file, text) in harness::builds("*") {
        let name = file.split('.').next().unwrap();
        assert!(!name.starts_with("features_") || tested.contains(&name), "no test for `{file}`");
        let module = Emulator::new(Limits::default()).load(&file, &text).unwrap();
        let unsupported: Vec<_> = module.unsupported().iter().map(ToString::to_string).collect();
        assert!(unsupported.is_empty(), "{file}: {}", unsupported.join("\n"));
    }
}
