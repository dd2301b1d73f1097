//! The chapter's output: its records, its claims, other sizes, and counts that have a closed form.

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch11_matrix");

/// The chapter itself compares every variant with its reference, and exits with 1 if one is wrong.
#[test]
fn every_variant_has_the_expected_result_at_every_size() {
    for size in ["1", "15", "31", "200"] {
        CHAPTER.passes(&["--size", size, "--seed", "7"]);
    }
}

#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&["--size", "5"], &["1", "2", "3", "18446744073709551615"]);
}

fn find<'r>(rows: &'r [Value], variant: &str) -> &'r Value {
    rows.iter().find(|row| row["variant"] == variant).unwrap_or_else(|| panic!("no row {variant}"))
}

fn counter(row: &Value, name: &str) -> u64 {
    row["counters"][name].as_u64().unwrap_or_else(|| panic!("{} has no {name}", row["variant"]))
}

fn fact(row: &Value, name: &str) -> f64 {
    row["facts"][name].as_f64().unwrap_or_else(|| panic!("{} has no {name}", row["variant"]))
}

/// Eight warps load four times for each tile: four matrices of A and two of B, each of which takes eight passes in place of one
/// if its rows are 128 bytes apart.
#[test]
fn conflicts_are_seven_for_each_matrix() {
    let rows = CHAPTER.every_row(&["--only", "strips", "--size", "32"]);
    let conflicts = |variant: &str| counter(find(&rows, variant), "shared_load_bank_conflicts");
    let (blocks, tiles) = (2, 2);
    assert_eq!(conflicts("strip_rows"), blocks * tiles * 8 * 4 * 7 * (4 + 2));
    for variant in ["strip_padded", "strip_swizzled", "strip_ahead"] {
        assert_eq!(conflicts(variant), 0, "{variant}");
    }
}

/// The finding that each wrong kernel stands for.
#[test]
fn wrong_kernels_are_wrong_for_their_reason() {
    let rows = CHAPTER.every_row(&["--size", "16"]);
    for (variant, kind) in [
        ("multiply_in_a_branch", "barrier-divergence"),
        ("from_tile_no_barrier", "race"),
        ("from_tile_padded_by_one", "misaligned"),
        ("strip_no_wait", "race"),
    ] {
        assert_eq!(find(&rows, variant)["faults"][0]["kind"], kind, "{variant}");
    }
    for variant in ["multiply_b_by_rows", "from_tile_not_turned"] {
        let row = find(&rows, variant);
        assert_eq!(
            (&row["verdict"], &row["faults"]),
            (&"WRONG".into(), &Value::Array(Vec::new())),
            "{variant}"
        );
    }
}

/// What is cut off is always less than the exact sum, and roundings to the nearest number nearly cancel.
#[test]
fn a_long_sum_that_is_cut_off_drifts() {
    let rows = CHAPTER.rows("long_sums");
    let [cut, rounded] = ["long_f16", "long_one_by_one"].map(|name| fact(find(&rows, name), "lost"));
    assert!(cut > 10.0 && rounded.abs() < cut / 3.0, "{cut} and {rounded}");
}
