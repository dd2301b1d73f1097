//! Decides without rounding whether a result is correctly rounded: the model for the tests of [`super::exact`] and of
//! the native paths.
//!
//! A candidate is right if the exact result is on the right side of the numbers around it. That is a comparison of
//! integers of any size: to compare `a * b + c` with a midpoint `m`, take the sign of `a * b + c - m`; for `a / b` that
//! of `a - m * b`, and for the root of `a` that of `a - m * m`.

use std::cmp::Ordering;

use test_support::Random;

use super::exact::{Finite, Format, Number, Rounding};

/// An integer of any size, scaled by a power of two.
#[derive(Clone, Debug)]
pub struct Big {
    negative: bool,
    /// Least significant first.
    limbs: Vec<u32>,
    exponent: i32,
}

impl Big {
    /// The value of a finite number.
    pub fn of(format: Format, bits: u64) -> Big {
        let Number::Finite(Finite { negative, magnitude, exponent }) = Number::read(format, bits) else {
            panic!("{bits:#x} is not finite");
        };
        Big { negative, limbs: vec![magnitude as u32, (magnitude >> 32) as u32], exponent }
    }

    fn times(&self, other: &Big) -> Big {
        let mut limbs = vec![0_u32; self.limbs.len() + other.limbs.len()];
        for (i, &x) in self.limbs.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, &y) in other.limbs.iter().enumerate() {
                let sum = u64::from(x) * u64::from(y) + u64::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u32;
                carry = sum >> 32;
            }
            limbs[i + other.limbs.len()] = carry as u32;
        }
        Big { negative: self.negative != other.negative, limbs, exponent: self.exponent + other.exponent }
    }

    /// The limbs of the number divided by `2^exponent`, which is not above the number's own exponent.
    fn scaled(&self, exponent: i32, len: usize) -> Vec<u32> {
        let shift = (self.exponent - exponent) as usize;
        let (words, bits) = (shift / 32, shift % 32);
        let mut limbs = vec![0; len];
        for (i, &limb) in self.limbs.iter().enumerate() {
            let wide = u64::from(limb) << bits;
            limbs[i + words] |= wide as u32;
            limbs[i + words + 1] |= (wide >> 32) as u32;
        }
        limbs
    }

    fn cmp_magnitude(x: &[u32], y: &[u32]) -> Ordering {
        x.iter().rev().cmp(y.iter().rev())
    }

    fn plus(&self, other: &Big) -> Big {
        let exponent = self.exponent.min(other.exponent);
        let len = |x: &Big| (x.exponent - exponent) as usize / 32 + x.limbs.len() + 2;
        let len = len(self).max(len(other));
        let (x, y) = (self.scaled(exponent, len), other.scaled(exponent, len));
        let x_larger = Self::cmp_magnitude(&x, &y).is_ge();
        let (large, small) = if x_larger { (x, y) } else { (y, x) };
        let subtract = self.negative != other.negative;
        let mut carry = 0_i64;
        let limbs = large.iter().zip(&small).map(|(&l, &s)| {
            let s = if subtract { -i64::from(s) } else { i64::from(s) };
            let sum = i64::from(l) + s + carry;
            carry = sum >> 32;
            sum as u32
        });
        let limbs = limbs.collect();
        Big { negative: if x_larger { self.negative } else { other.negative }, limbs, exponent }
    }

    fn negated(mut self) -> Big {
        self.negative = !self.negative;
        self
    }

    fn half(mut self) -> Big {
        self.exponent -= 1;
        self
    }

    fn sign(&self) -> Ordering {
        match self.limbs.iter().all(|&limb| limb == 0) {
            true => Ordering::Equal,
            false if self.negative => Ordering::Less,
            false => Ordering::Greater,
        }
    }
}

/// An exact result, represented by how it compares with any number.
pub type Exact<'a> = &'a dyn Fn(&Big) -> Ordering;

/// `a * b + c` compared with `y`.
pub fn cmp_fma(a: &Big, b: &Big, c: &Big, y: &Big) -> Ordering {
    a.times(b).plus(c).plus(&y.clone().negated()).sign()
}

/// `a / b` compared with `y`; `b` is not zero.
pub fn cmp_div(a: &Big, b: &Big, y: &Big) -> Ordering {
    let difference = a.plus(&y.times(b).negated()).sign();
    if b.negative { difference.reverse() } else { difference }
}

/// The square root of `a` compared with `y`; `a` is not below zero.
pub fn cmp_sqrt(a: &Big, y: &Big) -> Ordering {
    match y.sign() {
        Ordering::Less => Ordering::Greater,
        _ => a.plus(&y.times(y).negated()).sign(),
    }
}

/// Whether `bits` is the exact result, rounded. The sign of a zero is ignored.
pub fn is_rounded(format: Format, rounding: Rounding, exact: Exact<'_>, bits: u64) -> bool {
    let magnitude = bits & !format.sign();
    if magnitude > format.infinity() {
        return false;
    }
    // Independent of the sign: `toward` compares in the direction away from zero.
    let negative = bits & format.sign() != 0;
    let away = |y: &Big| if negative { exact(&y.clone().negated()).reverse() } else { exact(y) };
    let zero_side = exact(&Big::of(format, 0));
    let here = (magnitude < format.infinity()).then(|| Big::of(format, magnitude));
    let below = (magnitude > 0).then(|| Big::of(format, magnitude - 1));
    let above = beyond(format, magnitude);
    let last = match &here {
        Some(here) => here.clone(),
        None => beyond(format, format.max()).unwrap(),
    };
    let lower = below.map(|below| (below.plus(&last).half(), below));
    let upper = above.map(|above| (above.plus(&last).half(), above));
    if magnitude == 0 && zero_side != Ordering::Equal {
        return tiny_is_rounded(format, rounding, exact, zero_side);
    }
    let even = magnitude & 1 == 0;
    let exactly_here = here.is_some() && away(&last) == Ordering::Equal;
    match rounding {
        Rounding::Nearest | Rounding::Away => {
            let tie_comes_here = |beyond_it: bool| match rounding {
                Rounding::Away => beyond_it,
                _ => even,
            };
            let above_lower = lower.is_none_or(|(middle, _)| match away(&middle) {
                Ordering::Greater => true,
                Ordering::Equal => tie_comes_here(true),
                Ordering::Less => false,
            });
            let below_upper = upper.is_none_or(|(middle, _)| match away(&middle) {
                Ordering::Less => true,
                Ordering::Equal => tie_comes_here(false),
                Ordering::Greater => false,
            });
            above_lower && below_upper
        }
        _ if exactly_here => true,
        _ => {
            let outwards = matches!((rounding, negative), (Rounding::Up, false) | (Rounding::Down, true));
            if outwards {
                let above_lower = lower.is_none_or(|(_, below)| away(&below).is_gt());
                above_lower && (here.is_none() || away(&last).is_lt())
            } else {
                // The largest number represents everything above it too.
                let below_upper = magnitude == format.max() || upper.is_none_or(|(_, up)| away(&up).is_lt());
                here.is_some() && away(&last).is_gt() && below_upper
            }
        }
    }
}

/// The number after `magnitude`. After the largest number, the power of two that would be next.
fn beyond(format: Format, magnitude: u64) -> Option<Big> {
    match magnitude {
        m if m < format.max() => Some(Big::of(format, m + 1)),
        m if m == format.max() => {
            let max = Big::of(format, m);
            let step = max.plus(&Big::of(format, m - 1).negated());
            Some(max.plus(&step))
        }
        _ => None,
    }
}

/// Whether zero is the rounded form of a result that is not zero.
fn tiny_is_rounded(format: Format, rounding: Rounding, exact: Exact<'_>, side: Ordering) -> bool {
    let mut smallest = Big::of(format, 1);
    smallest.negative = side == Ordering::Less;
    let mut half = smallest.clone().half();
    half.negative = smallest.negative;
    let (to_half, to_smallest) = (exact(&half), exact(&smallest));
    let inside = |order: Ordering| if side == Ordering::Less { order.is_gt() } else { order.is_lt() };
    match rounding {
        Rounding::Nearest => inside(to_half) || to_half == Ordering::Equal,
        Rounding::Away => inside(to_half),
        Rounding::Zero => inside(to_smallest),
        Rounding::Down => side == Ordering::Greater && inside(to_smallest),
        Rounding::Up => side == Ordering::Less && inside(to_smallest),
    }
}

/// Deterministic bits for bulk tests, with many more edge cases of a format than random bits would have.
#[derive(Debug)]
pub struct Source(Random);

impl Source {
    /// The same numbers for the same seed.
    pub fn new(seed: u64) -> Source {
        Source(Random::new(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number of `format`: an edge case, a number with an exponent near that of `near`, or any bits.
    pub fn number(&mut self, format: Format, near: u64) -> u64 {
        let all = (format.sign() << 1).wrapping_sub(1);
        let bits = self.bits();
        let fraction = (1 << format.fraction_bits) - 1;
        match bits >> 60 {
            0 => self.edge(format),
            1..=6 => {
                (near & !fraction | bits & fraction).wrapping_add((bits >> 56 & 7) << format.fraction_bits)
                    & all
            }
            7 => near & !fraction | (bits & 3),
            8 => (near & !fraction | fraction & !(bits & 3)) & all,
            9 => bits & fraction,
            _ => bits & all,
        }
    }

    fn edge(&mut self, format: Format) -> u64 {
        let smallest_normal = 1 << format.fraction_bits;
        let one = (1_u64 << (format.exponent_bits - 1)).wrapping_sub(1) << format.fraction_bits;
        let edges = [
            0,
            1,
            2,
            smallest_normal - 1,
            smallest_normal,
            smallest_normal + 1,
            one - 1,
            one,
            one + 1,
            format.max() - 1,
            format.max(),
            format.infinity(),
            format.infinity() + 1,
            format.nan(),
        ];
        let pick = self.bits() >> 32;
        edges[pick as usize % edges.len()] | if pick >> 31 & 1 != 0 { format.sign() } else { 0 }
    }
}
