//! Visiting every expression of a statement.
//!
//! One place that knows all nodes: whoever looks for something in the typed tree says only what. A node is visited
//! before its parts.

use super::typed::{Expr, Kind, Stmt, StmtKind};

/// Calls `each` for an expression and for everything in it.
pub(crate) fn expr(root: Expr<'_>, each: &mut dyn FnMut(Expr<'_>)) {
    each(root);
    match &root.kind {
        Kind::Integer(_)
        | Kind::Float(_)
        | Kind::Text(_)
        | Kind::Local(_)
        | Kind::Global(_)
        | Kind::List(..)
        | Kind::Special(_) => {}
        Kind::Deref(a)
        | Kind::Field(a, _)
        | Kind::Temporary(a)
        | Kind::Load(a)
        | Kind::AddressOf(a)
        | Kind::Decay(a)
        | Kind::Negate(a)
        | Kind::Complement(a)
        | Kind::Not(a)
        | Kind::Convert(a)
        | Kind::Step { place: a, .. } => expr(a, each),
        Kind::Element(a, b)
        | Kind::Binary(_, a, b)
        | Kind::Compare(_, a, b)
        | Kind::And(a, b)
        | Kind::Or(a, b)
        | Kind::Comma(a, b)
        | Kind::PointerAdd(a, b, _)
        | Kind::PointerDiff(a, b)
        | Kind::Assign(a, b)
        | Kind::Update { place: a, value: b, .. } => {
            expr(a, each);
            expr(b, each);
        }
        Kind::Conditional(a, b, c) => {
            expr(a, each);
            expr(b, each);
            expr(c, each);
        }
        Kind::Call(_, items)
        | Kind::Construct(_, items)
        | Kind::Aggregate(items)
        | Kind::Intrinsic(_, items)
        | Kind::Printf(_, items) => items.iter().for_each(|item| expr(item, each)),
        #[cfg(feature = "host")]
        Kind::Print(_, items) => items.iter().for_each(|item| expr(item, each)),
        #[cfg(feature = "host")]
        Kind::Format(_, _, items) => items.iter().for_each(|item| expr(item, each)),
        #[cfg(feature = "host")]
        Kind::FunctionAddress(_) => {}
        #[cfg(feature = "host")]
        Kind::CallPointer(callee, items) => {
            expr(callee, each);
            for item in *items {
                expr(item, each);
            }
        }
        #[cfg(feature = "host")]
        Kind::LaunchPointer(callee, shape, items) => {
            expr(callee, each);
            shape.iter().chain(*items).for_each(|item| expr(item, each));
        }
        #[cfg(feature = "host")]
        Kind::Launch(_, shape, items) => shape.iter().chain(*items).for_each(|item| expr(item, each)),
    }
}

/// Calls `each` for every expression in a statement, also in statements inside of it. The order is not that of
/// execution.
pub(crate) fn statement(root: &Stmt<'_>, each: &mut dyn FnMut(Expr<'_>)) {
    match &root.kind {
        StmtKind::Expr(value) => expr(value, each),
        StmtKind::Declare(_, value) => value.iter().for_each(|value| expr(value, each)),
        StmtKind::Block(inner) => inner.iter().for_each(|inner| statement(inner, each)),
        StmtKind::If(condition, then, otherwise) => {
            expr(condition, each);
            then.iter().chain(*otherwise).for_each(|inner| statement(inner, each));
        }
        StmtKind::Loop(inner) => {
            // The condition and the step are looked at after the body, although they are executed around it.
            inner.init.iter().chain(inner.body).for_each(|inner| statement(inner, each));
            inner.condition.iter().chain(&inner.step).for_each(|value| expr(value, each));
        }
        StmtKind::Switch(inner) => {
            expr(inner.value, each);
            inner.arms.iter().flat_map(|arm| arm.body).for_each(|inner| statement(inner, each));
        }
        StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Label(_) => {}
        StmtKind::Return(value) => value.iter().for_each(|value| expr(value, each)),
        StmtKind::Asm(asm) => asm.operands.iter().for_each(|operand| expr(operand.value, each)),
    }
}

/// Calls `each` for what variables are declared with and for what `asm` writes: places there are references.
pub(crate) fn declarations(root: &Stmt<'_>, each: &mut dyn FnMut(Expr<'_>)) {
    match &root.kind {
        StmtKind::Declare(_, Some(value)) => each(value),
        StmtKind::Block(inner) => inner.iter().for_each(|inner| declarations(inner, each)),
        StmtKind::If(_, then, otherwise) => {
            then.iter().chain(*otherwise).for_each(|inner| declarations(inner, each));
        }
        StmtKind::Loop(inner) => {
            inner.init.iter().chain(inner.body).for_each(|inner| declarations(inner, each));
        }
        StmtKind::Switch(inner) => {
            inner.arms.iter().flat_map(|arm| arm.body).for_each(|inner| declarations(inner, each));
        }
        StmtKind::Asm(asm) => asm.operands.iter().for_each(|operand| each(operand.value)),
        _ => {}
    }
}

/// How many `return`s there are.
pub(crate) fn returns(statements: &[Stmt<'_>]) -> usize {
    let count = |statement: &Stmt| match &statement.kind {
        StmtKind::Return(_) => 1,
        StmtKind::Block(inner) => returns(inner),
        StmtKind::If(_, then, otherwise) => returns(then) + returns(otherwise),
        StmtKind::Loop(inner) => returns(inner.body),
        StmtKind::Switch(inner) => inner.arms.iter().map(|arm| returns(arm.body)).sum(),
        _ => 0,
    };
    statements.iter().map(count).sum()
}

/// Whether something jumps to a place in these statements.
pub(crate) fn has_label(statements: &[Stmt<'_>]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Label(_) => true,
        StmtKind::Block(inner) => has_label(inner),
        StmtKind::If(_, then, otherwise) => has_label(then) || has_label(otherwise),
        StmtKind::Loop(inner) => has_label(inner.body),
        StmtKind::Switch(inner) => inner.arms.iter().any(|arm| has_label(arm.body)),
        _ => false,
    })
}
