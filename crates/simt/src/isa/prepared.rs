//! Sources that are neither registers nor literals. A separate instruction computes each of them before the one that
//! names it.
//!
//! The assembler takes `!%p` for a predicate, `%r1+4` for a register, `symbol+4` for an address, and special registers
//! in `cvt` and in vectors. No compiler writes them, so it does not matter that each costs an instruction here. That
//! instruction is counted and traced like any other, with the text of the one it belongs to. It writes to a column of
//! its own, so it needs no guard. Left out: offsets from registers of floating-point numbers. Specification: PTX ISA,
//! sections 6.3, 6.4 and 9.3.1.

use super::affine::Rule;
use super::operands::{Class, Operands, Register};
use super::scope::Symbol;
use super::special::{self, Special};
use super::value::{Alu, Args, Kind, alu, map_pred};
use crate::isa::op::call::FUNCTIONS_BASE;
use crate::isa::op::{Decoded, Op, Touched};
use crate::machine::registers::{Bank, Slot};
use crate::ptx::Error;
use crate::ptx::ast::Ident;

impl<'t> Operands<'_, 't> {
    /// The column of `!p`.
    pub(super) fn negated(&mut self, name: Ident<'t>) -> Result<Slot, Error> {
        let a = self.look_up(name)?;
        if a.bank != Bank::Preds {
            return Err(
                self.error(name.span, format!("`!` needs a predicate, and `{}` is not one", name.text))
            );
        }
        let d = self.scratch(Bank::Preds, name.span)?;
        let not = Alu::new(&[Kind::Pred], &[Kind::Pred], |warps, args| map_pred(warps, args, |a| !a));
        self.prepare(not, Bank::Preds, d, a.slot, 0);
        Ok(d)
    }

    /// The column of a register plus a number, or of the address of a variable plus a number.
    pub(super) fn sum(&mut self, name: Ident<'t>, offset: i64, kind: Kind) -> Result<Slot, Error> {
        if let Some((_, Symbol::Variable(_) | Symbol::Function(_))) = self.scope.find(name.text) {
            return self.address_of(name, offset, kind);
        }
        let a = self.look_up(name)?;
        let (bits, add) = match kind {
            Kind::B16 => (16, alu!((u16, u16) -> u16, u16::wrapping_add)),
            Kind::B32 => (32, alu!((u32, u32) -> u32, u32::wrapping_add).with_affine(Rule::Add)),
            Kind::B64 => (64, alu!((u64, u64) -> u64, u64::wrapping_add).with_affine(Rule::Add)),
            _ => return Err(self.error(name.span, "an offset can be added only to integers and bits")),
        };
        if a.bits != bits || a.class == Some(Class::Float) {
            let message = format!("`{}` has no {bits}-bit integer to add an offset to", name.text);
            return Err(self.error(name.span, message));
        }
        let b = self.constant(a.bank, offset as u64 & u64::MAX >> (64 - bits), name.span)?;
        let d = self.scratch(a.bank, name.span)?;
        self.prepare(add, a.bank, d, a.slot, b);
        Ok(d)
    }

    /// The column of the address of a variable or a function plus `offset` bytes.
    pub(super) fn address_of(&mut self, name: Ident<'t>, offset: i64, kind: Kind) -> Result<Slot, Error> {
        let bank = match kind {
            Kind::B32 => Bank::Narrow,
            Kind::B64 => Bank::Wide,
            _ => return Err(self.error(name.span, "an address has 32 or 64 bits")),
        };
        let (base, in_frame) = match self.scope.find(name.text) {
            Some((_, Symbol::Variable(place))) => (place.address, place.in_frame),
            Some((_, Symbol::Function(function))) => (FUNCTIONS_BASE + u64::from(function), false),
            _ => return Err(self.error(name.span, format!("`{}` has no address", name.text))),
        };
        let address = base.wrapping_add_signed(offset);
        if !in_frame {
            return self.constant(bank, address, name.span);
        }
        let op = Op::FrameAddress { offset: address as i32, wide: bank == Bank::Wide };
        self.told(op, bank, name)
    }

    /// A special register of that name, in a column; `None` if there is none.
    pub(super) fn special(&mut self, name: Ident<'t>) -> Result<Option<Register>, Error> {
        if self.scope.find_register(name.text).is_some() {
            return Ok(None);
        }
        let Some(what) = special::parse(name.text) else { return Ok(None) };
        self.special_register(what, special::widths(name.text).contains(&64), name).map(Some)
    }

    /// A special register in a column.
    pub(super) fn special_register(
        &mut self,
        what: Special,
        wide: bool,
        name: Ident<'t>,
    ) -> Result<Register, Error> {
        let bank = if wide { Bank::Wide } else { Bank::Narrow };
        let slot = self.told(Op::Special { what, wide }, bank, name)?;
        Ok(Register { slot, bank, bits: if wide { 64 } else { 32 }, class: None })
    }

    /// A column that an instruction without sources writes.
    fn told(&mut self, op: Op, bank: Bank, name: Ident<'t>) -> Result<Slot, Error> {
        let slot = self.scratch(bank, name.span)?;
        let touched = vec![Touched { bank, slot, is_written: true }];
        let args = Args { d: slot, ..Args::default() };
        self.before.push(Decoded { args, touched, ..Decoded::of(op) });
        Ok(slot)
    }

    /// Puts an arithmetic instruction, with a result and one or two sources in one bank, before this instruction.
    pub(super) fn prepare(&mut self, alu: Alu, bank: Bank, d: Slot, a: Slot, b: Slot) {
        let read = |slot| Touched { bank, slot, is_written: false };
        let mut touched = vec![Touched { bank, slot: d, is_written: true }, read(a)];
        touched.extend((alu.sources.len() > 1).then(|| read(b)));
        let args = Args { d, a, b, ..Args::default() };
        self.before.push(Decoded { args, affine: alu.affine, touched, ..Decoded::of(Op::Alu(alu.run)) });
    }
}
