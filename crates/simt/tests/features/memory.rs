//! `kernels/features_memory.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers};

pub const CASES: &[Case] = &[
    ("vectors", vectors),
    ("vector_bytes", vector_bytes),
    ("local_array", local_array),
    ("constant_table", constant_table),
    ("module_variables", module_variables),
    ("dynamic_shared", dynamic_shared),
    ("static_shared", static_shared),
    ("shared_tile", shared_tile),
    ("generic_pointer", generic_pointer),
    ("read_only", read_only),
    ("volatile_flag", volatile_flag),
    ("fences", fences),
];

const N: usize = 100;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 >> 8).take(N).collect()
}

fn each(s: &mut Setting, result: impl Fn(usize, i32) -> i32) {
    let x = values();
    let expected: Vec<i32> = x.iter().enumerate().map(|(i, &x)| result(i, x)).collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn vectors(s: &mut Setting) {
    let x: Vec<f32> = (0..4 * N).map(|i| i as f32 / 8.0).collect();
    let m: Vec<i32> = (0..2 * N as i32).collect();
    let doubled: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
    let exchanged: Vec<i32> = m.iter().map(|m| m ^ 1).collect();
    let (x, z) = (s.input(&x), s.output::<f32>(4 * N));
    let (m, n) = (s.input(&m), s.output::<i32>(2 * N));
    s.run(1, N as u32, args!(x, z, m, n));
    s.check(z, &doubled);
    s.check(n, &exchanged);
}

fn vector_bytes(s: &mut Setting) {
    each(s, |_, x| x.swap_bytes());
}

fn local_array(s: &mut Setting) {
    each(s, |_, x| 1240 - (x & 15) * (x & 15));
}

fn constant_table(s: &mut Setting) {
    let primes = [2, 3, 5, 7, 11, 13, 17, 19];
    let z = s.output::<i32>(N);
    s.run(1, N as u32, args!(z));
    s.check(z, &(0..N).map(|i| primes[i % 8]).collect::<Vec<_>>());
}

fn module_variables(s: &mut Setting) {
    let z = s.output::<f32>(N + 1);
    for launch in 1..=2 {
        s.run(1, N as u32, args!(z));
        let weights = (0..N).map(|i| 1000.0 + f32::from([1u8, 2, 4, 8][i % 4]));
        s.check(z, &weights.chain([(launch * N) as f32]).collect::<Vec<_>>());
    }
}

fn dynamic_shared(s: &mut Setting) {
    let x = values();
    let expected: Vec<i32> = x.iter().rev().copied().collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    let mut launch = s.prepare(1, N as u32);
    launch.shared_bytes = 4 * N as u32;
    launch.args.extend(args!(x, z));
    assert!(s.launch(&launch).faults.is_empty());
    s.check(z, &expected);
    launch.shared_bytes -= 4;
    let fault = s.launch(&launch).faults.remove(0);
    assert_eq!(fault.kind, simt::FaultKind::OutOfBounds, "{fault}");
}

fn static_shared(s: &mut Setting) {
    let x = values();
    let part = |i: usize| if i % 2 == 1 { 0.5 } else { 0.25 };
    let expected: Vec<f64> = x.iter().enumerate().map(|(i, &x)| f64::from(x) + part(i)).collect();
    let (x, z) = (s.input(&x), s.output::<f64>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn shared_tile(s: &mut Setting) {
    let x: Vec<f32> = (0..1024u16).map(f32::from).collect();
    let expected: Vec<f32> = (0..1024).map(|at| x[at % 32 * 32 + at / 32]).collect();
    let (x, z) = (s.input(&x), s.output::<f32>(1024));
    s.run(1, (32, 8), args!(x, z));
    s.check(z, &expected);
}

fn generic_pointer(s: &mut Setting) {
    each(s, |i, x| if i % 2 == 1 { -x } else { x });
}

fn read_only(s: &mut Setting) {
    let x = values();
    let y: Vec<i32> = x.iter().rev().copied().collect();
    let expected: Vec<i32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
    let (x, y, z) = (s.input(&x), s.input(&y), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, y, z));
    s.check(z, &expected);
}

fn volatile_flag(s: &mut Setting) {
    each(s, |_, x| x + 1);
}

fn fences(s: &mut Setting) {
    each(s, |_, x| x);
}
