//! Approximations: reciprocals, roots, division, sine, cosine, logarithm, power of two, hyperbolic tangent.
//!
//! A GPU computes them from tables, and the specification only bounds the error. Here each is computed in double
//! precision and rounded to nearest, so results are well inside the bounds, are the same on every platform, and may
//! differ from a GPU's in the last bits:
//!
//! | instruction | the specification's bound | here |
//! |---|---|---|
//! | `rcp.approx.f32` | 1 ulp | 0.5 ulp |
//! | `div.approx.f32` | 2 ulp for divisors in `2^-126..=2^126` | 0.5 ulp |
//! | `div.full.f32` | 2 ulp | 0.5 ulp |
//! | `sqrt.approx.f32` | relative `2^-23` | 0.5 ulp |
//! | `rsqrt.approx.f32` | relative `2^-22.9` | 0.51 ulp |
//! | `sin.approx.f32`, `cos.approx.f32` | absolute `2^-20.5` in `-pi..=pi` | 0.51 ulp, everywhere |
//! | `lg2.approx.f32` | absolute `2^-22` in `0.5..2`, relative `2^-22` outside | 0.51 ulp |
//! | `ex2.approx.f32` | relative `2^-22` | 0.51 ulp |
//! | `tanh.approx.f32` | relative `2^-11` | 0.51 ulp |
//! | `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64` | the upper 32 bits of input and result | truncated |
//! | `rsqrt.approx.f64` | none given | 1 ulp |
//!
//! The values that the specification tabulates for special inputs are returned bit for bit, also for divisions by huge
//! numbers: `div.approx.f32` by more than `2^126` is zero. Subnormal inputs and results are kept without `.ftz`.
//!
//! Specification: PTX ISA, section 9.7.3.

use super::float::double;
use super::float::exact::{F64, Rounding};
use super::float::single::{self, NAN, canonical, flush};
use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{alu, by_flag};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;

/// Floating-point approximations.
pub const FAMILY: Family = Family {
    title: "Floating-point approximations",
    section: "9.7.3",
    forms: &[
        Form::new("div.approx.ftz?.f32", div_approx),
        Form::new("div.full.ftz?.f32", div_full),
        Form::new("rcp.approx.ftz?.f32", rcp),
        Form::new("rcp.approx.ftz.f64", |_, o| o.alu(alu!((f64) -> f64, |a| upper_half(a, |a| 1.0 / a)))),
        Form::new("sqrt.approx.ftz?.f32", sqrt),
        Form::new("rsqrt.approx.ftz?.f32", rsqrt),
        Form::new("rsqrt.approx.f64", |_, o| o.alu(alu!((f64) -> f64, rsqrt_f64))),
        Form::new("rsqrt.approx.ftz.f64", |_, o| o.alu(alu!((f64) -> f64, |a| upper_half(a, rsqrt_f64)))),
        Form::new("sin.approx.ftz?.f32", sin),
        Form::new("cos.approx.ftz?.f32", cos),
        Form::new("lg2.approx.ftz?.f32", lg2),
        Form::new("ex2.approx.ftz?.f32", ex2),
        Form::new("tanh.approx.f32", |_, o| o.alu(alu!((f32) -> f32, |a| by_f64(false, a, libm::tanh))))
            .since(75),
    ],
};

/// `f` in double precision, rounded; `.ftz` on the way in and out.
#[inline(always)]
fn by_f64(ftz: bool, a: f32, f: impl Fn(f64) -> f64) -> f32 {
    let a = if ftz { flush(a) } else { a };
    let result = f(f64::from(a)) as f32;
    canonical(if ftz { flush(result) } else { result })
}

/// An instruction of one `f32` whose segment 2 is `.ftz`.
macro_rules! unary {
    ($name:ident, $f:expr) => {
        fn $name(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
            o.alu(by_flag!(m.has(2), FTZ => alu!((f32) -> f32, |a| by_f64(FTZ, a, $f))))
        }
    };
}

unary!(rcp, |a| 1.0 / a);
unary!(sqrt, root);
unary!(rsqrt, |a| 1.0 / root(a));
unary!(sin, |a| if a == 0.0 { a } else { libm::sin(a) });
unary!(cos, libm::cos);
unary!(lg2, libm::log2);
unary!(ex2, libm::exp2);

/// The square root, NaN for negative numbers. The compiler must not be able to derive this from the input.
#[inline(always)]
fn root(a: f64) -> f64 {
    if a < 0.0 { f64::NAN } else { a.sqrt() }
}

fn rsqrt_f64(a: f64) -> f64 {
    let result = 1.0 / root(a);
    if result.is_nan() { double::nan_of(&[a]) } else { result }
}

fn div_approx(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(m.has(2), FTZ => alu!((f32, f32) -> f32, |a, b| quotient(FTZ, true, a, b))))
}

fn div_full(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(m.has(2), FTZ => alu!((f32, f32) -> f32, |a, b| quotient(FTZ, false, a, b))))
}

/// `a / b`. With `by_reciprocal`, it is computed from a reciprocal that is zero for `b` above `2^126`; then the
/// quotient is zero too, and NaN if `a` is infinite.
#[inline(always)]
fn quotient(ftz: bool, by_reciprocal: bool, a: f32, b: f32) -> f32 {
    const HUGE: f32 = f32::from_bits(0x7e80_0000);
    let mode = single::Mode { rounding: Rounding::Nearest, ftz, sat: false };
    let huge = by_reciprocal && b.abs() > HUGE && b.is_finite();
    let zero = if a.is_finite() { 0.0_f32.copysign(a) * 1.0_f32.copysign(b) } else { NAN };
    if huge { zero } else { single::div(mode, a, b) }
}

/// `f` of the upper 32 bits of `a`. Only the upper 32 bits of the result are kept. Subnormal numbers are zeros, and
/// every NaN becomes the one that the hardware returns.
fn upper_half(a: f64, f: impl Fn(f64) -> f64) -> f64 {
    const LOWER: u64 = 0xffff_ffff;
    let upper = f64::from_bits(F64.flush(a.to_bits()) & !LOWER);
    let result = f(upper);
    if result.is_nan() {
        return f64::from_bits(0x7fff_ffff << 32);
    }
    f64::from_bits(F64.flush(result.to_bits() & !LOWER))
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::eval;
    use crate::ptx::ast::Type::{F32, F64};

    const NEG: u32 = 0x8000_0000;
    const ONE: u32 = 0x3f80_0000;
    const INF: u32 = 0x7f80_0000;
    const NAN: u32 = 0x7fff_ffff;

    fn check<const N: usize>(opcode: &str, sources: [u32; N], expected: u32) {
        let result = eval(opcode, F32, &sources.map(|bits| (F32, u64::from(bits))));
        assert_eq!(result, u64::from(expected), "{opcode} {sources:x?}: {result:#x}, not {expected:#x}");
    }

    fn check64(opcode: &str, source: u64, expected: u64) {
        let result = eval(opcode, F64, &[(F64, source)]);
        assert_eq!(result, expected, "{opcode} {source:#x}: {result:#x}, not {expected:#x}");
    }

    /// The specification's table: -inf, -1, -0, +0, 1, +inf, NaN.
    fn table(opcode: &str, expected: [u32; 7]) {
        let inputs = [NEG | INF, NEG | ONE, NEG, 0, ONE, INF, NAN];
        for (input, expected) in inputs.into_iter().zip(expected) {
            check(opcode, [input], expected);
        }
    }

    #[test]
    fn special_values() {
        table("rcp.approx.f32", [NEG, NEG | ONE, NEG | INF, INF, ONE, 0, NAN]);
        table("sqrt.approx.f32", [NAN, NAN, NEG, 0, ONE, INF, NAN]);
        table("rsqrt.approx.f32", [NAN, NAN, NEG | INF, INF, ONE, 0, NAN]);
        table("sin.approx.f32", [NAN, 0xbf57_6aa4, NEG, 0, 0x3f57_6aa4, NAN, NAN]);
        table("cos.approx.f32", [NAN, 0x3f0a_5140, ONE, ONE, 0x3f0a_5140, NAN, NAN]);
        table("lg2.approx.f32", [NAN, NAN, NEG | INF, NEG | INF, 0, INF, NAN]);
        table("ex2.approx.f32", [0, 0x3f00_0000, ONE, ONE, 0x4000_0000, INF, NAN]);
        table("tanh.approx.f32", [NEG | ONE, 0xbf42_f7d6, NEG, 0, 0x3f42_f7d6, ONE, NAN]);
    }

    #[test]
    fn subnormal_numbers_with_and_without_ftz() {
        check("rcp.approx.f32", [1], INF);
        check("rcp.approx.f32", [0x0040_0000], 0x7f00_0000);
        check("rcp.approx.ftz.f32", [NEG | 0x0040_0000], NEG | INF);
        check("rcp.approx.f32", [0x7f00_0000], 0x0040_0000);
        check("rcp.approx.ftz.f32", [0x7f00_0000], 0);
        check("sqrt.approx.ftz.f32", [NEG | 1], NEG);
        check("rsqrt.approx.ftz.f32", [1], INF);
        check("rsqrt.approx.f32", [1], 0x64b5_04f3);
        check("sin.approx.f32", [NEG | 1], NEG | 1);
        check("sin.approx.ftz.f32", [NEG | 1], NEG);
        check("lg2.approx.f32", [1], 0xc315_0000);
        check("lg2.approx.ftz.f32", [1], NEG | INF);
        check("ex2.approx.f32", [0xc315_0000], 1);
        check("ex2.approx.ftz.f32", [0xc300_0000], 0);
        check("ex2.approx.ftz.f32", [NEG | 1], ONE);
    }

    #[test]
    fn division_by_huge_numbers_depends_on_the_instruction() {
        check("div.approx.f32", [ONE, 0x4040_0000], 0x3eaa_aaab);
        check("div.approx.f32", [NEG | 0x7f00_0000, 0x7f00_0000], NEG);
        check("div.full.f32", [NEG | 0x7f00_0000, 0x7f00_0000], NEG | ONE);
        check("div.approx.f32", [INF, 0x7f00_0000], NAN);
        check("div.full.f32", [INF, 0x7f00_0000], INF);
        check("div.approx.f32", [0x7e80_0000, 0x7e80_0000], ONE);
        check("div.approx.f32", [ONE, INF], 0);
        check("div.full.ftz.f32", [1, 1], NAN);
    }

    #[test]
    fn doubles_keep_the_upper_half() {
        check64("rcp.approx.ftz.f64", 0x4008_0000_ffff_ffff, 0x3fd5_5555_0000_0000);
        check64("rcp.approx.ftz.f64", 0x8000_0000_0000_0001, 0xfff0_0000_0000_0000);
        check64("rsqrt.approx.ftz.f64", 0xbff0_0000_0000_0000, 0x7fff_ffff_0000_0000);
        check64("rcp.approx.ftz.f64", 0x7fe8_0000_0000_0000, 0);
        check64("rsqrt.approx.ftz.f64", 0x4010_0000_0000_0001, 0x3fe0_0000_0000_0000);
        check64("rsqrt.approx.f64", 0x4010_0000_0000_0000, 0x3fe0_0000_0000_0000);
        check64("rsqrt.approx.f64", 1 << 63, 0xfff0_0000_0000_0000);
        check64("rsqrt.approx.f64", 0xbff0_0000_0000_0000, 0xfff8_0000_0000_0000);
    }
}
