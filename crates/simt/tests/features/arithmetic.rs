//! `kernels/features_arithmetic.cu`.

// Exact results are compared exactly.
#![allow(clippy::float_cmp)]

use crate::args;
use crate::harness::{Case, Setting, numbers, per_thread};

pub const CASES: &[Case] = &[
    ("divide_32", divide_32),
    ("divide_64", divide_64),
    ("multiply", multiply),
    ("bits", bits),
    ("bytes", bytes),
    ("shifts", shifts),
    ("float_exact", float_exact),
    ("float_close", float_close),
    ("float_fast", float_fast),
    ("double_exact", double_exact),
    ("round_to_int", round_to_int),
    ("convert", convert),
    ("compare_floats", compare_floats),
    ("narrow", narrow),
];

const N: usize = 96;

/// Values that are likely to show errors in carries and signs, then others of all sizes.
fn integers() -> Vec<i64> {
    let edges = [0, 1, -1, 2, 7, i64::MAX, i64::MIN, 0x7fff_ffff, -0x8000_0000, 0xffff_ffff];
    edges.into_iter().chain(numbers().map(|n| n as i64 >> (n & 63))).take(N).collect()
}

fn divisors() -> Vec<i64> {
    integers().iter().rev().map(|&n| if n as i32 == 0 || n as i32 == -1 { 3 } else { n }).collect()
}

fn divide_32(s: &mut Setting) {
    let (x, y): (Vec<_>, Vec<_>) =
        integers().iter().zip(divisors()).map(|(&x, y)| (x as i32, y as i32)).unzip();
    let expected = per_thread(N, |i| {
        let (a, b) = (x[i] as u32, y[i] as u32);
        [x[i] / y[i], x[i] % y[i], (a / b) as i32, (a % b) as i32]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i32>(4 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn divide_64(s: &mut Setting) {
    let (x, y) = (integers(), divisors());
    let expected = per_thread(N, |i| {
        let (a, b) = (x[i] as u64, y[i] as u64);
        [x[i] / y[i], x[i] % y[i], (a / b) as i64, (a % b) as i64]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i64>(4 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn multiply(s: &mut Setting) {
    let (x, y) = (integers(), divisors());
    let expected = per_thread(N, |i| {
        let (a, b) = (x[i] as i32, y[i] as i32);
        let low_24 = |n: i32| i64::from(n << 8 >> 8);
        [
            (i64::from(a) * i64::from(b)) >> 32,
            i64::from(((u64::from(a as u32) * u64::from(b as u32)) >> 32) as i32 as u32),
            ((i128::from(x[i]) * i128::from(y[i])) >> 64) as i64,
            ((u128::from(x[i] as u64) * u128::from(y[i] as u64)) >> 64) as i64,
            i64::from(a) * i64::from(b),
            i64::from((low_24(a) * low_24(b)) as i32),
        ]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i64>(6 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn bits(s: &mut Setting) {
    let x: Vec<u32> = integers().iter().map(|&x| x as u32).collect();
    let expected = per_thread(N, |i| {
        let a = x[i];
        let (twice, both) = (u64::from(a) << 32 | u64::from(a), u64::from(!a) << 32 | u64::from(a));
        [
            a.leading_zeros(),
            a.count_ones(),
            a.reverse_bits(),
            if a == 0 { 0 } else { a.trailing_zeros() + 1 },
            twice.leading_zeros(),
            twice.count_ones(),
            (both << 5 >> 32) as u32,
            (both >> 5) as u32,
            (both << 5 >> 32) as u32,
            (both >> 32) as u32,
        ]
    });
    let (x, z) = (s.input(&x), s.output::<u32>(10 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn bytes(s: &mut Setting) {
    let x: Vec<u32> = integers().iter().map(|&x| x as u32).collect();
    let y: Vec<u32> = divisors().iter().map(|&y| y as u32).collect();
    let expected = per_thread(N, |i| {
        let bytes = [x[i].to_le_bytes(), (!x[i]).to_le_bytes()].concat();
        let sum = u64::from(x[i]) + u64::from(y[i]);
        [
            u32::from_le_bytes([bytes[5], bytes[1], bytes[7], bytes[3]]),
            x[i].abs_diff(y[i]),
            (sum / 2) as u32,
            sum.div_ceil(2) as u32,
        ]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<u32>(4 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn shifts(s: &mut Setting) {
    let x = integers();
    let y: Vec<i32> = (0..N as i32).map(|i| i % 32).collect();
    let expected = per_thread(N, |i| {
        let (a, by) = (x[i] as i32, y[i]);
        [
            i64::from(a << by),
            i64::from(a >> by),
            i64::from(a as u32 >> by),
            x[i] << by,
            x[i] >> by,
            (x[i] as u64 >> by) as i64,
        ]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i64>(6 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

/// The special floats, then others with moderate exponents.
fn floats() -> Vec<f32> {
    let special = [0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-40, 3.5, 0.5];
    let others = numbers().map(|n| (n as i32) as f32 * 2f32.powi(-((n >> 32) as i32 & 31)));
    special.into_iter().chain(others).take(N).collect()
}

fn other_floats() -> Vec<f32> {
    floats().into_iter().rev().map(|x| if x == 0.0 { 2.0 } else { x }).collect()
}

/// The float sum, rounded down and up. The error of the sum (Knuth's two-sum) shows on which side of the exact sum the
/// nearest float is.
fn sum_rounded_down_and_up(x: f32, y: f32) -> (f32, f32) {
    let (a, b) = (f64::from(x), f64::from(y));
    let sum = a + b;
    let lost = (a - (sum - (sum - a))) + (b - (sum - a));
    let nearest = sum as f32;
    let off = if sum == f64::from(nearest) { lost } else { sum - f64::from(nearest) };
    (
        if off < 0.0 { nearest.next_down() } else { nearest },
        if off > 0.0 { nearest.next_up() } else { nearest },
    )
}

fn float_exact(s: &mut Setting) {
    let (x, y) = (floats(), other_floats());
    let expected = per_thread(N, |i| {
        let (x, y) = (x[i], y[i]);
        let (down, up) = sum_rounded_down_and_up(x, y);
        [x / y, x.sqrt(), 1.0 / x, x.mul_add(y, 1.0), up, down, x.min(y), x.max(y)]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<f32>(8 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn positive() -> (Vec<f32>, Vec<f32>) {
    let x = numbers().map(|n| (n % 100_000 + 1) as f32 / 4096.0).take(N).collect();
    let y = numbers().map(|n| (n >> 20 & 0xff) as f32 / 64.0 - 2.0).take(N).collect();
    (x, y)
}

fn float_close(s: &mut Setting) {
    let (x, y) = positive();
    let expected = per_thread(N, |i| {
        let (x, y) = (f64::from(x[i]), f64::from(y[i]));
        [1.0 / x.sqrt(), x.sin(), x.cos(), x.exp(), x.ln(), x.powf(y)]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<f32>(6 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check_close(z, &expected, 1e-6);
    // Arguments this large are reduced with a table, which the compiler keeps in local memory.
    let large: Vec<f32> = (0..N).map(|i| 1e6 * (i as f32 + 1.0)).collect();
    let expected: Vec<f64> = large.iter().map(|&x| f64::from(x).sin()).collect();
    let x = s.input(&large);
    s.run(1, N as u32, args!(x, y, z));
    let found: Vec<f32> = s.read(z);
    for (index, expected) in expected.into_iter().enumerate() {
        assert!((f64::from(found[6 * index + 1]) - expected).abs() < 1e-6, "sin {}", large[index]);
    }
}

fn float_fast(s: &mut Setting) {
    let (x, y) = positive();
    // The fast versions are meant for small arguments.
    let x: Vec<f32> = x.iter().map(|x| x % 3.0 + 0.01).collect();
    let y: Vec<f32> = y.iter().map(|&y| if y == 0.0 { 1.0 } else { y }).collect();
    let expected = per_thread(N, |i| {
        let (x, y) = (f64::from(x[i]), f64::from(y[i]));
        [x / y, x.sin(), x.cos(), x.exp(), x.ln(), x.powf(y)]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<f32>(6 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check_close(z, &expected, 1e-5);
}

fn double_exact(s: &mut Setting) {
    let x: Vec<f64> = floats().iter().map(|&x| f64::from(x) * 1.000_000_1).collect();
    let y: Vec<f64> = other_floats().iter().map(|&y| f64::from(y) / 3.0).collect();
    let expected = per_thread(N, |i| {
        let (x, y) = (x[i], y[i]);
        [x / y, x.sqrt(), x.mul_add(y, 1.0), x - y, x.floor(), x.min(y)]
    });
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<f64>(6 * N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn round_to_int(s: &mut Setting) {
    let mut x = floats();
    x.extend([2.5, -2.5, 3.5, -0.5, 1e20, -1e20, 2_147_483_500.0, 4_294_967_000.0]);
    let ways = |x: f32| [x.round_ties_even(), x.trunc(), x.ceil(), x.floor()];
    let expected: Vec<i32> = x
        .iter()
        .flat_map(|&x| ways(x).map(|x| x as i32).into_iter().chain(ways(x).map(|x| x as u32 as i32)))
        .collect();
    let count = x.len();
    let (x, z) = (s.input(&x), s.output::<i32>(8 * count));
    s.run(1, count as u32, args!(x, z));
    s.check(z, &expected);
}

/// Converts to a half, which is a float with a mantissa rounded to eleven bits; the inputs are in its normal range.
fn to_half(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    f32::from_bits(rounded & !0x1fff)
}

fn convert(s: &mut Setting) {
    let x: Vec<f64> = (0..64).map(|i| f64::from(i) * 1.9 - 12.3).collect();
    let expected = per_thread(64, |i| {
        let (x, narrow) = (x[i], x[i] as f32);
        // Both are between two floats that are 128 apart.
        let whole = 0x7fff_ff00 + i as i64;
        let down = whole / 128 * 128;
        let up = (whole + 127) / 128 * 128;
        [
            f64::from(to_half(narrow)),
            f64::from(narrow),
            f64::from(x as i16),
            // The conversion of a negative double to unsigned char is undefined; the compiler converts to a wider type
            // first.
            f64::from(x as i64 as u8),
            x.trunc(),
            down as f64,
            up as f64,
            f64::from(narrow.clamp(0.0, 1.0)),
        ]
    });
    let (x, z) = (s.input(&x), s.output::<f64>(8 * 64));
    s.run(1, 64, args!(x, z));
    let found: Vec<f64> = s.read(z);
    for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        let negative_to_unsigned = at % 8 == 3 && at / 8 < 7;
        assert!(found == expected || negative_to_unsigned, "convert {at}: {found}, not {expected}");
    }
}

fn compare_floats(s: &mut Setting) {
    let (x, y) = (floats(), other_floats());
    let y: Vec<f32> = y.iter().enumerate().map(|(i, &y)| if i % 5 == 0 { x[i] } else { y }).collect();
    let bits = |a: f32, b: f32| {
        [a < b, a <= b, a > b, a >= b, a == b, a != b, a.is_nan() || b.is_nan()]
            .iter()
            .enumerate()
            .fold(0, |bits, (at, &holds)| bits | i32::from(holds) << at)
    };
    let expected: Vec<i32> = x.iter().zip(&y).map(|(&x, &y)| bits(x, y)).collect();
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn narrow(s: &mut Setting) {
    let a: Vec<u8> = numbers().map(|n| n as u8).take(N).collect();
    let b: Vec<u8> = numbers().map(|n| (n >> 8) as u8).take(N).collect();
    let d: Vec<i16> = numbers().map(|n| n as i16).take(N).collect();
    let sums: Vec<u8> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b)).collect();
    let negated: Vec<i16> = d.iter().map(|d| d.wrapping_neg()).collect();
    let (a, b, d) = (s.input(&a), s.input(&b), s.input(&d));
    let (c, e) = (s.output::<u8>(N), s.output::<i16>(N));
    s.run(1, N as u32, args!(a, b, c, d, e));
    s.check(c, &sums);
    s.check(e, &negated);
}
