//! Exercises graded with this compiler's PTX: solutions pass, and everything else is refused for the reason that its
//! exercise names, as with NVIDIA's compiler.

use std::path::{Path, PathBuf};

use grader::{Exercise, Kind, Verdict, Version};

/// Versions with another verdict, each with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "smooth_rows",
        "wrong_volatile_cells",
        "the three elements are read in another order, which C++ leaves open, and one of them before it is written",
    ),
    (
        "steps_on_a_ring",
        "wrong_barrier_in_the_loop",
        "NVIDIA's code has the loop several times, and lanes meet at different barriers; here there is one barrier, at \
         which they meet, and a race",
    ),
    (
        "steps_on_a_ring",
        "wrong_no_wait",
        "the warps take turns elsewhere, so that one reads a cell before another has written it, not after",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../exercises")
}

fn versions(exercise: &Exercise) -> Vec<Version> {
    if exercise.kind == Kind::Predict || exercise.is_ptx() {
        return Vec::new();
    }
    let wrong = exercise.wrong().into_iter().map(Version::Wrong);
    [Version::Solution, Version::Starter].into_iter().chain(wrong).collect()
}

/// What NVIDIA's compiler comes to; for a solution there is no reason.
fn wanted(exercise: &Exercise, version: &Version) -> String {
    match version {
        Version::Solution => "passed".to_owned(),
        other => {
            let name = other.to_string();
            exercise.refused[name.strip_prefix("wrong_").unwrap_or(&name)].clone()
        }
    }
}

/// The verdict on a version of an exercise.
fn found(exercise: &Exercise, version: &Version) -> String {
    let text = grader::generate::text(exercise, version).unwrap();
    match grader::grade(exercise, &grader::cudac, &mut grader::one_by_one, &text).unwrap() {
        Verdict::Passed(_) => "passed".to_owned(),
        Verdict::Refused(refusal) if refusal.reason == "does-not-compile" => refusal.details.join("\n"),
        Verdict::Refused(refusal) => refusal.reason,
    }
}

#[test]
fn verdicts_are_those_of_nvidias_compiler() {
    let exercises = grader::all(&root()).unwrap();
    let all: Vec<(&Exercise, Version)> = exercises
        .iter()
        .flat_map(|exercise| versions(exercise).into_iter().map(move |version| (exercise, version)))
        .collect();
    let one_in = test_support::one_in(12);
    let taken: Vec<_> = all.iter().enumerate().filter(|(nth, _)| nth % one_in == 0).collect();
    assert!(!taken.is_empty());
    let wrong = test_support::side_by_side(&taken, |(_, (exercise, version))| {
        let (wanted, found) = (wanted(exercise, version), found(exercise, version));
        let is_exception =
            EXCEPTIONS.iter().any(|(name, own, _)| *name == exercise.name && *own == version.to_string());
        ((wanted == found) == is_exception).then(|| {
            format!("{} {version}: {wanted} with NVIDIA's compiler, and here {found}", exercise.name)
        })
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(EXCEPTIONS.len() <= 3, "{} exceptions", EXCEPTIONS.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), taken.len(), wrong.join("\n"));
}
