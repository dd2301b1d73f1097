//! The exercises of chapter 1: the expected value of each element, computed one element at a time.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("lookup", lookup),
    ("tight_operators", tight_operators),
    ("mirror", mirror),
    ("shift_in_ptx", shift_in_ptx),
    ("one_loop", one_loop),
    ("key_frames", key_frames),
    ("collect", collect),
    ("where_it_goes", where_it_goes),
];

/// The table's entry if the key is in the table, otherwise -1.
fn lookup(form: &mut Form<'_>) {
    let (keys, table) = (form.i32s("key"), form.i32s("table"));
    let entry = |key: &i32| usize::try_from(*key).ok().and_then(|key| table.get(key));
    let out: Vec<i32> = keys.iter().map(|key| entry(key).copied().unwrap_or(-1)).collect();
    form.expect_i32s("out", &out);
}

/// Pairs whose bit is not set are reversed; the last element of an odd number is unchanged.
fn tight_operators(form: &mut Form<'_>) {
    let (mut values, fixed) = (form.i32s("in"), form.u32s("fixed"));
    let bits = fixed.iter().flat_map(|word| (0..32).map(move |bit| word & (1 << bit) != 0));
    for (pair, is_fixed) in values.chunks_mut(2).zip(bits) {
        if !is_fixed {
            pair.reverse();
        }
    }
    form.expect_i32s("out", &values);
}

/// Each row reversed.
fn mirror(form: &mut Form<'_>) {
    let mut picture = form.i32s("picture");
    for row in picture.chunks_mut(form.number("width")) {
        row.reverse();
    }
    form.expect_i32s("out", &picture);
}

/// Each element at its new place, if it exists, and 0 elsewhere.
fn shift_in_ptx(form: &mut Form<'_>) {
    let row = form.i32s("in");
    let shift = form.number("shift").cast_signed();
    let mut out = vec![0; row.len()];
    for (from, value) in row.iter().enumerate() {
        if let Some(place) = from.checked_add_signed(shift).and_then(|to| out.get_mut(to)) {
            *place = *value;
        }
    }
    form.expect_i32s("out", &out);
}

/// One step of a recipe for each round.
fn stir(value: u32, (a, c): (u32, u32), rounds: usize) -> u32 {
    (0..rounds).fold(value, |value, _| value.wrapping_mul(a).wrapping_add(c))
}

const LONG: (u32, u32) = (1_664_525, 1_013_904_223);

/// A step of the recipe, and its upper bits mixed in, once for each round.
fn refine(value: u32, rounds: usize) -> u32 {
    let once = |value: u32| value ^ (value >> 15);
    (0..rounds).fold(value, |value, _| once(stir(value, LONG, 1)))
}

/// The recipe depends on the input value; each round has a spice.
fn one_loop(form: &mut Form<'_>) {
    let (rounds, spice) = (form.number("rounds"), form.u32s("spice"));
    let recipe = |value: u32| if value.is_multiple_of(2) { LONG } else { (22_695_477, 1) };
    let one = |value: &u32| {
        let recipe = recipe(*value);
        spice[..rounds].iter().fold(*value, |value, spice| stir(value, recipe, 1).wrapping_add(*spice))
    };
    let out: Vec<u32> = form.u32s("in").iter().map(one).collect();
    form.expect_u32s("out", &out);
}

/// Each eighth frame by the long computation, the others by one step.
fn key_frames(form: &mut Form<'_>) {
    let rounds = form.number("rounds");
    let mut frames = form.u32s("in");
    for eight in frames.chunks_mut(8) {
        for (place, frame) in eight.iter_mut().enumerate() {
            *frame = if place == 0 { refine(*frame, rounds) } else { frame.wrapping_add(1) };
        }
    }
    form.expect_u32s("out", &frames);
}

/// Values below 100 by the long computation, the others by one step.
fn collect(form: &mut Form<'_>) {
    let (rounds, threshold) = (form.number("rounds"), form.number("threshold") as u32);
    let one = |value: u32| if value < threshold { refine(value, rounds) } else { value.wrapping_add(1) };
    let out: Vec<u32> = form.u32s("in").iter().map(|value| one(*value)).collect();
    form.expect_u32s("out", &out);
}

/// As many entries precede the key as are less than it.
fn where_it_goes(form: &mut Form<'_>) {
    let (keys, mut table) = (form.i32s("key"), form.i32s("table"));
    table.truncate(form.number("entries"));
    let place = |key: &i32| table.iter().filter(|entry| *entry < key).count() as i32;
    let places: Vec<i32> = keys.iter().map(place).collect();
    form.expect_i32s("place", &places);
}
