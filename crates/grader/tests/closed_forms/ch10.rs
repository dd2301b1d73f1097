//! The exercises of chapter 10: moving tiles.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("turned_product", product),
    ("crate_for_all", crate_for_all),
    ("ragged_edge", product),
    ("four_to_a_trip", product),
    ("shelves_turned", shelves_turned),
    ("no_hands", opposite),
    ("three_vans", opposite),
    ("the_last_rounds", opposite),
    ("delivery_note", delivery_note),
    ("empty_crates_back", opposite),
    ("out_of_the_door", out_of_the_door),
];

/// Row by row of B, each times an element of A.
fn product(form: &mut Form<'_>) {
    let (n, a, b) = (form.number("n"), form.i32s("a"), form.i32s("b"));
    let mut c = vec![0; a.len()];
    for (of_a, of_c) in a.chunks(n).zip(c.chunks_mut(n)) {
        for (a, of_b) in of_a.iter().zip(b.chunks(n)) {
            of_c.iter_mut().zip(of_b).for_each(|(c, b)| *c += a * b);
        }
    }
    form.expect_i32s("c", &c);
}

/// The scalar products of rows with x.
fn times_x(a: &[i32], x: &[i32]) -> Vec<i32> {
    a.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn crate_for_all(form: &mut Form<'_>) {
    form.expect_i32s("y", &times_x(&form.i32s("a"), &form.i32s("x")));
}

fn shelves_turned(form: &mut Form<'_>) {
    form.expect_i32s("y", &times_x(&form.i32s("a"), &form.i32s("x")));
}

/// Thread t adds what is opposite, as often as the number of the tile says, from 1. A tile has as many ints as y.
fn opposite(form: &mut Form<'_>) {
    let x = form.i32s("x");
    let threads = form.i32s("y").len();
    let of_thread = |t: usize| {
        let tiles = (1..).zip(x.chunks(threads));
        tiles.map(|(number, tile): (i32, &[i32])| number * tile[threads - 1 - t]).sum()
    };
    form.expect_i32s("y", &(0..threads).map(of_thread).collect::<Vec<i32>>());
}

/// The sums of columns.
fn delivery_note(form: &mut Form<'_>) {
    let a = form.i32s("a");
    let column = |lane: usize| a.iter().skip(lane).step_by(32).sum();
    form.expect_i32s("y", &(0..32).map(column).collect::<Vec<i32>>());
}

fn out_of_the_door(form: &mut Form<'_>) {
    let squares: Vec<i32> = form.i32s("x").into_iter().map(|x| x * x).collect();
    form.expect_i32s("y", &squares);
}
