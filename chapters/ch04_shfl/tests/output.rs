//! The chapter's output: its records, its claims, other sizes and seeds, and the messages with which it refuses
//! something.

thirty_two_lanes::chapter_tests!("ch04_shfl");

thirty_two_lanes::shape_tests!(["1", "20", "31", "1000", "1003", "5000"], ["32", "64", "1024"]);

#[test]
fn every_variant_has_the_expected_result_for_every_seed() {
    CHAPTER.passes_with_seeds(&[], &["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn nothing_is_expected_of_checkers_that_are_off() {
    CHAPTER.passes(&["--check", "off"]);
}

#[test]
fn blocks_that_cannot_be_halved_are_refused_in_one_line() {
    for block in ["1", "48"] {
        let remedy = "cannot be halved down to a warp of 32: ask for 32, 64, 128, 256, 512 or 1024";
        CHAPTER.refuses(&["--block", block], remedy);
    }
}

#[test]
fn a_picture_can_be_drawn_without_other_rows() {
    let picture = CHAPTER.printed(&["--only", "shuffle_down_picture"]);
    assert!(picture.contains("  width  4     C D . .|G H . .|"), "{picture}");
    assert!(!picture.contains("shuffle_up"));
}

#[test]
fn json_has_facts_beside_counters() {
    let rows = CHAPTER.every_row(&["--only", "two_pass,precision"]);
    let row = |variant: &str| rows.iter().find(|row| row["variant"] == variant).unwrap();
    let times = row("two_pass_doubled")["facts"]["sum_over_exact"].as_f64().unwrap();
    assert!((times - 4.0).abs() < 1e-3, "{times}");
    assert_eq!(row("order_tree")["facts"]["depth"], 18.0);
}
