//! Names and what they mean.
//!
//! Scopes are a tree in one list, and are never removed: a template's body is checked long after its scope was left.
//! Unlike the parser's table ([`crate::parse`]), which only tells types from values, this one has the meanings.
//! Declaring a name again replaces its meaning; whoever declares has to look first.
//!
//! ```text
//! global scope             n, S
//!   scope of n             f, T as declared in the namespace
//!     parameters of f<int> T = int                      one for each instance
//!       body of f          the parameters, then a scope for each block
//!   scope of S             its fields, static members, types, and S itself
//! ```

use super::typed::{Constant, GlobalId, VarId};
use super::types::{Argument, Type};
use crate::parse::tree;
#[cfg(feature = "host")]
use crate::source::map::Set;
use crate::source::map::{List, Map};
use crate::source::near::nearest;
use crate::source::{Name, Span};

pub(crate) type ScopeId = usize;
/// A function as the text declares it, by its number in `Checker::declared`.
pub(crate) type DeclaredId = usize;
pub(crate) type TemplateId = usize;

/// Where a jump begins or ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub scope: ScopeId,
    /// How many of [`Frame::valued`](super::Frame) stand above it.
    pub above: usize,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Type(Type),
    TypeTemplate(TemplateId),
    /// All of one name in one scope; a call picks one.
    Functions(Vec<DeclaredId>),
    Global(GlobalId),
    /// A variable of the function that is being checked, which must be the one with this number. The second number is
    /// that of [`Frame`](super::Frame): a lambda's body finds the variables of the function around it, and must not use
    /// them directly.
    Local(VarId, usize),
    /// A member of the struct or the lambda that is being checked: which struct, and which member.
    Capture(usize, usize),
    /// A constant variable without memory, a value of an enumeration, or an argument of a template. The variable has a
    /// number in `Checker::known_variables`.
    #[cfg_attr(not(feature = "host"), expect(dead_code, reason = "only host code asks for the number"))]
    Constant(Constant, Type, Option<usize>),
    Namespace(ScopeId),
    /// A variable that is declared `extern`, and not defined yet.
    Undefined,
    /// A variable whose type follows from the initialiser that is being checked.
    Undeduced,
    /// `threadIdx` and its like: the start of the registers' names.
    Special(&'static str),
}

/// A constant variable that has no memory yet.
#[derive(Debug)]
#[cfg_attr(not(feature = "host"), expect(dead_code, reason = "only host code asks for the address"))]
pub(crate) struct Known<'t> {
    pub name: Name<'t>,
    pub span: Span,
    /// Where it is, once its address was taken.
    pub global: Option<GlobalId>,
}

/// A template of a type, or of a name for a type.
#[derive(Debug)]
pub(crate) struct TypeTemplate<'t> {
    pub kind: TemplateKind<'t>,
    pub parameters: &'t [tree::Parameter<'t>],
    /// Where it is declared; that of an instance is inside of it.
    pub scope: ScopeId,
    pub name: Name<'t>,
    /// The types that were made of it, by their arguments.
    pub instances: List<Vec<Argument>, Type>,
    /// The special cases.
    pub specials: Vec<&'t tree::Struct<'t>>,
    /// The members that are defined outside of it.
    pub outside: Vec<Definition<'t>>,
}

/// What is defined outside of its type, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition<'t> {
    pub member: tree::Member<'t>,
    pub scope: ScopeId,
    /// The names that the parameters of the type's template have in it.
    pub parameters: &'t [tree::Parameter<'t>],
    /// The parameters of the member's own template.
    pub own: Option<&'t [tree::Parameter<'t>]>,
    /// `template <>`: it replaces what the template defines.
    pub is_special: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TemplateKind<'t> {
    Struct(&'t tree::Struct<'t>),
    Alias(tree::Type<'t>),
}

/// Only the global one has no parent.
#[derive(Debug, Default)]
struct Scope<'t> {
    names: Map<Name<'t>, Entity>,
    parent: Option<ScopeId>,
    using: Vec<ScopeId>,
}

/// All scopes; the first is the global one.
#[derive(Debug)]
pub(crate) struct Scopes<'t>(Vec<Scope<'t>>);

impl<'t> Scopes<'t> {
    pub fn new() -> Scopes<'t> {
        Scopes(vec![Scope::default()])
    }

    pub fn push(&mut self, parent: ScopeId) -> ScopeId {
        self.0.push(Scope { parent: Some(parent), ..Scope::default() });
        self.0.len() - 1
    }

    pub fn declare(&mut self, scope: ScopeId, name: Name<'t>, entity: Entity) {
        self.0[scope].names.insert(name, entity);
    }

    /// One more overload, if the name is that of functions already.
    pub fn declare_function(&mut self, scope: ScopeId, name: Name<'t>, function: DeclaredId) {
        let names = &mut self.0[scope].names;
        if let Some(Entity::Functions(list)) = names.get_mut(&name) {
            list.push(function);
        } else {
            names.insert(name, Entity::Functions(vec![function]));
        }
    }

    pub fn use_namespace(&mut self, scope: ScopeId, used: ScopeId) {
        self.0[scope].using.push(used);
    }

    /// What a name means in a scope itself, or in the namespaces that it uses. C++17, [namespace.qual]: the scope's own
    /// names come first.
    pub fn find_in(&self, scope: ScopeId, name: Name<'t>) -> Option<&Entity> {
        let own = &self.0[scope];
        // In the order of the `using` directives; C++ would call a name ambiguous that two of them have.
        let used = || own.using.iter().find_map(|used| self.0[*used].names.get(&name));
        own.names.get(&name).or_else(used)
    }

    pub fn find_own(&self, scope: ScopeId, name: Name<'t>) -> Option<&Entity> {
        self.0[scope].names.get(&name)
    }

    /// What a name means, from a scope outwards. C++17, [basic.lookup.unqual]: the innermost scope that knows the name
    /// hides all others.
    pub fn find(&self, scope: ScopeId, name: Name<'t>) -> Option<&Entity> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(found) = self.find_in(scope, name) {
                return Some(found);
            }
            at = self.0[scope].parent;
        }
        None
    }

    /// The name that a namespace has in the scope around it. `None` for an unnamed scope, such as that of a template's
    /// parameters. It is for mangling, which is rare, so it may search.
    pub fn name_of(&self, outer: ScopeId, inner: ScopeId) -> Option<Name<'t>> {
        let is_inner = |entity: &Entity| matches!(entity, Entity::Namespace(at) if *at == inner);
        self.0[outer].names.iter().find(|(_, entity)| is_inner(entity)).map(|(name, _)| name).copied()
    }

    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.0[scope].parent
    }

    /// Whether a scope is another one, or inside of it.
    pub fn is_within(&self, scope: ScopeId, outer: ScopeId) -> bool {
        std::iter::successors(Some(scope), |&at| self.parent(at)).any(|at| at == outer)
    }

    /// The names of a scope, and what they mean.
    #[cfg(feature = "host")]
    pub fn names(&self, scope: ScopeId) -> Vec<(Name<'t>, Entity)> {
        self.0[scope].names.iter().cloned().collect()
    }

    /// The variables that are declared and not defined, with their scopes.
    #[cfg(feature = "host")]
    pub fn undefined(&self) -> Vec<(ScopeId, Name<'t>)> {
        let of_scope = |(at, scope): (ScopeId, &Scope<'t>)| {
            let names = scope.names.iter().filter(|(_, entity)| matches!(entity, Entity::Undefined));
            names.map(move |(name, _)| (at, *name)).collect::<Vec<_>>()
        };
        self.0.iter().enumerate().flat_map(of_scope).collect()
    }

    /// The name in one scope that is most like a wrong one.
    pub fn find_near(&self, scope: ScopeId, wrong: &str) -> Option<String> {
        nearest(wrong, self.0[scope].names.keys().map(|name| name.as_str())).map(str::to_owned)
    }

    /// The visible name that is most like a wrong one. Names that no text can spell are left out.
    pub fn nearest(&self, scope: ScopeId, wrong: &str) -> Option<&str> {
        let mut at = Some(scope);
        let mut names: Vec<&str> = Vec::new();
        while let Some(scope) = at {
            let own = &self.0[scope];
            let spaces = std::iter::once(own).chain(own.using.iter().map(|used| &self.0[*used]));
            names.extend(spaces.flat_map(|space| space.names.keys()).map(|name| name.as_str()));
            at = own.parent;
        }
        for own in crate::builtins::headers::own_names() {
            names.push(own);
        }
        nearest(wrong, names.into_iter().filter(|name| !name.contains([':', '<'])))
    }
}

/// What is known of the units; nothing if there is only one text.
#[cfg(feature = "host")]
#[derive(Debug, Default)]
pub(crate) struct Units<'t> {
    /// The scopes of those that have begun.
    pub roots: Vec<ScopeId>,
    /// What has been declared outside of functions, by name and place.
    pub known: Map<(Name<'t>, Span), Entity>,
    /// The places of special cases of templates.
    pub specials: Set<Span>,
    /// The variables with external linkage.
    pub external: Set<GlobalId>,
    /// How many unnamed namespaces are around the declaration.
    pub unnamed: usize,
}
