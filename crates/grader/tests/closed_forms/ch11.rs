//! The exercises of chapter 11: a warp as a matrix unit.
//!
//! All elements are whole numbers whose sums a float has, so a product in integers is the expected one.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("home_again", product_by_eight),
    ("wrong_neighbours", product_by_eight),
    ("few_rows", few_rows),
    ("bytes_in_fours", bytes_in_fours),
    ("rows_of_others", product_by_sixteen),
    ("one_too_many", strip),
    ("turned_already", turned_already),
    ("eight_places", strip),
    ("last_round", strip),
    ("two_halves", product_by_eight),
    ("turned_in_registers", turned_in_registers),
];

/// The product of rows of A and columns of B, each with `k` elements.
fn product(a: &[i32], columns: &[Vec<i32>], k: usize) -> Vec<i32> {
    let sum = |row: &[i32], column: &[i32]| row.iter().zip(column).map(|(a, b)| a * b).sum();
    a.chunks(k).flat_map(|row| columns.iter().map(move |column| sum(row, column))).collect()
}

/// The columns of a matrix that is stored row after row.
fn columns(b: &[i32], width: usize) -> Vec<Vec<i32>> {
    (0..width).map(|column| b.iter().skip(column).step_by(width).copied().collect()).collect()
}

fn expect(form: &mut Form<'_>, c: Vec<i32>) {
    form.expect_f32s("c", &c.into_iter().map(|sum| sum as f32).collect::<Vec<f32>>());
}

/// Matrices one after another, with 16 columns of A and so many of B.
fn products(form: &mut Form<'_>, rows: usize, width: usize) {
    let (a, b) = (form.i32s("a"), form.i32s("b"));
    let pairs = a.chunks(16 * rows).zip(b.chunks(16 * width));
    let c = pairs.flat_map(|(a, b)| product(a, &columns(b, width), 16)).collect();
    expect(form, c);
}

fn product_by_eight(form: &mut Form<'_>) {
    products(form, 16, 8);
}

fn product_by_sixteen(form: &mut Form<'_>) {
    products(form, 16, 16);
}

fn few_rows(form: &mut Form<'_>) {
    products(form, form.number("rows"), 8);
}

/// B has 16 columns of 16, one after another.
fn turned_already(form: &mut Form<'_>) {
    let (a, b) = (form.i32s("a"), form.i32s("b"));
    let of_b = |b: &[i32]| b.chunks(16).map(<[i32]>::to_vec).collect::<Vec<_>>();
    let c = a.chunks(256).zip(b.chunks(256)).flat_map(|(a, b)| product(a, &of_b(b), 16)).collect();
    expect(form, c);
}

/// One B of 8 columns, one after another, for all rows of A.
fn strip(form: &mut Form<'_>) {
    let (a, b) = (form.i32s("a"), form.i32s("b"));
    let k = b.len() / 8;
    let of_b: Vec<Vec<i32>> = b.chunks(k).map(<[i32]>::to_vec).collect();
    expect(form, product(&a, &of_b, k));
}

fn bytes_in_fours(form: &mut Form<'_>) {
    let signed = |bytes: Vec<u8>| bytes.into_iter().map(|byte| i32::from(byte as i8)).collect::<Vec<i32>>();
    let (a, b) = (signed(form.u8s("a")), signed(form.u8s("b")));
    let of_b = |b: &[i32]| b.chunks(16).map(<[i32]>::to_vec).collect::<Vec<_>>();
    let pairs = a.chunks(128).zip(b.chunks(128));
    let c: Vec<i32> = pairs.flat_map(|(a, b)| product(a, &of_b(b), 16)).collect();
    form.expect_i32s("c", &c);
}

/// Elements of two bytes.
fn turned_in_registers(form: &mut Form<'_>) {
    let bytes = form.u8s("x");
    let turned = bytes.chunks(128).flat_map(|matrix| {
        let element = |row: usize, column: usize| &matrix[2 * (8 * row + column)..][..2];
        let places = (0..64).map(|place| (place % 8, place / 8));
        places.flat_map(|(row, column)| element(row, column).to_vec()).collect::<Vec<u8>>()
    });
    form.expect_u8s("y", &turned.collect::<Vec<u8>>());
}
