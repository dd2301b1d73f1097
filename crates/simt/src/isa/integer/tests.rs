//! Tests of [`super`]: edge cases by hand, and products against wider arithmetic.

use crate::isa::testing::{eval, eval_text, numbers, refusal};
use crate::ptx::ast::Type::{self, B32, S16, S32, S64, U16, U32, U64};

const MIN32: u64 = 0x8000_0000;
const MIN64: u64 = 1 << 63;

#[track_caller]
fn check(opcode: &str, ty: Type, sources: &[u64], want: u64) {
    let sources: Vec<_> = sources.iter().map(|&bits| (ty, bits)).collect();
    let got = eval(opcode, ty, &sources);
    assert_eq!(got, want, "`{opcode}` gave {got:#x}, not {want:#x}");
}

fn bits32(value: i32) -> u64 {
    u64::from(value as u32)
}

fn bits64(value: i64) -> u64 {
    value as u64
}

#[test]
fn sums_wrap_and_saturate() {
    check("add.u16", U16, &[0xffff, 2], 1);
    check("add.s32", S32, &[0x7fff_ffff, 1], MIN32);
    check("add.u64", U64, &[u64::MAX, 2], 1);
    check("add.sat.s32", S32, &[0x7fff_ffff, 1], 0x7fff_ffff);
    check("add.sat.s32", S32, &[MIN32, bits32(-1)], MIN32);
    check("sub.u16", U16, &[0, 1], 0xffff);
    check("sub.s64", S64, &[0, 1], u64::MAX);
    check("sub.sat.s32", S32, &[MIN32, 1], MIN32);
    check("sub.sat.s32", S32, &[0, MIN32], 0x7fff_ffff);
}

#[test]
fn products_keep_the_half_they_are_asked_for() {
    check("mul.lo.u16", U16, &[0xffff, 0xffff], 1);
    check("mul.hi.u16", U16, &[0xffff, 0xffff], 0xfffe);
    check("mul.hi.s16", S16, &[0x8000, 0x8000], 0x4000);
    check("mul.hi.s32", S32, &[bits32(-1), 1], 0xffff_ffff);
    check("mul.hi.u32", U32, &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe);
    check("mul.hi.u64", U64, &[u64::MAX, u64::MAX], u64::MAX - 1);
    check("mul.hi.s64", S64, &[MIN64, MIN64], 1 << 62);
    check("mul.hi.s64", S64, &[MIN64, bits64(-1)], 0);
    check("mad.lo.u16", U16, &[0xffff, 2, 3], 1);
    check("mad.hi.s32", S32, &[bits32(-1), 1, 5], 4);
    check("mad.lo.s64", S64, &[bits64(-3), 4, 2], bits64(-10));
    check("mad.hi.sat.s32", S32, &[MIN32, MIN32, 0x7000_0000], 0x7fff_ffff);
    check("mad.hi.sat.s32", S32, &[MIN32, 0x7fff_ffff, MIN32], MIN32);
}

#[test]
fn wide_products_agree_with_the_wider_type() {
    for (a, b) in numbers().zip(numbers().skip(7)).take(200) {
        let (a, b) = (a & 0xffff_ffff, b & 0xffff_ffff);
        let (signed_a, signed_b) = (i64::from(a as u32 as i32), i64::from(b as u32 as i32));
        assert_eq!(eval("mul.wide.u32", U64, &[(U32, a), (U32, b)]), a * b);
        assert_eq!(eval("mul.wide.s32", S64, &[(S32, a), (S32, b)]), bits64(signed_a * signed_b));
        check("mul.hi.u32", U32, &[a, b], (a * b) >> 32);
        check("mul.lo.u32", U32, &[a, b], (a * b) & 0xffff_ffff);
        let wide = eval("mad.wide.s32", S64, &[(S32, a), (S32, b), (S64, MIN64)]);
        assert_eq!(wide, bits64((signed_a * signed_b).wrapping_add(i64::MIN)));
    }
    assert_eq!(eval("mul.wide.s16", S32, &[(S16, 0x8000), (S16, 0x7fff)]), bits32(-0x8000 * 0x7fff));
    assert_eq!(eval("mad.wide.u16", U32, &[(U16, 0xffff), (U16, 0xffff), (U32, 0x1_ffff)]), 0);
    assert_eq!(eval("mad.wide.u32", U64, &[(U32, 3), (U32, 4), (U64, u64::MAX)]), 11);
}

#[test]
fn products_of_24_bits_ignore_the_upper_byte() {
    check("mul24.lo.u32", U32, &[0xab00_0003, 0xcd00_0004], 12);
    check("mul24.hi.u32", U32, &[0xff_ffff, 0xff_ffff], 0xffff_fe00);
    check("mul24.lo.s32", S32, &[0xff_ffff, 5], bits32(-5));
    check("mul24.hi.s32", S32, &[0x80_0000, 0x80_0000], 0x4000_0000);
    check("mad24.lo.s32", S32, &[0xff_ffff, 5, 6], 1);
    check("mad24.hi.u32", U32, &[0xff_ffff, 0xff_ffff, 0x201], 0xffff_fe00 + 0x201 - (1 << 32));
    check("mad24.hi.sat.s32", S32, &[0x80_0000, 0x80_0000, 0x7000_0000], 0x7fff_ffff);
}

#[test]
fn sad_adds_the_distance() {
    check("sad.u32", U32, &[1, 5, 10], 14);
    check("sad.s32", S32, &[bits32(-3), 4, 1], 8);
    check("sad.u16", U16, &[0xffff, 0, 2], 1);
    check("sad.s32", S32, &[MIN32, 0x7fff_ffff, 0], 0xffff_ffff);
}

#[test]
fn quotients_round_to_zero_and_never_trap() {
    check("div.s32", S32, &[bits32(-7), 2], bits32(-3));
    check("rem.s32", S32, &[bits32(-7), 2], bits32(-1));
    check("rem.s32", S32, &[7, bits32(-2)], 1);
    check("div.u64", U64, &[u64::MAX, 3], 0x5555_5555_5555_5555);
    check("div.s32", S32, &[MIN32, bits32(-1)], MIN32);
    check("rem.s32", S32, &[MIN32, bits32(-1)], 0);
    check("div.s64", S64, &[MIN64, bits64(-1)], MIN64);
    check("rem.s64", S64, &[MIN64, bits64(-1)], 0);
    check("div.s16", S16, &[0x8000, 0xffff], 0x8000);
}

#[test]
fn division_by_zero_gives_what_the_machine_gives() {
    check("div.u32", U32, &[7, 0], 0xffff_ffff);
    check("div.s32", S32, &[7, 0], 0xffff_ffff);
    check("div.u64", U64, &[7, 0], u64::MAX);
    check("div.s16", S16, &[7, 0], 0xffff);
    check("rem.u16", U16, &[7, 0], 0xffff);
    check("rem.s32", S32, &[bits32(-3), 0], 0xffff_ffff);
    check("rem.u64", U64, &[7, 0], u64::MAX);
}

#[test]
fn signs_and_extremes() {
    check("abs.s32", S32, &[MIN32], MIN32);
    check("abs.s16", S16, &[0xffff], 1);
    check("neg.s64", S64, &[1], u64::MAX);
    check("neg.s32", S32, &[MIN32], MIN32);
    check("min.s32", S32, &[bits32(-1), 1], 0xffff_ffff);
    check("min.u32", U32, &[0xffff_ffff, 1], 1);
    check("max.s16", S16, &[0x8000, 0], 0);
    check("max.u64", U64, &[MIN64, 0], MIN64);
}

#[test]
fn dot_products_extend_each_byte_by_its_type() {
    let bytes = 0x80ff_0102;
    check("dp4a.u32.u32", B32, &[bytes, 0x0101_0101, 1], 1 + 0x80 + 0xff + 1 + 2);
    check("dp4a.s32.s32", B32, &[bytes, 0x0101_0101, 0], bits32(-128 - 1 + 1 + 2));
    check("dp4a.s32.u32", B32, &[0xffff_ffff, 0xffff_ffff, 0], bits32(-4 * 255));
    check("dp4a.u32.s32", B32, &[0xffff_ffff, 0xffff_ffff, 0], bits32(-4 * 255));
    check("dp2a.lo.u32.u32", B32, &[0x0003_0002, 0x0908_0504, 1], 1 + 2 * 4 + 3 * 5);
    check("dp2a.hi.u32.u32", B32, &[0x0003_0002, 0x0908_0504, 1], 1 + 2 * 8 + 3 * 9);
    check("dp2a.lo.s32.s32", B32, &[0x8000_ffff, 0x0000_ff02, 0], bits32(-2 + 0x8000));
    check("dp2a.hi.s32.u32", B32, &[0x0000_8000, 0x00ff_0000, 0], bits32(-0x8000 * 255));
}

#[test]
fn a_literal_is_an_operand() {
    assert_eq!(eval_text("add.s32", "d a -1", &[("d", (S32, 0)), ("a", (S32, 3))]), 2);
    assert_eq!(eval_text("mul.wide.s32", "d a -1", &[("d", (S64, 0)), ("a", (S32, 3))]), bits64(-3));
}

#[test]
fn what_is_no_form_is_refused_with_those_that_are() {
    let message = refusal("add.f16x4", U32, &[(U32, 0), (U32, 0)]);
    let start = "`add.f16x4` is not supported; supported forms: `add.(u16|u32|u64|s16|s32|s64)`, ";
    assert!(message.starts_with(start), "{message}");
    let message = refusal("mul.wide.u64", U64, &[(U64, 0), (U64, 0)]);
    assert!(message.starts_with("`mul.wide.u64` is not supported"), "{message}");
    let width = refusal("add.u32", U32, &[(U32, 0), (U64, 0)]);
    assert_eq!(width, "`s1` has 64 bits, but a 32-bit register is expected");
    let many = refusal("add.u32", U32, &[(U32, 0); 3]);
    assert_eq!(many, "`add.u32` has too many operands; leave out the last 1");
    let few = refusal("mad.lo.u32", U32, &[(U32, 0); 2]);
    assert_eq!(few, "`mad.lo.u32` needs more than 3 operands");
}
