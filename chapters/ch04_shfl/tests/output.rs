//! What the chapter prints: its records, its claims, its other shapes, and its words for what it cannot do.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch04_shfl");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(["--device", "sim"]).args(args).output().expect("the chapter was built")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn records_are_what_the_chapter_prints() {
    lanes::golden::check(Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(PROGRAM)).unwrap();
}

#[test]
fn the_record_of_the_h200_is_of_this_chapter() {
    lanes::golden::check_gpu(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
}

#[test]
fn the_hardware_counted_the_same() {
    lanes::hardware::check(Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(PROGRAM)).unwrap();
}

#[test]
fn claims_come_out_as_ruled() {
    lanes::claims::check(Path::new(PROGRAM)).unwrap();
}

/// Every variant is checked against its reference by the chapter itself, which exits with 1 if one is off.
#[test]
fn every_variant_comes_out_as_expected_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["32", "64", "1024"] {
            let output = run(&["--size", size, "--block", block, "--seed", "7"]);
            assert_eq!(output.status.code(), Some(0), "{size} in blocks of {block}: {}", stdout(&output));
        }
    }
}

#[test]
fn every_variant_comes_out_as_expected_for_every_seed() {
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let output = run(&["--seed", seed]);
        assert_eq!(output.status.code(), Some(0), "seed {seed}: {}", stdout(&output));
    }
}

#[test]
fn nothing_is_expected_of_checkers_that_do_not_watch() {
    assert_eq!(run(&["--check", "off"]).status.code(), Some(0));
}

#[test]
fn blocks_that_cannot_be_halved_are_refused_in_one_line() {
    for block in ["1", "48"] {
        let output = run(&["--block", block]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let remedy = "cannot be halved down to a warp of 32: ask for 32, 64, 128, 256, 512 or 1024";
        assert!(said.starts_with("error: ") && said.contains(remedy), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn no_line_is_longer_than_80_columns() {
    for args in [["--size", "10000"], ["--size", "1000000"], ["--claim", "all"]] {
        let output = run(&args);
        let long = stdout(&output).lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None);
    }
}

#[test]
fn a_picture_can_be_drawn_alone() {
    let output = run(&["--only", "shuffle_down_picture"]);
    assert!(stdout(&output).contains("  width  4     C D . .|G H . .|"), "{}", stdout(&output));
    assert!(!stdout(&output).contains("shuffle_up"));
}

#[test]
fn json_has_facts_beside_counters() {
    let output = run(&["--json", "--only", "two_pass,precision"]);
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let sections = report["sections"].as_array().unwrap();
    let rows = sections.iter().flat_map(|section| section["rows"].as_array().unwrap());
    let row = |variant: &str| rows.clone().find(|row| row["variant"] == variant).unwrap();
    let times = row("two_pass_doubled")["facts"]["sum_over_exact"].as_f64().unwrap();
    assert!((times - 4.0).abs() < 1e-3, "{times}");
    assert_eq!(row("order_tree")["facts"]["depth"], 18.0);
}
