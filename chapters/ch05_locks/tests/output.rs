//! What the chapter prints: its records, its claims, its other shapes, and its lines.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch05_locks");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).output().expect("the chapter was built")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn records_are_what_the_chapter_prints() {
    lanes::golden::check(Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(PROGRAM)).unwrap();
}

/// What needs a GPU's clock is judged once there is a record of one.
#[test]
fn every_claim_comes_out_as_it_is_ruled() {
    let output = run(&["--device", "sim", "--claim", "all", "--json"]);
    let claims: Value = serde_json::from_str(stdout(&output)).unwrap();
    for claim in claims.as_array().unwrap() {
        let waits_for_a_gpu = claim["missing"].as_str().is_some_and(|missing| missing.starts_with("a GPU"));
        assert!(claim["sound"] == true || waits_for_a_gpu, "{claim:#}");
    }
}

/// Every variant is checked against its reference by the chapter itself, which exits with 1 if one is off.
#[test]
fn every_variant_comes_out_as_expected_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["1", "32", "48", "64", "1024"] {
            let args = ["--device", "sim", "--size", size, "--block", block, "--seed", "7"];
            let output = run(&args);
            assert_eq!(output.status.code(), Some(0), "{size} in blocks of {block}: {}", stdout(&output));
        }
    }
}

/// The other sections have sizes of their own, and other schedules by the seed.
#[test]
fn every_variant_comes_out_as_expected_with_every_seed() {
    for seed in ["1", "2", "3", "18446744073709551615"] {
        let output = run(&["--device", "sim", "--size", "1000", "--seed", seed]);
        assert_eq!(output.status.code(), Some(0), "seed {seed}: {}", stdout(&output));
    }
}

#[test]
fn no_line_is_longer_than_80_columns() {
    let output = run(&["--device", "sim", "--size", "1000000", "--only", "contention"]);
    let all = run(&["--device", "sim", "--size", "1000"]);
    let long = stdout(&output).lines().chain(stdout(&all).lines()).find(|line| line.chars().count() > 80);
    assert_eq!(long, None);
}

/// The four that learners meet first are told with the line of CUDA.
#[test]
fn mistakes_are_told_with_their_lines() {
    let output = run(&["--device", "sim", "--json", "--only", "count,warp_lock,locks,doubles"]);
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let sections = report["sections"].as_array().unwrap();
    let rows: Vec<&Value> = sections.iter().flat_map(|section| section["rows"].as_array().unwrap()).collect();
    let source =
        |file: &str| std::fs::read_to_string(format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR")));
    for (variant, kind, text) in [
        ("count_plain-grid", "race", "*count += 1;"),
        ("count_shared_plain-block", "race", "found += 1;"),
        ("lock_behind-endless", "step-limit", "while (atomicCAS(lock, 0, 1) != 0"),
        ("rounds_no_fence", "race", "*lock = 0;"),
        ("rounds_note", "race", "*lock = 0;"),
        ("rounds_exchange", "race", "*count += 1;"),
        ("add_double_note", "race", "double old = *sum"),
    ] {
        let row = rows.iter().find(|row| row["variant"] == variant).unwrap();
        let faults = row["faults"].as_array().unwrap();
        let told = faults.iter().filter(|fault| fault["kind"] == kind).any(|fault| {
            fault["actors"].as_array().unwrap().iter().any(|actor| {
                let place = &actor["source"];
                let source = source(place["file"].as_str().unwrap()).unwrap();
                source.lines().nth(place["line"].as_u64().unwrap() as usize - 1).unwrap().contains(text)
            })
        });
        assert!(told, "`{text}` is not told of {variant}: {faults:#?}");
    }
}
