//! Reading and writing places: numbers, structs, arrays.
//!
//! A struct is copied number by number and not byte by byte, since a slot becomes registers only if each of its
//! accesses is one number. Bytes of padding are not copied. Structs that CUDA calls vector types (`float4`) are copied
//! by one instruction.
//!
//! ```text
//! struct { char a; double b[2]; }           leaves: 0 char, 8 double, 16 double
//! union { float4 v; float a[4]; }           leaves: those of v, which cover all of it
//! ```

use super::{Binding, Lower, Value};
use crate::check::typed::VarId;
use crate::check::types::{Shape, Type};
use crate::code::{Access, Base, Op, Operand, Place, Space, Ty, VarName};
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error};

/// A struct or an array that is copied as a whole has at most this many numbers.
const MAX_LEAVES: usize = 4096;

impl Lower<'_> {
    /// The numbers that a type is made of, each with its offset.
    pub(super) fn leaves(
        &self,
        ty: Type,
        offset: u64,
        found: &mut Vec<(u64, Type)>,
        span: Span,
    ) -> Result<()> {
        if found.len() > MAX_LEAVES {
            return Err(error(
                span,
                format_args!("an object of more than {MAX_LEAVES} numbers cannot be copied as a whole"),
            ));
        }
        // Arrays of empty objects have no numbers, and may have any number of elements.
        budget::spend(Bound::Work, 8, span)?;
        let types = &self.checked.types;
        match types.shape(ty) {
            Shape::Struct(at) => {
                let own = &types.structs[at];
                if own.is_union {
                    return self.leaves_of_union(at, offset, found, span);
                }
                for field in &own.fields {
                    self.leaves(field.ty, offset + field.offset, found, span)?;
                }
            }
            Shape::Array(of, length) => {
                for nth in 0..length.unwrap_or(0) {
                    self.leaves(of, offset + nth * types.size(of), found, span)?;
                }
            }
            _ => found.push((offset, ty)),
        }
        Ok(())
    }

    /// A member without padding that is as large as the union stands for all of them. If there is none, bytes that one member
    /// leaves out may belong to another.
    fn leaves_of_union(
        &self,
        at: usize,
        offset: u64,
        found: &mut Vec<(u64, Type)>,
        span: Span,
    ) -> Result<()> {
        let types = &self.checked.types;
        let own = &types.structs[at];
        let before = found.len();
        for field in &own.fields {
            let first = found.len();
            self.leaves(field.ty, offset, found, span)?;
            let covered: u64 = found[first..].iter().map(|leaf| types.size(leaf.1)).sum();
            if covered == own.size {
                found.drain(before..first);
                break;
            }
        }
        Ok(())
    }

    /// Loads a number, or names the object at the place.
    pub(super) fn load(&mut self, place: Place, ty: Type) -> Value {
        match self.ty(ty) {
            Some(kind) => Value::Scalar(self.load_scalar(place, kind, ty.is_volatile())),
            None => Value::Object(place),
        }
    }

    pub(super) fn store_scalar(&mut self, place: Place, ty: Type, value: Operand) {
        if let Some(kind) = self.ty(ty) {
            self.store_operand(place, kind, value, ty.is_volatile());
        }
    }

    /// Stores a value of any type.
    pub(super) fn store_value(&mut self, place: Place, ty: Type, value: Value, span: Span) -> Result<()> {
        if let Some(kind) = self.ty(ty) {
            let is_pointer = self.checked.types.is_pointer(ty) || self.checked.types.is_reference(ty);
            // What is in memory has to be valid without knowing the space; a slot may become a register.
            let is_slot = matches!(place.base, Base::Slot(_));
            let operand = if is_pointer && !is_slot { self.generic(value) } else { self.operand(value) };
            self.store_operand(place, kind, operand, ty.is_volatile());
            return Ok(());
        }
        match value {
            // An object that was made where it stays.
            Value::Object(from) if from == place => Ok(()),
            Value::Object(from) => self.copy(from, place, ty, span),
            _ => Ok(()),
        }
    }

    /// Copies an object number by number; all are read before the first is written. They may overlap.
    pub(super) fn copy(&mut self, from: Place, to: Place, ty: Type, span: Span) -> Result<()> {
        let mut leaves = Vec::new();
        self.leaves(ty, 0, &mut leaves, span)?;
        if let Some(kind) = self.vector(ty, &leaves) {
            self.copy_vector(from, to, kind, leaves.len(), ty.is_volatile());
            return Ok(());
        }
        let mut values = Vec::with_capacity(leaves.len());
        for (offset, leaf) in &leaves {
            let source = from.after(*offset);
            let target = to.after(*offset);
            if self.copy_reference(source, target) {
                values.push(None);
                continue;
            }
            let kind = self.ty(*leaf).unwrap_or(Ty::U32);
            // A member may be `volatile` by itself.
            let is_volatile = ty.is_volatile() || leaf.is_volatile();
            values.push(Some((target, kind, self.load_scalar(source, kind, is_volatile), is_volatile)));
        }
        for (target, kind, value, is_volatile) in values.into_iter().flatten() {
            self.store_operand(target, kind, value, is_volatile);
        }
        Ok(())
    }

    /// The type of the numbers of an object that one instruction can load: two or four, aligned to their size. PTX ISA,
    /// `ld` and `st` with `.v2` and `.v4`: at most 16 bytes, at an address that is a multiple of the whole.
    fn vector(&self, ty: Type, leaves: &[(u64, Type)]) -> Option<Ty> {
        let kind = self.ty(leaves.first()?.1).filter(|kind| *kind != Ty::Pred)?;
        let count = leaves.len() as u64;
        let is_uniform = leaves.iter().zip(0..).all(|((offset, leaf), nth)| {
            self.ty(*leaf) == Some(kind)
                && *offset == nth * kind.size()
                && !self.checked.types.is_reference(*leaf)
        });
        let whole = kind.size() * count;
        let fits = matches!(count, 2 | 4) && whole <= 16 && self.checked.types.align(ty) >= whole;
        (is_uniform && fits).then_some(kind)
    }

    /// A slot is accessed number by number even then.
    fn copy_vector(&mut self, from: Place, to: Place, kind: Ty, count: usize, is_volatile: bool) {
        let part = |place: Place, nth: usize| place.after(nth as u64 * kind.size());
        let is_slot = |place: Place| matches!(place.base, Base::Slot(_));
        let access = |place| Access { place, space: Space::Generic, ty: kind, is_volatile };
        let values: Vec<Operand> = if is_slot(from) {
            (0..count).map(|nth| self.load_scalar(part(from, nth), kind, is_volatile)).collect()
        } else {
            let dsts: Vec<_> = (0..count).map(|_| self.function.new_reg(kind.class())).collect();
            let values = dsts.iter().map(|dst| Operand::Reg(*dst)).collect();
            self.push(Op::Load(access(from)), &dsts, &[]);
            values
        };
        if is_slot(to) {
            for (nth, value) in values.into_iter().enumerate() {
                self.store_operand(part(to, nth), kind, value, is_volatile);
            }
        } else {
            self.push(Op::Store(access(to)), &[], &values);
        }
    }

    /// A reference to a variable is copied by remembering what it refers to.
    fn copy_reference(&mut self, from: Place, to: Place) -> bool {
        // References elsewhere are addresses in memory, and copied like pointers.
        let (Base::Slot(source), Base::Slot(target)) = (from.base, to.base) else { return false };
        let Some(known) = self.references.get(&(source, from.offset)).copied() else { return false };
        self.remember(target, to.offset, known);
        true
    }

    /// A second, different place makes it unknown for good: which one it is depends on the path.
    fn remember(&mut self, slot: usize, offset: i64, refers_to: Option<Place>) {
        let known = self.references.get_or_insert((slot, offset), refers_to);
        if *known != refers_to {
            *known = None;
        }
    }

    /// Makes a reference in a struct refer to a place.
    pub(super) fn store_reference(&mut self, at: Place, refers_to: Place) {
        if let (Base::Slot(slot), Base::Slot(_)) = (at.base, refers_to.base) {
            self.remember(slot, at.offset, Some(refers_to));
            return;
        }
        let is_slot = matches!(at.base, Base::Slot(_));
        let address = if is_slot { self.address(refers_to) } else { self.generic(Value::Address(refers_to)) };
        self.store_operand(at, Ty::U64, address, false);
    }

    /// Gives a variable its value: as it is if it never changes, else in a slot.
    pub(super) fn bind(&mut self, var: VarId, value: Value) -> Result<()> {
        let function = self.frame().function;
        let declared = &self.checked.program.functions[function].vars[var];
        let (ty, span) = (declared.ty, declared.span);
        if let (Value::Scalar(_) | Value::Address(_), false) =
            (value, declared.is_changed || ty.is_volatile())
        {
            self.frame().vars[var] = Binding::Value(value);
            let reg = match value {
                Value::Scalar(operand) => operand.reg(),
                Value::Address(Place { base: Base::Reg(reg), offset: 0 }) => Some(reg),
                _ => None,
            };
            // So that the register is shown under the variable's name.
            if let (Some(reg), Some(name)) = (reg, self.var_name(var)) {
                self.note(reg, name);
            }
            return Ok(());
        }
        let slot = self.new_slot(ty, Some(var));
        self.frame().vars[var] = Binding::Place(slot);
        self.store_value(slot, ty, value, span)
    }

    fn note(&mut self, reg: crate::code::Reg, name: VarName) {
        self.function.names.push((reg, name));
    }
}
