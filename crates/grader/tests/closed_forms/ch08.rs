//! The exercises of chapter 8.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[("sixteen_at_once", sixteen_at_once), ("small_grid", small_grid)];

fn sixteen_at_once(form: &mut Form<'_>) {
    let scaled: Vec<i32> = form.i32s("x").iter().map(|reading| 3 * reading + 1).collect();
    form.expect_i32s("y", &scaled);
}

/// Neighbours in the list that are in descending order.
fn small_grid(form: &mut Form<'_>) {
    let falls = form.i32s("x").windows(2).filter(|pair| pair[1] < pair[0]).count();
    form.expect_i32s("falls", &[falls as i32]);
}
