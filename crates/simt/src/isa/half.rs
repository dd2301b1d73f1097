//! Half precision: `f16` and `bf16`, one number in a 16-bit register or two in a 32-bit one.
//!
//! Every result is the exact one rounded once ([`exact`]); if it is a NaN, it is 0x7fff. Powers of two and the
//! hyperbolic tangent are approximations on a GPU. Here they are computed in double precision and rounded, which is
//! well inside the specification's bounds. Left out: `fma.rn.oob`, and `set` from other types to `f16`.
//!
//! Specification: PTX ISA, sections 9.7.4 and, for comparisons, 9.7.7.

mod compare;

use super::float::exact::{self, BF16, F16, Format, Number, Rounding};
use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{Alu, Value, by_type, small1, small2, small3};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use crate::ptx::ast::Type;

/// Half precision.
pub const FAMILY: Family = Family {
    title: "Half precision",
    section: "9.7.4",
    forms: &[
        Form::new("add.rn?.ftz?.sat?.(f16|f16x2)", add).since(53),
        Form::new("add.rn?.(bf16|bf16x2)", add).since(90),
        Form::new("sub.rn?.ftz?.sat?.(f16|f16x2)", sub).since(53),
        Form::new("sub.rn?.(bf16|bf16x2)", sub).since(90),
        Form::new("mul.rn?.ftz?.sat?.(f16|f16x2)", mul).since(53),
        Form::new("mul.rn?.(bf16|bf16x2)", mul).since(90),
        Form::new("fma.rn.ftz?.sat?.(f16|f16x2)", fma).since(53),
        Form::new("fma.rn.ftz?.relu.(f16|f16x2)", fma).since(80),
        Form::new("fma.rn.relu?.(bf16|bf16x2)", fma).since(80),
        Form::new("neg.ftz?.(f16|f16x2)", neg).since(53),
        Form::new("neg.(bf16|bf16x2)", neg).since(80),
        Form::new("abs.ftz?.(f16|f16x2)", abs).since(53),
        Form::new("abs.(bf16|bf16x2)", abs).since(80),
        Form::new("min.ftz?.NaN?.(f16|f16x2)", min).since(80),
        Form::new("min.ftz?.NaN?.xorsign.abs.(f16|f16x2)", min).since(86),
        Form::new("min.NaN?.(bf16|bf16x2)", min).since(80),
        Form::new("min.NaN?.xorsign.abs.(bf16|bf16x2)", min).since(86),
        Form::new("max.ftz?.NaN?.(f16|f16x2)", max).since(80),
        Form::new("max.ftz?.NaN?.xorsign.abs.(f16|f16x2)", max).since(86),
        Form::new("max.NaN?.(bf16|bf16x2)", max).since(80),
        Form::new("max.NaN?.xorsign.abs.(bf16|bf16x2)", max).since(86),
        Form::new("tanh.approx.(f16|f16x2)", tanh).since(75),
        Form::new("tanh.approx.(bf16|bf16x2)", tanh).since(90),
        Form::new("ex2.approx.(f16|f16x2)", ex2).since(75),
        Form::new("ex2.approx.ftz.(bf16|bf16x2)", ex2).since(90),
        Form::new(compare::SETP_F16, compare::setp).since(53),
        Form::new(compare::SETP_BF16, compare::setp).since(90),
        Form::new(compare::SET_F16, compare::set).since(53),
        Form::new(compare::SET_F16X2, compare::set).since(53),
        Form::new(compare::SET_BF16, compare::set).since(90),
        Form::new(compare::SET_BF16X2, compare::set).since(90),
    ],
};

/// One number in 16 bits, or two in 32.
trait Halves: Value {
    /// Number `n`, counted from the low bits.
    fn number(self, n: u32) -> u64;
    /// The value whose number `n` is `number(n)`.
    fn of(number: impl Fn(u32) -> u64) -> Self;
}

impl Halves for u16 {
    #[inline(always)]
    fn number(self, _: u32) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn of(number: impl Fn(u32) -> u64) -> u16 {
        number(0) as u16
    }
}

impl Halves for u32 {
    #[inline(always)]
    fn number(self, n: u32) -> u64 {
        u64::from(self >> (16 * n) & 0xffff)
    }
    #[inline(always)]
    fn of(number: impl Fn(u32) -> u64) -> u32 {
        (number(1) << 16 | number(0)) as u32
    }
}

/// The modifiers and the type of an instruction, as bits of `Args::imm`. One loop carries out all forms of an instruction, and
/// finds them there. The bits below are for comparisons ([`compare`]).
const FTZ: u16 = 1 << 8;
const IS_BF16: u16 = 1 << 9;
/// `.sat`: clamps to `[0, 1]`, and NaN to +0.
const SAT: u16 = 1 << 10;
/// `.relu`: turns negative numbers into 0; NaN remains.
const RELU: u16 = 1 << 11;
const NAN: u16 = 1 << 12;
const XORSIGN: u16 = 1 << 13;

const FLAGS: [(&str, u16); 7] = [
    ("ftz", FTZ),
    ("bf16", IS_BF16),
    ("bf16x2", IS_BF16),
    ("sat", SAT),
    ("relu", RELU),
    ("NaN", NAN),
    ("xorsign", XORSIGN),
];

fn flags_of(m: &Modifiers<'_>) -> u16 {
    m.words()
        .filter_map(|word| FLAGS.iter().find(|(known, _)| *known == word))
        .fold(0, |all, (_, flag)| all | flag)
}

fn last_type(m: &Modifiers<'_>) -> Type {
    m.words().last().and_then(super::grammar::parse_type).expect("the form's grammar ends in a type")
}

/// The format of the operands and of the result.
fn format_of(flags: u16) -> Format {
    let format = if flags & IS_BF16 != 0 { BF16 } else { F16 };
    if flags & FTZ != 0 { format.flushed() } else { format }
}

/// A result as `.sat` or `.relu` wants it.
fn clamp(flags: u16, format: Format, bits: u64) -> u64 {
    let [sat, relu] = [SAT, RELU].map(|flag| flags & flag != 0);
    match format.is_nan(bits) {
        true if sat => 0,
        false if (sat || relu) && bits & format.sign() != 0 => 0,
        false if sat => bits.min(format.one()),
        _ => bits,
    }
}

/// An instruction that computes `$f(flags, format, operands…)` for each number of its operands.
macro_rules! each_number {
    ($name:ident, $map:ident($($x:ident: $T:ident),*), $f:expr) => {
        fn $name(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
            o.args.imm = flags_of(m);
            o.alu(by_type!(last_type(m); [F16 | Bf16 => u16, F16x2 | Bf16x2 => u32], T => {
                Alu::new(&[T::KIND], &[$($T::KIND),*], |warps, args| {
                    let (flags, format) = (args.imm, format_of(args.imm));
                    $map(warps, args, |$($x: $T),*| T::of(|n| clamp(flags, format, $f(flags, format, $($x.number(n)),*))));
                })
            }))
        }
    };
}

each_number!(add, small2(a: T, b: T), |_, f, a, b| exact::add(f, Rounding::Nearest, a, b));
each_number!(sub, small2(a: T, b: T), |_, f: Format, a, b| exact::add(f, Rounding::Nearest, a, b ^ f.sign()));
each_number!(mul, small2(a: T, b: T), |_, f, a, b| exact::mul(f, Rounding::Nearest, a, b));
each_number!(fma, small3(a: T, b: T, c: T), |_, f, a, b, c| exact::fma(f, Rounding::Nearest, a, b, c));
each_number!(neg, small1(a: T), |_, f: Format, a| quieted(f, a, a ^ f.sign()));
each_number!(abs, small1(a: T), |_, f: Format, a| quieted(f, a, a & !f.sign()));
each_number!(min, small2(a: T, b: T), |flags, f, a, b| smaller_or_larger(flags, f, false, a, b));
each_number!(max, small2(a: T, b: T), |flags, f, a, b| smaller_or_larger(flags, f, true, a, b));
each_number!(tanh, small1(a: T), |_, f, a| by_f64(f, a, libm::tanh));
each_number!(ex2, small1(a: T), |_, f, a| by_f64(f, a, libm::exp2));

/// `result`, or the canonical NaN if the operand is a NaN.
fn quieted(format: Format, operand: u64, result: u64) -> u64 {
    match () {
        () if format.is_nan(operand) => format.nan(),
        () if format.has_subnormals => result,
        () => format.flush(result),
    }
}

fn by_f64(format: Format, bits: u64, f: impl Fn(f64) -> f64) -> u64 {
    // The conversion to double precision is exact.
    let x = f64::from_bits(Number::read(format, bits).round(exact::F64, Rounding::Nearest));
    Number::read(exact::F64, f(x).to_bits()).round(format, Rounding::Nearest)
}

/// The smaller of two numbers, or the larger one if `is_max`. -0 is below +0. A single NaN loses, except with `.NaN`.
fn smaller_or_larger(flags: u16, format: Format, is_max: bool, a: u64, b: u64) -> u64 {
    let (a, b) = if flags & FTZ != 0 { (format.flush(a), format.flush(b)) } else { (a, b) };
    let xorsign = flags & XORSIGN != 0;
    let magnitude = if xorsign { format.sign() - 1 } else { u64::MAX };
    let number = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.nan(),
        (true, _) | (_, true) if flags & NAN != 0 => return format.nan(),
        (true, false) => b & magnitude,
        (false, true) => a & magnitude,
        _ => {
            let (x, y) = (a & magnitude, b & magnitude);
            if (format.order(x) < format.order(y)) == is_max { y } else { x }
        }
    };
    if xorsign { number | (a ^ b) & format.sign() } else { number }
}

/// The smaller of two numbers, as `min` has it.
pub fn smaller(format: Format, a: u64, b: u64) -> u64 {
    smaller_or_larger(0, format, false, a, b)
}

/// The larger of two numbers, as `max` has it.
pub fn larger(format: Format, a: u64, b: u64) -> u64 {
    smaller_or_larger(0, format, true, a, b)
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::eval;
    use crate::ptx::ast::Type::{self, Bf16, F16, F16x2};

    fn check<const N: usize>(opcode: &str, ty: Type, sources: [u64; N], expected: u64) {
        let result = eval(opcode, ty, &sources.map(|bits| (ty, bits)));
        assert_eq!(result, expected, "{opcode} {sources:x?}: {result:#x}, not {expected:#x}");
    }

    #[test]
    fn arithmetic_rounds_once() {
        check("add.f16", F16, [0x3c00, 0x1000], 0x3c00); // half a last place: to even
        check("add.f16", F16, [0x3c01, 0x1000], 0x3c02);
        check("add.rn.f16", F16, [0x7bff, 0x4c00], 0x7c00);
        check("sub.f16", F16, [0x3c00, 0x3c00], 0);
        check("mul.f16", F16, [0x0001, 0x3800], 0);
        check("mul.f16", F16, [0x0003, 0x3800], 2);
        check("fma.rn.f16", F16, [0x3c01, 0x3c01, 0xbc02], 0x0010);
        // Far below the last place of c; double precision would have lost it.
        check("fma.rn.f16", F16, [0x0001, 0x0001, 0x7801], 0x7801);
        check("add.bf16", Bf16, [0x3f80, 0x3b80], 0x3f80);
        check("add.bf16", Bf16, [0x3f80, 0x3b81], 0x3f81);
        check("fma.rn.bf16", Bf16, [0x3f81, 0x3f81, 0xbf82], 0x3880);
        check("add.f16", F16, [0x7c00, 0xfc00], 0x7fff);
    }

    #[test]
    fn pairs_are_two_numbers() {
        check("add.f16x2", F16x2, [0x3c00_4000, 0x3c00_c000], 0x4000_0000);
        check("fma.rn.relu.f16x2", F16x2, [0xbc00_3c00, 0x3c00_3c00, 0x0000_3c00], 0x0000_4000);
        check("neg.f16x2", F16x2, [0x0000_8000], 0x8000_0000);
        check("max.bf16x2", Type::Bf16x2, [0x7fc0_3f80, 0xbf80_4000], 0xbf80_4000);
    }

    #[test]
    fn modifiers_clamp_and_flush() {
        check("add.ftz.f16", F16, [0x8001, 0x8000], 0x8000);
        check("add.f16", F16, [0x8001, 0x8000], 0x8001);
        check("add.sat.f16", F16, [0x4000, 0x3c00], 0x3c00);
        check("add.sat.f16", F16, [0x7e00, 0x3c00], 0);
        check("mul.sat.f16", F16, [0xbc00, 0x3c00], 0);
        check("fma.rn.relu.f16", F16, [0xbc00, 0x3c00, 0], 0);
        check("fma.rn.relu.f16", F16, [0x7e01, 0x3c00, 0], 0x7fff);
        check("abs.ftz.f16", F16, [0x8001], 0);
        check("abs.bf16", Bf16, [0xbf80], 0x3f80);
        check("neg.bf16", Bf16, [0xffc1], 0x7fff);
    }

    #[test]
    fn min_and_max() {
        check("min.f16", F16, [0x0000, 0x8000], 0x8000);
        check("max.f16", F16, [0x8000, 0x0000], 0x0000);
        check("min.f16", F16, [0x7e00, 0x3c00], 0x3c00);
        check("min.NaN.f16", F16, [0x7e00, 0x3c00], 0x7fff);
        check("max.f16", F16, [0xfe00, 0x7e00], 0x7fff);
        check("max.xorsign.abs.f16", F16, [0xc000, 0x3c00], 0xc000);
    }

    #[test]
    fn approximations() {
        check("ex2.approx.f16", F16, [0x3c00], 0x4000);
        check("ex2.approx.f16", F16, [0xfc00], 0);
        check("ex2.approx.f16", F16, [0xce00], 1);
        check("ex2.approx.ftz.bf16", Bf16, [0x3f80], 0x4000);
        check("tanh.approx.f16", F16, [0x7c00], 0x3c00);
        check("tanh.approx.bf16", Bf16, [0x8000], 0x8000);
    }
}
