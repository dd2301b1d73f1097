//! `barrier.cu`: `cuda::barrier` in shared memory, and in global memory for a grid.

use crate::args;
use crate::harness::{Case, Setting};

pub const CASES: &[Case] = &[
    ("barrier_rounds", rounds),
    ("barrier_split", split),
    ("barrier_parity", parity),
    ("barrier_gives_up", gives_up),
    ("barrier_again", again),
    ("barrier_made", of_grid),
    ("barrier_of_grid", of_grid),
];

/// Three warps, the last of them partial.
const N: u32 = 80;

fn rounds(s: &mut Setting) {
    let mut values: Vec<u32> = (0..N).collect();
    for _ in 0..5 {
        values = (0..N as usize).map(|i| values[i] + values[(i + 1) % N as usize]).collect();
    }
    let z = s.output::<u32>(N as usize);
    s.run(1, N, args!(z, 5));
    s.check(z, &values);
}

fn split(s: &mut Setting) {
    let z = s.output::<u32>(N as usize);
    s.run(1, N, args!(z));
    let expected: Vec<u32> =
        (0..N).map(|i| 3 * i + (i + 1) % N + if i > 32 { 3 * (i - 1) } else { 0 }).collect();
    s.check(z, &expected);
}

fn parity(s: &mut Setting) {
    let z = s.output::<u32>(32);
    s.run(1, 64, args!(z, 6));
    let expected: Vec<u32> = (0..32).map(|lane| (0..6).map(|round| round * 100 + 31 - lane).sum()).collect();
    s.check(z, &expected);
}

fn gives_up(s: &mut Setting) {
    let z = s.output::<u32>(N as usize);
    s.run(1, N, args!(z));
    s.check(z, &(0..N).map(|i| u32::from(i == 0)).collect::<Vec<_>>());
}

fn again(s: &mut Setting) {
    let z = s.output::<u32>(N as usize);
    s.run(1, N, args!(z));
    s.check(z, &(0..N).collect::<Vec<_>>());
}

/// The kernel that initialises the barrier is run alone as a case of its own, and before the other kernel in that
/// kernel's case.
fn of_grid(s: &mut Setting) {
    const THREADS: u32 = 2 * 40;
    let barrier = s.output::<u64>(1);
    s.run_kernel("barrier_made", 1, 1, args!(barrier, THREADS as i32));
    assert_ne!(s.read::<u64>(barrier), [0]);
    if s.kernel() == "barrier_of_grid" {
        let (values, z) = (s.output::<u32>(THREADS as usize), s.output::<u32>(THREADS as usize));
        s.run(2, 40, args!(barrier, values, z));
        s.check(z, &(0..THREADS).rev().collect::<Vec<_>>());
    }
}
