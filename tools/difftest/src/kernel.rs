//! A kernel generated from a seed: its text, its launch, its input, and where the result of each instruction is stored.
//!
//! Every instruction that computes something has a *slot*, a column of the output buffer with eight bytes for each
//! thread. So the first slot that differs between two machines identifies the first instruction that differs. Kernels
//! have no data race, do not read uninitialised memory, end, and contain nothing that the PTX ISA leaves undefined; so
//! any two machines must agree. Approximations are compared within their bounds ([`Compare`]), and their results are
//! not used in further computations.

use simt::Dim3;

use crate::family::Family;
use crate::write::{self, Cell};

/// How equal the values of a slot must be on two machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compare {
    /// All bits.
    Exact,
    /// All bits of numbers, but any NaN equals any other. This is for instructions for which the PTX ISA does not say
    /// which NaN results: sums and the like in double precision, where the payload of any operand may be kept (9.7.3),
    /// and `neg` and `abs`.
    Number(Width),
    /// Two numbers of this format must not differ by more than a part of their magnitude, or than an absolute distance.
    Within(Width, f64, f64),
    /// Nothing is compared, because the PTX ISA gives no bound. The instruction is executed nevertheless.
    Nothing,
}

/// The format of an approximation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // PTX's own names.
pub enum Width {
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F64,
}

/// The place of an instruction's result, and the instruction.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The opcode, with its modifiers.
    pub opcode: String,
    /// The instruction as it is in the text.
    pub instruction: String,
    /// What must be equal.
    pub compare: Compare,
    /// The same instruction for a kernel of its own, if it computes registers from registers.
    pub alone: Option<Alone>,
}

/// An instruction by itself: `OPCODE results, sources` with the sources' kinds, for a kernel that reads them from memory.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The opcode.
    pub opcode: String,
    /// The registers of its results.
    pub results: Vec<crate::shape::Kind>,
    /// Which of the results is in the slot.
    pub result: usize,
    /// Its sources: a register of this kind, or a literal.
    pub sources: Vec<Result<crate::shape::Kind, String>>,
    /// For each source, the index of the first source that is the same register.
    pub same: Vec<usize>,
}

/// A kernel and everything that a launch needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The family of instructions of which it has many statements, if any.
    pub family: Option<Family>,
    /// The seed that made it.
    pub seed: u64,
    /// The PTX text; its kernel is [`Kernel::ENTRY`].
    pub text: String,
    /// The target, 90 for `sm_90`.
    pub target: u32,
    /// The grid of blocks.
    pub grid: Dim3,
    /// The threads of a block.
    pub block: Dim3,
    /// The contents of each result slot, in the order of the text.
    pub slots: Vec<Slot>,
    /// The contents of each cell that all threads update in any order.
    pub cells: Vec<Cell>,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
}

/// An argument of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer with these bytes, which the kernel may change.
    Buffer(&'static str, Vec<u8>),
    /// A value.
    Value(Vec<u8>),
}

impl Kernel {
    /// The name of the kernel in its text.
    pub const ENTRY: &'static str = "k";
    /// The index of the buffer with the slots.
    pub const OUT: usize = 1;
    /// The index of the buffer with the threads' own areas.
    pub const OWN: usize = 2;
    /// The index of the buffer with the cells.
    pub const CELLS: usize = 3;
    /// The index of the first buffer that only kernels of a family have.
    pub const OTHERS: usize = 4;

    /// The kernel of a seed; the seed also decides its target.
    pub fn new(seed: u64) -> Kernel {
        Kernel::of(None, seed)
    }

    /// The kernel of a seed in a family.
    pub fn of(family: Option<Family>, seed: u64) -> Kernel {
        write::kernel(family, seed, None)
    }

    /// The same kernel, but it also stores the operands of the instruction of a slot, after the slots
    /// ([`Kernel::operands`]). This is for the emulator, which executes every instruction as written. A compiler would
    /// make another kernel of it.
    #[must_use]
    pub fn revealing(&self, slot: usize) -> Kernel {
        write::kernel(self.family, self.seed, Some(slot))
    }

    /// Its name in messages: `seed 7`, or `bulk, seed 7`.
    pub fn name(&self) -> String {
        let family = self.family.map_or_else(String::new, |family| format!("{}, ", family.name()));
        format!("{family}seed {}", self.seed)
    }

    /// The number of threads of all blocks.
    pub fn threads(&self) -> usize {
        (self.grid.count() * self.block.count()) as usize
    }

    /// The buffers among the arguments, in order.
    pub fn buffers(&self) -> Vec<Vec<u8>> {
        let bytes = |argument: &Argument| match argument {
            Argument::Buffer(_, bytes) => Some(bytes.clone()),
            Argument::Value(_) => None,
        };
        self.arguments.iter().filter_map(bytes).collect()
    }

    /// The value that a thread stored in a column of the output.
    pub fn value(&self, out: &[u8], column: usize, thread: usize) -> u64 {
        let at = (column * self.threads() + thread) * 8;
        out.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The operands that a kernel made by [`Kernel::revealing`] stored for a thread.
    pub fn operands(&self, out: &[u8], slot: usize, thread: usize) -> Vec<u64> {
        let count = self.slots[slot].alone.as_ref().map_or(4, |alone| alone.sources.len());
        (0..count).map(|index| self.value(out, write::REVEALED + index, thread)).collect()
    }
}
