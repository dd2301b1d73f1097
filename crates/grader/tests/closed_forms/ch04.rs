//! The exercises of chapter 4.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("warp_leaders", warp_leaders),
    ("row_sums", row_sums),
    ("shares", shares),
    ("turned_rows", turned_rows),
    ("packed_rows", packed_rows),
    ("run_sums", run_sums),
    ("prefix_in_eights", prefix_in_eights),
    ("groups_of_eight", groups_of_eight),
    ("places_by_digit", places_by_digit),
    ("high_water", high_water),
];

/// A warp's elements are adjacent, whatever the block's shape.
fn warp_leaders(form: &mut Form<'_>) {
    let sums: Vec<i32> = form.i32s("in").chunks(32).map(|warp| warp.iter().sum()).collect();
    form.expect_i32s("sums", &sums);
}

fn row_sums(form: &mut Form<'_>) {
    let sums: Vec<i32> = form.i32s("in").chunks(64).map(|row| row.iter().sum()).collect();
    form.expect_i32s("sums", &sums);
}

fn shares(form: &mut Form<'_>) {
    let share = |warp: &[i32]| {
        let sum: i32 = warp.iter().sum();
        warp.iter().map(|value| 1000 * value / sum).collect::<Vec<_>>()
    };
    let shares: Vec<i32> = form.i32s("in").chunks(32).flat_map(share).collect();
    form.expect_i32s("share", &shares);
}

fn turned_rows(form: &mut Form<'_>) {
    let mut rows = form.i32s("in");
    for row in rows.chunks_mut(32).filter(|row| row.iter().any(|&value| value < 0)) {
        row.reverse();
    }
    form.expect_i32s("out", &rows);
}

/// `rows` and `counts` also have elements for the threads past the end, which remain 0.
fn packed_rows(form: &mut Form<'_>) {
    let (mut rows, mut counts) = (form.i32s("rows"), form.i32s("counts"));
    for (row, values) in form.i32s("in").chunks(32).enumerate() {
        let kept: Vec<i32> = values.iter().copied().filter(|&value| value > 0).collect();
        rows[32 * row..][..kept.len()].copy_from_slice(&kept);
        counts[row] = kept.len() as i32;
    }
    form.expect_i32s("rows", &rows);
    form.expect_i32s("counts", &counts);
}

fn run_sums(form: &mut Form<'_>) {
    let (values, mark) = (form.i32s("in"), form.i32s("mark"));
    let mut runs: Vec<Vec<i32>> = Vec::new();
    for (i, &value) in values.iter().enumerate() {
        if i.is_multiple_of(32) || mark[i] == 0 {
            runs.push(Vec::new());
        }
        runs.last_mut().unwrap().push(value);
    }
    let sums: Vec<i32> = runs.iter().flat_map(|run| vec![run.iter().sum::<i32>(); run.len()]).collect();
    form.expect_i32s("out", &sums);
}

fn prefix_in_eights(form: &mut Form<'_>) {
    let mut sums = form.i32s("in");
    for segment in sums.chunks_mut(8) {
        for i in 1..segment.len() {
            segment[i] += segment[i - 1];
        }
    }
    form.expect_i32s("out", &sums);
}

fn groups_of_eight(form: &mut Form<'_>) {
    let sums: Vec<i32> = form.i32s("in").chunks(8).map(|group| group.iter().sum()).collect();
    form.expect_i32s("sums", &sums);
}

fn places_by_digit(form: &mut Form<'_>) {
    let mut next = form.i32s("next");
    let digits = form.i32s("digits");
    let draw = |(i, &digit): (usize, &i32)| {
        let free = &mut next[i / 32 * 8 + digit as usize];
        *free += 1;
        *free - 1
    };
    let places: Vec<i32> = digits.iter().enumerate().map(draw).collect();
    form.expect_i32s("places", &places);
    // The warps of the last block that have no row visit the first rows.
    let visitors = form.number("blocks") * 2 - form.number("rows");
    next.iter_mut().take(8 * visitors).for_each(|next| *next += 1 << 16);
    form.expect_i32s("next", &next);
}

/// The maximum so far, from the beginning of each row.
fn high_water(form: &mut Form<'_>) {
    let marks =
        |row: &[i32]| (0..row.len()).map(|place| *row[..=place].iter().max().unwrap()).collect::<Vec<_>>();
    let high: Vec<i32> = form.i32s("in").chunks(form.number("width")).flat_map(marks).collect();
    form.expect_i32s("high", &high);
}
