//! What is declared in a type or a namespace, and defined outside of it.
//!
//! The definition takes the place of the declaration, as that of a function does; its names are looked for in the types around it
//! first, and then where it is written, which may be in another unit. One of a template waits for the instances of the type. Left
//! out: members of a template in a template, and of a special case with parameters. Specification: C++17, [class.mfct],
//! [class.static.data], [temp.mem.func].

use super::Checker;
use super::scope::{DeclaredId, Definition, Entity, ScopeId, TemplateId};
use super::types::{Argument, Type};
use crate::parse::tree::{self, ExprKind, Function, Member, Outside, Parameter, Storage, TypeKind, Variable};
use crate::source::{Failed, Name, Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    pub(super) fn declare_outside(&mut self, scope: ScopeId, outside: &'t Outside<'t>) -> Result<()> {
        let around = outside.owner.parts.iter().filter(|part| part.arguments.is_some()).count();
        let (of_owner, own) = outside.templates.split_at(around.min(outside.templates.len()));
        let (own, more) = own.split_first().map_or((None, own), |(first, more)| (Some(*first), more));
        let is_special = of_owner.iter().any(|parameters| parameters.is_empty());
        let parameters: Vec<_> = of_owner.iter().filter(|parameters| !parameters.is_empty()).collect();
        let definition = Definition { member: outside.member, scope, parameters: &[], own, is_special };
        match parameters[..] {
            [] if more.is_empty() => match self.lookup(scope, &outside.owner)? {
                Entity::Namespace(space) => self.define_in_namespace(space, &definition),
                Entity::Type(ty) => self.define_member(ty, &definition, &[]),
                _ => Err(error(outside.owner.span, "this is no namespace and no type")),
            },
            [parameters] if more.is_empty() && !is_special => {
                let template = self.owner_template(scope, &outside.owner, parameters)?;
                self.define_member_of_all(template, Definition { parameters, ..definition })
            }
            _ => Err(unsupported(outside.owner.span, "defining a member of a template in a template")),
        }
    }

    fn define_in_namespace(&mut self, space: ScopeId, definition: &Definition<'t>) -> Result<()> {
        match definition.member {
            Member::Function(function) => {
                let function = self.with_template(function, definition.own);
                self.declare_function(space, function, None)
            }
            Member::Field(variable) => {
                let entity = self.global(space, &variable)?;
                #[cfg(feature = "host")]
                self.link_variable(space, &variable, &entity)?;
                self.scopes.declare(space, variable.name, entity);
                Ok(())
            }
            Member::Declaration(_) => Ok(()),
        }
    }

    /// The template of whose instances this is a member. Its arguments are the parameters in their order; others would be those of
    /// a special case.
    fn owner_template(
        &mut self,
        scope: ScopeId,
        owner: &tree::Path<'t>,
        parameters: &[Parameter<'t>],
    ) -> Result<TemplateId> {
        let Some((last, before)) = owner.parts.split_last() else {
            return Err(error(owner.span, "expected a name"));
        };
        let arguments = last.arguments.unwrap_or_default();
        let same = |(parameter, argument): (&Parameter<'t>, &tree::Argument<'t>)| {
            parameter.name.is_some() && parameter.name == name_of(argument)
        };
        let are_all = arguments.len() == parameters.len() && parameters.iter().zip(arguments).all(same);
        if !are_all {
            return Err(unsupported(owner.span, "defining a member of a special case outside of it"));
        }
        let parts = [before, &[tree::Part { arguments: None, ..*last }]].concat();
        let path = tree::Path { parts: self.arena.list(&parts), span: owner.span };
        match self.lookup(scope, &path)? {
            Entity::TypeTemplate(template) => Ok(template),
            _ => Err(error(owner.span, format_args!("`{}` is no template of a type", last.name))),
        }
    }

    /// For the instances that there are, and for those to come.
    fn define_member_of_all(&mut self, template: TemplateId, definition: Definition<'t>) -> Result<()> {
        self.templates[template].outside.push(definition);
        let instances: Vec<_> = self.templates[template].instances.iter().map(|(_, ty)| *ty).collect();
        instances.into_iter().try_for_each(|ty| self.define_in_instance(template, ty, &definition))
    }

    /// What is defined outside of a template, for an instance whose members have been read.
    pub(super) fn define_members(&mut self, template: TemplateId, ty: Type) -> Result<()> {
        let all = self.templates[template].outside.clone();
        all.iter().try_for_each(|definition| self.define_in_instance(template, ty, definition))
    }

    fn define_in_instance(
        &mut self,
        template: TemplateId,
        ty: Type,
        definition: &Definition<'t>,
    ) -> Result<()> {
        let Some(at) = self.types.struct_of(ty).filter(|at| self.types.structs[*at].is_complete) else {
            return Ok(());
        };
        let arguments =
            self.types.structs[at].template.as_ref().map_or(Vec::new(), |(_, arguments)| arguments.clone());
        let parent = self.templates[template].scope;
        // A special case has members of its own.
        if self.special_case(template, parent, &arguments)?.is_some() {
            return Ok(());
        }
        self.define_member(ty, definition, &arguments)
    }

    /// `arguments` are those of the type's template.
    fn define_member(&mut self, ty: Type, definition: &Definition<'t>, arguments: &[Argument]) -> Result<()> {
        let Some(at) = self.types.struct_of(ty) else {
            let span = span_of(&definition.member);
            return Err(error(span, format_args!("`{}` has no members", self.show(ty))));
        };
        if !self.types.structs[at].is_complete {
            // What was wrong with its members has been said.
            if self.sink.failed() {
                return Ok(());
            }
            let message = format!("the members of `{}` are not known here", self.show(ty));
            return Err(error(span_of(&definition.member), message));
        }
        let scope = self.scopes.push(definition.scope);
        self.use_members(scope, at);
        self.bind_arguments(scope, definition.parameters, arguments);
        match definition.member {
            Member::Function(function) => {
                let function = self.with_template(function, definition.own);
                self.define_method(ty, at, scope, function, definition.is_special)
            }
            Member::Field(variable) => self.define_static(ty, at, scope, &variable),
            Member::Declaration(_) => Ok(()),
        }
    }

    /// Makes the names of a type visible, and behind them those of the types around it.
    fn use_members(&mut self, scope: ScopeId, at: usize) {
        let mut inner = Some(self.types.structs[at].scope);
        while let Some(own) = inner.filter(|own| !self.is_of_namespace(*own)) {
            self.scopes.use_namespace(scope, own);
            inner = self.scopes.parent(own);
        }
    }

    /// Whether a scope is that of a namespace or of a unit.
    fn is_of_namespace(&self, scope: ScopeId) -> bool {
        #[cfg(feature = "host")]
        if self.units.roots.contains(&scope) {
            return true;
        }
        self.scopes.parent(scope).is_none_or(|outer| self.scopes.name_of(outer, scope).is_some())
    }

    fn define_method(
        &mut self,
        ty: Type,
        at: usize,
        scope: ScopeId,
        function: &'t Function<'t>,
        is_special: bool,
    ) -> Result<()> {
        // It is entered like any other function, so that its types are known; no name leads there.
        let new = self.declared.len();
        self.declare_hidden(scope, function);
        self.declared[new].owner = Some(ty);
        let mut meant = None;
        for known in self.members_like(at, function) {
            if self.is_same_method(known, new)? {
                meant = Some(known);
                break;
            }
        }
        let Some(known) = meant else { return Err(self.no_member(ty, at, function)) };
        let declared = self.declared[known].function;
        if (declared.body.is_some() || declared.is_defaulted) && !is_special {
            let message = format!("`{}` is defined twice with the same parameters", function.name);
            return Err(error(function.span, message));
        }
        let function = self.with_defaults(declared, function);
        let (own, said) = (function.storage, declared.storage);
        let storage = Storage {
            is_static: said.is_static,
            is_explicit: said.is_explicit,
            is_constexpr: own.is_constexpr || said.is_constexpr,
            is_device: own.is_device || said.is_device,
            is_host: own.is_host || said.is_host,
            ..own
        };
        self.declared[known].function = self.arena.put(Function { storage, ..*function });
        self.declared[known].scope = scope;
        Ok(())
    }

    /// The members that a definition may mean.
    fn members_like(&self, at: usize, function: &Function<'t>) -> Vec<DeclaredId> {
        let own = &self.types.structs[at];
        match () {
            () if function.is_constructor => own.constructors.clone(),
            () if function.is_conversion => own.conversions.clone(),
            #[cfg(feature = "host")]
            () if function.name.as_str() == "~" => own.destructor.into_iter().collect(),
            () => {
                let named = own.methods.iter().find(|(name, _)| *name == function.name);
                named.map_or(Vec::new(), |(_, all)| all.clone())
            }
        }
    }

    /// Whether both are one function. Of templates, whose types are not known, the words are compared.
    fn is_same_method(&mut self, known: DeclaredId, new: DeclaredId) -> Result<bool> {
        let (a, b) = (self.declared[known].function, self.declared[new].function);
        let counts = |function: &Function<'_>| (function.template.map(<[_]>::len), function.parameters.len());
        if counts(a) != counts(b) || a.is_const != b.is_const {
            return Ok(false);
        }
        if a.template.is_some() {
            let words = |ty: tree::Type<'_>| self.files.text(ty.span).split_whitespace().collect::<String>();
            return Ok(a.parameters.iter().zip(b.parameters).all(|(a, b)| words(a.ty) == words(b.ty)));
        }
        let (a_types, b_types) = (self.signature(known)?, self.signature(new)?);
        let same = a_types.parameters.iter().zip(b_types.parameters).all(|(a, b)| a.same(*b));
        Ok(same && (!a.is_conversion || a_types.result.same(b_types.result)))
    }

    fn no_member(&self, ty: Type, at: usize, function: &Function<'t>) -> Failed {
        let (name, owner) = (function.name, self.show(ty));
        if self.members_like(at, function).is_empty() {
            let message = format!("`{owner}` does not declare `{name}`");
            return error(function.span, message).with_help("declare it in the type, too");
        }
        error(function.span, format_args!("`{owner}` declares `{name}` with other parameters only"))
            .with_help(
                "declaration and definition have the same parameters, and `const` at both or at neither",
            )
    }

    /// The definition of a static member, whose declaration has made a variable already unless it is a constant.
    fn define_static(&mut self, ty: Type, at: usize, scope: ScopeId, variable: &Variable<'t>) -> Result<()> {
        let own = self.types.structs[at].scope;
        let entity = match self.scopes.find_own(own, variable.name) {
            Some(Entity::Constant(..)) if variable.init.is_none() => return Ok(()),
            Some(Entity::Global(known)) => {
                let known = *known;
                let made = self.global(scope, variable)?;
                let Entity::Global(_) = made else {
                    self.scopes.declare(own, variable.name, made);
                    return Ok(());
                };
                // It takes the place, which functions may know already.
                let Some(new) = self.program.globals.pop() else { return Ok(()) };
                let name = self.program.globals[known].name;
                self.program.globals[known] = super::typed::Global { name, ..new };
                return Ok(());
            }
            // Variables of the host have no place in a kernel's text.
            Some(Entity::Undefined) if !self.is_program && !is_constant(variable.ty) => return Ok(()),
            Some(Entity::Undefined) => self.global(scope, variable)?,
            _ => {
                let message = format!("`{}` has no static member `{}`", self.show(ty), variable.name);
                return Err(error(variable.span, message));
            }
        };
        self.scopes.declare(own, variable.name, entity);
        Ok(())
    }

    /// The function with the parameters of its own template, after which come those that `auto` implies.
    fn with_template(
        &self,
        function: &'t Function<'t>,
        own: Option<&'t [Parameter<'t>]>,
    ) -> &'t Function<'t> {
        let Some(own) = own else { return function };
        let template = Some(self.arena.list(&[own, function.template.unwrap_or_default()].concat()));
        self.arena.put(Function { template, ..*function })
    }
}

/// The name that an argument of a template is.
fn name_of<'t>(argument: &tree::Argument<'t>) -> Option<Name<'t>> {
    let path = match argument {
        tree::Argument::Type(ty) => match &ty.kind {
            TypeKind::Named(path) => path,
            _ => return None,
        },
        tree::Argument::Value(value) => match &value.kind {
            ExprKind::Path(path) => path,
            _ => return None,
        },
    };
    match path.parts {
        [part] if part.arguments.is_none() => Some(part.name),
        _ => None,
    }
}

/// Whether a type is that of a constant, or of an array of them.
pub(super) fn is_constant(ty: tree::Type<'_>) -> bool {
    match ty.kind {
        TypeKind::Array(of, _) => is_constant(of),
        _ => ty.is_const,
    }
}

/// Where a member is named.
pub(super) fn span_of(member: &Member<'_>) -> Span {
    match member {
        Member::Function(function) => function.span,
        Member::Field(variable) => variable.span,
        Member::Declaration(_) => Span::default(),
    }
}
