//! Who destroys an object: the block that declares it, the function that has it as a parameter, or the expression that made
//! it as a temporary.
//!
//! Specification: C++17, [class.temporary] and [stmt.jump]. Left out: objects that live as long as the program.
//!
//! The tree only says where an object begins to belong to something ([`Expr::Own`]) and where that ends
//! ([`Stmt::Scope`], [`Expr::Clean`]); the executor keeps the list and calls destructors in reverse, whichever way a
//! scope is left. What has no destructor costs nothing.
//!
//! ```text
//! { S s(1); f(S(2)); }
//!
//! Scope: s is constructed, Own(s)
//!        Clean(f(Own(a temporary)))      the temporary ends here
//!                                        and s at the end of the scope
//! ```

use super::lower::Lower;
use super::{Expr, Stmt};
use crate::check::typed::{self, Kind, VarId};
use crate::check::types::{Shape, Type};
use crate::source::{Result, Span, unsupported};

/// The elements of an array of objects with destructors are destroyed one by one. There are at most so many.
const MAX_ELEMENTS: u64 = 4096;

impl<'t> Lower<'t> {
    /// What has to be called when an object ends, in the order of the construction: offsets and functions.
    pub(super) fn destructors(&mut self, ty: Type, span: Span) -> Result<Vec<(u64, usize)>> {
        Ok(match self.checked.types.shape(ty) {
            Shape::Array(of, Some(length)) => {
                let one = self.destructors(of, span)?;
                let bytes = self.checked.types.size(of);
                let elements = if one.is_empty() { 0 } else { length };
                if elements * one.len() as u64 > MAX_ELEMENTS {
                    let what = format!("an array of more than {MAX_ELEMENTS} objects with destructors");
                    return Err(unsupported(span, what).with_help("use a `std::vector`"));
                }
                let at = |nth: u64, (offset, function): &(u64, usize)| (nth * bytes + offset, *function);
                (0..elements).flat_map(|nth| one.iter().map(move |part| at(nth, part))).collect()
            }
            Shape::Struct(number) => {
                let own = &self.checked.types.structs[number];
                let mut found = Vec::new();
                // Members are constructed before the body of their struct's constructor. Those of a union nobody knows
                // how to destroy.
                for field in own.fields.iter().filter(|_| !own.is_union) {
                    let inner = self.destructors(field.ty, span)?;
                    found.extend(inner.into_iter().map(|(at, function)| (field.offset + at, function)));
                }
                if let Some(function) = own.destroys {
                    found.push((0, self.number_of(function)));
                }
                found
            }
            _ => Vec::new(),
        })
    }

    /// An object at an address, which ends with the statements around it.
    pub(super) fn owned(&mut self, address: Expr, ty: Type, span: Span) -> Result<Expr> {
        let destructors = self.destructors(ty, span)?;
        if destructors.is_empty() {
            return Ok(address);
        }
        // Only statements that own something become a scope.
        self.owns = true;
        Ok(Expr::Own(Box::new(address), destructors))
    }

    /// The parameters that are objects end with the function.
    pub(super) fn own_parameters(&mut self, parameters: &[VarId]) -> Result<Vec<Stmt>> {
        let mut made = Vec::new();
        for var in parameters {
            let declared = &self.checked.program.functions[self.function].vars[*var];
            let slot = Expr::Local(self.slot(*var)?);
            let owned = self.owned(slot, declared.ty, declared.span)?;
            if matches!(owned, Expr::Own(..)) {
                made.push(Stmt::Expr(owned, false));
            }
        }
        Ok(made)
    }

    /// Statements whose objects end with them.
    pub(super) fn block(&mut self, statements: &[typed::Stmt<'t>]) -> Result<Vec<Stmt>> {
        let outer = std::mem::replace(&mut self.owns, false);
        let made = self.statements(statements);
        let owns = std::mem::replace(&mut self.owns, outer);
        Ok(if owns { vec![Stmt::Scope(made?)] } else { made? })
    }

    /// An expression whose temporaries end with it.
    pub(super) fn cleaned(&mut self, lower: impl FnOnce(&mut Self) -> Result<Expr>) -> Result<Expr> {
        let outer = std::mem::replace(&mut self.owns, false);
        let made = lower(self);
        let owns = std::mem::replace(&mut self.owns, outer);
        Ok(if owns { Expr::Clean(Box::new(made?)) } else { made? })
    }

    /// What `return` gives away: a variable of the function is not destroyed. It is moved into the caller's room by its
    /// bytes, which then owns it ([class.copy.elision] allows that).
    pub(super) fn given(&mut self, value: typed::Expr<'t>, made: Expr) -> Result<Expr> {
        let Kind::Load(place) = &value.kind else { return Ok(made) };
        // What is elsewhere may end with an object of this function, before the caller copies it.
        if !self.is_in_frame(place) {
            let slot = Expr::Local(self.temporary(value.ty, value.span)?);
            return Ok(self.put(slot, value.ty, made, value));
        }
        if !matches!(place.kind, Kind::Local(_)) || self.destructors(value.ty, value.span)?.is_empty() {
            return Ok(made);
        }
        Ok(Expr::Disown(Box::new(made), self.checked.types.size(value.ty)))
    }

    /// Whether a place is in a variable of the function.
    fn is_in_frame(&self, place: typed::Expr<'t>) -> bool {
        match &place.kind {
            Kind::Field(base, _) | Kind::Element(base, _) => self.is_in_frame(base),
            Kind::Local(var) => {
                let ty = self.checked.program.functions[self.function].vars[*var].ty;
                !self.checked.types.is_reference(ty)
            }
            _ => false,
        }
    }
}
