//! The exercises of chapter 5.

use super::{Form, Function};

/// By exercise.
pub const FORMS: &[(&str, Function)] = &[
    ("letter_counts", letter_counts),
    ("greatest_and_where", greatest_and_where),
    ("product_of_floats", product_of_floats),
    ("count_by_block", count_by_block),
    ("bucket_locks", bucket_locks),
    ("running_record", running_record),
    ("two_greatest", two_greatest),
    ("chain_of_blocks", chain_of_blocks),
    ("last_block_resets", last_block_resets),
    ("after_you", after_you),
    ("next_run", next_run),
    ("all_arrived", all_arrived),
];

fn letter_counts(form: &mut Form<'_>) {
    let text = form.i32s("text");
    let count = |letter: i32| text.iter().filter(|&&other| other == letter).count() as i32;
    form.expect_i32s("counts", &(0..8).map(count).collect::<Vec<_>>());
}

/// The first of the largest elements.
fn greatest_and_where(form: &mut Form<'_>) {
    let x = form.i32s("x");
    let greatest = *x.iter().max().unwrap();
    let place = x.iter().position(|&value| value == greatest).unwrap();
    form.expect_i32s("result", &[greatest, place as i32]);
}

/// Powers of two and zeros, so the order does not matter. A NaN is always the one that PTX makes.
fn product_of_floats(form: &mut Form<'_>) {
    const NAN: u32 = 0x7fff_ffff;
    let start = f32::from_bits(form.u32s("product")[0]);
    let product = form.f32s("x").iter().fold(start, |product, value| product * value);
    form.expect_u32s("product", &[if product.is_nan() { NAN } else { product.to_bits() }]);
}

fn count_by_block(form: &mut Form<'_>) {
    let hits = form.i32s("x").iter().filter(|&&value| value > 30).count();
    form.expect_i32s("hits", &[hits as i32]);
}

/// Like the machine, it drops what does not fit into a word. If the locks are never released, all threads give up.
fn bucket_locks(form: &mut Form<'_>) {
    let (x, blocks, tries) = (form.i32s("x"), form.number("blocks"), form.number("held") == 0);
    let of = |bucket: usize| {
        let all = x.iter().skip(bucket).step_by(4).fold(1_i32, |all, &value| all.wrapping_mul(value));
        if tries { all.wrapping_pow(blocks as u32) } else { 1 }
    };
    form.expect_i32s("product", &(0..4).map(of).collect::<Vec<_>>());
    form.expect_i32s("gave_up", &[if tries { 0 } else { (blocks * x.len()) as i32 }]);
}

/// If the lock is never released, every block gives up.
fn running_record(form: &mut Form<'_>) {
    let (blocks, is_held) = (form.number("blocks"), form.number("held") > 0);
    let entered = if is_held { 0 } else { blocks * form.number("rounds") };
    let x = &form.i32s("x")[..entered];
    form.expect_i32s("record", &[entered as i32, x.iter().sum(), x.iter().max().copied().unwrap_or(0)]);
    form.expect_i32s("gave_up", &[if is_held { blocks as i32 } else { 0 }]);
}

/// If there is only one number, the second word is unchanged.
fn two_greatest(form: &mut Form<'_>) {
    let mut x = form.i32s("x");
    x.extend(form.i32s("top"));
    x.sort_unstable_by(|one, other| other.cmp(one));
    form.expect_i32s("top", &x[..2]);
    form.expect_i32s("gave_up", &[0]);
}

fn chain_of_blocks(form: &mut Form<'_>) {
    let mut so_far = 0;
    let sums: Vec<i32> = form
        .i32s("x")
        .iter()
        .map(|value| {
            so_far += value;
            so_far
        })
        .collect();
    form.expect_i32s("flag", &vec![1; sums.len()]);
    form.expect_i32s("sum", &sums);
}

fn last_block_resets(form: &mut Form<'_>) {
    let least = *form.i32s("x").iter().min().unwrap();
    form.expect_i32s("result", &[least]);
    form.expect_u32s("tickets", &[0]);
}

/// Which threads have arrived; none of them has crashed.
fn after_you(form: &mut Form<'_>) {
    let blocks = form.number("blocks");
    form.expect_i32s("flag", &vec![1; blocks]);
    form.expect_i32s("crashes", &vec![0; blocks]);
}

/// A number belongs to the last run that begins at it or before it. Each block also draws one number for which there is
/// no run.
fn next_run(form: &mut Form<'_>) {
    let (mut x, begin, factor) = (form.i32s("x"), form.i32s("begin"), form.i32s("factor"));
    for (place, value) in (0..).zip(&mut x) {
        // A number after the end of the last run belongs to no run.
        let begun = begin.iter().filter(|&&begin| begin <= place).count();
        *value *= factor.get(begun - 1).unwrap_or(&1);
    }
    form.expect_i32s("x", &x);
    form.expect_i32s("next", &[(form.number("runs") + form.number("blocks")) as i32]);
}

/// If a block is missing, all others give up.
fn all_arrived(form: &mut Form<'_>) {
    let (mut x, blocks) = (form.i32s("x"), form.number("blocks"));
    let is_complete = blocks == form.number("expected");
    let least = if is_complete { *x.iter().min().unwrap() } else { 0 };
    for value in &mut x {
        *value -= least;
    }
    form.expect_i32s("x", &x);
    form.expect_i32s("arrived", &[blocks as i32]);
    form.expect_i32s("gave_up", &[if is_complete { 0 } else { blocks as i32 }]);
}
