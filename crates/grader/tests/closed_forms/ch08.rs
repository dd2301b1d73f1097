//! The exercises of chapter 8.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("sixteen_at_once", sixteen_at_once),
    ("small_grid", small_grid),
    ("load_ahead", load_ahead),
    ("half_the_memory", half_the_memory),
    ("four_in_registers", four_in_registers),
    ("lines_of_a_chapter", lines_of_a_chapter),
    ("lockers", lockers),
];

fn sixteen_at_once(form: &mut Form<'_>) {
    let scaled: Vec<i32> = form.i32s("x").iter().map(|reading| 3 * reading + 1).collect();
    form.expect_i32s("y", &scaled);
}

/// Neighbours in the list that are in descending order.
fn small_grid(form: &mut Form<'_>) {
    let falls = form.i32s("x").windows(2).filter(|pair| pair[1] < pair[0]).count();
    form.expect_i32s("falls", &[falls as i32]);
}

fn load_ahead(form: &mut Form<'_>) {
    let results: Vec<i32> = form.i32s("x").iter().map(|reading| reading * (reading + 1)).collect();
    form.expect_i32s("y", &results);
}

/// Each round makes a new row.
fn half_the_memory(form: &mut Form<'_>) {
    let (x, rounds) = (form.i32s("x"), form.number("rounds"));
    let after_a_round = |row: &[i32]| {
        let lamp = |at: Option<usize>| at.and_then(|at| row.get(at)).copied().unwrap_or(0);
        (0..row.len()).map(|t| i32::from(lamp(t.checked_sub(1)) != lamp(Some(t + 1)))).collect::<Vec<_>>()
    };
    let rows = x.chunks(form.number("threads"));
    let last = rows.flat_map(|row| (0..rounds).fold(row.to_vec(), |row, _| after_a_round(&row)));
    form.expect_i32s("y", &last.collect::<Vec<_>>());
}

fn four_in_registers(form: &mut Form<'_>) {
    let (sales, shops) = (form.i32s("sales"), form.number("shops"));
    let mut total = vec![0; 4 * shops];
    for (i, sold) in sales.iter().enumerate() {
        total[i / shops % 4 * shops + i % shops] += sold;
    }
    form.expect_i32s("total", &total);
}

fn lines_of_a_chapter(form: &mut Form<'_>) {
    let text = form.u8s("text");
    let chapter = &text[form.number("from")..form.number("to")];
    form.expect_i32s("lines", &[chapter.split(|&letter| letter == b'\n').count() as i32 - 1]);
}

/// From the first locker on, a trail is one note longer than the one that it leads to.
fn lockers(form: &mut Form<'_>) {
    let mut notes: Vec<i32> = Vec::new();
    for (i, back) in form.i32s("back").into_iter().enumerate() {
        let rest = i.checked_sub(back as usize).map_or(0, |to| notes[to]);
        notes.push(rest + 1);
    }
    form.expect_i32s("notes", &notes);
}
