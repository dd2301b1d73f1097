//! `bulk.cu`: bulk copies at barriers, in groups, as reductions, and in stages.

use crate::args;
use crate::harness::{Case, Setting};

pub const CASES: &[Case] = &[("bulk_add_one", add_one), ("bulk_sum", sum), ("bulk_stages", stages)];

const WORDS: u32 = 128;

fn input(tiles: u32) -> Vec<i32> {
    (0..(tiles * WORDS) as i32).map(|i| 5 * i - 300).collect()
}

fn add_one(s: &mut Setting) {
    let numbers = input(3);
    let x = s.input(&numbers);
    s.run(3, 64, args!(x));
    s.check(x, &numbers.iter().map(|number| number + 1).collect::<Vec<_>>());
}

fn sum(s: &mut Setting) {
    let numbers = input(4);
    let (x, z) = (s.input(&numbers), s.input(&[1000; WORDS as usize]));
    s.run(4, 32, args!(x, z));
    let of = |word: usize| 1000 + numbers[word..].iter().step_by(WORDS as usize).sum::<i32>();
    s.check(z, &(0..WORDS as usize).map(of).collect::<Vec<_>>());
}

fn stages(s: &mut Setting) {
    let numbers = input(8);
    let (x, z) = (s.input(&numbers), s.output::<i32>(numbers.len()));
    s.run(1, 160, args!(x, z, 8));
    let expected: Vec<i32> =
        numbers.chunks(WORDS as usize).flat_map(|tile| tile.iter().rev()).copied().collect();
    s.check(z, &expected);
}
