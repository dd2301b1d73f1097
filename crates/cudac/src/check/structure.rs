//! Structs: where members are, which functions they have.
//!
//! The layout is that of the Itanium C++ ABI for structs without bases: members in order, each at the next multiple of
//! its alignment, and the size a multiple of the largest one. Members' types and offsets are known before any method is
//! entered, because methods may be needed at once. Specification: C++17, [class.mem], [class.union].
//!
//! ```text
//! struct { char a; double b; union { int c; float d; }; }
//!
//! a at 0, b at 8 (a multiple of 8), c and d at 16; 24 bytes, of which 7 and 4 belong to nobody
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId, TemplateId};
use super::types::{Argument, Field, MAX_SIZE, Shape, Struct, Type};
use crate::parse::tree::{self, Declaration, Member};
use crate::source::{Result, error};

/// How many bytes the members so far take, and the largest of their alignments.
struct Extent {
    size: u64,
    align: u64,
}

impl<'t> Checker<'_, 't> {
    /// A struct whose members are not known yet. It has its number and its scope already, so that pointers to it can be
    /// declared.
    pub(super) fn new_struct(
        &mut self,
        name: &'t str,
        definition: &tree::Struct<'t>,
        scope: ScopeId,
        template: Option<(TemplateId, Vec<Argument>)>,
    ) -> Type {
        let inner = self.scopes.push(scope);
        self.types.structs.push(Struct {
            name,
            fields: Vec::new(),
            size: 1,
            align: 1,
            is_union: definition.is_union,
            is_complete: false,
            methods: Vec::new(),
            constructors: Vec::new(),
            conversions: Vec::new(),
            #[cfg(feature = "host")]
            destructor: None,
            #[cfg(feature = "host")]
            destroys: None,
            scope: inner,
            template,
        });
        let ty = self.types.get(Shape::Struct(self.types.structs.len() - 1));
        // Its own name means itself inside of it.
        self.scopes.declare(inner, definition.name, Entity::Type(ty));
        ty
    }

    /// Reads the members of a struct.
    pub(super) fn complete_struct(&mut self, ty: Type, definition: &'t tree::Struct<'t>) -> Result<()> {
        let Some(at) = self.types.struct_of(ty) else { return Ok(()) };
        let scope = self.types.structs[at].scope;
        let mut extent = Extent { size: 0, align: 1 };
        for member in definition.members {
            match member {
                // It is a variable of the module that is found through the struct.
                Member::Field(variable) if variable.storage.is_static => {
                    let entity = self.global(scope, variable)?;
                    self.scopes.declare(scope, variable.name, entity);
                }
                Member::Field(variable) => self.add_field(at, variable, &mut extent)?,
                // After the layout, below.
                Member::Function(_) => {}
                Member::Declaration(declaration) => {
                    self.add_declaration(at, declaration, &mut extent)?;
                }
            }
        }
        if let Some(wanted) = &definition.align {
            extent.align = extent.align.max(self.alignment(scope, wanted)?);
        }
        if extent.size > MAX_SIZE {
            return Err(error(definition.span, "this struct is larger than 2 GiB"));
        }
        // Only now, so that a type in the struct may have the name of a member that follows it.
        for nth in 0..self.types.structs[at].fields.len() {
            let name = self.types.structs[at].fields[nth].name;
            // In a method, the name of a member is that of `this->`.
            self.scopes.declare(scope, name, Entity::Capture(at, nth));
        }
        let own = &mut self.types.structs[at];
        // Two objects never have the same address, so an empty one has a byte.
        own.size = extent.size.max(1).next_multiple_of(extent.align);
        own.align = extent.align;
        own.is_complete = true;
        for member in definition.members {
            if let Member::Function(function) = member {
                self.add_method(ty, at, function)?;
            }
        }
        Ok(())
    }

    fn add_declaration(
        &mut self,
        at: usize,
        declaration: &Declaration<'t>,
        extent: &mut Extent,
    ) -> Result<()> {
        let scope = self.types.structs[at].scope;
        self.declare(scope, declaration)?;
        // The members of a struct without a name belong to the struct around it.
        let Declaration::Struct(inner) = declaration else { return Ok(()) };
        if !inner.name.as_str().starts_with('<') {
            return Ok(());
        }
        let Some(Entity::Type(ty)) = self.scopes.find_own(scope, inner.name).cloned() else { return Ok(()) };
        let start = if self.types.structs[at].is_union {
            0
        } else {
            extent.size.next_multiple_of(self.types.align(ty))
        };
        extent.align = extent.align.max(self.types.align(ty));
        extent.size = extent.size.max(start + self.types.size(ty));
        if let Some(inner) = self.types.struct_of(ty) {
            let fields = self.types.structs[inner].fields.clone();
            let moved = fields.into_iter().map(|field| Field { offset: start + field.offset, ..field });
            self.types.structs[at].fields.extend(moved);
        }
        Ok(())
    }

    /// All members of a union are at 0.
    fn add_field(&mut self, at: usize, variable: &tree::Variable<'t>, extent: &mut Extent) -> Result<()> {
        let scope = self.types.structs[at].scope;
        let ty = self.object_type(scope, variable.ty)?;
        if matches!(self.types.shape(ty), Shape::Auto | Shape::Array(_, None)) {
            let message = format!("the member `{}` needs a type of a known size", variable.name);
            return Err(error(variable.span, message));
        }
        let mut own = self.types.align(ty);
        if let Some(wanted) = &variable.align {
            own = own.max(self.alignment(scope, wanted)?);
        }
        let is_union = self.types.structs[at].is_union;
        let offset = if is_union { 0 } else { extent.size.next_multiple_of(own) };
        extent.size = extent.size.max(offset.saturating_add(self.types.size(ty)));
        extent.align = extent.align.max(own);
        let init = variable.init;
        self.types.structs[at].fields.push(Field { name: variable.name, ty, offset, init });
        Ok(())
    }

    /// Constructors and conversions are found by what they make, all others by name.
    fn add_method(&mut self, ty: Type, at: usize, function: &'t tree::Function<'t>) -> Result<()> {
        let scope = self.types.structs[at].scope;
        let id = self.declared.len();
        self.declare_function(scope, function, Some(ty))?;
        let own = &mut self.types.structs[at];
        match () {
            () if function.is_constructor => own.constructors.push(id),
            () if function.is_conversion => own.conversions.push(id),
            #[cfg(feature = "host")]
            () if function.name.as_str() == "~" => own.destructor = Some(id),
            () => {
                match own.methods.iter_mut().find(|(name, _)| *name == function.name) {
                    Some((_, same)) => same.push(id),
                    None => own.methods.push((function.name, vec![id])),
                }
                // A method may call another by its name alone.
                self.scopes.declare_function(scope, function.name, id);
            }
        }
        Ok(())
    }
}
