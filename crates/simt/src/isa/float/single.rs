//! Single precision: add, multiply, fused multiply-add, divide, square root, min and max for one lane.
//!
//! The host computes results that are rounded to nearest; [`exact`] computes those with any other rounding. A result
//! that is NaN is 0x7fffffff: the specification leaves it open, and that is what NVIDIA hardware returns.
//! [`exact::Format::flushed`] says which results `.ftz` flushes. All functions are inlined into the loop over the
//! lanes, where `mode` is a constant.

use super::exact::{self, F32, Format, Rounding};

/// The canonical NaN.
pub const NAN: f32 = f32::from_bits(0x7fff_ffff);

/// The modifiers of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// How it rounds.
    pub rounding: Rounding,
    /// `.ftz`: subnormal inputs and results are zeros of their sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to `[0, 1]`, NaN to +0.
    pub sat: bool,
}

impl Mode {
    /// An input as the instruction sees it.
    #[inline(always)]
    pub fn input(self, x: f32) -> f32 {
        if self.ftz { flush(x) } else { x }
    }

    /// The format that results are rounded to.
    #[inline(always)]
    const fn format(self) -> Format {
        if self.ftz { F32.flushed() } else { F32 }
    }

    /// The result as the instruction delivers it, flushed already.
    #[inline(always)]
    pub fn output(self, x: f32) -> f32 {
        if self.sat { saturate(x) } else { canonical(x) }
    }
}

/// A subnormal number as a zero of the same sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// The number clamped to `[0, 1]`; NaN and -0 become +0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

/// The canonical NaN for every NaN. This tests the bits, because a compiler may remove a choice between two NaNs.
#[inline(always)]
pub fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { NAN.to_bits() } else { bits })
}

#[inline(always)]
fn bits(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[inline(always)]
fn number(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// `2^64`, and `2^-126 * 2^64`.
const SCALE: f32 = f32::from_bits(191 << 23);
const SCALED_MIN_NORMAL: f32 = f32::from_bits(65 << 23);

/// With `.ftz`, `result` or a zero of its sign. `scaled` is the same result times [`SCALE`]. If `result` is near
/// `2^-126`, `scaled` has 24 bits, which is enough to decide whether it is flushed. If the result is larger, `scaled`
/// may have overflowed.
#[inline(always)]
fn flush_tiny(mode: Mode, result: f32, scaled: f32) -> f32 {
    if mode.ftz && scaled.abs() < SCALED_MIN_NORMAL { 0.0_f32.copysign(result) } else { result }
}

/// `add`
///
/// What `.ftz` flushes does not depend on rounding: the operands are multiples of `2^-149`, so their sum is one too,
/// and below `2^-125` such a number has at most 24 bits and is exact.
#[inline(always)]
pub fn add(mode: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Nearest => mode.input(a + b),
        rounding => number(exact::add(mode.format(), rounding, bits(a), bits(b))),
    })
}

/// `sub`
#[inline(always)]
pub fn sub(mode: Mode, a: f32, b: f32) -> f32 {
    add(mode, a, -b)
}

/// `mul`
#[inline(always)]
pub fn mul(mode: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Nearest => flush_tiny(mode, a * b, a * SCALE * b),
        rounding => number(exact::mul(mode.format(), rounding, bits(a), bits(b))),
    })
}

/// `fma`, and `mad` with a rounding.
#[inline(always)]
pub fn fma(mode: Mode, a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (mode.input(a), mode.input(b), mode.input(c));
    mode.output(match mode.rounding {
        Rounding::Nearest => narrow(mode, to_odd_fma(a, b, c)),
        rounding => number(exact::fma(mode.format(), rounding, bits(a), bits(b), bits(c))),
    })
}

/// A result that is exact or rounded to odd, rounded to nearest.
#[inline(always)]
fn narrow(mode: Mode, exact: f64) -> f32 {
    // (1 - 2^-25) * 2^-126, which rounds to 2^-126. It has few bits, so a result that is rounded to odd is on the same
    // side of it as the exact result.
    const LEAST_KEPT: f64 = f64::from_bits(0x380f_ffff_f000_0000);
    let result = exact as f32;
    if mode.ftz && exact.abs() < LEAST_KEPT { 0.0_f32.copysign(result) } else { result }
}

/// `a * b + c` rounded to odd in double precision: rounding that once more, to any format of at most 51 bits,
/// equals rounding the exact result once.
///
/// 1. The product of two 24-bit numbers has 48 bits and an exponent far inside the range of `f64`: exact.
/// 2. Knuth's two-sum: `sum + error` is `product + c` exactly. Nothing overflows (below `2^257`), and every
///    intermediate is a multiple of `2^-298`, so nothing underflows.
/// 3. If `error` is not 0, the exact result lies strictly between `sum` and its neighbour on the side of `error`, and
///    the one of the two whose last bit is 1 is the result rounded to odd: `sum` if it is odd, otherwise the neighbour.
///    Towards zero that is `bits - 1`, away from zero `bits + 1`; since the other of the two is even, `(bits -
///    towards_zero) | 1` is right for odd and even `sum` alike.
/// 4. Rounding to odd with at least 2 bits more than the target keeps the side of every midpoint on which the
///    exact result lies, and a number of fewer bits, or a midpoint, is even and is reached only if exact
///    (Boldo and Melquiond, 2008). `f64` has 53 bits, `f32` 24, and fewer where its results are subnormal.
///
/// For infinity and NaN, `error` is NaN, which does not compare as above 0, so `sum` is returned unchanged.
#[inline(always)]
pub fn to_odd_fma(a: f32, b: f32, c: f32) -> f64 {
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    let sum = product + c;
    let c_part = sum - product;
    let error = (product - (sum - c_part)) + (c - c_part);
    let inexact = u64::from(error.abs() > 0.0);
    let towards_zero = (sum.to_bits() ^ error.to_bits()) >> 63;
    f64::from_bits(sum.to_bits().wrapping_sub(towards_zero & inexact) | inexact)
}

/// `div` with a rounding.
#[inline(always)]
pub fn div(mode: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (mode.input(a), mode.input(b));
    mode.output(match mode.rounding {
        Rounding::Nearest => flush_tiny(mode, a / b, a * SCALE / b),
        rounding => number(exact::div(mode.format(), rounding, bits(a), bits(b))),
    })
}

/// `sqrt` with a rounding. A root is never subnormal.
#[inline(always)]
pub fn sqrt(mode: Mode, a: f32) -> f32 {
    let a = mode.input(a);
    mode.output(match mode.rounding {
        // It is not enough to test whether the result is NaN: rustc 1.95 derives the answer from the input and misses
        // the roots of negative numbers.
        Rounding::Nearest if a < 0.0 => NAN,
        Rounding::Nearest => a.sqrt(),
        rounding => number(exact::sqrt(F32, rounding, bits(a))),
    })
}

/// `abs` and `neg`.
#[inline(always)]
pub fn unary(ftz: bool, a: f32, f: impl Fn(f32) -> f32) -> f32 {
    canonical(f(if ftz { flush(a) } else { a }))
}

/// How `min` and `max` treat NaN and signs.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one a modifier, any of which may be there")]
pub struct Pick {
    /// `.ftz`
    pub ftz: bool,
    /// `.NaN`: a single NaN makes the result NaN; otherwise the number wins.
    pub nan: bool,
    /// `.xorsign.abs`: compares magnitudes, and the sign is that of the product.
    pub xorsign: bool,
    /// `max`, not `min`.
    pub max: bool,
}

/// `min` and `max`. -0 is below +0.
#[inline(always)]
pub fn pick(pick: Pick, a: f32, b: f32) -> f32 {
    let (a, b) = if pick.ftz { (flush(a), flush(b)) } else { (a, b) };
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let (a, b) = if pick.xorsign { (a.abs(), b.abs()) } else { (a, b) };
    let result = smaller_or_larger(pick, a, b);
    let signed = f32::from_bits(result.to_bits() & 0x7fff_ffff | sign);
    canonical(if pick.xorsign { signed } else { result })
}

#[inline(always)]
fn smaller_or_larger(pick: Pick, a: f32, b: f32) -> f32 {
    // In this order, -0 is below +0.
    let a_first = a.total_cmp(&b).is_lt();
    let number = if a_first == pick.max { b } else { a };
    let without_a = if a.is_nan() { b } else { number };
    let without_nan = if b.is_nan() { a } else { without_a };
    if pick.nan && (a.is_nan() || b.is_nan()) { NAN } else { without_nan }
}
