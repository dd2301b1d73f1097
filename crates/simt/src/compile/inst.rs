//! Instructions, ready to run, and their addresses.

use crate::isa::affine::Rule;
use crate::isa::op::Op;
use crate::isa::value::Args;
use crate::machine::registers::Slot;
use crate::ptx::Span;
use crate::ptx::ast::Loc;

/// The address of an instruction: its index in [`Program::insts`](super::program::Program::insts).
pub type Pc = u32;

/// No address: lanes that part here do not meet again before they end.
pub const NEVER: Pc = u32::MAX;
/// Lanes that part here meet again where their function returns.
pub const AT_RETURN: Pc = u32::MAX - 1;

/// An instruction, ready to run.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is found by a pass of its own and read by itself")]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// To which columns.
    pub args: Args,
    /// What becomes of affine sources.
    pub affine: Rule,
    /// The predicate that guards it; a constant one where nothing does.
    pub guard: Slot,
    /// All ones where lanes run for which the predicate is false.
    pub flip: u32,
    /// Whether there is a guard at all.
    pub guarded: bool,
    /// Where the registers that it names start in [`Program::touched`](super::program::Program::touched): first those that
    /// it reads, then those that it may write.
    pub touched: u32,
    /// How many it reads.
    pub reads: u16,
    /// How many it may write.
    pub writes: u16,
    /// Whether its results are temporaries ([`super::temporaries`]).
    pub is_temporary: bool,
    /// Whether control may come here from elsewhere than the instruction before it, or lanes may wait here.
    pub starts_segment: bool,
    /// Whether it accesses memory at an address that may name another block of the cluster.
    pub is_distant: bool,
    /// Whether it goes back in a loop that may do nothing but wait ([`super::waiting`]).
    pub may_wait: bool,
}

/// Where an instruction came from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Its text.
    pub span: Span,
    /// Its CUDA line.
    pub loc: Option<Loc>,
}
