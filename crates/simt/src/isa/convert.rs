//! Conversion between number types: `cvt` and `cvt.pack`.
//!
//! A register may be wider than the type. The low bits of a source are used; a result is extended to the register with
//! its type's sign. [`recipe`] can carry out any conversion, and the frequent ones have functions of their own in
//! [`common`]. NaN becomes the integer that newer versions of the specification prescribe: 0, or only the highest bit
//! if the source is `f64` or the integer has 64 bits. Left out: types of fewer than 16 bits besides integers, and
//! stochastic rounding.
//!
//! Specification: PTX ISA, section 9.7.9 (`cvt`, `cvt.pack`).

mod recipe;
#[cfg(test)]
mod tests;

use super::affine::Rule;
use super::float::exact::BF16;
use super::grammar::Modifiers;
use super::operands::{Class, Operands, Register, bank_of, span_of};
use super::value::{Alu, alu, by_flag, map2, map3};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::{Bank, Slot};
use crate::ptx::Error;
use crate::ptx::ast::Operand;
use recipe::{Number, Recipe, convert};

/// Conversion.
pub const FAMILY: Family = Family {
    title: "Conversion",
    section: "9.7.9",
    forms: &[
        // Between integers.
        Form::new("cvt.sat?.(u8|u16|u32|u64|s8|s16|s32|s64).(u8|u16|u32|u64|s8|s16|s32|s64)", cvt),
        // From floating point to integers.
        Form::new("cvt.(rni|rzi|rmi|rpi).ftz?.sat?.(u8|u16|u32|u64|s8|s16|s32|s64).f32", cvt),
        Form::new("cvt.(rni|rzi|rmi|rpi).sat?.(u8|u16|u32|u64|s8|s16|s32|s64).(f16|f64)", cvt),
        Form::new("cvt.(rni|rzi|rmi|rpi).(u16|u32|u64|s16|s32|s64).bf16", cvt).since(90),
        // From integers to floating point.
        Form::new("cvt.(rn|rz|rm|rp).ftz?.sat?.f32.(u8|u16|u32|u64|s8|s16|s32|s64)", cvt),
        Form::new("cvt.(rn|rz|rm|rp).sat?.(f16|f64).(u8|u16|u32|u64|s8|s16|s32|s64)", cvt),
        Form::new("cvt.(rn|rz|rm|rp).bf16.(u16|u32|u64|s16|s32|s64)", cvt).since(90),
        // To a floating-point type that has all values, or to the integers among them.
        Form::new("cvt.ftz?.sat?.f32.(f16|f32)", cvt),
        Form::new("cvt.ftz?.sat?.f64.f32", cvt),
        Form::new("cvt.sat?.f64.(f16|f64)", cvt),
        Form::new("cvt.sat?.f16.f16", cvt),
        Form::new("cvt.ftz?.f32.bf16", cvt).since(80).version(7, 1),
        Form::new("cvt.f64.bf16", cvt).since(90),
        Form::new("cvt.(rni|rzi|rmi|rpi).ftz?.sat?.f32.f32", cvt),
        Form::new("cvt.(rni|rzi|rmi|rpi).sat?.f64.f64", cvt),
        Form::new("cvt.(rni|rzi|rmi|rpi).sat?.f16.f16", cvt),
        Form::new("cvt.(rni|rzi|rmi|rpi).bf16.bf16", cvt).since(90),
        // To a floating-point type that does not have all values.
        Form::new("cvt.(rn|rz|rm|rp).ftz?.sat?.f32.f64", cvt),
        Form::new("cvt.(rn|rz|rm|rp).ftz?.sat?.f16.f32", cvt),
        Form::new("cvt.(rn|rz|rm|rp).sat?.f16.f64", cvt),
        Form::new("cvt.(rn|rz|rm|rp).f16.bf16", cvt).since(90),
        Form::new("cvt.(rn|rz|rm|rp).bf16.(f16|f64)", cvt).since(90),
        Form::new("cvt.(rm|rp).bf16.f32", cvt).since(80),
        Form::new("cvt.(rn|rz).relu?.satfinite?.bf16.f32", cvt).since(80),
        Form::new("cvt.(rn|rz).relu.satfinite?.f16.f32", cvt).since(80),
        Form::new("cvt.(rn|rz).satfinite.f16.f32", cvt).since(70),
        Form::new("cvt.rna.satfinite?.tf32.f32", cvt).since(80),
        Form::new("cvt.(rn|rz).relu?.tf32.f32", cvt).since(90),
        // Two at once.
        Form::new("cvt.(rn|rz).relu?.satfinite?.(f16x2|bf16x2).f32", cvt_pair).since(80),
        Form::new("cvt.pack.sat.(u16|s16).s32", pack_16).since(72),
        Form::new("cvt.pack.sat.(u8|s8).s32.b32", pack_into).since(72),
        Form::new("cvt.pack.sat.(u4|s4|u2|s2).s32.b32", pack_into).since(75),
    ],
};

/// The frequent conversions, for registers exactly as wide as their types.
fn common(opcode: &str) -> Option<Alu> {
    Some(match opcode {
        "cvt.u64.u32" => alu!((u32) -> u64, u64::from).with_affine(Rule::Widen { signed: false }),
        "cvt.s64.s32" => alu!((i32) -> i64, i64::from).with_affine(Rule::Widen { signed: true }),
        "cvt.u32.u64" | "cvt.s32.s64" => {
            alu!((u64) -> u32, |a| a as u32).with_affine(Rule::Copy { from_wide: true })
        }
        "cvt.u32.u16" => alu!((u16) -> u32, u32::from),
        "cvt.s32.s16" => alu!((i16) -> i32, i32::from),
        "cvt.u16.u32" | "cvt.s16.s32" => alu!((u32) -> u16, |a| a as u16),
        "cvt.u64.u16" => alu!((u16) -> u64, u64::from),
        "cvt.s64.s16" => alu!((i16) -> i64, i64::from),
        "cvt.u16.u64" => alu!((u64) -> u16, |a| a as u16),
        "cvt.rn.f32.s32" => alu!((i32) -> f32, |a| a as f32),
        "cvt.rn.f32.u32" => alu!((u32) -> f32, |a| a as f32),
        "cvt.rn.f32.s64" => alu!((i64) -> f32, |a| a as f32),
        "cvt.rn.f32.u64" => alu!((u64) -> f32, |a| a as f32),
        "cvt.rn.f64.s32" => alu!((i32) -> f64, f64::from),
        "cvt.rn.f64.u32" => alu!((u32) -> f64, f64::from),
        "cvt.rn.f64.s64" => alu!((i64) -> f64, |a| a as f64),
        "cvt.rn.f64.u64" => alu!((u64) -> f64, |a| a as f64),
        // Rust clamps, and turns NaN into 0, as the specification does unless `f64` is involved.
        "cvt.rzi.s32.f32" => alu!((f32) -> i32, |a| a as i32),
        "cvt.rzi.u32.f32" => alu!((f32) -> u32, |a| a as u32),
        "cvt.rzi.s32.f64" => alu!((f64) -> i32, |a: f64| if a.is_nan() { i32::MIN } else { a as i32 }),
        "cvt.rzi.u32.f64" => alu!((f64) -> u32, |a: f64| if a.is_nan() { 1 << 31 } else { a as u32 }),
        "cvt.f64.f32" => alu!((f32) -> f64, recipe::widen),
        "cvt.rn.f32.f64" => alu!((f64) -> f32, recipe::narrow),
        _ => return None,
    })
}

/// A conversion of one number.
fn cvt(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let recipe = Recipe::new(m);
    refuse_idle_saturation(m, o)?;
    let (d_bank, d_bits) = bind_result(o, recipe.to)?;
    let (a_bank, a_bits) = bind_source(o, recipe.from)?;
    if let Some(alu) = common(o.instruction.opcode.text)
        && (d_bits, a_bits) == (recipe.to.bits, recipe.from.bits)
    {
        o.affine = alu.affine;
        return Ok(Op::Alu(alu.run));
    }
    o.args.b = o.constant(Bank::Narrow, u64::from(recipe.pack(d_bits)), o.instruction.span)?;
    Ok(Op::Alu(match (d_bank, a_bank) {
        (Bank::Wide, Bank::Wide) => |lanes, args| map2(lanes, args, |a: u64, r| convert(r, a)),
        (Bank::Wide, _) => |lanes, args| map2(lanes, args, |a: u32, r| convert(r, u64::from(a))),
        (_, Bank::Wide) => |lanes, args| map2(lanes, args, |a: u64, r| convert(r, a) as u32),
        _ => |lanes, args| map2(lanes, args, |a: u32, r| convert(r, u64::from(a)) as u32),
    }))
}

/// Saturation that cannot happen is an error: `.sat` where every source value is in the destination's range.
fn refuse_idle_saturation(m: &Modifiers<'_>, o: &Operands<'_, '_>) -> Result<(), Error> {
    if !saturates_idly(m) {
        return Ok(());
    }
    let opcode = o.instruction.opcode;
    let message = format!("every value fits the result of `{}`; omit `.sat`", opcode.text);
    Err(o.error(opcode.span, message))
}

/// Whether a conversion between integers saturates although every value fits.
pub fn saturates_idly(m: &Modifiers<'_>) -> bool {
    let Recipe { to, from, sat, .. } = Recipe::new(m);
    sat && to.format.is_none()
        && from.format.is_none()
        && match (to.signed, from.signed) {
            (true, false) => to.bits > from.bits,
            (false, true) => false,
            _ => to.bits >= from.bits,
        }
}

/// Binds the next operand, the result, to column `d`. Returns its bank and the width of its register.
fn bind_result(o: &mut Operands<'_, '_>, to: Number) -> Result<(Bank, u32), Error> {
    let operand = o.take()?;
    let register = match *operand {
        Operand::Name(name) => o.written(name)?,
        _ => same_as(to, o.result(operand, to.kind())?),
    };
    o.args.d = register.slot;
    wide_enough(o, operand, register, to)
}

/// Binds the next operand, the source, to column `a`. Returns its bank and the width of its register.
fn bind_source(o: &mut Operands<'_, '_>, from: Number) -> Result<(Bank, u32), Error> {
    let operand = o.take()?;
    let register = match *operand {
        Operand::Name(name) => match o.special(name)? {
            Some(special) if from.format.is_none() => special,
            _ => o.register(name)?,
        },
        _ => same_as(from, o.source(operand, from.kind())?),
    };
    o.touch(register.bank, register.slot, false);
    o.args.a = register.slot;
    wide_enough(o, operand, register, from)
}

/// A column that is exactly as wide as the type.
fn same_as(number: Number, slot: Slot) -> Register {
    Register { slot, bank: bank_of(number.kind()), bits: number.bits, class: None }
}

/// Checks that a register is at least as wide as the type (for `bf16`, exactly as wide) and was not declared for
/// numbers of another class.
fn wide_enough(
    o: &Operands<'_, '_>,
    operand: &Operand<'_>,
    register: Register,
    number: Number,
) -> Result<(Bank, u32), Error> {
    let wanted = number.bits;
    let class = if number.format.is_some() { Class::Float } else { Class::Integer };
    let is_exact = number.format == Some(BF16);
    let message = match register.bits {
        _ if register.bank == Bank::Preds => "a predicate cannot be converted".to_string(),
        bits if bits < wanted => {
            format!("this operand has {bits} bits; a register of {wanted} or more is needed")
        }
        bits if bits > wanted && is_exact => {
            format!("this operand has {bits} bits; one of {wanted} is needed")
        }
        _ if register.class.is_some_and(|declared| declared != class) => {
            let numbers = if class == Class::Float { "floating-point numbers" } else { "integers" };
            format!("this register is declared neither for {numbers} nor for bits")
        }
        _ => return Ok((register.bank, register.bits)),
    };
    Err(o.error(span_of(operand), message))
}

/// `d = a, b`, each converted; `a` in the upper half.
fn cvt_pair(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.bind(&alu!((u32, u32) -> u32, |_, _| 0))?;
    let recipe = Recipe::new(m).pack(16);
    o.args.c = o.constant(Bank::Narrow, u64::from(recipe), o.instruction.span)?;
    Ok(Op::Alu(|lanes, args| {
        map3(lanes, args, |a: u32, b: u32, recipe| {
            let half = |bits| convert(recipe, u64::from(bits)) as u32;
            half(a) << 16 | half(b)
        });
    }))
}

fn pack_16(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(3) {
        "u16" => alu!(rare (i32, i32) -> u32, pair::<16, false>),
        _ => alu!(rare (i32, i32) -> u32, pair::<16, true>),
    })
}

/// `d = c, a, b`: `a` and `b` clamped to a few bits each, below the low bits of `c`.
fn pack_into(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(m.text(3).starts_with('s'), SIGNED => match &m.text(3)[1..] {
        "8" => alu!(rare (i32, i32, u32) -> u32, |a, b, c| c << 16 | pair::<8, SIGNED>(a, b)),
        "4" => alu!(rare (i32, i32, u32) -> u32, |a, b, c| c << 8 | pair::<4, SIGNED>(a, b)),
        _ => alu!(rare (i32, i32, u32) -> u32, |a, b, c| c << 4 | pair::<2, SIGNED>(a, b)),
    }))
}

/// `a` and `b` clamped to `BITS` each, `a` above `b`.
#[inline(always)]
fn pair<const BITS: u32, const SIGNED: bool>(a: i32, b: i32) -> u32 {
    let values = 1 << BITS;
    let lowest = if SIGNED { -values / 2 } else { 0 };
    let part = |x: i32| x.clamp(lowest, lowest + values - 1) as u32 & (values as u32 - 1);
    part(a) << BITS | part(b)
}
