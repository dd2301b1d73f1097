//! Tests of [`super`]: chains of two words against arithmetic of twice the width.

use crate::isa::testing::{Bits, Program, numbers};
use crate::ptx::ast::Type::{self, U32, U64};

/// The two words `low` and `high` left by instructions on `a0 a1`, `b0 b1` and `c0 c1`, all of type `ty`.
fn run(ty: Type, [a, b, c]: [u128; 3], instructions: &[(&'static str, &'static str)]) -> u128 {
    let width = if ty == U32 { 32 } else { 64 };
    let word = |value: u128| -> Bits { (ty, (value & ((1 << width) - 1)) as u64) };
    let names = [("a0", a), ("a1", a >> width), ("b0", b), ("b1", b >> width), ("c0", c), ("c1", c >> width)];
    let results = [("low", 0), ("high", 0), ("over", 0)];
    let registers: Vec<_> =
        names.into_iter().chain(results).map(|(name, value)| (name, word(value))).collect();
    let mut program = Program::new(&registers);
    for &(opcode, operands) in instructions {
        program.run(opcode, operands).unwrap();
    }
    let [low, high] = ["low", "high"].map(|name| u128::from(program.get(name)));
    // The caller decides whether the flag that the last instruction left is copied to `over`.
    let over = u128::from(program.get("over"));
    assert!(over <= 1);
    if over == 1 && width == 32 { low | high << width | 1 << 64 } else { low | high << width }
}

fn pairs() -> impl Iterator<Item = (u128, u128)> {
    let wide =
        || numbers().zip(numbers().skip(11)).map(|(low, high)| u128::from(low) | u128::from(high) << 64);
    wide().zip(wide().skip(5)).take(500)
}

#[test]
fn a_sum_of_two_words_carries() {
    for (a, b) in pairs() {
        let sum = run(U64, [a, b, 0], &[("add.cc.u64", "low a0 b0"), ("addc.u64", "high a1 b1")]);
        assert_eq!(sum, a.wrapping_add(b));
        let (a, b) = (a & u128::from(u64::MAX), b & u128::from(u64::MAX));
        let sum = [("add.cc.s32", "low a0 b0"), ("addc.cc.s32", "high a1 b1"), ("addc.u32", "over 0 0")];
        assert_eq!(run(U32, [a, b, 0], &sum), a + b);
    }
}

#[test]
fn a_difference_of_two_words_borrows() {
    for (a, b) in pairs() {
        let rest = run(U64, [a, b, 0], &[("sub.cc.s64", "low a0 b0"), ("subc.s64", "high a1 b1")]);
        assert_eq!(rest, a.wrapping_sub(b));
        let (a, b) = (a & u128::from(u64::MAX), b & u128::from(u64::MAX));
        // The result of 1 minus the last borrow shows whether there was one.
        let rest = [("sub.cc.u32", "low a0 b0"), ("subc.cc.u32", "high a1 b1"), ("subc.u32", "over 1 0")];
        assert_eq!(run(U32, [a, b, 0], &rest), ((1 << 64) + a - b));
    }
}

#[test]
fn a_product_of_two_words_is_a_chain_of_four() {
    for (a, b) in pairs() {
        let (c, a, b) = (b, a & u128::from(u64::MAX), b & u128::from(u64::MAX));
        let product = [("mad.lo.cc.u64", "low a0 b0 c0"), ("madc.hi.u64", "high a0 b0 c1")];
        assert_eq!(run(U64, [a, b, c], &product), (a * b).wrapping_add(c));
        let c = c & u128::from(u64::MAX);
        let product = [
            ("mad.lo.cc.u32", "low a0 b0 c0"),
            ("madc.hi.cc.u32", "high a0 b0 c1"),
            ("addc.u32", "over 0 0"),
        ];
        let low = |value: u128| value & 0xffff_ffff;
        assert_eq!(run(U32, [a, b, c], &product), low(a) * low(b) + c);
    }
}

#[test]
fn the_upper_half_of_a_signed_product_is_signed() {
    let minus_two = u128::from(u64::MAX - 1);
    let chain = [("mad.lo.cc.s64", "low a0 b0 c0"), ("madc.hi.s64", "high a0 b0 c1")];
    assert_eq!(run(U64, [minus_two, 3, 0], &chain), (-6i128) as u128);
    let chain = [("mad.hi.cc.s32", "low a0 b0 c0"), ("addc.s32", "high a1 b1")];
    assert_eq!(run(U32, [0xffff_ffff, 1, 1], &chain), 1 << 32, "-1 + 1 carries");
}

#[test]
fn the_flag_is_clear_at_first_and_kept_by_what_does_not_write_it() {
    let registers = [("d", (U32, 0)), ("q", (U32, 0))];
    let mut program = Program::new(&registers);
    program.run("addc.u32", "d 0 0").unwrap();
    assert_eq!(program.get("d"), 0);
    program.run("add.cc.u32", "d -1 1").unwrap();
    program.run("addc.u32", "d 5 5").unwrap();
    program.run("add.u32", "q 0 0").unwrap();
    program.run("addc.u32", "q 5 5").unwrap();
    assert_eq!((program.get("d"), program.get("q")), (11, 11));
    program.run("addc.cc.u32", "d -1 0").unwrap();
    program.run("subc.cc.u32", "q 0 0").unwrap();
    assert_eq!(
        (program.get("d"), program.get("q")),
        (0, 0),
        "the carry of -1 + 1 is what `subc` need not borrow"
    );
}

/// One adder: see the documentation of [`super`].
#[test]
fn a_difference_leaves_the_carry_of_its_sum() {
    for (a, b) in pairs() {
        let [small_a, small_b] = [a, b].map(|value| value & u128::from(u32::MAX));
        let carry = [("sub.cc.u32", "low a0 b0"), ("addc.u32", "over 0 0")];
        let expected =
            small_a.wrapping_sub(small_b) & u128::from(u32::MAX) | u128::from(small_a >= small_b) << 64;
        assert_eq!(run(U32, [small_a, small_b, 0], &carry), expected);
        let borrow = [("add.cc.u32", "low a0 b0"), ("subc.u32", "over 1 0")];
        assert_eq!(
            run(U32, [small_a, small_b, 0], &borrow),
            (small_a + small_b) & u128::from(u32::MAX) | (small_a + small_b) >> 32 << 64
        );
    }
}
