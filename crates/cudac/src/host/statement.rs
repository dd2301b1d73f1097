//! Statements.
//!
//! Temporaries end with the full expression that made them ([class.temporary]), variables with their block: each
//! expression and each block is asked whether it has made an object that needs that (`owns`). Left out: `goto`
//! into a block, and `asm`. Specification: C++17, [stmt.stmt].

use super::lower::Lower;
use super::{Expr, Loop, Stmt, Switch};
use crate::check::typed::{self, Kind, StmtKind, VarId};
use crate::check::types::Type;
use crate::source::line::Line;
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Lower<'t> {
    /// The labels among them are known to all of them, as a `goto` may stand before its label.
    pub(super) fn statements(&mut self, statements: &[typed::Stmt<'t>]) -> Result<Vec<Stmt>> {
        let labels = statements.iter().filter_map(|statement| match &statement.kind {
            StmtKind::Label(label) => Some(*label),
            _ => None,
        });
        let outer = self.labels.len();
        self.labels.extend(labels);
        let made = statements.iter().map(|statement| self.statement(statement)).collect();
        self.labels.truncate(outer);
        made
    }

    fn statement(&mut self, statement: &typed::Stmt<'t>) -> Result<Stmt> {
        Ok(match &statement.kind {
            StmtKind::Expr(expr) => Stmt::Expr(self.cleaned(|lower| lower.unused(expr))?, is_call(expr)),
            StmtKind::Declare(var, value) => self.declare(*var, *value)?,
            // Variables that are declared together are no block of their own.
            StmtKind::Block(inner)
                if inner.iter().all(|inner| matches!(inner.kind, StmtKind::Declare(..))) =>
            {
                Stmt::Block(self.statements(inner)?)
            }
            StmtKind::Block(inner) => Stmt::Block(self.block(inner)?),
            StmtKind::If(condition, then, otherwise) => Stmt::If(
                self.cleaned(|lower| lower.value(condition))?,
                self.block(then)?,
                self.block(otherwise)?,
            ),
            // What the first part of `for` declares ends with the loop, not with a round.
            StmtKind::Loop(inner) => {
                let outer = std::mem::replace(&mut self.owns, false);
                let made = self.looping(inner, self.line(statement.span));
                let owns = std::mem::replace(&mut self.owns, outer);
                let made = Stmt::Loop(Box::new(made?));
                if owns { Stmt::Scope(vec![made]) } else { made }
            }
            // All arms are one scope.
            StmtKind::Switch(inner) => {
                let value = self.cleaned(|lower| lower.value(inner.value))?;
                let outer = std::mem::replace(&mut self.owns, false);
                let arms = inner.arms.iter();
                let arms = arms.map(|arm| Ok((arm.labels.to_vec(), self.statements(arm.body)?)));
                let arms = arms.collect::<Result<_>>();
                let owns = std::mem::replace(&mut self.owns, outer);
                let made = Stmt::Switch(Box::new(Switch { value, arms: arms? }));
                if owns { Stmt::Scope(vec![made]) } else { made }
            }
            StmtKind::Break => Stmt::Break,
            StmtKind::Continue => Stmt::Continue,
            StmtKind::Return(value) => Stmt::Return(match value {
                Some(value) => {
                    let result = self.checked.program.functions[self.function].result;
                    let is_reference = self.checked.types.is_reference(result);
                    let is_number = self.scalar(value.ty).is_some();
                    Some(match () {
                        // Not cleaned up: what it refers to has to outlive the function.
                        () if is_reference => self.address(value)?,
                        () if is_number => self.cleaned(|lower| lower.value(value))?,
                        () => {
                            let made = self.value(value)?;
                            self.given(value, made)?
                        }
                    })
                }
                None => None,
            }),
            StmtKind::Asm(_) => return Err(unsupported(statement.span, "`asm` in host code")),
            StmtKind::Label(label) => Stmt::Label(self.label(*label)),
            StmtKind::Goto(label) => self.goto(*label, statement.span)?,
        })
    }

    fn goto(&mut self, label: Name<'t>, span: Span) -> Result<Stmt> {
        crate::source::budget::work(self.labels.len());
        if !self.labels.contains(&label) {
            let message = format!("there is no label `{label}` in the blocks around this `goto`");
            return Err(error(span, message).with_help("a jump into another block is not supported"));
        }
        // A way out of blocks, which the executor does like `break`.
        Ok(Stmt::Goto(self.label(label)))
    }

    /// The number of a label.
    fn label(&mut self, label: Name<'t>) -> u32 {
        let known = self.numbers.iter().position(|known| *known == label);
        known.unwrap_or_else(|| {
            self.numbers.push(label);
            self.numbers.len() - 1
        }) as u32
    }

    fn looping(&mut self, inner: &typed::Loop<'t>, line: Line) -> Result<Loop> {
        let condition = inner.condition.as_ref();
        let step = inner.step.as_ref();
        Ok(Loop {
            init: self.statements(inner.init)?,
            condition: condition.map(|condition| self.cleaned(|lower| lower.value(condition))).transpose()?,
            is_do: inner.is_do,
            step: step.map(|step| self.cleaned(|lower| lower.unused(step))).transpose()?,
            body: self.block(inner.body)?,
            line,
        })
    }

    /// An expression whose value nobody needs: of a place, only what it does.
    pub(super) fn unused(&mut self, expr: typed::Expr<'t>) -> Result<Expr> {
        let is_done = matches!(expr.kind, Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. });
        if expr.is_place() && !is_done {
            return self.address(expr);
        }
        let made = self.value(expr)?;
        // An object that was made and that nobody keeps is destroyed at the end of the statement.
        let is_new = !expr.is_place() && !matches!(expr.kind, Kind::Load(_));
        if is_new { self.owned(made, expr.ty, expr.span) } else { Ok(made) }
    }

    fn declare(&mut self, var: VarId, value: Option<typed::Expr<'t>>) -> Result<Stmt> {
        let declared = &self.checked.program.functions[self.function].vars[var];
        let (ty, span) = (declared.ty, declared.span);
        let slot = self.slot(var)?;
        // In a loop, the variable of the round before must not be read any more.
        let Some(value) = value else {
            let made = Stmt::Forget(slot, self.checked.types.size(ty));
            let owned = self.owned(Expr::Local(slot), ty, span)?;
            return Ok(if matches!(owned, Expr::Own(..)) {
                Stmt::Block(vec![made, Stmt::Expr(owned, false)])
            } else {
                made
            });
        };
        if self.checked.types.is_reference(ty) {
            // What a reference is bound to lives as long as it.
            let address = self.address(value)?;
            return Ok(Stmt::Expr(self.put(Expr::Local(slot), ty, address, value), false));
        }
        let made = self.cleaned(|lower| lower.declared(slot, ty, value))?;
        let made = Stmt::Expr(made, false);
        let owned = self.owned(Expr::Local(slot), ty, span)?;
        Ok(if matches!(owned, Expr::Own(..)) {
            Stmt::Block(vec![made, Stmt::Expr(owned, false)])
        } else {
            made
        })
    }

    /// Puts the value of a variable into its place. An object is made in its place, without a copy ([dcl.init],
    /// paragraph 17.6.1).
    fn declared(&mut self, slot: u64, ty: Type, value: typed::Expr<'t>) -> Result<Expr> {
        Ok(match &value.kind {
            Kind::Construct(function, arguments) => self.construct(*function, arguments, slot, value)?,
            Kind::Aggregate(items) if self.scalar(ty).is_none() => {
                let mut made = Vec::new();
                self.fill(slot, ty, items, &mut made)?;
                Expr::Then(made)
            }
            _ => {
                let made = self.value(value)?;
                self.put(Expr::Local(slot), ty, made, value)
            }
        })
    }
}

/// Whether an expression is a call whose result nobody looks at.
fn is_call(expr: typed::Expr<'_>) -> bool {
    matches!(expr.kind, Kind::Call(..))
}
