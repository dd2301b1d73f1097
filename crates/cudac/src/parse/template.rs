//! Templates: their parameters, and the arguments in angle brackets.
//!
//! A template is kept as it is read, and instantiated by `check`. What is inside is parsed once, so the parser has to
//! know types from values even where they depend on parameters: `T::name` is a type after `typename` ([temp.res]), and
//! without it only where a name follows. Left out: templates as parameters, templates of variables that are no
//! constants, packs of parameters. Specification: C++17, [temp].
//!
//! ```text
//! template <class T, int N = 4> struct S { … };       a template
//! template <> struct S<int, 4> { … };                 a special case
//! template <class T> struct S<T*, 4> { … };           a special case with parameters
//! template struct S<float, 4>;                        an instance that is asked for
//! void f(auto x)                                      a template as well
//! template <class T> constexpr int size = 4;          the same as a type that has the value, in which `size<int>` finds it
//! ```

use super::Parser;
use super::scope::Entity;
use super::tree::{
    Argument, Declaration, Function, Init, Member, Outside, Parameter, ParameterKind, Storage, Struct, Type,
    TypeKind, Variable,
};
use crate::lex::Kind;
#[cfg(feature = "host")]
use crate::source::map::Set;
use crate::source::{Name, Names, Result, Span, error, unsupported};

/// A template may have this many parameters.
const MAX_PARAMETERS: usize = 32;

/// The member that has the value of a template of a constant, which no text can spell.
pub(super) const VALUE: &str = "the value";

impl<'t> Parser<'_, 't> {
    /// `template <…>` and what follows. The parameters are in a scope of their own, around what follows; the template's
    /// name is declared outside of it, once everything is read.
    pub(super) fn template(&mut self) -> Result<Declaration<'t>> {
        let start = self.span();
        self.next();
        if !self.is("<") {
            return self.explicit_instance(start);
        }
        self.next();
        self.scopes.push();
        let result = self.templated();
        self.scopes.pop();
        let declaration = result?;
        self.declare_template(&declaration);
        Ok(declaration)
    }

    fn templated(&mut self) -> Result<Declaration<'t>> {
        let parameters = self.template_parameters()?;
        let word = self.token().word();
        match word.map(Name::as_str) {
            Some("using") => {
                self.next();
                return self.alias(Some(parameters));
            }
            Some("struct" | "class" | "union") if self.at_type_definition() || self.ahead(2).is("<") => {
                let definition = self.structure(Some(parameters))?;
                self.expect(";", "after the type")?;
                return Ok(Declaration::Struct(definition));
            }
            // A template that is a member of one, outside of it.
            Some("template") => {
                let start = self.span();
                return match self.template()? {
                    Declaration::Outside(inner) => Ok(self.outside_of(parameters, inner)),
                    _ => Err(unsupported(start, "a template of a template")),
                };
            }
            _ => {}
        }
        let specifiers = self.specifiers()?;
        // `template <>`.
        let is_special = parameters.is_empty();
        match self.typed(specifiers)? {
            // A special case of a template; the arguments that are not written follow from the parameters.
            Declaration::Function(function) if is_special => {
                Ok(Declaration::Function(self.special(function)))
            }
            Declaration::Function(function) => {
                // `auto` parameters of a template come after its own ([dcl.fct]).
                let implied = function.template.unwrap_or_default();
                let template = Some(self.arena.list(&[parameters, implied].concat()));
                Ok(Declaration::Function(self.arena.put(Function { template, ..*function })))
            }
            Declaration::Outside(member) => Ok(self.outside_of(parameters, member)),
            // A special case of a template of a constant.
            Declaration::Struct(constant) => {
                let template = Some(parameters);
                Ok(Declaration::Struct(self.arena.put(Struct { template, ..*constant })))
            }
            Declaration::Variables([variable]) if is_constant(variable) => {
                Ok(Declaration::Struct(self.constant(*variable, Some(parameters), None)))
            }
            _ => Err(unsupported(self.span(), "a template of a variable that is no constant")),
        }
    }

    fn outside_of(&self, parameters: &'t [Parameter<'t>], inner: &Outside<'t>) -> Declaration<'t> {
        let templates = self.arena.list(&[&[parameters], inner.templates].concat());
        Declaration::Outside(self.arena.put(Outside { templates, ..*inner }))
    }

    /// A constant as the only member of a type.
    fn constant(
        &mut self,
        variable: Variable<'t>,
        template: Option<&'t [Parameter<'t>]>,
        special: Option<&'t [Argument<'t>]>,
    ) -> &'t Struct<'t> {
        let storage = Storage { is_static: true, is_constexpr: true, ..variable.storage };
        let value = Variable { name: self.text.names.get(VALUE), storage, ..variable };
        self.arena.put(Struct {
            name: variable.name,
            span: variable.span,
            template,
            is_union: false,
            align: None,
            members: self.arena.list(&[Member::Field(value)]),
            is_forward: false,
            special,
        })
    }

    /// `<int> = 4;` behind the name of a template of a constant; the parameters are not known here.
    pub(super) fn special_constant(
        &mut self,
        name: Name<'t>,
        span: Span,
        ty: Type<'t>,
        storage: Storage,
    ) -> Result<Declaration<'t>> {
        let special = Some(self.template_arguments()?);
        let init = if self.take("=") {
            Some(Init::Assign(self.assigned()?))
        } else if self.is("{") {
            Some(Init::Curly(self.list()?))
        } else {
            None
        };
        self.expect(";", "after the value")?;
        let variable = Variable { name, ty, init, storage, align: None, span };
        if !is_constant(&variable) {
            return Err(unsupported(span, "a template of a variable that is no constant"));
        }
        Ok(Declaration::Struct(self.constant(variable, None, special)))
    }

    /// `template struct S<int>;` or `template void f<int>(int*);`: C++17, [temp.explicit]. The type becomes an alias
    /// that nobody can name, which is enough to make it.
    fn explicit_instance(&mut self, start: Span) -> Result<Declaration<'t>> {
        if ["struct", "class", "union"].iter().any(|word| self.is_word(word)) {
            let ty = self.plain_type()?;
            self.expect(";", "after the type")?;
            let name = self.text.names.get("an instance");
            return Ok(Declaration::Group(self.arena.list(&[Declaration::Alias {
                name,
                template: None,
                ty,
            }])));
        }
        let specifiers = self.specifiers()?;
        match self.typed(specifiers)? {
            Declaration::Function(function) if function.body.is_none() => {
                Ok(Declaration::Instance(self.special(function)))
            }
            _ => Err(error(self.since(start), "expected `<` after `template`, or a function without a body")),
        }
    }

    /// The function as one that stands for some arguments of a template, even if none of them is written.
    fn special(&self, function: &Function<'t>) -> &'t Function<'t> {
        let special = Some(function.special.unwrap_or_default());
        self.arena.put(Function { special, ..*function })
    }

    /// `f<int>`, a template and its arguments that are given beside the text. The text is a file of its own, so that
    /// messages show it. It must be one path and nothing behind it.
    #[cfg(feature = "host")]
    pub(super) fn instances(&mut self, texts: &[String]) -> Vec<Declaration<'t>> {
        texts.iter().filter_map(|text| self.instance(text)).collect()
    }

    #[cfg(feature = "host")]
    fn instance(&mut self, text: &str) -> Option<Declaration<'t>> {
        let file = self.text.files.add("--instantiate", text);
        self.tokens = self.text.run(file);
        self.at = 0;
        self.no_type = Set::default();
        self.last_type = None;
        let path = self.path().and_then(|path| {
            let is_whole = self.token().kind == Kind::End;
            if is_whole {
                Ok(path)
            } else {
                Err(error(path.span, format!("`{text}` names no template of a kernel")))
            }
        });
        path.map(Declaration::Instantiate).map_err(|problem| self.report(problem)).ok()
    }

    /// Makes a template known in the scope around its parameters. A special case declares no name.
    fn declare_template(&mut self, declaration: &Declaration<'t>) {
        match declaration {
            Declaration::Function(function) if function.special.is_none() => {
                self.scopes.declare(function.name, Entity::FunctionTemplate);
            }
            Declaration::Struct(definition) if definition.special.is_none() => {
                let entity =
                    if is_of_constant(definition) { Entity::VariableTemplate } else { Entity::TypeTemplate };
                self.scopes.declare(definition.name, entity);
            }
            Declaration::Alias { name, .. } => self.scopes.declare(*name, Entity::TypeTemplate),
            _ => {}
        }
    }

    fn template_parameters(&mut self) -> Result<&'t [Parameter<'t>]> {
        let outer = std::mem::replace(&mut self.closes_angle, true);
        let result = self.template_parameter_list();
        self.closes_angle = outer;
        let parameters = result?;
        self.close_angle()?;
        Ok(parameters)
    }

    /// A default of a value ends at `>`, hence `closes_angle`: a comparison there needs parentheses, as in C++.
    fn template_parameter_list(&mut self) -> Result<&'t [Parameter<'t>]> {
        let mut parameters = Vec::new();
        while !self.is(">") {
            let start = self.span();
            // Both words mean the same here ([temp.param]).
            let is_type = self.is_word("typename") || self.is_word("class");
            if self.is_word("template") {
                return Err(unsupported(start, "a template as the parameter of a template"));
            }
            let base = if is_type {
                self.next();
                None
            } else {
                Some(self.plain_type()?)
            };
            if self.is("...") {
                return Err(unsupported(self.span(), "a template with any number of arguments"));
            }
            let (name, kind) = match base {
                None => {
                    let name =
                        if self.token().word().is_some() { Some(self.name("a name")?.0) } else { None };
                    if let Some(name) = &name {
                        self.scopes.declare(*name, Entity::Type);
                    }
                    (name, ParameterKind::Type(if self.take("=") { Some(self.type_name()?) } else { None }))
                }
                Some(base) => {
                    let declarator = self.declarator(base)?;
                    let name = declarator.name.map(|(name, _)| name);
                    if let Some(name) = &name {
                        self.declare_value(*name);
                    }
                    let default = if self.take("=") { Some(self.conditional()?) } else { None };
                    (name, ParameterKind::Value(declarator.ty, default))
                }
            };
            parameters.push(Parameter { name, kind });
            if parameters.len() > MAX_PARAMETERS {
                return Err(self.expected(&format!("at most {MAX_PARAMETERS} parameters")));
            }
            if !self.take(",") {
                break;
            }
        }
        Ok(self.arena.list(&parameters))
    }

    /// `<int, 4>` after the name of a template.
    pub(super) fn template_arguments(&mut self) -> Result<&'t [Argument<'t>]> {
        self.next();
        let outer = std::mem::replace(&mut self.closes_angle, true);
        let result = self.nested(Self::template_argument_list);
        self.closes_angle = outer;
        let arguments = result?;
        self.close_angle()?;
        Ok(arguments)
    }

    /// C++17, [temp.arg]: what can be a type is one. It is tried, and must end at a comma or `>`: `T(1)` begins with a
    /// type and is a value.
    fn template_argument_list(&mut self) -> Result<&'t [Argument<'t>]> {
        let mut arguments = Vec::new();
        while !self.is(">") && !self.is(">>") {
            if let Some(ty) = self.try_type(&[",", ">", ">>"]) {
                arguments.push(Argument::Type(ty));
            } else {
                arguments.push(Argument::Value(self.conditional()?));
            }
            if arguments.len() > MAX_PARAMETERS {
                return Err(self.expected(&format!("at most {MAX_PARAMETERS} arguments")));
            }
            if !self.take(",") {
                break;
            }
        }
        Ok(self.arena.list(&arguments))
    }

    /// Consumes `>`, or the first half of `>>`. C++17, [temp.names]: `>>` closes two lists.
    pub(super) fn close_angle(&mut self) -> Result<()> {
        if self.is(">>") {
            // Two tokens from now on, because the text may be read again from a place before them.
            let [first, second] = &mut self.tokens[self.at..=self.at + 1] else { return Ok(()) };
            (first.kind, second.kind) = (Kind::Punct(">"), Kind::Punct(">"));
            second.span = Span::new(first.span.file(), first.span.start() + 1, first.span.end());
            self.next();
            return Ok(());
        }
        self.expect(">", "after the arguments of the template")
    }
}

/// Whether it has a value that never changes: `constexpr`, or `const` with an initialiser.
fn is_constant(variable: &Variable<'_>) -> bool {
    variable.init.is_some() && (variable.storage.is_constexpr || variable.ty.is_const)
}

fn is_of_constant(definition: &Struct<'_>) -> bool {
    matches!(definition.members, [Member::Field(value)] if value.name.as_str() == VALUE)
}

/// Parameters of type `auto` make a function a template. One parameter each, whose name no text can spell; `check`
/// finds it by the number in it.
pub(super) fn implied<'t>(names: &mut Names<'t>, parameters: &[Variable<'t>]) -> Option<&'t [Parameter<'t>]> {
    let count = parameters.iter().filter(|parameter| mentions_auto(&parameter.ty.kind)).count();
    if count == 0 {
        return None;
    }
    let arena = names.arena;
    let parameter =
        |at| Parameter { name: Some(names.get(&format!("auto:{at}"))), kind: ParameterKind::Type(None) };
    let implied: Vec<Parameter<'t>> = (0..count).map(parameter).collect();
    Some(arena.list(&implied))
}

/// Not in arrays: a parameter cannot be an array of `auto` ([dcl.spec.auto]).
fn mentions_auto(kind: &TypeKind<'_>) -> bool {
    match kind {
        TypeKind::Auto => true,
        TypeKind::Pointer(inner) | TypeKind::Reference(inner) | TypeKind::Rvalue(inner) => {
            mentions_auto(&inner.kind)
        }
        _ => false,
    }
}
