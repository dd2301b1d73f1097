//! Operations on numbers, whose values are 64 bits.

use cudac::host::{Binary, Compare, Intrinsic, Scalar};

/// Bits as a number of a type: integers are extended, floats keep the lowest bits.
pub(crate) fn extend(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::Bool | Scalar::U8 => bits & 0xff,
        Scalar::I8 => bits as i8 as u64,
        Scalar::I16 => bits as i16 as u64,
        Scalar::U16 => bits & 0xffff,
        Scalar::I32 => bits as i32 as u64,
        Scalar::U32 | Scalar::F32 => bits & 0xffff_ffff,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => bits,
    }
}

pub(crate) fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(crate) fn of_float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn is_signed(ty: Scalar) -> bool {
    matches!(ty, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
}

/// An operation, unless it divides an integer by zero.
#[inline]
pub(crate) fn binary(op: Binary, ty: Scalar, a: u64, b: u64) -> Option<u64> {
    let value = match ty {
        Scalar::F32 => {
            let (a, b) = (float(a), float(b));
            return Some(of_float(match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                _ => a % b,
            }));
        }
        Scalar::F64 => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let value = match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                _ => a % b,
            };
            return Some(value.to_bits());
        }
        _ => match op {
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::Mul => a.wrapping_mul(b),
            Binary::Div | Binary::Rem if b == 0 => return None,
            Binary::Div if is_signed(ty) => (a as i64).wrapping_div(b as i64) as u64,
            Binary::Div => a / b,
            Binary::Rem if is_signed(ty) => (a as i64).wrapping_rem(b as i64) as u64,
            Binary::Rem => a % b,
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::Shl => a.wrapping_shl(b as u32 & 63),
            Binary::Shr if is_signed(ty) => (a as i64).wrapping_shr(b as u32 & 63) as u64,
            Binary::Shr => a.wrapping_shr(b as u32 & 63),
        },
    };
    Some(extend(ty, value))
}

#[inline]
pub(crate) fn compare(compare: Compare, ty: Scalar, a: u64, b: u64) -> bool {
    fn of<T: PartialOrd + Copy>(compare: Compare, a: T, b: T) -> bool {
        match compare {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
        }
    }
    match ty {
        Scalar::F32 => of(compare, float(a), float(b)),
        Scalar::F64 => of(compare, f64::from_bits(a), f64::from_bits(b)),
        _ if is_signed(ty) => of(compare, a as i64, b as i64),
        _ => of(compare, a, b),
    }
}

/// A number of one type as one of another.
#[inline]
pub(crate) fn convert(to: Scalar, from: Scalar, bits: u64) -> u64 {
    let value = match from {
        Scalar::F32 => f64::from(float(bits)),
        Scalar::F64 => f64::from_bits(bits),
        _ => return from_integer(to, from, bits),
    };
    match to {
        Scalar::F32 if from == Scalar::F32 => bits,
        Scalar::F32 => of_float(value as f32),
        Scalar::F64 => value.to_bits(),
        Scalar::Bool => u64::from(value != 0.0),
        Scalar::U64 => value as u64,
        _ => extend(to, value as i64 as u64),
    }
}

fn from_integer(to: Scalar, from: Scalar, bits: u64) -> u64 {
    let signed = is_signed(from);
    match to {
        Scalar::F32 => of_float(if signed { bits as i64 as f32 } else { bits as f32 }),
        Scalar::F64 => (if signed { bits as i64 as f64 } else { bits as f64 }).to_bits(),
        Scalar::Bool => u64::from(bits != 0),
        _ => extend(to, bits),
    }
}

pub(crate) fn negate(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::F32 => of_float(-float(bits)),
        Scalar::F64 => (-f64::from_bits(bits)).to_bits(),
        _ => extend(ty, bits.wrapping_neg()),
    }
}

/// A function of numbers of a type.
pub(crate) fn intrinsic(intrinsic: Intrinsic, ty: Scalar, values: &[u64]) -> u64 {
    let at = |nth: usize| values.get(nth).copied().unwrap_or(0);
    let (a, b) = (at(0), at(1));
    match (intrinsic, ty) {
        (Intrinsic::Min, Scalar::F32) => of_float(float(a).min(float(b))),
        (Intrinsic::Max, Scalar::F32) => of_float(float(a).max(float(b))),
        (Intrinsic::Min, Scalar::F64) => f64::from_bits(a).min(f64::from_bits(b)).to_bits(),
        (Intrinsic::Max, Scalar::F64) => f64::from_bits(a).max(f64::from_bits(b)).to_bits(),
        (Intrinsic::Min, _) => {
            if compare(Compare::Lt, ty, b, a) {
                b
            } else {
                a
            }
        }
        (Intrinsic::Max, _) => {
            if compare(Compare::Lt, ty, a, b) {
                b
            } else {
                a
            }
        }
        (Intrinsic::Abs, Scalar::F32) => of_float(float(a).abs()),
        (Intrinsic::Abs, Scalar::F64) => f64::from_bits(a).abs().to_bits(),
        (Intrinsic::Abs, _) => extend(ty, (a as i64).wrapping_abs() as u64),
        (Intrinsic::Fma, Scalar::F32) => of_float(float(a).mul_add(float(b), float(at(2)))),
        (Intrinsic::Fma, _) => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(at(2))).to_bits(),
        (Intrinsic::MulHigh, Scalar::I32) => extend(ty, ((a as i64 * b as i64) >> 32) as u64),
        (Intrinsic::MulHigh, Scalar::U32) => (a * b) >> 32,
        (Intrinsic::MulHigh, Scalar::I64) => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64,
        (Intrinsic::MulHigh, _) => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        (Intrinsic::Popc, _) => u64::from(extend(unsigned(ty), a).count_ones()),
        (Intrinsic::Clz, _) => u64::from(extend(unsigned(ty), a).leading_zeros()) - (64 - 8 * ty.bytes()),
        (Intrinsic::Brev, _) => extend(ty, a.reverse_bits() >> (64 - 8 * ty.bytes())),
        (Intrinsic::Bits | Intrinsic::Unreachable, _) => a,
    }
}

fn unsigned(ty: Scalar) -> Scalar {
    match ty.bytes() {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_the_width_of_their_type() {
        let int = |op, a: i32, b: i32| binary(op, Scalar::I32, a as u64, b as u64).map(|bits| bits as i32);
        assert_eq!(int(Binary::Add, i32::MAX, 1), Some(i32::MIN));
        assert_eq!(int(Binary::Div, -7, 2), Some(-3));
        assert_eq!(int(Binary::Rem, -7, 2), Some(-1));
        assert_eq!(int(Binary::Div, 7, 0), None);
        assert_eq!(binary(Binary::Sub, Scalar::U32, 0, 1), Some(u64::from(u32::MAX)));
        assert_eq!(binary(Binary::Shr, Scalar::I64, (-8i64) as u64, 1), Some((-4i64) as u64));
    }

    #[test]
    fn conversions_keep_values() {
        assert_eq!(convert(Scalar::F32, Scalar::I32, (-3i32) as u64), of_float(-3.0));
        assert_eq!(convert(Scalar::I32, Scalar::F64, (-2.9f64).to_bits()), (-2i64) as u64);
        assert_eq!(convert(Scalar::U8, Scalar::I32, 511), 255);
        assert_eq!(convert(Scalar::Bool, Scalar::F32, of_float(0.5)), 1);
        assert_eq!(convert(Scalar::I64, Scalar::U32, u64::from(u32::MAX)), u64::from(u32::MAX));
    }
}
