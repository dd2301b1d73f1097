//! Double precision: add, multiply, fused multiply-add, divide, square root, min and max for one lane.
//!
//! Like [`super::single`], but without `.ftz` and `.sat`, which doubles do not have. NaNs are never taken from the
//! host, because platforms return different ones; [`nan_of`] chooses them.

use super::exact::{self, F64, Rounding};

/// The NaN of an operation on numbers, for example 0/0.
pub const NAN: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;

/// The NaN that an operation returns: the last operand that is a NaN, made quiet. The specification supports NaN
/// payloads in double precision and leaves open which one is returned; this is what an H200 does.
#[inline(always)]
pub fn nan_of(operands: &[f64]) -> f64 {
    let mut result = NAN;
    for x in operands {
        result = if x.is_nan() { x.to_bits() | QUIET } else { result };
    }
    f64::from_bits(result)
}

#[inline(always)]
fn settle(result: f64, operands: &[f64]) -> f64 {
    if result.is_nan() { nan_of(operands) } else { result }
}

/// `add`
#[inline(always)]
pub fn add(rounding: Rounding, a: f64, b: f64) -> f64 {
    let sum = match rounding {
        Rounding::Nearest => a + b,
        _ => f64::from_bits(exact::add(F64, rounding, a.to_bits(), b.to_bits())),
    };
    settle(sum, &[a, b])
}

/// `sub`
#[inline(always)]
pub fn sub(rounding: Rounding, a: f64, b: f64) -> f64 {
    let difference = match rounding {
        Rounding::Nearest => a - b,
        _ => f64::from_bits(exact::add(F64, rounding, a.to_bits(), (-b).to_bits())),
    };
    settle(difference, &[a, b])
}

/// `mul`
#[inline(always)]
pub fn mul(rounding: Rounding, a: f64, b: f64) -> f64 {
    let product = match rounding {
        Rounding::Nearest => a * b,
        _ => f64::from_bits(exact::mul(F64, rounding, a.to_bits(), b.to_bits())),
    };
    settle(product, &[a, b])
}

/// `fma` and `mad`
#[inline(always)]
pub fn fma(rounding: Rounding, a: f64, b: f64, c: f64) -> f64 {
    let sum = match rounding {
        // A web page has no such instruction, and the function in its place takes longer than the exact one.
        #[cfg(not(target_family = "wasm"))]
        Rounding::Nearest => a.mul_add(b, c),
        _ => f64::from_bits(exact::fma(F64, rounding, a.to_bits(), b.to_bits(), c.to_bits())),
    };
    // With several NaNs `b` wins, then `c`.
    settle(sum, &[a, c, b])
}

/// `div`
#[inline(always)]
pub fn div(rounding: Rounding, a: f64, b: f64) -> f64 {
    let quotient = match rounding {
        Rounding::Nearest => a / b,
        _ => f64::from_bits(exact::div(F64, rounding, a.to_bits(), b.to_bits())),
    };
    // A division is made of other instructions, and in these the dividend's payload wins.
    settle(quotient, &[b, a])
}

/// `sqrt`
#[inline(always)]
pub fn sqrt(rounding: Rounding, a: f64) -> f64 {
    let root = match rounding {
        // As in single precision: the compiler must not derive the result from the input.
        Rounding::Nearest if a < 0.0 => f64::from_bits(NAN),
        Rounding::Nearest => a.sqrt(),
        _ => f64::from_bits(exact::sqrt(F64, rounding, a.to_bits())),
    };
    settle(root, &[a])
}

/// `abs` and `neg`. A NaN keeps its sign, as on an H200.
#[inline(always)]
pub fn unary(a: f64, f: impl Fn(f64) -> f64) -> f64 {
    if a.is_nan() { nan_of(&[a]) } else { f(a) }
}

/// `min`, and `max` where `max` is set. A number wins over NaN, and -0 is below +0.
#[inline(always)]
pub fn pick(max: bool, a: f64, b: f64) -> f64 {
    let number = if a.total_cmp(&b).is_lt() == max { b } else { a };
    let without_a = if a.is_nan() { b } else { number };
    let result = if b.is_nan() { a } else { without_a };
    settle(result, &[a, b])
}
