//! Operators on numbers, pointers and structs.
//!
//! An operator for a struct is a function of the text, which is looked for first (`member`). All others are nodes, with
//! operands converted to one type. Left out: an operator of the text for enumerations, `operator&`, and `<=>`.
//! Specification: C++17, [expr.unary] to [expr.ass], [over.oper].
//!
//! ```text
//! char + short        int            small integers are promoted
//! int + unsigned      unsigned       the unsigned type wins if it is as wide,
//! long + unsigned     long           and loses if the other one has all of its values
//! int * float         float
//! char << long        int            a shift has the type of its left side
//! ```

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Binary, Compare, Expr, Kind};
use super::types::{Shape, Type};
use crate::parse::tree;
use crate::source::{Failed, Result, Span, error};

impl<'t> Checker<'_, 't> {
    pub(super) fn prefix(
        &mut self,
        scope: ScopeId,
        operator: &str,
        inner: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        #[cfg(feature = "host")]
        if operator == "&"
            && let Some(place) = self.constant_place(scope, inner)?
        {
            return self.address_of(place, span);
        }
        let inner = self.expr(scope, inner)?;
        if self.types.struct_of(inner.ty).is_some()
            && operator != "&"
            && let Some(result) = self.operator_call(scope, operator, &[inner], span)?
        {
            return Ok(result);
        }
        match operator {
            "*" => self.deref(inner, span),
            "&" => self.address_of(inner, span),
            "++" | "--" => self.step(inner, operator == "--", false, span),
            // Pointers, and objects that convert to `bool`, may be negated like truth values.
            "!" => {
                let value = self.condition(inner)?;
                let ty = self.types.bool();
                Ok(self.node(Kind::Not(value), ty, span))
            }
            _ => {
                let value = self.number_of(inner)?;
                // `~` of a `float` has no meaning; `-` of a pointer neither.
                let is_fitting = if operator == "~" {
                    self.types.is_integral(value.ty)
                } else {
                    self.types.is_arithmetic(value.ty)
                };
                if !is_fitting {
                    let message = format!("`{operator}` cannot be applied to `{}`", self.show(value.ty));
                    return Err(error(span, message));
                }
                let value = self.promote(value);
                let ty = value.ty;
                // A negative number is a constant at once; the grammar has none ([lex.icon]).
                let kind = match (operator, &value.kind) {
                    ("-", Kind::Integer(number)) => {
                        Kind::Integer(super::constant::wrap(&self.types, ty, number.wrapping_neg()))
                    }
                    ("-", Kind::Float(number)) => Kind::Float(-number),
                    ("-", _) => Kind::Negate(value),
                    ("~", _) => Kind::Complement(value),
                    _ => return Ok(value),
                };
                Ok(self.node(kind, ty, span))
            }
        }
    }

    /// C++17, [expr.unary.op].
    fn deref(&mut self, inner: Expr<'t>, span: Span) -> Result<Expr<'t>> {
        let value = self.value(inner);
        let Some(to) = self.types.pointee(value.ty) else {
            let message = format!("`*` needs a pointer, but this has the type `{}`", self.show(value.ty));
            return Err(error(span, message));
        };
        if self.types.is_void(to) {
            return Err(error(span, "a `void*` points to bytes of no type; convert it first"));
        }
        Ok(self.node(Kind::Deref(value), to, span))
    }

    fn address_of(&mut self, inner: Expr<'t>, span: Span) -> Result<Expr<'t>> {
        #[cfg(feature = "host")]
        // `&f` and `f` are the same pointer ([conv.func]).
        if let Kind::FunctionAddress(_) = inner.kind {
            return Ok(inner);
        }
        // A value, such as the result of a call, is in no memory that would outlive the expression.
        if !inner.is_place() {
            return Err(error(span, "`&` needs a variable; this value has no address"));
        }
        // From here on anybody may store to it.
        self.mark_changed(inner);
        let ty = self.types.pointer(inner.ty);
        Ok(self.node(Kind::AddressOf(inner), ty, span))
    }

    /// `x++` and `x--`. Of a struct, it is an operator with one more argument, an unused `int` ([over.inc]).
    pub(super) fn postfix(
        &mut self,
        scope: ScopeId,
        operator: &str,
        inner: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let inner = self.expr(scope, inner)?;
        if self.types.struct_of(inner.ty).is_some() {
            let ty = self.types.int();
            let zero = self.node(Kind::Integer(0), ty, span);
            if let Some(result) = self.operator_call(scope, operator, &[inner, zero], span)? {
                return Ok(result);
            }
        }
        self.step(inner, operator == "--", true, span)
    }

    /// C++17, [expr.pre.incr] and [expr.post.incr]: the first is the place, the second the value that it had.
    fn step(&mut self, place: Expr<'t>, is_down: bool, is_post: bool, span: Span) -> Result<Expr<'t>> {
        self.changeable(place)?;
        let is_number = self.types.is_arithmetic(place.ty) && !self.types.is_bool(place.ty);
        // C++17, [expr.pre.incr]: not a `bool` either; and no integer becomes an enumeration by itself.
        if self.is_enumeration(place.ty) || !is_number && !self.types.is_pointer(place.ty) {
            let message = format!("`{}` cannot be counted up or down", self.show(place.ty));
            return Err(error(span, message));
        }
        self.mark_changed(place);
        // The old value is a value, and has no qualifiers.
        let ty = if is_post { place.ty.plain() } else { place.ty };
        Ok(self.node(Kind::Step { place, is_down, is_post }, ty, span))
    }

    fn is_enumeration(&self, ty: Type) -> bool {
        matches!(self.types.shape(ty), Shape::Enum(_))
    }

    /// A place that may be stored to. An error says why not.
    fn changeable(&mut self, place: Expr<'t>) -> Result<()> {
        self.warn_past_end(place);
        let text = self.files.text(place.span);
        if !place.is_place() || matches!(place.kind, Kind::Temporary(_)) {
            return Err(error(place.span, format_args!("`{text}` is a value and cannot be assigned to")));
        }
        if place.ty.is_const() {
            return Err(error(place.span, format_args!("`{text}` is `const` and cannot be changed")));
        }
        if self.types.is_array(place.ty) {
            return Err(error(place.span, format_args!("the array `{text}` cannot be assigned as a whole"))
                .with_help("assign its elements, as in `a[0] = …`"));
        }
        Ok(())
    }

    /// C++17, [expr.ass]. `a += b` is a node of its own and not `a = a + b`, because `a` is evaluated once.
    pub(super) fn assign(
        &mut self,
        scope: ScopeId,
        operator: &'static str,
        left: tree::Expr<'t>,
        right: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let place = self.expr(scope, left)?;
        let is_struct = self.types.struct_of(place.ty).is_some();
        if let (tree::ExprKind::List(items), "=") = (&right.kind, operator) {
            self.changeable(place)?;
            // A list is converted to the type of the place: `p = {1, 2}` ([expr.ass], paragraph 9).
            let value = if is_struct {
                self.struct_from(scope, place.ty, items, true, right.span)?
            } else {
                self.list_value(scope, place.ty, items, right.span)?
            };
            if is_struct
                && self.has_assignment(place.ty)
                && let Some(result) = self.operator_call(scope, operator, &[place, value], span)?
            {
                return Ok(result);
            }
            return Ok(self.assignment(place, value, span));
        }
        let right = self.expr(scope, right)?;
        // Assigning a struct to one of the same type copies its bytes, unless the text has its own operator for that.
        if is_struct
            && !(operator == "=" && right.ty.same(place.ty) && !self.has_assignment(place.ty))
            && let Some(result) = self.operator_call(scope, operator, &[place, right], span)?
        {
            return Ok(result);
        }
        self.changeable(place)?;
        if operator == "=" {
            // Assigning constructs nothing: without an operator it copies bytes, whatever constructors there are.
            let value = if is_struct && right.ty.same(place.ty) {
                self.value(right)
            } else {
                self.implicit(right, place.ty.plain(), &"the value")?
            };
            return Ok(self.assignment(place, value, span));
        }
        let value = self.number_of(right)?;
        // The operator without its `=`.
        let op = binary_operator(&operator[..operator.len() - 1]);
        let Some(op) = op else {
            return Err(error(span, format_args!("`{operator}` is not supported here")));
        };
        // `p += n` counts in elements, which `lower` knows from the type of the place.
        if self.types.is_pointer(place.ty) {
            if !matches!(op, Binary::Add | Binary::Sub) || !self.types.is_integral(value.ty) {
                return Err(self.no_operator(operator, place.ty, value.ty, span));
            }
            self.mark_changed(place);
            let (ty, computed_as) = (place.ty, value.ty);
            let kind = Kind::Update { op, place, value, computed_as };
            return Ok(self.node(kind, ty, span));
        }
        self.check_operands(operator, op, place.ty, value.ty, span)?;
        if self.is_enumeration(place.ty) {
            return Err(self.no_operator(operator, place.ty, value.ty, span));
        }
        // The type of a shift is that of its left side alone ([expr.shift]).
        let computed_as = if matches!(op, Binary::Shl | Binary::Shr) {
            self.warn_shift(place.ty, value);
            self.common(place.ty, place.ty)
        } else {
            self.common(place.ty, value.ty)
        };
        let computed_as = computed_as.unwrap_or(place.ty);
        self.warn_division(op, computed_as, value);
        let value = if matches!(op, Binary::Shl | Binary::Shr) {
            self.promote(value)
        } else {
            self.converted(value, computed_as)
        };
        self.mark_changed(place);
        let ty = place.ty;
        let kind = Kind::Update { op, place, value, computed_as };
        Ok(self.node(kind, ty, span))
    }

    /// An assignment of a value that has the type of the place.
    pub(super) fn assignment(&mut self, place: Expr<'t>, value: Expr<'t>, span: Span) -> Expr<'t> {
        self.mark_changed(place);
        let ty = place.ty;
        // A new object ends after its bytes have been copied.
        #[cfg(feature = "host")]
        let value = if self.needs(ty).end && !value.is_place() && !matches!(value.kind, Kind::Load(_)) {
            self.value(self.placed(value))
        } else {
            value
        };
        self.node(Kind::Assign(place, value), ty, span)
    }

    pub(super) fn binary(
        &mut self,
        scope: ScopeId,
        operator: &str,
        left: tree::Expr<'t>,
        right: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let left = self.expr(scope, left)?;
        let right = self.expr(scope, right)?;
        // An operator of the text may have the struct on either side.
        let is_struct = self.types.struct_of(left.ty).is_some() || self.types.struct_of(right.ty).is_some();
        if is_struct && let Some(result) = self.operator_call(scope, operator, &[left, right], span)? {
            return Ok(result);
        }
        if matches!(operator, "&&" | "||") {
            let (left, right) = (self.condition(left)?, self.condition(right)?);
            let kind = if operator == "&&" { Kind::And(left, right) } else { Kind::Or(left, right) };
            let ty = self.types.bool();
            return Ok(self.node(kind, ty, span));
        }
        let (left, right) = (self.number_of(left)?, self.number_of(right)?);
        if let Some(compare) = comparison(operator) {
            return self.compare(compare, operator, left, right, span);
        }
        let Some(op) = binary_operator(operator) else {
            return Err(error(span, format_args!("the operator `{operator}` is not supported")));
        };
        if self.types.is_pointer(left.ty) || self.types.is_pointer(right.ty) {
            return self.pointer_arithmetic(operator, op, left, right, span);
        }
        self.check_operands(operator, op, left.ty, right.ty, span)?;
        if matches!(op, Binary::Shl | Binary::Shr) {
            self.warn_shift(left.ty, right);
            let (left, right) = (self.promote(left), self.promote(right));
            // A shift has the promoted type of its left side.
            let ty = left.ty;
            return Ok(self.node(Kind::Binary(op, left, right), ty, span));
        }
        let ty = self.common(left.ty, right.ty).unwrap_or(left.ty);
        // Warnings look at the operands before they are converted, which hides what the text says.
        self.warn_division(op, ty, right);
        self.warn_quotient(left, ty);
        self.warn_quotient(right, ty);
        let (left, right) = (self.converted(left, ty), self.converted(right, ty));
        Ok(self.node(Kind::Binary(op, left, right), ty, span))
    }

    /// The value of an operand. C++17, [over.match.oper], paragraph 3.3: an operator of the language takes an object as what
    /// its only conversion makes of it.
    fn number_of(&mut self, operand: Expr<'t>) -> Result<Expr<'t>> {
        let Some(at) = self.types.struct_of(operand.ty) else { return Ok(self.value(operand)) };
        let mut found = Vec::new();
        for conversion in self.types.structs[at].conversions.clone() {
            let result = self.signature(conversion)?.result;
            let result = self.types.referred(result);
            let is_explicit = self.declared[conversion].function.storage.is_explicit;
            if !is_explicit && (self.types.is_arithmetic(result) || self.types.is_pointer(result)) {
                found.push(conversion);
            }
        }
        match found[..] {
            [only] => {
                let made = self.call_method(only, operand, &[], operand.span)?;
                Ok(self.value(made))
            }
            _ => Ok(self.value(operand)),
        }
    }

    /// `%`, the shifts and the bit operators are for integers only ([expr.mul], [expr.shift], [expr.bit.and]).
    fn check_operands(
        &mut self,
        operator: &str,
        op: Binary,
        left: Type,
        right: Type,
        span: Span,
    ) -> Result<()> {
        let needs_integers = !matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div);
        let fits =
            |ty| if needs_integers { self.types.is_integral(ty) } else { self.types.is_arithmetic(ty) };
        if fits(left) && fits(right) {
            return Ok(());
        }
        let is_float = self.types.is_float(left) || self.types.is_float(right);
        let problem = self.no_operator(operator, left, right, span);
        if op == Binary::Rem && is_float {
            return Err(problem.with_help("for floating-point numbers there is `fmodf(a, b)`"));
        }
        Err(problem)
    }

    /// The error for operands of types that an operator does not take.
    fn no_operator(&self, operator: &str, left: Type, right: Type, span: Span) -> Failed {
        let message =
            format!("there is no `{operator}` for `{}` and `{}`", self.show(left), self.show(right));
        let problem = error(span, message);
        if [left, right]
            .iter()
            .any(|ty| matches!(self.show(*ty).trim_start_matches("const "), "uint3" | "dim3"))
        {
            return problem.with_help("name a component, as in `threadIdx.x`");
        }
        problem
    }

    /// C++17, [expr.rel] and [expr.eq]. Pointers are compared as the type that the other one converts to.
    fn compare(
        &mut self,
        compare: Compare,
        operator: &str,
        left: Expr<'t>,
        right: Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let ty = match () {
            () if self.types.is_arithmetic(left.ty) && self.types.is_arithmetic(right.ty) => {
                self.common(left.ty, right.ty).unwrap_or(left.ty)
            }
            () if left.ty.same(right.ty) && self.types.struct_of(left.ty).is_none() => left.ty,
            () if self.types.is_pointer(left.ty) && self.types.is_pointer(right.ty) => left.ty,
            () if self.types.is_pointer(left.ty) && self.rank(right, left.ty).is_some() => left.ty,
            () if self.types.is_pointer(right.ty) && self.rank(left, right.ty).is_some() => right.ty,
            () => return Err(self.no_operator(operator, left.ty, right.ty, span)),
        };
        self.warn_compare(compare, left, right, ty);
        let (left, right) = (self.converted(left, ty), self.converted(right, ty));
        let ty = self.types.bool();
        Ok(self.node(Kind::Compare(compare, left, right), ty, span))
    }

    /// C++17, [expr.add].
    fn pointer_arithmetic(
        &mut self,
        operator: &str,
        op: Binary,
        left: Expr<'t>,
        right: Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let (a, b) = (self.types.shape(left.ty), self.types.shape(right.ty));
        match (op, a, b) {
            // The result is `ptrdiff_t` ([expr.add], paragraph 5).
            (Binary::Sub, Shape::Pointer(a), Shape::Pointer(b)) if a.same(b) => {
                let ty = self.types.basic(super::types::Basic::Long);
                Ok(self.node(Kind::PointerDiff(left, right), ty, span))
            }
            (Binary::Add | Binary::Sub, Shape::Pointer(_), _) if self.types.is_integral(right.ty) => {
                let ty = left.ty;
                let kind = Kind::PointerAdd(left, right, op == Binary::Sub);
                Ok(self.node(kind, ty, span))
            }
            // `1 + p` is `p + 1`.
            (Binary::Add, _, Shape::Pointer(_)) if self.types.is_integral(left.ty) => {
                let ty = right.ty;
                Ok(self.node(Kind::PointerAdd(right, left, false), ty, span))
            }
            _ => Err(self.no_operator(operator, left.ty, right.ty, span)),
        }
    }

    /// C++17, [expr.sub]. `p[i]` is `*(p + i)`; an array's element is a place inside of the array, which the optimiser
    /// can keep in a register. `i[p]` is left out.
    pub(super) fn index(
        &mut self,
        scope: ScopeId,
        base: tree::Expr<'t>,
        index: tree::Expr<'t>,
        span: Span,
    ) -> Result<Expr<'t>> {
        let base = self.expr(scope, base)?;
        let index = self.expr(scope, index)?;
        if self.types.struct_of(base.ty).is_some()
            && let Some(result) = self.operator_call(scope, "[]", &[base, index], span)?
        {
            return Ok(result);
        }
        let index = self.value(index);
        if !self.types.is_integral(index.ty) {
            let message = format!("an index is an integer, but this has the type `{}`", self.show(index.ty));
            let problem = error(index.span, message);
            return Err(if self.show(index.ty).ends_with('3') {
                problem.with_help("name a component, as in `threadIdx.x`")
            } else {
                problem
            });
        }
        if let Shape::Array(of, length) = self.types.shape(base.ty) {
            self.warn_index(index, length);
            let of = of.qualified_as(base.ty);
            // An array that is a value, as in a struct that was returned, gets memory.
            let base = self.placed(base);
            return Ok(self.node(Kind::Element(base, index), of, span));
        }
        let base = self.value(base);
        let Some(to) = self.types.pointee(base.ty).filter(|to| !self.types.is_void(*to)) else {
            let message =
                format!("`[]` needs an array or a pointer, but this has the type `{}`", self.show(base.ty));
            return Err(error(base.span, message));
        };
        let ty = base.ty;
        let address = self.node(Kind::PointerAdd(base, index, false), ty, span);
        Ok(self.node(Kind::Deref(address), to, span))
    }
}

/// Also for `a op= b`, whose operator is looked up without its `=`.
const BINARY: [(&str, Binary); 10] = [
    ("+", Binary::Add),
    ("-", Binary::Sub),
    ("*", Binary::Mul),
    ("/", Binary::Div),
    ("%", Binary::Rem),
    ("&", Binary::And),
    ("|", Binary::Or),
    ("^", Binary::Xor),
    ("<<", Binary::Shl),
    (">>", Binary::Shr),
];

const COMPARISONS: [(&str, Compare); 6] = [
    ("==", Compare::Eq),
    ("!=", Compare::Ne),
    ("<", Compare::Lt),
    ("<=", Compare::Le),
    (">", Compare::Gt),
    (">=", Compare::Ge),
];

pub(crate) fn binary_operator(operator: &str) -> Option<Binary> {
    BINARY.iter().find(|(known, _)| *known == operator).map(|(_, op)| *op)
}

pub(crate) fn comparison(operator: &str) -> Option<Compare> {
    COMPARISONS.iter().find(|(known, _)| *known == operator).map(|(_, op)| *op)
}
