//! Extended-precision integer arithmetic: sums with a carry in and a carry out.
//!
//! The carry flag `CC.CF` is a hidden predicate of the frame ([`super::scope::Scope::carry`]) with one bit for each
//! lane. It is clear when a function is entered.
//!
//! According to the specification, `sub.cc` and `subc.cc` write "borrow-out" and `subc` subtracts the flag. Hardware
//! has one adder: a difference is the sum of `a`, the complement of `b` and 1. The flag is the carry of that sum, which
//! is set if nothing is borrowed, and `subc` adds the flag instead of the 1. Chains of differences have the same
//! results. If a chain of sums continues from a difference, or the reverse, compilers and an H200 follow the adder, and
//! so does this file (`tests/hardware/carry_of_sub.ptx`).
//!
//! Specification: PTX ISA, section 9.7.2.

use super::grammar::Modifiers;
use super::integer::Product;
use super::operands::Operands;
use super::value::{Alu, Args, Kind, Run, Value, by_type};
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::machine::registers::{Lanes, Warps};
use crate::ptx::Error;

/// Extended-precision integer arithmetic.
pub const FAMILY: Family = Family {
    title: "Extended-precision integer arithmetic",
    section: "9.7.2",
    forms: &[
        Form::new("add.cc.(u32|s32|u64|s64)", |m, o| add(m, o, false)),
        Form::new("addc.cc?.(u32|s32|u64|s64)", |m, o| add(m, o, true)),
        Form::new("sub.cc.(u32|s32|u64|s64)", |m, o| sub(m, o, false)),
        Form::new("subc.cc?.(u32|s32|u64|s64)", |m, o| sub(m, o, true)),
        Form::new("mad.(hi|lo).cc.(u32|s32|u64|s64)", |m, o| mad(m, o, false)),
        Form::new("madc.(hi|lo).cc?.(u32|s32|u64|s64)", |m, o| mad(m, o, true)),
    ],
};

/// A [`Run`] for each use of the flag: `$run` is generic over whether it reads and writes the flag, of which it does at least one.
macro_rules! by_use {
    ($reads:expr, $writes:expr, |$lanes:ident, $args:ident| $run:ident($($rest:expr),*)) => {
        match ($reads, $writes) {
            (false, _) => |warps: &mut Warps<'_>, $args: &Args| warps.each(|$lanes| $run::<_, false, true>($lanes, $args, $($rest),*)),
            (_, false) => |warps: &mut Warps<'_>, $args: &Args| warps.each(|$lanes| $run::<_, true, false>($lanes, $args, $($rest),*)),
            _ => |warps: &mut Warps<'_>, $args: &Args| warps.each(|$lanes| $run::<_, true, true>($lanes, $args, $($rest),*)),
        }
    };
}

// The sign does not change a sum or its carry. What writes the flag has `.cc` in the opcode.

fn add(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, reads: bool) -> Result<Op, Error> {
    by_type!(m.ty(2); [U32 | S32 => u32, U64 | S64 => u64], T => {
        chain(o, &[T::KIND; 3], by_use!(reads, m.has(1), |lanes, args| sum(NO_CARRY, T::add_carry)))
    })
}

/// `a + !b + carry`, which is `a - b` if `carry` is set.
fn sub(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, reads: bool) -> Result<Op, Error> {
    by_type!(m.ty(2); [U32 | S32 => u32, U64 | S64 => u64], T => {
        let run = by_use!(reads, m.has(1), |lanes, args| sum(CARRY, |a: T, b, c| a.add_carry(!b, c)));
        chain(o, &[T::KIND; 3], run)
    })
}

/// The flag is added only to the half of the product that the instruction keeps.
fn mad(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, reads: bool) -> Result<Op, Error> {
    by_type!(m.ty(3); [U32 => u32, S32 => i32, U64 => u64, S64 => i64], T => {
        chain(o, &[T::KIND; 4], match m.text(1) {
            "hi" => by_use!(reads, m.has(2), |lanes, args| product_sum(T::high)),
            _ => by_use!(reads, m.has(2), |lanes, args| product_sum(T::wrapping_mul)),
        })
    })
}

/// Binds a result and sources of these kinds, and the flag as `q` and `e`.
fn chain(o: &mut Operands<'_, '_>, kinds: &'static [Kind], run: Run) -> Result<Op, Error> {
    let (results, sources) = kinds.split_at(1);
    o.bind(&Alu::new(results, sources, run))?;
    o.args.q = o.carry()?;
    o.args.e = o.args.q;
    Ok(Op::Alu(run))
}

/// Sums with a carry, of the bits as an unsigned number.
trait Carry: Product {
    /// `self + other + carry`, and whether it did not fit.
    fn add_carry(self, other: Self, carry: bool) -> (Self, bool);
}

macro_rules! carry {
    ($($ty:ty: $unsigned:ty),*) => {$(
        impl Carry for $ty {
            #[inline(always)]
            fn add_carry(self, other: $ty, carry: bool) -> ($ty, bool) {
                let (sum, over) = (self as $unsigned).overflowing_add(other as $unsigned);
                let (sum, over_again) = sum.overflowing_add(<$unsigned>::from(carry));
                (sum as $ty, over | over_again)
            }
        }
    )*};
}
carry!(u32: u32, i32: u32, u64: u64, i64: u64);

/// The carry in of an instruction that does not read the flag, one bit for each lane.
const NO_CARRY: u32 = 0;
const CARRY: u32 = u32::MAX;

#[inline(always)]
fn sum<T: Carry, const READ: bool, const WRITE: bool>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    first: u32,
    f: impl Fn(T, T, bool) -> (T, bool),
) {
    let (a, b) = (T::read(lanes, args.a), T::read(lanes, args.b));
    let flag = if READ { lanes.preds.get(args.e) } else { first };
    let step = |lane| f(T::lane(&a, lane), T::lane(&b, lane), bool::lane(&flag, lane));
    write::<T, WRITE>(lanes, args, step);
}

#[inline(always)]
fn product_sum<T: Carry, const READ: bool, const WRITE: bool>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    product: impl Fn(T, T) -> T,
) {
    let (a, b, c) = (T::read(lanes, args.a), T::read(lanes, args.b), T::read(lanes, args.c));
    let flag = if READ { lanes.preds.get(args.e) } else { NO_CARRY };
    let step = |lane| {
        let product = product(T::lane(&a, lane), T::lane(&b, lane));
        product.add_carry(T::lane(&c, lane), bool::lane(&flag, lane))
    };
    write::<T, WRITE>(lanes, args, step);
}

/// Two passes, so that each is a loop over one column.
#[inline(always)]
fn write<T: Value, const FLAG: bool>(lanes: &mut Lanes<'_>, args: &Args, step: impl Fn(usize) -> (T, bool)) {
    T::write(lanes, args.d, |lane| step(lane).0);
    if FLAG {
        bool::write(lanes, args.q, |lane| step(lane).1);
    }
}

#[cfg(test)]
mod tests;
