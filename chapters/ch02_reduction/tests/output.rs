//! The chapter's output: its records, its results in other shapes, and the verdicts on the notes' claims.
//!
//! Messages that refuse something are the same in all chapters, and are tested in the first one.

use serde_json::Value;
use thirty_two_lanes::hardware::{self, DIVERGENT, INSTRUCTIONS, L2_READS};

thirty_two_lanes::chapter_tests!("ch02_reduction");

/// The H200's counts for 2^24 elements in blocks of 1024, by variant and metric.
fn counted_at_note_size() -> impl Fn(&str, &str) -> u64 {
    let record = hardware::read(&CHAPTER.recorded("h200_note_size_counters.csv")).unwrap();
    move |variant, metric| record.metric(variant, metric).unwrap()
}

const PAIRINGS: [&str; 3] = ["reduce_neighbored", "reduce_neighbored_less", "reduce_interleaved"];

/// The figures of claim N1.9.
#[test]
fn a_remainder_is_expensive_in_machine_code() {
    let counted = counted_at_note_size();
    let per_warp = |row| counted(row, INSTRUCTIONS) as f64 / counted(row, "smsp__warps_launched.sum") as f64;
    assert_eq!(PAIRINGS.map(|row| format!("{:.2}", per_warp(row))), ["332.97", "134.06", "131.94"]);
}

/// The figures of claim N1.11: the second-level cache delivers the same for all kernels, and the first level loads and
/// stores a fraction.
#[test]
fn interleaving_reduces_the_sectors_of_the_first_level() {
    let counted = counted_at_note_size();
    let loads = PAIRINGS.map(|row| counted(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    let stores = PAIRINGS.map(|row| counted(row, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
    assert_eq!(loads, [16_760_832, 16_760_832, 4_276_224]);
    assert_eq!(stores, [8_388_608, 8_388_608, 2_146_304]);
    assert_eq!(PAIRINGS.map(|row| counted(row, L2_READS)), [2_097_152; 3]);
    let time = |variant| CHAPTER.measured(1, variant).timing.unwrap().median_us;
    let [neighbored, less, interleaved] = PAIRINGS.map(time);
    assert!(neighbored > 1.5 * less && less > interleaved, "{neighbored} {less} {interleaved}");
}

/// The figures behind the reason for the branches: in a full block whose working threads are neighbours, one divergent
/// branch in six is a predicate.
#[test]
fn five_of_six_divergent_branches_remain_in_machine_code() {
    let counted = counted_at_note_size();
    assert_eq!(PAIRINGS[1..].iter().map(|row| counted(row, DIVERGENT)).collect::<Vec<_>>(), [81_920; 2]);
}

thirty_two_lanes::shape_tests!(["1", "20", "31", "1000", "1003", "5000"], ["1", "32", "48", "64", "1024"]);

#[test]
fn every_variant_has_the_expected_result_for_many_seeds() {
    for seed in 0..8 {
        CHAPTER.passes(&["--seed", &seed.to_string()]);
    }
}

/// The results of the note's kernels for 192 ones in blocks of 48, one block after another.
#[test]
fn ones_in_blocks_of_48_have_these_sums() {
    let sums: Vec<Value> =
        CHAPTER.rows("blocks_of_48").iter().map(|row| row["facts"]["sum"].clone()).collect();
    assert_eq!(sums, [195.0, 192.0, 195.0, 192.0, 128.0, 192.0]);
}

#[test]
fn threads_that_return_early_cause_only_a_warning() {
    let rows = CHAPTER.rows("barriers");
    let row = |name| rows.iter().find(|row| row["variant"] == name).unwrap();
    let early = row("return_early");
    assert_eq!((&early["verdict"], &early["faults"][0]["severity"]), (&"ok".into(), &"warning".into()));
    assert_eq!(row("wait_elsewhere")["faults"][0]["kind"], "barrier-divergence");
    assert_eq!(row("no_barrier")["faults"][0]["kind"], "race");
    assert_eq!(row("all_come")["faults"].as_array().unwrap().len(), 0);
}

/// Half, three quarters and seven eighths are idle if the working lanes are spread; none if they are neighbours.
#[test]
fn idle_shares_are_those_of_the_note() {
    let shares =
        |row: &Value| ["idle_1", "idle_2", "idle_3"].map(|fact| row["facts"][fact].as_f64().unwrap());
    let shares: Vec<[f64; 3]> = CHAPTER.rows("one_block").iter().map(shares).collect();
    assert_eq!(shares, [[0.5, 0.75, 0.875], [0.0; 3], [0.0; 3]]);
}

#[test]
fn pictures_can_be_drawn_without_the_other_rows() {
    let pairs = CHAPTER.printed(&["--only", "pairs"]);
    assert!(pairs.contains("round 4") && !pairs.contains("block_less"));
}

/// A report names the settings that its sections depend on, and no others.
#[test]
fn a_report_names_only_the_settings_of_its_sections() {
    assert!(CHAPTER.printed(&["--only", "in_place"]).contains("with: size 16384, block 128, seed 0"));
    assert!(CHAPTER.printed(&["--only", "edges"]).contains("with: seed 0"));
    assert!(!CHAPTER.printed(&["--only", "blocks_of_48"]).contains("with:"));
}

#[test]
fn another_seed_makes_other_inputs() {
    assert_ne!(CHAPTER.printed(&["--seed", "3"]), CHAPTER.printed(&["--seed", "4"]));
}
