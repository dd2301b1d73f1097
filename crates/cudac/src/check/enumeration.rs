//! Enumerations: their values, and the integer type that they are stored as.
//!
//! The values of an unscoped enumeration are visible beside it, too. Without a written type, the text's values decide:
//! the first of `int`, `unsigned`, `long` and `unsigned long` that has them all, which is also what they are promoted to.
//! Specification: C++17, [dcl.enum], [conv.prom].
//!
//! ```text
//! enum { A, B = 7 };                  int
//! enum { M = 0xffffffff };            unsigned
//! enum { M = 0xffffffff, N = -1 };    long
//! enum E : unsigned char { A = 300 }  an error
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::Constant;
use super::types::{Basic, Enum, Shape, Type};
use crate::parse::tree;
use crate::source::{Name, Result, Span, error};

/// In the order in which they are tried.
const UNDERLYING: [Basic; 4] = [Basic::Int, Basic::Unsigned, Basic::Long, Basic::UnsignedLong];

impl<'t> Checker<'_, 't> {
    pub(super) fn declare_enum(&mut self, scope: ScopeId, definition: &tree::Enum<'t>) -> Result<()> {
        let fixed = match &definition.underlying {
            Some(ty) => Some(self.resolve(scope, ty)?.plain()),
            None if definition.is_scoped => Some(self.types.int()),
            None => None,
        };
        let underlying = fixed.unwrap_or_else(|| self.types.int());
        if !matches!(self.types.shape(underlying), Shape::Basic(_)) || !self.types.is_integral(underlying) {
            let span = definition.underlying.map_or(Span::default(), |ty| ty.span);
            return Err(error(span, "the type of an enumeration's values is an integer"));
        }
        let values = self.scopes.push(scope);
        let (name, is_scoped) = (definition.name.as_str(), definition.is_scoped);
        self.types.enums.push(Enum { name, underlying, is_scoped, scope, values });
        let at = self.types.enums.len() - 1;
        let ty = self.types.get(Shape::Enum(at));
        self.scopes.declare(scope, definition.name, Entity::Type(ty));
        let found = self.enumerators(scope, values, definition, fixed)?;
        if fixed.is_none() {
            self.types.enums[at].underlying = self.underlying(&found, definition)?;
        }
        // Only now are they of the enumeration; between its braces they have the types of their values.
        for (name, value) in found {
            self.declare_value(scope, values, is_scoped, name, value, ty);
        }
        Ok(())
    }

    /// The values, from first to last: each is one more than the one before, unless it says something else.
    fn enumerators(
        &mut self,
        scope: ScopeId,
        values: ScopeId,
        definition: &tree::Enum<'t>,
        fixed: Option<Type>,
    ) -> Result<Vec<(Name<'t>, i128)>> {
        let mut found: Vec<(Name<'t>, i128)> = Vec::with_capacity(definition.values.len());
        let mut ty = fixed.unwrap_or_else(|| self.types.int());
        for (name, written, span) in definition.values {
            let mut value = found.last().map_or(0, |(_, value)| value + 1);
            if let Some(written) = written {
                let (known, own) = self.typed_constant(values, written, "the value of an enumeration")?;
                value = if self.types.is_unsigned(own) { i128::from(known as u64) } else { known.into() };
                ty = fixed.unwrap_or(own);
            }
            if fixed.is_none() && !self.holds(ty, value) {
                let wider = UNDERLYING.map(|basic| self.types.basic(basic));
                ty = wider.into_iter().find(|ty| self.holds(*ty, value)).unwrap_or(ty);
            }
            if !self.holds(ty, value) {
                let message = format!("`{name}` is {value}, which `{}` cannot hold", self.show(ty));
                return Err(error(*span, message));
            }
            let around = if definition.is_scoped { values } else { scope };
            if self.scopes.find_own(around, *name).is_some() {
                return Err(error(*span, format_args!("`{name}` is declared already")));
            }
            self.declare_value(scope, values, definition.is_scoped, *name, value, ty);
            found.push((*name, value));
        }
        Ok(found)
    }

    fn declare_value(
        &mut self,
        scope: ScopeId,
        values: ScopeId,
        is_scoped: bool,
        name: Name<'t>,
        value: i128,
        ty: Type,
    ) {
        let entity = Entity::Constant(Constant::Integer(value as i64), ty, None);
        if !is_scoped {
            self.scopes.declare(scope, name, entity.clone());
        }
        self.scopes.declare(values, name, entity);
    }

    /// The first type that holds all of the values.
    fn underlying(&mut self, found: &[(Name<'t>, i128)], definition: &tree::Enum<'t>) -> Result<Type> {
        let types = UNDERLYING.map(|basic| self.types.basic(basic));
        let holds_all = |ty: &Type| found.iter().all(|(_, value)| self.holds(*ty, *value));
        types.into_iter().find(holds_all).ok_or_else(|| {
            let span = definition.values.last().map_or(Span::default(), |(_, _, span)| *span);
            error(span, "no integer type holds all values of this enumeration")
        })
    }

    /// Whether an integer type has a value.
    fn holds(&self, ty: Type, value: i128) -> bool {
        let bits = if self.types.is_bool(ty) { 1 } else { 8 * self.types.size(ty) as u32 };
        let (least, most) = if self.types.is_unsigned(ty) {
            (0, (1 << bits) - 1)
        } else {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        };
        (least..=most).contains(&value)
    }
}
