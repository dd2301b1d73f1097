//! Special cases of templates, and instances that the text asks for.
//!
//! A special case of a function is a function of its own that [`Checker::instance`] takes in place of the template. One
//! of a struct may have parameters itself, and is compared with the arguments whenever an instance is made. Of several
//! that fit, the one that says most of its arguments is taken, where C++ compares them with each other
//! ([temp.class.order]). Specification: C++17, [temp.spec], [temp.class.spec].
//!
//! ```text
//! template <class T, class U> struct S;         S<int*, int*> fits all of them. How much each says:
//! template <class T> struct S<T*, T*>           2: two pointers
//! template <class T> struct S<T, T>             0: only parameters
//! template <> struct S<int*, int*>              4: two pointers to a type: this one is taken
//! ```

use super::Checker;
use super::scope::{DeclaredId, Entity, ScopeId, TemplateId};
use super::template::{Deduction, Found};
use super::typed::Kind;
use super::types::Argument;
use crate::parse::tree::{self, TypeKind};
use crate::source::{Name, Result, error};

impl<'t> Checker<'_, 't> {
    /// `template <> struct S<int> { … };`: it gets no name, and a declaration without members says nothing that is
    /// needed.
    pub(super) fn special_struct(&mut self, scope: ScopeId, definition: &'t tree::Struct<'t>) -> Result<()> {
        let Some(Entity::TypeTemplate(template)) = self.scopes.find(scope, definition.name).cloned() else {
            return Err(error(definition.span, format_args!("`{}` is no template", definition.name)));
        };
        if !definition.is_forward {
            self.templates[template].specials.push(definition);
        }
        Ok(())
    }

    /// The special case of a type that these arguments have, and the scope with its own parameters.
    pub(super) fn special_case(
        &mut self,
        template: TemplateId,
        parent: ScopeId,
        arguments: &[Argument],
    ) -> Result<Option<(ScopeId, &'t tree::Struct<'t>)>> {
        let mut best: Option<(usize, Found, &'t tree::Struct<'t>)> = None;
        for case in self.templates[template].specials.clone() {
            let parameters = case.template.unwrap_or_default();
            let names: Vec<Name<'t>> = parameters.iter().filter_map(|parameter| parameter.name).collect();
            let written = case.special.unwrap_or_default();
            let mut deduction = Deduction::new(&names, Found::default());
            // First what its parameters have to be, then whether the whole is what is wanted: `S<T, T>` or `S<const T>`
            // may still differ.
            let fits = written.len() == arguments.len()
                && self.unify_all(parent, written, arguments, &mut deduction)
                && self.says(parent, written, &deduction.found, parameters, arguments)?;
            let weight = written.iter().map(|written| weight(written, &names)).sum();
            if fits && best.as_ref().is_none_or(|(known, ..)| weight > *known) {
                best = Some((weight, deduction.found, case));
            }
        }
        let Some((_, found, case)) = best else { return Ok(None) };
        let scope = self.scopes.push(parent);
        for parameter in case.template.unwrap_or_default() {
            let Some(argument) = parameter.name.as_ref().and_then(|name| found.get(name)) else {
                return Err(error(
                    case.span,
                    "a parameter of this special case does not follow from its arguments",
                ));
            };
            self.bind_arguments(scope, std::slice::from_ref(parameter), &[*argument]);
        }
        Ok(Some((scope, case)))
    }

    /// Whether the arguments of a special case, with its parameters known, are those that are wanted.
    fn says(
        &mut self,
        parent: ScopeId,
        written: &[tree::Argument<'t>],
        found: &Found,
        parameters: &[tree::Parameter<'t>],
        arguments: &[Argument],
    ) -> Result<bool> {
        let scope = self.scopes.push(parent);
        for parameter in parameters {
            if let Some(argument) = parameter.name.as_ref().and_then(|name| found.get(name)) {
                self.bind_arguments(scope, std::slice::from_ref(parameter), &[*argument]);
            }
        }
        for (written, wanted) in written.iter().zip(arguments) {
            let fits = match (written, wanted) {
                (tree::Argument::Type(written), Argument::Type(wanted)) => {
                    self.resolve(scope, written)? == *wanted
                }
                // The name of a parameter for a value looks like a type.
                (tree::Argument::Type(_), Argument::Value(_) | Argument::Function(_)) => true,
                (tree::Argument::Value(written), Argument::Value(wanted)) => {
                    self.integer_constant(scope, written, "an argument of a template")? == *wanted
                }
                (tree::Argument::Value(_), Argument::Type(_)) => false,
                (tree::Argument::Value(written), Argument::Function(wanted)) => {
                    self.function_argument(scope, written)? == Some(*wanted)
                }
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `template <> float f<float>(float x) { … }`
    pub(super) fn special_function(
        &mut self,
        scope: ScopeId,
        function: &'t tree::Function<'t>,
    ) -> Result<()> {
        let (template, arguments) = self.meant_template(scope, function)?;
        // It has no name of its own: calls find the template, and that finds it.
        let id = self.declared.len();
        self.declare_hidden(scope, function);
        if function.body.is_some() {
            self.declared[template].specials.push((arguments, id));
        }
        Ok(())
    }

    /// `template void f<float>(float x);`: it is made at the end, when all special cases are known.
    pub(super) fn want_instance(&mut self, scope: ScopeId, function: &'t tree::Function<'t>) -> Result<()> {
        let (template, arguments) = self.meant_template(scope, function)?;
        self.wanted.push((template, arguments, function.span));
        Ok(())
    }

    /// Asks for the kernel that a template and its arguments name.
    #[cfg(feature = "host")]
    pub(super) fn want_kernel(&mut self, scope: ScopeId, path: &tree::Path<'t>) -> Result<()> {
        let Entity::Functions(functions) = self.lookup(scope, path)? else {
            return Err(error(path.span, "this is no template of a kernel"));
        };
        let Some(part) = path.parts.last() else { return Err(error(path.span, "expected a template")) };
        let explicit = self.explicit(scope, part)?;
        // Arguments cannot be deduced, as there is no call.
        let fits = |at: &&DeclaredId| {
            let function = &self.declared[**at].function;
            let template = function.template.as_ref().filter(|_| function.body.is_some());
            function.storage.is_global && template.is_some_and(|known| known.len() == explicit.len())
        };
        let Some(declared) = functions.iter().find(fits) else {
            let count = explicit.len();
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("`{}` is no template of a kernel with {count} argument{plural}", part.name);
            let help = "give all arguments of the template, as in `scale<float, 4>`";
            return Err(error(path.span, message).with_help(help));
        };
        self.wanted.push((*declared, explicit, path.span));
        Ok(())
    }

    /// The function that takes the place of a template for some arguments.
    pub(super) fn special_of(&self, declared: DeclaredId, arguments: &[Argument]) -> Option<DeclaredId> {
        self.declared[declared].specials.iter().find(|(known, _)| known == arguments).map(|(_, id)| *id)
    }

    /// Which template a special case or an instance belongs to, and for which arguments. C++17, [temp.deduct.decl]: the
    /// arguments are deduced from the parameters' types as from a call.
    fn meant_template(
        &mut self,
        scope: ScopeId,
        function: &'t tree::Function<'t>,
    ) -> Result<(DeclaredId, Vec<Argument>)> {
        let explicit = self.template_arguments(scope, function.special.unwrap_or_default())?;
        // Stand-ins for arguments of a call: only their types matter.
        let mut arguments = Vec::with_capacity(function.parameters.len());
        for parameter in function.parameters {
            let ty = self.resolve(scope, parameter.ty)?;
            arguments.push(self.node(Kind::Integer(0), self.types.referred(ty), parameter.span));
        }
        if let Some(Entity::Functions(known)) = self.scopes.find(scope, function.name).cloned() {
            for declared in known {
                let own = &self.declared[declared].function;
                if own.template.is_none() || own.parameters.len() != arguments.len() {
                    continue;
                }
                let explicit = match self.result_says(scope, declared, function)? {
                    Some(found) if explicit.is_empty() => found,
                    _ => explicit.clone(),
                };
                if let Some(found) = self.deduce(declared, &explicit, &arguments)? {
                    return Ok((declared, found));
                }
            }
        }
        Err(error(function.span, format_args!("no template `{}` has these parameters", function.name)))
    }
}

impl<'t> Checker<'_, 't> {
    /// The first arguments of a template as far as the result of a special case says what they are, as in
    /// `template <> int2 make(int)`.
    fn result_says(
        &mut self,
        scope: ScopeId,
        template: DeclaredId,
        special: &'t tree::Function<'t>,
    ) -> Result<Option<Vec<Argument>>> {
        let own = self.declared[template].function;
        let names: Vec<Name<'t>> =
            own.template.unwrap_or_default().iter().filter_map(|parameter| parameter.name).collect();
        let result = self.resolve(scope, special.result)?;
        let mut deduction = Deduction::new(&names, Found::default());
        if !self.unify(scope, own.result, result, &mut deduction) {
            return Ok(None);
        }
        let found: Vec<_> = names.iter().map_while(|name| deduction.found.get(name).copied()).collect();
        Ok((!found.is_empty()).then_some(found))
    }
}

/// How much a special case says of an argument: nothing if it is only a parameter.
fn weight(written: &tree::Argument<'_>, names: &[Name<'_>]) -> usize {
    fn of(ty: tree::Type<'_>, names: &[Name<'_>]) -> usize {
        usize::from(ty.is_const)
            + match &ty.kind {
                TypeKind::Pointer(inner)
                | TypeKind::Reference(inner)
                | TypeKind::Rvalue(inner)
                | TypeKind::Array(inner, _) => 1 + of(inner, names),
                TypeKind::Named(path) if path.parts.len() == 1 && names.contains(&path.parts[0].name) => 0,
                _ => 1,
            }
    }
    match written {
        tree::Argument::Type(ty) => of(ty, names),
        tree::Argument::Value(_) => 1,
    }
}
