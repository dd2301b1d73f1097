//! Functions: parameters, body, constructors, operators.
//!
//! Words that say where a function runs are in its `Storage`; what follows the parameters is read here. The body is
//! read at once, also that of a method, so a method can use only those types and templates of its struct that precede
//! it, while C++ reads it after the whole struct ([class.mem]); values and functions are looked up later, by `check`.
//!
//! ```text
//! S(int a) : a(a), b{1} { … }          a constructor: named like the struct that is being read
//! operator float() const { … }         a conversion
//! ~S() { … }                           a destructor, in whole programs
//! ```

use super::Parser;
use super::declaration::Specifiers;
use super::tree::{self, Expr, Function, Init, Type, TypeKind, Variable};
use super::types::unknown_type;
use crate::source::{Name, Result, Span, error, unsupported};

/// A function may have this many parameters.
const MAX_PARAMETERS: usize = 128;

impl<'t> Parser<'_, 't> {
    /// `(int a, float* b = nullptr)`; the names are declared in the innermost scope.
    pub(super) fn parameters(&mut self) -> Result<&'t [Variable<'t>]> {
        self.expect("(", "before the parameters")?;
        let mut parameters: Vec<Variable<'t>> = Vec::new();
        // `(void)` is C's way to say that there are none.
        if self.is_word("void") && self.ahead(1).is(")") {
            self.next();
        }
        while !self.is(")") {
            if self.is("...") {
                return Err(unsupported(self.span(), "a function with any number of arguments"));
            }
            let start = self.span();
            let mut specifiers = self.specifiers()?;
            if !self.at_type() {
                if let Some(word) = self.token().word() {
                    return Err(unknown_type(start, word.as_str()));
                }
                return Err(self.expected("the type of a parameter"));
            }
            self.late = super::tree::Storage::default();
            let base = self.plain_type()?;
            specifiers.storage.is_grid_constant |= self.late.is_grid_constant;
            let declarator = self.declarator(base)?;
            if self.is("...") {
                return Err(unsupported(self.span(), "a template with any number of arguments"));
            }
            // A parameter without a name is declared with an empty one, which no text can mention.
            let (name, span) = declarator.name.unwrap_or_else(|| (self.text.names.get(""), start));
            self.declare_value(name);
            // A default is read where it is written, and evaluated at each call ([dcl.fct.default]).
            let init = if self.take("=") { Some(Init::Assign(self.assigned()?)) } else { None };
            let (storage, align) = (specifiers.storage, None);
            parameters.push(Variable { name, ty: declarator.ty, init, storage, align, span });
            if parameters.len() > MAX_PARAMETERS {
                return Err(error(
                    start,
                    format_args!("a function has more than {MAX_PARAMETERS} parameters"),
                ));
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(")", "after the parameters")?;
        Ok(self.arena.list(&parameters))
    }

    /// A function, from its parameters on.
    pub(super) fn function(
        &mut self,
        specifiers: Specifiers<'t>,
        result: Type<'t>,
        name: Name<'t>,
        span: Span,
    ) -> Result<&'t Function<'t>> {
        // A constructor has the name of its type, which stays one.
        if self.structs_name().as_ref() != Some(&name) {
            self.declare_value(name);
        }
        if crate::builtins::headers::own(name.as_str(), self.text.macros.is_program).is_some() {
            // An own function of the same name is one more overload.
            self.load_own(name);
        }
        self.scopes.push();
        let function = self.function_parts(specifiers, result, name, span);
        self.scopes.pop();
        function.map(|function| self.arena.put(function))
    }

    fn function_parts(
        &mut self,
        specifiers: Specifiers<'t>,
        mut result: Type<'t>,
        name: Name<'t>,
        span: Span,
    ) -> Result<Function<'t>> {
        let parameters = self.parameters()?;
        let mut is_const = false;
        loop {
            match self.token().word().map(Name::as_str) {
                Some("const") => is_const = true,
                // There are no exceptions in device code, so nothing follows from `noexcept`.
                Some("noexcept" | "volatile" | "__forceinline__") => {}
                Some(word @ ("override" | "final")) => {
                    return Err(unsupported(self.span(), format_args!("`{word}`")));
                }
                _ => break,
            }
            self.next();
        }
        // It may name parameters, which is why it is read in their scope ([dcl.fct]).
        if self.take("->") {
            result = self.type_name()?;
        }
        let own = &specifiers.storage;
        let is_extern_c = own.is_extern_c || self.is_c && !own.is_extern_cpp;
        let template = super::template::implied(self.text.names, parameters);
        let mut function = Function {
            name,
            span,
            template,
            result,
            parameters,
            body: None,
            storage: super::tree::Storage { is_extern_c, ..specifiers.storage },
            launch_bounds: specifiers.launch_bounds,
            cluster_dims: specifiers.cluster_dims,
            initialisers: &[],
            is_constructor: false,
            is_conversion: false,
            is_const,
            is_deleted: false,
            is_defaulted: false,
            special: None,
            end: span,
        };
        if self.is(":") {
            function.initialisers = self.initialisers()?;
        }
        if self.take("=") {
            function.is_deleted = self.take_word("delete");
            function.is_defaulted = !function.is_deleted && self.take_word("default");
            if !function.is_deleted && !function.is_defaulted {
                return Err(self.expected("`default` or `delete`"));
            }
            self.expect(";", "after the declaration")?;
        } else if self.is("{") {
            // A body inside of template arguments is that of a lambda.
            let outer = std::mem::replace(&mut self.closes_angle, false);
            let body = self.nested(Self::block);
            self.closes_angle = outer;
            function.body = Some(body?);
            function.end = self.end();
        } else {
            self.expect(";", "or a body after the parameters")?;
        }
        Ok(function)
    }

    /// `: a(1), b{2}`
    fn initialisers(&mut self) -> Result<&'t [(Name<'t>, Init<'t>, Span)]> {
        self.next();
        let mut found = Vec::new();
        loop {
            let (name, span) = self.name("the name of a member")?;
            let init = if self.is("{") { Init::Curly(self.list()?) } else { Init::Round(self.arguments()?) };
            found.push((name, init, span));
            if !self.take(",") {
                return Ok(self.arena.list(&found));
            }
        }
    }

    /// A constructor `S(…)`, a destructor, or a conversion `operator T()`, which have no type before the name.
    pub(super) fn constructor_or_conversion(
        &mut self,
        specifiers: Specifiers<'t>,
    ) -> Result<Option<&'t Function<'t>>> {
        let start = self.span();
        #[cfg(feature = "host")]
        if self.is("~") && self.text.macros.is_program && self.structs_name().is_some() {
            return self.destructor(specifiers).map(Some);
        }
        if self.is("~") {
            return Err(unsupported(start, "a destructor"));
        }
        if self.is_word("operator") {
            self.next();
            let base = self.plain_type()?;
            let ty = self.declarator(base)?.ty;
            // One name for all: which type is converted to is in the result.
            let name = self.text.names.get("operator T");
            let function = self.function(specifiers, ty, name, start)?;
            return Ok(Some(self.arena.put(Function { is_conversion: true, ..*function })));
        }
        let own = self.structs_name();
        let is_constructor = own.is_some() && self.token().word() == own && self.ahead(1).is("(");
        let Some(name) = own.filter(|_| is_constructor) else { return Ok(None) };
        self.next();
        let kind = TypeKind::Basic(super::tree::Basic::Void);
        let result = tree::plain(self.arena, kind, start);
        let function = self.function(specifiers, result, name, start)?;
        Ok(Some(self.arena.put(Function { is_constructor: true, ..*function })))
    }
}

/// The expressions of an initialiser in round brackets or of a list. One for `= value`, for which it does not matter
/// that `value` may be a list itself.
pub(crate) fn values<'i, 't>(init: &'i Init<'t>) -> &'i [Expr<'t>] {
    match init {
        Init::Assign(value) => std::slice::from_ref(value),
        Init::Round(values) => values,
        Init::Curly(list) => match &list.kind {
            super::tree::ExprKind::List(values) => values,
            _ => std::slice::from_ref(list),
        },
    }
}
