//! The typed tree: every name resolved, every conversion written out, every template replaced by its instance.
//!
//! What is in functions is in the arena of the compilation, so all of it is `Copy`.

use super::types::Type;
use crate::source::{Name, Span};

pub(crate) type VarId = usize;
pub(crate) type FunctionId = usize;
pub(crate) type GlobalId = usize;

/// A program: the kernels and all functions and variables that they use.
#[derive(Debug, Default)]
pub(crate) struct Program<'t> {
    pub functions: Vec<Function<'t>>,
    pub globals: Vec<Global<'t>>,
    pub kernels: Vec<FunctionId>,
}

#[derive(Debug)]
pub(crate) struct Function<'t> {
    pub name: &'t str,
    /// What PTX calls it, if it is a kernel.
    pub symbol: &'t str,
    pub span: Span,
    pub end: Span,
    /// The first parameters of a member function is `*this`.
    pub parameters: Vec<VarId>,
    pub vars: Vec<Var<'t>>,
    pub result: Type,
    pub body: &'t [Stmt<'t>],
    pub is_constexpr: bool,
    pub launch_bounds: &'t [u32],
    /// Whether it is one of this compiler's own functions.
    pub is_own: bool,
    /// Whether it has no body, because the executor of host code carries it out.
    pub is_external: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Var<'t> {
    pub name: Name<'t>,
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
pub(crate) struct Global<'t> {
    pub name: &'t str,
    pub ty: Type,
    pub space: Space,
    /// `extern __shared__`, whose length the launch decides.
    pub is_extern: bool,
    /// The bytes, if any is not zero.
    pub bytes: Option<&'t [u8]>,
    pub align: u64,
    pub constant: Option<Constant>,
    /// Whether it is in the memory of the host.
    pub is_host: bool,
    /// Whether it is `__managed__`.
    #[cfg(feature = "host")]
    pub is_managed: bool,
    /// What it is before `main` begins, if that has to be computed.
    #[cfg(feature = "host")]
    pub dynamic: Option<Expr<'t>>,
    pub span: Span,
}

/// A value that is known when the text is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Integer(i64),
    Float(f64),
}

/// An expression is a reference to its node.
pub(crate) type Expr<'t> = &'t Node<'t>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'t> {
    pub kind: Kind<'t>,
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

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'t> {
    Integer(i64),
    Float(f64),
    Text(&'t [u8]),
    // Places.
    Local(VarId),
    Global(GlobalId),
    Deref(Expr<'t>),
    Field(Expr<'t>, usize),
    Element(Expr<'t>, Expr<'t>),
    /// A temporary that holds a value.
    Temporary(Expr<'t>),
    // Values.
    Load(Expr<'t>),
    AddressOf(Expr<'t>),
    /// The first element's address.
    Decay(Expr<'t>),
    Special(&'static str),
    Negate(Expr<'t>),
    Complement(Expr<'t>),
    Not(Expr<'t>),
    Binary(Binary, Expr<'t>, Expr<'t>),
    Compare(Compare, Expr<'t>, Expr<'t>),
    And(Expr<'t>, Expr<'t>),
    Or(Expr<'t>, Expr<'t>),
    Conditional(Expr<'t>, Expr<'t>, Expr<'t>),
    Comma(Expr<'t>, Expr<'t>),
    Convert(Expr<'t>),
    PointerAdd(Expr<'t>, Expr<'t>, bool),
    PointerDiff(Expr<'t>, Expr<'t>),
    /// A place whose value is that of the assignment; it is a place itself.
    Assign(Expr<'t>, Expr<'t>),
    /// `a op= b`, computed in a type that may be wider.
    Update {
        op: Binary,
        place: Expr<'t>,
        value: Expr<'t>,
        computed_as: Type,
    },
    /// `x++` and so on; the first flag is for `-`, the second for the value before.
    Step {
        place: Expr<'t>,
        is_down: bool,
        is_post: bool,
    },
    Call(FunctionId, &'t [Expr<'t>]),
    /// A value made by a constructor.
    Construct(FunctionId, &'t [Expr<'t>]),
    /// A struct or an array from the values of its members; missing ones are zero.
    Aggregate(&'t [Expr<'t>]),
    Intrinsic(Intrinsic, &'t [Expr<'t>]),
    Printf(&'t [u8], &'t [Expr<'t>]),
    /// `fprintf`: the number of the stream comes first.
    #[cfg(feature = "host")]
    Print(&'t [u8], &'t [Expr<'t>]),
    /// `sprintf` and `scanf`: which, what is written or read with the text, and the values or places.
    #[cfg(feature = "host")]
    Format(Formatted, &'t [u8], &'t [Expr<'t>]),
    /// The address of a function.
    #[cfg(feature = "host")]
    FunctionAddress(FunctionId),
    /// A call of a function whose address is known.
    #[cfg(feature = "host")]
    CallPointer(Expr<'t>, &'t [Expr<'t>]),
    /// A launch of a kernel whose address is known.
    #[cfg(feature = "host")]
    LaunchPointer(Expr<'t>, &'t [Expr<'t>], &'t [Expr<'t>]),
    /// The shape (grid, block, shared memory, stream), and the arguments.
    #[cfg(feature = "host")]
    Launch(FunctionId, &'t [Expr<'t>], &'t [Expr<'t>]),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stmt<'t> {
    pub kind: StmtKind<'t>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StmtKind<'t> {
    Expr(Expr<'t>),
    Declare(VarId, Option<Expr<'t>>),
    Block(&'t [Stmt<'t>]),
    If(Expr<'t>, &'t [Stmt<'t>], &'t [Stmt<'t>]),
    Loop(&'t Loop<'t>),
    Switch(&'t Switch<'t>),
    Break,
    Continue,
    Return(Option<Expr<'t>>),
    Asm(&'t Asm<'t>),
    #[cfg(feature = "host")]
    Goto(Name<'t>),
    #[cfg(feature = "host")]
    Label(Name<'t>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop<'t> {
    pub init: &'t [Stmt<'t>],
    /// Tested before the first time, unless it is a `do` loop.
    pub condition: Option<Expr<'t>>,
    pub is_do: bool,
    pub step: Option<Expr<'t>>,
    pub body: &'t [Stmt<'t>],
    pub unroll: Unroll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unroll {
    Unsaid,
    Fully,
    Times(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Switch<'t> {
    pub value: Expr<'t>,
    pub arms: &'t [Arm<'t>],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm<'t> {
    /// The values; `None` is `default`.
    pub labels: &'t [Option<i64>],
    pub body: &'t [Stmt<'t>],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Asm<'t> {
    pub text: &'t str,
    pub is_volatile: bool,
    pub touches_memory: bool,
    pub is_own: bool,
    pub operands: &'t [AsmOperand<'t>],
    pub outputs: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AsmOperand<'t> {
    pub constraint: char,
    pub is_updated: bool,
    /// A place for an output, a value for an input.
    pub value: Expr<'t>,
}

impl Node<'_> {
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
