//! `collectives.cu`: reductions and scans of cooperative groups, compared with folds on the host.
//!
//! Values are small whole numbers, so sums of floats are exact in any order.

use std::ops::{BitAnd, BitOr, BitXor};

use crate::args;
use crate::harness::{Case, Element, Setting, numbers};

pub const CASES: &[Case] = &[
    ("collect_int", |s| arithmetic::<i32>(s, 32, |x| x as i32 - 500)),
    ("collect_int_of_4", |s| arithmetic::<i32>(s, 4, |x| x as i32 - 500)),
    ("collect_unsigned", |s| arithmetic::<u32>(s, 16, |x| x as u32)),
    ("collect_long", |s| arithmetic::<i64>(s, 32, |x| (x as i64 - 500) << 33)),
    ("collect_float", |s| arithmetic::<f32>(s, 8, |x| x as f32 - 500.0)),
    ("collect_double", |s| arithmetic::<f64>(s, 32, |x| x as f64 - 500.0)),
    ("collect_bits", |s| bitwise::<u32>(s, |x| (x * 0x0009_2f3b) as u32)),
    ("collect_long_bits", |s| bitwise::<u64>(s, |x| x * 0x0123_4567_89ab)),
    ("collect_one", one),
    ("collect_grid", grid),
];

const N: usize = 96;

/// A number that can be added and ordered.
trait Number: Element + PartialOrd {
    fn plus(self, other: Self) -> Self;
    fn of_count(count: usize) -> Self;
    fn is_multiple_of_3(self) -> bool;
}

macro_rules! numbers {
    ($($ty:ty, $plus:expr;)*) => {$(
        impl Number for $ty {
            fn plus(self, other: $ty) -> $ty {
                ($plus)(self, other)
            }
            fn of_count(count: usize) -> $ty {
                count as $ty
            }
            fn is_multiple_of_3(self) -> bool {
                self as i64 % 3 == 0
            }
        }
    )*};
}

numbers! {
    i32, i32::wrapping_add;
    u32, u32::wrapping_add;
    i64, i64::wrapping_add;
    u64, u64::wrapping_add;
    f32, |a, b| a + b;
    f64, |a, b| a + b;
}

fn values<T>(make: fn(u64) -> T) -> Vec<T> {
    numbers().map(|n| make(n % 1000)).take(N).collect()
}

/// The result of each thread of a group, from the values of the group.
type Row<T> = fn(&[T], usize) -> T;

/// A row of results: of groups of neighbours, or of those threads of each warp for which `is_in` returns true.
fn row<T: Number>(x: &[T], size: usize, is_in: impl Fn(T) -> bool, result: Row<T>) -> Vec<T> {
    let mut row = vec![T::default(); x.len()];
    for start in (0..x.len()).step_by(size) {
        let members: Vec<usize> = (start..start + size).filter(|&i| is_in(x[i])).collect();
        let group: Vec<T> = members.iter().map(|&i| x[i]).collect();
        members.iter().enumerate().for_each(|(rank, &i)| row[i] = result(&group, rank));
    }
    row
}

fn sum<T: Number>(x: &[T]) -> T {
    x.iter().fold(T::default(), |sum, &x| sum.plus(x))
}

fn least<T: Number>(x: &[T]) -> T {
    x.iter().copied().reduce(|a, b| if b < a { b } else { a }).unwrap()
}

fn greatest<T: Number>(x: &[T]) -> T {
    x.iter().copied().reduce(|a, b| if b > a { b } else { a }).unwrap()
}

fn arithmetic<T: Number>(s: &mut Setting, size: usize, make: fn(u64) -> T) {
    let x = values(make);
    let of_tiles: [Row<T>; 6] = [
        |x, _| sum(x),
        |x, _| least(x),
        |x, _| greatest(x),
        |x, rank| sum(&x[..=rank]),
        |x, rank| sum(&x[..rank]),
        |x, rank| greatest(&x[..=rank]),
    ];
    let of_some: [Row<T>; 5] = [
        |x, _| sum(x),
        |x, _| least(x),
        |x, rank| sum(&x[..=rank]),
        |x, rank| sum(&x[..rank]),
        |_, rank| T::of_count(rank),
    ];
    let mut expected: Vec<T> = of_tiles.iter().flat_map(|result| row(&x, size, |_| true, *result)).collect();
    let is_in = |x: T| !x.is_multiple_of_3();
    expected.extend(of_some.iter().flat_map(|result| row(&x, 32, is_in, *result)));
    let (x, z) = (s.input(&x), s.output::<T>(11 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

/// A number with bitwise operations.
trait Bits: Number + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> {}

impl Bits for u32 {}
impl Bits for u64 {}

fn bitwise<T: Bits>(s: &mut Setting, make: fn(u64) -> T) {
    let x = values(make);
    let of_tiles: [Row<T>; 5] = [
        |x, _| x.iter().copied().reduce(|a, b| a & b).unwrap(),
        |x, _| x.iter().copied().reduce(|a, b| a | b).unwrap(),
        |x, _| x.iter().copied().reduce(|a, b| a ^ b).unwrap(),
        |x, rank| x[..=rank].iter().copied().reduce(|a, b| a | b).unwrap(),
        |x, rank| x[..rank].iter().fold(T::default(), |all, &x| all ^ x),
    ];
    let mut expected: Vec<T> = of_tiles.iter().flat_map(|result| row(&x, 32, |_| true, *result)).collect();
    expected.extend(row(
        &x,
        32,
        |x| !x.is_multiple_of_3(),
        |x, _| x.iter().copied().reduce(|a, b| a ^ b).unwrap(),
    ));
    let (x, z) = (s.input(&x), s.output::<T>(6 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn one(s: &mut Setting) {
    let (writers, leaders) = (s.output::<i32>(3), s.output::<i32>(N));
    s.run(1, N as u32, args!(writers, leaders));
    s.check(writers, &[1; 3]);
    // Any lane of the group may be elected, and all lanes of a warp must agree on it.
    for (warp, answers) in s.read::<i32>(leaders).chunks(32).enumerate() {
        let leader = answers[1];
        assert!(leader as usize / 32 == warp && leader % 4 != 0, "{leader} leads in warp {warp}");
        assert!((0..32).all(|lane| answers[lane] == if lane % 4 == 0 { 0 } else { leader }), "{answers:?}");
    }
}

fn grid(s: &mut Setting) {
    let (ranks, z) = (s.output::<u32>(3 * 64), s.output::<u32>(3 * 64));
    s.run(3, 64, args!(ranks, z));
    s.check(ranks, &(0..192).map(|i| 192 + i / 64).collect::<Vec<u32>>());
    s.check(z, &(0..192).map(|i| i / 64 * 64 + 63 - i % 64).collect::<Vec<u32>>());
}
