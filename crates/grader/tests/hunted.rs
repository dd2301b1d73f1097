//! Right kernels are not refused when lanes are separated, warps switch after their accesses and memory is weak.
//! Solutions, and versions that are refused only for their cost, run with many seeds of the schedule that hunts for
//! mistakes.
//!
//! `cargo test` takes a few seeds in addition to those of grading, and `cargo xtask thorough hunted` takes many.

use std::path::{Path, PathBuf};
use std::time::Instant;

use grader::{Exercise, Kind, SEEDS, Verdict, Version};

/// How many seeds `cargo test` takes.
const HUNTS: u64 = 2;

/// As many hunting seeds as were asked for, which are the odd ones, alternately for the ordinary and the weak memory.
fn seeds() -> Vec<u64> {
    // Two successive seeds in the other half of the cycle.
    test_support::seeds(HUNTS)
        .map(|nth| SEEDS + nth / 2 * SEEDS + nth % 2 * (SEEDS / 2) + 1 + nth / 2 % 4 * 2)
        .collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

/// The PTX of a version. Only the solutions' is committed.
fn compiled(exercise: &Exercise, version: &Version) -> String {
    let text = exercise.source().text(version);
    if exercise.is_ptx() { text } else { grader::cudac(exercise, &text).unwrap().ptx }
}

/// What is wrong with a version that has to be right, apart from its cost.
fn wrong(exercise: &Exercise, version: &Version, seeds: &[u64]) -> Option<String> {
    let (solution, attempt) = match version {
        Version::Solution => (exercise.ptx(), exercise.ptx()),
        _ => (compiled(exercise, &Version::Solution), compiled(exercise, version)),
    };
    let verdict = grader::grade_with(exercise, &solution, &attempt, seeds).unwrap();
    match verdict {
        Verdict::Passed(_) if *version == Version::Solution => None,
        Verdict::Refused(refusal) if *version != Version::Solution && refusal.reason == "gate" => None,
        other => Some(format!("{}, {version}: {other:?}", exercise.name)),
    }
}

#[test]
fn what_is_right_stays_right_when_hunted() {
    let (seeds, begun) = (seeds(), Instant::now());
    assert!(seeds.iter().all(|seed| seed % 2 == 1), "even seeds do not hunt");
    let all = grader::all(&root()).unwrap();
    let mut kernels = Vec::new();
    for exercise in all.iter().filter(|exercise| exercise.kind != Kind::Predict) {
        for version in exercise.versions() {
            let name = version.to_string();
            let reason = exercise.refused.get(name.strip_prefix("wrong_").unwrap_or(&name));
            if version == Version::Solution || reason.is_some_and(|reason| reason == "gate") {
                kernels.push((exercise, version));
            }
        }
    }
    let told = test_support::side_by_side(&kernels, |(exercise, version)| {
        let told = wrong(exercise, version, &seeds).inspect(|told| println!("{told}"));
        println!("{}, {version}: {:.1} s", exercise.name, begun.elapsed().as_secs_f64());
        told
    });
    let told: Vec<String> = told.into_iter().flatten().collect();
    println!("{} kernels, {} seeds each, {:.1} s", kernels.len(), seeds.len(), begun.elapsed().as_secs_f64());
    assert!(told.is_empty(), "{}", told.join("\n"));
}
