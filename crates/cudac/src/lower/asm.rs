//! `asm` with its operands.
//!
//! The text stays as it is; its operands become registers, which the emitter puts in. A result is stored in its
//! variable by an instruction after the text, an operand that is read and written (`+`) is copied into the result's
//! register before it. Specification: Inline PTX Assembly in CUDA; `m` and `b` are described in [`crate::check::asm`].
//!
//! ```text
//! asm("add.u32 %0, %1, 5;" : "+r"(a) : "r"(b));
//!
//! r3 = Mov a                          because of the `+`
//! r3 = Ptx "add.u32 %0, %1, 5;" r3, b
//! a is r3 afterwards
//! ```

use super::{Lower, Value};
use crate::check::typed::{Asm, AsmOperand};
use crate::code::{Class, Op, Operand, Place, Ptx, PtxOperand, Reg, Ty};
use crate::source::{Result, Span};

impl<'t> Lower<'t> {
    pub(super) fn asm(&mut self, asm: &Asm<'t>, span: Span) -> Result<()> {
        let mut parts = Parts::default();
        let mut stores = Vec::new();
        for (nth, operand) in asm.operands.iter().enumerate() {
            if nth < asm.outputs {
                let place = self.place(operand.value)?;
                let ty = self.scalar_ty(operand.value.ty, span)?;
                let class = class(operand.constraint);
                let dst = self.function.new_reg(class);
                // The copy is an argument as well, so that the register counts as read.
                if operand.is_updated {
                    let old = self.load_scalar(place, ty, operand.value.ty.is_volatile());
                    let old = self.fitted(old, ty, class);
                    self.push(Op::Mov, &[dst], &[old]);
                    parts.args.push(Operand::Reg(dst));
                    parts.addresses.push(None);
                    parts.classes.push(class);
                }
                parts.operands.push(PtxOperand::Result(parts.dsts.len()));
                parts.dsts.push(dst);
                // Stored after the text: an output may be an input, too.
                stores.push((place, ty, operand, dst));
            } else {
                let value = self.value(operand.value)?;
                parts.operands.push(PtxOperand::Argument(parts.args.len()));
                self.input(asm, operand, value, &mut parts)?;
            }
        }
        let arena = self.function.arena;
        let ptx = Ptx {
            text: asm.text,
            is_volatile: asm.is_volatile,
            touches_memory: asm.touches_memory,
            addresses: arena.list(&parts.addresses),
            operands: arena.list(&parts.operands),
            classes: arena.list(&parts.classes),
            is_own: asm.is_own,
        };
        self.push(Op::Ptx(arena.put(ptx)), &parts.dsts, &parts.args);
        for (place, ty, operand, dst) in stores {
            let value = self.unfitted(Operand::Reg(dst), ty, class(operand.constraint));
            self.store_scalar(place, operand.value.ty, value);
        }
        Ok(())
    }

    fn input(
        &mut self,
        asm: &Asm<'t>,
        operand: &AsmOperand<'t>,
        value: Value,
        parts: &mut Parts,
    ) -> Result<()> {
        let class = class(operand.constraint);
        let (arg, address) = match operand.constraint {
            // The offset stays apart, so that the address is written as `[%rd1+4]`.
            'm' => {
                let place = self.pointed(value);
                let base = self.address(Place { offset: 0, ..place });
                (base, Some(place.offset))
            }
            // `asm` does not know state spaces, hence the address has to be a generic one.
            'l' if self.checked.types.is_pointer(operand.value.ty) => (self.generic(value), None),
            _ => {
                let ty = self.scalar_ty(operand.value.ty, operand.value.span)?;
                let known = self.operand(value);
                (self.fitted(known, ty, class), None)
            }
        };
        // Instructions of this compiler may have numbers in place of registers; those of others may not.
        let needs_register = operand.constraint != 'n' && (!asm.is_own || operand.constraint == 'b');
        let arg = if needs_register && !matches!(arg, Operand::Reg(_)) {
            let dst = self.function.new_reg(class);
            self.push(Op::Mov, &[dst], &[arg]);
            Operand::Reg(dst)
        } else {
            arg
        };
        parts.args.push(arg);
        parts.addresses.push(address);
        parts.classes.push(class);
        Ok(())
    }

    /// A value in a register of 16 bits, if it has to be in one. Small integers are in registers of 32 bits everywhere
    /// else.
    fn fitted(&mut self, value: Operand, ty: Ty, class: Class) -> Operand {
        if class == Class::B16 && ty.class() == Class::B32 && matches!(value, Operand::Reg(_)) {
            return self.emit(Op::Convert { to: Ty::U16, from: Ty::U32 }, Class::B16, &[value]);
        }
        value
    }

    /// And back, extended as the variable's type says.
    fn unfitted(&mut self, value: Operand, ty: Ty, class: Class) -> Operand {
        if class == Class::B16 && ty.class() == Class::B32 {
            let to = if ty == Ty::S16 { Ty::S32 } else { Ty::U32 };
            let from = if ty == Ty::S16 { Ty::S16 } else { Ty::U16 };
            return self.emit(Op::Convert { to, from }, Class::B32, &[value]);
        }
        value
    }
}

/// The parts of [`Ptx`] while they are collected.
#[derive(Default)]
struct Parts {
    dsts: Vec<Reg>,
    args: Vec<Operand>,
    addresses: Vec<Option<i64>>,
    operands: Vec<PtxOperand>,
    classes: Vec<Class>,
}

/// The class of a constraint's register. `n` is a number, for which any will do.
fn class(constraint: char) -> Class {
    match constraint {
        'h' => Class::B16,
        'l' | 'm' => Class::B64,
        'f' => Class::F32,
        'd' => Class::F64,
        'b' => Class::Pred,
        _ => Class::B32,
    }
}
