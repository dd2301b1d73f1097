//! Loads, stores and fences, decoded.

use crate::order::{Order, Scope};
use crate::ptx::ast::Space;
use crate::report::location;

/// Which memory an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The address decides.
    Generic,
    /// Global memory and, read only, constant memory.
    Global,
    /// Constant memory: global memory that is not counted as such.
    Const,
    /// The block's shared memory.
    Shared,
    /// The shared memory of a block of the cluster, which the address names.
    Cluster,
    /// The lane's own memory.
    Local,
    /// The kernel's parameters.
    Param,
    /// The parameters of a device function: a part of the frame. On a GPU they are in registers, so they are not
    /// counted.
    Frame,
}

impl Memory {
    /// What reports call it.
    pub fn space(self) -> location::Space {
        match self {
            Memory::Global | Memory::Generic => location::Space::Global,
            Memory::Const => location::Space::Const,
            Memory::Shared | Memory::Cluster => location::Space::Shared,
            Memory::Local | Memory::Frame => location::Space::Local,
            Memory::Param => location::Space::Param,
        }
    }

    /// The memory in which a variable is that was declared in a space; `None` for registers.
    pub fn of(space: Space) -> Option<Memory> {
        match space {
            Space::Const => Some(Memory::Const),
            Space::Global => Some(Memory::Global),
            Space::Local => Some(Memory::Local),
            Space::Param => Some(Memory::Param),
            Space::Shared => Some(Memory::Shared),
            Space::Reg => None,
        }
    }
}

/// What the offset of an address is added to.
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

/// The address of an access, relative to a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The memory.
    pub memory: Memory,
    /// What the offset is added to.
    pub base: Base,
    /// Bytes added to the base.
    pub offset: i64,
}

/// A load or a store. Its values are the first `count` of `args.d`, `q`, `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its address; the base register is `args.a`.
    pub address: Address,
    /// Bytes of one element.
    pub bytes: u8,
    /// Elements for each lane: 1, 2 or 4.
    pub count: u8,
    /// Whether a loaded element is sign-extended.
    pub signed: bool,
    /// The width in bits of the registers, to which a loaded element is extended.
    pub register_bits: u8,
    /// Its memory order.
    pub order: Order,
    /// Its scope: the threads for which it holds.
    pub scope: Scope,
    /// `ld.global.nc`: no thread may write the bytes during the launch.
    pub read_only: bool,
}

impl Access {
    /// How many bytes each lane accesses.
    #[inline(always)]
    pub fn lane_bytes(&self) -> u64 {
        u64::from(self.bytes) * u64::from(self.count)
    }
}
