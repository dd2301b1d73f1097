//! `printf`: the values go into memory of their own, and a function of the system prints them.
//!
//! Specification: PTX Interoperability, the system call `vprintf`.

use std::rc::Rc;

use super::{Lower, Value};
use crate::check::typed::Expr;
use crate::code::{Base, Class, Inst, Op, Operand, Place, Ptx, PtxOperand, Slot};
use crate::source::Result;

impl<'t> Lower<'t> {
    pub(super) fn printf(&mut self, format: &[u8], values: &[Expr<'t>]) -> Result<Operand> {
        let mut at = 0i64;
        let mut stored = Vec::new();
        for value in values {
            let ty = self.scalar_ty(value.ty, value.span)?;
            let operand = self.value(value)?;
            let operand = if self.checked.types.is_pointer(value.ty) {
                self.generic(operand)
            } else {
                self.operand(operand)
            };
            let size = ty.wide().size() as i64;
            at = (at + size - 1) / size * size;
            stored.push((at, ty.wide(), operand));
            at += size;
        }
        self.function.slots.push(Slot { size: at.max(1) as u64, align: 8, name: None });
        let slot = self.function.slots.len() - 1;
        for (offset, ty, operand) in stored {
            self.store_operand(Place { base: Base::Slot(slot), offset }, ty, operand, false);
        }
        let place = Place { base: Base::Slot(slot), offset: 0 };
        let list = if values.is_empty() { Operand::Int(0) } else { self.generic(Value::Address(place)) };
        let text = self.string(format);
        let dst = self.function.new_reg(Class::B32);
        let ptx = Ptx {
            text: format!("vprintf %0 $str{text} %1"),
            is_volatile: true,
            touches_memory: true,
            addresses: vec![None],
            operands: vec![PtxOperand::Result(0), PtxOperand::Argument(0)],
            classes: vec![Class::B64],
            is_own: true,
        };
        let line = self.line;
        self.push(Inst::new(Op::Ptx(Rc::new(ptx)), &[dst], &[list], line));
        Ok(Operand::Reg(dst))
    }

    /// The generic address of a text, which is in the memory of the module.
    pub(super) fn text_address(&mut self, text: &[u8]) -> Operand {
        let number = self.string(text);
        let address = self.instruction(format!("mov.u64 %0, $str{number};"), &[]);
        self.instruction("cvta.global.u64 %0, %1;".to_owned(), &[address])
    }

    /// An instruction with a result of 64 bits that depends on its arguments only.
    fn instruction(&mut self, text: String, args: &[Operand]) -> Operand {
        let dst = self.function.new_reg(Class::B64);
        let arguments = (0..args.len()).map(PtxOperand::Argument);
        let ptx = Ptx {
            text,
            is_volatile: false,
            touches_memory: false,
            addresses: vec![None; args.len()],
            operands: std::iter::once(PtxOperand::Result(0)).chain(arguments).collect(),
            classes: vec![Class::B64; args.len()],
            is_own: true,
        };
        let line = self.line;
        self.push(Inst::new(Op::Ptx(Rc::new(ptx)), &[dst], args, line));
        Operand::Reg(dst)
    }

    /// The number of a text; equal texts are stored once.
    fn string(&mut self, text: &[u8]) -> usize {
        if let Some(known) = self.strings.iter().position(|known| known == text) {
            return known;
        }
        self.strings.push(text.to_vec());
        self.strings.len() - 1
    }
}
