//! The intermediate code: instructions of three addresses on registers that may be assigned more than once.
//!
//! Close to PTX, so that emitting it is a matter of spelling. Registers are mutable, as PTX's are; passes that need to
//! know which value a register holds number the values (`optimise::number`). It is no SSA form: there are no phis.
//! Integers of 8 and 16 bits are in registers of 32 bits, extended as their type says, because PTX computes with 16
//! bits at least and with 8 not at all.
//!
//! ```text
//! __global__ void f(float* x, int n) { if (n > 0) x[n] = 2; }
//!
//! block 0   r1 = Param 0        r2 = ToGlobal r1     r3 = Param 1
//!           p4 = Set(Gt) r3, 0                       Branch p4: 1, 2
//! block 1   r5 = MulWide r3, 4  r6 = Add r2, r5      Store [r6+0], 2.0    Jump 2
//! block 2   Return
//! ```

#[cfg(feature = "host")]
pub(crate) mod bits;
pub(crate) mod fold;
pub(crate) mod lists;
pub(crate) mod live;
#[cfg(feature = "host")]
pub(crate) mod unset;
pub(crate) mod walk;

pub(crate) use crate::check::typed::{Binary, Compare};
use crate::source::Span;
use crate::source::arena::Arena;

/// A register: an index of [`Function::regs`].
pub(crate) type Reg = u32;
/// An index of [`Function::blocks`].
pub(crate) type BlockId = usize;
/// An index of [`Function::slots`].
pub(crate) type SlotId = usize;

/// What a register holds. Registers of PTX have types; those of one class can be used for each other without a
/// conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A truth value.
    Pred,
    /// Only `asm` with the constraint `h` has such registers.
    B16,
    B32,
    B64,
    F32,
    F64,
}

/// The type of a value in an instruction. In memory, `Pred` is a byte. The sign matters where an instruction depends on
/// it and where a narrow value is extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ty {
    Pred,
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
}

/// What an instruction reads. Constants are operands everywhere here; where PTX takes none, whoever makes the
/// instruction puts them into registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Reg(Reg),
    /// An integer, or a truth value.
    Int(i64),
    /// The bits of a float.
    F32(u32),
    F64(u64),
}

/// A state space. `Generic` is known only when the kernel runs. PTX ISA, section 5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Constant,
    Local,
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    Reg(Reg),
    /// A variable of the kernel.
    Slot(SlotId),
    /// A variable of the module: an index of [`Program::globals`](crate::check::typed::Program::globals).
    Symbol(usize),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub base: Base,
    pub offset: i64,
}

impl Place {
    /// So many bytes further. A constant index may be anything, so that the sum wraps.
    pub fn after(self, bytes: u64) -> Place {
        Place { offset: self.offset.wrapping_add(bytes as i64), ..self }
    }
}

/// An access to memory of one to four values in a row. How many is the number of the instruction's results or
/// arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub place: Place,
    /// `Generic` until `optimise::spaces` knows better.
    pub space: Space,
    pub ty: Ty,
    pub is_volatile: bool,
}

/// Operations on one number; `Not` is of bits or of a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Neg,
    Not,
    Abs,
    Popc,
    Clz,
    Brev,
}

/// Operations on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arith {
    Binary(Binary),
    Min,
    Max,
    MulHigh,
}

/// What an instruction does. It is compared and hashed whole, as a part of what computes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op<'t> {
    /// A copy; between a float and an integer, of the bits.
    Mov,
    Arith(Arith, Ty),
    Unary(Unary, Ty),
    /// The product of two numbers of 32 bits, in 64.
    MulWide(Ty),
    /// `a * b + c`, of integers or, rounded once, of floats.
    Mad(Ty),
    /// `c ? a : b`
    Select(Ty),
    /// A comparison, into a predicate.
    Set(Compare, Ty),
    /// To a narrow type, the value is cut and extended again.
    Convert {
        to: Ty,
        from: Ty,
    },
    /// A special register, such as `%tid.x`: its value is the same at all times.
    Special(&'static str),
    /// The address of a variable in its own state space.
    Symbol(usize),
    SlotAddress(SlotId),
    /// The address that a kernel's parameter has in global memory.
    ToGlobal,
    /// An address for every space, from one of a space that becomes known later.
    ToGeneric(Space),
    /// A parameter of the kernel at an offset.
    Param(usize, u32, Ty),
    /// The results, or the arguments, are what is accessed; a register in the address is read, too ([`Inst::base`]).
    Load(Access),
    Store(Access),
    /// Text whose meaning passes do not know, apart from `isspacep`.
    Ptx(&'t Ptx<'t>),
}

/// Instructions in PTX with operands: what `asm` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Ptx<'t> {
    pub text: &'t str,
    /// Whether it must not be removed, repeated or moved.
    pub is_volatile: bool,
    /// Whether loads before it may not be used after it.
    pub touches_memory: bool,
    /// Of the arguments, in order: whether it is an address, and of how much offset.
    pub addresses: &'t [Option<i64>],
    /// Of the text's `%0`, `%1`, …: a result or an argument.
    pub operands: &'t [PtxOperand],
    /// The classes of the arguments.
    pub classes: &'t [Class],
    /// Whether it is this compiler's, so that numbers may stand in place of registers.
    pub is_own: bool,
}

/// A position among [`Inst::dsts`] or [`Inst::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PtxOperand {
    Result(usize),
    Argument(usize),
}

/// An instruction. Its lists are in the arena and may be changed where they are.
#[derive(Debug)]
pub(crate) struct Inst<'t> {
    pub op: Op<'t>,
    /// The registers that it writes.
    pub dsts: &'t mut [Reg],
    /// What it reads, as far as that is not in its operation.
    pub args: &'t mut [Operand],
    /// The line, as an index of [`Function::lines`].
    pub line: u32,
}

/// How a block ends. PTX has no such thing: falling into the next block is made by the emitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Jump(BlockId),
    /// If the register holds (or does not, with the flag) to the first, else to the second.
    Branch {
        condition: Reg,
        is_negated: bool,
        yes: BlockId,
        no: BlockId,
    },
    Return,
}

/// Instructions that are executed one after another, and where they lead.
#[derive(Debug)]
pub(crate) struct Block<'t> {
    pub insts: Vec<Inst<'t>>,
    pub end: End,
    /// That of its end.
    pub line: u32,
}

/// A variable in memory of its own, until it is found to fit into registers.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub size: u64,
    pub align: u64,
    /// The variable, for the map of names.
    pub name: Option<VarName>,
}

/// A variable of the text and where it is visible. For [`crate::Name`], which says what a register holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarName {
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// From the declaration to the end of the function.
    pub first_line: u32,
    pub last_line: u32,
    /// Whether the function that declares it was inlined.
    pub is_inlined: bool,
}

/// A place in the text that instructions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub file: u16,
    pub line: u32,
    pub column: u32,
    /// If it is in a function that was inlined.
    pub inlined: Option<Inlined>,
}

impl Site {
    /// What `.loc` says of it.
    pub fn position(&self) -> (u16, u32, u32) {
        (self.file, self.line, self.column)
    }
}

/// That a function was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Inlined {
    /// The number of the function.
    pub function: usize,
    /// The call, as an index of [`Function::lines`].
    pub call: u32,
}

/// A kernel.
#[derive(Debug)]
pub(crate) struct Function<'t> {
    pub arena: Arena<'t>,
    pub name: String,
    pub params: Vec<Param>,
    pub launch_bounds: Vec<u32>,
    /// Blocks in a cluster, if the kernel says so.
    pub cluster_dims: Vec<u32>,
    /// The class of each register.
    pub regs: Vec<Class>,
    /// The state space of the address that each register holds, found at the end; those that are missing hold none.
    pub spaces: Vec<Option<Space>>,
    /// After `optimise::promote` there is one, with everything that stays in local memory.
    pub slots: Vec<Slot>,
    /// The first is where the kernel begins.
    pub blocks: Vec<Block<'t>>,
    /// The places that instructions come from.
    pub lines: Vec<Site>,
    /// Which variable a register holds.
    pub names: Vec<(Reg, VarName)>,
}

/// A parameter of a kernel, as its `.param` declares it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub size: u64,
    pub align: u64,
    /// The type, if it is a number or a pointer.
    pub ty: Option<Ty>,
}

impl Space {
    /// How an instruction names the space.
    pub fn suffix(self) -> &'static str {
        match self {
            Space::Generic => "",
            Space::Global => ".global",
            Space::Shared => ".shared",
            Space::Constant => ".const",
            Space::Local => ".local",
        }
    }
}

impl Ty {
    /// The registers that hold its values.
    pub fn class(self) -> Class {
        match self {
            Ty::Pred => Class::Pred,
            Ty::U8 | Ty::S8 | Ty::U16 | Ty::S16 | Ty::U32 | Ty::S32 => Class::B32,
            Ty::U64 | Ty::S64 => Class::B64,
            Ty::F32 => Class::F32,
            Ty::F64 => Class::F64,
        }
    }

    /// In memory.
    pub fn size(self) -> u64 {
        match self {
            Ty::Pred | Ty::U8 | Ty::S8 => 1,
            Ty::U16 | Ty::S16 => 2,
            Ty::U32 | Ty::S32 | Ty::F32 => 4,
            Ty::U64 | Ty::S64 | Ty::F64 => 8,
        }
    }

    pub fn bits(self) -> u32 {
        8 * self.size() as u32
    }

    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, Ty::Pred | Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64)
    }

    /// The type of the same meaning that arithmetic has: at least 32 bits. That is what C++ promotes to ([conv.prom]),
    /// and what PTX can compute with.
    pub fn wide(self) -> Ty {
        match self {
            Ty::U8 | Ty::U16 => Ty::U32,
            Ty::S8 | Ty::S16 => Ty::S32,
            other => other,
        }
    }
}

impl Op<'_> {
    /// Whether the instruction only computes its results from its arguments. Two with the same arguments then have the
    /// same results, and one of them will do.
    pub fn is_pure(&self) -> bool {
        match self {
            Op::Load(_) | Op::Store(_) => false,
            Op::Ptx(ptx) => !ptx.is_volatile && !ptx.touches_memory,
            _ => true,
        }
    }

    /// Whether nothing is lost if nobody reads the results. A load may be, though a wrong address would have faulted.
    pub fn is_removable(&self) -> bool {
        match self {
            Op::Load(access) => !access.is_volatile,
            other => other.is_pure(),
        }
    }
}

impl<'t> Block<'t> {
    /// Puts instructions before those that they come with the numbers of, which ascend. All at once, because inserting
    /// one by one would move the rest each time.
    pub fn insert(&mut self, new: &mut Vec<(usize, Inst<'t>)>) {
        if new.is_empty() {
            return;
        }
        let room = Vec::with_capacity(self.insts.len() + new.len());
        let old = std::mem::replace(&mut self.insts, room);
        let mut new = new.drain(..).peekable();
        for (at, inst) in old.into_iter().enumerate() {
            while let Some((_, inst)) = new.next_if(|(before, _)| *before == at) {
                self.insts.push(inst);
            }
            self.insts.push(inst);
        }
        self.insts.extend(new.map(|(_, inst)| inst));
    }
}

impl<'t> Inst<'t> {
    pub fn new(arena: Arena<'t>, op: Op<'t>, dsts: &[Reg], args: &[Operand], line: u32) -> Inst<'t> {
        Inst { op, dsts: arena.list_mut(dsts), args: arena.list_mut(args), line }
    }
}

impl Operand {
    pub fn reg(self) -> Option<Reg> {
        if let Operand::Reg(reg) = self { Some(reg) } else { None }
    }
}

impl Function<'_> {
    pub fn new_reg(&mut self, class: Class) -> Reg {
        new_reg(&mut self.regs, class)
    }

    pub fn class(&self, reg: Reg) -> Class {
        self.regs[reg as usize]
    }

    /// The state space of an address.
    pub fn space(&self, address: Operand) -> Space {
        let known = address.reg().and_then(|reg| self.spaces.get(reg as usize).copied().flatten());
        known.unwrap_or(Space::Generic)
    }
}

/// Another register, by the classes of all of them.
pub(crate) fn new_reg(regs: &mut Vec<Class>, class: Class) -> Reg {
    regs.push(class);
    (regs.len() - 1) as Reg
}
