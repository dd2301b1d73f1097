//! C++'s arithmetic types and what operators do with them.
//!
//! Written from C++17 ([conv], [expr.arith.conv], [expr.mul] to [expr.shift]) and IEEE 754, without a look at the compiler.
//! An operation whose result C++ leaves open returns some value and says what is wrong; so does a product that is rounded,
//! because a compiler may contract it with a sum.
#![expect(clippy::float_cmp, reason = "this is what C++ compares")]

/// A type of numbers. `char` is signed, as on the machines that CUDA supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    /// The argument of a template.
    Parameter,
}

use Ty::{Bool, Double, Float, Int};

/// All types but the template's.
pub const TYPES: [Ty; 14] = [
    Bool,
    Ty::Char,
    Ty::SignedChar,
    Ty::UnsignedChar,
    Ty::Short,
    Ty::UnsignedShort,
    Int,
    Ty::Unsigned,
    Ty::Long,
    Ty::UnsignedLong,
    Ty::LongLong,
    Ty::UnsignedLongLong,
    Float,
    Double,
];

/// A number: an integer of any type, or a float, which is exact in a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub ty: Ty,
    pub number: Number,
}

/// Why C++, or the freedom to contract, leaves a result open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harm {
    /// The result of signed integers is out of range.
    Overflow,
    /// A shift by less than zero or by too much.
    Shift,
    /// A division by zero.
    Divisor,
    /// A float that the integer type, unsigned or not, cannot hold.
    Range(bool),
    /// A product of floats that is rounded.
    Rounded,
    /// An index outside of the array of this length.
    Index(usize),
    /// A variable without a value.
    Unset,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    BothTrue,
    OneTrue,
    Comma,
}

impl Binary {
    /// Whether the result has the type in which the operands are computed.
    pub fn is_arithmetic(self) -> bool {
        self as u8 <= Binary::Xor as u8
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

impl Ty {
    pub fn name(self) -> &'static str {
        [
            "bool",
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
            "float",
            "double",
            "T",
        ][self as usize]
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_unsigned(self) -> bool {
        use Ty::{UnsignedChar, UnsignedLong, UnsignedLongLong, UnsignedShort};
        matches!(self, Bool | UnsignedChar | UnsignedShort | Ty::Unsigned | UnsignedLong | UnsignedLongLong)
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Ty::Char | Ty::SignedChar | Ty::UnsignedChar => 8,
            Ty::Short | Ty::UnsignedShort => 16,
            Int | Ty::Unsigned | Float => 32,
            _ => 64,
        }
    }

    /// The unsigned type of the same rank.
    pub fn unsigned(self) -> Ty {
        match self {
            Int => Ty::Unsigned,
            Ty::Long => Ty::UnsignedLong,
            Ty::LongLong => Ty::UnsignedLongLong,
            other => other,
        }
    }

    fn rank(self) -> u8 {
        match self {
            Ty::Long | Ty::UnsignedLong => 2,
            Ty::LongLong | Ty::UnsignedLongLong => 3,
            _ => 1,
        }
    }

    pub fn promoted(self) -> Ty {
        if self.bits() < 32 { Int } else { self }
    }

    /// The type in which two numbers are computed.
    pub fn common(self, other: Ty) -> Ty {
        if self == Double || other == Double {
            return Double;
        }
        if self == Float || other == Float {
            return Float;
        }
        // What it is in a template is not known before the template is used.
        if self == Ty::Parameter || other == Ty::Parameter {
            return Ty::Parameter;
        }
        let (a, b) = (self.promoted(), other.promoted());
        if a == b || a.is_unsigned() == b.is_unsigned() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (unsigned, signed) = if a.is_unsigned() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits() > unsigned.bits() {
            signed
        } else {
            signed.unsigned()
        }
    }

    pub fn holds(self, value: i128) -> bool {
        wrapped(self, value) == value
    }
}

/// An integer in a type, without the bits that it does not have.
pub fn wrapped(ty: Ty, value: i128) -> i128 {
    let low = value & ((1 << ty.bits()) - 1);
    let is_negative = !ty.is_unsigned() && low >> (ty.bits() - 1) != 0;
    if is_negative { low - (1 << ty.bits()) } else { low }
}

pub fn integer(ty: Ty, value: i128) -> Value {
    Value { ty, number: Number::Integer(wrapped(ty, value)) }
}

pub fn float(ty: Ty, value: f64) -> Value {
    let value = if ty == Float { f64::from(value as f32) } else { value };
    Value { ty, number: Number::Float(value) }
}

/// A value, or some value and why none is right.
pub type Checked = (Value, Option<Harm>);

impl Value {
    pub fn is_true(self) -> bool {
        match self.number {
            Number::Integer(value) => value != 0,
            Number::Float(value) => value != 0.0,
        }
    }

    pub fn integer(self) -> i128 {
        match self.number {
            Number::Integer(value) => value,
            Number::Float(value) => value as i128,
        }
    }

    pub fn float(self) -> f64 {
        match self.number {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    pub fn convert(self, to: Ty) -> Checked {
        match self.number {
            _ if to == Bool => (integer(Bool, i128::from(self.is_true())), None),
            // Rounded once, from the integer to the float.
            Number::Integer(value) if to == Float => (float(to, f64::from(value as f32)), None),
            Number::Integer(value) if to == Double => (float(to, value as f64), None),
            Number::Integer(value) => (integer(to, value), None),
            Number::Float(value) if to.is_float() => (float(to, value), None),
            Number::Float(value) => {
                let whole = value.trunc();
                let fits = whole.is_finite() && whole.abs() < 1e30 && to.holds(whole as i128);
                (integer(to, whole as i128), (!fits).then_some(Harm::Range(to.is_unsigned())))
            }
        }
    }
}

pub fn unary(op: Unary, value: Value) -> Checked {
    let ty = value.ty.promoted();
    match (op, value.number) {
        (Unary::Not, _) => (integer(Bool, i128::from(!value.is_true())), None),
        (Unary::Plus, _) => value.convert(ty),
        (Unary::Minus, Number::Float(number)) => (float(ty, -number), None),
        (Unary::Minus, Number::Integer(number)) => in_range(ty, -number),
        (Unary::Complement, _) => (integer(ty, !value.integer()), None),
    }
}

fn in_range(ty: Ty, exact: i128) -> Checked {
    let overflows = !ty.is_unsigned() && !ty.holds(exact);
    (integer(ty, exact), overflows.then_some(Harm::Overflow))
}

/// Every operator that evaluates both sides.
pub fn binary(op: Binary, a: Value, b: Value) -> Checked {
    if matches!(op, Binary::Shl | Binary::Shr) {
        return shift(op, a, b);
    }
    let ty = a.ty.common(b.ty);
    let (a, b) = (a.convert(ty).0, b.convert(ty).0);
    let result = match op {
        Binary::Comma => return (b, None),
        Binary::Lt => a.float_or(b, |a, b| a < b, |a, b| a < b),
        Binary::Le => a.float_or(b, |a, b| a <= b, |a, b| a <= b),
        Binary::Gt => a.float_or(b, |a, b| a > b, |a, b| a > b),
        Binary::Ge => a.float_or(b, |a, b| a >= b, |a, b| a >= b),
        Binary::Eq => a.float_or(b, |a, b| a == b, |a, b| a == b),
        Binary::Ne => a.float_or(b, |a, b| a != b, |a, b| a != b),
        Binary::BothTrue => a.is_true() && b.is_true(),
        Binary::OneTrue => a.is_true() || b.is_true(),
        _ if ty.is_float() => return float_binary(op, a, b),
        _ => return integer_binary(op, a, b),
    };
    (integer(Bool, i128::from(result)), None)
}

impl Value {
    fn float_or(self, other: Value, f: fn(f64, f64) -> bool, i: fn(i128, i128) -> bool) -> bool {
        if self.ty.is_float() { f(self.float(), other.float()) } else { i(self.integer(), other.integer()) }
    }
}

fn integer_binary(op: Binary, a: Value, b: Value) -> Checked {
    let ty = a.ty;
    let (x, y) = (a.integer(), b.integer());
    match op {
        Binary::Add => in_range(ty, x + y),
        Binary::Sub => in_range(ty, x - y),
        // The product of two unsigned numbers of 64 bits may need 128 bits, of which the lower ones count.
        Binary::Mul => in_range(ty, x.wrapping_mul(y)),
        Binary::Div | Binary::Rem if y == 0 => (integer(ty, 1), Some(Harm::Divisor)),
        Binary::Div | Binary::Rem if !ty.holds(x / y) => (integer(ty, 1), Some(Harm::Divisor)),
        Binary::Div => (integer(ty, x / y), None),
        Binary::Rem => (integer(ty, x % y), None),
        Binary::And => (integer(ty, x & y), None),
        Binary::Or => (integer(ty, x | y), None),
        _ => (integer(ty, x ^ y), None),
    }
}

fn shift(op: Binary, a: Value, b: Value) -> Checked {
    let ty = a.ty.promoted();
    let (value, count) = (a.integer(), b.integer());
    if !(0..i128::from(ty.bits())).contains(&count) {
        return (integer(ty, value), Some(Harm::Shift));
    }
    if op == Binary::Shr {
        return (integer(ty, value >> count), None);
    }
    // Up to C++17 a negative number must not be shifted to the left, and a one may reach the place of the sign.
    let harms = !ty.is_unsigned() && (value < 0 || !ty.unsigned().holds(value << count));
    (integer(ty, value << count), harms.then_some(Harm::Overflow))
}

fn float_binary(op: Binary, a: Value, b: Value) -> Checked {
    let ty = a.ty;
    let (x, y) = (a.float(), b.float());
    let computed = |single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64| {
        float(ty, if ty == Float { f64::from(single(x as f32, y as f32)) } else { double(x, y) })
    };
    match op {
        Binary::Add => (computed(|a, b| a + b, |a, b| a + b), None),
        Binary::Sub => (computed(|a, b| a - b, |a, b| a - b), None),
        Binary::Div => (computed(|a, b| a / b, |a, b| a / b), None),
        _ => {
            let product = computed(|a, b| a * b, |a, b| a * b);
            (product, (!is_exact(ty, x, y, product.float())).then_some(Harm::Rounded))
        }
    }
}

/// Whether a product needs no rounding, so that it does not matter whether it is contracted.
fn is_exact(ty: Ty, a: f64, b: f64, product: f64) -> bool {
    if !a.is_finite() || !b.is_finite() || a == 0.0 || b == 0.0 {
        return true;
    }
    if ty == Float {
        return a * b == product;
    }
    product.is_finite() && product.abs() > 1e-280 && a.mul_add(b, -product) == 0.0
}

/// The smaller or the larger of two numbers of a type: a NaN counts only if both are, and -0 is less than 0.
pub fn extreme(is_min: bool, a: Value, b: Value) -> Value {
    let is_less = match (a.number, b.number) {
        (Number::Float(x), Number::Float(y)) => {
            if x.is_nan() {
                return b;
            }
            if y.is_nan() {
                return a;
            }
            x < y || x == y && x.is_sign_negative()
        }
        _ => a.integer() < b.integer(),
    };
    if is_less == is_min { a } else { b }
}
