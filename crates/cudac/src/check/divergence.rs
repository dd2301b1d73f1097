//! A barrier in a branch or a loop whose condition depends on the thread: some threads of the block may never come to
//! it.
//!
//! CUDA programming guide, "Synchronization Functions": `__syncthreads()` is allowed in conditional code only if the
//! condition is the same for all threads of the block. What depends on the thread is `threadIdx`, and each local
//! variable that only gets values computed from it. Left out: what functions return, which may be the same in all
//! threads, and branches that threads leave the kernel in. It is a guess in both directions, hence a warning:
//! `threadIdx.x < 1024` may hold for all.
//!
//! ```text
//! if (threadIdx.x < 16) __syncthreads();                        reported
//! int t = threadIdx.x;  while (t > 0) { __syncthreads(); … }    reported: t depends on the thread
//! if (blockIdx.x == 0) __syncthreads();                         not reported: the same for the whole block
//! ```

use super::Checker;
use super::typed::{Expr, FunctionId, Kind, Stmt, StmtKind, VarId};
use super::walk;

impl<'t> Checker<'_, 't> {
    /// Warns of the barriers of a function that not all threads may reach.
    pub(super) fn warn_barriers(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        let mut found = Vec::new();
        function.body.iter().for_each(|statement| self.barriers(statement, &mut found));
        if found.is_empty() {
            return;
        }
        // Most functions have no barrier, and none has to be looked for twice.
        let varying = varying(function.body, function.vars.len());
        let mut divergent = Vec::new();
        for statement in function.body {
            under(statement, &varying, &mut |inner| self.barriers(inner, &mut divergent));
        }
        for (name, span) in divergent {
            let message = format!("not all threads of a block may reach this `{name}`");
            let help = "the condition around it depends on `threadIdx`; move the barrier out of it";
            self.sink.warn(span, message, help);
        }
    }

    /// The barriers that a statement calls by their names. Only this compiler's own functions count, as one of the
    /// user's may have that name.
    fn barriers(&self, statement: &Stmt<'t>, found: &mut Vec<(&'t str, crate::source::Span)>) {
        walk::statement(statement, &mut |expr| {
            if let Kind::Call(called, _) = expr.kind
                && let Some(function) = self.program.functions.get(called)
                && function.is_own
                && function.name.starts_with("__syncthreads")
            {
                found.push((function.name, expr.span));
            }
        });
    }
}

/// Calls `each` for the statements that only some threads may execute. Once a condition depends on the thread,
/// everything inside of it does.
fn under<'t>(statement: &Stmt<'t>, varying: &[bool], each: &mut dyn FnMut(&Stmt<'t>)) {
    match &statement.kind {
        // The condition is the same for all threads: look further inside.
        StmtKind::If(condition, then, otherwise) if !varies(condition, varying) => {
            then.iter().chain(*otherwise).for_each(|inner| under(inner, varying, each));
        }
        StmtKind::If(_, then, otherwise) => then.iter().chain(*otherwise).for_each(each),
        // Threads leave such a loop one after another.
        StmtKind::Loop(inner) => {
            let condition = inner.condition.as_ref();
            if condition.is_some_and(|condition| varies(condition, varying)) {
                inner.body.iter().for_each(each);
            } else {
                inner.body.iter().for_each(|inner| under(inner, varying, each));
            }
        }
        StmtKind::Switch(inner) => {
            let body = inner.arms.iter().flat_map(|arm| arm.body);
            if varies(inner.value, varying) {
                body.for_each(each);
            } else {
                body.for_each(|inner| under(inner, varying, each));
            }
        }
        StmtKind::Block(inner) => inner.iter().for_each(|inner| under(inner, varying, each)),
        _ => {}
    }
}

/// The local variables that depend on the thread whatever way was taken. A fixed point, which is reached from below: at
/// first no variable depends on the thread, and in each round those do that get only such values.
fn varying(body: &[Stmt<'_>], count: usize) -> Vec<bool> {
    let mut varying = vec![false; count];
    loop {
        // What a variable gets in different places: something that depends on the thread, or something that does not.
        let mut gets = vec![(false, false); count];
        let mut note = |var: VarId, value: bool| {
            gets[var].0 |= value;
            gets[var].1 |= !value;
        };
        for statement in body {
            walk::statement(statement, &mut |expr| match &expr.kind {
                Kind::Assign(place, value) => {
                    if let Some(var) = local(place) {
                        note(var, varies(value, &varying));
                    }
                }
                // Whoever has the address may store anything.
                Kind::AddressOf(place) => local(place).into_iter().for_each(|var| note(var, false)),
                // What is passed as a place may be changed.
                Kind::Call(_, arguments) | Kind::Construct(_, arguments) => {
                    arguments.iter().copied().filter_map(local).for_each(|var| note(var, false));
                }
                _ => {}
            });
            declared(statement, &mut |var, value| note(var, varies(value, &varying)));
        }
        let now: Vec<bool> = gets.iter().map(|gets| *gets == (true, false)).collect();
        if now == varying {
            return varying;
        }
        varying = now;
    }
}

/// Calls `each` for every variable that is declared with a value.
fn declared(statement: &Stmt<'_>, each: &mut dyn FnMut(VarId, Expr<'_>)) {
    match &statement.kind {
        StmtKind::Declare(var, Some(value)) => each(*var, value),
        StmtKind::Block(inner) => inner.iter().for_each(|inner| declared(inner, each)),
        StmtKind::If(_, then, otherwise) => {
            then.iter().chain(*otherwise).for_each(|inner| declared(inner, each));
        }
        StmtKind::Loop(inner) => inner.init.iter().chain(inner.body).for_each(|inner| declared(inner, each)),
        StmtKind::Switch(inner) => {
            inner.arms.iter().flat_map(|arm| arm.body).for_each(|inner| declared(inner, each));
        }
        _ => {}
    }
}

fn local(place: Expr<'_>) -> Option<VarId> {
    if let Kind::Local(var) = place.kind { Some(var) } else { None }
}

/// Whether a value depends on the thread, not counting what functions return.
fn varies(value: Expr<'_>, varying: &[bool]) -> bool {
    match &value.kind {
        Kind::Special(register) => register.starts_with("%tid"),
        Kind::Local(var) => varying.get(*var).copied().unwrap_or(false),
        Kind::Load(a)
        | Kind::Convert(a)
        | Kind::Temporary(a)
        | Kind::Negate(a)
        | Kind::Complement(a)
        | Kind::Not(a)
        | Kind::Field(a, _)
        | Kind::Deref(a)
        | Kind::Step { place: a, .. } => varies(a, varying),
        Kind::Binary(_, a, b)
        | Kind::Compare(_, a, b)
        | Kind::And(a, b)
        | Kind::Or(a, b)
        | Kind::PointerAdd(a, b, _)
        | Kind::Element(a, b) => varies(a, varying) || varies(b, varying),
        _ => false,
    }
}
