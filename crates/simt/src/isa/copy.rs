//! Asynchronous copies from global to shared memory: `cp.async`, its groups, and its arrivals at mbarriers.
//!
//! A copy is an actor of its own ([`crate::machine::copies`]), which [`crate::exec::copies`] starts, carries out and completes.
//! Left out: cache hints with a policy operand. Bulk copies are a family of their own. Specification: PTX ISA, sections 9.7.9.25.3 (`cp.async`) and
//! 9.7.13.15.16 (`cp.async.mbarrier.arrive`).

use super::grammar::Modifiers;
use super::memory::memory;
use super::op::copy::{Async, Copy, Size};
use super::operands::{Operands, span_of};
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::isa::op::memory::Memory;
use crate::machine::registers::Bank;
use crate::ptx::Error;
use crate::ptx::ast::Operand;

/// Asynchronous copies.
pub const FAMILY: Family = Family {
    title: "Asynchronous copies",
    section: "9.7.9.25",
    forms: &[
        Form::new("cp.async.ca.<shared>.global.<L2>?", |m, o| copy(m, o, &[4, 8, 16]))
            .since(80)
            .version(7, 0),
        Form::new("cp.async.cg.<shared>.global.<L2>?", |m, o| copy(m, o, &[16])).since(80).version(7, 0),
        Form::new("cp.async.commit_group", |_, _| Ok(Op::Async(Async::Commit))).since(80).version(7, 0),
        Form::new("cp.async.wait_group", |_, o| {
            let groups = number(o)?;
            Ok(Op::Async(Async::Wait(Some(groups.try_into().unwrap_or(u32::MAX)))))
        })
        .since(80)
        .version(7, 0),
        Form::new("cp.async.wait_all", |_, _| Ok(Op::Async(Async::Wait(None)))).since(80).version(7, 0),
        Form::new("cp.async.mbarrier.arrive.noinc?.<shared>?.b64", |m, o| {
            Ok(Op::Async(Async::Arrive { address: o.address(memory(m))?, adds: !m.says("noinc") }))
        })
        .since(80)
        .version(7, 0),
    ],
};

fn copy(_: &Modifiers<'_>, o: &mut Operands<'_, '_>, sizes: &[u64]) -> Result<Op, Error> {
    let opcode = o.instruction.opcode;
    if opcode.text.find(".shared") > opcode.text.find(".global") {
        return Err(
            o.error(opcode.span, format!("`{}` is not supported: copies go to shared memory", opcode.text))
        );
    }
    let to = o.address(Memory::Shared)?;
    let base = o.args.a;
    let from = o.address(Memory::Global)?;
    (o.args.b, o.args.a) = (o.args.a, base);
    let operand = o.peek().map(span_of);
    let bytes = number(o)?;
    if !sizes.contains(&bytes) {
        let message = format!("`{}` copies {} bytes, not {bytes}", opcode.text, list(sizes));
        return Err(o.error(operand.unwrap_or(opcode.span), message));
    }
    let size = match o.peek() {
        None => Size::All,
        Some(Operand::Not(_)) => ignored(o)?,
        Some(Operand::Name(name)) if o.look_up(*name).is_ok_and(|register| register.bank == Bank::Preds) => {
            ignored(o)?
        }
        Some(_) => {
            o.args.c = o.take_source(Kind::B32)?;
            Size::Given
        }
    };
    Ok(Op::Async(Async::Copy(Copy { to, from, bytes: bytes as u8, size })))
}

fn ignored(o: &mut Operands<'_, '_>) -> Result<Size, Error> {
    let (predicate, negated) = o.predicate()?;
    o.args.e = predicate;
    Ok(Size::IgnoredIf { negated })
}

/// Takes a number that is part of the instruction.
pub fn number(o: &mut Operands<'_, '_>) -> Result<u64, Error> {
    match o.take()? {
        Operand::Int(value, _) => Ok(*value),
        other => Err(o.error(span_of(other), "expected a number")),
    }
}

fn list(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::refuses;

    #[test]
    fn what_does_not_fit_is_refused() {
        refuses("cp.async.wait_group", "r", "expected a number");
        refuses("cp.async.wait_all", "1", "too many operands");
        refuses("cp.async.ca.global.shared", "x x 4", "copies go to shared memory");
        refuses("cp.async.cg.global", "x x 16", "is not supported");
        refuses("cp.async.mbarrier.arrive.b32", "x", "is not supported");
    }
}
