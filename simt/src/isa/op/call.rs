//! Calls, decoded.

use super::place::{Bank, Place};
use crate::machine::registers::Slot;

/// Where the addresses of functions start, for calls through registers: a region that holds no memory.
pub const FUNCTIONS_BASE: u64 = 4 << 40;

/// A call, before its places are known to the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallIndex(pub u32);

/// What a call calls, and where its arguments and results are in the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The function.
    pub callee: Callee,
    /// Arguments in order.
    pub args: Vec<Passed>,
    /// Results in order.
    pub results: Vec<Passed>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function, by its number in the module.
    Direct(u32),
    /// The function whose address a 64-bit register holds.
    Indirect(Slot),
}

/// What a call passes or fills, on the caller's side and on the callee's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A `.param` variable in the frame.
    Variable(Place),
    /// A column: a register, or a literal.
    Column {
        /// Its bank.
        bank: Bank,
        /// Its number.
        slot: Slot,
        /// How many of its bytes count.
        bytes: u64,
    },
    /// Nothing: a result that is not wanted, `_`.
    Nothing,
}
