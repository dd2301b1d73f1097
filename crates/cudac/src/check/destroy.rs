//! Objects that have destructors, and `new`, in host code.
//!
//! Which destructor a type has is decided here; when it is called is decided when the host code is lowered. A struct
//! without a destructor of its own has one if a member has, and it has no function: the lowering goes through the
//! members. Left out: destructors in device code. Specification: C++17, [class.dtor] and [expr.new].

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Expr, Kind};
use super::types::{Shape, Type};
use crate::parse::tree;
use crate::source::{Result, Span, unsupported};

/// An array in an object that is deleted has one call for each element, and at most so many.
const MAX_ELEMENTS: u64 = 1024;

impl<'t> Checker<'_, 't> {
    /// Refuses variables with destructors in code of the device.
    pub(super) fn allow_destructor(&mut self, ty: Type, span: Span) -> Result<()> {
        if self.in_host_code() || !self.needs(ty).end {
            return Ok(());
        }
        Err(unsupported(span, "an object with a destructor in device code"))
    }

    /// Checks the destructors of all types that there are. Nothing calls them by name, so they are asked for here.
    /// Checking one may make further types, which the loop then meets.
    pub(super) fn check_destructors(&mut self) {
        let mut at = 0;
        while at < self.types.structs.len() {
            if let Some(declared) = self.types.structs[at].destructor {
                let span = self.declared[declared].function.span;
                match self.instance(declared, &[], span) {
                    Ok(id) => self.types.structs[at].destroys = Some(id),
                    Err(problem) => self.sink.add(problem),
                }
                self.check_pending();
            }
            at += 1;
        }
    }

    /// `p->~S()`: a chain of calls, as an expression.
    pub(super) fn destroyed(&mut self, object: Expr<'t>, span: Span) -> Result<Expr<'t>> {
        let void = self.types.void();
        let mut all = self.node(Kind::Integer(0), void, span);
        if let Shape::Array(of, Some(length)) = self.types.shape(object.ty) {
            if length > MAX_ELEMENTS {
                let what = format!("deleting an object with an array of more than {MAX_ELEMENTS} objects");
                return Err(unsupported(span, what).with_help("use a `std::vector`"));
            }
            let size = self.types.basic(tree::Basic::UnsignedLong);
            for nth in (0..length).rev() {
                let index = self.node(Kind::Integer(nth as i64), size, span);
                let element = self.node(Kind::Element(object, index), of.plain(), span);
                let element = self.destroyed(element, span)?;
                all = self.node(Kind::Comma(all, element), void, span);
            }
            return Ok(all);
        }
        // Numbers end without anything being done.
        let Some(at) = self.types.struct_of(object.ty) else { return Ok(all) };
        if let Some(declared) = self.types.structs[at].destructor {
            all = self.call_method(declared, object, &[], span)?;
        }
        // The members follow, the last one first.
        for nth in (0..self.types.structs[at].fields.len()).rev() {
            if self.types.structs[at].is_union || !self.needs(self.types.structs[at].fields[nth].ty).end {
                continue;
            }
            let place = self.placed(object);
            let member = self.field_at(place, nth, span);
            let member = self.destroyed(member, span)?;
            all = self.node(Kind::Comma(all, member), void, span);
        }
        Ok(all)
    }

    /// Whether something is called for objects that a pointer points to: `__cudac_constructs`, `__cudac_copies` and
    /// `__cudac_destroys` of the headers, with which arrays of numbers need no loop.
    pub(super) fn needs_code(&mut self, what: &str, pointer: Type, span: Span) -> Result<bool> {
        let Some(ty) = self.types.pointee(pointer) else { return Ok(false) };
        Ok(match what {
            "constructs" => self.default_value(ty, span)?.is_some(),
            "copies" => self.needs(ty).copy,
            _ => self.needs(ty).end,
        })
    }

    /// `new T(a)`, whose memory is there. Constructing is assigning a new value to the memory; the result is the
    /// pointer again.
    pub(super) fn new_object(
        &mut self,
        scope: ScopeId,
        pointer: tree::Expr<'t>,
        ty: tree::Type<'t>,
        init: Option<tree::Init<'t>>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let pointer = self.value_of(scope, pointer)?;
        let ty = self.object_type(scope, ty)?.plain();
        let value = match init {
            Some(init) => Some(self.initialiser(scope, ty, init, span)?),
            None => self.default_value(ty, span)?,
        };
        let Some(value) = value else { return Ok(pointer) };
        let result = pointer.ty;
        let place = self.node(Kind::Deref(pointer), ty, span);
        let made = self.node(Kind::Assign(place, value), ty, span);
        Ok(self.node(Kind::AddressOf(made), result, span))
    }
}
