//! Types, each stored once; their sizes, and their names in messages.
//!
//! Equal types have equal numbers, so comparing them is comparing numbers. A struct is equal only to itself, and an
//! instance of a template is found again by its arguments. Sizes and alignments are those of the 64-bit device ABI,
//! which are the host's as well: a struct is passed to a kernel by its bytes. Left out: `long double`, bit fields,
//! empty base classes.
//!
//! ```text
//! Type:  31 .......................... 2    1     0
//!        number from 1               |  volatile const
//! ```

use super::scope::{DeclaredId, ScopeId, TemplateId};
pub(crate) use crate::parse::tree::Basic;
use crate::source::budget::{self, Bound};
use crate::source::map::Map;
use crate::source::{Name, Span};
use std::fmt::Write;
use std::num::NonZeroU32;

/// A type with its qualifiers: its number from 1, and a bit for each of `const` and `volatile`. It is never zero, so that a
/// result that may have failed is one number too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Type(NonZeroU32);

const CONST: u32 = 1;
const VOLATILE: u32 = 2;
const QUALIFIERS: u32 = CONST | VOLATILE;

/// What a type is made of. Qualifiers are in [`Type`], except those of an array, which are its elements'
/// ([basic.type.qualifier]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Basic(Basic),
    /// The type of `nullptr`.
    Null,
    Pointer(Type),
    Reference(Type),
    /// `T&&`.
    Rvalue(Type),
    /// A length of `None` is one that an initialiser or the launch decides.
    Array(Type, Option<u64>),
    /// A number in [`Types::structs`]; unions and lambdas are structs, too.
    Struct(usize),
    /// A number in [`Types::enums`].
    Enum(usize),
    /// To be deduced.
    Auto,
    /// A function, to which there are only pointers: a number in `Types::functions`.
    #[cfg(feature = "host")]
    Function(usize),
}

/// An argument of a template. A value has no type here, because the parameter gives it one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Argument {
    Type(Type),
    Value(i64),
    /// What a call of the parameter calls.
    Function(DeclaredId),
}

/// A member that every object has; a static one is a variable in the struct's scope.
#[derive(Clone, Debug)]
pub(crate) struct Field<'t> {
    pub name: Name<'t>,
    pub ty: Type,
    pub offset: u64,
    /// The value that the declaration gives it.
    pub init: Option<crate::parse::tree::Init<'t>>,
}

#[derive(Debug)]
pub(crate) struct Struct<'t> {
    pub name: &'t str,
    /// A struct inside of it that has no name, and that nothing has the type of, is one of them.
    pub fields: Vec<Field<'t>>,
    /// Both are 1 until it is complete. An empty struct has one byte ([class]).
    pub size: u64,
    pub align: u64,
    /// Whether an object of it has a value without an initialiser, once somebody has asked.
    pub has_default: Option<bool>,
    /// See [`Types::depth`].
    pub depth: usize,
    pub is_union: bool,
    pub is_complete: bool,
    /// Functions by name; constructors have the name of the struct.
    pub methods: Vec<(Name<'t>, Vec<DeclaredId>)>,
    pub constructors: Vec<DeclaredId>,
    /// `operator T()`.
    pub conversions: Vec<DeclaredId>,
    /// `~S()`, and the function that it is made into.
    #[cfg(feature = "host")]
    pub destructor: Option<DeclaredId>,
    #[cfg(feature = "host")]
    pub destroys: Option<super::typed::FunctionId>,
    /// What its objects need, and what its members do, once it is complete.
    #[cfg(feature = "host")]
    pub needs: Needs,
    #[cfg(feature = "host")]
    pub members: Needs,
    /// The constructors for copies that the text leaves to the compiler.
    #[cfg(feature = "host")]
    pub copies: Vec<DeclaredId>,
    /// Its names: static members, member types, itself, and its fields as
    /// [`Entity::Capture`](super::scope::Entity::Capture).
    pub scope: ScopeId,
    /// What it is an instance of, so that deduction can look into its arguments.
    pub template: Option<(TemplateId, Vec<Argument>)>,
}

/// What calls a function for objects of a type, instead of being done with their bytes.
#[cfg(feature = "host")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    /// To make one from another.
    pub copy: bool,
    /// To assign to one.
    pub assign: bool,
    /// To end one.
    pub end: bool,
}

#[derive(Debug)]
pub(crate) struct Enum<'t> {
    pub name: &'t str,
    pub underlying: Type,
    pub is_scoped: bool,
    /// Where it is declared, and the scope of its values.
    pub scope: ScopeId,
    pub values: ScopeId,
}

/// All types of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Types<'t> {
    /// By number.
    shapes: Vec<Shape>,
    /// How many types are in each of them, one in the other.
    depths: Vec<usize>,
    /// The numbers, by shape.
    known: Map<Shape, u32>,
    /// What a number in [`Shape::Struct`] means.
    pub structs: Vec<Struct<'t>>,
    pub enums: Vec<Enum<'t>>,
    /// What functions return, and their parameters.
    #[cfg(feature = "host")]
    pub functions: Vec<(Type, Vec<Type>)>,
}

/// Objects are at most this many bytes, so sums of a few sizes cannot overflow.
pub(crate) const MAX_SIZE: u64 = 1 << 31;

fn bits(is_const: bool, is_volatile: bool) -> u32 {
    u32::from(is_const) | u32::from(is_volatile) << 1
}

impl Type {
    fn bits(self) -> u32 {
        self.0.get()
    }

    pub fn is_const(self) -> bool {
        self.bits() & CONST != 0
    }

    pub fn is_volatile(self) -> bool {
        self.bits() & VOLATILE != 0
    }

    /// With the qualifiers of another type besides its own. A member of a `const` object is `const` ([expr.ref]); so
    /// are the elements of an array.
    pub fn qualified_as(self, other: Type) -> Type {
        Type(self.0 | other.bits() & QUALIFIERS)
    }

    /// Without `const` and `volatile`, which values do not have ([expr]).
    pub fn plain(self) -> Type {
        self.without(true, true)
    }

    pub fn qualified(self, is_const: bool, is_volatile: bool) -> Type {
        Type(self.0 | bits(is_const, is_volatile))
    }

    /// The type less the qualifiers that are written elsewhere.
    pub fn without(self, is_const: bool, is_volatile: bool) -> Type {
        Type(NonZeroU32::new(self.bits() & !bits(is_const, is_volatile)).unwrap_or(self.0))
    }

    /// Whether they differ in outermost qualifiers at most.
    pub fn same(self, other: Type) -> bool {
        self.plain() == other.plain()
    }
}

impl<'t> Struct<'t> {
    /// The methods of a name.
    pub fn methods_of(&self, name: Name<'t>) -> Option<&Vec<DeclaredId>> {
        self.methods.iter().find(|(own, _)| *own == name).map(|(_, methods)| methods)
    }
}

impl<'t> Types<'t> {
    /// `typedef struct { … } S;` gives a type without a name its name.
    pub fn call(&mut self, ty: Type, name: &'t str) {
        let own = match self.shape(ty) {
            Shape::Struct(at) => &mut self.structs[at].name,
            Shape::Enum(at) => &mut self.enums[at].name,
            _ => return,
        };
        if own.starts_with('<') {
            *own = name;
        }
    }
}

impl Types<'_> {
    /// The type of a shape, without qualifiers.
    pub fn get(&mut self, shape: Shape) -> Type {
        let next = self.shapes.len() as u32;
        let id = *self.known.get_or_insert(shape, next);
        if id == next {
            let depth = self.depth_of(shape) + 1;
            // A type that is too deep is another one, which nobody will see: what is compiled has failed.
            let is_fine = budget::may_reach(Bound::Types, depth, Span::default());
            self.shapes.push(if is_fine { shape } else { Shape::Basic(Basic::Int) });
            self.depths.push(if is_fine { depth } else { 0 });
        }
        // The number from 1, above the two bits of qualifiers: 1 + (id << 2 | 3) is (id + 1) << 2.
        Type(NonZeroU32::MIN.saturating_add(id << 2 | QUALIFIERS))
    }

    /// How many types there are in a type, one in the other: what it points to, its elements, its members, the arguments of
    /// its template. Whoever goes through them is recursive.
    pub fn depth(&self, ty: Type) -> usize {
        match self.shape(ty) {
            Shape::Struct(at) => self.structs[at].depth,
            _ => self.depths[(ty.bits() >> 2) as usize - 1],
        }
    }

    fn depth_of(&self, shape: Shape) -> usize {
        match shape {
            Shape::Pointer(of) | Shape::Reference(of) | Shape::Rvalue(of) | Shape::Array(of, _) => {
                self.depth(of)
            }
            #[cfg(feature = "host")]
            Shape::Function(at) => {
                let (result, parameters) = &self.functions[at];
                parameters.iter().chain([result]).map(|ty| self.depth(*ty)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The type of a `const` object: of an array, the elements are.
    pub fn constant(&mut self, ty: Type) -> Type {
        match self.shape(ty) {
            Shape::Array(of, length) => {
                let of = self.constant(of);
                self.get(Shape::Array(of, length))
            }
            _ => ty.qualified(true, false),
        }
    }

    pub fn basic(&mut self, basic: Basic) -> Type {
        self.get(Shape::Basic(basic))
    }

    pub fn int(&mut self) -> Type {
        self.basic(Basic::Int)
    }

    pub fn bool(&mut self) -> Type {
        self.basic(Basic::Bool)
    }

    pub fn void(&mut self) -> Type {
        self.basic(Basic::Void)
    }

    pub fn pointer(&mut self, to: Type) -> Type {
        self.get(Shape::Pointer(to))
    }

    /// The type of functions that return something and have some parameters.
    #[cfg(feature = "host")]
    pub fn function(&mut self, result: Type, parameters: Vec<Type>) -> Type {
        let made = (result, parameters);
        let known = self.functions.iter().position(|known| *known == made);
        let at = known.unwrap_or_else(|| {
            self.functions.push(made);
            self.functions.len() - 1
        });
        self.get(Shape::Function(at))
    }

    pub fn shape(&self, ty: Type) -> Shape {
        self.shapes[(ty.bits() >> 2) as usize - 1]
    }

    pub fn pointee(&self, ty: Type) -> Option<Type> {
        if let Shape::Pointer(to) = self.shape(ty) { Some(to) } else { None }
    }

    /// What a reference refers to, or the type itself.
    pub fn referred(&self, ty: Type) -> Type {
        if let Shape::Reference(to) | Shape::Rvalue(to) = self.shape(ty) { to } else { ty }
    }

    /// Of either kind.
    pub fn is_reference(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Reference(_) | Shape::Rvalue(_))
    }

    pub fn is_rvalue(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Rvalue(_))
    }

    /// `T&&`, which is `T&` if `T` is that. C++17, [dcl.ref]: references to references collapse.
    pub fn rvalue(&mut self, to: Type) -> Type {
        if self.is_reference(to) { to } else { self.get(Shape::Rvalue(to)) }
    }

    pub fn struct_of(&self, ty: Type) -> Option<usize> {
        if let Shape::Struct(at) = self.shape(ty) { Some(at) } else { None }
    }

    /// Whether two types differ in qualifiers at most, those of elements included, that the second one adds. C++17,
    /// [conv.qual]. It decides what a reference can be bound to.
    pub fn fits(&self, from: Type, to: Type) -> bool {
        if from.same(to) {
            return true;
        }
        match (self.shape(from), self.shape(to)) {
            (Shape::Array(a, n), Shape::Array(b, m)) => {
                n == m
                    && self.fits(a, b)
                    && (b.is_const() || !a.is_const())
                    && (b.is_volatile() || !a.is_volatile())
            }
            _ => false,
        }
    }

    pub fn is_void(&self, ty: Type) -> bool {
        self.shape(ty) == Shape::Basic(Basic::Void)
    }

    pub fn is_bool(&self, ty: Type) -> bool {
        self.shape(ty) == Shape::Basic(Basic::Bool)
    }

    pub fn is_array(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Array(..))
    }

    /// The basic type that values have: that of an enumeration is its underlying type.
    pub fn basic_of(&self, ty: Type) -> Option<Basic> {
        match self.shape(ty) {
            Shape::Basic(basic) => Some(basic),
            Shape::Enum(at) => self.basic_of(self.enums[at].underlying),
            _ => None,
        }
    }

    pub fn is_float(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Basic(Basic::Float | Basic::Double))
    }

    /// Integers, `bool`, and enumerations that convert by themselves. C++17, [conv.prom] and [dcl.enum]: a scoped
    /// enumeration does not convert.
    pub fn is_integral(&self, ty: Type) -> bool {
        match self.shape(ty) {
            Shape::Basic(basic) => !matches!(basic, Basic::Void | Basic::Float | Basic::Double),
            Shape::Enum(at) => !self.enums[at].is_scoped,
            _ => false,
        }
    }

    pub fn is_arithmetic(&self, ty: Type) -> bool {
        self.is_integral(ty) || self.is_float(ty)
    }

    pub fn is_scoped_enum(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Enum(at) if self.enums[at].is_scoped)
    }

    /// The type of `nullptr` counts.
    pub fn is_pointer(&self, ty: Type) -> bool {
        matches!(self.shape(ty), Shape::Pointer(_) | Shape::Null)
    }

    /// Pointers count, as addresses are compared without a sign.
    pub fn is_unsigned(&self, ty: Type) -> bool {
        self.basic_of(ty).is_none_or(is_unsigned)
    }

    /// In bytes; 0 for what no object can be.
    pub fn size(&self, ty: Type) -> u64 {
        match self.shape(ty) {
            Shape::Basic(basic) => basic_size(basic),
            Shape::Null | Shape::Pointer(_) | Shape::Reference(_) | Shape::Rvalue(_) => 8,
            Shape::Array(of, length) => self.size(of).saturating_mul(length.unwrap_or(0)),
            Shape::Struct(at) => self.structs[at].size,
            Shape::Enum(at) => self.size(self.enums[at].underlying),
            Shape::Auto => 0,
            #[cfg(feature = "host")]
            Shape::Function(_) => 0,
        }
    }

    pub fn align(&self, ty: Type) -> u64 {
        match self.shape(ty) {
            Shape::Array(of, _) => self.align(of),
            Shape::Struct(at) => self.structs[at].align,
            _ => self.size(ty).max(1),
        }
    }

    /// The type as a message shows it. As it is declared, the qualifiers of a pointer after its `*`.
    pub fn show(&self, ty: Type) -> String {
        let mut text = String::new();
        let is_pointer = matches!(self.shape(ty), Shape::Pointer(_));
        if !is_pointer {
            text.push_str(if ty.is_const() { "const " } else { "" });
            text.push_str(if ty.is_volatile() { "volatile " } else { "" });
        }
        match self.shape(ty) {
            Shape::Basic(basic) => text.push_str(basic_name(basic)),
            Shape::Null => text.push_str("std::nullptr_t"),
            Shape::Pointer(to) => {
                text = format!("{}*{}", self.show(to), if ty.is_const() { " const" } else { "" });
            }
            Shape::Reference(to) => text = format!("{}&", self.show(to)),
            Shape::Rvalue(to) => text = format!("{}&&", self.show(to)),
            Shape::Array(..) => self.show_array(ty, &mut text),
            Shape::Struct(at) => text.push_str(self.structs[at].name),
            Shape::Enum(at) => text.push_str(self.enums[at].name),
            Shape::Auto => text.push_str("auto"),
            #[cfg(feature = "host")]
            Shape::Function(_) => text.push_str("a function"),
        }
        text
    }

    /// All lengths follow the innermost type: `int[2][3]`.
    fn show_array(&self, ty: Type, text: &mut String) {
        let mut lengths = String::new();
        let mut inner = ty;
        while let Shape::Array(of, length) = self.shape(inner) {
            let length = length.map_or(String::new(), |length| length.to_string());
            let _ = write!(lengths, "[{length}]");
            inner = of;
        }
        text.push_str(&self.show(inner));
        text.push_str(&lengths);
    }
}

fn is_unsigned(basic: Basic) -> bool {
    use Basic::{Bool, UnsignedChar, UnsignedLong, UnsignedLongLong, UnsignedShort};
    matches!(basic, Bool | UnsignedChar | UnsignedShort | Basic::Unsigned | UnsignedLong | UnsignedLongLong)
}

fn basic_size(basic: Basic) -> u64 {
    match basic {
        Basic::Void => 0,
        Basic::Bool | Basic::Char | Basic::SignedChar | Basic::UnsignedChar => 1,
        Basic::Short | Basic::UnsignedShort => 2,
        Basic::Int | Basic::Unsigned | Basic::Float => 4,
        _ => 8,
    }
}

fn basic_name(basic: Basic) -> &'static str {
    match basic {
        Basic::Void => "void",
        Basic::Bool => "bool",
        Basic::Char => "char",
        Basic::SignedChar => "signed char",
        Basic::UnsignedChar => "unsigned char",
        Basic::Short => "short",
        Basic::UnsignedShort => "unsigned short",
        Basic::Int => "int",
        Basic::Unsigned => "unsigned int",
        Basic::Long => "long",
        Basic::UnsignedLong => "unsigned long",
        Basic::LongLong => "long long",
        Basic::UnsignedLongLong => "unsigned long long",
        Basic::Float => "float",
        Basic::Double => "double",
    }
}
