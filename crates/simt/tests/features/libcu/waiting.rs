//! `waiting.cu`: atomics on which threads wait, semaphores and latches.

use crate::args;
use crate::harness::{Case, Setting};

pub const CASES: &[Case] =
    &[("waiting_turns", turns), ("waiting_semaphore", semaphore), ("waiting_latch", latch)];

fn turns(s: &mut Setting) {
    let z = s.output::<i32>(4);
    s.run(1, 128, args!(z));
    s.check(z, &[3, 2, 1, 0]);
}

/// If lanes of one warp wait for each other, they need independent thread scheduling.
fn semaphore(s: &mut Setting) {
    let z = s.output::<i32>(1);
    let threads = if s.is_stack() { 1 } else { 40 };
    s.run(1, threads, args!(z));
    s.check(z, &[threads as i32]);
}

fn latch(s: &mut Setting) {
    let (values, z) = (s.output::<i32>(128), s.output::<i32>(32));
    s.run(1, 128, args!(values, z));
    s.check(z, &(0..32).map(|lane| (1..4).map(|warp| warp * 32 + lane).sum()).collect::<Vec<i32>>());
}
