//! Executes instructions on registers.

use cudac::host::{Loop, Scalar};

use super::slots::identity;
use super::translate::translate;
use super::{Code, Op, Register, Slot, Tree};
use crate::arithmetic::{self, float, of_float};
use crate::machine::{Flow, Machine, Result};
use crate::memory::BASE;
use crate::runtime::math;

impl<'p> Machine<'p> {
    /// Executes the turns of a loop, if it can be translated and its variables have values. `None` leaves it to the tree.
    pub(crate) fn quickly(&mut self, inner: &'p Loop, frame: u64) -> Result<Option<Flow>> {
        // An error of the device is looked at by the next statement that the tree executes.
        if self.device.thread.failure.is_some() {
            return Ok(None);
        }
        let known = identity(inner);
        if !self.quick.contains_key(&known) {
            let function = self.escapes.iter().position(|escapes| escapes.loops.contains(&known));
            let escapes = std::rc::Rc::clone(&self.escapes);
            let code = function.and_then(|function| translate(self, &escapes, function, inner).ok());
            self.quick.insert(known, code.map(std::rc::Rc::new));
        }
        let Some(Some(code)) = self.quick.get(&known).cloned() else { return Ok(None) };
        let mut registers = [0; 256];
        for (register, value) in &code.constants {
            registers[usize::from(*register)] = *value;
        }
        for (register, offset) in &code.addresses {
            registers[usize::from(*register)] = BASE + frame + offset;
        }
        if !self.enter_registers(&code.slots, &mut registers, frame) {
            return Ok(None);
        }
        self.execute_quickly(&code, &mut registers, frame).map(Some)
    }

    /// Variables of the frame into registers, if all of them have values.
    fn enter_registers(&self, slots: &[Slot], registers: &mut [u64; 256], frame: u64) -> bool {
        for slot in slots {
            let at = BASE + frame + slot.offset;
            let bits = match slot.ty.bytes() {
                1 => self.memory.read(at).map(|bytes| u64::from(u8::from_le_bytes(bytes))),
                2 => self.memory.read(at).map(|bytes| u64::from(u16::from_le_bytes(bytes))),
                4 => self.memory.read(at).map(|bytes| u64::from(u32::from_le_bytes(bytes))),
                _ => self.memory.read(at).map(u64::from_le_bytes),
            };
            let Some(bits) = bits else { return false };
            registers[usize::from(slot.register)] = arithmetic::extend(slot.ty, bits);
        }
        true
    }

    fn leave_registers(&mut self, slots: &[Slot], registers: &[u64; 256], frame: u64) -> Result<()> {
        for slot in slots {
            self.store(slot.ty, BASE + frame + slot.offset, registers[usize::from(slot.register)])?;
        }
        Ok(())
    }

    /// The variables are in memory again when it is over, also if something is wrong.
    fn execute_quickly(&mut self, code: &Code<'p>, registers: &mut [u64; 256], frame: u64) -> Result<Flow> {
        let mut at = 0;
        let flow = self.instructions(code, registers, frame, &mut at);
        if flow.is_err() {
            // What went wrong did so at the line of the instruction.
            self.leave_registers(&code.slots, registers, frame)?;
            return flow;
        }
        self.leave_registers(&code.slots, registers, frame)?;
        flow
    }

    fn instructions(
        &mut self,
        code: &Code<'p>,
        r: &mut [u64; 256],
        frame: u64,
        at: &mut usize,
    ) -> Result<Flow> {
        loop {
            let here = *at;
            *at += 1;
            let op = code.ops[here];
            if compute(op, r) {
                continue;
            }
            match op {
                Op::Turn => {
                    self.at(code.lines[here]);
                    self.count()?;
                }
                Op::Jump { to } => *at = to as usize,
                Op::Binary { op, ty, to, a, b } => {
                    match arithmetic::binary(op, ty, r[usize::from(a)], r[usize::from(b)]) {
                        Some(value) => r[usize::from(to)] = value,
                        None => return self.divided(code.lines[here]),
                    }
                }
                Op::Random { to } => r[usize::from(to)] = self.random.next() as u64,
                Op::Tree { at: number } => {
                    if self.tree(&code.trees[number as usize], r, frame)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
                Op::Return { from } => {
                    self.returned = r[usize::from(from)];
                    return Ok(Flow::Return);
                }
                Op::End => return Ok(Flow::Next),
                _ if jump(op, r, at) => {}
                _ => self.access(code, here, r)?,
            }
        }
    }

    /// Executes a statement as a tree.
    fn tree(&mut self, tree: &Tree<'p>, r: &mut [u64; 256], frame: u64) -> Result<Flow> {
        self.leave_registers(&tree.slots, r, frame)?;
        let flow = self.statement(tree.statement, frame)?;
        self.enter_registers(&tree.slots, r, frame);
        // What the next statement would do first.
        if !self.is_own
            && let Some(failure) = self.device.in_hand()
        {
            self.look_at(failure);
        }
        Ok(flow)
    }

    /// Reads or writes memory.
    #[inline(always)]
    fn access(&mut self, code: &Code<'p>, here: usize, r: &mut [u64; 256]) -> Result<()> {
        match code.ops[here] {
            Op::LoadU32 { to, a, b, bytes } => {
                let address = place(r, a, b, bytes);
                r[usize::from(to)] = match self.memory.read(address) {
                    Some(bytes) => u64::from(u32::from_le_bytes(bytes)),
                    None => self.load_at(code, here, Scalar::U32, address)?,
                };
            }
            Op::LoadI32 { to, a, b, bytes } => {
                let address = place(r, a, b, bytes);
                r[usize::from(to)] = match self.memory.read(address) {
                    Some(bytes) => i32::from_le_bytes(bytes) as u64,
                    None => self.load_at(code, here, Scalar::I32, address)?,
                };
            }
            Op::Load64 { to, a, b, bytes } => {
                let address = place(r, a, b, bytes);
                r[usize::from(to)] = match self.memory.read(address) {
                    Some(bytes) => u64::from_le_bytes(bytes),
                    None => self.load_at(code, here, Scalar::U64, address)?,
                };
            }
            Op::Load { ty, to, a, b, bytes } => {
                r[usize::from(to)] = self.load_at(code, here, ty, place(r, a, b, bytes))?;
            }
            Op::Store32 { from, a, b, bytes } => {
                let (address, value) = (place(r, a, b, bytes), r[usize::from(from)]);
                if !self.memory.write(address, (value as u32).to_le_bytes()) {
                    self.store_at(code, here, Scalar::U32, address, value)?;
                }
            }
            Op::Store64 { from, a, b, bytes } => {
                let (address, value) = (place(r, a, b, bytes), r[usize::from(from)]);
                if !self.memory.write(address, value.to_le_bytes()) {
                    self.store_at(code, here, Scalar::U64, address, value)?;
                }
            }
            Op::Store { ty, from, a, b, bytes } => {
                self.store_at(code, here, ty, place(r, a, b, bytes), r[usize::from(from)])?;
            }
            _ => {}
        }
        Ok(())
    }

    /// A number in memory that has to be looked at more closely.
    #[cold]
    fn load_at(&mut self, code: &Code<'p>, here: usize, ty: Scalar, address: u64) -> Result<u64> {
        self.at(code.lines[here]);
        self.load(ty, address)
    }

    #[cold]
    fn store_at(&mut self, code: &Code<'p>, here: usize, ty: Scalar, address: u64, value: u64) -> Result<()> {
        self.at(code.lines[here]);
        self.store(ty, address, value)
    }
}

/// The address of an element.
#[inline(always)]
fn place(r: &[u64; 256], a: Register, b: Register, bytes: i32) -> u64 {
    r[usize::from(a)].wrapping_add(r[usize::from(b)].wrapping_mul(i64::from(bytes) as u64))
}

/// Executes an instruction that only computes; whether it is one.
#[inline(always)]
fn compute(op: Op, r: &mut [u64; 256]) -> bool {
    let of = |register: Register| r[usize::from(register)];
    let (to, value) = match op {
        Op::Move { to, from } => (to, of(from)),
        Op::AddI32 { to, a, b } => (to, of(a).wrapping_add(of(b)) as i32 as u64),
        Op::SubI32 { to, a, b } => (to, of(a).wrapping_sub(of(b)) as i32 as u64),
        Op::MulI32 { to, a, b } => (to, of(a).wrapping_mul(of(b)) as i32 as u64),
        Op::AddI64 { to, a, b } => (to, of(a).wrapping_add(of(b))),
        Op::SubI64 { to, a, b } => (to, of(a).wrapping_sub(of(b))),
        Op::MulI64 { to, a, b } => (to, of(a).wrapping_mul(of(b))),
        Op::AddF32 { to, a, b } => (to, of_float(float(of(a)) + float(of(b)))),
        Op::SubF32 { to, a, b } => (to, of_float(float(of(a)) - float(of(b)))),
        Op::MulF32 { to, a, b } => (to, of_float(float(of(a)) * float(of(b)))),
        Op::AddF64 { to, a, b } => (to, (f64::from_bits(of(a)) + f64::from_bits(of(b))).to_bits()),
        Op::SubF64 { to, a, b } => (to, (f64::from_bits(of(a)) - f64::from_bits(of(b))).to_bits()),
        Op::MulF64 { to, a, b } => (to, (f64::from_bits(of(a)) * f64::from_bits(of(b))).to_bits()),
        Op::Compare { compare, ty, to, a, b } => {
            (to, u64::from(arithmetic::compare(compare, ty, of(a), of(b))))
        }
        Op::Negate { ty, to, a } => (to, arithmetic::negate(ty, of(a))),
        Op::Complement { ty, to, a } => (to, arithmetic::extend(ty, !of(a))),
        Op::Not { to, a } => (to, u64::from(of(a) == 0)),
        Op::Convert { into, from, to, a } => (to, arithmetic::convert(into, from, of(a))),
        Op::Intrinsic { intrinsic, ty, to, from } => {
            (to, arithmetic::intrinsic(intrinsic, ty, &from.map(of)))
        }
        Op::Math { function, ty, to, from } => (to, math(function, Some(ty), &from.map(of))),
        Op::Index { to, a, b, bytes } => (to, place(r, a, b, bytes)),
        Op::Distance { to, a, b, bytes } => {
            (to, (of(a).wrapping_sub(of(b)) as i64 / i64::from(bytes)) as u64)
        }
        _ => return false,
    };
    r[usize::from(to)] = value;
    true
}

/// Jumps if the condition of a jump holds; whether the instruction is one.
#[inline(always)]
fn jump(op: Op, r: &[u64; 256], at: &mut usize) -> bool {
    let of = |register: Register| r[usize::from(register)];
    let (jumps, to) = match op {
        Op::JumpIfZero { a, to } => (of(a) == 0, to),
        Op::JumpUnlessZero { a, to } => (of(a) != 0, to),
        Op::UnlessLess { a, b, to } => (of(a) as i64 >= of(b) as i64, to),
        Op::UnlessLessOrEqual { a, b, to } => (of(a) as i64 > of(b) as i64, to),
        Op::UnlessEqual { a, b, to } => (of(a) != of(b), to),
        Op::IfEqual { a, b, to } => (of(a) == of(b), to),
        Op::Unless { compare, ty, a, b, to } => (!arithmetic::compare(compare, ty, of(a), of(b)), to),
        _ => return false,
    };
    if jumps {
        *at = to as usize;
    }
    true
}
