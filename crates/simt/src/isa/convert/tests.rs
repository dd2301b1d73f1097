//! Tests of conversions: line by line against the specification, and in bulk the frequent ones against the general
//! path.

use super::recipe::{Recipe, convert};
use crate::isa::float::exact::{self, F64};
use crate::isa::float::model::Source;
use crate::isa::testing::{eval, refusal};
use crate::ptx::ast::Type::{self, B16, B32, B64, F32};

/// `opcode` on registers of the given types.
fn check(opcode: &str, to: Type, from: Type, source: u64, expected: u64) {
    let result = eval(opcode, to, &[(from, source)]);
    assert_eq!(result, expected, "{opcode} {source:#x}: {result:#x}, not {expected:#x}");
}

fn f32_bits(x: f32) -> u64 {
    u64::from(x.to_bits())
}

#[test]
fn integers_are_cut_and_extended_to_their_registers() {
    check("cvt.u32.u8", B32, B16, 0xabff, 0xff);
    check("cvt.s32.s8", B32, B16, 0xab80, 0xffff_ff80);
    check("cvt.s64.s8", B64, B32, 0x80, 0xffff_ffff_ffff_ff80);
    check("cvt.u8.u32", B16, B32, 0x1234, 0x34);
    check("cvt.s8.s32", B16, B32, 0x12f4, 0xfff4);
    check("cvt.s8.u32", B32, B32, 0xf4, 0xffff_fff4);
    check("cvt.u16.u64", B64, B64, 0x12_3456, 0x3456);
    check("cvt.s16.s64", B32, B64, 0x8000, 0xffff_8000);
    check("cvt.u64.s16", B64, B16, 0x8000, 0xffff_ffff_ffff_8000);
    check("cvt.s64.u32", B64, B32, 0x8000_0000, 0x8000_0000);
    check("cvt.u32.u64", B32, B64, 0x1_2345_6789, 0x2345_6789);
    check("cvt.u32.s16", B32, B16, 0xffff, 0xffff_ffff);
}

#[test]
fn integers_saturate_where_they_can() {
    check("cvt.sat.u8.s32", B32, B32, 0xffff_ffff, 0);
    check("cvt.sat.u8.s32", B32, B32, 256, 255);
    check("cvt.sat.s8.s32", B32, B32, 0xffff_ff7f, 0xffff_ff80);
    check("cvt.sat.s32.u32", B32, B32, 0x8000_0000, 0x7fff_ffff);
    check("cvt.sat.s32.s64", B32, B64, 0x8000_0000, 0x7fff_ffff);
    check("cvt.sat.u64.s64", B64, B64, u64::MAX, 0);
    assert!(refusal("cvt.sat.u32.u16", B32, &[(B16, 0)]).contains("omit `.sat`"));
    assert!(refusal("cvt.u32.u64", B32, &[(B32, 0)]).contains("64 or more"));
}

#[test]
fn floating_point_rounds_to_integers_at_halves() {
    let halves = [-2.5_f32, -1.5, -0.5, 0.5, 1.5, 2.5, 3.0];
    for (opcode, expected) in [
        ("cvt.rni.s32.f32", [-2_i32, -2, 0, 0, 2, 2, 3]),
        ("cvt.rzi.s32.f32", [-2, -1, 0, 0, 1, 2, 3]),
        ("cvt.rmi.s32.f32", [-3, -2, -1, 0, 1, 2, 3]),
        ("cvt.rpi.s32.f32", [-2, -1, 0, 1, 2, 3, 3]),
    ] {
        for (half, expected) in halves.into_iter().zip(expected) {
            check(opcode, B32, F32, f32_bits(half), u64::from(expected as u32));
        }
    }
    check("cvt.rmi.f32.f32", F32, F32, f32_bits(-0.5), f32_bits(-1.0));
    check("cvt.rpi.f32.f32", F32, F32, f32_bits(-0.5), f32_bits(-0.0));
    check("cvt.rni.f32.f32", F32, F32, f32_bits(16_777_217.0), f32_bits(16_777_216.0));
    check("cvt.rni.f64.f64", B64, B64, 2.5_f64.to_bits(), 2_f64.to_bits());
    check("cvt.rzi.f64.f64", B64, B64, 1e300_f64.to_bits(), 1e300_f64.to_bits());
    check("cvt.rni.f16.f16", B16, B16, 0x3e00, 0x4000);
}

#[test]
fn floating_point_is_clamped_to_integers() {
    check("cvt.rzi.s32.f32", B32, F32, f32_bits(2_147_483_648.0), 0x7fff_ffff);
    check("cvt.rzi.s32.f32", B32, F32, f32_bits(-2_147_483_904.0), 0x8000_0000);
    check("cvt.rzi.u32.f32", B32, F32, f32_bits(-1.0), 0);
    check("cvt.rzi.u32.f32", B32, F32, f32_bits(f32::INFINITY), u64::from(u32::MAX));
    check("cvt.rzi.s64.f32", B64, F32, f32_bits(1e30), i64::MAX as u64);
    check("cvt.rzi.u64.f64", B64, B64, 1e300_f64.to_bits(), u64::MAX);
    check("cvt.rzi.s64.f64", B64, B64, (-1e300_f64).to_bits(), 1 << 63);
    check("cvt.rzi.u8.f32", B16, F32, f32_bits(256.0), 255);
    check("cvt.rzi.s8.f32", B32, F32, f32_bits(-300.0), 0xffff_ff80);
    check("cvt.rni.s32.f64", B32, B64, 2_147_483_647.5_f64.to_bits(), 0x7fff_ffff);
    check("cvt.rmi.u32.f32", B32, F32, f32_bits(-0.25), 0);
}

#[test]
fn nan_becomes_zero_or_the_highest_bit() {
    check("cvt.rzi.s32.f32", B32, F32, 0x7fc0_0000, 0);
    check("cvt.rzi.u32.f32", B32, F32, 0xffc0_0000, 0);
    check("cvt.rzi.s32.f16", B32, B16, 0x7e00, 0);
    check("cvt.rzi.s64.f32", B64, F32, 0x7fc0_0000, 1 << 63);
    check("cvt.rzi.u64.f64", B64, B64, 0x7ff8 << 48, 1 << 63);
    check("cvt.rzi.s32.f64", B32, B64, 0x7ff8 << 48, 0x8000_0000);
    check("cvt.rni.u32.f64", B32, B64, 0x7ff8 << 48, 0x8000_0000);
}

#[test]
fn narrowing_rounds_once() {
    // Just above the midpoint of two numbers, by less than an intermediate type would keep.
    let above_half = (1.0 + 2_f64.powi(-24)).to_bits() + 1;
    check("cvt.rn.f32.f64", F32, B64, above_half, 0x3f80_0001);
    check("cvt.rn.f32.f64", F32, B64, above_half - 1, 0x3f80_0000);
    check("cvt.rz.f32.f64", F32, B64, above_half, 0x3f80_0000);
    check("cvt.rp.f32.f64", F32, B64, 1, 1);
    check("cvt.rp.ftz.f32.f64", F32, B64, 1, 0);
    check("cvt.rm.f32.f64", F32, B64, 1 | 1 << 63, 0x8000_0001);
    check("cvt.rn.f32.f64", F32, B64, 0x47ef_ffff_f000_0000, 0x7f80_0000);
    check("cvt.rz.f32.f64", F32, B64, 0x47ef_ffff_f000_0000, 0x7f7f_ffff);
    // A conversion through f32 would round twice.
    let twice = (1.0 + 2_f64.powi(-11) + 2_f64.powi(-36)).to_bits();
    check("cvt.rn.f16.f64", B16, B64, twice, 0x3c01);
    check("cvt.rn.f16.f32", B16, F32, f32_bits(1.0 + 2_f32.powi(-11)), 0x3c00);
    check("cvt.rn.f16.f32", B16, F32, f32_bits(65_520.0), 0x7c00);
    check("cvt.rz.f16.f32", B16, F32, f32_bits(65_520.0), 0x7bff);
    check("cvt.rn.f16.f32", B16, F32, f32_bits(2_f32.powi(-24)), 1);
    check("cvt.rn.f16.f32", B16, F32, f32_bits(2_f32.powi(-25)), 0);
    check("cvt.rn.bf16.f32", B16, F32, 0x3f80_8000, 0x3f80);
    check("cvt.rn.bf16.f32", B16, F32, 0x3f81_8000, 0x3f82);
    check("cvt.rna.tf32.f32", B32, F32, 0x3f80_1000, 0x3f80_2000);
    check("cvt.rn.f32.u64", F32, B64, (1 << 40) + (1 << 16) + 1, 0x5380_0001);
    check("cvt.rp.f32.s32", F32, B32, 0xfeff_ffff, f32_bits(-16_777_216.0));
    check("cvt.rn.f16.u32", B16, B32, 70_000, 0x7c00);
}

#[test]
fn widening_is_exact() {
    check("cvt.f32.f16", F32, B16, 0x0001, f32_bits(2_f32.powi(-24)));
    check("cvt.f32.f16", F32, B16, 0xfc00, 0xff80_0000);
    check("cvt.f32.bf16", F32, B16, 0x3f81, 0x3f81_0000);
    check("cvt.f64.f32", B64, F32, 1, 2_f64.powi(-149).to_bits());
    check("cvt.ftz.f64.f32", B64, F32, 0x8000_0001, 1 << 63);
    check("cvt.ftz.f32.f32", F32, F32, 0x8000_0001, 0x8000_0000);
    check("cvt.f32.f16", F32, B16, 0x7e01, 0x7fff_ffff);
}

#[test]
fn floating_point_clamps_where_told() {
    check("cvt.sat.f32.f32", F32, F32, f32_bits(2.0), f32_bits(1.0));
    check("cvt.sat.f32.f32", F32, F32, f32_bits(-2.0), 0);
    check("cvt.sat.f32.f32", F32, F32, 0x7fc0_0000, 0);
    check("cvt.rn.sat.f16.f32", B16, F32, f32_bits(2.0), 0x3c00);
    check("cvt.rn.relu.f16.f32", B16, F32, f32_bits(-2.0), 0);
    check("cvt.rn.relu.bf16.f32", B16, F32, 0x7fc0_0000, 0x7fff);
    check("cvt.rn.satfinite.f16.f32", B16, F32, f32_bits(-1e9), 0xfbff);
    check("cvt.rn.relu.satfinite.f16.f32", B16, F32, f32_bits(1e9), 0x7bff);
    check("cvt.rn.sat.f32.s32", F32, B32, 7, f32_bits(1.0));
}

#[test]
fn two_at_once() {
    let sources = [(F32, f32_bits(1.0)), (F32, f32_bits(-2.0))];
    assert_eq!(eval("cvt.rn.f16x2.f32", B32, &sources), 0x3c00_c000);
    assert_eq!(eval("cvt.rn.relu.bf16x2.f32", B32, &sources), 0x3f80_0000);
    let sources = [(B32, 70_000), (B32, 0xffff_ffff), (B32, 0x1_2345)];
    assert_eq!(eval("cvt.pack.sat.u16.s32", B32, &sources[..2]), 0xffff_0000);
    assert_eq!(eval("cvt.pack.sat.s16.s32", B32, &sources[..2]), 0x7fff_ffff);
    assert_eq!(eval("cvt.pack.sat.u8.s32.b32", B32, &sources), 0x2345_ff00);
    assert_eq!(eval("cvt.pack.sat.s8.s32.b32", B32, &sources), 0x2345_7fff);
    assert_eq!(eval("cvt.pack.sat.s4.s32.b32", B32, &sources), 0x0123_457f);
    assert_eq!(eval("cvt.pack.sat.u2.s32.b32", B32, &sources), 0x0012_345c);
}

/// The conversions that have a function of their own return the same as the general path.
#[test]
fn common_conversions_equal_the_general_path() {
    use crate::isa::testing::run_on;
    use crate::isa::value::{Alu, Args};
    use crate::machine::registers::Image;
    let mut source = Source::new(4);
    for form in super::FAMILY.forms {
        for opcode in crate::isa::grammar::expand(form.syntax) {
            let Some(Alu { results, sources, run, .. }) = super::common(&opcode) else { continue };
            let (_, m) = crate::isa::find(&opcode).unwrap();
            let recipe = Recipe::new(&m);
            let packed = recipe.pack(recipe.to.bits);
            assert!(results == [recipe.to.kind()] || results[0] != recipe.to.kind());
            let _ = sources;
            let mut registers = Image { narrow: vec![[0; 32]; 2], wide: vec![[0; 32]; 2], preds: Vec::new() };
            for _ in 0..2_000 {
                let format = recipe.from.format.unwrap_or(F64);
                let bits = source.number(format, exact::F64.one()) & u64::MAX >> (64 - recipe.from.bits);
                registers.narrow[1] = [bits as u32; 32];
                registers.wide[1] = [bits; 32];
                run_on(&mut registers, run, &Args { a: 1, ..Args::default() }, u32::MAX);
                let wide = registers.wide[0][0];
                let result = if recipe.to.bits == 64 { wide } else { u64::from(registers.narrow[0][0]) };
                assert_eq!(result, convert(packed, bits), "{opcode} {bits:#x}");
            }
        }
    }
}
