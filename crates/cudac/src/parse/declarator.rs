//! What follows a type in a declaration: pointers, references, the name, array lengths.
//!
//! A declarator is written as its variable is used, so what stands nearest to the name applies first ([dcl.meaning]):
//! `int* a[4]` is an array of pointers, `int (*a)[4]` a pointer to an array. The type is therefore built from the
//! outside in while the text is read from the left. Left out: functions that return pointers to functions or to arrays,
//! and parentheses without `*` or `&`.

use super::Parser;
use super::declaration::Specifiers;
use super::tree::{self, Expr, ExprKind, Init, Type, TypeKind, TypeNode, Variable};
use crate::lex::Kind;
use crate::source::{Name, Result, Span, unsupported};

/// A name, if there is one, and its type.
pub(super) struct Declarator<'t> {
    /// A cast and a parameter may have none.
    pub name: Option<(Name<'t>, Span)>,
    pub ty: Type<'t>,
}

impl<'t> Parser<'_, 't> {
    /// The rest of a type after `base`, and the name in it.
    pub(super) fn declarator(&mut self, base: Type<'t>) -> Result<Declarator<'t>> {
        let ty = self.pointers(base)?;
        let is_nested = self.is("(") && (self.ahead(1).is("*") || self.ahead(1).is("&"));
        if is_nested {
            return self.nested_declarator(ty);
        }
        // A keyword here is the specifier of something else, such as `const` after a method.
        let has_name = self.token().word().is_some_and(|word| !word.is_keyword());
        let name = if has_name { Some(self.name("a name")?) } else { None };
        let ty = self.arrays(ty)?;
        Ok(Declarator { name, ty })
    }

    /// A variable is known from its declarator on, in its own initialiser too ([basic.scope.pdecl]).
    pub(super) fn variables(
        &mut self,
        base: Type<'t>,
        specifiers: &Specifiers<'t>,
    ) -> Result<&'t [Variable<'t>]> {
        let mut variables = Vec::new();
        loop {
            let declarator = self.declarator(base)?;
            let Some((name, span)) = declarator.name else {
                return Err(self.expected("the name of a variable"));
            };
            if self.is(":") && !matches!(self.ahead(1).kind, Kind::Number(_)) {
                self.declare_value(name);
            }
            self.declare_value(name);
            let init = match () {
                () if self.take("=") => Some(Init::Assign(self.assigned()?)),
                () if self.is("(") => Some(Init::Round(self.arguments()?)),
                () if self.is("{") => Some(Init::Curly(self.list()?)),
                () => None,
            };
            variables.push(Variable {
                name,
                ty: declarator.ty,
                init,
                storage: specifiers.storage,
                align: specifiers.align,
                span,
            });
            if !self.take(",") {
                break;
            }
        }
        if self.is(":") {
            // The caller says what this is.
            return Ok(self.arena.list(&variables));
        }
        self.expect(";", "after the declaration")?;
        Ok(self.arena.list(&variables))
    }

    /// `(*name)[4]` and `(&name)[4]`: what is inside applies after the arrays. Only one level is read: a pointer or a
    /// reference to an array or a function, or an array of such pointers.
    fn nested_declarator(&mut self, base: Type<'t>) -> Result<Declarator<'t>> {
        let start = self.span();
        self.next();
        let is_pointer = self.is("*");
        self.next();
        let mut is_const = false;
        while self.is_word("const") || self.is_word("__restrict__") {
            is_const |= self.is_word("const");
            self.next();
        }
        let has_name = self.token().word().is_some();
        let name = if has_name { Some(self.name("a name")?) } else { None };
        let inner = self.array_lengths()?;
        self.expect(")", "after the name")?;
        #[cfg(feature = "host")]
        if self.is("(") && is_pointer && self.text.macros.is_program {
            let pointee = self.function_type(base)?;
            let ty = self.ty(TypeKind::Pointer(pointee), is_const, false, self.since(start));
            return Ok(Declarator { name, ty: self.wrap(ty, &inner) });
        }
        if self.is("(") {
            return Err(unsupported(self.since(start), "a pointer to a function")
                .with_help("call the function by its name, or pass a lambda to a template"));
        }
        let pointee = self.arrays(base)?;
        let span = self.since(start);
        let kind = if is_pointer { TypeKind::Pointer(pointee) } else { TypeKind::Reference(pointee) };
        let ty = self.wrap(self.ty(kind, is_const, false, span), &inner);
        Ok(Declarator { name, ty })
    }

    /// `*`, `&`, `&&` and their qualifiers.
    fn pointers(&mut self, mut ty: Type<'t>) -> Result<Type<'t>> {
        let mut count = 0;
        loop {
            let kind = match () {
                () if self.is("*") => TypeKind::Pointer(ty),
                () if self.is("&&") => TypeKind::Rvalue(ty),
                () if self.is("&") => TypeKind::Reference(ty),
                () => return Ok(ty),
            };
            count += 1;
            if count > 16 {
                return Err(unsupported(self.span(), "a type with more than 16 pointers"));
            }
            self.next();
            let (mut is_const, mut is_volatile) = (false, false);
            loop {
                match self.token().word().map(Name::as_str) {
                    Some("const") => is_const = true,
                    Some("volatile") => is_volatile = true,
                    // A promise to the optimiser, which this one does not need: it never assumes that two pointers
                    // differ.
                    Some("__restrict__" | "__restrict" | "restrict") => {}
                    _ => break,
                }
                self.next();
            }
            ty = self.ty(kind, is_const, is_volatile, self.end());
        }
    }

    fn arrays(&mut self, ty: Type<'t>) -> Result<Type<'t>> {
        let lengths = self.array_lengths()?;
        Ok(self.wrap(ty, &lengths))
    }

    /// The lengths in the order of the text. `[[` begins an attribute.
    fn array_lengths(&mut self) -> Result<Vec<(Option<super::tree::Expr<'t>>, Span)>> {
        let mut lengths = Vec::new();
        while self.is("[") && !self.ahead(1).is("[") {
            let start = self.span();
            self.next();
            let length = if self.is("]") {
                None
            } else {
                Some(self.nested(|parser| parser.inside_brackets(Self::expression))?)
            };
            #[cfg(feature = "host")]
            if let Some(length) = length {
                self.length_may_vary(length);
            }
            self.expect("]", "after the length of the array")?;
            lengths.push((length, self.since(start)));
            if lengths.len() > 8 {
                return Err(unsupported(self.since(start), "an array of more than 8 dimensions"));
            }
        }
        Ok(lengths)
    }

    /// An array of a function of the host may have a length that is known only when it is declared. Its elements are in an
    /// object of the header.
    #[cfg(feature = "host")]
    fn length_may_vary(&mut self, length: tree::Expr<'t>) {
        let is_number = matches!(length.kind, tree::ExprKind::Number(_));
        if !is_number && self.text.macros.is_program && !self.scopes.is_global() {
            let name = self.text.names.get("__host_varying");
            self.load_own(name);
        }
    }

    /// An array of arrays has the last length innermost.
    fn wrap(&self, ty: Type<'t>, lengths: &[(Option<tree::Expr<'t>>, Span)]) -> Type<'t> {
        lengths.iter().rev().fold(ty, |ty, (length, span)| {
            // Messages about the type should show the element's type, if that is before the brackets.
            let span = if ty.span.end() <= span.start() { ty.span } else { *span };
            tree::plain(self.arena, TypeKind::Array(ty, *length), span)
        })
    }

    /// `alignas(T)` is `alignas(alignof(T))` ([dcl.align]).
    pub(super) fn alignment(&mut self, start: Span) -> Result<Expr<'t>> {
        if self.at_type() {
            let ty = self.type_name()?;
            return self.node(ExprKind::AlignOf(ty), self.since(start), 0);
        }
        self.inside_brackets(Self::expression)
    }

    pub(super) fn ty(&self, kind: TypeKind<'t>, is_const: bool, is_volatile: bool, span: Span) -> Type<'t> {
        self.arena.put(TypeNode { kind, is_const, is_volatile, span })
    }
}
