//! The syntax tree of a PTX module. Names are not resolved in it.
//!
//! Names and opcodes borrow from the text. [`crate::isa`] resolves a name later to a register column, a variable or a
//! function, because in PTX a nested block may declare a name again. Specification: PTX ISA, sections 4 and 5.

use super::span::Span;

/// A whole PTX file.
#[derive(Clone, Debug, Default)]
pub struct Module<'t> {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// `.target`.
    pub target: Target,
    /// `.address_size`, in bits; 64 if the text does not have it.
    pub address_size: u32,
    /// The `.file` directives, in the order of the text.
    pub files: Vec<SourceFile<'t>>,
    /// Where functions were inlined, as [`Loc::inlined_at`] counts them.
    pub calls: Vec<Loc>,
    /// Variables declared outside functions.
    pub variables: Vec<Variable<'t>>,
    /// Entries and device functions, prototypes included.
    pub functions: Vec<Function<'t>>,
    /// The `.alias` directives.
    pub aliases: Vec<Alias<'t>>,
}

/// `.alias NAME, FUNCTION;`: a second name of a function.
#[derive(Clone, Copy, Debug)]
pub struct Alias<'t> {
    /// The second name, which a prototype declares.
    pub name: Ident<'t>,
    /// The function that it names.
    pub function: Ident<'t>,
}

/// The machine for which a module was compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Compute capability times ten: 70 for `sm_70`, 90 for `sm_90` and `sm_90a`.
    pub sm: u32,
    /// Whether a letter adds the instructions of this architecture alone, as in `sm_90a`.
    pub is_specific: bool,
    /// Whether the list contains `debug`.
    pub debug: bool,
}

/// `.file INDEX "NAME"`.
#[derive(Clone, Debug)]
pub struct SourceFile<'t> {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The name of the file, as the compiler wrote it.
    pub name: &'t str,
}

/// A name and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident<'t> {
    /// The name, with its leading `%`, `$` or `_` if it has one.
    pub text: &'t str,
    /// Where it is in the text.
    pub span: Span,
}

/// Defines [`Type`] by a table: each type, its name after the point of a directive or modifier, and its bytes in memory.
macro_rules! types {
    ($($ty:ident $name:literal $bytes:literal,)*) => {
        /// A fundamental type, such as `.u32`. The `.b*` types are bits without an interpretation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // The names are the specification's own.
        pub enum Type { $($ty),* }

        impl Type {
            /// The type with a name such as `u32`.
            pub fn named(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$ty),)* _ => None }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Type::$ty => $name),* }
            }

            /// Bytes of one element in memory; 1 for a predicate, which is never in memory.
            pub fn size_bytes(self) -> u32 {
                match self { $(Type::$ty => $bytes),* }
            }
        }
    };
}

types! {
    U8 "u8" 1,
    U16 "u16" 2,
    U32 "u32" 4,
    U64 "u64" 8,
    S8 "s8" 1,
    S16 "s16" 2,
    S32 "s32" 4,
    S64 "s64" 8,
    F16 "f16" 2,
    F16x2 "f16x2" 4,
    Bf16 "bf16" 2,
    Bf16x2 "bf16x2" 4,
    F32 "f32" 4,
    F64 "f64" 8,
    B8 "b8" 1,
    B16 "b16" 2,
    B32 "b32" 4,
    B64 "b64" 8,
    B128 "b128" 16,
    Pred "pred" 1,
    Texref "texref" 8,
    Samplerref "samplerref" 8,
    Surfref "surfref" 8,
}

impl Type {
    /// The type with the name of a directive, such as `.u32`.
    pub fn from_directive(directive: &str) -> Option<Type> {
        Type::named(directive.strip_prefix('.')?)
    }

    /// Whether only instructions for textures, samplers and surfaces can use it.
    pub fn is_opaque(self) -> bool {
        matches!(self, Type::Texref | Type::Samplerref | Type::Surfref)
    }
}

/// A state space in which a variable can be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the specification's own.
pub enum Space {
    Const,
    Global,
    Local,
    Param,
    /// A parameter or result of a function that is a register.
    Reg,
    Shared,
}

/// How a symbol is visible to other modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Visible only in its own module.
    #[default]
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`: defined in another module, or, in shared memory, with a size that the launch decides.
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A variable or a parameter.
#[derive(Clone, Debug)]
pub struct Variable<'t> {
    /// How it is visible to other modules.
    pub linkage: Linkage,
    /// Its state space.
    pub space: Space,
    /// Alignment in bytes; if the text does not have it, the size of the type times `vector`.
    pub align: u32,
    /// The type of one element.
    pub ty: Type,
    /// Elements per item: 1, or 2 or 4 for `.v2` and `.v4`.
    pub vector: u32,
    /// Its name. Declarations like `%r<12>` are [`Registers`].
    pub name: Ident<'t>,
    /// Array lengths, outermost first; empty for a scalar. `None` for `[]`.
    pub dims: Vec<Option<u64>>,
    /// Initial values in the order of memory, as many as the text has. A nested row that is too short is filled with
    /// zeros.
    pub init: Option<Vec<Init<'t>>>,
}

/// One initial value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init<'t> {
    /// An integer, of which the low 64 bits are kept; negative ones in two's complement.
    Int(u64),
    /// A floating-point value as an `f64`. `0f` literals are widened exactly.
    Float(f64),
    /// The address of a symbol plus an offset.
    Address {
        /// The symbol.
        name: Ident<'t>,
        /// The bytes to add.
        offset: i64,
        /// Whether the address is generic, as in `generic(symbol)`.
        generic: bool,
    },
}

/// `.reg .b32 %r<12>;`, `.reg .pred p, q;` or `.reg .v2 .f32 v;`, with one entry for each name.
#[derive(Clone, Debug)]
pub struct Registers<'t> {
    /// The type of each register.
    pub ty: Type,
    /// The elements of each: 1, or 2 or 4 for `.v2` and `.v4`, which the text names `v.x`, `v.y`, `v.z` and `v.w`.
    pub vector: u8,
    /// The name, without the `<12>`.
    pub name: Ident<'t>,
    /// `Some(12)` declares `%r0` to `%r11`; `None` declares the name itself.
    pub count: Option<u32>,
}

/// An entry (kernel) or a device function.
#[derive(Clone, Debug)]
pub struct Function<'t> {
    /// Whether it is a kernel (`.entry`).
    pub is_entry: bool,
    /// How it is visible to other modules.
    pub linkage: Linkage,
    /// Its name.
    pub name: Ident<'t>,
    /// Its results (`.func` only).
    pub returns: Vec<Variable<'t>>,
    /// Its parameters.
    pub params: Vec<Variable<'t>>,
    /// `.maxntid`, `.reqntid`, `.minnctapersm`, `.maxnctapersm`, `.maxnreg`, `.noreturn`, `.reqnctapercluster`,
    /// `.maxclusterrank` and `.explicitcluster`, each with its point and its numbers, in the order of the text.
    pub bounds: Vec<(&'t str, Vec<u32>)>,
    /// Its body, `None` for a prototype.
    pub body: Option<Block<'t>>,
    /// From the first word of its header to the end of its body.
    pub span: Span,
}

/// What is between `{` and `}`.
#[derive(Clone, Debug, Default)]
pub struct Block<'t> {
    /// Registers declared here.
    pub registers: Vec<Registers<'t>>,
    /// Variables declared here: `.local`, `.shared`, `.param`, and `.global` and `.const`.
    pub variables: Vec<Variable<'t>>,
    /// Labels, instructions and nested blocks, in order.
    pub statements: Vec<Statement<'t>>,
}

/// One item of a body.
#[derive(Clone, Debug)]
pub enum Statement<'t> {
    /// `name:`
    Label(Ident<'t>),
    /// An instruction.
    Instruction(Instruction<'t>),
    /// A nested block, which may declare names of its own.
    Block(Block<'t>),
    /// `label: .branchtargets a, b;` for `brx.idx`, or `label: .calltargets f, g;` for indirect calls.
    Targets {
        /// The name of the list.
        name: Ident<'t>,
        /// The labels or functions in it.
        targets: Vec<Ident<'t>>,
    },
    /// `label: .callprototype (…) _ (…);` for indirect calls.
    Prototype {
        /// The name of the prototype.
        name: Ident<'t>,
        /// The results.
        returns: Vec<Variable<'t>>,
        /// The parameters.
        params: Vec<Variable<'t>>,
    },
}

/// `@%p ld.global.u32 %r1, [%rd1+4];`
#[derive(Clone, Debug)]
pub struct Instruction<'t> {
    /// The predicate that decides for each lane, if there is one.
    pub guard: Option<Guard<'t>>,
    /// The opcode with all its modifiers, such as `ld.global.u32`. A `::` is part of a modifier.
    pub opcode: Ident<'t>,
    /// The operands, the destination first.
    pub operands: Vec<Operand<'t>>,
    /// The whole instruction, guard and semicolon included.
    pub span: Span,
    /// The CUDA line from which it was compiled (`.loc`).
    pub loc: Option<Loc>,
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug)]
pub struct Guard<'t> {
    /// The predicate register.
    pub register: Ident<'t>,
    /// Whether the lanes whose predicate is false execute the instruction.
    pub negated: bool,
}

/// A `.loc` directive: the CUDA line from which the instructions after it were compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loc {
    /// The number of the file in [`Module::files`].
    pub file: u32,
    /// The line, counted from 1; 0 if the compiler has none.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
    /// For a line of an inlined function: the call, as an index of [`Module::calls`]. It may be in an inlined function
    /// itself.
    pub inlined_at: Option<u32>,
}

impl Loc {
    /// The calls around this line, from the innermost on. `all` are those of the module, [`Module::calls`].
    pub fn calls(self, all: &[Loc]) -> impl Iterator<Item = &Loc> {
        let call = |at: Option<u32>| at.and_then(|at| all.get(at as usize));
        std::iter::successors(call(self.inlined_at), move |inner| call(inner.inlined_at))
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'t> {
    /// A register, special register (`%tid.x`), label, variable or function.
    Name(Ident<'t>),
    /// `!%p`
    Not(Ident<'t>),
    /// `_`: a result that is not needed, or a source that is left out.
    Sink(Span),
    /// An integer, of which the low 64 bits are kept; negative ones in two's complement.
    Int(u64, Span),
    /// `0f3F800000`: the bits of an `f32`.
    F32(u32, Span),
    /// `0d3FF0000000000000` or `1.5`: the bits of an `f64`.
    F64(u64, Span),
    /// `symbol+4` or `%r1+4` outside brackets.
    Offset(Ident<'t>, i64),
    /// `symbol[3]`: an element of an array. The index counts elements.
    Element(Ident<'t>, i64),
    /// One element of a vector register. In the text, the operand is the whole register.
    Part(Ident<'t>, u8),
    /// `[map, {x, y}]`: a place in a tensor, or in a texture, which no instruction that is supported uses.
    Tensor {
        /// A register or a variable; `None` for an absolute address.
        base: Option<Ident<'t>>,
        /// The bytes to add.
        offset: i64,
        /// What comes after the address.
        items: Vec<Operand<'t>>,
        /// From `[` to `]`.
        span: Span,
    },
    /// `[base+offset]`
    Address {
        /// A register or a variable; `None` for an absolute address.
        base: Option<Ident<'t>>,
        /// The bytes to add.
        offset: i64,
        /// From `[` to `]`.
        span: Span,
    },
    /// `{a, b}`
    Vector(Vec<Operand<'t>>, Span),
    /// `d|p`, two results.
    Pair(Box<Operand<'t>>, Box<Operand<'t>>),
    /// `(a, b)`, the lists of a call.
    List(Vec<Operand<'t>>, Span),
}
