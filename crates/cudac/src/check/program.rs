//! Launches, and what only host code has: `fprintf`, `sprintf` and `scanf`.
//!
//! A launch is checked like a call, so overloads, templates and conversions work for its arguments; only the node
//! differs. Specification: CUDA C++ Programming Guide, "Execution Configuration".

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::{Expr, Formatted, Kind};
use crate::parse::tree::{self, ExprKind};
use crate::source::{Result, Span, error};

impl<'t> Checker<'_, 't> {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`. A kernel is launched by its name, or through a pointer to
    /// it.
    pub(super) fn launch(
        &mut self,
        scope: ScopeId,
        kernel: tree::Expr<'t>,
        shape: &[tree::Expr<'t>],
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let ExprKind::Path(path) = &kernel.kind else {
            return self.launch_pointer(scope, kernel, shape, arguments, span);
        };
        let Entity::Functions(functions) = self.lookup(scope, path)? else {
            return self.launch_pointer(scope, kernel, shape, arguments, span);
        };
        let Some(part) = path.parts.last() else { return Err(error(span, "expected a kernel")) };
        let explicit = self.explicit(scope, part)?;
        let shape = self.shape(scope, shape, span)?;
        let passed = self.arguments(scope, arguments)?;
        let best = self.pick(&functions, &explicit, None, &passed, part.name.as_str(), span)?;
        if !self.declared[best.declared].function.storage.is_global {
            let message = format!("`{}` is not `__global__`, so it cannot be launched", part.name);
            return Err(error(kernel.span, message).with_help("write `__global__` before its definition"));
        }
        let id = self.instance(best.declared, &best.arguments, span)?;
        // A template is made into a kernel by its launch.
        if !self.program.kernels.contains(&id) {
            self.program.kernels.push(id);
        }
        let call = self.finish_call(best.declared, id, None, &passed, span)?;
        // A kernel returns nothing, so the call is no reference that was followed.
        let Kind::Call(id, passed) = &call.kind else { return Ok(call) };
        Ok(self.node(Kind::Launch(*id, shape, passed), call.ty, call.span))
    }

    /// The grid and the block as `dim3`, the bytes of shared memory, and the stream. What is not written is 0. An
    /// integer becomes a `dim3` by its constructor, like any argument.
    pub(super) fn shape(
        &mut self,
        scope: ScopeId,
        written: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<&'t [Expr<'t>]> {
        let name = self.names.get("dim3");
        // The parser has read its text for every program.
        let Some(Entity::Type(dim3)) = self.scopes.find(0, name).cloned() else {
            return Err(error(span, "`dim3` is not declared"));
        };
        let size = self.types.basic(tree::Basic::UnsignedLong);
        let void = self.types.void();
        let stream = self.types.pointer(void);
        let mut shape = Vec::with_capacity(4);
        for (nth, what) in
            ["the grid", "the block", "the shared memory", "the stream"].into_iter().enumerate()
        {
            let ty = [dim3, dim3, size, stream][nth];
            shape.push(match written.get(nth) {
                Some(value) => {
                    let value = self.expr(scope, value)?;
                    // `0` is the default stream; as a literal it is a null pointer anyway ([conv.ptr]).
                    if nth == 3 && matches!(value.kind, Kind::Integer(0)) {
                        self.zero(stream, span)
                    } else {
                        self.implicit(value, ty, &what)?
                    }
                }
                None if nth < 2 => return Err(error(span, "a launch needs a grid and a block")),
                None => self.zero(ty, span),
            });
        }
        Ok(self.arena.list(&shape))
    }

    /// `sprintf(text, "…", a)` and `scanf("…", &a)`, unless the text declares a function of that name.
    pub(super) fn formatted(
        &mut self,
        scope: ScopeId,
        part: &tree::Part<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        let (of, first) = match part.name.as_str() {
            "sprintf" => (Formatted::Sprintf, 1),
            "snprintf" => (Formatted::Snprintf, 2),
            "scanf" => (Formatted::Scanf, 0),
            "fscanf" => (Formatted::Fscanf, 1),
            "sscanf" => (Formatted::Sscanf, 1),
            _ => return Ok(None),
        };
        if !self.is_program || self.scopes.find(scope, part.name).is_some() {
            return Ok(None);
        }
        let Some(ExprKind::Text(text)) = arguments.get(first).map(|format| &format.kind) else {
            let message = format!("`{}` needs a text in quotes as its argument {}", part.name, first + 1);
            return Err(error(span, message));
        };
        let mut values = Vec::with_capacity(arguments.len());
        for (_, argument) in arguments.iter().enumerate().filter(|(nth, _)| *nth != first) {
            let value = self.value_of(scope, argument)?;
            // What C does to the arguments of `...`: small integers become `int`, and `float` becomes `double`
            // ([expr.call]).
            let mut value = self.promote(value);
            if self.types.basic_of(value.ty) == Some(tree::Basic::Float) {
                let double = self.types.basic(tree::Basic::Double);
                value = self.converted(value, double);
            }
            values.push(value);
        }
        if of == Formatted::Fscanf {
            self.check_file("fscanf", values[0])?;
        }
        let ty = self.types.int();
        Ok(Some(self.node(Kind::Format(of, text, self.arena.list(&values)), ty, span)))
    }

    /// `fprintf(stderr, "…", a)`: what follows the stream is checked as a `printf`.
    pub(super) fn fprintf(
        &mut self,
        scope: ScopeId,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let Some((stream, rest)) = arguments.split_first() else {
            return Err(error(span, "`fprintf` needs a stream as its first argument"));
        };
        let stream = self.value_of(scope, stream)?;
        self.check_file("fprintf", stream)?;
        let printed = self.printf(scope, rest, span)?;
        let Kind::Printf(text, values) = &printed.kind else { return Ok(printed) };
        let values = self.arena.list(&[&[stream], *values].concat());
        Ok(self.node(Kind::Print(text, values), printed.ty, printed.span))
    }

    /// The stream of `fprintf` and `fscanf` is a `FILE*`.
    fn check_file(&self, function: &str, stream: Expr<'t>) -> Result<()> {
        let to = self.types.pointee(stream.ty).and_then(|to| self.types.struct_of(to));
        if to.is_some_and(|at| self.types.structs[at].name == "FILE") {
            return Ok(());
        }
        let message = format!("`{function}` needs a `FILE*`, and this is a `{}`", self.show(stream.ty));
        Err(error(stream.span, message).with_help("give it `stdout`, `stderr`, or what `fopen` returned"))
    }
}
