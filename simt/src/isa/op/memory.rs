//! Loads, stores and fences, decoded.

use crate::order::{Order, Scope};

/// Which memory an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Decided by the address.
    Generic,
    /// Global and, read only, constant memory.
    Global,
    /// Constant memory: global memory that is not counted as such.
    Const,
    /// The block's shared memory.
    Shared,
    /// The lane's own memory.
    Local,
    /// The kernel's parameters.
    Param,
    /// Parameters of a device function: a part of the frame, in registers on a GPU, so not counted.
    Frame,
}

/// What an address is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Zero: the offset is the address.
    Absolute,
    /// The start of the function's frame.
    Frame,
    /// A 32-bit register, `args.a`.
    Narrow,
    /// A 64-bit register, `args.a`.
    Wide,
}

/// A fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// What it orders.
    pub order: Order,
    /// Its scope: the threads for which that holds.
    pub scope: Scope,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Which memory.
    pub memory: Memory,
    /// What the address is counted from.
    pub base: Base,
    /// Bytes added to the base.
    pub offset: i64,
}

/// A load or a store. Its values are `args.d`, `q`, `b` and `c`, as many as `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Where it goes; the base register is `args.a`.
    pub address: Address,
    /// Bytes of one element.
    pub bytes: u8,
    /// Elements a lane: 1, 2 or 4.
    pub count: u8,
    /// Whether a loaded element is sign-extended.
    pub signed: bool,
    /// Width in bits of the registers, to which a loaded element is extended.
    pub register_bits: u8,
    /// How it is ordered.
    pub order: Order,
    /// Its scope: the threads for which that holds.
    pub scope: Scope,
    /// `ld.global.nc`: the bytes must not be written during the launch.
    pub read_only: bool,
}

impl Access {
    /// Bytes a lane moves.
    #[inline(always)]
    pub fn lane_bytes(&self) -> u64 {
        u64::from(self.bytes) * u64::from(self.count)
    }
}
