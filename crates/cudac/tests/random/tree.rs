//! A program as it is generated: functions, statements, expressions.

use crate::number::{Binary, Ty, Unary, Value};

pub type VarId = usize;
pub type FunctionId = usize;
pub type StructId = usize;

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub structs: Vec<Struct>,
    /// Each calls only those before it; the last is the kernel.
    pub functions: Vec<Function>,
    pub threads: usize,
    pub blocks: usize,
    /// The argument `n`.
    pub n: i32,
    /// The type of each array in shared memory, which has an element for each thread.
    pub shared: Vec<Ty>,
    /// Of the next expression.
    pub next_id: u32,
}

/// The members: a type, and the length of an array.
#[derive(Clone, Debug)]
pub struct Struct {
    pub fields: Vec<(Ty, Option<usize>)>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub vars: Vec<Var>,
    pub parameters: Vec<VarId>,
    pub result: Ty,
    pub template: Template,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    No,
    /// `typename T`, of integers.
    Integers,
    /// `typename T`, of floats.
    Floats,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub shape: Shape,
    pub kind: VarKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    Plain,
    Const,
    Reference,
    /// A pointer to elements of an array, of which as many follow as its shape says.
    Pointer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Number(Ty),
    Array(Ty, usize),
    Struct(StructId),
}

#[derive(Clone, Debug)]
pub struct Expr {
    /// Names the expression when something is wrong with it.
    pub id: u32,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Literal(Value),
    ThreadIdx,
    BlockIdx,
    BlockDim,
    N,
    /// An element of the input, which has [`INPUTS`].
    Input(Box<Expr>),
    Read(Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Cast(Ty, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Option<Binary>, Place, Box<Expr>),
    Step {
        place: Place,
        is_down: bool,
        is_post: bool,
    },
    Call(FunctionId, Option<Ty>, Vec<Argument>),
    Builtin(Builtin, Vec<Expr>),
}

/// How many numbers the input has.
pub const INPUTS: usize = 16;

/// How many numbers of its own each thread has in global memory.
pub const OWN: usize = 4;

/// How many results of each kind a thread stores.
pub const RESULTS: usize = 16;

/// How many words all threads change, each by an operation of its own.
pub const TOTALS: usize = 6;

/// What each of these words is before.
pub const TOTAL: u32 = 0x00ff_0f3c;

#[derive(Clone, Debug)]
pub enum Place {
    Var(VarId),
    Element(VarId, Box<Expr>),
    Field(VarId, usize),
    FieldElement(VarId, usize, Box<Expr>),
    /// One of the thread's numbers in global memory.
    Own(Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expr),
    Place(Place),
    /// A struct by value.
    Object(VarId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// Of two numbers of a type.
    Min(Ty),
    Max(Ty),
    Abs,
    Popc,
    PopcLong,
    Clz,
    ClzLong,
    Brev,
    Ffs,
    MulHigh,
    UnsignedMulHigh,
    FunnelLeft,
    /// A product of floats that is never contracted.
    Product(Ty),
    /// A float that converts to every type, unsigned ones too if the flag says so; defined in the text.
    Held(bool),
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Declare(VarId, Init),
    Expr(Expr),
    Block(Vec<Stmt>),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    For(Box<For>),
    While {
        condition: Expr,
        body: Vec<Stmt>,
        is_do: bool,
    },
    Switch(Expr, Vec<Arm>),
    Break,
    Continue,
    Return(Expr),
    /// Stores a result of the thread.
    Put(usize, Expr),
    /// Adds to a word that all threads share: the operation, the word, the value.
    Total(Atomic, usize, Expr),
    /// The rest only where all threads of a block come together.
    Exchange(Box<Exchange>),
    Gather(Box<Gather>),
    Warp(Box<Warp>),
}

#[derive(Clone, Debug)]
pub enum Init {
    Value(Expr),
    /// Of an array or a struct; what is missing is zero.
    List(Vec<Expr>),
    /// What a reference refers to, and for a pointer also its first element.
    Place(Place),
    Copy(VarId),
}

#[derive(Clone, Debug)]
pub struct For {
    pub var: VarId,
    pub start: Expr,
    pub condition: Expr,
    pub step: Expr,
    pub body: Vec<Stmt>,
    /// `#pragma unroll`, with a number if that is not 0.
    pub unroll: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Arm {
    /// `None` is `default`.
    pub labels: Vec<Option<i32>>,
    pub body: Vec<Stmt>,
}

/// Every thread stores a number in shared memory and reads another thread's.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub shared: usize,
    /// The element is `threadIdx.x * factor + offset`, with an odd factor, modulo the threads.
    pub factor: usize,
    pub offset: usize,
    pub value: Expr,
    pub to: VarId,
    pub from: Expr,
}

/// Threads for which the condition holds combine a number with an element of shared memory, which others read.
#[derive(Clone, Debug)]
pub struct Gather {
    pub shared: usize,
    pub op: Atomic,
    pub start: Expr,
    pub condition: Expr,
    pub at: Expr,
    pub value: Expr,
    pub to: VarId,
    pub from: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Something that the lanes of a warp do together.
#[derive(Clone, Debug)]
pub struct Warp {
    pub op: WarpOp,
    /// The type of the value.
    pub ty: Ty,
    pub value: Expr,
    /// The lane of `__shfl_sync`.
    pub lane: Expr,
    pub to: VarId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpOp {
    Shuffle { width: u32 },
    Up { delta: u32, width: u32 },
    Down { delta: u32, width: u32 },
    Xor { mask: u32, width: u32 },
    Ballot,
    Any,
    All,
}

impl Program {
    pub fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    pub fn expr(&mut self, kind: Kind) -> Expr {
        Expr { id: self.id(), kind }
    }

    /// The type of an expression in a function whose template's argument is `parameter`.
    pub fn ty(&self, function: &Function, parameter: Option<Ty>, expr: &Expr) -> Ty {
        let of = |inner: &Expr| self.ty(function, parameter, inner);
        let real = |ty: Ty| if ty == Ty::Parameter { parameter.unwrap_or(ty) } else { ty };
        match &expr.kind {
            Kind::Literal(value) => value.ty,
            Kind::ThreadIdx | Kind::BlockIdx | Kind::BlockDim => Ty::Unsigned,
            Kind::N | Kind::Input(_) => Ty::Int,
            Kind::Read(place) | Kind::Assign(_, place, _) | Kind::Step { place, .. } => {
                real(self.place_ty(function, place))
            }
            Kind::Unary(Unary::Not, _) => Ty::Bool,
            Kind::Unary(_, inner) => of(inner).promoted(),
            Kind::Binary(op, a, b) => match op {
                Binary::Shl | Binary::Shr => of(a).promoted(),
                Binary::Comma => of(b),
                op if op.is_arithmetic() => of(a).common(of(b)),
                _ => Ty::Bool,
            },
            Kind::Cast(to, _) => real(*to),
            Kind::Conditional(_, a, b) => {
                let (a, b) = (of(a), of(b));
                if a == b { a } else { a.common(b) }
            }
            Kind::Call(called, argument, _) => match self.functions[*called].result {
                Ty::Parameter => argument.map_or(Ty::Parameter, real),
                other => other,
            },
            Kind::Builtin(builtin, arguments) => match builtin {
                Builtin::Min(ty) | Builtin::Max(ty) | Builtin::Product(ty) => *ty,
                Builtin::Brev | Builtin::UnsignedMulHigh | Builtin::FunnelLeft => Ty::Unsigned,
                Builtin::Held(_) => of(&arguments[0]),
                _ => Ty::Int,
            },
        }
    }

    /// The type of a place; the template's is not replaced.
    pub fn place_ty(&self, function: &Function, place: &Place) -> Ty {
        let shape = |var: VarId| function.vars[var].shape;
        match place {
            Place::Own(_) => Ty::Int,
            Place::Var(var) | Place::Element(var, _) => match shape(*var) {
                Shape::Number(ty) | Shape::Array(ty, _) => ty,
                Shape::Struct(_) => Ty::Int,
            },
            Place::Field(var, at) | Place::FieldElement(var, at, _) => match shape(*var) {
                Shape::Struct(of) => self.structs[of].fields[*at].0,
                Shape::Number(ty) | Shape::Array(ty, _) => ty,
            },
        }
    }
}

impl Place {
    /// The variable that it is part of; the thread's numbers in global memory have none.
    pub fn root(&self) -> Option<VarId> {
        match self {
            Place::Var(var)
            | Place::Element(var, _)
            | Place::Field(var, _)
            | Place::FieldElement(var, ..) => Some(*var),
            Place::Own(_) => None,
        }
    }
}
