//! Initialisers: `= value`, `(…)`, `{…}`, for numbers, arrays and structs.
//!
//! All become one expression of the variable's type: a conversion, a [`Kind::Construct`] or a [`Kind::Aggregate`].
//! Braces around inner arrays and structs may be missing ([dcl.init.aggr], "brace elision"). Left out: designated initialisers, and the check for narrowing. Specification: C++17, [dcl.init], [dcl.init.list],
//! [class.base.init].
//!
//! ```text
//! S s = {1, 2};     with a constructor S(int, int)     Construct(S::S, [1, 2])
//! S s = {1};        without constructors               Aggregate([1, what the second member's declaration says, or 0])
//! int a[3] = {1};                                      Aggregate([1]), of which missing values are zero
//! S s = other;                                         Load(other), or Construct with a constructor for copies
//! ```

use std::fmt::Display;

use super::Checker;
use super::convert::{BY_USER, EXACT, Rank};
use super::scope::ScopeId;
use super::typed::{Expr, Kind};
use super::types::{Field, Shape, Type};
use crate::parse::tree::{self, ExprKind, Init};
use crate::source::budget::{self, Bound};
use crate::source::{Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    /// The value of a variable of the type `ty`; the value's type has the length of an array that had none.
    pub(super) fn initialiser(
        &mut self,
        scope: ScopeId,
        ty: Type,
        init: Init<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        match init {
            Init::Assign(value) => self.init_from(scope, ty, value, &"the value"),
            Init::Curly(list) => self.init_from(scope, ty, list, &"the value"),
            Init::Round(values) => {
                if self.types.struct_of(ty).is_some() {
                    return self.struct_from(scope, ty, values, false, span);
                }
                match values {
                    [one] => self.init_from(scope, ty, one, &"the value"),
                    // An array of structs, whose elements are made as they are in `{}`.
                    [] => match self.default_value(ty, span)? {
                        Some(value) => Ok(value),
                        None => Ok(self.zero(ty, span)),
                    },
                    _ => Err(error(span, format_args!("`{}` is made from one value", self.show(ty)))),
                }
            }
        }
    }

    /// A value of the type `ty` from an expression or a list. `what` names it in messages.
    pub(super) fn init_from(
        &mut self,
        scope: ScopeId,
        ty: Type,
        written: tree::Expr<'t>,
        what: &dyn Display,
    ) -> Result<Expr<'t>> {
        if let ExprKind::List(items) = &written.kind {
            // `const S& s = {1, 2}` makes a temporary and binds it.
            let plain = self.types.referred(ty);
            let made = match items {
                _ if self.types.struct_of(plain).is_some() => {
                    self.struct_from(scope, plain, items, true, written.span)?
                }
                [one] if !self.types.is_array(plain) => return self.init_from(scope, ty, one, what),
                _ => self.list_value(scope, plain, items, written.span)?,
            };
            let is_reference = self.types.is_reference(ty);
            return if is_reference { self.implicit(made, ty, what) } else { Ok(made) };
        }
        // C++17, [dcl.init.string].
        if let (ExprKind::Text(text), Shape::Array(of, length)) = (&written.kind, self.types.shape(ty))
            && self.types.is_integral(of)
            && self.types.size(of) == 1
        {
            return self.characters(of, length, text, written.span);
        }
        let value = self.expr(scope, written)?;
        if self.types.is_void(value.ty) {
            return Err(error(value.span, "this has the type `void`, so it has no value"));
        }
        self.implicit(value, ty, what)
    }

    /// An argument of a call. What a list makes depends on the parameter.
    pub(super) fn argument(&mut self, scope: ScopeId, written: tree::Expr<'t>) -> Result<Expr<'t>> {
        if let ExprKind::List(_) = written.kind {
            let void = self.types.void();
            return Ok(self.node(Kind::List(scope, written), void, written.span));
        }
        let argument = self.expr(scope, written)?;
        if self.types.is_void(argument.ty) {
            return Err(error(argument.span, "this has the type `void`, so it cannot be an argument"));
        }
        Ok(argument)
    }

    /// The type of an argument, or a list as it is written.
    pub(super) fn show_argument_type(&self, argument: Expr<'t>) -> String {
        match argument.kind {
            Kind::List(..) => self.files.text(argument.span).to_owned(),
            _ => self.show(argument.ty),
        }
    }

    /// How good it is to make a parameter from a list. C++17, [over.ics.list]: a number from its only value, anything else
    /// as if the user had converted it.
    pub(super) fn list_rank(&mut self, scope: ScopeId, written: tree::Expr<'t>, to: Type) -> Option<Rank> {
        let plain = self.types.referred(to).plain();
        self.unevaluated += 1;
        let is_number = self.types.struct_of(plain).is_none() && !self.types.is_array(plain);
        let rank = match &written.kind {
            ExprKind::List([]) if is_number => Some(EXACT),
            ExprKind::List([one]) if is_number => {
                let value = self.argument(scope, one).ok();
                value.and_then(|value| self.rank(value, to))
            }
            _ => self.init_from(scope, to, written, &"an argument").ok().map(|_| BY_USER),
        };
        self.unevaluated -= 1;
        rank
    }

    /// An array of characters from a text in quotes, with the zero at its end.
    fn characters(&mut self, of: Type, length: Option<u64>, text: &[u8], span: Span) -> Result<Expr<'t>> {
        let needed = text.len() as u64 + 1;
        let length = length.unwrap_or(needed);
        // C would allow the zero to be cut off; C++ does not.
        if needed > length {
            let message =
                format!("the text needs {needed} characters with the zero at its end, not {length}");
            return Err(error(span, message));
        }
        let values =
            text.iter().map(|byte| self.node(Kind::Integer(i64::from(*byte as i8)), of.plain(), span));
        let values: Vec<_> = values.collect();
        let ty = self.types.get(Shape::Array(of, Some(length)));
        Ok(self.node(Kind::Aggregate(self.arena.list(&values)), ty, span))
    }

    /// A number or an array from a list.
    pub(super) fn list_value(
        &mut self,
        scope: ScopeId,
        ty: Type,
        items: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let Shape::Array(of, length) = self.types.shape(ty) else {
            return match items {
                // `int x{}` is zero ([dcl.init.list]).
                [] => Ok(self.zero(ty, span)),
                [one] => self.init_from(scope, ty, one, &"the value"),
                _ => Err(error(span, format_args!("`{}` is made from one value", self.show(ty)))),
            };
        };
        let mut values = Vec::with_capacity(items.len());
        let mut rest = items;
        while !rest.is_empty() {
            if length.is_some_and(|length| values.len() as u64 >= length) {
                let most = length.unwrap_or(0) * self.numbers_in(of);
                return Err(error(
                    span,
                    format_args!("{} values are too many for {most} elements", items.len()),
                ));
            }
            values.push(self.part_from(scope, of.plain(), &mut rest, &"the value of an element")?);
        }
        let length = length.unwrap_or(values.len() as u64);
        self.fill(&mut values, of, length, span)?;
        let ty = self.types.get(Shape::Array(of, Some(length)));
        Ok(self.node(Kind::Aggregate(self.arena.list(&values)), ty, span))
    }

    /// The elements for which a list has no value. C++17, [dcl.init.aggr], paragraph 8: each is made from `{}`, so it is
    /// zero only if its type says nothing else.
    fn fill(&mut self, values: &mut Vec<Expr<'t>>, of: Type, length: u64, span: Span) -> Result<()> {
        if (values.len() as u64) < length
            && let Some(one) = self.default_value(of.plain(), span)?
        {
            Self::check_objects(length, span)?;
            values.resize(length as usize, one);
        }
        Ok(())
    }

    /// The tree has one node for each element that is made.
    fn check_objects(length: u64, span: Span) -> Result<()> {
        if length > 1024 {
            return Err(error(span, "an array of more than 1024 objects with constructors is not supported"));
        }
        Ok(())
    }

    /// How many numbers an array has, in the arrays in it; 1 for anything else.
    fn numbers_in(&self, ty: Type) -> u64 {
        let Shape::Array(of, Some(length)) = self.types.shape(ty) else { return 1 };
        self.numbers_in(of) * length
    }

    /// A member or an element from the values that are left. C++17, [dcl.init.aggr], paragraph 12: without braces of its
    /// own, an array or a struct takes as many of them as it has parts, unless the first value makes all of it.
    fn part_from(
        &mut self,
        scope: ScopeId,
        ty: Type,
        rest: &mut &[tree::Expr<'t>],
        what: &dyn Display,
    ) -> Result<Expr<'t>> {
        let Some((first, others)) = rest.split_first() else { return Ok(self.zero(ty, Span::default())) };
        let is_whole = match self.types.shape(ty) {
            _ if matches!(first.kind, ExprKind::List(_)) => true,
            Shape::Array(of, _) => {
                matches!(first.kind, ExprKind::Text(_)) && self.types.struct_of(of).is_none()
            }
            Shape::Struct(at) => {
                let is_plain = self.types.structs[at].constructors.is_empty() || self.has_only_defaulted(at);
                !is_plain || self.makes(scope, first, ty)?
            }
            _ => true,
        };
        if is_whole {
            *rest = others;
            return self.init_from(scope, ty, first, what);
        }
        let mut values = Vec::new();
        match self.types.shape(ty) {
            Shape::Array(of, Some(length)) => {
                while !rest.is_empty() && (values.len() as u64) < length {
                    values.push(self.part_from(scope, of.plain(), rest, what)?);
                }
                self.fill(&mut values, of, length, first.span)?;
            }
            Shape::Struct(at) => self.members_of(scope, at, rest, first.span, &mut values)?,
            _ => {}
        }
        Ok(self.node(Kind::Aggregate(self.arena.list(&values)), ty.plain(), first.span))
    }

    /// Whether a value makes a whole struct.
    fn makes(&mut self, scope: ScopeId, written: tree::Expr<'t>, ty: Type) -> Result<bool> {
        self.unevaluated += 1;
        let value = self.expr(scope, written);
        self.unevaluated -= 1;
        let value = value?;
        Ok(value.ty.same(ty) || self.rank(value, ty).is_some())
    }

    /// A struct from values: by a constructor if it has any, and else member by member. C++17, [dcl.init.list], in that
    /// order: a constructor for a list, other constructors, and without any, an aggregate.
    pub(super) fn struct_from(
        &mut self,
        scope: ScopeId,
        ty: Type,
        items: &[tree::Expr<'t>],
        is_list: bool,
        span: Span,
    ) -> Result<Expr<'t>> {
        let ty = ty.plain();
        let Some(at) = self.types.struct_of(ty) else { return Err(error(span, "this is no struct")) };
        if !self.types.structs[at].is_complete {
            return Err(error(span, format_args!("the members of `{}` are not known here", self.show(ty))));
        }
        // A struct with a constructor is no aggregate ([dcl.init.aggr]); one that is only defaulted changes nothing.
        let is_aggregate = self.has_only_defaulted(at) && (is_list && !items.is_empty());
        if !self.types.structs[at].constructors.is_empty() && !is_aggregate {
            let arguments = match self.list_parameter(at)?.filter(|_| is_list && !items.is_empty()) {
                Some(list) => vec![self.initialiser_list(scope, list, items, span)?],
                None => self.arguments(scope, items)?,
            };
            return self.construct(ty, &arguments, span);
        }
        if let [one] = items
            && !matches!(one.kind, ExprKind::List(_))
        {
            let value = self.expr(scope, one)?;
            // `S{x}` with an `x` of the type `S` copies it. With anything else it is the first member, unless that
            // could not take a struct.
            let is_first = self.types.structs[at].fields.first().is_some_and(|field| field.ty.same(value.ty));
            if value.ty.same(ty) || !is_list || !is_first && self.types.struct_of(value.ty).is_some() {
                return self.implicit(value, ty, &"the value");
            }
        }
        // C++20 allows `S(1, 2)` for an aggregate, C++17 does not.
        if !is_list && !items.is_empty() {
            let message = format!("`{}` has no constructor for these values", self.show(ty));
            return Err(
                error(span, message).with_help("write `{…}` to give its members values one after another")
            );
        }
        self.members_from(scope, ty, at, items, span)
    }

    /// The `std::initializer_list` that a constructor of a struct takes, if any does. It is told by the name of its
    /// type, which the header of the host declares.
    fn list_parameter(&mut self, at: usize) -> Result<Option<Type>> {
        for constructor in self.types.structs[at].constructors.clone() {
            if self.declared[constructor].function.template.is_none()
                && let [only] = self.signature(constructor)?.parameters[..]
                && let Some(list) = self.types.struct_of(only)
                && self.types.structs[list].name.starts_with("initializer_list<")
            {
                return Ok(Some(only));
            }
        }
        Ok(None)
    }

    /// A `std::initializer_list`: where its elements are, and how many there are. The elements are a temporary array,
    /// as in [dcl.init.list].
    fn initialiser_list(
        &mut self,
        scope: ScopeId,
        list: Type,
        items: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let at = self.types.struct_of(list).ok_or_else(|| error(span, "this is no struct"))?;
        let pointer = self.types.structs[at].fields.first().map(|field| field.ty);
        let of = pointer.and_then(|pointer| self.types.pointee(pointer));
        let of = of.ok_or_else(|| error(span, "this list has no elements"))?;
        let array = self.types.get(Shape::Array(of.plain(), Some(items.len() as u64)));
        let elements = self.list_value(scope, array, items, span)?;
        let elements = self.value(self.placed(elements));
        let size = self.types.basic(tree::Basic::UnsignedLong);
        let count = self.node(Kind::Integer(items.len() as i64), size, span);
        Ok(self.node(Kind::Aggregate(self.arena.list(&[elements, count])), list, span))
    }

    /// Member by member.
    fn members_from(
        &mut self,
        scope: ScopeId,
        ty: Type,
        at: usize,
        items: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let mut values = Vec::new();
        let mut rest = items;
        self.members_of(scope, at, &mut rest, span, &mut values)?;
        if !rest.is_empty() {
            let most = values.len();
            let message =
                format!("{} values are too many for the {most} members of `{}`", items.len(), self.show(ty));
            return Err(error(span, message));
        }
        Ok(self.node(Kind::Aggregate(self.arena.list(&values)), ty, span))
    }

    /// The members of a struct from the values that are left; of a union, the first member only ([dcl.init.aggr]).
    fn members_of(
        &mut self,
        scope: ScopeId,
        at: usize,
        rest: &mut &[tree::Expr<'t>],
        span: Span,
        values: &mut Vec<Expr<'t>>,
    ) -> Result<()> {
        let fields = self.types.structs[at].fields.clone();
        let most = if self.types.structs[at].is_union { 1 } else { fields.len() };
        if rest.is_empty() && fields.iter().skip(most).any(|field| field.init.is_some()) {
            return Err(unsupported(span, "a union in which not the first member has a value"));
        }
        for field in fields.iter().take(most) {
            values.push(if rest.is_empty() {
                self.default_member(at, field, span)?
            } else {
                self.part_from(
                    scope,
                    field.ty,
                    rest,
                    &format_args!("the value of the member `{}`", field.name),
                )?
            });
        }
        Ok(())
    }

    /// What a member is if nothing is said: what its declaration says, what its constructor does, or zero. C++17,
    /// [dcl.init.aggr], paragraph 8.
    pub(super) fn default_member(&mut self, at: usize, field: &Field<'t>, span: Span) -> Result<Expr<'t>> {
        let scope = self.types.structs[at].scope;
        match &field.init {
            Some(init) => {
                let value = self.initialiser(scope, field.ty, *init, span)?;
                Ok(self.at(value, span))
            }
            None => match self.default_value(field.ty, span)? {
                Some(value) => Ok(value),
                None => Ok(self.zero(field.ty, span)),
            },
        }
    }

    /// What a variable without an initialiser is, if its type says anything about that. `None` for numbers, and for
    /// structs of nothing else: they stay without a value ([dcl.init], "to default-initialize").
    pub(super) fn default_value(&mut self, ty: Type, span: Span) -> Result<Option<Expr<'t>>> {
        if !self.has_default(ty) {
            return Ok(None);
        }
        budget::spend(Bound::Values, 1, span)?;
        if let Shape::Array(of, Some(length)) = self.types.shape(ty) {
            let Some(one) = self.default_value(of, span)? else { return Ok(None) };
            Self::check_objects(length, span)?;
            let kind = Kind::Aggregate(self.arena.list(&vec![one; length as usize]));
            return Ok(Some(self.node(kind, ty, span)));
        }
        let Some(at) = self.types.struct_of(ty) else { return Ok(None) };
        // Without a constructor, or with one that is defaulted: only members with values of their own need anything.
        if self.types.structs[at].constructors.is_empty() || self.has_defaulted(at) {
            return self.members_from(0, ty.plain(), at, &[], span).map(Some);
        }
        self.construct(ty.plain(), &[], span).map(Some)
    }

    /// Whether a type says what an object without an initialiser is. It is asked once for each struct: one that has two
    /// members of another, which has two of another, would be asked twice as often with each level.
    fn has_default(&mut self, ty: Type) -> bool {
        if let Shape::Array(of, Some(_)) = self.types.shape(ty) {
            return self.has_default(of);
        }
        let Some(at) = self.types.struct_of(ty) else { return false };
        if let Some(known) = self.types.structs[at].has_default {
            return known;
        }
        let is_made = !self.types.structs[at].constructors.is_empty() && !self.has_defaulted(at);
        let fields = self.types.structs[at].fields.clone();
        let found = is_made || fields.iter().any(|field| field.init.is_some() || self.has_default(field.ty));
        if self.types.structs[at].is_complete {
            self.types.structs[at].has_default = Some(found);
        }
        found
    }

    /// Whether a struct has a constructor without parameters that is `= default`.
    fn has_defaulted(&self, at: usize) -> bool {
        let mut constructors =
            self.types.structs[at].constructors.iter().map(|at| self.declared[*at].function);
        constructors.any(|function| function.parameters.is_empty() && function.is_defaulted)
    }

    /// Whether the text provides none of the constructors itself ([dcl.init.aggr]).
    fn has_only_defaulted(&self, at: usize) -> bool {
        let mut constructors =
            self.types.structs[at].constructors.iter().map(|at| self.declared[*at].function);
        constructors.all(|function| function.is_defaulted || function.is_deleted)
    }

    /// Calls the constructor that fits. Copies need none unless the text has one. The result is a value, made in memory
    /// that `lower` chooses.
    pub(super) fn construct(&mut self, ty: Type, arguments: &[Expr<'t>], span: Span) -> Result<Expr<'t>> {
        let ty = ty.plain();
        let Some(at) = self.types.struct_of(ty) else { return Err(error(span, "this is no struct")) };
        let is_copy = matches!(arguments, [one] if one.ty.same(ty));
        let constructors =
            if is_copy { self.copying(at) } else { self.types.structs[at].constructors.clone() };
        // A value of the same type is used as it is; a place only if no constructor copies it ([class.copy.elision]).
        if let [one] = arguments
            && one.ty.same(ty)
            && !(one.is_place() && self.copy_constructor(ty)?.is_some())
        {
            return Ok(self.value(one));
        }
        if constructors.is_empty() {
            if arguments.is_empty() {
                return self.members_from(0, ty, at, &[], span);
            }
            let [one] = arguments else {
                return Err(error(span, format_args!("`{}` has no constructors", self.show(ty))));
            };
            let message = format!("`{}` does not convert to `{}`", self.show(one.ty), self.show(ty));
            return Err(error(span, message));
        }
        // `S() = default;` gives members what their declarations say. C++17, [dcl.init], "to value-initialize": the
        // others are zero.
        if arguments.is_empty() && self.has_defaulted(at) {
            return self.members_from(0, ty, at, &[], span);
        }
        let name = self.types.structs[at].name;
        // Overload resolution wants an object; it is dropped again below.
        let this = self.node(Kind::Integer(0), ty, span);
        let call = self.call_one_of(&constructors, &[], Some(this), arguments, name, span)?;
        match &call.kind {
            Kind::Call(function, arguments) => {
                // The first argument is the object that is being made.
                Ok(self.node(Kind::Construct(*function, &arguments[1..]), ty, span))
            }
            _ => Ok(call),
        }
    }
}
