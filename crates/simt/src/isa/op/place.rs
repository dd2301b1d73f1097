//! Where variables and registers are stored.

use crate::machine::registers::Bank;
use crate::ptx::ast::{Space, Type};

/// The location of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The space it was declared in.
    pub space: Space,
    /// Its address in that space: an absolute address for global and constant memory, an offset in the block's shared
    /// memory or in the kernel's parameters, or an offset in the frame (local variables, and parameters of functions).
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The size of one element in bytes.
    pub element: u32,
    /// Whether the address is relative to the start of the frame.
    pub in_frame: bool,
    /// Its declared type, if calls can pass or fill it: a `.param` variable in the body of a function.
    pub passed_as: Option<Formal>,
}

/// A parameter or result of a function as its header declares it, or what a call passes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formal {
    /// Its type, or the type of its elements if it is an array.
    pub ty: Type,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes; for a register, that of its type.
    pub align: u64,
    /// Whether it is an array.
    pub is_array: bool,
}

impl Bank {
    /// The bank of a register type; `None` for 128 bits, for which there are no registers here.
    pub fn of(ty: Type) -> Option<Bank> {
        match ty {
            Type::Pred => Some(Bank::Preds),
            Type::B128 => None,
            _ if bits(ty) == 64 => Some(Bank::Wide),
            _ => Some(Bank::Narrow),
        }
    }
}

/// The width of a type in bits; 1 for a predicate.
pub fn bits(ty: Type) -> u32 {
    if ty == Type::Pred { 1 } else { 8 * ty.size_bytes() }
}
