//! Which variables of a function can be in registers: numbers whose address is used for nothing but to read and write
//! them, always as the same type.

use std::collections::{BTreeMap, BTreeSet};

use cudac::host::{Expr, Function, Loop, Scalar, Stmt, UpdateResult};

/// The variables of a function that have to be in memory, and its loops.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// The offsets of those whose address is used for something else.
    taken: BTreeSet<u64>,
    types: BTreeMap<u64, Scalar>,
    objects: Vec<(u64, u64)>,
    /// The loops, by where they are in memory.
    pub loops: Vec<usize>,
}

/// What tells a loop from others: the tree of a program does not move.
pub(crate) fn identity(inner: &Loop) -> usize {
    std::ptr::from_ref(inner).addr()
}

impl Escapes {
    pub fn of(function: &Function) -> Escapes {
        let mut found = Escapes { objects: function.objects.clone(), ..Escapes::default() };
        found.statements(&function.body);
        found
    }

    /// Whether a variable can be in a register as a number of this type.
    pub fn allows(&self, offset: u64, ty: Scalar) -> bool {
        let is_part = self.objects.iter().any(|(start, bytes)| (*start..start + bytes).contains(&offset));
        !is_part && !self.taken.contains(&offset) && self.types.get(&offset) == Some(&ty)
    }

    /// As what a variable is read and written, if it is.
    pub fn ty(&self, offset: u64) -> Option<Scalar> {
        self.types.get(&offset).copied()
    }

    /// The variables that a statement reads or writes directly.
    pub fn used(statement: &Stmt) -> Vec<(u64, Scalar)> {
        let mut found = Escapes::default();
        found.statement(statement);
        found.types.into_iter().collect()
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            // The result is not used, so an address that would be one goes nowhere.
            Stmt::Expr(Expr::StoreAt(ty, to, value, _), _) => {
                self.place(*ty, to);
                self.expr(value);
            }
            Stmt::Expr(Expr::Update(update), _) => {
                self.place(update.ty, &update.address);
                self.expr(&update.value);
            }
            Stmt::Expr(expr, _) => self.expr(expr),
            Stmt::If(condition, then, otherwise) => {
                self.expr(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            Stmt::Loop(inner) => {
                self.loops.push(identity(inner));
                self.statements(&inner.init);
                inner.condition.iter().for_each(|condition| self.expr(condition));
                inner.step.iter().for_each(|step| self.step(step));
                self.statements(&inner.body);
            }
            Stmt::Switch(inner) => {
                self.expr(&inner.value);
                inner.arms.iter().for_each(|(_, body)| self.statements(body));
            }
            Stmt::Block(inner) | Stmt::Scope(inner) => self.statements(inner),
            Stmt::Return(value) => value.iter().for_each(|value| self.expr(value)),
            Stmt::Forget(..) | Stmt::Break | Stmt::Continue | Stmt::Goto(_) | Stmt::Label(_) => {}
        }
    }

    /// What a loop does after each turn, whose result is not used.
    fn step(&mut self, step: &Expr) {
        match step {
            Expr::Update(update) => {
                self.place(update.ty, &update.address);
                self.expr(&update.value);
            }
            Expr::Then(parts) => parts.iter().for_each(|part| self.step(part)),
            other => self.expr(other),
        }
    }

    /// What is read or written.
    fn place(&mut self, ty: Scalar, address: &Expr) {
        match address {
            Expr::Local(offset) => {
                if *self.types.entry(*offset).or_insert(ty) != ty {
                    self.taken.insert(*offset);
                }
            }
            other => self.expr(other),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Local(offset) => _ = self.taken.insert(*offset),
            Expr::Load(ty, address, _) => self.place(*ty, address),
            Expr::Store(ty, address, value, _) => {
                self.place(*ty, address);
                self.expr(value);
            }
            Expr::Update(update) => {
                if update.result == UpdateResult::Address {
                    self.expr(&update.address);
                } else {
                    self.place(update.ty, &update.address);
                }
                self.expr(&update.value);
            }
            other => parts(other).into_iter().for_each(|part| self.expr(part)),
        }
    }
}

/// Whether an expression assigns anything to a variable of its function.
pub(super) fn assigns(expr: &Expr) -> bool {
    matches!(expr, Expr::Store(..) | Expr::StoreAt(..) | Expr::Update(_))
        || parts(expr).into_iter().any(assigns)
}

/// The expressions in an expression.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Const(_) | Expr::Local(_) | Expr::Global(_) | Expr::Symbol(_) | Expr::Text(_) => Vec::new(),
        Expr::Load(_, a, _)
        | Expr::Clear(_, a)
        | Expr::Offset(a, _)
        | Expr::Negate(_, a)
        | Expr::Complement(_, a)
        | Expr::Not(a)
        | Expr::Convert(_, _, a)
        | Expr::Own(a, _)
        | Expr::Disown(a, _)
        | Expr::Clean(a) => vec![a],
        Expr::Store(_, a, b, _)
        | Expr::StoreAt(_, a, b, _)
        | Expr::Copy(_, a, b, _)
        | Expr::Index(a, b, _)
        | Expr::Distance(a, b, _)
        | Expr::Binary(_, _, a, b, _)
        | Expr::Compare(_, _, a, b)
        | Expr::And(a, b)
        | Expr::Or(a, b) => vec![a, b],
        Expr::If(a, b, c) => vec![a, b, c],
        Expr::Update(update) => vec![&update.address, &update.value],
        Expr::Then(parts) | Expr::Intrinsic(_, _, parts) => parts.iter().collect(),
        Expr::Call(call) => call.arguments.iter().collect(),
        Expr::CallPointer(call) => std::iter::once(&call.pointer).chain(&call.arguments).collect(),
        Expr::Runtime(call) => call.arguments.iter().map(|(_, value)| value).collect(),
        Expr::Print(stream, _, values, _) => {
            std::iter::once(&**stream).chain(values.iter().map(|(_, value)| value)).collect()
        }
        Expr::Format(_, _, values, _) => values.iter().map(|(_, value)| value).collect(),
        Expr::Launch(launch) => {
            [&launch.kernel, &launch.grid, &launch.block, &launch.shared_bytes, &launch.stream]
                .into_iter()
                .chain(launch.arguments.iter().map(|(_, value)| value))
                .collect()
        }
    }
}
