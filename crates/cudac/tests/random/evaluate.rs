//! Runs a program by walking its tree: one thread after another, and all of them in step where they work together.
//!
//! What C++ leaves open is noted with the expression that causes it, so that `mend` can change it.

use std::collections::BTreeMap;

use crate::number::{self, Binary, Harm, Number, Ty, Value, integer};
use crate::together;
use crate::tree::{
    Argument, Atomic, Builtin, Expr, For, FunctionId, INPUTS, Init, Kind, OWN, Place, Program, RESULTS,
    Shape, Stmt, TOTAL, TOTALS, VarId, VarKind,
};

/// What a launch leaves in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// For each thread, the results that are integers, as 64 bits.
    pub integers: Vec<u64>,
    /// For each thread, the results that are floats.
    pub floats: Vec<f64>,
    /// The numbers of each thread.
    pub own: Vec<i32>,
    pub totals: Vec<u32>,
}

/// More steps than this are too many.
const MAX_STEPS: u64 = 400_000;

/// The input at an index.
pub fn input(at: usize) -> i32 {
    [0, 1, -1, 7, 100, -128, 255, 65_536, i32::MAX, i32::MIN, 12, -3, 31, 32, 1_000_000, -77][at % INPUTS]
}

/// What a thread's own numbers are before.
pub fn own(thread: usize, at: usize) -> i32 {
    (thread * 5 + at * 3) as i32 - 20
}

/// A thread.
pub struct Thread {
    pub index: usize,
    pub block: usize,
    /// All variables, one number after another; the first are the thread's numbers in global memory.
    pub cells: Vec<Option<Value>>,
    frames: Vec<Frame>,
    integers: [u64; RESULTS],
    floats: [f64; RESULTS],
}

struct Frame {
    function: FunctionId,
    parameter: Option<Ty>,
    /// Where each variable begins.
    at: Vec<usize>,
}

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

pub struct Machine<'p> {
    pub program: &'p Program,
    pub threads: Vec<Thread>,
    pub totals: [u32; TOTALS],
    pub harms: BTreeMap<u32, Harm>,
    pub steps: u64,
}

/// Runs a program. What C++ leaves open is in the map, by the expression; then the outcome means nothing.
pub fn evaluate(program: &Program) -> Result<(Outcome, BTreeMap<u32, Harm>), TooLong> {
    let kernel = program.functions.len() - 1;
    let thread = |at: usize| Thread {
        index: at % program.threads,
        block: at / program.threads,
        cells: (0..OWN).map(|nth| Some(integer(Ty::Int, own(at, nth).into()))).collect(),
        frames: vec![Frame {
            function: kernel,
            parameter: None,
            at: vec![usize::MAX; program.functions[kernel].vars.len()],
        }],
        integers: [0; RESULTS],
        floats: [0.0; RESULTS],
    };
    let threads = (0..program.threads * program.blocks).map(thread).collect();
    let mut machine = Machine { program, threads, totals: [TOTAL; TOTALS], harms: BTreeMap::new(), steps: 0 };
    together::statements(&mut machine, &program.functions[kernel].body)?;
    let outcome = Outcome {
        integers: machine.threads.iter().flat_map(|thread| thread.integers).collect(),
        floats: machine.threads.iter().flat_map(|thread| thread.floats).collect(),
        own: machine
            .threads
            .iter()
            .flat_map(|thread| {
                thread.cells[..OWN].iter().map(|cell| cell.map_or(0, |value| value.integer() as i32))
            })
            .collect(),
        totals: machine.totals.to_vec(),
    };
    Ok((outcome, machine.harms))
}

/// The program takes too many steps.
#[derive(Debug)]
pub struct TooLong;

type Steps<T> = Result<T, TooLong>;

impl Machine<'_> {
    fn frame(&self, thread: usize) -> &Frame {
        self.threads[thread].frames.last().expect("the kernel's frame is never left")
    }

    /// Whether a thread runs into the end of the kernel's body at once.
    pub fn alone(&mut self, thread: usize, stmt: &Stmt) -> Steps<()> {
        self.statement(thread, stmt).map(|_| ())
    }

    fn statements(&mut self, thread: usize, stmts: &[Stmt]) -> Steps<Flow> {
        for stmt in stmts {
            match self.statement(thread, stmt)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, thread: usize, stmt: &Stmt) -> Steps<Flow> {
        match stmt {
            Stmt::Declare(var, init) => self.declare(thread, *var, init)?,
            Stmt::Expr(expr) => drop(self.value(thread, expr)?),
            Stmt::Block(body) => return self.statements(thread, body),
            Stmt::If(condition, then, otherwise) => {
                let holds = self.value(thread, condition)?.is_true();
                return self.statements(thread, if holds { then } else { otherwise });
            }
            Stmt::For(inner) => return self.for_(thread, inner),
            Stmt::While { condition, body, is_do } => {
                let mut is_first = *is_do;
                while is_first || self.value(thread, condition)?.is_true() {
                    is_first = false;
                    match self.statements(thread, body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::Next | Flow::Continue => {}
                    }
                }
            }
            Stmt::Switch(value, arms) => {
                let value = self.value(thread, value)?.integer();
                let has = |wanted: Option<i32>| arms.iter().position(|arm| arm.labels.contains(&wanted));
                let known = i32::try_from(value).ok().and_then(|value| has(Some(value)));
                if let Some(start) = known.or_else(|| has(None)) {
                    for arm in &arms[start..] {
                        match self.statements(thread, &arm.body)? {
                            Flow::Next => {}
                            Flow::Break => break,
                            other => return Ok(other),
                        }
                    }
                }
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(value) => {
                let result = self.program.functions[self.frame(thread).function].result;
                let ty = self.real(thread, result);
                return Ok(Flow::Return(self.converted(thread, value, ty)?));
            }
            Stmt::Put(at, value) => {
                let value = self.value(thread, value)?;
                match value.number {
                    Number::Integer(number) => self.threads[thread].integers[*at] = number as u64,
                    Number::Float(number) => self.threads[thread].floats[*at] = number,
                }
            }
            Stmt::Total(op, at, value) => {
                let value = self.converted(thread, value, Ty::Unsigned)?;
                let total = integer(Ty::Unsigned, self.totals[*at].into());
                self.totals[*at] = combined(*op, total, value).integer() as u32;
            }
            Stmt::Exchange(_) | Stmt::Gather(_) | Stmt::Warp(_) => unreachable!("these are run together"),
        }
        Ok(Flow::Next)
    }

    fn for_(&mut self, thread: usize, inner: &For) -> Steps<Flow> {
        self.begin(thread, inner)?;
        while self.value(thread, &inner.condition)?.is_true() {
            match self.statements(thread, &inner.body)? {
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            self.value(thread, &inner.step)?;
        }
        Ok(Flow::Next)
    }

    /// Gives a loop's variable its first value.
    pub fn begin(&mut self, thread: usize, inner: &For) -> Steps<()> {
        let ty = self.shape_ty(thread, inner.var);
        let start = self.converted(thread, &inner.start, ty)?;
        self.bind(thread, inner.var, vec![Some(start)]);
        Ok(())
    }

    /// Makes a variable of these numbers.
    pub fn bind(&mut self, thread: usize, var: VarId, values: Vec<Option<Value>>) {
        let thread = &mut self.threads[thread];
        let start = thread.cells.len();
        thread.cells.extend(values);
        thread.frames.last_mut().expect("there is a frame").at[var] = start;
    }

    fn declare(&mut self, thread: usize, var: VarId, init: &Init) -> Steps<()> {
        let declared = &self.program.functions[self.frame(thread).function].vars[var];
        let (shape, kind) = (declared.shape, declared.kind);
        if let Init::Place(place) = init {
            let start = self.cell(thread, place)?;
            let frame = self.threads[thread].frames.last_mut().expect("there is a frame");
            frame.at[var] = start;
            assert!(matches!(kind, VarKind::Reference | VarKind::Pointer));
            return Ok(());
        }
        let types = self.types_of(thread, shape);
        let values = match init {
            Init::Value(value) => vec![Some(self.converted(thread, value, types[0])?)],
            Init::Copy(from) => {
                let start = self.frame(thread).at[*from];
                self.threads[thread].cells[start..start + types.len()].to_vec()
            }
            Init::List(values) => {
                let mut cells = Vec::new();
                for (nth, ty) in types.iter().enumerate() {
                    cells.push(Some(match values.get(nth) {
                        Some(value) => self.converted(thread, value, *ty)?,
                        None => integer(Ty::Int, 0).convert(*ty).0,
                    }));
                }
                cells
            }
            Init::Place(_) => unreachable!("a reference"),
        };
        self.bind(thread, var, values);
        Ok(())
    }

    fn real(&self, thread: usize, ty: Ty) -> Ty {
        if ty == Ty::Parameter { self.frame(thread).parameter.unwrap_or(ty) } else { ty }
    }

    pub fn shape_ty(&self, thread: usize, var: VarId) -> Ty {
        let shape = self.program.functions[self.frame(thread).function].vars[var].shape;
        self.types_of(thread, shape)[0]
    }

    /// The types of the numbers in a variable, in order.
    fn types_of(&self, thread: usize, shape: Shape) -> Vec<Ty> {
        match shape {
            Shape::Number(ty) => vec![self.real(thread, ty)],
            Shape::Array(ty, length) => vec![self.real(thread, ty); length],
            Shape::Struct(at) => {
                let fields = &self.program.structs[at].fields;
                fields.iter().flat_map(|(ty, length)| vec![*ty; length.unwrap_or(1)]).collect()
            }
        }
    }

    pub fn harm(&mut self, id: u32, harm: Option<Harm>) {
        if let Some(harm) = harm {
            self.harms.entry(id).or_insert(harm);
        }
    }

    /// An expression's value, converted to a type.
    pub fn converted(&mut self, thread: usize, expr: &Expr, ty: Ty) -> Steps<Value> {
        let (value, harm) = self.value(thread, expr)?.convert(ty);
        self.harm(expr.id, harm);
        Ok(value)
    }

    /// The number of the cell of a place.
    fn cell(&mut self, thread: usize, place: &Place) -> Steps<usize> {
        let start = |machine: &Self, var: VarId| machine.frame(thread).at[var];
        Ok(match place {
            Place::Var(var) => start(self, *var),
            Place::Own(index) => self.index(thread, index, OWN)?,
            Place::Element(var, index) => {
                let Shape::Array(_, length) =
                    self.program.functions[self.frame(thread).function].vars[*var].shape
                else {
                    unreachable!("only arrays have elements")
                };
                start(self, *var).saturating_add(self.index(thread, index, length)?)
            }
            Place::Field(var, at) | Place::FieldElement(var, at, _) => {
                let Shape::Struct(of) = self.program.functions[self.frame(thread).function].vars[*var].shape
                else {
                    unreachable!("only structs have members")
                };
                let fields = &self.program.structs[of].fields;
                let before: usize = fields[..*at].iter().map(|(_, length)| length.unwrap_or(1)).sum();
                let mut cell = start(self, *var).saturating_add(before);
                if let (Place::FieldElement(_, _, index), Some(length)) = (place, fields[*at].1) {
                    cell = cell.saturating_add(self.index(thread, index, length)?);
                }
                cell
            }
        })
    }

    pub fn index(&mut self, thread: usize, index: &Expr, length: usize) -> Steps<usize> {
        let value = self.value(thread, index)?.integer();
        if (0..length as i128).contains(&value) {
            return Ok(value as usize);
        }
        self.harm(index.id, Some(Harm::Index(length)));
        Ok(0)
    }

    fn read(&mut self, thread: usize, cell: usize, id: u32) -> Value {
        let known = self.threads[thread].cells.get(cell).copied().flatten();
        if known.is_none() {
            self.harm(id, Some(Harm::Unset));
        }
        known.unwrap_or(integer(Ty::Int, 0))
    }

    fn store(&mut self, thread: usize, cell: usize, value: Value) {
        if let Some(cell) = self.threads[thread].cells.get_mut(cell) {
            *cell = Some(value);
        }
    }

    pub fn value(&mut self, thread: usize, expr: &Expr) -> Steps<Value> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(TooLong);
        }
        let whole = |value: usize| integer(Ty::Unsigned, value as i128);
        Ok(match &expr.kind {
            Kind::Literal(value) => *value,
            Kind::ThreadIdx => whole(self.threads[thread].index),
            Kind::BlockIdx => whole(self.threads[thread].block),
            Kind::BlockDim => whole(self.program.threads),
            Kind::N => integer(Ty::Int, self.program.n.into()),
            Kind::Input(index) => {
                let at = self.index(thread, index, INPUTS)?;
                integer(Ty::Int, input(at).into())
            }
            Kind::Read(place) => {
                let cell = self.cell(thread, place)?;
                self.read(thread, cell, expr.id)
            }
            Kind::Unary(op, inner) => {
                let value = self.value(thread, inner)?;
                let (value, harm) = number::unary(*op, value);
                self.harm(expr.id, harm);
                value
            }
            Kind::Binary(op, a, b) => self.binary(thread, *op, a, b, expr.id)?,
            Kind::Cast(to, inner) => {
                let to = self.real(thread, *to);
                self.converted(thread, inner, to)?
            }
            Kind::Conditional(condition, yes, no) => {
                let holds = self.value(thread, condition)?.is_true();
                let frame = self.frame(thread);
                let function = &self.program.functions[frame.function];
                let ty = self.program.ty(function, frame.parameter, expr);
                self.converted(thread, if holds { yes } else { no }, ty)?
            }
            Kind::Assign(op, place, value) => self.assign(thread, *op, place, value, expr.id)?,
            Kind::Step { place, is_down, is_post } => {
                let cell = self.cell(thread, place)?;
                let old = self.read(thread, cell, expr.id);
                let op = if *is_down { Binary::Sub } else { Binary::Add };
                let (new, harm) = number::binary(op, old, integer(Ty::Int, 1));
                // NVIDIA's compiler takes it that a step stays in its type, even if that is narrower than `int`, and C++ wraps.
                let leaves = !old.ty.is_unsigned()
                    && matches!(new.number, Number::Integer(value) if !old.ty.holds(value));
                self.harm(expr.id, harm.or(leaves.then_some(Harm::Overflow)));
                let new = new.convert(old.ty).0;
                self.store(thread, cell, new);
                if *is_post { old } else { new }
            }
            Kind::Call(function, parameter, arguments) => {
                self.call(thread, *function, *parameter, arguments)?
            }
            Kind::Builtin(builtin, arguments) => self.builtin(thread, *builtin, arguments, expr.id)?,
        })
    }

    fn binary(&mut self, thread: usize, op: Binary, a: &Expr, b: &Expr, id: u32) -> Steps<Value> {
        let left = self.value(thread, a)?;
        match op {
            Binary::BothTrue if !left.is_true() => return Ok(integer(Ty::Bool, 0)),
            Binary::OneTrue if left.is_true() => return Ok(integer(Ty::Bool, 1)),
            Binary::Comma => return self.value(thread, b),
            _ => {}
        }
        let right = self.value(thread, b)?;
        let (value, harm) = number::binary(op, left, right);
        // What is wrong with a divisor or a count is mended there.
        let id = if matches!(harm, Some(Harm::Divisor | Harm::Shift)) { b.id } else { id };
        let harm = if harm == Some(Harm::Shift) { Some(Harm::Index(value.ty.bits() as usize)) } else { harm };
        self.harm(id, harm);
        Ok(value)
    }

    fn assign(
        &mut self,
        thread: usize,
        op: Option<Binary>,
        place: &Place,
        value: &Expr,
        id: u32,
    ) -> Steps<Value> {
        let function = self.frame(thread).function;
        let ty = self.real(thread, self.program.place_ty(&self.program.functions[function], place));
        let new = match op {
            None => self.converted(thread, value, ty)?,
            Some(op) => {
                let right = self.value(thread, value)?;
                let cell = self.cell(thread, place)?;
                let (result, harm) = number::binary(op, self.read(thread, cell, id), right);
                self.harm(id, harm);
                let (new, harm) = result.convert(ty);
                self.harm(id, harm);
                new
            }
        };
        let cell = self.cell(thread, place)?;
        self.store(thread, cell, new);
        Ok(new)
    }

    fn call(
        &mut self,
        thread: usize,
        function: FunctionId,
        parameter: Option<Ty>,
        arguments: &[Argument],
    ) -> Steps<Value> {
        let program = self.program;
        let called = &program.functions[function];
        let parameter = parameter.map(|ty| self.real(thread, ty));
        let mut at = vec![usize::MAX; called.vars.len()];
        let mut values = Vec::new();
        for (argument, var) in arguments.iter().zip(&called.parameters) {
            match argument {
                Argument::Place(place) => at[*var] = self.cell(thread, place)?,
                Argument::Object(from) => {
                    let length = self.types_of(thread, called.vars[*var].shape).len();
                    let start = self.frame(thread).at[*from];
                    values.push((*var, self.threads[thread].cells[start..start + length].to_vec()));
                }
                Argument::Value(value) => {
                    let Shape::Number(ty) = called.vars[*var].shape else { unreachable!("a number") };
                    let ty = if ty == Ty::Parameter { parameter.unwrap_or(ty) } else { ty };
                    values.push((*var, vec![Some(self.converted(thread, value, ty)?)]));
                }
            }
        }
        let depth = self.threads[thread].cells.len();
        self.threads[thread].frames.push(Frame { function, parameter, at });
        for (var, cells) in values {
            self.bind(thread, var, cells);
        }
        let flow = self.statements(thread, &called.body)?;
        self.threads[thread].frames.pop();
        self.threads[thread].cells.truncate(depth);
        let Flow::Return(value) = flow else { unreachable!("a function ends with a return") };
        Ok(value)
    }

    fn builtin(&mut self, thread: usize, builtin: Builtin, arguments: &[Expr], id: u32) -> Steps<Value> {
        let types: &[Ty] = match builtin {
            Builtin::Min(ty) | Builtin::Max(ty) | Builtin::Product(ty) => &[ty, ty],
            Builtin::Abs | Builtin::Clz | Builtin::Ffs => &[Ty::Int],
            Builtin::Popc | Builtin::Brev => &[Ty::Unsigned],
            Builtin::PopcLong => &[Ty::UnsignedLongLong],
            Builtin::ClzLong => &[Ty::LongLong],
            Builtin::MulHigh => &[Ty::Int, Ty::Int],
            Builtin::UnsignedMulHigh => &[Ty::Unsigned, Ty::Unsigned],
            Builtin::FunnelLeft => &[Ty::Unsigned, Ty::Unsigned, Ty::Unsigned],
            Builtin::Held(_) => {
                let value = self.value(thread, &arguments[0])?;
                let low = if builtin == Builtin::Held(true) { 0.0 } else { -100.0 };
                let is_held = value.float() > low && value.float() < 100.0;
                return Ok(if is_held { value } else { number::float(value.ty, 7.0) });
            }
        };
        let mut values = Vec::new();
        for (argument, ty) in arguments.iter().zip(types) {
            values.push(self.converted(thread, argument, *ty)?);
        }
        let (value, harm) = builtin_value(builtin, &values);
        self.harm(id, harm);
        Ok(value)
    }
}

fn builtin_value(builtin: Builtin, values: &[Value]) -> number::Checked {
    let first = values[0].integer();
    let result = |ty: Ty, value: i128| (integer(ty, value), None);
    match builtin {
        Builtin::Min(_) => (number::extreme(true, values[0], values[1]), None),
        Builtin::Max(_) => (number::extreme(false, values[0], values[1]), None),
        Builtin::Product(_) => (number::binary(Binary::Mul, values[0], values[1]).0, None),
        Builtin::Abs if first == i128::from(i32::MIN) => (integer(Ty::Int, first), Some(Harm::Overflow)),
        Builtin::Abs => result(Ty::Int, first.abs()),
        Builtin::Popc => result(Ty::Int, (first as u32).count_ones().into()),
        Builtin::PopcLong => result(Ty::Int, (first as u64).count_ones().into()),
        Builtin::Clz => result(Ty::Int, (first as u32).leading_zeros().into()),
        Builtin::ClzLong => result(Ty::Int, (first as u64).leading_zeros().into()),
        Builtin::Brev => result(Ty::Unsigned, (first as u32).reverse_bits().into()),
        Builtin::Ffs if first == 0 => result(Ty::Int, 0),
        Builtin::Ffs => result(Ty::Int, i128::from((first as u32).trailing_zeros()) + 1),
        Builtin::MulHigh => result(Ty::Int, (first * values[1].integer()) >> 32),
        Builtin::UnsignedMulHigh => result(Ty::Unsigned, (first * values[1].integer()) >> 32),
        Builtin::FunnelLeft => {
            let both = values[1].integer() << 32 | first;
            result(Ty::Unsigned, (both << (values[2].integer() & 31)) >> 32)
        }
        Builtin::Held(_) => (values[0], None),
    }
}

/// What an atomic operation leaves.
pub fn combined(op: Atomic, old: Value, value: Value) -> Value {
    let binary = |op| {
        let exact = number::binary(op, old.convert(Ty::LongLong).0, value.convert(Ty::LongLong).0).0;
        exact.convert(old.ty).0
    };
    match op {
        Atomic::Add => binary(Binary::Add),
        Atomic::And => binary(Binary::And),
        Atomic::Or => binary(Binary::Or),
        Atomic::Xor => binary(Binary::Xor),
        Atomic::Min => number::extreme(true, old, value),
        Atomic::Max => number::extreme(false, old, value),
    }
}
