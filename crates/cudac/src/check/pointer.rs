//! Pointers to functions, which only host code has: their values, calls and launches through them.
//!
//! A function's name is its address as soon as it is not called ([conv.func]); `*p` and `p` can both be called
//! ([expr.call]). Left out: the address of one of several functions of a name ([over.over]), and of a function of the
//! executor, which has no code to point to.
//!
//! ```text
//! float (*f)(float) = &twice;     FunctionAddress(twice)
//! f(2);  (*f)(2);                 CallPointer(Load(f), [2])
//! void (*k)(int*) = kernel;       makes `kernel` a kernel of the program
//! k<<<1, 32>>>(p);                LaunchPointer(Load(k), …)
//! ```

use super::Checker;
use super::scope::{DeclaredId, ScopeId};
use super::typed::{Expr, Kind};
use super::types::{Shape, Type};
use crate::parse::tree;
use crate::source::{Result, Span, error, unsupported};

impl<'t> Checker<'_, 't> {
    /// Whether what is being checked may be host code.
    pub(super) fn in_host_code(&self) -> bool {
        self.frames.last().is_none_or(|frame| !frame.is_device)
    }

    /// The address of the function that a path names. Of a template, all arguments have to be written.
    pub(super) fn function_value(
        &mut self,
        scope: ScopeId,
        path: &tree::Path<'t>,
        functions: &[DeclaredId],
    ) -> Result<Expr<'t>> {
        let Some(part) = path.parts.last() else { return Err(error(path.span, "expected a function")) };
        let explicit = self.explicit(scope, part)?;
        let fits = |at: &&DeclaredId| {
            let template = self.declared[**at].function.template;
            template.map_or(0, <[_]>::len) == explicit.len()
        };
        let found: Vec<DeclaredId> = functions.iter().filter(fits).copied().collect();
        let [only] = found[..] else {
            let message =
                format!("`{}` names several functions or a template, so it has no address", part.name);
            return Err(error(path.span, message).with_help("give all arguments of the template"));
        };
        let id = self.instance(only, &explicit, path.span)?;
        let storage = self.declared[only].function.storage;
        // A kernel whose address is taken may be launched through it.
        if storage.is_global && !self.program.kernels.contains(&id) {
            self.program.kernels.push(id);
        }
        let made = &self.program.functions[id];
        if made.is_external {
            return Err(unsupported(path.span, format_args!("the address of `{}`", part.name)));
        }
        let parameters = made.parameters.iter().map(|var| made.vars[*var].ty.plain()).collect();
        let result = made.result;
        let ty = self.types.function(result, parameters);
        let ty = self.types.pointer(ty);
        Ok(self.node(Kind::FunctionAddress(id), ty, path.span))
    }

    /// The type of the function that a value is or points to, and the pointer.
    fn pointed(&mut self, callee: Expr<'t>) -> Option<(usize, Expr<'t>)> {
        // `(*p)(x)`: the function is never loaded.
        if let (Shape::Function(at), Kind::Deref(pointer)) = (self.types.shape(callee.ty), &callee.kind) {
            return Some((at, *pointer));
        }
        match self.types.shape(self.types.pointee(callee.ty)?) {
            Shape::Function(at) => Some((at, self.value(callee))),
            _ => None,
        }
    }

    /// A call through a pointer, if the callee is one.
    pub(super) fn call_pointer(
        &mut self,
        callee: Expr<'t>,
        arguments: &[Expr<'t>],
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        let Some((at, pointer)) = self.pointed(callee) else { return Ok(None) };
        let (result, parameters) = self.types.functions[at].clone();
        let arguments = self.passed(&parameters, arguments, span)?;
        let call = self.node(Kind::CallPointer(pointer, self.arena.list(&arguments)), result, span);
        Ok(Some(self.dereferenced(call)))
    }

    /// The arguments, converted; a pointer's type knows no defaults.
    fn passed(&mut self, parameters: &[Type], arguments: &[Expr<'t>], span: Span) -> Result<Vec<Expr<'t>>> {
        if parameters.len() != arguments.len() {
            let (wanted, found) = (parameters.len(), arguments.len());
            let message = format!("this function takes {wanted} arguments, not {found}");
            return Err(error(span, message));
        }
        let pairs = arguments.iter().zip(parameters).enumerate();
        pairs
            .map(|(nth, (argument, ty))| self.implicit(argument, *ty, &format_args!("argument {}", nth + 1)))
            .collect()
    }

    /// `pointer<<<grid, block>>>(a)`
    pub(super) fn launch_pointer(
        &mut self,
        scope: ScopeId,
        kernel: tree::Expr<'t>,
        shape: &[tree::Expr<'t>],
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let callee = self.expr(scope, kernel)?;
        let Some((at, pointer)) = self.pointed(callee) else {
            return Err(error(kernel.span, "this is no kernel, so it cannot be launched"));
        };
        let parameters = self.types.functions[at].1.clone();
        let shape = self.shape(scope, shape, span)?;
        let arguments = self.arguments(scope, arguments)?;
        let arguments = self.passed(&parameters, &arguments, span)?;
        let void = self.types.void();
        Ok(self.node(Kind::LaunchPointer(pointer, shape, self.arena.list(&arguments)), void, span))
    }
}
