//! The untyped tree: what the text says, with a span for every node, before names have meanings.
//!
//! It is in the arena of the compilation, so all of it is `Copy`.

use crate::source::arena::Arena;
use crate::source::{Name, Span};

/// A name with its namespaces and template arguments, as in `cuda::atomic_ref<int>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'t> {
    pub parts: &'t [Part<'t>],
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'t> {
    pub name: Name<'t>,
    pub arguments: Option<&'t [Argument<'t>]>,
    pub span: Span,
}

/// An argument of a template.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'t> {
    Type(Type<'t>),
    Value(Expr<'t>),
}

/// A type is a reference to its node.
pub(crate) type Type<'t> = &'t TypeNode<'t>;

/// Makes a type without qualifiers.
pub(crate) fn plain<'t>(arena: Arena<'t>, kind: TypeKind<'t>, span: Span) -> Type<'t> {
    arena.put(TypeNode { kind, is_const: false, is_volatile: false, span })
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeNode<'t> {
    pub kind: TypeKind<'t>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeKind<'t> {
    Basic(Basic),
    Auto,
    Named(Path<'t>),
    Decltype(Expr<'t>),
    Pointer(Type<'t>),
    Reference(Type<'t>),
    /// `&&`; bound like a reference, but to a temporary.
    Rvalue(Type<'t>),
    /// An array; the length may be missing.
    Array(Type<'t>, Option<Expr<'t>>),
    /// A function: what it returns, and its parameters.
    #[cfg(feature = "host")]
    Function(Type<'t>, &'t [Type<'t>]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Basic {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
}

/// An expression is a reference to its node.
pub(crate) type Expr<'t> = &'t Node<'t>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'t> {
    pub kind: ExprKind<'t>,
    pub span: Span,
    /// How deep the tree below this node is, which is bounded.
    pub depth: u16,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ExprKind<'t> {
    Number(Name<'t>),
    Character(u8),
    Text(&'t [u8]),
    Bool(bool),
    Null,
    This,
    Path(Path<'t>),
    Prefix(&'static str, Expr<'t>),
    /// `x++` and `x--`.
    Postfix(&'static str, Expr<'t>),
    Binary(&'static str, Expr<'t>, Expr<'t>),
    /// `=`, or an operator that assigns, as in `+=`.
    Assign(&'static str, Expr<'t>, Expr<'t>),
    Conditional(Expr<'t>, Expr<'t>, Expr<'t>),
    Comma(Expr<'t>, Expr<'t>),
    Call(Expr<'t>, &'t [Expr<'t>]),
    Index(Expr<'t>, Expr<'t>),
    Member {
        base: Expr<'t>,
        is_arrow: bool,
        part: Part<'t>,
    },
    Cast(CastKind, Type<'t>, Expr<'t>),
    /// `T(a, b)` and `T{a, b}`.
    Construct(Type<'t>, &'t [Expr<'t>], Brackets),
    List(&'t [Expr<'t>]),
    SizeOfType(Type<'t>),
    SizeOf(Expr<'t>),
    AlignOf(Type<'t>),
    Lambda(&'t Lambda<'t>),
    /// `new T`, `new T(a)`: the memory, the type, and what is written after it.
    #[cfg(feature = "host")]
    New(Expr<'t>, Type<'t>, Option<Init<'t>>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    #[cfg(feature = "host")]
    Launch {
        kernel: Expr<'t>,
        shape: &'t [Expr<'t>],
        arguments: &'t [Expr<'t>],
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastKind {
    C,
    Static,
    Reinterpret,
    Const,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Brackets {
    Round,
    Curly,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lambda<'t> {
    /// What is captured without being named.
    pub default: Option<Capture>,
    pub captures: &'t [(Name<'t>, Capture, Option<Expr<'t>>, Span)],
    pub function: &'t Function<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Copy,
    Reference,
    This,
}

/// A statement is a reference to its node.
pub(crate) type Stmt<'t> = &'t StmtNode<'t>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct StmtNode<'t> {
    pub kind: StmtKind<'t>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StmtKind<'t> {
    Empty,
    Expr(Expr<'t>),
    Variables(&'t [Variable<'t>]),
    Declaration(&'t Declaration<'t>),
    Block(&'t [Stmt<'t>]),
    If {
        is_constexpr: bool,
        condition: Expr<'t>,
        then: Stmt<'t>,
        otherwise: Option<Stmt<'t>>,
    },
    For {
        init: Option<Stmt<'t>>,
        condition: Option<Expr<'t>>,
        step: Option<Expr<'t>>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    /// `for (T x : range)`
    RangeFor {
        variable: &'t Variable<'t>,
        range: Expr<'t>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    While {
        condition: Expr<'t>,
        body: Stmt<'t>,
        unroll: Unroll<'t>,
    },
    DoWhile {
        body: Stmt<'t>,
        condition: Expr<'t>,
    },
    Switch {
        value: Expr<'t>,
        body: Stmt<'t>,
    },
    Case(Expr<'t>),
    Default,
    Break,
    Continue,
    Return(Option<Expr<'t>>),
    Asm(&'t Asm<'t>),
    #[cfg(feature = "host")]
    Goto(Name<'t>),
    #[cfg(feature = "host")]
    Label(Name<'t>),
}

/// What `#pragma unroll` says of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unroll<'t> {
    Unsaid,
    Fully,
    Times(Expr<'t>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asm<'t> {
    pub text: &'t [u8],
    pub text_span: Span,
    pub is_volatile: bool,
    pub touches_memory: bool,
    pub outputs: &'t [AsmOperand<'t>],
    pub inputs: &'t [AsmOperand<'t>],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AsmOperand<'t> {
    pub constraint: &'t [u8],
    pub value: Expr<'t>,
}

/// A variable, a member, or a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable<'t> {
    pub name: Name<'t>,
    pub ty: Type<'t>,
    pub init: Option<Init<'t>>,
    pub storage: Storage,
    pub align: Option<Expr<'t>>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Init<'t> {
    Assign(Expr<'t>),
    Round(&'t [Expr<'t>]),
    Curly(Expr<'t>),
}

/// What is said of a variable or of a function beside its type.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a keyword that may be there or not")]
pub(crate) struct Storage {
    pub is_shared: bool,
    pub is_constant: bool,
    pub is_device: bool,
    pub is_host: bool,
    pub is_global: bool,
    pub is_extern: bool,
    pub is_extern_c: bool,
    pub is_static: bool,
    pub is_constexpr: bool,
    pub is_typedef: bool,
    pub is_explicit: bool,
    #[cfg(feature = "host")]
    pub is_managed: bool,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that may be said of a function or not")]
pub(crate) struct Function<'t> {
    pub name: Name<'t>,
    pub span: Span,
    pub template: Option<&'t [Parameter<'t>]>,
    pub result: Type<'t>,
    pub parameters: &'t [Variable<'t>],
    pub body: Option<Stmt<'t>>,
    pub storage: Storage,
    pub launch_bounds: &'t [Expr<'t>],
    /// What a constructor does with the members before its body.
    pub initialisers: &'t [(Name<'t>, Init<'t>, Span)],
    pub is_constructor: bool,
    /// `operator T()`.
    pub is_conversion: bool,
    pub is_const: bool,
    pub is_deleted: bool,
    pub is_defaulted: bool,
    /// For a special case or an instance of a template: the arguments, if they are written.
    pub special: Option<&'t [Argument<'t>]>,
    /// Where the body ends; a return without a value is charged to it.
    pub end: Span,
}

/// A parameter of a template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter<'t> {
    pub name: Option<Name<'t>>,
    pub kind: ParameterKind<'t>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum ParameterKind<'t> {
    Type(Option<Type<'t>>),
    Value(Type<'t>, Option<Expr<'t>>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Struct<'t> {
    pub name: Name<'t>,
    pub span: Span,
    pub template: Option<&'t [Parameter<'t>]>,
    pub is_union: bool,
    pub align: Option<Expr<'t>>,
    pub members: &'t [Member<'t>],
    /// A declaration without members, to be completed later.
    pub is_forward: bool,
    /// For a special case of a template: the arguments that it is for.
    pub special: Option<&'t [Argument<'t>]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'t> {
    Field(Variable<'t>),
    Function(&'t Function<'t>),
    Declaration(&'t Declaration<'t>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Enum<'t> {
    pub name: Option<Name<'t>>,
    pub is_scoped: bool,
    pub underlying: Option<Type<'t>>,
    pub values: &'t [(Name<'t>, Option<Expr<'t>>, Span)],
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Declaration<'t> {
    Function(&'t Function<'t>),
    /// `template` and a function without a body: asks for an instance.
    Instance(&'t Function<'t>),
    /// A template and its arguments: asks for an instance.
    #[cfg(feature = "host")]
    Instantiate(Path<'t>),
    Variables(&'t [Variable<'t>]),
    Struct(&'t Struct<'t>),
    Enum(Enum<'t>),
    Alias {
        name: Name<'t>,
        template: Option<&'t [Parameter<'t>]>,
        ty: Type<'t>,
    },
    Namespace {
        name: Option<Name<'t>>,
        body: &'t [Declaration<'t>],
    },
    NamespaceAlias {
        name: Name<'t>,
        target: Path<'t>,
    },
    UsingName(Path<'t>),
    UsingNamespace(Path<'t>),
    StaticAssert {
        condition: Expr<'t>,
        message: Option<&'t [u8]>,
        span: Span,
    },
    /// Several in the place of one, as after `struct S { … } s;`.
    Group(&'t [Declaration<'t>]),
}
