//! Makes a program that fails smaller: statements and parts of expressions are taken away as long as it fails in the same
//! way and C++ defines what it does.

use crate::evaluate::Outcome;
use crate::expressions::needs_integers;
use crate::mend::is_defined;
use crate::number::{Ty, Unary, integer};
use crate::tree::{Expr, Function, Kind, Program, Stmt, Template};
use crate::visit::{all_mut, bodies, bodies_mut, children_mut, index_of};

/// The smallest program that is found; `fails` says whether one fails as the first did.
pub fn reduced(mut program: Program, fails: &mut dyn FnMut(&Program, &Outcome) -> bool) -> Program {
    loop {
        let before = crate::text::text(&program).len();
        for change in [without_statements, opened, simpler] {
            let mut at = 0;
            while let Some(smaller) = change(&program, at) {
                let is_ok = is_whole(&smaller)
                    && is_defined(&smaller).is_some_and(|outcome| fails(&smaller, &outcome));
                if is_ok {
                    program = smaller;
                } else {
                    at += 1;
                }
            }
        }
        if crate::text::text(&program).len() >= before {
            return program;
        }
    }
}

/// The program without the statement of this number.
fn without_statements(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = at;
    let is_changed = smaller.functions.iter_mut().rev().any(|function| {
        each_list(&mut function.body, &mut |list| {
            if left < list.len() {
                list.remove(left);
                return true;
            }
            left -= list.len();
            false
        })
    });
    is_changed.then_some(smaller)
}

/// The program with the statement of this number replaced by what is in it.
fn opened(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = at;
    let is_changed = smaller.functions.iter_mut().rev().any(|function| {
        each_list(&mut function.body, &mut |list| {
            for nth in 0..list.len() {
                let count = bodies_mut(&mut list[nth]).len();
                if left < count {
                    let body = std::mem::take(bodies_mut(&mut list[nth])[left]);
                    list.splice(nth..=nth, body);
                    return true;
                }
                left -= count;
            }
            false
        })
    });
    is_changed.then_some(smaller)
}

/// Calls a function for every list of statements until it returns true.
fn each_list(list: &mut Vec<Stmt>, each: &mut dyn FnMut(&mut Vec<Stmt>) -> bool) -> bool {
    each(list) || list.iter_mut().any(|stmt| bodies_mut(stmt).into_iter().any(|body| each_list(body, each)))
}

/// The program with an expression replaced by a part of it, or by a number.
fn simpler(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = at;
    let mut is_changed = false;
    for function in smaller.functions.iter_mut().rev() {
        all_mut(&mut function.body, &mut |expr| {
            if is_changed || matches!(expr.kind, Kind::Literal(_)) {
                return;
            }
            let mut parts = Vec::new();
            children_mut(expr, &mut |part| parts.push(part.clone()));
            let number = |value| Expr { id: expr.id, kind: Kind::Literal(integer(Ty::Int, value)) };
            parts.extend([number(1), number(0)]);
            if left < parts.len() {
                *expr = parts.swap_remove(left);
                is_changed = true;
            } else {
                left -= parts.len();
            }
        });
    }
    is_changed.then_some(smaller)
}

/// Whether every variable is declared where it is used, every function returns, and nothing leaves a loop that is none.
fn is_whole(program: &Program) -> bool {
    program.functions.iter().enumerate().all(|(at, function)| {
        let mut scope = function.parameters.clone();
        let is_kernel = at + 1 == program.functions.len();
        (is_kernel || matches!(function.body.last(), Some(Stmt::Return(_))))
            && whole(&function.body, &mut scope, (false, false))
            && is_typed(program, function)
    })
}

/// Whether integers stand where C++ takes nothing else.
fn is_typed(program: &Program, function: &Function) -> bool {
    let is_integer = |expr: &Expr| match program.ty(function, None, expr) {
        Ty::Parameter => function.template == Template::Integers,
        ty => !ty.is_float(),
    };
    let mut holds = true;
    let mut body = function.body.clone();
    all_mut(&mut body, &mut |expr| {
        holds &= match &expr.kind {
            Kind::Binary(op, a, b) if needs_integers(*op) => is_integer(a) && is_integer(b),
            Kind::Assign(Some(op), _, value) if needs_integers(*op) => is_integer(value),
            Kind::Unary(Unary::Complement, inner) | Kind::Input(inner) => is_integer(inner),
            _ => true,
        };
        holds &= match &expr.kind {
            Kind::Read(place) | Kind::Assign(_, place, _) | Kind::Step { place, .. } => {
                index_of(place).is_none_or(is_integer)
            }
            _ => true,
        };
    });
    holds && joint_indices(&function.body).into_iter().all(is_integer)
}

/// The indices that statements have where threads work together.
fn joint_indices(stmts: &[Stmt]) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::Exchange(inner) => found.push(&inner.from),
            Stmt::Gather(inner) => found.extend([&inner.at, &inner.from]),
            Stmt::Switch(value, _) => found.push(value),
            _ => {}
        }
        found.extend(bodies(stmt).into_iter().flat_map(joint_indices));
    }
    found
}

/// `around` says whether there is a loop around the statements, and a loop or a `switch`.
fn whole(stmts: &[Stmt], scope: &mut Vec<usize>, around: (bool, bool)) -> bool {
    let depth = scope.len();
    let holds = stmts.iter().all(|stmt| {
        let mut stmt = stmt.clone();
        let mut own = Vec::new();
        match &stmt {
            Stmt::For(inner) => own.push(inner.var),
            Stmt::Break if !around.1 => return false,
            Stmt::Continue if !around.0 => return false,
            _ => {}
        }
        scope.extend(&own);
        let mut is_known = true;
        let mut used = Vec::new();
        crate::visit::expressions_mut(&mut stmt, &mut |expr| used_in(expr, &mut used));
        crate::visit::variables(&stmt, &mut used);
        is_known &= used.iter().all(|var| scope.contains(var));
        let inner = match &stmt {
            Stmt::For(_) | Stmt::While { .. } => (true, true),
            Stmt::Switch(..) => (around.0, true),
            _ => around,
        };
        let joint = crate::together::is_joint(&stmt);
        is_known &= bodies_mut(&mut stmt)
            .into_iter()
            .all(|body| whole(body, scope, if joint { (false, false) } else { inner }));
        scope.truncate(scope.len() - own.len());
        scope.extend(crate::visit::declared(&stmt));
        is_known
    });
    scope.truncate(depth);
    holds
}

fn used_in(expr: &mut Expr, used: &mut Vec<usize>) {
    crate::visit::variables_in(expr, used);
    children_mut(expr, &mut |inner| used_in(inner, used));
}
