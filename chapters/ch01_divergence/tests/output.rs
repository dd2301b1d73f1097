//! What the chapter prints: its records, its other shapes, and its words for what it cannot do.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ch01_divergence");

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

#[test]
fn claims_come_out_as_ruled() {
    lanes::claims::check(Path::new(PROGRAM)).unwrap();
}

#[test]
fn the_record_of_the_h200_is_of_this_chapter() {
    lanes::golden::check_gpu(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
}

#[test]
fn the_hardware_counted_the_same() {
    lanes::hardware::check(Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(PROGRAM)).unwrap();
}

/// Every variant is checked against its reference by the chapter itself, which exits with 1 if one is off.
#[test]
fn every_variant_comes_out_as_expected_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["1", "32", "48", "64", "1024"] {
            let output = run(&["--device", "sim", "--size", size, "--block", block, "--seed", "7"]);
            assert_eq!(output.status.code(), Some(0), "{size} in blocks of {block}: {}", stdout(&output));
        }
    }
}

#[test]
fn no_line_is_longer_than_80_columns() {
    for size in ["10240", "1000000"] {
        let output = run(&["--device", "sim", "--size", size]);
        let long = stdout(&output).lines().find(|line| line.chars().count() > 80);
        assert_eq!(long, None);
    }
}

/// Arguments, and what the one line on standard error must say.
const REFUSED: [(&[&str], &str); 12] = [
    (&["--bock", "64"], "unexpected argument `--bock` found; a similar argument exists: `--block`"),
    (&["stray"], "unexpected argument `stray`"),
    (&["--block", "0"], "1 to 1024 threads"),
    (&["--block", "2048"], "1 to 1024 threads"),
    (&["--block", "-1"], "1 to 1024 threads"),
    (&["--size", "0"], "a whole number from 1"),
    (&["--size", "many"], "a whole number from 1"),
    (&["--size", "99999999999"], "elements at most"),
    (&["--size", "99999999999999999999999999"], "elements at most"),
    (&["--device", "tpu"], "[possible values: auto, sim, gpu]"),
    (&["--only", "math_kernel_5"], "there is no variant `math_kernel_5`: choose one of math_even_thread, "),
    (&["--seed", "x"], "invalid value `x` for `--seed <SEED>`"),
];

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    for (args, message) in REFUSED {
        assert_refused(&run(args), message);
    }
}

/// Where there is a GPU, it runs.
#[test]
fn a_gpu_that_was_asked_for_and_is_missing_is_an_error() {
    let output = run(&["--device", "gpu", "--only", "math_even_thread"]);
    if output.status.code() != Some(0) {
        assert_refused(&output, "no GPU: ");
    }
}

fn assert_refused(output: &Output, message: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: ") && said.contains(message), "`{message}` is not in: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn help_names_every_option_and_shows_examples() {
    let output = run(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    for word in ["--device", "--size", "--block", "--seed", "--runs", "--json", "--only", "Examples:"] {
        assert!(stdout(&output).contains(word), "{word}");
    }
}

#[test]
fn one_variant_or_one_section_can_be_run_alone() {
    let variant = run(&["--device", "sim", "--only", "math_even_warp-G"]);
    assert!(stdout(&variant).contains("math_even_warp-G") && !stdout(&variant).contains("math_even_thread"));
    let section = run(&["--device", "sim", "--only", "picture"]);
    assert!(stdout(&section).contains("picture_76x62") && !stdout(&section).contains("math_"));
}

#[test]
fn json_is_one_object_with_every_counter() {
    let output = run(&["--device", "sim", "--json", "--only", "arithmetic"]);
    let report: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(report["passed"], true);
    let rows = report["sections"][0]["rows"].as_array().unwrap();
    let row = |variant: &str| rows.iter().find(|row| row["variant"] == variant).unwrap();
    assert_eq!(row("math_even_thread-G")["counters"]["divergent_warps"], 320);
    assert_eq!(row("math_precedence")["verdict"], "WRONG");
    assert_eq!(row("math_precedence")["check"]["first"]["got"], "200");
    assert_eq!(row("math_unguarded_ragged")["faults"][0]["kind"], "out-of-bounds");
}

#[test]
fn seeds_change_inputs_and_nothing_else_does() {
    let print = |seed| stdout(&run(&["--device", "sim", "--seed", seed])).to_owned();
    assert_eq!(print("3"), print("3"));
    assert_ne!(print("3"), print("4"));
}
