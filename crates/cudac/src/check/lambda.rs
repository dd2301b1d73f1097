//! Lambdas: a struct with what they capture, and a call operator.
//!
//! [expr.prim.lambda.closure] describes just that, so a lambda needs no node of its own: it is an aggregate of what it
//! captures, and calling it is calling a method. Names of the function around it are found in the closure's scope as
//! [`Entity::Capture`], before the variables themselves. What a lambda needs of the object that its method belongs to, it
//! reaches through a member named `this`, a reference. Left out: copies of
//! arrays.
//! Specification: C++17, [expr.prim.lambda].
//!
//! ```text
//! auto f = [n, &s](int x) { s += n * x; };
//!
//! struct { int n; int& s; auto operator()(int x) const { s += n * x; } } f = { n, s };
//! ```

use super::scope::{Entity, ScopeId};
use super::typed::{Expr, Kind};
use super::types::{Field, Shape, Struct};
use super::{Checker, Declared};
use crate::parse::tree::{Capture, Lambda};
use crate::source::budget::{self, Bound};
use crate::source::map::{List, Set};
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    pub(super) fn lambda(&mut self, scope: ScopeId, lambda: &'t Lambda<'t>, span: Span) -> Result<Expr<'t>> {
        let mut captured: Vec<(Name<'t>, Capture, Expr<'t>)> = Vec::new();
        for (name, capture, init, at) in lambda.captures {
            if *capture == Capture::This {
                let object = self.this_place(*at)?;
                captured.push((self.names.get("this"), Capture::Reference, object));
                continue;
            }
            // `[a]` is `[a = a]`.
            let path = crate::parse::tree::Path {
                parts: self.arena.list(&[crate::parse::tree::Part {
                    name: *name,
                    arguments: None,
                    span: *at,
                }]),
                span: *at,
            };
            let kind = crate::parse::tree::ExprKind::Path(path);
            let written = self.arena.put(crate::parse::tree::Node { kind, span: *at, depth: 1 });
            let value = self.expr(scope, init.unwrap_or(written))?;
            captured.push((*name, *capture, value));
        }
        // What is named explicitly comes first, and is not captured twice.
        if let Some(default) = lambda.default {
            self.capture_used(scope, lambda, default, &mut captured, span);
        }
        let inner = self.scopes.push(scope);
        self.declare_constants(inner, lambda);
        self.closure(inner, lambda, captured, span)
    }

    /// Constant variables are not captured: the body uses their values ([basic.def.odr]). It may be checked when the
    /// function that has them no longer is.
    fn declare_constants(&mut self, inner: ScopeId, lambda: &Lambda<'t>) {
        let mut names = Vec::new();
        if let Some(body) = &lambda.function.body {
            super::warnings::names_of(body, &mut |name| names.push(name));
        }
        for name in names {
            let Some(Entity::Local(var, number)) = self.scopes.find(inner, name) else { continue };
            let frame = self.frames.iter().find(|frame| frame.number == *number);
            let var = frame.and_then(|frame| frame.vars.get(*var));
            if let Some((constant, ty, span)) = var.and_then(|var| Some((var.constant?, var.ty, var.span))) {
                let entity = self.constant_entity(name, constant, ty, span);
                self.scopes.declare(inner, name, entity);
            }
        }
    }

    /// The variables of the function that the lambda's text names. C++17, [expr.prim.lambda.capture]: those that the
    /// body names. All names in the body are looked up outside of it; one that the body declares itself may be captured
    /// for nothing.
    fn capture_used(
        &mut self,
        scope: ScopeId,
        lambda: &Lambda<'t>,
        default: Capture,
        captured: &mut Vec<(Name<'t>, Capture, Expr<'t>)>,
        span: Span,
    ) {
        let mut names = Set::default();
        let mut ordered = Vec::new();
        if let Some(body) = &lambda.function.body {
            super::warnings::names_of(body, &mut |name| {
                if names.insert(name, ()).is_none() {
                    ordered.push(name);
                }
            });
        }
        // Variables of functions further out are not captured from here: the lambda around this one has them, if it
        // names them.
        let Some(number) = self.frames.last().map(|frame| frame.number) else { return };
        let this = self.names.get("this");
        for name in ordered {
            if captured.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            // Members are no variables: naming one captures `this`, also where variables are copied
            // ([expr.prim.lambda.capture], paragraph 7).
            if name == this || self.is_of_this(scope, name) {
                if !captured.iter().any(|(known, ..)| *known == this)
                    && let Ok(object) = self.this_place(span)
                {
                    captured.push((this, Capture::Reference, object));
                }
                continue;
            }
            let value = match self.scopes.find(scope, name).cloned() {
                Some(Entity::Local(var, frame)) if frame == number => {
                    // Its value is used in place of the variable.
                    let is_constant =
                        self.frames.last().is_some_and(|frame| frame.vars[var].constant.is_some());
                    if is_constant {
                        continue;
                    }
                    let ty = self.frames.last().map(|frame| frame.vars[var].ty);
                    let Some(ty) = ty.map(|ty| self.types.referred(ty)) else { continue };
                    self.node(Kind::Local(var), ty, span)
                }
                // A lambda in a lambda: what the outer one has is captured again.
                Some(Entity::Capture(owner, field)) => match self.captured(owner, field, span) {
                    Ok(value) => value,
                    Err(_) => continue,
                },
                _ => continue,
            };
            captured.push((name, default, value));
        }
    }

    /// Whether a name is that of a member, for which `this` is needed.
    fn is_of_this(&self, scope: ScopeId, name: Name<'t>) -> bool {
        match self.scopes.find(scope, name) {
            Some(Entity::Capture(owner, _)) => !self.is_closure(*owner),
            Some(Entity::Functions(functions)) => functions.iter().any(|at| {
                self.declared[*at].owner.is_some() && !self.declared[*at].function.storage.is_static
            }),
            _ => false,
        }
    }

    /// Whether a struct is that of a lambda. No text can spell such a name.
    pub(super) fn is_closure(&self, at: usize) -> bool {
        self.types.structs[at].name.starts_with("lambda at ")
    }

    /// The struct is laid out here and not by `structure`, since there is no text to read its members from.
    fn closure(
        &mut self,
        inner: ScopeId,
        lambda: &'t Lambda<'t>,
        captured: Vec<(Name<'t>, Capture, Expr<'t>)>,
        span: Span,
    ) -> Result<Expr<'t>> {
        budget::spend(Bound::Instances, 1, span)?;
        let (mut fields, mut values) = (Vec::new(), Vec::new());
        let (mut size, mut align, mut depth) = (0u64, 1u64, 0);
        for (nth, (name, capture, value)) in captured.into_iter().enumerate() {
            let is_reference = capture == Capture::Reference;
            let ty = if is_reference { self.types.get(Shape::Reference(value.ty)) } else { value.ty.plain() };
            if self.types.is_array(ty) {
                return Err(
                    unsupported(span, "copying an array into a lambda").with_help("capture it by `&`")
                );
            }
            // A copy calls the constructor for copies, and a reference is bound.
            values.push(self.implicit(value, ty, &"what is captured")?);
            depth = depth.max(self.types.depth(ty) + 1);
            budget::reach(Bound::Types, depth, span)?;
            let offset = size.next_multiple_of(self.types.align(ty));
            size = offset + self.types.size(ty);
            align = align.max(self.types.align(ty));
            fields.push(Field { name, ty, offset, init: None });
            let owner = self.types.structs.len();
            self.scopes.declare(inner, name, Entity::Capture(owner, nth));
        }
        let (line, column) = self.files.place(span);
        self.types.structs.push(Struct {
            name: self.arena.text(&format!("lambda at {line}:{column}{}", self.files.suffix(span))),
            fields,
            has_default: None,
            depth,
            size: size.max(1).next_multiple_of(align),
            align,
            is_union: false,
            is_complete: true,
            methods: Vec::new(),
            constructors: Vec::new(),
            conversions: Vec::new(),
            #[cfg(feature = "host")]
            destructor: None,
            #[cfg(feature = "host")]
            destroys: None,
            #[cfg(feature = "host")]
            needs: super::types::Needs::default(),
            #[cfg(feature = "host")]
            members: super::types::Needs::default(),
            #[cfg(feature = "host")]
            copies: Vec::new(),
            scope: inner,
            template: None,
        });
        let at = self.types.structs.len() - 1;
        let ty = self.types.get(Shape::Struct(at));
        // The call operator is found like any method; its scope is that of the closure, so that its body sees the
        // captures.
        let method = self.declared.len();
        self.declared.push(Declared {
            function: lambda.function,
            scope: inner,
            owner: Some(ty),
            instances: List::default(),
            is_own: !span.is_users(),
            signature: None,
            specials: Vec::new(),
        });
        let name = lambda.function.name;
        self.types.structs[at].methods.push((name, vec![method]));
        #[cfg(feature = "host")]
        self.add_copies(ty, at, name);
        Ok(self.node(Kind::Aggregate(self.arena.list(&values)), ty, span))
    }

    /// A member of `*this`, or a variable that the lambda has captured, in a body.
    pub(super) fn captured(&mut self, owner: usize, field: usize, span: Span) -> Result<Expr<'t>> {
        let object = if self.is_closure(owner) { self.first_parameter(span) } else { self.this_place(span) };
        match object {
            Ok(object) if self.types.struct_of(object.ty) == Some(owner) => {
                let way = self.named_members(owner).swap_remove(field).1;
                Ok(self.member_on(object, &way, span))
            }
            _ => {
                let name = self.named_members(owner).get(field).map_or("this", |(name, _)| name.as_str());
                let message = format!("the member `{name}` belongs to an object, and there is none here");
                Err(error(span, message))
            }
        }
    }

    /// `*this` in a member function. It is the first parameter, a reference; it becomes a pointer only where one is asked for.
    /// In a lambda it is the object that the lambda has captured.
    pub(super) fn this_place(&mut self, span: Span) -> Result<Expr<'t>> {
        let own = self.first_parameter(span)?;
        let Some(at) = self.types.struct_of(own.ty).filter(|at| self.is_closure(*at)) else { return Ok(own) };
        let this = self.names.get("this");
        match self.types.structs[at].fields.iter().position(|field| field.name == this) {
            Some(field) => Ok(self.field_at(own, field, span)),
            None => Err(error(span, "the lambda does not capture `this`").with_help("write `[this]`")),
        }
    }

    pub(super) fn first_parameter(&self, span: Span) -> Result<Expr<'t>> {
        let Some((frame, var)) = self.frames.last().and_then(|frame| Some((frame, frame.this?))) else {
            return Err(error(span, "there is no `this` outside of a member function"));
        };
        Ok(self.node(Kind::Local(var), self.types.referred(frame.vars[var].ty), span))
    }
}
