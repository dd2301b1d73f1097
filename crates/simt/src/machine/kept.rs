//! Registers as they were before an instruction wrote them.

use super::registers::{Bank, Registers};

/// Copies of some registers of a block, for all of its warps.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Of each bank, the register of number `i` is a copy of the one at `places[i]`, if that is of this bank.
    copies: Registers,
    places: Vec<(Bank, usize)>,
}

impl Kept {
    /// Forgets all copies.
    pub fn clear(&mut self) {
        self.places.clear();
    }

    /// Copies a register.
    pub fn keep(&mut self, registers: &Registers, bank: Bank, slot: usize) {
        self.copies.copy(self.places.len(), registers, bank, slot);
        self.places.push((bank, slot));
    }

    /// The copy of a register, if there is one.
    pub fn find(&self, bank: Bank, slot: usize) -> Option<(&Registers, usize)> {
        let copy = self.places.iter().position(|kept| *kept == (bank, slot))?;
        Some((&self.copies, copy))
    }

    /// Gives the registers what they held.
    pub fn restore(&self, registers: &mut Registers) {
        for (copy, &(bank, slot)) in self.places.iter().enumerate() {
            registers.copy(slot, &self.copies, bank, copy);
        }
    }
}
