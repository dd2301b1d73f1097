//! How each instruction of a kernel is carried out while a warp runs together: decided once, before the launch.

use std::sync::{Arc, OnceLock};

use crate::compile::affine::Formula;
use crate::compile::inst::Pc;
use crate::compile::liveness::Live;

use crate::isa::value::{Linear, Scalar};
use crate::machine::line::Line;
use crate::machine::registers::Slot;

/// The number of a register that is kept as a line.
pub type LineIndex = u8;

/// How an instruction is carried out for a warp that runs together.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// On columns, as the plain loop does.
    Column,
    /// Once, for all lanes: a register that is uniform.
    Once(Scalar),
    /// Once, for all lanes: a predicate.
    Test(Scalar),
    /// On the two numbers of each register.
    Linear(Formula),
    /// On predicates, by a table.
    Logic(u8),
    /// On the two numbers of both registers: a predicate.
    Compare(Linear),
    /// Reads a special register that is a line.
    Special,
    /// Puts where a variable of the frame lies into a line.
    FrameAddress,
    /// Loads what all lanes share into a line.
    LoadOne,
    /// Loads columns from addresses that are a line.
    Load,
    /// Stores columns to addresses that are a line.
    Store,
    /// Goes to memory by columns of addresses.
    Touch,
    /// Orders memory.
    Fence,
    /// Asks who is active or where an address lies, or reads a special register that is none of the others.
    Tell,
    /// Does nothing.
    Nothing,
    /// A branch that lanes skip a region by, up to where they meet.
    Region(Pc),
    /// Another branch.
    Branch(Pc),
    /// Waits for all threads of the block at a barrier of this number.
    Meet(u8),
    /// Changes who runs together, or may.
    Control,
}

impl How {
    /// Its bit: what the loop asks for one after the other, the most frequent first. A jump by `match` would be to a place
    /// that the processor has to guess.
    pub const fn bit(self) -> u8 {
        match self {
            How::Linear(_) => Step::LINEAR,
            How::LoadOne | How::Load | How::Store | How::Touch => Step::MEMORY,
            How::Compare(_) => Step::COMPARE,
            How::Column => Step::COLUMN,
            How::Logic(_) => Step::LOGIC,
            How::Branch(_) => Step::BRANCH,
            How::Region(_) => Step::REGION,
            _ => 0,
        }
    }
}

/// An instruction, ready to be carried out so.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How.
    pub how: How,
    /// The bit of that.
    pub bit: u8,
    /// Whether what it writes may be written for all lanes.
    pub is_free: bool,
    /// Whether the result or, of a comparison, a source has 64 bits.
    pub wide: bool,
    /// How many instructions from here on follow each other whatever happens, and are for all lanes; 0 where this one does
    /// not.
    pub straight: u32,
    /// Whether a predicate guards it.
    pub guarded: bool,
    /// Which.
    pub guard: Slot,
    /// All ones where lanes run for which the predicate is false.
    pub flip: u32,
    /// The line that it writes.
    pub to: LineIndex,
    /// The lines that it reads.
    pub from: [LineIndex; 4],
    /// Which of its sources are predicates, one bit a source.
    pub predicates: u8,
    /// Their slots.
    pub preds: [Slot; 4],
    /// The column that the result is wanted in besides.
    pub column: Option<Slot>,
}

impl Step {
    /// A bit for what is frequent.
    pub const LINEAR: u8 = 1;
    /// Loads, stores, atomics.
    pub const MEMORY: u8 = 2;
    /// Comparisons of lines.
    pub const COMPARE: u8 = 4;
    /// What is done to columns.
    pub const COLUMN: u8 = 8;
    /// What is done to predicates.
    pub const LOGIC: u8 = 16;
    /// Branches that open no region.
    pub const BRANCH: u8 = 32;
    /// Branches that do.
    pub const REGION: u8 = 64;

    /// Whether it is of one of these kinds.
    #[inline(always)]
    pub const fn is(&self, bit: u8) -> bool {
        self.bit & bit != 0
    }
}

/// A register that is kept as a line, and where its column is.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Its column.
    pub slot: Slot,
    /// Whether the column is of 64 bits.
    pub wide: bool,
    /// Whether it must be the same in all lanes.
    pub is_uniform: bool,
    /// Its number among all registers, for [`Live`].
    pub register: usize,
}

/// What a launch decides about the shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// Whether a warp lies in one row of the block, so that `%tid.x` is linear and `%tid.y` uniform.
    pub in_rows: bool,
}

/// The plans of a kernel, one for each [`Given`], made when they are first wanted.
#[derive(Clone, Debug, Default)]
pub struct Plans([OnceLock<Option<Arc<Plan>>>; 2]);

impl Plans {
    /// The plan for what a launch decides, made if it has never been wanted.
    pub fn get(&self, given: Given, make: impl FnOnce() -> Option<Plan>) -> Option<Arc<Plan>> {
        self.0[usize::from(given.in_rows)].get_or_init(|| make().map(Arc::new)).clone()
    }
}

/// How a kernel is carried out.
#[derive(Debug)]
pub struct Plan {
    /// Its first instruction.
    pub start: Pc,
    /// Its instructions.
    pub steps: Vec<Step>,
    /// The registers that are kept as lines.
    pub kept: Vec<Kept>,
    /// The predicates that must be the same in all lanes: slot, and number among all registers.
    pub uniform_predicates: Vec<(Slot, usize)>,
    /// What the lines hold when a thread starts.
    pub image: Vec<Line>,
    /// The columns, wide or narrow, that a thread may read before it writes them.
    pub first_read: Vec<(bool, Slot)>,
    /// Which registers matter where.
    pub live: Live,
}
