//! The untyped tree: what the text says, with a span for every node, before names have meanings.

use std::rc::Rc;

use crate::source::{Name, Span};

/// A name with its namespaces and template arguments, as in `cuda::atomic_ref<int>`.
#[derive(Clone, Debug)]
pub(crate) struct Path<'t> {
    pub parts: Vec<Part<'t>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Part<'t> {
    pub name: Name<'t>,
    pub arguments: Option<Vec<Argument<'t>>>,
    pub span: Span,
}

/// An argument of a template.
#[derive(Clone, Debug)]
pub(crate) enum Argument<'t> {
    Type(Type<'t>),
    Value(Expr<'t>),
}

/// A type is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Type<'t> = Rc<TypeNode<'t>>;

/// Makes a type.
pub(crate) fn ty(kind: TypeKind<'_>, is_const: bool, is_volatile: bool, span: Span) -> Type<'_> {
    Rc::new(TypeNode { kind, is_const, is_volatile, span })
}

/// Makes a type without qualifiers.
pub(crate) fn plain(kind: TypeKind<'_>, span: Span) -> Type<'_> {
    ty(kind, false, false, span)
}

#[derive(Debug)]
pub(crate) struct TypeNode<'t> {
    pub kind: TypeKind<'t>,
    pub is_const: bool,
    pub is_volatile: bool,
    pub span: Span,
}

#[derive(Debug)]
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
    Function(Type<'t>, Vec<Type<'t>>),
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

/// An expression is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Expr<'t> = Rc<Node<'t>>;

/// Makes an expression.
pub(crate) fn expr(kind: ExprKind<'_>, span: Span, depth: u16) -> Expr<'_> {
    Rc::new(Node { kind, span, depth })
}

#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub kind: ExprKind<'t>,
    pub span: Span,
    /// How deep the tree below this node is, which is bounded.
    pub depth: u16,
}

#[derive(Debug)]
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
    Call(Expr<'t>, Vec<Expr<'t>>),
    Index(Expr<'t>, Expr<'t>),
    Member {
        base: Expr<'t>,
        is_arrow: bool,
        part: Part<'t>,
    },
    Cast(CastKind, Type<'t>, Expr<'t>),
    /// `T(a, b)` and `T{a, b}`.
    Construct(Type<'t>, Vec<Expr<'t>>, Brackets),
    List(Vec<Expr<'t>>),
    SizeOfType(Type<'t>),
    SizeOf(Expr<'t>),
    AlignOf(Type<'t>),
    Lambda(Rc<Lambda<'t>>),
    /// `new T`, `new T(a)`: the memory, the type, and what is written after it.
    #[cfg(feature = "host")]
    New(Expr<'t>, Type<'t>, Option<Init<'t>>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    #[cfg(feature = "host")]
    Launch {
        kernel: Expr<'t>,
        shape: Vec<Expr<'t>>,
        arguments: Vec<Expr<'t>>,
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

#[derive(Debug)]
pub(crate) struct Lambda<'t> {
    /// What is captured without being named.
    pub default: Option<Capture>,
    pub captures: Vec<(Name<'t>, Capture, Option<Expr<'t>>, Span)>,
    pub function: Rc<Function<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Copy,
    Reference,
    This,
}

/// A statement is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Stmt<'t> = Rc<StmtNode<'t>>;

/// Makes a statement.
pub(crate) fn stmt(kind: StmtKind<'_>, span: Span) -> Stmt<'_> {
    Rc::new(StmtNode { kind, span })
}

#[derive(Debug)]
pub(crate) struct StmtNode<'t> {
    pub kind: StmtKind<'t>,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum StmtKind<'t> {
    Empty,
    Expr(Expr<'t>),
    Variables(Vec<Variable<'t>>),
    Declaration(Rc<Declaration<'t>>),
    Block(Vec<Stmt<'t>>),
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
        variable: Box<Variable<'t>>,
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
    Asm(Rc<Asm<'t>>),
    #[cfg(feature = "host")]
    Goto(Name<'t>),
    #[cfg(feature = "host")]
    Label(Name<'t>),
}

/// What `#pragma unroll` says of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Unroll<'t> {
    Unsaid,
    Fully,
    Times(Expr<'t>),
}

#[derive(Debug)]
pub(crate) struct Asm<'t> {
    pub text: &'t [u8],
    pub text_span: Span,
    pub is_volatile: bool,
    pub touches_memory: bool,
    pub outputs: Vec<AsmOperand<'t>>,
    pub inputs: Vec<AsmOperand<'t>>,
}

#[derive(Debug)]
pub(crate) struct AsmOperand<'t> {
    pub constraint: &'t [u8],
    pub value: Expr<'t>,
}

/// A variable, a member, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable<'t> {
    pub name: Name<'t>,
    pub ty: Type<'t>,
    pub init: Option<Init<'t>>,
    pub storage: Storage,
    pub align: Option<Expr<'t>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Init<'t> {
    Assign(Expr<'t>),
    Round(Vec<Expr<'t>>),
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

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that may be said of a function or not")]
pub(crate) struct Function<'t> {
    pub name: Name<'t>,
    pub span: Span,
    pub template: Option<Vec<Parameter<'t>>>,
    pub result: Type<'t>,
    pub parameters: Vec<Variable<'t>>,
    pub body: Option<Stmt<'t>>,
    pub storage: Storage,
    pub launch_bounds: Vec<Expr<'t>>,
    /// What a constructor does with the members before its body.
    pub initialisers: Vec<(Name<'t>, Init<'t>, Span)>,
    pub is_constructor: bool,
    /// `operator T()`.
    pub is_conversion: bool,
    pub is_const: bool,
    pub is_deleted: bool,
    pub is_defaulted: bool,
    /// For a special case or an instance of a template: the arguments, if they are written.
    pub special: Option<Vec<Argument<'t>>>,
    /// Where the body ends; a return without a value is charged to it.
    pub end: Span,
}

/// A parameter of a template.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'t> {
    pub name: Option<Name<'t>>,
    pub kind: ParameterKind<'t>,
}

#[derive(Clone, Debug)]
pub(crate) enum ParameterKind<'t> {
    Type(Option<Type<'t>>),
    Value(Type<'t>, Option<Expr<'t>>),
}

#[derive(Debug)]
pub(crate) struct Struct<'t> {
    pub name: Name<'t>,
    pub span: Span,
    pub template: Option<Vec<Parameter<'t>>>,
    pub is_union: bool,
    pub align: Option<Expr<'t>>,
    pub members: Vec<Member<'t>>,
    /// A declaration without members, to be completed later.
    pub is_forward: bool,
    /// For a special case of a template: the arguments that it is for.
    pub special: Option<Vec<Argument<'t>>>,
}

#[derive(Debug)]
pub(crate) enum Member<'t> {
    Field(Variable<'t>),
    Function(Rc<Function<'t>>),
    Declaration(Rc<Declaration<'t>>),
}

#[derive(Debug)]
pub(crate) struct Enum<'t> {
    pub name: Option<Name<'t>>,
    pub is_scoped: bool,
    pub underlying: Option<Type<'t>>,
    pub values: Vec<(Name<'t>, Option<Expr<'t>>, Span)>,
}

#[derive(Debug)]
pub(crate) enum Declaration<'t> {
    Function(Rc<Function<'t>>),
    /// `template` and a function without a body: asks for an instance.
    Instance(Rc<Function<'t>>),
    /// A template and its arguments: asks for an instance.
    #[cfg(feature = "host")]
    Instantiate(Path<'t>),
    Variables(Vec<Variable<'t>>),
    Struct(Rc<Struct<'t>>),
    Enum(Enum<'t>),
    Alias {
        name: Name<'t>,
        template: Option<Vec<Parameter<'t>>>,
        ty: Type<'t>,
    },
    Namespace {
        name: Option<Name<'t>>,
        body: Vec<Declaration<'t>>,
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
    Group(Vec<Declaration<'t>>),
}
