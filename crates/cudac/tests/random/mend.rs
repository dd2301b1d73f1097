//! Changes a program until C++ defines all that it does.

use std::collections::BTreeMap;

use crate::evaluate::{Outcome, TooLong, evaluate};
use crate::number::{Binary, Harm, Ty, integer};
use crate::tree::{Builtin, Expr, Kind, Place, Program, Template};
use crate::visit::all_mut;

/// A mended expression may do harm in other ways; after so many rounds the program is given up.
const MAX_ROUNDS: usize = 60;

/// The program without what C++ leaves open, and what it does.
pub fn mended(mut program: Program) -> Result<(Program, Outcome), TooLong> {
    for _ in 0..MAX_ROUNDS {
        let (outcome, harms) = evaluate(&program)?;
        if harms.is_empty() {
            return Ok((program, outcome));
        }
        mend(&mut program, &harms);
    }
    Err(TooLong)
}

fn mend(program: &mut Program, harms: &BTreeMap<u32, Harm>) {
    for at in 0..program.functions.len() {
        let mut body = std::mem::take(&mut program.functions[at].body);
        all_mut(&mut body, &mut |expr| {
            if let Some(harm) = harms.get(&expr.id) {
                let old = std::mem::replace(expr, Expr { id: 0, kind: Kind::N });
                *expr = harmless(program, at, old, *harm);
            }
        });
        program.functions[at].body = body;
    }
}

/// An expression that does something similar without harm.
fn harmless(program: &mut Program, at: usize, old: Expr, harm: Harm) -> Expr {
    let function = &program.functions[at];
    let ty = program.ty(function, None, &old);
    let is_template = function.template != Template::No;
    match (harm, old.kind) {
        (Harm::Index(length), kind) => {
            let index = program.expr(kind);
            masked(program, index, length as i32 - 1)
        }
        (Harm::Range(is_unsigned), kind @ (Kind::Assign(..) | Kind::Step { .. })) => {
            let _ = is_unsigned;
            spelt_out(program, kind)
        }
        (Harm::Range(is_unsigned), kind) => {
            let inner = program.expr(kind);
            program.expr(Kind::Builtin(Builtin::Held(is_unsigned), vec![inner]))
        }
        (_, kind @ (Kind::Assign(Some(_), ..) | Kind::Step { .. })) => spelt_out(program, kind),
        (Harm::Divisor, kind) => {
            let divisor = program.expr(kind);
            let small = masked(program, divisor, 15);
            let one = int(program, 1);
            program.expr(Kind::Binary(Binary::Add, Box::new(small), Box::new(one)))
        }
        (Harm::Rounded, Kind::Binary(_, a, b)) if is_template => {
            program.expr(Kind::Binary(Binary::Sub, a, b))
        }
        (Harm::Rounded, Kind::Binary(_, a, b)) => {
            program.expr(Kind::Builtin(Builtin::Product(ty), vec![*a, *b]))
        }
        (Harm::Overflow, Kind::Binary(Binary::Shl, a, b)) if !is_template => {
            let a = cast(program, ty.unsigned(), *a);
            let inner = program.expr(Kind::Binary(Binary::Shl, Box::new(a), b));
            cast(program, ty, inner)
        }
        (Harm::Overflow, Kind::Binary(op, a, b)) if !is_template => {
            let (a, b) = (cast(program, ty.unsigned(), *a), cast(program, ty.unsigned(), *b));
            let inner = program.expr(Kind::Binary(op, Box::new(a), Box::new(b)));
            cast(program, ty, inner)
        }
        (Harm::Overflow, Kind::Binary(_, a, b)) => program.expr(Kind::Binary(Binary::Xor, a, b)),
        (Harm::Overflow, Kind::Unary(op, inner)) if !is_template => {
            let inner = cast(program, ty.unsigned(), *inner);
            let inner = program.expr(Kind::Unary(op, Box::new(inner)));
            cast(program, ty, inner)
        }
        // Whatever else it is: a number.
        _ => int(program, 5),
    }
}

/// `a op= b` and `a++` as plain assignments, whose values can be mended.
fn spelt_out(program: &mut Program, kind: Kind) -> Expr {
    let (place, value) = match kind {
        Kind::Assign(Some(op), place, value) => {
            let read = fresh(program, &place);
            let old = program.expr(Kind::Read(read));
            (place, program.expr(Kind::Binary(op, Box::new(old), value)))
        }
        Kind::Assign(None, place, value) => (place, *value),
        Kind::Step { place, .. } => (place, int(program, 3)),
        other => return program.expr(other),
    };
    program.expr(Kind::Assign(None, place, Box::new(value)))
}

/// The place again, with expressions of its own.
fn fresh(program: &mut Program, place: &Place) -> Place {
    let mut place = place.clone();
    let mut read = Expr { id: program.id(), kind: Kind::Read(place) };
    renumber(program, &mut read);
    place = match read.kind {
        Kind::Read(place) => place,
        _ => unreachable!("it was a place"),
    };
    place
}

fn renumber(program: &mut Program, expr: &mut Expr) {
    expr.id = program.id();
    crate::visit::children_mut(expr, &mut |inner| renumber(program, inner));
}

fn masked(program: &mut Program, expr: Expr, mask: i32) -> Expr {
    let mask = int(program, mask);
    program.expr(Kind::Binary(Binary::And, Box::new(expr), Box::new(mask)))
}

fn int(program: &mut Program, value: i32) -> Expr {
    program.expr(Kind::Literal(integer(Ty::Int, value.into())))
}

fn cast(program: &mut Program, ty: Ty, inner: Expr) -> Expr {
    program.expr(Kind::Cast(ty, Box::new(inner)))
}

/// Whether nothing that a program does is left open.
pub fn is_defined(program: &Program) -> Option<Outcome> {
    let (outcome, harms) = evaluate(program).ok()?;
    harms.is_empty().then_some(outcome)
}
