//! Tests of [`super`]: every operator on every outcome, and the truth table of the third predicate.

use crate::isa::testing::{Program, eval, eval_text, refusal};
use crate::ptx::ast::Type::{self, B32, F32, F64, Pred, S16, S32, S64, U16, U32, U64};

/// Operators and whether they hold where `a` is less than, equal to, greater than, unordered with `b`.
const OPERATORS: [(&str, [bool; 4]); 14] = [
    ("eq", [false, true, false, false]),
    ("ne", [true, false, true, false]),
    ("lt", [true, false, false, false]),
    ("le", [true, true, false, false]),
    ("gt", [false, false, true, false]),
    ("ge", [false, true, true, false]),
    ("equ", [false, true, false, true]),
    ("neu", [true, false, true, true]),
    ("ltu", [true, false, false, true]),
    ("leu", [true, true, false, true]),
    ("gtu", [false, false, true, true]),
    ("geu", [false, true, true, true]),
    ("num", [true, true, true, false]),
    ("nan", [false, false, false, true]),
];

#[track_caller]
fn setp(operator: &str, ty: Type, [a, b]: [u64; 2], want: bool) {
    let name = format!("{ty:?}").to_lowercase();
    let opcode = format!("setp.{operator}.{name}");
    let got = eval(&opcode, Pred, &[(ty, a), (ty, b)]);
    assert_eq!(got, u64::from(want), "`{opcode}` of {a:#x} and {b:#x}");
    let opcode = format!("set.{operator}.u32.{name}");
    let got = eval(&opcode, U32, &[(ty, a), (ty, b)]);
    assert_eq!(got, if want { 0xffff_ffff } else { 0 }, "`{opcode}` of {a:#x} and {b:#x}");
}

#[test]
fn floats_compare_by_four_outcomes() {
    let f32_bits = |value: f32| u64::from(value.to_bits());
    for (operator, [less, equal, greater, unordered]) in OPERATORS {
        let single = |a, b, want| setp(operator, F32, [f32_bits(a), f32_bits(b)], want);
        let double = |a: f64, b: f64, want| setp(operator, F64, [a.to_bits(), b.to_bits()], want);
        single(f32::NEG_INFINITY, -1.0, less);
        single(0.0, -0.0, equal);
        single(1e-45, 0.0, greater);
        single(f32::NAN, 1.0, unordered);
        single(1.0, -f32::NAN, unordered);
        single(f32::NAN, f32::NAN, unordered);
        double(1.0, 1.5, less);
        double(f64::INFINITY, f64::INFINITY, equal);
        double(0.0, -5e-324, greater);
        double(0.0, f64::NAN, unordered);
    }
}

#[test]
fn integers_compare_by_their_sign() {
    for (operator, [less, equal, greater, _]) in &OPERATORS[..6] {
        setp(operator, S32, [0xffff_ffff, 1], *less);
        setp(operator, U32, [0xffff_ffff, 1], *greater);
        setp(operator, S16, [0x8000, 0x7fff], *less);
        setp(operator, U16, [0x8000, 0x7fff], *greater);
        setp(operator, S64, [1 << 63, 0], *less);
        setp(operator, U64, [1 << 63, 0], *greater);
        setp(operator, U64, [1 << 63, 1 << 63], *equal);
    }
    for (operator, same_as) in [("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge")] {
        for [a, b] in [[1, 2], [2, 2], [0xffff_ffff, 2]] {
            let want = eval(&format!("setp.{same_as}.u32"), Pred, &[(U32, a), (U32, b)]);
            setp(operator, U32, [a, b], want != 0);
        }
    }
    setp("ne", B32, [1, 2], true);
}

#[test]
fn ftz_compares_subnormals_as_zero() {
    let (tiny, zero) = ((F32, 1), (F32, 0x8000_0000));
    assert_eq!(eval("setp.gt.f32", Pred, &[tiny, zero]), 1);
    assert_eq!(eval("setp.gt.ftz.f32", Pred, &[tiny, zero]), 0);
    assert_eq!(eval("setp.eq.ftz.f32", Pred, &[tiny, (F32, 0x807f_ffff)]), 1);
    assert_eq!(eval("setp.eq.ftz.f32", Pred, &[(F32, 0x0080_0000), zero]), 0);
    assert_eq!(eval("setp.nan.ftz.f32", Pred, &[tiny, (F32, 0x7fc0_0000)]), 1);
    assert_eq!(eval("set.eq.ftz.u32.f32", U32, &[tiny, zero]), 0xffff_ffff);
}

#[test]
fn a_third_predicate_joins_in_either_sense() {
    type Rule = fn(bool, bool) -> bool;
    let rules: [(&str, Rule); 3] = [("and", |t, c| t & c), ("or", |t, c| t | c), ("xor", |t, c| t ^ c)];
    for (name, rule) in rules {
        let setp: &str = format!("setp.lt.{name}.s32").leak();
        let set: &str = format!("set.lt.{name}.f32.s32").leak();
        for (t, c) in [(false, false), (false, true), (true, false), (true, true)] {
            let registers = [
                ("d", (Pred, 0)),
                ("q", (Pred, 0)),
                ("f", (F32, 7)),
                ("a", (S32, if t { 1 } else { 2 })),
                ("c", (Pred, c.into())),
            ];
            let mut program = Program::new(&registers);
            for (operands, c) in [("d|q a 2 c", c), ("d|q a 2 !c", !c)] {
                program.run(setp, operands).unwrap();
                let want = (u64::from(rule(t, c)), u64::from(rule(!t, c)));
                assert_eq!((program.get("d"), program.get("q")), want, "`{setp} {operands}` for {t}, {c}");
            }
            program.run(setp, "d a 2 !c").unwrap();
            assert_eq!(program.get("d"), u64::from(rule(t, !c)), "one result");
            program.run(setp, "_|q a 2 c").unwrap();
            assert_eq!(program.get("q"), u64::from(rule(!t, c)), "the second alone");
            program.run(set, "f a 2 !c").unwrap();
            assert_eq!(program.get("f"), if rule(t, !c) { 0x3f80_0000 } else { 0 });
        }
    }
}

#[test]
fn two_results_without_an_operator_are_opposites() {
    let registers = [("d", (Pred, 0)), ("q", (Pred, 0)), ("a", (F32, 0x7fc0_0000))];
    let mut program = Program::new(&registers);
    program.run("setp.lt.f32", "d|q a a").unwrap();
    assert_eq!((program.get("d"), program.get("q")), (0, 1), "the opposite of `lt` holds for a NaN");
}

#[test]
fn a_result_may_be_a_source() {
    let registers = [("d", (Pred, 1)), ("q", (Pred, 0)), ("a", (S32, 0))];
    let mut program = Program::new(&registers);
    program.run("setp.eq.and.s32", "d|q a 1 d").unwrap();
    assert_eq!((program.get("d"), program.get("q")), (0, 1));
}

#[test]
fn selection_moves_bits() {
    let nan = 0xffa0_0001;
    assert_eq!(eval("selp.f32", F32, &[(F32, nan), (F32, 0), (Pred, 1)]), nan);
    assert_eq!(eval("selp.b64", U64, &[(U64, 1), (U64, 2), (Pred, 0)]), 2);
    assert_eq!(eval("selp.u16", U16, &[(U16, 1), (U16, 2), (Pred, 1)]), 1);
    assert_eq!(eval("slct.u32.s32", U32, &[(U32, 1), (U32, 2), (S32, 0)]), 1);
    assert_eq!(eval("slct.u32.s32", U32, &[(U32, 1), (U32, 2), (S32, 0xffff_ffff)]), 2);
    for (c, plain, ftz) in
        [(0x8000_0000, 1, 1), (0x8000_0001, 2, 1), (0x7fc0_0000, 2, 2), (0xff80_0000, 2, 2)]
    {
        assert_eq!(eval("slct.f64.f32", F64, &[(F64, 1), (F64, 2), (F32, c)]), plain);
        assert_eq!(eval("slct.ftz.f64.f32", F64, &[(F64, 1), (F64, 2), (F32, c)]), ftz);
    }
    assert_eq!(eval_text("selp.u32", "d 1 0 c", &[("d", (U32, 0)), ("c", (Pred, 1))]), 1);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let message = refusal("setp.lt.b32", Pred, &[(B32, 0), (B32, 0)]);
    assert!(
        message.starts_with("`setp.lt.b32` is not supported; supported forms: `setp.(eq|ne|"),
        "{message}"
    );
    let mut program = Program::new(&[("d", (U32, 0)), ("p", (Pred, 0))]);
    program.run("selp.u32", "d 1 2 !p").unwrap();
    assert_eq!(program.get("d"), 1);
    let message = program.run("selp.u32", "d 1 2 !d").unwrap_err();
    assert_eq!(message, "`!` needs a predicate, and `d` is not one");
    let message = program.run("setp.eq.and.u32", "p d d d").unwrap_err();
    assert_eq!(message, "`d` has 32 bits, but a predicate is expected");
    let message = program.run("setp.eq.u32", "p d d p").unwrap_err();
    assert_eq!(message, "`setp.eq.u32` has too many operands; leave out the last 1");
}
