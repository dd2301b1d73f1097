//! Arrays whose length is known only when their declaration is executed, in host code.
//!
//! C++ has none; `g++`, which compiles the host code for `nvcc`, takes them from C (C17, 6.7.6.2), and lets them have an
//! initialiser. An object of `c.cuh` has the elements, whose memory is an allocation of its own: so its bounds are checked,
//! an access after the end of its block is found, and a loop does not fill the stack. The array itself is a reference to
//! the elements, of an array of unknown length. Left out: lengths that vary behind the first one, and arrays in code of the
//! device, where `nvcc` refuses them.
//!
//! ```text
//! float a[n] = {1, 2};
//!
//! __host_varying<float> a:(n, 2, &{1, 2}[0]);
//! float (&a)[] = *a:.data;
//!
//! sizeof(a)    a:.count * sizeof(float)
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::{Binary, Expr, Kind, Stmt, StmtKind, VarId};
use super::types::{Argument, Shape, Type};
use crate::parse::tree::{self, TypeKind};
use crate::source::{Result, error, unsupported};

/// The members of the object.
const DATA: usize = 0;
const COUNT: usize = 1;

impl<'t> Checker<'_, 't> {
    /// The declarations that a variable becomes if it is such an array.
    pub(super) fn varying(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
    ) -> Result<Option<[Stmt<'t>; 2]>> {
        let TypeKind::Array(of, Some(length)) = &variable.ty.kind else { return Ok(None) };
        let storage = variable.storage;
        let is_lasting = storage.is_shared || storage.is_static || storage.is_constant || storage.is_extern;
        let is_device = self.frames.iter().any(|frame| frame.is_device);
        if !self.is_program || is_device || is_lasting || storage.is_device || storage.is_constexpr {
            return Ok(None);
        }
        self.check_inner(scope, of)?;
        let Some(count) = self.varying_length(scope, length)? else { return Ok(None) };
        let element = self.resolve(scope, of)?;
        let (object, holder) = self.elements(scope, variable, element)?;
        // Of an array of unknown length, which only a reference can be.
        let (span, array) = (variable.span, self.types.get(Shape::Array(element, None)));
        let ty = self.types.get(Shape::Reference(array));
        let var = self.add_var(scope, variable.name, ty, span)?;
        let place = self.node(Kind::Local(object), holder, span);
        let data = self.field_at(place, DATA, span);
        let data = self.value(data);
        let pointer = self.types.pointer(array);
        let data = self.node(Kind::Convert(data), pointer, span);
        let elements = self.node(Kind::Deref(data), array, span);
        if let Some(frame) = self.frame() {
            frame.varying.push((var, object));
        }
        let values = [self.made(scope, variable, holder, count)?, elements];
        let declare = |var, value| Stmt { kind: StmtKind::Declare(var, Some(value)), span };
        Ok(Some([declare(object, values[0]), declare(var, values[1])]))
    }

    /// The length, if it is an integer that is not known here.
    fn varying_length(&mut self, scope: ScopeId, length: tree::Expr<'t>) -> Result<Option<Expr<'t>>> {
        let count = self.value_of(scope, length)?;
        let is_integer = self.types.is_integral(count.ty);
        if !is_integer || self.evaluate(count).is_some() {
            return Ok(None);
        }
        let long = self.types.basic(tree::Basic::LongLong);
        self.implicit(count, long, &"the length of an array").map(Some)
    }

    /// The elements of an array of arrays have one size.
    fn check_inner(&mut self, scope: ScopeId, of: tree::Type<'t>) -> Result<()> {
        let mut inner = of;
        while let TypeKind::Array(of, length) = &inner.kind {
            if let Some(length) = length
                && self.varying_length(scope, length)?.is_some()
            {
                let what = "an array of arrays whose lengths are known only when the program runs";
                let help = "only the first length may vary: declare one row, as in `a[n * m]`, and use `a[i * m + j]`";
                return Err(unsupported(length.span, what).with_help(help));
            }
            inner = of;
        }
        Ok(())
    }

    /// Declares the object that has the elements; it, and its type.
    fn elements(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        element: Type,
    ) -> Result<(VarId, Type)> {
        let name = self.names.get("__host_varying");
        let Some(Entity::TypeTemplate(template)) = self.scopes.find(0, name).cloned() else {
            return Err(error(variable.span, "`__host_varying` is not declared"));
        };
        let argument = Argument::Type(self.without_const(element));
        let holder = self.type_instance(template, &[argument], variable.span)?;
        // No text can spell it.
        let name = self.names.get(&format!("{}:", variable.name));
        Ok((self.add_var(scope, name, holder, variable.span)?, holder))
    }

    /// The elements of a `const` array are written once, by its initialiser.
    fn without_const(&mut self, ty: Type) -> Type {
        match self.types.shape(ty) {
            Shape::Array(of, length) => {
                let of = self.without_const(of);
                self.types.get(Shape::Array(of, length))
            }
            _ => ty.without(true, false),
        }
    }

    /// The object: the length, and what the initialiser says.
    fn made(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        holder: Type,
        count: Expr<'t>,
    ) -> Result<Expr<'t>> {
        let span = variable.span;
        let data = self.types.struct_of(holder).map(|at| self.types.structs[at].fields[DATA].ty);
        let Some(of) = data.and_then(|data| self.types.pointee(data)) else {
            return Err(error(span, "this array has no elements"));
        };
        let Some(init) = &variable.init else { return self.construct(holder, &[count], span) };
        let open = self.types.get(Shape::Array(of, None));
        let values = self.initialiser(scope, open, *init, span)?;
        let Shape::Array(_, Some(given)) = self.types.shape(values.ty) else {
            return Err(error(span, format_args!("`{}` needs a list of values", variable.name)));
        };
        let first = if given == 0 {
            let pointer = self.types.pointer(of);
            self.zero(pointer, span)
        } else {
            self.value(values)
        };
        let size = self.types.basic(tree::Basic::UnsignedLong);
        let given = self.node(Kind::Integer(given as i64), size, span);
        self.construct(holder, &[count, given, first], span)
    }

    /// `sizeof` of an array whose type does not say how long it is.
    pub(super) fn open_size(&mut self, scope: ScopeId, array: tree::Expr<'t>) -> Result<Option<Expr<'t>>> {
        self.unevaluated += 1;
        let found = self.expr(scope, array);
        self.unevaluated -= 1;
        let (array, span) = (found?, array.span);
        if !matches!(self.types.shape(array.ty), Shape::Array(_, None)) {
            return Ok(None);
        }
        let Some((object, of)) = self.object_of(array) else {
            let message = format!("the size of `{}` is not known here", self.show(array.ty));
            return Err(
                error(span, message).with_help("use the number of elements that it was declared with")
            );
        };
        let Some(frame) = self.frames.last() else { return Err(error(span, "this has no size")) };
        let place = self.node(Kind::Local(object), frame.vars[object].ty, span);
        let count = self.field_at(place, COUNT, span);
        let count = self.value(count);
        let bytes = self.size(self.types.size(of), span);
        Ok(Some(self.node(Kind::Binary(Binary::Mul, count, bytes), bytes.ty, span)))
    }

    /// The object that has the elements of an array, and their type.
    fn object_of(&self, array: Expr<'t>) -> Option<(VarId, Type)> {
        let (Kind::Local(var), Shape::Array(of, None)) = (array.kind, self.types.shape(array.ty)) else {
            return None;
        };
        let known = self.frames.last()?.varying.iter().find(|(known, _)| *known == var)?;
        Some((known.1, of))
    }
}
