//! Instructions of a warpgroup: `wgmma`, and `setmaxnreg`.
//!
//! A warpgroup is four warps of which the first has a number that is a multiple of four. They are decoded to a [`Warpgroup`], and
//! [`crate::exec::warpgroup`] carries them out. Left out: sparse matrices and single bits. Specification: PTX ISA, sections 9.7.15 and
//! 9.7.19.5.

use super::grammar::{Modifiers, is_type};
use super::matrix::fragment;
use super::op::matrix::Number;
use super::op::warpgroup::{Factor, Product, REGISTERS_OF_A, Warpgroup};
use super::operands::{Operands, span_of};
use super::value::Kind;
use crate::isa::copy::number;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use crate::ptx::ast::Operand;

/// Instructions of a warpgroup.
pub const FAMILY: Family = Family {
    title: "Warpgroups, for sm_90a; N of a shape is a multiple of 8 up to 256, and of integers above 32 a multiple of 16",
    section: "9.7.15, 9.7.19.5",
    forms: &[
        product("wgmma.mma_async.sync.aligned.<m64nNk16>.(f16|f32).f16.f16"),
        product("wgmma.mma_async.sync.aligned.<m64nNk16>.f32.bf16.bf16"),
        product("wgmma.mma_async.sync.aligned.<m64nNk8>.f32.tf32.tf32"),
        product("wgmma.mma_async.sync.aligned.<m64nNk32>.(f16|f32).(e4m3|e5m2).(e4m3|e5m2)"),
        product("wgmma.mma_async.sync.aligned.<m64nNk32int>.satfinite?.s32.u8.u8"),
        product("wgmma.mma_async.sync.aligned.<m64nNk32int>.satfinite?.s32.s8.s8"),
        product("wgmma.mma_async.sync.aligned.<m64nNk32int>.satfinite?.s32.u8.s8").version(8, 4),
        product("wgmma.mma_async.sync.aligned.<m64nNk32int>.satfinite?.s32.s8.u8").version(8, 4),
        Form::new("wgmma.fence.sync.aligned", |_, o| simple(o, Warpgroup::Fence))
            .since(90)
            .until(90)
            .version(8, 0),
        Form::new("wgmma.commit_group.sync.aligned", |_, o| simple(o, Warpgroup::Commit))
            .since(90)
            .until(90)
            .version(8, 0),
        Form::new("wgmma.wait_group.sync.aligned", |_, o| {
            let groups = number(o)?.try_into().unwrap_or(u32::MAX);
            simple(o, Warpgroup::Wait(groups))
        })
        .since(90)
        .until(90)
        .version(8, 0),
        Form::new("setmaxnreg.(inc|dec).sync.aligned.u32", registers).since(90).version(8, 0),
    ],
};

const fn product(syntax: &'static str) -> Form {
    Form::new(syntax, multiply).since(90).until(90).version(8, 0)
}

fn simple(o: &Operands<'_, '_>, what: Warpgroup) -> Result<Op, Error> {
    check_target(o)?;
    Ok(Op::Warpgroup(what))
}

/// Refuses an instruction that only targets like `sm_90a` have, which later architectures need not have, if the target is another.
pub(super) fn check_target(o: &Operands<'_, '_>) -> Result<(), Error> {
    if o.scope.has_specific {
        return Ok(());
    }
    let opcode = o.instruction.opcode;
    Err(o.error(opcode.span, format!("`{}` needs the target `sm_90a`: compile for it", opcode.text)))
}

/// The fewest and the most registers of a thread.
const REGISTERS: std::ops::RangeInclusive<u64> = 24..=256;

fn registers(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let operand = o.peek().map(span_of);
    let count = number(o)?;
    if !REGISTERS.contains(&count) || !count.is_multiple_of(8) {
        let message = format!("a thread can have 24 to 256 registers, and a multiple of 8, not {count}");
        return Err(o.error(operand.unwrap_or(o.instruction.opcode.span), message));
    }
    simple(o, Warpgroup::Registers { count: count as u32, takes: m.says("inc") })
}

fn multiply(m: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let mut types = m.words().filter(|word| is_type(word)).filter_map(Number::named);
    let [d, a, b] = [(); 3].map(|()| types.next().expect("the form's grammar lists three types"));
    let shape = m.words().find_map(|word| word.strip_prefix("m64n")).and_then(|rest| rest.split('k').next());
    let n = shape.and_then(|n| n.parse().ok()).expect("the form's grammar lists shapes");
    let plain = |number| Factor { number, is_negated: false, is_transposed: false };
    let mut product = Product {
        n,
        saturates: m.says("satfinite"),
        adds_if_false: false,
        has_registers: false,
        a: plain(a),
        b: plain(b),
        d,
    };
    let kind = if d == Number::F32 { Kind::F32 } else { Kind::B32 };
    let results = o.peek();
    fragment(o, product.registers(), kind, true)?;
    // D is read too.
    for element in results.and_then(|operand| o.elements(operand)).unwrap_or_default() {
        o.source(&element, kind)?;
    }
    product.has_registers = o.peek().is_some_and(|operand| o.elements(operand).is_some());
    if product.has_registers {
        fragment(o, REGISTERS_OF_A, Kind::B32, false)?;
    } else {
        o.args.a = o.take_source(Kind::B64)?;
    }
    o.args.b = o.take_source(Kind::B64)?;
    (o.args.c, product.adds_if_false) = o.predicate()?;
    if d != Number::S32 {
        product.a.is_negated = choice(o, [1, u64::MAX])?;
        product.b.is_negated = choice(o, [1, u64::MAX])?;
    }
    if a.bits() == 16 {
        product.a.is_transposed = !product.has_registers && choice(o, [0, 1])?;
        product.b.is_transposed = choice(o, [0, 1])?;
    }
    simple(o, Warpgroup::Multiply(product))
}

/// Takes a number that is one of two; whether it is the second.
fn choice(o: &mut Operands<'_, '_>, [first, second]: [u64; 2]) -> Result<bool, Error> {
    match o.take()? {
        Operand::Int(value, _) if *value == first => Ok(false),
        Operand::Int(value, _) if *value == second => Ok(true),
        operand => {
            let message = format!("this operand must be {} or {}", first as i64, second as i64);
            Err(o.error(span_of(operand), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Program;
    use crate::ptx::ast::Type;

    #[test]
    fn what_does_not_fit_is_refused() {
        let registers = [
            ("a", (Type::B32, 0)),
            ("f", (Type::F32, 0)),
            ("x", (Type::B64, 0)),
            ("p", (Type::Pred, 0)),
            ("i", (Type::S32, 0)),
        ];
        let check = |opcode, operands, words: &str| {
            let message = Program::new(&registers).run(opcode, operands).expect_err("it should be refused");
            assert!(message.contains(words), "{opcode} {operands}: {message}");
        };
        let f32 = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16";
        check(f32, "{f,f,f} x x p 1 1 0 0", "expected 4 registers here, found 3");
        check(f32, "{f,f,f,f} x x p 2 1 0 0", "must be 1 or -1");
        check(f32, "{f,f,f,f} x x p 1 1 0 2", "must be 0 or 1");
        check(f32, "{f,f,f,f} {a,a} x p 1 1 0", "expected 4 registers here, found 2");
        check(f32, "{f,f,f,f} x x p 1 1 0", "needs more than");
        check(f32, "{f,f,f,f} a x p 1 1 0 0", "`a` has 32 bits");
        check(
            "wgmma.mma_async.sync.aligned.m64n12k16.f32.bf16.bf16",
            "{f,f,f,f} x x p 1 1 0 0",
            "is not supported",
        );
        check("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", "{i} x x p", "is not supported");
        check("setmaxnreg.inc.sync.aligned.u32", "20", "24 to 256");
        check("setmaxnreg.dec.sync.aligned.u32", "28", "a multiple of 8");
        check(f32, "{f,f,f,f} x x p 1 1 0 0", "needs the target `sm_90a`");
    }
}
