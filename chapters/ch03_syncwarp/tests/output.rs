//! What the chapter prints: its records, its claims, its other shapes, and its words for what it cannot do.

use std::path::Path;
use std::process::{Command, Output};

use lanes::kernels::syncwarp::TILE_BARRIER;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch03_syncwarp");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).output().expect("the chapter was built")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// The rows of all sections, by variant.
fn json(args: &[&str]) -> impl Fn(&str) -> Value {
    let output = run(&[&["--device", "sim", "--json"], args].concat());
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    let sections = report["sections"].as_array().unwrap();
    let rows: Vec<Value> =
        sections.iter().flat_map(|section| section["rows"].as_array().unwrap().clone()).collect();
    move |variant| rows.iter().find(|row| row["variant"] == variant).expect(variant).clone()
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

/// What the claims say of an H200.
#[test]
fn the_h200_did_what_the_claims_say() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("output/h200.txt");
    let record = std::fs::read_to_string(file).unwrap();
    for line in [
        "handshake_60: lanes through on the GPU: 16 (0x0000ffff)",
        "lock_behind_70: lanes through on the GPU: 32 (0xffffffff)",
        "true_above: the true side is last on the emulator and first on the GPU",
        "tail_unguarded: its sum is right on the GPU",
    ] {
        assert!(record.contains(line), "{line}");
    }
}

#[test]
fn claims_come_out_as_ruled() {
    lanes::claims::check(Path::new(PROGRAM)).unwrap();
}

/// Every variant is checked against its reference by the chapter itself, which exits with 1 if one is off.
#[test]
fn every_variant_comes_out_as_expected_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["32", "64", "128", "1024"] {
            let args = ["--device", "sim", "--only", "sum", "--size", size, "--block", block, "--seed", "7"];
            let output = run(&args);
            assert_eq!(output.status.code(), Some(0), "{size} in blocks of {block}: {}", stdout(&output));
        }
    }
}

#[test]
fn every_variant_comes_out_as_expected_with_every_seed() {
    for seed in ["1", "2", "3", "4", "1003", "18446744073709551615"] {
        let output = run(&["--device", "sim", "--seed", seed]);
        assert_eq!(output.status.code(), Some(0), "{seed}: {}", stdout(&output));
    }
}

/// Nobody sees a race then, and nothing is reported as if somebody had.
#[test]
fn nothing_fails_because_the_checkers_are_away() {
    let output = run(&["--device", "sim", "--check", "off"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
}

#[test]
fn no_line_is_longer_than_80_columns() {
    for size in ["10000", "1000000"] {
        let output = run(&["--device", "sim", "--size", size]);
        let long = stdout(&output).lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None);
    }
}

#[test]
fn a_block_that_cannot_be_halved_is_refused_in_one_line() {
    for block in ["1", "16", "48", "1000"] {
        let output = run(&["--device", "sim", "--block", block]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot be halved down to a warp: choose 32, 64, "), "{said}");
        assert_eq!((said.lines().count(), output.stdout.len()), (1, 0), "{said}");
    }
}

/// Masks, time downwards: with one program counter one side spins to its end, with one for each lane it is interrupted.
#[test]
fn the_picture_shows_whether_sides_take_turns() {
    let turns = |arch: &str| {
        let output = run(&["--device", "sim", "--only", &format!("handshake_lanes_{arch}")]);
        let mut sides: Vec<String> = stdout(&output)
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| word.len() == 32 && word.contains('#') && word.contains('.'))
            .map(str::to_owned)
            .collect();
        sides.dedup();
        sides.len()
    };
    assert_eq!((turns("60"), turns("70")), (2, 3));
}

#[test]
fn the_repair_in_vain_adds_barriers_and_nothing_else() {
    let row = json(&["--only", "unguarded"]);
    let (bare, repaired) = (row("tail_unguarded"), row("tail_repaired_in_vain"));
    let counter = |row: &Value, name: &str| row["counters"][name].as_u64().unwrap();
    for name in ["shared_load_requests", "shared_store_requests", "ptx_branches"] {
        assert_eq!(counter(&bare, name), counter(&repaired, name), "{name}");
    }
    let barriers = |row: &Value| row["facts"]["warp_barriers_per_warp"].clone();
    assert_eq!((barriers(&bare), barriers(&repaired)), (5.0.into(), 10.0.into()));
    let more = counter(&repaired, "ptx_instructions") - counter(&bare, "ptx_instructions");
    assert_eq!(more, 5 * counter(&bare, "warps"));
}

#[test]
fn a_race_is_reported_under_every_seed() {
    let row = json(&[]);
    for name in
        ["tree_no_barrier", "warp_tree_unguarded", "warp_tree_half", "mask_outside", "tile_no_barrier"]
    {
        assert_eq!(row(name)["facts"]["seeds_with_race"], row(name)["facts"]["seeds"], "{name}");
    }
    for name in ["tree_barrier", "warp_tree_mended", "mask_default", "tile_barrier"] {
        let facts = &row(name)["facts"];
        for fact in ["seeds_with_race", "seeds_wrong", "seeds_wrong_if_weak"] {
            assert_eq!(facts[fact], 0.0, "{name}: {fact}");
        }
    }
}

/// The lines that a race is reported at say so in the source.
#[test]
fn lines_that_race_are_marked() {
    let row = json(&["--only", "saving,unguarded,masks,tile"]);
    let source: Vec<&str> = TILE_BARRIER.file.source.lines().collect();
    for name in
        ["tail_no_barrier", "tail_unguarded", "tail_repaired_in_vain", "mask_outside", "tile_no_barrier"]
    {
        let row = row(name);
        let races = row["faults"].as_array().unwrap().iter().filter(|fault| fault["kind"] == "race");
        let actors: Vec<&Value> = races.flat_map(|race| race["actors"].as_array().unwrap()).collect();
        assert!(!actors.is_empty(), "{name}");
        for actor in actors {
            let line = actor["source"]["line"].as_u64().unwrap() as usize;
            assert!(source[line - 1].ends_with("// race"), "{name}: line {line}");
        }
    }
}
