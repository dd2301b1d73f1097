//! Values that are known when the text is compiled.
//!
//! Expressions of numbers, and calls of `constexpr` functions, whose bodies are carried out here with a bound on the
//! steps. The arithmetic is that of the device, and the optimiser folds with the same functions. Left out: constant
//! structs and arrays, constant memory and `switch` in a `constexpr` function. Specification: C++17, [expr.const],
//! [dcl.constexpr].
//!
//! ```text
//! constexpr int square(int n) { return n * n; }
//! int a[square(4) + 1];     17: the call is carried out, with n as 4 in its `Values`
//! ```

use super::Checker;
use super::convert::{chosen, last};
use super::scope::ScopeId;
use super::typed::{Binary, Compare, Constant, Expr, FunctionId, Intrinsic, Kind, Stmt, StmtKind, VarId};
use super::types::{Basic, Type, Types};
use crate::lex::number::{Number, parse};
use crate::parse::tree;
use crate::source::budget::{self, Bound};
use crate::source::map::List;
use crate::source::{Result, error};

/// Steps of `constexpr` functions in one evaluation. Beyond it, the value counts as unknown. All evaluations together have
/// [`Bound::Constants`].
const MAX_STEPS: usize = 100_000;

/// Calls of `constexpr` functions in each other.
const MAX_CALLS: usize = 64;

/// A number of the text, and its type. C++17, [lex.icon], table 7: the first type in the list for the suffix that has
/// the value. Only a number that is not decimal may become unsigned without being asked.
pub(super) fn literal(text: &str) -> std::result::Result<(Constant, Basic), &'static str> {
    Ok(match parse(text)? {
        Number::Float { value, is_single } => {
            (Constant::Float(value), if is_single { Basic::Float } else { Basic::Double })
        }
        Number::Integer { value, is_unsigned, longs, is_decimal } => {
            let may_be_unsigned = is_unsigned || !is_decimal;
            let fits_int = i32::try_from(value).is_ok();
            let fits_unsigned = u32::try_from(value).is_ok();
            let fits_long = i64::try_from(value).is_ok();
            let basic = match longs {
                0 if fits_int && !is_unsigned => Basic::Int,
                0 if fits_unsigned && may_be_unsigned => Basic::Unsigned,
                0 | 1 if fits_long && !is_unsigned => Basic::Long,
                0 | 1 => Basic::UnsignedLong,
                _ if fits_long && !is_unsigned => Basic::LongLong,
                _ => Basic::UnsignedLongLong,
            };
            (Constant::Integer(value as i64), basic)
        }
    })
}

/// An integer cut to the width of a type. Integers of all types are kept as `i64`: cut, and extended with the sign that
/// the type has. Unsigned ones of 64 bits may look negative.
pub(crate) fn wrap(types: &Types<'_>, ty: Type, value: i64) -> i64 {
    match (types.basic_of(ty), types.size(ty)) {
        (Some(Basic::Bool), _) => i64::from(value != 0),
        (_, 1) if types.is_unsigned(ty) => i64::from(value as u8),
        (_, 1) => i64::from(value as i8),
        (_, 2) if types.is_unsigned(ty) => i64::from(value as u16),
        (_, 2) => i64::from(value as i16),
        (_, 4) if types.is_unsigned(ty) => i64::from(value as u32),
        (_, 4) => i64::from(value as i32),
        _ => value,
    }
}

/// A constant of the type `from` as a value of another type; a float that does not fit into an integer saturates. That
/// is what `cvt` of PTX does; C++ leaves it undefined ([conv.fpint]).
pub(crate) fn convert(types: &Types<'_>, constant: Constant, from: Type, to: Type) -> Constant {
    let is_single = types.size(to) == 4;
    match (constant, types.is_float(to)) {
        (Constant::Integer(value), true) if types.is_unsigned(from) => {
            let value = value as u64;
            Constant::Float(if is_single { f64::from(value as f32) } else { value as f64 })
        }
        (Constant::Integer(value), true) if is_single => Constant::Float(f64::from(value as f32)),
        (Constant::Integer(value), true) => Constant::Float(value as f64),
        (Constant::Float(value), true) if is_single => Constant::Float(f64::from(value as f32)),
        (Constant::Float(value), true) => Constant::Float(value),
        // Every number but zero is true, NaN among them.
        (Constant::Float(value), false) if types.is_bool(to) => Constant::Integer(i64::from(value != 0.0)),
        (Constant::Float(value), false) => Constant::Integer(match (types.size(to), types.is_unsigned(to)) {
            // Rust's conversion saturates, and so does PTX's.
            (8, true) => value as u64 as i64,
            (4, true) => i64::from(value as u32),
            (4, false) => i64::from(value as i32),
            _ => wrap(types, to, value as i64),
        }),
        (Constant::Integer(value), false) => Constant::Integer(wrap(types, to, value)),
    }
}

/// What an operator makes of two integers of a type, if that is defined. Undefined are a division by zero and a shift
/// by more than there are bits. What overflows wraps, as on the device.
pub(crate) fn integer(op: Binary, a: i64, b: i64, bits: u32, is_unsigned: bool) -> Option<i64> {
    // The bits that the type has: unsigned operations must not see an extension.
    let low = |value: i64| if bits == 64 { value as u64 } else { value as u64 & ((1 << bits) - 1) };
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div if is_unsigned => low(a).checked_div(low(b))? as i64,
        Binary::Rem if is_unsigned => low(a).checked_rem(low(b))? as i64,
        Binary::Div => a.checked_div(b)?,
        Binary::Rem => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl | Binary::Shr if !(0..i64::from(bits)).contains(&b) => return None,
        Binary::Shl => a.wrapping_shl(b as u32),
        Binary::Shr if is_unsigned => (low(a) >> b) as i64,
        Binary::Shr => a >> b,
    })
}

/// What an operator makes of two floats, rounded to single precision if need be. Operands are cut to single precision
/// first, since constants of type `float` are kept as `f64`.
pub(crate) fn float(op: Binary, a: f64, b: f64, is_single: bool) -> Option<f64> {
    if is_single {
        let (a, b) = (a as f32, b as f32);
        return Some(f64::from(match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            _ => return None,
        }));
    }
    Some(match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        _ => return None,
    })
}

/// With NaN every comparison but `!=` is false, in Rust as in C++.
pub(crate) fn compare<T: PartialOrd>(compare: Compare, a: &T, b: &T) -> bool {
    match compare {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
    }
}

/// An evaluation. It reads the typed tree, so that array lengths and `constexpr` functions have one evaluator.
struct Machine<'c, 's, 't> {
    checker: &'c Checker<'s, 't>,
    /// Counted over all calls of one evaluation.
    steps: usize,
    calls: usize,
}

/// The variables of one call. What is not here has no known value.
type Values = List<VarId, Constant>;

/// How a statement ended.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Constant>),
}

impl<'t> Checker<'_, 't> {
    /// The value of an expression, if it is known. Nothing is reported: whoever needs a constant says so.
    pub(super) fn evaluate(&self, expr: Expr<'t>) -> Option<Constant> {
        Machine { checker: self, steps: 0, calls: 0 }.expr(expr, None)
    }

    /// An integer that has to be known.
    pub(super) fn integer_constant(
        &mut self,
        scope: ScopeId,
        written: tree::Expr<'t>,
        what: &str,
    ) -> Result<i64> {
        self.typed_constant(scope, written, what).map(|(value, _)| value)
    }

    /// An integer that has to be known, and its type.
    pub(super) fn typed_constant(
        &mut self,
        scope: ScopeId,
        written: tree::Expr<'t>,
        what: &str,
    ) -> Result<(i64, Type)> {
        let expr = self.expr(scope, written)?;
        let expr = self.value(expr);
        if !self.types.is_integral(expr.ty) && !self.types.is_scoped_enum(expr.ty) {
            let message = format!("{what} is an integer, but this has the type `{}`", self.show(expr.ty));
            return Err(error(written.span, message));
        }
        if let Some(Constant::Integer(value)) = self.evaluate(expr) {
            return Ok((value, expr.ty));
        }
        let problem = error(written.span, format_args!("{what} has to be known when the text is compiled"));
        Err(problem.with_help("use a number, or a variable that is `constexpr`"))
    }
}

impl Machine<'_, '_, '_> {
    /// `values` are the variables of the function that is carried out; outside of one, only constant variables have
    /// values.
    fn expr(&mut self, expr: Expr<'_>, values: Option<&mut Values>) -> Option<Constant> {
        self.step_on()?;
        budget::deeper(expr.span, || Ok(self.any_expr(expr, values))).ok()?
    }

    /// Counts a step; `None` if it is one too many.
    fn step_on(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MAX_STEPS && budget::may_spend(Bound::Constants, 1)).then_some(())
    }

    fn any_expr(&mut self, expr: Expr<'_>, mut values: Option<&mut Values>) -> Option<Constant> {
        let types = &self.checker.types;
        match &expr.kind {
            Kind::Integer(value) => Some(Constant::Integer(*value)),
            Kind::Float(value) => Some(Constant::Float(*value)),
            Kind::Load(place) => self.place(place, values),
            Kind::Convert(inner) => {
                let value = self.expr(inner, values)?;
                let is_number = types.is_arithmetic(inner.ty) || types.is_scoped_enum(inner.ty);
                // A pointer that becomes an integer is not known here.
                is_number.then(|| convert(types, value, inner.ty, expr.ty))
            }
            Kind::Negate(inner) => match self.expr(inner, values)? {
                Constant::Integer(value) => {
                    Some(Constant::Integer(wrap(types, expr.ty, value.wrapping_neg())))
                }
                Constant::Float(value) => Some(Constant::Float(-value)),
            },
            Kind::Complement(inner) => match self.expr(inner, values)? {
                Constant::Integer(value) => Some(Constant::Integer(wrap(types, expr.ty, !value))),
                Constant::Float(_) => None,
            },
            Kind::Not(inner) => Some(truth(!self.holds(inner, values)?)),
            // The right side need not be known if the left one decides.
            Kind::And(a, b) => Some(truth(self.holds(a, values.as_deref_mut())? && self.holds(b, values)?)),
            Kind::Or(a, b) => Some(truth(self.holds(a, values.as_deref_mut())? || self.holds(b, values)?)),
            Kind::Conditional(condition, yes, no) => {
                let holds = self.holds(condition, values.as_deref_mut())?;
                self.expr(if holds { yes } else { no }, values)
            }
            Kind::Binary(op, a, b) => {
                let a = self.expr(a, values.as_deref_mut())?;
                let b = self.expr(b, values)?;
                self.binary(*op, a, b, expr.ty)
            }
            Kind::Compare(op, a, b) => {
                let is_unsigned = types.is_unsigned(a.ty);
                let a = self.expr(a, values.as_deref_mut())?;
                let b = self.expr(b, values)?;
                compare_constants(*op, a, b, is_unsigned)
            }
            Kind::Intrinsic(intrinsic, arguments) => self.intrinsic(*intrinsic, arguments, expr.ty, values),
            Kind::Call(function, arguments) => self.call(*function, arguments, values),
            Kind::Assign(place, value) => {
                let value = self.expr(value, values.as_deref_mut())?;
                store(place, value, values?)
            }
            Kind::Update { op, place, value, computed_as } => {
                let value = self.expr(value, values.as_deref_mut())?;
                let old = self.place(place, values.as_deref_mut())?;
                // As `lower` does it: to the common type, the operation, and back.
                let old = convert(types, old, place.ty, *computed_as);
                let new = self.binary(*op, old, value, *computed_as)?;
                store(place, convert(types, new, *computed_as, place.ty), values?)
            }
            Kind::Step { place, is_down, is_post } => self.step(place, *is_down, *is_post, values),
            Kind::Comma(a, b) => {
                // What is done first has to be something that a constant can do.
                self.done(a, values.as_deref_mut())?;
                self.expr(b, values)
            }
            _ => None,
        }
    }

    /// What an expression does. The name of a variable does nothing, even if its value is not known.
    fn done(&mut self, expr: Expr<'_>, mut values: Option<&mut Values>) -> Option<()> {
        match &expr.kind {
            Kind::Local(_) | Kind::Global(_) => Some(()),
            // A `?` or a comma that is a place.
            Kind::Deref(_) => {
                if let Some((left, right)) = last(expr) {
                    self.done(left, values.as_deref_mut())?;
                    return self.done(right, values);
                }
                let (condition, yes, no) = chosen(expr)?;
                let holds = self.holds(condition, values.as_deref_mut())?;
                self.done(if holds { yes } else { no }, values)
            }
            _ => self.expr(expr, values).map(|_| ()),
        }
    }

    fn step(
        &mut self,
        place: Expr<'_>,
        is_down: bool,
        is_post: bool,
        mut values: Option<&mut Values>,
    ) -> Option<Constant> {
        let Constant::Integer(old) = self.place(place, values.as_deref_mut())? else { return None };
        let new = old.wrapping_add(if is_down { -1 } else { 1 });
        let new = Constant::Integer(wrap(&self.checker.types, place.ty, new));
        store(place, new, values?)?;
        Some(if is_post { Constant::Integer(old) } else { new })
    }

    /// Whether a condition is not zero.
    fn holds(&mut self, expr: Expr<'_>, values: Option<&mut Values>) -> Option<bool> {
        Some(match self.expr(expr, values)? {
            Constant::Integer(value) => value != 0,
            Constant::Float(value) => value != 0.0,
        })
    }

    /// The value in a place, if it is known.
    fn place(&mut self, place: Expr<'_>, values: Option<&mut Values>) -> Option<Constant> {
        match &place.kind {
            // A variable of the function that is carried out, or one of the function being checked that is constant.
            Kind::Local(var) => match values {
                Some(values) => values.get(var).copied(),
                None => self.checker.frames.last()?.vars.get(*var)?.constant,
            },
            Kind::Global(global) => self.checker.program.globals[*global].constant,
            // An xvalue is the place itself.
            Kind::Temporary(inner) if inner.is_place() => self.place(inner, values),
            Kind::Temporary(value) | Kind::Assign(_, value) if values.is_none() => self.expr(value, None),
            Kind::Temporary(value) => self.expr(value, values),
            Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. } => self.expr(place, values),
            _ => None,
        }
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
    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: &[Expr<'_>],
        ty: Type,
        mut values: Option<&mut Values>,
    ) -> Option<Constant> {
        let (Intrinsic::Min | Intrinsic::Max, [left, right]) = (intrinsic, arguments) else { return None };
        let a = self.expr(left, values.as_deref_mut())?;
        let b = self.expr(right, values)?;
        let (Constant::Integer(_), Constant::Integer(_)) = (a, b) else { return None };
        let less = compare_constants(Compare::Lt, a, b, self.checker.types.is_unsigned(ty))?;
        let is_min = intrinsic == Intrinsic::Min;
        Some(if (less == Constant::Integer(1)) == is_min { a } else { b })
    }

    fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Expr<'_>],
        mut values: Option<&mut Values>,
    ) -> Option<Constant> {
        let called = self.checker.program.functions.get(function)?;
        // This compiler's own functions are not marked, and some of them are constant in C++.
        if !called.is_constexpr && !called.is_own || self.calls >= MAX_CALLS || called.body.is_empty() {
            return None;
        }
        let mut inner = Values::default();
        for (parameter, argument) in called.parameters.iter().zip(arguments) {
            // Objects have no value here; a function that needs one fails when it reads it.
            let value = match &values {
                _ if argument.is_place() => self.place(argument, values.as_deref_mut()),
                _ => self.expr(argument, values.as_deref_mut()),
            };
            if let Some(value) = value {
                inner.insert(*parameter, value);
            }
        }
        let written = self.changed_arguments(called, arguments)?;
        self.calls += 1;
        let flow = self.statements(called.body, &mut inner);
        self.calls -= 1;
        let flow = flow?;
        for (parameter, var) in written {
            if let Some(value) = inner.get(&parameter).copied() {
                values.as_deref_mut()?.insert(var, value);
            }
        }
        match flow {
            Flow::Return(Some(value)) => Some(value),
            // What a function of the type `void` returns is looked at by nobody.
            _ => self.checker.types.is_void(called.result).then_some(Constant::Integer(0)),
        }
    }

    /// The variables that a call may change through its parameters: each parameter of a type `T&`, and what it refers to.
    /// They get the parameter's value when the call has ended. `None` if that is not the same, because two parameters
    /// refer to one variable; or if one refers to what has no value here.
    fn changed_arguments(
        &self,
        called: &super::typed::Function<'_>,
        arguments: &[Expr<'_>],
    ) -> Option<Vec<(VarId, VarId)>> {
        let types = &self.checker.types;
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        for (parameter, argument) in called.parameters.iter().zip(arguments) {
            let ty = called.vars[*parameter].ty;
            if !types.is_reference(ty) {
                continue;
            }
            let mut place = *argument;
            while let Kind::Temporary(inner) = &place.kind {
                place = inner;
            }
            let Kind::Local(var) = place.kind else { continue };
            seen.push(var);
            if !types.referred(ty).is_const() {
                found.push((*parameter, var));
            }
        }
        let is_once = |var: VarId| seen.iter().filter(|seen| **seen == var).count() == 1;
        found.iter().all(|(_, var)| is_once(*var)).then_some(found)
    }

    fn statements(&mut self, statements: &[Stmt<'_>], values: &mut Values) -> Option<Flow> {
        for statement in statements {
            match self.statement(statement, values)? {
                Flow::Next => {}
                flow => return Some(flow),
            }
        }
        Some(Flow::Next)
    }

    /// `None` if it does something that is not constant.
    fn statement(&mut self, statement: &Stmt<'_>, values: &mut Values) -> Option<Flow> {
        match &statement.kind {
            StmtKind::Expr(expr) => self.done(expr, Some(values))?,
            StmtKind::Declare(var, value) => {
                if let Some(value) = value {
                    let value = self.expr(value, Some(values))?;
                    values.insert(*var, value);
                }
            }
            StmtKind::Block(inner) => return self.statements(inner, values),
            StmtKind::If(condition, then, otherwise) => {
                let taken = if self.holds(condition, Some(values))? { then } else { otherwise };
                return self.statements(taken, values);
            }
            StmtKind::Loop(inner) => return self.loop_(inner, values),
            StmtKind::Break => return Some(Flow::Break),
            StmtKind::Continue => return Some(Flow::Continue),
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.expr(value, Some(values))?),
                    None => None,
                };
                return Some(Flow::Return(value));
            }
            StmtKind::Switch(_) | StmtKind::Asm(_) | StmtKind::Goto(_) | StmtKind::Label(_) => return None,
        }
        Some(Flow::Next)
    }

    fn loop_(&mut self, inner: &super::typed::Loop<'_>, values: &mut Values) -> Option<Flow> {
        self.statements(inner.init, values)?;
        let mut is_first = inner.is_do;
        loop {
            // A loop without a body would otherwise never end.
            self.step_on()?;
            if let Some(condition) = inner.condition.as_ref().filter(|_| !is_first)
                && !self.holds(condition, Some(values))?
            {
                return Some(Flow::Next);
            }
            is_first = false;
            match self.statements(inner.body, values)? {
                Flow::Break => return Some(Flow::Next),
                Flow::Return(value) => return Some(Flow::Return(value)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = &inner.step {
                self.done(step, Some(values))?;
            }
        }
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

/// Only variables have room for a value here.
fn store(place: Expr<'_>, value: Constant, values: &mut Values) -> Option<Constant> {
    match &place.kind {
        Kind::Local(var) => {
            values.insert(*var, value);
            Some(value)
        }
        _ => None,
    }
}
