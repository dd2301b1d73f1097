//! Constant variables: their values, which stand for them, and the memory of those whose address is taken.
//!
//! A constant number outside of functions has no memory: nobody would read it. Host code may take its address, as in a
//! list of the arguments of a kernel; then it becomes a variable of the host, whose bytes are the value. Variables of a
//! function have their memory anyway. Specification: C++17, [dcl.constexpr], [basic.def.odr].

use super::Checker;
use super::scope::{Entity, Known, ScopeId};
use super::typed::{Constant, Expr, Kind};
#[cfg(feature = "host")]
use super::typed::{Global, GlobalId, Space};
use super::types::{Shape, Type};
use crate::parse::tree;
use crate::source::budget::{self, Bound};
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    /// What the name of a constant variable means.
    pub(super) fn constant_entity(
        &mut self,
        name: Name<'t>,
        constant: Constant,
        ty: Type,
        span: Span,
    ) -> Entity {
        self.known_variables.push(Known { name, span, global: None });
        Entity::Constant(constant, ty, Some(self.known_variables.len() - 1))
    }

    /// The variable that an expression names, if it is a constant of which host code wants the address.
    #[cfg(feature = "host")]
    pub(super) fn constant_place(
        &mut self,
        scope: ScopeId,
        written: tree::Expr<'t>,
    ) -> Result<Option<Expr<'t>>> {
        let tree::ExprKind::Path(path) = &written.kind else { return Ok(None) };
        if !self.is_program || !self.in_host_code() {
            return Ok(None);
        }
        let Entity::Constant(constant, ty, Some(known)) = self.lookup(scope, path)? else { return Ok(None) };
        let global = match self.known_variables[known].global {
            Some(global) => global,
            None => self.constant_memory(known, constant, ty)?,
        };
        self.known_variables[known].global = Some(global);
        Ok(Some(self.node(Kind::Global(global), ty, path.span)))
    }

    /// A variable of the host with the value of a constant.
    #[cfg(feature = "host")]
    fn constant_memory(&mut self, known: usize, constant: Constant, ty: Type) -> Result<GlobalId> {
        let Known { name, span, .. } = self.known_variables[known];
        let mut bytes = Vec::new();
        self.store_constant(self.known(constant, ty, span), 0, &mut bytes)?;
        // It is no variable of the function that asks for its address.
        let frames = std::mem::take(&mut self.frames);
        let name = self.global_name(name);
        self.frames = frames;
        self.program.globals.push(Global {
            name,
            ty,
            space: Space::Global,
            is_extern: false,
            bytes: Some(self.names.arena.list(&bytes)),
            align: self.types.align(ty),
            constant: Some(constant),
            is_host: true,
            is_managed: false,
            dynamic: None,
            span,
        });
        Ok(self.program.globals.len() - 1)
    }

    /// A constant number, which needs no memory. `None` if it needs memory after all: a struct, an array, or in a
    /// program a value that is only known when it runs.
    pub(super) fn constant_variable(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        ty: Type,
    ) -> Result<Option<Entity>> {
        let Some(init) = &variable.init else {
            return Err(error(variable.span, format_args!("the constant `{}` needs a value", variable.name)));
        };
        let value = self.initialiser(scope, ty, *init, variable.span)?;
        if !self.types.is_arithmetic(value.ty) && !self.types.is_scoped_enum(value.ty) {
            return Ok(None);
        }
        match self.evaluate(value) {
            // `const`, so that no `T&&` is bound to it.
            Some(constant) => {
                let ty = value.ty.plain().qualified(true, false);
                Ok(Some(self.constant_entity(variable.name, constant, ty, variable.span)))
            }
            None if self.is_program && !variable.storage.is_constexpr => Ok(None),
            None => Err(error(
                variable.span,
                format_args!("the value of `{}` is not known when the text is compiled", variable.name),
            )),
        }
    }

    /// Writes a constant value into the bytes of a variable. Bytes that no value is given for stay zero, and those behind
    /// the last value are not there: an array may have very many. The order of bytes is that of the device: the lowest
    /// first.
    pub(super) fn store_constant(&mut self, value: Expr<'t>, at: u64, bytes: &mut Vec<u8>) -> Result<()> {
        budget::spend(Bound::Values, 1, value.span)?;
        if let Kind::Aggregate(items) = &value.kind {
            for (nth, item) in items.iter().enumerate() {
                let offset = match self.types.shape(value.ty) {
                    Shape::Array(of, _) => self.types.size(of) * nth as u64,
                    Shape::Struct(of) => self.types.structs[of].fields[nth].offset,
                    _ => 0,
                };
                self.store_constant(item, at + offset, bytes)?;
            }
            return Ok(());
        }
        let Some(constant) = self.evaluate(value) else {
            return Err(unsupported(value.span, "a variable whose first value is not a constant"));
        };
        let size = self.types.size(value.ty);
        let bits = match (constant, size) {
            (Constant::Integer(value), _) => value as u64,
            (Constant::Float(value), 4) => u64::from((value as f32).to_bits()),
            (Constant::Float(value), _) => value.to_bits(),
        };
        let (start, end) = (at as usize, (at + size) as usize);
        // A member behind a large array makes all bytes before it.
        budget::spend(Bound::Bytes, end.saturating_sub(bytes.len()), value.span)?;
        bytes.resize(end.max(bytes.len()), 0);
        bytes[start..end].copy_from_slice(&bits.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
