//! Control flow: branches, calls, and the ends of a thread.
//!
//! Targets are decoded to the numbers of labels and functions. [`crate::compile`] turns labels into program counters
//! and finds the reconvergence point of each branch. Specification: PTX ISA, section 9.7.12.

use super::grammar::Modifiers;
use super::op::call::{CallIndex, CallSite, Callee, Passed};
use super::op::place::{Formal, Place, bits};
use super::operands::{Class, Operands, Register, bank_of, class, kind_of, span_of};
use super::scope::{Signature, Symbol};
use super::value::Kind;
use crate::isa::form::{Family, Form};
use crate::isa::op::Op;
use crate::ptx::Error;
use crate::ptx::ast::{Ident, Operand, Type};

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

fn branch(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    let operand = o.take()?;
    match symbol(o, operand) {
        Some(Symbol::Label(label)) => Ok(Op::Branch { target: label, meet: 0 }),
        _ => Err(o.error(span_of(operand), "a branch needs a label of its own function")),
    }
}

fn branch_indexed(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.args.a = o.take_source(Kind::B32)?;
    let operand = o.take()?;
    match symbol(o, operand) {
        Some(Symbol::Targets(list)) => Ok(Op::BranchIndexed { list, meet: 0 }),
        _ => Err(o.error(span_of(operand), "`brx.idx` needs a list of `.branchtargets`")),
    }
}

/// Takes `(results), callee, (arguments), prototype`, where results and arguments may be left out, and only a call through
/// a register has a prototype.
fn call(o: &mut Operands<'_, '_>) -> Result<CallIndex, Error> {
    let results = o.list();
    let operand = o.take()?;
    let callee = callee(o, operand)?;
    let args = o.list();
    let signature = match callee {
        Callee::Direct(function) => o.scope.signatures.get(function as usize).cloned().flatten(),
        Callee::Indirect(_) => Some(prototype(o)?),
    };
    let (args, results) = match signature {
        Some(Signature { params, results: formals }) => {
            (pass_all(o, args, &params, argument)?, pass_all(o, results, &formals, result)?)
        }
        // A kernel, which cannot be called: a launch that executes the call ends with an error.
        None => (Vec::new(), Vec::new()),
    };
    o.scope.calls.push(CallSite { callee, args, results });
    Ok(CallIndex(o.scope.calls.len() as u32 - 1))
}

/// The signature that the prototype or the list of targets at the end of a call gives to the callee.
fn prototype(o: &mut Operands<'_, '_>) -> Result<Signature, Error> {
    let operand = o.take()?;
    match symbol(o, operand) {
        Some(Symbol::Prototype(number)) => Ok(o.scope.prototypes[number as usize].clone()),
        _ => Err(o.error(span_of(operand), "a call through a register needs the name of a `.callprototype`")),
    }
}

/// Binds the arguments or the results of a call, as many as the callee declares.
fn pass_all<'t>(
    o: &mut Operands<'_, 't>,
    items: &[Operand<'t>],
    formals: &[Formal],
    bind: fn(&mut Operands<'_, 't>, &Operand<'t>, Formal) -> Result<Passed, Error>,
) -> Result<Vec<Passed>, Error> {
    if items.len() != formals.len() {
        let (wanted, found) = (formals.len(), items.len());
        let message = format!("the function declares {wanted} of these, but the call has {found}");
        return Err(o.error(items.first().map_or(o.instruction.opcode.span, span_of), message));
    }
    items.iter().zip(formals).map(|(item, formal)| bind(o, item, *formal)).collect()
}

/// An argument: a register, a `.param` variable or a literal, whether the parameter is a register or a variable.
fn argument<'t>(o: &mut Operands<'_, 't>, item: &Operand<'t>, formal: Formal) -> Result<Passed, Error> {
    match (name_of(item), item) {
        (Some(name), _) => named(o, name, formal, false),
        (None, Operand::Int(..) | Operand::F32(..) | Operand::F64(..)) => number(o, item, formal),
        _ => Err(o.error(span_of(item), "an argument is a register, a `.param` variable or a literal")),
    }
}

/// The destination of a result: a register or a `.param` variable, or nothing.
fn result<'t>(o: &mut Operands<'_, 't>, item: &Operand<'t>, formal: Formal) -> Result<Passed, Error> {
    match (name_of(item), item) {
        (Some(name), _) => named(o, name, formal, true),
        (None, Operand::Sink(_)) => Ok(Passed::Nothing),
        _ => Err(o.error(span_of(item), "a result goes to a register, a `.param` variable or `_`")),
    }
}

/// A register or a variable that is passed or filled.
fn named<'t>(
    o: &mut Operands<'_, 't>,
    name: Ident<'t>,
    formal: Formal,
    is_filled: bool,
) -> Result<Passed, Error> {
    let text = name.text;
    let symbol = o.scope.find(text).map(|(_, symbol)| symbol);
    let refuse = |o: &Operands<'_, 't>, message: &str| Err(o.error(name.span, format!("`{text}` {message}")));
    let (passed, actual) = match symbol {
        Some(Symbol::Register(ty)) => {
            let Register { bank, slot, .. } = if is_filled { o.written(name)? } else { o.register(name)? };
            let scalar = scalar(ty);
            (Passed::Column { bank, slot, bytes: scalar.bytes }, scalar)
        }
        Some(Symbol::Variable(place @ Place { passed_as: Some(declared), .. })) => {
            (Passed::Variable(place), declared)
        }
        Some(Symbol::Vector(..)) => return refuse(o, "is a vector; pass its elements one by one"),
        None if o.scope.find_register(text).is_some() => {
            return refuse(o, "is part of a vector; move it into a register of its own");
        }
        _ => return refuse(o, "is neither a register nor a `.param` variable of this function's body"),
    };
    mismatch(actual, formal).map_or(Ok(passed), |message| refuse(o, &message))
}

/// The message for an argument or result that does not fit its parameter; `None` if it fits.
fn mismatch(actual: Formal, formal: Formal) -> Option<String> {
    let size = |formal: Formal| match formal {
        Formal { is_array: true, bytes, .. } => format!("an array of {bytes} bytes"),
        Formal { ty: Type::Pred, .. } => "a predicate".into(),
        Formal { ty, .. } => format!("{} bits", bits(ty)),
    };
    if (size(actual), actual.is_array) != (size(formal), formal.is_array) {
        let is = if actual.is_array || actual.ty == Type::Pred { "is" } else { "has" };
        return Some(format!("{is} {}, but the function declares {}", size(actual), size(formal)));
    }
    match (numbers(actual.ty), numbers(formal.ty)) {
        (Some(Class::Integer), Some(Class::Float)) => {
            return Some("holds integers, but the function declares floating-point numbers".into());
        }
        (Some(Class::Float), Some(Class::Integer)) => {
            return Some("holds floating-point numbers, but the function declares integers".into());
        }
        _ => {}
    }
    (actual.align != formal.align)
        .then(|| format!("has an alignment of {}, but the function declares {}", actual.align, formal.align))
}

/// A register, or a literal of its type, as the header of a function would declare it.
fn scalar(ty: Type) -> Formal {
    let bytes = u64::from(bits(ty).div_ceil(8));
    Formal { ty, bytes, align: bytes, is_array: false }
}

/// The class of the numbers that are passed. A pair of halves can be passed for any 32 bits.
fn numbers(ty: Type) -> Option<Class> {
    class(ty).filter(|_| !matches!(ty, Type::F16x2 | Type::Bf16x2))
}

/// A literal as an argument. A floating-point literal is never truncated or extended.
fn number<'t>(o: &mut Operands<'_, 't>, item: &Operand<'t>, formal: Formal) -> Result<Passed, Error> {
    let (ty, width) = (formal.ty, bits(formal.ty));
    let message = match (item, class(ty)) {
        _ if formal.is_array => {
            "the function declares an array, which only a `.param` variable can be passed for"
        }
        _ if ty == Type::Pred => "the function declares a predicate, which only a register can be passed for",
        (Operand::Int(..), Some(Class::Float)) => {
            "the function declares a floating-point number; write the literal as one, for example `1.0`"
        }
        (Operand::Int(..), _) if width <= 64 => "",
        (Operand::F32(..) | Operand::F64(..), Some(Class::Integer)) => {
            "the function declares an integer, but the literal is a floating-point number"
        }
        (Operand::F32(..), _) if width == 32 => "",
        (Operand::F64(..), _) if width == 64 || ty == Type::F32 => "",
        _ => {
            "the literal does not have as many bits as the function declares; move the value into a register"
        }
    };
    if !message.is_empty() {
        return Err(o.error(span_of(item), message));
    }
    // For 16-bit numbers, as many bits as the parameter has are passed.
    let kind = kind_of(ty).unwrap_or(Kind::B16);
    Ok(Passed::Column { bank: bank_of(kind), slot: o.source(item, kind)?, bytes: formal.bytes })
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

/// What the name stands for that an operand is.
fn symbol(o: &Operands<'_, '_>, operand: &Operand<'_>) -> Option<Symbol> {
    o.scope.find(name_of(operand)?.text).map(|(_, symbol)| symbol)
}

fn hint(_: &Modifiers<'_>, o: &mut Operands<'_, '_>) -> Result<Op, Error> {
    o.take_source(Kind::B32)?;
    Ok(Op::Hint)
}
