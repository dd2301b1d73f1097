//! Statements.
//!
//! Loops of all kinds become one ([`Loop`]), a `switch` a list of arms, and declarations numbers of variables. A `case`
//! has to be directly in the block of its `switch`: Duff's device is left out. Specification: C++17, [stmt.stmt].
//!
//! ```text
//! switch (n) { case 1: case 2: f(); case 3: g(); break; default: h(); }
//!
//! arms:  [1, 2] f();      falls into the next
//!        [3] g(); break;
//!        [default] h();
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::{Arm, Constant, Expr, Kind, Loop, Stmt, StmtKind, Switch, Unroll};
use super::types::{Shape, Type};
use crate::parse::tree;
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error, unsupported};

/// `#pragma unroll` may ask for this many copies.
const MAX_UNROLL: i64 = 4096;

/// What is in the parentheses of a loop, checked.
#[derive(Clone, Copy)]
struct Head<'t> {
    init: Option<Stmt<'t>>,
    condition: Option<Expr<'t>>,
    step: Option<Expr<'t>>,
}

impl<'t> Head<'t> {
    /// That of `while` and `do`.
    fn tested(condition: Expr<'t>) -> Head<'t> {
        Head { init: None, condition: Some(condition), step: None }
    }
}

impl<'t> Checker<'_, 't> {
    /// Statements in a row; one that is wrong is reported, and the next one is checked.
    pub(super) fn statements(&mut self, scope: ScopeId, written: &[tree::Stmt<'t>]) -> Vec<Stmt<'t>> {
        let mut statements = Vec::with_capacity(written.len());
        for written in written {
            if self.sink.is_full() {
                break;
            }
            match self.statement(scope, written) {
                Ok(Some(statement)) => statements.push(statement),
                Ok(None) => {}
                Err(problem) => self.sink.add(problem),
            }
        }
        statements
    }

    /// A statement with a scope of its own.
    fn scoped(&mut self, scope: ScopeId, written: tree::Stmt<'t>) -> &'t [Stmt<'t>] {
        let inner = self.scopes.push(scope);
        self.within(inner, written)
    }

    /// A statement in a scope that was made for it. A block shares it with the statement that it belongs to, as in `for
    /// (…) { … }`, whose variables it must not declare again ([basic.scope.block]).
    fn within(&mut self, scope: ScopeId, written: tree::Stmt<'t>) -> &'t [Stmt<'t>] {
        let statements = match &written.kind {
            tree::StmtKind::Block(statements) => self.statements(scope, statements),
            _ => self.statements(scope, &[written]),
        };
        self.arena.list(&statements)
    }

    /// `None` if nothing has to be done when it is executed.
    pub(super) fn statement(&mut self, scope: ScopeId, written: tree::Stmt<'t>) -> Result<Option<Stmt<'t>>> {
        budget::spend(Bound::Work, 8, written.span)?;
        budget::deeper(written.span, || self.any_statement(scope, written))
    }

    fn any_statement(&mut self, scope: ScopeId, written: tree::Stmt<'t>) -> Result<Option<Stmt<'t>>> {
        let span = written.span;
        let kind = match &written.kind {
            tree::StmtKind::Empty => return Ok(None),
            tree::StmtKind::Expr(value) => {
                let value = self.expr(scope, value)?;
                let value = self.discarded(value);
                self.warn_unused(value);
                StmtKind::Expr(value)
            }
            tree::StmtKind::Variables(variables) => {
                // A block without a scope: the variables belong to the one around it.
                let variables = self.variables(scope, variables);
                StmtKind::Block(self.arena.list(&variables))
            }
            tree::StmtKind::Declaration(declaration) => {
                let mut made = Vec::new();
                self.local_declaration(scope, declaration, &mut made)?;
                if made.is_empty() {
                    return Ok(None);
                }
                StmtKind::Block(self.arena.list(&made))
            }
            tree::StmtKind::Block(_) => StmtKind::Block(self.scoped(scope, written)),
            tree::StmtKind::If { is_constexpr, condition, then, otherwise } => {
                return self.branch(scope, *is_constexpr, condition, then, *otherwise, span).map(Some);
            }
            tree::StmtKind::For { init, condition, step, body, unroll } => {
                // The scope of `for` holds what its first part declares.
                let inner = self.scopes.push(scope);
                let init = init.as_ref().map_or(Ok(None), |init| self.statement(inner, init))?;
                let condition =
                    condition.as_ref().map_or(Ok(None), |value| self.tested(inner, value).map(Some))?;
                let step = step.as_ref().map_or(Ok(None), |value| self.expr(inner, value).map(Some))?;
                let step = step.map(|step| self.discarded(step));
                self.loop_(inner, Head { init, condition, step }, body, unroll, false)?
            }
            tree::StmtKind::RangeFor { variable, range, body, unroll } => {
                return self.range_for(scope, variable, range, body, unroll).map(Some);
            }
            tree::StmtKind::While { condition, body, unroll } => {
                let condition = self.tested(scope, condition)?;
                let inner = self.scopes.push(scope);
                self.loop_(inner, Head::tested(condition), body, unroll, false)?
            }
            // The condition is checked first, which shows that it cannot see what the body declares ([stmt.do]).
            tree::StmtKind::DoWhile { body, condition } => {
                let condition = self.tested(scope, condition)?;
                let inner = self.scopes.push(scope);
                self.loop_(inner, Head::tested(condition), body, &tree::Unroll::Unsaid, true)?
            }
            tree::StmtKind::Switch { value, body } => self.switch(scope, value, body)?,
            // `arms` takes those that belong to it, so this one is inside of another statement.
            tree::StmtKind::Case(_) | tree::StmtKind::Default => {
                return Err(unsupported(span, "a `case` that is not directly in the block of its `switch`"));
            }
            tree::StmtKind::Break => self.leave(span, "break", StmtKind::Break)?,
            tree::StmtKind::Continue => self.leave(span, "continue", StmtKind::Continue)?,
            tree::StmtKind::Return(value) => self.return_(scope, *value, span)?,
            tree::StmtKind::Asm(asm) => {
                let asm = self.asm(scope, asm, span)?;
                StmtKind::Asm(self.arena.put(asm))
            }
            tree::StmtKind::Goto(label) => {
                self.jump(scope, *label, span);
                StmtKind::Goto(*label)
            }
            tree::StmtKind::Label(label) => {
                self.label(scope, *label, span)?;
                StmtKind::Label(*label)
            }
        };
        Ok(Some(Stmt { kind, span }))
    }

    /// The condition of a branch or a loop. An assignment there is more often a mistake than meant.
    fn tested(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Expr<'t>> {
        if let tree::ExprKind::Assign("=", ..) = written.kind {
            self.sink.warn(written.span, "this assigns, and does not compare", "write `==` to compare");
        }
        let value = self.expr(scope, written)?;
        self.condition(value)
    }

    fn branch(
        &mut self,
        scope: ScopeId,
        is_constexpr: bool,
        condition: tree::Expr<'t>,
        then: tree::Stmt<'t>,
        otherwise: Option<tree::Stmt<'t>>,
        span: Span,
    ) -> Result<Stmt<'t>> {
        let condition = self.tested(scope, condition)?;
        // C++17, [stmt.if]: the other branch is not even looked at, as in a template's instance. Outside of a template
        // C++ would check it.
        if is_constexpr {
            let Some(Constant::Integer(holds)) = self.evaluate(condition) else {
                return Err(error(
                    condition.span,
                    "the condition of `if constexpr` is not known when the text is compiled",
                ));
            };
            let taken = if holds != 0 { Some(then) } else { otherwise };
            let body = taken.map_or(&[][..], |taken| self.scoped(scope, taken));
            return Ok(Stmt { kind: StmtKind::Block(body), span });
        }
        // `if (x);` and a block after it.
        if matches!(then.kind, tree::StmtKind::Empty) && otherwise.is_none() {
            self.sink.warn(then.span, "this `if` does nothing", "remove the `;` after the condition");
        }
        let then = self.scoped(scope, then);
        let otherwise = otherwise.map_or(&[][..], |otherwise| self.scoped(scope, otherwise));
        Ok(Stmt { kind: StmtKind::If(condition, then, otherwise), span })
    }

    fn loop_(
        &mut self,
        scope: ScopeId,
        head: Head<'t>,
        body: tree::Stmt<'t>,
        unroll: &tree::Unroll<'t>,
        is_do: bool,
    ) -> Result<StmtKind<'t>> {
        let unroll = match unroll {
            tree::Unroll::Unsaid => Unroll::Unsaid,
            tree::Unroll::Fully => Unroll::Fully,
            tree::Unroll::Times(count) => {
                // CUDA programming guide, "#pragma unroll": less than 1 is no unrolling either.
                let times = self.integer_constant(scope, count, "the argument of `#pragma unroll`")?;
                Unroll::Times(times.clamp(1, MAX_UNROLL) as u32)
            }
        };
        if let Some(frame) = self.frame() {
            frame.loops += 1;
        }
        let body = self.within(scope, body);
        if let Some(frame) = self.frame() {
            frame.loops -= 1;
        }
        let Head { init, condition, step } = head;
        let init = self.arena.list(init.as_slice());
        Ok(StmtKind::Loop(self.arena.put(Loop { init, condition, is_do, step, body, unroll })))
    }

    /// `break` or `continue`, if something can be left.
    fn leave(&mut self, span: Span, word: &str, kind: StmtKind<'t>) -> Result<StmtKind<'t>> {
        // A `continue` in a `switch` belongs to the loop around it.
        let is_inside =
            self.frames.last().is_some_and(|frame| frame.loops > 0 || word == "break" && frame.switches > 0);
        if is_inside { Ok(kind) } else { Err(error(span, format_args!("`{word}` outside of a loop"))) }
    }

    /// C++17, [stmt.switch]: the value is promoted, and the labels are converted to its type.
    fn switch(
        &mut self,
        scope: ScopeId,
        value: tree::Expr<'t>,
        body: tree::Stmt<'t>,
    ) -> Result<StmtKind<'t>> {
        let value = self.value_of(scope, value)?;
        if !self.types.is_integral(value.ty) && !self.types.is_scoped_enum(value.ty) {
            let message =
                format!("`switch` needs an integer, but this has the type `{}`", self.show(value.ty));
            return Err(error(value.span, message));
        }
        let value = self.promote(value);
        let tree::StmtKind::Block(written) = &body.kind else {
            return Err(unsupported(body.span, "a `switch` without a block"));
        };
        let inner = self.scopes.push(scope);
        if let Some(frame) = self.frame() {
            frame.switches += 1;
        }
        // The count goes down again even if an arm is wrong.
        let arms = self.arms(inner, value.ty, written);
        if let Some(frame) = self.frame() {
            frame.switches -= 1;
        }
        let arms = self.arena.list(&arms?);
        Ok(StmtKind::Switch(self.arena.put(Switch { value, arms })))
    }

    /// Labels in a row share an arm. What a `case` declares is visible in those after it, since the scope is that of
    /// the whole block.
    fn arms(&mut self, scope: ScopeId, ty: Type, written: &[tree::Stmt<'t>]) -> Result<Vec<Arm<'t>>> {
        let mut arms: Vec<(Vec<Option<i64>>, Vec<Stmt<'t>>)> = Vec::new();
        let mut seen: Vec<Option<i64>> = Vec::new();
        let from = self.frames.last().map(|frame| frame.spot(scope));
        for statement in written {
            let label = match &statement.kind {
                tree::StmtKind::Default => None,
                tree::StmtKind::Case(value) => {
                    let found = self.integer_constant(scope, value, "the value of `case`")?;
                    Some(super::constant::wrap(&self.types, ty, found))
                }
                _ => {
                    let checked = self.statement(scope, statement)?;
                    match arms.last_mut() {
                        Some((_, body)) => body.extend(checked),
                        // A declaration of a type, for example, does nothing there.
                        None if checked.is_none() => {}
                        None => {
                            return Err(error(statement.span, "this statement precedes the first `case`"));
                        }
                    }
                    continue;
                }
            };
            // Sorted, so that many labels do not take quadratic time to compare.
            let place = seen.binary_search(&label);
            seen.insert(place.unwrap_or_else(|at| at), label);
            if place.is_ok() {
                let what = label.map_or("`default`".to_owned(), |label| format!("the value {label}"));
                return Err(error(statement.span, format_args!("{what} occurs twice in this `switch`")));
            }
            self.reached(scope, from, statement.span)?;
            match arms.last_mut().filter(|(_, body)| body.is_empty()) {
                Some((labels, _)) => labels.push(label),
                None => arms.push((vec![label], Vec::new())),
            }
        }
        let arm = |(labels, body): &(Vec<_>, Vec<_>)| Arm {
            labels: self.arena.list(labels),
            body: self.arena.list(body),
        };
        Ok(arms.iter().map(arm).collect())
    }

    fn return_(
        &mut self,
        scope: ScopeId,
        written: Option<tree::Expr<'t>>,
        span: Span,
    ) -> Result<StmtKind<'t>> {
        let Some(frame) = self.frames.last() else { return Ok(StmtKind::Return(None)) };
        let (mut result, name) = (frame.result, frame.name);
        let Some(written) = written else {
            // The first `return` decides what `auto` is ([dcl.spec.auto]).
            if self.types.shape(result) == Shape::Auto {
                let void = self.types.void();
                self.set_result(void);
            } else if !self.types.is_void(result) {
                let message = format!("`{name}` has to return a `{}`", self.show(result));
                return Err(error(span, message));
            }
            return Ok(StmtKind::Return(None));
        };
        let is_auto = self.types.shape(result) == Shape::Auto;
        // `auto&` keeps the place, `auto` a copy of the value.
        let is_auto_reference =
            self.types.is_reference(result) && self.types.shape(self.types.referred(result)) == Shape::Auto;
        if is_auto || is_auto_reference {
            let value = self.expr(scope, written)?;
            result = match self.frames.last() {
                _ if is_auto_reference => self.reference_to(value, result),
                Some(frame) if matches!(frame.written.kind, tree::TypeKind::TypeOf(_)) => {
                    self.decltype(value, written)
                }
                _ => self.value(value).ty.plain(),
            };
            self.set_result(result);
        }
        // `return f();` in a function that returns nothing, if `f` does not either ([stmt.return]).
        if self.types.is_void(result) {
            let value = self.expr(scope, written)?;
            if self.types.is_void(value.ty) {
                return Ok(StmtKind::Return(Some(value)));
            }
            let message = format!("`{name}` returns nothing, but a value follows `return`");
            return Err(error(written.span, message));
        }
        let value = match self.moved_out(scope, result, written)? {
            Some(moved) => self.implicit(moved, result, &"the value returned")?,
            // As an initialiser of the result, so that `return {a, b};` works.
            None => self.init_from(scope, result, written, &"the value returned")?,
        };
        Ok(StmtKind::Return(Some(value)))
    }

    /// A variable of the function that `return` names, as what may be moved from. C++17, [class.copy.elision], paragraph
    /// 3. Only a constructor could tell the difference.
    fn moved_out(
        &mut self,
        scope: ScopeId,
        result: Type,
        written: tree::Expr<'t>,
    ) -> Result<Option<Expr<'t>>> {
        let tree::ExprKind::Path(_) = written.kind else { return Ok(None) };
        if self.types.struct_of(result).is_none() || self.copy_constructor(result)?.is_none() {
            return Ok(None);
        }
        let value = self.expr(scope, written)?;
        let Kind::Local(var) = value.kind else { return Ok(None) };
        let is_own = self.frames.last().is_some_and(|frame| !self.types.is_reference(frame.vars[var].ty));
        Ok((is_own && value.ty.same(result)).then(|| self.node(Kind::Temporary(value), value.ty, value.span)))
    }

    fn set_result(&mut self, result: Type) {
        if let Some(frame) = self.frame() {
            frame.result = result;
        }
    }

    /// Nothing is executed for a type, whose name is in the scope then. Variables that are declared with their type, as
    /// in `struct { … } s;`, are variables of the function like any other.
    fn local_declaration(
        &mut self,
        scope: ScopeId,
        declaration: &tree::Declaration<'t>,
        made: &mut Vec<Stmt<'t>>,
    ) -> Result<()> {
        match declaration {
            tree::Declaration::Group(group) => {
                group.iter().try_for_each(|inner| self.local_declaration(scope, inner, made))
            }
            tree::Declaration::Variables(variables) => {
                made.extend(self.variables(scope, variables));
                Ok(())
            }
            _ => self.declare(scope, declaration),
        }
    }

    /// Each declarator is a statement: one that is wrong does not hide the others.
    fn variables(&mut self, scope: ScopeId, written: &[tree::Variable<'t>]) -> Vec<Stmt<'t>> {
        let mut statements = Vec::new();
        for variable in written {
            match self.declared_variable(scope, variable) {
                Ok(made) => {
                    let has_value =
                        matches!(made.last().map(|made| &made.kind), Some(StmtKind::Declare(_, Some(_))));
                    if has_value && !variable.storage.is_static {
                        self.gets_value(scope, variable.name);
                    }
                    statements.extend(made);
                }
                Err(problem) => {
                    self.sink.add(problem);
                    self.declare_wrong(scope, variable);
                }
            }
        }
        statements
    }

    /// What a declarator becomes: nothing if the variable outlives the function, and two statements if it is an array of
    /// variable length.
    fn declared_variable(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) -> Result<Vec<Stmt<'t>>> {
        #[cfg(feature = "host")]
        if let Some(made) = self.varying(scope, variable)? {
            return Ok(made.to_vec());
        }
        Ok(self.variable(scope, variable)?.into_iter().collect())
    }

    /// Declares a variable whose declaration was wrong, so that its uses are not errors too.
    fn declare_wrong(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) {
        if self.scopes.find_own(scope, variable.name).is_none() {
            let written = match &variable.ty.kind {
                // An array whose length is wrong can be indexed like any other.
                tree::TypeKind::Array(of, _) => {
                    let ty = variable.ty;
                    self.arena.put(tree::TypeNode { kind: tree::TypeKind::Pointer(of), ..*ty })
                }
                _ => variable.ty,
            };
            let ty = self.resolve(scope, written).ok().filter(|ty| self.types.shape(*ty) != Shape::Auto);
            let ty = ty.unwrap_or_else(|| self.types.int());
            let _ = self.add_var(scope, variable.name, self.types.referred(ty).plain(), variable.span);
        }
    }

    /// A variable of a function that outlives the call, which makes it one of the module. `extern` names one that is
    /// elsewhere, as often as it likes.
    fn lasting(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) -> Result<()> {
        self.warn_shadow(scope, variable);
        if !variable.storage.is_extern {
            self.check_is_new(scope, variable.name, variable.span)?;
        }
        let entity = self.global(scope, variable)?;
        self.scopes.declare(scope, variable.name, entity);
        Ok(())
    }

    /// A variable of a function. One that lives longer is a variable of the module ([`Checker::lasting`]).
    fn variable(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) -> Result<Option<Stmt<'t>>> {
        let storage = variable.storage;
        let span = variable.span;
        // What outlives the call is no variable of the frame.
        if storage.is_shared || storage.is_static && !storage.is_constexpr || storage.is_constant {
            self.lasting(scope, variable)?;
            return Ok(None);
        }
        // CUDA programming guide, "__device__": not for local variables.
        if storage.is_device {
            return Err(error(span, "a variable in a function cannot be `__device__`"));
        }
        let mut ty = self.object_type(scope, variable.ty)?;
        let referred = self.types.referred(ty);
        let mut value = None;
        // C++17, [basic.scope.pdecl]: a name means its variable in the variable's own initialiser. What `auto` is, is not
        // known there.
        let is_auto = self.types.shape(referred) == Shape::Auto || self.is_auto_pointer(ty);
        let known = if is_auto { None } else { Some(self.add_var(scope, variable.name, ty, span)?) };
        if is_auto && self.scopes.find_own(scope, variable.name).is_none() {
            self.scopes.declare(scope, variable.name, Entity::Undeduced);
        }
        if is_auto {
            let (deduced, made) = self.deduced(scope, ty, variable)?;
            ty = deduced;
            value = Some(self.implicit(made, ty, &"the value")?);
        } else if let Some(init) = &variable.init {
            let made = self.initialiser(scope, ty, *init, span)?;
            // `int a[] = {1, 2}` has the length of its list.
            if self.types.is_array(ty) {
                ty = made.ty;
            }
            value = Some(made);
        } else if self.types.is_reference(ty) {
            return Err(error(
                span,
                format_args!("the reference `{}` has to refer to something", variable.name),
            ));
        } else {
            // A number stays without a value; a struct may have a constructor.
            value = self.default_value(ty, span)?.or(value);
        }
        #[cfg(feature = "host")]
        self.allow_destructor(ty, span)?;
        if matches!(self.types.shape(ty), Shape::Array(_, None)) {
            return Err(error(span, format_args!("the array `{}` needs a length", variable.name)));
        }
        if (ty.is_const() || storage.is_constexpr) && variable.init.is_none() && value.is_none() {
            return Err(error(span, format_args!("the constant `{}` needs a value", variable.name)));
        }
        // A constant variable keeps its memory, in case somebody takes its address; its uses are replaced by the value.
        let constant =
            value.as_ref().filter(|_| (ty.is_const() || storage.is_constexpr) && !ty.is_volatile());
        let constant = constant.and_then(|value| self.evaluate(value));
        // `const` may be computed at run time, `constexpr` may not ([dcl.constexpr]). A struct is let through, as this
        // has no constants of structs.
        if storage.is_constexpr && constant.is_none() && self.types.is_arithmetic(ty) {
            return Err(error(
                span,
                format_args!("the value of `{}` is not known when the text is compiled", variable.name),
            ));
        }
        self.warn_shadow(scope, variable);
        let ty = if storage.is_constexpr { self.types.constant(ty) } else { ty };
        let id = match known {
            Some(id) => id,
            None => self.add_var(scope, variable.name, ty, span)?,
        };
        let is_array = self.types.is_array(ty);
        if let Some(frame) = self.frame() {
            (frame.vars[id].ty, frame.vars[id].constant) = (ty, constant);
            if let Some(value) = value.filter(|_| storage.is_constexpr && is_array) {
                frame.arrays.push((id, value));
            }
        }
        Ok(Some(Stmt { kind: StmtKind::Declare(id, value), span }))
    }

    /// The reference that `auto&` or `auto&&` becomes. C++17, [temp.deduct.call], paragraph 3: the latter refers to a
    /// variable as `T&` does.
    fn reference_to(&mut self, value: Expr<'t>, written: Type) -> Type {
        let to = value.ty.qualified_as(self.types.referred(written));
        let is_rvalue = self.types.is_rvalue(written) && !value.is_lvalue();
        if is_rvalue { self.types.rvalue(to) } else { self.types.get(Shape::Reference(to)) }
    }

    fn is_auto_pointer(&self, ty: Type) -> bool {
        self.types.pointee(ty).is_some_and(|to| self.types.shape(to) == Shape::Auto)
    }

    /// The type of an `auto` variable. C++17, [dcl.spec.auto]: as for the parameter of a template. `auto&` keeps the
    /// qualifiers, `auto` drops them, and `decltype(auto)` is what `decltype` says of the value.
    fn deduced(
        &mut self,
        scope: ScopeId,
        ty: Type,
        variable: &tree::Variable<'t>,
    ) -> Result<(Type, Expr<'t>)> {
        let Some(init) = &variable.init else {
            let message = format!("`auto` needs a value to take the type of `{}` from", variable.name);
            return Err(error(variable.span, message));
        };
        let [written] = crate::parse::values(init) else {
            return Err(error(variable.span, "`auto` needs one value"));
        };
        let value = self.expr(scope, written)?;
        if self.types.is_void(value.ty) {
            return Err(error(value.span, "this has the type `void`, so it has no value"));
        }
        if matches!(variable.ty.kind, tree::TypeKind::TypeOf(_)) {
            return Ok((self.decltype(value, written), value));
        }
        if self.types.is_reference(ty) {
            return Ok((self.reference_to(value, ty), value));
        }
        // An object is copied by its constructor, later.
        let value = if self.types.struct_of(value.ty).is_some() { value } else { self.value(value) };
        if self.is_auto_pointer(ty) && self.types.pointee(value.ty).is_none() {
            return Err(error(
                value.span,
                format_args!("`auto*` needs a pointer, but this has the type `{}`", self.show(value.ty)),
            ));
        }
        Ok((value.ty.plain().qualified_as(ty), value))
    }
}
