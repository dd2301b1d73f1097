//! Calls that are no calls of a function: the names that are reserved for the texts of this crate, and `printf`.
//!
//! ```text
//! __cudac_min(a, b)     min, max, abs, mulhi, fma, brev: an instruction of the type of the arguments
//! __cudac_popc(a)       popc, clz: an `int`
//! __cudac_bits<T>(a)    the same bits as another type
//! __cudac_unsupported() an error, if it is still there when code is made
//! ```

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Expr, Intrinsic, Kind};
use super::types::Argument;
use crate::parse::tree::{self, ExprKind};
use crate::source::{Result, Span, error};

impl<'t> Checker<'_, 't> {
    /// Names that are reserved for this compiler, and `printf`: `None` if it is another one.
    ///
    /// They are the way from `headers/` to instructions that the optimiser knows ([`Intrinsic`]); all other
    /// instructions are inline PTX, whose meaning it does not know. In host code, `sprintf` and its like are here as
    /// well.
    pub(super) fn intrinsic(
        &mut self,
        scope: ScopeId,
        part: &tree::Part<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        let name = part.name.as_str();
        // A text may declare a function of that name itself.
        if name == "printf" && self.scopes.find(scope, part.name).is_none() {
            return self.printf(scope, arguments, span).map(Some);
        }
        #[cfg(feature = "host")]
        if let Some(made) = self.formatted(scope, part, arguments, span)? {
            return Ok(Some(made));
        }
        #[cfg(feature = "host")]
        if name == "fprintf" && self.is_program && self.scopes.find(scope, part.name).is_none() {
            return self.fprintf(scope, arguments, span).map(Some);
        }
        let Some(name) = name.strip_prefix("__cudac_") else { return Ok(None) };
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value_of(scope, argument)?);
        }
        let first = values.first().map(|value| value.ty);
        let void = self.types.void();
        let int = self.types.int();
        // Operations on one type have its type as their result; those that count bits return an `int`.
        let (intrinsic, ty) = match (name, first) {
            ("min", Some(ty)) => (Intrinsic::Min, ty),
            ("max", Some(ty)) => (Intrinsic::Max, ty),
            ("abs", Some(ty)) => (Intrinsic::Abs, ty),
            ("mulhi", Some(ty)) => (Intrinsic::MulHigh, ty),
            ("fma", Some(ty)) => (Intrinsic::Fma, ty),
            ("brev", Some(ty)) => (Intrinsic::Brev, ty),
            ("popc", Some(_)) => (Intrinsic::Popc, int),
            ("clz", Some(_)) => (Intrinsic::Clz, int),
            #[cfg(feature = "host")]
            // For `vector` and `delete` of the host's headers, which call nothing for numbers.
            ("destroys" | "copies" | "constructs", Some(ty)) => {
                let found = self.needs_code(name, ty, span)?;
                return Ok(Some(self.node(Kind::Integer(i64::from(found)), int, span)));
            }
            // What a header knows and cannot do. It is an error only if it can be executed: it may be in a branch that
            // is never taken.
            ("unsupported", _) => (Intrinsic::Unreachable, void),
            ("bits", Some(_)) => {
                let explicit = self.explicit(scope, part)?;
                let Some(Argument::Type(ty)) = explicit.first() else {
                    // The type comes as a second argument of that type, which is not evaluated.
                    let ty = values.get(1).map_or(int, |value| value.ty);
                    values.truncate(1);
                    return Ok(Some(self.node(
                        Kind::Intrinsic(Intrinsic::Bits, self.arena.list(&values)),
                        ty,
                        span,
                    )));
                };
                (Intrinsic::Bits, *ty)
            }
            _ => return Err(error(span, format_args!("`__cudac_{name}` is not known"))),
        };
        Ok(Some(self.node(Kind::Intrinsic(intrinsic, self.arena.list(&values)), ty, span)))
    }

    /// CUDA programming guide, "Formatted Output": at most 32 values. The text has to be known here.
    pub(super) fn printf(
        &mut self,
        scope: ScopeId,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let Some((format, rest)) = arguments.split_first() else {
            return Err(error(span, "`printf` needs a text as its first argument"));
        };
        let ExprKind::Text(text) = &format.kind else {
            return Err(error(format.span, "the first argument of `printf` has to be a text in quotes"));
        };
        if rest.len() > 32 {
            return Err(error(span, "`printf` takes at most 32 values"));
        }
        let mut values = Vec::new();
        for value in rest {
            let mut value = self.value_of(scope, value)?;
            // C++ would pass its bytes, which no format can print.
            if self.types.struct_of(value.ty).is_some() {
                let message = format!("`printf` cannot print a `{}`", self.show(value.ty));
                return Err(error(value.span, message).with_help("print its members one by one"));
            }
            // C++17, [expr.call]: what C does to the arguments of `...`.
            value = self.promote(value);
            if self.types.basic_of(value.ty) == Some(tree::Basic::Float) {
                let double = self.types.basic(tree::Basic::Double);
                value = self.converted(value, double);
            }
            values.push(value);
        }
        self.warn_printf(text, &values, span);
        let ty = self.types.int();
        Ok(self.node(Kind::Printf(text, self.arena.list(&values)), ty, span))
    }
}
