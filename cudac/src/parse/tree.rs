//! The untyped tree: what the text says, with a span for every node, before names have meanings.

use std::rc::Rc;

use crate::source::{Name, Span};

/// A name with its namespaces and template arguments, as in `cuda::atomic_ref<int>`.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub name: Name,
    pub arguments: Option<Vec<Argument>>,
    pub span: Span,
}

/// An argument of a template.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Type(Type),
    Value(Expr),
}

/// A type is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Type = Rc<TypeNode>;

/// Makes a type.
pub(crate) fn ty(kind: TypeKind, is_const: bool, is_volatile: bool, span: Span) -> Type {
    Rc::new(TypeNode { kind, is_const, is_volatile, span })
}

/// Makes a type without qualifiers.
pub(crate) fn plain(kind: TypeKind, span: Span) -> Type {
    ty(kind, false, false, span)
}

#[derive(Debug)]
pub(crate) struct TypeNode {
    pub kind: TypeKind,
    pub is_const: bool,
    pub is_volatile: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum TypeKind {
    Basic(Basic),
    Auto,
    Named(Path),
    Decltype(Expr),
    Pointer(Type),
    Reference(Type),
    /// `&&`; bound like a reference, but to a temporary.
    Rvalue(Type),
    /// An array; the length may be missing.
    Array(Type, Option<Expr>),
    /// A function: what it returns, and its parameters.
    #[cfg(feature = "host")]
    Function(Type, Vec<Type>),
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
pub(crate) type Expr = Rc<Node>;

/// Makes an expression.
pub(crate) fn expr(kind: ExprKind, span: Span, depth: u16) -> Expr {
    Rc::new(Node { kind, span, depth })
}

#[derive(Debug)]
pub(crate) struct Node {
    pub kind: ExprKind,
    pub span: Span,
    /// How deep the tree below this node is, which is bounded.
    pub depth: u16,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Number(Name),
    Character(u8),
    Text(Rc<[u8]>),
    Bool(bool),
    Null,
    This,
    Path(Path),
    Prefix(&'static str, Expr),
    /// `x++` and `x--`.
    Postfix(&'static str, Expr),
    Binary(&'static str, Expr, Expr),
    /// `=`, or an operator that assigns, as in `+=`.
    Assign(&'static str, Expr, Expr),
    Conditional(Expr, Expr, Expr),
    Comma(Expr, Expr),
    Call(Expr, Vec<Expr>),
    Index(Expr, Expr),
    Member {
        base: Expr,
        is_arrow: bool,
        part: Part,
    },
    Cast(CastKind, Type, Expr),
    /// `T(a, b)` and `T{a, b}`.
    Construct(Type, Vec<Expr>, Brackets),
    List(Vec<Expr>),
    SizeOfType(Type),
    SizeOf(Expr),
    AlignOf(Type),
    Lambda(Rc<Lambda>),
    /// `new T`, `new T(a)`: the memory, the type, and what is written after it.
    #[cfg(feature = "host")]
    New(Expr, Type, Option<Init>),
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`
    #[cfg(feature = "host")]
    Launch {
        kernel: Expr,
        shape: Vec<Expr>,
        arguments: Vec<Expr>,
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
pub(crate) struct Lambda {
    /// What is captured without being named.
    pub default: Option<Capture>,
    pub captures: Vec<(Name, Capture, Option<Expr>, Span)>,
    pub function: Rc<Function>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    Copy,
    Reference,
    This,
}

/// A statement is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Stmt = Rc<StmtNode>;

/// Makes a statement.
pub(crate) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Rc::new(StmtNode { kind, span })
}

#[derive(Debug)]
pub(crate) struct StmtNode {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Empty,
    Expr(Expr),
    Variables(Vec<Variable>),
    Declaration(Rc<Declaration>),
    Block(Vec<Stmt>),
    If {
        is_constexpr: bool,
        condition: Expr,
        then: Stmt,
        otherwise: Option<Stmt>,
    },
    For {
        init: Option<Stmt>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Stmt,
        unroll: Unroll,
    },
    /// `for (T x : range)`
    RangeFor {
        variable: Box<Variable>,
        range: Expr,
        body: Stmt,
        unroll: Unroll,
    },
    While {
        condition: Expr,
        body: Stmt,
        unroll: Unroll,
    },
    DoWhile {
        body: Stmt,
        condition: Expr,
    },
    Switch {
        value: Expr,
        body: Stmt,
    },
    Case(Expr),
    Default,
    Break,
    Continue,
    Return(Option<Expr>),
    Asm(Rc<Asm>),
    #[cfg(feature = "host")]
    Goto(Name),
    #[cfg(feature = "host")]
    Label(Name),
}

/// What `#pragma unroll` says of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Unroll {
    Unsaid,
    Fully,
    Times(Expr),
}

#[derive(Debug)]
pub(crate) struct Asm {
    pub text: Rc<[u8]>,
    pub text_span: Span,
    pub is_volatile: bool,
    pub touches_memory: bool,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
}

#[derive(Debug)]
pub(crate) struct AsmOperand {
    pub constraint: Rc<[u8]>,
    pub value: Expr,
}

/// A variable, a member, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: Name,
    pub ty: Type,
    pub init: Option<Init>,
    pub storage: Storage,
    pub align: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Init {
    Assign(Expr),
    Round(Vec<Expr>),
    Curly(Expr),
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
pub(crate) struct Function {
    pub name: Name,
    pub span: Span,
    pub template: Option<Vec<Parameter>>,
    pub result: Type,
    pub parameters: Vec<Variable>,
    pub body: Option<Stmt>,
    pub storage: Storage,
    pub launch_bounds: Vec<Expr>,
    /// What a constructor does with the members before its body.
    pub initialisers: Vec<(Name, Init, Span)>,
    pub is_constructor: bool,
    /// `operator T()`.
    pub is_conversion: bool,
    pub is_const: bool,
    pub is_deleted: bool,
    pub is_defaulted: bool,
    /// For a special case or an instance of a template: the arguments, if they are written.
    pub special: Option<Vec<Argument>>,
    /// Where the body ends; a return without a value is charged to it.
    pub end: Span,
}

/// A parameter of a template.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: Option<Name>,
    pub kind: ParameterKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ParameterKind {
    Type(Option<Type>),
    Value(Type, Option<Expr>),
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub name: Name,
    pub span: Span,
    pub template: Option<Vec<Parameter>>,
    pub is_union: bool,
    pub align: Option<Expr>,
    pub members: Vec<Member>,
    /// A declaration without members, to be completed later.
    pub is_forward: bool,
    /// For a special case of a template: the arguments that it is for.
    pub special: Option<Vec<Argument>>,
}

#[derive(Debug)]
pub(crate) enum Member {
    Field(Variable),
    Function(Rc<Function>),
    Declaration(Rc<Declaration>),
}

#[derive(Debug)]
pub(crate) struct Enum {
    pub name: Option<Name>,
    pub is_scoped: bool,
    pub underlying: Option<Type>,
    pub values: Vec<(Name, Option<Expr>, Span)>,
}

#[derive(Debug)]
pub(crate) enum Declaration {
    Function(Rc<Function>),
    /// `template` and a function without a body: asks for an instance.
    Instance(Rc<Function>),
    /// A template and its arguments: asks for an instance.
    #[cfg(feature = "host")]
    Instantiate(Path),
    Variables(Vec<Variable>),
    Struct(Rc<Struct>),
    Enum(Enum),
    Alias {
        name: Name,
        template: Option<Vec<Parameter>>,
        ty: Type,
    },
    Namespace {
        name: Option<Name>,
        body: Vec<Declaration>,
    },
    NamespaceAlias {
        name: Name,
        target: Path,
    },
    UsingName(Path),
    UsingNamespace(Path),
    StaticAssert {
        condition: Expr,
        message: Option<Rc<[u8]>>,
        span: Span,
    },
    /// Several in the place of one, as after `struct S { … } s;`.
    Group(Vec<Declaration>),
}
