//! Expressions to instructions: where their values are.

use cudac::Line;
use cudac::host::{Binary, Call, Compare, Expr, RuntimeCall, Scalar, Update, UpdateResult};

use super::slots::assigns;
use super::translate::{Result, State, Translator, Unknown};
use super::{Op, Register};
use crate::function::Function;

/// So many calls in calls.
const MOST_CALLS: usize = 6;

impl<'p> Translator<'_, 'p> {
    /// Where the value of an expression is, and stays while other expressions are computed: a variable's own register
    /// would change with it.
    fn value_before(&mut self, expr: &'p Expr, later: &[&'p Expr]) -> Result<Register> {
        let from = self.value(expr)?;
        let is_variable = matches!(expr, Expr::Load(..) | Expr::Store(..) | Expr::Update(_));
        if !is_variable || !later.iter().any(|expr| assigns(expr)) {
            return Ok(from);
        }
        let to = self.register()?;
        self.op(Op::Move { to, from })?;
        Ok(to)
    }

    /// The values of two expressions.
    fn two(&mut self, a: &'p Expr, b: &'p Expr) -> Result<(Register, Register)> {
        let first = self.value_before(a, &[b])?;
        Ok((first, self.value(b)?))
    }

    /// Where the value of an expression is.
    pub fn value(&mut self, expr: &'p Expr) -> Result<Register> {
        match expr {
            Expr::Const(value) => self.constant(*value),
            Expr::Global(number) => self.constant(self.machine.global(*number)),
            Expr::Text(number) => self.constant(self.machine.text_at(*number)),
            Expr::Local(offset) => self.address(*offset),
            Expr::Load(ty, address, line) => {
                if let Expr::Local(offset) = **address
                    && let Some(register) = self.slot(offset, *ty)?
                {
                    let state = self.frame().slots.get(&offset).map(|(_, state)| *state);
                    return if state == Some(State::Empty) { Err(Unknown) } else { Ok(register) };
                }
                let (a, b, bytes) = self.place(address)?;
                self.at(*line);
                let to = self.register()?;
                self.op(load(*ty, to, a, b, bytes))?;
                Ok(to)
            }
            _ => {
                let to = self.register()?;
                self.value_into(expr, to)?;
                Ok(to)
            }
        }
    }

    /// Computes an expression that is no variable and no constant into a register.
    fn value_into(&mut self, expr: &'p Expr, to: Register) -> Result<()> {
        let op = match expr {
            Expr::Store(ty, place, value, line) => {
                let from = self.store(*ty, place, value, *line)?;
                Op::Move { to, from }
            }
            Expr::Update(update) => {
                let from = self.update(update, true)?;
                Op::Move { to, from }
            }
            Expr::Offset(address, bytes) => {
                let (a, b) = (self.value(address)?, self.constant(*bytes)?);
                Op::AddI64 { to, a, b }
            }
            Expr::Index(..) => {
                let (a, b, bytes) = self.place(expr)?;
                Op::Index { to, a, b, bytes }
            }
            Expr::Distance(a, b, bytes) => {
                let (a, b) = self.two(a, b)?;
                Op::Distance { to, a, b, bytes: u32::try_from(*bytes).map_err(|_| Unknown)? }
            }
            Expr::Negate(ty, a) => Op::Negate { ty: *ty, to, a: self.value(a)? },
            Expr::Complement(ty, a) => Op::Complement { ty: *ty, to, a: self.value(a)? },
            Expr::Not(a) => Op::Not { to, a: self.value(a)? },
            Expr::Binary(op, ty, a, b, line) => {
                let (a, b) = self.two(a, b)?;
                self.at(*line);
                binary(*op, *ty, to, a, b)
            }
            Expr::Compare(compare, ty, a, b) => {
                let (a, b) = self.two(a, b)?;
                Op::Compare { compare: *compare, ty: *ty, to, a, b }
            }
            Expr::Convert(into, from, a) => Op::Convert { into: *into, from: *from, to, a: self.value(a)? },
            Expr::And(..) | Expr::Or(..) => return self.truth(expr, to),
            Expr::If(condition, yes, no) => return self.choice(condition, [yes, no], to),
            Expr::Then(parts) => {
                let (last, before) = parts.split_last().ok_or(Unknown)?;
                before.iter().try_for_each(|part| self.effect(part))?;
                Op::Move { to, from: self.value(last)? }
            }
            Expr::Intrinsic(intrinsic, ty, values) => {
                let from = self.three(values.iter())?;
                Op::Intrinsic { intrinsic: *intrinsic, ty: *ty, to, from }
            }
            Expr::Runtime(call) => return self.runtime(call, to),
            Expr::Call(call) => return self.call(call, to),
            _ => return Err(Unknown),
        };
        self.op(op).map(|_| ())
    }

    /// The address of something in the frame that is not in a register.
    fn address(&mut self, offset: u64) -> Result<Register> {
        if self.frames.len() > 1 {
            return Err(Unknown);
        }
        if let Some((register, _)) = self.code.addresses.iter().find(|(_, known)| *known == offset) {
            return Ok(*register);
        }
        let register = self.fixed()?;
        self.code.addresses.push((register, offset));
        Ok(register)
    }

    /// An address as the sum of a register and a multiple of another.
    fn place(&mut self, address: &'p Expr) -> Result<(Register, Register, i32)> {
        if let Expr::Index(a, b, bytes) = address
            && let Ok(bytes) = i32::try_from(*bytes)
        {
            let (a, b) = self.two(a, b)?;
            return Ok((a, b, bytes));
        }
        if let Expr::Index(a, b, bytes) = address {
            let ((a, b), size) = (self.two(a, b)?, self.constant(*bytes as u64)?);
            let to = self.register()?;
            self.op(Op::MulI64 { to, a: b, b: size })?;
            return Ok((a, to, 1));
        }
        let a = self.value(address)?;
        Ok((a, self.constant(0)?, 0))
    }

    /// Stores a value; the register that has it.
    pub fn store(&mut self, ty: Scalar, to: &'p Expr, value: &'p Expr, line: Line) -> Result<Register> {
        if let Expr::Local(offset) = to
            && let Some(register) = self.slot(*offset, ty)?
        {
            match value {
                // The variable itself may be an operand: it is read before it is written.
                Expr::Binary(..) | Expr::Convert(..) | Expr::Negate(..) | Expr::Intrinsic(..) => {
                    self.value_into(value, register)?;
                }
                other => {
                    let from = self.value(other)?;
                    self.op(Op::Move { to: register, from })?;
                }
            }
            self.set(*offset);
            return Ok(register);
        }
        let from = self.value_before(value, &[to])?;
        let (a, b, bytes) = self.place(to)?;
        self.at(line);
        self.op(store(ty, from, a, b, bytes))?;
        Ok(from)
    }

    /// `a op= b` and `++a`; where the result is, if it is used.
    pub fn update(&mut self, update: &'p Update, is_used: bool) -> Result<Register> {
        if is_used && update.result == UpdateResult::Address {
            return Err(Unknown);
        }
        let keeps_old = is_used && update.result == UpdateResult::Old;
        let value = self.value_before(&update.value, &[&update.address])?;
        if let Expr::Local(offset) = &update.address
            && let Some(register) = self.slot(*offset, update.ty)?
        {
            if self.frame().slots.get(offset).is_some_and(|(_, state)| *state == State::Empty) {
                return Err(Unknown);
            }
            let mut old = register;
            if keeps_old {
                old = self.register()?;
                self.op(Op::Move { to: old, from: register })?;
            }
            self.at(update.line);
            self.combine(update, register, value, register)?;
            self.set(*offset);
            return Ok(if keeps_old { old } else { register });
        }
        let (a, b, bytes) = self.place(&update.address)?;
        self.at(update.line);
        let old = self.register()?;
        self.op(load(update.ty, old, a, b, bytes))?;
        let new = self.register()?;
        self.combine(update, old, value, new)?;
        self.op(store(update.ty, new, a, b, bytes))?;
        Ok(if keeps_old { old } else { new })
    }

    /// The new value of an update.
    fn combine(&mut self, update: &Update, old: Register, value: Register, to: Register) -> Result<()> {
        let (ty, wide) = (update.ty, update.computed_as);
        if ty == wide {
            return self.op(binary(update.op, ty, to, old, value)).map(|_| ());
        }
        let between = self.register()?;
        self.op(Op::Convert { into: wide, from: ty, to: between, a: old })?;
        self.op(binary(update.op, wide, between, between, value))?;
        self.op(Op::Convert { into: ty, from: wide, to, a: between }).map(|_| ())
    }

    /// A condition as 0 or 1.
    fn truth(&mut self, expr: &'p Expr, to: Register) -> Result<()> {
        let made = self.register()?;
        let (no, yes) = (self.constant(0)?, self.constant(1)?);
        self.op(Op::Move { to: made, from: no })?;
        let not = self.unless(expr)?;
        self.op(Op::Move { to: made, from: yes })?;
        self.land_all(&not);
        self.op(Op::Move { to, from: made }).map(|_| ())
    }

    fn choice(&mut self, condition: &'p Expr, [yes, no]: [&'p Expr; 2], to: Register) -> Result<()> {
        let made = self.register()?;
        let not = self.unless(condition)?;
        let before = self.frame().slots.clone();
        let from = self.value(yes)?;
        self.op(Op::Move { to: made, from })?;
        let end = self.op(Op::Jump { to: 0 })?;
        self.land_all(&not);
        let after = std::mem::replace(&mut self.frame().slots, before);
        self.keep_new(&after);
        let from = self.value(no)?;
        self.op(Op::Move { to: made, from })?;
        self.land(end);
        self.merge(&after);
        self.op(Op::Move { to, from: made }).map(|_| ())
    }

    /// Jumps that are taken unless a condition holds. What it assigns, it assigns for certain only in its first part.
    pub fn unless(&mut self, condition: &'p Expr) -> Result<Vec<usize>> {
        match condition {
            Expr::Compare(compare, ty, a, b) => {
                let (a, b) = self.two(a, b)?;
                let is_integer = !matches!(ty, Scalar::F32 | Scalar::F64);
                let is_signed = matches!(ty, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
                let op = match compare {
                    Compare::Lt if is_signed => Op::UnlessLess { a, b, to: 0 },
                    Compare::Gt if is_signed => Op::UnlessLess { a: b, b: a, to: 0 },
                    Compare::Le if is_signed => Op::UnlessLessOrEqual { a, b, to: 0 },
                    Compare::Ge if is_signed => Op::UnlessLessOrEqual { a: b, b: a, to: 0 },
                    Compare::Eq if is_integer => Op::UnlessEqual { a, b, to: 0 },
                    Compare::Ne if is_integer => Op::IfEqual { a, b, to: 0 },
                    _ => Op::Unless { compare: *compare, ty: *ty, a, b, to: 0 },
                };
                Ok(vec![self.op(op)?])
            }
            Expr::And(a, b) => {
                let mut jumps = self.unless(a)?;
                let before = self.frame().slots.clone();
                jumps.extend(self.unless(b)?);
                self.merge(&before);
                Ok(jumps)
            }
            Expr::Or(a, b) => {
                let not = self.unless(a)?;
                let yes = self.op(Op::Jump { to: 0 })?;
                self.land_all(&not);
                let before = self.frame().slots.clone();
                let jumps = self.unless(b)?;
                self.merge(&before);
                self.land(yes);
                Ok(jumps)
            }
            Expr::Not(inner) => {
                let a = self.value(inner)?;
                Ok(vec![self.op(Op::JumpUnlessZero { a, to: 0 })?])
            }
            other => {
                let a = self.value(other)?;
                Ok(vec![self.op(Op::JumpIfZero { a, to: 0 })?])
            }
        }
    }

    fn three(&mut self, values: impl Iterator<Item = &'p Expr>) -> Result<[Register; 3]> {
        let mut registers = [self.constant(0)?; 3];
        let values: Vec<_> = values.collect();
        for (nth, value) in values.iter().enumerate() {
            *registers.get_mut(nth).ok_or(Unknown)? = self.value_before(value, &values[nth + 1..])?;
        }
        Ok(registers)
    }

    /// A function of the runtime that only computes.
    fn runtime(&mut self, call: &'p RuntimeCall, to: Register) -> Result<()> {
        let op = match self.machine.functions[call.function] {
            Function::Rand => Op::Random { to },
            function @ (Function::Sqrt
            | Function::Rsqrt
            | Function::Floor
            | Function::Ceil
            | Function::Rint
            | Function::Trunc
            | Function::Fma) => {
                let from = self.three(call.arguments.iter().map(|(_, value)| value))?;
                Op::Math { function, ty: call.result.ok_or(Unknown)?, to, from }
            }
            _ => return Err(Unknown),
        };
        self.op(op).map(|_| ())
    }

    /// A call becomes the body of its function, whose variables are in registers of their own.
    fn call(&mut self, call: &'p Call, to: Register) -> Result<()> {
        let function = &self.machine.program.functions[call.function];
        if call.result.is_some() || call.first.is_some() || self.frames.len() > MOST_CALLS {
            return Err(Unknown);
        }
        let mut values = Vec::with_capacity(call.arguments.len());
        let arguments: Vec<_> = call.arguments.iter().collect();
        for (nth, argument) in arguments.iter().enumerate() {
            values.push(self.value_before(argument, &arguments[nth + 1..])?);
        }
        self.at(call.line);
        let line = self.line;
        self.op(Op::Turn)?;
        let (result, nothing) = (self.register()?, self.constant(0)?);
        self.op(Op::Move { to: result, from: nothing })?;
        self.begin(&self.escapes[call.function], result);
        for (parameter, from) in function.parameters.iter().zip(values) {
            let cudac::host::Passing::Scalar(ty) = parameter.passing else { return Err(Unknown) };
            // A parameter that nobody reads has no type.
            let Some(register) = self.slot(parameter.offset, ty)? else {
                if self.frame().escapes.ty(parameter.offset).is_none() {
                    continue;
                }
                return Err(Unknown);
            };
            self.op(Op::Move { to: register, from })?;
            self.set(parameter.offset);
        }
        let conditions = std::mem::replace(&mut self.conditions, 0);
        self.statements(&function.body)?;
        self.conditions = conditions;
        let frame = self.frames.pop().ok_or(Unknown)?;
        self.land_all(&frame.returns);
        self.line = line;
        self.op(Op::Move { to, from: result }).map(|_| ())
    }
}

fn binary(op: Binary, ty: Scalar, to: Register, a: Register, b: Register) -> Op {
    match (op, ty) {
        (Binary::Add, Scalar::I32) => Op::AddI32 { to, a, b },
        (Binary::Sub, Scalar::I32) => Op::SubI32 { to, a, b },
        (Binary::Mul, Scalar::I32) => Op::MulI32 { to, a, b },
        (Binary::Add, Scalar::I64 | Scalar::U64) => Op::AddI64 { to, a, b },
        (Binary::Sub, Scalar::I64 | Scalar::U64) => Op::SubI64 { to, a, b },
        (Binary::Mul, Scalar::I64 | Scalar::U64) => Op::MulI64 { to, a, b },
        (Binary::Add, Scalar::F32) => Op::AddF32 { to, a, b },
        (Binary::Sub, Scalar::F32) => Op::SubF32 { to, a, b },
        (Binary::Mul, Scalar::F32) => Op::MulF32 { to, a, b },
        (Binary::Add, Scalar::F64) => Op::AddF64 { to, a, b },
        (Binary::Sub, Scalar::F64) => Op::SubF64 { to, a, b },
        (Binary::Mul, Scalar::F64) => Op::MulF64 { to, a, b },
        _ => Op::Binary { op, ty, to, a, b },
    }
}

fn load(ty: Scalar, to: Register, a: Register, b: Register, bytes: i32) -> Op {
    match ty {
        Scalar::F32 | Scalar::U32 => Op::LoadU32 { to, a, b, bytes },
        Scalar::I32 => Op::LoadI32 { to, a, b, bytes },
        Scalar::F64 | Scalar::I64 | Scalar::U64 => Op::Load64 { to, a, b, bytes },
        _ => Op::Load { ty, to, a, b, bytes },
    }
}

fn store(ty: Scalar, from: Register, a: Register, b: Register, bytes: i32) -> Op {
    match ty.bytes() {
        4 => Op::Store32 { from, a, b, bytes },
        8 => Op::Store64 { from, a, b, bytes },
        _ => Op::Store { ty, from, a, b, bytes },
    }
}
