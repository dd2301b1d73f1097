//! A loop's tree to instructions.
//!
//! What each variable in a register is at a place, as far as the text says: it has a value, or that of before the loop if
//! it had one then, or none. A variable that may have none is not read here: the tree does that, and reports it.

use std::collections::BTreeMap;

use cudac::Line;
use cudac::host::{Binary, Call, Compare, Expr, Loop, RuntimeCall, Scalar, Stmt, Update, UpdateResult};

use super::slots::{Escapes, assigns};
use super::{Code, Op, Register, Slot, Tree};
use crate::machine::Machine;
use crate::runtime::Function;

/// So many instructions at most: functions that call functions make many.
const MOST_OPS: usize = 4000;

/// So many calls in calls.
const MOST_CALLS: usize = 6;

/// What a translation does not know.
#[derive(Debug)]
pub(super) struct Unknown;

type Result<T> = std::result::Result<T, Unknown>;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// What it was before the loop.
    Before,
    Set,
    /// Its declaration is in the loop, and it has no value yet.
    Empty,
}

/// A function, and what is known of its variables: number 0 is that of the loop, the others are called.
struct Frame<'m> {
    escapes: &'m Escapes,
    /// By their offsets.
    slots: BTreeMap<u64, (Slot, State)>,
    /// Where its result goes, and the jumps to its end.
    result: Register,
    returns: Vec<usize>,
}

/// A loop around the place.
struct Around {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    frame: usize,
}

struct Translator<'m, 'p> {
    machine: &'m Machine<'p>,
    escapes: &'m [Escapes],
    code: Code<'p>,
    frames: Vec<Frame<'m>>,
    loops: Vec<Around>,
    /// The next free register; temporaries are given back. And the end of all that were ever used.
    next: usize,
    most: usize,
    /// Registers from here on keep what they have: constants, addresses and variables.
    top: usize,
    line: Line,
    /// How many conditions are around the place.
    conditions: usize,
}

/// Translates a loop of a function, without what comes before its first turn.
pub(super) fn translate<'m, 'p>(
    machine: &'m Machine<'p>,
    escapes: &'m [Escapes],
    function: usize,
    inner: &'p Loop,
) -> Result<Code<'p>> {
    let code = Code {
        ops: Vec::new(),
        lines: Vec::new(),
        trees: Vec::new(),
        constants: Vec::new(),
        addresses: Vec::new(),
        slots: Vec::new(),
    };
    let mut translator = Translator {
        machine,
        escapes,
        code,
        frames: Vec::new(),
        loops: Vec::new(),
        next: 0,
        most: 0,
        top: 256,
        line: Line::NONE,
        conditions: 0,
    };
    translator.begin(&escapes[function], 0);
    translator.looping(inner)?;
    translator.op(Op::End)?;
    let slots = translator.frames[0].slots.values();
    let before = slots.filter(|(_, state)| *state != State::Empty).map(|(slot, _)| *slot);
    translator.code.slots = before.collect();
    Ok(translator.code)
}

impl<'m, 'p> Translator<'m, 'p> {
    fn begin(&mut self, escapes: &'m Escapes, result: Register) {
        self.frames.push(Frame { escapes, slots: BTreeMap::new(), result, returns: Vec::new() });
    }

    fn op(&mut self, op: Op) -> Result<usize> {
        if self.code.ops.len() >= MOST_OPS {
            return Err(Unknown);
        }
        self.code.ops.push(op);
        self.code.lines.push(self.line);
        Ok(self.code.ops.len() - 1)
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    /// Lets a jump go to the next instruction.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.ops[jump] {
            Op::Jump { to }
            | Op::JumpIfZero { to, .. }
            | Op::JumpUnlessZero { to, .. }
            | Op::UnlessLess { to, .. }
            | Op::UnlessLessOrEqual { to, .. }
            | Op::UnlessEqual { to, .. }
            | Op::IfEqual { to, .. }
            | Op::Unless { to, .. } => *to = here,
            _ => {}
        }
    }

    fn register(&mut self) -> Result<Register> {
        if self.next >= self.top {
            return Err(Unknown);
        }
        self.next += 1;
        self.most = self.most.max(self.next);
        Ok((self.next - 1) as Register)
    }

    fn constant(&mut self, value: u64) -> Result<Register> {
        if let Some((register, _)) = self.code.constants.iter().find(|(_, known)| *known == value) {
            return Ok(*register);
        }
        let register = self.fixed()?;
        self.code.constants.push((register, value));
        Ok(register)
    }

    /// A register that keeps what it holds at first.
    fn fixed(&mut self) -> Result<Register> {
        if self.top <= self.most {
            return Err(Unknown);
        }
        self.top -= 1;
        Ok(self.top as Register)
    }

    fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("the loop's function is always there")
    }

    /// The register of a variable, if it can be in one.
    fn slot(&mut self, offset: u64, ty: Scalar) -> Result<Option<Register>> {
        if let Some((slot, _)) = self.frame().slots.get(&offset) {
            return Ok(Some(slot.register));
        }
        if !self.frame().escapes.allows(offset, ty) {
            return Ok(None);
        }
        let register = self.fixed()?;
        let state = if self.frames.len() > 1 { State::Empty } else { State::Before };
        self.frame().slots.insert(offset, (Slot { offset, ty, register }, state));
        Ok(Some(register))
    }

    fn set(&mut self, offset: u64) {
        if let Some((_, state)) = self.frame().slots.get_mut(&offset) {
            // Without a value before the loop it would not be known after it whether it got one.
            *state = if *state == State::Before { State::Before } else { State::Set };
        }
    }

    /// The variables' states where two ways meet.
    fn merge(&mut self, other: &BTreeMap<u64, (Slot, State)>) {
        for (offset, (_, state)) in &mut self.frame().slots {
            let there = other.get(offset).map_or(State::Empty, |(_, state)| *state);
            if *state != State::Before && there != *state {
                *state = State::Empty;
            }
        }
    }

    fn statements(&mut self, statements: &'p [Stmt]) -> Result<()> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'p Stmt) -> Result<()> {
        let (start, next, trees) = (self.code.ops.len(), self.next, self.code.trees.len());
        let (conditions, loops, frames) = (self.conditions, self.loops.len(), self.frames.len());
        let slots = (conditions > 0 && frames == 1).then(|| self.frame().slots.clone());
        let made = self.natively(statement);
        self.next = next;
        if made.is_ok() || conditions == 0 || frames > 1 {
            return made;
        }
        // Jumps to what is taken back would remain in loops around, but only a statement with statements in it has them.
        if matches!(statement, Stmt::Expr(..) | Stmt::Return(_)) {
            self.code.ops.truncate(start);
            self.code.lines.truncate(start);
            self.code.trees.truncate(trees);
            self.frames.truncate(1);
            self.loops.truncate(loops);
            self.conditions = conditions;
            let tried = std::mem::replace(&mut self.frame().slots, slots.unwrap_or_default());
            self.keep_new(&tried);
            return self.tree(statement);
        }
        made
    }

    /// A statement for its tree.
    fn tree(&mut self, statement: &'p Stmt) -> Result<()> {
        for (offset, ty) in Escapes::used(statement) {
            self.slot(offset, ty)?;
        }
        if let Stmt::Expr(Expr::Store(_, to, ..) | Expr::StoreAt(_, to, ..), _) = statement
            && let Expr::Local(offset) = **to
        {
            self.set(offset);
        }
        let slots = self.frame().slots.values().filter(|(_, state)| *state != State::Empty);
        let slots = slots.map(|(slot, _)| *slot).collect();
        let at = self.code.trees.len() as u32;
        self.code.trees.push(Tree { statement, slots });
        self.op(Op::Tree { at }).map(|_| ())
    }

    fn natively(&mut self, statement: &'p Stmt) -> Result<()> {
        match statement {
            Stmt::Expr(expr, _) => self.effect(expr),
            Stmt::Forget(offset, _) => {
                // The variable is one of the loop's, if it is in a register at all.
                let ty = self.frame().escapes.ty(*offset);
                if let Some(ty) = ty
                    && self.slot(*offset, ty)?.is_some()
                    && let Some((_, state)) = self.frame().slots.get_mut(offset)
                {
                    *state = State::Empty;
                    return Ok(());
                }
                Err(Unknown)
            }
            Stmt::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            Stmt::Loop(inner) => {
                self.statements(&inner.init)?;
                self.looping(inner)
            }
            Stmt::Block(inner) => self.statements(inner),
            Stmt::Break | Stmt::Continue => {
                let depth = self.frames.len();
                let jump = self.op(Op::Jump { to: 0 })?;
                let around = self.loops.last_mut().filter(|around| around.frame == depth).ok_or(Unknown)?;
                match statement {
                    Stmt::Break => around.breaks.push(jump),
                    _ => around.continues.push(jump),
                }
                Ok(())
            }
            Stmt::Return(value) => self.returns(value.as_ref()),
            Stmt::Switch(_) | Stmt::Scope(_) | Stmt::Goto(_) | Stmt::Label(_) => Err(Unknown),
        }
    }

    fn returns(&mut self, value: Option<&'p Expr>) -> Result<()> {
        let made = value.map(|value| self.value(value)).transpose()?;
        let from = match made {
            Some(register) => register,
            None => self.constant(0)?,
        };
        if self.frames.len() == 1 {
            return self.op(Op::Return { from }).map(|_| ());
        }
        let to = self.frame().result;
        self.op(Op::Move { to, from })?;
        let jump = self.op(Op::Jump { to: 0 })?;
        self.frame().returns.push(jump);
        Ok(())
    }

    fn branch(&mut self, condition: &'p Expr, then: &'p [Stmt], otherwise: &'p [Stmt]) -> Result<()> {
        let not = self.unless(condition)?;
        self.conditions += 1;
        let before = self.frame().slots.clone();
        self.statements(then)?;
        let after = std::mem::replace(&mut self.frame().slots, before.clone());
        self.keep_new(&after);
        if otherwise.is_empty() {
            self.land_all(&not);
        } else {
            let end = self.op(Op::Jump { to: 0 })?;
            self.land_all(&not);
            self.statements(otherwise)?;
            self.land(end);
        }
        self.merge(&after);
        self.conditions -= 1;
        Ok(())
    }

    /// Variables that were met on another way first keep their registers.
    fn keep_new(&mut self, other: &BTreeMap<u64, (Slot, State)>) {
        for (offset, (slot, state)) in other {
            let state = if *state == State::Before { State::Before } else { State::Empty };
            self.frame().slots.entry(*offset).or_insert((*slot, state));
        }
    }

    fn land_all(&mut self, jumps: &[usize]) {
        for jump in jumps {
            self.land(*jump);
        }
    }

    /// The turns of a loop. Every turn has to change something, or the tree has to see that it never ends.
    fn looping(&mut self, inner: &'p Loop) -> Result<()> {
        if !changes(inner) {
            return Err(Unknown);
        }
        self.line = inner.line;
        let frame = self.frames.len();
        self.loops.push(Around { breaks: Vec::new(), continues: Vec::new(), frame });
        let first = if inner.is_do {
            self.op(Op::Turn)?;
            Some(self.op(Op::Jump { to: 0 })?)
        } else {
            None
        };
        let head = self.here();
        self.op(Op::Turn)?;
        let exits = match &inner.condition {
            Some(condition) => self.unless(condition)?,
            None => Vec::new(),
        };
        if let Some(jump) = first {
            self.land(jump);
        }
        let before = self.frame().slots.clone();
        self.statements(&inner.body)?;
        let continues = std::mem::take(&mut self.loops.last_mut().ok_or(Unknown)?.continues);
        self.land_all(&continues);
        if !continues.is_empty() {
            self.merge(&before);
        }
        if let Some(step) = &inner.step {
            let next = self.next;
            self.effect(step)?;
            self.next = next;
        }
        self.op(Op::Jump { to: head })?;
        let around = self.loops.pop().ok_or(Unknown)?;
        self.land_all(&exits);
        self.land_all(&around.breaks);
        self.merge(&before);
        Ok(())
    }

    /// An expression whose result nobody uses.
    fn effect(&mut self, expr: &'p Expr) -> Result<()> {
        match expr {
            Expr::Then(parts) => parts.iter().try_for_each(|part| self.effect(part)),
            Expr::StoreAt(ty, to, value, line) | Expr::Store(ty, to, value, line) => {
                self.store(*ty, to, value, *line).map(|_| ())
            }
            Expr::Update(update) => self.update(update, false).map(|_| ()),
            other => self.value(other).map(|_| ()),
        }
    }

    fn at(&mut self, line: Line) {
        if line.is_known() {
            self.line = line;
        }
    }

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
    fn value(&mut self, expr: &'p Expr) -> Result<Register> {
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
    fn store(&mut self, ty: Scalar, to: &'p Expr, value: &'p Expr, line: Line) -> Result<Register> {
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
    fn update(&mut self, update: &'p Update, is_used: bool) -> Result<Register> {
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
    fn unless(&mut self, condition: &'p Expr) -> Result<Vec<usize>> {
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

/// Whether every turn of a loop changes something for certain.
fn changes(inner: &Loop) -> bool {
    let is_change = |expr: &Expr| matches!(expr, Expr::Update(_) | Expr::Store(..) | Expr::StoreAt(..));
    let in_step = inner.step.as_ref().is_some_and(|step| match step {
        Expr::Then(parts) => parts.iter().any(is_change),
        other => is_change(other),
    });
    // A turn may end with `continue` before it comes to what is behind.
    let first =
        inner.body.iter().take_while(|statement| matches!(statement, Stmt::Expr(..) | Stmt::Forget(..)));
    in_step || first.into_iter().any(|statement| matches!(statement, Stmt::Expr(expr, _) if is_change(expr)))
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
