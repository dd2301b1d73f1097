//! Members of structs: fields, methods, operators.
//!
//! Specification: C++17, [expr.ref], [over.match.oper]. An operator is looked for in the struct first, and outside only
//! if it has none, where C++ compares both.

use super::Checker;
use super::expression::component;
use super::scope::{DeclaredId, Entity, ScopeId};
use super::typed::{Expr, Kind};
use super::types::{Basic, Type};
use crate::parse::tree;
use crate::source::near::nearest;
use crate::source::{Failed, Name, Result, Span, error, joined};

impl<'t> Checker<'_, 't> {
    /// `a.b` and `a->b`, where nothing is called.
    pub(super) fn member(
        &mut self,
        scope: ScopeId,
        base: tree::Expr<'t>,
        is_arrow: bool,
        part: &tree::Part<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        if let Some(special) = self.special_member(scope, base, part, span)? {
            return Ok(special);
        }
        let base = self.member_base(scope, base, is_arrow, span)?;
        let Some(at) = self.types.struct_of(base.ty) else {
            return Err(self.no_members(base, part));
        };
        if self.types.structs[at].methods_of(part.name).is_some() {
            let message = format!("`{}` is a function, and is not called here", part.name);
            return Err(error(part.span, message).with_help("add `()` to call it"));
        }
        self.field(base, part.name, part.span, span)
    }

    fn no_members(&self, base: Expr<'t>, part: &tree::Part<'t>) -> Failed {
        let message = format!("`{}` has no members, so `.{}` has no meaning", self.show(base.ty), part.name);
        let problem = error(part.span, message);
        if self.types.is_pointer(base.ty) {
            return problem.with_help("a pointer's members are reached by `->`");
        }
        problem
    }

    /// `threadIdx.x` without building the whole of `threadIdx`.
    fn special_member(
        &mut self,
        scope: ScopeId,
        base: tree::Expr<'t>,
        part: &tree::Part<'t>,
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        // By its name, before the name becomes three registers.
        let tree::ExprKind::Path(path) = &base.kind else { return Ok(None) };
        let [only] = path.parts else { return Ok(None) };
        let Some(Entity::Special(register)) = self.scopes.find(scope, only.name) else { return Ok(None) };
        let register = *register;
        let at = match part.name.as_str() {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => {
                let message = format!("`{}` has no member `{}`", only.name, part.name);
                return Err(error(part.span, message).with_help("its members are `.x`, `.y` and `.z`"));
            }
        };
        let ty = self.types.basic(Basic::Unsigned);
        Ok(Some(self.node(Kind::Special(component(register, at)), ty, span)))
    }

    /// The object before `.` or `->`. `->` of a struct is its `operator->`, of a pointer what it points to
    /// ([over.ref]).
    pub(super) fn member_base(
        &mut self,
        scope: ScopeId,
        base: tree::Expr<'t>,
        is_arrow: bool,
        span: Span,
    ) -> Result<Expr<'t>> {
        let base = self.expr(scope, base)?;
        if !is_arrow {
            return Ok(base);
        }
        let base = match self.types.struct_of(base.ty) {
            Some(_) => match self.operator_call(scope, "->", &[base], span)? {
                Some(pointer) => pointer,
                None => base,
            },
            None => base,
        };
        let value = self.value(base);
        let Some(to) = self.types.pointee(value.ty) else {
            let message = format!("`->` needs a pointer, but this has the type `{}`", self.show(value.ty));
            return Err(error(value.span, message).with_help("the members of an object are reached by `.`"));
        };
        Ok(self.node(Kind::Deref(value), to, span))
    }

    /// A field of an object.
    pub(super) fn field(
        &mut self,
        base: Expr<'t>,
        name: Name<'t>,
        name_span: Span,
        span: Span,
    ) -> Result<Expr<'t>> {
        let Some(at) = self.types.struct_of(base.ty) else {
            return Err(error(name_span, format_args!("`{}` has no members", self.show(base.ty))));
        };
        let Some((_, way)) = self.named_members(at).into_iter().find(|(known, _)| *known == name) else {
            // A static member, or a value of an enumeration in the struct ([expr.ref], paragraph 4). The object is evaluated
            // all the same.
            let value = match self.scopes.find_own(self.types.structs[at].scope, name) {
                Some(Entity::Constant(constant, ty, _)) => self.known(*constant, *ty, span),
                Some(Entity::Global(global)) => {
                    let ty = self.program.globals[*global].ty;
                    return Ok(self.node(Kind::Global(*global), ty, span));
                }
                _ => return Err(self.no_field(base.ty, name, name_span)),
            };
            let mut object = base;
            while let Kind::Field(inner, _) = &object.kind {
                object = inner;
            }
            let is_variable = matches!(object.kind, Kind::Local(_) | Kind::Global(_));
            return Ok(if is_variable { value } else { self.node(Kind::Comma(base, value), value.ty, span) });
        };
        Ok(self.member_on(base, &way, span))
    }

    fn no_field(&self, ty: Type, name: Name<'t>, span: Span) -> Failed {
        let problem = error(span, format_args!("`{}` has no member `{name}`", self.show(ty.plain())));
        let Some(at) = self.types.struct_of(ty) else { return problem };
        let definition = &self.types.structs[at];
        let members = self.named_members(at);
        let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        names.extend(definition.methods.iter().map(|(name, _)| name.as_str()));
        match nearest(name.as_str(), names.iter().copied()) {
            Some(near) => problem.with_help(format_args!("did you mean `{near}`?")),
            None if names.is_empty() || names.len() > 8 => problem,
            None => problem.with_help(format_args!("its members are `{}`", joined(&names, "`, `"))),
        }
    }

    /// Of an object of any struct, by the member's number. A reference as a member is what it refers to; `lower` loads
    /// the pointer.
    pub(super) fn field_at(&mut self, base: Expr<'t>, field: usize, span: Span) -> Expr<'t> {
        let at = self.types.struct_of(base.ty).unwrap_or(0);
        let ty = self.types.structs[at].fields[field].ty;
        let base_ty = base.ty;
        // What is taken out of a temporary object is moved, and not what the object was.
        #[cfg(feature = "host")]
        let base = if self.needs(ty).copy { self.placed(base) } else { base };
        // A `const` object has `const` members, but not `const` things that they refer to.
        let ty = if self.types.is_reference(ty) { self.types.referred(ty) } else { ty.qualified_as(base_ty) };
        self.node(Kind::Field(base, field), ty, span)
    }

    /// `a.f(x)`, also where `f` is a member that can itself be called.
    pub(super) fn method_call(
        &mut self,
        scope: ScopeId,
        base: Expr<'t>,
        part: &tree::Part<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let Some(at) = self.types.struct_of(base.ty) else { return Err(self.no_members(base, part)) };
        // A member that is a lambda or a pointer to a function is called like a method.
        let Some(methods) = self.types.structs[at].methods_of(part.name).cloned() else {
            let has_field = self.named_members(at).iter().any(|(name, _)| *name == part.name);
            if !has_field {
                return Err(self.no_field(base.ty, part.name, part.span));
            }
            let callee = self.field(base, part.name, part.span, span)?;
            let mut passed = self.arguments(scope, arguments)?;
            #[cfg(feature = "host")]
            if let Some(called) = self.call_pointer(callee, &passed, span)? {
                return Ok(called);
            }
            passed.insert(0, callee);
            return match self.operator_call(scope, "()", &passed, span)? {
                Some(result) => Ok(result),
                None => Err(error(span, format_args!("the member `{}` cannot be called", part.name))),
            };
        };
        let explicit = self.explicit(scope, part)?;
        let arguments = self.arguments(scope, arguments)?;
        // A method takes its object by reference, so a value gets memory.
        let base = self.placed(base);
        self.call_one_of(&methods, &explicit, Some(base), &arguments, part.name.as_str(), span)
    }

    /// Calls one member function that is known.
    pub(super) fn call_method(
        &mut self,
        method: DeclaredId,
        base: Expr<'t>,
        arguments: &[Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let base = self.placed(base);
        let name = self.declared[method].function.name;
        self.call_one_of(&[method], &[], Some(base), arguments, name.as_str(), span)
    }

    /// Calls an operator that a struct or a namespace defines for structs, if there is one. C++17, [over.match.oper].
    /// `None` if nothing of that name takes as many arguments: then the operator is the language's own, or an error.
    pub(super) fn operator_call(
        &mut self,
        scope: ScopeId,
        operator: &str,
        arguments: &[Expr<'t>],
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        let name = self.names.get(&format!("operator{operator}"));
        // A method's first operand is its object, and no conversion can make it one.
        let mut methods = None;
        if let Some((this, rest)) = arguments.split_first()
            && let Some(at) = self.types.struct_of(this.ty)
            && let Some(known) = self.types.structs[at].methods_of(name).cloned()
        {
            let this = self.placed(this);
            if self.fits_one_of(&known, this, rest) {
                return self.call_one_of(&known, &[], Some(this), rest, name.as_str(), span).map(Some);
            }
            methods = Some((known, this));
        }
        // In the scope of the expression, and in those of the arguments' types.
        let mut functions = Vec::new();
        let mut add = |found: &[DeclaredId]| {
            for function in found {
                if !functions.contains(function) {
                    functions.push(*function);
                }
            }
        };
        if let Some(Entity::Functions(found)) = self.scopes.find(scope, name) {
            add(found);
        }
        // C++17, [basic.lookup.argdep].
        for argument in arguments {
            let Some(at) = self.types.struct_of(argument.ty) else { continue };
            if let Some(Entity::Functions(found)) = self.scopes.find(self.types.structs[at].scope, name) {
                add(found);
            }
        }
        // A unary and a binary operator have the same name.
        functions.retain(|function| self.declared[*function].function.parameters.len() == arguments.len());
        if let (Some((methods, this)), true) = (methods, functions.is_empty()) {
            let rest = arguments.get(1..).unwrap_or_default();
            return self.call_one_of(&methods, &[], Some(this), rest, name.as_str(), span).map(Some);
        }
        if functions.is_empty() {
            return Ok(None);
        }
        self.call_one_of(&functions, &[], None, arguments, name.as_str(), span).map(Some)
    }

    /// Whether assigning to a struct calls a function.
    pub(super) fn has_assignment(&mut self, ty: Type) -> bool {
        let name = self.names.get("operator=");
        self.types.struct_of(ty).is_some_and(|at| {
            #[cfg(feature = "host")]
            if self.types.structs[at].members.assign {
                return true;
            }
            let methods = self.types.structs[at].methods_of(name);
            methods.is_some_and(|methods| {
                methods.iter().any(|method| !self.declared[*method].function.is_defaulted)
            })
        })
    }
}
