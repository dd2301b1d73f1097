//! Values that are known when the text is compiled.
//!
//! The arithmetic is that of the device, and the optimiser folds with the same functions. Expressions are evaluated by
//! [`super::machine`]. Specification: C++17, [expr.const], [lex.icon].

use super::Checker;
use super::scope::ScopeId;
use super::typed::{Binary, Compare, Constant};
use super::types::{Basic, Type, Types};
use crate::lex::number::{Number, parse};
use crate::parse::tree;
use crate::source::{Result, error};

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

impl<'t> Checker<'_, 't> {
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
