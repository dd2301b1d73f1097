//! Exact arithmetic on floating-point numbers of any format, with one rounding at the end.
//!
//! Operations that the host computes natively, for example `a + b` to nearest, are fast and the same everywhere. The
//! others (directed rounding, half precision, conversions, in a web page a fused multiply-add of doubles) are computed here
//! with integers. A finite number is `magnitude * 2^exponent`; an operation is exact, or sets the lowest bit if anything was
//! lost; and [`Number::round`] rounds the result once. This is slower than native arithmetic, but correct by
//! construction and independent of the platform. NaNs have no payload here.
//!
//! Specification: PTX ISA, section 9.7.3; IEEE 754-2008, sections 3 to 5.

/// How a result that a format cannot hold is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even: `.rn`.
    Nearest,
    /// Towards zero: `.rz`.
    Zero,
    /// Towards minus infinity: `.rm`.
    Down,
    /// Towards plus infinity: `.rp`.
    Up,
    /// To nearest, ties away from zero: `.rna`.
    Away,
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent_bits: u32,
    /// Bits of the fraction, without the leading one.
    pub fraction_bits: u32,
    /// Whether there are numbers below the smallest normal one; with `.ftz` there are not.
    pub has_subnormals: bool,
}

/// `f16`
pub const F16: Format = Format::new(5, 10);
/// `bf16`
pub const BF16: Format = Format::new(8, 7);
/// `tf32`, as 19 bits; in a 32-bit register they are the upper ones.
pub const TF32: Format = Format::new(8, 10);
/// `f32`
pub const F32: Format = Format::new(8, 23);
/// `f64`
pub const F64: Format = Format::new(11, 52);

impl Format {
    const fn new(exponent_bits: u32, fraction_bits: u32) -> Format {
        Format { exponent_bits, fraction_bits, has_subnormals: true }
    }

    /// The format as an instruction with `.ftz` sees it: a subnormal number that it reads, or rounds to, is a zero of
    /// the same sign.
    ///
    /// The specification does not say whether a result counts as subnormal before or after rounding. On an H200 it is
    /// after rounding to the precision of a normal number, as if exponents had no lower bound: a product of `(1 -
    /// 2^-25) * 2^-126` rounds to `2^-126` and is kept, and one of `(1 - 2^-24) * 2^-126` is flushed, although without
    /// `.ftz` it would round to `2^-126` too (`tests/hardware/ftz_mul.ptx`; PTX ISA, 9.7.3, `mul`).
    #[must_use]
    pub const fn flushed(self) -> Format {
        Format { has_subnormals: false, ..self }
    }

    /// The exponent of the largest numbers.
    const fn max_exponent(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    const fn min_exponent(self) -> i32 {
        1 - self.max_exponent()
    }

    /// The bit of the sign.
    pub const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of plus infinity.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The bits of the largest finite number.
    pub const fn max(self) -> u64 {
        self.infinity() - 1
    }

    /// The bits of the canonical NaN: all bits except the sign, as the specification defines it for `f16`, `bf16` and
    /// `f32`.
    pub const fn nan(self) -> u64 {
        self.sign() - 1
    }

    /// The bits of 1.
    pub const fn one(self) -> u64 {
        (self.max_exponent() as u64) << self.fraction_bits
    }

    /// An integer that has the same order as the numbers; -0 is below +0.
    pub const fn order(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.sign() - 1)) as i64;
        if bits & self.sign() == 0 { magnitude } else { -1 - magnitude }
    }

    /// Whether `bits` are a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// `bits`, or a zero of the same sign if they are a subnormal number.
    pub const fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 { bits & self.sign() } else { bits }
    }
}

/// A finite number, `magnitude * 2^exponent`. Zeros have a sign too. `magnitude` is below `2^127`.
///
/// After an inexact operation the lowest bit of `magnitude` is set. It then means "and a little more", far below the
/// bits that any format keeps.
#[derive(Clone, Copy, Debug)]
pub struct Finite {
    /// Whether it is negative, or minus zero.
    pub negative: bool,
    /// The integer.
    pub magnitude: u128,
    /// The power of two by which it is scaled.
    pub exponent: i32,
}

/// The value of the bits of a floating-point number.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity, with its sign.
    Infinite {
        /// Whether it is minus infinity.
        negative: bool,
    },
    /// A number.
    Finite(Finite),
}

impl Finite {
    /// The same number with the leading bit of its magnitude at bit 125. Zero is returned unchanged.
    fn normalised(self) -> Finite {
        if self.magnitude == 0 {
            return self;
        }
        let shift = self.magnitude.leading_zeros() as i32 - 2;
        let magnitude = if shift >= 0 { self.magnitude << shift } else { jam(self.magnitude, 1) };
        Finite { magnitude, exponent: self.exponent - shift, ..self }
    }

    fn plus(self, other: Finite, rounding: Rounding) -> Finite {
        match (self.magnitude, other.magnitude) {
            (0, 0) => {
                let negative = zero_sum_is_negative(self.negative, other.negative, rounding);
                return Finite { negative, ..self };
            }
            (0, _) => return other,
            (_, 0) => return self,
            _ => {}
        }
        let (x, y) = (self.normalised(), other.normalised());
        let (large, small) = if x.exponent >= y.exponent { (x, y) } else { (y, x) };
        // The formats need at most 106 of the 126 bits, so the shift loses something only if the exponents differ by 20
        // or more. Then at most one leading bit cancels, so the lost part remains far below the last place of the
        // result.
        let shifted = jam(small.magnitude, (large.exponent - small.exponent) as u32);
        if large.negative == small.negative {
            return Finite { magnitude: large.magnitude + shifted, ..large };
        }
        let negative = match large.magnitude.cmp(&shifted) {
            std::cmp::Ordering::Greater => large.negative,
            std::cmp::Ordering::Less => small.negative,
            std::cmp::Ordering::Equal => rounding == Rounding::Down,
        };
        Finite { negative, magnitude: large.magnitude.abs_diff(shifted), exponent: large.exponent }
    }

    fn over(self, other: Finite) -> Finite {
        let dividend = self.normalised();
        // The divisor has at most 64 bits, so the quotient has 62 or more, and there is room for the sticky bit.
        let quotient = dividend.magnitude / other.magnitude;
        let rest = dividend.magnitude % other.magnitude;
        Finite {
            negative: self.negative != other.negative,
            magnitude: quotient << 1 | u128::from(rest != 0),
            exponent: dividend.exponent - other.exponent - 1,
        }
    }

    fn sqrt(self) -> Finite {
        let x = self.normalised();
        // The exponent is made even, because the root has half of it.
        let odd = x.exponent & 1;
        let radicand = x.magnitude << odd;
        let root = radicand.isqrt();
        let inexact = root * root != radicand;
        Finite {
            magnitude: root << 1 | u128::from(inexact),
            exponent: (x.exponent - odd) / 2 - 1,
            negative: false,
        }
    }

    /// The number rounded to a multiple of `2^place`, as that multiple.
    pub fn to_multiple_of(self, place: i32, rounding: Rounding) -> u128 {
        let drop = place - self.exponent;
        if drop <= 0 {
            // Unreachable for a number with bits above 2^(127 + place), because callers check the size first.
            return self.magnitude.checked_shl(drop.unsigned_abs()).unwrap_or(0);
        }
        let drop = drop.min(128) as u32;
        let kept = self.magnitude.checked_shr(drop).unwrap_or(0);
        let rest = self.magnitude & u128::MAX >> (128 - drop);
        let half = 1 << (drop - 1);
        let up = match rounding {
            Rounding::Nearest => rest > half || (rest == half && kept & 1 != 0),
            Rounding::Away => rest >= half,
            Rounding::Zero => false,
            Rounding::Down => self.negative && rest != 0,
            Rounding::Up => !self.negative && rest != 0,
        };
        kept + u128::from(up)
    }

    /// The exponent of the leading bit; very small for zero.
    pub fn leading_exponent(self) -> i32 {
        match self.magnitude {
            0 => i32::MIN / 2,
            magnitude => self.exponent + magnitude.ilog2() as i32,
        }
    }

    fn round(self, format: Format, rounding: Rounding) -> u64 {
        let sign = if self.negative { format.sign() } else { 0 };
        if self.leading_exponent() > format.max_exponent() {
            return sign | overflow(format, rounding, self.negative);
        }
        if !format.has_subnormals && self.leading_exponent() < format.min_exponent() {
            return sign | self.round_tiny(format, rounding);
        }
        // Below the smallest normal number the last place is fixed. That is what subnormal means.
        let steps = (self.leading_exponent() - format.min_exponent()).max(0);
        let last_place = format.min_exponent() - format.fraction_bits as i32 + steps;
        let kept = self.to_multiple_of(last_place, rounding) as u64;
        // The leading bit of a normal number is added to the exponent, and so is a carry out of the fraction. This
        // works because the patterns of floats have the same order as their values, up to infinity.
        sign | (((steps as u64) << format.fraction_bits) + kept)
    }

    /// A magnitude below the smallest normal number, in a format without subnormal numbers: that normal number if
    /// rounding to its precision reaches it, otherwise zero.
    fn round_tiny(self, format: Format, rounding: Rounding) -> u64 {
        let smallest = 1 << format.fraction_bits;
        let below = self.leading_exponent() == format.min_exponent() - 1;
        let last_place = self.leading_exponent() - format.fraction_bits as i32;
        if below && self.to_multiple_of(last_place, rounding) as u64 == 2 * smallest { smallest } else { 0 }
    }
}

/// Shifts right, and sets the lowest bit if anything was lost.
fn jam(bits: u128, shift: u32) -> u128 {
    match shift {
        0 => bits,
        1..=127 => bits >> shift | u128::from(bits << (128 - shift) != 0),
        _ => u128::from(bits != 0),
    }
}

fn overflow(format: Format, rounding: Rounding, negative: bool) -> u64 {
    match rounding {
        Rounding::Zero => format.max(),
        Rounding::Down if !negative => format.max(),
        Rounding::Up if negative => format.max(),
        _ => format.infinity(),
    }
}

/// The sign of a sum of zeros: their common sign; if they differ, plus, or minus when rounding down.
fn zero_sum_is_negative(a: bool, b: bool, rounding: Rounding) -> bool {
    if a == b { a } else { rounding == Rounding::Down }
}

impl Number {
    /// Reads the bits of a number.
    pub fn read(format: Format, bits: u64) -> Number {
        let negative = bits & format.sign() != 0;
        let field = bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
        let fraction = bits & ((1 << format.fraction_bits) - 1);
        let lowest = format.min_exponent() - format.fraction_bits as i32;
        let finite = |magnitude: u64, exponent| {
            Number::Finite(Finite { negative, magnitude: u128::from(magnitude), exponent })
        };
        match field {
            0 if !format.has_subnormals => finite(0, lowest),
            0 => finite(fraction, lowest),
            _ if field << format.fraction_bits != format.infinity() => {
                finite(fraction | 1 << format.fraction_bits, lowest + field as i32 - 1)
            }
            _ if fraction == 0 => Number::Infinite { negative },
            _ => Number::Nan,
        }
    }

    /// An integer, exactly. `i128` has the values of all integer types.
    pub fn from_integer(value: i128) -> Number {
        Number::Finite(Finite { negative: value < 0, magnitude: value.unsigned_abs(), exponent: 0 })
    }

    /// The bits of the number rounded to `format`.
    pub fn round(self, format: Format, rounding: Rounding) -> u64 {
        match self {
            Number::Nan => format.nan(),
            Number::Infinite { negative: false } => format.infinity(),
            Number::Infinite { negative: true } => format.sign() | format.infinity(),
            Number::Finite(number) => number.round(format, rounding),
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Number::Finite(Finite { magnitude: 0, .. }))
    }

    fn is_negative(self) -> bool {
        match self {
            Number::Nan => false,
            Number::Infinite { negative } | Number::Finite(Finite { negative, .. }) => negative,
        }
    }

    /// The product, exact. Both magnitudes are below `2^63`, as those of [`Number::read`] are.
    #[must_use]
    pub fn times(self, other: Number) -> Number {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Finite(x), Number::Finite(y)) => Number::Finite(Finite {
                negative,
                magnitude: x.magnitude * y.magnitude,
                exponent: x.exponent + y.exponent,
            }),
            _ if self.is_zero() || other.is_zero() => Number::Nan,
            _ => Number::Infinite { negative },
        }
    }

    /// The sum. `rounding` decides the sign of an exact zero.
    #[must_use]
    pub fn plus(self, other: Number, rounding: Rounding) -> Number {
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Finite(x), Number::Finite(y)) => Number::Finite(x.plus(y, rounding)),
            (Number::Infinite { negative: x }, Number::Infinite { negative: y }) if x != y => Number::Nan,
            (Number::Infinite { .. }, _) => self,
            _ => other,
        }
    }

    /// The quotient. A number over zero is infinite; 0/0 and inf/inf are NaN.
    #[must_use]
    pub fn over(self, other: Number) -> Number {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite { .. }, Number::Infinite { .. }) => {
                Number::Nan
            }
            (Number::Finite(x), Number::Finite(y)) if y.magnitude != 0 => Number::Finite(x.over(y)),
            (Number::Finite(x), Number::Finite(_)) if x.magnitude == 0 => Number::Nan,
            (Number::Finite(_), Number::Infinite { .. }) => {
                Number::Finite(Finite { negative, magnitude: 0, exponent: 0 })
            }
            _ => Number::Infinite { negative },
        }
    }

    /// The square root; NaN below zero, and -0 for -0.
    #[must_use]
    pub fn sqrt(self) -> Number {
        match self {
            Number::Finite(x) if x.magnitude == 0 => self,
            Number::Finite(x) if !x.negative => Number::Finite(x.sqrt()),
            Number::Infinite { negative: false } => self,
            _ => Number::Nan,
        }
    }
}

/// `a + b` in `format`, from bits to bits.
pub fn add(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
    let sum = Number::read(format, a).plus(Number::read(format, b), rounding);
    sum.round(format, rounding)
}

/// `a * b` in `format`, from bits to bits.
pub fn mul(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
    Number::read(format, a).times(Number::read(format, b)).round(format, rounding)
}

/// `a * b + c` in `format`, rounded once, from bits to bits.
pub fn fma(format: Format, rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
    let product = Number::read(format, a).times(Number::read(format, b));
    product.plus(Number::read(format, c), rounding).round(format, rounding)
}

/// `a / b` in `format`, from bits to bits.
pub fn div(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
    Number::read(format, a).over(Number::read(format, b)).round(format, rounding)
}

/// The square root of `a` in `format`, from bits to bits.
pub fn sqrt(format: Format, rounding: Rounding, a: u64) -> u64 {
    Number::read(format, a).sqrt().round(format, rounding)
}
