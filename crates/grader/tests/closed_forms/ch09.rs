//! The exercises of chapter 9: the modern vocabulary.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[("mailbox", mailbox), ("sum_of_some", sum_of_some)];

/// Each number passes through the slot, which takes two turns.
fn mailbox(form: &mut Form<'_>) {
    let x = form.i32s("x");
    form.expect_i32s("word", &[2 * x.len() as i32]);
    form.expect_i32s("y", &x);
}

fn sum_of_some(form: &mut Form<'_>) {
    let limit = form.number("limit") as i32;
    let (above, _): (Vec<i32>, Vec<i32>) = form.i32s("x").iter().partition(|&&value| value > limit);
    form.expect_i32s("total", &[above.iter().sum(), above.len() as i32]);
}
