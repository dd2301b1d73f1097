//! Declarations, of a file and of a block.
//!
//! A declaration begins with specifiers in any order, a type among them; CUDA's words for memory and functions are
//! specifiers like `static`. Then follow declarators ([`super::declarator`]), and the first decides whether this is a
//! function. What is defined outside of its type or namespace is read by [`super::outside`]. Left out: `__attribute__`.
//! Specification: C++17, [dcl.dcl].
//!
//! ```text
//! SPECIFIERS type MORE declarator = value, declarator { … };       (`variables`)
//! SPECIFIERS type MORE name(parameters) const -> type { … }        (`function`)
//! ```

use super::Parser;
use super::scope::Entity;
use super::tree::{Declaration, Expr, Function, Path, Storage, Type};
use super::types::unknown_type;
use crate::builtins::headers;
use crate::lex::Kind;
use crate::source::budget::{self, Bound};
use crate::source::{Failed, Name, Result, Span, error, unsupported};

/// What precedes the type of a declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct Specifiers<'t> {
    pub storage: Storage,
    pub launch_bounds: &'t [Expr<'t>],
    pub cluster_dims: &'t [Expr<'t>],
    pub align: Option<Expr<'t>>,
}

/// Words that begin declarations, beside those and types.
const DECLARATIONS: [&str; 9] =
    ["using", "static_assert", "_Static_assert", "template", "namespace", "struct", "class", "union", "enum"];

/// Words that precede the type, or follow it ([`Parser::more_specifiers`]). Those without a meaning here are in the
/// list, so that they begin a declaration.
const SPECIFIERS: [&str; 25] = [
    "static",
    "extern",
    "constexpr",
    "inline",
    "typedef",
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__forceinline__",
    "__noinline__",
    "__launch_bounds__",
    "__cluster_dims__",
    "alignas",
    "__align__",
    "virtual",
    "explicit",
    "friend",
    "register",
    "thread_local",
    "mutable",
    "__inline__",
    "__grid_constant__",
];

impl<'t> Parser<'_, 't> {
    /// Declarations up to the end of the file, or up to `}`.
    pub(super) fn declarations(&mut self, is_braced: bool) -> &'t [Declaration<'t>] {
        let mut found = Vec::new();
        let depth = self.depth;
        let outer = (self.scopes.begin_namespace(), std::mem::take(&mut self.mentioned));
        // Texts of this compiler are read in the middle of others.
        let held = self.text.sink.swap_held(Vec::new());
        loop {
            if self.token().kind == Kind::End || self.text.sink.is_full() || is_braced && self.is("}") {
                self.scopes.end_namespace(outer.0);
                self.mentioned = outer.1;
                self.text.sink.swap_held(held);
                return self.arena.list(&found);
            }
            let from = self.at;
            let result = if self.is("}") {
                Err(error(self.span(), "this `}` has no `{`"))
            } else {
                self.declaration(true)
            };
            found.append(&mut self.mentioned);
            match result {
                Ok(declaration) => found.push(declaration),
                Err(problem) => {
                    // The mistake may have been at any depth, and inside of template arguments.
                    self.depth = depth;
                    self.closes_angle = false;
                    self.recover(from);
                    self.report(problem);
                    // Recovery stops before a brace that closes more than is open. Nobody else would take it.
                    if self.is("}") && !is_braced {
                        self.next();
                    }
                }
            }
            self.release(from);
        }
    }

    /// Whether the next tokens begin a declaration rather than an expression. C++17, [stmt.ambig]: `T * x;` is a
    /// declaration if `T` is a type. Only tokens are looked at, so a type before `(` is judged by its looks: `T(x);` is
    /// read as an expression, where C++ reads a declaration of `x`.
    pub(super) fn at_declaration(&mut self) -> bool {
        if let Some(word) = self.token().word() {
            let word = word.as_str();
            if SPECIFIERS.contains(&word) {
                return true;
            }
            if DECLARATIONS.contains(&word) {
                return true;
            }
            // No expression begins with a qualifier; a type may be defined behind it.
            if matches!(word, "const" | "volatile") {
                return true;
            }
        }
        if !self.at_type() {
            return false;
        }
        // The type is read to find its end; nothing that it says is kept.
        let before = self.at;
        let ty = self.plain_type().ok();
        let is_declarator = ty.is_some_and(|ty| match &self.token().kind {
            Kind::Word(_) => true,
            Kind::Punct("*" | "&" | "&&") => !self.is_member_value(ty),
            // `T (*name)[4]` and `T (*name[2])(int)`, but not `T(*pointer).call()`.
            Kind::Punct("(") => {
                let closing = if self.ahead(3).is("[") && self.ahead(5).is("]") { 6 } else { 3 };
                let after = self.ahead(closing + 1);
                (self.ahead(1).is("*") || self.ahead(1).is("&"))
                    && self.ahead(closing).is(")")
                    && (after.is("[") || after.is("("))
            }
            _ => false,
        });
        self.at = before;
        is_declarator
    }

    /// `is_file` is false in blocks and types, where the caller has seen that this is no expression.
    pub(super) fn declaration(&mut self, is_file: bool) -> Result<Declaration<'t>> {
        let start = self.span();
        if self.take(";") {
            return Ok(Declaration::Group(&[]));
        }
        if self.token().kind == Kind::PragmaUnroll {
            return Err(error(start, "`#pragma unroll` belongs before a loop"));
        }
        self.attributes()?;
        match self.token().word().map(Name::as_str) {
            Some("namespace") => return self.namespace(),
            Some("using") => return self.using(),
            Some("static_assert" | "_Static_assert") => return self.static_assert(start),
            Some("template") => return self.template(),
            Some("inline") if self.ahead(1).is_word("namespace") => {
                self.next();
                return self.namespace();
            }
            Some("extern") if matches!(self.ahead(1).kind, Kind::Text(_)) && self.ahead(2).is("{") => {
                return self.extern_block();
            }
            _ => {}
        }
        let specifiers = self.specifiers()?;
        if self.at_type_definition() {
            return self.type_definition(specifiers);
        }
        if is_file && !self.at_outside_without_type() && !self.at_type() {
            return Err(self.no_declaration());
        }
        self.typed(specifiers)
    }

    /// The error where a declaration has to begin, with what people most often meant.
    fn no_declaration(&mut self) -> Failed {
        if let Some(word) = self.token().word()
            && headers::is_of_hardware(word.as_str())
        {
            return unsupported(self.span(), format_args!("`{word}`"));
        }
        let found = self.token().quoted();
        let problem = error(self.span(), format_args!("expected a declaration, found {found}"));
        let is_statement =
            matches!(self.token().word().map(Name::as_str), Some("if" | "for" | "while" | "return"));
        if is_statement {
            return problem
                .with_help("statements belong inside of a function; is there a `}` too many above?");
        }
        if let Some(word) = self.token().word()
            && matches!(self.ahead(1).kind, Kind::Word(_))
        {
            return unknown_type(self.span(), word.as_str());
        }
        problem
    }

    /// `[[…]]`, which changes nothing that a kernel computes. Attributes are skipped unread ([dcl.attr.grammar]).
    pub(super) fn attributes(&mut self) -> Result<()> {
        while self.is("[") && self.ahead(1).is("[") {
            while !(self.is("]") && self.ahead(1).is("]")) {
                self.next();
                if self.token().kind == Kind::End {
                    return Err(self.expected("`]]`"));
                }
            }
            self.next();
            self.next();
        }
        Ok(())
    }

    pub(super) fn specifiers(&mut self) -> Result<Specifiers<'t>> {
        let mut found = Specifiers::default();
        loop {
            self.attributes()?;
            let span = self.span();
            let Some(word) = self.token().word() else { break };
            let storage = &mut found.storage;
            match word.as_str() {
                "static" => storage.is_static = true,
                "extern" => {
                    storage.is_extern = true;
                    if let Kind::Text(_) = self.ahead(1).kind {
                        self.next();
                        storage.is_extern_c = self.language()?;
                        storage.is_extern_cpp = !storage.is_extern_c;
                        // `extern "C"` says how a function is called and not that it is elsewhere.
                        storage.is_extern = false;
                    }
                }
                "constexpr" => storage.is_constexpr = true,
                "typedef" => storage.is_typedef = true,
                "__global__" => storage.is_global = true,
                "__device__" => storage.is_device = true,
                "__host__" => storage.is_host = true,
                "__shared__" => storage.is_shared = true,
                "__constant__" => storage.is_constant = true,
                "explicit" => storage.is_explicit = true,
                // How a function is called changes nothing that it computes.
                "inline" | "__inline__" | "__forceinline__" | "__noinline__" | "register" | "mutable" => {}
                "__grid_constant__" => storage.is_grid_constant = true,
                word @ ("__launch_bounds__" | "__cluster_dims__") => {
                    self.next();
                    if !self.is("(") {
                        return Err(self.expected(&format!("`(` after `{word}`")));
                    }
                    let bounds = word == "__launch_bounds__";
                    let into = if bounds { &mut found.launch_bounds } else { &mut found.cluster_dims };
                    *into = self.arguments()?;
                    continue;
                }
                "alignas" | "__align__" => {
                    self.next();
                    self.expect("(", "after the word")?;
                    found.align = Some(self.alignment(span)?);
                    self.expect(")", "after the alignment")?;
                    continue;
                }
                #[cfg(feature = "host")]
                "__managed__" if self.text.macros.is_program => {
                    storage.is_device = true;
                    storage.is_managed = true;
                }
                "virtual" | "friend" | "thread_local" | "__managed__" => {
                    return Err(unsupported(span, format_args!("`{word}`")));
                }
                _ => break,
            }
            self.next();
        }
        Ok(found)
    }

    /// What follows the specifiers: a type, and functions or variables.
    pub(super) fn typed(&mut self, mut specifiers: Specifiers<'t>) -> Result<Declaration<'t>> {
        if let Some(function) = self.constructor_or_conversion(specifiers)? {
            return Ok(Declaration::Function(function));
        }
        if let Some(member) = self.outside_without_type(specifiers)? {
            return Ok(member);
        }
        self.late = Storage::default();
        let base = self.plain_type()?;
        // Words between the qualifiers and the type, as in `const __device__ int x`.
        let (late, own) = (self.late, &mut specifiers.storage);
        own.is_shared |= late.is_shared;
        own.is_constant |= late.is_constant;
        own.is_grid_constant |= late.is_grid_constant;
        own.is_device |= late.is_device;
        #[cfg(feature = "host")]
        {
            own.is_managed |= late.is_managed;
        }
        own.is_static |= late.is_static;
        self.more_specifiers(&mut specifiers)?;
        if specifiers.storage.is_typedef {
            return self.typedef(base);
        }
        // The first declarator is read to see whether it is a function; for variables it is read again with the others.
        let before = self.at;
        let mut declarator = self.declarator(base)?;
        // Specifiers may also stand between the type and the name: `void __global__ k()`.
        if declarator.name.is_none() {
            self.more_specifiers(&mut specifiers)?;
            if self.is_word("operator") {
                declarator.name = Some(self.operator_name()?);
            } else if self.token().word().is_some() {
                declarator.name = Some(self.name("a name")?);
            }
        }
        let Some((name, span)) = declarator.name else {
            let before = self.tokens[self.at.saturating_sub(1)].word().map(Name::as_str);
            return Err(match before.filter(|word| crate::builtins::headers::is_unsupported(word)) {
                Some(word) => unsupported(self.end(), format_args!("`{word}`")),
                None => self.expected("a name after the type"),
            });
        };
        if let Some(member) = self.outside(specifiers, declarator.ty)? {
            return Ok(member);
        }
        if self.is("<") && self.scopes.find(name) == Some(Entity::VariableTemplate) {
            return self.special_constant(name, span, declarator.ty, specifiers.storage);
        }
        // Else only a function template can have arguments here: a special case of it, or an instance that is asked for.
        let is_template = self.is("<") && self.scopes.find(name) == Some(Entity::FunctionTemplate);
        let special = if is_template { Some(self.template_arguments()?) } else { None };
        if self.is("(") && (special.is_some() || self.at_parameters()) {
            let function = self.function(specifiers, declarator.ty, name, span)?;
            return Ok(Declaration::Function(self.arena.put(Function { special, ..*function })));
        }
        self.at = before;
        self.variables(base, &specifiers).map(Declaration::Variables)
    }

    /// Adds what is said after the type. Words that make no sense there (`typedef`, `extern`) are not looked for.
    pub(super) fn more_specifiers(&mut self, specifiers: &mut Specifiers<'t>) -> Result<()> {
        let more = self.specifiers()?;
        if !more.launch_bounds.is_empty() {
            specifiers.launch_bounds = more.launch_bounds;
        }
        if !more.cluster_dims.is_empty() {
            specifiers.cluster_dims = more.cluster_dims;
        }
        specifiers.align = specifiers.align.or(more.align);
        let (own, new) = (&mut specifiers.storage, more.storage);
        own.is_device |= new.is_device;
        #[cfg(feature = "host")]
        {
            own.is_managed |= new.is_managed;
        }
        own.is_host |= new.is_host;
        own.is_global |= new.is_global;
        own.is_shared |= new.is_shared;
        own.is_constant |= new.is_constant;
        own.is_grid_constant |= new.is_grid_constant;
        own.is_static |= new.is_static;
        own.is_constexpr |= new.is_constexpr;
        Ok(())
    }

    /// Whether `(` begins parameters and not the arguments of a variable's constructor. C++17, [dcl.ambig.res]: what
    /// can be a parameter is one. At the top of a kernel's text, a variable with a constructor is left out, so `(`
    /// always begins parameters.
    pub(super) fn at_parameters(&mut self) -> bool {
        if self.ahead(1).is(")") || self.ahead(1).is("...") {
            return true;
        }
        if self.scopes.is_global() && !self.text.macros.is_program {
            return true;
        }
        self.at += 1;
        let found = self.at_type() && self.at_declaration_or_end();
        self.at -= 1;
        found
    }

    /// Whether a type is followed by what may follow one in a parameter, and not by `(` or `{`, which would construct a
    /// value.
    fn at_declaration_or_end(&mut self) -> bool {
        let before = self.at;
        let is_type = self.plain_type().is_ok_and(|ty| !self.is_member_value(ty));
        let is_nested = self.is("(") && (self.ahead(1).is("&") || self.ahead(1).is("*"));
        let found = is_type && (is_nested || !self.is("(")) && !self.is("{");
        self.at = before;
        found
    }

    fn typedef(&mut self, base: Type<'t>) -> Result<Declaration<'t>> {
        let mut aliases = Vec::new();
        loop {
            let declarator = self.declarator(base)?;
            let Some((name, _)) = declarator.name else { return Err(self.expected("the name of the type")) };
            self.scopes.declare(name, Entity::Type);
            aliases.push(Declaration::Alias { name, template: None, ty: declarator.ty });
            if !self.take(",") {
                break;
            }
        }
        self.expect(";", "after the declaration")?;
        Ok(Declaration::Group(self.arena.list(&aliases)))
    }

    /// `namespace a { … }`, `namespace a::b { … }`, and `namespace a = b;`.
    fn namespace(&mut self) -> Result<Declaration<'t>> {
        self.next();
        let name =
            if self.token().word().is_some() { Some(self.name("the name of a namespace")?.0) } else { None };
        if let (Some(name), true) = (name, self.take("=")) {
            let target = self.path()?;
            if let Some(found @ Entity::Namespace(_)) = self.scopes.resolve(&target) {
                self.scopes.declare(name, found);
            }
            self.expect(";", "after the declaration")?;
            return Ok(Declaration::NamespaceAlias { name, target });
        }
        let mut inner = Vec::new();
        while self.take("::") {
            inner.push(self.name("the name of a namespace")?.0);
            budget::reach(Bound::Nesting, self.depth + inner.len(), self.span())?;
        }
        self.expect("{", "after the name of the namespace")?;
        let depth = self.depth;
        self.depth += inner.len();
        let body = self.nested(|parser| {
            let mut outers = Vec::new();
            for name in name.iter().chain(&inner) {
                outers.push(parser.scopes.enter(*name));
            }
            let body = parser.declarations(true);
            for outer in outers.into_iter().rev() {
                parser.scopes.leave(outer);
            }
            Ok(body)
        });
        self.depth = depth;
        let body = body?;
        self.expect("}", "at the end of the namespace")?;
        // `a::b` is `b` inside of `a`; the outermost is made by the caller's last line.
        let body = inner
            .into_iter()
            .rev()
            .fold(body, |body, name| self.arena.list(&[Declaration::Namespace { name: Some(name), body }]));
        Ok(Declaration::Namespace { name, body })
    }

    /// A directive, an alias, or one name.
    fn using(&mut self) -> Result<Declaration<'t>> {
        self.next();
        if self.take_word("namespace") {
            let path = self.path()?;
            self.scopes.use_namespace(&path);
            self.expect(";", "after the declaration")?;
            return Ok(Declaration::UsingNamespace(path));
        }
        if self.ahead(1).is("=") {
            return self.alias(None);
        }
        let path = self.path()?;
        self.use_name(&path);
        self.expect(";", "after the declaration")?;
        Ok(Declaration::UsingName(path))
    }

    /// The name means the same here as there; `check` finds out what that is.
    fn use_name(&mut self, path: &Path<'t>) {
        if let (Some(found), Some(last)) = (self.scopes.resolve(path), path.parts.last()) {
            self.scopes.declare(last.name, found);
        }
    }

    /// `NAME = type;`
    pub(super) fn alias(
        &mut self,
        template: Option<&'t [super::tree::Parameter<'t>]>,
    ) -> Result<Declaration<'t>> {
        let (name, _) = self.name("the name of the type")?;
        self.expect("=", "after the name of the type")?;
        let mut defined = None;
        let ty = if template.is_none() && self.at_type_definition() {
            let (definition, ty) = self.defined_type()?;
            defined = Some(definition);
            ty
        } else {
            self.type_name()?
        };
        self.expect(";", "after the declaration")?;
        // An alias template is declared in the scope around its parameters, by `declare_template`.
        let entity = if template.is_some() { Entity::TypeTemplate } else { Entity::Type };
        if template.is_none() {
            self.scopes.declare(name, entity);
        }
        let alias = Declaration::Alias { name, template, ty };
        Ok(match defined {
            Some(definition) => Declaration::Group(self.arena.list(&[definition, alias])),
            None => alias,
        })
    }

    fn static_assert(&mut self, start: Span) -> Result<Declaration<'t>> {
        self.next();
        self.expect("(", "after `static_assert`")?;
        let condition = self.inside_brackets(Self::assignment)?;
        let mut message = None;
        if self.take(",") {
            let Kind::Text(text) = self.token().kind else { return Err(self.expected("a message")) };
            message = Some(text);
            self.next();
        }
        self.expect(")", "after the condition")?;
        self.expect(";", "after `static_assert`")?;
        Ok(Declaration::StaticAssert { condition, message, span: self.since(start) })
    }

    /// Whether a text in quotes after `extern` is `"C"`. Nothing is consumed.
    fn language(&self) -> Result<bool> {
        match self.token().kind {
            Kind::Text(b"C") => Ok(true),
            Kind::Text(b"C++") => Ok(false),
            _ => Err(error(self.span(), "expected `\"C\"` or `\"C++\"` after `extern`")),
        }
    }

    /// `extern "C" { … }`, or `"C++"`, which an inner block may return to ([dcl.link]).
    fn extern_block(&mut self) -> Result<Declaration<'t>> {
        self.next();
        let is_c = self.language()?;
        self.next();
        self.next();
        let outer = std::mem::replace(&mut self.is_c, is_c);
        let body = self.nested(|parser| Ok(parser.declarations(true)));
        self.is_c = outer;
        let body = body?;
        self.expect("}", "at the end of the block")?;
        Ok(Declaration::Group(body))
    }

    /// The variables that follow a type's definition, as in `struct S { … } s;`.
    pub(super) fn trailing_variables(
        &mut self,
        ty: Type<'t>,
        specifiers: &Specifiers<'t>,
        definition: Declaration<'t>,
    ) -> Result<Declaration<'t>> {
        // A name on the next line is a new declaration, and the `;` is missing, which happens more often than a
        // variable there.
        let starts_line = self.token().starts_line && !specifiers.storage.is_typedef;
        if !matches!(self.token().kind, Kind::Word(_) | Kind::Punct("*" | "&" | "(")) || starts_line {
            self.expect(";", "after the type")?;
        }
        if specifiers.storage.is_typedef {
            let aliases = self.typedef(ty)?;
            return Ok(Declaration::Group(self.arena.list(&[definition, aliases])));
        }
        let variables = self.variables(ty, specifiers)?;
        Ok(Declaration::Group(self.arena.list(&[definition, Declaration::Variables(variables)])))
    }
}
