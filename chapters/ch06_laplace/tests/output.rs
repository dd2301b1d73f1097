//! The chapter's output: its records, its claims, other shapes, and counts that have a closed form.

use serde_json::Value;

thirty_two_lanes::chapter_tests!("ch06_laplace");

/// What the claims say about an H200's caches: the second level delivers what blocks need, not what warps request.
#[test]
fn the_second_level_delivers_distinct_sectors() {
    let record = thirty_two_lanes::hardware::read(&CHAPTER.recorded("h200_counters.csv")).unwrap();
    let metric = |name: &str, metric: &str| record.metric(name, metric).unwrap() as f64;
    let requested = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    let reads = thirty_two_lanes::hardware::L2_READS;
    for (shape, fewest) in
        [("8x32", 0.9), ("16x16", 0.9), ("32x8", 0.9), ("64x4", 0.9), ("128x2", 0.8), ("256x1", 0.6)]
    {
        let (direct, tile) = (format!("direct_{shape}"), format!("tile_{shape}"));
        let distinct = metric(&tile, requested);
        for variant in [&direct, &tile] {
            let part = metric(variant, reads) / distinct;
            assert!((fewest..1.02).contains(&part), "{variant}: {part}");
        }
        assert!(metric(&direct, requested) > 1.4 * metric(&direct, reads), "{shape}");
    }
    let of_shapes = WIDTHS.map(|width| metric(&format!("direct_{width}x{}", POINTS / width), reads));
    assert!(wide_blocks_need_the_fewest(of_shapes, metric("direct_32x8", "smsp__warps_launched.sum")));
}

const POINTS: usize = 256;
const WIDTHS: [usize; 6] = [8, 16, 32, 64, 128, 256];

/// Whether blocks of 32 and of 64 columns read fewer sectors than all others, as far as the second level can show it.
///
/// Blocks below each other need the same rows, and a row that is fetched once for two of them is missing from the
/// count. How often that happens differs from run to run. Each row of the two widest shapes is so long that one of
/// them, w / 8 sectors for each block, can be more than the difference between the shapes. In the other shapes it
/// cannot.
fn wide_blocks_need_the_fewest(reads: [f64; 6], warps: f64) -> bool {
    let blocks = warps * 32.0 / POINTS as f64;
    let most = reads[2].max(reads[3]);
    WIDTHS.iter().zip(reads).all(|(&width, reads)| match width {
        32 | 64 => true,
        128 | 256 => most < reads + blocks * (width / 8) as f64,
        _ => most < reads,
    })
}

#[test]
fn rows_that_two_blocks_share_do_not_change_the_verdict() {
    // The counts of three records of an H200; in the last one blocks of 128 x 2 read less than those of 32 x 8.
    for reads in [
        [3104.0, 2176.0, 1791.0, 1776.0, 1935.0, 2107.0],
        [3102.0, 2176.0, 1785.0, 1771.0, 1844.0, 2229.0],
        [3071.0, 2176.0, 1792.0, 1758.0, 1777.0, 2174.0],
    ] {
        assert!(wide_blocks_need_the_fewest(reads, 256.0), "{reads:?}");
    }
    // A narrow block shares no long row, and a wide one does not share two of them.
    assert!(!wide_blocks_need_the_fewest([3104.0, 1791.0, 1791.0, 1776.0, 1935.0, 2107.0], 256.0));
    assert!(!wide_blocks_need_the_fewest([3104.0, 2176.0, 1791.0, 1776.0, 1279.0, 2107.0], 256.0));
}

/// What the claims say about an H200's clock: on a small grid the branch is faster, no matter how long the work is.
#[test]
fn a_second_launch_takes_longer_than_it_saves() {
    let time = |name: &str| CHAPTER.measured(0, name).timing.unwrap().median_us;
    for rounds in [0, 10, 100, 1000] {
        let [branch, two] = ["branch", "two_kernels"].map(|name| time(&format!("{name}_{rounds}")));
        assert!(branch < two, "{rounds} rounds: {branch} and {two}");
    }
}

thirty_two_lanes::shape_tests!(["1", "20", "31", "1000", "1003", "5000"], ["1", "32", "48", "64", "1024"]);

fn row(rows: &[Value], variant: &str) -> Value {
    rows.iter().find(|row| row["variant"] == variant).unwrap()["facts"].clone()
}

/// A tile of w by h points needs w · h / 8 sectors, one in 8 columns above and below, and two for each row.
#[test]
fn a_tile_loads_each_sector_once() {
    let rows = CHAPTER.rows("shapes");
    for (width, height) in [(8, 32), (16, 16), (32, 8), (64, 4), (128, 2), (256, 1)] {
        let facts = row(&rows, &format!("tile_{width}x{height}"));
        let sectors = f64::from(width * height / 8 + 2 * width / 8 + 2 * height);
        assert_eq!(facts["sectors_per_block"], sectors);
        assert_eq!(facts["distinct_sectors"], sectors);
    }
}

/// In each of its rows of c columns a warp requests c / 8 sectors per load, and one more on the left and on the
/// right.
#[test]
fn without_a_tile_each_warp_makes_its_own_requests() {
    let rows = CHAPTER.rows("shapes");
    for width in [8, 16, 32, 64, 128, 256] {
        let facts = row(&rows, &format!("direct_{width}x{}", 256 / width));
        let columns = width.min(32);
        let in_warp = 32 / columns * (4 * columns / 8 + 2);
        assert_eq!(facts["sectors_per_block"], f64::from(8 * in_warp));
    }
}

/// Half the spacing leaves a quarter of the error, up to terms of the fourth order.
#[test]
fn the_error_is_of_second_order() {
    let rows = CHAPTER.rows("solve");
    let off = |side| row(&rows, &format!("solve_{side}"))["off_exact"].as_f64().unwrap();
    let shrink = [off(5) / off(9), off(9) / off(17)];
    assert!(shrink.iter().all(|shrink| (3.7..4.1).contains(shrink)), "{shrink:?}");
    for side in [5, 9, 17] {
        let facts = row(&rows, &format!("solve_{side}"));
        let [rate, expected] = ["rate", "rate_expected"].map(|name| facts[name].as_f64().unwrap());
        assert!((rate - expected).abs() < 1e-3, "{side}: {rate} and {expected}");
    }
}

/// The maps show in letters what the claims say in words.
#[test]
fn the_wrong_guard_writes_where_it_should_not() {
    let map = CHAPTER.printed(&["--only", "map_of_writes"]);
    let lines: Vec<&str> = map.lines().filter(|line| line.starts_with("row ")).collect();
    assert!(lines[1].contains("WWWWW"), "{lines:?}");
    assert!(lines[10..].iter().all(|line| line.contains('!')), "{lines:?}");
    let right = |line: &&&str| !line.contains('W') && !line.contains('!');
    assert_eq!(lines[..10].iter().filter(right).count(), 9);
}

#[test]
fn impossible_requests_are_refused_in_one_line() {
    for (args, message) in [
        (["--block", "2048"], "1 to 1024 threads"),
        (["--size", "99999999999"], "for it: ask for at most"),
        (["--only", "jacobi"], "there is no variant or section `jacobi`: did you mean `jacobi_whole` or "),
    ] {
        CHAPTER.refuses(&args, message);
    }
}
