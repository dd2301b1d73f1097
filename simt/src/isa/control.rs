//! Control flow: branches, calls, and the ends of a thread.
//!
//! Targets are decoded to the numbers of labels and functions; [`crate::engine`] turns labels into addresses
//! and finds where the lanes of a branch meet again. Specification: PTX ISA, section 9.7.12.

use super::grammar::Modifiers;
use super::operands::{Operands, Register, bank_of, kind_of, span_of};
use super::scope::{Bank, Formal, Place, Symbol, bits};
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

/// What a call calls, and where its arguments and results are in the caller.
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

/// What a call passes or fills, on the caller's side and on the callee's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A `.param` variable in the frame.
    Variable(Place),
    /// A column: a register, or a literal.
    Column {
        /// Its bank.
        bank: Bank,
        /// Its number.
        slot: Slot,
        /// How many of its bytes count.
        bytes: u64,
    },
}

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
    let mut results: &[Operand<'_>] = &[];
    if let Operand::List(list, _) = operand {
        results = list;
        operand = o.take()?;
    }
    let callee = callee(o, operand)?;
    let mut args: &[Operand<'_>] = &[];
    while o.remaining() > 0 {
        // What follows the arguments names a prototype, which says no more than the callee itself.
        if let Operand::List(list, _) = o.take()? {
            args = list;
        }
    }
    let signature = match callee {
        Callee::Direct(function) => o.scope.signatures.get(function as usize).cloned().flatten(),
        Callee::Indirect(_) => None,
    };
    let formals = signature.as_ref().map(|signature| (&signature.params[..], &signature.results[..]));
    let args = pass_all(o, args, formals.map(|formals| formals.0), argument)?;
    let results = pass_all(o, results, formals.map(|formals| formals.1), result)?;
    o.scope.calls.push(CallSite { callee, args, results });
    Ok(CallIndex(o.scope.calls.len() as u32 - 1))
}

/// Binds the arguments or the results of a call, as many as the callee declares.
fn pass_all<'t>(
    o: &mut Operands<'_, 't>,
    items: &[Operand<'t>],
    formals: Option<&[Formal]>,
    bind: fn(&mut Operands<'_, 't>, &Operand<'t>, Formal) -> Result<Passed, Error>,
) -> Result<Vec<Passed>, Error> {
    let Some(formals) = formals else { return items.iter().map(|item| variable(o, item)).collect() };
    if items.len() != formals.len() {
        let (wanted, found) = (formals.len(), items.len());
        let message = format!("the function declares {wanted} of these, but the call has {found}");
        return Err(o.error(items.first().map_or(o.instruction.opcode.span, span_of), message));
    }
    items.iter().zip(formals).map(|(item, formal)| bind(o, item, *formal)).collect()
}

/// A `.param` variable that is passed or filled.
fn variable(o: &mut Operands<'_, '_>, item: &Operand<'_>) -> Result<Passed, Error> {
    match name_of(item).and_then(|name| o.scope.find(name.text)) {
        Some((_, Symbol::Variable(place))) if place.in_frame => Ok(Passed::Variable(place)),
        _ => Err(o.error(span_of(item), "only `.param` variables can be passed here")),
    }
}

/// An argument: a variable, or for a parameter in a register a register or a literal too.
fn argument<'t>(o: &mut Operands<'_, 't>, item: &Operand<'t>, formal: Formal) -> Result<Passed, Error> {
    let names_variable =
        name_of(item).is_some_and(|name| matches!(o.scope.find(name.text), Some((_, Symbol::Variable(_)))));
    if names_variable || !formal.in_register {
        return variable(o, item);
    }
    if let Some(name) = name_of(item) {
        let register = o.register(name)?;
        return column(o, item, register, formal);
    }
    let Some(kind) = kind_of(formal.ty) else {
        return Err(o.error(span_of(item), "a parameter of 8 bits must be passed in a register"));
    };
    Ok(Passed::Column { bank: bank_of(kind), slot: o.source(item, kind)?, bytes: formal.bytes })
}

/// What is filled: a variable, or from a result in a register a register too.
fn result<'t>(o: &mut Operands<'_, 't>, item: &Operand<'t>, formal: Formal) -> Result<Passed, Error> {
    let register = name_of(item).filter(|name| o.scope.find_register(name.text).is_some());
    match register {
        Some(name) if formal.in_register => {
            let register = o.written(name)?;
            column(o, item, register, formal)
        }
        _ => variable(o, item),
    }
}

/// A register that is passed, which must be as wide as what it is passed for.
fn column(
    o: &Operands<'_, '_>,
    item: &Operand<'_>,
    register: Register,
    formal: Formal,
) -> Result<Passed, Error> {
    let wanted = bits(formal.ty);
    if register.bits != wanted {
        let message = format!("this register has {} bits, but {wanted} are passed", register.bits);
        return Err(o.error(span_of(item), message));
    }
    Ok(Passed::Column { bank: register.bank, slot: register.slot, bytes: formal.bytes })
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
