//! Chapter 7: scan and compaction.

use super::{Form, Function};

pub const FORMS: &[(&str, Function)] = &[
    ("greatest_before", greatest_before),
    ("segment_sums", segment_sums),
    ("read_once", read_once),
    ("run_starts", run_starts),
    ("split_by_bit", split_by_bit),
    ("three_counts", three_counts),
    ("running_balance", running_balance),
    ("time_left", time_left),
    ("keep_readings", keep_readings),
];

/// The smallest number, if there is nothing before.
fn greatest_before(form: &mut Form<'_>) {
    let rows = form.i32s("in");
    let of_row = |row: &[i32]| {
        let before = |i: usize| row[..i].iter().copied().max().unwrap_or(i32::MIN);
        (0..row.len()).map(before).collect::<Vec<_>>()
    };
    form.expect_i32s("out", &rows.chunks(32).flat_map(of_row).collect::<Vec<_>>());
}

/// One element after the other, as a loop would do it.
fn segment_sums(form: &mut Form<'_>) {
    let (x, marks) = (form.i32s("in"), form.i32s("marks"));
    let mut sum = 0;
    let sums = x.iter().zip(&marks).enumerate().map(|(i, (value, mark))| {
        sum = if i % 32 == 0 || *mark == 0 { *value } else { sum + value };
        sum
    });
    form.expect_i32s("out", &sums.collect::<Vec<_>>());
}

/// From the end: what a tile has in all, without the elements after each one.
fn read_once(form: &mut Form<'_>) {
    let x = form.i32s("x");
    let of_tile = |tile: &[i32]| -> Vec<i32> {
        (0..tile.len()).map(|i| tile.iter().sum::<i32>() - tile[i + 1..].iter().sum::<i32>()).collect()
    };
    form.expect_i32s("y", &x.chunks(256).flat_map(of_tile).collect::<Vec<_>>());
}

fn run_starts(form: &mut Form<'_>) {
    let x = form.i32s("in");
    let runs = x.chunk_by(|one, next| one == next).map(<[i32]>::len);
    let mut starts: Vec<i32> = runs
        .scan(0, |end, len| {
            *end += len as i32;
            Some(*end - len as i32)
        })
        .collect();
    form.expect_i32s("count", &[starts.len() as i32]);
    starts.resize(form.number("threads"), 0);
    form.expect_i32s("starts", &starts);
}

/// Sorting by the bit keeps the order of equal elements.
fn split_by_bit(form: &mut Form<'_>) {
    let (mut x, bit) = (form.i32s("in"), form.number("bit"));
    x.sort_by_key(|value| value >> bit & 1);
    form.expect_i32s("out", &x);
}

/// Each belt for itself, from the shelves before in the row.
fn three_counts(form: &mut Form<'_>) {
    let sent = form.i32s("sent");
    let before = |place: usize| {
        let (shelf, belt) = (place / 3, place % 3);
        (shelf / 32 * 32..shelf).map(|other| sent[3 * other + belt]).sum()
    };
    form.expect_i32s("first", &(0..sent.len()).map(before).collect::<Vec<i32>>());
}

fn running_balance(form: &mut Form<'_>) {
    let sums = form.i32s("bookings").into_iter().scan(0, |sum, booking| {
        *sum += booking;
        Some(*sum)
    });
    form.expect_i32s("balance", &sums.collect::<Vec<_>>());
}

/// What is left is the whole tour without the stops before.
fn time_left(form: &mut Form<'_>) {
    let minutes = form.i32s("minutes");
    let mut left: i32 = minutes.iter().sum();
    let at_each_stop = minutes.iter().map(|stay| {
        left -= stay;
        left + stay
    });
    form.expect_i32s("left", &at_each_stop.collect::<Vec<_>>());
    form.expect_i32s("drawn", &[form.number("tiles") as i32]);
}

fn keep_readings(form: &mut Form<'_>) {
    let (x, limit) = (form.i32s("x"), form.number("limit") as i32);
    let keeps = |reading: &&i32| **reading > limit;
    let upto = |tile: usize| x.iter().take(32 * (tile + 1)).filter(keeps).count() as i32;
    let words: Vec<i32> = (0..form.number("tiles")).map(|tile| 4 * upto(tile) + 2).collect();
    form.expect_i32s("words", &words);
    let mut kept: Vec<i32> = x.iter().filter(keeps).copied().collect();
    kept.resize(x.len(), 0);
    form.expect_i32s("kept", &kept);
}
