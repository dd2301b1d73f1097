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
use super::typed::Expr;
use super::types::{Argument, Field, MAX_SIZE, Shape, Struct, Type};
use crate::parse::tree::{self, Declaration, Init, Member};
use crate::source::budget::{self, Bound};
use crate::source::{Name, Result, Span, error};

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
        let arguments = template.iter().flat_map(|(_, arguments)| arguments);
        let depths = arguments.map(|argument| match argument {
            Argument::Type(ty) => self.types.depth(*ty) + 1,
            _ => 0,
        });
        let depth = depths.max().unwrap_or(0);
        budget::may_reach(Bound::Types, depth, Span::default());
        self.types.structs.push(Struct {
            name,
            has_default: None,
            depth,
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
            #[cfg(feature = "host")]
            needs: super::types::Needs::default(),
            #[cfg(feature = "host")]
            members: super::types::Needs::default(),
            #[cfg(feature = "host")]
            copies: Vec::new(),
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
                    let entity = if self.is_defined_outside(variable) {
                        Entity::Undefined
                    } else {
                        self.global(scope, variable)?
                    };
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
        for (nth, (name, _)) in self.named_members(at).into_iter().enumerate() {
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
        #[cfg(feature = "host")]
        self.add_copies(ty, at, definition.name);
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
        // A struct without a name is a member without a name, whose members are found like those of the struct around it
        // ([class.union.anon]).
        let Declaration::Struct(inner) = declaration else { return Ok(()) };
        if inner.name.as_str().starts_with('<')
            && let Some(Entity::Type(ty)) = self.scopes.find_own(scope, inner.name).cloned()
        {
            self.place_field(at, inner.name, ty, self.types.align(ty), None, extent);
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
        self.place_field(at, variable.name, ty, own, variable.init, extent);
        Ok(())
    }

    fn place_field(
        &mut self,
        at: usize,
        name: Name<'t>,
        ty: Type,
        align: u64,
        init: Option<Init<'t>>,
        extent: &mut Extent,
    ) {
        let is_union = self.types.structs[at].is_union;
        let offset = if is_union { 0 } else { extent.size.next_multiple_of(align) };
        extent.size = extent.size.max(offset.saturating_add(self.types.size(ty)));
        extent.align = extent.align.max(align);
        let depth = self.types.depth(ty) + 1;
        budget::may_reach(Bound::Types, depth, Span::default());
        self.types.structs[at].depth = depth.max(self.types.structs[at].depth);
        self.types.structs[at].fields.push(Field { name, ty, offset, init });
    }

    /// The members of a struct by their names: those of members without a name are among them, each with the way to it.
    pub(super) fn named_members(&self, at: usize) -> Vec<(Name<'t>, Vec<usize>)> {
        let mut found = Vec::new();
        budget::work(2 * self.types.structs[at].fields.len());
        for (nth, field) in self.types.structs[at].fields.iter().enumerate() {
            match self.types.struct_of(field.ty).filter(|_| field.name.as_str().starts_with('<')) {
                Some(inner) => {
                    let inner = self.named_members(inner).into_iter();
                    found.extend(inner.map(|(name, way)| (name, [vec![nth], way].concat())));
                }
                None => found.push((field.name, vec![nth])),
            }
        }
        found
    }

    /// The member of an object that a way of [`Self::named_members`] leads to.
    pub(super) fn member_on(&mut self, object: Expr<'t>, way: &[usize], span: Span) -> Expr<'t> {
        way.iter().fold(object, |object, nth| self.field_at(object, *nth, span))
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

    /// Whether a static member gets its value where it is defined: a constant, or in a kernel's text a variable of the host.
    fn is_defined_outside(&self, variable: &tree::Variable<'t>) -> bool {
        let storage = variable.storage;
        let is_plain =
            !storage.is_device && !storage.is_constant && !storage.is_shared && !storage.is_constexpr;
        is_plain && variable.init.is_none() && (super::outside::is_constant(variable.ty) || !self.is_program)
    }
}
