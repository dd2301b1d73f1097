//! `kernels/features_atomics.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers};

pub const CASES: &[Case] = &[
    ("atomics_int", atomics_int),
    ("atomics_return", atomics_return),
    ("atomics_swap", atomics_swap),
    ("atomics_cas", atomics_cas),
    ("atomics_wide", atomics_wide),
    ("atomics_float", atomics_float),
    ("atomics_shared", atomics_shared),
    ("atomics_scope", atomics_scope),
    ("atomics_ordered", atomics_ordered),
];

const BLOCKS: u32 = 3;
const BLOCK: u32 = 72;
const T: i32 = (BLOCKS * BLOCK) as i32;

fn atomics_int(s: &mut Setting) {
    let sum = T * (T - 1) / 2;
    let all = (0..T).fold(0, |bits, i| bits ^ i);
    let z = s.input(&[0, 0, i32::MAX, 0, -1, 0, 0, 0, 0]);
    s.run(BLOCKS, BLOCK, args!(z));
    // Both counters have a period of 7; the one that counts down starts at 0 and becomes 6 first.
    s.check(z, &[sum, -sum, 0, T - 1, 0, -1, all, T % 7, (7 - T % 7) % 7]);
}

fn atomics_return(s: &mut Setting) {
    let (z, tickets) = (s.output::<i32>(T as usize), s.output::<i32>(1));
    s.run(BLOCKS, BLOCK, args!(z, tickets));
    let mut drawn: Vec<i32> = s.read(z);
    drawn.sort_unstable();
    assert!(drawn.into_iter().eq(0..T));
    s.check(tickets, &[T]);
}

fn atomics_swap(s: &mut Setting) {
    let cell = s.output::<i32>(2);
    s.run(BLOCKS, BLOCK, args!(cell));
    let found: Vec<i32> = s.read(cell);
    assert_eq!(found[0] + found[1], T * (T + 1) / 2);
    assert!((1..=T).contains(&found[0]));
}

fn atomics_cas(s: &mut Setting) {
    let cell = s.output::<i32>(2);
    s.run(BLOCKS, BLOCK, args!(cell));
    s.check(cell, &[T * (T + 1) / 2, T]);
}

fn atomics_wide(s: &mut Setting) {
    let z = s.input(&[0, 0, u64::MAX, 0, u64::MAX, 0]);
    s.run(BLOCKS, BLOCK, args!(z));
    let (sum, or) = ((T * (T - 1) / 2) as u64, (0..T as u64).fold(0, |bits, i| bits | i));
    let last = T as u64 - 1;
    s.check(z, &[sum << 32, (sum << 32).wrapping_neg(), 0, last << 32, !(or << 32), or << 32]);
}

fn atomics_float(s: &mut Setting) {
    let (z, w) = (s.output::<f32>(1), s.output::<f64>(1));
    s.run(BLOCKS, BLOCK, args!(z, w));
    let sum = f64::from(T * (T - 1) / 2) / 4.0;
    s.check(z, &[sum as f32]);
    s.check(w, &[sum]);
}

fn atomics_shared(s: &mut Setting) {
    let x: Vec<u32> = numbers().map(|n| n as u32).take(T as usize).collect();
    let mut bins = [0; 8];
    for &x in &x {
        bins[x as usize % 8] += 1;
    }
    let (x, z) = (s.input(&x), s.output::<i32>(8));
    s.run(BLOCKS, BLOCK, args!(x, z));
    s.check(z, &bins);
}

fn atomics_scope(s: &mut Setting) {
    let z = s.output::<i32>(3);
    s.run(1, 96, args!(z));
    s.check(z, &[96; 3]);
}

fn atomics_ordered(s: &mut Setting) {
    let z = s.output::<i32>(5);
    s.run(BLOCKS, BLOCK, args!(z));
    let found: Vec<i32> = s.read(z);
    assert_eq!(found[..3], [T, 7, 7]);
    assert_eq!(found[3] + found[4], T * (T + 1) / 2);
}
