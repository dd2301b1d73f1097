//! What instructions with known operands compute.
//!
//! The arithmetic is shared with `check::constant`, so that a constant has one value whichever stage computes it. It is
//! that of the device (PTX ISA), not of the machine that compiles: integers wrap, floats are rounded to nearest,
//! conversions saturate. `fma` of floats, and what is approximate on the device, is not folded.

use super::{Arith, Binary, Compare, Op, Operand, Ty, Unary};
use crate::check::constant::{compare, float, integer};

/// An integer as a register of the type holds it: extended to 64 bits.
pub(crate) fn wrap(ty: Ty, value: i64) -> i64 {
    match ty {
        Ty::Pred => i64::from(value != 0),
        Ty::U8 => i64::from(value as u8),
        Ty::S8 => i64::from(value as i8),
        Ty::U16 => i64::from(value as u16),
        Ty::S16 => i64::from(value as i16),
        Ty::U32 => i64::from(value as u32),
        Ty::S32 => i64::from(value as i32),
        _ => value,
    }
}

/// The float of an operand.
fn number(ty: Ty, operand: Operand) -> Option<f64> {
    match (ty, operand) {
        (Ty::F32, Operand::F32(bits)) => Some(f64::from(f32::from_bits(bits))),
        (Ty::F64, Operand::F64(bits)) => Some(f64::from_bits(bits)),
        _ => None,
    }
}

/// Rounded to the type.
pub(crate) fn float_operand(ty: Ty, value: f64) -> Operand {
    if ty == Ty::F32 { Operand::F32((value as f32).to_bits()) } else { Operand::F64(value.to_bits()) }
}

/// The result of an operation, if it is known or is one of the operands. `None` says only that the instruction stays.
pub(crate) fn fold(op: &Op<'_>, args: &[Operand]) -> Option<Operand> {
    match (op, args) {
        (Op::Arith(arith, ty), [a, b]) => arithmetic(*arith, *ty, *a, *b),
        (Op::Unary(unary, ty), [a]) => unary_value(*unary, *ty, *a),
        (Op::MulWide(ty), [Operand::Int(a), Operand::Int(b)]) => {
            Some(Operand::Int(wrap(*ty, *a).wrapping_mul(wrap(*ty, *b))))
        }
        (Op::Mad(ty), [a, b, c]) if !ty.is_float() => {
            let product = arithmetic(Arith::Binary(Binary::Mul), *ty, *a, *b)?;
            arithmetic(Arith::Binary(Binary::Add), *ty, product, *c)
        }
        (Op::Select(_), [a, b, Operand::Int(condition)]) => Some(if *condition != 0 { *a } else { *b }),
        (Op::Select(_), [a, b, _]) if a == b => Some(*a),
        (Op::Set(compare, ty), [a, b]) => set(*compare, *ty, *a, *b),
        (Op::Convert { to, from }, [a]) => convert(*to, *from, *a),
        _ => None,
    }
}

fn arithmetic(arith: Arith, ty: Ty, a: Operand, b: Operand) -> Option<Operand> {
    if ty.is_float() {
        let Arith::Binary(op) = arith else { return None };
        let value = float(op, number(ty, a)?, number(ty, b)?, ty == Ty::F32)?;
        return Some(float_operand(ty, value));
    }
    if let (Operand::Int(a), Operand::Int(b)) = (a, b) {
        let (a, b) = (wrap(ty, a), wrap(ty, b));
        let less = if ty.is_unsigned() { (a as u64) < b as u64 } else { a < b };
        let value = match arith {
            // Narrow types are computed in 32 bits and cut afterwards, as everywhere.
            Arith::Binary(op) => integer(op, a, b, ty.bits().max(32), ty.is_unsigned())?,
            Arith::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            Arith::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
            Arith::MulHigh => return None,
        };
        return Some(Operand::Int(wrap(ty, value)));
    }
    // `min(a, a)` is `a`.
    let Arith::Binary(op) = arith else { return (a == b).then_some(a).filter(|_| arith != Arith::MulHigh) };
    identity(op, ty, a, b)
}

/// Operations with a zero or a one that change nothing. Only of integers: `x + 0.0` is not `x` if that is -0, and `x *
/// 0` may be NaN.
fn identity(op: Binary, ty: Ty, a: Operand, b: Operand) -> Option<Operand> {
    let (zero, one) = (Operand::Int(0), Operand::Int(1));
    let ones = |operand| matches!(operand, Operand::Int(value) if wrap(ty, value) == wrap(ty, -1));
    match op {
        Binary::Add | Binary::Or | Binary::Xor if a == zero => Some(b),
        Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr if b == zero => {
            Some(a)
        }
        Binary::Mul | Binary::Div if b == one => Some(a),
        Binary::Mul if a == one => Some(b),
        Binary::Mul | Binary::And if a == zero || b == zero => Some(zero),
        Binary::And if ones(b) => Some(a),
        Binary::And if ones(a) => Some(b),
        Binary::And | Binary::Or if a == b => Some(a),
        Binary::Sub | Binary::Xor if a == b => Some(zero),
        Binary::Shl | Binary::Shr if a == zero => Some(zero),
        Binary::Rem if b == one => Some(zero),
        _ => None,
    }
}

fn unary_value(unary: Unary, ty: Ty, a: Operand) -> Option<Operand> {
    if let (Unary::Neg, Some(value)) = (unary, number(ty, a)) {
        return Some(float_operand(ty, -value));
    }
    let Operand::Int(value) = a else { return None };
    let value = wrap(ty, value);
    // The bits without their extension, which must not be counted.
    let low = value as u64 & if ty.size() == 8 { u64::MAX } else { (1 << ty.bits()) - 1 };
    let result = match unary {
        Unary::Neg => value.wrapping_neg(),
        Unary::Not if ty == Ty::Pred => i64::from(value == 0),
        Unary::Not => !value,
        Unary::Abs => value.wrapping_abs(),
        Unary::Popc => return Some(Operand::Int(i64::from(low.count_ones()))),
        Unary::Clz => return Some(Operand::Int(i64::from(low.leading_zeros()) - 64 + i64::from(ty.bits()))),
        Unary::Brev => (low.reverse_bits() >> (64 - ty.bits())) as i64,
    };
    Some(Operand::Int(wrap(ty, result)))
}

fn set(op: Compare, ty: Ty, a: Operand, b: Operand) -> Option<Operand> {
    let holds = if ty.is_float() {
        compare(op, &number(ty, a)?, &number(ty, b)?)
    } else {
        let (Operand::Int(x), Operand::Int(y)) = (a, b) else {
            let zero = Operand::Int(0);
            return match op {
                // The same register is equal to itself, except that a float may be NaN, which is why floats do not come
                // here.
                _ if a == b => {
                    Some(Operand::Int(i64::from(matches!(op, Compare::Eq | Compare::Le | Compare::Ge))))
                }
                Compare::Lt if ty.is_unsigned() && b == zero => Some(zero),
                Compare::Ge if ty.is_unsigned() && b == zero => Some(Operand::Int(1)),
                _ => None,
            };
        };
        let (x, y) = (wrap(ty, x), wrap(ty, y));
        if ty.is_unsigned() { compare(op, &(x as u64), &(y as u64)) } else { compare(op, &x, &y) }
    };
    Some(Operand::Int(i64::from(holds)))
}

fn convert(to: Ty, from: Ty, a: Operand) -> Option<Operand> {
    if let Some(value) = number(from, a) {
        return match to {
            Ty::F32 | Ty::F64 => Some(float_operand(to, value)),
            Ty::S32 => Some(Operand::Int(i64::from(value as i32))),
            Ty::U32 => Some(Operand::Int(i64::from(value as u32))),
            Ty::S64 => Some(Operand::Int(value as i64)),
            Ty::U64 => Some(Operand::Int(value as u64 as i64)),
            _ => None,
        };
    }
    let Operand::Int(value) = a else { return None };
    let value = wrap(from, value);
    Some(match to {
        Ty::F32 if from == Ty::U64 => float_operand(to, f64::from(value as u64 as f32)),
        Ty::F32 => float_operand(to, f64::from(value as f32)),
        Ty::F64 if from == Ty::U64 => float_operand(to, value as u64 as f64),
        Ty::F64 => float_operand(to, value as f64),
        _ => Operand::Int(wrap(to, value)),
    })
}
