//! Loops: rotated, so that the condition is tested at the end, or written out if their count is known and small.
//!
//! A rotated loop has one branch in each round; its condition is lowered twice, once before the loop. Whether a loop is
//! written out is decided on the typed tree, before there is any code: the loop's variable has a known first value,
//! only the step changes it, and the condition depends on nothing else. Specification: CUDA programming guide, "#pragma
//! unroll", which also says that small loops with a known count are unrolled by default.
//!
//! ```text
//!     branch CONDITION: body, after      for (INIT; CONDITION; STEP) BODY
//! body:
//!     BODY                               `break` goes to `after`,
//! next:                                  `continue` to `next`
//!     STEP
//!     branch CONDITION: body, after
//! after:
//! ```

use super::{Binding, Lower, Value};
use crate::check::constant::{compare, convert, integer, wrap};
use crate::check::typed::{Constant, Expr, Kind, Loop, Stmt, StmtKind, Unroll, VarId};
use crate::check::types::Type;
use crate::check::walk::has_label;
use crate::code::{BlockId, Operand};
use crate::source::{Result, Span};

/// A loop without a pragma is written out if that makes at most this many nodes of the tree.
const MAX_NODES: usize = 1500;

/// And at most this many copies.
const MAX_COPIES: usize = 64;

impl<'t> Lower<'t> {
    pub(super) fn loop_(&mut self, inner: &Loop<'t>, span: Span) -> Result<()> {
        self.statements(inner.init)?;
        self.at(span);
        if let Some((var, values)) = self.known_count(inner) {
            return self.written_out(inner, var, &values, span);
        }
        let (body, next, after) = (self.new_block(), self.new_block(), self.new_block());
        if inner.is_do {
            self.jump(body);
        } else if let Some(condition) = &inner.condition {
            // The condition is false at once, so the loop is not lowered.
            if self.branch_on(condition, body, after)? == Some(false) && !has_label(inner.body) {
                self.start(after);
                return Ok(());
            }
        } else {
            self.jump(body);
        }
        self.start(body);
        // A `do` loop is tested where its condition stands, the others on their first line.
        let tested =
            inner.condition.as_ref().filter(|_| inner.is_do).map_or(span, |condition| condition.span);
        self.loop_body(inner, next, after, tested)?;
        if let Some(step) = &inner.step {
            self.value(step)?;
        }
        match &inner.condition {
            Some(condition) => {
                self.branch_on(condition, body, after)?;
            }
            None => self.jump(body),
        }
        self.start(after);
        Ok(())
    }

    /// The body, and then the block that `continue` leads to; `break` leads to the block after the loop.
    fn loop_body(&mut self, inner: &Loop<'t>, next: BlockId, after: BlockId, span: Span) -> Result<()> {
        self.frame().breaks.push(after);
        self.frame().continues.push(next);
        let result = self.statements(inner.body);
        self.frame().breaks.pop();
        self.frame().continues.pop();
        result?;
        self.at(span);
        self.jump(next);
        self.start(next);
        Ok(())
    }

    /// A loop whose variable takes known values, one copy of the body for each.
    fn written_out(&mut self, inner: &Loop<'t>, var: VarId, values: &[i64], span: Span) -> Result<()> {
        let after = self.new_block();
        let outer = self.copies;
        // Loops inside of it are multiplied by this one.
        self.copies = outer.saturating_mul(values.len().max(1));
        // In each copy the variable is a constant. The last value is the one for which the condition fails.
        for value in values.iter().take(values.len() - 1) {
            self.frame().vars[var] = Binding::Value(Value::Scalar(Operand::Int(*value)));
            // For `continue`, which leaves this copy only.
            let next = self.new_block();
            self.loop_body(inner, next, after, span)?;
            if let Some(step) = &inner.step {
                self.written_step(step, var)?;
            }
        }
        self.copies = outer;
        self.jump(after);
        self.start(after);
        Ok(())
    }

    /// A step after one copy of the body. Its parts are done in their order: those that change the variable give it the
    /// next value, which those after them see.
    fn written_step(&mut self, step: Expr<'t>, var: VarId) -> Result<()> {
        match &step.kind {
            Kind::Comma(a, b) => {
                self.written_step(a, var)?;
                self.written_step(b, var)
            }
            Kind::Load(place) => self.written_step(place, var),
            _ if !changes(step, var) => self.value(step).map(|_| ()),
            _ => {
                let ty = self.var_type(var);
                if let Binding::Value(Value::Scalar(Operand::Int(now))) = self.frame().vars[var]
                    && let Some(next) = self.stepped(step, var, ty, now)
                {
                    self.frame().vars[var] = Binding::Value(Value::Scalar(Operand::Int(next)));
                }
                Ok(())
            }
        }
    }

    fn var_type(&self, var: VarId) -> Type {
        let function = self.frames.last().map_or(0, |frame| frame.function);
        self.checked.program.functions[function].vars[var].ty
    }

    /// The variable of a loop and all values that it takes, the last one after the last iteration. `None` if the loop
    /// stays one.
    fn known_count(&mut self, inner: &Loop<'t>) -> Option<(VarId, Vec<i64>)> {
        let most = match inner.unroll {
            Unroll::Times(1) => return None,
            // nvcc makes as many copies and keeps a loop around them; here a loop is written out completely or not at
            // all.
            Unroll::Times(count) => count as usize,
            Unroll::Fully => self.most_asked,
            Unroll::Unsaid => MAX_COPIES,
        };
        // A label in a body that is written out would be in several places.
        if inner.is_do || has_label(inner.body) {
            return None;
        }
        let (condition, step) = (inner.condition.as_ref()?, inner.step.as_ref()?);
        let (var, ty, start) = self.counter(inner.init)?;
        // Taking its address counts as changing it.
        if inner.body.iter().any(|statement| statement_changes(statement, var)) || refers(step, var) {
            return None;
        }
        let mut values = vec![start];
        loop {
            let now = *values.last()?;
            let Constant::Integer(holds) = self.known(condition, var, now)? else { return None };
            if holds == 0 {
                break;
            }
            if values.len() > most {
                return None;
            }
            values.push(self.stepped(step, var, ty, now)?);
        }
        let copies = (values.len() - 1).max(1);
        let asked = self.copies.saturating_mul(copies);
        let nodes = inner.body.iter().map(|statement| self.nodes(statement, 0)).sum::<usize>();
        let fits = match inner.unroll {
            Unroll::Unsaid => nodes.saturating_mul(asked) <= MAX_NODES,
            _ => asked <= self.most_asked && nodes.saturating_mul(asked) <= super::MAX_INSTRUCTIONS,
        };
        fits.then_some((var, values))
    }

    /// The variable that the first part of `for` declares with a known value.
    fn counter(&mut self, init: &[Stmt<'t>]) -> Option<(VarId, Type, i64)> {
        let [only] = init else { return None };
        let StmtKind::Block(declarations) = &only.kind else { return None };
        let [first] = &declarations[..] else { return None };
        let StmtKind::Declare(var, Some(value)) = &first.kind else { return None };
        let ty = self.var_type(*var);
        if !self.checked.types.is_integral(ty) || ty.is_volatile() {
            return None;
        }
        // `known` never looks at a variable that it is not given, so any number does for it.
        let Constant::Integer(start) = self.known(value, usize::MAX, 0)? else { return None };
        Some((*var, ty, wrap(&self.checked.types, ty, start)))
    }

    /// The value of an expression, if it depends only on constants and on `var`. A small evaluator beside that of
    /// `check::constant`: it knows what variables are bound to while inlining.
    fn known(&self, expr: Expr<'t>, var: VarId, now: i64) -> Option<Constant> {
        let types = &self.checked.types;
        match &expr.kind {
            Kind::Integer(value) => Some(Constant::Integer(*value)),
            Kind::Load(place) | Kind::Temporary(place) => match place.kind {
                Kind::Local(other) if other == var => Some(Constant::Integer(now)),
                Kind::Local(other) => self.known_variable(other),
                _ => None,
            },
            Kind::Convert(inner) if types.is_arithmetic(inner.ty) => {
                Some(convert(types, self.known(inner, var, now)?, inner.ty, expr.ty))
            }
            Kind::Binary(op, a, b) => {
                let (Constant::Integer(a), Constant::Integer(b)) =
                    (self.known(a, var, now)?, self.known(b, var, now)?)
                else {
                    return None;
                };
                let bits = 8 * types.size(expr.ty) as u32;
                let value = integer(*op, a, b, bits, types.is_unsigned(expr.ty))?;
                Some(Constant::Integer(wrap(types, expr.ty, value)))
            }
            Kind::Compare(op, a, b) => {
                let is_unsigned = types.is_unsigned(a.ty);
                let (Constant::Integer(a), Constant::Integer(b)) =
                    (self.known(a, var, now)?, self.known(b, var, now)?)
                else {
                    return None;
                };
                let holds =
                    if is_unsigned { compare(*op, &(a as u64), &(b as u64)) } else { compare(*op, &a, &b) };
                Some(Constant::Integer(i64::from(holds)))
            }
            Kind::And(a, b) => {
                let (Constant::Integer(a), Constant::Integer(b)) =
                    (self.known(a, var, now)?, self.known(b, var, now)?)
                else {
                    return None;
                };
                Some(Constant::Integer(i64::from(a != 0 && b != 0)))
            }
            // What the arguments do would be lost.
            Kind::Call(function, arguments) if !arguments.iter().any(|argument| has_effect(argument)) => {
                self.known_call(*function)
            }
            _ => None,
        }
    }

    fn known_variable(&self, var: VarId) -> Option<Constant> {
        let frame = self.frames.last()?;
        let declared = &self.checked.program.functions[frame.function].vars.get(var)?;
        if let Some(constant) = declared.constant {
            return Some(constant);
        }
        match frame.vars.get(var)? {
            // The variable of a loop around this one that is being written out, or a constant argument.
            Binding::Value(Value::Scalar(Operand::Int(value))) => Some(Constant::Integer(*value)),
            _ => None,
        }
    }

    /// A function that does nothing but return a number, such as the size of a tile. Its variables have no values in the
    /// frame of the caller.
    fn known_call(&self, function: usize) -> Option<Constant> {
        let called = &self.checked.program.functions[function];
        match called.body {
            [Stmt { kind: StmtKind::Return(Some(value)), .. }] if !names_variables(value) => {
                self.known(value, usize::MAX, 0)
            }
            _ => None,
        }
    }

    /// The variable's value after the step.
    fn stepped(&self, step: Expr<'t>, var: VarId, ty: Type, now: i64) -> Option<i64> {
        let types = &self.checked.types;
        match &step.kind {
            Kind::Step { place, is_down, .. } if is_local(place, var) => {
                Some(wrap(types, ty, now.wrapping_add(if *is_down { -1 } else { 1 })))
            }
            Kind::Update { op, place, value, computed_as } if is_local(place, var) => {
                let Constant::Integer(right) = self.known(value, var, now)? else { return None };
                let Constant::Integer(left) = convert(types, Constant::Integer(now), ty, *computed_as) else {
                    return None;
                };
                let bits = 8 * types.size(*computed_as) as u32;
                let new = integer(*op, left, right, bits, types.is_unsigned(*computed_as))?;
                Some(wrap(types, ty, new))
            }
            Kind::Assign(place, value) if is_local(place, var) => {
                let Constant::Integer(new) = self.known(value, var, now)? else { return None };
                Some(wrap(types, ty, new))
            }
            Kind::Load(inner) => self.stepped(inner, var, ty, now),
            Kind::Comma(a, b) => {
                let now = self.stepped(a, var, ty, now)?;
                self.stepped(b, var, ty, now)
            }
            // Another part of the step.
            _ => (!changes(step, var)).then_some(now),
        }
    }

    /// About how much code a statement becomes. This compiler's own functions are mostly one instruction. Others are
    /// counted by their bodies, down to some depth.
    fn nodes(&self, statement: &Stmt<'t>, depth: usize) -> usize {
        let mut total = 1;
        let mut calls = Vec::new();
        crate::check::walk::statement(statement, &mut |expr| {
            total += 1;
            if let Kind::Call(function, _) | Kind::Construct(function, _) = expr.kind {
                calls.push(function);
            }
        });
        for function in calls {
            let called = &self.checked.program.functions[function];
            total += if depth > 4 || called.is_own {
                4
            } else {
                called.body.iter().map(|inner| self.nodes(inner, depth + 1)).sum()
            };
        }
        total
    }
}

fn is_local(place: Expr<'_>, var: VarId) -> bool {
    matches!(place.kind, Kind::Local(own) if own == var)
}

/// Whether an expression assigns to a variable, takes its address, or refers to it.
fn changes(expr: Expr<'_>, var: VarId) -> bool {
    let mut found = false;
    crate::check::walk::expr(expr, &mut |inner| found |= changes_here(inner, var));
    found
}

/// Whether evaluating an expression may do something besides giving a value.
fn has_effect(expr: Expr<'_>) -> bool {
    let mut found = false;
    crate::check::walk::expr(expr, &mut |inner| {
        found |= matches!(
            inner.kind,
            Kind::Assign(..)
                | Kind::Update { .. }
                | Kind::Step { .. }
                | Kind::Call(..)
                | Kind::Construct(..)
                | Kind::Printf(..)
        ) || matches!(inner.kind, Kind::Load(place) if place.ty.is_volatile());
    });
    found
}

fn names_variables(expr: Expr<'_>) -> bool {
    let mut found = false;
    crate::check::walk::expr(expr, &mut |inner| found |= matches!(inner.kind, Kind::Local(_)));
    found
}

/// Whether a step refers to its variable in another way than by changing its value.
fn refers(step: Expr<'_>, var: VarId) -> bool {
    let mut found = false;
    crate::check::walk::expr(step, &mut |inner| {
        found |= match &inner.kind {
            Kind::AddressOf(place) => is_local(place, var),
            Kind::Call(_, arguments) => arguments.iter().any(|argument| is_local(argument, var)),
            _ => false,
        };
    });
    found
}

/// Declarations are looked at as well, because one may bind a reference to the variable.
fn statement_changes(statement: &Stmt<'_>, var: VarId) -> bool {
    let mut found = false;
    crate::check::walk::statement(statement, &mut |expr| found |= changes_here(expr, var));
    crate::check::walk::declarations(statement, &mut |value: Expr| found |= is_local(value, var));
    found
}

fn changes_here(expr: Expr<'_>, var: VarId) -> bool {
    match &expr.kind {
        Kind::Assign(place, _) | Kind::Update { place, .. } | Kind::Step { place, .. } => {
            is_local(place, var)
        }
        Kind::AddressOf(place) | Kind::Decay(place) => is_local(place, var),
        // A place that is passed is a reference.
        Kind::Call(_, arguments) | Kind::Construct(_, arguments) | Kind::Aggregate(arguments) => {
            arguments.iter().any(|argument| is_local(argument, var))
        }
        _ => false,
    }
}
