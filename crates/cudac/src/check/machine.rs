//! Evaluations: expressions of numbers, and calls of `constexpr` functions, whose bodies are carried out with a bound on
//! the steps.
//!
//! The numbers that a function's variables hold are in cells. An array has one for each number in it, and a reference is
//! another name for the cells of what it refers to. A pointer is the number of a cell, counted from [`FIRST_ADDRESS`]; between
//! two objects is a cell that belongs to neither, so that no address has two meanings. Of constant memory there are the
//! arrays of numbers that are `constexpr`, which get cells when they are first named. Left out: constant structs.
//! Specification: C++17, [expr.const], [dcl.constexpr].
//!
//! ```text
//! constexpr int f(int n) { int a[3] = {1, n}; int& r = a[1]; r += n; return a[1]; }
//! int b[f(4)];
//!
//! cells:  4 | | 1 8 0 |        n is cell 0, a begins at cell 2, and r is cell 3
//! ```

use super::Checker;
use super::constant::{compare, convert, float, integer, wrap};
use super::convert::{chosen, last};
use super::typed::{
    Binary, Compare, Constant, Expr, FunctionId, Intrinsic, Kind, Loop, Stmt, StmtKind, Switch, VarId,
};
use super::types::{Shape, Type};
use crate::source::budget::{self, Bound};
use crate::source::map::List;

/// Steps of `constexpr` functions in one evaluation, and cells. Beyond it, the value counts as unknown. All evaluations
/// together have [`Bound::Constants`].
const MAX_STEPS: usize = 100_000;

/// Calls of `constexpr` functions in each other.
const MAX_CALLS: usize = 64;

/// The address of the first cell, which no text makes of a number.
const FIRST_ADDRESS: i64 = 1 << 62;

/// An evaluation. It reads the typed tree, so that array lengths and `constexpr` functions have one evaluator.
struct Machine<'c, 's, 't> {
    checker: &'c Checker<'s, 't>,
    /// Counted over all calls of one evaluation.
    steps: usize,
    calls: usize,
    cells: Vec<Option<Constant>>,
    /// Where objects begin and end, in this order.
    objects: Vec<(usize, usize)>,
    /// Where the constant arrays begin that were named so far, by the places of their values in the text's memory.
    arrays: Vec<(Expr<'t>, usize)>,
    /// The function that is carried out, and where its variables begin; objects are in no cells. Outside of one, only
    /// constant variables have values.
    function: Option<(FunctionId, List<VarId, usize>)>,
}

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    /// Of a function that returns a reference, the number of the cell.
    Return(Option<Constant>),
}

impl<'t> Checker<'_, 't> {
    /// The value of an expression, if it is known. Nothing is reported: whoever needs a constant says so.
    pub(super) fn evaluate(&self, expr: Expr<'t>) -> Option<Constant> {
        let mut machine = Machine {
            checker: self,
            steps: 0,
            calls: 0,
            cells: Vec::new(),
            objects: Vec::new(),
            arrays: Vec::new(),
            function: None,
        };
        let value = machine.expr(expr)?;
        // The address of a cell means nothing outside of the evaluation.
        let is_address = self.types.is_pointer(expr.ty)
            && matches!(value, Constant::Integer(address) if address >= FIRST_ADDRESS);
        (!is_address).then_some(value)
    }
}

impl<'t> Machine<'_, '_, 't> {
    fn expr(&mut self, expr: Expr<'t>) -> Option<Constant> {
        self.step_on(1)?;
        budget::deeper(expr.span, || Ok(self.any_expr(expr))).ok()?
    }

    /// Counts steps; `None` if there are too many.
    fn step_on(&mut self, steps: usize) -> Option<()> {
        self.steps += steps;
        (self.steps <= MAX_STEPS && budget::may_spend(Bound::Constants, steps)).then_some(())
    }

    fn any_expr(&mut self, expr: Expr<'t>) -> Option<Constant> {
        let types = &self.checker.types;
        match &expr.kind {
            Kind::Integer(value) => Some(Constant::Integer(*value)),
            Kind::Float(value) => Some(Constant::Float(*value)),
            Kind::Load(place) => self.read(place),
            Kind::Convert(inner) if types.is_pointer(inner.ty) => self.converted_pointer(inner, expr.ty),
            Kind::AddressOf(place) | Kind::Decay(place) => self.address(place),
            Kind::PointerAdd(pointer, index, is_negative) => {
                let pointer = self.expr(pointer)?;
                let Constant::Integer(index) = self.expr(index)? else { return None };
                let index = if *is_negative { index.checked_neg()? } else { index };
                self.moved(pointer, index, expr.ty)
            }
            Kind::PointerDiff(a, b) => {
                let width = self.width(types.pointee(a.ty)?) as i64;
                let (Constant::Integer(a), Constant::Integer(b)) = (self.expr(a)?, self.expr(b)?) else {
                    return None;
                };
                Some(Constant::Integer((a - b).checked_div(width)?))
            }
            Kind::Convert(inner) => {
                let value = self.expr(inner)?;
                let is_number = types.is_arithmetic(inner.ty) || types.is_scoped_enum(inner.ty);
                // A pointer that becomes an integer is not known here.
                is_number.then(|| convert(types, value, inner.ty, expr.ty))
            }
            Kind::Negate(inner) => match self.expr(inner)? {
                Constant::Integer(value) => {
                    Some(Constant::Integer(wrap(types, expr.ty, value.wrapping_neg())))
                }
                Constant::Float(value) => Some(Constant::Float(-value)),
            },
            Kind::Complement(inner) => match self.expr(inner)? {
                Constant::Integer(value) => Some(Constant::Integer(wrap(types, expr.ty, !value))),
                Constant::Float(_) => None,
            },
            Kind::Not(inner) => Some(truth(!self.holds(inner)?)),
            // The right side need not be known if the left one decides.
            Kind::And(a, b) => Some(truth(self.holds(a)? && self.holds(b)?)),
            Kind::Or(a, b) => Some(truth(self.holds(a)? || self.holds(b)?)),
            Kind::Conditional(condition, yes, no) => {
                let holds = self.holds(condition)?;
                self.expr(if holds { yes } else { no })
            }
            Kind::Binary(op, a, b) => {
                let a = self.expr(a)?;
                let b = self.expr(b)?;
                self.binary(*op, a, b, expr.ty)
            }
            Kind::Compare(op, a, b) => {
                let is_unsigned = types.is_unsigned(a.ty);
                let a = self.expr(a)?;
                let b = self.expr(b)?;
                compare_constants(*op, a, b, is_unsigned)
            }
            Kind::Intrinsic(intrinsic, arguments) => self.intrinsic(*intrinsic, arguments, expr.ty),
            Kind::Call(function, arguments) => self.call(*function, arguments),
            Kind::Step { place, is_down, is_post: true } => {
                let cell = self.cell(place)?;
                let old = self.cells[cell]?;
                self.step(cell, *is_down, place.ty)?;
                Some(old)
            }
            Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. } => self.read(expr),
            Kind::Comma(a, b) => {
                // What is done first has to be something that a constant can do.
                self.done(a)?;
                self.expr(b)
            }
            _ => None,
        }
    }

    /// What an expression does. The name of a variable does nothing, even if its value is not known; nor does an object.
    fn done(&mut self, expr: Expr<'t>) -> Option<()> {
        match &expr.kind {
            Kind::Local(_) | Kind::Global(_) => Some(()),
            Kind::Temporary(inner) | Kind::Field(inner, _) | Kind::AddressOf(inner) => self.done(inner),
            Kind::Load(inner) if self.checker.types.struct_of(inner.ty).is_some() => self.done(inner),
            Kind::Aggregate(items) => items.iter().try_for_each(|item| self.done(item)),
            Kind::Construct(function, items) => {
                let is_constant = self.checker.program.functions.get(*function)?.is_constexpr;
                // It could change what its parameters refer to.
                let is_plain = is_constant && !items.iter().any(|item| item.is_place());
                items.iter().filter(|_| is_plain).try_for_each(|item| self.done(item))?;
                is_plain.then_some(())
            }
            // A `?` or a comma that is a place.
            Kind::Deref(address) => {
                if let Some((condition, yes, no)) = chosen(expr) {
                    let holds = self.holds(condition)?;
                    return self.done(if holds { yes } else { no });
                }
                match last(expr) {
                    Some((left, right)) => {
                        self.done(left)?;
                        self.done(right)
                    }
                    None => self.done(address),
                }
            }
            _ => self.expr(expr).map(|_| ()),
        }
    }

    /// Whether a condition is not zero.
    fn holds(&mut self, expr: Expr<'t>) -> Option<bool> {
        Some(match self.expr(expr)? {
            Constant::Integer(value) => value != 0,
            Constant::Float(value) => value != 0.0,
        })
    }

    /// The value in a place, if it is known.
    fn read(&mut self, place: Expr<'t>) -> Option<Constant> {
        let constant = self.constant(place);
        if constant.is_some() {
            return constant;
        }
        let cell = self.cell(place)?;
        self.cells[cell]
    }

    /// The value of a variable that is constant: one of the module, or one of the function that is being checked.
    fn constant(&self, place: Expr<'t>) -> Option<Constant> {
        match place.kind {
            Kind::Local(var) if self.function.is_none() => {
                self.checker.frames.last()?.vars.get(var)?.constant
            }
            Kind::Global(global) => self.checker.program.globals[global].constant,
            _ => None,
        }
    }

    /// The first cell of a place, after what it does.
    fn cell(&mut self, place: Expr<'t>) -> Option<usize> {
        let types = &self.checker.types;
        match &place.kind {
            Kind::Local(_) | Kind::Global(_) => {
                if let Some((ty, value)) = self.constant_array(place) {
                    return self.named_array(ty, value);
                }
                // Nobody can store to a constant, so a copy does as well.
                if let Some(constant) = self.constant(place) {
                    let cell = self.allocate(place.ty)?;
                    self.cells[cell] = Some(constant);
                    return Some(cell);
                }
                let (Kind::Local(var), Some((_, vars))) = (&place.kind, &self.function) else { return None };
                vars.get(var).copied()
            }
            // An xvalue is the place itself.
            Kind::Temporary(inner) if inner.is_place() => self.cell(inner),
            Kind::Temporary(value) => self.variable(value.ty, Some(value)),
            Kind::Assign(place, value) => {
                let value = self.expr(value)?;
                let cell = self.cell(place)?;
                self.cells[cell] = Some(value);
                Some(cell)
            }
            Kind::Update { op: op @ (Binary::Add | Binary::Sub), place, value, .. }
                if types.is_pointer(place.ty) =>
            {
                let Constant::Integer(count) = self.expr(value)? else { return None };
                let count = if *op == Binary::Sub { count.checked_neg()? } else { count };
                let cell = self.cell(place)?;
                self.cells[cell] = Some(self.moved(self.cells[cell]?, count, place.ty)?);
                Some(cell)
            }
            Kind::Update { op, place, value, computed_as } if types.is_arithmetic(place.ty) => {
                let value = self.expr(value)?;
                let cell = self.cell(place)?;
                // As `lower` does it: to the common type, the operation, and back.
                let old = convert(types, self.cells[cell]?, place.ty, *computed_as);
                let new = self.binary(*op, old, value, *computed_as)?;
                self.cells[cell] = Some(convert(types, new, *computed_as, place.ty));
                Some(cell)
            }
            Kind::Step { place, is_down, is_post: false } => {
                let cell = self.cell(place)?;
                self.step(cell, *is_down, place.ty)?;
                Some(cell)
            }
            Kind::Element(base, index) => {
                let Shape::Array(of, Some(length)) = types.shape(base.ty) else { return None };
                let first = self.cell(base)?;
                let Constant::Integer(index) = self.expr(index)? else { return None };
                let index = u64::try_from(index).ok().filter(|index| *index < length)?;
                Some(first + index as usize * self.width(of))
            }
            Kind::Deref(address) => self.referred(place, address),
            _ => None,
        }
    }

    /// The place that a `?`, a comma or a call is.
    fn referred(&mut self, place: Expr<'t>, address: Expr<'t>) -> Option<usize> {
        if let Some((condition, yes, no)) = chosen(place) {
            let holds = self.holds(condition)?;
            return self.cell(if holds { yes } else { no });
        }
        if let Some((left, right)) = last(place) {
            self.done(left)?;
            return self.cell(right);
        }
        if let Kind::Call(function, arguments) = &address.kind
            && self.checker.types.is_reference(self.checker.program.functions.get(*function)?.result)
        {
            return match self.call(*function, arguments)? {
                Constant::Integer(cell) => Some(cell as usize),
                Constant::Float(_) => None,
            };
        }
        let Constant::Integer(address) = self.expr(address)? else { return None };
        let cell = usize::try_from(address.checked_sub(FIRST_ADDRESS)?).ok()?;
        let (_, end) = self.object_at(cell)?;
        (cell + self.width(place.ty) <= end).then_some(cell)
    }

    /// A pointer as a truth value, or with more qualifiers. What another type would read there is not known.
    fn converted_pointer(&mut self, pointer: Expr<'t>, to: Type) -> Option<Constant> {
        let types = &self.checker.types;
        let value = self.expr(pointer)?;
        if types.is_bool(to) {
            return Some(truth(value != Constant::Integer(0)));
        }
        let to = types.pointee(to)?;
        let is_null = value == Constant::Integer(0);
        (is_null || types.pointee(pointer.ty)?.same(to)).then_some(value)
    }

    /// The address of a place.
    fn address(&mut self, place: Expr<'t>) -> Option<Constant> {
        // Each use of a constant number is a copy, so it has no one address.
        if self.constant(place).is_some() || self.is_object(place.ty) {
            return None;
        }
        Some(Constant::Integer(FIRST_ADDRESS + self.cell(place)? as i64))
    }

    /// A pointer that moves by so many elements, in its object or to the end of it.
    fn moved(&self, pointer: Constant, count: i64, ty: Type) -> Option<Constant> {
        let Constant::Integer(address) = pointer else { return None };
        let from = usize::try_from(address.checked_sub(FIRST_ADDRESS)?).ok()?;
        let width = self.width(self.checker.types.pointee(ty)?) as i64;
        let to = usize::try_from((from as i64).checked_add(count.checked_mul(width)?)?).ok()?;
        let (start, end) = self.object_at(from)?;
        (start..=end).contains(&to).then_some(Constant::Integer(FIRST_ADDRESS + to as i64))
    }

    /// Where the object of a cell begins and ends. The cell after it is its too.
    fn object_at(&self, cell: usize) -> Option<(usize, usize)> {
        let next = self.objects.partition_point(|(start, _)| *start <= cell);
        let (start, end) = *self.objects.get(next.checked_sub(1)?)?;
        (cell <= end).then_some((start, end))
    }

    /// The type and the value of an array of numbers that is constant: one of the module, or one of the function that is
    /// being checked.
    fn constant_array(&self, place: Expr<'t>) -> Option<(Type, Expr<'t>)> {
        let known = match place.kind {
            Kind::Local(var) if self.function.is_none() => {
                let mut arrays = self.checker.frames.last()?.arrays.iter();
                arrays.find(|(known, _)| *known == var).map(|(_, value)| *value)
            }
            Kind::Global(global) => {
                let mut arrays = self.checker.arrays.iter();
                arrays.find(|(known, _)| *known == global).map(|(_, value)| *value)
            }
            _ => None,
        };
        known.map(|value| (place.ty, value))
    }

    /// The first cell of a constant array.
    fn named_array(&mut self, ty: Type, value: Expr<'t>) -> Option<usize> {
        if let Some((_, first)) = self.arrays.iter().find(|(known, _)| std::ptr::eq(*known, value)) {
            return Some(*first);
        }
        let first = self.allocate(ty)?;
        self.fill(first, ty, value)?;
        self.arrays.push((value, first));
        Some(first)
    }

    fn step(&mut self, cell: usize, is_down: bool, ty: Type) -> Option<()> {
        if self.checker.types.is_pointer(ty) {
            self.cells[cell] = Some(self.moved(self.cells[cell]?, if is_down { -1 } else { 1 }, ty)?);
            return Some(());
        }
        let old = self.cells[cell].filter(|_| self.checker.types.is_arithmetic(ty))?;
        let one = match old {
            Constant::Integer(_) => Constant::Integer(1),
            Constant::Float(_) => Constant::Float(1.0),
        };
        let op = if is_down { Binary::Sub } else { Binary::Add };
        self.cells[cell] = Some(self.binary(op, old, one, ty)?);
        Some(())
    }

    /// How many numbers are in a variable.
    fn width(&self, ty: Type) -> usize {
        match self.checker.types.shape(ty) {
            Shape::Array(of, length) => self.width(of).saturating_mul(length.unwrap_or(0) as usize),
            Shape::Struct(_) => 0,
            _ => 1,
        }
    }

    /// Whether it is an object, or more of them.
    fn is_object(&self, ty: Type) -> bool {
        self.width(self.checker.types.referred(ty)) == 0
    }

    /// New cells, in which nothing is.
    fn allocate(&mut self, ty: Type) -> Option<usize> {
        let (first, count) = (self.cells.len(), self.width(ty));
        self.step_on(count.min(MAX_STEPS + 1))?;
        // One more, which belongs to nothing.
        self.cells.resize(first + count + 1, None);
        self.objects.push((first, first + count));
        (count > 0).then_some(first)
    }

    /// Where a new variable begins. A reference needs no cells of its own.
    fn variable(&mut self, ty: Type, value: Option<Expr<'t>>) -> Option<usize> {
        if self.checker.types.is_reference(ty) {
            return self.cell(value?);
        }
        let first = self.allocate(ty)?;
        if let Some(value) = value {
            self.fill(first, ty, value)?;
        }
        Some(first)
    }

    fn fill(&mut self, first: usize, ty: Type, value: Expr<'t>) -> Option<()> {
        let Shape::Array(of, _) = self.checker.types.shape(ty) else {
            self.cells[first] = Some(self.expr(value)?);
            return Some(());
        };
        let Kind::Aggregate(items) = &value.kind else { return None };
        let mut number = of;
        while let Shape::Array(inner, _) = self.checker.types.shape(number) {
            number = inner;
        }
        let is_float = self.checker.types.is_float(number);
        let zero = if is_float { Constant::Float(0.0) } else { Constant::Integer(0) };
        let (all, each) = (self.width(ty), self.width(of));
        self.cells[first..first + all].fill(Some(zero));
        items.iter().enumerate().try_for_each(|(nth, item)| self.fill(first + nth * each, of, item))
    }

    fn binary(&self, op: Binary, a: Constant, b: Constant, ty: Type) -> Option<Constant> {
        let types = &self.checker.types;
        let bits = 8 * types.size(ty) as u32;
        match (a, b) {
            (Constant::Integer(a), Constant::Integer(b)) => {
                let value = integer(op, a, b, bits, types.is_unsigned(ty))?;
                Some(Constant::Integer(wrap(types, ty, value)))
            }
            (Constant::Float(a), Constant::Float(b)) => float(op, a, b, bits == 32).map(Constant::Float),
            _ => None,
        }
    }

    /// Only `min` and `max` of integers.
    fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Expr<'t>], ty: Type) -> Option<Constant> {
        let (Intrinsic::Min | Intrinsic::Max, [left, right]) = (intrinsic, arguments) else { return None };
        let a = self.expr(left)?;
        let b = self.expr(right)?;
        let (Constant::Integer(_), Constant::Integer(_)) = (a, b) else { return None };
        let less = compare_constants(Compare::Lt, a, b, self.checker.types.is_unsigned(ty))?;
        let is_min = intrinsic == Intrinsic::Min;
        Some(if (less == Constant::Integer(1)) == is_min { a } else { b })
    }

    fn call(&mut self, function: FunctionId, arguments: &[Expr<'t>]) -> Option<Constant> {
        let checker = self.checker;
        let called = checker.program.functions.get(function)?;
        // This compiler's own functions are not marked, and some of them are constant in C++.
        if !called.is_constexpr && !called.is_own || self.calls >= MAX_CALLS || called.body.is_empty() {
            return None;
        }
        let mut vars = List::default();
        for (parameter, argument) in called.parameters.iter().zip(arguments) {
            let ty = called.vars[*parameter].ty;
            // Objects have no value here; a function that needs one fails when it reads it.
            if self.is_object(ty) {
                self.done(argument)?;
            } else if let Some(cell) = self.variable(ty, Some(argument)) {
                vars.insert(*parameter, cell);
            }
        }
        let outer = self.function.replace((function, vars));
        self.calls += 1;
        let flow = self.statements(called.body);
        self.calls -= 1;
        self.function = outer;
        match flow? {
            Flow::Return(Some(value)) => Some(value),
            // What a function of the type `void` returns is looked at by nobody.
            _ => checker.types.is_void(called.result).then_some(Constant::Integer(0)),
        }
    }

    fn statements(&mut self, statements: &[Stmt<'t>]) -> Option<Flow> {
        for statement in statements {
            match self.statement(statement)? {
                Flow::Next => {}
                flow => return Some(flow),
            }
        }
        Some(Flow::Next)
    }

    /// `None` if it does something that is not constant.
    fn statement(&mut self, statement: &Stmt<'t>) -> Option<Flow> {
        match &statement.kind {
            StmtKind::Expr(expr) => self.done(expr)?,
            StmtKind::Declare(var, value) => {
                let (function, _) = self.function.as_ref()?;
                let ty = self.checker.program.functions[*function].vars[*var].ty;
                if self.is_object(ty) {
                    value.map_or(Some(()), |value| self.done(value))?;
                } else {
                    let cell = self.variable(ty, *value)?;
                    self.function.as_mut()?.1.insert(*var, cell);
                }
            }
            StmtKind::Block(inner) => return self.statements(inner),
            StmtKind::If(condition, then, otherwise) => {
                let taken = if self.holds(condition)? { then } else { otherwise };
                return self.statements(taken);
            }
            StmtKind::Loop(inner) => return self.loop_(inner),
            StmtKind::Switch(inner) => return self.switch(inner),
            StmtKind::Break => return Some(Flow::Break),
            StmtKind::Continue => return Some(Flow::Continue),
            StmtKind::Return(None) => return Some(Flow::Return(None)),
            StmtKind::Return(Some(value)) => {
                let (function, _) = self.function.as_ref()?;
                let result = self.checker.program.functions[*function].result;
                let value = if self.checker.types.is_reference(result) {
                    Constant::Integer(self.cell(value)? as i64)
                } else {
                    self.expr(value)?
                };
                return Some(Flow::Return(Some(value)));
            }
            StmtKind::Asm(_) | StmtKind::Goto(_) | StmtKind::Label(_) => return None,
        }
        Some(Flow::Next)
    }

    fn loop_(&mut self, inner: &Loop<'t>) -> Option<Flow> {
        self.statements(inner.init)?;
        let mut is_first = inner.is_do;
        loop {
            // A loop without a body would otherwise never end.
            self.step_on(1)?;
            if let Some(condition) = inner.condition.as_ref().filter(|_| !is_first)
                && !self.holds(condition)?
            {
                return Some(Flow::Next);
            }
            is_first = false;
            match self.statements(inner.body)? {
                Flow::Break => return Some(Flow::Next),
                Flow::Return(value) => return Some(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = &inner.step {
                self.done(step)?;
            }
        }
    }

    /// From the arm with the value on, one falls into the next.
    fn switch(&mut self, inner: &Switch<'t>) -> Option<Flow> {
        let Constant::Integer(value) = self.expr(inner.value)? else { return None };
        let arm = |label| inner.arms.iter().position(|arm| arm.labels.contains(&label));
        let from = arm(Some(value)).or_else(|| arm(None)).unwrap_or(inner.arms.len());
        for arm in &inner.arms[from..] {
            match self.statements(arm.body)? {
                Flow::Next => {}
                Flow::Break => return Some(Flow::Next),
                flow => return Some(flow),
            }
        }
        Some(Flow::Next)
    }
}

fn truth(holds: bool) -> Constant {
    Constant::Integer(i64::from(holds))
}

fn compare_constants(op: Compare, a: Constant, b: Constant, is_unsigned: bool) -> Option<Constant> {
    Some(truth(match (a, b) {
        (Constant::Integer(a), Constant::Integer(b)) if is_unsigned => compare(op, &(a as u64), &(b as u64)),
        (Constant::Integer(a), Constant::Integer(b)) => compare(op, &a, &b),
        (Constant::Float(a), Constant::Float(b)) => compare(op, &a, &b),
        _ => return None,
    }))
}
