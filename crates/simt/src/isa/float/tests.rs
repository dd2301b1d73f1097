//! Tests of floating point: line by line against the specification, and in bulk against [`super::model`].

use super::exact::{self, BF16, F16, F32, F64, Format, Rounding};
use super::model::{Big, Source, cmp_div, cmp_fma, cmp_sqrt, is_rounded};
use super::single;
use crate::isa::testing::{eval, refusal};
use crate::ptx::ast::Type;

const ROUNDINGS: [Rounding; 4] = [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up];
const FORMATS: [Format; 4] = [F16, BF16, F32, F64];

/// `opcode` of `f32` operands, given and checked as bits.
fn check32<const N: usize>(opcode: &str, sources: [u32; N], expected: u32) {
    let operands = sources.map(|bits| (Type::F32, u64::from(bits)));
    let result = eval(opcode, Type::F32, &operands);
    assert_eq!(result, u64::from(expected), "{opcode} {sources:x?}: {result:#x}, not {expected:#x}");
}

/// `opcode` of `f64` operands, given and checked as bits.
fn check64<const N: usize>(opcode: &str, sources: [u64; N], expected: u64) {
    let result = eval(opcode, Type::F64, &sources.map(|bits| (Type::F64, bits)));
    assert_eq!(result, expected, "{opcode} {sources:x?}: {result:#x}, not {expected:#x}");
}

const ZERO: u32 = 0;
const NEG: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
const MAX: u32 = 0x7f7f_ffff;
const INF: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fff_ffff;
const MIN_NORMAL: u32 = 0x0080_0000;
/// `2^-25`, an eighth of a last place of 1.
const TINY: u32 = 0x3300_0000;

fn finite(format: Format, bits: u64) -> bool {
    bits & !format.sign() < format.infinity()
}

#[test]
fn exact_fma_is_correctly_rounded_in_every_format_and_rounding() {
    let mut source = Source::new(1);
    for round in 0..60_000 {
        let format = FORMATS[round % 4];
        let a = source.number(format, 0);
        let b = source.number(format, a);
        // Near the product, so that sums cancel and carry.
        let product = exact::mul(format, Rounding::Zero, a, b);
        let c = source.number(format, product) ^ if round % 3 == 0 { format.sign() } else { 0 };
        if ![a, b, c].iter().all(|&bits| finite(format, bits)) {
            continue;
        }
        let (x, y, z) = (Big::of(format, a), Big::of(format, b), Big::of(format, c));
        for rounding in ROUNDINGS {
            let result = exact::fma(format, rounding, a, b, c);
            let right = is_rounded(format, rounding, &|m| cmp_fma(&x, &y, &z, m), result);
            assert!(right, "{format:?} {rounding:?} {a:#x} * {b:#x} + {c:#x} = {result:#x}");
        }
    }
}

#[test]
fn exact_sum_product_quotient_and_root_are_correctly_rounded() {
    let mut source = Source::new(2);
    for round in 0..60_000 {
        let format = FORMATS[round % 4];
        let a = source.number(format, 0);
        let b = source.number(format, a);
        if !finite(format, a) || !finite(format, b) || b & !format.sign() == 0 {
            continue;
        }
        let (x, y) = (Big::of(format, a), Big::of(format, b));
        let (zero, one) = (Big::of(format, 0), Big::of(format, format.one()));
        for rounding in ROUNDINGS {
            let sum = exact::add(format, rounding, a, b);
            assert!(is_rounded(format, rounding, &|m| cmp_fma(&x, &one, &y, m), sum), "{a:#x} + {b:#x}");
            let product = exact::mul(format, rounding, a, b);
            assert!(is_rounded(format, rounding, &|m| cmp_fma(&x, &y, &zero, m), product), "{a:#x} * {b:#x}");
            let quotient = exact::div(format, rounding, a, b);
            assert!(is_rounded(format, rounding, &|m| cmp_div(&x, &y, m), quotient), "{a:#x} / {b:#x}");
            let positive = a & !format.sign();
            let x = Big::of(format, positive);
            let root = exact::sqrt(format, rounding, positive);
            assert!(is_rounded(format, rounding, &|m| cmp_sqrt(&x, m), root), "sqrt {positive:#x}");
        }
    }
}

/// `.ftz` looks at the result rounded to the precision of a normal number. Multiplied by `2^64`, results near `2^-126`
/// are normal, and those below `2^-62` are flushed.
#[test]
fn flushing_looks_at_the_result_rounded_to_all_its_bits() {
    const SCALE: u64 = 64 << 23;
    let number = |exponent: u64, significand: u64, negative: u64| {
        negative << 31 | exponent << 23 | significand & ((1 << 23) - 1)
    };
    let flushed = |scaled: u64| match scaled & !F32.sign() {
        0..0x2080_0000 => scaled & F32.sign(),
        _ => scaled - SCALE,
    };
    let mut source = Source::new(7);
    for round in 0..60_000 {
        let (exponent, negative) = (1 + round % 126, round & 1);
        let significand = 1 << 23 | source.number(F32, 0) & ((1 << 23) - 1);
        // 2^47 represents 2^-126, and 2^22 half a last place below it.
        let factor = ((1 << 47) - ((round % 5) << 22)) / significand + (round >> 3 & 1);
        let a = number(exponent, significand, negative);
        let b = number(127 - exponent, factor, round >> 1 & 1);
        let divisor = number(exponent + 126, significand + round % 2, 0);
        for rounding in ROUNDINGS {
            let mode = single::Mode { rounding, ftz: true, sat: false };
            let [x, y, z] = [a, b, divisor].map(|bits| f32::from_bits(bits as u32));
            let check = |found: f32, scaled, what| {
                assert_eq!(u64::from(found.to_bits()), flushed(scaled), "{rounding:?} {a:#x} {what}");
            };
            check(single::div(mode, x, z), exact::div(F32, rounding, a + SCALE, divisor), "over another");
            if (1 << 23..1 << 24).contains(&factor) {
                let product = exact::mul(F32, rounding, a + SCALE, b);
                check(single::mul(mode, x, y), product, "times another");
                check(single::fma(mode, x, y, -0.0), product, "times another, minus zero");
            }
        }
    }
}

#[test]
fn the_model_refuses_the_neighbours() {
    let one = Big::of(F32, 0x3f80_0000);
    let third = |m: &Big| cmp_div(&one, &Big::of(F32, 0x4040_0000), m);
    for (rounding, right) in ROUNDINGS.into_iter().zip([0x3eaa_aaab, 0x3eaa_aaaa, 0x3eaa_aaaa, 0x3eaa_aaab]) {
        for bits in [0x3eaa_aaa9, 0x3eaa_aaaa, 0x3eaa_aaab, 0x3eaa_aaac] {
            assert_eq!(is_rounded(F32, rounding, &third, bits), bits == right);
        }
    }
}

#[test]
fn native_results_equal_the_exact_ones_bit_for_bit() {
    let mut source = Source::new(3);
    let mode = single::Mode { rounding: Rounding::Nearest, ftz: false, sat: false };
    for _ in 0..2_000_000 {
        let a = source.number(F32, 0);
        let b = source.number(F32, a);
        let product = exact::mul(F32, Rounding::Zero, a, b);
        let c = source.number(F32, product);
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        let bits = |x: f32| u64::from(x.to_bits());
        let nearest = Rounding::Nearest;
        assert_eq!(
            bits(single::fma(mode, x, y, z)),
            exact::fma(F32, nearest, a, b, c),
            "{a:#x} {b:#x} {c:#x}"
        );
        assert_eq!(bits(single::add(mode, x, y)), exact::add(F32, nearest, a, b), "{a:#x} + {b:#x}");
        assert_eq!(bits(single::mul(mode, x, y)), exact::mul(F32, nearest, a, b), "{a:#x} * {b:#x}");
        assert_eq!(bits(single::div(mode, x, y)), exact::div(F32, nearest, a, b), "{a:#x} / {b:#x}");
        assert_eq!(bits(single::sqrt(mode, x)), exact::sqrt(F32, nearest, a), "sqrt {a:#x}");
    }
}

#[test]
fn native_doubles_equal_the_exact_ones_bit_for_bit() {
    let mut source = Source::new(4);
    for _ in 0..1_000_000 {
        let a = source.number(F64, 0);
        let b = source.number(F64, a);
        let product = exact::mul(F64, Rounding::Zero, a, b);
        let c = source.number(F64, product);
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let nearest = Rounding::Nearest;
        let equals = |result: f64, exact: u64| {
            result.to_bits() == exact || result.is_nan() && f64::from_bits(exact).is_nan()
        };
        let fused = exact::fma(F64, nearest, a, b, c);
        assert!(equals(super::double::fma(nearest, x, y, z), fused), "{a:#x} {b:#x} {c:#x}");
        assert!(equals(super::double::add(nearest, x, y), exact::add(F64, nearest, a, b)), "{a:#x} + {b:#x}");
        assert!(equals(super::double::mul(nearest, x, y), exact::mul(F64, nearest, a, b)), "{a:#x} * {b:#x}");
        assert!(equals(super::double::div(nearest, x, y), exact::div(F64, nearest, a, b)), "{a:#x} / {b:#x}");
        assert!(equals(super::double::sqrt(nearest, x), exact::sqrt(F64, nearest, a)), "sqrt {a:#x}");
    }
}

#[test]
fn addition_rounds_as_it_is_told() {
    check32("add.f32", [ONE, TINY], ONE);
    check32("add.rn.f32", [ONE, 0x3380_0000], ONE); // half a last place: to even
    check32("add.rn.f32", [ONE + 1, 0x3380_0000], ONE + 2);
    check32("add.rp.f32", [ONE, TINY], ONE + 1);
    check32("add.rm.f32", [ONE, TINY], ONE);
    check32("add.rm.f32", [NEG | ONE, NEG | TINY], NEG | (ONE + 1));
    check32("add.rz.f32", [NEG | ONE, NEG | TINY], NEG | ONE);
    check32("sub.rz.f32", [ONE, TINY], ONE - 1);
    check32("sub.rp.f32", [ONE, TINY], ONE);
    check64("add.rp.f64", [0x3ff0_0000_0000_0000, 1], 0x3ff0_0000_0000_0001);
    check64("sub.rm.f64", [0x3ff0_0000_0000_0000, 1], 0x3fef_ffff_ffff_ffff);
}

#[test]
fn overflow_goes_where_the_rounding_points() {
    for (opcode, positive, negative) in [
        ("add.rn.f32", INF, NEG | INF),
        ("add.rz.f32", MAX, NEG | MAX),
        ("add.rm.f32", MAX, NEG | INF),
        ("add.rp.f32", INF, NEG | MAX),
    ] {
        check32(opcode, [MAX, MAX], positive);
        check32(opcode, [NEG | MAX, NEG | MAX], negative);
        check32(opcode, [INF, MAX], INF);
    }
    check32("mul.rz.f32", [MAX, MAX], MAX);
    check32("fma.rm.f32", [MAX, MAX, ZERO], MAX);
    check32("div.rz.f32", [MAX, 1], MAX);
    check64("mul.rz.f64", [0x7fef_ffff_ffff_ffff; 2], 0x7fef_ffff_ffff_ffff);
}

#[test]
fn exact_zeros_have_the_sign_that_the_rounding_gives_them() {
    for opcode in ["add.rn.f32", "add.rz.f32", "add.rp.f32"] {
        check32(opcode, [ONE, NEG | ONE], ZERO);
        check32(opcode, [ZERO, NEG], ZERO);
    }
    check32("add.rm.f32", [ONE, NEG | ONE], NEG);
    check32("add.rm.f32", [ZERO, NEG], NEG);
    check32("add.rn.f32", [NEG, NEG], NEG);
    check32("sub.rn.f32", [NEG, ZERO], NEG);
    check32("fma.rn.f32", [NEG | ONE, ZERO, NEG], NEG);
    check32("fma.rm.f32", [ONE, ONE, NEG | ONE], NEG);
    check64("add.rm.f64", [0, 1 << 63], 1 << 63);
    check64("fma.rn.f64", [1 << 63, 0x3ff0_0000_0000_0000, 1 << 63], 1 << 63);
}

#[test]
fn fma_rounds_once() {
    // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46: a product rounded before the sum would leave 0.
    check32("fma.rn.f32", [ONE + 1, ONE + 1, NEG | (ONE + 2)], 0x2880_0000);
    check32("mad.rn.f32", [ONE + 1, ONE + 1, NEG | (ONE + 2)], 0x2880_0000);
    check64(
        "fma.rn.f64",
        [0x3ff0_0000_0000_0001, 0x3ff0_0000_0000_0001, 0xbff0_0000_0000_0002],
        0x3970_0000_0000_0000,
    );
    // A tie that a little more breaks. In double precision the little more is lost; rounding to odd keeps it.
    check32("fma.rn.f32", [ONE + 1, 0x3380_0000, ONE], ONE + 1);
    check32("fma.rn.f32", [1, 1, 0x3380_0001], 0x3380_0001);
    check32("fma.rp.f32", [1, 1, ZERO], 1);
    check32("fma.rn.f32", [1, 1, ZERO], ZERO);
}

#[test]
fn nan_is_canonical_in_single_precision() {
    for opcode in ["add.f32", "sub.f32", "mul.f32", "div.rn.f32", "add.rz.f32"] {
        check32(opcode, [0xffc1_2345, ONE], NAN);
        check32(opcode, [ONE, 0x7f80_0001], NAN);
    }
    check32("sub.f32", [INF, INF], NAN);
    check32("mul.f32", [INF, ZERO], NAN);
    check32("div.rn.f32", [NEG, ZERO], NAN);
    check32("fma.rn.f32", [INF, ZERO, ONE], NAN);
    check32("sqrt.rn.f32", [NEG | ONE], NAN);
    check32("sqrt.rz.f32", [NEG | 1], NAN);
    check64("sqrt.rn.f64", [0xbff0_0000_0000_0000], super::double::NAN);
    check64("add.f64", [0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000], super::double::NAN);
}

#[test]
fn flush_to_zero_keeps_the_sign() {
    check32("add.ftz.f32", [NEG | 1, NEG], NEG);
    check32("add.f32", [NEG | 1, NEG], NEG | 1);
    check32("mul.ftz.f32", [NEG | MIN_NORMAL, 0x3f00_0000], NEG);
    check32("mul.f32", [NEG | MIN_NORMAL, 0x3f00_0000], NEG | 0x0040_0000);
    check32("fma.rn.ftz.f32", [1, MAX, ONE], ONE);
    check32("div.rn.ftz.f32", [ONE, 1], INF);
    check32("rcp.rn.ftz.f32", [NEG | MAX], NEG);
    check32("sqrt.rn.ftz.f32", [1], ZERO);
    check32("sqrt.rn.f32", [1], 0x1a35_04f3);
    check32("abs.ftz.f32", [NEG | 5], ZERO);
    check32("neg.ftz.f32", [5], NEG);
    check32("neg.f32", [5], NEG | 5);
}

#[test]
fn saturation_clamps_to_the_unit_interval() {
    check32("add.sat.f32", [ONE, ONE], ONE);
    check32("add.sat.f32", [NEG | ONE, ZERO], ZERO);
    check32("add.sat.f32", [NAN, ONE], ZERO);
    check32("add.sat.f32", [INF, ONE], ONE);
    check32("mul.rz.sat.f32", [0x3f00_0000, 0x3f00_0000], 0x3e80_0000);
    check32("fma.rn.ftz.sat.f32", [1, ONE, ZERO], ZERO);
}

#[test]
fn division_by_zero_and_roots_of_edges() {
    check32("div.rn.f32", [ONE, NEG], NEG | INF);
    check32("div.rn.f32", [ONE, INF], ZERO);
    check32("rcp.rz.f32", [NEG], NEG | INF);
    check32("rcp.rp.f32", [0x4040_0000], 0x3eaa_aaab);
    check32("sqrt.rp.f32", [NEG], NEG);
    check32("sqrt.rz.f32", [0x4000_0000], 0x3fb5_04f3);
    check32("sqrt.rp.f32", [0x4000_0000], 0x3fb5_04f4);
    check64("rcp.rm.f64", [0x4008_0000_0000_0000], 0x3fd5_5555_5555_5555);
    check64("sqrt.rp.f64", [0x4000_0000_0000_0000], 0x3ff6_a09e_667f_3bcd);
}

#[test]
fn min_and_max_prefer_numbers_and_know_minus_zero() {
    check32("min.f32", [ZERO, NEG], NEG);
    check32("min.f32", [NEG, ZERO], NEG);
    check32("max.f32", [NEG, ZERO], ZERO);
    check32("min.f32", [NAN, ONE], ONE);
    check32("max.f32", [ONE, 0xff80_0001], ONE);
    check32("max.f32", [0xff80_0001, 0xff80_0001], NAN);
    check32("min.NaN.f32", [NAN, ONE], NAN);
    check32("min.ftz.f32", [NEG | 1, ZERO], NEG);
    check32("max.f32", [NEG | ONE, NEG | 0x4000_0000], NEG | ONE);
    check32("min.xorsign.abs.f32", [NEG | ONE, 0x4000_0000], NEG | ONE);
    check32("max.NaN.xorsign.abs.f32", [NEG | ONE, NEG | 0x4000_0000], 0x4000_0000);
    check64("min.f64", [0, 1 << 63], 1 << 63);
    check64("max.f64", [0x7ff8_0000_0000_0000, 5], 5);
    check64("max.f64", [0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0002], 0xfff8_0000_0000_0002);
}

#[test]
fn properties_and_signs() {
    for (opcode, bits, expected) in [
        ("testp.finite.f32", INF, 0),
        ("testp.infinite.f32", NEG | INF, 1),
        ("testp.number.f32", INF, 1),
        ("testp.notanumber.f32", 0x7f80_0001, 1),
        ("testp.normal.f32", NEG, 1),
        ("testp.normal.f32", 1, 0),
        ("testp.normal.f32", MIN_NORMAL, 1),
        ("testp.subnormal.f32", 1, 1),
    ] {
        assert_eq!(eval(opcode, Type::Pred, &[(Type::F32, u64::from(bits))]), expected, "{opcode}");
    }
    check32("copysign.f32", [NEG, ONE], NEG | ONE);
    check64("copysign.f64", [0, 0xbff0_0000_0000_0000], 0x3ff0_0000_0000_0000);
}

#[test]
fn a_rounding_that_must_be_there_is_missed() {
    let operands = [(Type::F32, 0); 3];
    assert!(refusal("fma.f32", Type::F32, &operands).contains("`fma.(rn|rz|rm|rp).ftz?.sat?.f32`"));
}
