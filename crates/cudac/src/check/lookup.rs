//! Paths: what `a`, `a::b` and `a::b<c>` mean.
//!
//! Specification: C++17, [basic.lookup]. Functions found by the types of a call's arguments ([basic.lookup.argdep]) are
//! in `call` and `member`.
//!
//! ```text
//! n::S<int>::value      n is looked for outwards, S in n; S<int> is made now; value is in its scope
//! ::n                   in the global scope only
//! E::A                  among the values of the enumeration E
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::types::{Shape, Type};
use crate::parse::tree::{Part, Path};
use crate::source::{Failed, Result, Span, error};

impl<'t> Checker<'_, 't> {
    /// What a path means from a scope. The first name is looked for outwards, each of the others only inside of the one
    /// before ([basic.lookup.qual]).
    pub(super) fn lookup(&mut self, scope: ScopeId, path: &Path<'t>) -> Result<Entity> {
        let Some((first, rest)) = path.parts.split_first() else {
            return Err(error(path.span, "expected a name"));
        };
        // `::` before a name means the outermost scope.
        let (scope, first, rest) = match rest.split_first() {
            #[cfg(feature = "host")]
            Some((second, rest)) if first.is_global() => (self.root(scope), second, rest),
            #[cfg(not(feature = "host"))]
            Some((second, rest)) if first.is_global() => (0, second, rest),
            _ => (scope, first, rest),
        };
        let Some(found) = self.scopes.find(scope, first.name).cloned() else {
            return Err(self.undeclared(scope, first));
        };
        let mut found = self.with_arguments(scope, found, first)?;
        // The last name, for messages.
        let mut outer = first;
        for part in rest {
            found = self.inside(&found, part, &mut outer)?;
            found = self.with_arguments(scope, found, part)?;
        }
        Ok(found)
    }

    /// What a name means inside of a namespace or a type.
    fn inside<'p>(&mut self, found: &Entity, part: &'p Part<'t>, outer: &mut &'p Part<'t>) -> Result<Entity> {
        let space = match found {
            Entity::Namespace(space) => *space,
            Entity::Type(ty) => self.scope_of_type(*ty, outer)?,
            _ => {
                return Err(error(outer.span, format_args!("`{}` is no namespace and no type", outer.name)));
            }
        };
        let Some(found) = self.scopes.find_in(space, part.name).cloned() else {
            if crate::builtins::headers::is_unsupported(part.name.as_str()) {
                return Err(crate::source::unsupported(part.span, format_args!("`{}`", part.name)));
            }
            let message = format!("`{}` has no member `{}`", outer.name, part.name);
            let problem = error(part.span, message);
            // Only names of that namespace are proposed.
            let near = self.scopes.find_near(space, part.name.as_str());
            return Err(match near {
                Some(near) => problem.with_help(format_args!("did you mean `{near}`?")),
                None => problem,
            });
        };
        *outer = part;
        Ok(found)
    }

    /// The scope with the static members of a struct, or with the values of an enumeration.
    fn scope_of_type(&self, ty: Type, part: &Part<'t>) -> Result<ScopeId> {
        match self.types.shape(ty) {
            Shape::Struct(at) => Ok(self.types.structs[at].scope),
            Shape::Enum(at) => Ok(self.types.enums[at].values),
            _ => Err(error(part.span, format_args!("`{}` has no members", self.show(ty)))),
        }
    }

    /// A template of a type with its arguments is a type. Functions keep their arguments for the call, which may deduce
    /// the rest.
    fn with_arguments(&mut self, scope: ScopeId, found: Entity, part: &Part<'t>) -> Result<Entity> {
        let template = match &found {
            Entity::TypeTemplate(template) => Some(*template),
            // Inside of an instance its name with arguments means the template again.
            Entity::Type(ty) => {
                let own = self.types.struct_of(*ty).and_then(|at| self.types.structs[at].template.as_ref());
                own.map(|(template, _)| *template)
            }
            _ => None,
        };
        match (template, &part.arguments) {
            // Names in the arguments are looked up from where the path is written, not inside of the namespace.
            (Some(template), Some(arguments)) => {
                let arguments = self.template_arguments(scope, arguments)?;
                let ty = self.type_instance(template, &arguments, part.span)?;
                Ok(Entity::Type(ty))
            }
            _ => Ok(found),
        }
    }

    /// The error for an unknown name, with the most specific help there is: a header to include, what to do instead, or
    /// a name that is spelt like it.
    pub(super) fn undeclared(&mut self, scope: ScopeId, part: &Part<'t>) -> Failed {
        let problem = error(part.span, format_args!("`{}` is not declared", part.name));
        if let Some(header) = crate::builtins::headers::header_of(part.name.as_str()) {
            return problem.with_help(format_args!("add `#include <{header}>`"));
        }
        let text = part.name.as_str();
        #[cfg(feature = "host")]
        if crate::builtins::headers::has_ended(text) {
            let message = format!("`{text}` does not exist for this target: it ended with `sm_70`");
            return error(part.span, message).with_help(format_args!(
                "call `{text}_sync` with the mask of the lanes that take part, or compile for an older target with `--arch 60`"
            ));
        }
        #[cfg(feature = "host")]
        if self.is_program
            && let Some(does) = crate::builtins::host::refused(text)
        {
            return error(part.span, format_args!("`{text}` {does}, which a program cannot do here"))
                .with_help("take the values from the command line, or from a file that `fopen` or `std::ifstream` opens");
        }
        if let Some(instead) = crate::builtins::headers::host_function(text) {
            return error(
                part.span,
                format_args!("`{text}` is a function of the host, which a kernel cannot call"),
            )
            .with_help(instead);
        }
        if crate::builtins::headers::is_unsupported(text) {
            return crate::source::unsupported(part.span, format_args!("`{text}`"));
        }
        match self.scopes.nearest(scope, text) {
            Some(near) => problem.with_help(format_args!("did you mean `{near}`?")),
            None => problem,
        }
    }

    /// The type that a path names.
    pub(super) fn type_of_path(&mut self, scope: ScopeId, path: &Path<'t>) -> Result<Type> {
        match self.lookup(scope, path)? {
            Entity::Type(ty) => Ok(ty),
            Entity::TypeTemplate(template) => {
                // Inside of a template its own name means the instance; elsewhere the defaults have to do.
                self.type_instance(template, &[], path.span)
            }
            _ => Err(self.no_type(path.span)),
        }
    }

    fn no_type(&self, span: Span) -> Failed {
        error(span, format_args!("`{}` is no type", self.files.text(span)))
    }
}
