//! The chapter's output: its records, its claims, other sizes and seeds, and the messages with which it refuses
//! something.

use serde_json::Value;
use thirty_two_lanes::kernels::syncwarp::TILE_BARRIER;

thirty_two_lanes::chapter_tests!("ch03_syncwarp");

/// The rows of all sections, by variant.
fn json(args: &[&str]) -> impl Fn(&str) -> Value {
    let rows = CHAPTER.every_row(args);
    move |variant| rows.iter().find(|row| row["variant"] == variant).expect(variant).clone()
}

/// What the claims say about an H200.
#[test]
fn the_h200_did_what_the_claims_say() {
    for (variant, remark) in [
        ("handshake_60", "lanes through on the GPU: 16 (0x0000ffff)"),
        ("lock_after_70", "lanes through on the GPU: 32 (0xffffffff)"),
        ("true_above", "the true side runs first on the GPU"),
        ("tail_unguarded", "its sum is right on the GPU"),
    ] {
        assert_eq!(CHAPTER.measured(0, variant).remarks, [remark], "{variant}");
    }
}

/// The chapter itself compares every variant with its reference, and exits with 1 if one is wrong.
#[test]
fn every_variant_has_the_expected_result_in_every_shape() {
    for size in ["1", "20", "31", "1000", "1003", "5000"] {
        for block in ["32", "64", "128", "1024"] {
            CHAPTER.passes(&["--only", "sum", "--size", size, "--block", block, "--seed", "7"]);
        }
    }
}

#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&[], &["1", "2", "3", "4", "1003", "18446744073709551615"]);
}

/// Without checkers no race can be seen, and no row may fail because none was seen.
#[test]
fn nothing_fails_if_the_checkers_are_off() {
    CHAPTER.passes(&["--check", "off"]);
}

#[test]
fn a_block_that_cannot_be_halved_is_refused_in_one_line() {
    for block in ["1", "16", "48", "1000"] {
        CHAPTER.refuses(&["--block", block], "cannot be halved down to a warp of 32: ask for 32, 64, ");
    }
}

/// Time runs downwards. With one program counter, one side spins to its end. With one for each lane, the sides take
/// turns: one leaves for its code, the other waits, the first raises the flag, and the other goes on.
#[test]
fn the_picture_shows_whether_sides_take_turns() {
    let turns = |arch: &str| {
        let picture = CHAPTER.printed(&["--only", &format!("handshake_lanes_{arch}")]);
        let mut sides: Vec<&str> = picture
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| word.len() == 32 && word.contains('#') && word.contains('.'))
            .collect();
        sides.dedup();
        sides.len()
    };
    assert_eq!((turns("60"), turns("70")), (2, 4));
}

#[test]
fn the_repair_that_does_not_help_adds_only_barriers() {
    let row = json(&["--only", "unguarded"]);
    let (bare, repaired) = (row("tail_unguarded"), row("tail_unused_register"));
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
    for name in ["tree_barrier", "warp_tree_fixed", "mask_default", "tile_barrier"] {
        let facts = &row(name)["facts"];
        for fact in ["seeds_with_race", "seeds_wrong", "seeds_wrong_if_weak"] {
            assert_eq!(facts[fact], 0.0, "{name}: {fact}");
        }
    }
}

/// The source marks the lines at which a race is reported.
#[test]
fn lines_with_a_race_are_marked() {
    let row = json(&["--only", "saving,unguarded,masks,tile"]);
    let source: Vec<&str> = TILE_BARRIER.file.source.lines().collect();
    for name in
        ["tail_no_barrier", "tail_unguarded", "tail_unused_register", "mask_outside", "tile_no_barrier"]
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
