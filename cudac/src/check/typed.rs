//! The typed tree: every name resolved, every conversion written out, every template replaced by its instance.

use std::rc::Rc;

use super::types::Type;
use crate::source::{Name, Span};

pub(crate) type VarId = usize;
pub(crate) type FunctionId = usize;
pub(crate) type GlobalId = usize;

/// A program: the kernels and all functions and variables that they use.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    pub kernels: Vec<FunctionId>,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub name: String,
    /// What PTX calls it, if it is a kernel.
    pub symbol: String,
    pub span: Span,
    pub end: Span,
    /// The first parameters of a member function is `*this`.
    pub parameters: Vec<VarId>,
    pub vars: Vec<Var>,
    pub result: Type,
    pub body: Vec<Stmt>,
    pub is_constexpr: bool,
    pub launch_bounds: Vec<u32>,
    /// Whether it is one of this compiler's own functions.
    pub is_own: bool,
    /// Whether it has no body, because the executor of host code carries it out.
    pub is_external: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: Name,
    pub ty: Type,
    pub span: Span,
    /// Whether anything is stored to it after its declaration.
    pub is_changed: bool,
    /// The value, if it is known and never changes.
    pub constant: Option<Constant>,
    pub is_used: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Global,
    Constant,
    Shared,
}

#[derive(Debug)]
pub(crate) struct Global {
    pub name: String,
    pub ty: Type,
    pub space: Space,
    /// `extern __shared__`, whose length the launch decides.
    pub is_extern: bool,
    /// The bytes, if any is not zero.
    pub bytes: Option<Vec<u8>>,
    pub align: u64,
    pub constant: Option<Constant>,
    /// Whether it is in the memory of the host.
    pub is_host: bool,
    /// Whether it is `__managed__`.
    #[cfg(feature = "host")]
    pub is_managed: bool,
    /// What it is before `main` begins, if that has to be computed.
    #[cfg(feature = "host")]
    pub dynamic: Option<Expr>,
    pub span: Span,
}

/// A value that is known when the text is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Integer(i64),
    Float(f64),
}

/// An expression is a pointer to its node, so that moving and copying it is cheap.
pub(crate) type Expr = Rc<Node>;

/// Makes an expression.
pub(crate) fn expr(kind: Kind, ty: Type, span: Span) -> Expr {
    Rc::new(Node { kind, ty, span })
}

/// The same expression for another place of the text.
pub(crate) fn at(mut expr: Expr, span: Span) -> Expr {
    Rc::make_mut(&mut expr).span = span;
    expr
}

/// The same expression with another type, whose values look the same.
pub(crate) fn as_type(mut expr: Expr, ty: Type) -> Expr {
    Rc::make_mut(&mut expr).ty = ty;
    expr
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub ty: Type,
    pub span: Span,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names say it.
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names say it.
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// What has an instruction of its own in the intermediate code, so that constants can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names say it.
pub enum Intrinsic {
    Min,
    Max,
    Abs,
    MulHigh,
    Fma,
    Popc,
    Clz,
    Brev,
    /// The bits of a value as another type of the same size.
    Bits,
    /// Stops the compiler if it is still there after dead code is removed.
    Unreachable,
}

/// A function whose text says how many arguments it takes, beside `printf`.
#[cfg(feature = "host")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Their names say it.
pub enum Formatted {
    Sprintf,
    Snprintf,
    Scanf,
    Sscanf,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Integer(i64),
    Float(f64),
    Text(Rc<[u8]>),
    // Places.
    Local(VarId),
    Global(GlobalId),
    Deref(Expr),
    Field(Expr, usize),
    Element(Expr, Expr),
    /// A temporary that holds a value.
    Temporary(Expr),
    // Values.
    Load(Expr),
    AddressOf(Expr),
    /// The first element's address.
    Decay(Expr),
    Special(&'static str),
    Negate(Expr),
    Complement(Expr),
    Not(Expr),
    Binary(Binary, Expr, Expr),
    Compare(Compare, Expr, Expr),
    And(Expr, Expr),
    Or(Expr, Expr),
    Conditional(Expr, Expr, Expr),
    Comma(Expr, Expr),
    Convert(Expr),
    PointerAdd(Expr, Expr, bool),
    PointerDiff(Expr, Expr),
    /// A place whose value is that of the assignment; it is a place itself.
    Assign(Expr, Expr),
    /// `a op= b`, computed in a type that may be wider.
    Update {
        op: Binary,
        place: Expr,
        value: Expr,
        computed_as: Type,
    },
    /// `x++` and so on; the first flag is for `-`, the second for the value before.
    Step {
        place: Expr,
        is_down: bool,
        is_post: bool,
    },
    Call(FunctionId, Vec<Expr>),
    /// A value made by a constructor.
    Construct(FunctionId, Vec<Expr>),
    /// A struct or an array from the values of its members; missing ones are zero.
    Aggregate(Vec<Expr>),
    Intrinsic(Intrinsic, Vec<Expr>),
    Printf(Rc<[u8]>, Vec<Expr>),
    /// `fprintf`: the number of the stream comes first.
    #[cfg(feature = "host")]
    Print(Rc<[u8]>, Vec<Expr>),
    /// `sprintf` and `scanf`: which, what is written or read with the text, and the values or places.
    #[cfg(feature = "host")]
    Format(Formatted, Rc<[u8]>, Vec<Expr>),
    /// The address of a function.
    #[cfg(feature = "host")]
    FunctionAddress(FunctionId),
    /// A call of a function whose address is known.
    #[cfg(feature = "host")]
    CallPointer(Expr, Vec<Expr>),
    /// A launch of a kernel whose address is known.
    #[cfg(feature = "host")]
    LaunchPointer(Expr, Vec<Expr>, Vec<Expr>),
    /// The shape (grid, block, shared memory, stream), and the arguments.
    #[cfg(feature = "host")]
    Launch(FunctionId, Vec<Expr>, Vec<Expr>),
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    Declare(VarId, Option<Expr>),
    Block(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Loop(Rc<Loop>),
    Switch(Rc<Switch>),
    Break,
    Continue,
    Return(Option<Expr>),
    Asm(Rc<Asm>),
    #[cfg(feature = "host")]
    Goto(Name),
    #[cfg(feature = "host")]
    Label(Name),
}

#[derive(Debug)]
pub(crate) struct Loop {
    pub init: Vec<Stmt>,
    /// Tested before the first time, unless it is a `do` loop.
    pub condition: Option<Expr>,
    pub is_do: bool,
    pub step: Option<Expr>,
    pub body: Vec<Stmt>,
    pub unroll: Unroll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unroll {
    Unsaid,
    Fully,
    Times(u32),
}

#[derive(Debug)]
pub(crate) struct Switch {
    pub value: Expr,
    pub arms: Vec<Arm>,
}

#[derive(Debug)]
pub(crate) struct Arm {
    /// The values; `None` is `default`.
    pub labels: Vec<Option<i64>>,
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub(crate) struct Asm {
    pub text: String,
    pub is_volatile: bool,
    pub touches_memory: bool,
    pub is_own: bool,
    pub operands: Vec<AsmOperand>,
    pub outputs: usize,
}

#[derive(Debug)]
pub(crate) struct AsmOperand {
    pub constraint: char,
    pub is_updated: bool,
    /// A place for an output, a value for an input.
    pub value: Expr,
}

impl Node {
    /// Whether it is a place in memory rather than a value.
    pub fn is_place(&self) -> bool {
        match &self.kind {
            Kind::Local(_)
            | Kind::Global(_)
            | Kind::Deref(_)
            | Kind::Temporary(_)
            | Kind::Assign(..)
            | Kind::Update { .. } => true,
            Kind::Step { is_post, .. } => !is_post,
            Kind::Field(base, _) | Kind::Element(base, _) => base.is_place(),
            _ => false,
        }
    }
}
