//! The chapter's output: its records, its claims, other sizes, and counts that have a closed form.

use std::collections::BTreeSet;

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch10_tiles");

/// The chapter itself compares every variant with its reference, and exits with 1 if one is wrong. A size is rounded up to
/// whole tiles: 1 to 128 rows, and 16,385 elements to 256.
#[test]
fn every_variant_has_the_expected_result_at_every_size() {
    for size in ["1", "16385"] {
        CHAPTER.passes(&["--size", size, "--seed", "7"]);
    }
}

#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&[], &["1", "2", "18446744073709551615"]);
}

fn counter(row: &Value, name: &str) -> u64 {
    row["counters"][name].as_u64().unwrap_or_else(|| panic!("{} has no {name}", row["variant"]))
}

/// For n = 128: a load of A in a column of C is 32 sectors, any other is one or four; and a tile of T rows or columns divides
/// the sectors of A or of B by T.
#[test]
fn loads_have_a_closed_form() {
    const N: u64 = 128;
    let rows = CHAPTER.every_row(&["--only", "elements,tiles,registers,copies"]);
    let of =
        |variant: &str, name: &str| counter(rows.iter().find(|row| row["variant"] == variant).unwrap(), name);
    let warps = N * N / 32;
    assert_eq!(of("product_down", "global_load_requests"), 2 * N * warps);
    assert_eq!(of("product_down", "global_load_sectors"), (32 + 1) * N * warps);
    assert_eq!(of("product_across", "global_load_sectors"), (1 + 4) * N * warps);
    let tiled = |tile: u64| 2 * N / 8 * N * (N / tile);
    assert_eq!(of("product_tile", "global_load_sectors"), tiled(32));
    for name in ["product_registers", "product_wide", "product_async", "product_ahead"] {
        assert_eq!(of(name, "global_load_sectors"), tiled(128), "{name}");
    }
    // A step of the product takes a load of A and one of B; eight of each, for 64 products; or 16 bytes at a time.
    assert_eq!(of("product_tile", "shared_load_requests"), 2 * N * warps);
    assert_eq!(of("product_registers", "shared_load_requests"), 16 * N * warps / 64);
    assert_eq!(of("product_wide", "shared_load_requests"), 4 * N * warps / 64);
}

/// The line of the kernel at which a thread was. A function that was inlined may be one of right kernels too.
fn in_kernel(actor: &Value) -> &Value {
    actor["calls"].as_array().and_then(|calls| calls.last()).unwrap_or(&actor["source"])
}

/// The source marks each line that is part of a race at its end; exactly these lines are reported.
#[test]
fn races_are_reported_at_the_lines_marked_in_the_source() {
    let rows = CHAPTER.every_row(&[]);
    let faults = rows.iter().flat_map(|row| row["faults"].as_array().unwrap());
    let races = faults.filter(|fault| fault["kind"] == "race");
    let sources = races.flat_map(|fault| fault["actors"].as_array().unwrap()).map(in_kernel);
    let reported: BTreeSet<(String, u64)> =
        sources.map(|at| (at["file"].as_str().unwrap().to_owned(), at["line"].as_u64().unwrap())).collect();
    for file in ["products.cu", "products_async.cu", "products_bulk.cu", "products_cluster.cu"] {
        let reported: Vec<u64> =
            reported.iter().filter(|(name, _)| name == file).map(|(_, line)| *line).collect();
        let path = format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(path).unwrap();
        let marked = (1..).zip(source.lines()).filter(|(_, line)| line.ends_with("// race")).map(|(n, _)| n);
        assert_eq!(reported, marked.collect::<Vec<u64>>(), "{file}");
    }
}

/// A barrier that expects padding never opens.
#[test]
fn bytes_that_never_arrive_are_missed() {
    let rows = CHAPTER.every_row(&["--only", "product_supplied_too_many"]);
    let fault = &rows[0]["faults"][0];
    assert!(rows[0]["harmful"] == true, "{fault}");
    assert!(fault.to_string().contains("1,024 bytes") || fault.to_string().contains("1024 bytes"), "{fault}");
}

/// A GPU would end the program, or wait for ever, so it doesn't get kernels that race with another block of their cluster.
#[test]
fn races_in_clusters_are_withheld_from_a_gpu() {
    let rows = CHAPTER.every_row(&["--only", "cluster"]);
    for row in rows {
        let is_right = row["faults"].as_array().unwrap().is_empty();
        assert_eq!(row["harmful"], !is_right, "{}", row["variant"]);
    }
}

#[test]
fn impossible_requests_are_refused_in_one_line() {
    for (args, message) in [
        (["--size", "99999999999"], "ask for at most"),
        (["--only", "tile"], "there is no variant or section `tile`: did you mean "),
    ] {
        CHAPTER.refuses(&args, message);
    }
}
