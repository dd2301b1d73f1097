//! Emitting instructions, with known operands folded at once.
//!
//! Folding here and not only in `optimise` keeps code small that inlining and unrolling make large: what a constant
//! argument decides is never made.

use super::{Lower, Value};
use crate::code::fold::fold;
use crate::code::{
    Access, Arith, Base, Binary, Block, BlockId, Class, Compare, End, Op, Operand, Place, Space, Ty, Unary,
};

impl<'t> Lower<'t> {
    /// Emits an instruction with one result. None is emitted if the result is known.
    pub(super) fn emit(&mut self, op: Op<'t>, class: Class, args: &[Operand]) -> Operand {
        if let Some(known) = fold(&op, args) {
            return known;
        }
        let dst = self.function.new_reg(class);
        self.push(op, &[dst], args);
        Operand::Reg(dst)
    }

    pub(super) fn arith(&mut self, arith: Arith, ty: Ty, a: Operand, b: Operand) -> Operand {
        // Powers of two have cheaper instructions.
        if let (Arith::Binary(op), Operand::Int(value)) = (arith, b)
            && !ty.is_float()
            && value > 1
            && (value as u64).is_power_of_two()
        {
            let log = Operand::Int(i64::from(value.trailing_zeros()));
            match op {
                Binary::Mul => {
                    return self.emit(Op::Arith(Arith::Binary(Binary::Shl), ty), ty.class(), &[a, log]);
                }
                Binary::Div if ty.is_unsigned() => {
                    return self.emit(Op::Arith(Arith::Binary(Binary::Shr), ty), ty.class(), &[a, log]);
                }
                Binary::Rem if ty.is_unsigned() => {
                    let mask = Operand::Int(value - 1);
                    return self.emit(Op::Arith(Arith::Binary(Binary::And), ty), ty.class(), &[a, mask]);
                }
                _ => {}
            }
        }
        // Passes look for constants on the right, where PTX takes them.
        let commutes = matches!(
            arith,
            Arith::Binary(Binary::Mul | Binary::Add | Binary::And | Binary::Or | Binary::Xor)
        );
        if commutes && matches!(a, Operand::Int(_)) && matches!(b, Operand::Reg(_)) {
            return self.arith(arith, ty, b, a);
        }
        self.emit(Op::Arith(arith, ty), ty.class(), &[a, b])
    }

    pub(super) fn binary(&mut self, op: Binary, ty: Ty, a: Operand, b: Operand) -> Operand {
        self.arith(Arith::Binary(op), ty, a, b)
    }

    /// A comparison, with a constant on its right.
    pub(super) fn set(&mut self, op: Compare, ty: Ty, a: Operand, b: Operand) -> Operand {
        if matches!(a, Operand::Int(_)) && matches!(b, Operand::Reg(_)) {
            let swapped = match op {
                Compare::Lt => Compare::Gt,
                Compare::Le => Compare::Ge,
                Compare::Gt => Compare::Lt,
                Compare::Ge => Compare::Le,
                same => same,
            };
            return self.set(swapped, ty, b, a);
        }
        self.emit(Op::Set(op, ty), Class::Pred, &[a, b])
    }

    /// The opposite of a truth value. If that is a comparison that was just made, the opposite comparison is made, and
    /// dead code removes the first one. Of floats it is not, because with NaN both are false.
    pub(super) fn not(&mut self, value: Operand) -> Operand {
        if let Operand::Reg(reg) = value
            && let Some(last) = self.function.blocks[self.current].insts.last()
            && last.dsts[..] == [reg]
            && let (Op::Set(op, ty), [a, b]) = (last.op, &last.args[..])
            && !ty.is_float()
        {
            let args = [*a, *b];
            return self.emit(Op::Set(opposite(op), ty), Class::Pred, &args);
        }
        self.emit(Op::Unary(Unary::Not, Ty::Pred), Class::Pred, &[value])
    }

    /// A value of another type; `to` and `from` are types of registers and say how values are extended.
    pub(super) fn convert(&mut self, value: Operand, from: Ty, to: Ty) -> Operand {
        if from == to {
            return value;
        }
        match (from, to) {
            (_, Ty::Pred) => {
                let wide = from.wide();
                let zero = crate::lower::expression::zero(wide);
                self.set(Compare::Ne, wide, value, zero)
            }
            (Ty::Pred, _) => {
                let (one, zero) = if to.is_float() {
                    (crate::code::fold::float_operand(to, 1.0), crate::code::fold::float_operand(to, 0.0))
                } else {
                    (Operand::Int(1), Operand::Int(0))
                };
                self.emit(Op::Select(to.wide()), to.class(), &[one, zero, value])
            }
            // A register of 32 bits holds both; so does one of 64.
            (Ty::S32 | Ty::U32, Ty::S32 | Ty::U32) | (Ty::S64 | Ty::U64, Ty::S64 | Ty::U64) => {
                rewrap(value, to)
            }
            // What is narrow is extended already.
            (Ty::U8 | Ty::S8 | Ty::U16 | Ty::S16, Ty::S32 | Ty::U32) => rewrap(value, to),
            (Ty::U8, Ty::U16 | Ty::S16) => value,
            // By way of 32 bits, in whose registers narrow integers are.
            _ if from.is_float() && matches!(to, Ty::U8 | Ty::S8 | Ty::U16 | Ty::S16) => {
                let wide = self.convert(value, from, Ty::S32);
                self.convert(wide, Ty::S32, to)
            }
            _ => self.emit(Op::Convert { to, from }, to.class(), &[value]),
        }
    }

    /// Its line and its end are set when it is finished.
    pub(super) fn new_block(&mut self) -> BlockId {
        let line = self.line;
        self.function.blocks.push(Block { insts: Vec::new(), end: End::Return, line });
        self.function.blocks.len() - 1
    }

    /// Continues in a block.
    pub(super) fn start(&mut self, block: BlockId) {
        self.current = block;
        self.function.blocks[block].line = self.line;
    }

    pub(super) fn finish(&mut self, end: End) {
        let current = self.current;
        self.function.blocks[current].end = end;
        self.function.blocks[current].line = self.line;
    }

    pub(super) fn jump(&mut self, to: BlockId) {
        self.finish(End::Jump(to));
    }

    /// Continues in one of two blocks.
    pub(super) fn branch(&mut self, condition: Operand, yes: BlockId, no: BlockId) {
        match condition {
            Operand::Reg(condition) => self.finish(End::Branch { condition, is_negated: false, yes, no }),
            // A known condition is a jump, and the other block is not reached.
            Operand::Int(0) => self.jump(no),
            _ => self.jump(yes),
        }
    }

    /// After a jump, in a block that nothing leads to. The statements after `return` or `break` need some block;
    /// `optimise::flow` removes it.
    pub(super) fn start_dead(&mut self) {
        let dead = self.new_block();
        self.start(dead);
    }

    /// A truth value is a byte in memory. In a slot it stays a truth value, since the slot may become a predicate.
    pub(super) fn load_scalar(&mut self, place: Place, ty: Ty, is_volatile: bool) -> Operand {
        if ty == Ty::Pred && !matches!(place.base, Base::Slot(_)) {
            let byte = self.load_scalar(place, Ty::U8, is_volatile);
            return self.set(Compare::Ne, Ty::U32, byte, Operand::Int(0));
        }
        let access = Access { place, space: Space::Generic, ty, is_volatile };
        let dst = self.function.new_reg(ty.class());
        self.push(Op::Load(access), &[dst], &[]);
        Operand::Reg(dst)
    }

    pub(super) fn store_operand(&mut self, place: Place, ty: Ty, value: Operand, is_volatile: bool) {
        if ty == Ty::Pred && !matches!(place.base, Base::Slot(_)) {
            let byte = self.convert(value, Ty::Pred, Ty::U32);
            return self.store_operand(place, Ty::U8, byte, is_volatile);
        }
        let access = Access { place, space: Space::Generic, ty, is_volatile };
        self.push(Op::Store(access), &[], &[value]);
    }

    /// The address of a place in a register. The state space is that of its base, and is found out later.
    pub(super) fn address(&mut self, place: Place) -> Operand {
        let base = match place.base {
            Base::Reg(reg) => Operand::Reg(reg),
            Base::Slot(slot) => self.emit(Op::SlotAddress(slot), Class::B64, &[]),
            Base::Symbol(global) => self.emit(Op::Symbol(global), Class::B64, &[]),
        };
        self.binary(Binary::Add, Ty::S64, base, Operand::Int(place.offset))
    }

    /// A number, a truth value, or a pointer in a register.
    pub(super) fn operand(&mut self, value: Value) -> Operand {
        match value {
            Value::Scalar(operand) => operand,
            Value::Address(place) | Value::Object(place) => self.address(place),
            Value::Void => Operand::Int(0),
        }
    }

    /// A pointer that is valid in every state space. The instruction is only a mark; `optimise::spaces` decides whether
    /// anything has to be done.
    pub(super) fn generic(&mut self, value: Value) -> Operand {
        let operand = self.operand(value);
        match operand {
            Operand::Reg(_) => {
                let dst = self.function.new_reg(Class::B64);
                self.push(Op::ToGeneric(Space::Generic), &[dst], &[operand]);
                Operand::Reg(dst)
            }
            known => known,
        }
    }
}

/// For integers only: see [`Lower::not`].
pub(crate) fn opposite(op: Compare) -> Compare {
    match op {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
    }
}

/// A constant as its new type extends it; a register needs nothing.
fn rewrap(value: Operand, to: Ty) -> Operand {
    match value {
        Operand::Int(value) => Operand::Int(crate::code::fold::wrap(to, value)),
        other => other,
    }
}
