//! Products of warpgroups, compared bit for bit with an H200: the program that made the record runs on the emulator too.
//!
//! The record, `h200_wgmma.csv` in `tools/benchmarks/gpu/mma`, has for each `wgmma` and each kind of operands a sum over all bits of
//! the results of some products, and how many of them differ from those of `mma`. It shows that the numbers of `mma`, which
//! `crates/simt/tests/mma.rs` compares, hold for `wgmma` of f16, bf16, tf32 and integers, and that other rules hold for numbers of
//! eight bits.

use std::process::Command;

const RECORD: &str = include_str!("../../../tools/benchmarks/gpu/mma/h200_wgmma.csv");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/benchmarks/gpu/mma/wgmma.cu");

/// Types, kind, number of products and sum of the rows with so many products first.
fn rows(text: &str, products: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').take(4).map(str::to_owned).collect::<Vec<_>>();
    text.lines().map(cells).filter(|row| row.len() == 4 && row[2] == products).collect()
}

fn compare(products: &str) {
    let arguments = ["run", "--host", "interpret", "--compiler", "cudac", "--arch", "90a", PROGRAM, "--"];
    let output =
        Command::new(env!("CARGO_BIN_EXE_lanes")).args(arguments).args([products, "0"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (found, expected) = (String::from_utf8(output.stdout).unwrap(), rows(RECORD, products));
    assert_eq!(expected.len(), 96);
    assert_eq!(rows(&found, products), expected);
}

#[test]
fn sums_are_those_of_an_h200() {
    compare("64");
}

#[test]
#[ignore = "thorough: it multiplies 94 thousand times"]
fn more_sums_are_those_of_an_h200() {
    compare("1024");
}

/// Only numbers of eight bits are added in another way by `mma`.
#[test]
fn on_an_h200_they_are_those_of_mma() {
    let lines: Vec<Vec<&str>> = RECORD.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let counts = |cells: &[&str]| cells[2..].chunks(3).any(|part| part[2] != "0");
    let differ: Vec<&str> = lines.iter().filter(|cells| counts(cells)).map(|cells| cells[0]).collect();
    assert!(differ.iter().all(|types| types.contains(".e4m3") || types.contains(".e5m2")), "{differ:?}");
    assert!(differ.contains(&"f32.e4m3.e4m3"));
}
