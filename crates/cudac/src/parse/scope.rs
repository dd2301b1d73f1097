//! Which names are types, templates and namespaces while the text is read.
//!
//! Only what the grammar needs: `check` looks names up again, with their meanings.
//!
//! C++ declares names in the order of the text, and so does this: a name means what it meant when it was read
//! ([basic.scope.pdecl]). Scopes are never removed, since namespaces are opened again; those of blocks are just no
//! longer reachable.

use super::tree::Path;
use crate::source::Name;
use crate::source::map::{Map, Set};

/// What a name is, as far as the grammar cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Type,
    TypeTemplate,
    /// `<` after it begins arguments.
    FunctionTemplate,
    /// Of a constant: with its arguments it is a value.
    VariableTemplate,
    /// The number of its scope.
    Namespace(usize),
    Value,
}

#[derive(Debug, Default)]
struct Scope<'t> {
    names: Map<Name<'t>, Entity>,
    /// The scope around it; that of the global one is itself.
    parent: usize,
    /// Namespaces whose names are visible here.
    using: Vec<usize>,
}

/// All scopes; the first is the global one.
#[derive(Debug)]
pub(super) struct Scopes<'t> {
    all: Vec<Scope<'t>>,
    /// The innermost scope at this point of the text.
    current: usize,
    /// The outermost scope of the unit.
    root: usize,
    /// The namespace whose declarations are being read.
    namespace: usize,
    /// The titles of the texts of this compiler that were read.
    loaded: Set<&'static str>,
    /// The names of all templates of functions, members among them.
    function_templates: Set<Name<'t>>,
    /// The names of types in types, each with the name of the type around it.
    member_types: Set<(Name<'t>, Name<'t>)>,
    /// The scopes with the members of types, each by the scope that has the type's name, and the name.
    members: Map<(usize, Name<'t>), usize>,
    /// The struct whose members are being read.
    structure: Option<Name<'t>>,
}

impl<'t> Scopes<'t> {
    pub fn new() -> Scopes<'t> {
        Scopes {
            all: vec![Scope::default()],
            current: 0,
            root: 0,
            namespace: 0,
            loaded: Set::default(),
            function_templates: Set::default(),
            member_types: Set::default(),
            members: Map::default(),
            structure: None,
        }
    }

    /// Whether this is the first time that a text of this compiler is asked for.
    pub fn mark_loaded(&mut self, title: &'static str) -> bool {
        self.loaded.insert(title, ()).is_none()
    }

    /// This compiler's own texts declare their names at the top, wherever in the text they are asked for. Returns where
    /// to return to.
    pub fn enter_global(&mut self) -> usize {
        std::mem::replace(&mut self.current, 0)
    }

    pub fn leave_global(&mut self, outer: usize) {
        self.current = outer;
    }

    /// Returns the struct around it, for types in types.
    pub fn set_struct(&mut self, name: Option<Name<'t>>) -> Option<Name<'t>> {
        std::mem::replace(&mut self.structure, name)
    }

    pub fn structs_name(&self) -> Option<Name<'t>> {
        self.structure
    }

    /// The declarations of a namespace begin, the innermost one here. Returns the one before, for [`Self::end_namespace`].
    pub fn begin_namespace(&mut self) -> usize {
        std::mem::replace(&mut self.namespace, self.current)
    }

    pub fn end_namespace(&mut self, outer: usize) {
        self.namespace = outer;
    }

    /// Declares a type in the namespace that is being read, from inside of a block, a type or a list of parameters.
    pub fn declare_in_namespace(&mut self, name: Name<'t>) {
        self.all[self.namespace].names.insert(name, Entity::Type);
    }

    pub fn is_global(&self) -> bool {
        self.current == self.root
    }

    /// Another unit begins, in which only what this compiler declares is known.
    #[cfg(feature = "host")]
    pub fn begin_unit(&mut self) {
        self.current = 0;
        self.push();
        self.root = self.current;
    }

    pub fn push(&mut self) {
        self.all.push(Scope { parent: self.current, ..Scope::default() });
        self.current = self.all.len() - 1;
    }

    pub fn pop(&mut self) {
        self.current = self.all[self.current].parent;
    }

    /// The members of a type begin, whose name is in this scope, or around it if it is a template.
    pub fn push_members(&mut self, name: Name<'t>, is_template: bool) {
        let home = if is_template { self.all[self.current].parent } else { self.current };
        self.push();
        self.members.insert((home, name), self.current);
    }

    /// Of a namespace or a type: what it is, and the scope with its names. Looked for outwards, or only in one scope.
    pub fn container(&self, within: Option<usize>, name: Name<'t>) -> Option<(Entity, usize)> {
        let own = |at: usize| match self.all[at].names.get(&name).copied()? {
            found @ Entity::Namespace(inner) => Some((found, inner)),
            found => self.members.get(&(at, name)).map(|inner| (found, *inner)),
        };
        let here = |at: usize| own(at).or_else(|| self.all[at].using.iter().find_map(|used| own(*used)));
        if let Some(at) = within {
            return own(at);
        }
        let mut at = self.current;
        while here(at).is_none() && at != 0 {
            at = self.all[at].parent;
        }
        here(at)
    }

    /// The scope of what is defined outside of these, the innermost last.
    pub fn push_inside(&mut self, containers: &[usize]) {
        self.push();
        self.all[self.current].using.extend(containers.iter().rev());
    }

    /// Whether a member of this name may be a template. A struct's own members may be declared after they are used.
    pub fn may_be_template(&self, member: Name<'t>) -> bool {
        self.structure.is_some() || self.function_templates.contains_key(&member)
    }

    /// Whether a type of this name has a member of that name that is a type. One of an instance of a template counts, too.
    pub fn has_type(&self, around: Name<'t>, member: Name<'t>) -> bool {
        self.member_types.contains_key(&(around, member))
    }

    pub fn declare(&mut self, name: Name<'t>, entity: Entity) {
        if entity == Entity::FunctionTemplate {
            self.function_templates.insert(name, ());
        }
        if let (Entity::Type | Entity::TypeTemplate, Some(around)) = (entity, self.structure) {
            self.member_types.insert((around, name), ());
        }
        let names = &mut self.all[self.current].names;
        // A function may have the name of a template, and a constructor that of its type.
        if entity == Entity::Value && names.get(&name).is_some_and(|known| *known != Entity::Value) {
            return;
        }
        names.insert(name, entity);
    }

    /// Enters a namespace, which may have been open before. Returns the scope around it, for [`Self::leave`].
    pub fn enter(&mut self, name: Name<'t>) -> usize {
        let outer = self.current;
        // A unit opens the namespaces of this compiler's texts again.
        let shared = (outer == self.root).then(|| self.all[0].names.get(&name)).flatten();
        if let Some(Entity::Namespace(at)) = self.all[outer].names.get(&name).or(shared) {
            self.current = *at;
        } else {
            self.push();
            self.all[outer].names.insert(name, Entity::Namespace(self.current));
        }
        outer
    }

    pub fn leave(&mut self, outer: usize) {
        self.current = outer;
    }

    /// An unknown namespace is no error here: `check` reports it.
    pub fn use_namespace(&mut self, path: &Path<'t>) {
        if let Some(Entity::Namespace(at)) = self.resolve(path) {
            self.all[self.current].using.push(at);
        }
    }

    /// What a name means here, from the innermost scope outwards. C++17, [basic.lookup.unqual]. A local name hides a
    /// type of the same name: hence values are entered, too.
    pub fn find(&self, name: Name<'t>) -> Option<Entity> {
        let mut at = self.current;
        loop {
            if let Some(found) = self.find_in(at, name) {
                return Some(found);
            }
            if at == 0 {
                return None;
            }
            at = self.all[at].parent;
        }
    }

    /// A scope's own names come before those of the namespaces that it uses ([namespace.udir]). Those of namespaces
    /// that these use are not looked for.
    pub fn find_in(&self, at: usize, name: Name<'t>) -> Option<Entity> {
        let scope = &self.all[at];
        let used = || scope.using.iter().find_map(|used| self.all[*used].names.get(&name));
        scope.names.get(&name).or_else(used).copied()
    }

    /// What a path means.
    pub fn resolve(&self, path: &Path<'t>) -> Option<Entity> {
        let (first, rest) = path.parts.split_first()?;
        let (mut found, rest) = match rest.split_first() {
            Some((second, rest)) if first.is_global() => {
                let found = self.find_in(self.root, second.name).or_else(|| self.find_in(0, second.name));
                (found?, rest)
            }
            _ => (self.find(first.name)?, rest),
        };
        for part in rest {
            let Entity::Namespace(at) = found else { return None };
            found = self.find_in(at, part.name)?;
        }
        Some(found)
    }
}
