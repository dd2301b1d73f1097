//! Definitions of types: structs, classes, unions, enumerations.
//!
//! Members are kept in the order of the text: that is the order of the layout and of initialisation. Access is read and
//! ignored, since a program that is correct with it means the same without. Members that are defined outside are read by
//! [`super::outside`]. Left out: inheritance, bit fields. Specification: C++17, [class].

use super::Parser;
use super::declaration::Specifiers;
use super::scope::Entity;
use super::tree::{Argument, Declaration, Enum, Member, Parameter, Part, Path, Struct, Type, TypeKind};
use crate::lex::Kind;
use crate::source::{Name, Result, Span, error, unsupported};

impl<'t> Parser<'_, 't> {
    /// Whether a definition of a type follows, and not a use of one as in `struct S s`. Decided by what follows the
    /// name: C++17, [class.name] and [dcl.enum]. Qualifiers may precede it.
    pub(super) fn at_type_definition(&self) -> bool {
        let mut at = 0;
        while self.ahead(at).is_word("const") || self.ahead(at).is_word("volatile") {
            at += 1;
        }
        let word = self.ahead(at).word().map(Name::as_str);
        at += 1;
        match word {
            Some("enum") => {
                if self.ahead(at).is_word("class") || self.ahead(at).is_word("struct") {
                    at += 1;
                }
                if matches!(self.ahead(at).kind, Kind::Word(_)) {
                    at += 1;
                }
                self.ahead(at).is("{") || self.ahead(at).is(":")
            }
            Some("struct" | "class" | "union") => {
                if self.ahead(at).is_word("alignas") || self.ahead(at).is_word("__align__") {
                    return true;
                }
                if matches!(self.ahead(at).kind, Kind::Word(_)) {
                    at += 1;
                }
                let next = self.ahead(at);
                next.is("{") || next.is(":") || next.is(";") || next.is_word("final")
            }
            _ => false,
        }
    }

    /// A type's definition with the variables that may follow it.
    pub(super) fn type_definition(&mut self, mut specifiers: Specifiers<'t>) -> Result<Declaration<'t>> {
        let (definition, ty) = self.defined_type()?;
        if self.take(";") {
            return Ok(definition);
        }
        self.more_specifiers(&mut specifiers)?;
        self.trailing_variables(ty, &specifiers, definition)
    }

    /// A type's definition, and the type with the qualifiers that it is written with.
    pub(super) fn defined_type(&mut self) -> Result<(Declaration<'t>, Type<'t>)> {
        let (mut is_const, mut is_volatile) = (false, false);
        self.qualifiers(&mut is_const, &mut is_volatile);
        let span = self.span();
        let (name, definition) = if self.is_word("enum") {
            let definition = self.enumeration()?;
            (definition.name, Declaration::Enum(definition))
        } else {
            let definition = self.structure(None)?;
            (definition.name, Declaration::Struct(definition))
        };
        self.qualifiers(&mut is_const, &mut is_volatile);
        let path = Path { parts: self.arena.list(&[Part { name, arguments: None, span }]), span };
        Ok((definition, self.ty(TypeKind::Named(path), is_const, is_volatile, span)))
    }

    fn qualifiers(&mut self, is_const: &mut bool, is_volatile: &mut bool) {
        loop {
            match self.token().word().map(Name::as_str) {
                Some("const") => *is_const = true,
                Some("volatile") => *is_volatile = true,
                _ => return,
            }
            self.next();
        }
    }

    /// A name for a type that has none. It differs for each of them, so that they are different types, and messages can
    /// show it. A macro may define several at one place.
    pub(super) fn unnamed(&mut self, start: Span) -> Name<'t> {
        let (line, column) = self.text.files.place(start);
        let numbered = (2..).map(|count| format!(", {count}"));
        for number in std::iter::once(String::new()).chain(numbered) {
            let file = self.text.files.suffix(start);
            let name = self.text.names.get(&format!("<unnamed at {line}:{column}{file}{number}>"));
            if self.scopes.find(name).is_none() {
                return name;
            }
        }
        unreachable!("the numbers do not end")
    }

    /// A struct, from its keyword to its `}`. The name is declared before the members, which may mention it
    /// ([basic.scope.pdecl]).
    pub(super) fn structure(&mut self, template: Option<&'t [Parameter<'t>]>) -> Result<&'t Struct<'t>> {
        let start = self.span();
        let is_union = self.is_word("union");
        let is_class = self.is_word("class");
        self.next();
        // Between the keyword and the name there may be `alignas`.
        let specifiers = self.specifiers()?;
        let (name, span) = if self.token().word().is_some() {
            self.name("the name of the type")?
        } else {
            (self.unnamed(start), start)
        };
        let entity = if template.is_some() { Entity::TypeTemplate } else { Entity::Type };
        let special = self.special_case(name, template.is_some())?;
        let arena = self.arena;
        let made = |members, is_forward, align| {
            arena.put(Struct { name, span, template, is_union, align, members, is_forward, special })
        };
        // A special case belongs to a template whose name is known already.
        if special.is_none() {
            self.scopes.declare(name, entity);
        }
        if self.is(";") {
            return Ok(made(&[], true, None));
        }
        if self.is(":") {
            return Err(unsupported(self.span(), "inheritance").with_help("make the other type a member"));
        }
        // Nothing can be derived anyway.
        if self.is_word("final") {
            self.next();
        }
        self.expect("{", "before the members")?;
        if special.is_none() {
            self.scopes.push_members(name, template.is_some());
        } else {
            self.scopes.push();
        }
        let outer = self.scopes.set_struct(Some(name));
        let members = self.nested(|parser| parser.members(is_class));
        self.scopes.set_struct(outer);
        self.scopes.pop();
        let members = members?;
        self.expect("}", "after the members")?;
        Ok(made(members, false, specifiers.align))
    }

    fn enumeration(&mut self) -> Result<Enum<'t>> {
        self.next();
        let is_scoped = self.take_word("class") || self.take_word("struct");
        let start = self.span();
        let has_name = self.token().word().is_some();
        let name = if has_name { self.name("the name of the type")?.0 } else { self.unnamed(start) };
        let underlying = if self.take(":") { Some(self.plain_type()?) } else { None };
        self.scopes.declare(name, Entity::Type);
        self.expect("{", "before the values of the type")?;
        let mut values = Vec::new();
        while !self.is("}") {
            let (name, span) = self.name("the name of a value")?;
            if !is_scoped {
                self.declare_value(name);
            }
            let value = if self.take("=") { Some(self.conditional()?) } else { None };
            values.push((name, value, span));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}", "after the values")?;
        Ok(Enum { name, is_scoped, underlying, values: self.arena.list(&values) })
    }

    /// `<int, T*>` after the name of a template that is known. C++17, [temp.class.spec] and [temp.expl.spec]:
    /// parameters may be left, as in `template <class T> struct S<T*>`.
    fn special_case(&mut self, name: Name<'t>, is_template: bool) -> Result<Option<&'t [Argument<'t>]>> {
        if !self.is("<") {
            return Ok(None);
        }
        if !is_template || self.scopes.find(name) != Some(Entity::TypeTemplate) {
            return Err(error(self.span(), format_args!("`{name}` is no template that is known here")));
        }
        self.template_arguments().map(Some)
    }

    fn members(&mut self, _is_class: bool) -> Result<&'t [Member<'t>]> {
        let mut members = Vec::new();
        while !self.is("}") && self.token().kind != Kind::End {
            let is_access =
                matches!(self.token().word().map(Name::as_str), Some("public" | "private" | "protected"));
            if is_access && self.ahead(1).is(":") {
                // Access is not checked: it changes nothing that a kernel computes.
                self.next();
                self.next();
                continue;
            }
            let declaration = self.declaration(false)?;
            self.add(&mut members, declaration);
            if self.is(":") {
                return Err(unsupported(self.span(), "a bit field"));
            }
        }
        Ok(self.arena.list(&members))
    }

    /// The name of the struct whose members are being read.
    pub(super) fn structs_name(&self) -> Option<Name<'t>> {
        self.scopes.structs_name()
    }

    /// A definition with variables after it is a group, whose parts are members each.
    fn add(&self, members: &mut Vec<Member<'t>>, declaration: Declaration<'t>) {
        match declaration {
            Declaration::Function(function) => members.push(Member::Function(function)),
            Declaration::Variables(variables) => members.extend(variables.iter().copied().map(Member::Field)),
            // A type without a name is no member itself if something after it has that type.
            Declaration::Group([definition @ Declaration::Struct(_), rest @ ..]) if !rest.is_empty() => {
                let alone = Declaration::Group(self.arena.list(&[*definition]));
                members.push(Member::Declaration(self.arena.put(alone)));
                for inner in rest {
                    self.add(members, *inner);
                }
            }
            Declaration::Group(group) => group.iter().for_each(|inner| self.add(members, *inner)),
            other => members.push(Member::Declaration(self.arena.put(other))),
        }
    }
}
