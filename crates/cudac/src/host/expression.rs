//! Values of expressions.
//!
//! Each node of the typed tree becomes one or two here, in the order in which they are evaluated. Lines are kept where
//! something can be wrong when it is executed: accesses, divisions, calls. Specification: C++17, [expr].
//!
//! ```text
//! p[i]                Load(F32, Index(Load(U64, p), i, 4))
//! s = t;              Copy(size of s, address of s, address of t)
//! f(s)                Call with the address of s, which the function copies into its frame
//! cudaMalloc(&p, n)   Runtime, if its header has no body for it
//! ```

use super::lower::Lower;
use super::{Binary, Call, Expr, KernelCall, RuntimeCall, Scalar, Update, UpdateResult};
use crate::check::typed::{self, Constant, FunctionId, Kind};
use crate::check::types::Shape;
use crate::source::line::Line;
use crate::source::{Result, unsupported};

impl<'t> Lower<'t> {
    /// The value of an expression: a number, or the address of an object.
    pub(super) fn value(&mut self, expr: typed::Expr<'t>) -> Result<Expr> {
        let line = self.line(expr.span);
        match &expr.kind {
            Kind::Integer(value) => Ok(self.constant(expr, Constant::Integer(*value))),
            Kind::Float(value) => Ok(self.constant(expr, Constant::Float(*value))),
            Kind::Text(text) => Ok(Expr::Text(self.text(text))),
            Kind::Load(place) => self.loaded(place),
            Kind::AddressOf(place) | Kind::Decay(place) => self.address(place),
            Kind::Special(name) => Err(unsupported(
                expr.span,
                format_args!("`{name}`, which only device code has, in host code"),
            )),
            Kind::Convert(inner) => self.converted(expr, inner),
            Kind::PointerAdd(pointer, index, is_negative) => {
                let bytes = self.pointee_bytes(expr);
                let pointer = self.value(pointer)?;
                let index = self.index(index)?;
                let bytes = if *is_negative { -bytes } else { bytes };
                Ok(Expr::Index(Box::new(pointer), Box::new(index), bytes))
            }
            Kind::PointerDiff(a, b) => {
                let bytes = self.pointee_bytes(a).max(1) as u64;
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(Expr::Distance(Box::new(a), Box::new(b), bytes))
            }
            Kind::Assign(place, value) => self.assign(place, value, false, expr),
            Kind::Update { .. } => self.update(expr, UpdateResult::New),
            Kind::Step { is_post, .. } => {
                self.step(expr, if *is_post { UpdateResult::Old } else { UpdateResult::New })
            }
            Kind::Call(function, arguments) => self.call(*function, arguments, expr),
            Kind::Construct(function, arguments) => {
                let slot = self.temporary(expr.ty, expr.span)?;
                Ok(Expr::Then(vec![self.construct(*function, arguments, slot, expr)?, Expr::Local(slot)]))
            }
            Kind::Aggregate(items) => {
                let slot = self.temporary(expr.ty, expr.span)?;
                let mut made = Vec::new();
                self.fill(slot, expr.ty, items, &mut made)?;
                made.push(Expr::Local(slot));
                Ok(Expr::Then(made))
            }
            Kind::Intrinsic(intrinsic, arguments) => {
                // The operation has the type of its operands, which its result need not have.
                let first = arguments.first().map_or(expr.ty, |first| first.ty);
                let ty = self.number(first, expr.span)?;
                let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<_>>()?;
                Ok(Expr::Intrinsic(*intrinsic, ty, values))
            }
            // Stream 1 is the standard output.
            Kind::Printf(text, values) => self.print(Expr::Const(1), text, values, line),
            Kind::Print(text, values) => {
                let Some((stream, values)) = values.split_first() else { return Ok(Expr::Const(0)) };
                let stream = self.value(stream)?;
                self.print(stream, text, values, line)
            }
            Kind::Launch(kernel, shape, arguments) => {
                let kernel = self.function_address(*kernel);
                self.launch(kernel, shape, arguments, line)
            }
            Kind::LaunchPointer(pointer, shape, arguments) => {
                let pointer = self.value(pointer)?;
                self.launch(pointer, shape, arguments, line)
            }
            Kind::FunctionAddress(function) => Ok(self.function_address(*function)),
            Kind::CallPointer(pointer, arguments) => self.call_pointer(pointer, arguments, expr),
            Kind::Format(of, text, values) => {
                let text = self.text(text);
                Ok(Expr::Format(*of, text, self.numbers(values)?, line))
            }
            _ => self.operation(expr),
        }
    }

    /// The value of an operator, or the address of an object.
    fn operation(&mut self, expr: typed::Expr<'t>) -> Result<Expr> {
        let line = self.line(expr.span);
        match &expr.kind {
            Kind::Negate(inner) => {
                let ty = self.number(expr.ty, expr.span)?;
                Ok(Expr::Negate(ty, Box::new(self.value(inner)?)))
            }
            Kind::Complement(inner) => {
                let ty = self.number(expr.ty, expr.span)?;
                Ok(Expr::Complement(ty, Box::new(self.value(inner)?)))
            }
            Kind::Not(inner) => Ok(Expr::Not(Box::new(self.value(inner)?))),
            Kind::Binary(op, a, b) => {
                let ty = self.number(expr.ty, expr.span)?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(Expr::Binary(*op, ty, Box::new(a), Box::new(b), line))
            }
            Kind::Compare(compare, a, b) => {
                let ty = self.number(a.ty, a.span)?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(Expr::Compare(*compare, ty, Box::new(a), Box::new(b)))
            }
            Kind::And(a, b) => Ok(Expr::And(Box::new(self.value(a)?), Box::new(self.value(b)?))),
            Kind::Or(a, b) => Ok(Expr::Or(Box::new(self.value(a)?), Box::new(self.value(b)?))),
            Kind::Conditional(condition, yes, no) => {
                let condition = self.value(condition)?;
                let (yes, no) = (self.value(yes)?, self.value(no)?);
                Ok(Expr::If(Box::new(condition), Box::new(yes), Box::new(no)))
            }
            Kind::Comma(a, b) => Ok(Expr::Then(vec![self.unused(a)?, self.value(b)?])),
            // A member of an object that is no place, such as the result of a call.
            Kind::Field(..) | Kind::Element(..) => self.loaded(expr),
            _ => self.address(expr),
        }
    }

    /// The bits of a constant, as its type has them in 64.
    fn constant(&self, expr: typed::Expr<'t>, constant: Constant) -> Expr {
        Expr::Const(match (self.scalar(expr.ty), constant) {
            (Some(Scalar::F32), Constant::Float(value)) => u64::from((value as f32).to_bits()),
            (Some(Scalar::F32), Constant::Integer(value)) => u64::from((value as f32).to_bits()),
            (Some(Scalar::F64), Constant::Integer(value)) => (value as f64).to_bits(),
            (_, Constant::Float(value)) => value.to_bits(),
            (_, Constant::Integer(value)) => value as u64,
        })
    }

    fn loaded(&mut self, place: typed::Expr<'t>) -> Result<Expr> {
        if let Kind::Local(var) = place.kind {
            let declared = &self.checked.program.functions[self.function].vars[var];
            if let (Some(constant), Some(_)) = (declared.constant, self.scalar(declared.ty)) {
                return Ok(self.constant(place, constant));
            }
        }
        let Some(ty) = self.scalar(place.ty) else { return self.address(place) };
        // The value of an assignment is known without reading it back.
        if let Kind::Assign(..) | Kind::Update { .. } | Kind::Step { .. } = place.kind {
            return self.value(place);
        }
        let line = self.line(place.span);
        Ok(Expr::Load(ty, Box::new(self.address(place)?), line))
    }

    /// A conversion to `void` evaluates, and no more.
    fn converted(&mut self, expr: typed::Expr<'t>, inner: typed::Expr<'t>) -> Result<Expr> {
        if self.checked.types.is_void(expr.ty) {
            return self.unused(inner);
        }
        let value = self.value(inner)?;
        let (to, from) = (self.number(expr.ty, expr.span)?, self.number(inner.ty, inner.span)?);
        Ok(value.converted(to, from))
    }

    /// The size of what a pointer points to.
    fn pointee_bytes(&self, pointer: typed::Expr<'t>) -> i64 {
        let to = self.checked.types.pointee(pointer.ty);
        to.map_or(1, |to| self.checked.types.size(to).max(1)) as i64
    }

    /// `wants_address` is for `(a = b).c` and references to assignments.
    pub(super) fn assign(
        &mut self,
        place: typed::Expr<'t>,
        value: typed::Expr<'t>,
        wants_address: bool,
        expr: typed::Expr<'t>,
    ) -> Result<Expr> {
        let line = self.line(expr.span);
        let is_reference = self.checked.types.is_reference(place.ty);
        // The right side comes first ([expr.ass]).
        let value = if is_reference { self.address(value)? } else { self.value(value)? };
        let at = self.address(place)?;
        Ok(match self.scalar(place.ty) {
            Some(ty) if wants_address => Expr::StoreAt(ty, Box::new(at), Box::new(value), line),
            Some(ty) => Expr::Store(ty, Box::new(at), Box::new(value), line),
            None => Expr::Copy(self.checked.types.size(place.ty), Box::new(at), Box::new(value), line),
        })
    }

    pub(super) fn update(&mut self, expr: typed::Expr<'t>, result: UpdateResult) -> Result<Expr> {
        let Kind::Update { op, place, value, computed_as } = &expr.kind else {
            return Err(unsupported(expr.span, "this place"));
        };
        let ty = self.number(place.ty, place.span)?;
        let line = self.line(expr.span);
        let is_pointer = self.checked.types.is_pointer(place.ty);
        // A pointer moves by whole elements: what is added is the address of an element of an array at 0.
        let (computed_as, value) = if is_pointer {
            let bytes = self.pointee_bytes(place);
            (Scalar::U64, Expr::Index(Box::new(Expr::Const(0)), Box::new(self.index(value)?), bytes))
        } else {
            (self.number(*computed_as, expr.span)?, self.value(value)?)
        };
        let address = self.address(place)?;
        Ok(Expr::Update(Box::new(Update { op: *op, ty, computed_as, address, value, result, line })))
    }

    pub(super) fn step(&mut self, expr: typed::Expr<'t>, result: UpdateResult) -> Result<Expr> {
        let Kind::Step { place, is_down, .. } = &expr.kind else {
            return Err(unsupported(expr.span, "this place"));
        };
        let ty = self.number(place.ty, place.span)?;
        let one = match ty {
            Scalar::F32 => u64::from(1f32.to_bits()),
            Scalar::F64 => 1f64.to_bits(),
            _ if self.checked.types.is_pointer(place.ty) => self.pointee_bytes(place) as u64,
            _ => 1,
        };
        let op = if *is_down { Binary::Sub } else { Binary::Add };
        let (address, line) = (self.address(place)?, self.line(expr.span));
        let value = Expr::Const(one);
        Ok(Expr::Update(Box::new(Update { op, ty, computed_as: ty, address, value, result, line })))
    }

    /// What the parameters of a function get, after those that are there already.
    fn arguments(
        &mut self,
        function: FunctionId,
        skipped: usize,
        written: &[typed::Expr<'t>],
    ) -> Result<Vec<(Scalar, Expr)>> {
        let made = &self.checked.program.functions[function];
        let mut arguments = Vec::with_capacity(written.len() + skipped);
        for (argument, parameter) in written.iter().zip(made.parameters.iter().skip(skipped)) {
            let ty = made.vars[*parameter].ty;
            let is_reference = self.checked.types.is_reference(ty);
            let value = if is_reference { self.address(argument)? } else { self.value(argument)? };
            arguments.push((self.scalar(ty).unwrap_or(Scalar::U64), value));
        }
        Ok(arguments)
    }

    fn call(
        &mut self,
        function: FunctionId,
        arguments: &[typed::Expr<'t>],
        expr: typed::Expr<'t>,
    ) -> Result<Expr> {
        let made = &self.checked.program.functions[function];
        let line = self.line(expr.span);
        let is_cuda = made.is_own && made.name.starts_with("cuda");
        // `cudaMalloc(&d_x, n)`: messages call the allocation `d_x`.
        let first = arguments.first().filter(|_| is_cuda).and_then(|first| self.variable_at(first));
        let arguments = self.arguments(function, 0, arguments)?;
        // The executor knows it by its name.
        if made.is_external || made.is_own && crate::builtins::host::is_replaced(made.name) {
            let result = self.scalar(made.result);
            let function = self.runtime(made.name);
            return Ok(Expr::Runtime(Box::new(RuntimeCall { function, arguments, result, line })));
        }
        let arguments = arguments.into_iter().map(|(_, value)| value).collect();
        // An object is returned into room in the caller's frame.
        let result = match self.scalar(made.result) {
            None if !self.checked.types.is_void(made.result) => {
                let bytes = self.checked.types.size(made.result);
                Some((self.temporary(made.result, expr.span)?, bytes))
            }
            _ => None,
        };
        let function = self.number_of(function);
        Ok(Expr::Call(Box::new(Call { function, arguments, first, result, line })))
    }

    /// The name of the variable whose address an expression is.
    fn variable_at(&self, expr: typed::Expr<'t>) -> Option<String> {
        match &expr.kind {
            Kind::Convert(inner) | Kind::AddressOf(inner) => self.variable_at(inner),
            Kind::Local(var) => {
                let declared = &self.checked.program.functions[self.function].vars[*var];
                Some(declared.name.to_string())
            }
            Kind::Global(global) => Some(self.checked.program.globals[*global].name.to_owned()),
            Kind::Field(base, field) => {
                let Shape::Struct(number) = self.checked.types.shape(base.ty) else { return None };
                let field = self.checked.types.structs[number].fields.get(*field)?;
                Some(format!("{}.{}", self.variable_at(base)?, field.name))
            }
            _ => None,
        }
    }

    /// Calls a constructor for an object in the frame.
    pub(super) fn construct(
        &mut self,
        function: FunctionId,
        arguments: &[typed::Expr<'t>],
        slot: u64,
        expr: typed::Expr<'t>,
    ) -> Result<Expr> {
        let mut passed = vec![Expr::Local(slot)];
        passed.extend(self.arguments(function, 1, arguments)?.into_iter().map(|(_, value)| value));
        let line = self.line(expr.span);
        let function = self.number_of(function);
        Ok(Expr::Call(Box::new(Call { function, arguments: passed, first: None, result: None, line })))
    }

    fn print(&mut self, stream: Expr, text: &[u8], values: &[typed::Expr<'t>], line: Line) -> Result<Expr> {
        let text = self.text(text);
        Ok(Expr::Print(Box::new(stream), text, self.numbers(values)?, line))
    }

    /// The values with their types, which a format needs.
    fn numbers(&mut self, values: &[typed::Expr<'t>]) -> Result<Vec<(Scalar, Expr)>> {
        values.iter().map(|value| Ok((self.number(value.ty, value.span)?, self.value(value)?))).collect()
    }

    /// The address of a function or of a kernel.
    fn function_address(&mut self, function: FunctionId) -> Expr {
        let (base, number) = if self.checked.program.kernels.contains(&function) {
            (super::KERNEL_BASE, self.kernel(function))
        } else {
            (super::FUNCTION_BASE, self.number_of(function))
        };
        Expr::Const(base + super::FUNCTION_BYTES * number as u64)
    }

    /// Parameters' types come from the pointer's, since the function is not known.
    fn call_pointer(
        &mut self,
        pointer: typed::Expr<'t>,
        arguments: &[typed::Expr<'t>],
        expr: typed::Expr<'t>,
    ) -> Result<Expr> {
        let types = &self.checked.types;
        let parameters = match types.pointee(pointer.ty).map(|to| types.shape(to)) {
            Some(Shape::Function(at)) => &types.functions[at].1[..],
            _ => &[],
        };
        let mut passed = Vec::with_capacity(arguments.len());
        for (argument, ty) in arguments.iter().zip(parameters) {
            let is_reference = types.is_reference(*ty);
            passed.push(if is_reference { self.address(argument)? } else { self.value(argument)? });
        }
        let result = match self.scalar(expr.ty) {
            None if !self.checked.types.is_void(expr.ty) => {
                let bytes = self.checked.types.size(expr.ty);
                Some((self.temporary(expr.ty, expr.span)?, bytes))
            }
            _ => None,
        };
        let (pointer, line) = (self.value(pointer)?, self.line(expr.span));
        let arguments = passed;
        Ok(Expr::CallPointer(Box::new(super::CallPointer { pointer, arguments, result, line })))
    }

    /// The two shapes are objects, hence addresses.
    fn launch(
        &mut self,
        kernel: Expr,
        shape: &[typed::Expr<'t>],
        arguments: &[typed::Expr<'t>],
        line: Line,
    ) -> Result<Expr> {
        let mut parts = Vec::with_capacity(4);
        for (nth, part) in shape.iter().enumerate() {
            parts.push(if nth < 2 { self.address(part)? } else { self.value(part)? });
        }
        let mut passed = Vec::with_capacity(arguments.len());
        for argument in arguments {
            // The kernel gets a copy, which ends with the launch.
            let value = if self.destructors(argument.ty, argument.span)?.is_empty() {
                self.value(argument)?
            } else {
                let copy = self.placed(argument)?;
                self.owned(copy, argument.ty, argument.span)?
            };
            passed.push((self.passing(argument.ty), value));
        }
        let [grid, block, shared_bytes, stream] = <[Expr; 4]>::try_from(parts)
            .map_err(|_| unsupported(crate::source::Span::default(), "this launch"))?;
        let arguments = passed;
        Ok(Expr::Launch(Box::new(KernelCall { kernel, grid, block, shared_bytes, stream, arguments, line })))
    }
}
