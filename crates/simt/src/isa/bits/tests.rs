//! Tests of [`super`]: shifts past the width, all truth tables, all modes of permutation.

use crate::isa::testing::{Program, eval, eval_text, numbers, refusal};
use crate::ptx::ast::Type::{self, B16, B32, B64, Pred, S16, S32, S64, U16, U32, U64};

#[track_caller]
fn check(opcode: &str, result: Type, sources: &[(Type, u64)], want: u64) {
    let got = eval(opcode, result, sources);
    assert_eq!(got, want, "`{opcode}` of {sources:x?} gave {got:#x}, not {want:#x}");
}

#[test]
fn logic_on_bits_and_predicates() {
    check("and.b16", B16, &[(B16, 0xff0f), (B16, 0x0ff0)], 0x0f00);
    check("or.b32", B32, &[(B32, 0xff00_0000), (B32, 0xff)], 0xff00_00ff);
    check("xor.b64", B64, &[(B64, u64::MAX), (B64, 1)], u64::MAX - 1);
    check("not.b16", B16, &[(B16, 0x00ff)], 0xff00);
    check("not.b64", B64, &[(B64, 0)], u64::MAX);
    check("cnot.b32", B32, &[(B32, 0)], 1);
    check("cnot.b64", B64, &[(B64, 1 << 40)], 0);
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        check("and.pred", Pred, &[(Pred, a), (Pred, b)], a & b);
        check("or.pred", Pred, &[(Pred, a), (Pred, b)], a | b);
        check("xor.pred", Pred, &[(Pred, a), (Pred, b)], a ^ b);
        check("not.pred", Pred, &[(Pred, a)], 1 - a);
    }
}

#[test]
fn a_predicate_that_is_read_may_be_negated() {
    let mut program = Program::new(&[("d", (Pred, 0)), ("a", (Pred, 1)), ("b", (Pred, 0)), ("x", (B32, 0))]);
    for (opcode, operands, want) in [
        ("and.pred", "d a !b", 1),
        ("and.pred", "d !a !b", 0),
        ("or.pred", "d b !a", 0),
        ("xor.pred", "d a !a", 1),
        ("not.pred", "d !a", 1),
        ("mov.pred", "d !a", 0),
        ("lop3.and.b32", "x|d 1 1 1 128 !b", 1),
    ] {
        program.run(opcode, operands).unwrap();
        assert_eq!(program.get("d"), want, "{opcode} {operands}");
    }
    assert_eq!(program.run("not.pred", "!d a").unwrap_err(), "a result must be a predicate");
    assert_eq!(program.run("not.pred", "d !x").unwrap_err(), "`!` needs a predicate, and `x` is not one");
    let message = program.run("not.b32", "x !x").unwrap_err();
    assert_eq!(message, "this operand must be a 32-bit register or a literal");
}

#[test]
fn counts_from_the_width_on_shift_everything_out() {
    for count in [16, 17, 31, 32, 64, 0xffff_ffff] {
        check("shl.b16", B16, &[(B16, 0xffff), (U32, count)], 0);
        check("shr.u16", U16, &[(U16, 0xffff), (U32, count)], 0);
        check("shr.s16", S16, &[(S16, 0x8000), (U32, count)], 0xffff);
    }
    for count in [32, 33, 64, 0xffff_ffff] {
        check("shl.b32", B32, &[(B32, 0xffff_ffff), (U32, count)], 0);
        check("shr.b32", B32, &[(B32, 0xffff_ffff), (U32, count)], 0);
        check("shr.s32", S32, &[(S32, 0x8000_0000), (U32, count)], 0xffff_ffff);
        check("shr.s32", S32, &[(S32, 0x7fff_ffff), (U32, count)], 0);
    }
    for count in [64, 65, 128, 0xffff_ffff] {
        check("shl.b64", B64, &[(B64, u64::MAX), (U32, count)], 0);
        check("shr.u64", U64, &[(U64, u64::MAX), (U32, count)], 0);
        check("shr.s64", S64, &[(S64, 1 << 63), (U32, count)], u64::MAX);
    }
    check("shl.b16", B16, &[(B16, 0xffff), (U32, 4)], 0xfff0);
    check("shr.b64", B64, &[(B64, u64::MAX), (U32, 63)], 1);
    check("shr.s16", S16, &[(S16, 0x8000), (U32, 15)], 0xffff);
}

#[test]
fn the_count_of_a_shift_is_always_a_32_bit_register() {
    let message = refusal("shl.b64", B64, &[(B64, 0), (B64, 0)]);
    assert_eq!(message, "`s1` has 64 bits, but a 32-bit register is expected");
}

#[test]
fn lop3_follows_its_truth_table() {
    for lut in 0..=255u32 {
        let (a, b, c) = (0xf0f0_f0f0_u32, 0xcccc_3333_u32, 0xaa55_aa55_u32);
        let bit = |i: u32| lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1;
        let want = (0..32).fold(0, |word, i| word | bit(i) << i);
        let registers =
            [("d", (B32, 0)), ("a", (B32, a.into())), ("b", (B32, b.into())), ("c", (B32, c.into()))];
        assert_eq!(eval_text("lop3.b32", &format!("d a b c {lut}"), &registers), u64::from(want), "{lut}");
    }
}

#[test]
fn lop3_tells_whether_a_bit_is_set() {
    for (opcode, lut, e, want) in [
        ("lop3.or.b32", "0", 0, 0),
        ("lop3.or.b32", "0", 1, 1),
        ("lop3.or.b32", "255", 0, 1),
        ("lop3.and.b32", "255", 0, 0),
        ("lop3.and.b32", "255", 1, 1),
        ("lop3.and.b32", "0", 1, 0),
    ] {
        let mut program =
            Program::new(&[("d", (B32, 0)), ("p", (Pred, 0)), ("a", (B32, 0)), ("e", (Pred, e))]);
        let operands = format!("d|p a a a {lut} e");
        let operands: &str = operands.leak();
        program.run(opcode, operands).unwrap();
        assert_eq!(program.get("p"), want, "`{opcode}` with {lut} and {e}");
        program.run(opcode, operands.replace('d', "_").leak()).unwrap();
        assert_eq!(program.get("p"), want, "`{opcode}` without its word");
    }
}

#[test]
fn a_truth_table_is_a_literal() {
    let mut program = Program::new(&[("d", (B32, 0)), ("a", (B32, 0))]);
    let want = Err("the truth table must be a literal from 0 to 255".to_string());
    assert_eq!(program.run("lop3.b32", "d a a a 256"), want);
    assert_eq!(program.run("lop3.b32", "d a a a a"), want);
}

#[test]
fn funnel_shifts_clamp_or_wrap() {
    let (a, b) = ((B32, 0x1111_1111), (B32, 0x8888_8888));
    let shf = |opcode, count, want| check(opcode, B32, &[a, b, (U32, count)], want);
    shf("shf.l.clamp.b32", 0, 0x8888_8888);
    shf("shf.l.clamp.b32", 4, 0x8888_8881);
    shf("shf.l.clamp.b32", 32, 0x1111_1111);
    shf("shf.l.clamp.b32", 99, 0x1111_1111);
    shf("shf.l.wrap.b32", 32, 0x8888_8888);
    shf("shf.l.wrap.b32", 36, 0x8888_8881);
    shf("shf.r.clamp.b32", 0, 0x1111_1111);
    shf("shf.r.clamp.b32", 4, 0x8111_1111);
    shf("shf.r.clamp.b32", 32, 0x8888_8888);
    shf("shf.r.clamp.b32", 99, 0x8888_8888);
    shf("shf.r.wrap.b32", 32, 0x1111_1111);
    shf("shf.r.wrap.b32", 36, 0x8111_1111);
}

#[test]
fn prmt_picks_bytes_or_their_signs() {
    let (a, b) = ((B32, 0x8372_6150), (B32, 0xc7b6_a594));
    let prmt = |opcode, control, want| check(opcode, B32, &[a, b, (B32, control)], want);
    prmt("prmt.b32", 0x3210, 0x8372_6150);
    prmt("prmt.b32", 0x7654, 0xc7b6_a594);
    prmt("prmt.b32", 0xffff_0123, 0x5061_7283);
    prmt("prmt.b32", 0xba98, 0xff00_0000);
    prmt("prmt.b32", 0xfedc, 0xffff_ffff);
    // The tables of the specification, by the lower two bits of the control.
    for (mode, picks) in [
        ("prmt.b32.f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
        ("prmt.b32.b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("prmt.b32.rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("prmt.b32.ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("prmt.b32.ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("prmt.b32.rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ] {
        for (control, pick) in picks.into_iter().enumerate() {
            let want = eval("prmt.b32", B32, &[a, b, (B32, pick)]);
            prmt(mode, control as u64, want);
            prmt(mode, control as u64 | 0xffff_fff0, want);
        }
    }
}

#[test]
fn shifts_agree_with_128_bits() {
    for (a, count) in numbers().zip(numbers().skip(9)).take(500) {
        let count = count % 80;
        let wide = u128::from(a);
        check("shl.b64", B64, &[(B64, a), (U32, count)], (wide << count) as u64);
        check("shr.u64", U64, &[(U64, a), (U32, count)], (wide >> count) as u64);
        check("shr.s64", S64, &[(S64, a), (U32, count)], (i128::from(a as i64) >> count) as u64);
    }
}
