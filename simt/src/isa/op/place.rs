//! Where variables and registers are.

use crate::ptx::ast::{Space, Type};

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The space it was declared in.
    pub space: Space,
    /// Its address in that space: absolute for global and constant memory, an offset in the block's shared
    /// memory, in the kernel's parameters, or (local, and parameters of functions) in the frame.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The size of one element in bytes.
    pub element: u32,
    /// Whether the address counts from the start of the frame.
    pub in_frame: bool,
    /// What it is declared as, if calls can pass and fill it: a `.param` variable in the body of a function.
    pub passed_as: Option<Formal>,
}

/// A parameter or result of a function as its header declares it, or what a call passes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formal {
    /// Its type; that of an element where it is an array.
    pub ty: Type,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes; that of its type if it is a register.
    pub align: u64,
    /// Whether it is an array.
    pub is_array: bool,
}

/// A register bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bank {
    /// Up to 32 bits.
    Narrow,
    /// 64 bits.
    Wide,
    /// One bit.
    Preds,
}

impl Bank {
    /// The bank of a register type; `None` for 128 bits, which no register of the machine holds.
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
    match ty {
        Type::Pred => 1,
        Type::U8 | Type::S8 | Type::B8 => 8,
        Type::U16 | Type::S16 | Type::B16 | Type::F16 | Type::Bf16 => 16,
        Type::U32 | Type::S32 | Type::B32 | Type::F32 | Type::F16x2 | Type::Bf16x2 => 32,
        Type::U64 | Type::S64 | Type::B64 | Type::F64 | Type::Texref | Type::Samplerref | Type::Surfref => 64,
        Type::B128 => 128,
    }
}
