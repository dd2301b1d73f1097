//! Every kernel file and every version of every exercise compiles, and the emulator reads and supports what it becomes.

use std::fs;
use std::path::{Path, PathBuf};

use grader::{Exercise, Kind, Version};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiles a text and loads it, or says what is wrong.
fn load(name: &str, text: &str, sm: u32) -> Result<(), String> {
    let options = cudac::Options { sm, ..cudac::Options::default() };
    let output =
        cudac::compile(&cudac::Source { name, text }, &options).map_err(|errors| errors.to_string())?;
    let mut emulator = simt::Emulator::new(simt::Limits::default());
    let module = emulator.load(name, &output.ptx).map_err(|error| format!("{name}: {error}"))?;
    match module.unsupported().first() {
        Some(error) => Err(format!("{name}: {error}")),
        None => Ok(()),
    }
}

#[test]
fn every_kernel_file_compiles() {
    let mut failed = Vec::new();
    for entry in fs::read_dir(root().join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "cu") || name.starts_with("features_") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let builds = text.lines().find_map(|line| line.strip_prefix("// builds: ")).unwrap();
        let targets = builds
            .split(", ")
            .filter_map(|build| build.strip_prefix("sm_"))
            .filter(|build| !build.contains('-'));
        for sm in targets {
            failed.extend(load(&name, &text, sm.parse().unwrap()).err());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What is wrong on purpose, and seen by the compiler.
const WARNINGS: [(&str, u32, &str); 3] = [
    ("half_way_home", 9, "not all threads of a block may reach this `__syncthreads`"),
    ("reduction.cu", 199, "not all threads of a block may reach this `__syncthreads`"),
    ("syncwarp.cu", 221, "not all threads of a block may reach this `__syncthreads`"),
];

#[test]
fn nothing_that_is_right_is_warned_of() {
    let mut texts = Vec::new();
    for entry in fs::read_dir(root().join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            texts.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    for exercise in grader::all(&root().join("exercises")).unwrap() {
        // The file as it stands is the solution.
        if let Ok(text) = fs::read_to_string(exercise.folder(&root().join("exercises")).join("solution.cu")) {
            texts.push((exercise.name.clone(), text));
        }
    }
    let mut found = Vec::new();
    for (name, text) in &texts {
        let options = cudac::Options { sm: 80, ..cudac::Options::default() };
        if let Ok(output) = cudac::compile(&cudac::Source { name, text }, &options) {
            found.extend(
                output.warnings.into_iter().map(|warning| (&name[..], warning.line, warning.message)),
            );
        }
    }
    found.sort();
    let found: Vec<(&str, u32, &str)> =
        found.iter().map(|(name, line, message)| (*name, *line, &message[..])).collect();
    assert_eq!(found, WARNINGS);
}

/// The versions of an exercise that are kernels in CUDA C++.
fn versions(exercise: &Exercise) -> Vec<Version> {
    if exercise.kind == Kind::Predict || exercise.is_ptx() {
        return Vec::new();
    }
    let wrong = exercise.wrong().into_iter().map(Version::Wrong);
    [Version::Solution, Version::Starter].into_iter().chain(wrong).collect()
}

#[test]
fn every_version_of_every_exercise_compiles() {
    let mut failed = Vec::new();
    for exercise in grader::all(&root().join("exercises")).unwrap() {
        for version in versions(&exercise) {
            let text = grader::generate::text(&exercise, &version).unwrap();
            let name = format!("{}.{version}.cu", exercise.name);
            failed.extend(load(&name, &text, exercise.arch).err());
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}
