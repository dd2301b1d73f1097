//! `kernels/redux.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers, per_thread};

pub const CASES: &[Case] = &[("redux_all", redux_all), ("redux_halves", redux_halves)];

const N: usize = 64;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 >> 8).take(N).collect()
}

fn redux_all(s: &mut Setting) {
    let x = values();
    let expected = per_thread(N, |i| {
        let warp = &x[i / 32 * 32..][..32];
        let fold = |f: fn(i32, i32) -> i32| warp.iter().copied().reduce(f).unwrap();
        [
            fold(i32::wrapping_add),
            fold(i32::min),
            fold(i32::max),
            fold(|a, b| a & b),
            fold(|a, b| a | b),
            fold(|a, b| a ^ b),
        ]
    });
    let (x, z) = (s.input(&x), s.output::<i32>(6 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn redux_halves(s: &mut Setting) {
    let x = values();
    let sum = |i: usize| x[i / 32 * 32..][..32].iter().skip(i % 2).step_by(2).sum::<i32>();
    let expected: Vec<i32> = (0..N).map(sum).collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}
