//! The chapter's output: its records, its claims, its results in other shapes, and the lines that it names.

use std::collections::BTreeSet;

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch09_modern");

thirty_two_lanes::shape_tests!(["1", "31", "1003", "5000"], ["1", "48", "64", "1024"]);

#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&["--size", "5000"], &["1", "2", "3", "18446744073709551615"]);
}

fn fact(row: &Value, name: &str) -> f64 {
    row["facts"][name].as_f64().unwrap_or_else(|| panic!("{} has no fact `{name}`", row["variant"]))
}

/// A correct lock loses no update, and takes at least one atomic for each addition.
#[test]
fn locks_count_what_the_shape_says() {
    for row in CHAPTER.every_row(&["--only", "waiting", "--size", "5000"]) {
        let blocks = if row["variant"].as_str().unwrap().ends_with("-few") { 2 } else { 10 };
        let counts = ["updates", "lost", "gave_up"].map(|name| fact(&row, name) as u64);
        assert_eq!(counts, [20 * blocks, 0, 0], "{row}");
        assert!(fact(&row, "atomics_per_update") >= 1.0, "{row}");
    }
}

/// Each round has five shuffles and five additions, or one instruction; in both cases a lane also adds its number.
#[test]
fn a_round_of_a_sum_is_ten_instructions_or_one() {
    let rows = CHAPTER.rows("sums");
    let count = |variant: &str| {
        let row = rows.iter().find(|row| row["variant"] == variant).unwrap();
        let count = |name: &str| row["counters"][name].as_u64().unwrap();
        (count("ptx_instructions") / count("warps")) as i64
    };
    let saved = count("sums_shuffles") - count("sums_redux");
    // The loops may be unrolled differently, so their own instructions may differ.
    assert!((256 * 9..256 * 11).contains(&saved), "{saved}");
}

/// The line of the kernel at which a thread was. A function that was inlined may be one of right kernels too.
fn in_kernel(actor: &Value) -> &Value {
    actor["calls"].as_array().and_then(|calls| calls.last()).unwrap_or(&actor["source"])
}

/// What the pages say about an H200: which half of a lock it needs, and what is fastest.
#[test]
fn the_h200_did_what_the_pages_say() {
    let lost = |variant: &str| CHAPTER.measured(0, variant).facts["gpu_lost"].unwrap();
    for variant in
        ["ref_rounds_relaxed", "ref_rounds_release", "ref_rounds_block_scope", "ref_ticket_relaxed"]
    {
        assert!(lost(variant) > 0.9 * 640.0, "{variant}: {}", lost(variant));
    }
    for variant in ["ref_rounds_acquire", "ref_rounds", "ref_rounds_default", "ref_ticket"] {
        assert!(lost(variant) < 1.0, "{variant}: {}", lost(variant));
    }
    let time = |variant: &str| CHAPTER.measured(1, variant).timing.unwrap().median_us;
    for (faster, slower) in [
        ("wait_spin-many", "wait_look-many"),
        ("wait_spin-many", "wait_doubling-many"),
        ("turn_syncthreads", "turn_barrier-sm_90"),
        ("turn_barrier-sm_90", "turn_barrier-sm_80"),
        ("turn_barrier-sm_80", "turn_barrier-sm_70"),
    ] {
        assert!(time(faster) < time(slower), "{faster} and {slower}");
    }
    // With a counter for each thread, only the longest run takes long enough to be timed.
    let time = |variant: &str| CHAPTER.measured(2, variant).timing.unwrap().median_us;
    for slower in ["add_relaxed-own", "add_default-own"] {
        assert!(1.1 * time("add_built_in-own") < time(slower), "{slower}");
    }
}

/// The lines of CUDA that races name.
fn reported(rows: &[Value]) -> BTreeSet<(String, u64)> {
    let faults = rows.iter().flat_map(|row| row["faults"].as_array().unwrap());
    let races = faults.filter(|fault| fault["kind"] == "race");
    let sources = races.flat_map(|fault| fault["actors"].as_array().unwrap()).map(in_kernel);
    sources.map(|at| (at["file"].as_str().unwrap().to_owned(), at["line"].as_u64().unwrap())).collect()
}

/// The source marks each line that is part of a race at its end; exactly these lines are reported.
#[test]
fn races_are_reported_at_the_lines_marked_in_the_source() {
    let reported = reported(&CHAPTER.every_row(&[]));
    for file in ["modern_messages.cu", "modern_locks.cu", "modern_progress.cu", "modern_barriers.cu"] {
        let reported: Vec<u64> =
            reported.iter().filter(|(name, _)| name == file).map(|(_, line)| *line).collect();
        let path = format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(path).unwrap();
        let marked = (1..).zip(source.lines()).filter(|(_, line)| line.ends_with("// race")).map(|(n, _)| n);
        assert_eq!(reported, marked.collect::<Vec<u64>>(), "{file}");
    }
}

/// A barrier that expects one thread too many never opens, and the report says how many arrivals are missing.
#[test]
fn the_barrier_that_never_opens_is_reported() {
    let rows = CHAPTER.every_row(&["--only", "hand_on_extra"]);
    let fault = &rows[0]["faults"][0];
    assert_eq!(fault["kind"], "deadlock", "{fault}");
    assert!(fault.to_string().contains("1 arrival is missing"), "{fault}");
}

/// The names of the kernels in a file.
fn kernels(file: &str) -> Vec<String> {
    let path = format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).unwrap();
    let heads = source.split("extern \"C\" __global__ void ").skip(1);
    heads.map(|head| head.split('(').next().unwrap().to_owned()).collect()
}

/// A page of the chapter has a table of all locks and messages with their twins.
#[test]
fn every_lock_and_every_message_has_a_twin() {
    let page = format!("{}/../../book/src/twins.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let cells = page.lines().filter_map(|line| line.strip_prefix('|')?.split_once('|'));
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>();
    let (old, twins): (Vec<_>, Vec<_>) = cells
        .map(|(old, rest)| (names(old), names(rest.split('|').next().unwrap())))
        .filter(|(_, twins)| twins.iter().any(|name| name.starts_with("ref_")))
        .unzip();
    let (old, twins) = (old.concat(), twins.concat());
    for kernel in ["messages.cu", "locks.cu", "progress.cu"].into_iter().flat_map(kernels) {
        assert!(old.contains(&kernel), "`{kernel}` has no twin in the table");
    }
    let ours: Vec<String> = ["modern_messages.cu", "modern_locks.cu", "modern_progress.cu"]
        .into_iter()
        .flat_map(kernels)
        .collect();
    let rows = CHAPTER.every_row(&[]);
    for twin in twins {
        assert!(ours.contains(&twin), "`{twin}` is not a kernel");
        let name = |row: &Value| row["variant"].as_str().unwrap().split('-').next() == Some(&twin);
        assert!(rows.iter().any(name), "`{twin}` has no row");
    }
}
