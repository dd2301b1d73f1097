//! Several texts that are one program, as `nvcc -rdc=true` and the linker make of them.
//!
//! Each unit has a scope of its own inside of the global one, which holds what this compiler declares. What a header
//! declares in two units is one entity, because it is at the same place of the same file (C++17, [basic.def.odr]): the
//! second unit gets the first one's. Functions and variables with external linkage are found in the scopes of the other
//! units that have the same namespaces around them ([basic.link]). Left out: whether two definitions in different files
//! that should be the same are; and variables of the device in headers, of which each unit has its own, as without
//! `-rdc=true`.
//!
//! ```text
//! global scope             what this compiler declares
//!   unit 0                 struct S of s.h at 3:8, f
//!   unit 1                 the same S, f of unit 0 once it is declared here, static g
//! ```

use super::Checker;
use super::scope::{DeclaredId, Entity, ScopeId};
use crate::parse::tree::{self, Declaration};
use crate::source::{Name, Result, Span, error};

impl<'t> Checker<'_, 't> {
    /// Declares what several units declare.
    pub(super) fn declare_units(&mut self, units: &[Vec<Declaration<'t>>]) {
        for unit in units {
            let root = self.scopes.push(0);
            self.units.roots.push(root);
            self.declare_all(root, unit);
        }
        for (scope, name) in self.scopes.undefined() {
            if let Some(found) = self.defined_elsewhere(scope, name) {
                self.scopes.declare(scope, name, found);
            }
        }
    }

    /// The outermost scope of the unit that a scope is in.
    pub(super) fn root(&self, scope: ScopeId) -> ScopeId {
        let mut around = std::iter::successors(Some(scope), |at| self.scopes.parent(*at));
        around.find(|at| self.units.roots.contains(at)).unwrap_or(0)
    }

    /// The scopes of other units with the same namespaces around them.
    fn counterparts(&self, scope: ScopeId) -> Vec<ScopeId> {
        let (mut path, mut at) = (Vec::new(), scope);
        while !self.units.roots.contains(&at) {
            let Some(parent) = self.scopes.parent(at) else { return Vec::new() };
            let Some(name) = self.scopes.name_of(parent, at) else { return Vec::new() };
            path.push(name);
            at = parent;
        }
        let inner = |at: ScopeId, name: &Name<'t>| match self.scopes.find_own(at, *name) {
            Some(Entity::Namespace(inner)) => Some(*inner),
            _ => None,
        };
        let others = self.units.roots.iter().filter(|root| **root != at);
        others.filter_map(|root| path.iter().rev().try_fold(*root, inner)).collect()
    }

    /// Makes what another unit has declared at the same place known in a scope; whether there is such a thing.
    pub(super) fn is_known(&mut self, scope: ScopeId, declaration: &Declaration<'t>) -> bool {
        if self.units.roots.is_empty() || !self.frames.is_empty() {
            return false;
        }
        match declaration {
            Declaration::Function(function) if function.special.is_some() => {
                self.units.specials.insert(function.span, ()).is_some()
            }
            Declaration::Struct(definition) if definition.special.is_some() => {
                self.units.specials.insert(definition.span, ()).is_some()
            }
            Declaration::Outside(outside) => {
                self.units.specials.insert(super::outside::span_of(&outside.member), ()).is_some()
            }
            _ => {
                let known = place_of(declaration)
                    .and_then(|place| Some((place.0, self.units.known.get(&place).cloned()?)));
                let Some((name, entity)) = known else { return false };
                if let Entity::Type(ty) = &entity {
                    self.declare_values_again(scope, *ty);
                }
                match entity {
                    Entity::Functions(ids) => {
                        for id in ids {
                            self.scopes.declare_function(scope, name, id);
                        }
                    }
                    other => self.scopes.declare(scope, name, other),
                }
                true
            }
        }
    }

    /// Notes what a declaration has declared in a scope, for the other units.
    pub(super) fn note_known(&mut self, scope: ScopeId, declaration: &Declaration<'t>) {
        if self.units.roots.is_empty() || !self.frames.is_empty() {
            return;
        }
        let Some(place) = place_of(declaration) else { return };
        let entity = match declaration {
            Declaration::Function(function) => {
                let Some(Entity::Functions(ids)) = self.scopes.find_own(scope, place.0) else { return };
                let is_it = |id: &DeclaredId| std::ptr::eq(self.declared[*id].function, *function);
                let Some(id) = ids.iter().copied().find(is_it) else { return };
                Entity::Functions(vec![id])
            }
            _ => match self.scopes.find_own(scope, place.0) {
                Some(found) => found.clone(),
                None => return,
            },
        };
        self.units.known.insert(place, entity);
    }

    /// The values of an enumeration are visible around it.
    fn declare_values_again(&mut self, scope: ScopeId, ty: super::types::Type) {
        let super::types::Shape::Enum(at) = self.types.shape(ty) else { return };
        if self.types.enums[at].is_scoped {
            return;
        }
        for (name, entity) in self.scopes.names(self.types.enums[at].values) {
            self.scopes.declare(scope, name, entity);
        }
    }

    /// The name of a kernel in PTX: two units may have kernels of the same name that are `static`.
    pub(super) fn name_of_unit(&mut self, mangled: &str) -> String {
        let mut name = mangled.to_owned();
        for count in 2.. {
            if !self.taken.contains_key(&name[..]) {
                break;
            }
            name = format!("{mangled}_{count}");
        }
        let kept = self.arena.text(&name);
        self.taken.insert(kept, 1);
        name
    }

    /// Enters or leaves an unnamed namespace, whose names belong to the unit.
    pub(super) fn within_unnamed(&mut self, is_unnamed: bool, inner: impl FnOnce(&mut Self)) {
        self.units.unnamed += usize::from(is_unnamed);
        inner(self);
        self.units.unnamed -= usize::from(is_unnamed);
    }

    /// The functions that a name may already stand for in a scope: those of this compiler in the scope of a unit, and
    /// those of other units if the function has external linkage.
    pub(super) fn known_elsewhere(
        &mut self,
        scope: ScopeId,
        function: &tree::Function<'t>,
    ) -> Vec<DeclaredId> {
        if self.units.roots.is_empty() {
            return Vec::new();
        }
        let functions = |scope: ScopeId| match self.scopes.find_own(scope, function.name) {
            Some(Entity::Functions(ids)) => ids.clone(),
            _ => Vec::new(),
        };
        let is_root = self.units.roots.contains(&scope);
        let mut found = if is_root && functions(scope).is_empty() { functions(0) } else { Vec::new() };
        for id in &found {
            self.scopes.declare_function(scope, function.name, *id);
        }
        if function.storage.is_static || self.units.unnamed > 0 || function.template.is_some() {
            return Vec::new();
        }
        found.clear();
        let others = self.counterparts(scope).into_iter().flat_map(|scope| {
            match self.scopes.find_own(scope, function.name) {
                Some(Entity::Functions(ids)) => ids.clone(),
                _ => Vec::new(),
            }
        });
        let is_external = |id: &DeclaredId| {
            let known = &self.declared[*id];
            !known.is_own && !known.function.storage.is_static && known.function.template.is_none()
        };
        found.extend(others.filter(is_external));
        found
    }

    /// The namespace of this compiler's texts that a unit opens again.
    pub(super) fn shared_namespace(&self, scope: ScopeId, name: Name<'t>) -> Option<ScopeId> {
        let is_root = self.units.roots.contains(&scope);
        match self.scopes.find_own(0, name).filter(|_| is_root) {
            Some(Entity::Namespace(known)) => Some(*known),
            _ => None,
        }
    }

    /// A type of another unit that this declares again: one of the two has no members.
    pub(super) fn type_elsewhere(&self, scope: ScopeId, definition: &tree::Struct<'t>) -> Option<Entity> {
        if self.units.roots.is_empty() || !self.frames.is_empty() || self.units.unnamed > 0 {
            return None;
        }
        let known =
            self.counterparts(scope).into_iter().filter_map(|at| self.scopes.find_own(at, definition.name));
        let is_it = |entity: &&Entity| match entity {
            Entity::Type(ty) => definition.is_forward || self.is_incomplete(*ty),
            _ => false,
        };
        known.into_iter().find(is_it).cloned()
    }

    /// The variable of another unit that an `extern` names.
    pub(super) fn defined_elsewhere(&self, scope: ScopeId, name: Name<'t>) -> Option<Entity> {
        let found = self.counterparts(scope).into_iter().filter_map(|at| self.scopes.find_own(at, name));
        let is_it =
            |entity: &&Entity| matches!(entity, Entity::Global(id) if self.units.external.contains_key(id));
        found.into_iter().find(is_it).cloned()
    }

    /// Notes a variable with external linkage, which only one unit may define.
    pub(super) fn link_variable(
        &mut self,
        scope: ScopeId,
        variable: &tree::Variable<'t>,
        entity: &Entity,
    ) -> Result<()> {
        let is_internal = variable.storage.is_static || self.units.unnamed > 0 || !self.frames.is_empty();
        let Entity::Global(id) = entity else { return Ok(()) };
        if self.units.roots.is_empty() || is_internal || self.program.globals[*id].is_extern {
            return Ok(());
        }
        let is_host = self.program.globals[*id].is_host;
        if let Some(Entity::Global(known)) = self.defined_elsewhere(scope, variable.name)
            && known != *id
            && is_host
        {
            let other = self.program.globals[known].span;
            return Err(self.defined_twice(variable.name, variable.span, other));
        }
        self.units.external.insert(*id, ());
        Ok(())
    }

    /// The error about something that two units define.
    pub(super) fn defined_twice(&self, name: Name<'t>, span: Span, other: Span) -> crate::source::Failed {
        let (line, _) = self.files.place(other);
        let file = &self.files.get(other.file()).name;
        error(
            span,
            format_args!("`{name}` is defined in {file}:{line} too, and the program can have it only once"),
        )
        .with_help("define it in one file, and declare it in the others; or make it `static` or `inline`")
    }
}

/// What a header declares once for all units, by name and place: types, templates, and inline functions.
fn place_of<'t>(declaration: &Declaration<'t>) -> Option<(Name<'t>, Span)> {
    match declaration {
        Declaration::Function(function) => {
            let is_shared = !function.storage.is_static && function.body.is_some();
            is_shared.then_some((function.name, function.span))
        }
        Declaration::Struct(definition) => Some((definition.name, definition.span)),
        Declaration::Enum(definition) => {
            definition.values.first().map(|(_, _, span)| (definition.name, *span))
        }
        Declaration::Alias { name, template: Some(_), ty } => Some((*name, ty.span)),
        _ => None,
    }
}
