//! Calls, decoded.

use super::place::Place;
use crate::machine::registers::{Bank, Slot};

/// The start of the addresses of functions, for calls through registers: a region without memory.
pub const FUNCTIONS_BASE: u64 = 4 << 40;

/// The index of a call in the function's list of call sites.
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
        /// How many of its bytes are passed.
        bytes: u64,
    },
    /// Nothing: a result that is not needed, `_`.
    Nothing,
}
