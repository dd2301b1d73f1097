//! Expressions: each kind of node is handed to the file that knows it.
//!
//! What comes out of [`Checker::expr`] may be a place, so that `&x`, `x = 1` and references work; whoever needs a
//! number asks [`Checker::value_of`]. Specification: C++17, [expr].

use super::Checker;
use super::constant::literal;
use super::scope::{Entity, ScopeId};
use super::typed::{Constant, Expr, Kind};
use super::types::{Basic, Shape, Type};
use crate::parse::tree::{self, Brackets, ExprKind};
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error};

impl<'t> Checker<'_, 't> {
    /// An expression, which may be a place.
    pub(super) fn expr(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Expr<'t>> {
        let span = written.span;
        budget::spend(Bound::Work, 8, span)?;
        let kind = usize::from(self.unevaluated > 0);
        match self.last[kind] {
            Some((at, known, made)) if at == scope && std::ptr::eq(known, written) => Ok(made),
            _ => {
                let made = budget::deeper(span, || self.any_expr(scope, written))?;
                self.last[kind] = Some((scope, written, made));
                Ok(made)
            }
        }
    }

    fn any_expr(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Expr<'t>> {
        let span = written.span;
        match &written.kind {
            ExprKind::Number(text) => self.number(text.as_str(), span),
            ExprKind::Character(value) => {
                // A character constant is a `char`, which has a sign here ([lex.ccon]).
                let ty = self.types.basic(Basic::Char);
                Ok(self.node(Kind::Integer(i64::from(*value as i8)), ty, span))
            }
            ExprKind::Text(text) => {
                // A pointer at once: nothing but `sizeof` and an initialiser sees that a string is an array
                // ([lex.string]).
                let of = self.types.basic(Basic::Char).qualified(true, false);
                let ty = self.types.pointer(of);
                Ok(self.node(Kind::Text(text), ty, span))
            }
            ExprKind::Bool(value) => {
                let ty = self.types.bool();
                Ok(self.node(Kind::Integer(i64::from(*value)), ty, span))
            }
            // It is of a type of its own, so that an overload for pointers is preferred to one for integers
            // ([lex.nullptr]).
            ExprKind::Null => {
                let ty = self.types.get(Shape::Null);
                Ok(self.node(Kind::Integer(0), ty, span))
            }
            ExprKind::This(_) => self.this(span),
            ExprKind::Path(path) => self.named(scope, path),
            ExprKind::Prefix(operator, inner) => self.prefix(scope, operator, inner, span),
            ExprKind::Postfix(operator, inner) => self.postfix(scope, operator, inner, span),
            ExprKind::Binary(operator, left, right) => self.binary(scope, operator, left, right, span),
            ExprKind::Assign(operator, left, right) => self.assign(scope, operator, left, right, span),
            ExprKind::Conditional(condition, yes, no) => self.conditional(scope, condition, yes, no, span),
            ExprKind::Comma(left, right) => self.comma(scope, left, right, span),
            ExprKind::Call(callee, arguments) => self.call(scope, callee, arguments, span),
            ExprKind::Index(base, index) => self.index(scope, base, index, span),
            ExprKind::Member { base, is_arrow, part } => self.member(scope, base, *is_arrow, part, span),
            ExprKind::Cast(kind, ty, value) => {
                let to = self.resolve(scope, ty)?;
                let value = self.expr(scope, value)?;
                self.cast(scope, *kind, to, value, span)
            }
            ExprKind::Construct(ty, arguments, brackets) => {
                self.construction(scope, ty, arguments, *brackets, span)
            }
            // Where a type is known, `init_from` takes a list before it comes here.
            ExprKind::List(_) => Err(error(span, "a list of values needs a type, as in `int2{1, 2}`")),
            ExprKind::SizeOfType(ty) => {
                let ty = self.resolve(scope, ty)?;
                // C++17, [expr.sizeof]: the size of what a reference refers to.
                let ty = self.types.referred(ty);
                Ok(self.size(self.types.size(ty), span))
            }
            ExprKind::SizeOf(inner) => {
                // A text in quotes is an array, with a zero at its end. Only its size shows that.
                if let ExprKind::Text(text) = &inner.kind {
                    return Ok(self.size(text.len() as u64 + 1, span));
                }
                #[cfg(feature = "host")]
                if let Some(size) = self.open_size(scope, inner)? {
                    return Ok(size);
                }
                let ty = self.type_of_expr(scope, inner)?;
                Ok(self.size(self.types.size(ty), span))
            }
            ExprKind::AlignOf(ty) => {
                let ty = self.resolve(scope, ty)?;
                let ty = self.types.referred(ty);
                Ok(self.size(self.types.align(ty), span))
            }
            ExprKind::Lambda(lambda) => self.lambda(scope, lambda, span),
            #[cfg(feature = "host")]
            ExprKind::New(pointer, ty, init) => self.new_object(scope, pointer, ty, *init, span),
            #[cfg(feature = "host")]
            ExprKind::Launch { kernel, shape, arguments } => {
                self.launch(scope, kernel, shape, arguments, span)
            }
        }
    }

    /// C++17, [expr.comma]. If the right side is a place, so is all of it, and an array remains one; [`Checker::value`]
    /// makes a value of it again.
    fn comma(
        &mut self,
        scope: ScopeId,
        left: tree::Expr<'t>,
        right: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let left = self.expr(scope, left)?;
        let left = self.discarded(left);
        let right = self.expr(scope, right)?;
        if right.is_lvalue() || right.is_xvalue() {
            let pointer = self.types.pointer(right.ty);
            let address = self.node(Kind::AddressOf(right), pointer, right.span);
            let address = self.node(Kind::Comma(left, address), pointer, span);
            return Ok(self.place_at(address, right));
        }
        // The name of a constant remains one, to which no `T&&` is bound.
        let is_constant = self.is_named_constant(right);
        let right = self.value(right);
        let ty = if is_constant { right.ty.qualified(true, false) } else { right.ty };
        Ok(self.node(Kind::Comma(left, right), ty, span))
    }

    /// The place that an address leads to. What may be moved from may still be.
    fn place_at(&self, address: Expr<'t>, part: Expr<'t>) -> Expr<'t> {
        let ty = self.types.pointee(address.ty).unwrap_or(part.ty);
        let place = self.node(Kind::Deref(address), ty, address.span);
        if part.is_xvalue() { self.node(Kind::Temporary(place), ty, address.span) } else { place }
    }

    /// Whether it is the name of a constant variable that has no memory.
    pub(super) fn is_named_constant(&self, expr: Expr<'t>) -> bool {
        !expr.is_place() && self.types.is_arithmetic(expr.ty) && expr.ty.is_const()
    }

    /// An expression as a value.
    pub(super) fn value_of(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Expr<'t>> {
        let expr = self.expr(scope, written)?;
        if self.types.is_void(expr.ty) {
            return Err(error(expr.span, "this has the type `void`, so it has no value"));
        }
        Ok(self.value(expr))
    }

    /// A number of the type `size_t`.
    pub(super) fn size(&mut self, size: u64, span: Span) -> Expr<'t> {
        let ty = self.types.basic(Basic::UnsignedLong);
        self.node(Kind::Integer(size as i64), ty, span)
    }

    fn number(&mut self, text: &str, span: Span) -> Result<Expr<'t>> {
        let (constant, basic) = literal(text).map_err(|message| error(span, message))?;
        let ty = self.types.basic(basic);
        Ok(self.known(constant, ty, span))
    }

    /// A constant, whose value is in the tree.
    pub(super) fn known(&self, constant: Constant, ty: Type, span: Span) -> Expr<'t> {
        let kind = match constant {
            Constant::Integer(value) => Kind::Integer(value),
            Constant::Float(value) => Kind::Float(value),
        };
        self.node(kind, ty, span)
    }

    /// The type of an expression that is not evaluated. Variables in it do not count as used, and functions as called.
    pub(super) fn type_of_expr(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Type> {
        self.unevaluated += 1;
        let result = self.expr(scope, written);
        self.unevaluated -= 1;
        Ok(result?.ty)
    }

    /// What a name stands for in an expression.
    fn named(&mut self, scope: ScopeId, path: &tree::Path<'t>) -> Result<Expr<'t>> {
        let span = path.span;
        match self.lookup(scope, path)? {
            Entity::Local(var, frame) => self.local(var, frame, path),
            Entity::Capture(owner, field) => self.captured(owner, field, span),
            Entity::Global(global) => {
                let ty = self.program.globals[global].ty;
                Ok(self.node(Kind::Global(global), ty, span))
            }
            Entity::Constant(constant, ty, _) => Ok(self.known(constant, ty, span)),
            Entity::Undefined => {
                Err(error(span, format_args!("`{}` is declared, and defined nowhere", self.files.text(span)))
                    .with_help("define it in this file"))
            }
            Entity::Undeduced => Err(error(
                span,
                format_args!(
                    "the type of `{}` follows from this, and is not known here",
                    self.files.text(span)
                ),
            )),
            Entity::Special(register) => self.special(register, span),
            #[cfg(feature = "host")]
            Entity::Functions(functions) if self.is_program && self.in_host_code() => {
                self.function_value(scope, path, &functions)
            }
            Entity::Functions(_) => Err(error(
                span,
                format_args!("`{}` is a function, and is not called here", self.files.text(span)),
            )
            .with_help("add `()` to call it; pointers to functions are not supported")),
            Entity::Type(_) | Entity::TypeTemplate(_) | Entity::Namespace(_) => {
                Err(error(span, format_args!("expected a value, found `{}`", self.files.text(span))))
            }
        }
    }

    /// A variable of the function, or one of the function around a lambda.
    fn local(&mut self, var: usize, frame: usize, path: &tree::Path<'t>) -> Result<Expr<'t>> {
        let span = path.span;
        // Local structs and lambdas can see names of a function that is not being checked any more.
        let depth = self.frames.iter().rposition(|known| known.number == frame);
        let Some(depth) = depth else {
            return Err(error(span, format_args!("`{}` belongs to another function", self.files.text(span))));
        };
        // The name belongs to a function around this one: the body of a lambda uses what it did not capture.
        if depth + 1 < self.frames.len() {
            // A constant is not captured: its value is used ([basic.def.odr]).
            if let Some(constant) = self.frames[depth].vars[var].constant {
                let ty = self.frames[depth].vars[var].ty.plain();
                return Ok(self.known(constant, ty, span));
            }
            let message = format!("the lambda does not capture `{}`", self.files.text(span));
            return Err(
                error(span, message).with_help("write `[=]` to copy what it uses, or `[&]` to refer to it")
            );
        }
        if self.unevaluated == 0 {
            self.frames[depth].vars[var].is_used = true;
        }
        let ty = self.frames[depth].vars[var].ty;
        let ty = self.types.referred(ty);
        Ok(self.node(Kind::Local(var), ty, span))
    }

    /// `threadIdx` as a whole. A struct is made of three registers; naming a component needs only one (`member`).
    fn special(&mut self, register: &'static str, span: Span) -> Result<Expr<'t>> {
        let name = self.names.get(if register.starts_with("%n") { "dim3" } else { "uint3" });
        // Their texts are read with the first use of the name, by the parser.
        let Some(Entity::Type(ty)) = self.scopes.find(0, name).cloned() else {
            return Err(error(span, "name a component: `.x`, `.y` or `.z`"));
        };
        let unsigned = self.types.basic(Basic::Unsigned);
        let component = |at| self.node(Kind::Special(component(register, at)), unsigned, span);
        let kind = Kind::Aggregate(self.arena.list(&[component(0), component(1), component(2)]));
        Ok(self.node(kind, ty.qualified(true, false), span))
    }

    /// `T(a, b)` and `T{a, b}` ([expr.type.conv]).
    fn construction(
        &mut self,
        scope: ScopeId,
        ty: tree::Type<'t>,
        arguments: &[tree::Expr<'t>],
        brackets: Brackets,
        span: Span,
    ) -> Result<Expr<'t>> {
        // `S<int>::f(x)` reads like a type until it is known what `f` is.
        if let tree::TypeKind::Named(path) = &ty.kind
            && path.parts.len() > 1
            && matches!(self.lookup(scope, path)?, Entity::Functions(_))
        {
            let callee =
                self.arena.put(tree::Node { kind: ExprKind::Path(*path), span: path.span, depth: 1 });
            return self.call(scope, callee, arguments, span);
        }
        let to = self.object_type(scope, ty)?;
        // `int(x)` is a cast, and `int()` is zero.
        if self.types.struct_of(to).is_none() {
            return match arguments {
                [one] => {
                    let value = self.expr(scope, one)?;
                    self.cast(scope, tree::CastKind::C, to, value, span)
                }
                [] => Ok(self.zero(to, span)),
                _ => Err(error(span, format_args!("`{}` is made from one value", self.show(to)))),
            };
        }
        self.struct_from(scope, to, arguments, brackets == Brackets::Curly, span)
    }

    /// Zero of any type. C++17, [dcl.init], "to zero-initialize". An aggregate without values is all zeros.
    pub(super) fn zero(&mut self, ty: Type, span: Span) -> Expr<'t> {
        let kind = match self.types.shape(ty) {
            Shape::Struct(_) | Shape::Array(..) => Kind::Aggregate(&[]),
            _ if self.types.is_float(ty) => Kind::Float(0.0),
            _ => Kind::Integer(0),
        };
        self.node(kind, ty.plain(), span)
    }

    /// C++17, [expr.cond]. Of two places of one type it is a place, whose address is chosen; [`Checker::value`] makes a
    /// choice of values of it again.
    fn conditional(
        &mut self,
        scope: ScopeId,
        condition: tree::Expr<'t>,
        yes: tree::Expr<'t>,
        no: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let condition = self.expr(scope, condition)?;
        let condition = self.condition(condition)?;
        let yes = self.expr(scope, yes)?;
        let no = self.expr(scope, no)?;
        let ty = yes.ty.qualified_as(no.ty);
        let is_place = yes.is_lvalue() && no.is_lvalue() || yes.is_xvalue() && no.is_xvalue();
        if is_place && yes.ty.same(no.ty) && (ty == yes.ty || ty == no.ty) {
            let pointer = self.types.pointer(ty);
            let [first, second] =
                [yes, no].map(|place| self.node(Kind::AddressOf(place), pointer, place.span));
            let address = self.node(Kind::Conditional(condition, first, second), pointer, span);
            return Ok(self.place_at(address, yes));
        }
        // The same if one is a constant, which has no address.
        let is_named = |value: Expr<'t>| value.is_lvalue() || value.ty.is_const();
        let is_const = is_named(yes) && is_named(no) && yes.ty.same(no.ty) && ty.is_const();
        // An object is copied by its constructor, below.
        let [yes, no] = [yes, no].map(|value| match self.types.struct_of(value.ty) {
            Some(_) => value,
            None => self.value(value),
        });
        let ty = match () {
            () if yes.ty.same(no.ty) => yes.ty.plain(),
            () if self.types.is_arithmetic(yes.ty) && self.types.is_arithmetic(no.ty) => {
                self.common(yes.ty, no.ty).unwrap_or(yes.ty)
            }
            // Each is tried as the type of the other, the left one first; C++ wants that only one of them works.
            () if self.rank(no, yes.ty).is_some() => yes.ty.plain(),
            () if self.rank(yes, no.ty).is_some() => no.ty.plain(),
            () => {
                let message = format!(
                    "the two values of `?` have the types `{}` and `{}`",
                    self.show(yes.ty),
                    self.show(no.ty)
                );
                return Err(error(span, message).with_help("convert one of them"));
            }
        };
        let yes = self.implicit(yes, ty, &"this value")?;
        let no = self.implicit(no, ty, &"this value")?;
        let kind = Kind::Conditional(condition, yes, no);
        Ok(self.node(kind, ty.qualified(is_const, false), span))
    }
}

/// The register of a component. A table, because [`Kind::Special`] has a text that lives forever.
pub(super) fn component(register: &'static str, at: usize) -> &'static str {
    const NAMES: [(&str, [&str; 3]); 4] = [
        ("%tid", ["%tid.x", "%tid.y", "%tid.z"]),
        ("%ctaid", ["%ctaid.x", "%ctaid.y", "%ctaid.z"]),
        ("%ntid", ["%ntid.x", "%ntid.y", "%ntid.z"]),
        ("%nctaid", ["%nctaid.x", "%nctaid.y", "%nctaid.z"]),
    ];
    NAMES.iter().find(|(name, _)| *name == register).map_or("%tid.x", |(_, names)| names[at.min(2)])
}
