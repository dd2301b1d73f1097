//! A loop's tree to instructions.
//!
//! What each variable in a register is at a place, as far as the text says: it has a value, or that of before the loop if
//! it had one then, or none. A variable that may have none is not read here: the tree does that, and reports it.

use std::collections::BTreeMap;

use cudac::Line;
use cudac::host::{Expr, Loop, Scalar, Stmt};

use super::slots::Escapes;
use super::{Code, Op, Register, Slot, Tree};
use crate::machine::Machine;

/// So many instructions at most: functions that call functions make many.
const MOST_OPS: usize = 4000;

/// What a translation does not know.
#[derive(Debug)]
pub(super) struct Unknown;

pub(super) type Result<T> = std::result::Result<T, Unknown>;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// What it was before the loop.
    Before,
    Set,
    /// Its declaration is in the loop, and it has no value yet.
    Empty,
}

/// A function, and what is known of its variables: number 0 is that of the loop, the others are called.
pub(super) struct Frame<'m> {
    pub escapes: &'m Escapes,
    /// By their offsets.
    pub slots: BTreeMap<u64, (Slot, State)>,
    /// Where its result goes, and the jumps to its end.
    pub result: Register,
    pub returns: Vec<usize>,
}

/// A loop around the place.
pub(super) struct Around {
    breaks: Vec<usize>,
    continues: Vec<usize>,
    frame: usize,
}

pub(super) struct Translator<'m, 'p> {
    pub machine: &'m Machine<'p>,
    pub escapes: &'m [Escapes],
    pub code: Code<'p>,
    pub frames: Vec<Frame<'m>>,
    pub loops: Vec<Around>,
    /// The next free register; temporaries are given back. And the end of all that were ever used.
    pub next: usize,
    pub most: usize,
    /// Registers from here on keep what they have: constants, addresses and variables.
    pub top: usize,
    pub line: Line,
    /// How many conditions are around the place.
    pub conditions: usize,
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
    pub fn begin(&mut self, escapes: &'m Escapes, result: Register) {
        self.frames.push(Frame { escapes, slots: BTreeMap::new(), result, returns: Vec::new() });
    }

    pub fn op(&mut self, op: Op) -> Result<usize> {
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
    pub fn land(&mut self, jump: usize) {
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

    pub fn register(&mut self) -> Result<Register> {
        if self.next >= self.top {
            return Err(Unknown);
        }
        self.next += 1;
        self.most = self.most.max(self.next);
        Ok((self.next - 1) as Register)
    }

    pub fn constant(&mut self, value: u64) -> Result<Register> {
        if let Some((register, _)) = self.code.constants.iter().find(|(_, known)| *known == value) {
            return Ok(*register);
        }
        let register = self.fixed()?;
        self.code.constants.push((register, value));
        Ok(register)
    }

    /// A register that keeps what it holds at first.
    pub fn fixed(&mut self) -> Result<Register> {
        if self.top <= self.most {
            return Err(Unknown);
        }
        self.top -= 1;
        Ok(self.top as Register)
    }

    pub fn frame(&mut self) -> &mut Frame<'m> {
        self.frames.last_mut().expect("the loop's function is always there")
    }

    /// The register of a variable, if it can be in one.
    pub fn slot(&mut self, offset: u64, ty: Scalar) -> Result<Option<Register>> {
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

    pub fn set(&mut self, offset: u64) {
        if let Some((_, state)) = self.frame().slots.get_mut(&offset) {
            // Without a value before the loop it would not be known after it whether it got one.
            *state = if *state == State::Before { State::Before } else { State::Set };
        }
    }

    /// The variables' states where two ways meet.
    pub fn merge(&mut self, other: &BTreeMap<u64, (Slot, State)>) {
        for (offset, (_, state)) in &mut self.frame().slots {
            let there = other.get(offset).map_or(State::Empty, |(_, state)| *state);
            if *state != State::Before && there != *state {
                *state = State::Empty;
            }
        }
    }

    pub fn statements(&mut self, statements: &'p [Stmt]) -> Result<()> {
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
    pub fn keep_new(&mut self, other: &BTreeMap<u64, (Slot, State)>) {
        for (offset, (slot, state)) in other {
            let state = if *state == State::Before { State::Before } else { State::Empty };
            self.frame().slots.entry(*offset).or_insert((*slot, state));
        }
    }

    pub fn land_all(&mut self, jumps: &[usize]) {
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
    pub fn effect(&mut self, expr: &'p Expr) -> Result<()> {
        match expr {
            Expr::Then(parts) => parts.iter().try_for_each(|part| self.effect(part)),
            Expr::StoreAt(ty, to, value, line) | Expr::Store(ty, to, value, line) => {
                self.store(*ty, to, value, *line).map(|_| ())
            }
            Expr::Update(update) => self.update(update, false).map(|_| ()),
            other => self.value(other).map(|_| ()),
        }
    }

    pub fn at(&mut self, line: Line) {
        if line.is_known() {
            self.line = line;
        }
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
