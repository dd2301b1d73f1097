//! What is declared in a type or a namespace, and defined outside of it.
//!
//! The names of the type are known in such a definition from the name of the member on ([basic.lookup.unqual], paragraph 8), hence
//! its scope, and the scopes of the types around it, are used by that of the definition. Which declaration is meant is found by
//! `check`. Left out: special cases of members that are templates. Specification: C++17, [class.mfct], [class.static.data],
//! [namespace.memdef].
//!
//! ```text
//! float S::norm() const { … }                     S::S(int a) : a(a) { … }          S::~S() { … }
//! template <class T> T Box<T>::get() { … }        int Outer::Inner::count = 3;      void space::f() { … }
//! ```

use super::Parser;
use super::declaration::Specifiers;
use super::scope::Entity;
use super::tree::{Declaration, Member, Outside, Part, Path, Type};
use super::types::unknown_type;
use crate::source::{Failed, Name, Result, Span, unsupported};

/// What stands before the name of a member.
struct Owner<'t> {
    path: Path<'t>,
    /// The scopes with the names of the types and namespaces in it.
    scopes: Vec<usize>,
    is_type: bool,
}

impl<'t> Owner<'t> {
    fn name(&self) -> Option<Name<'t>> {
        self.path.parts.last().map(|part| part.name)
    }
}

impl<'t> Parser<'_, 't> {
    /// Whether a constructor, a destructor or a conversion is defined here, which have no type before their name.
    pub(super) fn at_outside_without_type(&mut self) -> bool {
        let (before, depth) = (self.at, self.depth);
        let found = self.owner_without_type();
        (self.at, self.depth) = (before, depth);
        matches!(found, Ok(Some(_)))
    }

    /// The definition of one.
    pub(super) fn outside_without_type(
        &mut self,
        specifiers: Specifiers<'t>,
    ) -> Result<Option<Declaration<'t>>> {
        if !self.at_outside_without_type() {
            return Ok(None);
        }
        let Some(owner) = self.owner_without_type()? else { return Ok(None) };
        self.inside(&owner, |parser| match parser.constructor_or_conversion(specifiers)? {
            Some(function) => Ok(Member::Function(function)),
            None => Err(parser.expected("a member")),
        })
        .map(Some)
    }

    fn owner_without_type(&mut self) -> Result<Option<Owner<'t>>> {
        // In a type, its own constructors have been looked for.
        if self.structs_name().is_some() {
            return Ok(None);
        }
        let owner = self.owner()?;
        Ok(owner.filter(|owner| {
            let is_constructor = self.token().word() == owner.name() && self.ahead(1).is("(");
            owner.is_type && (is_constructor || self.is("~") || self.is_word("operator"))
        }))
    }

    /// A member with a type, whose name begins with the token before this one: `S` in `int S::f()`, or in `int Box<T>::f()`.
    pub(super) fn outside(
        &mut self,
        specifiers: Specifiers<'t>,
        ty: Type<'t>,
    ) -> Result<Option<Declaration<'t>>> {
        if !self.is("::") && !self.is("<") {
            return Ok(None);
        }
        let start = self.at;
        self.at -= 1;
        let (name, span) = (self.token().word(), self.span());
        let Some(owner) = self.owner()? else {
            self.at = start;
            return match name {
                Some(name) if self.is("::") => Err(self.no_owner(name, span)),
                _ => Ok(None),
            };
        };
        self.inside(&owner, |parser| parser.member_outside(specifiers, ty)).map(Some)
    }

    fn no_owner(&mut self, name: Name<'t>, span: Span) -> Failed {
        if self.scopes.find(name).is_none() {
            return unknown_type(span, name.as_str());
        }
        unsupported(span, format_args!("defining a member of `{name}`, whose members are not known here,"))
    }

    fn member_outside(&mut self, specifiers: Specifiers<'t>, ty: Type<'t>) -> Result<Member<'t>> {
        let start = self.at;
        let (name, span) =
            if self.is_word("operator") { self.operator_name()? } else { self.name("the name of a member")? };
        if self.is("<") {
            return Err(unsupported(span, "a special case of a member"));
        }
        if self.is("(") && self.at_parameters() {
            return self.function(specifiers, ty, name, span).map(Member::Function);
        }
        self.at = start;
        match self.variables(ty, &specifiers)? {
            [variable] => Ok(Member::Field(*variable)),
            _ => Err(unsupported(span, "several members in one definition")),
        }
    }

    /// Reads a member of its owner, with the names that are known in it.
    fn inside(
        &mut self,
        owner: &Owner<'t>,
        read: impl FnOnce(&mut Self) -> Result<Member<'t>>,
    ) -> Result<Declaration<'t>> {
        self.scopes.push_inside(&owner.scopes);
        let outer = self.scopes.set_struct(owner.name().filter(|_| owner.is_type));
        let member = read(self);
        self.scopes.set_struct(outer);
        self.scopes.pop();
        let outside = Outside { owner: owner.path, templates: &[], member: member? };
        Ok(Declaration::Outside(self.arena.put(outside)))
    }

    /// `a::S<T>::` before the name of a member, if that is what follows.
    fn owner(&mut self) -> Result<Option<Owner<'t>>> {
        let start = self.span();
        let (mut parts, mut scopes): (Vec<Part<'t>>, Vec<usize>) = (Vec::new(), Vec::new());
        loop {
            let (Some(name), span) = (self.token().word(), self.span()) else { return Ok(None) };
            let Some((entity, inner)) = self.scopes.container(scopes.last().copied(), name) else {
                return Ok(None);
            };
            self.next();
            let has_arguments = entity == Entity::TypeTemplate && self.is("<");
            let arguments = if has_arguments { Some(self.template_arguments()?) } else { None };
            if !self.take("::") {
                return Ok(None);
            }
            parts.push(Part { name, arguments, span });
            scopes.push(inner);
            let goes_on = match self.token().word() {
                Some(next) if self.ahead(1).is("<") => self
                    .scopes
                    .container(Some(inner), next)
                    .is_some_and(|(found, _)| found == Entity::TypeTemplate),
                _ => self.ahead(1).is("::"),
            };
            if !goes_on {
                let path = Path { parts: self.arena.list(&parts), span: self.since(start) };
                let is_type = !matches!(entity, Entity::Namespace(_));
                return Ok(Some(Owner { path, scopes, is_type }));
            }
        }
    }
}
