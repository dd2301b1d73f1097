//! Atomics, decoded.

use super::memory::{Address, Memory};
use crate::order::{Order, Scope};

/// The new value from the old one and the operands `b` and `c`, all as bits.
pub type Update = fn(old: u64, b: u64, c: u64) -> u64;

/// An atomic operation: result `args.d`, address `args.a`, operands `args.b` and `args.c`.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Atomic {
    /// Its address.
    pub address: Address,
    /// Bytes of the value.
    pub bytes: u8,
    /// What it does.
    pub update: Update,
    /// What it does in global memory, if that differs.
    pub update_global: Option<Update>,
    /// Whether it stores only if the old value equals the expected one. A `cas` that fails is a load.
    pub is_cas: bool,
    /// Whether it stores its operand, whatever the old value is.
    pub is_exchange: bool,
    /// Whether it returns the old value (`atom`) or not (`red`).
    pub returns: bool,
    /// Whether any instruction may read the returned value.
    pub is_read: bool,
    /// How it can be put off, if its result is not read.
    pub put_off: Option<PutOff>,
    /// Its memory order.
    pub order: Order,
    /// Its scope: the threads for which it is atomic and ordered.
    pub scope: Scope,
}

impl Atomic {
    /// Whether the old value reaches no instruction: it is exchanged for another one, and the result is not read.
    pub fn only_writes(&self) -> bool {
        self.is_exchange && !self.is_read
    }

    /// The value that it stores into a memory, global or shared.
    pub fn new_value(&self, memory: Memory, old: u64, b: u64, c: u64) -> u64 {
        self.update_in(memory)(old, b, c)
    }

    /// The function from the old value to the new one in a memory, global or shared.
    pub fn update_in(&self, memory: Memory) -> Update {
        self.update_global.filter(|_| memory != Memory::Shared).unwrap_or(self.update)
    }

    /// Whether it is `and`, `or`, `xor`, `min` or `max` of 64 bits. In the shared memory of another block, an H200 does only sums,
    /// exchanges and comparisons of that size in one piece; of the others, ptxas 12.9 and 13.0 make a load, an operation and a store.
    pub fn is_split_at_a_peer(&self) -> bool {
        self.bytes == 8 && self.put_off.is_some_and(|how| !how.in_order && how.number >= IN_A_KIND)
    }

    /// Whether it adds integers.
    pub fn adds(&self) -> bool {
        self.put_off.is_some_and(|put_off| put_off.number < IN_A_KIND)
    }
}

/// An operation that several cores may put off until they are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PutOff {
    /// Its number: two with the same number are the same operation.
    pub number: u8,
    /// Whether its order matters.
    pub in_order: bool,
}

/// How many numbers of [`PutOff`] an operation has: for 32 and 64 bits, with and without a sign.
pub const IN_A_KIND: u8 = 4;
