//! Integer instructions that count, find, reverse and extract bits.
//!
//! Positions and lengths that exceed the register are defined for every instruction here, with a few exceptions: see
//! [`nth_set`] and [`reach`].

use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{alu, by_flag, by_type};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;

/// Bit fields.
pub const FAMILY: Family = Family {
    title: "Integer arithmetic: bit fields",
    section: "9.7.1",
    forms: &[
        Form::new("popc.(b32|b64)", |m, o| {
            o.alu(by_type!(m.ty(1); [B32 => u32, B64 => u64], T => alu!((T) -> u32, T::count_ones)))
        }),
        Form::new("clz.(b32|b64)", |m, o| {
            o.alu(by_type!(m.ty(1); [B32 => u32, B64 => u64], T => alu!((T) -> u32, T::leading_zeros)))
        }),
        Form::new("bfind.shiftamt?.(u32|u64|s32|s64)", bfind),
        Form::new("fns.b32", |_, o| o.alu(alu!((u32, u32, i32) -> u32, nth_set))).since(30),
        Form::new("brev.(b32|b64)", |m, o| {
            o.alu(by_type!(m.ty(1); [B32 => u32, B64 => u64], T => alu!((T) -> T, T::reverse_bits)))
        }),
        Form::new("bfe.(u32|u64|s32|s64)", bfe),
        Form::new("bfi.(b32|b64)", bfi),
        Form::new("szext.(clamp|wrap).(u32|s32)", szext).since(70),
        Form::new("bmsk.(clamp|wrap).b32", bmsk).since(70),
    ],
};

/// The result of `bfind` if every bit equals the sign, which for an unsigned value is zero.
const NOT_FOUND: u32 = u32::MAX;

fn bfind(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(
        by_type!(m.ty(2); [U32 => u32, S32 => i32, U64 => u64, S64 => i64], T => by_flag!(m.has(1), SHIFT => {
            alu!((T) -> u32, |a| {
                let sign = a.unbounded_shr(T::BITS);
                match (a ^ sign).leading_zeros() {
                    T::BITS => NOT_FOUND,
                    count if SHIFT => count,
                    count => T::BITS - 1 - count,
                }
            })
        })),
    )
}

/// `fns`: the position of set bit number `offset`, counted upwards from bit `base` for a positive `offset`.
///
/// Counting from a bit above 31 finds nothing. An offset without an absolute value returns 0 on an H200, whatever the
/// mask, although the algorithm of the specification (PTX ISA, 9.7.1.17) would find nothing here either
/// (`tests/hardware/fns_at_its_limits.ptx`).
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == i32::MIN {
        return 0;
    }
    let candidates = match (base, offset) {
        (32.., _) => 0,
        (_, 0) => mask & 1 << base,
        (_, 1..) => mask & u32::MAX << base,
        _ => mask & u32::MAX >> (31 - base),
    };
    let mut skips = offset.unsigned_abs().saturating_sub(1);
    if skips >= candidates.count_ones() {
        return NOT_FOUND;
    }
    // Search from the top: skipping n of the k bits from below is the same as skipping k - 1 - n from above.
    if offset > 0 {
        skips = candidates.count_ones() - 1 - skips;
    }
    let rest = (0..skips).fold(candidates, |bits, _| bits & !(1 << bits.ilog2()));
    rest.ilog2()
}

/// Shifts clamp, so a field of zero bits, one that exceeds the top and one above it need no special case.
fn bfe(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(1); [U32 => u32, S32 => i32, U64 => u64, S64 => i64], T => {
        alu!((T, u32, u32) -> T, |a, pos, len| {
            let spare = T::BITS.saturating_sub(reach(T::BITS, len));
            a.unbounded_shr(reach(T::BITS, pos)).unbounded_shl(spare).unbounded_shr(spare)
        })
    }))
}

/// A position or a length of a bit field in a register of this width. Both are restricted to 0..255 (PTX ISA, 9.7.1.19 and 9.7.1.20), and the
/// specification says nothing about other values. On an H200 the 32-bit instructions use the lower 8 bits, and the
/// 64-bit ones, which are made of shifts, use all bits (`tests/hardware/bit_fields_beyond_255.ptx`).
#[inline(always)]
fn reach(width: u32, bits: u32) -> u32 {
    if width == 32 { bits & 0xff } else { bits }
}

fn bfi(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(1); [B32 => u32, B64 => u64], T => {
        alu!((T, T, u32, u32) -> T, |a, b, pos, len| {
            let (pos, len) = (reach(T::BITS, pos), reach(T::BITS, len));
            let field = (!T::MAX.unbounded_shl(len)).unbounded_shl(pos);
            a.unbounded_shl(pos) & field | b & !field
        })
    }))
}

/// The lower `b` bits, extended to 32. `.clamp` keeps all bits if `b` is 32 or more; `.wrap` uses `b` modulo 32.
fn szext(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(2); [U32 => u32, S32 => i32], T => by_flag!(m.text(1) == "clamp", CLAMP => {
        alu!((T, u32) -> T, |a, len| {
            let spare = 32_u32.saturating_sub(if CLAMP { len } else { len % 32 });
            a.unbounded_shl(spare).unbounded_shr(spare)
        })
    })))
}

/// `b` ones from bit `a` on. `.clamp` drops those above bit 31; `.wrap` uses both numbers modulo 32.
fn bmsk(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(1) {
        "clamp" => alu!((u32, u32) -> u32, ones),
        _ => alu!((u32, u32) -> u32, |pos, len| ones(pos % 32, len % 32)),
    })
}

fn ones(pos: u32, len: u32) -> u32 {
    (!u32::MAX.unbounded_shl(len)).unbounded_shl(pos)
}

#[cfg(test)]
mod tests;
