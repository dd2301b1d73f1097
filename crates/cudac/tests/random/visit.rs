//! Walks over expressions and statements.

use crate::tree::{Argument, Expr, Init, Kind, Place, Stmt};

/// The expressions directly in an expression.
pub fn children(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    match &expr.kind {
        Kind::Literal(_) | Kind::ThreadIdx | Kind::BlockIdx | Kind::BlockDim | Kind::N => {}
        Kind::Input(a) | Kind::Unary(_, a) | Kind::Cast(_, a) => each(a),
        Kind::Read(place) | Kind::Step { place, .. } => index_of(place).into_iter().for_each(each),
        Kind::Binary(_, a, b) => [a, b].into_iter().for_each(|inner| each(inner)),
        Kind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|inner| each(inner)),
        Kind::Assign(_, place, value) => {
            index_of(place).into_iter().for_each(&mut *each);
            each(value);
        }
        Kind::Call(_, _, arguments) => {
            for argument in arguments {
                match argument {
                    Argument::Value(value) => each(value),
                    Argument::Place(place) => index_of(place).into_iter().for_each(&mut *each),
                    Argument::Object(_) => {}
                }
            }
        }
        Kind::Builtin(_, arguments) => arguments.iter().for_each(each),
    }
}

/// The index of a place that is an element.
pub fn index_of(place: &Place) -> Option<&Expr> {
    match place {
        Place::Var(_) | Place::Field(..) => None,
        Place::Element(_, index) | Place::FieldElement(_, _, index) | Place::Own(index) => Some(index),
    }
}

fn in_place_mut(place: &mut Place) -> Option<&mut Expr> {
    match place {
        Place::Var(_) | Place::Field(..) => None,
        Place::Element(_, index) | Place::FieldElement(_, _, index) | Place::Own(index) => Some(index),
    }
}

/// As [`children`], to change them.
pub fn children_mut(expr: &mut Expr, each: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        Kind::Literal(_) | Kind::ThreadIdx | Kind::BlockIdx | Kind::BlockDim | Kind::N => {}
        Kind::Input(a) | Kind::Unary(_, a) | Kind::Cast(_, a) => each(a),
        Kind::Read(place) | Kind::Step { place, .. } => in_place_mut(place).into_iter().for_each(each),
        Kind::Binary(_, a, b) => [a, b].into_iter().for_each(|inner| each(inner)),
        Kind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|inner| each(inner)),
        Kind::Assign(_, place, value) => {
            in_place_mut(place).into_iter().for_each(&mut *each);
            each(value);
        }
        Kind::Call(_, _, arguments) => {
            for argument in arguments {
                match argument {
                    Argument::Value(value) => each(value),
                    Argument::Place(place) => in_place_mut(place).into_iter().for_each(&mut *each),
                    Argument::Object(_) => {}
                }
            }
        }
        Kind::Builtin(_, arguments) => arguments.iter_mut().for_each(each),
    }
}

/// The expressions directly in a statement.
pub fn expressions_mut(stmt: &mut Stmt, each: &mut dyn FnMut(&mut Expr)) {
    match stmt {
        Stmt::Declare(_, init) => match init {
            Init::Value(value) => each(value),
            Init::List(values) => values.iter_mut().for_each(each),
            Init::Place(place) => in_place_mut(place).into_iter().for_each(each),
            Init::Copy(_) => {}
        },
        Stmt::Expr(value) | Stmt::Return(value) | Stmt::Put(_, value) | Stmt::Total(_, _, value) => {
            each(value);
        }
        Stmt::If(value, ..) | Stmt::Switch(value, _) | Stmt::While { condition: value, .. } => each(value),
        Stmt::For(inner) => {
            [&mut inner.start, &mut inner.condition, &mut inner.step].into_iter().for_each(each);
        }
        Stmt::Block(_) | Stmt::Break | Stmt::Continue => {}
        Stmt::Exchange(inner) => [&mut inner.value, &mut inner.from].into_iter().for_each(each),
        Stmt::Gather(inner) => {
            let parts = [&mut inner.start, &mut inner.condition, &mut inner.at, &mut inner.value];
            parts.into_iter().for_each(&mut *each);
            each(&mut inner.from);
        }
        Stmt::Warp(inner) => [&mut inner.value, &mut inner.lane].into_iter().for_each(each),
    }
}

/// The lists of statements directly in a statement.
pub fn bodies_mut(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match stmt {
        Stmt::Block(body) | Stmt::While { body, .. } => vec![body],
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::For(inner) => vec![&mut inner.body],
        Stmt::Switch(_, arms) => arms.iter_mut().map(|arm| &mut arm.body).collect(),
        _ => Vec::new(),
    }
}

/// As [`bodies_mut`], to look at.
pub fn bodies(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::Block(body) | Stmt::While { body, .. } => vec![body],
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::For(inner) => vec![&inner.body],
        Stmt::Switch(_, arms) => arms.iter().map(|arm| &arm.body[..]).collect(),
        _ => Vec::new(),
    }
}

/// Every expression in statements, the outer ones first.
pub fn all_mut(stmts: &mut [Stmt], each: &mut dyn FnMut(&mut Expr)) {
    fn deep(expr: &mut Expr, each: &mut dyn FnMut(&mut Expr)) {
        each(expr);
        children_mut(expr, &mut |inner| deep(inner, each));
    }
    for stmt in stmts {
        expressions_mut(stmt, &mut |expr| deep(expr, each));
        for body in bodies_mut(stmt) {
            all_mut(body, each);
        }
    }
}

/// The variables that an expression names itself, apart from the expressions in it.
pub fn variables_in(expr: &Expr, used: &mut Vec<usize>) {
    match &expr.kind {
        Kind::Read(place) | Kind::Assign(_, place, _) | Kind::Step { place, .. } => used.extend(place.root()),
        Kind::Call(_, _, arguments) => used.extend(arguments.iter().filter_map(|argument| match argument {
            Argument::Place(place) => place.root(),
            Argument::Object(var) => Some(*var),
            Argument::Value(_) => None,
        })),
        _ => {}
    }
}

/// The variables that a statement names itself.
pub fn variables(stmt: &Stmt, used: &mut Vec<usize>) {
    match stmt {
        Stmt::Declare(_, Init::Place(place)) => used.extend(place.root()),
        Stmt::Declare(_, Init::Copy(from)) => used.push(*from),
        _ => {}
    }
}

/// The variable that a statement declares for those after it.
pub fn declared(stmt: &Stmt) -> Option<usize> {
    match stmt {
        Stmt::Declare(var, _) => Some(*var),
        Stmt::Exchange(inner) => Some(inner.to),
        Stmt::Gather(inner) => Some(inner.to),
        Stmt::Warp(inner) => Some(inner.to),
        _ => None,
    }
}
