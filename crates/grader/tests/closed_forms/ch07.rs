//! Chapter 7: scan and compaction.

use super::{Form, Function};

pub const FORMS: &[(&str, Function)] = &[
    ("greatest_before", greatest_before),
    ("segment_sums", segment_sums),
    ("run_starts", run_starts),
    ("split_by_bit", split_by_bit),
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
