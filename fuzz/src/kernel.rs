//! A kernel made from a seed: its text, its launch and its input, and where each instruction's result goes.
//!
//! Every instruction that computes something has a *slot*, a column of the output buffer with eight bytes for each
//! thread. So the first slot that differs between two machines names the first instruction that does. Kernels have no
//! data race, read nothing that nobody wrote, end, and contain nothing that the PTX ISA leaves undefined; so any two
//! machines must agree. Approximations are compared within their bounds ([`Compare`]), and nothing is computed from them.

use simt::Dim3;

use crate::write::{self, Cell};

/// What two machines must agree on in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compare {
    /// All bits.
    Exact,
    /// All bits of numbers; of two NaNs it does not matter which they are. Where the PTX ISA does not say which NaN it is:
    /// sums and the like in double precision, where any operand's payload may be kept (9.7.3), and `neg` and `abs`.
    Number(Width),
    /// Two numbers of this format no further apart than a part of their magnitude, or than an absolute distance.
    Within(Width, f64, f64),
    /// Nothing: the PTX ISA gives no bound. The instruction is run all the same.
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

/// Where an instruction's result goes, and which it is.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The opcode, with its modifiers.
    pub opcode: String,
    /// The instruction as it stands in the text.
    pub instruction: String,
    /// What must be equal.
    pub compare: Compare,
    /// The same instruction for a kernel of its own, where it is one that computes registers from registers.
    pub alone: Option<Alone>,
}

/// An instruction by itself: `OPCODE results, sources` with the sources' kinds, for a kernel that reads them from memory.
#[derive(Clone, Debug)]
pub struct Alone {
    /// The opcode.
    pub opcode: String,
    /// The registers of its results.
    pub results: Vec<crate::shape::Kind>,
    /// Which of the results the slot holds.
    pub result: usize,
    /// Its sources: a register of this kind, or a literal.
    pub sources: Vec<Result<crate::shape::Kind, String>>,
    /// For each source the first one that is the same register.
    pub same: Vec<usize>,
}

/// A kernel and everything that a launch needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The seed that made it.
    pub seed: u64,
    /// The PTX text; its kernel is [`Kernel::ENTRY`].
    pub text: String,
    /// The target, 90 for `sm_90`.
    pub target: u32,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// What each result slot holds, in the order of the text.
    pub slots: Vec<Slot>,
    /// What each cell that all threads change in any order holds.
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
    /// Which of the buffers holds the slots.
    pub const OUT: usize = 1;
    /// Which holds the threads' own places.
    pub const OWN: usize = 2;
    /// Which holds the cells.
    pub const CELLS: usize = 3;

    /// The kernel of a seed for a target of its own choice.
    pub fn new(seed: u64) -> Kernel {
        write::kernel(seed, None)
    }

    /// The same with the operands of the instruction of a slot stored after the slots ([`Kernel::operands`]). For the
    /// emulator, which executes every instruction as it stands; in a compiler's hands it would be another kernel.
    pub fn revealing(seed: u64, slot: usize) -> Kernel {
        write::kernel(seed, Some(slot))
    }

    /// Threads of all blocks.
    pub fn threads(&self) -> usize {
        (self.grid.count() * self.block.count()) as usize
    }

    /// The buffers of the arguments, in order.
    pub fn buffers(&self) -> Vec<Vec<u8>> {
        let bytes = |argument: &Argument| match argument {
            Argument::Buffer(_, bytes) => Some(bytes.clone()),
            Argument::Value(_) => None,
        };
        self.arguments.iter().filter_map(bytes).collect()
    }

    /// What a thread left in a column of the output.
    pub fn value(&self, out: &[u8], column: usize, thread: usize) -> u64 {
        let at = (column * self.threads() + thread) * 8;
        out.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The operands that a kernel of [`Kernel::revealing`] stored for a thread.
    pub fn operands(&self, out: &[u8], slot: usize, thread: usize) -> Vec<u64> {
        let count = self.slots[slot].alone.as_ref().map_or(4, |alone| alone.sources.len());
        (0..count).map(|index| self.value(out, write::REVEALED + index, thread)).collect()
    }
}
