//! Fifty pairs of programs as people post them, in `tests/posted`: the first finding in a broken one is its mistake, and
//! its repaired twin has none. Its file `expected.toml` says what is expected of each.
//!
//! They are a test of what was not made for them, so a program is never changed. Where a mistake is not found,
//! `missed` names the program.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

#[derive(serde::Deserialize)]
struct Expected {
    /// The broken programs whose first finding is another one, or none.
    missed: Vec<String>,
    pair: Vec<Pair>,
}

#[derive(serde::Deserialize)]
struct Pair {
    name: String,
    cause: Vec<String>,
    line: Vec<u64>,
    prints: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/posted")
}

fn expected() -> Expected {
    let expected: Expected =
        toml::from_str(&fs::read_to_string(folder().join("expected.toml")).unwrap()).unwrap();
    assert_eq!(expected.pair.len(), 50);
    expected
}

/// Runs a program of a pair, and returns what it reports, or why it cannot be run.
fn report(pair: &Pair, version: &str) -> Result<Value, String> {
    let path = folder().join(&pair.name).join(version);
    let output = Command::new(env!("CARGO_BIN_EXE_lanes"))
        .args(["run", path.to_str().unwrap(), "--json"])
        .output()
        .expect("the program was built");
    serde_json::from_slice(&output.stdout).map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What is wrong with the report of a broken program.
fn of_broken(pair: &Pair) -> Option<String> {
    let report = match report(pair, "broken.cu") {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    let first = &report["findings"][0];
    let is_kind = pair.cause.iter().any(|kind| first["kind"] == kind[..]);
    let is_line = pair.line.iter().any(|line| first["line"] == *line);
    let wanted = format!("{:?} at one of the lines {:?}", pair.cause, pair.line);
    (!is_kind || !is_line).then(|| format!("{first:#}\nand not {wanted}"))
}

/// What is wrong with the report of a repaired program.
fn of_repaired(pair: &Pair) -> Option<String> {
    let report = match report(pair, "repaired.cu") {
        Ok(report) => report,
        Err(error) => return Some(error),
    };
    let is_clean = report["findings"] == json!([]) && report["status"] == 0;
    (!is_clean || report["output"] != pair.prints[..]).then(|| format!("{report:#}"))
}

#[test]
fn the_first_finding_is_the_cause() {
    let Expected { missed, pair } = expected();
    let mut found_missed = Vec::new();
    for pair in &pair {
        if let Some(wrong) = of_broken(pair) {
            println!("{}: {wrong}", pair.name);
            found_missed.push(&pair.name[..]);
        }
    }
    assert_eq!(found_missed, missed, "{} of {} are found", pair.len() - found_missed.len(), pair.len());
}

#[test]
fn repaired_programs_are_clean() {
    let wrong = |pair: &Pair| of_repaired(pair).map(|wrong| format!("{}: {wrong}", pair.name));
    let wrong: Vec<String> = expected().pair.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} repaired programs are not clean:\n{}", wrong.len(), wrong.join("\n"));
}
