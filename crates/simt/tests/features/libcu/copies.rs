//! `copies.cu`: `cp.async` with a group's wait, with pipelines, and at a barrier.

use crate::args;
use crate::harness::{Case, Setting};

pub const CASES: &[Case] = &[
    ("copies_group", group),
    ("copies_group_prior", tiles),
    ("copies_thread_pipeline", own),
    ("copies_block_pipeline", tiles),
    ("copies_roles", roles),
    ("copies_barrier", once),
];

const THREADS: u32 = 64;

/// What tiles of 64 numbers are when each is reversed.
fn reversed(numbers: &[i32]) -> Vec<i32> {
    numbers.chunks(THREADS as usize).flat_map(|tile| tile.iter().rev()).copied().collect()
}

fn input(tiles: u32) -> Vec<i32> {
    (0..(tiles * THREADS) as i32).map(|i| 7 * i - 100).collect()
}

fn group(s: &mut Setting) {
    let numbers = input(3);
    let (x, z) = (s.input(&numbers), s.output::<i32>(numbers.len()));
    s.run(3, THREADS, args!(x, z));
    s.check(z, &reversed(&numbers));
}

fn many(s: &mut Setting, threads: u32, of: impl Fn(&[i32]) -> Vec<i32>) {
    let numbers = input(7);
    let (x, z) = (s.input(&numbers), s.output::<i32>(numbers.len()));
    s.run(1, threads, args!(x, z, 7));
    s.check(z, &of(&numbers));
}

fn tiles(s: &mut Setting) {
    many(s, THREADS, reversed);
}

fn own(s: &mut Setting) {
    many(s, THREADS, |numbers| numbers.iter().map(|number| 3 * number).collect());
}

fn roles(s: &mut Setting) {
    many(s, 96, reversed);
}

fn once(s: &mut Setting) {
    let numbers = input(1);
    let (x, z) = (s.input(&numbers), s.output::<i32>(numbers.len()));
    s.run(1, THREADS, args!(x, z));
    s.check(z, &reversed(&numbers));
}
