//! Comparison and selection.
//!
//! Two numbers are less, equal, greater or (with a NaN) unordered, and a comparison is the set of outcomes
//! for which it holds: `ge` is `EQUAL | GREATER`, `geu` the same and `UNORDERED`. What `setp` and `set` do
//! with the outcome and a third, possibly negated, predicate is a truth table ([`combine`]).
//! Left out: the forms for f16 and bf16 ([`super::half`]). Specification: PTX ISA, sections 9.7.5 and 9.3.1.

use super::affine::{Comparison, Rule};
use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{Alu, Args, Flushed, Kind, Run, Value, alu, by_int, by_type, map_pred, map2, mask_of};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::{Bank, Lanes, Warps};
use crate::ptx::Error;
use crate::ptx::ast::{Operand, Type};

/// Comparison and selection.
pub const FAMILY: Family = Family {
    title: "Comparison and selection",
    section: "9.7.5",
    forms: &[
        Form::new("set.(eq|ne).(and|or|xor)?.(u32|s32|f32).(b16|b32|b64)", set),
        Form::new("set.(eq|ne|lt|le|gt|ge).(and|or|xor)?.(u32|s32|f32).(s16|s32|s64)", set),
        Form::new("set.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs).(and|or|xor)?.(u32|s32|f32).(u16|u32|u64)", set),
        Form::new(
            "set.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).(and|or|xor)?.(u32|s32|f32).(f32|f64)",
            set,
        ),
        Form::new(
            "set.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).(and|or|xor)?.ftz.(u32|s32|f32).f32",
            |m, o| set_as(m, o, m.ty(4), &float_runs::<Flushed>(test(m.text(1)))),
        ),
        Form::new("setp.(eq|ne).(and|or|xor)?.(b16|b32|b64)", setp),
        Form::new("setp.(eq|ne|lt|le|gt|ge).(and|or|xor)?.(s16|s32|s64)", setp),
        Form::new("setp.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs).(and|or|xor)?.(u16|u32|u64)", setp),
        Form::new("setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).(and|or|xor)?.(f32|f64)", setp),
        Form::new(
            "setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).(and|or|xor)?.ftz.f32",
            |m, o| setp_as(m, o, &float_runs::<Flushed>(test(m.text(1))), Rule::No),
        ),
        Form::new("selp.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", selp),
        Form::new("slct.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).s32", slct_int),
        Form::new("slct.ftz?.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).f32", slct_float),
    ],
};

/// A set of outcomes of comparing `a` with `b`.
pub(super) type Test = u8;
pub(super) const LESS: Test = 1;
pub(super) const EQUAL: Test = 2;
pub(super) const GREATER: Test = 4;
pub(super) const UNORDERED: Test = 8;

/// The outcomes for which a comparison holds. Those that end in `u` also hold for NaN.
pub(super) fn test(comparison: &str) -> Test {
    match comparison {
        "eq" => EQUAL,
        "ne" => LESS | GREATER,
        "lt" | "lo" => LESS,
        "le" | "ls" => LESS | EQUAL,
        "gt" | "hi" => GREATER,
        "ge" | "hs" => GREATER | EQUAL,
        "num" => LESS | EQUAL | GREATER,
        "nan" => UNORDERED,
        with_u => test(&with_u[..2]) | UNORDERED,
    }
}

/// Whether the outcome of comparing `a` with `b` is in `TEST`, which does not have `UNORDERED`. That is a constant, so the compiled
/// code has one comparison.
#[inline(always)]
fn holds<const TEST: Test, T: PartialOrd + Copy>(a: T, b: T) -> bool {
    (TEST & LESS != 0 && a < b) || (TEST & EQUAL != 0 && a == b) || (TEST & GREATER != 0 && a > b)
}

/// The Rust type for values that are only moved. Floating-point types remain what they are, because their literals
/// differ.
macro_rules! by_bits {
    ($ty:expr, $T:ident => $body:expr) => {
        by_type!($ty; [
            U16 | S16 | B16 => u16, U32 | S32 | B32 => u32, U64 | S64 | B64 => u64, F32 => f32, F64 => f64,
        ], $T => $body)
    };
}

/// A comparison of one type, as the instructions that use it. Only half of the comparisons have a loop of their own. Each of the
/// others is the complement of one that has, and its truth table says so.
struct Runs {
    sources: &'static [Kind],
    /// Whether the loop's comparison is the complement of what the instruction asks for.
    complement: bool,
    /// `setp` with one result and no third predicate: the form that kernels use most.
    setp: Run,
    /// `setp` with all there is: `d|q`, and a third predicate.
    setp_pair: Run,
    /// `set` that writes all ones.
    set_bits: Run,
    /// `set` that writes 1.0.
    set_float: Run,
}

fn runs<const TEST: Test, T: Value + PartialOrd>(complement: bool) -> Runs {
    Runs {
        sources: const { &[T::KIND, T::KIND] },
        complement,
        setp: |warps, args| {
            map2(warps, args, holds::<TEST, T>);
            if args.imm != ALONE {
                map_pred(warps, &Args { a: args.d, ..*args }, |holds| !holds);
            }
        },
        setp_pair: |warps, args| write_pair(warps, args, compare::<TEST, T>),
        set_bits: |warps, args| write_set(warps, args, compare::<TEST, T>, u32::MAX),
        set_float: |warps, args| write_set(warps, args, compare::<TEST, T>, 1f32.to_bits()),
    }
}

/// [`runs`] of `$test`, one of those listed.
macro_rules! by_test {
    ($test:expr, $complement:expr, $T:ty; $($listed:literal)*) => {
        match $test {
            $($listed => runs::<$listed, $T>($complement),)*
            other => unreachable!("the form's grammar lists no comparison {other} for this type"),
        }
    };
}

/// Integers are less, equal or greater, so a comparison that holds for two of these is the complement of one that holds for the third.
fn int_runs<T: Value + PartialOrd>(test: Test) -> Runs {
    let complement = test.count_ones() == 2;
    by_test!(if complement { !test & 7 } else { test }, complement, T; 1 2 4)
}

/// Floating-point numbers may also be unordered.
fn float_runs<T: Value + PartialOrd>(test: Test) -> Runs {
    let complement = test & UNORDERED != 0;
    by_test!(if complement { !test & 15 } else { test }, complement, T; 1 2 3 4 5 6 7)
}

fn runs_of(test: Test, ty: Type) -> Runs {
    match ty {
        Type::F32 => float_runs::<f32>(test),
        Type::F64 => float_runs::<f64>(test),
        ty => by_int!(ty, T => int_runs::<T>(test)),
    }
}

/// The lanes of a warp for which a comparison holds. The bits of inactive lanes have no meaning.
type Compare = fn(&Lanes<'_>, &Args) -> u32;

fn compare<const TEST: Test, T: Value + PartialOrd>(lanes: &Lanes<'_>, args: &Args) -> u32 {
    let (a, b) = (T::read(lanes, args.a), T::read(lanes, args.b));
    mask_of(|lane| holds::<TEST, T>(T::lane(&a, lane), T::lane(&b, lane)))
}

/// The results of `setp` with all there is. This code exists once and calls the comparison, because there are many comparisons,
/// and kernels hardly ever combine two.
#[inline(never)]
fn write_pair(warps: &mut Warps<'_>, args: &Args, compare: Compare) {
    warps.each(|lanes| {
        let (t, c) = (compare(lanes, args), lanes.preds.get(args.c));
        lanes.write_pred(args.d, combine(args.imm, t, c));
        lanes.write_pred(args.q, combine(args.imm, !t, c));
    });
}

/// The result of `set`: a value where the comparison holds, and 0 elsewhere. This code exists once, too.
#[inline(never)]
fn write_set(warps: &mut Warps<'_>, args: &Args, compare: Compare, value: u32) {
    warps.each(|lanes| {
        let holds = combine(args.imm, compare(lanes, args), lanes.preds.get(args.c));
        lanes.write_narrow(args.d, |lane| if bool::lane(&holds, lane) { value } else { 0 });
    });
}

/// Bit `2t + c` of `table`, for 32 lanes' `t` and `c` at once.
#[inline(always)]
pub(super) fn combine(table: u16, t: u32, c: u32) -> u32 {
    let row = |bit: u16| if table >> bit & 1 != 0 { u32::MAX } else { 0 };
    t & (c & row(3) | !c & row(2)) | !t & (c & row(1) | !c & row(0))
}

/// The truth table of `t` alone, for any `c`.
const ALONE: u16 = 0b1100;

/// A truth table of `t` and `c`, or with `!t` in the place of `t`.
fn table_of(table: u16, complement: bool) -> u16 {
    if complement { (table & 0b0011) << 2 | table >> 2 } else { table }
}

/// Takes the third predicate where the opcode has an operator for it, and sets the truth table of both.
pub(super) fn third_predicate(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<(), Error> {
    let table = match m.text(2) {
        "and" => 0b1000,
        "or" => 0b1110,
        "xor" => 0b0110,
        _ => {
            o.args.imm = ALONE;
            o.args.c = o.constant(Bank::Preds, 0, o.instruction.span)?;
            return Ok(());
        }
    };
    let (c, negated) = o.predicate()?;
    o.args.c = c;
    o.args.imm = if negated { (table & 0b0101) << 1 | (table & 0b1010) >> 1 } else { table };
    Ok(())
}

fn setp(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (test, ty) = (test(m.text(1)), m.ty(3));
    setp_as(m, o, &runs_of(test, ty), comparison(test, ty).map_or(Rule::No, Rule::Compare))
}

/// How integers compare, if these are and have 32 or 64 bits.
fn comparison(test: Test, ty: Type) -> Option<Comparison> {
    let (wide, signed) = match ty {
        Type::B32 | Type::U32 => (false, false),
        Type::S32 => (false, true),
        Type::B64 | Type::U64 => (true, false),
        Type::S64 => (true, true),
        _ => return None,
    };
    let has = |outcome: Test| test & outcome != 0;
    Some(Comparison { wide, signed, holds: [LESS, EQUAL, GREATER].map(has) })
}

fn setp_as(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, runs: &Runs, rule: Rule) -> Result<Op, Error> {
    let &Runs { sources, complement, setp, setp_pair, .. } = runs;
    if !m.has(2) && !matches!(o.peek(), Some(Operand::Pair(..))) {
        o.args.imm = table_of(ALONE, complement);
        return o.alu(Alu::new(&[Kind::Pred], sources, setp).with_affine(rule));
    }
    o.bind(&Alu::new(&[Kind::Pred, Kind::Pred], sources, setp_pair))?;
    third_predicate(m, o)?;
    o.args.imm = table_of(o.args.imm, complement);
    Ok(Op::Alu(setp_pair))
}

fn set(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    set_as(m, o, m.ty(3), &runs_of(test(m.text(1)), m.ty(4)))
}

fn set_as(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, result: Type, runs: &Runs) -> Result<Op, Error> {
    let (results, run): (&'static [Kind], Run) = match result {
        Type::F32 => (&[Kind::F32], runs.set_float),
        _ => (&[Kind::B32], runs.set_bits),
    };
    o.bind(&Alu::new(results, runs.sources, run))?;
    third_predicate(m, o)?;
    o.args.imm = table_of(o.args.imm, runs.complement);
    Ok(Op::Alu(run))
}

/// Selection by a predicate, which according to the specification cannot be negated.
fn selp(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_bits!(m.ty(1), T => alu!((T, T, bool) -> T, |a, b, c| if c { a } else { b })))
}

fn slct_int(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_bits!(m.ty(1), T => alu!(rare (T, T, i32) -> T, |a, b, c| if c >= 0 { a } else { b })))
}

/// A NaN is not zero or above, so it selects `b`. -0 is, and so is a number that `.ftz` flushes to zero.
fn slct_float(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_bits!(m.ty(2), T => match m.text(1) {
        "ftz" => alu!(rare (T, T, Flushed) -> T, |a, b, c| if c.0 >= 0.0 { a } else { b }),
        _ => alu!(rare (T, T, f32) -> T, |a, b, c| if c >= 0.0 { a } else { b }),
    }))
}

#[cfg(test)]
mod tests;
