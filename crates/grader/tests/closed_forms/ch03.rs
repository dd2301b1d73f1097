//! The exercises of chapter 3.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("turn_pieces", turn_pieces),
    ("sort_by_rank", |form| in_rows(form, "out", <[i32]>::sort_unstable)),
    ("row_maximum", |form| in_rows(form, "below", below_the_largest)),
    ("left_neighbour", |form| in_rows(form, "out", differences)),
    ("one_box", one_box),
    ("running_total", |form| in_rows(form, "before", sums_before)),
    ("smooth_rows", smooth_rows),
    ("rows_to_columns", rows_to_columns),
];

/// Changes each row of 32 elements of `in` separately; the last row may be shorter.
fn in_rows(form: &mut Form<'_>, result: &str, change: fn(&mut [i32])) {
    let mut all = form.i32s("in");
    all.chunks_mut(32).for_each(change);
    form.expect_i32s(result, &all);
}

fn below_the_largest(row: &mut [i32]) {
    let most = row.iter().copied().max().unwrap_or_default();
    for element in row {
        *element = most - *element;
    }
}

fn differences(row: &mut [i32]) {
    for place in (1..row.len()).rev() {
        row[place] -= row[place - 1];
    }
}

fn sums_before(row: &mut [i32]) {
    let mut sum = 0;
    for element in row {
        let before = sum;
        sum += *element;
        *element = before;
    }
}

fn turn_pieces(form: &mut Form<'_>) {
    let mut all = form.i32s("data");
    let most = all.iter().copied().max().unwrap_or_default();
    all.chunks_mut(64).for_each(<[i32]>::reverse);
    form.expect_i32s("data", &all);
    form.expect_i32s("largest", &[most]);
}

fn one_box(form: &mut Form<'_>) {
    let column_sums = |block: &[i32]| -> Vec<i32> {
        (0..16).map(|column| block.iter().skip(column).step_by(16).sum()).collect()
    };
    let input = form.i32s("in");
    let sums: Vec<i32> = input.chunks(form.number("pieces") * 16).flat_map(column_sums).collect();
    form.expect_i32s("sums", &sums);
}

fn smooth_rows(form: &mut Form<'_>) {
    let rounds = form.number("rounds");
    let smoothed = |row: &[i32]| -> Vec<i32> {
        let once = |row: Vec<i32>| {
            let at = |place: usize| row[place % 32];
            (0..32).map(|place| at(place + 31) + 2 * at(place) + at(place + 1)).collect()
        };
        (0..rounds).fold(row.to_vec(), |row, _| once(row))
    };
    let column_sums = |block: &[i32]| -> Vec<i32> {
        let rows: Vec<Vec<i32>> = block.chunks(32).map(smoothed).collect();
        (0..32).map(|column| rows.iter().map(|row| row[column]).sum()).collect()
    };
    let columns: Vec<i32> = form.i32s("in").chunks(128).flat_map(column_sums).collect();
    form.expect_i32s("columns", &columns);
}

/// Element 32 r + c of a tile is what element 32 c + r was.
fn rows_to_columns(form: &mut Form<'_>) {
    let turned = |tile: &[i32]| (0..1024).map(|place| tile[place % 32 * 32 + place / 32]).collect::<Vec<_>>();
    let out: Vec<i32> = form.i32s("in").chunks(1024).flat_map(turned).collect();
    form.expect_i32s("out", &out);
}
