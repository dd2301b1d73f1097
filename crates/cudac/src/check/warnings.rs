//! Warnings: code that can be compiled, and most likely does not do what it should. What takes the paths through a kernel is in
//! [`crate::code`]: variables that are read before anything is stored in them.
//!
//! Each is about what is wrong in almost every program where it occurs, and says what to write instead.
//!
//! ```text
//! x << 40;                    a shift by more than 31 of an `int`
//! float f = 1 / n;            rounded before it becomes a `float`
//! int a[4];  a[4] = 1;        outside of the array
//! n / 0;                      divides by zero
//! u < 0;  with unsigned u     always false
//! printf("%d");               takes a value and gets none
//! cudaDeviceSynchronize();    in a kernel, where CUDA has not had it since version 12
//! x == 1;                     compares, and nobody looks at the result
//! ```

use super::Checker;
use super::scope::{Entity, ScopeId};
use super::typed::{Binary, Compare, Constant, Expr, FunctionId, Kind, Space, Stmt, StmtKind};
use super::types::{Shape, Type};
use crate::Bug;
use crate::parse::tree::{self, ExprKind};
use crate::source::{Name, Span};

impl<'t> Checker<'_, 't> {
    /// Threads then share nothing, although it looks as if they did.
    pub(super) fn warn_shadow(&mut self, scope: ScopeId, variable: &tree::Variable<'t>) {
        let Some(parent) = self.scopes.parent(scope) else { return };
        let Some(Entity::Global(outer)) = self.scopes.find(parent, variable.name) else { return };
        let global = &self.program.globals[*outer];
        if global.space == Space::Shared && variable.span.is_users() {
            let message = format!("`{}` hides the `__shared__` variable of the same name", variable.name);
            self.sink.warn(variable.span, message, "give one of them another name");
        }
    }

    /// What an expression whose value is not used does, if it does nothing.
    pub(super) fn warn_unused(&mut self, value: Expr<'t>) {
        let what = match &value.kind {
            Kind::Compare(..) => "this compares, and the result is not used",
            Kind::Binary(..) => "the result of this is not used",
            _ => return,
        };
        if value.span.is_users() && !self.frames.last().is_some_and(|frame| frame.is_own) {
            let help = if matches!(value.kind, Kind::Compare(..)) { "write `=` to assign" } else { "" };
            self.sink.warn(value.span, what, help);
        }
    }

    /// A kernel that waits for the kernels that it has launched. CUDA programming guide, "CUDA Dynamic Parallelism": that ended
    /// with compute capability 9.0, and NVCC 13 refuses it for all.
    #[cfg(feature = "host")]
    pub(super) fn warn_wait(&mut self, name: &str, span: Span) {
        if name == "cudaDeviceSynchronize" && self.frames.last().is_some_and(|frame| frame.is_device) {
            let message =
                "kernels cannot wait for the kernels that they launch: since CUDA 13 this does not compile";
            let help = "launch what comes after them into `cudaStreamTailLaunch`, or from the host";
            self.sink.warn(span, message, help);
        }
    }

    /// A shift by at least as many bits as there are. C++17, [expr.shift]. Small types are promoted first, hence at
    /// least 32 bits.
    pub(super) fn warn_shift(&mut self, ty: Type, count: Expr<'t>) {
        let bits = 8 * self.types.size(ty).max(4) as i64;
        if let Some(Constant::Integer(value)) = self.evaluate(count)
            && !(0..bits).contains(&value)
        {
            let message = format!("a shift by {value} is undefined for a value of {bits} bits");
            self.sink.warn(count.span, message, &format!("a shift is from 0 to {}", bits - 1));
        }
    }

    /// A quotient of integers that only then becomes a floating-point number. What the division loses is hardly ever meant if the
    /// dividend is a number.
    pub(super) fn warn_quotient(&mut self, value: Expr<'t>, to: Type) {
        let Kind::Binary(Binary::Div, dividend, divisor) = value.kind else { return };
        // `1 / n` is a mistake; `a / b` of two variables is often meant.
        let Kind::Integer(number) = dividend.kind else { return };
        // Nothing is lost if the division has no remainder.
        let is_exact = match self.evaluate(divisor) {
            Some(Constant::Integer(by)) => number.checked_rem(by).is_none_or(|rest| rest == 0),
            _ => number == 0,
        };
        // Of 64 bits without a sign, the large numbers are negative here.
        let is_known = number >= 0 && !is_exact;
        if !is_known || !self.types.is_float(to) || self.frames.last().is_some_and(|frame| frame.is_own) {
            return;
        }
        let suffix = if self.types.size(to) == 4 { "f" } else { "" };
        let message = format!("a quotient of integers is rounded before it becomes a `{}`", self.show(to));
        self.sink.warn_of(
            Some(Bug::RoundedQuotient),
            value.span,
            message,
            &format!("write `{number}.0{suffix}` in place of `{number}`"),
        );
    }

    /// An index that no element has.
    pub(super) fn warn_index(&mut self, index: Expr<'t>, length: Option<u64>) {
        let (Some(length), Some(Constant::Integer(value))) = (length, self.evaluate(index)) else { return };
        if self.frames.last().is_some_and(|frame| frame.is_own) {
            return;
        }
        // The place after the last element has an address, but no value.
        if value < 0 || value as u64 > length {
            let message = format!("the index {value} is outside of the array, which has {length} elements");
            self.sink.warn(index.span, message, "");
        }
    }

    /// The value of the place after the last element of an array. `&a[n]` is an address that is often wanted, so this
    /// asks only where the value is read or stored.
    pub(super) fn warn_past_end(&mut self, place: Expr<'t>) {
        if let Kind::Element(base, index) = &place.kind
            && let Shape::Array(_, Some(length)) = self.types.shape(base.ty)
            && self.evaluate(index) == Some(Constant::Integer(length as i64))
            && !self.frames.last().is_some_and(|frame| frame.is_own)
        {
            let message = format!("the index {length} is outside of the array, which has {length} elements");
            self.sink.warn(index.span, message, &format!("the last element has the index {}", length - 1));
        }
    }

    /// A division of integers by zero.
    pub(super) fn warn_division(&mut self, op: Binary, ty: Type, right: Expr<'t>) {
        if matches!(op, Binary::Div | Binary::Rem)
            && self.types.is_integral(ty)
            && self.evaluate(right) == Some(Constant::Integer(0))
        {
            self.sink.warn(right.span, "this divides by zero", "");
        }
    }

    /// A comparison of unsigned numbers that has the same result for all of them, or that makes a negative number a large one.
    pub(super) fn warn_compare(&mut self, op: Compare, left: Expr<'t>, right: Expr<'t>, ty: Type) {
        let is_own = self.frames.last().is_some_and(|frame| frame.is_own);
        if is_own || !self.types.is_integral(ty) || !self.types.is_unsigned(ty) {
            return;
        }
        // Either side may be the constant.
        for (value, is_left) in [(left, true), (right, false)] {
            let Some(Constant::Integer(number)) = self.evaluate(value) else { continue };
            // The other side made the common type unsigned ([expr], usual arithmetic conversions).
            if number < 0 && !self.types.is_unsigned(value.ty) {
                let bits = 8 * self.types.size(ty);
                let large = if bits == 64 { number as u64 } else { number as u64 & ((1 << bits) - 1) };
                let message = format!("{number} is compared as an unsigned number, and becomes {large}");
                self.sink.warn(value.span, message, "write `(int)` before the unsigned number");
            }
            let holds = match (op, is_left) {
                (Compare::Lt, false) | (Compare::Gt, true) => "false",
                (Compare::Ge, false) | (Compare::Le, true) => "true",
                _ => continue,
            };
            if number == 0 {
                let message =
                    format!("this is always {holds}, because an unsigned number is never less than 0");
                self.sink.warn(left.span.to(right.span), message, "");
            }
        }
    }

    /// A format that takes another number of values than there are. Flags, widths and lengths are skipped; a `*` takes
    /// a value itself.
    pub(super) fn warn_printf(&mut self, format: &[u8], values: &[Expr<'t>], span: Span) {
        let mut wanted = 0;
        let mut bytes = format.iter().peekable();
        while let Some(byte) = bytes.next() {
            if *byte != b'%' {
                continue;
            }
            if bytes.peek() == Some(&&b'%') {
                bytes.next();
                continue;
            }
            wanted += 1;
            while let Some(next) = bytes.next_if(|next| !next.is_ascii_alphabetic() && **next != b'%') {
                wanted += usize::from(*next == b'*');
            }
        }
        if wanted != values.len() {
            let plural = if wanted == 1 { "" } else { "s" };
            let message =
                format!("the text of `printf` takes {wanted} value{plural}, but gets {}", values.len());
            self.sink.warn(span, message, "");
        }
    }

    /// A function that should return a value and may not. C++17, [stmt.return]: flowing off the end is undefined. After
    /// an error elsewhere the body may be incomplete.
    pub(super) fn warn_function(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        let is_constructor = self.types.is_void(function.result);
        if self.sink.failed() || is_constructor || !function.span.is_users() || ends(function.body) {
            return;
        }
        let message = format!("`{}` does not return a value on every path", function.name);
        let span = function.span;
        self.sink.warn(span, message, "add a `return` at its end");
    }
}

/// Whether the end of these statements is never reached. A loop without an end that nothing leaves is one; so is a
/// `switch` with a `default` whose last arm ends.
fn ends(statements: &[Stmt<'_>]) -> bool {
    statements.last().is_some_and(|last| match &last.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(inner) => ends(inner),
        StmtKind::If(_, then, otherwise) => ends(then) && ends(otherwise),
        StmtKind::Loop(inner) => match &inner.condition {
            None => !leaves(inner.body),
            Some(condition) => matches!(condition.kind, Kind::Integer(1)) && !leaves(inner.body),
        },
        StmtKind::Switch(inner) => {
            let has_default = inner.arms.iter().any(|arm| arm.labels.contains(&None));
            has_default
                && inner.arms.last().is_some_and(|arm| ends(arm.body))
                && !inner.arms.iter().any(|arm| leaves(arm.body))
        }
        // `trap` and `exit` do not come back.
        StmtKind::Asm(asm) => asm.text.contains("trap") || asm.text.contains("exit"),
        _ => false,
    })
}

/// Whether a `break` of this loop is among the statements. Those in inner loops and `switch`es leave only these.
fn leaves(statements: &[Stmt<'_>]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(inner) => leaves(inner),
        StmtKind::If(_, then, otherwise) => leaves(then) || leaves(otherwise),
        _ => false,
    })
}

/// Calls `each` for every name that a statement's expressions use, `this` among them. For what a lambda captures. It works on the untyped
/// tree, since the body has no types before its captures are known.
pub(super) fn names_of<'t>(statement: tree::Stmt<'t>, each: &mut dyn FnMut(Name<'t>)) {
    use tree::StmtKind as S;
    let mut expr = |value: tree::Expr<'t>| names_in(value, each);
    match &statement.kind {
        S::Empty | S::Break | S::Continue | S::Default | S::Goto(_) | S::Label(_) => {}
        S::Declaration(declaration) => names_of_declaration(declaration, each),
        S::Expr(value) | S::Case(value) => expr(value),
        // The names that are declared are no uses; those in their initialisers are.
        S::Variables(variables) => names_of_variables(variables, each),
        S::Block(inner) => inner.iter().for_each(|inner| names_of(inner, each)),
        S::If { condition, then, otherwise, .. } => {
            expr(condition);
            names_of(then, each);
            if let Some(otherwise) = otherwise {
                names_of(otherwise, each);
            }
        }
        S::For { init, condition, step, body, .. } => {
            condition.iter().chain(step).for_each(|value| expr(value));
            if let Some(init) = init {
                names_of(init, each);
            }
            names_of(body, each);
        }
        S::RangeFor { range, body, .. } => {
            expr(range);
            names_of(body, each);
        }
        S::While { condition, body, .. } | S::DoWhile { body, condition } => {
            expr(condition);
            names_of(body, each);
        }
        S::Switch { value, body } => {
            expr(value);
            names_of(body, each);
        }
        S::Return(value) => value.iter().for_each(|value| expr(value)),
        S::Asm(asm) => asm.outputs.iter().chain(asm.inputs).for_each(|operand| expr(operand.value)),
    }
}

fn names_of_variables<'t>(variables: &[tree::Variable<'t>], each: &mut dyn FnMut(Name<'t>)) {
    for variable in variables {
        variable.init.iter().flat_map(crate::parse::values).for_each(|value| names_in(value, each));
    }
}

/// Of variables that are declared with their type. A type's own functions capture nothing.
fn names_of_declaration<'t>(declaration: &tree::Declaration<'t>, each: &mut dyn FnMut(Name<'t>)) {
    match declaration {
        tree::Declaration::Variables(variables) => names_of_variables(variables, each),
        tree::Declaration::Group(group) => group.iter().for_each(|inner| names_of_declaration(inner, each)),
        _ => {}
    }
}

fn names_in<'t>(value: tree::Expr<'t>, each: &mut dyn FnMut(Name<'t>)) {
    match &value.kind {
        ExprKind::Path(path) => {
            if let [part] = path.parts {
                each(part.name);
            }
        }
        ExprKind::This(name) => each(*name),
        #[cfg(feature = "host")]
        ExprKind::Launch { kernel, shape, arguments } => {
            std::iter::once(kernel).chain(*shape).chain(*arguments).for_each(|value| names_in(value, each));
        }
        #[cfg(feature = "host")]
        ExprKind::New(memory, _, init) => {
            std::iter::once(*memory)
                .chain(init.iter().flat_map(crate::parse::values).copied())
                .for_each(|value| names_in(value, each));
        }
        ExprKind::Prefix(_, a)
        | ExprKind::Postfix(_, a)
        | ExprKind::Member { base: a, .. }
        | ExprKind::Cast(_, _, a)
        | ExprKind::SizeOf(a) => names_in(a, each),
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => {
            names_in(a, each);
            names_in(b, each);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|value| names_in(value, each)),
        ExprKind::Call(callee, arguments) => {
            names_in(callee, each);
            for argument in *arguments {
                names_in(argument, each);
            }
        }
        ExprKind::Construct(_, values, _) | ExprKind::List(values) => {
            for value in *values {
                names_in(value, each);
            }
        }
        ExprKind::Lambda(lambda) => {
            for (name, _, init, _) in lambda.captures {
                match init {
                    Some(init) => names_in(init, each),
                    None => each(*name),
                }
            }
            if let Some(body) = &lambda.function.body {
                names_of(body, each);
            }
        }
        _ => {}
    }
}
