//! Names to columns: what each name means where it stands.
//!
//! A scope grows while a function is decoded. Registers get a column when they are first used, literals get
//! a column of the frame's image that holds them in every lane (so that an operand is always a column), and
//! nested blocks may declare a name again. What a frame's registers hold when it opens is [`Scope::image`].

use std::collections::HashMap;

use super::control::CallSite;
use crate::machine::registers::{Registers, Slot, WARP_SIZE};
use crate::ptx::ast::{Ident, Registers as Declared, Space, Type};

/// Columns a function may use in one bank; a slot is 16 bits.
pub const MAX_COLUMNS: usize = 60_000;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register of this type.
    Register(Type),
    /// A variable.
    Variable(Place),
    /// A label, by its number in the function.
    Label(u32),
    /// A list for `brx.idx`, by its number in the function.
    Targets(u32),
    /// A function, by its number in the module.
    Function(u32),
}

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
    /// Whether the address counts from the start of the frame.
    pub in_frame: bool,
}

/// The names a function can see, and the columns given out so far.
#[derive(Clone, Debug, Default)]
pub struct Scope<'t> {
    levels: Vec<Level<'t>>,
    columns: HashMap<(usize, &'t str), Slot>,
    constants: HashMap<(Bank, u64), Slot>,
    /// The registers of a new frame: zero, or the constant the column is for.
    pub image: Registers,
    /// The calls decoded so far, in the order of the text.
    pub calls: Vec<CallSite>,
    carry: Option<Slot>,
    next_level: usize,
}

#[derive(Clone, Debug, Default)]
struct Level<'t> {
    id: usize,
    names: HashMap<&'t str, Symbol>,
    /// `%r<12>`: the prefix, how many, and their type.
    ranges: Vec<(&'t str, u32, Type)>,
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
        Type::U64 | Type::S64 | Type::B64 | Type::F64 => 64,
        Type::B128 => 128,
    }
}

impl<'t> Scope<'t> {
    /// Opens a nested block.
    pub fn enter(&mut self) {
        self.levels.push(Level { id: self.next_level, ..Level::default() });
        self.next_level += 1;
    }

    /// Closes the innermost block.
    pub fn leave(&mut self) {
        self.levels.pop();
    }

    /// Declares a name in the innermost block; `false` where that block has it already.
    pub fn declare(&mut self, name: Ident<'t>, symbol: Symbol) -> bool {
        let level = self.levels.last_mut().expect("a block is open");
        level.names.insert(name.text, symbol).is_none()
    }

    /// Declares registers in the innermost block.
    pub fn declare_registers(&mut self, declared: &Declared<'t>) -> bool {
        let Some(count) = declared.count else {
            return self.declare(declared.name, Symbol::Register(declared.ty));
        };
        let level = self.levels.last_mut().expect("a block is open");
        level.ranges.push((declared.name.text, count, declared.ty));
        true
    }

    /// What a name stands for, and the block that declared it.
    pub fn find(&self, name: &str) -> Option<(usize, Symbol)> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: Option<u32> = name[prefix.len()..].parse().ok();
        self.levels.iter().rev().find_map(|level| {
            let named = level.names.get(name).copied();
            let ranged = || {
                let mut ranges = level.ranges.iter();
                let (.., ty) =
                    ranges.find(|range| range.0 == prefix && number.is_some_and(|n| n < range.1))?;
                Some(Symbol::Register(*ty))
            };
            Some((level.id, named.or_else(ranged)?))
        })
    }

    /// The column of a register that [`Scope::find`] found in block `level`; `None` when the bank is full.
    pub fn column(&mut self, level: usize, name: &'t str, bank: Bank) -> Option<Slot> {
        if let Some(&slot) = self.columns.get(&(level, name)) {
            return Some(slot);
        }
        let slot = self.new_column(bank, 0)?;
        self.columns.insert((level, name), slot);
        Some(slot)
    }

    /// A column that holds `bits` in every lane.
    pub fn constant(&mut self, bank: Bank, bits: u64) -> Option<Slot> {
        if let Some(&slot) = self.constants.get(&(bank, bits)) {
            return Some(slot);
        }
        let slot = self.new_column(bank, bits)?;
        self.constants.insert((bank, bits), slot);
        Some(slot)
    }

    /// The predicate column of the carry flag `CC.CF`: hidden, one a frame, clear when the frame opens.
    pub fn carry(&mut self) -> Option<Slot> {
        if self.carry.is_none() {
            self.carry = self.new_column(Bank::Preds, 0);
        }
        self.carry
    }

    /// A column of its own, that starts with `bits` in every lane.
    pub fn new_column(&mut self, bank: Bank, bits: u64) -> Option<Slot> {
        let index = match bank {
            Bank::Narrow => push(&mut self.image.narrow, [bits as u32; WARP_SIZE]),
            Bank::Wide => push(&mut self.image.wide, [bits; WARP_SIZE]),
            Bank::Preds => push(&mut self.image.preds, if bits == 0 { 0 } else { u32::MAX }),
        };
        (index < MAX_COLUMNS).then_some(index as Slot)
    }
}

fn push<T>(columns: &mut Vec<T>, column: T) -> usize {
    columns.push(column);
    columns.len() - 1
}
