//! The chapter's output: its records, its claims, its results in other shapes, and counts that have a closed form.

use std::collections::BTreeSet;

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch07_scan");

fn row<'a>(rows: &'a [Value], variant: &str) -> &'a Value {
    rows.iter().find(|row| row["variant"] == variant).unwrap_or_else(|| panic!("no row `{variant}`"))
}

fn fact(rows: &[Value], variant: &str, name: &str) -> f64 {
    row(rows, variant)["facts"][name].as_f64().unwrap()
}

/// A fact that is a whole number.
fn whole(rows: &[Value], variant: &str, name: &str) -> u64 {
    let value = fact(rows, variant, name);
    assert!(value.fract().abs() < f64::EPSILON, "{variant}: {name} is {value}");
    value as u64
}

fn counter(rows: &[Value], variant: &str, name: &str) -> u64 {
    row(rows, variant)["counters"][name].as_u64().unwrap()
}

thirty_two_lanes::shape_tests!(["1", "3", "31", "33", "1003", "70001"], ["32", "64", "1024"]);

#[test]
fn every_variant_has_the_expected_result_with_every_seed() {
    CHAPTER.passes_with_seeds(&["--size", "5000"], &["1", "2", "3", "18446744073709551615"]);
}

#[test]
fn a_block_that_is_not_a_power_of_two_is_refused() {
    CHAPTER.refuses(&["--block", "96"], "cannot be halved");
}

/// For n elements, rounds make n - d additions in the round of distance d. A tree makes n - 1 on the way up; on the way
/// down it makes n - 1 less the elements that the way up has finished, one for each round.
#[test]
fn additions_are_those_of_the_textbook() {
    for block in [32_u32, 256, 1024] {
        let rows = CHAPTER.every_row(&["--only", "block_scan", "--block", &block.to_string()]);
        let rounds = block.ilog2();
        let hillis: u32 = (0..rounds).map(|round| block - (1 << round)).sum();
        assert_eq!(whole(&rows, "scan_block_two_buffers", "additions"), u64::from(hillis));
        // In place, threads with no element to their left add 0.
        assert_eq!(whole(&rows, "scan_block_in_place", "additions"), u64::from(rounds * block));
        let blelloch = (block - 1) + (block - 1 - rounds);
        assert_eq!(whole(&rows, "scan_block_tree", "additions"), u64::from(blelloch));
        // Five rounds in each warp and again in the first warp, and an offset for all warps except the first.
        let warps = 5 * block + 5 * 32 + (block - 32);
        assert_eq!(whole(&rows, "scan_block", "additions"), u64::from(warps));
    }
}

#[test]
fn barriers_grow_with_the_rounds_and_not_with_the_warps() {
    for block in [64_u64, 256, 1024] {
        let rows = CHAPTER.every_row(&["--only", "block_scan", "--block", &block.to_string()]);
        let (warps, rounds) = (block / 32, u64::from(block.ilog2()));
        let barriers = |variant| counter(&rows, variant, "ptx_barriers") / warps;
        assert_eq!(barriers("scan_block"), 2);
        assert_eq!(barriers("scan_block_two_buffers"), rounds);
        assert_eq!(barriers("scan_block_in_place"), 2 * rounds);
        // One for each round on the way up, one fewer on the way down, and one after the last.
        assert_eq!(barriers("scan_block_tree"), 2 * rounds);
    }
}

/// For whole tiles, each sector is read and written as often as the kernels say.
#[test]
fn each_scan_reads_and_writes_memory_as_often_as_it_says() {
    const N: u64 = 1 << 17;
    let rows = CHAPTER.every_row(&["--only", "array", "--size", &N.to_string()]);
    let sectors = N / 8;
    let loads = |variant| counter(&rows, variant, "global_load_sectors");
    let stores = |variant| counter(&rows, variant, "global_store_sectors");
    assert_eq!((loads("copy_tiles"), stores("copy_tiles")), (sectors, sectors));
    let rounds = u64::from(N.ilog2());
    assert_eq!(whole(&rows, "scan_passes", "launches"), rounds);
    assert_eq!(stores("scan_passes"), rounds * sectors);
    // The elements to the left are loaded too, except by the first elements, which have none.
    assert!(loads("scan_passes") > (2 * rounds - 2) * sectors && loads("scan_passes") < 2 * rounds * sectors);
    for (variant, read, written) in
        [("scan_then_add", 2, 2), ("sum_then_scan", 2, 1), ("look_back", 1, 1), ("look_back_warp", 1, 1)]
    {
        // The sums of tiles are loaded in addition.
        let more = |count: u64, times: u64| count as f64 / (times * sectors) as f64;
        let (read, written) = (more(loads(variant), read), more(stores(variant), written));
        assert!((0.95..1.1).contains(&read) && (0.95..1.1).contains(&written), "{variant}: {read} {written}");
    }
}

/// With one resident block, every tile except the last waits for one that cannot start.
#[test]
fn blocks_give_up_only_for_tiles_that_cannot_start() {
    let rows = CHAPTER.every_row(&["--only", "start"]);
    for (variant, gave_up) in
        [("tickets-one", 0), ("block_idx-one", 0), ("last_first-all", 0), ("last_first-one", 23)]
    {
        assert_eq!(whole(&rows, variant, "gave_up"), gave_up, "{variant}");
    }
    let fault = &row(&rows, "last_first-forever")["faults"][0];
    assert_eq!(fault["kind"], "livelock");
    assert!(fault["message"].as_str().unwrap().contains("23 blocks have not started"), "{fault}");
}

/// A warp adds once for each different key.
#[test]
fn lanes_with_the_same_key_add_once() {
    let rows = CHAPTER.every_row(&["--only", "keys"]);
    assert_eq!(whole(&rows, "count_keys-1", "adding_per_warp"), 32);
    assert_eq!(whole(&rows, "count_keys_match-1", "adding_per_warp"), 1);
    let eight = fact(&rows, "count_keys_match-8", "adding_per_warp");
    // Of 32 keys from 8, about 8 (1 - (7/8)^32) are different.
    assert!((7.5..8.0).contains(&eight), "{eight}");
}

/// The line of the kernel at which a thread was. A function that was inlined may be one of right kernels too.
fn in_kernel(actor: &Value) -> &Value {
    actor["calls"].as_array().and_then(|calls| calls.last()).unwrap_or(&actor["source"])
}

/// The source marks each line that is part of a race at its end; exactly these lines are reported.
#[test]
fn races_are_reported_at_the_lines_marked_in_the_source() {
    let report = CHAPTER.every_row(&[]);
    let faults = report.iter().flat_map(|row| row["faults"].as_array().unwrap());
    let races = faults.filter(|fault| fault["kind"] == "race");
    let sources = races.flat_map(|fault| fault["actors"].as_array().unwrap()).map(in_kernel);
    let reported: BTreeSet<(String, u64)> =
        sources.map(|at| (at["file"].as_str().unwrap().to_owned(), at["line"].as_u64().unwrap())).collect();
    for file in ["scan.cu", "scan_array.cu", "compaction.cu"] {
        let path = format!("{}/../../kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(path).unwrap();
        let marked = (1..).zip(source.lines()).filter(|(_, line)| line.ends_with("// race")).map(|(n, _)| n);
        let reported = reported.iter().filter(|(name, _)| name == file).map(|(_, line)| *line);
        assert_eq!(reported.collect::<Vec<u64>>(), marked.collect::<Vec<u64>>(), "{file}");
    }
}
