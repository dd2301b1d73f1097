//! Executes instructions on registers.

use cudac::host::{Loop, Scalar};

use super::slots::identity;
use super::translate::translate;
use super::{Code, Op, Slot};
use crate::arithmetic::{self, float, of_float};
use crate::machine::{Flow, Machine, Result};
use crate::memory::BASE;
use crate::runtime::math;

impl<'p> Machine<'p> {
    /// Executes the turns of a loop, if it can be translated and its variables have values. `None` leaves it to the tree.
    pub(crate) fn quickly(&mut self, inner: &'p Loop, frame: u64) -> Result<Option<Flow>> {
        // An error of the device is looked at by the next statement that the tree executes.
        if self.device.failure.is_some() {
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

    #[expect(clippy::too_many_lines, reason = "a line for each instruction, and the loop is the fast path")]
    fn instructions(
        &mut self,
        code: &Code<'p>,
        r: &mut [u64; 256],
        frame: u64,
        at: &mut usize,
    ) -> Result<Flow> {
        macro_rules! of {
            ($register:expr) => {
                r[$register as usize]
            };
        }
        macro_rules! float32 {
            ($to:expr, $a:expr, $op:tt, $b:expr) => {
                of!($to) = of_float(float(of!($a)) $op float(of!($b)))
            };
        }
        macro_rules! float64 {
            ($to:expr, $a:expr, $op:tt, $b:expr) => {
                of!($to) = (f64::from_bits(of!($a)) $op f64::from_bits(of!($b))).to_bits()
            };
        }
        macro_rules! place {
            ($a:expr, $b:expr, $bytes:expr) => {
                of!($a).wrapping_add(of!($b).wrapping_mul(i64::from($bytes) as u64))
            };
        }
        loop {
            let here = *at;
            *at += 1;
            match code.ops[here] {
                Op::Move { to, from } => of!(to) = of!(from),
                Op::AddI32 { to, a, b } => of!(to) = of!(a).wrapping_add(of!(b)) as i32 as u64,
                Op::SubI32 { to, a, b } => of!(to) = of!(a).wrapping_sub(of!(b)) as i32 as u64,
                Op::MulI32 { to, a, b } => of!(to) = of!(a).wrapping_mul(of!(b)) as i32 as u64,
                Op::AddI64 { to, a, b } => of!(to) = of!(a).wrapping_add(of!(b)),
                Op::SubI64 { to, a, b } => of!(to) = of!(a).wrapping_sub(of!(b)),
                Op::MulI64 { to, a, b } => of!(to) = of!(a).wrapping_mul(of!(b)),
                Op::AddF32 { to, a, b } => float32!(to, a, +, b),
                Op::SubF32 { to, a, b } => float32!(to, a, -, b),
                Op::MulF32 { to, a, b } => float32!(to, a, *, b),
                Op::AddF64 { to, a, b } => float64!(to, a, +, b),
                Op::SubF64 { to, a, b } => float64!(to, a, -, b),
                Op::MulF64 { to, a, b } => float64!(to, a, *, b),
                Op::Binary { op, ty, to, a, b } => match arithmetic::binary(op, ty, of!(a), of!(b)) {
                    Some(value) => of!(to) = value,
                    None => return self.divided(code.lines[here]),
                },
                Op::Compare { compare, ty, to, a, b } => {
                    of!(to) = u64::from(arithmetic::compare(compare, ty, of!(a), of!(b)));
                }
                Op::Negate { ty, to, a } => of!(to) = arithmetic::negate(ty, of!(a)),
                Op::Complement { ty, to, a } => of!(to) = arithmetic::extend(ty, !of!(a)),
                Op::Not { to, a } => of!(to) = u64::from(of!(a) == 0),
                Op::Convert { into, from, to, a } => of!(to) = arithmetic::convert(into, from, of!(a)),
                Op::Intrinsic { intrinsic, ty, to, from: [a, b, c] } => {
                    of!(to) = arithmetic::intrinsic(intrinsic, ty, &[of!(a), of!(b), of!(c)]);
                }
                Op::Math { function, ty, to, from: [a, b, c] } => {
                    of!(to) = math(function, Some(ty), &[of!(a), of!(b), of!(c)]);
                }
                Op::Random { to } => of!(to) = self.random.next() as u64,
                Op::Index { to, a, b, bytes } => of!(to) = place!(a, b, bytes),
                Op::Distance { to, a, b, bytes } => {
                    of!(to) = (of!(a).wrapping_sub(of!(b)) as i64 / i64::from(bytes)) as u64;
                }
                Op::LoadU32 { to, a, b, bytes } => {
                    let address = place!(a, b, bytes);
                    of!(to) = match self.memory.read(address) {
                        Some(bytes) => u64::from(u32::from_le_bytes(bytes)),
                        None => self.load_at(code, here, Scalar::U32, address)?,
                    };
                }
                Op::LoadI32 { to, a, b, bytes } => {
                    let address = place!(a, b, bytes);
                    of!(to) = match self.memory.read(address) {
                        Some(bytes) => i32::from_le_bytes(bytes) as u64,
                        None => self.load_at(code, here, Scalar::I32, address)?,
                    };
                }
                Op::Load64 { to, a, b, bytes } => {
                    let address = place!(a, b, bytes);
                    of!(to) = match self.memory.read(address) {
                        Some(bytes) => u64::from_le_bytes(bytes),
                        None => self.load_at(code, here, Scalar::U64, address)?,
                    };
                }
                Op::Load { ty, to, a, b, bytes } => {
                    of!(to) = self.load_at(code, here, ty, place!(a, b, bytes))?;
                }
                Op::Store32 { from, a, b, bytes } => {
                    let address = place!(a, b, bytes);
                    if !self.memory.write(address, (of!(from) as u32).to_le_bytes()) {
                        self.store_at(code, here, Scalar::U32, address, of!(from))?;
                    }
                }
                Op::Store64 { from, a, b, bytes } => {
                    let address = place!(a, b, bytes);
                    if !self.memory.write(address, of!(from).to_le_bytes()) {
                        self.store_at(code, here, Scalar::U64, address, of!(from))?;
                    }
                }
                Op::Store { ty, from, a, b, bytes } => {
                    self.store_at(code, here, ty, place!(a, b, bytes), of!(from))?;
                }
                Op::Turn => {
                    self.at(code.lines[here]);
                    self.count()?;
                }
                Op::Jump { to } => *at = to as usize,
                Op::JumpIfZero { a, to } if of!(a) == 0 => *at = to as usize,
                Op::JumpUnlessZero { a, to } if of!(a) != 0 => *at = to as usize,
                Op::UnlessLess { a, b, to } if of!(a) as i64 >= of!(b) as i64 => *at = to as usize,
                Op::UnlessLessOrEqual { a, b, to } if of!(a) as i64 > of!(b) as i64 => *at = to as usize,
                Op::UnlessEqual { a, b, to } if of!(a) != of!(b) => *at = to as usize,
                Op::IfEqual { a, b, to } if of!(a) == of!(b) => *at = to as usize,
                Op::Unless { compare, ty, a, b, to } => {
                    if !arithmetic::compare(compare, ty, of!(a), of!(b)) {
                        *at = to as usize;
                    }
                }
                Op::JumpIfZero { .. }
                | Op::JumpUnlessZero { .. }
                | Op::UnlessLess { .. }
                | Op::UnlessLessOrEqual { .. }
                | Op::UnlessEqual { .. }
                | Op::IfEqual { .. } => {}
                Op::Tree { at: number } => {
                    let tree = &code.trees[number as usize];
                    self.leave_registers(&tree.slots, r, frame)?;
                    let flow = self.statement(tree.statement, frame)?;
                    self.enter_registers(&tree.slots, r, frame);
                    if flow == Flow::Return {
                        return Ok(flow);
                    }
                    if let Some(failure) = self.device.in_hand().filter(|_| !self.is_own) {
                        self.look_at(failure);
                    }
                }
                Op::Return { from } => {
                    self.returned = of!(from);
                    return Ok(Flow::Return);
                }
                Op::End => return Ok(Flow::Next),
            }
        }
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
