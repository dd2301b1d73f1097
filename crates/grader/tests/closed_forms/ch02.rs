//! The exercises of chapter 2.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("tail_block", tail_block),
    ("odd_rows", odd_rows),
    ("stale_register", stale_register),
    ("far_from_largest", far_from_largest),
    ("quarter_of_sectors", quarter_of_sectors),
    ("keep_the_order", keep_the_order),
    ("largest_and_place", largest_and_place),
    ("rows_of_a_tile", rows_of_a_tile),
    ("one_barrier", one_barrier),
    ("dot_product", dot_product),
    ("column_sums", column_sums),
];

fn tail_block(form: &mut Form<'_>) {
    let prices = form.i32s("prices");
    let lowest: Vec<i32> = prices.chunks(128).map(|part| *part.iter().min().unwrap()).collect();
    form.expect_i32s("lowest", &lowest);
}

fn odd_rows(form: &mut Form<'_>) {
    let sums = sums(&form.i32s("matrix"), form.number("width"));
    form.expect_i32s("sums", &sums);
}

fn stale_register(form: &mut Form<'_>) {
    let x = form.i32s("x");
    form.expect_i32s("total", &[x.iter().sum()]);
}

fn far_from_largest(form: &mut Form<'_>) {
    let down = |part: &[i32]| {
        let largest = *part.iter().max().unwrap();
        part.iter().map(|own| largest - own).collect::<Vec<_>>()
    };
    let down: Vec<i32> = form.i32s("x").chunks(128).flat_map(down).collect();
    form.expect_i32s("down", &down);
}

fn quarter_of_sectors(form: &mut Form<'_>) {
    let sums = sums(&form.i32s("x"), 256);
    form.expect_i32s("sums", &sums);
}

/// A chain as a function of y is a linear function modulo a prime: its value at 0, and the difference to the value at
/// 1.
fn keep_the_order(form: &mut Form<'_>) {
    const PRIME: u64 = 65521;
    let (scale, shift) = (form.u32s("scale"), form.u32s("shift"));
    let at = |y: u64, (scale, shift): (&[u32], &[u32])| {
        let steps = scale.iter().zip(shift);
        steps.fold(y, |y, (&scale, &shift)| (u64::from(scale) * y + u64::from(shift)) % PRIME)
    };
    let chains: Vec<(&[u32], &[u32])> = scale.chunks(256).zip(shift.chunks(256)).collect();
    let heights: Vec<u32> = chains.iter().map(|&chain| at(0, chain) as u32).collect();
    let slope = |&chain: &(&[u32], &[u32])| ((at(1, chain) + PRIME - at(0, chain)) % PRIME) as u32;
    let slopes: Vec<u32> = chains.iter().map(slope).collect();
    form.expect_u32s("joined_scale", &slopes);
    form.expect_u32s("joined_shift", &heights);
}

fn largest_and_place(form: &mut Form<'_>) {
    let x = form.i32s("x");
    let largest: Vec<i32> = x.chunks(128).map(|part| *part.iter().max().unwrap()).collect();
    let place = |(block, (part, largest)): (usize, (&[i32], &i32))| {
        (128 * block + part.iter().position(|number| number == largest).unwrap()) as i32
    };
    let places: Vec<i32> = x.chunks(128).zip(&largest).enumerate().map(place).collect();
    form.expect_i32s("largest", &largest);
    form.expect_i32s("where", &places);
}

fn rows_of_a_tile(form: &mut Form<'_>) {
    let sums = sums(&form.i32s("x"), 32);
    form.expect_i32s("sums", &sums);
}

fn one_barrier(form: &mut Form<'_>) {
    let sums = sums(&form.i32s("x"), 256);
    form.expect_i32s("sums", &sums);
}

/// The sums of parts of this length; the last part may be shorter.
fn sums(numbers: &[i32], part: usize) -> Vec<i32> {
    numbers.chunks(part).map(|part| part.iter().sum()).collect()
}

/// In 64 bits, one part after the other.
fn dot_product(form: &mut Form<'_>) {
    let (a, b) = (form.i32s("a"), form.i32s("b"));
    let products: Vec<i64> = a.iter().zip(&b).map(|(a, b)| i64::from(*a) * i64::from(*b)).collect();
    let sums: Vec<i32> = products.chunks(512).map(|part| part.iter().sum::<i64>() as i32).collect();
    form.expect_i32s("sums", &sums);
}

/// The rows are added to each other as wholes.
fn column_sums(form: &mut Form<'_>) {
    let width = form.number("width");
    let sums = form
        .i32s("matrix")
        .chunks(width)
        .fold(vec![0; width], |sums, row| sums.iter().zip(row).map(|(sum, value)| sum + value).collect());
    form.expect_i32s("sums", &sums);
}
