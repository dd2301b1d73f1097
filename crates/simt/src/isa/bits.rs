//! Logic, shifts and byte permutation.
//!
//! Unlike the machine's own shifts and those of C, PTX shifts are defined for every count: one of the width
//! or more shifts everything out, and to the right only the sign of signed types is left. `prmt`, which the specification lists under data movement, is
//! here because it computes. Specification: PTX ISA, section 9.7.7, and 9.7.8.7 for `prmt`.

use super::affine::Rule;
use super::grammar::Modifiers;
use super::operands::{Operands, span_of};
use super::value::{Alu, Args, Kind, Value, alu, by_int, by_width, map_pred, map_preds, map3};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::{Lanes, Narrow};
use crate::ptx::Error;
use crate::ptx::ast::{Operand, Type};

/// A bitwise operation on two registers, or on two predicates, which are combined 32 lanes at a time.
macro_rules! logic {
    ($ty:expr, |$a:ident, $b:ident| $result:expr) => {
        match $ty {
            Type::Pred => Alu::new(&[Kind::Pred], &[Kind::Pred, Kind::Pred], |warps, args| {
                map_preds(warps, args, |$a, $b| $result);
            }),
            ty => by_width!(ty, T => alu!((T, T) -> T, |$a, $b| $result)),
        }
    };
}
/// Logic and shift.
pub const FAMILY: Family = Family {
    title: "Logic and shift",
    section: "9.7.7",
    forms: &[
        Form::new("and.(pred|b16|b32|b64)", |m, o| {
            let rule = if m.ty(1) == Type::Pred { Rule::No } else { Rule::And };
            o.alu(logic!(m.ty(1), |a, b| a & b).with_affine(rule))
        }),
        Form::new("or.(pred|b16|b32|b64)", |m, o| o.alu(logic!(m.ty(1), |a, b| a | b))),
        Form::new("xor.(pred|b16|b32|b64)", |m, o| o.alu(logic!(m.ty(1), |a, b| a ^ b))),
        Form::new("not.(pred|b16|b32|b64)", not),
        Form::new("cnot.(b16|b32|b64)", |m, o| {
            o.alu(by_width!(m.ty(1), T => alu!(rare (T) -> T, |a| T::from(a == 0))))
        }),
        Form::new("lop3.b32", lop3).since(50),
        Form::new("lop3.(or|and).b32", lop3_pred).since(70),
        Form::new("shf.(l|r).(clamp|wrap).b32", funnel_shift).since(32),
        Form::new("shl.(b16|b32|b64)", |m, o| {
            o.alu(by_width!(m.ty(1), T => alu!((T, u32) -> T, T::unbounded_shl).with_affine(Rule::ShiftLeft)))
        }),
        Form::new("shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(
                by_int!(m.ty(1), T => alu!((T, u32) -> T, T::unbounded_shr))
                    .with_affine(shift_right_rule(m.ty(1))),
            )
        }),
        Form::new("prmt.b32.(f4e|b4e|rc8|ecl|ecr|rc16)?", prmt),
    ],
};

/// Registers of 32 bits only: those of 64 bits hold addresses, which are rarely shifted to the right.
fn shift_right_rule(ty: Type) -> Rule {
    match ty {
        Type::B32 | Type::U32 => Rule::ShiftRight { signed: false },
        Type::S32 => Rule::ShiftRight { signed: true },
        _ => Rule::No,
    }
}

fn not(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.ty(1) {
        Type::Pred => Alu::new(&[Kind::Pred], &[Kind::Pred], |warps, args| map_pred(warps, args, |a| !a)),
        ty => by_width!(ty, T => alu!((T) -> T, |a: T| !a)),
    })
}

const LOP3: Alu = Alu::new(&[Kind::B32], &[Kind::B32; 3], |warps, args| {
    let rows = rows_of(args.imm);
    map3(warps, args, |a, b, c| lookup(&rows, a, b, c));
});

fn lop3(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.bind(&LOP3)?;
    o.args.imm = table(o)?;
    Ok(Op::Alu(LOP3.run))
}

/// `lop3` that also returns whether any bit of the result is set, combined with a predicate.
fn lop3_pred(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.bind(&Alu { results: &[Kind::B32, Kind::Pred], ..LOP3 })?;
    o.args.imm = table(o)?;
    let operand = o.take()?;
    o.args.e = o.source(operand, Kind::Pred)?;
    Ok(Op::Alu(match m.text(1) {
        "and" => |warps, args| warps.each(|lanes| run_lop3_pred(lanes, args, |set, e| set & e)),
        _ => |warps, args| warps.each(|lanes| run_lop3_pred(lanes, args, |set, e| set | e)),
    }))
}

/// The truth table of a `lop3`: bit `4a + 2b + c` is the result for these three bits.
fn table(o: &mut Operands<'_, '_>) -> Result<u16, Error> {
    match o.take()? {
        Operand::Int(table @ 0..=255, _) => Ok(*table as u16),
        operand => Err(o.error(span_of(operand), "the truth table must be a literal from 0 to 255")),
    }
}

/// The bits of a truth table, each in all positions of a word.
#[inline(always)]
fn rows_of(table: u16) -> [u32; 8] {
    std::array::from_fn(|row| if table >> row & 1 != 0 { u32::MAX } else { 0 })
}

/// Picks among the table's bits by `c`, then `b`, then `a`, in all 32 positions of a word at once.
#[inline(always)]
fn lookup(rows: &[u32; 8], a: u32, b: u32, c: u32) -> u32 {
    let pick = |bit: u32, one: u32, zero: u32| bit & one | !bit & zero;
    let by_c = |row: usize| pick(c, rows[row + 1], rows[row]);
    pick(a, pick(b, by_c(6), by_c(4)), pick(b, by_c(2), by_c(0)))
}

#[inline(always)]
fn run_lop3_pred(lanes: &mut Lanes<'_>, args: &Args, f: impl Fn(bool, bool) -> bool) {
    let rows = rows_of(args.imm);
    let e = lanes.preds.get(args.e);
    let [a, b, c] = [args.a, args.b, args.c].map(|slot| lanes.narrow.get(slot));
    let result: Narrow = std::array::from_fn(|lane| lookup(&rows, a[lane], b[lane], c[lane]));
    lanes.write_narrow(args.d, |lane| result[lane]);
    bool::write(lanes, args.q, |lane| f(result[lane] != 0, bool::lane(&e, lane)));
}

/// Shifts the 64 bits of `b` above `a` and keeps the upper word (`.l`) or the lower (`.r`).
fn funnel_shift(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match (m.text(1), m.text(2)) {
        ("l", "clamp") => alu!((u32, u32, u32) -> u32, |a, b, c| funnel_left(a, b, c.min(32))),
        ("l", _) => alu!((u32, u32, u32) -> u32, |a, b, c| funnel_left(a, b, c % 32)),
        (_, "clamp") => alu!((u32, u32, u32) -> u32, |a, b, c| funnel_right(a, b, c.min(32))),
        _ => alu!((u32, u32, u32) -> u32, |a, b, c| funnel_right(a, b, c % 32)),
    })
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn funnel_left(a: u32, b: u32, count: u32) -> u32 {
    (join(a, b) << count >> 32) as u32
}

fn funnel_right(a: u32, b: u32, count: u32) -> u32 {
    (join(a, b) >> count) as u32
}

/// Selects four of the eight bytes of `b` above `a`. All modes except the first are fixed patterns, one of which is
/// selected by the lower two bits of `c`.
fn prmt(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(2) {
        "f4e" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| c % 4 + i)),
        "b4e" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| (8 + c % 4 - i) % 8)),
        "rc8" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |_| c % 4)),
        "ecl" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| i.max(c % 4))),
        "ecr" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| i.min(c % 4))),
        "rc16" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| c % 2 * 2 + i % 2)),
        _ => alu!((u32, u32, u32) -> u32, |a, b, c| permute(a, b, |i| c >> (4 * i))),
    })
}

/// Byte `i` of the result is byte `select(i)` of `b` above `a`, or 8 copies of that byte's sign where bit 3
/// of the selector is set.
#[inline(always)]
fn permute(a: u32, b: u32, select: impl Fn(u32) -> u32) -> u32 {
    (0..4).fold(0, |word, i| {
        let selector = select(i);
        let byte = (join(a, b) >> (selector % 8 * 8)) as u8;
        let byte = if selector & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
        word | u32::from(byte) << (8 * i)
    })
}

#[cfg(test)]
mod tests;
