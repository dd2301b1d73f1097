//! `kernels/features_warps.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers, per_thread};

pub const CASES: &[Case] = &[
    ("shuffles", shuffles),
    ("shuffles_width_8", shuffles_width_8),
    ("shuffles_wide", shuffles_wide),
    ("votes", votes),
    ("votes_in_halves", votes_in_halves),
    ("matches", matches),
    ("lane_numbers", lane_numbers),
    ("sync_warp", sync_warp),
    ("sync_reductions", sync_reductions),
    ("named_barriers", named_barriers),
    ("half_block", half_block),
];

const N: usize = 96;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 % 1000).take(N).collect()
}

/// The values that the lanes read in segments of `width` lanes.
fn segments(x: &[i32], width: usize) -> Vec<i32> {
    per_thread(x.len(), |i| {
        let (first, own) = (i / width * width, i % width);
        let below = if own < 3 { i } else { i - 3 };
        let above = if own + 3 < width { i + 3 } else { i };
        [x[first + 5], x[below], x[above], x[i ^ 1]]
    })
}

fn shuffles(s: &mut Setting) {
    shuffles_of(s, 32);
}

fn shuffles_width_8(s: &mut Setting) {
    shuffles_of(s, 8);
}

fn shuffles_of(s: &mut Setting, width: usize) {
    let x = values();
    let expected = segments(&x, width);
    let (x, z) = (s.input(&x), s.output::<i32>(4 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn shuffles_wide(s: &mut Setting) {
    let x: Vec<i64> = numbers().map(|n| n as i64).take(N).collect();
    let y: Vec<f64> = x.iter().map(|&x| x as f64 / 3.0).collect();
    let next = |i: usize| if i % 32 == 31 { i } else { i + 1 };
    let moved: (Vec<_>, Vec<_>) = (0..N).map(|i| (x[next(i)], y[next(i)])).unzip();
    let (x, z, y, w) = (s.input(&x), s.output::<i64>(N), s.input(&y), s.output::<f64>(N));
    s.run(1, N as u32, args!(x, z, y, w));
    s.check(z, &moved.0);
    s.check(w, &moved.1);
}

/// The lanes of thread `i`'s warp for whose values `wanted` returns true.
fn mask(x: &[i32], i: usize, wanted: impl Fn(i32) -> bool) -> u32 {
    (0..32).fold(0, |mask, lane| mask | u32::from(wanted(x[i / 32 * 32 + lane])) << lane)
}

fn votes(s: &mut Setting) {
    let mut x = values();
    x[32..64].fill(1);
    x[64..].fill(0);
    let expected = per_thread(N, |i| {
        let positive = mask(&x, i, |x| x > 0);
        [
            positive,
            u32::from(positive == u32::MAX),
            u32::from(positive != 0),
            if x[i] > 0 { positive } else { 0 },
        ]
    });
    let (x, z) = (s.input(&x), s.output::<u32>(4 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn votes_in_halves(s: &mut Setting) {
    let x = values();
    let half = |i: usize| if i % 32 < 16 { 0x0000_ffff } else { 0xffff_0000 };
    let expected: Vec<u32> = (0..N).map(|i| mask(&x, i, |x| x > 0) & half(i)).collect();
    let (x, z) = (s.input(&x), s.output::<u32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn matches(s: &mut Setting) {
    let mut x: Vec<i32> = values().iter().map(|x| x % 4).collect();
    x[32..64].fill(7);
    let expected = per_thread(N, |i| {
        let same = mask(&x, i, |other| other == x[i]);
        let all = same == u32::MAX;
        [same, if all { u32::MAX } else { 0 }, u32::from(all)]
    });
    let (x, z) = (s.input(&x), s.output::<u32>(3 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn lane_numbers(s: &mut Setting) {
    let expected = per_thread(N, |i| {
        let own = 1u32 << (i % 32);
        let below = own - 1;
        [i as u32 % 32, i as u32 / 32, below, below | own, !(below | own), !below]
    });
    let z = s.output::<u32>(6 * N);
    s.run(1, N as u32, args!(z));
    s.check(z, &expected);
}

fn sync_warp(s: &mut Setting) {
    let x = values();
    let expected: Vec<i32> = (0..N).map(|i| x[i ^ 31]).collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn sync_reductions(s: &mut Setting) {
    for x in [values(), vec![0; N], vec![1; N]] {
        let count = x.iter().filter(|&&x| x > 0).count();
        let results = [count as i32, i32::from(count == N), i32::from(count > 0)];
        let (x, z) = (s.input(&x), s.output::<i32>(3 * N));
        s.run(1, N as u32, args!(x, z));
        s.check(z, &per_thread(N, |_| results));
    }
}

fn named_barriers(s: &mut Setting) {
    let z = s.output::<i32>(32);
    s.run(1, 64, args!(z));
    s.check(z, &(0..32).map(|i| 3 * i).collect::<Vec<_>>());
}

fn half_block(s: &mut Setting) {
    let z = s.output::<i32>(N);
    s.run(1, N as u32, args!(z));
    s.check(z, &(0..N as i32).map(|i| if i < 64 { 63 - i } else { -1 }).collect::<Vec<_>>());
}
