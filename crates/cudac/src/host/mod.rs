//! Host code as a tree that can be executed: what `main` and the functions that it calls do.
//!
//! Every name is an offset or a number, every conversion is a node, and values are 64 bits, of which a smaller type
//! uses the lowest ones: integers extended as their type says, floats as their bits. Objects are in memory, and their
//! value is their address. What calls of the runtime's functions mean is the executor's business; here they have only
//! their names.
//!
//! This is a tree and no intermediate code, because host code is executed once and by an interpreter, which checks
//! every access: an optimiser would remove what is to be checked. It shares nothing with the kernels' code but the
//! typed tree that both come from. Left out, and refused by name: exceptions, inheritance, functions with any number of
//! arguments.
//!
//! ```text
//! int n = a[i] + 1;       with int a[8] at 16, int i at 8, int n at 0 of the frame
//!
//! Store(I32, Local(0),
//!     Binary(Add, I32, Load(I32, Index(Local(16), Load(I32, Local(8)), 4)), Const(1)))
//! ```

mod address;
mod expression;
mod lower;
mod own;
mod shared;
mod statement;

pub use crate::check::typed::{Binary, Compare, Formatted, Intrinsic};
use crate::source::line::Line;
pub(crate) use lower::lower;

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The names of its files, by their numbers ([`Line::file`]).
    pub files: Vec<String>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Which of them is `main`.
    pub main: usize,
    /// The variables of the host that are in no function.
    pub globals: Vec<Global>,
    /// Texts in quotes, without the zero at the end.
    pub texts: Vec<Vec<u8>>,
    /// What is done before `main`, if there are variables whose first values have to be computed.
    pub start: Option<Function>,
    /// What PTX calls the variables of the device, and their sizes in bytes.
    pub symbols: Vec<(String, u64)>,
    /// Those of them that are managed.
    pub managed: Vec<String>,
    /// Those that are constant memory without a value of their own, and their lines.
    pub zeros: Vec<(String, Line)>,
    /// What is right in other programs, and may be the reason if this one finds its results wrong: lines, and what to do there.
    pub suspects: Vec<(Line, String)>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The runtime's functions.
    pub runtime: Vec<String>,
}

impl Program {
    /// A line in words: `line 12`, and `line 12 of x.h` if it is in a file that is included.
    pub fn place(&self, line: Line) -> String {
        let number = line.number();
        match self.files.get(line.file()).filter(|_| line.file() > 0) {
            Some(file) => format!("line {number} of `{file}`"),
            None => format!("line {number}"),
        }
    }

    /// The name of the file that a line is in.
    pub fn file(&self, line: Line) -> &str {
        self.files.get(line.file()).map_or("", String::as_str)
    }

    /// A line of a file that the line table of PTX names.
    pub fn line(&self, file: &str, number: u32) -> Line {
        let file = self.files.iter().position(|name| name == file).unwrap_or_default();
        Line::new(file as u16, number)
    }
}

/// The address of the first function of the host; that of the next one is [`FUNCTION_BYTES`] further. Far from all
/// memory, so that a pointer to a function is never mistaken for one to an object.
pub const FUNCTION_BASE: u64 = 4 << 40;

/// The address of the first kernel.
pub const KERNEL_BASE: u64 = 5 << 40;

/// The distance of the addresses of two functions.
pub const FUNCTION_BYTES: u64 = 16;

/// The address that a `FILE*` of number 0 is, which is the standard input; the macros `stdin`, `stdout` and `stderr` have it.
pub const FILE_BASE: u64 = 6 << 40;

/// The distance of two of them.
pub const FILE_BYTES: u64 = 64;

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What PTX calls it.
    pub symbol: String,
    /// What the text calls it.
    pub name: String,
    /// How its parameters are passed.
    pub parameters: Vec<Passing>,
    /// The shared memory that it declares, in bytes.
    pub shared_bytes: u64,
}

/// A variable of the host.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What it holds at first; zeros if `None`.
    pub value: Option<Vec<u8>>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where its parameters are.
    pub parameters: Vec<Parameter>,
    /// Its variables and temporaries, together.
    pub frame_bytes: u64,
    /// What the address of the frame is a multiple of, at least 16.
    pub frame_align: u64,
    /// The objects and arrays of the frame, as offsets and sizes: what is between them is nobody's.
    pub objects: Vec<(u64, u64)>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// Whether it is one of this compiler's own, which have no lines that a reader knows.
    pub is_own: bool,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its offset in the frame.
    pub offset: u64,
    /// How it is passed.
    pub passing: Passing,
}

/// How a value is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As a number.
    Scalar(Scalar),
    /// As so many bytes, which are copied from the address that is the value.
    Object(u64),
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Their names say it.
pub enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Its size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

impl Scalar {
    /// Whether a value of this type is one of another without a change of its 64 bits: integers are extended already.
    fn is_also(self, other: Scalar) -> bool {
        let is_float = |ty| matches!(ty, Scalar::F32 | Scalar::F64);
        let is_signed = |ty| matches!(ty, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
        if is_float(self) || is_float(other) || other == Scalar::Bool {
            return self == other;
        }
        match (is_signed(self), is_signed(other)) {
            _ if other.bytes() == 8 => true,
            (true, true) | (false, false) => self.bytes() <= other.bytes(),
            (false, true) => self.bytes() < other.bytes() || self == Scalar::Bool,
            (true, false) => false,
        }
    }
}

impl Expr {
    /// A number of one type as one of another.
    fn converted(self, to: Scalar, from: Scalar) -> Expr {
        if from.is_also(to) { self } else { Expr::Convert(to, from, Box::new(self)) }
    }
}

/// An expression. `line` is none in this compiler's own functions.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A number.
    Const(u64),
    /// The address of something in the frame.
    Local(u64),
    /// The address of a variable of the host.
    Global(usize),
    /// The address of a variable of the device.
    Symbol(usize),
    /// The address of a text.
    Text(usize),
    /// A number in memory.
    Load(Scalar, Box<Expr>, Line),
    /// Stores the second value at the first address; the result is the value.
    Store(Scalar, Box<Expr>, Box<Expr>, Line),
    /// The same; the result is the address.
    StoreAt(Scalar, Box<Expr>, Box<Expr>, Line),
    /// Copies bytes to the first address from the second one; the result is the first.
    Copy(u64, Box<Expr>, Box<Expr>, Line),
    /// Sets bytes at an address to zero; the result is the address.
    Clear(u64, Box<Expr>),
    /// `a op= b` and `++a`.
    Update(Box<Update>),
    /// The sum of an address and a constant.
    Offset(Box<Expr>, u64),
    /// The sum of an address and a number of elements of a size.
    Index(Box<Expr>, Box<Expr>, i64),
    /// The distance of two addresses in elements of a size.
    Distance(Box<Expr>, Box<Expr>, u64),
    /// `-a`
    Negate(Scalar, Box<Expr>),
    /// `~a`
    Complement(Scalar, Box<Expr>),
    /// `!a`
    Not(Box<Expr>),
    /// An operation on two numbers of a type.
    Binary(Binary, Scalar, Box<Expr>, Box<Expr>, Line),
    /// A comparison of two numbers of a type.
    Compare(Compare, Scalar, Box<Expr>, Box<Expr>),
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// One after another; the result is the last one's.
    Then(Vec<Expr>),
    /// A number of the second type as one of the first.
    Convert(Scalar, Scalar, Box<Expr>),
    /// A function of numbers.
    Intrinsic(Intrinsic, Scalar, Vec<Expr>),
    /// A call.
    Call(Box<Call>),
    /// A call of one of the runtime's functions.
    Runtime(Box<RuntimeCall>),
    /// `printf`: the stream, the format, and the values.
    Print(Box<Expr>, usize, Vec<(Scalar, Expr)>, Line),
    /// A launch.
    Launch(Box<KernelCall>),
    /// A call of a function whose address is a value.
    CallPointer(Box<CallPointer>),
    /// `sprintf` or `scanf`: which, the format, the arguments, and the line.
    Format(Formatted, usize, Vec<(Scalar, Expr)>, Line),
    /// The object at an address ends with the statements around it: its destructors, in the order of the construction, as
    /// offsets and functions. The result is the address.
    Own(Box<Expr>, Vec<(u64, usize)>),
    /// The bytes at an address are no longer this function's to destroy. The result is the address.
    Disown(Box<Expr>, u64),
    /// Temporary objects in an expression end with it. The result is that of the expression.
    Clean(Box<Expr>),
}

/// A call of a function whose address is a value.
#[derive(Clone, Debug)]
pub struct CallPointer {
    /// The address.
    pub pointer: Expr,
    /// Numbers and addresses.
    pub arguments: Vec<Expr>,
    /// Where the object goes that it returns, and how many bytes that is.
    pub result: Option<(u64, u64)>,
    /// The line.
    pub line: Line,
}

/// An operation whose result is stored where its first operand was.
#[derive(Clone, Debug)]
pub struct Update {
    /// The operation.
    pub op: Binary,
    /// What is in memory.
    pub ty: Scalar,
    /// The type that the operation has.
    pub computed_as: Scalar,
    /// Where.
    pub address: Expr,
    /// The second operand.
    pub value: Expr,
    /// What the result is.
    pub result: UpdateResult,
    /// The line.
    pub line: Line,
}

/// What the result of an [`Update`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateResult {
    /// The value before.
    Old,
    /// The value after.
    New,
    /// The address.
    Address,
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which.
    pub function: usize,
    /// Numbers and addresses.
    pub arguments: Vec<Expr>,
    /// If it is a function of the runtime: the variable whose address is the first argument. An allocation is named after it.
    pub first: Option<String>,
    /// Where the object goes that it returns, and how many bytes that is.
    pub result: Option<(u64, u64)>,
    /// The line.
    pub line: Line,
}

/// A call of one of the runtime's functions.
#[derive(Clone, Debug)]
pub struct RuntimeCall {
    /// Which: an index of [`Program::runtime`].
    pub function: usize,
    /// Numbers and addresses.
    pub arguments: Vec<(Scalar, Expr)>,
    /// What it returns.
    pub result: Option<Scalar>,
    /// The line.
    pub line: Line,
}

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct KernelCall {
    /// The address of the kernel.
    pub kernel: Expr,
    /// The addresses of two `dim3`.
    pub grid: Expr,
    /// The block.
    pub block: Expr,
    /// Dynamic shared memory in bytes.
    pub shared_bytes: Expr,
    /// The stream.
    pub stream: Expr,
    /// The arguments.
    pub arguments: Vec<(Passing, Expr)>,
    /// The line.
    pub line: Line,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// An expression; the flag says that it is a call whose result nobody looks at.
    Expr(Expr, bool),
    /// So many bytes of the frame hold nothing from now on.
    Forget(u64, u64),
    /// A condition and its two sides.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A loop.
    Loop(Box<Loop>),
    /// A `switch`.
    Switch(Box<Switch>),
    /// Statements.
    Block(Vec<Stmt>),
    /// Statements, at whose end objects are destroyed.
    Scope(Vec<Stmt>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// A jump to a label in a block around it.
    Goto(u32),
    /// A label.
    Label(u32),
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Before it.
    pub init: Vec<Stmt>,
    /// Tested before each turn; before the first one unless it is a `do` loop.
    pub condition: Option<Expr>,
    /// Whether it is a `do` loop.
    pub is_do: bool,
    /// After each turn.
    pub step: Option<Expr>,
    /// What is repeated.
    pub body: Vec<Stmt>,
    /// The line.
    pub line: Line,
}

/// A `switch`.
#[derive(Clone, Debug)]
pub struct Switch {
    /// What is compared.
    pub value: Expr,
    /// The labels, of which `None` is `default`, and what follows them.
    pub arms: Vec<(Vec<Option<i64>>, Vec<Stmt>)>,
}
