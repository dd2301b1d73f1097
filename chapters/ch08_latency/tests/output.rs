//! The chapter's output: its records, its claims, other sizes, and counts that have a closed form.

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch08_latency");

/// The chapter itself compares every variant with its reference, and exits with 1 if one is wrong.
#[test]
fn every_variant_has_the_expected_result_at_every_size() {
    for size in ["1", "2", "31", "1003", "20000"] {
        CHAPTER.passes(&["--size", size, "--seed", "7"]);
    }
}

fn fact<'r>(row: &'r Value, name: &str) -> &'r Value {
    row["facts"].get(name).unwrap_or_else(|| panic!("{} has no {name}", row["variant"]))
}

fn counter<'r>(row: &'r Value, name: &str) -> &'r Value {
    row["counters"].get(name).unwrap_or_else(|| panic!("{} has no {name}", row["variant"]))
}

fn find<'r>(rows: &'r [Value], variant: &str) -> &'r Value {
    rows.iter().find(|row| row["variant"] == variant).unwrap_or_else(|| panic!("no row {variant}"))
}

/// A step is a request for one sector, no matter where the bytes are.
#[test]
fn a_chase_requests_a_sector_in_each_step() {
    let rows = CHAPTER.every_row(&["--only", "chase", "--size", "70000"]);
    assert_eq!(rows.len(), 3);
    for row in &rows {
        for name in ["global_load_requests", "global_load_sectors"] {
            assert_eq!(counter(row, name).as_f64(), fact(row, "steps").as_f64(), "{}", row["variant"]);
        }
    }
    let footprints: Vec<&Value> = rows.iter().map(|row| fact(row, "footprint_kib")).collect();
    // Half of 70,000 words are 1,093 lines, of which 1,024 are visited: 128 bytes each.
    assert_eq!(footprints, [16.0, 4096.0, 128.0]);
}

/// Chains divide the additions among themselves, and make a few more at the beginning and at the end.
#[test]
fn chains_have_the_same_work() {
    let rows = CHAPTER.rows("chains");
    assert_eq!(rows.len(), 16);
    for row in &rows {
        let [all, warps] = ["ptx_instructions", "warps"].map(|name| counter(row, name).as_f64().unwrap());
        let per_warp = all / warps;
        assert!((32_768.0..1.06 * 32_768.0).contains(&per_warp), "{}: {per_warp}", row["variant"]);
    }
}

/// The loads in flight of a thread are as many as the kernel's name says, and those of all threads follow from that.
#[test]
fn the_loads_in_flight_are_as_many_as_the_names_say() {
    let rows = CHAPTER.rows("loads");
    for (kind, loads, bytes) in [
        ("loads_1", 1.0, 4.0),
        ("loads_2", 2.0, 4.0),
        ("loads_4", 4.0, 4.0),
        ("loads_8", 8.0, 4.0),
        ("wide_1", 1.0, 16.0),
        ("wide_4", 4.0, 16.0),
    ] {
        for warps in [8.0, 16.0, 32.0, 64.0] {
            let row = find(&rows, &format!("{kind}_warps_{warps}"));
            assert_eq!(*fact(row, "loads_in_flight"), loads, "{}", row["variant"]);
            assert_eq!(
                fact(row, "kib_in_flight"),
                warps * 32.0 * loads * bytes / 1024.0,
                "{}",
                row["variant"]
            );
            // Each of 16,384 floats is loaded once, eight to a sector.
            assert_eq!(*counter(row, "global_load_sectors"), 2048.0, "{}", row["variant"]);
            assert_eq!(*counter(row, "global_load_requests"), 2048.0 / bytes, "{}", row["variant"]);
        }
    }
}

/// Shared memory limits the number of resident blocks; it changes the facts but not the counters.
#[test]
fn fewer_blocks_fit_and_nothing_else_changes() {
    let rows = CHAPTER.rows("resident");
    for (kind, loads) in [("one", 1.0), ("four", 4.0)] {
        let full = find(&rows, &format!("{kind}_resident_8"));
        for blocks in [8.0, 4.0, 2.0, 1.0] {
            let row = find(&rows, &format!("{kind}_resident_{blocks}"));
            assert_eq!(*fact(row, "resident_blocks"), blocks);
            assert_eq!(*fact(row, "occupancy"), blocks / 8.0);
            assert_eq!(*fact(row, "kib_in_flight"), blocks * loads);
            assert_eq!(row["counters"], full["counters"], "{}", row["variant"]);
        }
    }
}

/// The warps of the resident blocks, for each size of block.
#[test]
fn blocks_of_each_size_give_this_many_warps() {
    let rows = CHAPTER.rows("blocks");
    for (size, warps) in [(32, 32.0), (64, 64.0), (256, 64.0), (768, 48.0), (1024, 64.0)] {
        let row = find(&rows, &format!("block_{size}"));
        assert_eq!(*fact(row, "resident_warps"), warps, "{size}");
    }
}

/// A limit on registers does not change what is loaded from and stored to global memory.
#[test]
fn a_limit_on_registers_changes_no_traffic() {
    let rows = CHAPTER.rows("registers");
    for (free, bounded) in [("hold", "hold_bounded"), ("hold_few", "hold_few_bounded")] {
        for name in ["global_load_sectors", "global_store_sectors", "local_requests"] {
            let of = |variant: &str| counter(find(&rows, variant), name);
            assert_eq!(of(free), of(bounded), "{name} of {bounded}");
        }
    }
}

#[test]
fn impossible_requests_are_refused_in_one_line() {
    for (args, message) in [
        (["--size", "99999999999"], "ask for at most"),
        (["--only", "chas"], "there is no variant or section `chas`: did you mean "),
    ] {
        CHAPTER.refuses(&args, message);
    }
}
