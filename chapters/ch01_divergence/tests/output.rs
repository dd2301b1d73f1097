//! The chapter's output: its records, its results in other shapes, and the messages with which it refuses something.

thirty_two_lanes::chapter_tests!("ch01_divergence");

thirty_two_lanes::shape_tests!(["1", "20", "31", "1000", "1003", "5000"], ["1", "32", "48", "64", "1024"]);

/// Arguments, and a part of the one line on standard error.
const REFUSED: [(&[&str], &str); 15] = [
    (&["--bock", "64"], "unexpected argument `--bock` found; a similar argument exists: `--block`"),
    (&["stray"], "unexpected argument `stray`"),
    (&["--block", "0"], "1 to 1024 threads"),
    (&["--block", "2048"], "1 to 1024 threads"),
    (&["--block", "-1"], "1 to 1024 threads"),
    (&["--cores", "0"], "the emulator uses 1 to 1024 cores"),
    (&["--cores", "-1"], "the emulator uses 1 to 1024 cores"),
    (&["--cores", "all"], "the emulator uses 1 to 1024 cores"),
    (&["--size", "0"], "a whole number, at least 1"),
    (&["--size", "many"], "a whole number, at least 1"),
    (&["--size", "99999999999"], "for it: ask for at most"),
    (&["--size", "99999999999999999999999999"], "for it: ask for at most"),
    (&["--device", "tpu"], "[possible values: auto, sim, gpu]"),
    (
        &["--only", "math_kernel_5"],
        "there is no variant or section `math_kernel_5`: the sections are arithmetic, ",
    ),
    (&["--seed", "x"], "invalid value `x` for `--seed <SEED>`"),
];

#[test]
fn impossible_requests_are_refused_in_one_line() {
    for (args, message) in REFUSED {
        CHAPTER.refuses(args, message);
    }
}

/// On a machine with a GPU, the chapter runs on it.
#[test]
fn a_missing_gpu_that_was_asked_for_is_an_error() {
    let args = ["--device", "gpu", "--only", "math_even_thread"];
    if CHAPTER.run(&args).status.code() != Some(0) {
        CHAPTER.refuses(&args, "no GPU: ");
    }
}

#[test]
fn help_names_every_option_and_shows_examples() {
    let help = CHAPTER.printed(&["--help"]);
    for word in ["--device", "--size", "--block", "--seed", "--runs", "--json", "--only", "Examples:"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn a_single_variant_or_section_can_be_run() {
    let variant = CHAPTER.printed(&["--only", "math_even_warp-G"]);
    assert!(variant.contains("math_even_warp-G") && !variant.contains("math_even_thread"));
    let section = CHAPTER.printed(&["--only", "picture"]);
    assert!(section.contains("picture_76x62") && !section.contains("math_"));
}

#[test]
fn json_is_one_object_with_every_counter() {
    let report = CHAPTER.json(&["--only", "arithmetic"]);
    assert_eq!(report["passed"], true);
    let rows = report["sections"][0]["rows"].as_array().unwrap();
    let row = |variant: &str| rows.iter().find(|row| row["variant"] == variant).unwrap();
    assert_eq!(row("math_even_thread-G")["counters"]["divergent_warps"], 320);
    assert_eq!(row("math_precedence")["verdict"], "WRONG");
    assert_eq!(row("math_precedence")["check"]["first"]["got"], "200");
    assert_eq!(row("math_unguarded_ragged")["faults"][0]["kind"], "out-of-bounds");
}

#[test]
fn another_seed_makes_other_inputs() {
    assert_ne!(CHAPTER.printed(&["--seed", "3"]), CHAPTER.printed(&["--seed", "4"]));
}

/// The file of `--save` contains what `--json` prints. If it cannot be written, that is an error, after the report.
#[test]
fn a_report_can_be_saved_and_is_printed_too() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved.json");
    let one = ["--only", "warp_agrees"];
    let printed = CHAPTER.printed(&[&one[..], &["--save", file.to_str().unwrap()]].concat());
    assert_eq!(printed, CHAPTER.printed(&one));
    let saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(saved, CHAPTER.json(&one));

    let nowhere = file.join("below.json");
    let output =
        CHAPTER.run(&[&["--device", "sim"], &one[..], &["--save", nowhere.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: cannot write `"));
}
