//! Values with which instructions are likely to go wrong: zeros, signs, carries, subnormal numbers, NaNs with payloads,
//! and values next to a bound of rounding.
//!
//! A [`Domain`] is how an instruction interprets an operand. It chooses edge cases, and avoids what the PTX ISA leaves
//! undefined: a divisor of zero, a bit position above 255, an angle outside the range in which the approximation has a
//! bound.

use crate::dice::Dice;
use crate::shape::Kind;

/// How an instruction interprets an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// A predicate.
    Pred,
    /// An integer, or bits, of this width.
    Bits(u32),
    /// An integer of this width that is not zero.
    NonZero(u32),
    /// A 32-bit integer below this one.
    Below(u32),
    /// A number of bits to shift by: usually near the widths of registers, sometimes any number.
    Shift,
    /// A 32-bit integer near zero.
    Small,
    /// A truth table for three inputs, which is a literal.
    Table,
    /// `f16`
    Half,
    /// `bf16`
    Brain,
    /// Two `f16`.
    Halves,
    /// Two `bf16`.
    Brains,
    /// `f32`
    Single,
    /// `f32` of magnitude 2⁻¹²⁶ to 2¹²⁶, the divisors for which `div.approx` has a bound (PTX ISA, 9.7.3.8).
    Divisor,
    /// `f32` from -π to π, the angles for which `sin.approx` and `cos.approx` have a bound.
    Angle,
    /// `f64`
    Double,
}

impl Domain {
    /// The domain of a type that an opcode names.
    pub fn of_type(word: &str) -> Option<Domain> {
        Some(match word {
            "pred" => Domain::Pred,
            "u2" | "s2" | "u4" | "s4" | "u8" | "s8" | "b8" => Domain::Bits(8),
            "u16" | "s16" | "b16" => Domain::Bits(16),
            "u32" | "s32" | "b32" => Domain::Bits(32),
            "u64" | "s64" | "b64" => Domain::Bits(64),
            "f16" => Domain::Half,
            "bf16" => Domain::Brain,
            "f16x2" => Domain::Halves,
            "bf16x2" => Domain::Brains,
            "f32" | "tf32" => Domain::Single,
            "f64" => Domain::Double,
            _ => return None,
        })
    }

    /// Its width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Domain::Pred => 1,
            Domain::Bits(bits) | Domain::NonZero(bits) => bits,
            Domain::Half | Domain::Brain => 16,
            Domain::Double => 64,
            _ => 32,
        }
    }

    /// The kind of register for it.
    pub fn kind(self) -> Kind {
        if self == Domain::Pred { Kind::Pred } else { Kind::of_bits(self.bits()) }
    }

    /// Whether it is a whole number or bits.
    pub fn is_integer(self) -> bool {
        matches!(self, Domain::Bits(_))
    }

    /// Whether it is two numbers.
    pub fn is_pair(self) -> bool {
        matches!(self, Domain::Halves | Domain::Brains)
    }

    /// Whether the operand may be any value of its register, so that it may be the result of another instruction.
    pub fn takes_anything(self) -> bool {
        use Domain::{Angle, Below, Divisor, NonZero, Table};
        !matches!(self, NonZero(_) | Below(_) | Table | Divisor | Angle)
    }

    /// An interesting value, in the low bits.
    pub fn value(self, dice: &mut Dice) -> u64 {
        match self {
            Domain::Pred => dice.bits() & 1,
            Domain::Bits(bits) => integer(dice, bits),
            Domain::NonZero(bits) => Some(integer(dice, bits)).filter(|&value| value != 0).unwrap_or(1),
            Domain::Below(end) => match dice.below(3) {
                0 => dice.bits() % u64::from(end),
                _ => *dice.pick(&[0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255]) % u64::from(end),
            },
            Domain::Shift if dice.chance(10) => integer(dice, 32),
            Domain::Shift => *dice.pick(&[0, 1, 4, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 255, 256]),
            Domain::Small => (dice.bits() % 9).wrapping_sub(4) & 0xffff_ffff,
            Domain::Table => dice.bits() & 0xff,
            Domain::Half => float(dice, &HALF),
            Domain::Brain => float(dice, &BRAIN),
            Domain::Halves => float(dice, &HALF) | float(dice, &HALF) << 16,
            Domain::Brains => float(dice, &BRAIN) | float(dice, &BRAIN) << 16,
            Domain::Single => float(dice, &SINGLE),
            Domain::Divisor => {
                let exponent = 1 + dice.bits() % 252;
                sign(dice, &SINGLE) | exponent << 23 | fraction(dice, &SINGLE)
            }
            Domain::Angle => {
                let unit = (dice.bits() % 3_140_000) as f32 / 1e6;
                u64::from(unit.to_bits()) | sign(dice, &SINGLE)
            }
            Domain::Double => float(dice, &DOUBLE),
        }
    }
}

/// Integers near powers of two, short ones, sparse ones, and some with random bits.
fn integer(dice: &mut Dice, bits: u32) -> u64 {
    let all = u64::MAX >> (64 - bits);
    let place = dice.below(bits as usize) as u32;
    let value = match dice.below(8) {
        0 => dice.bits() % 17,
        1 => 0u64.wrapping_sub(dice.bits() % 17),
        2 => (1 << place) - 1,
        3 => 1 << place,
        4 => !(1u64 << place),
        // The smallest and the largest signed number, and their neighbours.
        5 => (1u64 << (bits - 1)).wrapping_add(dice.bits() % 5).wrapping_sub(2),
        6 => dice.bits() & dice.bits(),
        _ => dice.bits(),
    };
    value & all
}

/// A binary format: the number of bits of exponent and fraction.
struct Format {
    exponent: u32,
    fraction: u32,
}

const HALF: Format = Format { exponent: 5, fraction: 10 };
const BRAIN: Format = Format { exponent: 8, fraction: 7 };
const SINGLE: Format = Format { exponent: 8, fraction: 23 };
const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

fn sign(dice: &mut Dice, format: &Format) -> u64 {
    (dice.bits() & 1) << (format.exponent + format.fraction)
}

/// Fractions with no bits, all bits, nearly all bits, halfway between two values of a narrower format, or random bits.
fn fraction(dice: &mut Dice, format: &Format) -> u64 {
    let all = (1u64 << format.fraction) - 1;
    let place = dice.below(format.fraction as usize) as u32;
    let value = match dice.below(7) {
        0 => 0,
        1 => all,
        2 => 1 + dice.bits() % 2,
        3 => 1 << place,
        4 => all << place,
        5 => (1 << place) - 1,
        _ => dice.bits(),
    };
    value & all
}

fn float(dice: &mut Dice, format: &Format) -> u64 {
    let last = (1u64 << format.exponent) - 1;
    let bias = last / 2;
    let exponent = match dice.below(12) {
        // Zeros and subnormal numbers.
        0 | 1 => 0,
        // Infinities and NaNs with payloads.
        2 => last,
        // Near the smallest and the largest number.
        3 | 4 => 1 + dice.bits() % 3,
        5 => last - 1 - dice.bits() % 2,
        // Whole numbers and numbers close to them, where conversions round and saturate.
        6 | 7 => bias + dice.bits() % 4,
        8 => (bias + dice.bits() % u64::from(format.fraction + 10)).min(last - 1),
        // Products and quotients of these are near the smallest number.
        9 => (bias / 2 + dice.bits() % 4).min(last),
        _ => dice.bits() & last,
    };
    sign(dice, format) | exponent << format.fraction | fraction(dice, format)
}
