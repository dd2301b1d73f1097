//! The parts that operators join: numbers, names, casts by name, constructions, lambdas.
//!
//! Specification: C++17, [expr.prim], [expr.type.conv], [expr.static.cast] and what follows it, [expr.prim.lambda].
//! Left out: fold expressions, statements in expressions, and `*this` in a capture.

use super::Parser;
use super::scope::Entity;
use super::tree::{
    self, Brackets, Capture, CastKind, Expr, ExprKind, Function, Lambda, Storage, Type, TypeKind,
};
use crate::builtins::headers;
use crate::lex::Kind;
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Parser<'_, 't> {
    pub(super) fn primary(&mut self) -> Result<Expr<'t>> {
        let start = self.span();
        let kind = match self.token().kind {
            Kind::Number(text) => ExprKind::Number(text),
            Kind::Character(value) => ExprKind::Character(value),
            Kind::Text(text) => return self.text(start, text),
            Kind::Punct("(") => return self.parenthesised(start),
            Kind::Punct("[") => return self.lambda(),
            Kind::Punct("::") => return self.name_or_construction(start),
            Kind::Word(word) => match word.as_str() {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "nullptr" => ExprKind::Null,
                "this" => ExprKind::This(word),
                "static_cast" => return self.named_cast(CastKind::Static),
                "reinterpret_cast" => return self.named_cast(CastKind::Reinterpret),
                "const_cast" => return self.named_cast(CastKind::Const),
                _ => return self.name_or_construction(start),
            },
            _ => return Err(self.expected("an expression")),
        };
        self.next();
        self.node(kind, start, 0)
    }

    /// Strings in a row are one.
    fn text(&mut self, start: Span, first: &[u8]) -> Result<Expr<'t>> {
        let mut bytes = first.to_vec();
        self.next();
        while let Kind::Text(more) = &self.token().kind {
            bytes.extend_from_slice(more);
            self.next();
        }
        self.node(ExprKind::Text(self.arena.list(&bytes)), self.since(start), 0)
    }

    /// Without a node of its own: the span grows by the parentheses.
    fn parenthesised(&mut self, start: Span) -> Result<Expr<'t>> {
        self.next();
        // An extension of GCC: `({ …; x; })`.
        if self.is("{") {
            return Err(unsupported(start, "a statement in an expression"));
        }
        let inner = self.inside_brackets(Self::expression)?;
        if self.is("...") {
            return Err(unsupported(self.span(), "a fold expression"));
        }
        self.expect(")", "after the expression")?;
        Ok(self.spanned(inner, start))
    }

    /// `static_cast<T>(x)` and the like. The type is read like template arguments, because `>` ends it.
    fn named_cast(&mut self, kind: CastKind) -> Result<Expr<'t>> {
        let start = self.span();
        self.next();
        self.expect("<", "after the cast")?;
        let outer = std::mem::replace(&mut self.closes_angle, true);
        let ty = self.type_name();
        self.closes_angle = outer;
        let ty = ty?;
        self.close_angle()?;
        self.expect("(", "after the type of the cast")?;
        let value = self.inside_brackets(Self::expression)?;
        self.expect(")", "after the value of the cast")?;
        let depth = value.depth;
        self.node(ExprKind::Cast(kind, ty, value), self.since(start), depth)
    }

    /// A name, or a type and what makes a value of it.
    fn name_or_construction(&mut self, start: Span) -> Result<Expr<'t>> {
        if self.at_type() {
            let ty = self.plain_type()?;
            return self.construction(ty, start);
        }
        if let Some(word) = self.token().word()
            && word.is_keyword()
            && word.as_str() != "operator"
        {
            return Err(error(start, format_args!("expected an expression, found the keyword `{word}`")));
        }
        if let Some(word) = self.token().word()
            && headers::is_of_hardware(word.as_str())
            && self.scopes.find(word).is_none()
        {
            return Err(unsupported(start, format_args!("`{word}`")));
        }
        let path = self.path()?;
        self.node(ExprKind::Path(path), self.since(start), 0)
    }

    /// `T(a, b)` or `T{a, b}`, or a static member `T::value`, which `plain_type` has read as a type.
    fn construction(&mut self, ty: Type<'t>, start: Span) -> Result<Expr<'t>> {
        if self.is("(") {
            let arguments = self.arguments()?;
            let depth = arguments.iter().map(|argument| argument.depth).max().unwrap_or(0);
            let kind = ExprKind::Construct(ty, arguments, Brackets::Round);
            return self.node(kind, self.since(start), depth);
        }
        if self.is("{") {
            let (items, depth) = self.items()?;
            return self.node(ExprKind::Construct(ty, items, Brackets::Curly), self.since(start), depth);
        }
        match &ty.kind {
            // `T::value` looks like a type in a type until nothing follows that makes a value of it.
            TypeKind::Named(path) if path.parts.len() > 1 => {
                self.node(ExprKind::Path(*path), self.since(start), 0)
            }
            _ => Err(error(ty.span, "expected an expression, found a type")
                .with_help("write `(type)value` or `type(value)` to convert a value")),
        }
    }

    /// The scope around the parameters is that of the lambda; what it captures is declared by `check`.
    fn lambda(&mut self) -> Result<Expr<'t>> {
        let start = self.span();
        self.next();
        let (default, captures) = self.captures()?;
        self.scopes.push();
        let function = self.nested(|parser| parser.lambda_function(start));
        self.scopes.pop();
        let lambda = Lambda { default, captures, function: self.arena.put(function?) };
        self.node(ExprKind::Lambda(self.arena.put(lambda)), self.since(start), 0)
    }

    /// `[=, &a, b = value]`: C++17, [expr.prim.lambda.capture].
    #[expect(clippy::type_complexity, reason = "the parts of a lambda, taken apart at once")]
    fn captures(&mut self) -> Result<(Option<Capture>, &'t [(Name<'t>, Capture, Option<Expr<'t>>, Span)])> {
        let mut default = None;
        let mut captures = Vec::new();
        while !self.is("]") {
            let span = self.span();
            // A default stands alone; `=` after a name is an initialiser.
            if self.is("=") && (self.ahead(1).is("]") || self.ahead(1).is(",")) {
                self.next();
                default = Some(Capture::Copy);
            } else if self.is("&") && (self.ahead(1).is("]") || self.ahead(1).is(",")) {
                self.next();
                default = Some(Capture::Reference);
            } else if self.is_word("this") {
                self.next();
                captures.push((self.text.names.get("this"), Capture::This, None, span));
            } else if self.is("*") && self.ahead(1).is_word("this") {
                // A copy of the object, under the name of what it stands for.
                let name = self.text.names.get("this");
                let object = self.assignment()?;
                captures.push((name, Capture::Copy, Some(object), span));
            } else {
                let capture = if self.take("&") { Capture::Reference } else { Capture::Copy };
                let (name, span) = self.name("the name of a variable to capture")?;
                let init = if self.take("=") { Some(self.assignment()?) } else { None };
                captures.push((name, capture, init, span));
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect("]", "after what the lambda captures")?;
        Ok((default, self.arena.list(&captures)))
    }

    /// From the parameters on, which may be missing.
    fn lambda_function(&mut self, start: Span) -> Result<Function<'t>> {
        let mut storage = Storage::default();
        // The call operator is `const` unless the lambda is `mutable` ([expr.prim.lambda.closure]).
        let mut is_const = true;
        // CUDA's words are before the parameters (CUDA C++ Programming Guide, "Extended Lambdas").
        self.lambda_words(&mut storage, &mut is_const);
        let parameters = if self.is("(") { self.parameters()? } else { &[] };
        self.lambda_words(&mut storage, &mut is_const);
        let span = self.since(start);
        let auto = tree::plain(self.arena, TypeKind::Auto, span);
        // Without it, the result is what the `return`s say ([expr.prim.lambda]).
        let result = if self.take("->") { self.type_name()? } else { auto };
        if !self.is("{") {
            return Err(self.expected("the body of the lambda"));
        }
        let outer = std::mem::replace(&mut self.closes_angle, false);
        let body = self.block();
        self.closes_angle = outer;
        // A parameter of type `auto` makes the call a template.
        let template = super::template::implied(self.text.names, parameters);
        Ok(Function {
            name: self.text.names.get("operator()"),
            span,
            template,
            result,
            parameters,
            body: Some(body?),
            storage,
            launch_bounds: &[],
            cluster_dims: &[],
            initialisers: &[],
            is_constructor: false,
            is_conversion: false,
            is_const,
            is_deleted: false,
            is_defaulted: false,
            special: None,
            end: self.end(),
        })
    }

    /// What is said of a lambda besides its parameters and its result.
    fn lambda_words(&mut self, storage: &mut Storage, is_const: &mut bool) {
        loop {
            match self.token().word().map(Name::as_str) {
                Some("mutable") => *is_const = false,
                Some("__forceinline__" | "noexcept") => {}
                Some("__device__") => storage.is_device = true,
                Some("__host__") => storage.is_host = true,
                Some("constexpr") => storage.is_constexpr = true,
                _ => return,
            }
            self.next();
        }
    }

    /// `operator+`, `operator[]`, `operator()`. The name of the function is the operator's text, hence one name for the
    /// unary and the binary form; their parameters differ.
    pub(super) fn operator_name(&mut self) -> Result<(Name<'t>, Span)> {
        let start = self.span();
        self.next();
        let Kind::Punct(punct) = self.token().kind else { return Err(self.expected("an operator")) };
        self.next();
        let text = match punct {
            "(" | "[" => {
                let close = if punct == "(" { ")" } else { "]" };
                self.expect(close, "after the bracket of the operator")?;
                format!("operator{punct}{close}")
            }
            _ => format!("operator{punct}"),
        };
        let name = self.text.names.get(&text);
        Ok((name, self.since(start)))
    }

    /// Declares a variable or a parameter in the innermost scope.
    pub(super) fn declare_value(&mut self, name: Name<'t>) {
        self.scopes.declare(name, Entity::Value);
    }
}
