//! `printf`: the values go into memory of their own, and a function of the system prints them.
//!
//! Each value is at a multiple of its size, as in C's `...`, after its promotion. The text is in global memory; its
//! address is found when the call is emitted. The emulator and the driver both know `vprintf`. Specification: PTX
//! Writer's Guide to Interoperability, "System Calls".

use super::{Lower, Value};
use crate::check::typed::Expr;
use crate::code::{Base, Class, Op, Operand, Place, Ptx, PtxOperand, Reg, Slot};
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
        self.instruction(&format!("vprintf %0 $str{text} %1"), true, dst, &[list]);
        Ok(Operand::Reg(dst))
    }

    /// The generic address of a text, which is in the memory of the module.
    pub(super) fn text_address(&mut self, text: &[u8]) -> Operand {
        let number = self.string(text);
        let (own, generic) = (self.function.new_reg(Class::B64), self.function.new_reg(Class::B64));
        self.instruction(&format!("mov.u64 %0, $str{number};"), false, own, &[]);
        self.instruction("cvta.global.u64 %0, %1;", false, generic, &[Operand::Reg(own)]);
        Operand::Reg(generic)
    }

    /// An instruction of up to one argument, of 64 bits, that may have an effect beside its result.
    fn instruction(&mut self, text: &str, has_effect: bool, dst: Reg, args: &[Operand]) {
        let arena = self.function.arena;
        let ptx = Ptx {
            text: arena.text(text),
            is_volatile: has_effect,
            touches_memory: has_effect,
            addresses: &[None][..args.len()],
            operands: &[PtxOperand::Result(0), PtxOperand::Argument(0)][..=args.len()],
            classes: &[Class::B64][..args.len()],
            is_own: true,
        };
        self.push(Op::Ptx(arena.put(ptx)), &[dst], args);
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
