//! The chapter's output: its records, its claims, its results in other shapes, and the lines that it names.

use std::collections::BTreeSet;

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch05_locks");

/// What the claims say about an H200: without a fence nearly all updates are lost, and with one none.
#[test]
fn the_h200_did_what_the_claims_say() {
    let facts = |variant: &str| CHAPTER.measured(0, variant).facts;
    let rows = CHAPTER.every_row(&["--only", "locks"]);
    for variant in ["rounds_no_fence", "rounds_exchange", "rounds_ticket_no_fence"] {
        let row = rows.iter().find(|row| row["variant"] == variant).unwrap();
        let (lost, updates) =
            (facts(variant)["gpu_lost"].unwrap(), row["facts"]["updates"].as_f64().unwrap());
        assert!(lost > 0.9 * updates, "{variant}: {lost} of {updates}");
    }
    for variant in ["rounds_note", "rounds_fences", "rounds_acquire_release", "rounds_ticket"] {
        assert_eq!(facts(variant)["gpu_lost"], Some(0.0), "{variant}");
        assert_eq!(facts(variant)["gpu_gave_up"], Some(0.0), "{variant}");
    }
}

/// Without a fence hardly any load of the counter left the first-level cache, and with one every load did.
#[test]
fn without_a_fence_the_h200_loaded_old_copies() {
    let counted = thirty_two_lanes::hardware::read(include_str!("../output/h200_counters.csv")).unwrap();
    let past_l1 = |variant: &str| {
        let row = counted.row(variant).unwrap();
        let loads = row["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"];
        row[thirty_two_lanes::hardware::L2_READS] as f64 / loads as f64
    };
    for variant in ["rounds_no_fence", "rounds_exchange"] {
        assert!(past_l1(variant) < 0.1, "{variant}: {}", past_l1(variant));
    }
    for variant in ["rounds_note", "rounds_fences", "rounds_acquire_release"] {
        assert!(past_l1(variant) > 0.99, "{variant}: {}", past_l1(variant));
    }
}

/// The chapter itself compares every variant with its reference, and exits with 1 if one is wrong. Two sections depend
/// on the shape.
#[test]
fn every_variant_has_the_expected_result_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["1", "32", "48", "64", "1024"] {
            let sections = ["--only", "contention,locks", "--seed", "7"];
            CHAPTER.passes(&[&sections[..], &["--size", size, "--block", block]].concat());
        }
    }
}

/// The other sections have sizes of their own, and their schedules depend on the seed.
#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&["--size", "1000"], &["1", "2", "3", "18446744073709551615"]);
}

/// The line of the kernel at which a thread was. A function that was inlined may be one of right kernels too.
fn in_kernel(actor: &Value) -> &Value {
    actor["calls"].as_array().and_then(|calls| calls.last()).unwrap_or(&actor["source"])
}

/// The lines of CUDA that faults of one kind name, in one variant or in all.
fn lines(rows: &[Value], kind: &str, variant: Option<&str>) -> BTreeSet<(String, u64)> {
    let rows = rows.iter().filter(|row| variant.is_none_or(|variant| row["variant"] == variant));
    let faults = rows.flat_map(|row| row["faults"].as_array().unwrap()).filter(|fault| fault["kind"] == kind);
    let sources = faults.flat_map(|fault| fault["actors"].as_array().unwrap()).map(in_kernel);
    sources.map(|at| (at["file"].as_str().unwrap().to_owned(), at["line"].as_u64().unwrap())).collect()
}

fn source(file: &str) -> String {
    let path = format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The source marks each line that is part of a race at its end; exactly these lines are reported.
#[test]
fn races_are_reported_at_the_lines_marked_in_the_source() {
    let report = CHAPTER.every_row(&[]);
    let reported = lines(&report, "race", None);
    for file in ["atomics.cu", "locks.cu"] {
        let reported = reported.iter().filter(|(name, _)| name == file).map(|(_, line)| *line);
        let source = source(file);
        let marked = (1..).zip(source.lines()).filter(|(_, line)| line.ends_with("// race")).map(|(n, _)| n);
        assert_eq!(reported.collect::<Vec<u64>>(), marked.collect::<Vec<u64>>(), "{file}");
    }
}

#[test]
fn the_lock_that_hangs_is_reported_with_the_line_of_its_loop() {
    let report = CHAPTER.every_row(&["--only", "lock_after-endless"]);
    let reported = lines(&report, "step-limit", Some("lock_after-endless"));
    let (file, line) = reported.first().expect("the kernel was stopped");
    let line = source(file).lines().nth(*line as usize - 1).unwrap().to_owned();
    assert!(line.contains("while (atomicCAS(lock, 0, 1) != 0"), "{line}");
}
