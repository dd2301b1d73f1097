//! Calls: which function is meant, and what its arguments become.
//!
//! The steps are those of the standard: the functions of the name, those among them that the arguments can be converted
//! for, and the one whose conversions are best. Left out: partial ordering of templates by deduction, for which
//! [`Checker::specificity`] stands, and a function that is found both by its name and by its arguments' types.
//! Specification: C++17, [over.match], [over.ics.rank].
//!
//! ```text
//! f(int, float)    with f(1, 2.0):    exact, converted      worse in the second argument
//! f(long, double)                     converted, exact      worse in the first: ambiguous
//! f(int, double)                      exact, exact          better than both
//! ```

use super::Checker;
use super::convert::{EXACT, Rank};
use super::scope::{DeclaredId, Entity, ScopeId};
use super::typed::{Expr, FunctionId, Kind};
use super::types::{Argument, Type};
use crate::parse::tree::{self, ExprKind};
use crate::source::{Failed, Name, Result, Span, error, joined};

/// A function that could be meant.
pub(super) struct Candidate {
    pub declared: DeclaredId,
    /// Those of its template, deduced.
    pub arguments: Vec<Argument>,
    /// How good the conversion of each argument is, that of the object first.
    ranks: Vec<Rank>,
    /// How many parameters are `T&&`.
    rvalues: usize,
}

impl<'t> Checker<'_, 't> {
    /// What is called may be a name, a member, or any value.
    pub(super) fn call(
        &mut self,
        scope: ScopeId,
        callee: tree::Expr<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        match &callee.kind {
            ExprKind::Path(path) => {
                // Names of this compiler come first: no text may declare them, except `printf`.
                let part = match path.parts {
                    // `std` has the functions of C, too ([headers], paragraph 6).
                    [space, part] if space.is_global() || self.is_program && space.name.as_str() == "std" => {
                        Some(part)
                    }
                    [part] => Some(part),
                    _ => None,
                };
                if let Some(part) = part
                    && let Some(result) = self.intrinsic(scope, part, arguments, span)?
                {
                    return Ok(result);
                }
                if let Some(found) = self.by_arguments(scope, path, arguments, span)? {
                    return Ok(found);
                }
                let found = self.lookup(scope, path)?;
                let Entity::Functions(functions) = found else {
                    let callee = self.expr(scope, callee)?;
                    return self.call_value(scope, callee, arguments, span);
                };
                let Some(part) = path.parts.last() else { return Err(error(span, "expected a function")) };
                let explicit = self.explicit(scope, part)?;
                let arguments = self.arguments(scope, arguments)?;
                // A member function that is called by its name alone is called for `*this`.
                let is_method = functions.iter().any(|at| {
                    self.declared[*at].owner.is_some() && !self.declared[*at].function.storage.is_static
                });
                let this = if is_method { Some(self.this_place(span)?) } else { None };
                self.call_one_of(&functions, &explicit, this, &arguments, part.name.as_str(), span)
            }
            ExprKind::Member { base, is_arrow, part } => {
                #[cfg(feature = "host")]
                if part.name.as_str() == "~" {
                    let base = self.member_base(scope, base, *is_arrow, span)?;
                    return self.destroyed(base, span);
                }
                let base = self.member_base(scope, base, *is_arrow, span)?;
                self.method_call(scope, base, part, arguments, span)
            }
            _ => {
                let callee = self.expr(scope, callee)?;
                self.call_value(scope, callee, arguments, span)
            }
        }
    }

    /// A function that is found only in the namespaces of its arguments' types. C++17, [basic.lookup.argdep]. Only if
    /// nothing else has the name: where both find functions, C++ would choose among all.
    fn by_arguments(
        &mut self,
        scope: ScopeId,
        path: &tree::Path<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Option<Expr<'t>>> {
        let [part] = path.parts else { return Ok(None) };
        if self.scopes.find(scope, part.name).is_some() {
            return Ok(None);
        }
        let arguments = self.arguments(scope, arguments)?;
        for argument in &arguments {
            // The namespaces of what a pointer points to count, too.
            let ty = self.types.pointee(argument.ty).unwrap_or(argument.ty);
            let Some(at) = self.types.struct_of(ty) else { continue };
            let functions = self.functions_around(self.types.structs[at].scope, part.name);
            if !functions.is_empty() {
                let explicit = self.explicit(scope, part)?;
                return self
                    .call_one_of(&functions, &explicit, None, &arguments, part.name.as_str(), span)
                    .map(Some);
            }
        }
        Ok(None)
    }

    /// The functions of a name in the scope of a struct or in one around it, the members of structs left out.
    fn functions_around(&self, scope: ScopeId, name: Name<'t>) -> Vec<DeclaredId> {
        let mut around = Some(scope);
        while let Some(scope) = around {
            if let Some(Entity::Functions(functions)) = self.scopes.find_in(scope, name) {
                // Friends would count here as well; they are not supported.
                let free: Vec<DeclaredId> =
                    functions.iter().copied().filter(|id| self.declared[*id].owner.is_none()).collect();
                if !free.is_empty() {
                    return free;
                }
            }
            around = self.scopes.parent(scope);
        }
        Vec::new()
    }

    /// The arguments in angle brackets after a function's name; the rest is deduced.
    pub(super) fn explicit(&mut self, scope: ScopeId, part: &tree::Part<'t>) -> Result<Vec<Argument>> {
        match &part.arguments {
            Some(arguments) => self.template_arguments(scope, arguments),
            None => Ok(Vec::new()),
        }
    }

    /// The arguments of a call, places among them: a parameter that is a reference needs one.
    pub(super) fn arguments(&mut self, scope: ScopeId, written: &[tree::Expr<'t>]) -> Result<Vec<Expr<'t>>> {
        let mut arguments = Vec::with_capacity(written.len());
        for written in written {
            arguments.push(self.argument(scope, written)?);
        }
        Ok(arguments)
    }

    /// Calls an object, as lambdas are called. C++17, [over.call.object]; in host code, a pointer to a function, too.
    fn call_value(
        &mut self,
        scope: ScopeId,
        callee: Expr<'t>,
        arguments: &[tree::Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let mut arguments = self.arguments(scope, arguments)?;
        if self.types.struct_of(callee.ty).is_some() {
            let shown = self.show(callee.ty);
            // The object of the operator comes first.
            arguments.insert(0, callee);
            return match self.operator_call(scope, "()", &arguments, span)? {
                Some(result) => Ok(result),
                None => Err(error(span, format_args!("`{shown}` cannot be called"))),
            };
        }
        #[cfg(feature = "host")]
        if let Some(called) = self.call_pointer(callee, &arguments, span)? {
            return Ok(called);
        }
        let message = format!("this has the type `{}`, and cannot be called", self.show(callee.ty));
        Err(error(callee.span, message))
    }

    /// Picks one of several functions and calls it. `this` is the object if any of the functions is a method; a static
    /// one does without.
    pub(super) fn call_one_of(
        &mut self,
        functions: &[DeclaredId],
        explicit: &[Argument],
        this: Option<Expr<'t>>,
        arguments: &[Expr<'t>],
        name: &str,
        span: Span,
    ) -> Result<Expr<'t>> {
        let best = self.pick(functions, explicit, this, arguments, name, span)?;
        let is_static = self.declared[best.declared].function.storage.is_static;
        let id = self.callable(best.declared, &best.arguments, span)?;
        let this = this.filter(|_| self.declared[best.declared].owner.is_some() && !is_static);
        self.finish_call(best.declared, id, this, arguments, span)
    }

    /// The instance of a function, if a kernel may call it. CUDA programming guide, "Function Execution Space
    /// Specifiers". Methods and `constexpr` functions need no specifier here, where nvcc is stricter, and in a function
    /// that may run on both sides nothing is refused.
    fn callable(&mut self, declared: DeclaredId, arguments: &[Argument], span: Span) -> Result<FunctionId> {
        let function = self.declared[declared].function;
        let storage = function.storage;
        let name = &function.name;
        if storage.is_global {
            let message = format!("the kernel `{name}` cannot be called from device code");
            return Err(error(span, message).with_help("move what both need into a `__device__` function"));
        }
        let owner_is_plain = self.declared[declared].owner.is_some();
        let is_host =
            !storage.is_device && !storage.is_constexpr && !owner_is_plain && !self.declared[declared].is_own;
        let from_host = self.is_program && self.frames.last().is_none_or(|frame| !frame.is_device);
        // `decltype(f(x))` calls nothing.
        if is_host && self.unevaluated == 0 && !from_host {
            let message = format!("`{name}` is a function of the host, which device code cannot call");
            let problem = error(span, message);
            return Err(
                problem.with_help(format_args!("write `__device__` before the definition of `{name}`"))
            );
        }
        let is_for_device = storage.is_device && !storage.is_host && !self.declared[declared].is_own;
        if is_for_device && self.frames.last().is_some_and(|frame| frame.is_host) {
            let message = format!("`{name}` is a function of the device, which host code cannot call");
            return Err(error(span, message)
                .with_help(format_args!("write `__host__` before the definition of `{name}`")));
        }
        #[cfg(feature = "host")]
        self.warn_wait(name.as_str(), span);
        // Only now: a deleted function takes part in overload resolution.
        if function.is_deleted {
            return Err(error(span, format_args!("`{name}` is deleted and cannot be called")));
        }
        self.instance(declared, arguments, span)
    }

    /// The call of a function that has been chosen: arguments converted, defaults added.
    pub(super) fn finish_call(
        &mut self,
        declared: DeclaredId,
        id: FunctionId,
        this: Option<Expr<'t>>,
        arguments: &[Expr<'t>],
        span: Span,
    ) -> Result<Expr<'t>> {
        let function = self.declared[declared].function;
        let mut passed = Vec::with_capacity(arguments.len() + 1);
        if let Some(this) = this {
            // A method that is not `const` may change the object, so nothing is known of its value afterwards.
            let place = self.placed(this);
            if !function.is_const {
                self.mark_changed(place);
            }
            passed.push(place);
        }
        let first = passed.len();
        let count = arguments.len();
        // From the instance, whose parameters have no open types.
        let parameters: Vec<Type> = {
            let made = &self.program.functions[id];
            made.parameters.iter().skip(first).map(|var| made.vars[*var].ty).collect()
        };
        for (nth, argument) in arguments.iter().enumerate() {
            passed.push(self.passed_to(function.name.as_str(), nth, argument, parameters[nth])?);
        }
        for (nth, parameter) in parameters.iter().enumerate().skip(count) {
            let Some(tree::Init::Assign(default)) =
                function.parameters.get(nth).and_then(|p| p.init.as_ref())
            else {
                return Err(error(span, format_args!("`{}` needs more arguments", function.name)));
            };
            // A default argument means what it means at the declaration ([dcl.fct.default]).
            let arguments = self.declared[declared].instances.iter().find(|(_, known)| *known == id);
            let arguments = arguments.map_or(Vec::new(), |(arguments, _)| arguments.clone());
            let scope = self.bound_scope(declared, &arguments);
            let default = self.argument(scope, default)?;
            // For the line table it is where the call is.
            let default = self.at(default, span);
            passed.push(self.implicit(default, *parameter, &"a default argument")?);
        }
        let result = self.program.functions[id].result;
        let call = self.node(Kind::Call(id, self.arena.list(&passed)), result, span);
        Ok(self.dereferenced(call))
    }

    /// An argument of a function as a parameter takes it.
    fn passed_to(&mut self, name: &str, nth: usize, argument: Expr<'t>, parameter: Type) -> Result<Expr<'t>> {
        self.implicit(argument, parameter, &format_args!("argument {} of `{name}`", nth + 1))
    }

    /// A call that returns a reference is a place. The call itself becomes a pointer, as that is what `lower` returns.
    pub(super) fn dereferenced(&mut self, call: Expr<'t>) -> Expr<'t> {
        if !self.types.is_reference(call.ty) {
            return call;
        }
        let to = self.types.referred(call.ty);
        let (span, pointer) = (call.span, self.types.pointer(to));
        let place = self.node(Kind::Deref(self.as_type(call, pointer)), to, span);
        self.referred_place(place, call.ty)
    }

    /// The place that a reference without a name refers to. That of a `T&&` may be moved from ([expr.call], paragraph 11).
    pub(super) fn referred_place(&self, place: Expr<'t>, reference: Type) -> Expr<'t> {
        if self.types.is_rvalue(reference) {
            self.node(Kind::Temporary(place), place.ty, place.span)
        } else {
            place
        }
    }

    /// Overload resolution. If nothing fits, the message is about the only function, or about all.
    pub(super) fn pick(
        &mut self,
        functions: &[DeclaredId],
        explicit: &[Argument],
        this: Option<Expr<'t>>,
        arguments: &[Expr<'t>],
        name: &str,
        span: Span,
    ) -> Result<Candidate> {
        let mut candidates = Vec::new();
        let mut reason = None;
        for declared in functions {
            match self.candidate(*declared, explicit, this, arguments) {
                Ok(Some(candidate)) => candidates.push(candidate),
                Ok(None) => {}
                Err(problem) => reason = Some(problem),
            }
        }
        if candidates.is_empty() {
            // With one function only, what is wrong with its own types says more than that it does not fit.
            if let (Some(problem), [_]) = (reason, functions) {
                return Err(problem);
            }
            return Err(self.no_match(functions, arguments, name, span));
        }
        if let Some(at) = self.of_doubles(functions, &candidates, arguments) {
            return Ok(candidates.swap_remove(at));
        }
        // The best one has to be better than each other ([over.match.best]); two that are equal make the call
        // ambiguous.
        let best = (0..candidates.len()).find(|best| {
            (0..candidates.len())
                .all(|other| *best == other || self.is_better(&candidates[*best], &candidates[other]))
        });
        if let Some(best) = best {
            return Ok(candidates.swap_remove(best));
        }
        let types: Vec<String> =
            arguments.iter().map(|argument| format!("`{}`", self.show_argument_type(argument))).collect();
        let message = format!("several functions `{name}` fit {} equally well", joined(&types, " and "));
        Err(error(span, message).with_help("convert the arguments to one type"))
    }

    /// Whether a call of one of these methods would fit.
    pub(super) fn fits_one_of(
        &mut self,
        methods: &[DeclaredId],
        this: Expr<'t>,
        arguments: &[Expr<'t>],
    ) -> bool {
        methods
            .iter()
            .any(|method| matches!(self.candidate(*method, &[], Some(this), arguments), Ok(Some(_))))
    }

    /// C++17, [c.math], paragraph 3: of a function with a version for `float` and one for `double`, arguments of which one
    /// is no `float` mean the second.
    fn of_doubles(
        &mut self,
        functions: &[DeclaredId],
        candidates: &[Candidate],
        arguments: &[Expr<'t>],
    ) -> Option<usize> {
        let [_, _] = functions else { return None };
        let mut double = None;
        let mut versions = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let known = &self.declared[candidate.declared];
            if !known.is_own || known.function.template.is_some() || known.owner.is_some() {
                return None;
            }
            let parameters = self.signature(candidate.declared).ok()?.parameters;
            let is = |basic: tree::Basic| parameters.iter().any(|ty| self.types.basic_of(*ty) == Some(basic));
            if is(tree::Basic::Double) && !is(tree::Basic::Float) {
                double = Some(at);
            }
            versions.push(parameters);
        }
        let [one, other] = versions[..] else { return None };
        // The other parameters, such as the exponent of `ldexp`, have the same types.
        let differs = |(one, other): (&Type, &Type)| one != other;
        let all_float = one.iter().zip(other).zip(arguments).all(|(types, argument)| {
            !differs(types) || self.types.basic_of(argument.ty) == Some(tree::Basic::Float)
        });
        let is_pair = one
            .iter()
            .zip(other)
            .all(|types| !differs(types) || self.types.is_float(*types.0) && self.types.is_float(*types.1));
        double.filter(|_| is_pair && !all_float)
    }

    /// C++17, [over.match.best]: no conversion is worse and one is better, or else a function that is no template, or
    /// the template that is more specialised.
    fn is_better(&self, a: &Candidate, b: &Candidate) -> bool {
        // Both candidates have as many ranks, since both have one for each argument.
        let worse = a.ranks.iter().zip(&b.ranks).any(|(a, b)| a > b);
        let better = a.ranks.iter().zip(&b.ranks).any(|(a, b)| a < b);
        if worse || better {
            return !worse;
        }
        // What may be moved from is bound to `T&&` rather than to `const T&` ([over.ics.rank], paragraph 3.2.3).
        if a.rvalues != b.rvalues {
            return a.rvalues > b.rvalues;
        }
        let is_template =
            |candidate: &Candidate| self.declared[candidate.declared].function.template.is_some();
        // An exact function is preferred to a template that would give the same ([over.match.best], 1.6).
        if is_template(a) != is_template(b) {
            return is_template(b);
        }
        // The text's own functions hide this compiler's.
        let is_own = |candidate: &Candidate| self.declared[candidate.declared].is_own;
        if is_own(a) != is_own(b) {
            return is_own(b);
        }
        // Of two templates, the one that says more of its parameters.
        is_template(a) && self.specificity(a.declared) > self.specificity(b.declared)
    }

    /// How much a template's parameters say: how many pointers, arrays and arguments in brackets. It stands for the
    /// partial ordering of [temp.func.order] and agrees with it where one pattern is an instance of the other.
    fn specificity(&self, declared: DeclaredId) -> usize {
        fn depth(ty: tree::Type<'_>) -> usize {
            match &ty.kind {
                tree::TypeKind::Pointer(inner) | tree::TypeKind::Array(inner, _) => 1 + depth(inner),
                tree::TypeKind::Reference(inner) | tree::TypeKind::Rvalue(inner) => depth(inner),
                tree::TypeKind::Named(path) => {
                    path.parts.iter().filter(|part| part.arguments.is_some()).count()
                }
                _ => 0,
            }
        }
        self.declared[declared].function.parameters.iter().map(|parameter| depth(parameter.ty)).sum()
    }

    /// A function with the conversions of its arguments, if it fits. An error is one in the function's own types, and
    /// not a reason to stop.
    fn candidate(
        &mut self,
        declared: DeclaredId,
        explicit: &[Argument],
        this: Option<Expr<'t>>,
        arguments: &[Expr<'t>],
    ) -> Result<Option<Candidate>> {
        let function = self.declared[declared].function;
        // Parameters with defaults are the last ones, so those without are the first `required`.
        let required = function.parameters.iter().filter(|parameter| parameter.init.is_none()).count();
        if arguments.len() < required || arguments.len() > function.parameters.len() {
            return Ok(None);
        }
        // Only templates take arguments in brackets.
        if function.template.is_none() && !explicit.is_empty() {
            return Ok(None);
        }
        // A template becomes a candidate with its arguments deduced; nothing of its body is looked at.
        let (deduced, signature) = if function.template.is_some() {
            let Some(deduced) = self.deduce(declared, explicit, arguments)? else { return Ok(None) };
            let signature = self.instance_signature(declared, &deduced)?;
            (deduced, signature)
        } else {
            (Vec::new(), self.signature(declared)?)
        };
        let mut ranks = Vec::with_capacity(arguments.len() + 1);
        if let Some(this) = this
            && !function.storage.is_static
        {
            // C++17, [over.match.funcs]: the object is an argument for a parameter `T&` or `const T&`.
            if this.ty.is_const() && !function.is_const && !function.is_constructor {
                return Ok(None);
            }
            ranks.push(if function.is_const && !this.ty.is_const() { EXACT + 1 } else { EXACT });
        }
        for (argument, parameter) in arguments.iter().zip(signature.parameters) {
            let Some(rank) = self.rank(argument, *parameter) else { return Ok(None) };
            ranks.push(rank);
        }
        let passed = signature.parameters.iter().take(arguments.len());
        let rvalues = passed.filter(|ty| self.types.is_rvalue(**ty)).count();
        Ok(Some(Candidate { declared, arguments: deduced, ranks, rvalues }))
    }

    /// The error for a call that the only function does not fit, or none of several.
    fn no_match(
        &mut self,
        functions: &[DeclaredId],
        arguments: &[Expr<'t>],
        name: &str,
        span: Span,
    ) -> Failed {
        let [only] = functions else { return self.no_overload(functions, arguments, name, span) };
        let function = self.declared[*only].function;
        let required = function.parameters.iter().filter(|parameter| parameter.init.is_none()).count();
        if arguments.len() < required || arguments.len() > function.parameters.len() {
            let most = function.parameters.len();
            let wanted = counted(required, most);
            let s = if wanted == "1" { "" } else { "s" };
            let message = format!("`{name}` takes {wanted} argument{s}, not {}", arguments.len());
            return error(span, message).with_help(parameters_of(function));
        }
        if function.template.is_none()
            && let Ok(signature) = self.signature(*only)
        {
            // The conversion that failed is tried again, this time for its message.
            for (nth, (argument, parameter)) in arguments.iter().zip(signature.parameters).enumerate() {
                if let Err(problem) = self.passed_to(name, nth, argument, *parameter) {
                    return problem;
                }
            }
            return error(span, format_args!("`{name}` changes its object, which is `const` here"));
        }
        error(span, format_args!("the arguments of `{name}` do not determine its template parameters"))
    }

    /// The error for a call that none of several functions fits.
    fn no_overload(
        &mut self,
        functions: &[DeclaredId],
        arguments: &[Expr<'t>],
        name: &str,
        span: Span,
    ) -> Failed {
        let candidates: Vec<_> = functions.iter().map(|at| self.declared[*at].function).collect();
        let counts = candidates.iter().map(|function| function.parameters.len());
        let required = candidates
            .iter()
            .map(|function| function.parameters.iter().filter(|parameter| parameter.init.is_none()).count());
        let (least, most) = (required.min().unwrap_or(0), counts.max().unwrap_or(0));
        if !(least..=most).contains(&arguments.len()) {
            let wanted = counted(least, most);
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            let problem = error(span, message);
            return match candidates.iter().find(|function| function.parameters.len() == most) {
                Some(function) => problem.with_help(parameters_of(function)),
                None => problem,
            };
        }
        // If all but one of the arguments fit a function, what is wrong with that one says most.
        for declared in functions {
            let Ok(signature) = self.signature(*declared) else { continue };
            let is_template = self.declared[*declared].function.template.is_some();
            if is_template || signature.parameters.len() != arguments.len() {
                continue;
            }
            let mut problems = Vec::new();
            for (nth, (argument, parameter)) in arguments.iter().zip(signature.parameters).enumerate() {
                problems.extend(self.passed_to(name, nth, argument, *parameter).err().map(Failed::problem));
            }
            if let [problem] = &problems[..]
                // Only a help that says what to write is worth more than the list of types.
                && problem.help.as_ref().is_some_and(|help| help.starts_with("write `"))
            {
                return problems.remove(0).put_aside();
            }
        }
        let types: Vec<String> = arguments.iter().map(|argument| self.show_argument_type(argument)).collect();
        error(span, format_args!("no function `{name}` takes `({})`", joined(&types, ", ")))
    }

    pub(super) fn this(&mut self, span: Span) -> Result<Expr<'t>> {
        let place = self.this_place(span)?;
        let ty = self.types.pointer(place.ty);
        Ok(self.node(Kind::AddressOf(place), ty, span))
    }
}

/// How many arguments a function takes.
fn counted(least: usize, most: usize) -> String {
    match most - least {
        0 => most.to_string(),
        1 => format!("{least} or {most}"),
        _ => format!("{least} to {most}"),
    }
}

/// The names of a function's parameters, for a help.
fn parameters_of(function: &tree::Function<'_>) -> String {
    let name = |parameter: &tree::Variable| {
        let optional = if parameter.init.is_some() { " (optional)" } else { "" };
        format!("`{}`{optional}", parameter.name)
    };
    let names: Vec<String> = function.parameters.iter().map(name).collect();
    format!("its parameters are {}", joined(&names, ", "))
}
