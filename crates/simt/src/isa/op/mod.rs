//! Decoded instructions: an [`Op`] and its operands.
//!
//! This is data, with its meaning for values. The families in [`crate::isa`] decode opcodes to it.

pub mod atomic;
pub mod bulk;
pub mod call;
pub mod cluster;
pub mod copy;
pub mod matrix;
pub mod mbarrier;
pub mod memory;
pub mod place;
pub mod sync;
pub mod tensor;
pub mod tensor_copy;
pub mod warp;
pub mod warpgroup;

use crate::isa::affine::Rule;
use crate::isa::special::Special;
use crate::isa::value::{Args, Run};
use crate::machine::mbarriers::OBJECT_BYTES;
use crate::machine::registers::{Bank, Slot};
use crate::order::Semantics;
use crate::report::location::AccessKind;
use atomic::Atomic;
use bulk::BulkOp;
use call::CallIndex;
use cluster::{ClusterAddress, ClusterBarrier};
use copy::Async;
use matrix::{Matrix, ROW_BYTES};
use mbarrier::Mbarrier;
use memory::{Access, Address};
use sync::Barrier;
use warp::Collective;
use warpgroup::Warpgroup;

/// What an instruction does, decoded.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// Computes registers from registers, lane by lane.
    Alu(Run),
    /// Reads a special register into `args.d`.
    Special {
        /// Which one.
        what: Special,
        /// Whether `args.d` is a 64-bit register.
        wide: bool,
    },
    /// Puts the address of a variable of the frame into `args.d`, as wide as `wide` says.
    FrameAddress {
        /// Its offset in the frame.
        offset: i32,
        /// Whether `args.d` is a 64-bit register.
        wide: bool,
    },
    /// Whether the generic address `args.a` lies in constant memory, or in global memory, into predicate `args.d`.
    IsSpace {
        /// In global memory, not in constant memory.
        global: bool,
    },
    /// Loads from memory.
    Load(Access),
    /// Stores to memory.
    Store(Access),
    /// Reads, changes and writes memory in one step.
    Atomic(Atomic),
    /// Orders the accesses before it with those after it.
    Fence(Semantics),
    /// Waits for the threads of the block, or arrives at their barrier.
    Barrier(Barrier),
    /// Waits for the threads of the cluster, or arrives at their barrier.
    ClusterBarrier(ClusterBarrier),
    /// Answers a question about the shared address `args.a` into `args.d`.
    ClusterAddress {
        /// The question.
        asks: ClusterAddress,
        /// Whether the address has 64 bits.
        wide: bool,
    },
    /// Operates on a barrier in memory.
    Mbarrier(Mbarrier),
    /// Starts asynchronous copies, or waits for them.
    Async(Async),
    /// Starts bulk copies, or waits for them.
    Bulk(BulkOp),
    /// Exchanges values with other lanes of the warp.
    Collective(Collective),
    /// Moves or multiplies matrices whose elements are spread over the lanes of the warp.
    Matrix(Matrix),
    /// What the warps of a warpgroup execute together, or for products that they started.
    Warpgroup(Warpgroup),
    /// Puts the mask of the lanes that execute together into `args.d`.
    ActiveMask,
    /// Branches to `target`; lanes that diverge here reconverge at `meet`. Decoded to labels, which are then resolved.
    Branch {
        /// The label, later the program counter.
        target: u32,
        /// The reconvergence point.
        meet: u32,
    },
    /// Branches to entry `args.a` of a list.
    BranchIndexed {
        /// The list.
        list: u32,
        /// The reconvergence point.
        meet: u32,
    },
    /// Calls a function.
    Call(CallIndex),
    /// Returns from a function; ends the thread in a kernel.
    Return,
    /// Ends the thread.
    Exit,
    /// Stops the launch.
    Trap,
    /// Has no effect that a program can see: a hint to caches or to the scheduler.
    Hint,
    /// Ends the launch with an error: the instruction is not supported. The number is that of the error.
    Unsupported(u32),
}

/// A decoded instruction: what it does, and to which columns.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Instructions that compute its sources and are carried out before it.
    pub before: Vec<Decoded>,
    /// What it does.
    pub op: Op,
    /// Its operands.
    pub args: Args,
    /// What becomes of affine sources.
    pub affine: Rule,
    /// The registers that it names.
    pub touched: Vec<Touched>,
}

impl Decoded {
    /// An instruction without operands.
    pub fn of(op: Op) -> Decoded {
        Decoded { before: Vec::new(), op, args: Args::default(), affine: Rule::No, touched: Vec::new() }
    }
}

impl Op {
    /// The access to memory: its address, the bytes of each lane, and what it does.
    #[inline(always)]
    pub fn access(&self) -> Option<(&Address, u64, AccessKind)> {
        Some(match self {
            Op::Load(access) => (&access.address, access.lane_bytes(), AccessKind::Read),
            Op::Store(access) => (&access.address, access.lane_bytes(), AccessKind::Write),
            Op::Atomic(atomic) => (&atomic.address, u64::from(atomic.bytes), AccessKind::Update),
            Op::Mbarrier(mbarrier) => (&mbarrier.address, OBJECT_BYTES, AccessKind::Mbarrier),
            Op::Async(Async::Copy(copy)) => (&copy.to, u64::from(copy.bytes), AccessKind::Write),
            Op::Async(Async::Arrive { address, .. }) => (address, OBJECT_BYTES, AccessKind::Mbarrier),
            Op::Matrix(Matrix::Load(rows)) => (&rows.address, ROW_BYTES, AccessKind::Read),
            Op::Matrix(Matrix::Store(rows)) => (&rows.address, ROW_BYTES, AccessKind::Write),
            Op::Matrix(Matrix::LoadTile(tile)) => (&tile.address, tile.bytes(), AccessKind::Read),
            Op::Matrix(Matrix::StoreTile(tile)) => (&tile.address, tile.bytes(), AccessKind::Write),
            _ => return None,
        })
    }

    /// The lanes that access memory, where `active` execute the instruction.
    pub fn accessing(&self, active: u32) -> u32 {
        match self {
            Op::Matrix(Matrix::Load(rows) | Matrix::Store(rows)) => active & rows.lanes(),
            _ => active,
        }
    }
}

/// A column that an instruction names as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Its bank.
    pub bank: Bank,
    /// Its number.
    pub slot: Slot,
    /// Whether the instruction may write it; otherwise it only reads it.
    pub is_written: bool,
}
