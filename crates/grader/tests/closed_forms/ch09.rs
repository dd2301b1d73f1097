//! The exercises of chapter 9: the modern vocabulary.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("mailbox", mailbox),
    ("knock", knock),
    ("juries", juries),
    ("sum_of_some", sum_of_some),
    ("takings_by_shop", takings_by_shop),
    ("two_trays", two_trays),
    ("leavers", leavers),
    ("belt", belt),
];

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

/// The lock is open again, and nothing was lost.
fn knock(form: &mut Form<'_>) {
    let x = form.i32s("x");
    let (entries, sum) = (x.len() as i32, x.iter().sum::<i32>());
    form.expect_i32s("word", &[0]);
    form.expect_i32s("record", &[entries, sum, entries + sum]);
}

/// Sorted, the first and the last mark of a jury do not count.
fn juries(form: &mut Form<'_>) {
    let of_jury = |marks: &[i32]| {
        let mut sorted = marks.to_vec();
        sorted.sort_unstable();
        sorted[1..7].iter().sum()
    };
    form.expect_i32s("score", &form.i32s("mark").chunks(8).map(of_jury).collect::<Vec<i32>>());
}

/// The receipts of shop -1 belong to no total.
fn takings_by_shop(form: &mut Form<'_>) {
    let (shop, amount) = (form.i32s("shop"), form.i32s("amount"));
    let of_shop = |wanted: i32| {
        shop.iter().zip(&amount).filter(|(shop, _)| **shop == wanted).map(|(_, amount)| amount).sum()
    };
    form.expect_i32s("total", &(0..12).map(of_shop).collect::<Vec<i32>>());
}

/// Threads with the same lane eat the same dishes, and the cooks nothing.
fn two_trays(form: &mut Form<'_>) {
    let menu = form.i32s("menu");
    let of_lane = |lane: usize| menu.iter().skip(lane).step_by(32).sum();
    let eaten = (0..form.number("threads")).map(|t| if t < 32 { -1 } else { of_lane(t % 32) });
    form.expect_i32s("eaten", &eaten.collect::<Vec<i32>>());
}

/// On each stage, whoever walks at least that many carries a load.
fn leavers(form: &mut Form<'_>) {
    let (stages, load) = (form.i32s("stages"), form.i32s("load"));
    let carried = |stage: i32| -> i32 {
        stages.iter().zip(&load).filter(|(walked, _)| **walked > stage).map(|(_, load)| load).sum()
    };
    let noted = stages.iter().map(|&walked| (0..walked).map(carried).sum());
    form.expect_i32s("noted", &noted.collect::<Vec<i32>>());
}

/// All parcels arrive in their order, and both blocks have counted them.
fn belt(form: &mut Form<'_>) {
    let x = form.i32s("x");
    form.expect_i32s("words", &[x.len() as i32; 2]);
    form.expect_i32s("y", &x);
}
