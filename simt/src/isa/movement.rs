//! Data movement between registers: `mov`, whole or in parts.
//!
//! `mov` takes what the source operand is: a register, a literal, a vector of registers to pack, or a name
//! that stands for neither ([`name`] is the one place that decides). Left out: `.b128`. `prmt` is in [`super::bits`]; what moves data
//! between lanes or memory is no business of this file. Specification: PTX ISA, section 9.7.8.

use super::control::FUNCTIONS_BASE;
use super::grammar::Modifiers;
use super::operands::{Operands, Register, kind_of, span_of};
use super::scope::{Bank, Symbol, bits};
use super::special;
use super::value::{Alu, Args, Kind, Linear, Value, alu};
use super::{Family, Form, Op};
use crate::machine::registers::{Lanes, Narrow, Slot};
use crate::ptx::Error;
use crate::ptx::ast::{Ident, Operand, Type};

/// Data movement between registers.
pub const FAMILY: Family = Family {
    title: "Data movement between registers",
    section: "9.7.8",
    forms: &[Form::new("mov.(pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", mov)],
};

fn mov(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (d, a) = (o.take()?, o.take()?);
    match (d, a) {
        (Operand::Vector(parts, _), _) => unpack(m.ty(1), o, parts, a),
        (_, Operand::Vector(parts, _)) => pack(m.ty(1), o, d, parts),
        (_, Operand::Name(source)) => name(m.ty(1), o, d, *source),
        (_, Operand::Offset(source, offset)) => address(m.ty(1), o, d, *source, *offset),
        _ => whole(m.ty(1), o, d, a),
    }
}

/// `mov` from a name: a register, a special register, or the address of a variable or a function.
fn name<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>, source: Ident<'t>) -> Result<Op, Error> {
    match (o.scope.find(source.text), special::parse(source.text)) {
        (Some((_, Symbol::Register(_))), _) => whole(ty, o, d, &Operand::Name(source)),
        (Some(_), _) => address(ty, o, d, source, 0),
        (None, Some(what)) => {
            let wide = integer_result(ty, o, d)?;
            Ok(Op::Special { what, wide })
        }
        (None, None) => {
            let message =
                format!("`{}` is not declared, and no special register that is supported", source.text);
            Err(o.error(source.span, message))
        }
    }
}

/// `mov` of the address of a variable or a function, `offset` bytes further on.
fn address<'t>(
    ty: Type,
    o: &mut Operands<'_, 't>,
    d: &Operand<'t>,
    source: Ident<'t>,
    offset: i64,
) -> Result<Op, Error> {
    let (base, in_frame) = match o.scope.find(source.text) {
        Some((_, Symbol::Variable(place))) => (place.address, place.in_frame),
        Some((_, Symbol::Function(function))) => (FUNCTIONS_BASE + u64::from(function), false),
        _ => return Err(o.error(source.span, format!("`{}` has no address", source.text))),
    };
    let wide = integer_result(ty, o, d)?;
    let address = base.wrapping_add_signed(offset);
    if in_frame {
        return Ok(Op::FrameAddress { offset: address as i32, wide });
    }
    let bank = if wide { Bank::Wide } else { Bank::Narrow };
    o.args.a = o.constant(bank, address, source.span)?;
    Ok(o.means(match bank {
        Bank::Wide => alu!((u64) -> u64, |a| a),
        _ => alu!((u32) -> u32, |a| a),
    }))
}

/// Binds a result of 32 or 64 bits, and says whether it is the wider.
fn integer_result<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>) -> Result<bool, Error> {
    let kind = match bits(ty) {
        32 => Kind::B32,
        64 => Kind::B64,
        other => return Err(o.error(span_of(d), format!("a result of {other} bits is too narrow here"))),
    };
    o.args.d = o.result(d, kind)?;
    Ok(kind == Kind::B64)
}

/// One column to another.
fn whole<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>, a: &Operand<'t>) -> Result<Op, Error> {
    let kind = kind_of(ty).expect("the form's grammar lists no type of 8 or 128 bits");
    o.args.d = o.result(d, kind)?;
    o.args.a = o.source(a, kind)?;
    Ok(o.means(match kind {
        Kind::Pred => Alu::new(&[Kind::Pred], &[Kind::Pred], |lanes, args| {
            lanes.write_pred(args.d, lanes.preds[args.a as usize]);
        }),
        Kind::B64 | Kind::F64 => alu!((u64) -> u64, |a| a).on_lines(Linear::Copy),
        Kind::B32 | Kind::F32 => alu!((u32) -> u32, |a| a).on_lines(Linear::Copy),
        Kind::B16 => alu!((u16) -> u16, |a| a),
    }))
}

/// `mov.b64 {d, q}, a`: the parts of `a`, the lowest first. Four parts go to `d`, `q`, `c` and `e`.
fn unpack<'t>(
    ty: Type,
    o: &mut Operands<'_, 't>,
    parts: &[Operand<'t>],
    a: &Operand<'t>,
) -> Result<Op, Error> {
    let (kind, part_bits) = split(ty, o, parts)?;
    for (index, operand) in parts.iter().enumerate() {
        let slot = match operand {
            // A part that nobody wants.
            Operand::Sink(_) => o.result(operand, Kind::B32)?,
            _ => part(o, operand, part_bits, Operands::written)?,
        };
        *[&mut o.args.d, &mut o.args.q, &mut o.args.c, &mut o.args.e][index] = slot;
    }
    o.args.a = o.source(a, kind)?;
    Ok(Op::Alu(match (kind, parts.len()) {
        (Kind::B16, _) => |lanes, args| run_unpack::<u16, 2>(lanes, args),
        (Kind::B32, 2) => |lanes, args| run_unpack::<u32, 2>(lanes, args),
        (Kind::B32, _) => |lanes, args| run_unpack::<u32, 4>(lanes, args),
        (_, 2) => |lanes, args| run_unpack::<u64, 2>(lanes, args),
        _ => |lanes, args| run_unpack::<u64, 4>(lanes, args),
    }))
}

#[inline(always)]
fn run_unpack<T: Value + Into<u64>, const PARTS: usize>(lanes: &mut Lanes<'_>, args: &Args) {
    let a = T::read(lanes, args.a);
    let part_bits = 8 * size_of::<T>() / PARTS;
    let part_mask = (1u64 << part_bits) - 1;
    for (part, slot) in [args.d, args.q, args.c, args.e].into_iter().enumerate().take(PARTS) {
        lanes.write_narrow(slot, |lane| (T::lane(&a, lane).into() >> (part * part_bits) & part_mask) as u32);
    }
}

/// `mov.b64 d, {a, b}`: the parts of `d`, the lowest first.
fn pack<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>, parts: &[Operand<'t>]) -> Result<Op, Error> {
    let (kind, part_bits) = split(ty, o, parts)?;
    o.args.d = o.result(d, kind)?;
    for (index, operand) in parts.iter().enumerate() {
        let slot = part(o, operand, part_bits, Operands::register)?;
        *[&mut o.args.a, &mut o.args.b, &mut o.args.c, &mut o.args.e][index] = slot;
    }
    // The parts leave the high half of a 16-bit result zero, so it is written as a 32-bit one.
    Ok(Op::Alu(match (part_bits, parts.len()) {
        (8, 2) => |lanes, args| run_pack::<2, 8, _>(lanes, args, |word| word as u32),
        (8, _) => |lanes, args| run_pack::<4, 8, _>(lanes, args, |word| word as u32),
        (16, 2) => |lanes, args| run_pack::<2, 16, _>(lanes, args, |word| word as u32),
        (16, _) => |lanes, args| run_pack::<4, 16, _>(lanes, args, |word| word),
        _ => |lanes, args| run_pack::<2, 32, _>(lanes, args, |word| word),
    }))
}

#[inline(always)]
fn run_pack<const PARTS: usize, const BITS: u32, D: Value>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    cut: impl Fn(u64) -> D,
) {
    let slots = [args.a, args.b, args.c, args.e];
    let parts: [Narrow; PARTS] = std::array::from_fn(|part| lanes.narrow[slots[part] as usize]);
    D::write(lanes, args.d, |lane| {
        cut(parts.iter().rev().fold(0, |word, part| word << BITS | u64::from(part[lane])))
    });
}

/// The kind of the whole, and the width of each part.
fn split(ty: Type, o: &Operands<'_, '_>, parts: &[Operand<'_>]) -> Result<(Kind, u32), Error> {
    let opcode = o.instruction.opcode;
    match (ty, parts.len()) {
        (Type::B16, 2) => Ok((Kind::B16, 8)),
        (Type::B32 | Type::B64, count @ (2 | 4)) => {
            let kind = if ty == Type::B32 { Kind::B32 } else { Kind::B64 };
            Ok((kind, bits(ty) / count as u32))
        }
        (Type::B16 | Type::B32 | Type::B64, count) => {
            Err(o.error(opcode.span, format!("`{}` does not take a vector of {count}", opcode.text)))
        }
        _ => {
            let message = format!("`{}` takes no vector; use `mov` of a `.b` type", opcode.text);
            Err(o.error(opcode.span, message))
        }
    }
}

/// The column of one part, a register of its width, which `look_up` finds.
fn part<'s, 't>(
    o: &mut Operands<'s, 't>,
    operand: &Operand<'t>,
    part_bits: u32,
    look_up: impl Fn(&mut Operands<'s, 't>, Ident<'t>) -> Result<Register, Error>,
) -> Result<Slot, Error> {
    match *operand {
        Operand::Name(name) => {
            let register = look_up(o, name)?;
            if register.bits == part_bits {
                return Ok(register.slot);
            }
            let message = format!("`{}` has {} bits where {part_bits} are wanted", name.text, register.bits);
            Err(o.error(name.span, message))
        }
        _ => Err(o.error(span_of(operand), format!("a part must be a register of {part_bits} bits"))),
    }
}

#[cfg(test)]
mod tests;
