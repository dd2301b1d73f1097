//! The types an instruction computes with, and how each is kept in a register column.
//!
//! [`Value`] connects a Rust type (`i32`, `f64`, `bool`) with its bank. So the meaning of an instruction is an ordinary
//! function, for example `i32::wrapping_add`, and [`map2`] and its counterparts apply it to all lanes at once: every
//! source is read before anything is written.
//!
//! The loop over the lanes becomes vector code, once for SSE2 and once for AVX2 ([`vectorise`]). The result is computed for
//! all lanes, and copied for the active ones with masks from a table (`copy_lanes`). Literals are
//! columns too, so every operand is one. The loop reads and writes columns as cells
//! (`machine::file::RegisterCells`), because a result may also be a source.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::LazyLock;

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::affine::Rule;
use crate::machine::file::{Column, Columns};
use crate::machine::registers::{
    BIT, BankCells, Lanes, Narrow, RegisterCells, Slot, WARP_SIZE, Warps, Wide, column_of, copy_lanes,
};

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
    /// Whether a result is also a source.
    pub in_place: bool,
}

/// A type that lives in a register.
pub trait Value: Copy {
    /// What its register must be.
    const KIND: Kind;
    /// The column of a warp.
    type Column: Column + 'static;
    /// The bank of its register.
    fn bank<'w, 'r>(warps: &'w mut Warps<'r>) -> &'w mut Columns<'r, Self::Column>;
    /// The columns of its bank.
    fn cells(cells: BankCells<'_>) -> &[Cell<Self::Column>];
    /// Copies a column.
    fn read(lanes: &Lanes<'_>, slot: Slot) -> Self::Column;
    /// The value of one lane.
    fn lane(column: &Self::Column, lane: usize) -> Self;
    /// A column of `value(lane)`.
    fn column(value: impl Fn(usize) -> Self) -> Self::Column;
    /// Copies the lanes of `mask`.
    fn copy(column: &mut Self::Column, mask: u32, new: &Self::Column);
    /// Writes `value(lane)` to the active lanes.
    fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> Self);
}

macro_rules! value {
    ($($ty:ty, $kind:ident, $bank:ident $column:ty, $write:ident, $from:expr, $to:expr;)*) => {$(
        impl Value for $ty {
            const KIND: Kind = Kind::$kind;
            type Column = $column;
            #[inline(always)]
            fn bank<'w, 'r>(warps: &'w mut Warps<'r>) -> &'w mut Columns<'r, $column> {
                &mut warps.$bank
            }
            #[inline(always)]
            fn cells(cells: BankCells<'_>) -> &[Cell<$column>] {
                cells.$bank
            }
            #[inline(always)]
            fn read(lanes: &Lanes<'_>, slot: Slot) -> $column {
                lanes.$bank.get(slot)
            }
            #[inline(always)]
            fn lane(column: &$column, lane: usize) -> Self {
                ($from)(column[lane])
            }
            #[inline(always)]
            fn column(value: impl Fn(usize) -> Self) -> $column {
                column_of(|lane| ($to)(value(lane)))
            }
            #[inline(always)]
            fn copy(column: &mut $column, mask: u32, new: &$column) {
                copy_lanes(column, mask, new);
            }
            #[inline(always)]
            fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> Self) {
                lanes.$write(slot, |lane| ($to)(value(lane)));
            }
        }
    )*};
}

value! {
    u16, B16, narrow Narrow, write_narrow, |bits: u32| bits as u16, u32::from;
    i16, B16, narrow Narrow, write_narrow, |bits: u32| bits as i16, |value: i16| u32::from(value as u16);
    u32, B32, narrow Narrow, write_narrow, |bits: u32| bits, |value: u32| value;
    i32, B32, narrow Narrow, write_narrow, |bits: u32| bits as i32, |value: i32| value as u32;
    f32, F32, narrow Narrow, write_narrow, f32::from_bits, f32::to_bits;
    Flushed, F32, narrow Narrow, write_narrow, Flushed::from_bits, Flushed::to_bits;
    u64, B64, wide Wide, write_wide, |bits: u64| bits, |value: u64| value;
    i64, B64, wide Wide, write_wide, |bits: u64| bits as i64, |value: i64| value as u64;
    f64, F64, wide Wide, write_wide, f64::from_bits, f64::to_bits;
}

/// An `f32` that an `.ftz` instruction compares: a subnormal source counts as zero.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub struct Flushed(pub f32);

impl Flushed {
    #[inline(always)]
    fn from_bits(bits: u32) -> Flushed {
        let value = f32::from_bits(bits);
        // Zeros of either sign are equal.
        Flushed(if value.abs() < f32::MIN_POSITIVE { 0.0 } else { value })
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        self.0.to_bits()
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Pred;
    type Column = u32;
    #[inline(always)]
    fn bank<'w, 'r>(warps: &'w mut Warps<'r>) -> &'w mut Columns<'r, u32> {
        &mut warps.preds
    }
    #[inline(always)]
    fn cells(cells: BankCells<'_>) -> &[Cell<u32>] {
        cells.preds
    }
    #[inline(always)]
    fn read(lanes: &Lanes<'_>, slot: Slot) -> u32 {
        lanes.preds.get(slot)
    }
    #[inline(always)]
    fn lane(column: &u32, lane: usize) -> bool {
        column & BIT[lane] != 0
    }
    #[inline(always)]
    fn column(value: impl Fn(usize) -> bool) -> u32 {
        mask_of(value)
    }
    #[inline(always)]
    fn copy(column: &mut u32, mask: u32, new: &u32) {
        *column = *column & !mask | new & mask;
    }
    #[inline(always)]
    fn write(lanes: &mut Lanes<'_>, slot: Slot, value: impl Fn(usize) -> bool) {
        lanes.write_pred(slot, mask_of(value));
    }
}

/// The lanes for which `value` holds, one bit a lane.
#[inline(always)]
pub fn mask_of(value: impl Fn(usize) -> bool) -> u32 {
    if cfg!(target_family = "wasm") {
        // In less code.
        return (0..WARP_SIZE).fold(0, |mask, lane| mask | u32::from(value(lane)) << lane);
    }
    // As vectors of bits that are combined at the end, and constants instead of shifts by the lane, because baseline x86-64 has
    // no vector instruction for those.
    let bits: Narrow = column_of(|lane| if value(lane) { BIT[lane] } else { 0 });
    let mut mask = [0; 8];
    for (lane, part) in mask.iter_mut().enumerate() {
        *part = bits[lane] | bits[lane + 8] | bits[lane + 16] | bits[lane + 24];
    }
    mask.iter().fold(0, |all, part| all | part)
}

/// What an arithmetic instruction does to the warps that execute it: a plain function pointer, chosen when it is decoded.
pub type Run = fn(&mut Warps<'_>, &Args);

/// An arithmetic instruction before its operands are bound: what they must be, and what to do.
#[derive(Clone, Copy, Debug)]
pub struct Alu {
    /// Kinds of the results, `d` and, where there are two, `q`.
    pub results: &'static [Kind],
    /// Kinds of the sources, `a`, `b`, `c`, `e`.
    pub sources: &'static [Kind],
    /// What it does.
    pub run: Run,
    /// What becomes of affine sources.
    pub affine: Rule,
}

impl Alu {
    /// An instruction with these operands.
    pub const fn new(results: &'static [Kind], sources: &'static [Kind], run: Run) -> Alu {
        Alu { results, sources, run, affine: Rule::No }
    }

    /// The same instruction, whose result is affine where its sources are, as `affine` says.
    #[must_use]
    pub const fn with_affine(self, affine: Rule) -> Alu {
        Alu { affine, ..self }
    }
}

/// Runs a loop over lanes as vector code for the processor at hand. The loop is compiled once for each level of vector code
/// that the crate `pulp` knows (on x86-64 SSE2 and AVX2, elsewhere what the target has), and the level is chosen here. The
/// results are the same bits at every level, because Rust neither reorders nor contracts arithmetic. Not for WebAssembly:
/// a browser without vector code would refuse the whole module.
#[inline(always)]
pub fn vectorise<Loop: WithSimd>(lanes: Loop) -> Loop::Output {
    static PROCESSOR: LazyLock<Arch> = LazyLock::new(Arch::new);
    if cfg!(target_family = "wasm") {
        return lanes.with_simd(Scalar);
    }
    PROCESSOR.dispatch(lanes)
}

/// Defines `map1` to `map4`, and for what is rare `small1` to `small4`. A map is a struct with what its loop works on, because that is
/// what `pulp` can compile for several processors: a closure would be a function of its own, compiled for the oldest one.
macro_rules! map {
    ($($name:ident $small:ident, $doc:literal: $($source:ident $column:ident $slot:ident),*;)*) => {$(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name<$($source: Value,)* D: Value>(
            warps: &mut Warps<'_>,
            args: &Args,
            f: impl Fn($($source),*) -> D,
        ) {
            #[inline(always)]
            fn run<$($source: Value,)* D: Value>(
                warps: &mut Warps<'_>,
                args: &Args,
                f: &impl Fn($($source),*) -> D,
            ) {
                let (masks, fill) = (warps.masks, warps.fill);
                let d = D::bank(warps).place_to_write(args.d, fill != 0 && !args.in_place);
                $(let $column = $source::bank(warps).place(args.$slot);)*
                let cells = warps.cells();
                let d = RegisterCells::at(D::cells(cells), d);
                $(let $column = RegisterCells::at($source::cells(cells), $column);)*
                for (warp, &mask) in masks.iter().enumerate() {
                    if mask == 0 {
                        continue;
                    }
                    $(let $column = $column.of(warp).get();)*
                    let result = D::column(|lane| f($($source::lane(&$column, lane)),*));
                    let to = d.of(warp);
                    let mut column = to.get();
                    D::copy(&mut column, mask | fill, &result);
                    to.set(column);
                }
            }
            struct Map<'l, 'r, F, T> {
                warps: &'l mut Warps<'r>,
                args: &'l Args,
                f: F,
                types: PhantomData<T>,
            }
            impl<$($source: Value,)* D: Value, F: Fn($($source),*) -> D> WithSimd
                for Map<'_, '_, F, ($($source,)* D)>
            {
                type Output = ();
                #[inline(always)]
                fn with_simd<S: Simd>(self, _: S) {
                    run(self.warps, self.args, &self.f);
                }
            }
            if cfg!(target_family = "wasm") {
                return $small(warps, args, f);
            }
            vectorise(Map { warps, args, f, types: PhantomData::<($($source,)* D)> });
        }

        #[doc = concat!($doc, " In less code, which is slower.")]
        #[inline(always)]
        pub fn $small<$($source: Value,)* D: Value>(
            warps: &mut Warps<'_>,
            args: &Args,
            f: impl Fn($($source),*) -> D,
        ) {
            warps.each_small(&|lanes| {
                $(let $column = $source::read(lanes, args.$slot);)*
                D::write(lanes, args.d, |lane| f($($source::lane(&$column, lane)),*));
            });
        }
    )*};
}

map! {
    map1 small1, "`d = f(a)`, lane by lane.": A a a;
    map2 small2, "`d = f(a, b)`, lane by lane.": A a a, B b b;
    map3 small3, "`d = f(a, b, c)`, lane by lane.": A a a, B b b, C c c;
    map4 small4, "`d = f(a, b, c, e)`, lane by lane.": A a a, B b b, C c c, E e e;
}

/// `d = f(a)` of predicates, 32 lanes at a time.
#[inline(always)]
pub fn map_pred(warps: &mut Warps<'_>, args: &Args, f: impl Fn(u32) -> u32) {
    map_preds(warps, &Args { b: args.a, ..*args }, |a, _| f(a));
}

/// `d = f(a, b)` of predicates, 32 lanes at a time.
#[inline(always)]
pub fn map_preds(warps: &mut Warps<'_>, args: &Args, f: impl Fn(u32, u32) -> u32) {
    let preds = &mut warps.preds;
    let (d, a, b) = (preds.place_to_write(args.d, false), preds.place(args.a), preds.place(args.b));
    let cells = preds.cells();
    let (d, a, b) = (RegisterCells::at(cells, d), RegisterCells::at(cells, a), RegisterCells::at(cells, b));
    for (warp, &mask) in warps.masks.iter().enumerate() {
        let mut column = d.of(warp).get();
        bool::copy(&mut column, mask, &f(a.of(warp).get(), b.of(warp).get()));
        d.of(warp).set(column);
    }
}

/// An [`Alu`] from a signature and a function: `alu!((i32, i32) -> i32, i32::wrapping_add)`. With `rare` in front, the loop over
/// the lanes is not compiled for each function and each level of vector code.
macro_rules! alu {
    (($($source:ty),*) -> $d:ty, $f:expr) => {
        $crate::isa::value::alu!(@alu [map1 map2 map3 map4] ($($source),*) -> $d, $f)
    };
    (rare ($($source:ty),*) -> $d:ty, $f:expr) => {
        $crate::isa::value::alu!(@alu [small1 small2 small3 small4] ($($source),*) -> $d, $f)
    };
    (@alu $maps:tt ($($source:ty),*) -> $d:ty, $f:expr) => {
        $crate::isa::value::Alu {
            results: &[<$d as $crate::isa::value::Value>::KIND],
            sources: &[$(<$source as $crate::isa::value::Value>::KIND),*],
            run: |warps, args| $crate::isa::value::alu!(@map $maps warps, args, $f, ($($source),*) -> $d),
            affine: $crate::isa::affine::Rule::No,
        }
    };
    (@map [$map:ident $($more:ident)*] $warps:ident, $args:ident, $f:expr, ($a:ty) -> $d:ty) => {
        $crate::isa::value::$map::<$a, $d>($warps, $args, $f)
    };
    (@map [$one:ident $map:ident $($more:ident)*] $warps:ident, $args:ident, $f:expr, ($a:ty, $b:ty) -> $d:ty) => {
        $crate::isa::value::$map::<$a, $b, $d>($warps, $args, $f)
    };
    (@map [$one:ident $two:ident $map:ident $($more:ident)*] $warps:ident, $args:ident, $f:expr,
     ($a:ty, $b:ty, $c:ty) -> $d:ty) => {
        $crate::isa::value::$map::<$a, $b, $c, $d>($warps, $args, $f)
    };
    (@map [$one:ident $two:ident $three:ident $map:ident] $warps:ident, $args:ident, $f:expr,
     ($a:ty, $b:ty, $c:ty, $e:ty) -> $d:ty) => {
        $crate::isa::value::$map::<$a, $b, $c, $e, $d>($warps, $args, $f)
    };
}
pub(crate) use alu;

/// Picks the Rust type `$T` by a PTX type and evaluates `$body` with it:
/// `by_type!(ty; [U32 | B32 => u32, S32 => i32], T => alu!((T, T) -> T, T::min))`. The body is compiled once for each Rust type
/// that is listed.
macro_rules! by_type {
    ($ty:expr; [$($($name:ident)|+ => $rust:ty),* $(,)?], $T:ident => $body:expr) => {
        match $ty {
            $($($crate::ptx::ast::Type::$name)|+ => { type $T = $rust; $body })*
            other => unreachable!("the form's grammar does not list `{other:?}`"),
        }
    };
}
pub(crate) use by_type;

/// Evaluates `$body` with `$NAME` a constant that equals `$flag`.
macro_rules! by_flag {
    ($flag:expr, $NAME:ident => $body:expr) => {
        if $flag {
            const $NAME: bool = true;
            $body
        } else {
            const $NAME: bool = false;
            $body
        }
    };
}
pub(crate) use by_flag;

/// [`by_type!`] over the integers of 16 to 64 bits, bit types counted as unsigned.
macro_rules! by_int {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::isa::value::by_type!($ty; [
            U16 | B16 => u16, S16 => i16, U32 | B32 => u32, S32 => i32, U64 | B64 => u64, S64 => i64,
        ], $T => $body)
    };
}
pub(crate) use by_int;

/// The same for what the sign does not change.
macro_rules! by_width {
    ($ty:expr, $T:ident => $body:expr) => {
        $crate::isa::value::by_type!($ty; [
            U16 | S16 | B16 => u16, U32 | S32 | B32 => u32, U64 | S64 | B64 => u64,
        ], $T => $body)
    };
}
pub(crate) use by_width;
