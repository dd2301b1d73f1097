//! Values of expressions.
//!
//! Operands are evaluated from left to right, an assignment's right side before its left ([expr.ass]). A value of a
//! struct is a place that nobody else changes, so no copy is made until it is stored. Specification: C++17, [expr]; PTX
//! ISA, section 9.7.
//!
//! ```text
//! x[i]            MulWide i, 4;  Add x;  Load           the scale of an index, in 64 bits
//! i++             Load; Add 1; Store                    in a slot, which `promote` makes two copies and a sum
//! a ? b : c       Select, or two blocks and a slot
//! f(a)            the body of f
//! (char)n         Convert: cut to 8 bits, and extended again
//! ```

use super::{Binding, Lower, Value};
use crate::check::typed::{self, Compare, Constant, Expr, Intrinsic, Kind};
use crate::check::types::{Shape, Type};
use crate::code::fold::float_operand;
use crate::code::{Arith, Binary, Class, Op, Operand, Place, Ty, Unary};
use crate::source::budget;
use crate::source::{Result, unsupported};

/// Zero of a type.
pub(super) fn zero(ty: Ty) -> Operand {
    if ty.is_float() { float_operand(ty, 0.0) } else { Operand::Int(0) }
}

impl<'t> Lower<'t> {
    pub(super) fn value(&mut self, expr: Expr<'t>) -> Result<Value> {
        budget::deeper(expr.span, || self.any_value(expr))
    }

    fn any_value(&mut self, expr: Expr<'t>) -> Result<Value> {
        let scalar = Value::Scalar;
        Ok(match &expr.kind {
            Kind::Integer(value) => scalar(Operand::Int(*value)),
            Kind::Float(value) => scalar(float_operand(self.scalar_ty(expr.ty, expr.span)?, *value)),
            Kind::Text(text) => scalar(self.text_address(text)),
            Kind::Special(register) => scalar(self.emit(Op::Special(register), Class::B32, &[])),
            Kind::Load(place) => return self.loaded(place),
            Kind::AddressOf(place) | Kind::Decay(place) => Value::Address(self.place(place)?),
            Kind::Negate(inner) => scalar(self.unary(Unary::Neg, inner)?),
            Kind::Complement(inner) => scalar(self.unary(Unary::Not, inner)?),
            Kind::Not(inner) => {
                let value = self.scalar(inner)?;
                scalar(self.not(value))
            }
            Kind::Binary(op, a, b) => {
                let ty = self.scalar_ty(expr.ty, expr.span)?;
                let (a, b) = (self.scalar(a)?, self.shift_count(*op, b)?);
                scalar(self.binary(*op, ty, a, b))
            }
            Kind::Compare(op, a, b) => scalar(self.compared(*op, a, b)?),
            Kind::And(..) | Kind::Or(..) => scalar(self.truth(expr)?),
            Kind::Conditional(condition, yes, no) => return self.conditional(expr.ty, condition, yes, no),
            Kind::Comma(a, b) => {
                self.value(a)?;
                let value = self.value(b)?;
                return Ok(if self.checked.types.is_void(expr.ty) { Value::Void } else { value });
            }
            Kind::Convert(inner) => return self.converted(inner, expr.ty),
            Kind::PointerAdd(pointer, index, is_negative) => {
                let pointer_value = self.value(pointer)?;
                let size =
                    self.checked.types.pointee(expr.ty).map_or(1, |to| self.checked.types.size(to)).max(1);
                // A constant stays an offset of the place, and becomes part of an access.
                let base = self.pointed(pointer_value);
                Value::Address(self.element(base, index, size as i64, *is_negative)?)
            }
            Kind::PointerDiff(a, b) => scalar(self.difference(a, b)?),
            Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. } => return self.assigned_value(expr),
            Kind::Call(function, arguments) => return self.call(*function, arguments, None, expr),
            // The object is made in a slot of its own; a declaration makes it in the variable's instead.
            Kind::Construct(function, arguments) => {
                let slot = self.new_slot(expr.ty, None);
                self.call(*function, arguments, Some(slot), expr)?;
                Value::Object(slot)
            }
            Kind::Aggregate(items) => {
                let slot = self.new_slot(expr.ty, None);
                self.fill(slot, expr.ty, items, expr.span)?;
                Value::Object(slot)
            }
            Kind::Intrinsic(intrinsic, arguments) => return self.intrinsic(*intrinsic, arguments, expr),
            Kind::Printf(format, values) => scalar(self.printf(format, values)?),
            #[cfg(feature = "host")]
            Kind::Launch(kernel, shape, arguments) => {
                return self.nested_launch(*kernel, shape, arguments, expr.span);
            }
            #[cfg(feature = "host")]
            Kind::Print(..)
            | Kind::Format(..)
            | Kind::LaunchPointer(..)
            | Kind::FunctionAddress(_)
            | Kind::CallPointer(..) => return Err(unsupported(expr.span, "this in device code")),
            // An argument has been converted to what its parameter makes of it.
            Kind::List(..) => Value::Void,
            // As a value it needs no memory.
            Kind::Temporary(inner) => return self.value(inner),
            Kind::Local(_) | Kind::Global(_) | Kind::Deref(_) | Kind::Field(..) | Kind::Element(..) => {
                if !expr.is_place() || self.ty(expr.ty).is_some() {
                    return self.loaded(expr);
                }
                Value::Object(self.place(expr)?)
            }
        })
    }

    /// A number, a truth value or a pointer in an operand.
    pub(super) fn scalar(&mut self, expr: Expr<'t>) -> Result<Operand> {
        let value = self.value(expr)?;
        Ok(self.operand(value))
    }

    fn unary(&mut self, unary: Unary, inner: Expr<'t>) -> Result<Operand> {
        let ty = self.scalar_ty(inner.ty, inner.span)?;
        let value = self.scalar(inner)?;
        Ok(self.emit(Op::Unary(unary, ty), ty.class(), &[value]))
    }

    /// The count of a shift is in 32 bits, whatever is shifted. PTX ISA, `shl` and `shr`: the second operand is a
    /// `.u32` for all types.
    fn shift_count(&mut self, op: Binary, expr: Expr<'t>) -> Result<Operand> {
        let value = self.scalar(expr)?;
        if !matches!(op, Binary::Shl | Binary::Shr) {
            return Ok(value);
        }
        // A count of more than 32 bits is cut; a shift by that much is undefined anyway ([expr.shift]).
        let from = self.scalar_ty(expr.ty, expr.span)?;
        Ok(if from.size() == 8 { self.convert(value, from, Ty::U32) } else { value })
    }

    pub(super) fn compared(&mut self, op: Compare, a: Expr<'t>, b: Expr<'t>) -> Result<Operand> {
        let ty = self.scalar_ty(a.ty, a.span)?;
        if self.checked.types.is_pointer(a.ty) {
            let (a, b) = (self.value(a)?, self.value(b)?);
            // Addresses of different spaces can be compared only as generic ones.
            let (a, b) = (self.generic(a), self.generic(b));
            return Ok(self.set(op, Ty::U64, a, b));
        }
        let (a, b) = (self.scalar(a)?, self.scalar(b)?);
        // `setp` has no predicates as operands.
        if ty == Ty::Pred {
            let (a, b) = (self.convert(a, Ty::Pred, Ty::U32), self.convert(b, Ty::Pred, Ty::U32));
            return Ok(self.set(op, Ty::U32, a, b));
        }
        Ok(self.set(op, ty.wide(), a, b))
    }

    /// The quotient is exact, hence a shift will do.
    fn difference(&mut self, a: Expr<'t>, b: Expr<'t>) -> Result<Operand> {
        let size = self.checked.types.pointee(a.ty).map_or(1, |to| self.checked.types.size(to)).max(1);
        let (a, b) = (self.value(a)?, self.value(b)?);
        let (a, b) = (self.generic(a), self.generic(b));
        let bytes = self.binary(Binary::Sub, Ty::S64, a, b);
        if size.is_power_of_two() {
            return Ok(self.binary(
                Binary::Shr,
                Ty::S64,
                bytes,
                Operand::Int(i64::from(size.trailing_zeros())),
            ));
        }
        Ok(self.binary(Binary::Div, Ty::S64, bytes, Operand::Int(size as i64)))
    }

    /// What is at a place.
    fn loaded(&mut self, place: Expr<'t>) -> Result<Value> {
        if let Kind::Local(var) = place.kind {
            let function = self.frame().function;
            let declared = &self.checked.program.functions[function].vars[var];
            // Constant variables are their values, even if they have a slot because of their address.
            if let (Some(constant), Some(ty)) = (declared.constant, self.ty(declared.ty)) {
                return Ok(Value::Scalar(match constant {
                    Constant::Integer(value) => Operand::Int(value),
                    Constant::Float(value) => float_operand(ty, value),
                }));
            }
            if let Binding::Value(value) = self.frame().vars[var] {
                return Ok(value);
            }
        }
        let at = self.place(place)?;
        Ok(self.load(at, place.ty))
    }

    /// A pointer stays what it is; only its type changes.
    fn converted(&mut self, inner: Expr<'t>, to: Type) -> Result<Value> {
        let value = self.value(inner)?;
        let types = &self.checked.types;
        if types.is_pointer(to) && (types.is_pointer(inner.ty) || types.is_array(inner.ty)) {
            return Ok(value);
        }
        let target = self.scalar_ty(to, inner.span)?;
        let from = self.scalar_ty(inner.ty, inner.span)?;
        let operand = if types.is_pointer(inner.ty) {
            // The address of a variable is not null.
            if let (Value::Address(_), Ty::Pred) = (value, target) {
                return Ok(Value::Scalar(Operand::Int(1)));
            }
            self.generic(value)
        } else {
            self.operand(value)
        };
        Ok(Value::Scalar(self.convert(operand, from, target)))
    }

    /// A selection if both values can be computed without need, else a branch: only one of the two may be evaluated
    /// ([expr.cond]).
    fn conditional(&mut self, ty: Type, condition: Expr<'t>, yes: Expr<'t>, no: Expr<'t>) -> Result<Value> {
        let kind = self.ty(ty);
        if let Some(kind) = kind
            && kind != Ty::Pred
            && self.is_cheap(yes, 3)
            && self.is_cheap(no, 3)
        {
            let condition = self.truth(condition)?;
            if let Operand::Int(holds) = condition {
                return self.value(if holds != 0 { yes } else { no });
            }
            let (yes, no) = (self.scalar(yes)?, self.scalar(no)?);
            let select = self.emit(Op::Select(kind.wide()), kind.class(), &[yes, no, condition]);
            return Ok(Value::Scalar(select));
        }
        let (first, second, after) = (self.new_block(), self.new_block(), self.new_block());
        let known = self.branch_on(condition, first, second)?;
        if let Some(holds) = known {
            self.start(if holds { first } else { second });
            return self.value(if holds { yes } else { no });
        }
        // `a ? f() : g()` with functions that return nothing.
        if self.checked.types.is_void(ty) {
            for (block, expr) in [(first, yes), (second, no)] {
                self.start(block);
                self.value(expr)?;
                self.jump(after);
            }
            self.start(after);
            return Ok(Value::Void);
        }
        let slot = self.new_slot(ty, None);
        for (block, expr) in [(first, yes), (second, no)] {
            self.start(block);
            let value = self.value(expr)?;
            self.store_value(slot, ty, value, expr.span)?;
            self.jump(after);
        }
        self.start(after);
        Ok(self.load(slot, ty))
    }

    /// An assignment as a place.
    pub(super) fn assigned(&mut self, expr: Expr<'t>) -> Result<Place> {
        match &expr.kind {
            Kind::Assign(place, value) => {
                // A constructor that binds a member: the member refers to something from now on.
                if self.checked.types.is_reference(place.ty) {
                    let refers_to = self.place(value)?;
                    let at = self.place(place)?;
                    self.store_reference(at, refers_to);
                    return Ok(at);
                }
                // The value first: its calls may change what the place depends on.
                let value = self.value(value)?;
                let at = self.place(place)?;
                self.store_value(at, place.ty, value, expr.span)?;
                Ok(at)
            }
            Kind::Update { op, place, value, computed_as } => {
                let at = self.place(place)?;
                self.update(at, place, *op, value, *computed_as)?;
                Ok(at)
            }
            Kind::Step { place, is_down, .. } => {
                let at = self.place(place)?;
                self.step(at, place, *is_down)?;
                Ok(at)
            }
            _ => Err(unsupported(expr.span, "this place")),
        }
    }

    /// An assignment as a value, which is known without loading it again.
    fn assigned_value(&mut self, expr: Expr<'t>) -> Result<Value> {
        match &expr.kind {
            Kind::Step { place, is_down, is_post } => {
                let at = self.place(place)?;
                let (old, new) = self.step(at, place, *is_down)?;
                Ok(Value::Scalar(if *is_post { old } else { new }))
            }
            Kind::Update { op, place, value, computed_as } => {
                let at = self.place(place)?;
                Ok(Value::Scalar(self.update(at, place, *op, value, *computed_as)?))
            }
            Kind::Assign(place, value)
                if self.ty(place.ty).is_some() && !self.checked.types.is_reference(place.ty) =>
            {
                let value = self.value(value)?;
                let at = self.place(place)?;
                self.store_value(at, place.ty, value, expr.span)?;
                Ok(value)
            }
            _ => Ok(Value::Object(self.assigned(expr)?)),
        }
    }

    /// `a op= b`, in the type that the operands have in common, cut to that of `a` afterwards.
    fn update(
        &mut self,
        at: Place,
        place: Expr<'t>,
        op: typed::Binary,
        value: Expr<'t>,
        computed_as: Type,
    ) -> Result<Operand> {
        let ty = self.scalar_ty(place.ty, place.span)?;
        if let Some(to) = self.checked.types.pointee(place.ty) {
            let old = self.load(at, place.ty);
            let size = self.checked.types.size(to).max(1) as i64;
            let base = self.pointed(old);
            // A pointer moves by elements, like an index.
            let moved = self.element(base, value, size, op == typed::Binary::Sub)?;
            let new = self.address(moved);
            self.store_value(at, place.ty, Value::Scalar(new), place.span)?;
            return Ok(new);
        }
        let wide = self.scalar_ty(computed_as, place.span)?;
        let right = self.shift_count(op, value)?;
        let old = self.load(at, place.ty);
        let old = self.operand(old);
        let old = self.convert(old, ty, wide);
        let new = self.binary(op, wide, old, right);
        let new = self.convert(new, wide, ty);
        self.store_scalar(at, place.ty, new);
        Ok(new)
    }

    /// The value before and the value after. `bool` counts up as an integer; small types are computed in 32 bits and
    /// cut.
    fn step(&mut self, at: Place, place: Expr<'t>, is_down: bool) -> Result<(Operand, Operand)> {
        let ty = self.scalar_ty(place.ty, place.span)?;
        let old = self.load(at, place.ty);
        let old = self.operand(old);
        let one = match (ty, self.checked.types.pointee(place.ty)) {
            (_, Some(to)) => Operand::Int(self.checked.types.size(to).max(1) as i64),
            (Ty::F32 | Ty::F64, _) => float_operand(ty, 1.0),
            _ => Operand::Int(1),
        };
        let op = if is_down { Binary::Sub } else { Binary::Add };
        let wide = if ty == Ty::Pred { Ty::S32 } else { ty.wide() };
        let value = self.convert(old, ty, wide);
        // A sum is what the optimiser looks for, not a difference.
        let new = match (op, one) {
            (Binary::Sub, Operand::Int(one)) => self.binary(Binary::Add, wide, value, Operand::Int(-one)),
            _ => self.binary(op, wide, value, one),
        };
        let new = self.convert(new, wide, ty);
        let is_pointer = self.checked.types.is_pointer(place.ty);
        if is_pointer {
            self.store_value(at, place.ty, Value::Scalar(new), place.span)?;
        } else {
            self.store_scalar(at, place.ty, new);
        }
        Ok((old, new))
    }

    /// Stores the members of a struct or the elements of an array; missing ones are zero.
    pub(super) fn fill(
        &mut self,
        slot: Place,
        ty: Type,
        items: &[Expr<'t>],
        span: crate::source::Span,
    ) -> Result<()> {
        let types = &self.checked.types;
        let parts: Vec<(u64, Type)> = match types.shape(ty) {
            Shape::Struct(at) if types.structs[at].is_union => {
                types.structs[at].fields.iter().take(1).map(|field| (field.offset, field.ty)).collect()
            }
            Shape::Struct(at) => {
                types.structs[at].fields.iter().map(|field| (field.offset, field.ty)).collect()
            }
            Shape::Array(of, length) => {
                let size = types.size(of);
                (0..length.unwrap_or(0)).map(|nth| (nth * size, of)).collect()
            }
            _ => Vec::new(),
        };
        // Each is an instruction.
        if parts.len() > 8192 {
            return Err(unsupported(span, "an initialiser for more than 8192 elements"));
        }
        for (nth, (offset, part)) in parts.into_iter().enumerate() {
            let at = slot.after(offset);
            match items.get(nth) {
                Some(item) if self.checked.types.is_reference(part) => {
                    let refers_to = self.place(item)?;
                    self.store_reference(at, refers_to);
                }
                Some(item) => {
                    // An inner aggregate is stored where it belongs, without a copy.
                    if let (Kind::Aggregate(inner), true) = (&item.kind, self.ty(part).is_none()) {
                        self.fill(at, part, inner, span)?;
                    } else {
                        let value = self.value(item)?;
                        self.store_value(at, part, value, item.span)?;
                    }
                }
                // C++17, [dcl.init.aggr], paragraph 8: what the list does not give is empty-initialised.
                None => self.clear(at, part, span)?,
            }
        }
        Ok(())
    }

    fn clear(&mut self, at: Place, ty: Type, span: crate::source::Span) -> Result<()> {
        let mut leaves = Vec::new();
        self.leaves(ty, 0, &mut leaves, span)?;
        for (offset, leaf) in leaves {
            let kind = self.ty(leaf).unwrap_or(Ty::U32);
            self.store_operand(at.after(offset), kind, zero(kind), false);
        }
        Ok(())
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Expr<'t>], expr: Expr<'t>) -> Result<Value> {
        // Reached by this stage, it is in code that remains: branches that a constant decides are not lowered at all.
        if intrinsic == Intrinsic::Unreachable {
            return Err(unsupported(expr.span, "this combination of arguments"));
        }
        let Some(first) = arguments.first() else { return Ok(Value::Void) };
        let ty = self.scalar_ty(first.ty, first.span)?;
        let mut operands = Vec::with_capacity(arguments.len());
        for argument in arguments {
            operands.push(self.scalar(argument)?);
        }
        let result = self.ty(expr.ty).unwrap_or(ty);
        let op = match intrinsic {
            Intrinsic::Min => Op::Arith(Arith::Min, ty),
            Intrinsic::Max => Op::Arith(Arith::Max, ty),
            Intrinsic::MulHigh => Op::Arith(Arith::MulHigh, ty),
            Intrinsic::Fma => Op::Mad(ty),
            Intrinsic::Abs => Op::Unary(Unary::Abs, ty),
            Intrinsic::Popc => Op::Unary(Unary::Popc, ty),
            Intrinsic::Clz => Op::Unary(Unary::Clz, ty),
            Intrinsic::Brev => Op::Unary(Unary::Brev, ty),
            Intrinsic::Bits => return Ok(Value::Scalar(self.bits(operands[0], ty, result))),
            Intrinsic::Unreachable => return Ok(Value::Void),
        };
        Ok(Value::Scalar(self.emit(op, result.class(), &operands)))
    }

    /// The same bits as another type. In registers of one class nothing has to be done.
    fn bits(&mut self, value: Operand, from: Ty, to: Ty) -> Operand {
        let raw = match value {
            Operand::Int(value) => value as u64,
            Operand::F32(bits) => u64::from(bits),
            Operand::F64(bits) => bits,
            Operand::Reg(_) => {
                if from.class() == to.class() {
                    return value;
                }
                return self.emit(Op::Mov, to.class(), &[value]);
            }
        };
        match to {
            Ty::F32 => Operand::F32(raw as u32),
            Ty::F64 => Operand::F64(raw),
            _ => Operand::Int(crate::code::fold::wrap(to, raw as i64)),
        }
    }
}
