//! `setp` and `set` of half-precision numbers.
//!
//! One function carries out all of them ([`holds`]). The number that is part of the instruction says what it compares, so
//! no name is looked up while the kernel runs.
//!
//! Specification: PTX ISA, section 9.7.7.

use std::cmp::Ordering;

use super::{FTZ, IS_BF16, flags_of, last_type};
use crate::isa::compare::{EQUAL, GREATER, LESS, UNORDERED, combine, test, third_predicate};
use crate::isa::float::exact::{BF16, F16};
use crate::isa::grammar::Modifiers;
use crate::isa::op::Op;
use crate::isa::operands::Operands;
use crate::isa::value::{Alu, Args, Kind, Run, Value, mask_of};
use crate::machine::registers::{Lanes, Warps};
use crate::ptx::Error;
use crate::ptx::ast::Type;

macro_rules! syntax {
    ($before:literal, $after:literal) => {
        concat!($before, ".(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan).(and|or|xor)?", $after)
    };
}

/// `setp` of `f16`.
pub const SETP_F16: &str = syntax!("setp", ".ftz?.(f16|f16x2)");
/// `setp` of `bf16`.
pub const SETP_BF16: &str = syntax!("setp", ".(bf16|bf16x2)");
/// `set` from `f16`.
pub const SET_F16: &str = syntax!("set", ".ftz?.(f16|u16|s16|u32|s32).f16");
/// `set` from pairs of `f16`.
pub const SET_F16X2: &str = syntax!("set", ".ftz?.(f16x2|u32|s32).f16x2");
/// `set` from `bf16`.
pub const SET_BF16: &str = syntax!("set", ".(bf16|u16|s16|u32|s32).bf16");
/// `set` from pairs of `bf16`.
pub const SET_BF16X2: &str = syntax!("set", ".(bf16x2|u32|s32).bf16x2");

/// What an instruction compares, in [`Args::imm`] between the truth table of [`third_predicate`] and the flags: the outcomes for
/// which it holds, from this bit on.
const OUTCOMES: u32 = 4;

/// Decodes `setp`.
pub fn setp(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let ty = last_type(m);
    let alu = match ty {
        Type::F16 | Type::Bf16 => Alu::new(&[Kind::Pred], &[Kind::B16; 2], |warps, args| {
            warps.each(|lanes| lanes.write_pred(args.d, holds(lanes, args, 0)));
        }),
        // `p|q = a ? b`: `p` from the lower numbers, `q` from the upper ones.
        _ => Alu::new(&[Kind::Pred; 2], &[Kind::B32; 2], |warps, args| {
            warps.each(|lanes| {
                let (lower, upper) = (holds(lanes, args, 0), holds(lanes, args, 16));
                lanes.write_pred(args.d, lower);
                lanes.write_pred(args.q, upper);
            });
        }),
    };
    bind(m, o, alu)
}

/// Decodes `set`.
pub fn set(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (result, ty) = (m.words().rev().nth(1).and_then(crate::isa::grammar::parse_type), last_type(m));
    let is_pair = matches!(ty, Type::F16x2 | Type::Bf16x2);
    let sources: &[Kind] = if is_pair { &[Kind::B32; 2] } else { &[Kind::B16; 2] };
    let (results, run): (&[Kind], Run) = match result {
        Some(Type::F16) => (&[Kind::B16], write_set::<0x3c00, 0>),
        Some(Type::Bf16) => (&[Kind::B16], write_set::<0x3f80, 0>),
        Some(Type::F16x2) => (&[Kind::B32], write_set::<0x3c00, 0x3c00_0000>),
        Some(Type::Bf16x2) => (&[Kind::B32], write_set::<0x3f80, 0x3f80_0000>),
        Some(Type::U32 | Type::S32) if is_pair => (&[Kind::B32], write_set::<0xffff, 0xffff_0000>),
        Some(Type::U32 | Type::S32) => (&[Kind::B32], write_set::<0xffff_ffff, 0>),
        _ => (&[Kind::B16], write_set::<0xffff, 0>),
    };
    bind(m, o, Alu::new(results, sources, run))
}

/// Binds results and sources, the predicate to combine with if there is one, and what to compare.
fn bind(m: &Modifiers<'_>, o: &mut Operands<'_, '_>, alu: Alu) -> Result<Op, Error> {
    o.bind(&alu)?;
    third_predicate(m, o)?;
    o.args.imm |= u16::from(test(m.text(1))) << OUTCOMES;
    o.args.imm |= flags_of(m);
    Ok(Op::Alu(alu.run))
}

/// The lanes of a warp for which an instruction holds, of the numbers from bit `shift` on.
fn holds(lanes: &Lanes<'_>, args: &Args, shift: u32) -> u32 {
    let (a, b) = (u32::read(lanes, args.a), u32::read(lanes, args.b));
    let infinity = if args.imm & IS_BF16 == 0 { F16.infinity() } else { BF16.infinity() } as i32;
    // Integers in the order of the numbers: zeros of either sign are 0, and NaN is beyond the infinities.
    let order = |bits: u32| {
        let magnitude = (bits >> shift & 0x7fff) as i32;
        let is_flushed = args.imm & FTZ != 0 && magnitude & infinity == 0;
        let magnitude = if is_flushed { 0 } else { magnitude };
        if bits >> shift & 0x8000 == 0 { magnitude } else { -magnitude }
    };
    let holds = mask_of(|lane| {
        let (x, y) = (order(a[lane]), order(b[lane]));
        let outcome = match x.cmp(&y) {
            _ if x.abs().max(y.abs()) > infinity => UNORDERED,
            Ordering::Less => LESS,
            Ordering::Equal => EQUAL,
            Ordering::Greater => GREATER,
        };
        args.imm >> OUTCOMES & u16::from(outcome) != 0
    });
    combine(args.imm, holds, lanes.preds.get(args.c))
}

/// The result of `set`: `LOWER` where the comparison of the lower numbers holds, and `UPPER` where that of the upper ones does.
fn write_set<const LOWER: u32, const UPPER: u32>(warps: &mut Warps<'_>, args: &Args) {
    warps.each(|lanes| {
        let (lower, upper) = (holds(lanes, args, 0), holds(lanes, args, 16));
        let part = |holds: u32, lane, value| if bool::lane(&holds, lane) { value } else { 0 };
        lanes.write_narrow(args.d, |lane| part(lower, lane, LOWER) | part(upper, lane, UPPER));
    });
}

#[cfg(test)]
mod tests {
    use crate::isa::testing::{Bits, eval, eval2};
    use crate::ptx::ast::Type::{Bf16, F16, F16x2, Pred, U16, U32};

    #[test]
    fn comparisons_of_numbers_and_nan() {
        let check = |opcode: &str, a, b, expected: u64| {
            assert_eq!(eval(opcode, Pred, &[(F16, a), (F16, b)]), expected, "{opcode} {a:#x} {b:#x}");
        };
        check("setp.eq.f16", 0x8000, 0x0000, 1);
        check("setp.lt.f16", 0x8000, 0x0000, 0);
        check("setp.lt.f16", 0xbc00, 0x3c00, 1);
        check("setp.gt.f16", 0xbc00, 0xc000, 1);
        check("setp.ne.f16", 0x7e00, 0x3c00, 0);
        check("setp.neu.f16", 0x7e00, 0x3c00, 1);
        check("setp.geu.f16", 0x3c00, 0x4000, 0);
        check("setp.num.f16", 0x3c00, 0x7e00, 0);
        check("setp.nan.f16", 0x3c00, 0x7e00, 1);
        check("setp.eq.ftz.f16", 0x0001, 0x8000, 1);
        check("setp.eq.f16", 0x0001, 0x8000, 0);
    }

    #[test]
    fn combinations_with_a_predicate() {
        let check = |opcode: &str, c, expected: u64| {
            let sources: [Bits; 3] = [(Bf16, 0x3f80), (Bf16, 0x4000), (Pred, c)];
            assert_eq!(eval(opcode, Pred, &sources), expected, "{opcode} {c}");
        };
        check("setp.lt.and.bf16", 0, 0);
        check("setp.lt.and.bf16", 1, 1);
        check("setp.gt.or.bf16", 1, 1);
        check("setp.lt.xor.bf16", 1, 0);
    }

    #[test]
    fn pairs_make_two_predicates_or_two_halves() {
        let sources: [Bits; 2] = [(F16x2, 0x3c00_4000), (F16x2, 0x3c00_3c00)];
        assert_eq!(eval2("setp.eq.f16x2", &[Pred, Pred], &sources), [0, 1]);
        assert_eq!(eval("set.eq.u32.f16x2", U32, &sources), 0xffff_0000);
        assert_eq!(eval("set.gt.f16x2.f16x2", F16x2, &sources), 0x0000_3c00);
    }

    #[test]
    fn results_of_set() {
        let sources: [Bits; 2] = [(F16, 0x3c00), (F16, 0x4000)];
        assert_eq!(eval("set.lt.u32.f16", U32, &sources), 0xffff_ffff);
        assert_eq!(eval("set.lt.u16.f16", U16, &sources), 0xffff);
        assert_eq!(eval("set.lt.f16.f16", F16, &sources), 0x3c00);
        assert_eq!(eval("set.ge.f16.f16", F16, &sources), 0);
    }
}
