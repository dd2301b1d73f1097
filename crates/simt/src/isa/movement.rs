//! Data movement between registers: `mov`, whole or in parts.
//!
//! The source of a `mov` is a register, a literal, a vector of registers to pack, or another name ([`name`] decides
//! what that means). With `.v2` or `.v4` it moves as many registers, and reads `%tid` as a whole. Left out: `.b128`.
//! `prmt` is in [`super::bits`]; instructions that move data between lanes, or to and from memory, are in other files.
//! Specification: PTX ISA, section 9.7.8.

use super::affine::Rule;
use super::grammar::Modifiers;
use super::operands::{Operands, bank_of, kind_of, span_of};
use super::scope::Symbol;
use super::special::{self, Special};
use super::value::{Alu, Args, Kind, Value, alu, map_pred};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::place::bits;
use crate::machine::registers::{Bank, Lanes, Narrow, Slot};
use crate::ptx::ast::{Ident, Operand, Type};
use crate::ptx::{Error, Span};

/// Data movement between registers.
pub const FAMILY: Family = Family {
    title: "Data movement between registers",
    section: "9.7.8",
    forms: &[
        Form::new("mov.(pred|b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", mov),
        Form::new("mov.(v2|v4).(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64)", mov_vector),
    ],
};

fn mov(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (d, a) = (o.take()?, o.take()?);
    let ty = m.ty(1);
    match (o.elements(d), o.elements(a), a) {
        (Some(parts), ..) => unpack(ty, o, &parts, a),
        (_, Some(parts), _) => pack(ty, o, d, &parts),
        (.., Operand::Name(source)) => name(ty, o, d, *source),
        (.., Operand::Offset(source, offset)) if is_address(o, *source) => {
            address(ty, o, d, *source, *offset)
        }
        (.., Operand::Element(source, index)) => match o.scope.find(source.text) {
            Some((_, Symbol::Variable(place))) => {
                address(ty, o, d, *source, index.wrapping_mul(i64::from(place.element)))
            }
            _ => Err(o.error(source.span, format!("`{}` is not a variable", source.text))),
        },
        _ => whole(ty, o, d, a),
    }
}

/// Whether a name is that of something that has an address.
fn is_address(o: &Operands<'_, '_>, name: Ident<'_>) -> bool {
    matches!(o.scope.find(name.text), Some((_, Symbol::Variable(_) | Symbol::Function(_))))
}

/// `mov` from a name: a register, a special register, or the address of a variable or a function.
fn name<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>, source: Ident<'t>) -> Result<Op, Error> {
    match (o.scope.find_register(source.text), special::parse(source.text)) {
        (Some(_), _) => whole(ty, o, d, &Operand::Name(source)),
        (None, _) if is_address(o, source) => address(ty, o, d, source, 0),
        (None, Some(what)) => special(ty, o, d, source, what),
        (None, None) if source.text == special::IS_CLUSTER && ty == Type::Pred => {
            let from = o.special_register(Special::IsCluster, false, source)?;
            o.args.d = o.result(d, Kind::Pred)?;
            o.args.a = from.slot;
            o.touch(from.bank, from.slot, false);
            Ok(Op::Alu(alu!((u32) -> bool, |a| a != 0).run))
        }
        (None, None) => {
            let message = format!("`{}` is neither declared nor a supported special register", source.text);
            Err(o.error(source.span, message))
        }
    }
}

/// `mov` from a special register, which must have the width of the type.
fn special<'t>(
    ty: Type,
    o: &mut Operands<'_, 't>,
    d: &Operand<'t>,
    source: Ident<'t>,
    what: Special,
) -> Result<Op, Error> {
    let widths = special::widths(source.text);
    if !widths.contains(&bits(ty)) || matches!(ty, Type::F32 | Type::F64 | Type::Pred) {
        let widths = widths.iter().map(u32::to_string).collect::<Vec<_>>().join(" or ");
        let message = format!("`{}` is an integer of {widths} bits, not a `{ty:?}`", source.text);
        return Err(o.error(source.span, message));
    }
    if bits(ty) == 16 {
        let from = o.special_register(what, false, source)?;
        o.args.d = o.result(d, Kind::B16)?;
        o.args.a = from.slot;
        o.touch(from.bank, from.slot, false);
        return Ok(Op::Alu(alu!((u32) -> u16, |a| a as u16).run));
    }
    let wide = integer_result(ty, o, d)?;
    Ok(Op::Special { what, wide })
}

/// `mov.v4.u32 {a, b, c, d}, %tid` and its like: as many moves, the last of them the instruction itself.
fn mov_vector(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let kind = kind_of(m.ty(2)).expect("the form's grammar lists no type of 8 or 128 bits");
    let count = if m.text(1) == "v2" { 2 } else { 4 };
    let (d, a) = (o.take()?, o.take()?);
    let results = o.elements(d).filter(|results| results.len() == count);
    let sources = vector_sources(o, a, kind)?.filter(|sources| sources.len() == count);
    let (Some(results), Some(sources)) = (results, sources) else {
        return Err(o.error(span_of(a), format!("expected a vector of {count} elements")));
    };
    let copy = copy_of(kind);
    let slots: Vec<_> =
        results.iter().map(|result| o.result_or_sink(result, kind)).collect::<Result<_, _>>()?;
    let last = count - 1;
    for (slot, source) in slots.iter().zip(&sources).take(last) {
        o.prepare(copy, bank_of(kind), *slot, *source, 0);
    }
    (o.args.d, o.args.a) = (slots[last], sources[last]);
    o.affine = copy.affine;
    // The others belong to the moves before this one.
    o.touched.retain(|register| !register.is_written);
    o.touch(bank_of(kind), slots[last], true);
    o.touch(bank_of(kind), sources[last], false);
    Ok(Op::Alu(copy.run))
}

/// The columns of a vector that is moved. Registers are copied first, because the destination vector may contain them
/// too.
fn vector_sources<'t>(
    o: &mut Operands<'_, 't>,
    a: &Operand<'t>,
    kind: Kind,
) -> Result<Option<Vec<Slot>>, Error> {
    if let Operand::Name(name) = a
        && let Some(all) = special::vector(name.text)
        && o.scope.find(name.text).is_none()
    {
        if !matches!(kind, Kind::B16 | Kind::B32) {
            return Err(o.error(name.span, format!("`{}` has elements of 32 bits", name.text)));
        }
        let column = |what| {
            let slot = o.special_register(what, false, *name)?.slot;
            o.copied(slot, kind, name.span)
        };
        return all.into_iter().map(column).collect::<Result<_, _>>().map(Some);
    }
    let Some(elements) = o.elements(a) else { return Ok(None) };
    let column = |element: &Operand<'t>| {
        let slot = match element {
            Operand::Name(name) => match o.special(*name)? {
                Some(register) if register.bank == bank_of(kind) => register.slot,
                _ => o.source(element, kind)?,
            },
            _ => o.source(element, kind)?,
        };
        o.copied(slot, kind, span_of(element))
    };
    elements.iter().map(column).collect::<Result<_, _>>().map(Some)
}

impl Operands<'_, '_> {
    /// A copy of a column. Only 16 bits are kept if that is the kind.
    fn copied(&mut self, slot: Slot, kind: Kind, span: Span) -> Result<Slot, Error> {
        let copy = self.scratch(bank_of(kind), span)?;
        self.prepare(copy_of(kind), bank_of(kind), copy, slot, 0);
        Ok(copy)
    }
}

/// Copies one column to another.
fn copy_of(kind: Kind) -> Alu {
    match kind {
        Kind::Pred => Alu::new(&[Kind::Pred], &[Kind::Pred], |warps, args| map_pred(warps, args, |a| a)),
        Kind::B64 | Kind::F64 => alu!((u64) -> u64, |a| a).with_affine(Rule::Copy { from_wide: true }),
        Kind::B32 | Kind::F32 => alu!((u32) -> u32, |a| a).with_affine(Rule::Copy { from_wide: false }),
        Kind::B16 => alu!((u16) -> u16, |a| a),
    }
}

/// `mov` of the address of a variable or a function plus `offset` bytes.
fn address<'t>(
    ty: Type,
    o: &mut Operands<'_, 't>,
    d: &Operand<'t>,
    source: Ident<'t>,
    offset: i64,
) -> Result<Op, Error> {
    if matches!(ty, Type::F32 | Type::F64) {
        let message = format!("the address of `{}` is an integer, not a `{ty:?}`", source.text);
        return Err(o.error(source.span, message));
    }
    let wide = integer_result(ty, o, d)?;
    if let Some((_, Symbol::Variable(place))) = o.scope.find(source.text)
        && place.in_frame
    {
        return Ok(Op::FrameAddress { offset: place.address.wrapping_add_signed(offset) as i32, wide });
    }
    o.args.a = o.address_of(source, offset, if wide { Kind::B64 } else { Kind::B32 })?;
    Ok(Op::Alu(if wide { alu!((u64) -> u64, |a| a) } else { alu!((u32) -> u32, |a| a) }.run))
}

/// Binds a result of 32 or 64 bits. Returns whether it has 64.
fn integer_result<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>) -> Result<bool, Error> {
    let kind = match bits(ty) {
        32 => Kind::B32,
        64 => Kind::B64,
        other => return Err(o.error(span_of(d), format!("a result of {other} bits is too narrow here"))),
    };
    o.args.d = o.result(d, kind)?;
    Ok(kind == Kind::B64)
}

/// Copies one column to another.
fn whole<'t>(ty: Type, o: &mut Operands<'_, 't>, d: &Operand<'t>, a: &Operand<'t>) -> Result<Op, Error> {
    let kind = kind_of(ty).expect("the form's grammar lists no type of 8 or 128 bits");
    o.args.d = o.result(d, kind)?;
    o.args.a = o.source(a, kind)?;
    let copy = copy_of(kind);
    o.affine = copy.affine;
    Ok(Op::Alu(copy.run))
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
            // A part that is not needed.
            Operand::Sink(_) => o.result_or_sink(operand, Kind::B32)?,
            _ => part(o, operand, part_bits, true)?,
        };
        *[&mut o.args.d, &mut o.args.q, &mut o.args.c, &mut o.args.e][index] = slot;
    }
    o.args.a = o.source(a, kind)?;
    Ok(Op::Alu(match (kind, parts.len()) {
        (Kind::B16, _) => |warps, args| warps.each(|lanes| run_unpack::<u16, 2>(lanes, args)),
        (Kind::B32, 2) => |warps, args| warps.each(|lanes| run_unpack::<u32, 2>(lanes, args)),
        (Kind::B32, _) => |warps, args| warps.each(|lanes| run_unpack::<u32, 4>(lanes, args)),
        (_, 2) => |warps, args| warps.each(|lanes| run_unpack::<u64, 2>(lanes, args)),
        _ => |warps, args| warps.each(|lanes| run_unpack::<u64, 4>(lanes, args)),
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
        let slot = part(o, operand, part_bits, false)?;
        *[&mut o.args.a, &mut o.args.b, &mut o.args.c, &mut o.args.e][index] = slot;
    }
    // The parts leave the high half of a 16-bit result zero, so it can be written as a 32-bit one.
    Ok(Op::Alu(match (part_bits, parts.len()) {
        (8, 2) => |warps, args| warps.each(|lanes| run_pack::<2, 8, _>(lanes, args, |word| word as u32)),
        (8, _) => |warps, args| warps.each(|lanes| run_pack::<4, 8, _>(lanes, args, |word| word as u32)),
        (16, 2) => |warps, args| warps.each(|lanes| run_pack::<2, 16, _>(lanes, args, |word| word as u32)),
        (16, _) => |warps, args| warps.each(|lanes| run_pack::<4, 16, _>(lanes, args, |word| word)),
        _ => |warps, args| warps.each(|lanes| run_pack::<2, 32, _>(lanes, args, |word| word)),
    }))
}

#[inline(always)]
fn run_pack<const PARTS: usize, const BITS: u32, D: Value>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    cut: impl Fn(u64) -> D,
) {
    let slots = [args.a, args.b, args.c, args.e];
    let parts: [Narrow; PARTS] = std::array::from_fn(|part| lanes.narrow.get(slots[part]));
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
            let message = format!("`{}` does not take a vector; use `mov` with a `.b` type", opcode.text);
            Err(o.error(opcode.span, message))
        }
    }
}

/// The column of one part: a register of its width. A part that is read can also be a literal or a special register.
fn part<'t>(
    o: &mut Operands<'_, 't>,
    operand: &Operand<'t>,
    part_bits: u32,
    is_written: bool,
) -> Result<Slot, Error> {
    let (name, part) = match *operand {
        Operand::Name(name) => (name, None),
        Operand::Part(name, part) => (name, Some(part)),
        Operand::Int(value, span) if !is_written => {
            return o.constant(Bank::Narrow, value & u64::MAX >> (64 - part_bits), span);
        }
        Operand::F32(bits, span) if !is_written && part_bits == 32 => {
            return o.constant(Bank::Narrow, u64::from(bits), span);
        }
        _ => return Err(o.error(span_of(operand), format!("a part must be a register of {part_bits} bits"))),
    };
    let register = match o.special(name)? {
        Some(special) if !is_written => special,
        _ => o.look_up_part(name, part)?,
    };
    if register.bits != part_bits {
        let message = format!("`{}` has {} bits, but {part_bits} are expected", name.text, register.bits);
        return Err(o.error(name.span, message));
    }
    o.touch(register.bank, register.slot, is_written);
    Ok(register.slot)
}

#[cfg(test)]
mod tests;
