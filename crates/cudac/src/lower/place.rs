//! Places: where a variable, a member, an element or what a pointer points to is.
//!
//! A place is a base and a constant offset, which an instruction of PTX can name as they are. Everything that is not
//! constant is added to the base. Specification: C++17, [expr.sub], [expr.ref], [expr.unary.op].
//!
//! ```text
//! a[i + 1].y      with an array of structs of 8 bytes, y at 4, and a signed i
//!
//! base: a + 8 * i         offset: 8 (of the + 1) + 4 (of y)
//! ```

use super::{Binding, Lower, Value};
use crate::check::typed::{Binary as B, Expr, Kind};
use crate::code::{Base, Binary, Class, Op, Operand, Place, Ty};
use crate::source::budget;
use crate::source::{Result, error, unsupported};

impl<'t> Lower<'t> {
    pub(super) fn place(&mut self, expr: Expr<'t>) -> Result<Place> {
        budget::deeper(expr.span, || self.any_place(expr))
    }

    fn any_place(&mut self, expr: Expr<'t>) -> Result<Place> {
        match &expr.kind {
            Kind::Local(var) => self.local_place(*var, expr),
            Kind::Global(global) if self.checked.program.globals[*global].is_host => {
                let name = &self.checked.program.globals[*global].name;
                Err(error(
                    expr.span,
                    format_args!("`{name}` is a variable of the host, which device code cannot use"),
                )
                .with_help("write `__device__` before its type, or pass its value to the kernel"))
            }
            Kind::Global(global) => Ok(Place { base: Base::Symbol(*global), offset: 0 }),
            Kind::Deref(pointer) => {
                let pointer = self.value(pointer)?;
                Ok(self.pointed(pointer))
            }
            Kind::Field(base, field) => self.field_place(expr, base, *field),
            Kind::Element(base, index) => {
                let base_place = self.place(base)?;
                let size = self.checked.types.size(expr.ty) as i64;
                self.element(base_place, index, size, false)
            }
            Kind::Assign(..) | Kind::Update { .. } | Kind::Step { is_post: false, .. } => self.assigned(expr),
            // A struct as a value is where it was; whoever stores it makes the copy.
            Kind::Load(place) if self.ty(expr.ty).is_none() => self.place(place),
            // What is a place needs no copy.
            Kind::Temporary(inner) if inner.is_place() => self.place(inner),
            Kind::Temporary(inner) => self.temporary(inner),
            _ => self.temporary(expr),
        }
    }

    fn local_place(&mut self, var: usize, expr: Expr<'t>) -> Result<Place> {
        match self.frame().vars[var] {
            Binding::Place(place) | Binding::Value(Value::Object(place)) => Ok(place),
            Binding::Value(value) => {
                // Something refers to a variable that never changes. It is stored each time, because not every way may lead
                // by the first place that refers to it.
                let known =
                    self.frame().referred.iter().find(|(known, _)| *known == var).map(|(_, slot)| *slot);
                let slot = known.unwrap_or_else(|| {
                    let slot = self.new_slot(expr.ty, Some(var));
                    self.frame().referred.push((var, slot));
                    slot
                });
                self.store_value(slot, expr.ty, value, expr.span)?;
                Ok(slot)
            }
            // Its declaration has not been lowered.
            Binding::None => {
                let slot = self.new_slot(expr.ty, Some(var));
                self.frame().vars[var] = Binding::Place(slot);
                Ok(slot)
            }
        }
    }

    /// A value in memory of its own.
    pub(super) fn temporary(&mut self, expr: Expr<'t>) -> Result<Place> {
        let value = self.value(expr)?;
        // Any other object may be where a variable is, which must not change with the temporary.
        if let (Value::Object(place), Kind::Construct(..) | Kind::Aggregate(_)) = (value, &expr.kind) {
            return Ok(place);
        }
        let slot = self.new_slot(expr.ty, None);
        self.store_value(slot, expr.ty, value, expr.span)?;
        Ok(slot)
    }

    /// The place that a pointer points to.
    pub(super) fn pointed(&mut self, pointer: Value) -> Place {
        match pointer {
            Value::Address(place) | Value::Object(place) => place,
            value => match self.operand(value) {
                Operand::Reg(reg) => Place { base: Base::Reg(reg), offset: 0 },
                known => {
                    // A known address, such as null, has to be in a register.
                    let dst = self.function.new_reg(Class::B64);
                    self.push(Op::Mov, &[dst], &[known]);
                    Place { base: Base::Reg(dst), offset: 0 }
                }
            },
        }
    }

    /// A reference as a member is followed, unless it is itself what is wanted (`expr` has its type then).
    fn field_place(&mut self, expr: Expr<'t>, base: Expr<'t>, field: usize) -> Result<Place> {
        let base_place = self.place(base)?;
        let Some(at) = self.checked.types.struct_of(base.ty) else {
            return Err(unsupported(expr.span, "this member"));
        };
        let field = &self.checked.types.structs[at].fields[field];
        let place = base_place.after(field.offset);
        let is_itself = self.checked.types.is_reference(expr.ty);
        if !self.checked.types.is_reference(field.ty) || is_itself {
            return Ok(place);
        }
        if let Base::Slot(slot) = place.base
            && let Some(known) = self.references.get(&(slot, place.offset))
        {
            return match known {
                Some(known) => Ok(*known),
                None => Err(unsupported(
                    expr.span,
                    "a reference in a struct that refers to one of several variables",
                )),
            };
        }
        // The reference is in memory as an address.
        let pointer = self.load_scalar(place, Ty::U64, false);
        Ok(self.pointed(Value::Scalar(pointer)))
    }

    /// An element of an array, or what is some elements after a place.
    pub(super) fn element(
        &mut self,
        base: Place,
        index: Expr<'t>,
        size: i64,
        is_negative: bool,
    ) -> Result<Place> {
        // A constant that is added to a signed index goes into the offset, because such a sum does not wrap.
        let (index, constant) = self.split(index)?;
        let sign = if is_negative { -1 } else { 1 };
        let offset = base.offset.wrapping_add(constant.wrapping_mul(size).wrapping_mul(sign));
        let (index, ty) = index;
        // A known index is an offset: the access stays at a known place of its slot.
        if let Operand::Int(value) = index {
            let value = crate::code::fold::wrap(ty, value);
            return Ok(Place {
                offset: offset.wrapping_add(value.wrapping_mul(size).wrapping_mul(sign)),
                ..base
            });
        }
        let distance = self.scaled(index, ty, size);
        let start = self.address(Place { offset: 0, ..base });
        let op = if is_negative { Binary::Sub } else { Binary::Add };
        let address = self.binary(op, Ty::S64, start, distance);
        let place = self.pointed(Value::Scalar(address));
        Ok(Place { offset, ..place })
    }

    /// An index without the constant that is added to it. Unsigned indices wrap, so `a[i - 1]` with an unsigned `i`
    /// must not be taken apart ([basic.fundamental]); signed ones are undefined then.
    fn split(&mut self, index: Expr<'t>) -> Result<((Operand, Ty), i64)> {
        let ty = self.scalar_ty(index.ty, index.span)?;
        if let (Kind::Binary(op @ (B::Add | B::Sub), a, b), false) = (&index.kind, ty.is_unsigned()) {
            if let Kind::Integer(constant) = b.kind {
                let constant = if *op == B::Add { constant } else { constant.wrapping_neg() };
                let (inner, more) = self.split(a)?;
                return Ok((inner, more.wrapping_add(constant)));
            }
            if let (Kind::Integer(constant), B::Add) = (&a.kind, op) {
                let (inner, more) = self.split(b)?;
                return Ok((inner, more.wrapping_add(*constant)));
            }
        }
        let value = self.value(index)?;
        let operand = self.operand(value);
        Ok(((operand, ty), 0))
    }

    /// An index in bytes, in 64 bits. `mul.wide` extends and multiplies in one instruction.
    fn scaled(&mut self, index: Operand, ty: Ty, size: i64) -> Operand {
        let wide = ty.wide();
        match wide {
            Ty::S64 | Ty::U64 => self.binary(Binary::Mul, wide, index, Operand::Int(size)),
            Ty::Pred => {
                let value = self.convert(index, Ty::Pred, Ty::U32);
                self.scaled(value, Ty::U32, size)
            }
            _ if size == 1 => self.convert(index, wide, if wide == Ty::U32 { Ty::U64 } else { Ty::S64 }),
            _ if i32::try_from(size).is_ok() => {
                self.emit(Op::MulWide(wide), Class::B64, &[index, Operand::Int(size)])
            }
            _ => {
                let to = if wide == Ty::U32 { Ty::U64 } else { Ty::S64 };
                let long = self.convert(index, wide, to);
                self.binary(Binary::Mul, to, long, Operand::Int(size))
            }
        }
    }
}
