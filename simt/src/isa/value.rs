//! The types an instruction computes with, and how each is kept in a register column.
//!
//! [`Value`] connects a Rust type (`i32`, `f64`, `bool`) with its bank. So the meaning of an instruction is an ordinary
//! function, for example `i32::wrapping_add`, and [`map2`] and its counterparts apply it to all lanes at once: every
//! source is read before anything is written.

use crate::machine::registers::{BIT, Lanes, Narrow, Slot, Wide};

/// What the register of an operand has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 16 bits, in a narrow column.
    B16,
    /// 32 bits, in a narrow column; a literal is an integer.
    B32,
    /// 64 bits, in a wide column; a literal is an integer.
    B64,
    /// 32 bits; a literal is a floating-point number.
    F32,
    /// 64 bits; a literal is a floating-point number.
    F64,
    /// A predicate.
    Pred,
}

/// The columns of an instruction's operands: results `d` and `q`, sources `a`, `b`, `c` and `e`, and a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// First result.
    pub d: Slot,
    /// Second result.
    pub q: Slot,
    /// First source.
    pub a: Slot,
    /// Second source.
    pub b: Slot,
    /// Third source.
    pub c: Slot,
    /// Fourth source.
    pub e: Slot,
    /// A number that is part of the instruction and the same for all lanes, for example a truth table.
    pub imm: u16,
}

/// A type that lives in a register column.
pub trait Value: Copy {
    /// What its register must be.
    const KIND: Kind;
    /// The column, copied out of the bank.
    type Column: Copy;
    /// Copies a column.
    fn read(lanes: &Lanes<'_>, slot: Slot) -> Self::Column;
    /// The value of one lane.
    fn lane(column: &Self::Column, lane: usize) -> Self;
    /// Writes `value(lane)` to the active lanes.
    fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> Self);
    /// The value that a register with these bits has.
    fn from_bits(bits: u64) -> Self;
    /// The bits that a register with this value has.
    fn to_bits(self) -> u64;
}

macro_rules! narrow_value {
    ($($ty:ty, $kind:ident, $from:expr, $to:expr;)*) => {$(
        impl Value for $ty {
            const KIND: Kind = Kind::$kind;
            type Column = Narrow;
            #[inline(always)]
            fn read(lanes: &Lanes<'_>, slot: Slot) -> Narrow {
                lanes.narrow[slot as usize]
            }
            #[inline(always)]
            fn lane(column: &Narrow, lane: usize) -> Self {
                ($from)(column[lane])
            }
            #[inline(always)]
            fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> Self) {
                lanes.write_narrow(slot, |lane| ($to)(value(lane)));
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                ($from)(bits as u32)
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                u64::from(($to)(self))
            }
        }
    )*};
}

narrow_value! {
    u16, B16, |bits: u32| bits as u16, u32::from;
    i16, B16, |bits: u32| bits as i16, |value: i16| u32::from(value as u16);
    u32, B32, |bits: u32| bits, |value: u32| value;
    i32, B32, |bits: u32| bits as i32, |value: i32| value as u32;
    f32, F32, f32::from_bits, f32::to_bits;
}

macro_rules! wide_value {
    ($($ty:ty, $kind:ident, $from:expr, $to:expr;)*) => {$(
        impl Value for $ty {
            const KIND: Kind = Kind::$kind;
            type Column = Wide;
            #[inline(always)]
            fn read(lanes: &Lanes<'_>, slot: Slot) -> Wide {
                lanes.wide[slot as usize]
            }
            #[inline(always)]
            fn lane(column: &Wide, lane: usize) -> Self {
                ($from)(column[lane])
            }
            #[inline(always)]
            fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> Self) {
                lanes.write_wide(slot, |lane| ($to)(value(lane)));
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                ($from)(bits)
            }
            #[inline(always)]
            fn to_bits(self) -> u64 {
                ($to)(self)
            }
        }
    )*};
}

wide_value! {
    u64, B64, |bits: u64| bits, |value: u64| value;
    i64, B64, |bits: u64| bits as i64, |value: i64| value as u64;
    f64, F64, f64::from_bits, f64::to_bits;
}

impl Value for bool {
    const KIND: Kind = Kind::Pred;
    type Column = u32;
    #[inline(always)]
    fn read(lanes: &Lanes<'_>, slot: Slot) -> u32 {
        lanes.preds[slot as usize]
    }
    #[inline(always)]
    fn lane(column: &u32, lane: usize) -> bool {
        column & BIT[lane] != 0
    }
    #[inline(always)]
    fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> bool) {
        lanes.write_pred(slot, mask_of(value));
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> bool {
        bits != 0
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        u64::from(self)
    }
}

/// The lanes for which `value` holds, one bit a lane.
#[inline(always)]
pub fn mask_of(value: impl Fn(usize) -> bool) -> u32 {
    // Four partial masks, each an element of a vector, and constants instead of shifts by the lane, because baseline
    // x86-64 has no vector instruction for those. `setp` takes half the time of the plain loop.
    let mut mask = [0; 4];
    for (group, bits) in BIT.chunks_exact(4).enumerate() {
        for (i, &bit) in bits.iter().enumerate() {
            mask[i] |= if value(4 * group + i) { bit } else { 0 };
        }
    }
    mask[0] | mask[1] | mask[2] | mask[3]
}

/// What an arithmetic instruction does to the lanes: a plain function pointer, chosen when it is decoded.
pub type Run = fn(&mut Lanes<'_>, &Args);

/// An arithmetic instruction before its operands are bound: what they must be, and what to do.
#[derive(Clone, Copy, Debug)]
pub struct Alu {
    /// Kinds of the results, `d` and, where there are two, `q`.
    pub results: &'static [Kind],
    /// Kinds of the sources, `a`, `b`, `c`, `e`.
    pub sources: &'static [Kind],
    /// What it does.
    pub run: Run,
    /// The same for one lane, where it is a function of the sources alone and has one result.
    pub scalar: Option<Scalar>,
    /// What becomes of sources that are linear in the lane.
    pub linear: Linear,
}

impl Alu {
    /// An instruction about which no more is known than how to carry it out for all lanes.
    pub const fn new(results: &'static [Kind], sources: &'static [Kind], run: Run) -> Alu {
        Alu { results, sources, run, scalar: None, linear: Linear::No }
    }

    /// The same instruction, and what becomes of linear sources.
    #[must_use]
    pub const fn on_lines(self, linear: Linear) -> Alu {
        Alu { linear, ..self }
    }
}

/// An arithmetic instruction for one lane: the bits of its result from those of its sources, as registers hold them.
pub type Scalar = fn(&[u64; 4]) -> u64;

/// What becomes of sources that are linear in the lane, `base + stride * lane` modulo the width of the register: what
/// addresses and indices are made by. `engine::swift` computes the two numbers once for the warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linear {
    /// Something that is not linear any more.
    #[default]
    No,
    /// `a`, cut to the width of the result.
    Copy,
    /// `-a`
    Negate,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`, of which one is the same in all lanes.
    Multiply,
    /// `a * b + c`, where `a` or `b` is the same in all lanes.
    MultiplyAdd,
    /// `a << b`, where `b` is the same in all lanes.
    ShiftLeft,
    /// `a >> b`, both the same in all lanes.
    ShiftRight {
        /// With the sign of `a`.
        signed: bool,
    },
    /// Of predicates: bit `2a + b` of the table.
    Logic {
        /// The table.
        table: u8,
    },
    /// `a`, extended from 32 to 64 bits.
    Widen {
        /// With its sign.
        signed: bool,
    },
    /// `a * b`, both extended from 32 to 64 bits before.
    MultiplyWide {
        /// With their signs.
        signed: bool,
    },
    /// `a * b + c`, `a` and `b` extended from 32 to 64 bits before.
    MultiplyWideAdd {
        /// With their signs.
        signed: bool,
    },
    /// A predicate: whether `a` is less than, equal to or greater than `b`, any of those listed.
    Compare {
        /// Whether as signed numbers.
        signed: bool,
        /// Whether it holds where `a` is less.
        less: bool,
        /// Whether it holds where they are equal.
        equal: bool,
        /// Whether it holds where `a` is greater.
        greater: bool,
    },
}

/// `d = f(a)`, lane by lane.
#[inline(always)]
pub fn map1<A: Value, D: Value>(lanes: &mut Lanes<'_>, args: &Args, f: impl Fn(A) -> D) {
    let a = A::read(lanes, args.a);
    D::write(lanes, args.d, |lane| f(A::lane(&a, lane)));
}

/// `d = f(a, b)`, lane by lane.
#[inline(always)]
pub fn map2<A: Value, B: Value, D: Value>(lanes: &mut Lanes<'_>, args: &Args, f: impl Fn(A, B) -> D) {
    let (a, b) = (A::read(lanes, args.a), B::read(lanes, args.b));
    D::write(lanes, args.d, |lane| f(A::lane(&a, lane), B::lane(&b, lane)));
}

/// `d = f(a, b, c)`, lane by lane.
#[inline(always)]
pub fn map3<A: Value, B: Value, C: Value, D: Value>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    f: impl Fn(A, B, C) -> D,
) {
    let (a, b, c) = (A::read(lanes, args.a), B::read(lanes, args.b), C::read(lanes, args.c));
    D::write(lanes, args.d, |lane| f(A::lane(&a, lane), B::lane(&b, lane), C::lane(&c, lane)));
}

/// `d = f(a, b, c, e)`, lane by lane.
#[inline(always)]
pub fn map4<A: Value, B: Value, C: Value, E: Value, D: Value>(
    lanes: &mut Lanes<'_>,
    args: &Args,
    f: impl Fn(A, B, C, E) -> D,
) {
    let (a, b) = (A::read(lanes, args.a), B::read(lanes, args.b));
    let (c, e) = (C::read(lanes, args.c), E::read(lanes, args.e));
    D::write(lanes, args.d, |lane| {
        f(A::lane(&a, lane), B::lane(&b, lane), C::lane(&c, lane), E::lane(&e, lane))
    });
}

/// [`map1`] for one lane.
#[inline(always)]
pub fn scalar1<A: Value, D>(v: &[u64; 4], f: impl Fn(A) -> D) -> D {
    f(A::from_bits(v[0]))
}

/// [`map2`] for one lane.
#[inline(always)]
pub fn scalar2<A: Value, B: Value, D>(v: &[u64; 4], f: impl Fn(A, B) -> D) -> D {
    f(A::from_bits(v[0]), B::from_bits(v[1]))
}

/// [`map3`] for one lane.
#[inline(always)]
pub fn scalar3<A: Value, B: Value, C: Value, D>(v: &[u64; 4], f: impl Fn(A, B, C) -> D) -> D {
    f(A::from_bits(v[0]), B::from_bits(v[1]), C::from_bits(v[2]))
}

/// [`map4`] for one lane.
#[inline(always)]
pub fn scalar4<A: Value, B: Value, C: Value, E: Value, D>(v: &[u64; 4], f: impl Fn(A, B, C, E) -> D) -> D {
    f(A::from_bits(v[0]), B::from_bits(v[1]), C::from_bits(v[2]), E::from_bits(v[3]))
}

/// An [`Alu`] from a signature and a function: `alu!((i32, i32) -> i32, i32::wrapping_add)`.
macro_rules! alu {
    (($a:ty) -> $d:ty, $f:expr) => {
        $crate::isa::value::Alu {
            results: &[<$d as $crate::isa::value::Value>::KIND],
            sources: &[<$a as $crate::isa::value::Value>::KIND],
            run: |lanes, args| $crate::isa::value::map1::<$a, $d>(lanes, args, $f),
            scalar: Some(|v| {
                <$d as $crate::isa::value::Value>::to_bits($crate::isa::value::scalar1::<$a, $d>(v, $f))
            }),
            linear: $crate::isa::value::Linear::No,
        }
    };
    (($a:ty, $b:ty) -> $d:ty, $f:expr) => {
        $crate::isa::value::Alu {
            results: &[<$d as $crate::isa::value::Value>::KIND],
            sources: &[<$a as $crate::isa::value::Value>::KIND, <$b as $crate::isa::value::Value>::KIND],
            run: |lanes, args| $crate::isa::value::map2::<$a, $b, $d>(lanes, args, $f),
            scalar: Some(|v| {
                <$d as $crate::isa::value::Value>::to_bits($crate::isa::value::scalar2::<$a, $b, $d>(v, $f))
            }),
            linear: $crate::isa::value::Linear::No,
        }
    };
    (($a:ty, $b:ty, $c:ty) -> $d:ty, $f:expr) => {
        $crate::isa::value::Alu {
            results: &[<$d as $crate::isa::value::Value>::KIND],
            sources: &[
                <$a as $crate::isa::value::Value>::KIND,
                <$b as $crate::isa::value::Value>::KIND,
                <$c as $crate::isa::value::Value>::KIND,
            ],
            run: |lanes, args| $crate::isa::value::map3::<$a, $b, $c, $d>(lanes, args, $f),
            scalar: Some(|v| {
                <$d as $crate::isa::value::Value>::to_bits($crate::isa::value::scalar3::<$a, $b, $c, $d>(
                    v, $f,
                ))
            }),
            linear: $crate::isa::value::Linear::No,
        }
    };
    (($a:ty, $b:ty, $c:ty, $e:ty) -> $d:ty, $f:expr) => {
        $crate::isa::value::Alu {
            results: &[<$d as $crate::isa::value::Value>::KIND],
            sources: &[
                <$a as $crate::isa::value::Value>::KIND,
                <$b as $crate::isa::value::Value>::KIND,
                <$c as $crate::isa::value::Value>::KIND,
                <$e as $crate::isa::value::Value>::KIND,
            ],
            run: |lanes, args| $crate::isa::value::map4::<$a, $b, $c, $e, $d>(lanes, args, $f),
            scalar: Some(|v| {
                <$d as $crate::isa::value::Value>::to_bits($crate::isa::value::scalar4::<$a, $b, $c, $e, $d>(
                    v, $f,
                ))
            }),
            linear: $crate::isa::value::Linear::No,
        }
    };
}
pub(crate) use alu;

/// Picks the Rust type `$T` by a PTX type and evaluates `$body` with it:
/// `by_type!(ty; [U32 => u32, S32 => i32], T => alu!((T, T) -> T, T::wrapping_add))`.
macro_rules! by_type {
    ($ty:expr; [$($name:ident => $rust:ty),* $(,)?], $T:ident => $body:expr) => {
        match $ty {
            $($crate::ptx::ast::Type::$name => { type $T = $rust; $body })*
            other => unreachable!("the form's grammar does not list `{other:?}`"),
        }
    };
}
pub(crate) use by_type;

/// [`by_type!`] over the integers of 16 to 64 bits, bit types counted as unsigned.
macro_rules! by_int {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::isa::value::by_type!($ty; [
            U16 => u16, S16 => i16, B16 => u16, U32 => u32, S32 => i32, B32 => u32,
            U64 => u64, S64 => i64, B64 => u64,
        ], $T => $body)
    };
}
pub(crate) use by_int;
