//! Statements.
//!
//! Each charges its instructions to its own line, blocks excepted. Code after `return`, `break` and `continue` goes
//! into a block that nothing leads to, so that no statement has to ask whether it is reached. Specification: C++17,
//! [stmt.stmt].
//!
//! ```text
//! switch (n) { case 1: A; case 2: B; break; default: C; }
//!
//!     n == 1: A, else next        A: A, jump B         B: B, jump after
//!     n == 2: B, else C                                C: C, jump after
//! ```

use super::{Binding, Lower, Value};
use crate::check::typed::{Expr, Kind, Stmt, StmtKind, Switch, VarId};
use crate::check::walk::has_label;
use crate::code::{BlockId, Compare, Operand};
use crate::source::budget;
use crate::source::{Name, Result, Span, error};

impl<'t> Lower<'t> {
    pub(super) fn statements(&mut self, statements: &[Stmt<'t>]) -> Result<()> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt<'t>) -> Result<()> {
        budget::deeper(statement.span, || self.any_statement(statement))
    }

    fn any_statement(&mut self, statement: &Stmt<'t>) -> Result<()> {
        let span = statement.span;
        self.count(span)?;
        // A block has the line of its brace, which does nothing.
        if !matches!(statement.kind, StmtKind::Block(_)) {
            self.at(span);
        }
        match &statement.kind {
            StmtKind::Expr(expr) => {
                // A place whose value is not used is not loaded, but what is in it, such as calls, is done.
                if expr.is_place()
                    && !matches!(expr.kind, Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. })
                {
                    self.place(expr)?;
                } else {
                    self.value(expr)?;
                }
                Ok(())
            }
            StmtKind::Declare(var, value) => self.declare(*var, *value, span),
            StmtKind::Block(inner) => self.statements(inner),
            StmtKind::If(condition, then, otherwise) => self.branching(condition, then, otherwise),
            StmtKind::Loop(inner) => self.loop_(inner, span),
            StmtKind::Switch(inner) => self.switch(inner),
            // `check` has seen that there is something to leave.
            StmtKind::Break => {
                if let Some(to) = self.frame().breaks.last().copied() {
                    self.jump(to);
                    self.start_dead();
                }
                Ok(())
            }
            StmtKind::Continue => {
                if let Some(to) = self.frame().continues.last().copied() {
                    self.jump(to);
                    self.start_dead();
                }
                Ok(())
            }
            StmtKind::Return(value) => self.return_(*value, span),
            StmtKind::Asm(asm) => self.asm(asm, span),
            StmtKind::Goto(label) => {
                let to = self.label(*label);
                self.jump(to);
                self.start_dead();
                Ok(())
            }
            StmtKind::Label(label) => {
                let block = self.label(*label);
                self.jump(block);
                self.start(block);
                Ok(())
            }
        }
    }

    /// The block that begins at a label, which may stand before or after what jumps to it.
    fn label(&mut self, label: Name<'t>) -> BlockId {
        if let Some(block) = self.frame().labels.get(&label) {
            return *block;
        }
        let block = self.new_block();
        self.frame().labels.insert(label, block);
        block
    }

    fn declare(&mut self, var: VarId, value: Option<Expr<'t>>, span: Span) -> Result<()> {
        let function = self.frame().function;
        let ty = self.checked.program.functions[function].vars[var].ty;
        // A new slot each time, also in a loop that is written out: the variable has no value at its declaration.
        let Some(value) = value else {
            let slot = self.new_slot(ty, Some(var));
            self.frame().vars[var] = Binding::Place(slot);
            return Ok(());
        };
        // The variable is in its own initialiser, which must not see that of the round before.
        if names(value, var) && !self.checked.types.is_reference(ty) {
            let slot = self.new_slot(ty, Some(var));
            self.frame().vars[var] = Binding::Place(slot);
            let value = self.value(value)?;
            return self.store_value(slot, ty, value, span);
        }
        // It is the place itself, from here on.
        if self.checked.types.is_reference(ty) {
            let place = self.place(value)?;
            self.frame().vars[var] = Binding::Place(place);
            return Ok(());
        }
        if self.ty(ty).is_some() {
            let value = self.value(value)?;
            return self.bind(var, value);
        }
        // An object is made where it stays.
        let slot = self.new_slot(ty, Some(var));
        match &value.kind {
            Kind::Construct(function, arguments) => {
                self.call(*function, arguments, Some(slot), value)?;
            }
            Kind::Aggregate(items) => self.fill(slot, ty, items, span)?,
            _ => {
                let value = self.value(value)?;
                self.store_value(slot, ty, value, span)?;
            }
        }
        self.frame().vars[var] = Binding::Place(slot);
        Ok(())
    }

    fn branching(&mut self, condition: Expr<'t>, then: &[Stmt<'t>], otherwise: &[Stmt<'t>]) -> Result<()> {
        let (yes, after) = (self.new_block(), self.new_block());
        let no = if otherwise.is_empty() { after } else { self.new_block() };
        let known = self.branch_on(condition, yes, no)?;
        let line = self.line;
        // A branch that is never taken is not even lowered, which keeps `unsupported` in it silent.
        if known != Some(false) || has_label(then) {
            self.start(yes);
            self.statements(then)?;
            self.jump(after);
        }
        if !otherwise.is_empty() && (known != Some(true) || has_label(otherwise)) {
            // The other side and what follows begin on the line of the `if`.
            self.line = line;
            self.start(no);
            self.statements(otherwise)?;
            self.jump(after);
        }
        self.line = line;
        self.start(after);
        Ok(())
    }

    /// One comparison after another.
    fn switch(&mut self, inner: &Switch<'t>) -> Result<()> {
        let ty = self.scalar_ty(inner.value.ty, inner.value.span)?;
        let value = self.scalar(inner.value)?;
        let after = self.new_block();
        let bodies: Vec<_> = inner.arms.iter().map(|_| self.new_block()).collect();
        let mut default = after;
        // All comparisons come first, in the order of the text; `default` is where the last one leads.
        for (arm, body) in inner.arms.iter().zip(&bodies) {
            for label in arm.labels {
                let Some(label) = label else {
                    default = *body;
                    continue;
                };
                let next = self.new_block();
                let is_it = self.set(Compare::Eq, ty, value, Operand::Int(*label));
                self.branch(is_it, *body, next);
                self.start(next);
            }
        }
        self.jump(default);
        self.frame().breaks.push(after);
        for (nth, arm) in inner.arms.iter().enumerate() {
            self.start(bodies[nth]);
            self.statements(arm.body)?;
            // An arm without `break` falls into the next.
            self.jump(bodies.get(nth + 1).copied().unwrap_or(after));
        }
        self.frame().breaks.pop();
        self.start(after);
        Ok(())
    }

    fn return_(&mut self, value: Option<Expr<'t>>, span: Span) -> Result<()> {
        let function = self.frame().function;
        let result = self.checked.program.functions[function].result;
        let is_reference = self.checked.types.is_reference(result);
        let value = match value {
            None => Value::Void,
            Some(expr) if is_reference => Value::Address(self.place(expr)?),
            Some(expr) => self.value(expr)?,
        };
        if self.frame().returns_at_end {
            self.frame().returned = Some(value);
            return Ok(());
        }
        if let Some(slot) = self.frame().result {
            if is_reference {
                let address = self.generic(value);
                self.store_operand(slot, crate::code::Ty::U64, address, false);
            } else {
                self.store_value(slot, result, value, span)?;
            }
        } else if value != Value::Void {
            return Err(error(span, "this value cannot be returned"));
        }
        let exit = self.frame().exit;
        self.jump(exit);
        self.start_dead();
        Ok(())
    }
}

/// Whether an expression names a variable.
fn names(expr: Expr<'_>, var: VarId) -> bool {
    let mut found = false;
    crate::check::walk::expr(expr, &mut |inner| {
        found |= matches!(inner.kind, Kind::Local(own) if own == var);
    });
    found
}
