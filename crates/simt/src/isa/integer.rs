//! Integer arithmetic: sums, products, quotients, dot products.
//!
//! Arithmetic wraps unless a form says `.sat`. Where the specification leaves a result to the machine, it is
//! NVIDIA's: see [`div`] and [`rem`], and [`mul24`] for the upper bytes of 24-bit operands. What counts, finds
//! and cuts out bits is in [`super::bitfield`]. Left out: the packed forms of `sm_90` (`add.u16x2`,
//! `min.s16x2`) and `.relu`. Specification: PTX ISA, sections 9.7.1.1 to 9.7.1.13, 9.7.1.23 and 9.7.1.24.

use super::affine::Rule;
use super::grammar::Modifiers;
use super::operands::Operands;
use super::value::{Alu, Args, Value, alu, by_flag, by_int, by_type, by_width, map1, map2};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::Warps;
use crate::ptx::Error;
use crate::ptx::ast::Type;

/// Integer arithmetic.
pub const FAMILY: Family = Family {
    title: "Integer arithmetic",
    section: "9.7.1",
    forms: &[
        Form::new("add.(u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(by_width!(m.ty(1), T => alu!((T, T) -> T, T::wrapping_add).with_affine(Rule::Add)))
        }),
        Form::new("add.sat.s32", |_, o| o.alu(alu!(rare (i32, i32) -> i32, i32::saturating_add))),
        Form::new("sub.(u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(by_width!(m.ty(1), T => alu!((T, T) -> T, T::wrapping_sub).with_affine(Rule::Subtract)))
        }),
        Form::new("sub.sat.s32", |_, o| o.alu(alu!(rare (i32, i32) -> i32, i32::saturating_sub))),
        Form::new("mul.(hi|lo).(u16|u32|u64|s16|s32|s64)", mul),
        Form::new("mul.wide.(u16|u32|s16|s32)", mul_wide),
        Form::new("mad.(hi|lo).(u16|u32|u64|s16|s32|s64)", mad),
        Form::new("mad.wide.(u16|u32|s16|s32)", mad_wide),
        Form::new("mad.hi.sat.s32", |_, o| {
            o.alu(alu!(rare (i32, i32, i32) -> i32, |a, b, c| i32::high(a, b).saturating_add(c)))
        }),
        Form::new("mul24.(hi|lo).(u32|s32)", mul24),
        Form::new("mad24.(hi|lo).(u32|s32)", mad24),
        Form::new("mad24.hi.sat.s32", |_, o| {
            o.alu(alu!(rare (i32, i32, i32) -> i32, |a, b, c| i32::high(a << 8, b << 8).saturating_add(c)))
        }),
        Form::new("sad.(u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(by_int!(m.ty(1), T => {
                alu!(rare (T, T, T) -> T, |a, b, c| c.wrapping_add(a.abs_diff(b) as T))
            }))
        }),
        Form::new("div.(u16|u32|u64|s16|s32|s64)", div),
        Form::new("rem.(u16|u32|u64|s16|s32|s64)", rem),
        Form::new("abs.(s16|s32|s64)", |m, o| {
            o.alu(by_type!(m.ty(1); [S16 => i16, S32 => i32, S64 => i64], T => {
                alu!((T) -> T, T::wrapping_abs)
            }))
        }),
        Form::new("neg.(s16|s32|s64)", |m, o| {
            o.alu(by_type!(m.ty(1); [S16 => i16, S32 => i32, S64 => i64], T => {
                alu!((T) -> T, T::wrapping_neg).with_affine(Rule::Negate)
            }))
        }),
        Form::new("min.(u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(by_int!(m.ty(1), T => alu!((T, T) -> T, T::min)))
        }),
        Form::new("max.(u16|u32|u64|s16|s32|s64)", |m, o| {
            o.alu(by_int!(m.ty(1), T => alu!((T, T) -> T, T::max)))
        }),
        Form::new("dp4a.(u32|s32).(u32|s32)", dp4a).since(61),
        Form::new("dp2a.(lo|hi).(u32|s32).(u32|s32)", dp2a).since(61),
    ],
};

/// The product of two integers in full width, and its upper half.
pub(super) trait Product: Value {
    /// An integer of twice the width.
    type Double;
    /// The whole product: `mul.wide`.
    fn double(self, other: Self) -> Self::Double;
    /// Its upper half: `mul.hi`.
    fn high(self, other: Self) -> Self;
}

macro_rules! product {
    ($($ty:ty => $double:ty),*) => {$(
        impl Product for $ty {
            type Double = $double;
            #[inline(always)]
            fn double(self, other: $ty) -> $double {
                <$double>::from(self) * <$double>::from(other)
            }
            #[inline(always)]
            fn high(self, other: $ty) -> $ty {
                (self.double(other) >> <$ty>::BITS) as $ty
            }
        }
    )*};
}
product!(u16 => u32, i16 => i32, u32 => u64, i32 => i64, u64 => u128, i64 => i128);

fn mul(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(1) {
        "hi" => by_int!(m.ty(2), T => alu!((T, T) -> T, T::high)),
        _ => by_width!(m.ty(2), T => alu!((T, T) -> T, T::wrapping_mul)).with_affine(Rule::Multiply),
    })
}

fn mul_wide(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(2); [U16 => u16, S16 => i16, U32 => u32, S32 => i32], T => {
        alu!((T, T) -> <T as Product>::Double, T::double)
            .with_affine(Rule::MultiplyWide { signed: is_signed(m.ty(2)) })
    }))
}

fn mad(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(match m.text(1) {
        "hi" => by_int!(m.ty(2), T => alu!(rare (T, T, T) -> T, |a, b, c| T::high(a, b).wrapping_add(c))),
        _ => by_width!(m.ty(2), T => alu!((T, T, T) -> T, |a, b, c| a.wrapping_mul(b).wrapping_add(c)))
            .with_affine(Rule::MultiplyAdd),
    })
}

fn mad_wide(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(2); [U16 => u16, S16 => i16, U32 => u32, S32 => i32], T => {
        alu!((T, T, <T as Product>::Double) -> <T as Product>::Double, |a, b, c| {
            T::double(a, b).wrapping_add(c)
        })
        .with_affine(Rule::MultiplyWideAdd { signed: is_signed(m.ty(2)) })
    }))
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::S16 | Type::S32 | Type::S64)
}

/// Products of the lower 24 bits, extended with the type's sign; the machine ignores all others. `.lo` keeps bits 0 to 31,
/// and `.hi` bits 16 to 47: the upper half of a product of numbers that are 8 bits further up.
fn mul24(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(2); [U32 => u32, S32 => i32], T => match m.text(1) {
        "hi" => alu!(rare (T, T) -> T, |a, b| T::high(a << 8, b << 8)),
        _ => alu!(rare (T, T) -> T, |a, b| (a << 8 >> 8).wrapping_mul(b << 8 >> 8)),
    }))
}

fn mad24(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_type!(m.ty(2); [U32 => u32, S32 => i32], T => match m.text(1) {
        "hi" => alu!(rare (T, T, T) -> T, |a, b, c| T::high(a << 8, b << 8).wrapping_add(c)),
        _ => alu!(rare (T, T, T) -> T, |a, b, c| (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c)),
    }))
}

/// The quotient, rounded towards zero. The specification leaves division by zero to the machine, which returns all
/// ones. The only quotient that does not fit, the smallest number divided by -1, wraps around to itself.
fn div(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_int!(m.ty(1), T => {
        alu!((T, T) -> T, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) })
    }))
}

/// The remainder, with the dividend's sign. For a division by zero it is all ones as well, and not the dividend.
fn rem(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let plain = by_int!(m.ty(1), T => {
        alu!((T, T) -> T, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) })
    });
    o.alu(match m.ty(1) {
        Type::U32 => Alu { run: rem_u32, ..plain },
        _ => plain,
    })
}

/// [`rem`] for what kernels do most, by one power of two in all threads: a mask, which unlike a division is vector code.
fn rem_u32(warps: &mut Warps<'_>, args: &Args) {
    let divisor = warps.narrow.uniform(args.b).map(|divisor| divisor as u32);
    if let Some(divisor) = divisor.filter(|divisor| divisor.is_power_of_two()) {
        map1(warps, args, |a: u32| a & (divisor - 1));
    } else {
        map2(warps, args, |a: u32, b: u32| if b == 0 { !0 } else { a % b });
    }
}

/// Part `index` of a word that consists of parts of `BITS`, extended to 32.
fn part<const BITS: u32, const SIGNED: bool>(word: u32, index: u32) -> u32 {
    let at_the_top = word << (32 - BITS * (index + 1));
    if SIGNED { (at_the_top as i32 >> (32 - BITS)) as u32 } else { at_the_top >> (32 - BITS) }
}

/// `c` plus the products of the four bytes of `a` and `b`.
fn dot4<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add(part::<8, A>(a, i).wrapping_mul(part::<8, B>(b, i))))
}

/// `c` plus the products of the two halves of `a` and the two lower bytes of `b`.
fn dot2<const A: bool, const B: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..2).fold(c, |sum, i| sum.wrapping_add(part::<16, A>(a, i).wrapping_mul(part::<8, B>(b, i))))
}

fn dp4a(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(is_signed(m.ty(1)), A => by_flag!(is_signed(m.ty(2)), B => {
        alu!(rare (u32, u32, u32) -> u32, dot4::<A, B>)
    })))
}

fn dp2a(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.alu(by_flag!(is_signed(m.ty(2)), A => by_flag!(is_signed(m.ty(3)), B => match m.text(1) {
        "hi" => alu!(rare (u32, u32, u32) -> u32, |a, b, c| dot2::<A, B>(a, b >> 16, c)),
        _ => alu!(rare (u32, u32, u32) -> u32, dot2::<A, B>),
    })))
}

#[cfg(test)]
mod tests;
