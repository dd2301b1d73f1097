//! Types as they are written to types as they are.
//!
//! Specification: C++17, [dcl.meaning] and [dcl.type].

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::{Expr, Kind};
use super::types::{MAX_SIZE, Shape, Type};
use crate::parse::tree::{self, ExprKind, TypeKind};
use crate::source::{Result, error};

impl<'t> Checker<'_, 't> {
    /// The type that is written, from a scope.
    pub(super) fn resolve(&mut self, scope: ScopeId, written: tree::Type<'t>) -> Result<Type> {
        let ty = match &written.kind {
            TypeKind::Basic(basic) => self.types.basic(*basic),
            TypeKind::Auto => self.types.get(Shape::Auto),
            TypeKind::Named(path) => self.type_of_path(scope, path)?,
            TypeKind::TypeOf(value) => self.type_of_expr(scope, value)?,
            TypeKind::Decltype(value) => {
                self.unevaluated += 1;
                let found = self.expr(scope, value);
                self.unevaluated -= 1;
                self.decltype(found?, value)
            }
            TypeKind::Pointer(to) => {
                let to = self.resolve(scope, to)?;
                if self.types.is_reference(to) {
                    return Err(error(written.span, "there are no pointers to references"));
                }
                self.types.pointer(to)
            }
            // References to references collapse ([dcl.ref]), as an argument of a template may be one.
            TypeKind::Reference(to) => {
                let to = self.resolve(scope, to)?;
                let to = self.types.referred(to);
                self.types.get(Shape::Reference(to))
            }
            TypeKind::Rvalue(to) => {
                let to = self.resolve(scope, to)?;
                self.types.rvalue(to)
            }
            TypeKind::Array(of, length) => self.array(scope, of, *length, written)?,
            #[cfg(feature = "host")]
            TypeKind::Function(result, parameters) => {
                let result = self.resolve(scope, result)?;
                let mut types = Vec::with_capacity(parameters.len());
                for parameter in *parameters {
                    let ty = self.resolve(scope, parameter)?.plain();
                    // Parameters that are arrays are pointers, and their qualifiers are not part of the function's type
                    // ([dcl.fct]).
                    types.push(match self.types.shape(ty) {
                        Shape::Array(of, _) => self.types.pointer(of),
                        _ => ty,
                    });
                }
                self.types.function(result, types)
            }
        };
        // The qualifiers of an array are those of its elements.
        if let (Shape::Array(of, length), true) =
            (self.types.shape(ty), written.is_const || written.is_volatile)
        {
            let of = of.qualified(written.is_const, written.is_volatile);
            return Ok(self.types.get(Shape::Array(of, length)));
        }
        Ok(ty.qualified(written.is_const, written.is_volatile))
    }

    /// C++17, [dcl.type.decltype], paragraph 4: what a name or a member is declared as; of any other expression, the type of
    /// a value, `T&&` of what may be moved from, and `T&` of any other place.
    pub(super) fn decltype(&mut self, value: Expr<'t>, written: tree::Expr<'t>) -> Type {
        // Parentheses are in the span alone.
        let is_bare = match &written.kind {
            ExprKind::Path(path) => written.span == path.span,
            ExprKind::Member { base, .. } => {
                (written.span.file(), written.span.start()) == (base.span.file(), base.span.start())
            }
            _ => false,
        };
        let frame = self.frames.last();
        match value.kind {
            Kind::Local(var) if is_bare => frame.map_or(value.ty, |frame| frame.vars[var].ty),
            Kind::Field(base, field) if is_bare => {
                let at = self.types.struct_of(base.ty).unwrap_or(0);
                self.declared_member(at, field)
            }
            _ if is_bare => value.ty,
            // The name of a constant is a variable's.
            _ if value.is_lvalue() || self.is_named_constant(value) => {
                self.types.get(Shape::Reference(value.ty))
            }
            _ if value.is_xvalue() => self.types.rvalue(value.ty),
            _ if self.types.struct_of(value.ty).is_none() => value.ty.plain(),
            _ => value.ty,
        }
    }

    /// What a member is declared as. What a lambda has captured is declared around it ([expr.prim.lambda.capture],
    /// paragraph 14).
    fn declared_member(&self, at: usize, field: usize) -> Type {
        let own = &self.types.structs[at].fields[field];
        if !self.is_closure(at) {
            return own.ty;
        }
        let referred = self.types.referred(own.ty);
        let around = self.scopes.parent(self.types.structs[at].scope);
        let known = match around.and_then(|around| self.scopes.find(around, own.name)) {
            Some(Entity::Local(var, number)) => {
                let frame = self.frames.iter().find(|frame| frame.number == *number);
                frame.map_or(referred, |frame| frame.vars[*var].ty)
            }
            Some(Entity::Capture(owner, field)) if *owner != at => self.declared_member(*owner, *field),
            _ => own.ty,
        };
        // `[x = value]` is another variable.
        if self.types.referred(known).same(referred) { known } else { own.ty }
    }

    /// An array's length is a constant. In host code one that varies comes to [`Checker::varying`] first.
    fn array(
        &mut self,
        scope: ScopeId,
        of: tree::Type<'t>,
        length: Option<tree::Expr<'t>>,
        written: tree::Type<'t>,
    ) -> Result<Type> {
        let of = self.resolve(scope, of)?;
        if self.types.is_void(of) || self.types.is_reference(of) {
            let message = format!("there are no arrays of `{}`", self.show(of));
            return Err(error(written.span, message));
        }
        let Some(length) = length else { return Ok(self.types.get(Shape::Array(of, None))) };
        let value = self.integer_constant(scope, length, "the length of an array")?;
        if value <= 0 {
            return Err(error(length.span, format_args!("an array cannot have {value} elements")));
        }
        if (value as u64).saturating_mul(self.types.size(of).max(1)) > MAX_SIZE {
            return Err(error(length.span, "this array is larger than 2 GiB"));
        }
        Ok(self.types.get(Shape::Array(of, Some(value as u64))))
    }

    /// A type that a variable can have.
    pub(super) fn object_type(&mut self, scope: ScopeId, written: tree::Type<'t>) -> Result<Type> {
        let ty = self.resolve(scope, written)?;
        if self.types.is_void(ty) {
            return Err(error(written.span, "a variable cannot have the type `void`"));
        }
        // A pointer to it would be allowed ([basic.types], "incomplete").
        if let Some(at) = self.types.struct_of(ty)
            && !self.types.structs[at].is_complete
        {
            let message = format!("the members of `{}` are not known here", self.show(ty));
            return Err(error(written.span, message));
        }
        Ok(ty)
    }
}
