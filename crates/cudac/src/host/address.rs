//! Places: the address of a variable, a member, an element, a temporary.
//!
//! Unlike in the kernels' code, every place has an address: there are no registers. A reference is an address in the
//! memory of its variable, and is loaded where it is used. Specification: C++17, [expr.ref], [expr.sub],
//! [class.temporary].

use super::lower::Lower;
use super::{Expr, Scalar, UpdateResult};
use crate::check::typed::{self, GlobalId, Kind, VarId};
use crate::check::types::{Shape, Type};
use crate::source::line::Line;
use crate::source::{Result, unsupported};

impl<'t> Lower<'t> {
    /// The address of a place, or of a value that is put into one.
    pub(super) fn address(&mut self, expr: typed::Expr<'t>) -> Result<Expr> {
        match &expr.kind {
            Kind::Local(var) => self.local(*var),
            Kind::Global(global) if self.is_on_host(*global) => Ok(Expr::Global(self.global(*global))),
            // A variable of the device: it has an address on the host's side, which runtime functions take
            // (`cudaMemcpyToSymbol`).
            Kind::Global(global) => Ok(Expr::Symbol(self.symbol(*global))),
            Kind::Deref(pointer) => self.value(pointer),
            Kind::Field(base, field) => self.field(expr, base, *field),
            Kind::Element(base, index) => {
                let base = self.address(base)?;
                let bytes = self.checked.types.size(expr.ty) as i64;
                Ok(Expr::Index(Box::new(base), Box::new(self.index(index)?), bytes))
            }
            Kind::Assign(place, value) => self.assign(place, value, true, expr),
            Kind::Update { .. } => self.update(expr, UpdateResult::Address),
            Kind::Step { is_post: false, .. } => self.step(expr, UpdateResult::Address),
            Kind::Load(place) if self.scalar(expr.ty).is_none() => self.address(place),
            Kind::Temporary(inner) if inner.is_place() => self.address(inner),
            // Nothing else will destroy the object.
            Kind::Temporary(inner) => {
                let place = self.placed(inner)?;
                self.owned(place, inner.ty, inner.span)
            }
            _ => self.placed(expr),
        }
    }

    /// Whether host code has a variable of its own by this name: one of the host, or a table of the functions of this crate, which are
    /// of both sides.
    fn is_on_host(&self, global: GlobalId) -> bool {
        let known = &self.checked.program.globals[global];
        known.is_host || known.name.starts_with("__own_")
    }

    fn local(&mut self, var: VarId) -> Result<Expr> {
        let ty = self.checked.program.functions[self.function].vars[var].ty;
        let slot = Expr::Local(self.slot(var)?);
        Ok(if self.checked.types.is_reference(ty) {
            Expr::Load(Scalar::U64, Box::new(slot), Line::NONE)
        } else {
            slot
        })
    }

    fn field(&mut self, expr: typed::Expr<'t>, base: typed::Expr<'t>, field: usize) -> Result<Expr> {
        let Some(at) = self.checked.types.struct_of(base.ty) else {
            return Err(unsupported(expr.span, "this member"));
        };
        // The member of an object that nobody has a name for.
        let is_made = is_made(base);
        let (of, span) = (base.ty, base.span);
        let base = self.address(base)?;
        let base = if is_made { self.owned(base, of, span)? } else { base };
        let field = &self.checked.types.structs[at].fields[field];
        let place = if field.offset == 0 { base } else { Expr::Offset(Box::new(base), field.offset) };
        // A reference is followed, unless it is itself what is wanted, as when a constructor binds it.
        let refers = self.checked.types.is_reference(field.ty) && !self.checked.types.is_reference(expr.ty);
        Ok(if refers { Expr::Load(Scalar::U64, Box::new(place), Line::NONE) } else { place })
    }

    /// A value in a temporary of its own. An object that was just made has its place already; any other may be where a
    /// variable is, which must not change with the temporary.
    pub(super) fn placed(&mut self, expr: typed::Expr<'t>) -> Result<Expr> {
        let value = self.value(expr)?;
        if self.scalar(expr.ty).is_none() && (is_made(expr) || self.checked.types.is_void(expr.ty)) {
            return Ok(value);
        }
        let slot = Expr::Local(self.temporary(expr.ty, expr.span)?);
        let Some(ty) = self.scalar(expr.ty) else { return Ok(self.put(slot, expr.ty, value, expr)) };
        Ok(Expr::StoreAt(ty, Box::new(slot), Box::new(value), self.line(expr.span)))
    }

    /// An index in 64 bits.
    pub(super) fn index(&mut self, index: typed::Expr<'t>) -> Result<Expr> {
        let ty = self.number(index.ty, index.span)?;
        let value = self.value(index)?;
        let wide = if matches!(ty, Scalar::U32 | Scalar::U64) { Scalar::U64 } else { Scalar::I64 };
        Ok(value.converted(wide, ty))
    }

    /// The members of a struct or the elements of an array are stored at an address; missing ones are zero.
    pub(super) fn fill(
        &mut self,
        at: u64,
        ty: Type,
        items: &[typed::Expr<'t>],
        made: &mut Vec<Expr>,
    ) -> Result<()> {
        let types = &self.checked.types;
        let parts: Vec<(u64, Type)> = match types.shape(ty) {
            Shape::Struct(known) => {
                let known = &types.structs[known];
                let count = if known.is_union { 1 } else { known.fields.len() };
                known.fields.iter().take(count).map(|field| (field.offset, field.ty)).collect()
            }
            Shape::Array(of, _) => (0..items.len() as u64).map(|nth| (nth * types.size(of), of)).collect(),
            _ => Vec::new(),
        };
        // Everything is set to zero first, so that missing values need no stores.
        made.push(Expr::Clear(types.size(ty), Box::new(Expr::Local(at))));
        for ((offset, part), item) in parts.into_iter().zip(items) {
            let place = at + offset;
            if let (Kind::Aggregate(inner), None) = (&item.kind, self.scalar(part)) {
                self.fill(place, part, inner, made)?;
                continue;
            }
            let is_reference = self.checked.types.is_reference(part);
            let value = if is_reference { self.address(item)? } else { self.value(item)? };
            made.push(self.put(Expr::Local(place), part, value, item));
        }
        Ok(())
    }

    /// Stores a value of a type at an address. An object is copied by its bytes: if the text has a constructor for
    /// copies, the value is its result.
    pub(super) fn put(&self, at: Expr, ty: Type, value: Expr, of: typed::Expr<'t>) -> Expr {
        let line = self.line(of.span);
        match self.scalar(ty) {
            Some(scalar) => Expr::Store(scalar, Box::new(at), Box::new(value), line),
            None => Expr::Copy(self.checked.types.size(ty), Box::new(at), Box::new(value), line),
        }
    }
}

/// Whether an object is a new one.
fn is_made(expr: typed::Expr<'_>) -> bool {
    matches!(expr.kind, Kind::Call(..) | Kind::CallPointer(..) | Kind::Construct(..) | Kind::Aggregate(_))
}
