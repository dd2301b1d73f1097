//! libcu++ and cooperative groups as of CUDA 12.9: `libcu/*.cu`, on every committed build.
//!
//! `cargo xtask ptx --libcu` compiles them. The headers are free to choose their code, and choose other code for each
//! target. The tests check that it runs and returns what the library promises.

mod atomic_ref;
mod barrier;
mod bulk;
mod cluster;
mod collectives;
mod copies;
mod tensor;
mod waiting;

use std::collections::BTreeSet;

use simt::{Emulator, Launch, Limits, Schedule};

use crate::harness::{self, Case};

const FOLDER: &str = "tests/features/libcu/ptx";

fn check(name: &str, cases: &[Case]) {
    harness::check_builds(name, &harness::builds_in(FOLDER, name), cases);
}

#[test]
fn atomic_ref() {
    check("atomic_ref", atomic_ref::CASES);
}

#[test]
fn barrier() {
    check("barrier", barrier::CASES);
}

#[test]
fn bulk() {
    check("bulk", bulk::CASES);
}

#[test]
fn cluster() {
    check("cluster", cluster::CASES);
}

#[test]
fn copies() {
    check("copies", copies::CASES);
}

#[test]
fn collectives() {
    check("collectives", collectives::CASES);
}

#[test]
fn tensor() {
    check("tensor", tensor::CASES);
}

#[test]
fn waiting() {
    check("waiting", waiting::CASES);
}

/// The lane that is elected among the first warp's threads whose number is not a multiple of 4, on `sm_90`, where
/// `elect.sync` decides.
fn leader(schedule: Schedule, seed: u64) -> u32 {
    let (file, text) = harness::builds_in(FOLDER, "collectives").pop().unwrap();
    assert!(text.contains("elect.sync"), "{file}");
    let mut emulator = Emulator::new(Limits::default());
    let module = emulator.load(&file, &text).unwrap();
    let buffers = ["writers", "leaders"].map(|name| emulator.alloc(name, 4 * 32).unwrap());
    let mut launch = Launch { schedule, seed, ..Launch::new(1, 32) };
    launch.args.extend(buffers.map(|buffer| buffer.address().into()));
    assert!(emulator.launch(&module, "collect_one", &launch).unwrap().faults.is_empty());
    u32::from_le_bytes(emulator.read(buffers[1]).unwrap()[4..8].try_into().unwrap())
}

#[test]
fn the_lowest_lane_is_elected_with_round_robin_and_any_lane_with_other_schedules() {
    assert!((0..4).all(|seed| leader(Schedule::RoundRobin, seed) == 1));
    for schedule in [Schedule::Random, Schedule::Hunt] {
        let leaders: BTreeSet<u32> = (0..8).map(|seed| leader(schedule, seed)).collect();
        assert!(leaders.len() > 1 && leaders.iter().all(|leader| leader % 4 != 0), "{leaders:?}");
    }
}

#[test]
fn every_instruction_of_the_headers_is_supported() {
    for (file, text) in harness::builds_in(FOLDER, "*") {
        let module = Emulator::new(Limits::default()).load(&file, &text).unwrap();
        let unsupported: Vec<_> = module.unsupported().iter().map(ToString::to_string).collect();
        assert!(unsupported.is_empty(), "{file}: {}", unsupported.join("\n"));
    }
}
