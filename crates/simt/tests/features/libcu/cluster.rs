//! `cluster.cu`: clusters, their shared memory, and stores and copies between their blocks.

use simt::{Dim3, Launch};

use crate::args;
use crate::harness::{Case, Setting};

pub const CASES: &[Case] = &[
    ("cluster_histogram", histogram),
    ("cluster_sum", sum),
    ("cluster_places", places),
    ("cluster_ring", ring),
    ("cluster_copies", copies),
];

const BINS: usize = 64;

fn input(count: i32) -> Vec<i32> {
    (0..count).map(|i| (7 * i + i / 5) % 1000).collect()
}

fn histogram(s: &mut Setting) {
    let numbers = input(1000);
    let (x, bins) = (s.input(&numbers), s.input(&[0_i32; BINS]));
    s.run(8, 64, args!(x, bins, 1000));
    let count = |bin: usize| numbers.iter().filter(|&&number| number as usize % BINS == bin).count() as i32;
    s.check(bins, &(0..BINS).map(count).collect::<Vec<_>>());
}

fn sum(s: &mut Setting) {
    let numbers = input(6 * 64);
    let (x, sums) = (s.input(&numbers), s.output::<i32>(6));
    let launch = Launch { cluster: Some(3.into()), args: args!(x, sums).to_vec(), ..s.prepare(6, 64) };
    let report = s.launch(&launch);
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let of = |cluster: usize| numbers[cluster * 192..][..192].iter().sum::<i32>();
    s.check(sums, &[of(0), of(0), of(0), of(1), of(1), of(1)]);
}

fn places(s: &mut Setting) {
    let found = s.output::<u32>(8 * 8 * 32);
    s.run((4, 2), 32, args!(found));
    let mut expected = Vec::new();
    for block in 0..8 {
        let at = Dim3::new(4, 2, 1).nth(block);
        let rank = at.x % 2 + 2 * (at.y % 2);
        for thread in 0..32 {
            expected.extend([at.x % 2, at.y % 2, rank, 4, 32 * rank + thread, 128, 3, rank]);
        }
    }
    s.check(found, &expected);
}

fn ring(s: &mut Setting) {
    let z = s.output::<i32>(8 * 32);
    s.run(8, 32, args!(z));
    let before = |block: i32| block / 4 * 4 + (block + 3) % 4;
    let of = |i: i32| 100 * before(i / 32) + i % 32;
    s.check(z, &(0..8 * 32).map(of).collect::<Vec<_>>());
}

fn copies(s: &mut Setting) {
    let numbers = input(32);
    let (x, z) = (s.input(&numbers), s.output::<i32>(4 * 32));
    s.run(4, 32, args!(x, z));
    let of = |i: i32| numbers[i as usize % 32] + 1000 * ((i / 32) ^ 1) + i % 32;
    s.check(z, &(0..4 * 32).map(of).collect::<Vec<_>>());
}
