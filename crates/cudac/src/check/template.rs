//! Templates: their arguments, and finding them from a call.
//!
//! Deduction compares the type as it is written with the type of the argument, part by part, and notes what each
//! parameter has to be. Left out: the conversions of [temp.deduct.call] that deduced arguments allow (adding
//! qualifiers, derived classes) and values that are no integers. Specification: C++17, [temp.arg], [temp.deduct].
//!
//! ```text
//! template <class T, int N> void f(const T (&a)[N], T* p)        f(numbers, nullptr) with float numbers[8]
//!
//! const T (&a)[N]  against  float[8]:  N is 8, T is float
//! T*               against  the type of nullptr, which is no pointer: deduction fails
//! ```

use super::Checker;
use super::scope::{DeclaredId, Entity, ScopeId, TemplateId, TemplateKind};
use super::typed::{Expr, Kind};
use super::types::{Argument, Shape, Type};
use crate::parse::tree::{self, ParameterKind, TypeKind};
use crate::source::budget::{self, Bound};
use crate::source::map::List;
use crate::source::{Name, Result, Span, error, joined};

/// What parameters were found to be. There are few, so a list will do.
pub(super) type Found<'t> = List<Name<'t>, Argument>;

/// A deduction on its way.
pub(super) struct Deduction<'n, 't> {
    /// The parameters that are looked for.
    names: &'n [Name<'t>],
    pub found: Found<'t>,
    /// How many times `auto` was met.
    autos: usize,
}

impl<'n, 't> Deduction<'n, 't> {
    pub fn new(names: &'n [Name<'t>], found: Found<'t>) -> Deduction<'n, 't> {
        Deduction { names, found, autos: 0 }
    }

    /// Whether a name is that of a parameter that is looked for.
    fn wants(&self, name: Name<'t>) -> bool {
        self.names.contains(&name)
    }

    /// Notes an argument; it must not contradict what is known. Two arguments that say different things make deduction
    /// fail: `min(1, 2.0)`.
    fn agree(&mut self, name: Name<'t>, argument: Argument) -> bool {
        match self.found.get(&name) {
            Some(Argument::Type(known)) => matches!(argument, Argument::Type(ty) if known.same(ty)),
            Some(known) => *known == argument,
            None => {
                self.found.insert(name, argument);
                true
            }
        }
    }
}

impl<'t> Checker<'_, 't> {
    /// Arguments in angle brackets. Values are integers, also those of enumerations and `bool` ([temp.arg.nontype]).
    pub(super) fn template_arguments(
        &mut self,
        scope: ScopeId,
        written: &[tree::Argument<'t>],
    ) -> Result<Vec<Argument>> {
        let mut arguments = Vec::with_capacity(written.len());
        for written in written {
            arguments.push(match written {
                tree::Argument::Type(ty) => Argument::Type(self.resolve(scope, ty)?),
                tree::Argument::Value(value) => match self.function_argument(scope, value)? {
                    Some(function) => Argument::Function(function),
                    None => {
                        Argument::Value(self.integer_constant(scope, value, "an argument of a template")?)
                    }
                },
            });
        }
        Ok(arguments)
    }

    /// The function that an argument names, with or without `&`. One of several of a name is left out.
    pub(super) fn function_argument(
        &mut self,
        scope: ScopeId,
        written: tree::Expr<'t>,
    ) -> Result<Option<DeclaredId>> {
        let named = match &written.kind {
            tree::ExprKind::Prefix("&", inner) => inner,
            _ => written,
        };
        let tree::ExprKind::Path(path) = &named.kind else { return Ok(None) };
        // A member of an instance is a value. Looking for it twice, at each level of `S<S<1>::value>::value`, would take for ever.
        let around = path.parts.split_last().map_or(&[][..], |(_, around)| around);
        if around.iter().any(|part| part.arguments.is_some()) {
            return Ok(None);
        }
        let Entity::Functions(functions) = self.lookup(scope, path)? else { return Ok(None) };
        match functions[..] {
            [only]
                if self.declared[only].function.template.is_none() && self.declared[only].owner.is_none() =>
            {
                Ok(Some(only))
            }
            _ => {
                Err(error(written.span, "an argument of a template is one function, and not one of several"))
            }
        }
    }

    /// A type from a template. Instances are found by their arguments with defaults filled in, so `S<int>` and `S<int,
    /// 4>` may be the same type.
    pub(super) fn type_instance(
        &mut self,
        template: TemplateId,
        given: &[Argument],
        span: Span,
    ) -> Result<Type> {
        let (parent, name) = (self.templates[template].scope, self.templates[template].name);
        let parameters = self.templates[template].parameters;
        if given.len() > parameters.len() {
            return Err(error(span, format_args!("`{name}` takes at most {} arguments", parameters.len())));
        }
        let scope = self.scopes.push(parent);
        let mut arguments = given.to_vec();
        self.bind_arguments(scope, &parameters[..given.len()], given);
        for parameter in &parameters[given.len()..] {
            // A default may name the parameters before it, hence they are bound one by one.
            let Some(default) = self.default_argument(scope, parameter)? else {
                return Err(error(span, format_args!("`{name}` needs more arguments in `<…>`")));
            };
            arguments.push(default);
            self.bind_arguments(scope, std::slice::from_ref(parameter), &[default]);
        }
        check_kinds(parameters, &arguments, span)?;
        if let Some(known) = self.templates[template].instances.get(&arguments[..]) {
            return Ok(*known);
        }
        budget::spend(Bound::Instances, 1, span)?;
        match self.templates[template].kind {
            // An alias makes no type of its own ([temp.alias]).
            TemplateKind::Alias(ty) => self.nested(span, |checker| checker.resolve(scope, ty)),
            TemplateKind::Struct(definition) => {
                let case = self.special_case(template, parent, &arguments)?;
                let (scope, definition) = case.unwrap_or((scope, definition));
                let shown: Vec<String> =
                    arguments.iter().map(|argument| self.show_argument(*argument)).collect();
                let shown = format!("{name}<{}>", joined(&shown, ", "));
                budget::spend(Bound::Names, shown.len(), span)?;
                let ty = self.new_struct(
                    self.arena.text(&shown),
                    definition,
                    scope,
                    Some((template, arguments.clone())),
                );
                // Before its members are read, as they may point to the type itself.
                self.templates[template].instances.insert(arguments, ty);
                // A template that was only declared makes a type that nothing is known of, to which there may be
                // pointers.
                if !definition.is_forward {
                    self.nested(span, |checker| {
                        checker.complete_struct(ty, definition)?;
                        checker.define_members(template, ty)
                    })?;
                }
                Ok(ty)
            }
        }
    }

    fn default_argument(
        &mut self,
        scope: ScopeId,
        parameter: &tree::Parameter<'t>,
    ) -> Result<Option<Argument>> {
        Ok(match &parameter.kind {
            ParameterKind::Type(Some(ty)) => Some(Argument::Type(self.resolve(scope, ty)?)),
            ParameterKind::Value(_, Some(value)) => {
                Some(Argument::Value(self.integer_constant(scope, value, "an argument of a template")?))
            }
            _ => None,
        })
    }

    fn show_argument(&self, argument: Argument) -> String {
        match argument {
            Argument::Type(ty) => self.show(ty),
            Argument::Value(value) => value.to_string(),
            Argument::Function(function) => self.declared[function].function.name.to_string(),
        }
    }

    /// The arguments of a function template that a call implies. `None` if they do not fit the call, which is no error:
    /// another overload may ([temp.deduct]).
    pub(super) fn deduce(
        &mut self,
        declared: DeclaredId,
        explicit: &[Argument],
        arguments: &[Expr<'t>],
    ) -> Result<Option<Vec<Argument>>> {
        let function = self.declared[declared].function;
        let Some(parameters) = &function.template else { return Ok(Some(Vec::new())) };
        if explicit.len() > parameters.len() {
            return Ok(None);
        }
        let scope = self.declared[declared].scope;
        // In this order: what is written, what the arguments say, then defaults ([temp.arg.explicit], [temp.deduct]).
        let mut found = Found::default();
        for (parameter, argument) in parameters.iter().zip(explicit) {
            if let Some(name) = &parameter.name {
                found.insert(*name, *argument);
            }
        }
        // What is written in the call is not deduced, so arguments may convert to it.
        let open = parameters.iter().skip(explicit.len());
        let names: Vec<Name<'t>> = open.filter_map(|parameter| parameter.name).collect();
        let mut deduction = Deduction::new(&names, found);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            if !is_deduced(parameter.ty, &names) || matches!(argument.kind, Kind::List(..)) {
                continue;
            }
            let mut ty = argument.ty;
            let is_reference = matches!(parameter.ty.kind, TypeKind::Reference(_) | TypeKind::Rvalue(_));
            // C++17, [temp.deduct.call], paragraph 3: `T&&` of a variable takes it as a `T&`.
            if is_forwarding(parameter.ty, &names) && argument.is_lvalue() {
                ty = self.types.get(Shape::Reference(ty));
            }
            // C++17, [temp.deduct.call], paragraph 2: by value, arrays decay and outermost qualifiers are dropped.
            if !is_reference {
                ty = match self.types.shape(ty) {
                    Shape::Array(of, _) => self.types.pointer(of.qualified_as(ty)),
                    _ => ty.plain(),
                };
            }
            let inner = match (&parameter.ty.kind, self.types.shape(ty)) {
                (TypeKind::Reference(inner) | TypeKind::Rvalue(inner), _) => inner,
                // An array as a parameter is a pointer ([dcl.fct]); its length says nothing.
                (TypeKind::Array(inner, _), Shape::Pointer(to)) => {
                    ty = to;
                    inner
                }
                _ => parameter.ty,
            };
            if !self.unify(scope, inner, ty, &mut deduction) {
                return Ok(None);
            }
        }
        // What was not found has to have a default, which may name what was.
        let bound = self.scopes.push(scope);
        let mut made = Vec::with_capacity(parameters.len());
        for (nth, parameter) in parameters.iter().enumerate() {
            let known = parameter
                .name
                .as_ref()
                .and_then(|name| deduction.found.get(name))
                .or_else(|| explicit.get(nth))
                .copied();
            let argument = match known {
                Some(argument) => Some(argument),
                None => self.default_argument(bound, parameter)?,
            };
            let Some(argument) = argument else { return Ok(None) };
            self.bind_arguments(bound, std::slice::from_ref(parameter), &[argument]);
            made.push(argument);
        }
        Ok(Some(made))
    }

    /// Finds what the parameters of a template have to be, so that a written type becomes the given one. A type that
    /// says nothing of them always fits: whether the argument converts is asked later.
    pub(super) fn unify(
        &mut self,
        scope: ScopeId,
        written: tree::Type<'t>,
        ty: Type,
        deduction: &mut Deduction<'_, 't>,
    ) -> bool {
        match &written.kind {
            TypeKind::Auto => {
                let name = self.names.get(&format!("auto:{}", deduction.autos));
                deduction.autos += 1;
                // In `const T&` the qualifier is the parameter's own, and not part of `T`.
                let ty = ty.without(written.is_const, false);
                deduction.found.insert(name, Argument::Type(ty));
                true
            }
            // References of parameters of functions have been followed; in arguments of templates they are part of the type.
            TypeKind::Reference(inner) => match self.types.shape(ty) {
                Shape::Reference(to) => self.unify(scope, inner, to, deduction),
                _ => false,
            },
            TypeKind::Rvalue(inner) => match self.types.shape(ty) {
                Shape::Rvalue(to) => self.unify(scope, inner, to, deduction),
                _ => false,
            },
            // `T*` and `int*` agree that `T` is `int`. No conversion is tried: a class with a conversion to a pointer
            // does not fit.
            TypeKind::Pointer(inner) => match self.types.pointee(ty) {
                Some(to) => self.unify(scope, inner, to, deduction),
                None => false,
            },
            TypeKind::Array(inner, length) => {
                // `T (&a)[N]`: the length is deduced, too. `T[]` is what a special case is for.
                let Shape::Array(of, count) = self.types.shape(ty) else { return false };
                if let Some(length) = length {
                    let Some(count) = count else { return false };
                    if let Some(name) = name_of(length).filter(|name| deduction.wants(*name))
                        && !deduction.agree(name, Argument::Value(count as i64))
                    {
                        return false;
                    }
                }
                self.unify(scope, inner, of, deduction)
            }
            TypeKind::Named(path) => self.unify_named(scope, written, path, ty, deduction),
            #[cfg(feature = "host")]
            // Pointers to functions, in host code: `apply(T (*f)(T), T x)`.
            TypeKind::Function(result, parameters) => {
                let Shape::Function(at) = self.types.shape(ty) else { return false };
                let (known, types) = self.types.functions[at].clone();
                let pairs = parameters.iter().zip(types).chain(std::iter::once((result, known)));
                pairs.into_iter().all(|(written, ty)| self.unify(scope, written, ty, deduction))
            }
            // What does not depend on a parameter is compared by `rank`.
            TypeKind::Basic(_) | TypeKind::Decltype(_) | TypeKind::TypeOf(_) => true,
        }
    }

    /// `T` itself, or a type from a template with arguments to look into, as in `vector<T>`.
    fn unify_named(
        &mut self,
        scope: ScopeId,
        written: tree::Type<'t>,
        path: &tree::Path<'t>,
        ty: Type,
        deduction: &mut Deduction<'_, 't>,
    ) -> bool {
        let Some(last) = path.parts.last() else { return false };
        if path.parts.len() == 1 && deduction.wants(last.name) {
            let bare = ty.without(written.is_const, written.is_volatile);
            return deduction.agree(last.name, Argument::Type(bare));
        }
        // A name without arguments says nothing of the parameters; `T::type` is not deduced from ([temp.deduct.type]).
        let Some(arguments) = &last.arguments else { return true };
        // Only an instance of a template can be taken apart.
        let Some(at) = self.types.struct_of(ty) else { return false };
        let Some((template, own)) = self.types.structs[at].template.clone() else { return false };
        if self.templates[template].name != last.name && !self.is_alias_of(scope, path, template) {
            return false;
        }
        self.unify_all(scope, arguments, &own, deduction)
    }

    /// The arguments of a template as they are written, and those that they have to become.
    pub(super) fn unify_all(
        &mut self,
        scope: ScopeId,
        written: &[tree::Argument<'t>],
        own: &[Argument],
        deduction: &mut Deduction<'_, 't>,
    ) -> bool {
        for (written, own) in written.iter().zip(own.iter().copied()) {
            let fits = match (written, own) {
                (tree::Argument::Type(written), Argument::Type(ty)) => {
                    match bare_name(written).filter(|name| deduction.wants(*name)) {
                        Some(name) => deduction.agree(name, Argument::Type(ty)),
                        None => self.unify(scope, written, ty, deduction),
                    }
                }
                (tree::Argument::Value(value), own @ (Argument::Value(_) | Argument::Function(_))) => {
                    match name_of(value) {
                        Some(name) if deduction.wants(name) => deduction.agree(name, own),
                        _ => true,
                    }
                }
                // A parameter for a value looks like a type where only its name is written.
                (tree::Argument::Type(written), own @ (Argument::Value(_) | Argument::Function(_))) => {
                    match bare_name(written) {
                        Some(name) if deduction.wants(name) => deduction.agree(name, own),
                        _ => true,
                    }
                }
                (tree::Argument::Value(value), own @ Argument::Type(_)) => match name_of(value) {
                    Some(name) if deduction.wants(name) => deduction.agree(name, own),
                    _ => false,
                },
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// The name may be one of another namespace, or declared by `using`.
    fn is_alias_of(&mut self, scope: ScopeId, path: &tree::Path<'t>, template: TemplateId) -> bool {
        let bare: Vec<_> = path.parts.iter().map(|part| tree::Part { arguments: None, ..*part }).collect();
        let bare = tree::Path { parts: self.arena.list(&bare), span: path.span };
        matches!(self.lookup(scope, &bare), Ok(Entity::TypeTemplate(found)) if found == template)
    }
}

/// A type that is only a name, which may turn out to be that of a value. With a qualifier it is a pattern: `const T`.
fn bare_name(written: tree::Type<'_>) -> Option<Name<'_>> {
    let is_qualified = written.is_const || written.is_volatile;
    match &written.kind {
        TypeKind::Named(path) if path.parts.len() == 1 && !is_qualified => Some(path.parts[0].name),
        _ => None,
    }
}

fn name_of(written: tree::Expr<'_>) -> Option<Name<'_>> {
    match &written.kind {
        tree::ExprKind::Path(path) if path.parts.len() == 1 => Some(path.parts[0].name),
        _ => None,
    }
}

/// Whether a type says something about parameters of a template that are not known yet. Others are skipped: their
/// arguments may convert ([temp.deduct.call], paragraph 6).
fn is_deduced(written: tree::Type<'_>, names: &[Name<'_>]) -> bool {
    match &written.kind {
        TypeKind::Auto => true,
        TypeKind::Reference(inner) | TypeKind::Rvalue(inner) | TypeKind::Pointer(inner) => {
            is_deduced(inner, names)
        }
        TypeKind::Array(inner, length) => {
            is_deduced(inner, names) || length.and_then(name_of).is_some_and(|name| names.contains(&name))
        }
        TypeKind::Named(path) => {
            let is_name = path.parts.len() == 1 && names.contains(&path.parts[0].name);
            let arguments = path.parts.iter().flat_map(|part| part.arguments.iter().copied().flatten());
            let is_open = |argument: &tree::Argument| match argument {
                tree::Argument::Type(ty) => is_deduced(ty, names),
                tree::Argument::Value(value) => name_of(value).is_some_and(|name| names.contains(&name)),
            };
            is_name || arguments.into_iter().any(is_open)
        }
        #[cfg(feature = "host")]
        TypeKind::Function(result, parameters) => {
            is_deduced(result, names) || parameters.iter().any(|parameter| is_deduced(parameter, names))
        }
        TypeKind::Basic(_) | TypeKind::Decltype(_) | TypeKind::TypeOf(_) => false,
    }
}

/// Whether a parameter's type is `T&&` with a parameter of its template, or `auto&&`.
fn is_forwarding(written: tree::Type<'_>, names: &[Name<'_>]) -> bool {
    let TypeKind::Rvalue(inner) = &written.kind else { return false };
    let is_open = bare_name(inner).is_some_and(|name| names.contains(&name));
    (is_open || matches!(inner.kind, TypeKind::Auto)) && !inner.is_const && !inner.is_volatile
}

/// The parser took whatever looked like a type for one.
fn check_kinds(parameters: &[tree::Parameter<'_>], arguments: &[Argument], span: Span) -> Result<()> {
    for (nth, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let wants_type = matches!(parameter.kind, ParameterKind::Type(_));
        if wants_type != matches!(argument, Argument::Type(_)) {
            let what = if wants_type { "a type" } else { "a value" };
            return Err(error(span, format_args!("argument {} of this template has to be {what}", nth + 1)));
        }
    }
    Ok(())
}
