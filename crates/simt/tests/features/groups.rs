//! `kernels/features_groups.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers, per_thread};

pub const CASES: &[Case] = &[
    ("group_block", group_block),
    ("group_tiles", group_tiles),
    ("group_votes", group_votes),
    ("group_coalesced", group_coalesced),
    ("group_grid", group_grid),
];

const N: usize = 128;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 % 1000).take(N).collect()
}

fn group_block(s: &mut Setting) {
    let x = values();
    let expected: Vec<i32> = x.iter().rev().copied().collect();
    let (x, z) = (s.input(&x), s.output::<i32>(N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn group_tiles(s: &mut Setting) {
    let x = values();
    let sum = |i: usize, size: usize| x[i / size * size..][..size].iter().sum::<i32>();
    let expected = per_thread(N, |i| [sum(i, 16), sum(i, 4)]);
    let (x, z) = (s.input(&x), s.output::<i32>(2 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn group_votes(s: &mut Setting) {
    let x = values();
    let mask = |i: usize| (0..16).fold(0, |mask, lane| mask | u32::from(x[i / 16 * 16 + lane] > 0) << lane);
    let expected = per_thread(N, |i| [mask(i), 16]);
    let (x, z) = (s.input(&x), s.output::<u32>(2 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn group_coalesced(s: &mut Setting) {
    let x = values();
    let count = |range: std::ops::Range<usize>| x[range].iter().filter(|&&x| x > 0).count() as i32;
    let expected = per_thread(N, |i| {
        let first = i / 32 * 32;
        if x[i] > 0 { [count(first..i), count(first..first + 32)] } else { [-1, -1] }
    });
    let (x, z) = (s.input(&x), s.output::<i32>(2 * N));
    s.run(1, N as u32, args!(x, z));
    s.check(z, &expected);
}

fn group_grid(s: &mut Setting) {
    let z = s.output::<u32>(5 * 64);
    s.run(5, 64, args!(z));
    s.check(z, &(0..5 * 64).collect::<Vec<_>>());
}
