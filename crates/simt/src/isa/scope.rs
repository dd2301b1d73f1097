//! Resolves names to columns: what each name means at its place in the text.
//!
//! A scope grows while a function is decoded. Registers get a column when they are first used, literals get
//! a column of the frame's image that holds them in every lane (so that an operand is always a column), and
//! nested blocks may declare a name again. What a frame's registers hold when it opens is [`Scope::image`].

use std::collections::HashMap;
use std::rc::Rc;

use crate::isa::op::call::CallSite;
use crate::isa::op::place::{Formal, Place};
use crate::machine::registers::{Bank, Image, Slot, WARP_SIZE};
use crate::ptx::ast::{Ident, Registers as Declared, Type};

/// How many columns a function may use in one bank: a slot has 16 bits.
pub const MAX_COLUMNS: usize = 60_000;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A register of this type.
    Register(Type),
    /// A vector of so many registers of this type.
    Vector(Type, u8),
    /// A variable.
    Variable(Place),
    /// A label, by its number in the function.
    Label(u32),
    /// A list for `brx.idx`, by its number in the function.
    Targets(u32),
    /// A function, by its number in the module.
    Function(u32),
    /// The signature of a call through a register, by its number in the function.
    Prototype(u32),
}

/// The names that a function can see, and the columns that have been assigned so far.
#[derive(Clone, Debug, Default)]
pub struct Scope<'t> {
    /// The open blocks, outermost first. All functions share the module's.
    levels: Vec<Rc<Level<'t>>>,
    /// By block, name and element of a vector.
    columns: HashMap<(usize, &'t str, u8), Slot>,
    constants: HashMap<(Bank, u64), Slot>,
    /// The registers that have a column, in the order in which they got it.
    pub named: Vec<Named>,
    /// The registers of a new frame: zero, or the constant the column is for.
    pub image: Image,
    /// What the module's functions take and give, by number; `None` for kernels, which nobody may call.
    pub signatures: Rc<[Option<Signature>]>,
    /// Whether it is that of a function, and not of a kernel.
    pub in_function: bool,
    /// Whether the target has the instructions of one architecture alone, as `sm_90a` does.
    pub has_specific: bool,
    /// The prototypes of the function, by number.
    pub prototypes: Vec<Signature>,
    /// The calls decoded so far, in the order of the text.
    pub calls: Vec<CallSite>,
    carry: Option<Slot>,
    /// The columns in which matrix instructions have the words of rows.
    pub row_words: Option<[Slot; 4]>,
    /// The columns in which those of `wmma` have an address, and a value of 32 and of 64 bits.
    pub tile_columns: Option<[Slot; 3]>,
    next_level: usize,
}

#[derive(Clone, Debug, Default)]
struct Level<'t> {
    id: usize,
    names: HashMap<&'t str, Symbol>,
    /// `%r<12>`, by prefix: how many, and what each is.
    ranges: HashMap<&'t str, Vec<(u32, Symbol)>>,
}

/// A register and its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name in the text; an element of a vector is `v.x`.
    pub name: String,
    /// The name of its type.
    pub ty: &'static str,
    /// Its bank.
    pub bank: Bank,
    /// Its column.
    pub slot: Slot,
}

/// The parameters and results of a function.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Its parameters in order.
    pub params: Vec<Formal>,
    /// Its results in order.
    pub results: Vec<Formal>,
}

impl<'t> Scope<'t> {
    /// Opens a nested block.
    pub fn enter(&mut self) {
        self.levels.push(Rc::new(Level { id: self.next_level, ..Level::default() }));
        self.next_level += 1;
    }

    /// Closes the innermost block.
    pub fn leave(&mut self) {
        self.levels.pop();
    }

    /// Declares a name in the innermost block; `false` if that block already has it.
    pub fn declare(&mut self, name: Ident<'t>, symbol: Symbol) -> bool {
        self.innermost().names.insert(name.text, symbol).is_none()
    }

    /// Declares registers in the innermost block.
    pub fn declare_registers(&mut self, declared: &Declared<'t>) -> bool {
        let symbol = match declared.vector {
            1 => Symbol::Register(declared.ty),
            elements => Symbol::Vector(declared.ty, elements),
        };
        let Some(count) = declared.count else { return self.declare(declared.name, symbol) };
        self.innermost().ranges.entry(declared.name.text).or_default().push((count, symbol));
        true
    }

    fn innermost(&mut self) -> &mut Level<'t> {
        // No other scope shares a block whose declarations are still being read, so this copies nothing.
        Rc::make_mut(self.levels.last_mut().expect("a block is open"))
    }

    /// The meaning of a name, and the block that declared it.
    pub fn find(&self, name: &str) -> Option<(usize, Symbol)> {
        self.levels.iter().rev().find_map(|level| Some((level.id, level.find(name)?)))
    }

    /// A register of that name, or the element of a vector of registers that it names (`v.x`): the block, the name
    /// without the element, the number of the element, and its type.
    pub fn find_register(&self, name: &'t str) -> Option<(usize, &'t str, u8, Type)> {
        if let Some((level, Symbol::Register(ty))) = self.find(name) {
            return Some((level, name, 0, ty));
        }
        let (vector, element) = name.rsplit_once('.')?;
        let element = super::special::element(element)?;
        match self.find(vector)? {
            (level, Symbol::Vector(ty, elements)) if element < elements => Some((level, vector, element, ty)),
            _ => None,
        }
    }

    /// The column of a register that was found in block `level`; `None` when the bank is full.
    pub fn column(&mut self, level: usize, name: &'t str, element: u8, bank: Bank) -> Option<Slot> {
        if let Some(&slot) = self.columns.get(&(level, name, element)) {
            return Some(slot);
        }
        let slot = self.new_column(bank, 0)?;
        self.columns.insert((level, name, element), slot);
        self.name(name, element, bank, slot);
        Some(slot)
    }

    /// Records the name of a register that got a column.
    fn name(&mut self, name: &str, element: u8, bank: Bank, slot: Slot) {
        let (ty, suffix) = match self.find(name) {
            Some((_, Symbol::Vector(ty, _))) => (ty, [".x", ".y", ".z", ".w"][usize::from(element) % 4]),
            Some((_, Symbol::Register(ty))) => (ty, ""),
            _ => return,
        };
        self.named.push(Named { name: format!("{name}{suffix}"), ty: ty.name(), bank, slot });
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

    /// The predicate column of the carry flag `CC.CF`: hidden, one for each frame, clear when the frame opens.
    pub fn carry(&mut self) -> Option<Slot> {
        if self.carry.is_none() {
            self.carry = self.new_column(Bank::Preds, 0);
        }
        self.carry
    }

    /// A new column with `bits` in every lane at the start; `None` if the bank is full.
    pub fn new_column(&mut self, bank: Bank, bits: u64) -> Option<Slot> {
        match bank {
            Bank::Narrow => push(&mut self.image.narrow, [bits as u32; WARP_SIZE]),
            Bank::Wide => push(&mut self.image.wide, [bits; WARP_SIZE]),
            Bank::Preds => push(&mut self.image.preds, if bits == 0 { 0 } else { u32::MAX }),
        }
    }
}

impl Level<'_> {
    fn find(&self, name: &str) -> Option<Symbol> {
        if let Some(&symbol) = self.names.get(name) {
            return Some(symbol);
        }
        // `%r12` is number 12 of `%r`, or number 2 of `%r1`.
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (name.len() - digits..name.len()).find_map(|at| {
            let (prefix, number) = name.split_at(at);
            let number: u32 = number.parse().ok().filter(|_| number == "0" || !number.starts_with('0'))?;
            let mut ranges = self.ranges.get(prefix)?.iter();
            ranges.find(|(count, _)| number < *count).map(|(_, symbol)| *symbol)
        })
    }
}

fn push<T>(columns: &mut Vec<T>, column: T) -> Option<Slot> {
    let index = columns.len();
    if index >= MAX_COLUMNS {
        return None;
    }
    columns.push(column);
    Some(index as Slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::Span;

    #[test]
    fn a_range_has_the_numbers_it_was_declared_with() {
        let mut scope = Scope::default();
        scope.enter();
        let name = |text| Ident { text, span: Span::default() };
        for (text, count, vector) in [("%r", 11, 1), ("%r1", 3, 2), ("x", 2, 1)] {
            scope.declare_registers(&Declared {
                ty: Type::B32,
                vector,
                name: name(text),
                count: Some(count),
            });
        }
        let register = Some((0, Symbol::Register(Type::B32)));
        let vector = Some((0, Symbol::Vector(Type::B32, 2)));
        for (text, found) in [
            ("%r0", register),
            ("%r10", register),
            ("%r11", vector),
            ("%r12", vector),
            ("%r13", None),
            ("%r01", None),
            ("%r", None),
            ("x1", register),
            ("x2", None),
        ] {
            assert_eq!(scope.find(text), found, "{text}");
        }
        let element = |text| scope.find_register(text).map(|(_, name, element, _)| (name, element));
        assert_eq!(element("%r12.y"), Some(("%r12", 1)));
        assert_eq!(element("%r12.g"), Some(("%r12", 1)));
        assert_eq!(element("%r12.z"), None);
        assert_eq!(element("x1.x"), None);
    }

    #[test]
    fn a_full_bank_grows_no_further() {
        let mut scope = Scope::default();
        for bits in 0..MAX_COLUMNS as u64 {
            assert!(scope.constant(Bank::Narrow, bits).is_some());
        }
        assert_eq!(scope.constant(Bank::Narrow, u64::MAX), None);
        assert_eq!(scope.image.narrow.len(), MAX_COLUMNS);
    }
}
