//! Decoded tensor copies, and what may be wrong with the tensor map of one.

use super::bulk::Completion;
use super::memory::{Address, Memory};
use crate::machine::global::Miss;
use crate::machine::registers::Slot;
use crate::machine::tensor_map::{MAX_RANK, TensorMapError};
use crate::ptx::ast::Type;
use crate::report::location::AccessKind;

/// A copy of a box between shared memory and a tensor in global memory.
#[derive(Clone, Copy, Debug)]
pub struct TensorCopy {
    /// The dimensions that the opcode names.
    pub rank: u8,
    /// What it does.
    pub action: TensorAction,
    /// The box in shared memory; the base is `args.a`. Meaningless for a prefetch.
    pub shared: Address,
    /// The tensor map; the base is `args.b`.
    pub map: Address,
    /// The columns of the coordinates, of which the first `rank` count.
    pub coordinates: [Slot; MAX_RANK],
}

/// What a tensor copy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorAction {
    /// Copies to shared memory, in a multicast to each block of the cluster whose bit is set in `args.q`.
    Load {
        /// How its completion is told.
        end: Completion,
        /// Whether it is a multicast.
        multicast: bool,
    },
    /// Copies to global memory.
    Store,
    /// Reduces global memory.
    Reduce(Combining),
    /// Brings a box closer, which nobody sees.
    Prefetch,
}

/// The operations of reductions, by their names in opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The specification's own names.
pub enum Combining {
    Add,
    Min,
    Max,
    Inc,
    Dec,
    And,
    Or,
    Xor,
}

impl Combining {
    /// All, with their names.
    pub const NAMED: [(&'static str, Combining); 8] = [
        ("add", Combining::Add),
        ("min", Combining::Min),
        ("max", Combining::Max),
        ("inc", Combining::Inc),
        ("dec", Combining::Dec),
        ("and", Combining::And),
        ("or", Combining::Or),
        ("xor", Combining::Xor),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Combining::NAMED.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The type as which it takes elements, if it takes such elements.
    pub fn taken(self, element: Type) -> Option<Type> {
        use Type::{B32, B64, Bf16, F16, F32, S32, S64, U32, U64};
        let takes: &[Type] = match self {
            Combining::Add => &[U32, S32, U64, F32, F16, Bf16],
            Combining::Min | Combining::Max => &[U32, S32, U64, S64, F16, Bf16],
            Combining::Inc | Combining::Dec => &[U32],
            Combining::And | Combining::Or | Combining::Xor => {
                return match element {
                    U32 | S32 => Some(B32),
                    U64 | S64 => Some(B64),
                    _ => None,
                };
            }
        };
        takes.contains(&element).then_some(element)
    }
}

impl TensorCopy {
    /// What the copy does to one of the memories that it concerns.
    pub fn access_to(&self, memory: Memory) -> AccessKind {
        let is_shared = matches!(memory, Memory::Shared | Memory::Cluster);
        match self.action {
            TensorAction::Load { .. } if is_shared => AccessKind::Write,
            TensorAction::Store if !is_shared => AccessKind::Write,
            TensorAction::Reduce(_) if !is_shared => AccessKind::Update,
            _ => AccessKind::Read,
        }
    }
}

/// Why a box may not begin where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadCoordinate {
    /// The first coordinate is so many bytes, which are not a multiple of 16.
    Misaligned(i64),
    /// A copy to global memory has this coordinate, counted from zero, which is negative.
    Negative(usize, i32),
}

/// What is wrong with the tensor map of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadMap {
    /// Its address is not a multiple of 64 bytes.
    Misaligned,
    /// It is in a memory where no map may be.
    Memory,
    /// There is nothing at its address.
    Missed(Miss),
    /// Its bytes are none.
    Bytes(TensorMapError),
    /// It has so many dimensions, and the opcode another number.
    Rank(usize, u8),
    /// The reduction has no meaning for its elements.
    Element(Combining, Type),
}
