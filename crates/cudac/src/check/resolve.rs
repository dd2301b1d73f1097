//! Types as they are written to types as they are.
//!
//! Specification: C++17, [dcl.meaning] and [dcl.type].

use super::Checker;
use super::scope::ScopeId;
use super::types::{MAX_SIZE, Shape, Type};
use crate::parse::tree::{self, TypeKind};
use crate::source::{Result, error};

impl<'t> Checker<'_, 't> {
    /// The type that is written, from a scope.
    pub(super) fn resolve(&mut self, scope: ScopeId, written: tree::Type<'t>) -> Result<Type> {
        let ty = match &written.kind {
            TypeKind::Basic(basic) => self.types.basic(*basic),
            TypeKind::Auto => self.types.get(Shape::Auto),
            TypeKind::Named(path) => self.type_of_path(scope, path)?,
            // The type of the expression; that `decltype((x))` is a reference is left out.
            TypeKind::Decltype(value) => self.type_of_expr(scope, value)?,
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

    /// An array's length is a constant; a variable one is an extension of other compilers.
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
