//! `setp` and `set` of half-precision numbers.
//!
//! One function carries out all of them. A literal operand in column `e`, the [`Recipe`], says what to compare and how
//! to compute the result: it consists of truth tables, so no name is looked up while the kernel runs.
//!
//! Specification: PTX ISA, section 9.7.7.

use crate::isa::float::exact::{BF16, F16, Format};
use crate::isa::grammar::Modifiers;
use crate::isa::op::Op;
use crate::isa::operands::Operands;
use crate::isa::value::{Alu, Args, Kind, Value, map4};
use crate::machine::registers::Bank;
use crate::machine::registers::Lanes;
use crate::ptx::Error;
use crate::ptx::ast::{Operand, Type};

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

/// The relation between two numbers, as a bit of [`relations`].
const LESS: u32 = 1;
const EQUAL: u32 = 2;
const GREATER: u32 = 4;
const UNORDERED: u32 = 8;

/// The relations for which a comparison holds. Those that end in `u` also hold for NaN.
fn relations(comparison: &str) -> u32 {
    match comparison {
        "eq" => EQUAL,
        "ne" => LESS | GREATER,
        "lt" => LESS,
        "le" => LESS | EQUAL,
        "gt" => GREATER,
        "ge" => GREATER | EQUAL,
        "num" => LESS | EQUAL | GREATER,
        "nan" => UNORDERED,
        with_u => relations(&with_u[..2]) | UNORDERED,
    }
}

/// The truth table of a combination with predicate `c`: bit `holds + 2 * c`.
fn combination(operator: &str, c_is_negated: bool) -> u32 {
    let table = match operator {
        "and" => 0b1000,
        "or" => 0b1110,
        "xor" => 0b0110,
        _ => 0b1010,
    };
    if c_is_negated { (table << 2 | table >> 2) & 0b1111 } else { table }
}

/// What to compare, and how to compute the result. The bits are: relations (4), combination (4), `.ftz`, `bf16`, and in
/// the upper half the 16-bit result for a comparison that holds.
#[derive(Clone, Copy)]
struct Recipe(u32);

impl Recipe {
    fn new(m: &Modifiers<'_>, c_is_negated: bool, ty: Type, when_true: u32) -> Recipe {
        let bf16 = matches!(ty, Type::Bf16 | Type::Bf16x2);
        let tables = relations(m.text(1)) | combination(m.text(2), c_is_negated) << 4;
        Recipe(tables | u32::from(super::has(m, "ftz")) << 8 | u32::from(bf16) << 9 | when_true << 16)
    }

    fn format(self) -> Format {
        if self.0 & 1 << 9 == 0 { F16 } else { BF16 }
    }

    fn holds(self, a: u16, b: u16, c: bool) -> bool {
        let format = self.format();
        let input = |bits: u16| {
            let bits = u64::from(bits);
            if self.0 & 1 << 8 == 0 { bits } else { format.flush(bits) }
        };
        let holds = self.0 & relation(format, input(a), input(b)) != 0;
        self.0 >> 4 >> (u32::from(holds) + 2 * u32::from(c)) & 1 != 0
    }

    /// The 16 bits that [`Recipe::holds`] makes.
    fn result(self, a: u16, b: u16, c: bool) -> u16 {
        if self.holds(a, b, c) { (self.0 >> 16) as u16 } else { 0 }
    }
}

fn relation(format: Format, a: u64, b: u64) -> u32 {
    let zeros = (a | b) & (format.sign() - 1) == 0;
    match format.order(a).cmp(&format.order(b)) {
        _ if format.is_nan(a) || format.is_nan(b) => UNORDERED,
        _ if zeros => EQUAL,
        std::cmp::Ordering::Less => LESS,
        std::cmp::Ordering::Equal => EQUAL,
        std::cmp::Ordering::Greater => GREATER,
    }
}

/// Decodes `setp`.
pub fn setp(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let ty = super::last_type(m);
    let alu = match ty {
        Type::F16 | Type::Bf16 => Alu::new(&[Kind::Pred], &[Kind::B16, Kind::B16], |lanes, args| {
            map4(lanes, args, |a, b, c, recipe| Recipe(recipe).holds(a, b, c));
        }),
        _ => Alu::new(&[Kind::Pred, Kind::Pred], &[Kind::B32, Kind::B32], |warps, args| {
            warps.each(|lanes| run_setp_pair(lanes, args));
        }),
    };
    bind(m, o, &alu, ty, 0)
}

/// Decodes `set`.
pub fn set(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let (result, ty) =
        (m.words().rev().nth(1).and_then(crate::isa::grammar::parse_type), super::last_type(m));
    let when_true = match result {
        Some(Type::F16 | Type::F16x2) => 0x3c00,
        Some(Type::Bf16 | Type::Bf16x2) => 0x3f80,
        _ => 0xffff,
    };
    let pair = matches!(ty, Type::F16x2 | Type::Bf16x2);
    let alu = match result {
        _ if pair => Alu::new(&[Kind::B32], &[Kind::B32, Kind::B32], |lanes, args| {
            map4(lanes, args, |a: u32, b: u32, c, recipe| {
                let result = |a: u32, b: u32| u32::from(Recipe(recipe).result(a as u16, b as u16, c));
                result(a >> 16, b >> 16) << 16 | result(a, b)
            });
        }),
        Some(Type::U32 | Type::S32) => Alu::new(&[Kind::B32], &[Kind::B16, Kind::B16], |lanes, args| {
            map4(lanes, args, |a, b, c, recipe| i32::from(Recipe(recipe).result(a, b, c) as i16));
        }),
        _ => Alu::new(&[Kind::B16], &[Kind::B16, Kind::B16], |lanes, args| {
            map4(lanes, args, |a, b, c, recipe| Recipe(recipe).result(a, b, c));
        }),
    };
    bind(m, o, &alu, ty, when_true)
}

/// Binds results and sources, the predicate to combine with if there is one, and the recipe.
fn bind(
    m: &Modifiers<'_>,
    o: &mut Operands<'_, '_>,
    alu: &Alu,
    ty: Type,
    when_true: u32,
) -> Result<Op, Error> {
    o.bind(alu)?;
    let span = o.instruction.span;
    let negated = if m.has(2) {
        let operand = o.take()?;
        let (operand, negated) = match operand {
            Operand::Not(name) => (&Operand::Name(*name), true),
            operand => (operand, false),
        };
        o.args.c = o.source(operand, Kind::Pred)?;
        negated
    } else {
        o.args.c = o.constant(Bank::Preds, 0, span)?;
        false
    };
    let Recipe(recipe) = Recipe::new(m, negated, ty, when_true);
    o.args.e = o.constant(Bank::Narrow, u64::from(recipe), span)?;
    Ok(Op::Alu(alu.run))
}

/// `p|q = a ? b`: `p` from the lower numbers, `q` from the upper ones.
fn run_setp_pair(lanes: &mut Lanes<'_>, args: &Args) {
    let (a, b) = (u32::read(lanes, args.a), u32::read(lanes, args.b));
    let (c, recipe) = (bool::read(lanes, args.c), u32::read(lanes, args.e));
    let holds = |lane: usize, shift: u32| {
        let c = bool::lane(&c, lane);
        Recipe(recipe[lane]).holds((a[lane] >> shift) as u16, (b[lane] >> shift) as u16, c)
    };
    bool::write(lanes, args.d, |lane| holds(lane, 0));
    bool::write(lanes, args.q, |lane| holds(lane, 16));
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
