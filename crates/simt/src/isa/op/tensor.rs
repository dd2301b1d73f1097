//! How a tensor core adds: the numbers of `mma`, as an H200 computes them.
//!
//! The specification leaves open in which order products are added and how sums are rounded. What is here was found with the programs
//! in `tools/benchmarks/gpu/mma`, whose records hold for an NVIDIA H200. Every bit is compared by `crates/simt/tests/mma.rs`, and for
//! products of warpgroups by `crates/lanes/tests/tensor_cores.rs`:
//!
//! - f16, bf16 and tf32: all products of an element of D are exact, and they and the element of C are added at once, in fixed
//!   point. The exponents of a product's operands are added, without normalising the product; the largest such exponent of a
//!   term that is not zero, but at least [`LEAST_EXPONENT`], decides the place of the last bit, [`KEPT_BITS`] below. What is
//!   below it in any term is cut off.
//!   The sum is exact then, and is rounded towards zero to f32, or to the nearest f16. Subnormal numbers count in full.
//! - Numbers of eight bits, which only products of warpgroups have here: the same, but only [`KEPT_OF_BYTES`] bits are kept, also of
//!   the element of C, and of a sum in f32 as many bits of the mantissa.
//! - f64: a chain of fused multiplications and additions, from C on, with `k` rising.
//! - Integers: exact; the sum wraps, or ends at the ends of its type.
//!
//! Products of warpgroups ([`super::warpgroup`]) add in the same way, each instruction all of its products at once.
//!
//! A NaN is always the same one, but among doubles one of the operands. Left out: other architectures, which keep fewer bits and add
//! fewer products at once.
//! Specification: PTX ISA, section 9.7.14.5.

use super::matrix::Number;

/// Bits behind the point that are kept of each term, where the term with the largest exponent has one or two before it.
const KEPT_BITS: i32 = 25;

/// The same where A and B have numbers of eight bits.
const KEPT_OF_BYTES: i32 = 13;

/// The exponent that counts at least: seven less than the least of an f32.
const LEAST_EXPONENT: i32 = -133;

/// The largest number of products that are added at once: those of numbers of eight bits.
const MAX_PRODUCTS: usize = 32;

/// A floating-point number, taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The digits with their sign. An infinity has one digit.
    digits: i32,
    /// The exponent of the digit before the point.
    exponent: i32,
    /// Which of [`PLUS`], [`MINUS`] and [`NAN`] it is, or 0 for a number.
    special: u8,
}

const PLUS: u8 = 1;
const MINUS: u8 = 2;
const NAN: u8 = 4;

/// The bits of the exponent and of the mantissa, and how many bits at the end of a register are not part of the number.
fn format(number: Number) -> (u32, u32, u32) {
    match number {
        Number::F16 => (5, 10, 0),
        Number::Bf16 => (8, 7, 0),
        Number::Tf32 => (8, 10, 13),
        Number::E4m3 => (4, 3, 0),
        Number::E5m2 => (5, 2, 0),
        _ => (8, 23, 0),
    }
}

fn infinity(is_negative: bool) -> u8 {
    if is_negative { MINUS } else { PLUS }
}

impl Part {
    /// The number of a type with these bits.
    pub fn of(number: Number, bits: u64) -> Part {
        let (exponent_bits, mantissa_bits, unused) = format(number);
        let bits = bits >> unused;
        let mantissa = (bits & ((1 << mantissa_bits) - 1)) as i32;
        let biased = (bits >> mantissa_bits) as i32 & ((1 << exponent_bits) - 1);
        let is_negative = bits >> (exponent_bits + mantissa_bits) & 1 != 0;
        let (digits, special) = match biased {
            0 => (mantissa, 0),
            _ if biased < (1 << exponent_bits) - 1 => (mantissa | 1 << mantissa_bits, 0),
            // It has no infinities, and one mantissa that is no number.
            _ if number == Number::E4m3 && mantissa < 7 => (mantissa | 1 << mantissa_bits, 0),
            _ if number == Number::E4m3 => (1, NAN),
            _ if mantissa == 0 => (1, infinity(is_negative)),
            _ => (1, NAN),
        };
        let bias = (1 << (exponent_bits - 1)) - 1;
        Part { digits: if is_negative { -digits } else { digits }, exponent: biased.max(1) - bias, special }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(self) -> Part {
        let special = match self.special {
            PLUS => MINUS,
            MINUS => PLUS,
            other => other,
        };
        Part { digits: -self.digits, special, ..self }
    }

    fn times(self, other: Part) -> Part {
        let (digits, special) = (self.digits * other.digits, self.special | other.special);
        let special = match special {
            0 => 0,
            _ if special & NAN != 0 || digits == 0 => NAN,
            _ => infinity(digits < 0),
        };
        Part { digits, exponent: self.exponent + other.exponent, special }
    }
}

/// How an element of D is computed from floating-point numbers.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Bits of a product behind the point.
    fraction_bits: u32,
    /// Bits behind the point that are kept of each term.
    kept_bits: i32,
    to: Number,
    /// Bits of the mantissa that a sum can have.
    mantissa_bits: u32,
}

impl Sum {
    /// Sums of type `to` over products of numbers of types `a` and `b`.
    pub fn new(a: Number, b: Number, to: Number) -> Sum {
        let kept_bits = if a.bits() == 8 { KEPT_OF_BYTES } else { KEPT_BITS };
        let mantissa_bits = format(to).1.min(kept_bits as u32);
        Sum { fraction_bits: format(a).1 + format(b).1, kept_bits, to, mantissa_bits }
    }

    /// The products of a row of A and a column of B, and an element of C, added.
    pub fn of(self, a: &[Part], b: &[Part], c: u64) -> u64 {
        let c = Part::of(self.to, c);
        let mut products = [Part::default(); MAX_PRODUCTS];
        for (product, (a, b)) in products.iter_mut().zip(a.iter().zip(b)) {
            *product = a.times(*b);
        }
        let products = &products[..a.len().min(b.len()).min(MAX_PRODUCTS)];
        let terms = || products.iter().chain([&c]);
        let (exponent_bits, mantissa_bits, _) = format(self.to);
        let top = ((1 << exponent_bits) - 1) << mantissa_bits;
        match terms().fold(0, |all, term| all | term.special) {
            0 => {}
            PLUS => return top,
            MINUS => return top | 1 << (exponent_bits + mantissa_bits),
            _ => return top | ((1 << mantissa_bits) - 1),
        }
        let Some(largest) = terms().filter(|term| term.digits != 0).map(|term| term.exponent).max() else {
            return 0;
        };
        let largest = largest.max(LEAST_EXPONENT);
        // Terms that are zero may have larger exponents.
        let cut = |term: &Part, fraction_bits: u32| {
            let surplus = largest - term.exponent + fraction_bits as i32 - self.kept_bits;
            let digits = i64::from(term.digits.unsigned_abs());
            let kept = if surplus < 0 { digits << -surplus } else { digits >> surplus.min(63) };
            if term.digits < 0 { -kept } else { kept }
        };
        let sum = products.iter().map(|product| cut(product, self.fraction_bits)).sum::<i64>();
        self.rounded(sum + cut(&c, mantissa_bits), largest - self.kept_bits)
    }

    /// `sum` times two to the power of `scale`.
    fn rounded(self, sum: i64, scale: i32) -> u64 {
        if sum == 0 {
            return 0;
        }
        let (exponent_bits, all_bits, _) = format(self.to);
        let mantissa_bits = self.mantissa_bits;
        let (bias, magnitude) = ((1 << (exponent_bits - 1)) - 1, sum.unsigned_abs());
        let exponent = (magnitude.ilog2() as i32 + scale).max(1 - bias);
        // How many digits are too many.
        let surplus = exponent - mantissa_bits as i32 - scale;
        let mut digits = match surplus {
            ..0 => magnitude << -surplus,
            _ => magnitude.checked_shr(surplus as u32).unwrap_or(0),
        };
        if self.to == Number::F16 && surplus > 0 {
            let (rest, half) = (magnitude & ((1 << surplus) - 1), 1 << (surplus - 1));
            digits += u64::from(rest > half || rest == half && digits & 1 != 0);
        }
        if digits == 0 {
            // Zero has no sign here.
            return 0;
        }
        let bits = ((exponent + bias - 1) as u64) << mantissa_bits;
        let infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
        let sign = u64::from(sum < 0) << (exponent_bits + all_bits);
        sign | (bits + digits).min(infinity) << (all_bits - mantissa_bits)
    }
}

/// The bit that makes a NaN a quiet one.
const QUIET: u64 = 1 << 51;

/// The products of doubles, added one after the other. The first NaN stays, and where B and the sum are one, B.
pub fn chain(a: &[f64], b: &[f64], c: u64) -> u64 {
    let sum = a.iter().zip(b).fold(f64::from_bits(c), |sum, (a, b)| {
        let next = a.mul_add(*b, sum);
        match [*b, sum, *a].into_iter().find(|value| value.is_nan()) {
            Some(nan) => f64::from_bits(nan.to_bits() | QUIET),
            None if next.is_nan() => f64::from_bits(0xfff << 52 | QUIET),
            None => next,
        }
    });
    sum.to_bits()
}

/// The products of integers, added.
pub fn sum_of_integers(a: &[i64], b: &[i64], c: i64, saturates: bool) -> u64 {
    let sum = a.iter().zip(b).fold(c, |sum, (a, b)| sum + a * b);
    let sum = if saturates { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { sum };
    u64::from(sum as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of products of f16 and of an f32.
    fn check(products: &[(u64, u64)], c: f32, sum: f32) {
        let part = |bits| Part::of(Number::F16, bits);
        let (a, b): (Vec<_>, Vec<_>) = products.iter().map(|(a, b)| (part(*a), part(*b))).unzip();
        let found = Sum::new(Number::F16, Number::F16, Number::F32).of(&a, &b, u64::from(c.to_bits()));
        assert_eq!(found, u64::from(sum.to_bits()), "{products:x?} + {c}");
    }

    const ONE: u64 = 0x3c00;

    #[test]
    fn two_bits_more_than_those_of_f32_are_kept_and_the_rest_is_cut_off() {
        let power = |exponent: i32| 2_f32.powi(exponent);
        check(&[(ONE, ONE)], power(-23), 1.0 + power(-23));
        // A power of two as a product: the exponent of a normal f16 is its bits above the tenth, less 15.
        let product = |exponent: i32| (ONE, ((15 + exponent) as u64) << 10);
        check(&[product(-2)], 0.0, 0.25);
        let small = |exponent: i32, count: usize| {
            let half = (15 + exponent / 2) as u64;
            let rest = (15 + exponent - exponent / 2) as u64;
            [vec![(ONE, ONE)], vec![(half << 10, rest << 10); count]].concat()
        };
        check(&small(-25, 3), 0.0, 1.0);
        check(&small(-25, 4), 0.0, 1.0 + power(-23));
        check(&small(-26, 15), 0.0, 1.0);
        // Towards zero, also below zero.
        check(&[(ONE | 0x8000, ONE), (0x0400, 0x0400)], 0.0, -1.0);
    }

    /// 2⁻¹⁴⁰ as a product, and a small one that it does not outweigh; of bf16 and of tf32.
    #[test]
    fn the_last_bit_is_at_two_to_the_minus_158_at_least() {
        for (number, zeros) in [(Number::Bf16, 7), (Number::Tf32, 23)] {
            let product = |exponent: i32| {
                let power = |exponent: i32| Part::of(number, ((127 + exponent) as u64) << zeros);
                (power(exponent / 2), power(exponent - exponent / 2))
            };
            for (large, small, is_kept) in [
                (-133, -158, true),
                (-133, -159, false),
                (-140, -158, true),
                (-140, -159, false),
                (-150, -160, false),
            ] {
                let ((a, b), (c, d)) = (product(large), product(small));
                let sum = Sum::new(number, number, Number::F32).of(&[a.negated(), c], &[b, d], 0);
                let all = if large < -149 { 0 } else { 0x8000_0000 | 1 << (149 + large) };
                assert_eq!(sum, all - u64::from(is_kept), "{large} {small}");
            }
        }
    }

    #[test]
    fn the_product_of_subnormal_numbers_counts() {
        check(&[(1, 1)], 0.0, 2_f32.powi(-48));
        check(&[(1, 0x8001), (1, 1)], 0.0, 0.0);
    }

    #[test]
    fn what_is_no_number_is_always_the_same() {
        let infinity = 0x7c00;
        let part = |bits| Part::of(Number::F16, bits);
        let of = |a: u64, b: u64, c: u64| {
            Sum::new(Number::F16, Number::F16, Number::F16).of(&[part(a)], &[part(b)], c)
        };
        assert_eq!(of(infinity, ONE, 0), infinity);
        assert_eq!(of(infinity, ONE | 0x8000, 0), infinity | 0x8000);
        for (a, b, c) in [(infinity, 0, 0), (infinity, ONE, 0xfc00), (0x7c01, 0, 0), (0, 0, 0xfe00)] {
            assert_eq!(of(a, b, c), 0x7fff);
        }
    }

    #[test]
    fn integers_end_or_wrap() {
        assert_eq!(sum_of_integers(&[-128], &[-128], 1, false), 16385);
        assert_eq!(sum_of_integers(&[1], &[1], i64::from(i32::MAX), false), 0x8000_0000);
        assert_eq!(sum_of_integers(&[1], &[1], i64::from(i32::MAX), true), 0x7fff_ffff);
        assert_eq!(sum_of_integers(&[-1], &[1], i64::from(i32::MIN), true), 0x8000_0000);
    }
}
