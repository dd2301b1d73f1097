//! Conversion of one number between any two types, described by a *recipe*.
//!
//! The recipe is a literal operand of the decoded instruction, packed into 32 bits: there are thousands of
//! combinations of types and modifiers, too many for a function each. A number is read, whatever its type, as
//! an exact [`exact::Number`], and rounded once into the destination.
//!
//! Specification: PTX ISA, section 9.7.9 (`cvt`).

use crate::isa::float::exact::{self, BF16, F16, F32, F64, Finite, Format, Rounding, TF32};
use crate::isa::grammar::Modifiers;
use crate::isa::value::Kind;

/// A type that `cvt` reads or writes.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    name: &'static str,
    /// Bits in a register.
    pub bits: u32,
    /// Whether it has a sign.
    pub signed: bool,
    /// The format; `None` for integers.
    pub format: Option<Format>,
}

const fn integer(name: &'static str, bits: u32, signed: bool) -> Number {
    Number { name, bits, signed, format: None }
}

const fn float(name: &'static str, bits: u32, format: Format) -> Number {
    Number { name, bits, signed: true, format: Some(format) }
}

const NUMBERS: [Number; 16] = [
    integer("u8", 8, false),
    integer("u16", 16, false),
    integer("u32", 32, false),
    integer("u64", 64, false),
    integer("s8", 8, true),
    integer("s16", 16, true),
    integer("s32", 32, true),
    integer("s64", 64, true),
    float("f16", 16, F16),
    float("bf16", 16, BF16),
    float("tf32", 32, TF32),
    float("f32", 32, F32),
    float("f64", 64, F64),
    // One of the two numbers that the instruction computes.
    float("f16x2", 16, F16),
    float("bf16x2", 16, BF16),
    // Unused: fills the table, so that any four bits name a type.
    float("", 64, F64),
];

/// The zero bits below a `tf32`.
const TF32_SHIFT: u32 = 13;

impl Number {
    /// What a literal operand of this type has to be.
    pub fn kind(self) -> Kind {
        match (self.bits, self.format) {
            (64, None) => Kind::B64,
            (64, _) => Kind::F64,
            (32, None) => Kind::B32,
            (32, _) => Kind::F32,
            _ => Kind::B16,
        }
    }

    fn index(self) -> u32 {
        NUMBERS.iter().position(|number| number.name == self.name).unwrap_or(0) as u32
    }

    /// The low bits of a register as this type.
    fn read(self, ftz: bool, bits: u64) -> exact::Number {
        let low = bits & u64::MAX >> (64 - self.bits);
        match self.format {
            Some(F32) if ftz => exact::Number::read(F32.flushed(), low),
            Some(format) => exact::Number::read(format, low),
            None => exact::Number::from_integer(self.extended(low)),
        }
    }

    /// The value of an integer type's low bits.
    fn extended(self, bits: u64) -> i128 {
        let unused = 64 - self.bits;
        if self.signed {
            i128::from((bits << unused) as i64 >> unused)
        } else {
            i128::from(bits << unused >> unused)
        }
    }

    fn range(self) -> (i128, i128) {
        let values = 1_i128 << self.bits;
        if self.signed { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
    }
}

/// A conversion.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one a modifier, any of which may be there")]
pub struct Recipe {
    /// The type of the result.
    pub to: Number,
    /// The type of the source.
    pub from: Number,
    rounding: Rounding,
    /// Whether a floating-point result is an integer.
    integral: bool,
    ftz: bool,
    /// `.sat`
    pub sat: bool,
    relu: bool,
    satfinite: bool,
}

impl Recipe {
    /// The conversion that an opcode names: modifiers, destination, source.
    pub fn new(m: &Modifiers<'_>) -> Recipe {
        let has = |word: &str| m.words().any(|text| text == word);
        let mut types = m.words().rev().filter_map(|word| NUMBERS.iter().find(|number| number.name == word));
        let mut next = || *types.next().expect("the form's grammar ends in two types");
        let (from, to) = (next(), next());
        let (rounding, integral) = rounding(m.text(1));
        let [ftz, sat, relu, satfinite] = ["ftz", "sat", "relu", "satfinite"].map(has);
        Recipe { to, from, rounding, integral, ftz, sat, relu, satfinite }
    }

    /// The recipe as a literal, for a result in a register of `register_bits`.
    pub fn pack(self, register_bits: u32) -> u32 {
        let flags = [self.integral, self.ftz, self.sat, self.relu, self.satfinite];
        let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u32::from(flag));
        let rounding = self.rounding as u32;
        self.to.index() | self.from.index() << 4 | rounding << 8 | flags << 11 | register_bits << 16
    }

    fn unpack(bits: u32) -> Recipe {
        let [to, from] = [bits, bits >> 4].map(|bits| NUMBERS[bits as usize & 15]);
        let rounding = ROUNDINGS[bits as usize >> 8 & 7];
        let [integral, ftz, sat, relu, satfinite] = std::array::from_fn(|flag| bits >> (11 + flag) & 1 != 0);
        Recipe { to, from, rounding, integral, ftz, sat, relu, satfinite }
    }
}

/// Indexed by `Rounding as u32`. The last ones are unused: they fill the table, so that any three bits name a rounding.
const ROUNDINGS: [Rounding; 8] = [
    Rounding::Nearest,
    Rounding::Zero,
    Rounding::Down,
    Rounding::Up,
    Rounding::Away,
    Rounding::Nearest,
    Rounding::Nearest,
    Rounding::Nearest,
];

/// The rounding, and whether it is to an integer.
fn rounding(word: &str) -> (Rounding, bool) {
    let integral = word.ends_with('i');
    let rounding = match word.trim_end_matches('i') {
        "rz" => Rounding::Zero,
        "rm" => Rounding::Down,
        "rp" => Rounding::Up,
        "rna" => Rounding::Away,
        _ => Rounding::Nearest,
    };
    (rounding, integral)
}

/// Applies a packed recipe to the bits of a source register. The result fits the destination's register.
pub fn convert(recipe: u32, bits: u64) -> u64 {
    let register_bits = (recipe >> 16).clamp(1, 64);
    let recipe = Recipe::unpack(recipe);
    // The specification flushes every subnormal `f32`; an H200 keeps those that become an `f16`.
    let number = recipe.from.read(recipe.ftz && recipe.to.format != Some(F16), bits);
    let result = match recipe.to.format {
        Some(TF32) if recipe.rounding == Rounding::Away && is_special(bits) => special_as_tf32(recipe, bits),
        Some(format) => match (number, recipe.from.format) {
            (exact::Number::Nan, Some(from)) if !recipe.sat => nan_as_float(recipe, from, format, bits),
            _ => to_float(recipe, format, number),
        },
        None => to_integer(recipe, number),
    };
    result & u64::MAX >> (64 - register_bits)
}

fn to_integer(recipe: Recipe, number: exact::Number) -> u64 {
    let (lowest, highest) = recipe.to.range();
    let value = match number {
        exact::Number::Nan => return nan_as_integer(recipe),
        exact::Number::Infinite { negative: true } => lowest,
        exact::Number::Infinite { negative: false } => highest,
        exact::Number::Finite(x) if x.leading_exponent() > 64 && x.negative => lowest,
        exact::Number::Finite(x) if x.leading_exponent() > 64 => highest,
        exact::Number::Finite(x) => {
            let magnitude = x.to_multiple_of(0, recipe.rounding) as i128;
            if x.negative { -magnitude } else { magnitude }
        }
    };
    // Between integers without `.sat`, the low bits are kept; from floating point, the result is always clamped.
    let clamps = recipe.sat || recipe.from.format.is_some();
    let value = if clamps { value.clamp(lowest, highest) } else { value };
    recipe.to.extended(value as u64) as u64
}

fn nan_as_integer(recipe: Recipe) -> u64 {
    if recipe.from.bits < 64 && recipe.to.bits < 64 {
        return 0;
    }
    recipe.to.extended(1 << (recipe.to.bits - 1)) as u64
}

fn to_float(recipe: Recipe, format: Format, number: exact::Number) -> u64 {
    let number = if recipe.integral { to_integral(recipe, number) } else { number };
    let target = if recipe.ftz && format == F32 { F32.flushed() } else { format };
    let bits = number.round(target, recipe.rounding);
    let (nan, negative) = (format.is_nan(bits), bits & format.sign() != 0);
    let bits = match () {
        () if recipe.sat && (nan || negative) => 0,
        () if recipe.sat => bits.min(format.one()),
        () if recipe.relu && negative => 0,
        () if recipe.satfinite && !nan => bits & format.sign() | (bits & !format.sign()).min(format.max()),
        () => bits,
    };
    if format == TF32 { bits << TF32_SHIFT } else { bits }
}

/// A NaN in another format. NaN payloads are supported in double precision: conversions to and from it keep the upper
/// bits and the sign, and make the NaN quiet. A conversion to the same format without a modifier copies the bits, and
/// so does `bf16` to `f32`, because it is the upper half of an `f32`. In all other cases the result is the canonical
/// NaN. The specification leaves this open; an H200 does the same, except for [`special_as_tf32`].
fn nan_as_float(recipe: Recipe, from: Format, to: Format, bits: u64) -> u64 {
    let bits = bits & u64::MAX >> (64 - recipe.from.bits);
    let moves = from == to && !recipe.integral && (to == F64 || !recipe.ftz);
    if moves && to != F16 {
        return bits;
    }
    if (from, to, recipe.ftz) == (BF16, F32, false) {
        return bits << 16;
    }
    if from != F64 && to != F64 {
        return if to == TF32 { TF32.nan() << TF32_SHIFT } else { to.nan() };
    }
    let bits = if recipe.ftz && from == F32 { F32.nan() } else { bits };
    let fraction = bits & ((1 << from.fraction_bits) - 1);
    let top = fraction << (63 - from.fraction_bits) >> (63 - to.fraction_bits);
    let sign = if bits & from.sign() == 0 { 0 } else { to.sign() };
    sign | to.infinity() | top | 1 << (to.fraction_bits - 1)
}

/// Whether the bits are an infinity or a NaN of single precision.
fn is_special(bits: u64) -> bool {
    bits & F32.infinity() == F32.infinity()
}

/// The result of `.rna.tf32` for an infinity or a NaN of single precision. According to the specification, every NaN
/// becomes the canonical NaN, also with `.satfinite` (PTX ISA, 9.7.9, `cvt`). An H200 drops the bits that do not fit,
/// which can turn a NaN into an infinity, and `.satfinite` subtracts one, which turns an infinity into the largest
/// number (`tests/hardware/tf32_nan.ptx`).
fn special_as_tf32(recipe: Recipe, bits: u64) -> u64 {
    const STEP: u64 = 1 << TF32_SHIFT;
    let cut = bits & u64::from(u32::MAX) & !(STEP - 1);
    if recipe.satfinite { cut - STEP } else { cut }
}

/// The number rounded to an integer. A number without a fraction is returned unchanged.
fn to_integral(recipe: Recipe, number: exact::Number) -> exact::Number {
    match number {
        exact::Number::Finite(x) if x.exponent < 0 => {
            let magnitude = x.to_multiple_of(0, recipe.rounding);
            exact::Number::Finite(Finite { magnitude, exponent: 0, ..x })
        }
        other => other,
    }
}

/// `cvt.f64.f32`
#[inline(always)]
pub fn widen(a: f32) -> f64 {
    let bits = a.to_bits();
    let sign = u64::from(bits & 0x8000_0000) << 32;
    let nan = sign | 0x7ff8 << 48 | u64::from(bits & 0x007f_ffff) << 29;
    if a.is_nan() { f64::from_bits(nan) } else { f64::from(a) }
}

/// `cvt.rn.f32.f64`
#[inline(always)]
pub fn narrow(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x003f_ffff;
    if a.is_nan() { f32::from_bits(nan) } else { a as f32 }
}
