//! Control flow: branches, calls, and the ends of a thread.
//!
//! Targets are decoded to the numbers of labels and functions; [`crate::engine`] turns labels into addresses
//! and finds where the lanes of a branch meet again. Specification: PTX ISA, section 9.7.12.

use super::grammar::Modifiers;
use super::operands::{Operands, span_of};
use super::scope::{Place, Symbol};
use super::value::Kind;
use super::{Family, Form, Op};
use crate::machine::registers::Slot;
use crate::ptx::Error;
use crate::ptx::ast::{Ident, Operand};

/// Control flow.
pub const FAMILY: Family = Family {
    title: "Control flow",
    section: "9.7.12",
    forms: &[
        Form::new("bra.uni?", branch),
        Form::new("brx.idx.uni?", branch_indexed),
        Form::new("call.uni?", |_, o| Ok(Op::Call(call(o)?))),
        Form::new("ret.uni?", |_, _| Ok(Op::Return)),
        Form::new("exit", |_, _| Ok(Op::Exit)),
        Form::new("trap", |_, _| Ok(Op::Trap)),
        Form::new("brkpt", |_, _| Ok(Op::Hint)),
        Form::new("pmevent", hint),
        Form::new("nanosleep.u32", hint).since(70),
    ],
};

/// Where the addresses of functions start, for calls through registers: a region that holds no memory.
pub const FUNCTIONS_BASE: u64 = 4 << 40;

/// A call, before its places are known to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallIndex(pub u32);

/// What a call calls, and where its arguments and results lie in the caller's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The function.
    pub callee: Callee,
    /// Arguments in order.
    pub args: Vec<Passed>,
    /// Results in order.
    pub results: Vec<Passed>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function, by its number in the module.
    Direct(u32),
    /// The function whose address a 64-bit register holds.
    Indirect(Slot),
}

/// A `.param` variable of the caller that a call passes or fills.
pub type Passed = Place;

fn branch(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let operand = o.take()?;
    match name_of(operand).and_then(|name| o.scope.find(name.text)) {
        Some((_, Symbol::Label(label))) => Ok(Op::Branch { target: label, meet: 0 }),
        _ => Err(o.error(span_of(operand), "a branch needs a label of its own function")),
    }
}

fn branch_indexed(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let index = o.take()?;
    o.args.a = o.source(index, Kind::B32)?;
    let operand = o.take()?;
    match name_of(operand).and_then(|name| o.scope.find(name.text)) {
        Some((_, Symbol::Targets(list))) => Ok(Op::BranchIndexed { list, meet: 0 }),
        _ => Err(o.error(span_of(operand), "`brx.idx` needs a list of `.branchtargets`")),
    }
}

/// Takes `(results), callee, (arguments), prototype`, where all but the callee may be left out.
fn call(o: &mut Operands<'_, '_>) -> Result<CallIndex, Error> {
    let mut operand = o.take()?;
    let mut results = Vec::new();
    if let Operand::List(list, _) = operand {
        results = list.iter().map(|item| passed(o, item)).collect::<Result<_, _>>()?;
        operand = o.take()?;
    }
    let callee = callee(o, operand)?;
    let mut args = Vec::new();
    while o.remaining() > 0 {
        // What follows the arguments names a prototype, which says no more than the callee itself.
        if let Operand::List(list, _) = o.take()? {
            args = list.iter().map(|item| passed(o, item)).collect::<Result<_, _>>()?;
        }
    }
    o.scope.calls.push(CallSite { callee, args, results });
    Ok(CallIndex(o.scope.calls.len() as u32 - 1))
}

fn callee<'t>(o: &mut Operands<'_, 't>, operand: &Operand<'t>) -> Result<Callee, Error> {
    let Some(name) = name_of(operand) else {
        return Err(o.error(span_of(operand), "a call needs a function"));
    };
    match o.scope.find(name.text) {
        Some((_, Symbol::Function(function))) => Ok(Callee::Direct(function)),
        Some((_, Symbol::Register(_))) => Ok(Callee::Indirect(o.register(name)?.slot)),
        _ => Err(o.error(name.span, format!("`{}` is not a function of this module", name.text))),
    }
}

fn passed(o: &Operands<'_, '_>, item: &Operand<'_>) -> Result<Passed, Error> {
    match name_of(item).and_then(|name| o.scope.find(name.text)) {
        Some((_, Symbol::Variable(place))) if place.in_frame => Ok(place),
        _ => Err(o.error(span_of(item), "only `.param` variables are passed to functions")),
    }
}

fn name_of<'t>(operand: &Operand<'t>) -> Option<Ident<'t>> {
    match operand {
        Operand::Name(name) => Some(*name),
        _ => None,
    }
}

fn hint(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let operand = o.take()?;
    o.source(operand, Kind::B32)?;
    Ok(Op::Hint)
}
