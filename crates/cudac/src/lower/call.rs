//! Calls, which are inlined.
//!
//! A parameter that never changes is its argument, so `f(3)` is checked and folded as if `3` had been written in `f`; a
//! reference is the place that it is bound to, and costs nothing. Left out: recursion and external functions, which are
//! errors.
//!
//! ```text
//! return x;       the only one, at the end: the call is the value
//! return x;       one of several: stored in a slot, then a jump to the block after the call
//! ```

use super::{Binding, Frame, Lower, MAX_CALLS, Value};
use crate::check::typed::{Expr, FunctionId, Stmt, StmtKind};
use crate::code::{Place, Ty};
use crate::source::{Result, error};

impl<'t> Lower<'t> {
    /// Inlines a function. `object` is what a constructor makes.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Expr<'t>],
        object: Option<Place>,
        call: Expr<'t>,
    ) -> Result<Value> {
        let called = &self.checked.program.functions[function];
        self.count(call.span)?;
        #[cfg(feature = "host")]
        if called.is_own
            && let Some(value) = self.of_runtime(called.name, arguments)?
        {
            return Ok(value);
        }
        if called.is_own && called.name == "__host_varying" {
            let message = "the length of an array has to be known when the text is compiled, in device code";
            let help = "use a number, or a variable that is `constexpr`";
            return Err(error(call.span, message).with_help(help));
        }
        if called.is_external {
            let message =
                format!("`{}` is a function of the host, which device code cannot call", called.name);
            return Err(error(call.span, message));
        }
        // Inlining would never end.
        if self.frames.iter().any(|frame| frame.function == function) {
            let message =
                format!("`{}` calls itself, and recursion is not supported by this compiler", called.name);
            return Err(error(call.span, message).with_help("write it as a loop"));
        }
        if self.frames.len() >= MAX_CALLS {
            return Err(error(
                call.span,
                format_args!("functions call each other more than {MAX_CALLS} deep"),
            ));
        }
        let outer_line = self.line;
        self.at(call.span);
        let mut frame = Frame::new(function, called.vars.len(), 0);
        frame.call = Some(self.line);
        // Arguments are evaluated in the frame of the caller, before the function's is pushed.
        let values = self.passed(function, arguments, object)?;
        // The arguments may have been calls on other lines.
        self.at(call.span);
        let exit = self.new_block();
        frame.exit = exit;
        frame.returns_at_end = crate::check::walk::returns(called.body) == 1 && ends_in_return(called.body);
        self.frames.push(frame);
        for (parameter, value) in called.parameters.iter().zip(values) {
            match value {
                // A value goes into a slot if the function changes its parameter.
                Binding::Value(value) => self.bind(*parameter, value)?,
                other => self.frame().vars[*parameter] = other,
            }
        }
        let is_void = self.checked.types.is_void(called.result);
        if !is_void && !self.frame().returns_at_end {
            let slot = self.new_slot(called.result, None);
            self.frame().result = Some(slot);
        }
        let result = self.statements(called.body);
        self.jump(exit);
        self.start(exit);
        let frame = self.frames.pop();
        self.line = outer_line;
        result?;
        let Some(frame) = frame else { return Ok(Value::Void) };
        if let Some(value) = frame.returned {
            return Ok(value);
        }
        Ok(match frame.result {
            // What was stored is the address of what it refers to.
            Some(slot) if self.checked.types.is_reference(called.result) => {
                Value::Scalar(self.load_scalar(slot, Ty::U64, false))
            }
            Some(slot) => self.load(slot, called.result),
            None => Value::Void,
        })
    }

    /// What the parameters become, evaluated where the call is.
    fn passed(
        &mut self,
        function: FunctionId,
        arguments: &[Expr<'t>],
        object: Option<Place>,
    ) -> Result<Vec<Binding>> {
        let called = &self.checked.program.functions[function];
        let mut values = Vec::with_capacity(arguments.len() + 1);
        values.extend(object.map(Binding::Place));
        for argument in arguments {
            let ty = called.parameters.get(values.len()).map(|parameter| called.vars[*parameter].ty);
            let is_reference = ty.is_some_and(|ty| self.checked.types.is_reference(ty));
            values.push(if is_reference {
                Binding::Place(self.place(argument)?)
            } else {
                Binding::Value(self.value(argument)?)
            });
        }
        Ok(values)
    }
}

/// Not in a branch or a loop, where the rest of the function would have to be skipped.
fn ends_in_return(body: &[Stmt<'_>]) -> bool {
    match body.last().map(|last| &last.kind) {
        Some(StmtKind::Return(_)) => true,
        Some(StmtKind::Block(inner)) => ends_in_return(inner),
        _ => false,
    }
}
