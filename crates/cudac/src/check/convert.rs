//! Conversions: which happen by themselves, how good each is for choosing an overload, and casts.
//!
//! Two questions have to agree: [`Checker::rank`] says whether and how well a value converts, without making anything,
//! and [`Checker::implicit`] converts. Left out: pointers to members. Specification: C++17, [conv], [over.best.ics], [dcl.init.ref].

use std::fmt::Display;

use super::Checker;
use super::scope::{DeclaredId, ScopeId};
use super::typed::{Expr, Kind};
use super::types::{Basic, Shape, Type};
use crate::parse::tree::CastKind;
use crate::source::{Failed, Result, Span, error, unsupported};

/// How good a conversion is; smaller is better. The categories of [over.ics.scs], table 13. Finer than there: adding
/// `const` is worse than nothing ([over.ics.rank]), and becoming `bool` is worse than every other conversion, which C++
/// says of pointers only.
pub(super) type Rank = u8;
/// The same type, a reference bound to it, an array as a pointer.
pub(super) const EXACT: Rank = 0;
/// `const` or `volatile` is added to what a pointer or a reference leads to.
const QUALIFIED: Rank = 1;
/// To `int`, or `float` to `double`.
const PROMOTED: Rank = 2;
/// Between other numbers, from zero to a pointer, to `void*`.
const CONVERTED: Rank = 3;
const TO_BOOL: Rank = 4;
/// By a constructor or a conversion function. Two of these are not compared with each other.
pub(super) const BY_USER: Rank = 5;

impl<'t> Checker<'_, 't> {
    /// The value of a place; an array becomes a pointer to its first element. C++17, [conv.lval] and [conv.array].
    pub(super) fn value(&mut self, expr: Expr<'t>) -> Expr<'t> {
        if let Shape::Array(of, _) = self.types.shape(expr.ty) {
            let of = of.qualified_as(expr.ty);
            let (ty, span) = (self.types.pointer(of), expr.span);
            let place = self.placed(expr);
            // Whoever has a pointer to the elements may store to them.
            self.mark_changed(place);
            return self.node(Kind::Decay(place), ty, span);
        }
        if !expr.is_place() {
            // The name of a constant has a type with `const`, its value has not.
            let is_object = self.types.struct_of(expr.ty).is_some();
            return if is_object { expr } else { self.as_type(expr, expr.ty.plain()) };
        }
        if let Some((condition, yes, no)) = chosen(expr) {
            let (yes, no) = (self.value(yes), self.value(no));
            return self.node(Kind::Conditional(condition, yes, no), expr.ty.plain(), expr.span);
        }
        // An object stays the place that it is, or it would be taken for a new one.
        if let Some((left, right)) = last(expr)
            && self.types.struct_of(expr.ty).is_none()
        {
            let right = self.value(right);
            return self.node(Kind::Comma(left, right), right.ty, expr.span);
        }
        if let Kind::Local(var) = expr.kind
            && let Some(frame) = self.frame()
        {
            frame.vars[var].is_used = true;
        }
        // `&a[n]` does not come here: only the value of that place is wrong.
        self.warn_past_end(expr);
        let (ty, span) = (expr.ty.plain(), expr.span);
        self.node(Kind::Load(expr), ty, span)
    }

    /// An expression whose value nobody looks at. The last part of `a++, ++b` needs no address.
    pub(super) fn discarded(&mut self, expr: Expr<'t>) -> Expr<'t> {
        if last(expr).is_some() && self.types.struct_of(expr.ty).is_none() { self.value(expr) } else { expr }
    }

    /// A place that holds the value. C++17, [conv.rval]: a value gets memory if somebody needs its address.
    pub(super) fn placed(&self, expr: Expr<'t>) -> Expr<'t> {
        if expr.is_place() {
            return expr;
        }
        let (ty, span) = (expr.ty, expr.span);
        self.node(Kind::Temporary(expr), ty, span)
    }

    /// Notes that a variable may have another value later. A variable that never changes may be replaced by its first
    /// value. Through a pointer nothing is marked here: whoever took the address did it.
    pub(super) fn mark_changed(&mut self, place: Expr<'t>) {
        match &place.kind {
            Kind::Local(var) => {
                let var = *var;
                if let Some(frame) = self.frame() {
                    frame.vars[var].is_changed = true;
                    frame.vars[var].is_used = true;
                }
            }
            Kind::Field(base, _) | Kind::Element(base, _) | Kind::Temporary(base) => self.mark_changed(base),
            Kind::Assign(place, _) | Kind::Update { place, .. } | Kind::Step { place, .. } => {
                self.mark_changed(place);
            }
            Kind::Deref(_) => {
                if let Some((_, yes, no)) = chosen(place) {
                    self.mark_changed(yes);
                    self.mark_changed(no);
                } else if let Some((_, right)) = last(place) {
                    self.mark_changed(right);
                }
            }
            _ => {}
        }
    }

    /// How good the conversion of a value is, if there is one.
    pub(super) fn rank(&mut self, from: Expr<'t>, to: Type) -> Option<Rank> {
        if let Kind::List(scope, written) = from.kind {
            return self.list_rank(scope, written, to);
        }
        if self.types.is_reference(to) {
            let referred = self.types.referred(to);
            if self.types.fits(from.ty, referred) {
                // A reference must not forget a qualifier ([dcl.init.ref]).
                let drops = from.ty.is_const() && !referred.is_const()
                    || from.ty.is_volatile() && !referred.is_volatile();
                let added = referred.is_const() && !from.ty.is_const();
                let is_bound = self.binds(from, to);
                return (is_bound && !drops).then_some(if added { QUALIFIED } else { EXACT });
            }
            if self.place_conversion(from, referred).is_some() {
                return Some(BY_USER);
            }
            // A temporary of the type is made and bound.
            let makes = referred.is_const() || self.types.is_rvalue(to);
            return if makes { self.rank(from, referred.plain()) } else { None };
        }
        let (source, target) = (from.ty, to);
        if source.same(target) {
            return Some(EXACT);
        }
        if self.types.is_arithmetic(source) && self.types.is_arithmetic(target) {
            return self.arithmetic_rank(source, target);
        }
        if let Some(found) = self.pointer_rank(from, target) {
            return Some(found);
        }
        // It is made on trial, and thrown away.
        self.user_conversion(from, target).ok().flatten().map(|_| BY_USER)
    }

    /// Whether a reference may be bound to something of its type. C++17, [dcl.init.ref], paragraph 5: `T&&` is never
    /// bound to a variable, and `T&` to nothing else, but `const T&` to everything.
    fn binds(&self, from: Expr<'t>, to: Type) -> bool {
        if self.types.is_rvalue(to) {
            return !from.is_lvalue();
        }
        from.is_lvalue() || self.types.referred(to).is_const()
    }

    /// C++17, [conv.prom], [conv.fpprom] and the conversions after them. No number becomes an enumeration by itself.
    fn arithmetic_rank(&self, source: Type, target: Type) -> Option<Rank> {
        if matches!(self.types.shape(target), Shape::Enum(_)) {
            return None;
        }
        let (from, to) = (self.types.basic_of(source)?, self.types.basic_of(target)?);
        let promotes = to == promoted(from) && from != to || from == Basic::Float && to == Basic::Double;
        let is_enum = matches!(self.types.shape(source), Shape::Enum(_));
        Some(match () {
            () if from == to && is_enum || promotes => PROMOTED,
            () if to == Basic::Bool => TO_BOOL,
            () => CONVERTED,
        })
    }

    /// C++17, [conv.ptr], [conv.qual] and [conv.bool].
    fn pointer_rank(&self, from: Expr<'t>, target: Type) -> Option<Rank> {
        if self.types.is_bool(target) && (self.types.is_pointer(from.ty) || self.types.is_array(from.ty)) {
            return Some(TO_BOOL);
        }
        let to = self.types.pointee(target)?;
        if self.types.shape(from.ty) == Shape::Null {
            return Some(CONVERTED);
        }
        // Only a literal zero is a null pointer, not every constant.
        if matches!(from.kind, Kind::Integer(0)) && self.types.is_integral(from.ty) {
            return Some(CONVERTED);
        }
        // An array is on the way to a pointer to its elements.
        let source = match self.types.shape(from.ty) {
            Shape::Pointer(source) => source,
            Shape::Array(of, _) => of.qualified_as(from.ty),
            _ => return None,
        };
        if self.is_program && Self::is_text(from) && source.same(to) {
            return Some(if to.is_const() { EXACT } else { CONVERTED });
        }
        // Qualifiers of what is pointed to may be added, not dropped.
        let keeps = (to.is_const() || !source.is_const()) && (to.is_volatile() || !source.is_volatile());
        if !keeps {
            return None;
        }
        if source.same(to) {
            let added = to.is_const() != source.is_const() || to.is_volatile() != source.is_volatile();
            return Some(if added { QUALIFIED } else { EXACT });
        }
        self.types.is_void(to).then_some(CONVERTED)
    }

    /// A text in quotes. In programs it may become a `char*`, as before C++11 and with a warning of `nvcc`.
    fn is_text(from: Expr<'t>) -> bool {
        matches!(from.kind, Kind::Text(_))
    }

    /// Converts a value as an assignment, an argument or a return does. `what` says where, for the message.
    pub(super) fn implicit(&mut self, from: Expr<'t>, to: Type, what: &dyn Display) -> Result<Expr<'t>> {
        if let Kind::List(scope, written) = from.kind {
            return self.init_from(scope, to, written, what);
        }
        if self.types.is_reference(to) {
            return self.bind(from, to, what);
        }
        let span = from.span;
        if from.ty.same(to) {
            return match self.copy_constructor(to)? {
                // Copying a struct calls the constructor for it, if the text has one; a value is moved into its place
                // without.
                Some(_) if from.is_place() => self.construct(to, &[from], span),
                _ => {
                    let value = self.value(from);
                    Ok(self.as_type(value, to.plain()))
                }
            };
        }
        if self.types.is_arithmetic(from.ty)
            && self.types.is_arithmetic(to)
            && self.arithmetic_rank(from.ty, to).is_some()
        {
            let value = self.value(from);
            self.warn_quotient(value, to);
            return Ok(self.converted(value, to));
        }
        if self.pointer_rank(from, to).is_some() {
            if Self::is_text(from)
                && self.types.pointee(to).is_some_and(|to| !to.is_const())
                && from.span.is_users()
            {
                let message = "a text in quotes is `const`, and is not to be changed through this pointer";
                self.sink.warn(from.span, message.to_owned(), "make it a `const char*`");
            }
            let value = self.value(from);
            return Ok(self.converted(value, to));
        }
        if let Some(converted) = self.user_conversion(from, to)? {
            return Ok(converted);
        }
        Err(self.no_conversion(from, to, what))
    }

    /// The error, with help for what beginners most often meant.
    fn no_conversion(&mut self, from: Expr<'t>, to: Type, what: &dyn Display) -> Failed {
        let (source, target) = (self.show(from.ty), self.show(to));
        let problem = error(
            from.span,
            format_args!("{what} has the type `{source}`, which does not convert to `{target}`"),
        );
        if matches!(from.kind, Kind::Special(_)) || source == "uint3" {
            return problem.with_help("name a component: `.x`, `.y` or `.z`");
        }
        if let (Shape::Pointer(a), Shape::Pointer(b)) = (self.types.shape(from.ty), self.types.shape(to)) {
            if a.same(b) && a.is_const() {
                return problem
                    .with_help("what the pointer points to is `const`, and may not be changed through it");
            }
            return problem
                .with_help(format_args!("if you mean the same bytes, write `({target})` before the value"));
        }
        if let (Shape::Pointer(a), true) = (self.types.shape(from.ty), self.types.is_arithmetic(to))
            && a.same(to)
        {
            return problem
                .with_help("write `*` before the pointer, or an index after it, for the value it points to");
        }
        if self.types.pointee(to).is_some_and(|to| to.same(from.ty)) && from.is_place() {
            return problem.with_help("write `&` before the variable for its address");
        }
        problem
    }

    /// C++17, [dcl.init.ref]: a place of the same type is bound directly, anything else through a temporary.
    fn bind(&mut self, from: Expr<'t>, reference: Type, what: &dyn Display) -> Result<Expr<'t>> {
        let (to, is_rvalue) = (self.types.referred(reference), self.types.is_rvalue(reference));
        if self.types.fits(from.ty, to) {
            if from.ty.is_const() && !to.is_const() {
                return Err(error(
                    from.span,
                    format_args!("{what} is `const`, but the reference could change it"),
                ));
            }
            if is_rvalue && from.is_lvalue() {
                let message =
                    format!("{what} is a variable, which `{}` cannot refer to", self.show(reference));
                return Err(error(from.span, message).with_help("write `std::move(…)` around it"));
            }
            if from.is_place() && self.binds(from, reference) {
                if !to.is_const() {
                    self.mark_changed(from);
                }
                return Ok(from);
            }
        }
        if let Some(conversion) = self.place_conversion(from, to).filter(|_| !is_rvalue) {
            return self.call_method(conversion, from, &[], from.span);
        }
        if !to.is_const() && !is_rvalue {
            let message = format!(
                "{what} is not a variable of the type `{}`, which the reference needs",
                self.show(to)
            );
            return Err(error(from.span, message));
        }
        let value = self.implicit(from, to.plain(), what)?;
        Ok(self.placed(value))
    }

    /// The function that converts an object to a reference to another type. C++17, [dcl.init.ref], paragraph 5.1.2.
    fn place_conversion(&mut self, from: Expr<'t>, to: Type) -> Option<DeclaredId> {
        let at = self.types.struct_of(from.ty).filter(|_| from.is_place())?;
        let is_const = from.ty.is_const();
        let fits = |checker: &mut Self, conversion: DeclaredId| {
            let Ok(signature) = checker.signature(conversion) else { return false };
            let (result, function) = (signature.result, checker.declared[conversion].function);
            let leads = checker.types.is_reference(result) && checker.types.referred(result).same(to);
            leads && !function.storage.is_explicit && (function.is_const || !is_const)
        };
        let conversions = self.types.structs[at].conversions.clone();
        conversions.into_iter().find(|conversion| fits(self, *conversion))
    }

    /// A conversion that is known to exist.
    pub(super) fn converted(&self, value: Expr<'t>, to: Type) -> Expr<'t> {
        if value.ty.same(to) {
            return self.as_type(value, to.plain());
        }
        let span = value.span;
        self.node(Kind::Convert(value), to.plain(), span)
    }

    /// A constructor of the target or a conversion function of the source. C++17, [class.conv]. `None` also if there is
    /// one that would have to be the second.
    fn user_conversion(&mut self, from: Expr<'t>, to: Type) -> Result<Option<Expr<'t>>> {
        if let Some(at) = self.types.struct_of(from.ty) {
            let conversions = self.types.structs[at].conversions.clone();
            let mut best = None;
            for conversion in conversions {
                let result = self.signature(conversion)?.result;
                let result = self.types.referred(result);
                // A conversion to another number may be followed by a standard conversion; an explicit one may not.
                let is_near = self.types.is_arithmetic(result) && self.types.is_arithmetic(to);
                let is_exact = result.same(to);
                if is_exact
                    || is_near && best.is_none() && !self.declared[conversion].function.storage.is_explicit
                {
                    best = Some(conversion);
                    if is_exact {
                        break;
                    }
                }
            }
            if let Some(conversion) = best {
                let value = self.call_method(conversion, from, &[], from.span)?;
                return self.implicit(value, to, &"this value").map(Some);
            }
        }
        let Some(at) = self.types.struct_of(to) else { return Ok(None) };
        if self.types.struct_of(from.ty) == Some(at) {
            return Ok(None);
        }
        // A conversion consists of one constructor: the argument of that is not converted by another one.
        if self.is_converting {
            return Ok(None);
        }
        self.is_converting = true;
        let made = self.by_constructor(from, to, at);
        self.is_converting = false;
        made
    }

    /// The constructor that the text has for copies of a struct. `None` if the text has none or defaults it, and no
    /// member has one: then copying is copying bytes.
    pub(super) fn copy_constructor(&mut self, ty: Type) -> Result<Option<DeclaredId>> {
        let Some(at) = self.types.struct_of(ty) else { return Ok(None) };
        #[cfg(feature = "host")]
        let copies_members = self.types.structs[at].members.copy;
        #[cfg(not(feature = "host"))]
        let copies_members = false;
        for constructor in self.copying(at) {
            let function = &self.declared[constructor].function;
            if function.parameters.len() != 1 || function.template.is_some() {
                continue;
            }
            if function.is_defaulted && !copies_members {
                continue;
            }
            let parameter = self.signature(constructor)?.parameters[0];
            // A parameter by value would need a copy to make a copy, and is no constructor for copies.
            if self.types.is_reference(parameter) && self.types.referred(parameter).same(ty) {
                return Ok(Some(constructor));
            }
        }
        Ok(None)
    }

    /// The constructors of a struct, with those for copies that the text leaves out.
    pub(super) fn copying(&self, at: usize) -> Vec<DeclaredId> {
        let own = &self.types.structs[at];
        #[cfg(feature = "host")]
        return own.constructors.iter().chain(&own.copies).copied().collect();
        #[cfg(not(feature = "host"))]
        own.constructors.clone()
    }

    /// The conversion by a constructor of the struct `at`. Constructors with one argument that are not `explicit`
    /// ([class.conv.ctor]). The first that fits is asked; overload resolution in [`Checker::construct`] has the last
    /// word.
    fn by_constructor(&mut self, from: Expr<'t>, to: Type, at: usize) -> Result<Option<Expr<'t>>> {
        let constructors: Vec<_> = self.types.structs[at].constructors.clone();
        for constructor in constructors {
            let function = &self.declared[constructor].function;
            let required = function.parameters.iter().filter(|parameter| parameter.init.is_none()).count();
            if function.storage.is_explicit || function.parameters.is_empty() || required > 1 {
                continue;
            }
            if function.template.is_some() {
                if self.deduce(constructor, &[], std::slice::from_ref(&from))?.is_some() {
                    return self.construct(to, &[from], from.span).map(Some);
                }
                continue;
            }
            let parameter = self.signature(constructor)?.parameters[0];
            let referred = self.types.referred(parameter);
            // A struct as the parameter would need a second conversion.
            let fits = if self.types.struct_of(referred).is_some() {
                referred.same(from.ty)
            } else {
                self.rank(from, parameter).is_some()
            };
            if fits {
                return self.construct(to, &[from], from.span).map(Some);
            }
        }
        Ok(None)
    }

    /// A condition: a value that is zero or not. C++17, [conv], "contextually converted to bool".
    pub(super) fn condition(&mut self, from: Expr<'t>) -> Result<Expr<'t>> {
        let bool = self.types.bool();
        let is_scalar = self.types.is_arithmetic(from.ty)
            || self.types.is_pointer(from.ty)
            || self.types.is_array(from.ty);
        if !is_scalar && self.types.struct_of(from.ty).is_none() {
            let message = format!("a condition cannot have the type `{}`", self.show(from.ty));
            return Err(error(from.span, message));
        }
        self.implicit(from, bool, &"the condition")
    }

    /// The type that both sides of an operator are converted to. The usual arithmetic conversions ([expr], paragraph
    /// 11).
    pub(super) fn common(&mut self, a: Type, b: Type) -> Option<Type> {
        let (a, b) = (self.types.basic_of(a)?, self.types.basic_of(b)?);
        let basic = match () {
            // A float wins over any integer, however wide.
            () if a == Basic::Double || b == Basic::Double => Basic::Double,
            () if a == Basic::Float || b == Basic::Float => Basic::Float,
            // The order of the enumeration is that of the ranks, unsigned after signed.
            () => promoted(a).max(promoted(b)),
        };
        // `long long` and `unsigned long` have the same size: neither holds all values of the other, and the result is
        // the unsigned type of the higher rank.
        let signed_wider = |wide, narrow| {
            matches!((wide, narrow), (Basic::LongLong, Basic::UnsignedLong))
                .then_some(Basic::UnsignedLongLong)
        };
        let (pa, pb) = (promoted(a), promoted(b));
        let basic = signed_wider(pa, pb).or_else(|| signed_wider(pb, pa)).unwrap_or(basic);
        Some(self.types.basic(basic))
    }

    /// C++17, [conv.prom]; other types stay.
    pub(super) fn promote(&mut self, value: Expr<'t>) -> Expr<'t> {
        match self.types.basic_of(value.ty) {
            Some(basic) if self.types.is_integral(value.ty) => {
                let ty = self.types.basic(promoted(basic));
                self.converted(value, ty)
            }
            _ => value,
        }
    }

    /// A cast that is written. C++17, [expr.cast]. The four kinds differ in what they reject, of which only
    /// `reinterpret_cast` between numbers is checked.
    pub(super) fn cast(
        &mut self,
        scope: ScopeId,
        kind: CastKind,
        to: Type,
        value: Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        // The value is thrown away, and what it does is done.
        if self.types.is_void(to) {
            let zero = self.node(Kind::Integer(0), to, span);
            return Ok(self.node(Kind::Comma(value, zero), to, span));
        }
        if self.types.is_reference(to) {
            let referred = self.types.referred(to);
            // The same bytes as another type.
            let place = self.placed(value);
            self.mark_changed(place);
            let (from, pointer) = (self.types.pointer(place.ty), self.types.pointer(referred));
            let address = self.node(Kind::AddressOf(place), from, span);
            let address = self.converted(address, pointer);
            let place = self.node(Kind::Deref(address), referred, span);
            return Ok(self.referred_place(place, to));
        }
        if self.types.struct_of(to).is_some() || self.types.struct_of(value.ty).is_some() {
            if value.ty.same(to) {
                return self.implicit(value, to.plain(), &"this value");
            }
            return if self.types.struct_of(to).is_some() {
                self.construct(to, &[value], span)
            } else {
                self.implicit(value, to, &"this value")
            };
        }
        let value = self.value(value);
        let is_number = |ty| self.types.is_arithmetic(ty) || self.types.is_scoped_enum(ty);
        let (from_number, to_number) = (is_number(value.ty), is_number(to));
        let (from_pointer, to_pointer) = (self.types.is_pointer(value.ty), self.types.is_pointer(to));
        let is_integer = |ty| is_number(ty) && !self.types.is_float(ty);
        let is_allowed = from_number && to_number && kind != CastKind::Reinterpret
            || from_pointer && to_pointer
            || from_pointer && is_integer(to)
            || is_integer(value.ty) && to_pointer
            || value.ty.same(to);
        let _ = scope;
        if !is_allowed {
            let message = format!("`{}` cannot be converted to `{}`", self.show(value.ty), self.show(to));
            return Err(error(span, message));
        }
        // C++ allows it by way of wider types only; the upper half of an address would be lost.
        if from_pointer && is_integer(to) && self.types.size(to) < 8 && !self.types.is_bool(to) {
            return Err(unsupported(span, "a pointer as an integer of less than 64 bits")
                .with_help("convert to `unsigned long long` first"));
        }
        Ok(self.at(self.converted(value, to), span))
    }
}

/// The condition and the two places of a `?` that is a place.
pub(super) fn chosen(place: Expr<'_>) -> Option<(Expr<'_>, Expr<'_>, Expr<'_>)> {
    let Kind::Deref(address) = &place.kind else { return None };
    let Kind::Conditional(condition, yes, no) = &address.kind else { return None };
    match (&yes.kind, &no.kind) {
        (Kind::AddressOf(yes), Kind::AddressOf(no)) => Some((condition, yes, no)),
        _ => None,
    }
}

/// The two sides of a comma that is a place.
pub(super) fn last(place: Expr<'_>) -> Option<(Expr<'_>, Expr<'_>)> {
    let Kind::Deref(address) = &place.kind else { return None };
    let Kind::Comma(left, right) = &address.kind else { return None };
    if let Kind::AddressOf(right) = &right.kind { Some((left, right)) } else { None }
}

/// What small integers become in an expression. C++17, [conv.prom]: `int` has all values of these types.
pub(super) fn promoted(basic: Basic) -> Basic {
    match basic {
        Basic::Bool
        | Basic::Char
        | Basic::SignedChar
        | Basic::UnsignedChar
        | Basic::Short
        | Basic::UnsignedShort => Basic::Int,
        _ => basic,
    }
}
