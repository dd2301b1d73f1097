//! The typed tree: every name resolved, every conversion written out, every template replaced by its instance.
//!
//! It differs from C++ in what `lower` would have to find out otherwise: a place is never used as a value without a
//! [`Kind::Load`], arguments have exactly the types of parameters, `a[i]` of a pointer is an addition and a
//! [`Kind::Deref`], and methods are functions whose first parameter is their object. What is in functions is in the
//! arena of the compilation, so all of it is `Copy`.
//!
//! ```text
//! x[i] += 1;        with float* x, int i
//!
//! Update { op: Add, computed_as: float,
//!     place: Deref(PointerAdd(Load(Local x), Load(Local i))),
//!     value: Convert(Integer 1) to float }
//! ```

use super::types::Type;
use crate::source::{Name, Span};

/// A number in [`Function::vars`].
pub(crate) type VarId = usize;
/// A number in [`Program::functions`].
pub(crate) type FunctionId = usize;
/// A number in [`Program::globals`].
pub(crate) type GlobalId = usize;

/// A program: the kernels and all functions and variables that they use.
#[derive(Debug, Default)]
pub(crate) struct Program<'t> {
    pub functions: Vec<Function<'t>>,
    pub globals: Vec<Global<'t>>,
    pub kernels: Vec<FunctionId>,
}

/// An instance: of a template for some arguments, or the only one of a function that is no template.
#[derive(Debug)]
pub(crate) struct Function<'t> {
    /// What the text calls it, for messages and the line table.
    pub name: &'t str,
    /// What PTX calls it, if it is a kernel.
    pub symbol: &'t str,
    pub span: Span,
    /// The end of its body: a missing `return` is charged to it.
    pub end: Span,
    /// The first parameters of a member function is `*this`.
    pub parameters: Vec<VarId>,
    /// Parameters and all local variables, of whatever block.
    pub vars: Vec<Var<'t>>,
    pub result: Type,
    /// Empty until it is checked, which may be after calls of it.
    pub body: &'t [Stmt<'t>],
    pub is_constexpr: bool,
    /// Up to three numbers, as the text gives them.
    pub launch_bounds: &'t [u32],
    /// Blocks in a cluster, if the kernel says so.
    pub cluster_dims: &'t [u32],
    /// Whether it is one of this compiler's own functions.
    pub is_own: bool,
    /// Whether it has no body, because the executor of host code carries it out.
    pub is_external: bool,
}

/// A local variable or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Var<'t> {
    pub name: Name<'t>,
    pub ty: Type,
    pub span: Span,
    /// Whether anything is stored to it after its declaration. Taking its address or binding a reference counts.
    pub is_changed: bool,
    /// The value, if it is known and never changes.
    pub constant: Option<Constant>,
    /// Whether its value is used anywhere.
    pub is_used: bool,
    /// Whether it is a parameter of a kernel that is used where the launch has put it.
    pub is_grid_constant: bool,
}

/// The state spaces in which variables of a module can be (PTX ISA, section 5.1); local ones are in `.local` or in
/// registers, which `lower` decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Global,
    Constant,
    Shared,
}

/// A variable that lives as long as the module or, in shared memory, as the block.
#[derive(Debug)]
pub(crate) struct Global<'t> {
    /// As PTX writes it; no two have the same.
    pub name: &'t str,
    pub ty: Type,
    pub space: Space,
    /// `extern __shared__`, whose length the launch decides.
    pub is_extern: bool,
    /// The bytes, if any is not zero.
    pub bytes: Option<&'t [u8]>,
    pub align: u64,
    /// Its value, if nothing can change it.
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
    /// Of any integer type: cut to its width, and with its sign extended if it has one. `bool` is 0 or 1.
    Integer(i64),
    /// A `float` is stored as the `double` that is equal to it.
    Float(f64),
}

/// An expression is a reference to its node.
pub(crate) type Expr<'t> = &'t Node<'t>;

/// An expression: what it is, its type, and its place in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'t> {
    pub kind: Kind<'t>,
    pub ty: Type,
    pub span: Span,
}

/// An operation on two numbers. Also of a pointer and an integer, in an update (`p += n`).
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
    Fscanf,
    Sscanf,
}

/// The forms of expressions. Each is a place or a value, which [`Node::is_place`] tells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'t> {
    /// A literal, or a constant that stands for itself. The null pointer is 0.
    Integer(i64),
    Float(f64),
    Text(&'t [u8]),
    // Places.
    /// A reference is what it refers to: its type here is that of the object.
    Local(VarId),
    Global(GlobalId),
    /// What a pointer points to. A call that returns a reference is one as well.
    Deref(Expr<'t>),
    /// By its number in [`Struct::fields`](super::types::Struct::fields); of a place or of a value.
    Field(Expr<'t>, usize),
    /// Of an array, not of a pointer.
    Element(Expr<'t>, Expr<'t>),
    /// A temporary that holds a value.
    Temporary(Expr<'t>),
    // Values.
    /// The value in a place. Arrays have none: see `Decay`.
    Load(Expr<'t>),
    AddressOf(Expr<'t>),
    /// The first element's address.
    Decay(Expr<'t>),
    /// A special register of PTX, such as `%tid.x`.
    Special(&'static str),
    Negate(Expr<'t>),
    Complement(Expr<'t>),
    Not(Expr<'t>),
    Binary(Binary, Expr<'t>, Expr<'t>),
    Compare(Compare, Expr<'t>, Expr<'t>),
    /// They evaluate the right side only if it decides ([expr.log.and]).
    And(Expr<'t>, Expr<'t>),
    Or(Expr<'t>, Expr<'t>),
    Conditional(Expr<'t>, Expr<'t>, Expr<'t>),
    /// The value of the first is thrown away.
    Comma(Expr<'t>, Expr<'t>),
    /// To the type of the node, between numbers and pointers.
    Convert(Expr<'t>),
    /// A pointer and an integer, which counts elements; the flag says that it is subtracted.
    PointerAdd(Expr<'t>, Expr<'t>, bool),
    /// In elements.
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
    /// The arguments are as many as the parameters, the object of a method first. For a parameter that is a reference,
    /// the argument is a place.
    Call(FunctionId, &'t [Expr<'t>]),
    /// A value made by a constructor. The arguments without the object, which is new.
    Construct(FunctionId, &'t [Expr<'t>]),
    /// A struct or an array from the values of its members; missing ones are zero.
    Aggregate(&'t [Expr<'t>]),
    /// An argument that is a list, until it is known which parameter it is for; the type says nothing.
    List(super::scope::ScopeId, crate::parse::tree::Expr<'t>),
    Intrinsic(Intrinsic, &'t [Expr<'t>]),
    /// The text, and the values, promoted as C promotes those of `...` ([expr.call]).
    Printf(&'t [u8], &'t [Expr<'t>]),
    /// `fprintf`: the `FILE*` comes first.
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

/// The forms of statements. Scopes are gone: variables have numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StmtKind<'t> {
    Expr(Expr<'t>),
    /// Without a value, the variable has none until something is stored in it.
    Declare(VarId, Option<Expr<'t>>),
    Block(&'t [Stmt<'t>]),
    /// The two branches, of which the second may be empty. `if constexpr` is a block.
    If(Expr<'t>, &'t [Stmt<'t>], &'t [Stmt<'t>]),
    Loop(&'t Loop<'t>),
    Switch(&'t Switch<'t>),
    Break,
    Continue,
    Return(Option<Expr<'t>>),
    Asm(&'t Asm<'t>),
    /// Its label is in the same function.
    Goto(Name<'t>),
    Label(Name<'t>),
}

/// All loops: a `while` has neither `init` nor `step`.
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
    /// In the order of the text, as one falls into the next.
    pub arms: &'t [Arm<'t>],
}

/// The statements from one or more labels to the next label.
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
    /// Whether it is in a text of this compiler, which may use two more constraints ([`super::asm`]).
    pub is_own: bool,
    pub operands: &'t [AsmOperand<'t>],
    /// How many of the operands are outputs; they come first.
    pub outputs: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AsmOperand<'t> {
    /// Its letter, without `=` or `+`.
    pub constraint: char,
    /// `+`: it is read as well.
    pub is_updated: bool,
    /// A place for an output, a value for an input.
    pub value: Expr<'t>,
}

impl Node<'_> {
    /// Whether it is a place in memory that may be used again: what C++ calls an lvalue. An xvalue, such as what
    /// `std::move` returns, is a [`Kind::Temporary`] of a place.
    pub fn is_lvalue(&self) -> bool {
        match &self.kind {
            Kind::Temporary(_) => false,
            Kind::Field(base, _) | Kind::Element(base, _) => base.is_lvalue(),
            _ => self.is_place(),
        }
    }

    /// Whether it is a place that may be moved from. What C++ calls an xvalue, less the members of temporary objects.
    pub fn is_xvalue(&self) -> bool {
        match &self.kind {
            Kind::Temporary(inner) => inner.is_place(),
            Kind::Field(base, _) | Kind::Element(base, _) => base.is_xvalue(),
            _ => false,
        }
    }

    /// Whether it is a place in memory rather than a value. The names of C++ are lvalue and xvalue; a temporary counts,
    /// because `lower` gives it memory.
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
