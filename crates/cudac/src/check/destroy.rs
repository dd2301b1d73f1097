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

impl<'t> Checker<'_, 't> {
    /// Whether something has to be done when an object of a type ends.
    fn has_destructor(&self, ty: Type) -> bool {
        match self.types.shape(ty) {
            Shape::Array(of, _) => self.has_destructor(of),
            Shape::Struct(at) => {
                let own = &self.types.structs[at];
                own.destructor.is_some() || own.fields.iter().any(|field| self.has_destructor(field.ty))
            }
            _ => false,
        }
    }

    /// Refuses variables with destructors in code of the device.
    pub(super) fn allow_destructor(&mut self, ty: Type, span: Span) -> Result<()> {
        if self.in_host_code() || !self.has_destructor(ty) {
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
        // Numbers end without anything being done.
        let Some(at) = self.types.struct_of(object.ty) else { return Ok(all) };
        if let Some(declared) = self.types.structs[at].destructor {
            all = self.call_method(declared, object, &[], span)?;
        }
        // The members follow, the last one first.
        for nth in (0..self.types.structs[at].fields.len()).rev() {
            let ty = self.types.structs[at].fields[nth].ty;
            if !self.has_destructor(ty) {
                continue;
            }
            if self.types.is_array(ty) {
                return Err(unsupported(
                    span,
                    "deleting an object with an array of objects with destructors",
                ));
            }
            let place = self.placed(object);
            let member = self.field_at(place, nth, span);
            let member = self.destroyed(member, span)?;
            all = self.node(Kind::Comma(all, member), void, span);
        }
        Ok(all)
    }

    /// Whether objects that a pointer points to have a constructor without arguments, or a destructor.
    /// `__cudac_constructs` and `__cudac_destroys` of the headers, with which arrays of numbers need no loop.
    pub(super) fn needs_code(&mut self, is_made: bool, pointer: Type, span: Span) -> Result<bool> {
        let Some(ty) = self.types.pointee(pointer) else { return Ok(false) };
        if is_made {
            return Ok(self.default_value(ty, span)?.is_some());
        }
        Ok(self.has_destructor(ty))
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
