//! `atomic_ref.cu`: every operation of `cuda::atomic_ref` in every order, at the system's scope and at a block's.
//!
//! All threads carry out an operation on one cell. In any order of the threads, each finds what another one left. So
//! the results, as steps from the value that a thread found to the value that it left, form one chain from the cell's
//! first value to its last. That is a trail through a graph that uses every edge once, and Euler's condition says
//! whether one exists.

use std::collections::BTreeMap;

use crate::args;
use crate::harness::{Case, Element, Setting};

pub const CASES: &[Case] = &[
    ("int_system", |s| check::<i32>(s, true, 2)),
    ("int_block", |s| check::<i32>(s, true, 1)),
    ("unsigned_system", |s| check::<u32>(s, true, 2)),
    ("unsigned_block", |s| check::<u32>(s, true, 1)),
    ("long_system", |s| check::<i64>(s, true, 2)),
    ("long_block", |s| check::<i64>(s, true, 1)),
    ("unsigned_long_system", |s| check::<u64>(s, true, 2)),
    ("unsigned_long_block", |s| check::<u64>(s, true, 1)),
    ("float_system", |s| check::<f32>(s, false, 2)),
    ("float_block", |s| check::<f32>(s, false, 1)),
    ("double_system", |s| check::<f64>(s, false, 2)),
    ("double_block", |s| check::<f64>(s, false, 1)),
];

const BLOCK: usize = 34;

/// A type that an `atomic_ref` refers to.
trait Value: Element + PartialOrd {
    /// The operand of a thread.
    fn operand(thread: usize) -> Self;
    fn small(number: usize) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Applies a function to the bits of two values.
    fn bitwise(self, other: Self, f: fn(u64, u64) -> u64) -> Self;
}

macro_rules! values {
    ($($ty:ty, $bits:ty, $signed:ty, $add:expr, $sub:expr;)*) => {$(
        impl Value for $ty {
            fn operand(thread: usize) -> $ty {
                let size = if size_of::<$ty>() == 8 { 1i64 << 33 } else { 1 };
                let value = (5 * thread as i64 + 3) * size;
                (if thread % 2 == 1 { -value } else { value }) as $signed as $ty
            }
            fn small(number: usize) -> $ty {
                number as $ty
            }
            fn add(self, other: $ty) -> $ty {
                ($add)(self, other)
            }
            fn sub(self, other: $ty) -> $ty {
                ($sub)(self, other)
            }
            fn bitwise(self, other: $ty, f: fn(u64, u64) -> u64) -> $ty {
                let bits = |value: $ty| <$bits>::from_le_bytes(value.to_le_bytes());
                <$ty>::from_le_bytes((f(u64::from(bits(self)), u64::from(bits(other))) as $bits).to_le_bytes())
            }
        }
    )*};
}

values! {
    i32, u32, i64, i32::wrapping_add, i32::wrapping_sub;
    u32, u32, i64, u32::wrapping_add, u32::wrapping_sub;
    i64, u64, i64, i64::wrapping_add, i64::wrapping_sub;
    u64, u64, i64, u64::wrapping_add, u64::wrapping_sub;
    f32, u32, i64, |a, b| a + b, |a, b| a - b;
    f64, u64, i64, |a, b| a + b, |a, b| a - b;
}

/// The operations that are tested.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
}

use Operation::*;

/// The operations with their orders, as the kernel carries them out: this many cells for each.
fn cells(is_integer: bool) -> Vec<Operation> {
    let mut cells = vec![Load; 3];
    cells.extend([Store; 3]);
    cells.extend(
        [Exchange, CompareExchange, Add, Sub, Min, Max].into_iter().flat_map(|operation| [operation; 5]),
    );
    if is_integer {
        cells.extend([And, Or, Xor].into_iter().flat_map(|operation| [operation; 5]));
    }
    cells
}

impl Operation {
    /// The first value of a cell, which the operands change.
    fn first<T: Value>(self) -> T {
        match self {
            CompareExchange | Or | Xor => T::small(0),
            And => T::small(0).bitwise(T::small(0), |_, _| u64::MAX),
            _ => T::small(17),
        }
    }

    /// The value that a thread leaves if it finds `old`.
    fn apply<T: Value>(self, old: T, thread: usize) -> T {
        let x = T::operand(thread);
        match self {
            Store | Exchange => x,
            CompareExchange if old == T::small(thread % 4) => T::small(thread % 4 + 1),
            Add => old.add(x),
            Sub => old.sub(x),
            Min if x < old => x,
            Max if x > old => x,
            And => old.bitwise(x, |a, b| a & b),
            Or => old.bitwise(x, |a, b| a | b),
            Xor => old.bitwise(x, |a, b| a ^ b),
            Load | CompareExchange | Min | Max => old,
        }
    }
}

fn check<T: Value>(s: &mut Setting, is_integer: bool, blocks: u32) {
    let operations = cells(is_integer);
    let threads = blocks as usize * BLOCK;
    let first: Vec<T> = operations.iter().map(|operation| operation.first()).collect();
    let (cells, results) = (s.input(&first), s.output::<T>(operations.len() * threads));
    s.run(blocks, BLOCK as u32, args!(cells, results));
    let (last, results): (Vec<T>, Vec<T>) = (s.read(cells), s.read(results));
    for (cell, (operation, found)) in operations.iter().zip(results.chunks(threads)).enumerate() {
        let ends = (first[cell], last[cell]);
        let is_right = match operation {
            // The result is the value that was stored, and the last of these stores remains.
            Store => found.iter().enumerate().all(|(i, x)| *x == T::operand(i)) && found.contains(&ends.1),
            _ => is_chain(ends, found.iter().enumerate().map(|(i, old)| (*old, operation.apply(*old, i)))),
        };
        assert!(is_right, "cell {cell}, {operation:?}: from {:?} to {:?} by {found:?}", ends.0, ends.1);
    }
}

/// Whether the steps can be put in an order in which they lead from the first value to the last.
fn is_chain<T: Value>((first, last): (T, T), steps: impl Iterator<Item = (T, T)>) -> bool {
    let mut next: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut surplus = BTreeMap::from([(bits(first), -1)]);
    *surplus.entry(bits(last)).or_insert(0) += 1;
    for (old, new) in steps.map(|(old, new)| (bits(old), bits(new))) {
        next.entry(old).or_default().push(new);
        *surplus.entry(old).or_insert(0) += 1;
        *surplus.entry(new).or_insert(0) -= 1;
    }
    let mut to_visit = vec![bits(first)];
    while let Some(value) = to_visit.pop() {
        to_visit.extend(next.remove(&value).unwrap_or_default());
    }
    next.is_empty() && surplus.values().all(|&count| count == 0)
}

fn bits<T: Value>(value: T) -> u64 {
    value.bytes().iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

#[test]
fn there_are_276_combinations() {
    assert_eq!(4 * cells(true).len() + 2 * cells(false).len(), 276);
}

#[test]
fn chains_are_recognised() {
    let steps = |steps: &[(i32, i32)]| is_chain((0, 3), steps.iter().copied());
    assert!(steps(&[(1, 3), (0, 1)]));
    assert!(steps(&[(1, 2), (2, 1), (1, 1), (1, 3), (0, 1)]));
    assert!(!steps(&[(0, 1), (0, 3)]), "one update is lost");
    assert!(!steps(&[(0, 3), (7, 7)]), "a value comes from nowhere");
    assert!(!steps(&[(0, 3), (3, 0)]), "it ends elsewhere");
}
