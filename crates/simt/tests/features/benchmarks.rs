//! `kernels/benchmarks.cu`.

use crate::args;
use crate::harness::{Case, Setting, numbers};

pub const CASES: &[Case] = &[
    ("bench_divergent", bench_divergent),
    ("bench_shared", bench_shared),
    ("bench_shuffle", bench_shuffle),
    ("bench_tree", bench_tree),
];

const N: usize = 700;

fn values() -> Vec<i32> {
    numbers().map(|n| n as i32 % 1000).take(N).collect()
}

fn bench_divergent(s: &mut Setting) {
    let steps = |x: u32| {
        let halve_or_triple = |&x: &u32| Some(if x % 2 == 0 { x / 2 } else { 3 * x + 1 });
        std::iter::successors(Some(x), halve_or_triple).take_while(|&x| x > 1).take(100).count() as u32
    };
    let x: Vec<u32> = (0..N as u32).collect();
    let expected: Vec<u32> = x.iter().map(|&x| steps(x)).collect();
    let (x, z) = (s.input(&x), s.output::<u32>(N));
    s.run(6, 128, args!(x, z, 100, N as i32));
    s.check(z, &expected);
}

fn sums(s: &mut Setting, of: usize) {
    let x = values();
    let blocks = N.div_ceil(256);
    let mut expected: Vec<i32> = x.chunks(of).map(|chunk| chunk.iter().sum()).collect();
    expected.resize(blocks * 256 / of, 0);
    let (x, z) = (s.input(&x), s.output::<i32>(expected.len()));
    s.run(blocks as u32, 256, args!(x, z, N as i32));
    s.check(z, &expected);
}

fn bench_shared(s: &mut Setting) {
    sums(s, 256);
}

fn bench_shuffle(s: &mut Setting) {
    sums(s, 32);
}

fn bench_tree(s: &mut Setting) {
    const BLOCK: usize = 256;
    let values: Vec<i32> = numbers().map(|n| n as i32 % 1000).take(3 * BLOCK).collect();
    let (x, sums) = (s.input(&values), s.output::<i32>(3));
    s.run(3, BLOCK as u32, args![x, sums, values.len() as i32]);
    let expected: Vec<i32> = values.chunks(BLOCK).map(|part| part.iter().sum()).collect();
    s.check(sums, &expected);
}
